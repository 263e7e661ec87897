#!/usr/bin/env python3
"""Runs the same commands through the official Python SDK's memory tool and through `memoseal tool`.

The official tool keeps plain files in a folder, memoseal a sealed vault; the answers and the trees have to be the
same wherever the contract does not deliberately differ. The deliberate differences are the table in
differences.py. They are applied to what the official tool answered and to its folder, so that both sides go on
from the same tree.

    MEMOSEAL_BIN=target/release/memoseal python tests/python/differential.py
    python tests/python/differential.py --seed 7 --only random-31     # one sequence again
"""

import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import contract
from case import Case
from differences import DIFFERENCES
from sequences import Generator, scripted
from sides import Memoseal, Official, ask_block, ask_line, ask_turn

WAYS = (ask_line, ask_block, ask_turn)


class Mismatch(Exception):
    """What differed, and where the sequence stood."""


class Sequence:
    """One sequence on its way through both sides."""

    def __init__(self, official, memoseal, ask, used, secrets):
        self.official, self.memoseal, self.ask = official, memoseal, ask
        self.used, self.secrets = used, secrets
        self.tree, self.done = {}, []

    def expect(self, command):
        """Runs a command on the official side and turns what it did into what memoseal has to do."""
        case = Case(given=command, before=self.tree, sent=dict(command))
        self.done.append(command)
        case.rows = [row.name for row in DIFFERENCES if row.before and row.before(case)]
        case.official = self.official.run(case.sent)
        case.text, case.is_error = case.official.text, case.official.is_error
        case.after, case.folders = self.official.tree(), self.official.folders()
        official_tree = case.after
        for row in DIFFERENCES:
            if row.after and (row.of_the_folder or not case.settled) and row.after(case):
                case.rows.append(row.name)
        if case.official.raw and not case.settled:
            raise Mismatch(f"no row covers this exception of the official tool\n{shown(case)}")
        case.realigned = case.after != official_tree
        if case.realigned or case.folders != contract.directories(case.after) - {""}:
            self.official.lay(case.after)
        self.used.update(case.rows)
        self.tree = case.after
        return case

    def compare(self, cases):
        """Asks memoseal the same, as one turn where that is this sequence's way, and compares the answers."""
        answers = self.ask(self.memoseal, [case.given for case in cases])
        for case, answer in zip(cases, answers):
            complaint = case.complaint(answer) or self.leak(answer)
            if complaint:
                raise Mismatch(f"{complaint}\n{shown(case)}memoseal: {pretty(answer)}{first_difference(case, answer)}")

    def leak(self, answer):
        return next((f"the answer holds the host's {secret}" for secret in self.secrets if secret in answer.text), None)

    def play(self, commands, dice):
        """Plays commands that `commands` yields one by one: each may depend on what the one before it did."""
        waiting, size = [], 1
        for command in commands:
            case = self.expect(command)
            waiting.append(case)
            if case.realigned and not case.is_error:
                waiting.append(self.expect({"command": "view", "path": command["path"]}))
            if len(waiting) >= size or self.ask is not ask_turn:
                self.compare(waiting)
                waiting, size = [], dice.randint(1, 5)
        if waiting:
            self.compare(waiting)

    def view_everything(self):
        """Views each directory and each file, and page by page what is too long for one view."""
        for directory in sorted(contract.directories(self.tree)):
            yield {"command": "view", "path": f"/memories/{directory}".rstrip("/")}
        for place, content in sorted(self.tree.items()):
            view = {"command": "view", "path": f"/memories/{place}"}
            yield view
            lines = contract.numbered(content.split("\n"))
            if len("\n".join(lines)) > contract.VIEW_CHARS:
                width = max(1, contract.VIEW_CHARS // max(len(line) + 1 for line in lines))
                for first in range(1, len(lines) + 1, width):
                    yield {**view, "view_range": [first, min(first + width - 1, len(lines))]}

    def random_commands(self, dice):
        generator = Generator(dice)
        for _ in range(dice.randint(5, 30)):
            yield generator.next(self.tree)


def shown(case):
    """What was asked, what the official tool said, and what was made of it."""
    return (
        f"command:  {clipped(json.dumps(case.given))}\n"
        f"official: {pretty(case.official)}{' (raw exception)' if case.official.raw else ''}\n"
        f"rows:     {', '.join(case.rows) or 'none'}\n"
        f"expected: {'error' if case.is_error else 'ok'} {'(by rule) ' if case.check else ''}{clipped(repr(case.text))}\n"
    )


def pretty(answer):
    return f"{'error' if answer.is_error else 'ok'} {clipped(repr(answer.text))}"


def clipped(text, limit=2_000):
    return text if len(text) <= limit else f"{text[: limit // 2]} [...] {text[-limit // 2 :]}"


def first_difference(case, answer):
    if case.check or case.text == answer.text:
        return ""
    at = len(os.path.commonprefix([case.text, answer.text]))
    wanted, got = case.text[at : at + 40], answer.text[at : at + 40]
    return f"\nthe texts part at character {at}: {wanted!r} was expected, not {got!r}"


class Run:
    """All sequences over one vault, each for a user of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.vault, self.key = os.path.join(folder, "vault"), os.path.join(folder, "key")
        self.used, self.commands = collections.Counter(), 0
        make = [program, "init", "--vault", self.vault, "--generate-key", self.key]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)

    def play(self, name, ask, dice, commands):
        """Plays one sequence; returns what went wrong, or None."""
        memoseal = Memoseal(self.program, "--vault", self.vault, "--key-file", self.key, "--user", name)
        official = Official(os.path.join(self.folder, "official", name))
        sequence = Sequence(official, memoseal, ask, self.used, [self.folder])
        try:
            sequence.play(commands or sequence.random_commands(dice), dice)
            sequence.play(sequence.view_everything(), dice)
            memoseal.close()
            return None
        except (Mismatch, RuntimeError, ValueError, OSError) as problem:
            asked = "\n".join(f"  {clipped(json.dumps(command), 600)}" for command in sequence.done)
            return f"{problem}\nthe whole sequence, asked by {ask.__name__}:\n{asked}"
        finally:
            self.commands += len(sequence.done)
            memoseal.kill()


def sequences(count):
    """Name, way to ask, and commands (None: random ones) of all sequences."""
    for title, commands in scripted().items():
        for ask in WAYS:
            yield f"{title}, by {ask.__name__}", ask, commands
    for number in range(1, count + 1):
        yield f"random-{number}", WAYS[number % len(WAYS)], None


def report(used):
    print("\ndeliberate differences, and how often each was met:")
    for row in DIFFERENCES:
        print(f"  {used[row.name]:6}  {row.name}: {row.rule}")
    never = [row.name for row in DIFFERENCES if not used[row.name]]
    if never:
        print(f"never met in this run: {', '.join(never)}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--program", default=os.environ.get("MEMOSEAL_BIN", "memoseal"), help="memoseal (MEMOSEAL_BIN)")
    parser.add_argument("--seed", type=int, default=1, help="default %(default)s")
    parser.add_argument("--sequences", type=int, default=300, help="random sequences; default %(default)s")
    parser.add_argument("--only", metavar="NAME", help="play this sequence alone, as a failure names it")
    parser.add_argument("--failures", type=int, default=5, help="stop after so many; default %(default)s")
    return parser.parse_args()


def main():
    options = arguments()
    for name in [name for name in os.environ if name.startswith("MEMOSEAL_")]:
        del os.environ[name]  # the user's own vault and key are no part of this
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the vault is cleared away then, too
    print(f"seed {options.seed}, program {options.program}", flush=True)
    started, passed, failed = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory(prefix="memoseal-differential-") as folder:
        run = Run(options.program, folder)
        for name, ask, commands in sequences(options.sequences):
            if options.only and name != options.only:
                continue
            problem = run.play(name, ask, random.Random(f"{options.seed} {name}"), commands)
            passed, failed = passed + (not problem), failed + bool(problem)
            if problem:
                print(f"\nFAILED {name}: {problem}")
                print(f"again: {sys.argv[0]} --seed {options.seed} --only '{name}'\n", flush=True)
            if failed >= options.failures:
                break
            if (passed + failed) % 50 == 0:
                seconds = time.monotonic() - started
                print(f"{passed + failed} sequences, {run.commands} commands, {seconds:.0f} s", flush=True)
        report(run.used)
        print(f"{run.commands} commands in {time.monotonic() - started:.1f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
