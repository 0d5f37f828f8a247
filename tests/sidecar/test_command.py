"""An agent's own program: started without a shell, kept short, and unable to call us back."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from loremap.clients.answers import of_claude, of_codex, of_gemini
from loremap.clients.registry import CLIENTS
from loremap.errors import ModelFailed
from loremap.interfaces.hooks import client as hook_client
from loremap.sidecar.ask import Ask, Said, Task
from loremap.sidecar.choose import SidecarChoice, open_model
from loremap.sidecar.command import OUTPUT_BYTES, CommandModel, environment
from loremap.sidecar.program import GUARD, Program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are scripts")
ASK = Ask(task=Task.VERIFY, system="Judge.", text="1. a note", schema={"type": "object"})
HEAD = f"#!{sys.executable}\nimport json, os, subprocess, sys, time\n"
Agent = Callable[..., CommandModel]


def plain(output: str) -> Said:
    return Said(json.loads(output)["result"], 1, 1)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """A program of this body as the only agent on the PATH."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")

    def made(
        body: str, *, timeout_s: float = 20.0, read: Callable[[str], Said] = plain
    ) -> CommandModel:
        script = programs / "an-agent"
        script.write_text(HEAD + body)
        script.chmod(0o755)
        program = Program(("an-agent", "-p"), read=read)
        return CommandModel(program, "small", timeout_s=timeout_s)

    return made


def test_it_is_asked_on_its_input_in_an_empty_folder(agent: Agent) -> None:
    body = (
        "said = {'prompt': sys.stdin.read(), 'arguments': sys.argv[1:], 'here': os.listdir('.'),"
        " 'guard': os.environ.get('LOREMAP_OFF')}\n"
        "print(json.dumps({'result': json.dumps(said)}))\n"
    )
    told = json.loads(agent(body).ask(ASK).text)
    assert "1. a note" in told["prompt"]
    assert (told["arguments"], told["here"]) == (["-p", "--model", "small"], [])
    assert told["guard"] == "1"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("print('no json')", "no answer"),
        ("print('{}')", "no answer"),
        ("sys.exit(3)", "ended with 3"),
        (f"print('x' * {OUTPUT_BYTES + 10})", "more than an answer"),
    ],
)
def test_what_is_no_answer_is_said(agent: Agent, body: str, says: str) -> None:
    with pytest.raises(ModelFailed, match=says):
        agent(body).ask(ASK)


def test_it_is_ended_with_all_that_it_started(agent: Agent, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    body = (
        f"child = subprocess.Popen([{sys.executable!r}, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)\n"
    )
    began = time.monotonic()
    with pytest.raises(ModelFailed, match="gave no answer within"):
        agent(body, timeout_s=1.5).ask(ASK)
    assert time.monotonic() - began < 15
    assert is_gone(int(note.read_text()))


def is_gone(pid: int) -> bool:
    """Whether a process ended; one whose parent has not looked yet counts."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_one_that_is_not_there(tmp_path: Path) -> None:
    program = Program(("no-such-agent",), read=plain)
    with pytest.raises(ModelFailed, match="not on the PATH"):
        CommandModel(program, "").ask(ASK)


def test_our_hook_and_our_server_do_nothing_within_it(
    agent: Agent, home: Path, tmp_path: Path
) -> None:
    hooks, run = Path(hook_client.__file__).parent, home / "run"
    run.mkdir(parents=True, mode=0o700)
    start = [sys.executable, "-I", "-S", str(hooks / "enter.py"), "--home", str(home)]
    hook = [*start, "--run", str(run), "hook", "claude", "SessionEnd"]
    relay = [*start, "--run", str(run), "mcp", "claude"]
    event = json.dumps({"session_id": "s", "cwd": str(tmp_path), "hook_event_name": "SessionEnd"})
    body = (
        f"hook = subprocess.run({hook!r}, input={event!r}, capture_output=True, text=True)\n"
        f"relay = subprocess.run({relay!r}, input='{{}}\\n', capture_output=True, text=True)\n"
        "said = [hook.returncode, hook.stdout, relay.returncode, relay.stdout]\n"
        "print(json.dumps({'result': json.dumps(said)}))\n"
    )
    assert json.loads(agent(body).ask(ASK).text) == [0, "", 0, ""]
    left = sorted(path.name for path in home.rglob("*") if path != run)
    assert left == [], "nothing was recorded, and no resident started"


def test_the_user_s_variables_stay_but_for_those_that_mislead() -> None:
    given = {"PATH": "/bin", "CLAUDECODE": "1", "ANTHROPIC_API_KEY": "k"}
    told = environment(given, ("CLAUDECODE",))
    assert told == {"PATH": "/bin", "ANTHROPIC_API_KEY": "k", GUARD: "1"}


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
def test_every_agent_that_can_be_chosen_has_a_command_with_its_tools_off(name: str) -> None:
    program = CLIENTS[name].alone
    assert program is not None
    assert open_model(SidecarChoice(kind="agent", program=program)) is not None
    said = " ".join(program.arguments)
    assert any(off in said for off in ("disableAllHooks", "--disable hooks", "--extensions none"))
    assert any(off in said for off in ("strict-mcp", "mcp_servers={}", "server-names none"))


@pytest.mark.parametrize(
    ("read", "output", "answer"),
    [
        (
            of_claude,
            {
                "result": "{}",
                "total_cost_usd": 0.002,
                "usage": {"input_tokens": 4, "cache_read_input_tokens": 6, "output_tokens": 2},
            },
            Said("{}", 10, 2, 0.002),
        ),
        (
            of_codex,
            (
                "noise\n"
                '{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}\n'
                '{"type":"item.completed","item":{"type":"agent_message","text":"{}"}}\n'
                '{"type":"turn.completed","usage":{"input_tokens":9,"output_tokens":3}}'
            ),
            Said("{}", 9, 3),
        ),
        (
            of_gemini,
            {
                "response": "{}",
                "stats": {"models": {"flash": {"tokens": {"prompt": 7, "candidates": 1}}}},
            },
            Said("{}", 7, 1),
        ),
    ],
)
def test_what_agents_print_is_read(
    read: Callable[[str], Said], output: object, answer: Said
) -> None:
    assert read(output if isinstance(output, str) else json.dumps(output)) == answer


@pytest.mark.parametrize("read", [of_claude, of_codex, of_gemini])
@pytest.mark.parametrize("output", ["", "{}", '{"is_error": true, "result": "x"}', '{"result": 1}'])
def test_what_is_no_answer_of_an_agent_is_none(read: Callable[[str], Said], output: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        read(output)


@pytest.mark.parametrize(
    ("read", "output"),
    [
        (of_claude, "[1]"),
        (of_claude, '{"result": "{}", "usage": [1]}'),
        (of_codex, '{"type": "item.completed", "item": [1]}'),
        (of_gemini, '{"response": "{}", "stats": {"models": {"flash": 7}}}'),
    ],
)
def test_what_has_another_form_is_no_answer(
    agent: Agent, read: Callable[[str], Said], output: str
) -> None:
    with pytest.raises(ModelFailed, match="no answer"):
        agent(f"print({output!r})", read=read).ask(ASK)


@pytest.mark.parametrize("cost", ["NaN", "Infinity", "-1", "1e300", '"much"', "true", "[]"])
def test_a_price_that_is_none_is_none(cost: str) -> None:
    told = f'{{"result": "{{}}", "usage": {{"input_tokens": 1e40}}, "total_cost_usd": {cost}}}'
    assert of_claude(told) == Said("{}", 0, 0)
