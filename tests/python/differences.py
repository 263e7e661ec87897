"""Where memoseal deliberately differs from the official tool: one table, at the end of this file.

A row may change what the official tool is asked (`before`), or what is expected of memoseal after the official
tool answered (`after`): the text, and the tree. Rows apply in the order of the table; a row whose condition does
not hold leaves the case alone. `contract` is the sentence of the contract that the row follows.
"""

import re
import unicodedata
from typing import Callable, NamedTuple, Optional

import contract
from case import Case

# --- what the official tool is asked instead -------------------------------------------------------------------


def trailing_slashes(case):
    return rewrite_paths(case, lambda path: path.rstrip("/") or path)


def composed_names(case):
    return rewrite_paths(case, lambda path: unicodedata.normalize("NFC", path))


def rewrite_paths(case, rewrite):
    used = False
    for name in contract.path_fields(case.sent):
        path = case.sent.get(name)
        if isinstance(path, str) and rewrite(path) != path:
            case.sent[name], used = rewrite(path), True
    return used


def omitted_new_str(case):
    if case.name == "str_replace" and case.sent.get("new_str") is None:
        case.sent["new_str"] = ""
        return True
    return False


# --- refused before storage is looked at -----------------------------------------------------------------------


def unknown_command(case):
    if case.name in contract.STRINGS:
        return False
    case.fail(f"Error: Unknown command: {case.name}")
    return True


def bad_field(case):
    field = contract.bad_field(case.given)
    if not field:
        return False
    case.fail(names=[field])
    return True


def empty_old_str(case):
    if case.name != "str_replace" or case.given["old_str"] != "":
        return False
    case.fail(names=["old_str"])
    return True


def bad_paths(case, is_bad):
    return [name for name in contract.path_fields(case.given) if is_bad(case.given[name])]


def outside(case):
    bad = bad_paths(case, contract.is_outside)
    if not bad:
        return False
    case.fail(f"Error: Path must start with /memories, got: {case.path(bad[0])}")
    return not case.official.is_error


def refused_characters(case):
    bad = bad_paths(case, contract.has_refused_characters)
    if not bad:
        return False
    hidden = [c for c in case.given[bad[0]] if contract.is_refused(c)]
    case.fail()
    plain = case.check
    case.check = lambda answer: plain(answer) or next((f"shows {c!r} raw" for c in hidden if c in answer), None)
    return True


def leaving(case):
    bad = bad_paths(case, contract.leaves)
    if not bad:
        return False
    case.fail(f"Error: Path {case.path(bad[0])} would escape /memories directory")
    return "would escape" not in case.official.text


def path_limits(case):
    if not bad_paths(case, lambda path: contract.breaks_a_limit(contract.resolved(path))):
        return False
    case.fail()
    return True


# --- create and rename -----------------------------------------------------------------------------------------


def create_with_slash(case):
    if case.name != "create" or not case.given["path"].endswith("/") or case.place == "":
        return False
    case.fail()
    return True


def below_a_file(case):
    target = {"create": "path", "rename": "new_path"}.get(case.name)
    if not target or not contract.lies_below_a_file(case.before, contract.resolved(case.given[target])):
        return False
    if case.name == "rename" and not exists(case, "old_path"):
        return False
    case.fail()
    return True


def exists(case, name):
    place = contract.resolved(case.given[name])
    return place in case.before or place in contract.directories(case.before)


def missing_source_first(case):
    if case.name != "rename" or contract.resolved(case.given["old_path"]) == "" or exists(case, "old_path"):
        return False
    text = f"Error: The path {case.path('old_path')} does not exist"
    used = case.official.raw or "Error: " + case.official.text != text
    case.fail(text)
    return used


def into_itself(case):
    if case.name != "rename":
        return False
    old, new = (contract.resolved(case.given[name]) for name in ("old_path", "new_path"))
    if not old or not exists(case, "old_path") or exists(case, "new_path") or not new.startswith(old + "/"):
        return False
    case.fail()
    return True


def slash_after_a_file(case):
    if case.name != "rename" or not case.given["new_path"].endswith("/"):
        return False
    if contract.resolved(case.given["old_path"]) not in case.before or exists(case, "new_path"):
        return False
    case.fail()
    return True


def limits_under_a_rename(case):
    if case.name != "rename" or case.official.is_error:
        return False
    old, new = (contract.resolved(case.given[name]) for name in ("old_path", "new_path"))
    moved = [new + place[len(old) :] for place in contract.under(case.before, old)]
    if not any(map(contract.breaks_a_limit, moved)):
        return False
    case.fail()
    return True


# --- insert and str_replace ------------------------------------------------------------------------------------


def directory_is_no_file(case):
    if case.name not in ("str_replace", "insert") or case.place not in contract.directories(case.before):
        return False
    more = " Please provide a valid path." if case.name == "str_replace" else ""
    case.fail(f"Error: The path {case.path()} does not exist" + (more and "." + more))
    return True


def insert_into_nothing(case):
    if case.name != "insert" or exists(case, "path"):
        return False
    case.fail(f"Error: The path {case.path()} does not exist")
    return True


def insert_outside_the_file(case):
    if case.name != "insert":
        return False
    lines, line = contract.line_count(case.content), case.given["insert_line"]
    if 0 <= line <= lines:
        return False
    case.fail(
        f"Error: Invalid `insert_line` parameter: {line}."
        f" It should be within the range of lines of the file: [0, {lines}]"
    )
    return True


def insert_by_contract(applies):
    """A row for inserts to which `applies(content, line, text)`: text and tree follow the contract."""

    def row(case):
        if case.name != "insert":
            return False
        if not applies(case.content, case.given["insert_line"], case.given["insert_text"]):
            return False
        new = contract.inserted(case.content, case.given["insert_line"], case.given["insert_text"])
        case.after = {**case.before, case.place: new}
        # Not settled: the file may still be too large, and the next row may apply as well.
        case.is_error, case.text = False, f"The file {case.path()} has been edited."
        return True

    return row


def overlapping_matches(case):
    if case.name != "str_replace" or case.content is None or case.official.is_error:
        return False
    lines = contract.occurrences(case.content, case.given["old_str"])
    if len(lines) < 2:
        return False
    fail_not_unique(case, lines)
    return True


def very_many_matches(case):
    if case.name != "str_replace" or case.content is None:
        return False
    lines = contract.occurrences(case.content, case.given["old_str"])
    if len(lines) <= contract.OCCURRENCES:
        return False
    fail_not_unique(case, [*lines[: contract.OCCURRENCES], "..."])
    return True


def fail_not_unique(case, lines):
    case.fail(
        f"No replacement was performed. Multiple occurrences of old_str `{case.given['old_str']}` in lines: "
        f"{', '.join(map(str, lines))}. Please ensure it is unique"
    )


def snippet_spans_the_new_text(case):
    if case.name != "str_replace" or case.official.is_error:
        return False
    new = case.given.get("new_str") or ""
    if new.count("\n") <= 2:
        return False
    first = contract.occurrences(case.content, case.given["old_str"])[0]
    header = case.official.text.partition("\n")[0]
    content = case.after[case.place]
    case.text = header + "\n" + contract.snippet(content, first, new.count("\n") + 1)
    return case.text != case.official.text


def long_snippet(case):
    if case.name != "str_replace" or case.is_error or body_length(case) <= contract.VIEW_CHARS:
        return False
    case.check = lambda answer: check_cut(answer, case.text, str(contract.line_count(case.after[case.place])))
    return True


def file_too_large(case):
    target = case.place if case.name in ("create", "str_replace", "insert") else None
    if target is None or case.is_error or len(case.after[target].encode()) <= contract.FILE_BYTES:
        return False
    case.fail()
    return True


# --- view ------------------------------------------------------------------------------------------------------


def lines_beyond_the_file(case):
    if case.name != "view" or case.content is None or case.given.get("view_range") is None:
        return False
    count = contract.line_count(case.content)
    first, last = view_bounds(case, count)
    if first <= last and first <= count:
        return False
    case.fail(names=[str(count)])
    return True


def view_bounds(case, count):
    """First and last row of a view_range; the last may lie before the first or past the end."""
    first, last = case.given.get("view_range") or (1, -1)
    return max(1, first), count if last == -1 else last


def long_text(case):
    if case.name != "view" or case.content is None:
        return False
    if case.is_error or body_length(case) <= contract.VIEW_CHARS:
        return False
    first, last = case.given.get("view_range") or (1, -1)
    if max(1, first) == last:
        return False  # one line, asked for alone, is shown whole
    case.check = lambda answer: check_cut(answer, case.text, str(contract.line_count(case.content)))
    return True


def body_length(case):
    return len(case.text.partition("\n")[2])


def check_cut(answer, whole, count):
    """Whether an answer is the text, cut at the last line that fits (or in its only line), and a note."""
    header, _, body = whole.partition("\n")
    shown, _, note = answer.rpartition("\n")
    if "view_range" not in note or count not in note:
        return f"does not end in a line that names {count} lines and view_range"
    if not shown.startswith(header + "\n"):
        return "does not start with the header"
    shown = shown[len(header) + 1 :]
    if not body.startswith(shown) or len(shown) > contract.VIEW_CHARS:
        return "does not show the beginning of the text, or too much of it"
    one_line = "\n" not in body[: contract.VIEW_CHARS + 1]
    longest = contract.VIEW_CHARS if one_line else body.rfind("\n", 0, contract.VIEW_CHARS + 1)
    return None if len(shown) == longest else f"shows {len(shown)} characters where {longest} fit"


def is_listing(case):
    return case.name == "view" and not case.is_error and case.place in contract.directories(case.before)


def listing_header(case):
    if not is_listing(case):
        return False
    header, newline, rows = case.text.partition("\n")
    if header.endswith("excluding hidden items:"):
        header = header.replace("excluding hidden items:", "excluding hidden items and node_modules:")
    case.text = header + newline + rows
    return case.text != case.official.text


def listing_rows(case, change):
    """Lets `change(size, name)` rewrite or drop each row; `name` is relative to the listed directory."""
    header, *rows = case.text.split("\n")
    prefix, changed = case.sent["path"] + "/", []
    for row in rows:
        old_size, _, path = row.partition("\t")
        new_size = change(old_size, path[len(prefix) :])
        if new_size is not None:
            changed.append(f"{new_size}\t{path}")
    used = changed != rows
    case.text = "\n".join([header, *changed])
    return used


def node_modules(case):
    return is_listing(case) and listing_rows(
        case, lambda size, name: None if "node_modules" in name.split("/") else size
    )


def sizes(case):
    def size(_, name):
        return contract.size(case.before, "/".join(filter(None, [case.place, name.rstrip("/")])))

    return is_listing(case) and listing_rows(case, size)


def listing_range(case):
    if not is_listing(case) or case.given.get("view_range") is None:
        return False
    header, *rows = case.text.split("\n")
    first, last = view_bounds(case, len(rows))
    if first > last or first > len(rows):
        case.fail(names=[str(len(rows))])
    else:
        case.text = "\n".join([header, *rows[first - 1 : last]])
    return True


def long_listing(case):
    if not is_listing(case) or len(case.text) <= contract.VIEW_CHARS:
        return False

    def check(answer):
        whole = case.text
        shown, _, note = answer.rpartition("\n")
        told = re.fullmatch(r"\[(\d+) more entries; view a subdirectory or use view_range\]", note)
        if not told or not whole.startswith(shown + "\n"):
            return "is not the beginning of the listing and a note on the rest"
        left = whole[len(shown) + 1 :].split("\n")
        if int(told[1]) != len(left):
            return f"says {told[1]} more entries where {len(left)} are left"
        # Whether the header counts is not laid down: one header more or less may fit.
        slack = whole.index("\n") + 1
        longest = contract.VIEW_CHARS + slack
        if len(shown) > longest or len(shown) + 1 + len(left[0]) <= contract.VIEW_CHARS - slack:
            return "is not cut at the last row that fits"
        return None

    case.check = check
    return True


# --- all commands ----------------------------------------------------------------------------------------------


def empty_directories(case):
    return bool(case.folders - contract.directories(case.after))


PREFIXED = re.compile(
    r"(Path |File .* already exists|Cannot (delete|rename) the |The destination |The path .* does not exist)",
    re.DOTALL,
)


def error_prefix(case):
    if not case.is_error or case.check or case.settled or case.name == "view" and case.text.startswith("The path "):
        return False
    if not PREFIXED.match(case.text):
        return False
    case.text = "Error: " + case.text
    return True


def echo_as_given(case):
    used = False
    for name in contract.path_fields(case.given):
        given, sent = case.path(name), case.sent[name]
        if not case.settled and given != sent and sent in case.text:
            case.text, used = case.text.replace(sent, given), True
    return used


class Difference(NamedTuple):
    name: str
    rule: str
    contract: str
    after: Optional[Callable[[Case], bool]] = None
    before: Optional[Callable[[Case], bool]] = None
    of_the_folder: bool = False  # looks only at the official tool's folder, also when the answer is settled


# fmt: off
DIFFERENCES = (
    Difference(
        "trailing slashes", "the official tool gets the path without them, since it echoes them",
        "`{path}` is echoed as it was given, less its trailing slashes.",
        before=trailing_slashes),
    Difference(
        "composed names", "the official tool gets the path in NFC, since it keeps two forms of a name apart",
        "Names are kept and listed in NFC.",
        before=composed_names),
    Difference(
        "omitted new_str", "the official tool gets an empty one, since it fails without",
        "`new_str` omitted deletes.",
        before=omitted_new_str),
    Difference(
        "unknown command", "an error text instead of an exception",
        "unknown command (`Error: Unknown command: {command}`)",
        unknown_command),
    Difference(
        "bad field", "refused and named; the official tool coerces, or fails half-way",
        "missing or mistyped field (named)",
        bad_field),
    Difference(
        "empty old_str", "refused, wherever it should be replaced; the official tool finds it between all characters",
        "An empty old_str is a clear error.",
        empty_old_str),
    Difference(
        "outside of /memories", "/memories_backup is outside; the official tool takes it for /memories/_backup",
        "`/memoriesX` is outside: `Error: Path must start with /memories, got: {path}`.",
        outside),
    Difference(
        "refused characters", "the official tool takes them as plain names, or fails on NUL",
        "Refused, never decoded: percent-encoded dot, slash or backslash",
        refused_characters),
    Difference(
        "leaving and coming back", "refused at once; the official tool looks only at where a path ends",
        "As soon as it leaves: `Error: Path {path} would escape /memories directory`.",
        leaving),
    Difference(
        "path limits", "refused; the official tool has none but the file system's, whose error it lets through",
        "At most 1,024 bytes (the resolved NFC path, `/memories` included), 20 segments below the root, 255 bytes a segment.",
        path_limits),
    Difference(
        "create with a slash", "refused; the official tool makes a file",
        "A path that ends in `/` is refused.",
        create_with_slash),
    Difference(
        "missing source first", "the source is looked at before the destination, and a file's child is just missing",
        "Checked in this order: the root (`Error: Cannot rename the /memories directory itself`); missing source",
        missing_source_first),
    Difference(
        "below a file", "a clear error instead of the system's",
        "create, and the destination of rename, may not lie below a file (a clear error)",
        below_a_file),
    Difference(
        "into itself", "a clear error instead of the system's",
        "into itself, below a file, or a path under it that would break a limit (clear errors).",
        into_itself),
    Difference(
        "slash after a file", "refused; the official tool renames",
        "A trailing `/` on the destination is allowed for a directory, refused for a file.",
        slash_after_a_file),
    Difference(
        "limits under a rename", "refused; the official tool moves what then cannot be named",
        "into itself, below a file, or a path under it that would break a limit (clear errors).",
        limits_under_a_rename),
    Difference(
        "a directory is no file", "does not exist, instead of `is not a file`",
        "Missing path or a directory: `Error: The path {path} does not exist. Please provide a valid path.`",
        directory_is_no_file),
    Difference(
        "insert into nothing", "the documentation's text, which is shorter than that for str_replace",
        "Missing or a directory: `Error: The path {path} does not exist`",
        insert_into_nothing),
    Difference(
        "insert outside the file", "the documentation's text, and a last empty line counts",
        "Error: Invalid `insert_line` parameter: {insert_line}. It should be within the range of lines of the file: [0, {n_lines}]",
        insert_outside_the_file),
    Difference(
        "insert after the last empty line", "appends; for the official tool this line is outside",
        "Inserting after it appends, with no blank line in between.",
        insert_by_contract(lambda content, line, text: content.endswith("\n") and line == contract.line_count(content))),
    Difference(
        "insert keeps the final newline", "the official tool adds a missing one, and drops one of several",
        "the file's own final newline is kept as it was.",
        insert_by_contract(lambda content, line, text: not content.endswith("\n") or content.endswith("\n\n") or content == "\n")),
    Difference(
        "insert into an empty file", "the text without a final newline, at line 0 and at line 1",
        "An empty file has n_lines 1; 0 and 1 both give the text without a final newline.",
        insert_by_contract(lambda content, line, text: content == "")),
    Difference(
        "insert drops one newline", "the official tool drops all that end the text, and loses an empty line",
        "One trailing newline of `insert_text` is dropped before it is inserted as lines (`\"\"` and `\"\\n\"` insert one empty line)",
        insert_by_contract(lambda content, line, text: text in ("", "\n") or text.endswith("\n\n"))),
    Difference(
        "very many matches", "the lines of the first 1,000 are listed, then `...`: to find all takes quadratic time",
        "with the line of each occurrence (`1, 3, 3`).",
        very_many_matches),
    Difference(
        "overlapping matches", "count; the official tool counts without them and replaces the first",
        "More than once (overlapping occurrences included)",
        overlapping_matches),
    Difference(
        "snippet spans the new text", "all of it is shown, up to 50 lines",
        "(and all of the new text when it spans more), at most 50 lines in all.",
        snippet_spans_the_new_text),
    Difference(
        "long snippet", "is cut as a view is, with the same note; the official tool shows all",
        "is cut at a line boundary, followed by a line that says how many lines there are and to use `view_range`.",
        long_snippet),
    Difference(
        "file too large", "refused; the official tool has no limit",
        "bytes a file (default 102,400)",
        file_too_large),
    Difference(
        "lines beyond the file", "an error; the official tool shows an empty text, or counts from the end",
        "Inverted, or beyond the file: an error that names the file's line count.",
        lines_beyond_the_file),
    Difference(
        "long text", "cut, with a note; the official tool shows all",
        "is cut at a line boundary, followed by a line that says how many lines there are and to use `view_range`.",
        long_text),
    Difference(
        "listing header", "names node_modules, as the documentation does",
        "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:",
        listing_header),
    Difference(
        "node_modules", "left out of listings, as the documentation says",
        "names starting with `.` and `node_modules` are left out at each level",
        node_modules),
    Difference(
        "sizes", "always one decimal from 1024 on, and a directory is the sum of what is in it",
        "A directory's size is the sum of all that is in it, hidden items too",
        sizes),
    Difference(
        "view_range of a listing", "counts rows; the official tool ignores it",
        "for a directory `view_range` counts rows after the header line.",
        listing_range),
    Difference(
        "long listing", "cut, with a note; the official tool shows all",
        "A listing above 16,000 characters is cut at a row, followed by `[{n} more entries; view a subdirectory or use view_range]`",
        long_listing),
    Difference(
        "empty directories", "are gone; the official tool keeps them, and a failed rename or create leaves new ones",
        "Directories exist while something lies under them.",
        empty_directories, of_the_folder=True),
    Difference(
        "prefix of errors", "the documentation's `Error: `",
        "Every error text whose wording is not given here starts with `Error: `",
        error_prefix),
    Difference(
        "echo as given", "the path of the answer is the one that was asked for",
        "`{path}` is echoed as it was given, less its trailing slashes.",
        echo_as_given),
)
# fmt: on
