"""A user's day in one folder, as a program: every kind of process of ours is started in it.

    python journey.py FOLDER

It ends with code 0 where each step did what it should.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from loremap.config.folders import folders
from loremap.interfaces.hooks import client as hook_client
from loremap.interfaces.resident import reach
from loremap.interfaces.resident.places import run_folder

LORE = (sys.executable, "-P", "-m", "loremap")
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("init", "--no-encrypt", "--keep", "candidates"),
    ("remember", "--file", "app.py", "The greeting is made in `greet` of app.py."),
    ("recall", "where is the greeting made?"),
    ("search", "greeting"),
    ("brief", "change the greeting"),
    ("scan",),
    ("outline", "app.py"),
    ("callers", "greet"),
    ("impact", "app.py"),
    ("locate", "greeting"),
    ("map",),
    ("list", "--stale"),
    ("status",),
    ("doctor",),
    ("preview", "claude", "change the greeting"),
    ("check", "--command", "git push --force"),
)
TOOL = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "git status"}}
HOOKS: tuple[tuple[str, dict[str, object]], ...] = (
    ("SessionStart", {"source": "startup"}),
    ("UserPromptSubmit", {"prompt": "where is the greeting made?"}),
    ("PreToolUse", TOOL),
    ("PostToolUse", TOOL | {"tool_response": {"stdout": "", "is_error": False}}),
    ("Stop", {}),
    ("SessionEnd", {"reason": "exit"}),
)
TOOLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("remember", {"content": "The tests of app.py need no network."}),
    ("recall", {"query": "where is the greeting made?"}),
    ("brief", {"task": "change the greeting"}),
    ("map", {"action": "modules"}),
)


def main(folder: Path) -> int:
    """Go through the day."""
    home = folders().home
    try:
        for words in COMMANDS:
            done = subprocess.run(
                [*LORE, *words],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            print(words[0], done.returncode, done.stdout[-2000:], done.stderr[-2000:])
            if done.returncode and words[0] != "doctor":  # no agent is connected
                return 1
        return _agent(home, folder)
    finally:
        while reach.stop(home):
            time.sleep(0.1)


def _agent(home: Path, folder: Path) -> int:
    enter = str(Path(hook_client.__file__).with_name("enter.py"))
    run = str(run_folder(home).path)
    line = [sys.executable, "-I", "-S", enter, "--home", str(home), "--run", run]
    told = ""
    for _ in range(2):  # the first session may find the resident starting
        for name, more in HOOKS:
            payload = {"session_id": "s1", "cwd": str(folder), "hook_event_name": name, **more}
            done = subprocess.run(
                [*line, "hook", "claude", name],
                input=json.dumps(payload).encode(),
                cwd=folder,
                capture_output=True,
                timeout=60,
                check=True,
            )
            told += done.stdout.decode()
        _wait_for_resident(home)
    print("told", told)
    return 0 if "greeting" in told and _tools(line, folder) else 1


def _wait_for_resident(home: Path) -> None:
    until = time.monotonic() + 60
    while not (state := reach.status(home)) or not state.speaks_mcp:
        assert time.monotonic() < until, "the resident did not start"
        time.sleep(0.1)


def _tools(line: list[str], folder: Path) -> bool:
    """Call tools over MCP as a client does."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "journey", "version": "1"},
    }
    messages: list[dict[str, object]] = [{"id": 0, "method": "initialize", "params": hello}]
    messages.append({"method": "notifications/initialized"})
    for number, (name, arguments) in enumerate(TOOLS, 1):
        call = {"name": name, "arguments": arguments}
        messages.append({"id": number, "method": "tools/call", "params": call})
    with subprocess.Popen(
        [*line, "mcp", "claude"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                answer = process.stdout.readline().decode()
                print(answer[:2000])
                if '"error"' in answer:
                    return False
        process.stdin.close()
        return process.wait(20) == 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
