"""Any order of acts on memories, by people, agents and time: no status moves along an edge that the
life does not have, what a person stands behind is never let go, and all can be undone."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tending_tools import Clock, known, learned, now_of, sentence, used

from loremap.app import Lore
from loremap.errors import LoremapError
from loremap.memory.admission.amend import Edit
from loremap.model.clock import short_id
from loremap.model.kind import Kind
from loremap.model.life import may_move
from loremap.model.memory import Memory, Relation, Status
from loremap.model.record import from_record
from loremap.storage import changes

KINDS = [Kind.FACT, Kind.CONTEXT, Kind.ERROR_PATTERN, Kind.DECISION]


class Life(RuleBasedStateMachine):
    """A project of a dozen memories, and everything that can happen to them."""

    lore: Lore
    """Opened once: to make a store, and to put together what is asked of it, takes longer than all
    that happens in an example."""
    clock: Clock
    written = 0
    """How many memories were written, in all examples: none says what another said."""

    @initialize()
    def begin(self) -> None:
        held = [one.id for one in known(self.lore, list(Status))]
        self.lore.store.erase(held, now=self.clock.at, actor=self.lore.actor, scrub=False)
        self.owned: set[str] = set()
        """What a person confirmed, pinned or edited, and did not touch since."""

    def pick(self, place: int) -> Memory:
        held = known(self.lore, list(Status))
        return held[place % len(held)]

    def act(self, place: int, verb: str, **given: object) -> str | None:
        """Do what a person does; what the program refuses, it refuses whole."""
        one = self.pick(place)
        try:
            getattr(self.lore, verb)(short_id(one.id), **given)
        except LoremapError:
            assert now_of(self.lore, one) == one
            return None
        return one.id

    has_some = precondition(lambda self: bool(known(self.lore, list(Status))))

    @rule(kind=st.sampled_from(KINDS), importance=st.sampled_from([0.1, 0.5, 0.9]))
    def learn(self, kind: Kind, importance: float) -> None:
        Life.written += 1
        learned(self.lore, sentence(self.written), kind=kind, importance=importance)

    @has_some
    @rule(place=st.integers(0, 50), session=st.sampled_from(["s1", "s2", "s3"]))
    def use(self, place: int, session: str) -> None:
        used(self.lore, self.pick(place), session=session)

    @rule(days=st.sampled_from([0.5, 1, 15, 70]))
    def wait(self, days: float) -> None:
        self.clock.go_on(days=days)

    @rule()
    def tend(self) -> None:
        self.lore.tending.run()

    @has_some
    @rule(place=st.integers(0, 50), verb=st.sampled_from(["confirm", "pin"]))
    def stand_by(self, place: int, verb: str) -> None:
        if done := self.act(place, verb):
            self.owned.add(done)

    @has_some
    @rule(place=st.integers(0, 50), verb=st.sampled_from(["retract", "forget", "restore", "unpin"]))
    def change(self, place: int, verb: str) -> None:
        if done := self.act(place, verb):
            self.owned.discard(done)

    @has_some
    @rule(place=st.integers(0, 50))
    def edit(self, place: int) -> None:
        one = self.pick(place)
        if one.active:
            self.lore.edit(short_id(one.id), Edit(importance=0.6))
            self.owned.add(one.id)

    @has_some
    @rule(new=st.integers(0, 50), old=st.integers(0, 50))
    def replace_one(self, new: int, old: int) -> None:
        one, other = self.pick(new), self.pick(old)
        try:
            self.lore.link(short_id(one.id), short_id(other.id), Relation.SUPERSEDES)
        except LoremapError:
            assert now_of(self.lore, other) == other
            return
        self.owned.discard(other.id)

    @has_some
    @rule(place=st.integers(0, 50), restore=st.booleans())
    def call_wrong(self, place: int, restore: bool) -> None:
        try:
            said = self.lore.lessons.wrong(short_id(self.pick(place).id), restore=restore)
        except LoremapError:
            return
        self.owned.discard(said.memory.id)

    @has_some
    @rule(tended=st.booleans())
    def undo(self, tended: bool) -> None:
        try:
            touched = self.lore.tending.undo() if tended else self.lore.undo()
        except LoremapError:
            return
        self.owned -= {one.id for one in touched}

    @invariant()
    def every_move_is_of_a_life(self) -> None:
        for one in known(self.lore, list(Status)):
            with self.lore.store.read() as conn:
                told = changes.history_of(conn, one.id)
            after = [from_record(each.before) for each in told[1:] if each.before] + [one]
            for change, now in zip(told[1:], after[1:], strict=True):
                assert change.before is not None
                before = from_record(change.before)
                assert may_move(before.status, now.status, change.action), change

    @invariant()
    def what_a_person_stands_behind_speaks(self) -> None:
        assert self.owned <= {one.id for one in known(self.lore)}


def test_no_memory_leaves_its_life(lore: Lore, clock: Clock) -> None:
    values = {**lore.settings.values, "tend.evict_above": 6, "tend.evict_to": 4}
    lore.engine.settings = replace(lore.settings, values=values)
    Life.lore, Life.clock = lore, clock
    Life.TestCase.settings = settings(
        max_examples=20,
        stateful_step_count=15,
        deadline=None,
        derandomize=True,
        database=None,
        # Shrinking what fails would take minutes; each failure is printed step by step.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    Life.TestCase("runTest").runTest()
