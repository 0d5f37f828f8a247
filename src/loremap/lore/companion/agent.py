"""The memory agent (seed-000): one per resident, it knows every session and answers each in time.

Whoever asks waits for the deadline at most. What is not found by then waits for the next prompt
and is gated anew against it. What was given is written down behind the answer, by a queue that
never blocks; what must outlive this process is in the store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.errors import LoremapError
from loremap.injection import budget
from loremap.injection.brief import Brief, Dress
from loremap.injection.ours import without_ours
from loremap.injection.pending import LOOKED_AT, Pending, is_stale, question
from loremap.injection.referenced import referenced
from loremap.injection.render import Piece, result_line
from loremap.lore.companion import giving
from loremap.lore.companion.errands import Later
from loremap.lore.companion.guide import Guide
from loremap.lore.companion.late import Inline
from loremap.lore.companion.ledger import Ledger
from loremap.lore.companion.recall import (
    NOTHING,
    Asking,
    Found,
    Retriever,
    Verifier,
    as_question,
    seen_from,
)
from loremap.lore.companion.sessions import Sessions, remaining_of
from loremap.lore.companion.spoken import Spoken
from loremap.lore.companion.state import Part, State
from loremap.lore.figures.measures import session_figures
from loremap.lore.figures.meter import Noting, unnoted
from loremap.lore.residence import Residence
from loremap.model.client import client_named
from loremap.model.hook import HookEvent, Moment, Reply
from loremap.model.recall import Alert, Hit, Trace
from loremap.model.session import Tier
from loremap.model.words import words
from loremap.ops.caught import caught
from loremap.ops.metrics import Measure, notice
from loremap.ops.slo import Monitor
from loremap.retrieval.gate import asked
from loremap.storage import injections, memories

if TYPE_CHECKING:
    from loremap.lore.facade import Lore

MOST_LATER = 64
BEGINNING_S = 0.8
"""What a session's or subagent's start may take: nobody has asked anything yet."""
MOST_TASK = 5
"""Memories of one prompt: seed-004's injectionTopN."""
MOST_ALERTS = 10
MOST_SUBAGENT = 8
MOST_TEXT = 100_000
"""Letters of a text about to be written that triggers look at."""
MODEL_AWAITED_S = 3.0
"""How long the model is waited for, by nobody but the work that comes after."""
EMPTY_TIERS = ("bridge", "summary")
"""Tiers whose content comes with later work."""
NOT_A_PROMPT = "[SYSTEM NOTIFICATION - NOT USER INPUT]"
NO_BRIEF = Brief("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """One retrieval that is over, for those who tend the memory afterwards."""

    folder: Path
    session_id: str
    client: str
    at: datetime
    prompt: str
    hits: tuple[Hit, ...]
    trace: Trace | None
    given: tuple[str, ...]
    """Ids of the memories that were injected."""


Chore = Callable[[Retrieved], None]
"""Work after a retrieval (seed-000 §7), done in the background."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The answer to an agent's own question."""

    hits: tuple[Hit, ...]
    text: str
    known: int = 0
    """How many more fit that this session has already."""
    gated: bool = False
    trace: Trace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """What was found for a prompt."""

    task: str
    at: datetime
    found: Found = NOTHING
    brief: Brief = NO_BRIEF

    def pending(self) -> Pending | None:
        """What waits for the next prompt where this one did not wait."""
        ids = tuple(hit.memory.id for hit in self.found.hits)
        return Pending(prompt=self.task, at=self.at, ids=ids) if ids else None


class Companion:
    """The memory agent."""

    def __init__(
        self,
        residence: Residence,
        *,
        verifier: Verifier | None = None,
        chores: Sequence[Chore] = (),
        measured: Noting = unnoted,
    ) -> None:
        self._residence = residence
        self._house = residence.house
        self._chores = tuple(chores)
        self._measured = measured
        self.monitor = Monitor()
        self.caught: Callable[[str, BaseException], None] = partial(caught, residence.places.home)
        """Told what went wrong where nobody could be told."""
        self._inline = Inline(deadline_s=self._deadline_s, failed=partial(self._caught, "late"))
        self._later = Later(
            name="memory-agent-later", most=MOST_LATER, failed=partial(self._caught, "later")
        )
        self._ledger = Ledger(self._house.store, now=residence.now, caught=self._caught)
        self.spoken = Spoken(residence.now)
        """What people typed lately."""
        self._guide = Guide(residence.places.graphs, lambda: self._house.seat.taken)
        self._sessions = Sessions(self._ledger, self._guide, self._later)
        self._retriever = Retriever(
            residence,
            self._guide,
            self.monitor,
            verifier=verifier,
            later=self._later.hand,
            measured=measured,
        )
        self._acts: dict[Moment, Callable[[HookEvent], Reply]] = {
            Moment.SESSION_START: self._session_start,
            Moment.PROMPT: self._prompt,
            Moment.BEFORE_TOOL: self._before_tool,
            Moment.AFTER_TOOL: self._given,
            Moment.STOP: self._stop,
            Moment.BEFORE_COMPACT: self._before_compact,
            Moment.AFTER_COMPACT: self._after_compact,
            Moment.SUBAGENT_START: self._subagent_start,
            Moment.SUBAGENT_STOP: self._subagent_stop,
            Moment.SESSION_END: self._session_end,
        }

    @property
    def dropped(self) -> int:
        """How much found everybody busy: questions, notes and work for later."""
        return self._inline.dropped + self._ledger.dropped + self._later.dropped

    def handle(self, event: HookEvent) -> Reply:
        """What is answered to an event, within the deadline; nothing where anything fails."""
        act = self._acts.get(event.moment)
        if act is None or event.folder is None or not event.session_id:
            return Reply()
        try:
            return act(event)
        except (LoremapError, OSError) as fault:
            self._caught(event.moment.value, fault)
            return Reply()

    def undelivered(self, event: HookEvent) -> None:
        """What this event was answered with reached nobody: it is owed again."""
        state = self._sessions.get(event)
        if state is not None:
            giving.take_back(event, state, self._ledger)

    def settle(self, timeout_s: float = 10.0) -> bool:
        """Wait until what was handed over is done; for tests and for a clean end."""
        return self._later.settle(timeout_s) and self._ledger.settle(timeout_s)

    def close(self) -> None:
        """Finish what is at work, write what waits, and let go."""
        self._inline.close()
        self._later.close()
        self._retriever.close()
        self._ledger.close()
        self._guide.close()

    # The moments

    def _session_start(self, event: HookEvent) -> Reply:
        self._inline.done(lambda: self._begin(event), wait_s=BEGINNING_S)
        return self._given(event)

    def _prompt(self, event: HookEvent) -> Reply:
        if NOT_A_PROMPT in event.prompt[:200]:
            return Reply()
        if event.subagent_id is None:
            typed = without_ours(event.prompt)
            self.spoken.note(typed, client=event.client, session_id=event.session_id)
        started = time.perf_counter()
        work = self._inline.done(
            lambda: self._for_prompt(event, started), late=partial(self._keep, event)
        )
        if work is None:
            return self._given(event)
        reply = self._given(event, work.brief)
        self._hand_to_chores(event, work)
        return reply

    def _before_tool(self, event: HookEvent) -> Reply:
        if event.tool is None:
            return Reply()
        alerts = self._inline.done(lambda: self._alerts(event), late=partial(self._owe, event))
        state = self._sessions.get(event)
        if state is not None and alerts:
            if self._house.settings.flag("inject.hold"):
                reply = giving.held(event, state, self._ledger, alerts)
                if reply is not None:
                    return reply
            giving.owe(event, state, alerts)
        return self._given(event)

    def _stop(self, event: HookEvent) -> Reply:
        state = self._sessions.get(event)
        if state is not None and event.subagent_id is None:
            if event.said:
                self._later.hand(partial(self._mark_used, event, state))
            self._later.hand(partial(self._make_ready, event))
        return Reply()

    def _before_compact(self, event: HookEvent) -> Reply:
        self._sessions.compacting(event, self._residence.now())
        return Reply()

    def _after_compact(self, event: HookEvent) -> Reply:
        self._sessions.compacted(event, self._residence.now())
        return Reply()

    def _subagent_start(self, event: HookEvent) -> Reply:
        brief = self._inline.done(lambda: self._for_subagent(event), wait_s=BEGINNING_S)
        return self._given(event, brief)

    def _subagent_stop(self, event: HookEvent) -> Reply:
        state = self._sessions.get(event)
        if state is not None and event.subagent_id is not None:
            state.subagents.pop(event.subagent_id, None)
        return Reply()

    def _session_end(self, event: HookEvent) -> Reply:
        return Reply(notice=self._inline.done(lambda: self._end(event)) or "")

    def _given(self, event: HookEvent, task: Brief | None = None) -> Reply:
        state = self._sessions.get(event)
        if state is None:
            return Reply()
        return giving.given(event, state, self._ledger, task=task)

    # What is done at them

    def _begin(self, event: HookEvent) -> None:
        with self._at(event) as lore:
            self._sessions.begin(event, lore)

    def _for_prompt(self, event: HookEvent, started: float) -> _Work:
        prompt = as_question(without_ours(event.prompt))
        now = self._residence.now()
        with self._at(event) as lore:
            state = self._sessions.known(event, lore)
        if state.session.held_out:
            return _Work(task=prompt, at=now)
        terms = asked(prompt).content
        waiting = self._heard(event, state, prompt, now)
        task = question(prompt, waiting, has_content=bool(terms))
        if not asked(task).content:
            return _Work(task=prompt, at=now)
        cold = self._retriever.is_cold
        thinking = self._retriever.thinking(task)
        told = self._told(event, state)
        asking = self._asking(event, state, task)
        every = self._retriever.found(asking, thinking)
        # The best first and then without what was told: else the second best would trickle in.
        found = every.unasked().best(MOST_TASK, late=waiting).without(told)
        if task is prompt and event.subagent_id is None:
            with state.lock:
                state.hear(terms, vector=thinking.vector(), known=bool(found.known))
        found = self._retriever.verified(task, found)
        if cold:
            self._later.hand(partial(self._prepare, event, state, asking))
        self.monitor.took((time.perf_counter() - started) * 1000)
        return _Work(task=task, at=now, found=found, brief=self._brief_of(event, state, found))

    def _heard(self, event: HookEvent, state: State, prompt: str, now: datetime) -> Pending | None:
        """What waited for this prompt, if it is not too old; the prompt's words are noted."""
        if event.subagent_id is not None:
            return None
        with state.lock:
            waiting, state.pending = state.pending, None
            state.spoken_of |= set(words(prompt))
        return None if waiting is None or is_stale(waiting, now) else waiting

    def _keep(self, event: HookEvent, late: _Work) -> None:
        """Keep what came too late for the next prompt."""
        state, pending = self._sessions.get(event), late.pending()
        if state is not None and pending is not None and event.subagent_id is None:
            with state.lock:
                state.pending = pending

    def _prepare(self, event: HookEvent, state: State, asking: Asking) -> None:
        """Wait for the model and look again; what it finds is for the next prompt."""
        until = time.monotonic() + MODEL_AWAITED_S
        while self._house.seat.embedder() is None and time.monotonic() < until:
            time.sleep(0.1)
        thinking = self._retriever.thinking(asking.task)
        if thinking.vector() is None:
            return
        every = self._retriever.found(replace(asking, names_modules=False), thinking)
        found = every.unasked().best(MOST_TASK).without(self._told(event, state))
        found = self._retriever.verified(asking.task, found)
        ids = tuple(hit.memory.id for hit in found.hits)
        with state.lock:
            if ids and state.pending is None:
                now = self._residence.now()
                state.pending = Pending(prompt=asking.task, at=now, ids=ids)

    def _for_subagent(self, event: HookEvent) -> Brief | None:
        with self._at(event) as lore:
            state = self._sessions.known(event, lore)
        task = state.task_for(event.subagent_kind)
        if not task or state.session.held_out:
            return None
        asking = replace(self._asking(event, state, task), modules_told=(), of_modules=True)
        every = self._retriever.found(asking, self._retriever.thinking(task))
        found = self._retriever.verified(task, every.best(MOST_SUBAGENT))
        return self._brief_of(event, state, found)

    def _alerts(self, event: HookEvent) -> Sequence[Alert]:
        tool = event.tool
        assert tool is not None
        with self._at(event) as lore:
            state = self._sessions.known(event, lore)
            if tool.task:
                kind = str(tool.input.get("subagent_type", ""))
                with state.lock:
                    state.tasks.append((kind, as_question(tool.task)))
            alerts = lore.check(
                command=tool.command,
                files=[use.path for use in tool.files],
                text=None if tool.text is None else tool.text[:MOST_TEXT],
                limit=MOST_ALERTS,
            )
        rejected = self._rejected(state) if alerts else frozenset()
        return [alert for alert in alerts if alert.memory.id not in rejected]

    def _owe(self, event: HookEvent, alerts: Sequence[Alert]) -> None:
        state = self._sessions.get(event)
        if state is not None:
            giving.owe(event, state, alerts)

    def _end(self, event: HookEvent) -> str:
        """Close the session's books, and say what memory was worth in it."""
        with self._at(event) as lore:
            state = self._sessions.end(event, lore)
        if state is None or state.incognito or state.session.held_out:
            return ""
        with self._house.store.read() as conn:
            figures = session_figures(conn, state.session.id)
        return "" if figures is None else notice(figures)

    def _mark_used(self, event: HookEvent, state: State) -> None:
        with state.lock:
            ids = sorted({*state.told.memories, *state.told.lines, *state.standing})
            spoken_of = frozenset(state.spoken_of)
        if not ids or state.incognito:
            return
        with self._house.store.read() as conn:
            given = memories.by_ids(conn, ids)
        used = referenced(event.said, given, spoken_of=spoken_of)
        if used:
            self._ledger.note_used(state, used)
            with self._at(event) as lore:
                lore.used(used)

    def _make_ready(self, event: HookEvent) -> None:
        """Read the words of what the turn has changed, before the next prompt asks."""
        with self._at(event) as lore:
            if not lore.code.scanned or self._guide.is_ready(lore):
                return
            read = self._guide.make_ready(lore)
        read()

    def _hand_to_chores(self, event: HookEvent, work: _Work) -> None:
        state = self._sessions.get(event)
        if not self._chores or state is None or state.incognito:
            return
        assert event.folder is not None
        retrieved = Retrieved(
            folder=event.folder,
            session_id=state.session.id,
            client=event.client,
            at=work.at,
            prompt=work.task,
            hits=work.found.hits,
            trace=work.found.trace,
            given=tuple(hit.memory.id for hit in work.brief.hits),
        )
        for chore in self._chores:
            self._later.hand(partial(chore, retrieved))

    # Asked by the agent itself

    def asked(
        self,
        folder: Path,
        text: str,
        *,
        session_id: str | None,
        client: str,
        limit: int = 5,
        again: bool = False,
        files: Sequence[str] = (),
        kinds: Sequence[str] = (),
    ) -> Asked:
        """The answer to an agent's question; what its session has already is not repeated."""
        state = self._called(folder, session_id, client)
        told = set() if state is None or again else {*state.told.memories, *state.standing}
        asking = Asking(
            folder=folder,
            session_id=session_id,
            client=client,
            task=as_question(text),
            looked_at=max(limit, LOOKED_AT),
            kinds=tuple(kinds),
            files=tuple(files),
            names_modules=False,
        )
        every = self._retriever.found(asking, self._retriever.thinking(asking.task))
        found = every.without(told)
        hits = found.hits[:limit]
        self._note_asked(state, client, hits)
        if state is not None and not state.incognito:
            session = state.session
            self._measured(Measure.ASKED, 1.0, project_id=session.project_id, session_id=session.id)
        return Asked(
            hits=hits,
            text="\n".join(result_line(hit) for hit in hits),
            known=found.known,
            gated=found.gated,
            trace=found.trace,
        )

    def brief(
        self,
        folder: Path,
        task: str,
        *,
        session_id: str | None,
        client: str,
        budget_tokens: int,
    ) -> str:
        """What is known for a task: its modules, and what is remembered of them."""
        state = self._called(folder, session_id, client)
        asking = Asking(
            folder=folder,
            session_id=session_id,
            client=client,
            task=as_question(task),
            most_modules=4,
            of_modules=True,
        )
        found = self._retriever.found(asking, self._retriever.thinking(asking.task))
        known = client_named(client)
        made = found.briefed(
            Dress(form=known.form, budget_tokens=budget_tokens, most_bytes=known.most_bytes)
        )
        self._note_asked(state, client, made.hits)
        return made.text

    def _called(self, folder: Path, session_id: str | None, client: str) -> State | None:
        if session_id is None:
            return None
        with seen_from(self._residence, folder, session_id=session_id, client=client) as lore:
            return self._sessions.called(lore, session_id, client)

    def _note_asked(self, state: State | None, client: str, hits: Sequence[Hit]) -> None:
        if state is None or not hits:
            return
        with state.lock:
            state.told.memories.update(hit.memory.id for hit in hits)
        pieces = tuple(
            Piece(text=result_line(hit), memory_id=hit.memory.id, why="asked", score=hit.score)
            for hit in hits
        )
        self._ledger.note_given(
            state, Part(Tier.ASKED, "", pieces), client=client, moment=Tier.ASKED.value
        )

    # Means

    def _asking(self, event: HookEvent, state: State, task: str) -> Asking:
        assert event.folder is not None
        with state.lock:
            return Asking(
                folder=event.folder,
                session_id=event.session_id,
                client=event.client,
                task=task,
                modules_told=frozenset(state.told_in(event.subagent_id).modules),
                looked_at=LOOKED_AT,
            )

    def _told(self, event: HookEvent, state: State) -> frozenset[str]:
        """What need not be told: the context holds it, or a person rejected it."""
        rejected = self._rejected(state)
        with state.lock:
            told = state.told_in(event.subagent_id).memories
            return frozenset({*told, *state.standing, *rejected})

    def _rejected(self, state: State) -> frozenset[str]:
        with self._house.store.read() as conn:
            return frozenset(injections.rejected_in(conn, state.session.id))

    def _brief_of(self, event: HookEvent, state: State, found: Found) -> Brief:
        """What was found as a brief, in the room that what is owed leaves it."""
        client = client_named(event.client)
        room = client.most_bytes - giving.owed_bytes(event, state, client)
        ceiling = budget.ceiling_for(self._house.settings.whole("inject.tokens"), room)
        share = budget.allocation(remaining_of(event), ceiling, empty=EMPTY_TIERS)
        return found.briefed(
            Dress(form=client.form, budget_tokens=share.retrieval, most_bytes=room)
        )

    def _at(self, event: HookEvent) -> AbstractContextManager[Lore]:
        assert event.folder is not None
        return seen_from(
            self._residence, event.folder, session_id=event.session_id, client=event.client
        )

    def _deadline_s(self) -> float:
        return self._house.settings.whole("inject.deadline_ms") / 1000

    def _caught(self, where: str, fault: BaseException) -> None:
        self.caught(f"companion, {where}", fault)
