#!/usr/bin/env python3
"""Runs examples/python/ as a user would, with the official SDK's tool runner against a fake Messages API.

    MEMOSEAL_BIN=target/release/memoseal python tests/python/example_test.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import traceback

from fake_messages import fake_messages, last_turn, tool_turn

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
MEMOSEAL = os.environ.get("MEMOSEAL_BIN", "memoseal")
SECONDS = 60


def run(*command, status=0, errors=False, **environment):
    """Runs a program to its end and returns what it printed, or what it said on stderr."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC_", "MEMOSEAL_"))}
    environment = {**kept, "NO_PROXY": "127.0.0.1", "PYTHONDONTWRITEBYTECODE": "1", "MEMOSEAL_BIN": MEMOSEAL, **environment}
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=SECONDS)
    assert done.returncode == status, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stderr if errors else done.stdout


def new_vault(folder):
    """Makes a vault; returns the environment that opens it."""
    vault, key = str(folder / "vault"), str(folder / "memoseal.key")
    run(MEMOSEAL, "init", "--vault", vault, "--generate-key", key)
    return {"MEMOSEAL_VAULT": vault, "MEMOSEAL_KEY_FILE": key}


def agent(*arguments, **environment):
    return run(sys.executable, str(EXAMPLE / "agent.py"), *arguments, **environment)


def tool_results(request):
    """The results that the runner sent back last: text, and whether it is an error."""
    return [(block["content"], block.get("is_error", False)) for block in request["messages"][-1]["content"]]


def the_sdks_runner_drives_the_tool(folder):
    vault = new_vault(folder)
    path, text = "/memories/customers/acme.md", "# Acme Corp\n\nPrefers: calls\n"
    replies = [
        tool_turn({"command": "view", "path": "/memories"}),
        tool_turn(
            {"command": "create", "path": path, "file_text": text},
            {"command": "str_replace", "path": path, "old_str": "calls", "new_str": "email follow-ups"},
            {"command": "str_replace", "path": path, "old_str": "calls", "new_str": "letters"},
            {"command": "insert", "path": path, "insert_line": 3, "insert_text": "Größe: 大\n"},
        ),
        tool_turn({"command": "view", "path": "/memories/../secrets"}, {"command": "view", "path": path}),
        last_turn("Noted."),
    ]
    with fake_messages(replies) as (url, requests):
        printed = agent("Remember it.", "--user", "alice", ANTHROPIC_API_KEY="canned", ANTHROPIC_BASE_URL=url, **vault)
    assert printed == "Noted.\n", printed
    assert len(requests) == 4, requests
    assert requests[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}], requests[0]
    [(listing, is_error)] = tool_results(requests[1])
    assert not is_error and listing.endswith("node_modules:\n0B\t/memories"), listing
    created, replaced, missed, inserted = tool_results(requests[2])
    assert created == (f"File created successfully at: {path}", False), created
    assert replaced[0].endswith("     3\tPrefers: email follow-ups\n     4\t") and not replaced[1], replaced
    assert missed == (f"No replacement was performed, old_str `calls` did not appear verbatim in {path}.", True), missed
    assert inserted == (f"The file {path} has been edited.", False), inserted
    escaped, viewed = tool_results(requests[3])
    assert escaped == ("Error: Path /memories/../secrets would escape /memories directory", True), escaped
    assert viewed[0].endswith("     3\tPrefers: email follow-ups\n     4\tGröße: 大\n     5\t"), viewed
    kept = "# Acme Corp\n\nPrefers: email follow-ups\nGröße: 大\n"
    assert run(MEMOSEAL, "--user", "alice", "cat", path, **vault) == kept
    assert run(MEMOSEAL, "--user", "alice", "cat", "customers/acme.md", **vault) == kept
    run(MEMOSEAL, "--user", "bob", "cat", path, status=4, **vault)


def a_recorded_session_plays_offline(folder):
    vault = new_vault(folder)
    printed = agent("--offline", **vault)
    assert printed.count("(error) ") == 11, printed
    assert "Successfully renamed /memories/project to /memories/projects/webhooks-v2\n" in printed
    assert "1 value was taken out before this was saved: " in printed, printed
    kept = run(MEMOSEAL, "cat", "/memories/projects/webhooks-v2/notes.md", **vault)
    assert kept.startswith("Staging: postgres://webhooks:[REDACTED:") and "k7Qz" not in kept, kept
    kept = run(MEMOSEAL, "cat", "/memories/projects/webhooks-v2/decisions.md", **vault)
    assert kept.startswith("# Decisions\n") and kept.endswith("3. v1 goes on the last of the month.\n"), kept


def without_a_key_the_agent_says_so(folder):
    command = [sys.executable, str(EXAMPLE / "agent.py")]
    assert "ANTHROPIC_API_KEY is not set" in run(*command, status=2, errors=True)


def a_program_that_is_not_there_is_named(folder):
    command = [sys.executable, str(EXAMPLE / "agent.py"), "--offline"]
    said = run(*command, status=2, errors=True, MEMOSEAL_BIN=str(folder / "nowhere"))
    assert said.startswith("agent: cannot start ") and "nowhere" in said and "set MEMOSEAL_BIN" in said, said
    assert len(said.splitlines()) == 1, said


def a_vault_that_does_not_open_ends_the_agent_without_a_traceback(folder):
    command = [sys.executable, str(EXAMPLE / "agent.py"), "--offline"]
    said = run(*command, status=2, errors=True, MEMOSEAL_VAULT=str(folder / "nowhere"), MEMOSEAL_KEY="A" * 43 + "=")
    assert "does not exist" in said and said.endswith("agent: memoseal did not start; stderr says why\n"), said


def everything_can_be_cleared(folder):
    vault = new_vault(folder)
    os.environ.update(vault)
    with MemosealMemoryTool("--user=alice", program=MEMOSEAL) as memory:
        for path in ("/memories/a", "/memories/d/b", "/memories/.hidden"):
            memory.call({"command": "create", "path": path, "file_text": "x"})
        memory.clear_all_memory()
        assert run(MEMOSEAL, "ls", "--recursive", "--user=alice", **vault) == ""
        listing = memory.call({"command": "view", "path": "/memories"})
        assert listing.endswith("node_modules:\n0B\t/memories"), listing


def many_threads_share_one_tool(folder):
    os.environ.update(new_vault(folder))
    with MemosealMemoryTool(program=MEMOSEAL) as memory:

        def write(thread):
            for n in range(10):
                memory.call({"command": "create", "path": f"/memories/{thread}/{n}", "file_text": f"{thread} {n}"})

        threads = [threading.Thread(target=write, args=[thread]) for thread in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        listing = memory.call({"command": "view", "path": "/memories"})
        assert len(listing.splitlines()) == 2 + 8 + 80, listing


def a_dead_child_is_an_error_for_the_model(folder):
    os.environ.update(new_vault(folder))
    memory = MemosealMemoryTool(program=MEMOSEAL)
    memory.call({"command": "view", "path": "/memories"})
    memory._process.kill()
    memory._process.wait()
    try:
        answer = memory.call({"command": "view", "path": "/memories"})
    except ToolError as error:
        assert "may not have been saved" in str(error)
    else:
        raise AssertionError(answer)
    memory.close()
    memory.close()


def a_child_that_does_not_start_is_no_answer_for_the_model(folder):
    os.environ.update(new_vault(folder))
    os.environ["MEMOSEAL_KEY_FILE"] = str(folder / "nowhere")
    memory = MemosealMemoryTool(program=MEMOSEAL)
    try:
        answer = memory.call({"command": "view", "path": "/memories"})
    except RuntimeError as error:
        assert "did not start" in str(error)
    else:
        raise AssertionError(answer)
    memory.close()


TESTS = (
    the_sdks_runner_drives_the_tool,
    a_recorded_session_plays_offline,
    without_a_key_the_agent_says_so,
    a_program_that_is_not_there_is_named,
    a_vault_that_does_not_open_ends_the_agent_without_a_traceback,
    everything_can_be_cleared,
    many_threads_share_one_tool,
    a_dead_child_is_an_error_for_the_model,
    a_child_that_does_not_start_is_no_answer_for_the_model,
)


def main():
    for name in [name for name in os.environ if name.startswith("MEMOSEAL_")]:
        del os.environ[name]  # the user's own vault and key are no part of this
    failed = 0
    for test in TESTS:
        with tempfile.TemporaryDirectory(prefix="memoseal-example-") as folder:
            try:
                test(pathlib.Path(folder))
                print(f"ok      {test.__name__}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED  {test.__name__}\n{traceback.format_exc()}", flush=True)
    print(f"{len(TESTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(EXAMPLE))
    from anthropic.tools import ToolError
    from memory_tool import MemosealMemoryTool

    sys.exit(main())
