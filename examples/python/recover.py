#!/usr/bin/env python3
"""Writes what a memoseal vault holds as plain files, without memoseal: nobody is ever locked in.

    python recover.py VAULT_FOLDER OUT_FOLDER --key-file memoseal.key
    python recover.py VAULT_FOLDER --list                  # only says what is there, and checks the logs

VAULT_FOLDER is the vault's folder, or a synced copy of its bucket. OUT_FOLDER is made, or is empty; the current files of
each store come to lie in OUT_FOLDER/{user}/{store}/. Needs Python 3.9 and `pip install pynacl`, and for a passphrase
`argon2-cffi`. The key is given as for the program: one of --key-file, --passphrase-file, MEMOSEAL_KEY, MEMOSEAL_KEY_FILE
and MEMOSEAL_PASSPHRASE.

It is written from docs/format.md alone, from its beginning to its end, and reads nothing but the log: each commit of
each store from the first on, with every check that the document names. A check that fails is a line on stderr. A store
whose log fails is not written; a content that fails is left out, and the rest is written.

Exit codes: 0 done, 1 damage was found, 2 wrong usage, 3 no key or a wrong key, 4 no vault, user or store of that name,
5 a file could not be read or written.
"""

import argparse
import base64
import contextlib
import dataclasses
import hashlib
import hmac
import json
import os
import pathlib
import re
import struct
import sys
import unicodedata

try:
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as xchacha20poly1305_decrypt
    from nacl.exceptions import CryptoError
except ImportError:
    print("recover: pynacl is missing: pip install pynacl", file=sys.stderr)
    sys.exit(2)

FORMAT = 1
COMMIT, CHECKPOINT, KEYRING, VAULT_SECRETS = 1, 2, 4, 5
STUB = b'{"memoseal":"superseded","read":"the newest generation"}\n'
LARGEST_HEADER = 64 * 1024
TOMBSTONE = 159
FLOOR_SMALL, FLOOR_LARGE = 64, 256  # headers, meta sections and checkpoints; contents and keyrings


class Stop(Exception):
    """Why something is not read; `status` is the exit code."""

    status = 1


class Damage(Stop):
    pass


class Usage(Stop):
    status = 2


class NoKey(Stop):
    status = 3


class Missing(Stop):
    status = 4


@contextlib.contextmanager
def well_formed(where):
    """What cannot be taken apart in here is damage."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, struct.error, RecursionError) as error:
        raise Damage(f"{where}: not formed as the format says ({type(error).__name__}: {error})") from error


def check(holds, where, what):
    if not holds:
        raise Damage(f"{where}: {what}")


# ---- Names ----------------------------------------------------------------------------------------------------------


def inverted(number):
    return f"{2**64 - 1 - number:016x}"


def lp(*fields):
    return b"".join(struct.pack(">I", len(field)) + field for field in fields)


def keyed_hash(name_key, *fields):
    message = lp(b"memoseal/v1 name", *(field.encode() for field in fields))
    return hmac.digest(name_key, message, "sha256")[:16]


def listing(folder, pattern):
    """The names in a folder that match; a name of any other form is nothing of the vault's."""
    try:
        return sorted(name for name in os.listdir(folder) if re.fullmatch(pattern, name))
    except (FileNotFoundError, NotADirectoryError):
        return []


def newest(folder, what):
    """The number and the bytes of the newest generation in a folder; nothing where there is none."""
    stub = 0
    while True:
        number = max((2**64 - 1 - int(name, 16) for name in listing(folder, "[0-9a-f]{16}")), default=0)
        if number == 0:
            return None
        # The folder may be written at this moment, so a stub means: look again. It is damage if nothing newer came.
        check(number > stub, what, f"generation {number} is the newest and a stub, or cannot be found")
        with contextlib.suppress(FileNotFoundError):
            raw = (folder / inverted(number)).read_bytes()
            if raw != STUB:
                return number, raw
        stub = number


# ---- Sealing --------------------------------------------------------------------------------------------------------


def hkdf(key, salt, info, length):
    """HKDF-SHA-256, RFC 5869."""
    pseudorandom = hmac.digest(salt or bytes(32), key, "sha256")
    output, block = b"", b""
    while len(output) < length:
        block = hmac.digest(pseudorandom, block + info + bytes([len(output) // 32 + 1]), "sha256")
        output += block
    return output[:length]


def open_bound(key, salt, info, ciphertext, where):
    """Opens a bound section: ciphertext and tag, with the salt of its object."""
    derived = hkdf(key, salt, info, 88)
    try:
        return xchacha20poly1305_decrypt(ciphertext, info, derived[32:56], derived[:32])
    except (CryptoError, ValueError) as error:
        raise Damage(f"{where}: does not open; its bytes, its place or its key are not those it was sealed with") from error


def commits_to(key, info, sealed):
    """Whether this is the key that something was sealed with."""
    return hmac.compare_digest(sealed[32:64], hkdf(key, sealed[:32], info, 88)[56:])


def open_sealed(key, info, sealed, where):
    """Opens salt ‖ commitment ‖ ciphertext ‖ tag."""
    check(commits_to(key, info, sealed), where, "the commitment does not match the key")
    return open_bound(key, sealed[:32], info, sealed[64:], where)


def unpadded(padded, floor, where):
    """Removes 0x80 and the zeros after it, up to the length that Padmé gives."""
    plaintext, mark, zeros = padded.rpartition(b"\x80")
    length = len(plaintext) + 1
    e = length.bit_length() - 1
    unit = 1 << (e - e.bit_length()) if e else 1
    expected = max(floor, -(-length // unit) * unit)
    check(mark and not zeros.strip(b"\0") and len(padded) == expected, where, "the padding is wrong")
    return plaintext


@dataclasses.dataclass(frozen=True)
class Context:
    """Whose an object is; `info` adds which one it is."""

    vault: bytes
    user: bytes = bytes(16)
    store: bytes = bytes(16)
    user_life: int = 0
    store_life: int = 0

    def info(self, kind, seq, section=0):
        return lp(
            b"memoseal/v1 object",
            struct.pack(">H", FORMAT),
            self.vault,
            self.user,
            self.store,
            struct.pack(">Q", self.user_life),
            struct.pack(">Q", self.store_life),
            struct.pack(">B", kind),
            struct.pack(">Q", seq),
            struct.pack(">I", section),
        )


def prelude(raw, layout, kind, where):
    """Takes the fields apart that stand before what is sealed, and checks those that every object has."""
    check(len(raw) >= struct.calcsize(layout), where, "is cut short")
    magic, version, actual, *fields = struct.unpack_from(layout, raw)
    check(magic == b"memoseal", where, "is not an object of memoseal")
    check(version == FORMAT, where, f"is in format {version}; this program reads format {FORMAT}")
    check(actual == kind, where, f"is an object of kind {actual}, not {kind}")
    return fields


# ---- Vault header ---------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Vault:
    folder: pathlib.Path
    id: bytes
    epochs: dict  # epoch → vault key
    name_key: bytes


def lowercase_hex(text, shortest, longest):
    if not re.fullmatch(f"[0-9a-f]{{{shortest},{longest}}}", text):
        raise ValueError(f"{text!r} is not {shortest} to {longest} lowercase hex digits")
    return text


def b64(text, length=None):
    value = base64.b64decode(text, validate=True)
    if length not in (None, len(value)):
        raise ValueError(f"{len(value)} bytes instead of {length}")
    return value


def number(value, low, high=2**64 - 1):
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{value!r} is not from {low} to {high}")
    return value


def argon2id(passphrase, kdf):
    try:
        from argon2.low_level import Type, hash_secret_raw
    except ImportError as error:
        raise NoKey("a passphrase needs argon2-cffi, since libsodium cannot compute p > 1: pip install argon2-cffi") from error
    return hash_secret_raw(passphrase, b64(kdf["salt"]), kdf["t"], kdf["m_kib"], kdf["p"], 32, Type.ID, version=0x13)


def checked_slots(slots):
    """The slots that we can try, within the bounds that hold before anything is authenticated."""
    number(len(slots), 1, 16)
    if len({lowercase_hex(slot["id"], 1, 64) for slot in slots}) != len(slots):
        raise ValueError("two slots have one id")
    passphrases = [slot for slot in slots if slot["type"] == "passphrase" and slot["kdf"]["name"] == "argon2id"]
    known = [slot for slot in slots if slot["type"] == "raw"] + passphrases
    for slot in known:
        b64(slot["sealed"], 112)
    work = 0
    for kdf in (slot["kdf"] for slot in passphrases):
        work += number(kdf["m_kib"], 8 << 10, 1 << 20) * number(kdf["t"], 1, 16)
        number(kdf["p"], 1, 16)
        b64(kdf["salt"], 16)
    number(work, 0, 16 << 20)
    return known


def vault_key(slots, vault, kind, secret, where):
    """The vault key, out of the first slot that `secret` opens."""
    for slot in slots:
        if slot["type"] != kind:
            continue
        key, fields = secret, [slot["id"].encode(), kind.encode()]
        if kind == "passphrase":
            kdf = slot["kdf"]
            costs = (struct.pack(">I", kdf[cost]) for cost in ("m_kib", "t", "p"))
            key, fields = argon2id(secret, kdf), [*fields, b"argon2id", *costs, b64(kdf["salt"])]
        info = lp(b"memoseal/v1 slot", struct.pack(">H", FORMAT), vault, *fields)
        if commits_to(key, info, b64(slot["sealed"])):
            return open_sealed(key, info, b64(slot["sealed"]), f"{where}, slot {slot['id']}")
    raise NoKey(f"{where}: the key opens none of the {len(slots)} slots of a known type")


def open_vault(folder, kind, secret):
    found = newest(folder / "vault", "vault header")
    if not found:
        raise Missing(f"there is no vault in {folder}: it has no vault header")
    generation, raw = found
    where = f"vault header, vault/{inverted(generation)}"
    check(len(raw) <= LARGEST_HEADER, where, "is too large")
    with well_formed(where):
        text, mac = raw[:-65], raw[-65:]
        header = json.loads(text)
        check(header["memoseal"] == "vault", where, "is not a vault header")
        check(header["format"] == FORMAT, where, f"is in format {header['format']}; this program reads format {FORMAT}")
        vault, slots = bytes.fromhex(lowercase_hex(header["vault"], 32, 32)), checked_slots(header["slots"])
        key = vault_key(slots, vault, kind, secret, where)
        mac_key = hkdf(key, b"", lp(b"memoseal/v1 header mac", struct.pack(">H", FORMAT), vault), 32)
        expected = hmac.new(mac_key, text, "sha256").hexdigest().encode() + b"\n"
        check(text.endswith(b"\n") and hmac.compare_digest(mac, expected), where, "was changed: its MAC does not match")
        # From here on the header is what the vault's owner wrote.
        check(header["generation"] == generation, where, f"says that it is generation {header['generation']}")
        secrets = json.loads(open_sealed(key, Context(vault).info(VAULT_SECRETS, generation), b64(header["sealed"]), where))
        epochs = {earlier["epoch"]: b64(earlier["key"], 32) for earlier in secrets["earlier"]}
        epochs[header["epoch"]] = key
        return Vault(folder, vault, epochs, b64(secrets["name_key"], 32))


# ---- Keyring --------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class User:
    folder: pathlib.Path
    name: str
    id: bytes
    life: int
    epoch: int
    key: bytes


def open_user(vault, folder):
    """A user's keyring; nothing where the folder holds nothing, or a user that was destroyed."""
    where = f"keyring of users/{folder.name}"
    found = newest(folder / "keyring", where)
    if not found:
        check(not any(names for _, _, names in os.walk(folder)), where, "there is none, but there is a log")
        return None
    generation, raw = found
    where += f", generation {generation}"
    [epoch] = prelude(raw, ">8sHBI", KEYRING, where)
    check(epoch in vault.epochs, where, f"is sealed under a vault key of epoch {epoch}, which the header does not hold")
    info = Context(vault.id, bytes.fromhex(folder.name)).info(KEYRING, generation)
    plaintext = open_sealed(vault.epochs[epoch], info, raw[15:], where)
    tombstone = len(raw) == TOMBSTONE
    plaintext = unpadded(plaintext, FLOOR_SMALL if tombstone else FLOOR_LARGE, where)
    with well_formed(where):
        keyring = json.loads(plaintext)
        check(tombstone == (keyring.get("destroyed") is True), where, "is a keyring of the wrong size")
        if tombstone:
            number(keyring["life"], 1)
            return None
        user = User(
            folder=folder,
            name=keyring["user"],
            id=bytes.fromhex(lowercase_hex(keyring["id"], 32, 32)),
            life=number(keyring["life"], 1),
            epoch=number(keyring["epoch"], 1),
            key=b64(keyring["key"], 32),
        )
        check(keyed_hash(vault.name_key, "user", user.name).hex() == folder.name, where, f"names another user, {user.name!r}")
        return user


# ---- Commits --------------------------------------------------------------------------------------------------------


def b64url(text, length):
    """Base64 as it stands inside commits and checkpoints: for URLs, without padding."""
    if not re.fullmatch("[A-Za-z0-9_-]*", text):
        raise ValueError(f"{text!r} is not base64url")
    return b64(text.translate({ord("-"): "+", ord("_"): "/"}) + "=" * (-len(text) % 4), length)


def version(text):
    """`{seq}.{place among the changes}`."""
    seq, place = re.fullmatch(r"([1-9][0-9]*)\.(0|[1-9][0-9]*)", text).groups()
    return int(seq), int(place)


@dataclasses.dataclass
class Memory:
    """A memory as the log leaves it. `data` is the version whose content section holds its content."""

    path: str
    size: int
    sha256: bytes
    version: tuple
    data: tuple
    born: int
    changed: int


class Store:
    """A store's log, and what follows from it."""

    def __init__(self, vault, user, folder):
        self.vault, self.user, self.folder = vault, user, folder
        self.name, self.where = None, f"user {user.name!r}, store {folder.name}"
        self.memories = {}  # id → Memory
        self.versions = {}  # id of each memory that there is → its version, whether that can be read or not
        self.born = {}  # id → when it was created
        self.contents = {}  # version → where its content section lies in its commit, and the section's hash
        self.damaged = {}  # version → what is wrong with its content section; it does not stop the log
        newer = [life for life in listing(folder, "[0-9a-f]{16}\\.[0-9a-f]{16}") if life[:16] < inverted(user.life)]
        check(not newer, self.where, "there is a log of a newer life of the user than the keyring's")
        # The first name with the keyring's life is the head: the newest life of the store, and in it the newest commit.
        self.names = {}
        for life in listing(folder, f"{inverted(user.life)}\\.[0-9a-f]{{16}}"):
            if not self.names:
                self.names = self.list_life(folder / life)
        self.head, self.checkpoint = max([0, *self.names]), -min([0, *self.names])
        if self.names:
            self.context = Context(vault.id, user.id, bytes.fromhex(folder.name), user.life, self.life)

    def list_life(self, folder):
        """Everything in a log, as {number: name}; the names of checkpoints come under negative numbers."""
        self.life, names = 2**64 - 1 - int(folder.name[17:], 16), {}
        for first in listing(folder, "[0-9a-f]{13}"):
            for last in listing(folder / first, r"[0-9a-f]{3}(\.checkpoint)?"):
                seq = 2**64 - 1 - int(first + last[:3], 16)
                names[-seq if last.endswith(".checkpoint") else seq] = f"{folder.name}/{first}/{last}"
        return names

    def read(self, seq, offset=0, length=-1):
        check(seq in self.names, self.where, f"commit {seq} is missing, and commit {self.head} is there")
        with open(self.folder / self.names[seq], "rb") as file:
            file.seek(offset)
            return file.read(length)

    def header(self, seq):
        """The header of a commit, as far as it says something by itself."""
        raw = self.read(seq)
        _, _, length = prelude(raw, ">8sHBI32sI", COMMIT, self.where)
        info = self.context.info(COMMIT, seq) + lp(raw[:51])
        return json.loads(unpadded(open_sealed(self.user.key, info, raw[51 : 51 + length], self.where), FLOOR_SMALL, self.where))

    def has_ended(self):
        """Whether the newest commit says that the store was destroyed, or that its user is being destroyed."""
        with contextlib.suppress(Stop, ValueError, KeyError, TypeError, AttributeError, struct.error):
            return any(change["op"] == "closed" for change in self.header(self.head)["changes"])
        return False  # What is wrong with it is said by the walk.

    def walk(self, at_commit=lambda seq, chain: None):
        """Reads the log from commit 1 to its head."""
        missing = f"there is a checkpoint {self.checkpoint}, but the newest commit is {self.head}"
        check(self.checkpoint <= self.head, self.where, f"newer commits are missing: {missing}")
        user, store = self.user, bytes.fromhex(self.folder.name)
        lives = struct.pack(">QQ", user.life, self.life)
        chain = hashlib.sha256(b"memoseal/v1 chain genesis" + self.vault.id + user.id + store + lives).digest()
        self.find_removals()
        for seq in range(1, self.head + 1):
            sealed_header = self.commit(seq, chain)
            chain = hashlib.sha256(b"memoseal/v1 chain link" + chain + hashlib.sha256(sealed_header).digest()).digest()
            at_commit(seq, chain)
        stale = [memory for mem, memory in self.memories.items() if memory.version != self.versions[mem]]
        lost = len(self.versions) - len(self.memories) + len(stale)
        check(not lost, self.where, f"{lost} memories cannot be told: what they are now was taken out of the log")
        paths = {memory.path for memory in self.memories.values()}
        check(len(paths) == len(self.memories), self.where, "two memories are at one path")

    def find_removals(self):
        """Which versions lost what they held, said before or after them. What is damaged is said by the walk."""
        self.gone, self.bare = set(), set()
        for seq in range(1, self.head + 1):
            with contextlib.suppress(Stop, ValueError, KeyError, TypeError, AttributeError, struct.error):
                for note in (change.get("note", {}) for change in self.header(seq)["changes"]):
                    self.gone |= set(map(version, note.get("gone", [])))
                    self.bare |= set(map(version, note.get("bare", [])))

    def commit(self, seq, chain):
        """Checks and applies a commit; returns its sealed header, which the chain goes on from."""
        raw, where = self.read(seq), f"{self.where}, commit {seq}"
        epoch, link, length = prelude(raw, ">8sHBI32sI", COMMIT, where)
        check(epoch == self.user.epoch, where, f"is sealed under a user key of epoch {epoch}; the keyring has {self.user.epoch}")
        check(hmac.compare_digest(link, chain), where, "does not follow the commit before it: the chain is broken")
        info = self.context.info(COMMIT, seq) + lp(raw[:51])
        sealed = raw[51 : 51 + length]
        header = unpadded(open_sealed(self.user.key, info, sealed, where), FLOOR_SMALL, where)
        with well_formed(where):
            header = json.loads(header)
            check(header["seq"] == seq, where, f"says that it is commit {header['seq']}")
            if seq == 1:
                expected = keyed_hash(self.vault.name_key, "store", self.user.name, header["store"])
                check(expected.hex() == self.folder.name, where, f"names another store, {header['store']!r}")
                self.name = header["store"]
                self.where = f"user {self.user.name!r}, store {self.name!r}"
                where = f"{self.where}, commit {seq}"
            changes = header["changes"]
            table = struct.unpack_from(f">{2 * len(changes)}I", raw, 51 + length)
            offset = 51 + length + 8 * len(changes)
            check(offset + sum(table) == len(raw), where, "is not as long as its table says")
            for place, change in enumerate(changes):
                at = f"{where}, change {place}"
                this = (seq, place)
                bare, gone = this in self.gone | self.bare, this in self.gone
                meta = self.section(raw, offset, table[2 * place], change.get("meta"), bare, f"{at}, meta section")
                offset += table[2 * place]
                try:
                    self.section(raw, offset, table[2 * place + 1], change.get("data"), gone, f"{at}, content section")
                except Damage as damage:
                    self.damaged[seq, place] = damage
                if change.get("data"):
                    self.contents[seq, place] = offset, table[2 * place + 1], b64url(change["data"], 32)
                offset += table[2 * place + 1]
                if meta is not None:
                    info = self.context.info(COMMIT, seq, 1 + 2 * place)
                    meta = json.loads(unpadded(open_bound(self.user.key, sealed[:32], info, meta, at), FLOOR_SMALL, at))
                self.apply(change, this, meta, header["at"], at)
        return raw[: 51 + length]

    @staticmethod
    def section(raw, offset, length, named, removed, where):
        """The bytes of a section, whose hash has to be the one that the header names; nothing where there is none."""
        if named is None or (length == 0 and removed):
            check(length == 0, where, "the table and the header differ on whether it is there")
            return None
        check(length > 0, where, "the table and the header differ on whether it is there")
        section = raw[offset : offset + length]
        check(hashlib.sha256(section).digest() == b64url(named, 32), where, "was changed: its hash is not the one in the header")
        return section

    def apply(self, change, this, meta, at, where):
        op = change["op"]
        if "mem" not in change:
            known = op in ("redacted", "expired", "retention", "scrub", "looked", "used", "entered")
            check(known, where, f"is {op!r}: a newer program wrote it")
            return
        mem, at = b64url(change["mem"], 16), number(change.get("at", at), 0)
        check(op in ("created", "modified", "deleted"), where, f"is {op!r}: a newer program wrote it")
        last = self.versions.get(mem)
        previous = version(change["prev"]) if "prev" in change else None
        check(previous == last, where, "does not follow the memory's version before it")
        check((op == "created") == (last is None), where, f"a memory is {op} that was {'there' if last else 'not there'}")
        check((op == "deleted") == ("meta" not in change), where, f"is {op!r}, and its meta section is {'not ' * (not meta)}there")
        if op == "deleted":
            del self.versions[mem]
            self.memories.pop(mem, None)
            return
        self.versions[mem] = this
        born = self.born.setdefault(mem, at)
        if meta is None:
            # It was taken out, so a later version says where the memory is now.
            return
        data = version(meta["data"]) if "data" in meta else this
        check(data in self.contents, where, f"its content is said to be in version {data[0]}.{data[1]}, which has none")
        self.memories[mem] = Memory(
            meta["path"], number(meta["size"], 0), b64url(meta["sha256"], 32), this, data, born, at
        )

    def content(self, memory):
        seq, place = memory.data
        where = f"{self.where}, content of {memory.path} in commit {seq}, change {place}"
        offset, length, digest = self.contents[memory.data]
        check(length > 0, where, "was taken out, and is still named")
        sealed = self.read(seq, offset, length)
        check(hashlib.sha256(sealed).digest() == digest, where, "was changed: its hash is not the one in the header")
        plaintext = open_sealed(self.user.key, self.context.info(COMMIT, seq, 2 + 2 * place), sealed, where)
        plaintext = unpadded(plaintext, FLOOR_LARGE, where)
        same = len(plaintext) == memory.size and hashlib.sha256(plaintext).digest() == memory.sha256
        check(same, where, "is not what its meta section says")
        return plaintext

    # ---- Checkpoint: nothing is taken from it; `--check` compares it with what the log says -------------------------

    def check_checkpoint(self, seq, chain):
        """Compares the newest checkpoint with the state after its commit, which was just applied."""
        raw, where = self.read(-seq), f"{self.where}, checkpoint {seq}"
        epoch, length = prelude(raw, ">8sHBII", CHECKPOINT, where)
        check(epoch == self.user.epoch, where, f"is sealed under a user key of epoch {epoch}; the keyring has {self.user.epoch}")
        sealed, offset = raw[19 : 19 + length], 19 + length
        info = self.context.info(CHECKPOINT, seq) + lp(raw[:19])
        header, lines = unpadded(open_sealed(self.user.key, info, sealed, where), FLOOR_SMALL, where), []
        with well_formed(where):
            header = json.loads(header)
            check(header["seq"] == seq, where, f"says that it follows commit {header['seq']}")
            check(b64url(header["chain"], 32) == chain, where, "has another chain value than the log")
            for section, entry in enumerate(header["sections"], start=1):
                at = f"{where}, section {section}"
                ciphertext = self.section(raw, offset, number(entry["len"], 1), entry["sha256"], False, at)
                offset += entry["len"]
                info = self.context.info(CHECKPOINT, seq, section)
                plaintext = unpadded(open_bound(self.user.key, sealed[:32], info, ciphertext, at), FLOOR_SMALL, at)
                check(plaintext.endswith(b"\n"), at, "does not end with a line")
                lines += map(json.loads, plaintext.splitlines())
            check(offset == len(raw), where, "is longer than its header says")
            deleted = lines[header["files"] :]
            counts = f"has {len(lines)} lines for {header['files']} files and {header['deleted']} deleted ones"
            check(header["files"] + header["deleted"] == len(lines), where, counts)
            lines = lines[: header["files"]]
            gone = {b64url(line["mem"], 16) for line in deleted}
            check(not gone & self.memories.keys(), where, "calls a memory deleted that the log still has")
            files = {}
            for line in lines:
                ver, data = version(line["ver"]), version(line.get("data", line["ver"]))
                files[b64url(line["mem"], 16)] = Memory(
                    line["path"], line["size"], b64url(line["sha256"], 32), ver, data, line["born"], line["changed"]
                )
                if "at" in line and data[0] not in {seq for seq, _ in self.gone | self.bare}:
                    hint = f"has a wrong hint for the content of {line['path']}"
                    check(tuple(line["at"]) == self.contents.get(data, ())[:2], where, hint)
            # What a checkpoint still tells may have been taken out of the log since.
            removed = self.gone | self.bare
            known = {m for m in files if files[m].version == self.versions.get(m) and files[m].version in removed}
            differing = [m for m in {*files, *self.memories} - known if files.get(m) != self.memories.get(m)]
            check(len(lines) == len(files) and not differing, where, f"differs from the log in {len(differing)} memories")


# ---- Plain files ----------------------------------------------------------------------------------------------------


def file_name(name, hashed):
    """A user's or store's name as a file name anywhere: `%` escapes whatever is not safe, so that no two names meet."""
    exact = unicodedata.is_normalized("NFC", name)
    reserved = re.match(r"(con|prn|aux|nul|com.|lpt.)(\.|$)", name, re.IGNORECASE)
    escaped = ""
    for place, char in enumerate(name):
        end = place in (0, len(name) - 1)
        safe = char.isalnum() and (exact or char.isascii()) or char in "-_@+=," or char in " ." and not end
        escaped += char if safe and not (reserved and place == 0) else "".join(f"%{byte:02X}" for byte in char.encode())
    return escaped if len(escaped.encode()) <= 255 else f"~{hashed}"


def place_below(folder, path, where):
    """Where a memory's file goes: below `folder` and nowhere else, whatever the path says."""
    root, *parts = path.split("/")
    separators = {"\0", os.sep, os.altsep or os.sep} | ({":", "\\"} if os.name == "nt" else set())
    safe = root == "" and parts and all(part not in ("", ".", "..") and not separators & set(part) for part in parts)
    check(safe, where, f"the path {path!r} cannot be a file's")
    return folder.joinpath(*parts)


class Recovery:
    def __init__(self, options):
        self.options, self.status, self.found = options, 0, False
        # Whatever is written is made anew: where a file system takes two names for one, the second is an error and
        # nothing is lost or mixed up.
        self.made = set()

    def complain(self, error):
        status = getattr(error, "status", 5)
        kind = {1: "damage: ", 5: "cannot read or write: "}.get(status, "")
        print(f"recover: {kind}{error}", file=sys.stderr, flush=True)
        self.status = 1 if 1 in (status, self.status) else status

    @contextlib.contextmanager
    def going_on(self):
        """What is wrong in here is said, and the rest goes on."""
        try:
            yield
        except (Stop, OSError, UnicodeEncodeError) as error:
            self.complain(error)

    def run(self, kind, secret):
        vault = open_vault(self.options.vault, kind, secret)
        users = listing(vault.folder / "users", "[0-9a-f]{32}")
        if self.options.user is not None:
            users = [name for name in users if name == keyed_hash(vault.name_key, "user", self.options.user).hex()]
        for name in users:
            with self.going_on():
                user = open_user(vault, vault.folder / "users" / name)
                if user:
                    self.recover_user(vault, user)
        named = [option for option in (self.options.user, self.options.store) if option is not None]
        if named and not self.found and not self.status:
            raise Missing(f"the vault has nothing of {' / '.join(map(repr, named))}")

    def recover_user(self, vault, user):
        stores = listing(user.folder / "log", "[0-9a-f]{32}")
        if self.options.store is not None:
            wanted = keyed_hash(vault.name_key, "store", user.name, self.options.store).hex()
            stores = [name for name in stores if name == wanted]
        self.found |= self.options.store is None
        for name in stores:
            with self.going_on():
                store = Store(vault, user, user.folder / "log" / name)
                if not store.names or store.has_ended():
                    continue
                if name == keyed_hash(vault.name_key, "store", user.name, "").hex():
                    store.walk()  # The catalogue: nothing of it is written.
                else:
                    self.found = True
                    self.recover_store(store)

    def recover_store(self, store):
        def at_commit(seq, chain):
            if self.options.check and seq == store.checkpoint:
                with self.going_on():
                    store.check_checkpoint(seq, chain)

        store.walk(at_commit)
        written, size, memories = 0, 0, sorted(store.memories.values(), key=lambda memory: memory.path)
        # Contents that are still current are complained about below, with their paths.
        current = set() if self.options.list else {memory.data for memory in memories}
        for data in store.damaged.keys() - current:
            self.complain(store.damaged[data])
        if not self.options.list:
            folder = self.options.out / file_name(store.user.name, store.user.folder.name)
            if folder not in self.made:
                folder.mkdir()
                self.made.add(folder)
            folder /= file_name(store.name, store.folder.name)
            folder.mkdir()
        for memory in memories:
            with self.going_on():
                if not self.options.list:
                    target = place_below(folder, memory.path, store.where)
                    content = store.content(memory)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with open(target, "xb") as file:
                        file.write(content)
                written, size = written + 1, size + memory.size
        where = "" if self.options.list else f" -> {folder}"
        counts = f"{written} of {len(memories)} files, {size} bytes, {store.head} commits"
        print(f"user {store.user.name!r}, store {store.name!r}: {counts}{where}", flush=True)


# ---- Key and arguments ----------------------------------------------------------------------------------------------


def key_in(text, where):
    """A raw key: 32 bytes in base64, on a line of its own among comments."""
    lines = [line.strip() for line in text.splitlines()]
    try:
        [line] = [line for line in lines if line and not line.startswith("#")]
        return b64(line, 32)
    except ValueError as error:
        raise NoKey(f"{where} is not a key: it has to hold 32 bytes in base64") from error


def given_key(options):
    """The one key that was given: its type, and its bytes."""
    environment = {name: os.environ.get(f"MEMOSEAL_{name}") for name in ("KEY", "KEY_FILE", "PASSPHRASE")}
    given = [
        ("MEMOSEAL_KEY", "raw", environment["KEY"], False),
        ("the key file", "raw", options.key_file or environment["KEY_FILE"], True),
        ("MEMOSEAL_PASSPHRASE", "passphrase", environment["PASSPHRASE"], False),
        ("the passphrase file", "passphrase", options.passphrase_file, True),
    ]
    given = [key for key in given if key[2]]
    if len(given) != 1:
        names = ", ".join(name for name, *_ in given)
        raise NoKey(f"more than one key was given ({names}): leave one" if given else "no key was given: see --help")
    [(name, kind, text, is_file)] = given
    if is_file:
        try:
            name, text = text, pathlib.Path(text).read_bytes().decode()
        except (OSError, ValueError) as error:
            raise NoKey(f"{name}: {error}") from error
    if kind == "raw":
        return kind, key_in(text, name)
    # Environment and locale are bytes; a file's last line break is not part of the passphrase.
    return kind, re.sub("\r?\n\\Z", "", text).encode() if is_file else os.fsencode(text)


def utf8(argument):
    """Names are UTF-8 in the vault, whatever the locale says."""
    return os.fsencode(argument).decode()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=pathlib.Path, metavar="VAULT_FOLDER")
    parser.add_argument("out", type=pathlib.Path, nargs="?", metavar="OUT_FOLDER")
    parser.add_argument("--key-file", metavar="FILE", help="a file with the vault's raw key")
    parser.add_argument("--passphrase-file", metavar="FILE", help="a file with the vault's passphrase")
    parser.add_argument("--user", type=utf8, metavar="NAME", help="only this user")
    parser.add_argument("--store", type=utf8, metavar="NAME", help="only stores of this name")
    parser.add_argument("--list", action="store_true", help="read the logs, write nothing")
    parser.add_argument("--check", action="store_true", help="compare the newest checkpoints with the logs too")
    options = parser.parse_args()
    if (options.out is None) != options.list:
        parser.error("give either OUT_FOLDER or --list")
    return options


def make_out(out, vault):
    """The folder for the plain files: new or empty, readable for its owner alone, and not in the vault."""
    if vault.resolve() in (out.resolve(), *out.resolve().parents):
        raise Usage(f"{out} lies in the vault: choose a folder elsewhere")
    try:
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        empty = not any(out.iterdir())
    except (FileExistsError, NotADirectoryError):
        empty = False
    if not empty:
        raise Usage(f"{out} is not an empty folder: choose a new one")


def main():
    sys.stdout.reconfigure(errors="backslashreplace")
    options = arguments()
    recovery = Recovery(options)
    with recovery.going_on():
        kind, secret = given_key(options)
        if not options.vault.is_dir():
            raise Missing(f"there is no folder {options.vault}")
        if not options.list:
            make_out(options.out, options.vault)
        recovery.run(kind, secret)
    return recovery.status


if __name__ == "__main__":
    sys.exit(main())
