"""The command sequences: a few written out, one for each corner that chance seldom reaches, and random ones."""

import contract

FILES = (
    "a", "ab", "a/b", "a.txt", "notes.md", "dir/a.txt", "dir/b.txt", "dir/sub/c.txt", "dir/sub/deep/d.txt", "dirx/a.txt",
    ".hidden", "dir/.h/x", "node_modules/m.js", "dir/node_modules/n.js", "日本語.txt", "caf\u00e9.txt", "cafe\u0301.txt",
    "with space.txt", "100%.txt", "...", "dir/~", "a'b\"c.txt", "😀",
)  # fmt: skip
DIRECTORIES = ("", "a", "dir", "dir/sub", "dir/sub/deep", "dirx", "node_modules", "dir/.h", "dir/node_modules", "new", "new/er")
ODD_PATHS = (
    "/memories_backup/x", "/memoriesX", "/memories.txt", "/other/a.txt", "memories/a.txt", "", "/MEMORIES/a",
    "/memories/..", "/memories/../secrets", "/memories/dir/../../x", "/memories/../memories/a.txt",
    "/memories/%2e%2e/x", "/memories/a%2Fb", "/memories/%252e%252e/x", "/memories/%255Cx", "/memories/dir\\a.txt",
    "/memories/a\nb", "/memories/a\tb", "/memories/nul\x00", "/memories/\u202ertl", "/memories/zero\u200bwidth",
    "/memories/line\u2028sep", "/memories/para\u2029sep", "/memories/\ufeffbom", "/memories/del\x7f",
    "/memories/" + "n" * 255, "/memories/" + "n" * 256, "/memories/" + "é" * 128,
    "/memories/" + "/".join("d" * 20), "/memories/" + "/".join("d" * 21), 
    "/memories/" + "/".join(["m" * 200] * 4 + ["m" * 210]), "/memories/" + "/".join(["m" * 200] * 4 + ["m" * 211]),
)  # fmt: skip
LINES = (
    "", "", "a", "aa", "aaa", "aba", "abab", "alpha beta", "- [ ] call back", "carriage return\r", "\r", "form\x0cfeed",
    "line\u2028separator", "next\x85line", "vertical\x0btab", "tab\there", "日本語のメモ", "😀 emoji", "$& $1 $$", "\\1 \\n \\\\",
    "`ticks`", "{path} {}", "%s %d", "trailing  ", "  leading", "nul\x00byte", "\ufeffbom", "e\u0301 is not \u00e9", "x" * 300,
)  # fmt: skip
BAD_RANGES = ([1], [1, 2, 3], [], ["1", 2], [1.0, 2], [True, 2], [None, 2], "1-2", 5, {"start": 1})


def content(random):
    """A file: often with a final newline, sometimes empty, sometimes larger than one view shows."""
    kind = random.random()
    if kind < 0.06:
        return ""
    if kind < 0.09:
        return "".join(f"line {n} of a long file\n" for n in range(random.randint(400, 1_000)))
    lines = [random.choice(LINES) for _ in range(random.choice((1, 1, 2, 3, 3, 5, 8, 60 if kind > 0.95 else 4)))]
    return "\n".join(lines) + random.choice(("", "\n", "\n", "\n", "\n\n"))


class Generator:
    """Random commands that know what is there, so that many of them succeed."""

    def __init__(self, random):
        self.random = random

    def next(self, tree):
        if len(tree) < 3 and self.random.random() < 0.5:
            return self.create(tree)
        make = self.random.choices(
            (self.create, self.view, self.str_replace, self.insert, self.delete, self.rename, self.odd_path, self.malformed),
            weights=(22, 24, 18, 16, 6, 9, 3, 2),
        )[0]
        return make(tree)

    def create(self, tree):
        return {"command": "create", "path": self.path(self.random.choice(FILES)), "file_text": content(self.random)}

    def view(self, tree):
        command = {"command": "view", "path": self.known(tree, directories=0.45)}
        if self.random.random() < 0.4:
            count = 8 if self.random.random() < 0.8 else 1_000
            command["view_range"] = [self.random.randint(-2, count), self.random.choice((-1, -1, -2, self.random.randint(0, count)))]
        elif self.random.random() < 0.1:
            command["view_range"] = None
        return command

    def str_replace(self, tree):
        path, file = self.known_file(tree)
        command = {"command": "str_replace", "path": path, "old_str": self.old_str(tree.get(file, ""))}
        new = self.random.random()
        if new < 0.8:
            command["new_str"] = self.random.choice(("", "a", "aa", "new text", content(self.random), content(self.random)))
        elif new < 0.9:
            command["new_str"] = None
        return command

    def old_str(self, text):
        if not text or self.random.random() < 0.15:
            return self.random.choice(("not there", "a", "", "\n", "A"))
        start = self.random.randrange(len(text))
        return text[start : start + self.random.choice((1, 2, 3, 8, 30, 80))]

    def insert(self, tree):
        path, file = self.known_file(tree)
        lines = contract.line_count(tree.get(file, ""))
        line = self.random.choice((0, 0, 1, lines - 1, lines, lines, lines + 1, -1, self.random.randint(0, lines)))
        text = self.random.choice(("", "\n", "a", "inserted\n", "two\nlines\n", "many\n\n\n", "cr\r\n", content(self.random)))
        return {"command": "insert", "path": path, "insert_line": line, "insert_text": text}

    def delete(self, tree):
        return {"command": "delete", "path": self.known(tree, directories=0.25)}

    def rename(self, tree):
        old = self.known(tree, directories=0.4)
        kind = self.random.random()
        if kind < 0.1:
            new = self.known(tree, directories=0.4)
        elif kind < 0.2:
            new = old.rstrip("/") + self.random.choice(("/inside", "/in/side", ""))
        else:
            new = self.path(self.random.choice(FILES + DIRECTORIES[1:]))
        return {"command": "rename", "old_path": old, "new_path": new}

    def odd_path(self, tree):
        path = self.random.choice(ODD_PATHS)
        return self.random.choice((
            {"command": "create", "path": path, "file_text": "x\n"},
            {"command": "view", "path": path},
            {"command": "str_replace", "path": path, "old_str": "a", "new_str": "b"},
            {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
            {"command": "delete", "path": path},
            {"command": "rename", "old_path": path, "new_path": "/memories/fresh"},
            {"command": "rename", "old_path": self.known_file(tree)[0], "new_path": path},
        ))  # fmt: skip

    def malformed(self, tree):
        command = self.random.choice((self.create, self.str_replace, self.insert, self.delete, self.rename))(tree)
        fields = [name for name in command if name not in ("command", "new_str")]
        kind = self.random.random()
        if kind < 0.3:
            del command[self.random.choice(fields)]
        elif kind < 0.6:
            command[self.random.choice(fields)] = self.random.choice((None, 5, 1.0, True, [], {}, ["x"]))
        elif kind < 0.7:
            command["command"] = self.random.choice(("undo_edit", "View", ""))
        elif kind < 0.8:
            command["unknown_field"] = {"is": "ignored"}
        else:
            command = {"command": "view", "path": self.known(tree, directories=0.3), "view_range": self.random.choice(BAD_RANGES)}
        return command

    def known_file(self, tree):
        """A path, mostly of a file that is there, and the file's place."""
        files = sorted(tree)
        if not files or self.random.random() < 0.1:
            place = self.random.choice(FILES + DIRECTORIES)
        else:
            place = self.random.choice(files)
        return self.path(place), place

    def known(self, tree, directories):
        if self.random.random() < directories:
            found = sorted(contract.directories(tree)) if self.random.random() < 0.8 else DIRECTORIES
            return self.path(self.random.choice(found))
        return self.known_file(tree)[0]

    def path(self, place):
        """One of the ways to write the path of a place."""
        plain = f"/memories/{place}" if place else "/memories"
        if self.random.random() < 0.85:
            return plain
        return self.random.choice((
            plain + "/", plain + "//", "/memories//" + place, plain.replace("/memories", "/memories/.", 1),
            plain.replace("/memories", "/memories/x/..", 1), plain.replace("/memories", "/memories/./y/../", 1),
        ))  # fmt: skip


def view(path, *view_range):
    return {"command": "view", "path": path} | ({"view_range": list(view_range)} if view_range else {})


def create(path, text="x\n"):
    return {"command": "create", "path": path, "file_text": text}


def replace(path, old, *new):
    return {"command": "str_replace", "path": path, "old_str": old} | ({"new_str": new[0]} if new else {})


def insert(path, line, text):
    return {"command": "insert", "path": path, "insert_line": line, "insert_text": text}


def delete(path):
    return {"command": "delete", "path": path}


def rename(old, new):
    return {"command": "rename", "old_path": old, "new_path": new}


def scripted():
    """The written ones, by name. Each row of the table of differences is used by one of them."""
    a, b, d = "/memories/a", "/memories/b", "/memories/d"
    long_name, deep = "n" * 200, "/".join("s" * 18)
    return {
        "the documentation's session": [
            view("/memories"), create("/memories/notes.txt", "Meeting notes:\n- Discussed project timeline\n"),
            create("/memories/preferences.txt", "Favorite color: blue\n"), create("/memories/notes.txt"),
            replace("/memories/preferences.txt", "Favorite color: blue", "Favorite color: green"),
            create("/memories/todo.txt", "- one\n- two\n"), insert("/memories/todo.txt", 2, "- Review memory tool documentation\n"),
            view("/memories/todo.txt"), view("/memories/todo.txt", 1, 2), rename("/memories/notes.txt", "/memories/final.txt"),
            delete("/memories/todo.txt"), view("/memories"), delete("/memories"), rename("/memories", "/memories/x"),
        ],
        "two edits of one file": [
            create(a, "one\ntwo\n"), replace(a, "one", "1"), replace(a, "two", "2"), insert(a, 1, "1.5"), view(a),
        ],
        "multi-line, omitted and overlapping": [
            create(a, "one\ntwo\nthree\naaa b b\nlast"), replace(a, "two\nthree", "2\n3"), replace(a, "aa"), replace(a, "b", "c"),
            replace(a, "one\n"), view(a), replace(a, "", "x"), replace(a, "aaa", "$& \\1 $1"), view(a), replace(a, "absent", "x"),
            {"command": "str_replace", "path": a, "old_str": "last", "new_str": None}, view(a), replace("/memories/none", "", "x"),
            create(b, "aa\n" * 700 + "b" * 600), replace(b, "a", "x"), replace(b, "b", "x"), replace(b, "aa", "x"), create(d, "b" * 1_001),
            replace(d, "b", "x"), replace(d, "bb", "x"),
        ],
        "the snippet shows all that is new": [
            create(a, "".join(f"line {n}\n" for n in range(1, 100))), replace(a, "line 50\n", "new\n" * 10), view(a, 45, 65),
            replace(a, "line 20", "\n".join(["wide"] * 120)), replace(a, "line 99\n", "end"), replace(a, "line 1\n"),
            create(b, "one\ntwo\n" + "w" * 20_000 + "\nlast\n"), replace(b, "two", "2"), replace(b, "one", "1\n" * 30), view(b, 1, 31),
            replace(b, "www\nlast", "w\nend"), view(b, 35, -1),
        ],
        "inserts at every edge": [
            create(a, "one\ntwo\n"), insert(a, 3, "after the last empty line"), view(a), insert(a, 5, "x"), insert(a, -1, "x"),
            insert(a, 0, "top\n"), insert(a, 1, ""), insert(a, 1, "\n"), insert(a, 1, "three newlines\n\n\n"), view(a),
            create(b, ""), insert(b, 1, "only\n"), view(b), insert(b, 1, "second"), view(b), insert(b, 2, "third\n"), view(b),
            create(d, ""), insert(d, 2, "x"), insert(d, 0, ""), view(d), insert(d, 0, "x"), view(d),
            create("/memories/blank", "a\n\n"), insert("/memories/blank", 0, "x"), view("/memories/blank"),
        ],
        "nothing but newlines splits lines": [
            create(a, "one\rtwo\x0cthree\u2028four\x85five\nsix\r\n"), view(a), insert(a, 1, "x\x0cy\r\n"), view(a),
            replace(a, "two\x0cthree", "2\x0c3"), view(a), view(a, 2, 2),
        ],
        "listings": [
            create("/memories/dir/sub/deep/x", "y" * 1500), create("/memories/dir/.hidden/x", "y" * 1024), create("/memories/.top"),
            create("/memories/node_modules/m.js"), create("/memories/dir/node_modules/n.js"), create("/memories/empty", ""),
            create("/memories/edge", "y" * 1023), create("/memories/dir.txt"), create("/memories/dirx/a"), view("/memories"),
            view("/memories/"), view("/memories/dir"), view("/memories/dir/.hidden"), view("/memories/node_modules"),
            view("/memories", 2, 3), view("/memories", 1, -1), view("/memories", 50, 60), view("/memories", 3, 2),
            delete("/memories/dir/sub/deep/x"), view("/memories/dir/sub"), view("/memories/dir"), view("/memories/dir/.."),
        ],
        "a long listing": [
            *(create(f"/memories/d/{n:02}-{long_name}") for n in range(90)), view(d), view(d, 80, -1), view("/memories"),
        ],
        "long texts": [
            create(a, "".join(f"{n} is the number of this line\n" for n in range(1, 900))), view(a), view(a, 400, -1), view(a, 895, 2000),
            create(b, "short\n" + "w" * 20_000 + "\nlast\n"), view(b), view(b, 2, 2), view(b, 2, 3), view(b, 3, 4), view(b, 5, 5),
            view(b, 3, 2), view(b, 1, -2), view(b, -7, -1),
            create("/memories/large", "z" * 102_400), create("/memories/too-large", "z" * 102_401),
            create("/memories/umlauts", "ü" * 51_201), insert("/memories/large", 0, "z"), replace("/memories/large", "z" * 102_400, "s"),
            view("/memories"),
        ],
        "directories come and go": [
            create("/memories/d/one/x"), create("/memories/d/two/x"), rename("/memories/d/one", "/memories/e/f/one"), view("/memories"),
            rename(d, "/memories/d/inside"), rename(d, "/memories/d/in/side"), rename("/memories/none", "/memories/p/q"), view("/memories"),
            rename("/memories/none", d), rename(d, "/memories/e"), rename(d, d), rename(d, "/memories/moved/"), view("/memories"),
            rename("/memories/moved/two/x", "/memories/moved/two/y/"), replace("/memories/moved", "x", "y"), insert("/memories/moved", 0, "x"),
            create("/memories/moved"), create("/memories/new/"), create("/memories/moved/two/x/"), delete("/memories/moved/two"), view("/memories"),
            delete("/memories/moved"), delete("/memories/e/"), view("/memories"),
        ],
        "below a file": [
            create(a), create("/memories/a/b"), create("/memories/a/b/c"), view("/memories/a/b"), insert("/memories/a/b", 0, "x"),
            replace("/memories/a/b", "x", "y"), delete("/memories/a/b"), rename("/memories/a/b", "/memories/p/q"), rename(a, "/memories/a/b"),
            create(b), rename(b, "/memories/a/b"), rename(b, "/memories/a/b/c"), view("/memories"), insert("/memories/none", 0, "x"),
        ],
        "names that begin alike": [
            create("/memories/a/x"), create("/memories/ab/x"), create("/memories/a.txt"), delete(a), view("/memories"), create("/memories/a/y"),
            rename(a, "/memories/c"), view("/memories"), create("/memories_backup/x"), view("/memories_backup"), view("/memories"),
        ],
        "two forms of one name": [
            create("/memories/cafe\u0301/re\u0301sume\u0301.txt", "one\n"), create("/memories/caf\u00e9/r\u00e9sum\u00e9.txt"), view("/memories"),
            view("/memories/cafe\u0301"), replace("/memories/caf\u00e9/re\u0301sume\u0301.txt", "one", "two"), view("/memories/caf\u00e9/r\u00e9sum\u00e9.txt"),
            rename("/memories/cafe\u0301", "/memories/n\u0303"), view("/memories"), delete("/memories/\u00f1"),
        ],
        "odd paths": [
            create(a), *(create(path) for path in ODD_PATHS), *(view(path) for path in ODD_PATHS), view("/memories"),
            *(delete(path) for path in ODD_PATHS), *(rename(a, path) for path in ODD_PATHS), view("/memories"),
            view("/memories/x/../a"), view("/memories/./a"), view("/memories//a"), delete("/memories/x/.."),
        ],
        "limits under a rename": [
            create(f"/memories/d/{deep}/x"), rename(d, "/memories/p/q"), rename(d, "/memories/p"), rename("/memories/p", "/memories/p2/q/"),
            view("/memories"), create(f"/memories/{long_name}/{long_name}/{long_name}/{long_name}/x"),
            rename(f"/memories/{long_name}", f"/memories/q/{long_name}{'n' * 55}"), rename(f"/memories/{long_name}", "/memories/q"),
            rename("/memories/q", f"/memories/{long_name}/{long_name}/q"), view("/memories"),
        ],
        "fields": [
            create(a, "one\ntwo\n"), {"command": "create", "path": b}, view("/memories"), {"command": "create", "path": b, "file_text": 5},
            {"command": "str_replace", "path": a, "new_str": "x"}, {"command": "str_replace", "path": a, "old_str": "one", "new_str": 5},
            {"command": "insert", "path": a, "insert_text": "x"}, insert(a, "1", "x"), insert(a, 1.0, "x"), insert(a, True, "x"),
            {"command": "insert", "path": a, "insert_line": 1}, {"command": "delete"}, {"command": "rename", "old_path": a}, delete(None),
            {"command": "view", "path": a, "view_range": None}, *({"command": "view", "path": a, "view_range": bad} for bad in BAD_RANGES),
            {"command": "undo_edit", "path": a}, {"command": "view", "path": a, "unknown_field": 1}, view("/memories/none", "x", 1), view(a),
        ],
    }  # fmt: skip
