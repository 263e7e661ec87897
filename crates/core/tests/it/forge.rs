//! Commits as no memoseal writes them, sealed with the right keys by the format alone.

use memoseal_crypto::{self as crypto, Context, Keyring, Kind, Prelude};
use object_store::{ObjectStoreExt, path::Path};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{redaction::opened, support::*};

/// One change: its header, and the meta section and the content that belong to it.
pub(crate) struct Forged {
    pub(crate) header: Value,
    pub(crate) meta: Option<Value>,
    pub(crate) content: Option<Vec<u8>>,
}

/// Whoever holds the key and writes the log of the only store by hand.
pub(crate) struct Forger {
    keyring: Keyring,
    context: Context,
    log: String,
    seq: u64,
    chain: [u8; 32],
}

fn chain(before: [u8; 32], header: &[u8]) -> [u8; 32] {
    let link = Sha256::new().chain_update(b"memoseal/v1 chain link").chain_update(before);
    link.chain_update(Sha256::digest(header)).finalize().into()
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

impl Forger {
    /// Goes on from the head of the log.
    pub(crate) async fn of(bucket: &Bucket) -> Self {
        let objects = opened::objects(bucket).await;
        let vault = opened::vault(&objects);
        let head = objects.iter().find(|(path, _)| path.as_ref().contains("/log/")).unwrap();
        let parts: Vec<_> = head.0.as_ref().split('/').collect();
        let ["users", user, "log", store, lives, folder, file] = parts.as_slice() else { panic!() };
        let keyring = opened::keyring(&objects, &vault, user);
        let context = Context {
            kind: Kind::Commit,
            vault: vault.id(),
            user: keyring.id(),
            store: opened::hash(store),
            user_life: opened::number(&lives[..16]),
            store_life: opened::number(&lives[17..]),
            seq: 0,
            section: 0,
        };
        let before = head.1[crypto::PRELUDE_LEN..][..32].try_into().unwrap();
        let header = crypto::PRELUDE_LEN + 36 + opened::length(&head.1[crypto::PRELUDE_LEN + 32..]);
        let log = parts[..5].join("/");
        let seq = opened::number(&format!("{folder}{file}"));
        Self { keyring, context, log, seq, chain: chain(before, &head.1[..header]) }
    }

    /// Goes on before the first commit, which is written anew.
    pub(crate) fn anew(mut self) -> Self {
        let genesis = Sha256::new().chain_update(b"memoseal/v1 chain genesis");
        let ids = genesis.chain_update(self.context.vault).chain_update(self.context.user);
        let lives = ids.chain_update(self.context.store).chain_update(self.context.user_life.to_be_bytes());
        self.chain = lives.chain_update(self.context.store_life.to_be_bytes()).finalize().into();
        self.seq = 0;
        self
    }

    /// Writes the blocks of history of a log of `n` commits.
    pub(crate) async fn blocks(bucket: &Bucket, n: u64) {
        let forger = Self::of(bucket).await;
        for number in 1..=n / 256 {
            let mut block = Prelude { kind: Kind::History, epoch: 1 }.to_bytes().to_vec();
            for seq in number * 256 - 255..=number * 256 {
                let path = Path::from(forger.path(seq));
                let bytes = bucket.memory.get(&path).await.unwrap().bytes().await.unwrap();
                let header = crypto::PRELUDE_LEN + 36 + opened::length(&bytes[crypto::PRELUDE_LEN + 32..]);
                block.extend_from_slice(&bytes[..header]);
            }
            let name = format!("{}/{:016x}", forger.log.replace("/log/", "/hist/"), u64::MAX - number);
            bucket.memory.put(&Path::from(name), block.into()).await.unwrap();
        }
    }

    /// The name of a commit.
    pub(crate) fn path(&self, seq: u64) -> String {
        let name = format!("{:016x}", u64::MAX - seq);
        format!("{}/{}/{}", self.log, &name[..13], &name[13..])
    }

    /// Writes the next commit, which says this.
    pub(crate) async fn commit(&mut self, bucket: &Bucket, changes: Vec<Forged>) {
        self.named(bucket, None, changes).await;
    }

    /// The same, with the name of the store in it.
    pub(crate) async fn named(&mut self, bucket: &Bucket, store: Option<&str>, changes: Vec<Forged>) {
        self.seq += 1;
        let context = Context { seq: self.seq, ..self.context };
        let salt = [self.seq as u8; 32];
        let (mut headers, mut table, mut payload) = (Vec::new(), Vec::new(), Vec::new());
        for (index, change) in (0u32..).zip(changes) {
            let mut header = change.header;
            let meta = change.meta.map_or(Vec::new(), |meta| {
                let padded = crypto::pad(meta.to_string().as_bytes(), crypto::META_FLOOR);
                let info = context.with_section(1 + 2 * index).encode();
                crypto::seal_section(self.keyring.key(), &salt, &info, &padded)
            });
            let content = change.content.map_or(Vec::new(), |content| {
                let padded = crypto::pad(&content, crypto::CONTENT_FLOOR);
                crypto::seal(self.keyring.key(), salt, &context.with_section(2 + 2 * index).encode(), &padded)
            });
            for (name, section) in [("meta", &meta), ("data", &content)] {
                if !section.is_empty() {
                    header[name] = base64(&Sha256::digest(section)).into();
                }
                table.extend_from_slice(&(section.len() as u32).to_be_bytes());
                payload.extend_from_slice(section);
            }
            headers.push(header);
        }
        let mut header = json!({ "seq": self.seq, "id": base64(&[7; 16]), "at": 1_800_000_000_000i64 + self.seq as i64,
            "actors": [{ "type": "local", "name": "forger" }], "changes": headers });
        if let Some(store) = store {
            header["store"] = store.into();
        }
        let padded = crypto::pad(header.to_string().as_bytes(), crypto::META_FLOOR);
        let mut bytes = Prelude { kind: Kind::Commit, epoch: 1 }.to_bytes().to_vec();
        bytes.extend_from_slice(&self.chain);
        bytes.extend_from_slice(&((padded.len() + crypto::OVERHEAD) as u32).to_be_bytes());
        let mut info = context.encode();
        info.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
        info.extend_from_slice(&bytes);
        bytes.extend_from_slice(&crypto::seal(self.keyring.key(), salt, &info, &padded));
        self.chain = chain(self.chain, &bytes);
        bytes.extend_from_slice(&table);
        bytes.extend_from_slice(&payload);
        let path = Path::from(self.path(self.seq));
        bucket.memory.put(&path, bytes.into()).await.unwrap();
    }
}

/// A change of a memory that writes a whole content.
pub(crate) fn writes(op: &str, memory: u8, previous: Option<&str>, path: &str, content: &str) -> Forged {
    let mut header = json!({ "op": op, "mem": base64(&[memory; 16]) });
    if let Some(previous) = previous {
        header["prev"] = previous.into();
    }
    let sha256 = base64(&Sha256::digest(content));
    let meta = json!({ "path": path, "size": content.len(), "sha256": sha256 });
    Forged { header, meta: Some(meta), content: Some(content.as_bytes().to_vec()) }
}
