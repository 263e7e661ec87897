"""One command, on its way from what the official tool does to what memoseal has to do."""

from dataclasses import dataclass, field
from typing import Callable, Optional

import contract
from sides import Answer


@dataclass
class Case:
    given: dict  # what memoseal is asked
    before: dict  # the tree that both have
    sent: dict = field(default_factory=dict)  # what the official tool is asked
    official: Optional[Answer] = None
    folders: set = field(default_factory=set)  # the official tool's folders after the command, empty ones too
    after: dict = field(default_factory=dict)  # the tree that has to result
    text: str = ""
    is_error: bool = False
    check: Optional[Callable[[str], Optional[str]]] = None  # instead of one exact text: returns a complaint
    settled: bool = False  # nothing but the folder is still to be looked at
    rows: list = field(default_factory=list)  # the rows that were used
    realigned: bool = False  # the official tool's tree had to be put right

    @property
    def name(self):
        return self.given.get("command")

    @property
    def place(self):
        return contract.resolved(self.given["path"])

    @property
    def content(self):
        """The content of the file that the command names; None if there is no such file."""
        return self.before.get(self.place) if "path" in self.given else None

    def path(self, name="path"):
        """A path as an answer echoes it."""
        return self.given[name].rstrip("/")

    def fail(self, text=None, names=()):
        """An error that changes nothing: exactly this text, or `Error: ` and what it has to name."""

        def check(answer):
            if not answer.startswith("Error: "):
                return "does not start with `Error: `"
            return next((f"does not name {name!r}" for name in names if name not in answer), None)

        self.is_error, self.text, self.check = True, text or "", None if text else check
        self.after, self.settled = self.before, True

    def complaint(self, answer):
        """What is wrong with memoseal's answer, if anything."""
        if answer.is_error != self.is_error:
            return "should be an error" if self.is_error else "should not be an error"
        if self.check:
            return self.check(answer.text)
        return None if answer.text == self.text else "the text differs"
