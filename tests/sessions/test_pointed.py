"""A small model may only point: what it says is held against the session, word for word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loremap.model.finding import Finding
from loremap.model.kind import Kind
from loremap.model.turn import Speaker, Turn
from loremap.sessions.pointed import BECAUSE, findings_pointed
from loremap.sidecar.tasks.extract import Pointed, extracting

RULE = "Amounts are always integer cents, because audits compare them to the bank."
TOLD = "We deploy from the release branch only."
TURNS = [
    Turn(number=0, speaker=Speaker.PERSON, text=f"Add a total please. {RULE} Ok?"),
    Turn(number=1, speaker=Speaker.AGENT, text="The staging database resets every night at two."),
    Turn(number=2, speaker=Speaker.PERSON, text=f"Remember that {TOLD}"),
    Turn(number=3, speaker=Speaker.PERSON, text="```\nnever rotate the log keys by hand\n```"),
    Turn(
        number=4,
        speaker=Speaker.PERSON,
        text="The deploy key is ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8 for all machines.",
    ),
    Turn(
        number=5, speaker=Speaker.AGENT, text="A subagent's own long conclusion.", in_subagent=True
    ),
]
RIGHT = Pointed(0, Speaker.PERSON, Kind.CONVENTION, "always integer cents, because audits")


def found(one: Pointed, **known: object) -> list[Finding]:
    return findings_pointed(TURNS, [one], **known)  # type: ignore[arg-type]


def test_a_quote_that_stands_becomes_its_whole_sentence() -> None:
    (finding,) = found(RIGHT)
    assert (finding.content, finding.quote) == (RULE, RULE)
    assert (finding.said_by, finding.first, finding.last) == (Speaker.PERSON, 0, 0)
    assert (finding.kind, finding.because) == (Kind.CONVENTION, BECAUSE)


def test_what_the_agent_said_stays_the_agent_s() -> None:
    quote = "staging database resets every night"
    (finding,) = found(Pointed(1, Speaker.AGENT, Kind.GOTCHA, quote))
    assert finding.said_by is Speaker.AGENT


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"turn": 1}, "another turn"),
        ({"turn": 99}, "no turn"),
        ({"speaker": Speaker.AGENT}, "another speaker"),
        ({"quote": "amounts are integer cents because of audits"}, "a paraphrase"),
        ({"quote": "always integer cents ... because audits"}, "pieced together"),
        ({"quote": "  "}, "nothing"),
        ({"quote": "Ok?"}, "a question"),
        ({"quote": "Add a total please."}, "says too little"),
        ({"turn": 3, "quote": "never rotate the log keys by hand"}, "was pasted"),
        ({"turn": 4, "quote": "for all machines"}, "holds a secret"),
        ({"turn": 5, "speaker": Speaker.AGENT, "quote": "own conclusion"}, "of a subagent"),
    ],
)
def test_what_does_not_stand_there_is_dropped(change: dict[str, object], why: str) -> None:
    assert found(replace(RIGHT, **change)) == [], why  # type: ignore[arg-type]


def test_what_was_injected_is_not_learned_again() -> None:
    again = Pointed(2, Speaker.PERSON, Kind.CONVENTION, "deploy from the release branch only")
    assert len(found(again)) == 1
    assert found(again, injected=[TOLD]) == []


def test_what_rules_found_is_not_found_twice() -> None:
    (by_rule,) = found(RIGHT)
    assert found(RIGHT, by_rules=[replace(by_rule, content=f"Proposed: “x” {RULE}")]) == []
    assert len(findings_pointed(TURNS, [RIGHT, replace(RIGHT, kind=Kind.FACT)])) == 1


def test_tags_are_words_of_what_was_said() -> None:
    (finding,) = found(replace(RIGHT, tags=("#Cents", "audits", "billing", "a", "x; drop")))
    assert finding.tags == ("cents", "audits")


@pytest.mark.parametrize(
    ("item", "kept"),
    [
        ({"line": 0, "speaker": "person", "kind": "decision", "quote": "q"}, 1),
        ({"line": "0", "speaker": "agent", "kind": "gotcha", "quote": "q", "tags": "t"}, 1),
        ({"line": 0, "speaker": "tool", "kind": "decision", "quote": "q"}, 0),
        ({"line": 0, "speaker": "person", "kind": "procedure", "quote": "q"}, 0),
        ({"line": 0, "speaker": "person", "kind": "decision", "quote": 7}, 0),
        ({"line": None, "speaker": "person", "kind": "decision", "quote": "q"}, 0),
        ("text", 0),
    ],
)
def test_only_closed_sets_are_read(item: object, kept: int) -> None:
    assert len(extracting("[0 person] q").checked({"found": [item]})) == kept
