"""The parts of the memory tool's contract that the differences are computed from.

Only what the official tool does otherwise stands here; for the rest the official tool itself is the oracle.
"""

import re
import unicodedata

ROOT = "/memories"
VIEW_CHARS = 16_000
FILE_BYTES = 102_400
SNIPPET_LINES = 50
OCCURRENCES = 1_000
PATH_BYTES, SEGMENT_BYTES, SEGMENTS = 1_024, 255, 20

PATH_FIELDS = {"rename": ("old_path", "new_path")}
STRINGS = {
    "view": ("path",),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str"),
    "insert": ("path", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}
OPTIONAL_STRINGS = {"str_replace": ("new_str",)}

# A dot, a slash or a backslash in percent-encoding, once or more often: %2e, %252F, %25255c.
_ENCODED = re.compile(r"%(25)*(2e|2f|5c)", re.IGNORECASE)


def path_fields(command):
    """The names of the fields of `command` that hold a path."""
    return PATH_FIELDS.get(command.get("command"), ("path",))


def is_integer(value):
    """Whether a JSON value is an integer; `true` and `1.0` are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def bad_field(command):
    """The name of a required field that is missing, or of a field of the wrong type."""
    name = command.get("command")
    for field in STRINGS[name]:
        if not isinstance(command.get(field), str):
            return field
    for field in OPTIONAL_STRINGS.get(name, ()):
        if not isinstance(command.get(field), (str, type(None))):
            return field
    if name == "insert" and not is_integer(command.get("insert_line")):
        return "insert_line"
    view_range = command.get("view_range")
    if name == "view" and view_range is not None:
        if not isinstance(view_range, list) or len(view_range) != 2 or not all(map(is_integer, view_range)):
            return "view_range"
    return None


def segments(path):
    """The lexically resolved segments of a path under the root, in NFC; None as soon as it leaves the root."""
    resolved = []
    for segment in path[len(ROOT) :].split("/"):
        if segment in ("", "."):
            continue
        if segment == "..":
            if not resolved:
                return None
            resolved.pop()
        else:
            resolved.append(unicodedata.normalize("NFC", segment))
    return resolved


def resolved(path):
    """The place of a lawful path relative to the root; "" is the root itself."""
    return "/".join(segments(path))


def is_outside(path):
    return path != ROOT and not path.startswith(ROOT + "/")


def leaves(path):
    return not is_outside(path) and segments(path) is None


def has_refused_characters(path):
    return "\\" in path or bool(_ENCODED.search(path)) or any(is_refused(c) for c in path)


def is_refused(character):
    """Control (Cc) and format (Cf) characters, and the line and paragraph separators (Zl, Zp)."""
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp")


def breaks_a_limit(place):
    """Whether a resolved place has too many bytes or segments."""
    parts = place.split("/") if place else []
    too_long = len(f"{ROOT}/{place}".encode()) > PATH_BYTES
    return too_long or len(parts) > SEGMENTS or any(len(part.encode()) > SEGMENT_BYTES for part in parts)


def directories(tree):
    """Every directory that exists because something lies under it, the root ("") included."""
    found = {""}
    for place in tree:
        while "/" in place:
            place = place.rpartition("/")[0]
            found.add(place)
    return found


def lies_below_a_file(tree, place):
    """Whether an ancestor of the place is a file."""
    return any(place.startswith(file + "/") for file in tree)


def under(tree, directory):
    """The places that lie under a directory."""
    return [place for place in tree if directory == "" or place.startswith(directory + "/")]


def size(tree, place):
    """The size of a file, or the sum of all that lies in a directory, as a listing writes it."""
    files = [place] if place in tree else under(tree, place)
    size = sum(len(tree[file].encode()) for file in files)
    if size < 1024:
        return f"{size}B"
    for unit in "KMG":
        size /= 1024
        if round(size, 1) < 1024 or unit == "G":
            return f"{size:.1f}{unit}"
    return None


def numbered(lines, first=1):
    return [f"{number:6}\t{line}" for number, line in enumerate(lines, first)]


def line_count(content):
    """How many lines a view numbers, a last empty line after a final newline included."""
    return content.count("\n") + 1


def inserted(content, line, text):
    """The content after `text` was inserted as lines after `line`; the final newline is kept as it was."""
    text = text.removesuffix("\n")
    if content == "":
        return text
    lines = content.split("\n")
    tail = [lines.pop()] if content.endswith("\n") else []
    lines.insert(line, text)
    return "\n".join(lines + tail)


def occurrences(content, old):
    """The line of each occurrence of `old`, overlapping ones included."""
    lines, at = [], content.find(old)
    while at >= 0:
        lines.append(content.count("\n", 0, at) + 1)
        at = content.find(old, at + 1)
    return lines


def snippet(content, first_line, spans):
    """The numbered lines around a replacement that starts at `first_line` and spans `spans` lines."""
    lines = content.split("\n")
    start = max(1, first_line - 2)
    end = min(len(lines), max(first_line + 2, first_line + spans - 1), start + SNIPPET_LINES - 1)
    return "\n".join(numbered(lines[start - 1 : end], start))
