#!/usr/bin/env python3
"""An agent that remembers: the official SDK's tool runner, with its memory in a sealed vault.

    python agent.py "Remember that customer Acme Corp prefers email follow-ups."
    python agent.py --offline          # no model, no network: plays ../session.jsonl through the same tool
"""

import argparse
import json
import os
import pathlib
import sys

import anthropic
from anthropic.tools import ToolError
from memory_tool import MemosealMemoryTool, NotStarted

SESSION = pathlib.Path(__file__).resolve().parent.parent / "session.jsonl"


def ask(memory, prompt):
    """The official example; only `memory` is another object."""
    runner = anthropic.Anthropic().beta.messages.tool_runner(
        model="claude-opus-5-5",
        max_tokens=1024,
        messages=[{"role": "user", "content": prompt}],
        tools=[memory],
    )
    for block in runner.until_done().content:
        if block.type == "text":
            print(block.text)


def play(memory, session):
    """Answers the tool calls of a recorded session, as the runner would."""
    for line in session.read_text(encoding="utf-8").splitlines():
        turn = json.loads(line)
        for block in turn if isinstance(turn, list) else [turn]:
            print(f"> {json.dumps(block['input'], ensure_ascii=False)}")
            try:
                print(memory.call(block["input"]))
            except ToolError as error:
                print(f"(error) {error.content}")


def say(problem):
    """Says what is wrong, and gives the exit code for it."""
    print(f"agent: {problem}", file=sys.stderr)
    return 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("prompt", nargs="?", default="Help me respond to this customer service ticket.")
    parser.add_argument("--user", default="default", help="whose memory (default: %(default)s)")
    parser.add_argument("--offline", nargs="?", type=pathlib.Path, const=SESSION, metavar="FILE", help="play a session")
    options = parser.parse_args()
    if not options.offline and not os.environ.get("ANTHROPIC_API_KEY"):
        sys.exit(say("ANTHROPIC_API_KEY is not set, so there is no model to ask: set it, or play a session with --offline"))
    try:
        with MemosealMemoryTool("--user", options.user) as memory:
            play(memory, options.offline) if options.offline else ask(memory, options.prompt)
    except NotStarted as error:
        sys.exit(say(error))


if __name__ == "__main__":
    sys.exit(main())
