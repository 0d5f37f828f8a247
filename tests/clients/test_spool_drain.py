"""What hooks could not hand over is recorded later: from the transcript, and each once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from intake_tools import NOW, Desk, desk_open, repository, tool_use
from transcript_tools import (
    ASKED,
    ASKED_AT,
    COMMAND,
    DONE,
    OUTPUT,
    TRANSCRIPTS,
    WHY,
    written,
)

from loremap.agent.intake import spool as by_resident
from loremap.agent.switches import switch, switch_project
from loremap.errors import LoremapError
from loremap.interfaces.hooks import spool as by_hook
from loremap.model.clock import to_ms
from loremap.model.hook import Moment
from loremap.storage.caught import caught_since

NUMBER = iter(range(1_000_000))
SETTLED_NS = 10 * 10**9


def refer(spool: Path, **fields: Any) -> Path:
    """A reference, as the hook's process leaves it."""
    spool.mkdir(parents=True, exist_ok=True)
    path = spool / f"{time.time_ns() - SETTLED_NS}-{next(NUMBER)}.json"
    reference = {
        "client": "claude",
        "event": "PostToolUse",
        "session_id": "s1",
        "cwd": None,
        "transcript_path": None,
        "offset": None,
        "tool_use_id": "call-1",
        "tool_name": "Bash",
        "at": to_ms(NOW),
    }
    path.write_text(json.dumps(reference | fields))
    return path


def refer_prompt(spool: Path, **fields: Any) -> Path:
    """A reference to a prompt."""
    usual = {"event": "UserPromptSubmit", "tool_use_id": None, "tool_name": None}
    return refer(spool, **(usual | fields))


def prompt(folder: Path, words: str) -> dict[str, Any]:
    """What Claude Code sends with a prompt."""
    told = {"session_id": "s1", "cwd": str(folder), "prompt": words}
    return {**told, "hook_event_name": "UserPromptSubmit"}


def said_by_user(words: str, at: datetime) -> dict[str, Any]:
    """A prompt as it stands in Claude Code's transcript."""
    message = {"role": "user", "content": words}
    return {"type": "user", "message": message, "timestamp": at.isoformat()}


def ticket(words: str = "") -> str:
    """By what one run of a hook is known; runs for the same words share its beginning."""
    number = next(NUMBER)
    return f"{zlib.crc32((words or str(number)).encode()):016x}:{time.time_ns()}-{number}"


@pytest.fixture
def spool(home: Path) -> Path:
    """Where hooks leave references."""
    return home / "spool"


@pytest.mark.parametrize("client", sorted(TRANSCRIPTS))
def test_a_call_is_read_from_the_transcript(
    desk: Desk, project: Path, spool: Path, tmp_path: Path, client: str
) -> None:
    path = written(tmp_path / "t.jsonl", client)
    refer(
        spool,
        client=client,
        cwd=str(project),
        transcript_path=str(path),
        offset=path.stat().st_size,
    )
    assert desk.intake.drain(spool) == 1
    [kept] = desk.kept()
    assert (kept.tool, kept.success, kept.at) == ("Bash", False, NOW)
    assert COMMAND in kept.parameters
    assert OUTPUT in kept.result
    assert list(spool.iterdir()) == []
    assert desk.intake.drain(spool) == 0


@pytest.mark.parametrize("written_before", [True, False])
def test_a_prompt_is_the_next_thing_the_user_said(
    desk: Desk, project: Path, spool: Path, tmp_path: Path, written_before: bool
) -> None:
    path = written(tmp_path / "t.jsonl", "claude", most=4 if written_before else 3)
    offset = path.stat().st_size
    written(path, "claude")
    refer(
        spool,
        event="UserPromptSubmit",
        tool_use_id=None,
        tool_name=None,
        cwd=str(project),
        transcript_path=str(path),
        offset=offset,
        at=to_ms(ASKED_AT),
    )
    assert desk.intake.drain(spool) == 1
    assert [(kept.moment, kept.text) for kept in desk.kept()] == [(Moment.PROMPT, ASKED)]


def test_a_prompt_that_is_not_written_down_yet_is_waited_for(
    desk: Desk, project: Path, spool: Path, tmp_path: Path
) -> None:
    path = written(tmp_path / "t.jsonl", "claude")  # a prompt before, and its answer
    with_text = {"cwd": str(project), "transcript_path": str(path)}
    desk.hook("claude", prompt(project, ASKED), after_s=-3, ticket=ticket())
    refer_prompt(spool, **with_text, offset=path.stat().st_size)
    assert desk.intake.drain(spool) == 0
    assert len(list(spool.glob("*.json"))) == 1
    with path.open("a") as file:
        file.write(
            json.dumps(said_by_user("and now the basket", NOW + timedelta(seconds=1))) + "\n"
        )
    assert desk.intake.drain(spool) == 1
    assert [kept.text for kept in desk.kept()] == [ASKED, "and now the basket"]
    assert list(spool.iterdir()) == []


@pytest.mark.parametrize(
    ("before_s", "after_s"),
    [
        (-90, None),  # another prompt, which nobody answered
        (-7, None),
        (None, 90),  # the next one
        (-90, 90),
    ],
)
def test_another_prompt_is_not_taken_for_the_one(
    desk: Desk,
    project: Path,
    spool: Path,
    tmp_path: Path,
    before_s: float | None,
    after_s: float | None,
) -> None:
    path, at = tmp_path / "t.jsonl", NOW - timedelta(minutes=5)
    lines = [
        "" if seconds is None else json.dumps(said_by_user("x", at + timedelta(seconds=seconds)))
        for seconds in (before_s, after_s)
    ]
    path.write_text("".join(f"{line}\n" for line in lines))
    refer_prompt(
        spool,
        cwd=str(project),
        transcript_path=str(path),
        offset=len(lines[0]) + 1,
        at=to_ms(at),
    )
    assert desk.intake.drain(spool) == 1
    assert [(kept.moment, kept.text) for kept in desk.kept()] == [(Moment.PROMPT, "")]


def test_what_a_model_said_last_is_not_kept(desk: Desk, spool: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", "codex")
    refer(
        spool,
        client="codex",
        event="Stop",
        tool_use_id=None,
        tool_name=None,
        transcript_path=str(path),
        offset=path.stat().st_size,
    )
    assert desk.intake.drain(spool) == 1
    (kept,) = desk.kept()
    assert (kept.moment, kept.text) == (Moment.STOP, "")
    assert DONE not in str(kept)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"transcript_path": "/no/such/file", "offset": 10},
        {"tool_use_id": "call-99"},
        {"tool_use_id": None},
        {"at": None, "session_id": None},
        {"client": "somebody"},
    ],
)
def test_a_reference_that_leads_nowhere_still_leaves_an_event(
    desk: Desk, spool: Path, tmp_path: Path, fields: dict[str, Any]
) -> None:
    path = written(tmp_path / "t.jsonl", "claude")
    refer(spool, **({"transcript_path": str(path)} | fields))
    assert desk.intake.drain(spool) == 1
    [kept] = desk.kept()
    assert kept.tool == "Bash"
    assert kept.moment is Moment.AFTER_TOOL


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"event": 7}', b"{}"])
def test_a_broken_reference_is_dropped(desk: Desk, spool: Path, content: bytes) -> None:
    spool.mkdir(parents=True)
    (spool / "1-1.json").write_bytes(content)
    assert desk.intake.drain(spool) == 0
    assert list(spool.iterdir()) == []


def test_what_is_too_old_or_off_or_hidden_is_dropped(
    desk: Desk, project: Path, spool: Path, tmp_path: Path
) -> None:
    off = repository(tmp_path / "off")
    with desk.workspaces.at(off) as lore:
        switch_project(lore, on=False)
    refer(spool, at=to_ms(NOW - timedelta(days=91)), cwd=str(project), tool_use_id="a")
    refer(spool, cwd=str(off), tool_use_id="b")
    refer(spool, event="PreToolUse", cwd=str(project), tool_use_id="c")
    refer(spool, incognito=True, tool_use_id="d")
    assert desk.intake.drain(spool) == 0
    switch(desk.home, on=False)
    refer(spool, cwd=str(project), tool_use_id="e")
    assert desk.intake.drain(spool) == 0
    assert desk.kept() == []
    assert list(spool.iterdir()) == []


@pytest.mark.parametrize("restarted", [False, True])
def test_what_came_in_after_all_is_not_recorded_again(
    home: Path, project: Path, spool: Path, tmp_path: Path, restarted: bool
) -> None:
    path, by = written(tmp_path / "t.jsonl", "claude"), ticket()
    told = {"cwd": str(project), "transcript_path": str(path)}
    with ExitStack() as stack:
        desk = stack.enter_context(desk_open())
        desk.hook("claude", tool_use(project, "call-1", prompt_id="p1"), ticket=ticket())
        desk.hook("claude", prompt(project, ASKED), ticket=by)
        refer(spool, **told, offset=path.stat().st_size)
        refer_prompt(spool, **told, offset=0, ticket=by, at=to_ms(NOW - timedelta(minutes=1)))
        if restarted:
            stack.close()
            desk = stack.enter_context(desk_open())
        assert desk.intake.drain(spool) == 0
        assert len(desk.kept()) == 2
        assert list(spool.iterdir()) == []


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"prompt_id": "p1"},
        {"turn_id": "t1", "agent_id": "a1"},
        {"generation_id": "g1"},
        {"prompt_id": "p1", "subagent_id": "a1"},
    ],
)
def test_a_call_is_known_again_by_the_reference_its_own_hook_would_leave(
    desk: Desk, project: Path, spool: Path, fields: dict[str, str]
) -> None:
    told = tool_use(project, "call-1", **fields)
    payload, by = json.dumps(told).encode(), ticket()
    header = {"ticket": by, "client": "claude", "name": "", "cwd": str(project)}
    left = json.loads(by_hook.written(by_hook.reference(header, payload)))
    desk.hook("claude", told, ticket=by)
    refer(spool, **left)
    refer(spool, **(left | {name: f"{value}-later" for name, value in fields.items()}))
    assert desk.intake.drain(spool) == bool(fields), "in another turn it is another call"
    assert len(desk.kept()) == 1 + bool(fields)


@pytest.mark.parametrize(
    ("words", "after_s", "count"),
    [
        (("a", "b"), 0.1, 2),  # two prompts, of which nothing but that can be told
        (("a", "a"), 0.1, 1),  # two settings files name the same hook
        (("a", "a"), 30, 2),  # said again
    ],
)
def test_references_to_one_event_count_once_and_to_two_twice(
    desk: Desk, project: Path, spool: Path, words: tuple[str, str], after_s: float, count: int
) -> None:
    for place, said in enumerate(words):
        at = NOW - timedelta(seconds=40 - place * after_s)
        refer_prompt(spool, cwd=str(project), ticket=ticket(said), at=to_ms(at))
    assert desk.intake.drain(spool) == len(desk.kept()) == count


def test_what_one_run_of_a_hook_told_another_runs_reference_does_not_tell_again(
    desk: Desk, project: Path, spool: Path
) -> None:
    desk.hook("claude", prompt(project, "fix it"), ticket=ticket("fix it"))
    refer_prompt(spool, cwd=str(project), ticket=ticket("fix it"), at=to_ms(NOW))
    assert desk.intake.drain(spool) == 0
    assert [kept.text for kept in desk.kept()] == ["fix it"]


def test_a_reference_is_not_dropped_before_its_event_is_on_disk(
    desk: Desk, project: Path, spool: Path
) -> None:
    store = desk.workspaces.engine.store
    store.read_only = True
    desk.hook("claude", tool_use(project, "call-1"), ticket=ticket())  # it came in and went
    refer(spool, cwd=str(project))
    with pytest.raises((LoremapError, RuntimeError)):
        desk.intake.drain(spool)
    assert len(list(spool.iterdir())) == 1
    store.read_only = False
    for left in spool.iterdir():
        os.utime(left, (time.time() - 600, time.time() - 600))
    assert desk.intake.drain(spool) == 1
    assert len(desk.kept()) == 1


def test_what_was_spooled_is_not_recorded_again_when_it_comes_in(
    desk: Desk, project: Path, spool: Path
) -> None:
    refer(spool, cwd=str(project))
    assert desk.intake.drain(spool) == 1
    assert desk.hook("claude", tool_use(project, "call-1", prompt_id="p1"), after_s=3) == b""
    assert len(desk.kept()) == 1


def test_a_reference_whose_drainer_died_is_taken_up(desk: Desk, spool: Path) -> None:
    path = refer(spool)
    left = path.rename(path.with_name(f"{path.stem}.4711-1.taken"))
    assert desk.intake.drain(spool) == 0  # somebody is still at it
    os.utime(left, (time.time() - 600, time.time() - 600))
    assert desk.intake.drain(spool) == 1
    assert list(spool.iterdir()) == []


def test_a_reference_whose_hook_died_while_writing_it_is_taken_up_or_removed(
    desk: Desk, spool: Path
) -> None:
    whole, half = (refer(spool, tool_use_id=name) for name in ("a", "b"))
    whole.rename(whole.with_suffix(".new"))
    half.rename(half.with_suffix(".new")).write_text('{"client": "cla')
    assert desk.intake.drain(spool) == 0  # they may still be at it
    for left in spool.iterdir():
        os.utime(left, (time.time() - 600, time.time() - 600))
    assert desk.intake.drain(spool) == 1
    assert list(spool.iterdir()) == []


def test_what_was_left_just_now_is_not_taken_up_yet(desk: Desk, spool: Path) -> None:
    path = refer(spool)
    path = path.rename(path.with_name(f"{time.time_ns()}-1.json"))
    assert desk.intake.drain(spool) == 0
    path.rename(path.with_name(f"{time.time_ns() + 3_600 * 10**9}-1.json"))
    assert desk.intake.drain(spool) == 1, "a clock that was set back holds nothing up"


@pytest.mark.parametrize(("ago_minutes", "expected"), [(0, 1), (4, 1), (6, 0)])
def test_a_session_that_just_began_unanswered_is_expected(
    desk: Desk, project: Path, spool: Path, ago_minutes: int, expected: int
) -> None:
    at = to_ms(NOW - timedelta(minutes=ago_minutes))
    usual = {"cwd": str(project), "tool_use_id": None, "tool_name": None, "at": at}
    refer(spool, event="SessionStart", **usual)
    refer(spool, event="Stop", **usual)
    desk.intake.drain(spool)
    assert [one.moment for one in desk.talker.expected] == [Moment.SESSION_START] * expected
    assert desk.talker.heard == []


@pytest.mark.parametrize(
    ("count", "age_days", "left"), [(7, 0, 4), (4, 0, 4), (3, 31, 0), (3, 29, 3)]
)
def test_too_many_references_and_too_old_ones_are_dropped_and_that_is_noted(
    home: Path,
    spool: Path,
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    age_days: int,
    left: int,
) -> None:
    spool.mkdir(parents=True)
    born = time.time_ns() - age_days * 86_400 * 10**9 - SETTLED_NS
    for module in (by_resident, by_hook):
        monkeypatch.setattr(module, "MAX_REFERENCES", 4)
    rooms: list[Callable[[], int]] = [
        lambda: by_resident.make_room(spool),
        lambda: by_hook.make_room(str(spool), now_s=time.time()),
    ]
    for room in rooms:
        names = [f"{born + number}-1.json" for number in range(count)]
        for name in names:
            (spool / name).write_text("{}")
        assert room() == count - left
        kept = {path.name for path in spool.iterdir()}
        assert kept == set(names[count - left :]), "the oldest go"
    with desk_open() as desk:
        (spool / f"{born - 40 * 86_400 * 10**9}-1.json").write_text("{}")
        desk.intake.drain(spool)
    noted = caught_since(home, NOW - timedelta(days=10_000))
    assert [(note.where, note.fault) for note in noted] == [("spool", "Overfull")]


def test_hook_and_resident_hold_to_the_same_bounds() -> None:
    for name in ("MAX_REFERENCES", "OLDEST_S"):
        assert getattr(by_hook, name) == getattr(by_resident, name)


def test_no_spool_is_no_trouble(desk: Desk, home: Path) -> None:
    assert desk.intake.drain(home / "nowhere") == 0


DRAINER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from intake_tools import desk_open
with desk_open() as desk:
    sys.stdin.readline()
    print(desk.intake.drain(Path(sys.argv[2])))
"""


def test_two_processes_drain_each_reference_once(desk: Desk, spool: Path) -> None:
    for number in range(200):
        with_id = number % 2 == 0
        refer(
            spool,
            event="PostToolUse" if with_id else "UserPromptSubmit",
            tool_use_id=f"u{number}" if with_id else None,
            tool_name="Bash" if with_id else None,
            session_id=f"s{number}",
        )
    drainers = [
        subprocess.Popen(
            [sys.executable, "-c", DRAINER, str(Path(__file__).parent), str(spool)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for drainer in drainers:
        assert drainer.stdin is not None
        drainer.stdin.write("go\n")
        drainer.stdin.flush()
    counts = [int(drainer.communicate(timeout=60)[0]) for drainer in drainers]
    assert sum(counts) == len(desk.kept()) == 200
    assert list(spool.iterdir()) == []


def test_the_reason_comes_from_the_transcript_too(desk: Desk, spool: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", "claude", most=9)
    refer(spool, transcript_path=str(path), offset=path.stat().st_size)
    desk.intake.drain(spool)
    assert desk.kept()[0].why == WHY
