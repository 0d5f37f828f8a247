"""What a session taught is kept as it goes on, becomes memories at its end, and each thing once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from random import Random
from string import ascii_letters, digits

import pytest
from session_tools import BEGAN, Clock, Transcript, always, memory_of, unread

from loremap.agent import switches
from loremap.app import Lore
from loremap.errors import BadInput
from loremap.model.finding import Finding
from loremap.model.memory import Origin, Status
from loremap.model.outcome import Refused
from loremap.model.promotion import PromotionSignal, promotion_signals
from loremap.model.session import Injection, Session, Tier, Work
from loremap.model.turn import Turn
from loremap.sessions.finishing import Known
from loremap.sessions.session_memory import CHECKPOINT_EVENTS, SILENT, Due, SessionMemory, due
from loremap.sessions.telling import note_told, note_unheard, told_of, untold
from loremap.storage import findings, injections, learning, memories, sessions
from loremap.storage.learning import Unread

RULE = "Migrations are always written by hand in this repository."


def learned(lore: Lore) -> list[str]:
    return [memory.content for memory in lore.list(statuses=(Status.CANDIDATE,))]


def kept(lore: Lore, session_id: str = "s1") -> list[str]:
    with lore.store.read() as conn:
        return [one.finding.content for one in findings.of_session(conn, session_id)]


def finished(lore: Lore, transcript: Transcript, **more: str) -> None:
    transcript.row(ended=True, **more)
    for one in unread(lore):
        memory_of(lore).take_up(one)


@pytest.mark.parametrize(
    ("fresh", "ended", "compacted", "silent", "what"),
    [
        (1, False, False, timedelta(0), Due.NOTHING),
        (CHECKPOINT_EVENTS - 1, False, False, timedelta(0), Due.NOTHING),
        (CHECKPOINT_EVENTS, False, False, timedelta(0), Due.CHECKPOINT),
        (1, False, True, timedelta(0), Due.CHECKPOINT),
        (1, True, False, timedelta(0), Due.FINISH),
        (1, False, False, SILENT, Due.FINISH),  # a crash, or somebody who walked away
        (50, False, False, timedelta(seconds=-1), Due.CHECKPOINT),  # a clock set back
    ],
)
def test_when_a_session_is_read(
    fresh: int, ended: bool, compacted: bool, silent: timedelta, what: Due
) -> None:
    session = Session(id="s", client="claude", created_at=BEGAN, ended_at=BEGAN if ended else None)
    one = Unread(session, fresh, 9, BEGAN, compacted)
    assert due(one, BEGAN + silent) is what


def test_a_session_that_goes_on_is_kept_and_no_memory_yet(
    lore: Lore, transcript: Transcript
) -> None:
    transcript.row()
    transcript.typed(RULE)
    for number in range(CHECKPOINT_EVENTS):
        transcript.ran(f"make part{number}")
    (one,) = unread(lore)
    assert memory_of(lore).take_up(one) is not None
    assert (kept(lore), learned(lore), unread(lore)[0].fresh) == ([RULE], [], 0)


def test_at_its_end_what_it_taught_becomes_memories_once(
    lore: Lore, transcript: Transcript
) -> None:
    transcript.typed(RULE)
    finished(lore, transcript)
    (memory,) = lore.list(statuses=(Status.CANDIDATE,))
    assert memory.content == RULE
    assert (memory.origin, memory.created_by) == (Origin.CONVERSATION, "rule:session")
    assert (memory.session_id, memory.message_start, memory.agent) == ("s1", 0, "claude")
    assert lore.show(memory.id).provenance[0].snippet == RULE
    transcript.said("Noted.")
    finished(lore, transcript)
    (again,) = lore.list(statuses=(Status.CANDIDATE,))
    assert (again.id, again.version, again.repetitions) == (memory.id, memory.version, 0)


def test_what_was_cut_off_between_memory_and_note_is_not_doubled(
    lore: Lore, transcript: Transcript
) -> None:
    transcript.typed(RULE)
    finished(lore, transcript)
    with lore.store.append() as conn:  # as a kill would leave it: the memory, and no note of it
        (one,) = findings.of_session(conn, "s1")
        findings.settle(conn, one)
        learning.note_read(conn, "s1", seq=0, work=Work())
        learning.note_finished(conn, "s1", seq=0, learned_at=None)
    finished(lore, transcript)
    (memory,) = lore.list(statuses=(Status.CANDIDATE,))
    assert memory.repetitions == 0
    with lore.store.read() as conn:
        (one,) = findings.of_session(conn, "s1")
    assert one.memory_id == memory.id


def test_what_a_person_typed_in_two_sessions_speaks_for_itself(
    lore: Lore, transcript: Transcript, tmp_path: Path
) -> None:
    transcript.typed(RULE)
    finished(lore, transcript)
    other = Transcript(lore, tmp_path / "s2.jsonl", "s2")
    other.typed(RULE)
    finished(lore, other)
    (memory,) = lore.list(statuses=(Status.CANDIDATE,))
    assert memory.repetitions == 1
    sources = lore.show(memory.id).provenance
    said = promotion_signals(memory, sources=sources, signals=())
    assert PromotionSignal.MULTI_SESSION in said


def test_what_is_amended_in_a_later_session_is_replaced(
    lore: Lore, transcript: Transcript, tmp_path: Path
) -> None:
    transcript.typed("Timeouts are always ten seconds in the gateway client.")
    finished(lore, transcript)
    other = Transcript(lore, tmp_path / "s2.jsonl", "s2")
    other.typed("Timeouts are always four seconds there, the proxy gives up after five.")
    finished(lore, other)
    now = lore.list(statuses=(Status.CANDIDATE,))
    assert [one.content.split()[3] for one in now] == ["four"]
    (before,) = lore.list(statuses=(Status.SUPERSEDED,))
    assert before.superseded_by == now[0].id


def test_a_person_keeps_and_drops_and_an_agent_may_not(
    lore: Lore, transcript: Transcript, tmp_path: Path
) -> None:
    transcript.typed(RULE)
    transcript.typed("Logs are always written in English, whoever reads them.")
    finished(lore, transcript)
    first, second = lore.sessions.inbox()
    with pytest.raises(BadInput, match="Only a person"):
        lore.as_session("s9", "claude").sessions.keep(first.id)
    assert lore.sessions.keep(first.id).vouched
    lore.sessions.drop(second.id)
    assert list(lore.sessions.inbox()) == []
    other = Transcript(lore, tmp_path / "s2.jsonl", "s2")
    other.typed("Logs are always written in English, whoever reads them.")
    other.row(ended=True)
    seen = memory_of(lore).take_up(unread(lore)[-1])
    assert seen is not None
    assert isinstance(seen.outcomes[0], Refused)
    assert learned(lore) == []


def test_a_person_is_told_once(lore: Lore, transcript: Transcript) -> None:
    transcript.typed(RULE)
    finished(lore, transcript)
    assert RULE in told_of(untold(lore))
    note_told(lore, untold(lore))
    assert told_of(untold(lore)) == ""


def test_when_a_session_went_on_only_what_is_new_is_told(
    lore: Lore, transcript: Transcript, tmp_path: Path
) -> None:
    transcript.typed(RULE)
    finished(lore, transcript)
    note_told(lore, untold(lore))
    later = "Logs are always written in English, whoever reads them."
    transcript.typed(later)
    finished(lore, transcript)
    assert [one.content for one in untold(lore)] == [later]
    other = Transcript(lore, tmp_path / "s2.jsonl", "s2")
    other.typed(RULE)
    finished(lore, other)
    assert [one.content for one in untold(lore)] == [later]


def test_what_nobody_heard_is_told_again(lore: Lore, transcript: Transcript) -> None:
    transcript.typed(RULE)
    finished(lore, transcript)
    note_told(lore, untold(lore), at=BEGAN)
    note_unheard(lore, BEGAN)
    assert RULE in told_of(untold(lore))


def test_a_person_is_told_in_five_lines_at_most(lore: Lore) -> None:
    found = []
    for number in range(6):
        outcome = lore.remember(f"The service of part {number} speaks HTTP/2 only.")
        assert not isinstance(outcome, Refused)
        found.append(outcome.memory)
    assert len(told_of(found[:5]).splitlines()) == 6
    assert told_of(found).splitlines()[-2:] == [
        "- The service of part 3 speaks HTTP/2 only.",
        "- and 2 more",
    ]


def test_where_learning_is_off_nothing_is_learned_then_or_later(
    lore: Lore, transcript: Transcript
) -> None:
    lore.sessions.switch_project(on=False)
    transcript.typed(RULE)
    finished(lore, transcript)
    lore.sessions.switch_project(on=True)
    assert (unread(lore), kept(lore), learned(lore)) == ([], [], [])


@pytest.mark.parametrize("is_read_meanwhile", [True, False])
def test_of_a_session_that_goes_on_when_learning_is_switched_on_the_rest_is_learned(
    lore: Lore, transcript: Transcript, clock: Clock, *, is_read_meanwhile: bool
) -> None:
    transcript.row()
    lore.sessions.switch_project(on=False)
    transcript.typed(RULE)
    clock.go_on(minutes=11 if is_read_meanwhile else 1)
    for one in unread(lore):
        memory_of(lore).take_up(one)
    lore.sessions.switch_project(on=True)
    clock.go_on(minutes=1)
    transcript.typed("Fixtures are always made by hand in this repository.")
    finished(lore, transcript)
    assert learned(lore) == ["Fixtures are always made by hand in this repository."]
    with lore.store.read() as conn:
        assert RULE not in learning.summary(conn, "s1")


def test_what_was_said_before_learning_was_switched_off_stays(
    lore: Lore, transcript: Transcript, clock: Clock
) -> None:
    transcript.row()
    transcript.typed(RULE)
    clock.go_on(minutes=1)
    lore.sessions.switch_project(on=False)
    transcript.typed("Fixtures are always made by hand in this repository.")
    clock.go_on(minutes=11)
    for one in unread(lore):
        memory_of(lore).take_up(one)
    lore.sessions.switch_project(on=True)
    transcript.said("Done.")
    finished(lore, transcript)
    assert learned(lore) == [RULE]


@pytest.mark.parametrize("switch", ["project", "everything"])
def test_what_was_said_while_loremap_was_off_is_not_learned_once_it_is_on(
    lore: Lore, transcript: Transcript, clock: Clock, switch: str
) -> None:
    transcript.row()
    if switch == "project":
        switches.switch_project(lore, on=False)
    off = clock.at
    transcript.typed(RULE)
    clock.go_on(minutes=1)
    if switch == "project":
        switches.switch_project(lore, on=True)
    else:
        switches.note_pause(lore, off)
    clock.go_on(minutes=1)
    transcript.typed("Fixtures are always made by hand in this repository.")
    finished(lore, transcript)
    assert learned(lore) == ["Fixtures are always made by hand in this repository."]


def test_a_fork_does_not_learn_what_was_said_in_it_while_learning_was_off(
    lore: Lore, transcript: Transcript, clock: Clock
) -> None:
    transcript.typed("Hello there.")
    finished(lore, transcript)
    clock.go_on(minutes=1)
    fork = Transcript(lore, transcript.path.with_name("fork.jsonl"), "fork")
    fork.repeats(transcript)
    fork.row()
    lore.sessions.switch_project(on=False)
    fork.typed(RULE)
    clock.go_on(minutes=1)
    lore.sessions.switch_project(on=True)
    fork.typed("Fixtures are always made by hand in this repository.")
    finished(lore, fork)
    assert learned(lore) == ["Fixtures are always made by hand in this repository."]


def test_a_fork_does_not_learn_what_its_parent_passed_over(
    lore: Lore, transcript: Transcript, clock: Clock
) -> None:
    lore.sessions.switch_project(on=False)
    transcript.typed(RULE)
    finished(lore, transcript)
    lore.sessions.switch_project(on=True)
    clock.go_on(minutes=1)
    fork = Transcript(lore, transcript.path.with_name("fork.jsonl"), "fork")
    fork.repeats(transcript)
    fork.typed("Fixtures are always made by hand in this repository.")
    finished(lore, fork)
    assert learned(lore) == ["Fixtures are always made by hand in this repository."]


def test_undo_takes_back_what_the_person_did_and_not_what_was_learned(
    lore: Lore, transcript: Transcript
) -> None:
    mine = lore.remember("The gateway speaks HTTP/2 only.")
    transcript.typed(RULE)
    finished(lore, transcript)
    touched = lore.undo()
    assert not isinstance(mine, Refused)
    assert [one.id for one in touched] == [mine.memory.id]
    assert learned(lore) == [RULE]


def test_what_is_erased_is_erased_from_its_session_too(lore: Lore, transcript: Transcript) -> None:
    transcript.typed(RULE)
    finished(lore, transcript)
    (memory,) = lore.list(statuses=(Status.CANDIDATE,))
    with lore.store.read() as conn:
        assert RULE in learning.summary(conn, "s1")
    lore.forget(memory.id, now_and_forever=True)
    with lore.store.read() as conn:
        assert learning.summary(conn, "s1") == ""
        assert memories.listing(conn, memories.Filter(everywhere=True), limit=9) == []
    assert kept(lore) == []


def test_no_secret_is_kept(lore: Lore, transcript: Transcript) -> None:
    key = "ghp_" + "".join(Random(7).choices(ascii_letters + digits, k=36))
    transcript.typed(f"The deploy is always done with the token {key} in the vault.")
    finished(lore, transcript)
    assert key not in str(kept(lore)) + str(learned(lore))


def test_a_forked_session_has_what_its_parent_found(
    lore: Lore, transcript: Transcript, clock: Clock
) -> None:
    transcript.typed(RULE)
    finished(lore, transcript)
    child = Transcript(lore, transcript.path, "s2")
    child.row(parent_id="s1")
    with lore.store.append() as conn:
        findings.copy(conn, "s1", "s2")
        of_parent, of_child = (findings.of_session(conn, id_) for id_ in ("s1", "s2"))
    assert [one.finding for one in of_parent] == [one.finding for one in of_child]
    child.said("Going on from there.")
    clock.go_on(minutes=11)
    for one in unread(lore):
        memory_of(lore).take_up(one)
    (memory,) = lore.list(statuses=(Status.CANDIDATE,))
    assert memory.repetitions == 0


def test_a_session_that_a_crash_ended_just_after_it_was_read_is_finished(
    lore: Lore, transcript: Transcript, clock: Clock
) -> None:
    transcript.row()
    transcript.typed(RULE)
    for number in range(CHECKPOINT_EVENTS):
        transcript.ran(f"make part{number}")
    (one,) = unread(lore)
    memory_of(lore).take_up(one)
    (known,) = unread(lore)
    assert (known.fresh, memory_of(lore).take_up(known), learned(lore)) == (0, None, [])
    clock.go_on(minutes=11)
    (late,) = unread(lore)
    memory_of(lore).take_up(late)
    assert (learned(lore), unread(lore)) == ([RULE], [])


@pytest.mark.parametrize("first", ["s1", "s2"])
def test_what_was_said_before_a_fork_was_said_once_whichever_ends_first(
    lore: Lore, transcript: Transcript, tmp_path: Path, first: str
) -> None:
    transcript.row()
    transcript.typed(RULE)
    for number in range(CHECKPOINT_EVENTS):
        transcript.ran(f"make part{number}")
    child = Transcript(lore, tmp_path / "s2.jsonl", "s2")
    child.repeats(transcript)
    child.said("Going on from there.")
    if first == "s1":
        finished(lore, transcript)
    finished(lore, child)
    finished(lore, transcript)
    with lore.store.read() as conn:
        row = sessions.find(conn, "s2")
    assert row is not None
    assert row.parent_id == "s1"
    (memory,) = lore.list(statuses=(Status.CANDIDATE,))
    assert (memory.content, memory.session_id, memory.repetitions) == (RULE, first, 0)
    with lore.store.read() as conn:
        became = [findings.of_session(conn, id_)[0].memory_id for id_ in ("s1", "s2")]
    assert became == [memory.id, memory.id]


def test_the_end_of_a_session_stands_in_the_audit_trail(lore: Lore, transcript: Transcript) -> None:
    transcript.typed(RULE)
    finished(lore, transcript)
    (entry,) = [one for one in lore.log(limit=20) if one.action == "finalize"]
    assert (entry.actor, entry.detail) == (learning.LEARNING, "session s1 1")


def test_what_a_session_was_told_of_others_is_not_learned_from_it(
    lore: Lore, transcript: Transcript, tmp_path: Path
) -> None:
    told = "Builds are always signed on the release machine."
    found = "Caches are always dropped before the nightly import."
    transcript.typed(told)
    transcript.typed(found)
    transcript.row()
    for number in range(CHECKPOINT_EVENTS):
        transcript.ran(f"make part{number}")
    memory_of(lore).take_up(unread(lore)[0])
    with lore.store.read() as conn:
        kept_as = {one.finding.content: one.fingerprint for one in findings.of_session(conn, "s1")}
    other = Transcript(lore, tmp_path / "s2.jsonl", "s2")
    other.row()
    given = [
        (Tier.SUMMARY, "session s1: words: build"),
        (Tier.BRIDGE, f"finding {kept_as[found][:12]} of claude s1: at work here now"),
    ]
    with lore.store.append() as conn:
        injections.put(conn, [injected(tier, why) for tier, why in given])
    other.typed(found)
    other.typed("Logs are always written in English.")
    seen: list[tuple[str, ...]] = []

    def read(turns: Sequence[Turn], known: Known) -> Sequence[Finding]:
        seen.append(known.injected)
        return always(turns, known)

    SessionMemory(lore, read).learn("s2")
    assert any(told in text for text in seen[-1]), "the summary quotes what was asked"
    assert kept(lore, "s2") == ["Logs are always written in English."]


def injected(tier: Tier, why: str) -> Injection:
    return Injection(
        id=why,
        at=BEGAN,
        session_id="s2",
        project_id=None,
        client="claude",
        moment="prompt",
        tier=tier,
        memory_id=None,
        tokens=9,
        why=why,
    )
