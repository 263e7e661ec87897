"""The memory tool of the official SDK, kept in a sealed vault.

`MemosealMemoryTool` hands each call to a child process `memoseal tool`: a JSON line in, a JSON line out. Where the
vault is and whose memory it is say the arguments or the environment (MEMOSEAL_VAULT, MEMOSEAL_KEY_FILE,
MEMOSEAL_USER).

    with MemosealMemoryTool("--user=alice") as memory:
        client.beta.messages.tool_runner(..., tools=[memory]).until_done()
"""

import json
import os
import subprocess
import threading

from anthropic.tools import BetaAbstractMemoryTool, ToolError


class NotStarted(RuntimeError):
    """There is no child that could answer: nothing that a model could do about it."""


class MemosealMemoryTool(BetaAbstractMemoryTool):
    def __init__(self, *arguments, program=None, cache_control=None):
        super().__init__(cache_control=cache_control)
        program = program or os.environ.get("MEMOSEAL_BIN", "memoseal")
        self._program = [program, *arguments]
        self._lock = threading.Lock()
        self._answered = 0
        try:
            self._process = subprocess.Popen(
                [*self._program, "tool"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
            )
        except OSError as error:
            problem = f"cannot start {program}: {error.strerror}: set MEMOSEAL_BIN to the program memoseal"
            raise NotStarted(problem) from error

    def call(self, input):
        """Answers the input of one `tool_use` block; memoseal checks it and writes every text for the model."""
        try:
            with self._lock:
                self._process.stdin.write(json.dumps(input) + "\n")
                self._process.stdin.flush()
                answer = json.loads(self._process.stdout.readline())
                self._answered += 1
        except (OSError, ValueError) as error:
            if self._answered == 0:
                raise NotStarted("memoseal did not start; stderr says why") from error
            raise ToolError("Error: The memory has stopped; the last change may not have been saved.") from error
        if answer.get("is_error"):
            raise ToolError(answer["content"])
        return answer["content"]

    def execute(self, command):
        return self.call(command.to_dict())

    view = create = str_replace = insert = delete = rename = execute

    def clear_all_memory(self):
        """Deletes every file of the store, hidden ones too; `memoseal restore` brings them back for a while."""
        done = subprocess.run([*self._program, "clear", "--yes"], stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            raise ToolError("Error: The memory was not cleared; it may be worth another try.")

    def close(self):
        """Ends the child; everything it answered is in the vault."""
        self._process.communicate()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
