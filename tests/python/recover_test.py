#!/usr/bin/env python3
"""Makes vaults with the program, and reads them with examples/python/recover.py, which knows docs/format.md alone.

    MEMOSEAL_BIN=target/release/memoseal python tests/python/recover_test.py
"""

import argparse
import base64
import contextlib
import hashlib
import io
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
MEMOSEAL = os.environ.get("MEMOSEAL_BIN", "memoseal")
SECONDS = 120
GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "crates/core/tests/golden/v1.jsonl"
IMAGE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9
NFD = "cafe\u0301"

# User and store names, and the file names that they are recovered under.
ODD_NAMES = {
    "alice": "alice",
    "Größe 大": "Größe 大",
    "a/b": "a%2Fb",
    "a%2Fb": "a%252Fb",
    "..": "%2E%2E",
    " x ": "%20x%20",
    "C:\\x*?": "C%3A%5Cx%2A%3F",
    "con": "%63on",
    NFD: "cafe%CC%81",
    "n" * 255: "n" * 255,
}


class Vault:
    """A vault in a folder of a test, and what opens it."""

    def __init__(self, folder, root, key):
        self.folder, self.root, self.key = folder, root, key

    def memoseal(self, *arguments, user="default", store="default", input=b""):
        places = {"MEMOSEAL_VAULT": self.root, "MEMOSEAL_STATE_DIR": self.folder / "state"}
        whose = {"MEMOSEAL_USER": user, "MEMOSEAL_STORE": store}
        return run(MEMOSEAL, *arguments, input=input, **places, **whose, **self.key)[0]

    def turns(self, *turns, **whose):
        """Runs each turn, one command or a list of them, and expects every one of them to succeed."""
        lines = "".join(json.dumps(turn) + "\n" for turn in turns).encode()
        answers = [json.loads(line) for line in self.memoseal("tool", input=lines, **whose).splitlines()]
        assert len(answers) == len(turns), answers
        for answer in answers:
            for result in answer if isinstance(answer, list) else [answer]:
                assert not result.get("is_error"), result

    def put(self, path, content, **whose):
        self.memoseal("put", path, "-", input=content, **whose)

    def files(self, **whose):
        """What the program reads: {path: bytes}."""
        entries = json.loads(self.memoseal("ls", "-r", "--json", **whose))["entries"]
        paths = [entry["path"] for entry in entries if entry["type"] == "file"]
        return {path.removeprefix("/memories/"): self.memoseal("cat", path, **whose) for path in paths}

    def objects(self):
        return sorted(path for path in self.root.rglob("*") if path.is_file())


def run(*command, status=0, input=b"", **environment):
    """Runs a program to its end and returns the bytes that it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MEMOSEAL_")}
    environment = {**kept, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8", **environment}
    environment = {name: str(value) for name, value in environment.items()}
    command = [str(part) for part in command]
    done = subprocess.run(command, env=environment, input=input, capture_output=True, timeout=SECONDS)
    assert done.returncode == status, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout, done.stderr.decode()


def recovered(root, *arguments, status=0, **environment):
    """Runs recover.py as a user would."""
    return run(sys.executable, EXAMPLE / "recover.py", root, *arguments, status=status, **environment)


def plain(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check(root, key, **options):
    """Runs recover.py within this process, and returns its exit code and what it complained of."""
    options = argparse.Namespace(vault=root, out=None, user=None, store=None, list=True, check=True, **options)
    complaints, recovery = io.StringIO(), recover.Recovery(options)
    with contextlib.redirect_stderr(complaints), contextlib.redirect_stdout(io.StringIO()), recovery.going_on():
        recovery.run("raw", key)
    return recovery.status, complaints.getvalue()


def new_vault(folder):
    key = folder / "memoseal.key"
    vault = Vault(folder, folder / "vault", {"MEMOSEAL_KEY_FILE": key})
    Vault(folder, vault.root, {}).memoseal("init", "--generate-key", key)
    return vault


def raw_key(file):
    return recover.key_in(file.read_text(), file)


def create(path, text):
    return {"command": "create", "path": f"/memories/{path}", "file_text": text}


def replace(path, old, new):
    return {"command": "str_replace", "path": f"/memories/{path}", "old_str": old, "new_str": new}


def insert(path, line, text):
    return {"command": "insert", "path": f"/memories/{path}", "insert_line": line, "insert_text": text}


def delete(path):
    return {"command": "delete", "path": f"/memories/{path}"}


def rename(old, new):
    return {"command": "rename", "old_path": f"/memories/{old}", "new_path": f"/memories/{new}"}


def block(number, command):
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": command}


def live(vault, **whose):
    """A store with a past: everything that a log can hold, in more than 32 commits."""
    vault.turns(
        create("notes/today.md", "one\ntwo\n"),
        create("notes/crlf.txt", "one\r\ntwo\r\n\r\nno end"),
        create("notes/größe/大.md", "Größe: 大 🦀\n\u2028 e\u0301\n"),
        create(f"{NFD}/x", "in a folder with two forms\n"),
        create("empty", ""),
        create("-odd .. name%20:*?", "odd\n"),
        create("padding/223", "x" * 223), create("padding/224", "x" * 224), create("padding/255", "x" * 255),
        create("padding/256", "x" * 256), create("padding/65535", "y" * 65535), create("padding/80000", "ü" * 40000),
        replace("notes/today.md", "two", "zwei"),
        insert("notes/today.md", 1, "in between\n"),
        [block(1, create("turn/a", "a\n")), block(2, create("turn/b", "b\n")), block(3, replace("turn/a", "a", "A"))],
        [block(4, rename("turn", "moved/turn")), block(5, delete("moved/turn/b")), block(6, create("turn/b", "again\n"))],
        [block(7, rename("turn/b", "swap")), block(8, rename("moved/turn/a", "turn/b")), block(9, rename("swap", "moved/a"))],
        rename("notes", "archive/2026/notes"),
        rename("archive/2026", "archive/old"),
        replace("archive/old/notes/today.md", "one", "eins"),
        delete("padding/65535"),
        create("empty-again", "x"), replace("empty-again", "x", ""),
        **whose,
    )  # fmt: skip
    vault.put("images/dot.png", IMAGE, **whose)
    vault.put("images/dot.png", IMAGE + b"\0\xff", **whose)
    vault.turns(*(create(f"many/{n}", f"number {n}\n" * n) for n in range(30)), rename("many", "few"), delete("few/1"), **whose)
    vault.turns(replace("few/2", "number 2\nn", "number two\nn"), rename("images", "pictures"), **whose)


def a_store_with_a_past_comes_back_byte_for_byte(folder):
    vault = new_vault(folder)
    live(vault)
    expected = vault.files()
    assert len(expected) > 40 and expected["empty"] == b"" and expected["pictures/dot.png"] == IMAGE + b"\0\xff", expected.keys()
    assert b"\r\n" in expected["archive/old/notes/crlf.txt"]
    assert any(path.suffix == ".checkpoint" for path in vault.objects())
    printed, complaints = recovered(vault.root, folder / "out", "--check", **vault.key)
    assert not complaints and printed.decode().startswith("user 'default', store 'default': "), (printed, complaints)
    assert plain(folder / "out/default/default") == expected
    vault.turns(*([create("x", "x"), delete("x")][n % 2] for n in range(32)), store="nothing")
    recovered(vault.root, "--list", "--check", "--store", "nothing", **vault.key)
    # The log is the authority: without checkpoints nothing is different.
    for path in vault.objects():
        if path.suffix == ".checkpoint":
            path.unlink()
    recovered(vault.root, folder / "again", "--store", "default", **vault.key)
    assert plain(folder / "again") == plain(folder / "out")


def odd_names_of_users_and_stores_stay_apart(folder):
    vault = new_vault(folder)
    for name in ODD_NAMES:
        vault.turns(create("whose", f"of {name}"), user=name, store="default")
        vault.turns(create("whose", f"alice's {name}"), user="alice", store=name)
    vault.turns(create("gone", "gone"), delete("gone"), user="alice", store="emptied")
    vault.turns(create("long", "long"), user="/" * 255)
    recovered(vault.root, folder / "out", "--check", **vault.key)
    out = plain(folder / "out")
    [long] = [path for path in out if path.startswith("~")]
    assert out.pop(long) == b"long" and len(long) == len("~/default/long") + 32, long
    expected = {f"{file_name}/default/whose": f"of {name}".encode() for name, file_name in ODD_NAMES.items()}
    expected |= {f"alice/{file_name}/whose": f"alice's {name}".encode() for name, file_name in ODD_NAMES.items()}
    assert out == expected, out.keys() ^ expected.keys()
    assert (folder / "out/alice/emptied").is_dir()
    for name in ODD_NAMES:
        assert vault.files(user=name) == {"whose": f"of {name}".encode()}

    printed, _ = recovered(vault.root, folder / "one", "--user", "a/b", **vault.key)
    assert list(plain(folder / "one")) == ["a%2Fb/default/whose"], printed
    recovered(vault.root, folder / "two", "--user", "alice", "--store", "..", **vault.key)
    assert list(plain(folder / "two")) == ["alice/%2E%2E/whose"]
    recovered(vault.root, folder / "three", "--store", "emptied", **vault.key)
    assert not plain(folder / "three")
    printed, _ = recovered(vault.root, "--list", **vault.key)
    assert len(printed.splitlines()) == 2 * len(ODD_NAMES) + 2, printed
    _, complaints = recovered(vault.root, "--list", "--user", "nobody", status=4, **vault.key)
    assert complaints == "recover: the vault has nothing of 'nobody'\n", complaints


def what_was_destroyed_is_not_there_and_what_came_anew_is(folder):
    vault = new_vault(folder)
    for user in ("alice", "bob"):
        for store in ("default", "work"):
            vault.turns(create("a", f"{user}, {store}"), create("b", "b"), user=user, store=store)
    vault.memoseal("destroy-user", "alice", "--yes")
    vault.memoseal("destroy-store", "default", "--yes", user="bob")
    recovered(vault.root, folder / "out", "--check", **vault.key)
    assert plain(folder / "out") == {"bob/work/a": b"bob, work", "bob/work/b": b"b"}
    recovered(vault.root, "--list", "--user", "alice", status=4, **vault.key)
    for user in ("alice", "bob"):
        vault.turns(create("anew", user), user=user)
    recovered(vault.root, folder / "anew", "--check", **vault.key)
    out = plain(folder / "anew")
    assert out.pop("alice/default/anew") == b"alice" and out.pop("bob/default/anew") == b"bob"
    assert out == plain(folder / "out"), out.keys()
    # An empty object is lawful only where something says so.
    [head] = [path for path in vault.objects() if "/log/" in str(path) and ".fffffffffffffffd/" in str(path)]
    head.write_bytes(b"")
    recovered(vault.root, "--list", "--user", "bob", status=1, **vault.key)


def the_golden_vault_is_read_as_the_program_reads_it(folder):
    """The vault that every version has to read: the same bytes with and without memoseal."""
    lines = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
    for line in lines:
        path = folder / "vault" / line["name"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(line["bytes"]))
    key = base64.b64encode(b"the golden key of version 1, raw").decode()
    vault = Vault(folder, folder / "vault", {"MEMOSEAL_KEY": key})
    recovered(vault.root, folder / "out", "--check", **vault.key)
    out, stores = plain(folder / "out"), [("alice", "again"), ("alice", "default"), ("alice", "long"), ("bob", "default")]
    expected = {}
    for user, store in stores:
        expected |= {f"{user}/{store}/{path}": content for path, content in vault.files(user=user, store=store).items()}
    assert out == expected and len(out) > 8, out.keys() ^ expected.keys()
    # And as plain files by the program itself.
    for user, store in stores:
        vault.memoseal("export", folder / "exported" / user / store, user=user, store=store)
    exported = {path.replace("/memories/", "/", 1): content for path, content in plain(folder / "exported").items()}
    assert exported == out, exported.keys() ^ out.keys()
    recovered(vault.root, "--list", MEMOSEAL_PASSPHRASE="correct horse battery staple")


def a_passphrase_opens_a_vault(folder):
    phrase = folder / "phrase"
    phrase.write_bytes("größe 大 horse \r\n".encode())
    vault = Vault(folder, folder / "vault", {"MEMOSEAL_PASSPHRASE": "größe 大 horse "})
    vault.memoseal("init")
    vault.turns(create("a", "sealed\n"))
    recovered(vault.root, folder / "out", "--passphrase-file", phrase)
    recovered(vault.root, folder / "again", MEMOSEAL_PASSPHRASE="größe 大 horse ")
    assert plain(folder / "out") == plain(folder / "again") == {"default/default/a": b"sealed\n"}
    phrase.write_bytes("größe 大 horse\n".encode())
    _, complaints = recovered(vault.root, "--list", "--passphrase-file", phrase, status=3)
    assert "opens none of the 1 slots of a known type" in complaints, complaints


def slots_and_rotations_are_followed(folder):
    vault = new_vault(folder)
    second, phrase, dropped = folder / "second.key", folder / "phrase", folder / "dropped.key"
    phrase.write_text("correct horse\n")
    vault.turns(create("a", "before\n"), user="old")
    vault.memoseal("slot", "add", "--generate-key", second)
    vault.memoseal("slot", "add", "--new-passphrase-file", phrase)
    vault.memoseal("slot", "add", "--generate-key", dropped)
    vault.turns(create("b", "between\n"), user="old")
    recovered(vault.root, "--list", "--key-file", dropped)
    before = shutil.copytree(vault.root / "users", folder / "users before")
    kept = ["--also-key-file", second, "--also-passphrase-file", phrase]
    vault.memoseal("rotate", "--yes", "--drop-others", *kept)
    vault.turns(create("c", "after\n"), user="old")
    vault.turns(create("d", "new\n"), user="new")
    vault.memoseal("rotate", "--yes", *kept)
    headers = [path.read_bytes() for path in vault.objects() if path.parent.name == "vault"]
    keyrings = [path.read_bytes() for path in vault.objects() if path.parent.name == "keyring"]
    assert headers[1:] == [recover.STUB] * 5 and headers[0] != recover.STUB, headers
    assert keyrings.count(recover.STUB) == 3 and len(keyrings) == 5, keyrings
    expected = {f"{user}/default/{path}": data for user in ("old", "new") for path, data in vault.files(user=user).items()}
    assert list(expected) == ["old/default/a", "old/default/b", "old/default/c", "new/default/d"], expected
    ways = ("--key-file", vault.key["MEMOSEAL_KEY_FILE"]), ("--key-file", second), ("--passphrase-file", phrase)
    for number, way in enumerate(ways):
        recovered(vault.root, folder / f"out {number}", *way)
        assert plain(folder / f"out {number}") == expected, way
    recovered(vault.root, "--list", "--key-file", dropped, status=3)
    # A rotation that stopped before it sealed the keyrings anew: they are of an earlier epoch, which the header holds.
    shutil.rmtree(vault.root / "users")
    before.rename(vault.root / "users")
    recovered(vault.root, folder / "stopped", **vault.key)
    assert plain(folder / "stopped") == {path: expected[path] for path in ("old/default/a", "old/default/b")}


def a_large_checkpoint_agrees_with_the_log(folder):
    vault = new_vault(folder)
    deep = "/".join(["a name of forty bytes, counting the end"] * 18)
    for turn in range(34):
        vault.turns([block(n, create(f"{turn}/{deep}/{n}", f"{turn} {n}")) for n in range(55)])
    [checkpoint] = [path for path in vault.objects() if path.suffix == ".checkpoint"]
    assert checkpoint.stat().st_size > 3 << 19, checkpoint.stat()  # a section has about 1 MiB
    recovered(vault.root, folder / "out", "--check", **vault.key)
    expected = {f"default/default/{t}/{deep}/{n}": f"{t} {n}".encode() for t in range(34) for n in range(55)}
    assert plain(folder / "out") == expected


def a_changed_byte_in_any_object_is_noticed(folder):
    vault = new_vault(folder)
    vault.turns(create("a", "one"), [block(1, rename("a", "b/c")), block(2, create("d", "two"))], delete("d"))
    vault.turns(*(create("e/f", f"{n}") if n % 2 else delete("e") for n in range(1, 32)))
    vault.memoseal("slot", "add", "--generate-key", folder / "second.key")
    key, noticed = raw_key(vault.key["MEMOSEAL_KEY_FILE"]), 0
    assert check(vault.root, key) == (0, "")
    objects = [path for path in vault.objects() if path.read_bytes() != recover.STUB]
    [newest_checkpoint] = [path for path in objects if path.suffix == ".checkpoint"]
    first = sorted(path for path in objects if path.suffix == "" and "log" in path.parts)[-3:]
    for path in objects:
        original = path.read_bytes()
        # Every byte of the first commits and the keyring; of the others a part, since there are many of them.
        every = 1 if path in first or "keyring" in path.parts else 3 if "log" not in path.parts else 17
        for position in range(0, len(original), every):
            changed = bytearray(original)
            changed[position] ^= 1 << position % 8
            path.write_bytes(changed)
            status, complaints = check(vault.root, key)
            # A slot that was changed cannot be told from one of another key.
            allowed = (1, 3) if path.parent.name == "vault" else (1,)
            assert status in allowed and complaints.startswith("recover: "), (path, position, status, complaints)
            noticed += 1
        for changed in (original[:-1], original + b"\0", b"", recover.STUB):
            path.write_bytes(changed)
            status, complaints = check(vault.root, key)
            assert status == 1, (path, len(changed), status, complaints)
        path.write_bytes(original)
    assert check(vault.root, key) == (0, "") and noticed > 3000, noticed
    # Without --check a checkpoint is not opened at all.
    newest_checkpoint.write_bytes(b"nonsense")
    recovered(vault.root, "--list", **vault.key)
    _, complaints = recovered(vault.root, "--list", "--check", status=1, **vault.key)
    assert complaints.startswith("recover: damage: user 'default', store 'default', checkpoint 32: "), complaints


def a_forged_header_is_refused_as_the_program_refuses_it(folder):
    vault = new_vault(folder)
    [path] = vault.objects()
    text, mac = path.read_bytes().splitlines(keepends=True)
    header, wrong = json.loads(text), folder / "wrong.key"
    wrong.write_text("A" * 43 + "=\n")  # with a wrong key, 3 means that the slots were taken
    [raw], gib = header["slots"], 1 << 20

    def phrase(m_kib=gib, t=1, p=1, salt="A" * 22 + "==", name="argon2id", id="aa"):
        kdf = {"name": name, "m_kib": m_kib, "t": t, "p": p, "salt": salt}
        return {"id": id, "type": "passphrase", "kdf": kdf, "sealed": raw["sealed"]}

    taken = [
        [raw], [{**raw, "id": f"{n:x}"} for n in range(16)], [{**raw, "id": "0" * 64}], [{**raw, "new": 1}], [{"id": "0", "type": "new"}],
        [raw, phrase(t=16, p=16)], [raw, phrase(t=8), phrase(t=8, id="bb")], [raw, phrase(8 << 10)], [raw, phrase(name="new", t=99)],
    ]  # fmt: skip
    refused = [
        [], [{**raw, "id": f"{n:x}"} for n in range(17)], [raw, raw], [raw, {"id": raw["id"], "type": "new"}], [raw, {"type": "new"}],
        *([{**raw, "id": id}] for id in ("", "0" * 65, "AA", "xyz", "ü", 5)), [{**raw, "sealed": raw["sealed"][:-4]}],
        *([raw, phrase(**kdf)] for kdf in ({"m_kib": gib + 1}, {"m_kib": 8191}, {"t": 0}, {"t": 17}, {"p": 0}, {"p": 17}, {"salt": "AAAA"})),
        [raw, phrase(t=16), phrase(8 << 10, id="bb")],
    ]  # fmt: skip
    headers = [(3, {"slots": slots}) for slots in taken] + [(1, {"slots": slots}) for slots in refused]
    headers += [(1, more) for more in ({"format": 2}, {"vault": header["vault"][:-1]}, {"vault": "A" * 32}, {"new": "x" * 65536})]
    for status, more in headers:
        path.write_bytes(json.dumps({**header, **more}).encode() + b"\n" + mac)
        run(MEMOSEAL, "--vault", vault.root, "--key-file", wrong, "ls", status=status, MEMOSEAL_STATE_DIR=folder / "state")
        assert check(vault.root, raw_key(wrong))[0] == status, more


def damage_is_named_and_does_not_take_the_rest_along(folder):
    vault = new_vault(folder)
    for user in ("alice", "bob", "carol"):
        vault.turns(create("a", f"{user} a"), create("b", f"{user} b"), create("a2", f"{user} a2"), delete("b"), user=user)
    vault.turns(create("fine", "fine"), user="alice", store="other")
    folders = {user: recover.keyed_hash(opened(vault).name_key, "user", user).hex() for user in ("alice", "bob", "carol")}
    store = recover.keyed_hash(opened(vault).name_key, "store", "alice", "default").hex()
    alice, bob = vault.root / "users" / folders["alice"] / "log" / store, vault.root / "users" / folders["bob"]
    for name in ("ffe", "ffd"):  # the ends of the contents of `a`, and of `b`, which was deleted since
        [path] = alice.rglob(name)
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
    [second] = bob.rglob("ffd")
    second.unlink()
    shutil.rmtree(vault.root / "users" / folders["carol"] / "keyring")
    printed, complaints = recovered(vault.root, folder / "out", status=1, **vault.key)
    assert plain(folder / "out") == {"alice/default/a2": b"alice a2", "alice/other/fine": b"fine"}
    where = "recover: damage: user 'alice', store 'default',"
    wanted = {
        f"{where} content of /a in commit 1, change 0: was changed: its hash is not the one in the header",
        f"{where} commit 2, change 0, content section: was changed: its hash is not the one in the header",
        "recover: damage: user 'bob', store 'default': commit 2 is missing, and commit 4 is there",
        f"recover: damage: keyring of users/{folders['carol']}: there is none, but there is a log",
    }
    assert set(complaints.splitlines()) == wanted, complaints
    assert b"user 'alice', store 'default': 1 of 2 files" in printed, printed


def opened(vault):
    return recover.open_vault(vault.root, "raw", raw_key(vault.key["MEMOSEAL_KEY_FILE"]))


def padded(plaintext, floor):
    length = max(len(plaintext) + 1, 2)
    e = length.bit_length() - 1
    unit = 1 << (e - e.bit_length())
    return (plaintext + b"\x80").ljust(max(floor, -(-length // unit) * unit), b"\0")


def seal(key, info, plaintext, salt=None):
    """Seals as whoever has the key can; with a salt, a bound section."""
    own = salt or os.urandom(32)
    derived = recover.hkdf(key, own, info, 88)
    ciphertext = crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, info, derived[32:56], derived[:32])
    return ciphertext if salt else own + derived[56:] + ciphertext


def encoded(digest):
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def only_store(vault):
    """The one store of a vault, its log read."""
    user = recover.open_user(opened(vault), next((vault.root / "users").iterdir()))
    store = recover.Store(opened(vault), user, next((user.folder / "log").iterdir()))
    store.walk()
    return store


def forge_commit(store, change=lambda header, meta: None, pad=padded):
    """Writes commit 1, which has one change of a memory, anew: sealed with the right key, and not as the program would."""
    path, raw, key = store.folder / store.names[1], store.read(1), store.user.key
    [length], link = struct.unpack_from(">I", raw, 47), raw[:47]
    info = [store.context.info(recover.COMMIT, 1, section) for section in (0, 1)]
    sealed = raw[51 : 51 + length]
    header = json.loads(recover.unpadded(recover.open_sealed(key, info[0] + recover.lp(raw[:51]), sealed, ""), 64, ""))
    metas, contents = struct.unpack_from(">II", raw, 51 + length)
    # What the store itself says rides behind it, and has no sections.
    notes = bytes(8 * (len(header["changes"]) - 1))
    start = 59 + length + len(notes)
    meta = recover.open_bound(key, sealed[:32], info[1], raw[start : start + metas], "")
    meta, content = json.loads(recover.unpadded(meta, 64, "")), raw[start + metas :]
    change(header, meta)
    # The meta section needs the salt, and the header the section's hash: the salt is chosen first.
    salt = os.urandom(32)
    section = seal(key, info[1], padded(json.dumps(meta).encode(), 64), salt)
    header["changes"][0]["meta"] = encoded(hashlib.sha256(section).digest())
    plaintext = pad(json.dumps(header).encode(), 64)
    prelude = link + struct.pack(">I", len(plaintext) + 80)
    context = info[0] + recover.lp(prelude)
    commitment = recover.hkdf(key, salt, context, 88)[56:]
    sealed = salt + commitment + seal(key, context, plaintext, salt)
    path.write_bytes(prelude + sealed + struct.pack(">II", len(section), contents) + notes + section + content)


def what_was_forged_with_the_right_key_is_refused(folder):
    vault = new_vault(folder)
    vault.turns(create("a", "text"))
    store, key = only_store(vault), raw_key(vault.key["MEMOSEAL_KEY_FILE"])
    path = store.folder / store.names[1]
    genuine = path.read_bytes()
    forge_commit(store)  # as the program writes it, which shows that the forgeries fail for what is wrong with them
    assert check(vault.root, key) == (0, "") and vault.memoseal("cat", "a", "--accept-rollback") == b"text"
    for number, outside in enumerate(("/../../../x", "/..", "/a/../../../../x", f"/{folder}/x", "relative", "/")):
        path.write_bytes(genuine)
        forge_commit(store, lambda header, meta: meta.update(path=outside))
        before = plain(folder).keys()
        _, complaints = recovered(vault.root, folder / f"out {number}", status=1, **vault.key)
        assert f"the path {outside!r} cannot be a file's" in complaints, complaints
        assert plain(folder).keys() == before and not (folder.parent / "x").exists()
    forgeries = {
        "commit 1: names another store, 'other'": lambda header, meta: header.update(store="other"),
        "commit 1: says that it is commit 2": lambda header, meta: header.update(seq=2),
        "commit 1, change 0: is 'redacted': a newer program wrote it": lambda header, meta: header["changes"][0].update(op="redacted"),
        "commit 1, change 0: does not follow the memory's version": lambda header, meta: header["changes"][0].update(prev="1.0"),
        "commit 1, change 0: its content is said to be in version 9.0": lambda header, meta: meta.update(data="9.0"),
        "commit 1: not formed as the format says": lambda header, meta: header["changes"][0].update(at="now"),
    }
    for complaint, change in forgeries.items():
        path.write_bytes(genuine)
        forge_commit(store, change)
        status, complaints = check(vault.root, key)
        assert status == 1 and complaint in complaints, complaints
    for wrong in ({"size": 5}, {"sha256": encoded(bytes(32))}):
        path.write_bytes(genuine)
        forge_commit(store, lambda header, meta: meta.update(wrong))
        _, complaints = recovered(vault.root, folder / str(wrong), status=1, **vault.key)
        assert "content of /a in commit 1, change 0: is not what its meta section says" in complaints, complaints
    for pad in (lambda text, floor: padded(text, floor) + b"\0", lambda text, floor: text, lambda text, floor: text + b"\x80"):
        path.write_bytes(genuine)
        forge_commit(store, pad=pad)
        status, complaints = check(vault.root, key)
        assert status == 1 and "commit 1: the padding is wrong" in complaints, complaints
    path.write_bytes(genuine)

    [keyring] = (store.user.folder / "keyring").iterdir()
    genuine, info = keyring.read_bytes(), recover.Context(store.vault.id, bytes.fromhex(store.user.folder.name)).info(recover.KEYRING, 1)
    text = json.loads(recover.unpadded(recover.open_sealed(store.vault.epochs[1], info, genuine[15:], ""), 256, ""))
    text = padded(json.dumps({**text, "user": "another"}).encode(), 256)
    keyring.write_bytes(genuine[:15] + seal(store.vault.epochs[1], info, text))
    status, complaints = check(vault.root, key)
    assert status == 1 and "names another user, 'another'" in complaints, complaints


def a_checkpoint_that_does_not_follow_from_the_log_is_noticed(folder):
    vault = new_vault(folder)
    vault.turns(*(create("a", f"{n}") if n % 2 else delete("a") for n in range(1, 33)), create("b", "b"), create("c", "c"))
    vault.turns(*(create(f"{n}", f"{n}") for n in range(33)))  # so that the newest checkpoint has memories
    store, key = only_store(vault), raw_key(vault.key["MEMOSEAL_KEY_FILE"])
    seq = store.checkpoint
    path, raw = store.folder / store.names[-seq], store.read(-seq)
    [length], user_key = struct.unpack_from(">I", raw, 15), store.user.key
    info = [store.context.info(recover.CHECKPOINT, seq, section) for section in (0, 1)]
    sealed = raw[19 : 19 + length]
    header = json.loads(recover.unpadded(recover.open_sealed(user_key, info[0] + recover.lp(raw[:19]), sealed, ""), 64, ""))
    section = recover.unpadded(recover.open_bound(user_key, sealed[:32], info[1], raw[19 + length :], ""), 64, "")
    lines = [json.loads(line) for line in section.splitlines()]
    lines, gone = lines[: header["files"]], lines[header["files"] :]
    assert len(lines) > 2 and len(gone) == header["deleted"] > 2
    first = lines[0]
    for status, forged in (
        (0, lines),
        (0, lines[::-1]),
        (1, lines[1:]),
        (1, [*lines, first]),
        *((1, [{**first, **wrong}, *lines[1:]]) for wrong in ({"path": "/x"}, {"born": 1}, {"changed": 1}, {"size": 9}, {"ver": "1.0"})),
        *((1, [{**first, **wrong}, *lines[1:]]) for wrong in ({"mem": encoded(bytes(16))}, {"at": [51, 9]}, {"sha256": encoded(bytes(32))})),
    ):
        salt = os.urandom(32)
        bound = seal(user_key, info[1], padded("".join(json.dumps(line) + "\n" for line in forged + gone).encode(), 64), salt)
        entry = {"len": len(bound), "sha256": encoded(hashlib.sha256(bound).digest())}
        plaintext = padded(json.dumps({**header, "files": len(forged), "sections": [entry]}).encode(), 64)
        prelude = raw[:15] + struct.pack(">I", len(plaintext) + 80)
        context = info[0] + recover.lp(prelude)
        commitment = recover.hkdf(user_key, salt, context, 88)[56:]
        path.write_bytes(prelude + salt + commitment + seal(user_key, context, plaintext, salt) + bound)
        actual, complaints = check(vault.root, key)
        assert actual == status and (f"checkpoint {seq}: " in complaints) == (status == 1), (forged[0], complaints)


def what_was_redacted_is_a_lawful_gap_and_what_else_is_missing_is_not(folder):
    vault = new_vault(folder)
    key = raw_key(vault.key["MEMOSEAL_KEY_FILE"])
    vault.turns(create("a", "first\n"), create("b", "secret\n"), replace("a", "first", "second"), rename("b", "c"))
    vault.turns([create("d", "one"), replace("d", "one", "two")], delete("c"), replace("a", "second", "third"))
    vault.turns(*(create(f"more/{n}", f"{n}") for n in range(40)))
    vault.memoseal("redact", "1.0", "2.0", "4.0", "5.0", "--yes")
    vault.memoseal("maintain")
    assert check(vault.root, key) == (0, "")
    out = folder / "out"
    recovered(vault.root, out, **vault.key)
    assert plain(out / "default" / "default") == vault.files()
    # The same gap where the log says nothing of it.
    store = only_store(vault)
    path, raw = store.folder / store.names[3], store.read(3)
    [length] = struct.unpack_from(">I", raw, 47)
    path.write_bytes(raw[: 51 + length] + bytes(8))
    status, complaints = check(vault.root, key)
    assert status == 1 and "commit 3, change 0, meta section" in complaints, complaints


def a_stub_is_never_the_newest_generation(folder):
    vault = new_vault(folder)
    vault.turns(create("a", "a"))
    vault.memoseal("rotate", "--yes")
    key = raw_key(vault.key["MEMOSEAL_KEY_FILE"])
    for path in [path for path in vault.objects() if path.name.endswith("fd")]:
        own = path.read_bytes()
        path.write_bytes(recover.STUB)
        status, complaints = check(vault.root, key)
        assert status == 1 and "generation 2 is the newest and a stub" in complaints, complaints
        path.write_bytes(own)
    # A writer that has stopped in between leaves older generations as they were; they do not count.
    for path in [path for path in vault.objects() if path.read_bytes() == recover.STUB]:
        path.write_bytes(b"whatever it was")
    assert check(vault.root, key) == (0, "")


def what_was_moved_or_replayed_is_noticed(folder):
    vault = new_vault(folder)
    for store in ("one", "two"):
        vault.turns(*(create(f"{n}", f"{store} {n}") for n in range(33)), store=store)
    vault.turns(create("0", "another user's"), user="other", store="one")
    key = raw_key(vault.key["MEMOSEAL_KEY_FILE"])
    commits = [path for path in vault.objects() if "log" in path.parts and path.suffix == ""]
    for this, that in zip(commits[:-1:9], commits[1::9]):
        swapped = this.read_bytes(), that.read_bytes()
        for first, second in (swapped, swapped[::-1]):
            that.write_bytes(first)
            this.write_bytes(second)
            if (first, second) == swapped:
                status, complaints = check(vault.root, key)
                assert status == 1 and complaints, (this, that, complaints)
    keyrings = [path for path in vault.objects() if "keyring" in path.parts]
    first, second = (path.read_bytes() for path in keyrings)
    keyrings[0].write_bytes(second)
    assert check(vault.root, key)[0] == 1
    keyrings[0].write_bytes(first)
    # The newest commits were taken away, and a checkpoint knows of them.
    assert check(vault.root, key) == (0, "")
    [folder, _] = [path.parent for path in commits if path.name == "fde"]
    for name in ("fde", "fdf", "fe0"):
        (folder / name).unlink()
    status, complaints = check(vault.root, key)
    assert status == 1 and "there is a checkpoint 32, but the newest commit is 30" in complaints, complaints


def a_history_that_went_another_way_is_noticed(folder):
    vault = new_vault(folder)
    vault.turns(create("0", "both"))
    other = Vault(folder / "other", shutil.copytree(vault.root, folder / "fork"), vault.key)
    for one in (vault, other):
        one.turns(*(create(f"{n}", f"in {one.root.name} {n}") for n in range(1, 34)))
    key = raw_key(vault.key["MEMOSEAL_KEY_FILE"])
    assert check(vault.root, key) == check(other.root, key) == (0, "")
    for name, complaint in {
        "fdd": "commit 34: does not follow the commit before it: the chain is broken",
        "ff0": "commit 15: does not follow the commit before it: the chain is broken",
        "fdf.checkpoint": "checkpoint 32: has another chain value than the log",
    }.items():
        [path] = vault.root.rglob(name)
        own = path.read_bytes()
        path.write_bytes((other.root / path.relative_to(vault.root)).read_bytes())
        status, complaints = check(vault.root, key)
        assert (status, complaints) == (1, f"recover: damage: user 'default', store 'default', {complaint}\n"), complaints
        path.write_bytes(own)


def names_of_another_form_are_no_objects(folder):
    vault = new_vault(folder)
    vault.turns(create("a", "a"))
    for place in {path.parent for path in vault.objects()} | {vault.root, vault.root / "users"}:
        (place / ".DS_Store").write_bytes(b"no object")
        (place / "FFFFFFFFFFFFFFFE").write_bytes(b"no object")
        (place / "a folder").mkdir()
    recovered(vault.root, folder / "out", **vault.key)
    assert plain(folder / "out") == {"default/default/a": b"a"} == {f"default/default/{p}": b for p, b in vault.files().items()}


def keys_and_arguments_are_checked(folder):
    vault = new_vault(folder)
    vault.turns(create("a", "a"))
    file, out = vault.key["MEMOSEAL_KEY_FILE"], folder / "out"
    text = file.read_text().splitlines()[-1]
    wrong, broken = folder / "wrong.key", folder / "broken.key"
    wrong.write_text("A" * 43 + "=\n")
    broken.write_text("not a key\n")
    recovered(vault.root, "--list", MEMOSEAL_KEY=text)
    recovered(vault.root, "--list", status=3)
    recovered(vault.root, "--list", "--key-file", file, MEMOSEAL_KEY=text, status=3)
    for key in (wrong, broken, folder / "none.key"):
        _, complaints = recovered(vault.root, out, "--key-file", key, status=3)
        assert len(complaints.splitlines()) == 1, complaints
    recovered(vault.root, status=2, **vault.key)
    recovered(vault.root, out, "--list", status=2, **vault.key)
    recovered(vault.root, folder, status=2, **vault.key)
    recovered(vault.root, vault.root / "out", status=2, **vault.key)
    recovered(folder / "nowhere", out, status=4, **vault.key)
    (folder / "empty").mkdir()
    recovered(folder / "empty", out, status=4, **vault.key)
    assert not plain(out)
    recovered(vault.root, out, **vault.key)
    recovered(vault.root, out, status=2, **vault.key)


def a_missing_package_is_said(folder):
    vault = new_vault(folder)
    vault.memoseal("slot", "add", "--new-passphrase-file", vault.key["MEMOSEAL_KEY_FILE"])
    for package in ("nacl", "argon2"):
        (folder / package).mkdir()
        (folder / package / f"{package}.py").write_text(f"raise ImportError('no {package}')\n")
    _, complaints = recovered(vault.root, "--list", **vault.key, PYTHONPATH=folder / "nacl", status=2)
    assert complaints == "recover: pynacl is missing: pip install pynacl\n", complaints
    recovered(vault.root, "--list", **vault.key, PYTHONPATH=folder / "argon2")
    phrase = ("--passphrase-file", vault.key["MEMOSEAL_KEY_FILE"])
    _, complaints = recovered(vault.root, "--list", *phrase, PYTHONPATH=folder / "argon2", status=3)
    assert complaints.endswith("pip install argon2-cffi\n") and complaints.count("\n") == 1, complaints


def no_path_leaves_the_folder(folder):
    assert recover.place_below(folder, "/a/b", "here") == folder / "a" / "b"
    for path in ("", "/", "a", "//a", "/a/", "/..", "/../a", "/a/../../b", "/.", "/a/./b", "/a\0", "/a//b"):
        try:
            place = recover.place_below(folder, path, "here")
        except recover.Damage as damage:
            assert repr(path) in str(damage)
        else:
            raise AssertionError(f"{path!r} went to {place}")


TESTS = (
    a_store_with_a_past_comes_back_byte_for_byte,
    odd_names_of_users_and_stores_stay_apart,
    what_was_destroyed_is_not_there_and_what_came_anew_is,
    the_golden_vault_is_read_as_the_program_reads_it,
    a_passphrase_opens_a_vault,
    slots_and_rotations_are_followed,
    a_large_checkpoint_agrees_with_the_log,
    a_changed_byte_in_any_object_is_noticed,
    a_forged_header_is_refused_as_the_program_refuses_it,
    damage_is_named_and_does_not_take_the_rest_along,
    what_was_forged_with_the_right_key_is_refused,
    a_checkpoint_that_does_not_follow_from_the_log_is_noticed,
    what_was_redacted_is_a_lawful_gap_and_what_else_is_missing_is_not,
    a_stub_is_never_the_newest_generation,
    what_was_moved_or_replayed_is_noticed,
    a_history_that_went_another_way_is_noticed,
    names_of_another_form_are_no_objects,
    keys_and_arguments_are_checked,
    a_missing_package_is_said,
    no_path_leaves_the_folder,
)


def main():
    failed = 0
    for test in TESTS:
        with tempfile.TemporaryDirectory(prefix="memoseal-recover-") as folder:
            try:
                test(pathlib.Path(folder))
                print(f"ok      {test.__name__}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED  {test.__name__}\n{traceback.format_exc()}", flush=True)
    print(f"{len(TESTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(EXAMPLE))
    import recover
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt

    sys.exit(main())
