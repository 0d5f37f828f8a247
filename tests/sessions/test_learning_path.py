"""Sessions learned from by the rules through the real path: transcript, findings, admission."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from session_tools import Transcript

from loremap.app import Lore
from loremap.memory import gaps
from loremap.memory.brief.ours import TEXT_CLOSE, TEXT_OPEN
from loremap.model.kind import Kind
from loremap.model.memory import Origin, Status
from loremap.model.promotion import PromotionSignal, promotion_signals
from loremap.model.session import Session
from loremap.storage import sessions

AT = "2026-05-04T09:00:00Z"
RULES = (
    "Money is never a float: amounts are integer cents everywhere, because a filing was rejected.",
    "Every migration must be written by hand, never generated, so that reviewers read it.",
)
CONTINUED = "This session is being continued from a previous conversation that ran out of context."


def _claude(injected: str, quoted: str, summed_up: str) -> list[dict[str, Any]]:
    def line(role: str, text: str) -> dict[str, Any]:
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        return {"type": role, "message": message, "timestamp": AT}

    hooked = {"type": "hook_context", "content": [injected]}
    return [
        {"type": "attachment", "attachment": hooked, "timestamp": AT},
        line("user", f"{injected}\nrename the parser"),
        line("assistant", quoted),
        line("user", "ok"),
        line("user", f"{CONTINUED} {summed_up}"),
        line("assistant", summed_up),
        line("user", "go on"),
    ]


def _codex(injected: str, quoted: str, summed_up: str) -> list[dict[str, Any]]:
    def message(role: str, text: str, kind: str) -> dict[str, Any]:
        return {
            "type": "response_item",
            "timestamp": AT,
            "payload": {
                "type": "message",
                "role": role,
                "content": [{"type": "input_text", "text": text}],
                "internal_chat_message_metadata_passthrough": {"content_item_kinds": [kind]},
            },
        }

    return [
        message("developer", injected, "hooks.additional_context"),
        message("user", f"{injected}\nrename the parser", "user.text"),
        message("assistant", quoted, "unknown"),
        message("user", "ok", "user.text"),
        {"type": "compacted", "timestamp": AT, "payload": {"message": summed_up}},
        message("assistant", summed_up, "unknown"),
        message("user", "go on", "user.text"),
    ]


@pytest.mark.parametrize(("client", "form"), [("claude", _claude), ("codex", _codex)])
def test_what_we_inject_is_not_learned_again_quoted_or_summed_up(
    lore: Lore, tmp_path: Path, client: str, form: Callable[..., list[dict[str, Any]]]
) -> None:
    for rule in RULES:
        lore.remember(rule, kind=Kind.CONVENTION)
    tasks = ("money amounts as integer cents", "a migration written by hand for reviewers")
    brief = "\n".join(lore.brief(task).text for task in tasks)
    assert all(rule in brief for rule in RULES)
    quoted = f"According to the project memory: {' '.join(RULES)} I will keep to that."
    summed_up = "We must keep money as integer cents and write every migration by hand."
    lines = form(f"{TEXT_OPEN}]\n{brief}\n{TEXT_CLOSE}", quoted, summed_up)
    written(lore, tmp_path / "s.jsonl", client, lines, always_on=brief)
    assert lore.sessions.learn("s").findings == ()


def written(
    lore: Lore, path: Path, client: str, lines: Sequence[dict[str, Any]], **more: Any
) -> None:
    """A session that has ended, in its client's form."""
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    row = Session(
        id="s",
        client=client,
        created_at=lore.now(),
        project_id=lore.project_id,
        transcript=str(path),
        folder=str(lore.folder),
        last_at=lore.now(),
        ended_at=lore.now(),
        **more,
    )
    with lore.store.append() as conn:
        sessions.upsert(conn, row)


def told(lore: Lore, folder: Path, session_id: str) -> Transcript:
    """A session that begins with a task of its own."""
    begun = Transcript(lore, folder / f"{session_id}.jsonl", session_id)
    begun.typed(f"look at ticket {session_id}")
    begun.ran("make lint")
    return begun


def signals(lore: Lore) -> frozenset[PromotionSignal]:
    """What speaks for the one candidate there is."""
    (memory,) = lore.list(statuses=(Status.CANDIDATE,))
    return promotion_signals(memory, sources=lore.show(memory.id).provenance, signals=())


def test_a_persons_sentence_counts_again_whatever_it_answers(lore: Lore, tmp_path: Path) -> None:
    sentence = "we must never use pip here, uv add for every dependency, because of the lock file"
    for session_id in ("s1", "s2"):
        begun = told(lore, tmp_path, session_id)
        if session_id == "s2":
            begun.ran("pip install rich", output="Error: externally managed", fails=True)
        begun.typed(sentence)
        begun.row(ended=True)
        lore.sessions.learn(session_id)
    assert PromotionSignal.MULTI_SESSION in signals(lore)
    (memory,) = lore.list(statuses=(Status.CANDIDATE,))
    assert (memory.content, memory.origin) == (sentence, Origin.CONVERSATION)
    assert (memory.message_start, memory.message_end) == (2, 2)


def test_the_agents_words_do_not_count_again(lore: Lore, tmp_path: Path) -> None:
    for session_id in ("s1", "s2", "s3"):
        begun = told(lore, tmp_path, session_id)
        begun.ran("make flash", output="Error: probe timeout", fails=True)
        begun.said("The chip sleeps, so it must be connected under reset.")
        begun.ran("make flash ARGS=--under-reset")
        begun.row(ended=True)
        lore.sessions.learn(session_id)
    (memory,) = lore.list(statuses=(Status.CANDIDATE,))
    assert (memory.kind, memory.origin) == (Kind.PROCEDURE, Origin.EXTRACTED)
    assert not signals(lore) & {PromotionSignal.MULTI_SESSION, PromotionSignal.USER_INTENT}


def test_what_answers_an_open_question_closes_it(lore: Lore, tmp_path: Path) -> None:
    question = "How do we install a dependency in this project, pip or uv?"
    other = "Which port does the staging gateway of the payments team listen on?"
    asked = [gaps.note(lore, one) for one in (question, other)]
    assert all(asked)
    begun = told(lore, tmp_path, "s1")
    begun.typed("we must never install a dependency with pip in this project, always uv add")
    begun.row(ended=True)
    assert lore.sessions.learn("s1").findings
    assert [one.asked for one in gaps.open_gaps(lore)] == [other]
