"""What a run of tending does to memories, what it leaves alone, and that it is undone as one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tending_tools import Clock, known, learned, now_of, sentence, used

import loremap
from loremap.app import Lore
from loremap.memory.admission.amend import Edit
from loremap.memory.tending.believing import promotion
from loremap.memory.tending.letting_go import letting_go
from loremap.memory.tending.repeated import repetition
from loremap.memory.tending.tend import planned, tend
from loremap.model.clock import short_id
from loremap.model.kind import Kind
from loremap.model.life import EVICTED, EXPIRED, SESSION_ENDED
from loremap.model.memory import Memory, Origin, Scope, Status
from loremap.model.promotion import UNUSED_IMPORTANCE
from loremap.model.session import Session
from loremap.storage import memories, projects, sessions, tending
from loremap.storage.tables import history

LIFE = (promotion, letting_go, repetition)
"""The passes that move memories; what others derive from them is tested elsewhere."""


def done(lore: Lore) -> dict[str, int]:
    return dict(tend(lore, LIFE).counts)


def set_to(lore: Lore, memory: Memory, **fields: object) -> Memory:
    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
        before = memories.get(tx.conn, memory.id)
        after = replace(before, **fields)  # type: ignore[arg-type]
        return memories.update_memory(tx, before, after, action="update")


def test_a_candidate_is_believed_after_a_day_and_use(lore: Lore, clock: Clock) -> None:
    one = learned(lore, sentence(1), kind=Kind.ERROR_PATTERN, importance=0.8)
    assert done(lore) == {"quarantine": 1}
    assert done(lore) == {}
    used(lore, one, session="s2")
    clock.go_on(hours=23)
    assert done(lore) == {}
    clock.go_on(hours=1)
    assert done(lore) == {"confirm": 1}
    assert now_of(lore, one).status is Status.CONFIRMED
    with lore.store.read() as conn:
        said = [change.action for change in lore.history(short_id(one.id))]
        row = conn.execute(projects.select(projects.projects)).one()
    assert "promote" in said
    assert (row.total_promotions, row.total_evictions) == (1, 0)


def test_what_nobody_used_in_quarantine_is_worth_less_once(lore: Lore, clock: Clock) -> None:
    one = learned(lore, sentence(1), kind=Kind.ERROR_PATTERN, importance=0.8)
    done(lore)
    clock.go_on(hours=24)
    assert done(lore) == {"weaken": 1}
    clock.go_on(hours=24)
    assert done(lore) == {}
    assert now_of(lore, one).importance == pytest.approx(0.8 * UNUSED_IMPORTANCE)


@pytest.mark.parametrize(
    ("preset", "counts"),
    [("conservative", {}), ("balanced", {}), ("aggressive", {"quarantine": 1})],
)
def test_the_preset_of_the_project_decides(lore: Lore, preset: str, counts: dict[str, int]) -> None:
    learned(lore, sentence(1), kind=Kind.ERROR_PATTERN, importance=0.5)  # two points
    lore.tending.use_preset(preset)
    assert lore.tending.preset == preset
    assert done(lore) == counts


def test_the_preset_is_undone(lore: Lore) -> None:
    lore.tending.use_preset("aggressive")
    lore.undo()
    assert lore.tending.preset == "balanced"


@pytest.mark.parametrize(
    ("fields", "days", "goes"),
    [
        ({}, 59, False),
        ({}, 60, True),  # a fact
        ({"kind": Kind.CONTEXT}, 14, True),
        ({"kind": Kind.PREFERENCE}, 364, False),
        ({"origin": Origin.INFERRED}, 21, True),
        ({"kind": Kind.HUMAN_FEEDBACK}, 4_000, False),
        ({"pinned": True}, 400, False),
        ({"origin": Origin.USER_STATED}, 400, False),
    ],
)
def test_an_unused_candidate_has_its_time(
    lore: Lore, clock: Clock, fields: dict[str, object], days: int, goes: bool
) -> None:
    one = learned(lore, sentence(1), **fields)
    clock.go_on(days=days)
    lore.tending.run()
    now = now_of(lore, one)
    assert (now.retracted_reason == EXPIRED) is goes
    assert now.active is not goes


def test_use_keeps_a_candidate(lore: Lore, clock: Clock) -> None:
    one = learned(lore, sentence(1))
    for session in ("s2", "s3", "s4"):
        used(lore, one, session=session)
    clock.go_on(days=400)
    lore.tending.run()
    assert now_of(lore, one).status is Status.CONFIRMED  # a fact used three times


def test_what_expired_is_restored_for_good(lore: Lore, clock: Clock) -> None:
    one = learned(lore, sentence(1))
    clock.go_on(days=61)
    assert done(lore) == {"expire": 1}
    assert lore.restore(short_id(one.id)).status is Status.CANDIDATE
    assert done(lore) == {}


def test_what_expired_may_be_learned_again(lore: Lore, clock: Clock) -> None:
    learned(lore, sentence(1))
    clock.go_on(days=61)
    assert done(lore) == {"expire": 1}
    assert learned(lore, sentence(1), session="s9").active


@pytest.mark.parametrize(
    ("ended_days", "heard_days", "goes"),
    [(2, 2, True), (0.5, 0.5, False), (None, 8, True), (None, 6, False)],
)
def test_what_is_for_one_session_ends_with_it(
    lore: Lore, clock: Clock, ended_days: float | None, heard_days: float, goes: bool
) -> None:
    began = clock.at
    one = learned(lore, sentence(1), scope=Scope.SESSION)
    clock.go_on(days=20)
    back = Clock(clock.at)
    back.go_on(days=-heard_days)
    ended = Clock(clock.at)
    ended.go_on(days=-(ended_days or 0))
    session = Session(
        id="s1",
        client="claude",
        created_at=began,
        project_id=lore.project_id,
        last_at=back.at,
        ended_at=None if ended_days is None else ended.at,
    )
    with lore.store.append() as conn:
        sessions.upsert(conn, session)
    lore.tending.run()
    assert (now_of(lore, one).retracted_reason == SESSION_ENDED) is goes


def limits(lore: Lore, above: int, to: int) -> None:
    values = {**lore.settings.values, "tend.evict_above": above, "tend.evict_to": to}
    lore.engine.settings = replace(lore.settings, values=values)


def test_too_many_make_room_for_the_most_important(lore: Lore, clock: Clock) -> None:
    limits(lore, 20, 15)
    machine = [
        learned(lore, sentence(n), kind=Kind.DECISION, importance=0.3 + n / 100) for n in range(18)
    ]
    stated = lore.remember("A person states that the ledger is sacred", importance=0.1)
    pinned = learned(lore, sentence(400), kind=Kind.DECISION, importance=0.01)
    lore.pin(short_id(pinned.id))
    clock.go_on(hours=25)
    late = learned(lore, sentence(500), kind=Kind.DECISION, importance=0.01)
    assert done(lore) == {"evict": 6}
    gone = known(lore, [Status.RETRACTED])
    assert {one.id for one in gone} == {one.id for one in machine[:6]}
    assert {one.retracted_reason for one in gone} == {EVICTED}
    assert now_of(lore, pinned).active
    assert now_of(lore, late).active  # used within a day
    assert isinstance(stated, loremap.Stored)
    assert now_of(lore, stated.memory).active
    assert done(lore) == {}
    assert lore.restore(short_id(machine[0].id)).active


def test_a_store_of_no_more_than_it_may_hold_loses_nothing(lore: Lore, clock: Clock) -> None:
    limits(lore, 20, 15)
    for number in range(20):
        learned(lore, sentence(number), kind=Kind.DECISION)
    clock.go_on(days=2)
    assert done(lore) == {}


def test_a_run_is_undone_as_one_and_not_done_again(lore: Lore, clock: Clock) -> None:
    expiring = [learned(lore, sentence(n), kind=Kind.CONTEXT) for n in range(8)]
    weak = learned(lore, sentence(9), kind=Kind.ERROR_PATTERN, importance=0.8)
    done(lore)
    clock.go_on(days=15)
    before = {one.id: now_of(lore, one) for one in (*expiring, weak)}
    assert done(lore) == {"expire": 8, "weaken": 1}
    assert "tended" in lore.named_act(lore.last_act())
    lore.undo()
    for one in before.values():
        now = now_of(lore, one)
        assert replace(now, version=0, updated_at=now.created_at) == replace(
            one, version=0, updated_at=one.created_at
        )
    assert done(lore) == {}


def test_what_was_done_by_itself_stands_apart_from_what_a_person_did(
    lore: Lore, clock: Clock
) -> None:
    one = learned(lore, sentence(1))
    clock.go_on(days=60)
    pinned = lore.pin(short_id(learned(lore, sentence(2)).id))
    assert lore.tending.run(by_itself=True).counts["expire"] == 1
    lore.undo()
    assert not now_of(lore, pinned).pinned
    assert now_of(lore, one).status is Status.RETRACTED
    lore.tending.undo()
    assert now_of(lore, one).status is Status.CANDIDATE


def test_a_dry_run_says_what_a_run_does_and_does_nothing(lore: Lore, clock: Clock) -> None:
    for number in range(4):
        learned(lore, sentence(number), kind=Kind.CONTEXT)
    clock.go_on(days=15)
    with lore.store.read() as conn:
        before = lore.store.change_seq(conn)
    said = planned(lore, LIFE)
    with lore.store.read() as conn:
        assert lore.store.change_seq(conn) == before
    ran = tend(lore, LIFE)
    assert [(step.on, step.does) for step in said.steps] == [
        (step.on, step.does) for step in ran.steps
    ]
    assert len(ran.steps) == 4


def test_what_was_withdrawn_long_ago_is_erased(lore: Lore, clock: Clock) -> None:
    wrong = learned(lore, sentence(1))
    lore.retract(short_id(wrong.id))
    clock.go_on(days=89)
    assert done(lore) == {}
    clock.go_on(days=2)
    assert done(lore) == {"erase": 1}
    assert known(lore, list(Status)) == []
    with lore.store.read() as conn:
        assert conn.execute(history.select()).all() == []
    outcome = lore.as_session("s7", "claude").remember(sentence(1), kind="fact")
    assert isinstance(outcome, loremap.Refused)  # its tombstone stays


def test_an_old_store_is_asked_about_first(home: Path, tmp_path: Path, clock: Clock) -> None:
    with loremap.open(tmp_path, now=clock) as lore:
        lore.use_embedder(None)
        lore.init()
        for number in range(8):
            learned(lore, sentence(number), kind=Kind.CONTEXT)
        clock.go_on(days=15)
        assert done(lore) == {"propose": 1}
        (proposal,) = lore.tending.proposals()
        assert len(proposal.items) == 8
        clock.go_on(days=1)
        assert done(lore) == {}  # they wait for a person
        _, changed = lore.tending.decide(short_id(proposal.id), accept=True)
        assert changed == 8
        assert known(lore) == []
        lore.undo()
        assert len(known(lore)) == 8
        assert len(lore.tending.proposals()) == 1
        lore.tending.decide(short_id(proposal.id), accept=False)
        clock.go_on(days=1)
        assert done(lore) == {}  # left for good
        assert len(known(lore)) == 8


def test_a_handful_is_let_go_of_at_once(home: Path, tmp_path: Path, clock: Clock) -> None:
    with loremap.open(tmp_path, now=clock) as lore:
        lore.use_embedder(None)
        lore.init()
        for number in range(5):
            learned(lore, sentence(number), kind=Kind.CONTEXT)
        clock.go_on(days=15)
        assert done(lore) == {"expire": 5}


def twice(lore: Lore) -> tuple[Memory, Memory]:
    """Two statements that nearly say the same, the first by a person."""
    outcome = lore.remember("The billing gateway retries every failed webhook of the ledger twice")
    assert isinstance(outcome, loremap.Stored)
    text = "The billing gateway always retries every failed webhook of the whole ledger twice"
    return outcome.memory, learned(lore, text)


def test_what_nearly_says_the_same_is_proposed_and_merged_on_a_persons_word(lore: Lore) -> None:
    kept, other = twice(lore)
    assert done(lore) == {"propose": 1}
    assert {one.id for one in known(lore)} == {kept.id, other.id}
    assert done(lore) == {}  # not proposed twice
    (proposal,) = lore.tending.proposals()
    assert [(item.memory_id, item.into) for item in proposal.items] == [(other.id, kept.id)]
    lore.tending.decide(short_id(proposal.id), accept=True)
    assert [one.id for one in known(lore)] == [kept.id]
    lore.undo()
    assert {one.id for one in known(lore)} == {kept.id, other.id}


def test_a_step_whose_memory_was_changed_meanwhile_is_left_out(lore: Lore, clock: Clock) -> None:
    one = learned(lore, sentence(1), kind=Kind.CONTEXT)
    clock.go_on(days=15)
    (step,) = planned(lore, LIFE).steps
    lore.edit(short_id(one.id), Edit(importance=0.9))
    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
        step.apply(tx)
    assert now_of(lore, one).active


@pytest.mark.parametrize(
    ("hours", "recalls", "due"), [(23, 49, False), (24, 0, True), (1, 50, True)]
)
def test_when_it_is_due(lore: Lore, clock: Clock, hours: int, recalls: int, due: bool) -> None:
    learned(lore, sentence(1))
    clock.go_on(hours=hours)
    with lore.store.append() as conn:
        conn.execute(projects.projects.update().values(total_recalls=recalls))
    assert lore.tending.is_due is due
    lore.tending.run()
    assert not lore.tending.is_due


def test_who_comes_second_does_nothing_until_the_first_is_done(lore: Lore, clock: Clock) -> None:
    learned(lore, sentence(1), kind=Kind.CONTEXT)
    clock.go_on(days=15)
    with lore.store.write(now=clock.at, actor=lore.actor) as tx:
        assert tending.claim(tx, "another")
    assert lore.tending.run().is_busy
    clock.go_on(seconds=61)  # whoever it was, it was killed
    assert done(lore) == {"expire": 1}
