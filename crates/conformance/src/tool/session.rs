//! A store that a case talks to as an agent would: `tool_use` blocks in, `tool_result` blocks out.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use memoseal_core::{
    Backend, Key, Store, Vault, VaultOptions,
    command::{Command, Limits, Reply},
};
use serde_json::{Value, json};

use super::input::create;
use crate::{Failure, Place, check, check_eq};

/// What an answer says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Success, in words.
    Text(String),
    /// Success, as a picture.
    Image {
        /// As the block says it.
        media_type: String,
        /// Decoded.
        data: Bytes,
    },
    /// `is_error`.
    Error(String),
}

/// One store of a new vault, and what it takes to open it again.
pub(super) struct Session {
    backend: Backend,
    pub(super) store: Store,
    limits: Limits,
}

impl Session {
    /// An empty store in a new vault.
    pub(super) async fn fresh(place: &dyn Place) -> Result<Self, Failure> {
        Self::with_limits(place, Limits::default()).await
    }

    /// An empty store whose handle allows this.
    pub(super) async fn with_limits(place: &dyn Place, limits: Limits) -> Result<Self, Failure> {
        Self::over(place.fresh().await?, VaultOptions::default(), limits).await
    }

    /// A new vault with these files in it, made in one turn.
    pub(super) async fn with(place: &dyn Place, files: &[(&str, &str)]) -> Result<Self, Failure> {
        let session = Self::fresh(place).await?;
        session.make(files).await?;
        Ok(session)
    }

    /// An empty store in a new vault over this backend.
    pub(super) async fn over(backend: Backend, options: VaultOptions, limits: Limits) -> Result<Self, Failure> {
        let vault = Vault::create(backend.clone(), key(), options).await?;
        let store = vault.user("user").store("default").limits(limits.clone()).open().await?;
        Ok(Self { backend, store, limits })
    }

    /// A second handle on the same store, in a vault that is opened anew.
    pub(super) async fn again(&self) -> Result<Self, Failure> {
        self.again_with(self.limits.clone()).await
    }

    /// A second handle on the same store that allows something else.
    pub(super) async fn again_with(&self, limits: Limits) -> Result<Self, Failure> {
        let vault = Vault::open(self.backend.clone(), key(), VaultOptions::default()).await?;
        let store = vault.user("user").store("default").limits(limits.clone()).open().await?;
        Ok(Self { backend: self.backend.clone(), store, limits })
    }

    /// Makes these files in one turn.
    pub(super) async fn make(&self, files: &[(&str, &str)]) -> Result<(), Failure> {
        let inputs: Vec<Value> = files.iter().map(|(path, text)| create(path, text)).collect();
        for (input, answer) in inputs.iter().zip(self.turn(&inputs).await?) {
            check!(matches!(answer, Answer::Text(_)), "{} was answered with {answer:?}", short(input));
        }
        Ok(())
    }

    /// The answers to the calls of one turn. That each of them is a block of the right shape is checked here.
    pub(super) async fn turn(&self, inputs: &[Value]) -> Result<Vec<Answer>, Failure> {
        let block = |(number, input): (usize, &Value)| {
            let id = format!("toolu_{number}");
            json!({"type": "tool_use", "id": id, "name": "memory", "input": input})
        };
        let blocks: Vec<Value> = inputs.iter().enumerate().map(block).collect();
        let results = self.store.handle_turn(&blocks).await;
        check_eq!(results.len(), blocks.len(), "answers to a turn");
        blocks.iter().zip(&results).map(|(block, result)| self.read(block, result)).collect()
    }

    /// The answer to one call.
    pub(super) async fn call(&self, input: &Value) -> Result<Answer, Failure> {
        let block = json!({"type": "tool_use", "id": "toolu_one", "name": "memory", "input": input});
        let result = self.store.handle(&block).await;
        self.read(&block, &result)
    }

    /// The text of a success.
    pub(super) async fn text(&self, input: Value) -> Result<String, Failure> {
        match self.call(&input).await? {
            Answer::Text(text) => Ok(text),
            other => Err(Failure::new(format!("{} was answered with {other:?}", short(&input)))),
        }
    }

    /// Checks that a call succeeds with exactly this text.
    pub(super) async fn says(&self, input: Value, expected: &str) -> Result<(), Failure> {
        let answer = self.call(&input).await?;
        check_eq!(answer, Answer::Text(expected.to_owned()), "{}", short(&input));
        Ok(())
    }

    /// Checks that a call succeeds with exactly this text, and that nothing was committed for it.
    pub(super) async fn says_unchanged(&self, input: Value, expected: &str) -> Result<(), Failure> {
        let before = self.store.seq();
        self.says(input.clone(), expected).await?;
        check_eq!(self.store.seq(), before, "commits after {}", short(&input));
        Ok(())
    }

    /// Checks that a call fails with exactly this text, and that nothing was committed for it.
    pub(super) async fn fails(&self, input: Value, expected: &str) -> Result<(), Failure> {
        let text = self.error(input.clone()).await?;
        check_eq!(text, expected, "{}", short(&input));
        Ok(())
    }

    /// The text of an error, for which nothing was committed.
    pub(super) async fn error(&self, input: Value) -> Result<String, Failure> {
        let before = self.store.seq();
        match self.call(&input).await? {
            Answer::Error(text) => {
                check_eq!(self.store.seq(), before, "commits after {}", short(&input));
                Ok(text)
            }
            other => Err(Failure::new(format!("{} was answered with {other:?}", short(&input)))),
        }
    }

    /// Writes a file by the library, as images come in.
    pub(super) async fn put(&self, path: &str, content: impl Into<Bytes>) -> Result<Reply, Failure> {
        Ok(self.store.execute(Command::Put { path: path.to_owned(), content: content.into() }).await?)
    }

    /// Checks that the file at `path` holds exactly these bytes.
    pub(super) async fn holds(&self, path: &str, expected: impl AsRef<[u8]>) -> Result<(), Failure> {
        let found = self.store.read(path).await?;
        let shown = (String::from_utf8_lossy(&found), String::from_utf8_lossy(expected.as_ref()));
        check!(found == expected.as_ref(), "{path} holds {:?}, expected {:?}", shown.0, shown.1);
        Ok(())
    }

    /// The paths of all files, in order.
    pub(super) async fn paths(&self) -> Result<Vec<String>, Failure> {
        Ok(self.store.memories().await?.iter().map(|memory| memory.path.to_string()).collect())
    }

    /// Ends a case: a vault that is opened anew holds what this handle shows, memory by memory and byte by byte.
    pub(super) async fn reopened(self) -> Result<(), Failure> {
        let again = self.again().await?;
        check_eq!(again.store.seq(), self.store.seq(), "commits after opening anew");
        let (shown, stored) = (self.store.memories().await?, again.store.memories().await?);
        check_eq!(stored.len(), shown.len(), "files after opening anew");
        for (shown, stored) in shown.iter().zip(&stored) {
            let path = shown.path.to_string();
            check_eq!(stored.path, shown.path, "a path after opening anew");
            check_eq!(
                (stored.id, stored.version, stored.size, stored.sha256),
                (shown.id, shown.version, shown.size, shown.sha256),
                "{path} after opening anew"
            );
            let (before, after) = (self.store.read(&path).await?, again.store.read(&path).await?);
            check!(before == after, "{path} holds other bytes after opening anew");
            check_eq!(after.len() as u64, stored.size, "size of {path} after opening anew");
        }
        Ok(())
    }

    /// Ends a case like [`Session::reopened`], and checks first that exactly these files are there.
    pub(super) async fn ends_with(self, files: &[(&str, &str)]) -> Result<(), Failure> {
        check_eq!(self.paths().await?, files.iter().map(|(path, _)| *path).collect::<Vec<_>>(), "files at the end");
        for (path, text) in files {
            self.holds(path, text).await?;
        }
        self.reopened().await
    }

    /// Reads a `tool_result` block and checks its shape.
    fn read(&self, tool_use: &Value, result: &Value) -> Result<Answer, Failure> {
        let input = tool_use.get("input").map(short).unwrap_or_default();
        let unlike = |what: &str| Failure::new(format!("{input} was answered with {what}: {}", short(result)));
        let fields = result.as_object().ok_or_else(|| unlike("no block"))?;
        check_eq!(fields.get("type"), Some(&json!("tool_result")), "type of the answer to {input}");
        check_eq!(fields.get("tool_use_id"), tool_use.get("id"), "tool_use_id of the answer to {input}");
        let content = fields.get("content").ok_or_else(|| unlike("no content"))?;
        let known = ["type", "tool_use_id", "content", "is_error"];
        check!(fields.keys().all(|field| known.contains(&field.as_str())), "{input}: odd fields in {}", short(result));
        match (fields.get("is_error"), content) {
            (Some(Value::Bool(true)), Value::String(text)) if !text.is_empty() => {
                self.check_leaks(text)?;
                Ok(Answer::Error(text.clone()))
            }
            (None, Value::String(text)) => {
                self.check_leaks(text)?;
                Ok(Answer::Text(text.clone()))
            }
            (None, Value::Array(blocks)) => match blocks.as_slice() {
                [block] => image(block).ok_or_else(|| unlike("a block that is no image")),
                _ => Err(unlike("several blocks")),
            },
            _ => Err(unlike("an odd block")),
        }
    }

    /// No text ever holds a host path, a bucket name, a key name or a backend's message.
    fn check_leaks(&self, text: &str) -> Result<(), Failure> {
        let prefix = self.backend.prefix().to_string();
        let leaks = ["os error", "Object at location", "Generic ", "ffffffffffff", prefix.as_str()];
        match leaks.iter().find(|leak| !leak.is_empty() && text.contains(**leak)) {
            Some(leak) => Err(Failure::new(format!("{leak:?} shows in {}", cut(text)))),
            None => Ok(()),
        }
    }
}

fn key() -> Key {
    Key::raw([7; 32])
}

fn image(block: &Value) -> Option<Answer> {
    let source = block.get("source").filter(|_| block.get("type") == Some(&json!("image")))?;
    if source.get("type") != Some(&json!("base64")) {
        return None;
    }
    let data = STANDARD.decode(source.get("data")?.as_str()?).ok()?;
    Some(Answer::Image { media_type: source.get("media_type")?.as_str()?.to_owned(), data: data.into() })
}

fn short(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
