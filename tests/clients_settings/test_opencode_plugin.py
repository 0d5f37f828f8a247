"""Our plugin for OpenCode, run by a real JavaScript engine against a launcher that answers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from loremap.clients.opencode import plugin

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None, reason="needs node; the agent harness runs it in OpenCode itself"
)

LAUNCHER = """\
#!/bin/sh
given=$(cat)
printf '%s\\n' "$given" >> "$(dirname "$0")/told"
case "$3" in
  SessionStart) printf '{"context": "BLOCK"}' ;;
  UserPromptSubmit) printf '{"context": "FITS"}' ;;
  SubagentStart) printf '{"context": "TASK"}' ;;
  PostToolUse) printf '{"context": "MIND"}' ;;
esac
"""
SESSION = """\
const { Loremap } = await import(process.argv[2])
const hooks = await Loremap({ directory: "/shop" })
const again = await Loremap({ directory: "/shop" })
const out = { again: Object.keys(again).length }
const told = (type, properties) => hooks.event({ event: { type, properties } })
const says = async (id, text) => {
  const output = { message: { id: "m1" }, parts: [{ id: "p1", type: "text", text }] }
  await hooks["chat.message"]({ sessionID: id, agent: "build" }, output)
  return output.parts
}
const system = async (id, first) => {
  const output = { system: [first] }
  await hooks["experimental.chat.system.transform"]({ sessionID: id }, output)
  return output.system
}
await told("session.created", { info: { id: "s" } })
out.prompt = await says("s", "fix the retry")
out.first = await system("s", "You are a coder")
out.second = await system("s", "You are a coder")
await told("message.removed", { sessionID: "s", messageID: "m1" })
await told("message.removed", { sessionID: "s", messageID: "m2" })
out.title = await system("s", "You are a title generator. You output")
out.slash = await says("s", '"/remember  cap $& retries `!`x` at 3"')
out.plain = await says("s", "/rememberance of things")
const config = { command: { pin: { template: "mine" } } }
await hooks.config(config)
out.commands = config.command
const run = async (command, file) => {
  const parts = [{ type: "text", text: "Loremap" }, file]
  const input = { command, sessionID: "s", arguments: '"a !`b` c"' }
  await hooks["command.execute.before"](input, { parts })
  return parts
}
out.command = await run("remember", { type: "file", url: "x" })
out.theirs = await run("pin", { type: "file", url: "x" })
const call = { tool: "bash", sessionID: "s", callID: "c1" }
await hooks["tool.execute.before"](call, { args: { command: "rm -r x" } })
out.bash = { title: "", metadata: { exit: 1 }, output: "gone" }
await hooks["tool.execute.after"]({ ...call, args: { command: "rm -r x" } }, out.bash)
out.mcp = { content: [{ type: "text", text: "found" }] }
await hooks["tool.execute.after"]({ ...call, tool: "x_y", callID: "c2", args: {} }, out.mcp)
await told("session.created", { info: { id: "child", parentID: "s" } })
out.child = await says("child", "look around")
out.childSystem = await system("child", "You are a coder")
await hooks["experimental.text.complete"]({ sessionID: "s" }, { text: "all done" })
await told("session.idle", { sessionID: "child" })
await told("session.idle", { sessionID: "s" })
await hooks["experimental.session.compacting"]({ sessionID: "s" }, { context: [] })
await told("session.compacted", { sessionID: "s" })
await hooks.dispose()
console.log(JSON.stringify(out))
"""


def run(folder: Path, launcher: Path) -> dict[str, Any]:
    """What a session with the plugin comes to."""
    (folder / "loremap.mjs").write_text(plugin(launcher))
    (folder / "session.mjs").write_text(SESSION)
    words = ["node", str(folder / "session.mjs"), str(folder / "loremap.mjs")]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr
    value = json.loads(ran.stdout)
    assert isinstance(value, dict)
    return value


def put_launcher(folder: Path) -> Path:
    """A launcher that writes down what it is told."""
    launcher = folder / "a b" / "lore-agent"
    launcher.parent.mkdir()
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)
    return launcher


def test_a_session_is_told_and_what_is_answered_reaches_the_model(tmp_path: Path) -> None:
    launcher = put_launcher(tmp_path)
    out = run(tmp_path, launcher)
    told = [json.loads(line) for line in (launcher.parent / "told").read_text().splitlines()]
    assert [(each["event"], each["session_id"]) for each in told] == [
        ("SessionStart", "s"),
        ("UserPromptSubmit", "s"),
        ("UserPromptSubmit", "s"),
        ("UserPromptSubmit", "s"),
        ("PreToolUse", "s"),
        ("PostToolUse", "s"),
        ("PostToolUse", "s"),
        ("SubagentStart", "s"),
        ("SubagentStop", "s"),
        ("Stop", "s"),
        ("PreCompact", "s"),
        ("PostCompact", "s"),
        ("SessionStart", "s"),
        ("SessionEnd", "s"),
    ]
    assert {each["cwd"] for each in told} == {"/shop"}
    assert (told[0]["source"], told[12]["source"]) == ("startup", "compact")
    assert (told[1]["prompt"], told[1]["prompt_id"]) == ("fix the retry", "m1")
    assert [told[n]["taken_back"] for n in (1, 2, 3)] == [[], ["m1", "m2"], []]
    assert told[4]["tool_input"] == {"command": "rm -r x"}
    assert (told[5]["tool_output"], told[5]["exit_code"]) == ("gone", 1)
    assert told[6]["tool_output"] == "found"
    assert [each["agent_id"] for each in told if "agent_id" in each] == ["child", "child"]
    assert told[9]["last_assistant_message"] == "all done"

    assert out["again"] == 0
    assert [(part["text"], part.get("synthetic")) for part in out["prompt"]] == [
        ("fix the retry", None),
        ("FITS", True),
    ]
    assert out["prompt"][1]["id"] > out["prompt"][0]["id"]
    assert out["first"] == out["second"] == ["You are a coder", "BLOCK"]
    assert out["title"] == ["You are a title generator. You output"]
    typed, asked, fits = out["slash"]
    assert typed["text"] == '"/remember  cap $& retries `!`x` at 3"'
    assert "<command>remember cap $& retries `!`x` at 3</command>" in asked["text"]
    assert asked["synthetic"]
    assert typed["id"] < asked["id"] < fits["id"]
    assert [part["text"] for part in out["plain"]] == ["/rememberance of things", "FITS"]


def test_the_commands_are_in_the_menu_and_run_nothing_of_what_is_typed(tmp_path: Path) -> None:
    out = run(tmp_path, tmp_path / "gone")
    assert list(out["commands"]) == ["pin", "remember", "forget", "memory"]
    assert out["commands"]["pin"] == {"template": "mine"}
    assert out["commands"]["remember"]["description"]
    # Neither of these: OpenCode would run what stands in !`…` in what takes their place.
    assert "$ARGUMENTS" not in out["commands"]["remember"]["template"]
    assert re.findall(r"\$(\d+)", out["commands"]["remember"]["template"]) == ["1000000"]
    assert out["command"] == [
        {"type": "text", "text": "/remember a !`b` c"},
        {"type": "file", "url": "x"},
    ]
    assert out["theirs"][0]["text"] == "Loremap"


def test_what_is_said_after_a_tool_reaches_the_model(tmp_path: Path) -> None:
    launcher = put_launcher(tmp_path)
    out = run(tmp_path, launcher)
    assert out["bash"]["output"] == "gone\n\nMIND"
    assert out["mcp"]["content"][1] == {"type": "text", "text": "MIND"}
    assert [part["text"] for part in out["child"]] == ["look around", "TASK"]
    assert out["childSystem"] == ["You are a coder"]


def test_without_a_launcher_the_session_goes_on(tmp_path: Path) -> None:
    out = run(tmp_path, tmp_path / "gone")
    assert [part["text"] for part in out["prompt"]] == ["fix the retry"]
    assert out["first"] == ["You are a coder"]
    assert out["bash"]["output"] == "gone"


def test_a_launcher_that_talks_nonsense_is_not_heard(tmp_path: Path) -> None:
    launcher = tmp_path / "lore-agent"
    launcher.write_text("#!/bin/sh\necho nonsense\nexit 3\n")
    launcher.chmod(0o755)
    assert run(tmp_path, launcher)["first"] == ["You are a coder"]
