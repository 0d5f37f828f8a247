"""A pattern that enough sessions showed becomes a memory, once, and every session is its source."""

from __future__ import annotations

from pathlib import Path

import pytest
from session_tools import Clock, Transcript, memory_of, unread

from loremap.app import Lore
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Status
from loremap.model.promotion import PromotionSignal as P
from loremap.model.promotion import promotion_signals
from loremap.sessions.session_memory import SessionMemory
from loremap.sessions.telling import note_told, untold
from loremap.storage import patterns

ERROR = "ModuleNotFoundError: No module named 'billing.rates'"
TEST = "pytest tests/test_billing.py"
PAIR = "`src/cart.py` and `src/prices.py` are mostly changed together."


class Work:
    """Sessions of a project, one after the other."""

    def __init__(self, lore: Lore, folder: Path, clock: Clock) -> None:
        self.lore, self.folder, self.clock = lore, folder, clock
        for name in ("src/cart.py", "src/prices.py", "pyproject.toml"):
            (lore.folder / name).parent.mkdir(exist_ok=True)
            (lore.folder / name).write_text("x = 1\n")

    def _over(self, session: Transcript, client: str) -> None:
        written = str(session.path) if session.path.exists() else None
        session.row(ended=True, client=client, transcript=written)
        for one in unread(self.lore):
            SessionMemory(self.lore).take_up(one)
        self.clock.go_on(days=1)

    def _begun(self, number: int) -> Transcript:
        began = Transcript(self.lore, self.folder / f"{number}.jsonl", f"s{number}")
        began.row()
        return began

    def pair(self, number: int, *, times: int = 2) -> None:
        """A session that changes two files together."""
        session = self._begun(number)
        session.typed(f"The cart rounds the discount of order {number} up, mend that.")
        for _ in range(times):
            for name in ("src/cart.py", "src/prices.py"):
                session.edited(str(self.lore.folder / name), new="y = 2")
        self._over(session, "claude")

    def pair_in_log(self, number: int, client: str) -> None:
        """The like of a client whose transcript nobody reads: the log tells of it."""
        session = Transcript(self.lore, self.folder / "none", f"s{number}")
        session.row(client=client, transcript=None)
        session.logged(Moment.PROMPT, text="The cart rounds the discount up again, mend that.")
        for name in ("src/cart.py", "src/prices.py"):
            use = FileUse(path=name, operation=Operation.EDIT)
            session.logged(Moment.AFTER_TOOL, tool="Edit", success=True, files=(use,))
        self._over(session, client)

    def mend(self, number: int, *, cause: str = "", role: str = "") -> None:
        """A session that meets an error and mends it, or has a subagent do so."""
        session = self._begun(number)
        session.typed("The invoices are wrong since the rates were moved, look into it.")
        does = session.hands_on("Mend the rates.", role=role, to="a1") if role else session
        does.ran(TEST, output=f"{ERROR}\n1 failed", fails=True)
        if cause:
            does.said(cause)
        does.edited(str(self.lore.folder / "pyproject.toml"), new='packages = ["billing"]')
        does.ran(TEST, output="3 passed")
        self._over(session, "claude")

    def memories(self, kind: Kind) -> list[Memory]:
        """What is remembered of that kind."""
        return list(self.lore.list(kinds=[kind]))

    def signals(self, memory: Memory) -> set[P]:
        """What speaks for a memory."""
        sources = self.lore.show(memory.id).provenance
        return set(promotion_signals(memory, sources=sources, signals=()))


@pytest.fixture
def work(lore: Lore, tmp_path: Path, clock: Clock) -> Work:
    return Work(lore, tmp_path, clock)


def test_files_that_change_together_in_three_sessions_are_a_memory_once(work: Work) -> None:
    work.pair(1)
    work.pair(2)
    assert not work.memories(Kind.DEPENDENCY_RELATION)
    work.pair(3)
    (memory,) = work.memories(Kind.DEPENDENCY_RELATION)
    assert (memory.content, memory.status, memory.origin) == (
        PAIR,
        Status.CANDIDATE,
        Origin.OBSERVED,
    )
    assert (memory.created_by, memory.files) == ("rule:session", ("src/cart.py", "src/prices.py"))
    sources = work.lore.show(memory.id).provenance
    assert [one.session_id for one in sources] == ["s1", "s2", "s3"]
    assert "seen 6 times in 3 sessions: s1, s2, s3" in sources[0].confidence_reason
    assert work.signals(memory) == {P.MULTI_SESSION, P.HIGH_IMPORTANCE}  # it was said again
    assert untold(work.lore) == [memory]
    note_told(work.lore, [memory])
    work.pair_in_log(4, "codex")
    assert untold(work.lore) == []
    (again,) = work.memories(Kind.DEPENDENCY_RELATION)
    assert (again.id, again.repetitions) == (memory.id, 3)
    assert {one.session_id for one in work.lore.show(memory.id).provenance} == {
        "s1", "s2", "s3", "s4"
    }  # fmt: skip
    assert work.signals(again) == {P.MULTI_SESSION, P.MULTI_AGENT, P.HIGH_IMPORTANCE}


def test_an_error_that_was_mended_twice_is_a_memory(work: Work) -> None:
    work.mend(1)
    assert not work.memories(Kind.ERROR_PATTERN)
    work.mend(2)
    (memory,) = work.memories(Kind.ERROR_PATTERN)
    assert memory.content == (
        f'`{TEST}` failed with “{ERROR}”. Fixed by `packages = ["billing"]` in pyproject.toml.'
    )
    assert {P.MULTI_SESSION, P.ERROR_RESOLUTION} <= work.signals(memory)


@pytest.mark.parametrize("roles", [("", "coder"), ("coder", ""), ("coder", "qa")])
def test_the_subagents_of_one_client_are_no_second_agent(
    work: Work, roles: tuple[str, str]
) -> None:
    for number, role in enumerate(roles, 1):
        work.mend(number, role=role)
    (memory,) = work.memories(Kind.ERROR_PATTERN)
    assert memory.agent == (roles[0] or "claude")
    assert work.signals(memory) == {P.MULTI_SESSION, P.ERROR_RESOLUTION, P.HIGH_IMPORTANCE}


def test_what_was_a_finding_already_is_no_second_memory(work: Work) -> None:
    cause = "The package was never listed in pyproject.toml, so the wheel left it out."
    work.mend(1, cause=cause)
    (finding,) = work.memories(Kind.ERROR_PATTERN)
    assert cause in finding.content
    assert work.signals(finding) == {P.ERROR_RESOLUTION}
    work.mend(2, cause="It is the list of packages in pyproject.toml again.")
    work.mend(3)
    held = [one for one in work.memories(Kind.ERROR_PATTERN) if cause in one.content]
    assert [one.id for one in held] == [finding.id]
    assert {P.MULTI_SESSION, P.ERROR_RESOLUTION} <= work.signals(held[0])
    assert work.lore.project_id is not None
    with work.lore.store.read() as conn:
        found = patterns.of_project(conn, work.lore.project_id)
    assert finding.id in {one.memory_id for one in found}


def test_what_a_person_dropped_stays_so(work: Work) -> None:
    for number in range(1, 4):
        work.pair(number)
    (memory,) = work.memories(Kind.DEPENDENCY_RELATION)
    memory_of(work.lore).drop(memory.id)
    work.pair(5)
    assert not work.memories(Kind.DEPENDENCY_RELATION)


def test_what_was_forgotten_for_good_is_not_learned_again(work: Work) -> None:
    for number in range(1, 4):
        work.pair(number)
    (memory,) = work.memories(Kind.DEPENDENCY_RELATION)
    work.lore.forget(memory.id, now_and_forever=True)
    work.pair(4)
    assert not work.memories(Kind.DEPENDENCY_RELATION)
    assert work.lore.project_id is not None
    with work.lore.store.read() as conn:
        assert not patterns.together(conn, work.lore.project_id, "src/cart.py")


def test_a_pattern_that_is_a_memory_is_believed_by_use(work: Work, clock: Clock) -> None:
    for number in range(1, 4):
        work.pair(number)
    work.pair_in_log(4, "codex")
    (memory,) = work.memories(Kind.DEPENDENCY_RELATION)
    work.lore.tending.run()
    clock.go_on(hours=25)
    user = work.lore.as_session("s9", "claude")
    user.used([memory.id])
    work.lore.tending.run()
    (confirmed,) = work.memories(Kind.DEPENDENCY_RELATION)
    assert (confirmed.status, confirmed.vouched) == (Status.CONFIRMED, False)
