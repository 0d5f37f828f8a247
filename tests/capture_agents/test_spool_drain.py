"""What hooks could not hand over is recorded later: from the transcript, and each once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from reception_tools import NOW, Desk, repository, tool_use
from transcript_tools import ASKED, COMMAND, DONE, OUTPUT, TRANSCRIPTS, WHY, written

from loremap.lore.switches import switch, switch_project
from loremap.model.clock import to_ms
from loremap.model.hook import Moment

NUMBER = iter(range(1_000_000))


def refer(spool: Path, **fields: Any) -> Path:
    """A reference, as the hook's process leaves it."""
    spool.mkdir(parents=True, exist_ok=True)
    path = spool / f"{time.time_ns()}-{next(NUMBER)}.json"
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
    assert desk.reception.drain(spool) == 1
    [kept] = desk.kept()
    assert (kept.tool, kept.success, kept.at) == ("Bash", False, NOW)
    assert COMMAND in kept.parameters
    assert OUTPUT in kept.result
    assert list(spool.iterdir()) == []
    assert desk.reception.drain(spool) == 0


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
    )
    assert desk.reception.drain(spool) == 1
    assert [(kept.moment, kept.text) for kept in desk.kept()] == [(Moment.PROMPT, ASKED)]


def test_the_last_words_of_a_turn(desk: Desk, spool: Path, tmp_path: Path) -> None:
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
    assert desk.reception.drain(spool) == 1
    assert desk.kept()[0].text == DONE


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
    assert desk.reception.drain(spool) == 1
    [kept] = desk.kept()
    assert kept.tool == "Bash"
    assert kept.moment is Moment.AFTER_TOOL


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"event": 7}', b"{}"])
def test_a_broken_reference_is_dropped(desk: Desk, spool: Path, content: bytes) -> None:
    spool.mkdir(parents=True)
    (spool / "1-1.json").write_bytes(content)
    assert desk.reception.drain(spool) == 0
    assert list(spool.iterdir()) == []


def test_what_is_too_old_or_off_or_hidden_is_dropped(
    desk: Desk, project: Path, spool: Path, tmp_path: Path
) -> None:
    off = repository(tmp_path / "off")
    with desk.residence.at(off) as lore:
        switch_project(lore, on=False)
    refer(spool, at=to_ms(NOW - timedelta(days=91)), cwd=str(project), tool_use_id="a")
    refer(spool, cwd=str(off), tool_use_id="b")
    refer(spool, event="PreToolUse", cwd=str(project), tool_use_id="c")
    refer(spool, incognito=True, tool_use_id="d")
    assert desk.reception.drain(spool) == 0
    switch(desk.home, on=False)
    refer(spool, cwd=str(project), tool_use_id="e")
    assert desk.reception.drain(spool) == 0
    assert desk.kept() == []
    assert list(spool.iterdir()) == []


def test_what_came_in_after_all_is_not_recorded_again(
    desk: Desk, project: Path, spool: Path, tmp_path: Path
) -> None:
    path = written(tmp_path / "t.jsonl", "claude")
    told = {"cwd": str(project), "transcript_path": str(path)}
    desk.hook("claude", tool_use(project, "call-1", prompt_id="p1"))
    desk.hook(
        "claude",
        {"session_id": "s1", "cwd": str(project), "prompt": ASKED},
        name="UserPromptSubmit",
    )
    refer(spool, **told, offset=path.stat().st_size)
    refer(spool, **told, event="UserPromptSubmit", tool_use_id=None, tool_name=None, offset=0)
    assert desk.reception.drain(spool) == 0
    assert len(desk.kept()) == 2


def test_what_was_spooled_is_not_recorded_again_when_it_comes_in(
    desk: Desk, project: Path, spool: Path
) -> None:
    refer(spool, cwd=str(project))
    assert desk.reception.drain(spool) == 1
    assert desk.hook("claude", tool_use(project, "call-1", prompt_id="p1"), after_s=3) == b""
    assert len(desk.kept()) == 1


def test_a_reference_whose_drainer_died_is_taken_up(desk: Desk, spool: Path) -> None:
    path = refer(spool)
    left = path.rename(path.with_name(f"{path.stem}.4711-1.taken"))
    assert desk.reception.drain(spool) == 0  # somebody is still at it
    os.utime(left, (time.time() - 600, time.time() - 600))
    assert desk.reception.drain(spool) == 1
    assert list(spool.iterdir()) == []


def test_no_spool_is_no_trouble(desk: Desk, home: Path) -> None:
    assert desk.reception.drain(home / "nowhere") == 0


DRAINER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from reception_tools import desk_open
with desk_open() as desk:
    sys.stdin.readline()
    print(desk.reception.drain(Path(sys.argv[2])))
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
    desk.reception.drain(spool)
    assert desk.kept()[0].why == WHY
