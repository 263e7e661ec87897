"""The two sides that are compared: the official tool over a folder, and `memoseal tool` over pipes."""

import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from anthropic.tools import BetaLocalFilesystemMemoryTool, ToolError

ANSWER_SECONDS = 60


class Answer(NamedTuple):
    text: str
    is_error: bool
    raw: bool = False  # an exception that is no ToolError: the runner would send its repr to the model


class Official:
    """The official tool, whose whole tree can be read and put right between two commands."""

    def __init__(self, folder):
        self.root = Path(folder) / "memories"
        self.tool = BetaLocalFilesystemMemoryTool(folder)

    def run(self, command):
        """What the SDK's tool runner would send back for this input."""
        try:
            return Answer(self.tool.call(command), False)
        except ToolError as error:
            return Answer(error.content, True)
        except Exception as error:
            return Answer(repr(error), True, raw=True)

    def tree(self):
        """The contents of all files, by their path under the root."""
        return {
            str(file.relative_to(self.root)): file.read_bytes().decode()
            for file in self.root.rglob("*")
            if file.is_file()
        }

    def folders(self):
        return {str(folder.relative_to(self.root)) for folder in self.root.rglob("*") if folder.is_dir()}

    def lay(self, tree):
        """Makes the folder hold exactly this tree, and no empty folder."""
        for child in list(self.root.iterdir()):
            shutil.rmtree(child) if child.is_dir() else child.unlink()
        for place, content in tree.items():
            file = self.root / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode())


class Memoseal:
    """One `memoseal tool` process: a line in, a line out."""

    def __init__(self, program, *arguments):
        self.process = subprocess.Popen(
            [program, *arguments, "tool"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.unread = b""

    def ask(self, question):
        """Sends one JSON value and returns the one that comes back."""
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        deadline = time.monotonic() + ANSWER_SECONDS
        while b"\n" not in self.unread:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not chunk:
                why = "closed its output" if ready else f"gave no answer in {ANSWER_SECONDS} s"
                raise RuntimeError(f"memoseal tool {why} (exit code {self.process.poll()})")
            self.unread += chunk
        line, _, self.unread = self.unread.partition(b"\n")
        return json.loads(line)

    def close(self):
        """Ends the input; the program has to end by itself, with exit code 0 and nothing unread."""
        self.process.stdin.close()
        try:
            code = self.process.wait(ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise RuntimeError("memoseal tool did not end when its input did") from None
        rest = self.unread + self.process.stdout.read()
        if code != 0 or rest:
            raise RuntimeError(f"memoseal tool ended with exit code {code} and unread output {rest!r}")

    def kill(self):
        self.process.kill()
        self.process.wait()


def ask_line(memoseal, commands):
    """Bare inputs, a line each."""
    return [read_answer(memoseal.ask(command), {}) for command in commands]


def ask_block(memoseal, commands):
    """`tool_use` blocks, a line each."""
    blocks = [tool_use(command) for command in commands]
    return [read_answer(memoseal.ask(block), block) for block in blocks]


def ask_turn(memoseal, commands):
    """All calls of one turn as an array on one line."""
    blocks = [tool_use(command) for command in commands]
    results = memoseal.ask(blocks)
    if not isinstance(results, list) or len(results) != len(blocks):
        raise RuntimeError(f"not one result for each of {len(blocks)} calls: {results!r}")
    return [read_answer(result, block) for result, block in zip(results, blocks)]


def tool_use(command):
    tool_use.count += 1
    return {"type": "tool_use", "id": f"toolu_{tool_use.count:024}", "name": "memory", "input": command}


tool_use.count = 0


def read_answer(result, block):
    """Takes an answer apart, and insists on its form."""
    expected = {"content"} | ({"type", "tool_use_id"} if block else set())
    if not isinstance(result, dict) or set(result) - {"is_error"} != expected:
        raise RuntimeError(f"not the form of an answer: {result!r}")
    if block and (result["type"] != "tool_result" or result["tool_use_id"] != block["id"]):
        raise RuntimeError(f"not the result of call {block['id']}: {result!r}")
    text, is_error = result["content"], result.get("is_error", False)
    if not isinstance(text, str) or not text or result.get("is_error", True) is not True:
        raise RuntimeError(f"neither a text nor an error with a text: {result!r}")
    return Answer(text, is_error)
