"""What a client, a page or a stranger may send: nothing of it holds up the others."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from intake_tools import NOW

from loremap.clients import gemini
from loremap.clients.framed import without_framed
from loremap.clients.hook_events import MAX_SAID, hook_event, without_ours
from loremap.clients.payloads.patches import patched_files
from loremap.clients.transcript import Wanted, call_of, records, tail
from loremap.clients.transcripts.lines import LINE_BYTES, MAX_BYTES, lines

SOON_S = 2.0
"""What was slow took minutes for such texts."""


@pytest.mark.parametrize(
    "text",
    [
        "<project_memory>" * 200_000,
        "<hook_context" * 200_000,
        "<hook_context>" * 100_000 + "</project_memory>" * 100_000,
        "<project_memory>" + " " * 3_000_000,
        "<project_memory></project_memory>" * 100_000,
        "<hook_context " + ">" * 3_000_000,
        "</hook_context>" * 200_000,
    ],
)
def test_a_prompt_of_three_megabytes_takes_no_time(text: str) -> None:
    payload = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": text}).encode()
    began = time.perf_counter()
    event = hook_event(payload, client="claude", name=None, env={}, now=NOW)
    list(gemini.records({"type": "user", "content": text}))
    assert time.perf_counter() - began < SOON_S
    assert event is not None
    assert len(event.prompt) <= MAX_SAID


@pytest.mark.parametrize("line", ["*** Move to: a", "*** Add File: a"])
def test_a_patch_with_a_long_line_takes_no_time(line: str) -> None:
    patch = f"*** Begin Patch\n*** Add File: b\n{line}{' ' * 300_000}x"
    began = time.perf_counter()
    assert patched_files(patch)[-1].path.startswith("a ")
    assert time.perf_counter() - began < SOON_S


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<hook_context>a</hook_context>\n\nfix it", "fix it"),
        ('<hook_context source="x">a</hook_context> b <hook_context>c</hook_context>', "b"),
        ("<hook_context>never closed", "<hook_context>never closed"),
        ("<hook_contexts>a</hook_contexts>", "<hook_contexts>a</hook_contexts>"),
        ("<hook_context-2>a</hook_context-2>", "<hook_context-2>a</hook_context-2>"),
        ("<project_memory>a</hook_context>", "<project_memory>a</hook_context>"),
        ("<system_reminder>a</system_reminder>b", "b"),
        ("<hook_context", "<hook_context"),
        ("nothing", "nothing"),
    ],
)
def test_what_hooks_put_in_goes_and_no_more(text: str, left: str) -> None:
    assert without_ours(text) == left


def test_frames_may_lie_side_by_side() -> None:
    assert without_framed("<a>1</a><b>2</b> <a>3</a>4", "a", "b") == "4"


def _finished(work: Any) -> bool:
    """Whether it ends by itself."""
    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(10)
    return not thread.is_alive()


@pytest.mark.skipif(sys.platform == "win32", reason="there is none of these there")
@pytest.mark.parametrize("kind", ["pipe", "zero", "folder", "missing"])
def test_a_transcript_that_is_no_file_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    path = {"zero": Path("/dev/zero"), "folder": tmp_path}.get(kind, tmp_path / "t.jsonl")
    if kind == "pipe":
        os.mkfifo(path)
    found: list[Any] = []

    def read() -> None:
        found.extend(records(path, "claude"))
        found.extend(lines(path, start=5))
        found.append(tail(path, "claude", Wanted.SAID).said)
        found.append(call_of(path, "claude", "call-1"))

    assert _finished(read)
    assert found == ["", None]


def _line(words: str) -> bytes:
    said = {"type": "user", "message": {"role": "user", "content": words}}
    return json.dumps(said).encode() + b"\n"


def test_a_line_without_end_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(_line("before") + b"x" * (LINE_BYTES + 10) + b"\n" + _line("after"))
    assert [record.text for record in records(path, "claude")] == ["before", "after"]
    for at, line in lines(path):
        assert path.read_bytes()[at : at + len(line)] == line


def test_no_more_is_read_than_one_question_may(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(_line("before"))
    with path.open("r+b") as file:  # a hole, which costs no disk
        file.seek(4 * MAX_BYTES)
        file.write(b"\n" + _line("far away"))
    assert [record.text for record in records(path, "claude")] == ["before"]
    near = 4 * MAX_BYTES
    assert [record.text for record in records(path, "claude", start=near)] == ["far away"]


@pytest.mark.parametrize("offset", [-1, 1 << 62, 1 << 70])
def test_a_place_that_is_none(tmp_path: Path, offset: int) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(_line("x"))
    assert tail(path, "claude", Wanted.SAID, end=offset).said == ""
    assert list(lines(path, start=max(offset, 1 << 50))) == []
