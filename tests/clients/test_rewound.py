"""The signs each client leaves of turns that were taken back, in the shapes they write."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from loremap.clients.transcript import looked
from loremap.clients.transcripts.record import EVER, Cut, Seen

SESSION = "01a1e323-e24a-74c2-bee7-139f97d1cf0e"


def at(second: float) -> datetime:
    return datetime.fromtimestamp(1_794_800_000 + second, UTC)


def stamp(second: float) -> str:
    return at(second).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def line(**fields: Any) -> str:
    return json.dumps(fields, separators=(",", ":")) + "\n"


def add(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)
    return path


# Claude


def prompt(uuid: str, parent: str | None, second: float, **more: Any) -> str:
    message = {"role": "user", "content": f"asks {uuid}"}
    return line(
        parentUuid=parent,
        isSidechain=False,
        promptId=f"p-{uuid}",
        type="user",
        message=message,
        uuid=uuid,
        timestamp=stamp(second),
        **more,
    )


def answer(uuid: str, parent: str, second: float) -> str:
    said = {"role": "assistant", "content": [{"type": "text", "text": f"ok, not {uuid}"}]}
    return line(
        parentUuid=parent, type="assistant", message=said, uuid=uuid, timestamp=stamp(second)
    )


def result(uuid: str, parent: str, second: float) -> str:
    content = [{"type": "tool_result", "tool_use_id": "t", "content": "hi"}]
    message = {"role": "user", "content": content}
    return line(
        parentUuid=parent,
        promptId="p",
        type="user",
        message=message,
        uuid=uuid,
        timestamp=stamp(second),
    )


TWO_TURNS = (
    line(type="attachment", uuid="start", parentUuid=None, timestamp=stamp(1)),
    prompt("one", "start", 10),
    answer("one-a", "one", 11),
    prompt("two", "one-a", 20),
    answer("two-a", "two", 21),
)


@pytest.mark.parametrize(
    ("then", "cuts"),
    [
        ([prompt("three", "two-a", 30)], []),
        ([prompt("three", "one-a", 30)], [Cut(at(11), at(30))]),
        ([prompt("three", "start", 30)], [Cut(at(1), at(30))]),
        ([prompt("three", None, 30)], [Cut(EVER, at(30))]),
        # A prompt stopped before anything came of it is the parent of the next one.
        ([prompt("three", "two", 30)], []),
        # Results of calls made together, what the client adds, and subagents make no turns.
        ([result("r1", "two-a", 30), result("r2", "two-a", 31)], []),
        ([prompt("meta", "one-a", 30, isMeta=True)], []),
        ([prompt("three", "unheard-of", 30)], []),
        (
            [prompt("three", "one-a", 30), prompt("four", "start", 40)],
            [Cut(at(11), at(30)), Cut(at(1), at(40))],
        ),
    ],
)
def test_claude(tmp_path: Path, then: list[str], cuts: list[Cut]) -> None:
    path = add(tmp_path / "s.jsonl", *TWO_TURNS)
    seen, before = looked(path, "claude", None)
    assert before == []
    add(path, *then)
    seen, found = looked(path, "claude", seen)
    assert found == cuts
    assert looked(path, "claude", seen) == (seen, [])
    assert looked(path, "claude", None)[1] == cuts  # as one who has just come


# Gemini


def said(id_: str, second: float, kind: str) -> str:
    return line(id=id_, timestamp=stamp(second), type=kind, content=[{"text": "…"}])


@pytest.mark.parametrize("sets", [True, False])
def test_gemini(tmp_path: Path, sets: bool) -> None:
    """It does not always write down what is left."""
    begun = {"messages": [{"id": "m0", "timestamp": stamp(1)}], "lastUpdated": stamp(1)}
    path = add(
        tmp_path / "session.jsonl",
        line(sessionId="s", startTime=stamp(1)),
        line(**{"$set": begun}),
        said("m1", 10, "user"),
        said("m2", 11, "gemini"),
        line(**{"$set": {"lastUpdated": stamp(11.5)}}),
        said("m3", 20, "user"),
        said("m4", 21, "gemini"),
    )
    seen, cuts = looked(path, "gemini", None)
    assert cuts == []
    left = {"messages": [{"id": "m1", "timestamp": stamp(10)}], "lastUpdated": stamp(25)}
    add(path, line(**{"$rewindTo": "m3"}), *([line(**{"$set": left})] if sets else []))
    seen, cuts = looked(path, "gemini", seen)
    assert cuts == [Cut(at(11.5), at(21))]
    add(path, said("m5", 30, "user"), said("m6", 31, "gemini"))
    seen, cuts = looked(path, "gemini", seen)
    assert cuts == []
    add(path, line(**{"$rewindTo": "m1"}))
    assert looked(path, "gemini", seen)[1] == [Cut(at(1), at(31))]


# Copilot


def event(kind: str, second: float, **data: Any) -> str:
    return line(type=kind, data=data, timestamp=stamp(second))


def test_copilot(tmp_path: Path) -> None:
    """It cuts its file off, but for the hooks of the prompt that was taken back."""
    kept = (
        event("session.start", 1, sessionId="s"),
        event("hook.end", 9, hookType="userPromptSubmitted"),
        event("user.message", 10, content="one"),
        event("assistant.turn_end", 11),
        event("hook.end", 19, hookType="userPromptSubmitted"),
    )
    dropped = (
        event("user.message", 20, content="two"),
        event("assistant.message", 21, content="ok " * 400),
    )
    path = add(tmp_path / "events.jsonl", *kept, *dropped)
    seen, cuts = looked(path, "copilot", None)
    assert cuts == []
    path.unlink()
    info = event("session.info", 25, message="Rewound the conversation.", infoType="rewind")
    add(path, *kept, info, event("hook.start", 30, hookType="userPromptSubmitted"))
    seen, cuts = looked(path, "copilot", seen)
    assert cuts == [Cut(at(11), at(25), start_too=True)]
    add(path, event("user.message", 31, content="two " * 900))
    assert looked(path, "copilot", seen)[1] == []


# Codex


def rollout(folder: Path, second: float, branch: str = "", **base: Any) -> Path:
    name = f"rollout-2026-11-16T06-55-{second:02.0f}-{SESSION}{branch and '_'}{branch}.jsonl"
    payload = {"id": SESSION, "timestamp": stamp(second)} | ({"history_base": base} if base else {})
    return add(folder / name, line(timestamp=stamp(second), type="session_meta", payload=payload))


def item(second: float) -> str:
    return line(timestamp=stamp(second), type="response_item", payload={"type": "message"})


def test_codex(tmp_path: Path) -> None:
    """Each branch is a file that says how much of another it goes on from."""
    days = tmp_path / "sessions" / "2026" / "11"
    first = rollout(days / "16", 1)
    add(first, item(10), item(11))
    end = first.stat().st_size
    add(first, item(20), item(21))
    seen, cuts = looked(first, "codex", None)
    assert (seen, cuts) == (Seen(first), [])

    second = rollout(days / "17", 25, "b1", thread_id=SESSION, end_byte_offset=end)
    seen, cuts = looked(second, "codex", seen)
    assert cuts == [Cut(at(11), at(25))]
    assert looked(second, "codex", seen) == (seen, [])

    add(second, item(30))
    end = second.stat().st_size
    add(second, item(40))
    third = rollout(days / "17", 45, "b2", thread_id="b1", end_byte_offset=end)
    assert looked(third, "codex", seen)[1] == [Cut(at(30), at(45))]
    # Who comes only now, and knows but the first, hears of all.
    every = [Cut(at(11), at(25)), Cut(at(30), at(45))]
    assert looked(third, "codex", Seen(first))[1] == every

    fourth = rollout(days / "17", 50, "b3")
    assert looked(fourth, "codex", seen)[1] == [Cut(EVER, at(50))]


def test_another_sessions_file_takes_nothing_back(tmp_path: Path) -> None:
    own = rollout(tmp_path / "2026" / "11" / "16", 1)
    meta = line(type="session_meta", payload={"id": "a-child", "timestamp": stamp(5)})
    other = add(own.with_name("rollout-a-child.jsonl"), meta)
    assert looked(other, "codex", Seen(own)) == (Seen(own), [])


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "copilot", "opencode", "nobody"])
def test_no_file_or_a_broken_one_tells_nothing(tmp_path: Path, client: str) -> None:
    path = tmp_path / "s.jsonl"
    seen, cuts = looked(path, client, None)
    assert cuts == []
    path.write_bytes(b'{"$rewindTo":\n\xff\xfe{"type":"user","promptId":1}\n{"a":1}\n[1]\n"x')
    seen, cuts = looked(path, client, seen)
    assert all(cut.since == EVER for cut in cuts)
    assert looked(tmp_path, client, seen)[1] == []


def test_a_line_that_is_not_whole_yet_waits(tmp_path: Path) -> None:
    path = add(tmp_path / "s.jsonl", *TWO_TURNS)
    whole = prompt("three", "one-a", 30)
    add(path, whole[:40])
    seen, cuts = looked(path, "claude", None)
    assert cuts == []
    add(path, whole[40:])
    assert looked(path, "claude", seen)[1] == [Cut(at(11), at(30))]


def test_a_look_where_little_is_new_takes_no_time(tmp_path: Path) -> None:
    path = add(tmp_path / "s.jsonl", *TWO_TURNS, *([answer("x", "y", 22)] * 20_000))
    begun = time.perf_counter()
    seen, _ = looked(path, "claude", None)
    whole_s = time.perf_counter() - begun
    took = []
    for number in range(50):
        add(path, answer(f"z{number}", "y", 23))
        begun = time.perf_counter()
        seen, _ = looked(path, "claude", seen)
        took.append(time.perf_counter() - begun)
    assert sorted(took)[25] < whole_s / 20
