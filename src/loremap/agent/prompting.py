"""What a prompt or a subagent's task is told: by the deadline, or with the next event.

The first prompt of a session or a topic that has content is told the brief of its task, once; the
prompts after it only what the gate is sure of. Words answer at once. Where the model's vector or a
verifier's word comes later, what they find waits as pending: it comes with the next tool, or is
held against the next prompt, which need not wait for them again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from loremap.agent.background import Later
from loremap.agent.delivery import owed_bytes
from loremap.agent.events import (
    Followed,
    FoundLate,
    OpenTopic,
    StartTask,
    SubagentStarted,
    TakenUp,
    TakeUp,
)
from loremap.agent.retriever import Asking, Retriever, as_question, seen_by
from loremap.agent.service_level import Monitor
from loremap.agent.sessions import Sessions, remaining_of
from loremap.agent.state import Pending, State, is_new_topic
from loremap.agent.states import found as only
from loremap.agent.thinking import Thinking
from loremap.agent.warning import rejected
from loremap.clients.own_reading import OwnReading
from loremap.clients.registry import client_named
from loremap.code.module_map.line import module_line
from loremap.embedding.protocol import Vectors
from loremap.memory import recalling
from loremap.memory.anchoring import told_here
from loremap.memory.bridge import bridge
from loremap.memory.brief import budget
from loremap.memory.brief.brief import TITLE_TOKENS, Brief, Dress, size_of
from loremap.memory.brief.ours import is_our_command, without_ours
from loremap.memory.brief.recaps import resembled, untold
from loremap.memory.brief.render import Piece
from loremap.memory.found import NOTHING, Found
from loremap.memory.standing import standing_hits
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces
from loremap.model.hook import HookEvent
from loremap.model.recall import Hit
from loremap.model.words import words
from loremap.storage import memories

MAX_TASK = 5
"""Memories of one prompt, at most."""
MAX_SUBAGENT = 8
OWN_WORDS = 4
"""A prompt of so many words speaks for itself; a shorter one may say no more than "go on"."""
MODEL_AWAITED_S = 3.0
"""How long a model is waited for, by nobody but the work that comes after."""
MODEL_SHARE = 0.6
"""What of the deadline the model may take; past it words answer alone."""
LOCATE_SHARE = 0.75
"""What of the deadline may be over when the files of a task are no longer waited for."""
ANSWER_SHARE = 0.85
"""What of the deadline may be over when a verifier is no longer waited for."""
NO_BRIEF = Brief("")
WARM_UP = "the first question opens the store, the arrays and the map"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What was found for an event, and what of it is told."""

    event: HookEvent
    at: datetime
    prompt: str = ""
    """What was asked: a prompt that says nothing stands for the one before."""
    found: Found = NOTHING
    brief: Brief = NO_BRIEF
    passed: tuple[str, ...] = ()
    """Ids of the memories that a second look has dropped."""

    @property
    def given(self) -> tuple[str, ...]:
        """Ids of the memories that are told."""
        return tuple(hit.memory.id for hit in self.brief.hits)

    @property
    def pending(self) -> Pending | None:
        """What waits for the next prompt where this one did not wait."""
        ids = self.found.ids
        return Pending(prompt=self.prompt, at=self.at, ids=ids) if ids else None


class Prompting:
    """Finds what is told, and keeps what came late."""

    def __init__(
        self,
        workspaces: Workspaces[Workspace],
        sessions: Sessions,
        retriever: Retriever,
        *,
        later: Later,
        monitor: Monitor,
    ) -> None:
        self._workspaces = workspaces
        self._engine = workspaces.engine
        self._sessions = sessions
        self._retriever = retriever
        self._later = later
        self._monitor = monitor

    def for_prompt(self, event: HookEvent, started: float) -> Retrieved:
        """What a prompt is told."""
        prompt = as_question(without_ours(event.prompt))
        now = self._workspaces.now()
        with seen_by(self._workspaces, event) as lore:
            state = self._sessions.known(event, lore)
        if state.session.held_out or is_our_command(prompt):
            return Retrieved(event=event, at=now, prompt=prompt)
        terms, said = self._telling(event, prompt), frozenset(words(prompt))
        waiting = self._taken_up(event, now, said)
        has_content = bool(terms) or len(said) >= OWN_WORDS
        task = question(prompt, waiting, has_content=has_content)
        late = () if waiting is None else waiting.ids
        thinking = self._retriever.thinking(task)
        told = self._told(event, state)
        asking = replace(self._asking(event, task), late=late, stands_in=task is not prompt)
        every = self._retriever.found(
            asking,
            thinking,
            until=started + MODEL_SHARE * self._deadline_s(),
            located_by=started + LOCATE_SHARE * self._deadline_s(),
            opens=partial(self._opens, event, state, said),
        )
        sure = every.unasked()
        # The best first and then without what was told: else the second best would trickle in.
        found = replace(sure, modules=()).best(MAX_TASK, late=late).without(told)
        if task is prompt and event.subagent_id is None:
            about = Followed(
                said,
                None if thinking.is_late else thinking.vector(),
                self._retriever.scale,
                is_known=bool(found.known),
                is_worth=bool(
                    sure.hits or sure.modules or every.concerns_code or resembled(every.earlier)
                ),
                is_whole=every.is_whole,
            )
            opens = only(self._sessions.apply(event, about), OpenTopic)
            if opens is not None:
                block = state.session.always_on
                found = _opening(every, found, opens.modules, block).without(told)
        looked_at = found
        found = self._verified(event, task, found, sure=late, started=started)
        # Not by whether it is late now: it may have come since words had to answer alone.
        if self._retriever.is_cold or (thinking.is_begun and not every.with_vectors):
            self._later.hand(partial(self._prepare, event, asking, thinking))
        found = self._with_bridge(event, state, found)
        self._monitor.took((time.perf_counter() - started) * 1000)
        brief = self._brief_of(event, state, found)
        return Retrieved(
            event=event,
            at=now,
            prompt=task,
            found=found,
            brief=brief,
            passed=passed_over(looked_at, found),
        )

    def _with_bridge(self, event: HookEvent, state: State, found: Found) -> Found:
        """What was found, with what others at work here find and change; a subagent goes by what
        its session is told."""
        if event.subagent_id is not None:
            return found
        with seen_by(self._workspaces, event) as lore:
            pieces = bridge(lore, self._told_beside(event, state))
        said = self._told(event, state) | frozenset(found.ids)
        return replace(found, bridge=tuple(one for one in pieces if one.memory_id not in said))

    def overdue(self, event: HookEvent) -> Retrieved:
        """What came too late for the last prompt and still holds, for an event of the same turn:
        nobody has asked anything else since."""
        now = self._workspaces.now()
        with seen_by(self._workspaces, event) as lore:
            state = self._sessions.known(event, lore)
            waiting = self._taken_up(event, now)
            if waiting is None or state.session.held_out:
                return Retrieved(event=event, at=now)
            with lore.store.read() as conn:
                found = [one for one in memories.by_ids(conn, waiting.ids) if one.active]
            hits = told_here(lore, found)
        late = Found(hits=tuple(hits)).without(self._told(event, state))
        brief = self._brief_of(event, state, late)
        return Retrieved(event=event, at=waiting.at, prompt=waiting.prompt, found=late, brief=brief)

    def for_subagent(self, event: HookEvent) -> Brief | None:
        """What a subagent starts with: what stands here, and the brief of its task where that is
        known."""
        with seen_by(self._workspaces, event) as lore:
            state = self._sessions.known(event, lore)
            reading = OwnReading(client_named(event.client), lore.repository)
            standing = standing_hits(lore, is_loaded=reading.has)
        if state.session.held_out:
            return None
        found = Found(standing=tuple(standing))
        given = only(self._sessions.apply(event, SubagentStarted(event.subagent_kind)), StartTask)
        if given is not None and given.task:
            asking = replace(self._asking(event, given.task), with_standing=True)
            every = self._retriever.found(asking, self._retriever.thinking(given.task))
            found, _ = self._second_look(event, given.task, every.best(MAX_SUBAGENT))
        return self._brief_of(event, state, found.without(self._rejected(state)))

    def _opens(
        self, event: HookEvent, state: State, terms: Collection[str], vector: Vectors | None
    ) -> bool:
        """Whether a prompt opens a session or a topic, as far as that is known before it is
        answered."""
        state = self._sessions.get(event) or state
        opens = not state.briefed or is_new_topic(
            state.topic, vector=vector, words=terms, scale=self._retriever.scale
        )
        return opens and event.subagent_id is None

    def _telling(self, event: HookEvent, prompt: str) -> frozenset[str]:
        """The words of a prompt that say what it is about, by what is spoken of here."""
        with seen_by(self._workspaces, event) as lore:
            return recalling.telling(lore, prompt)

    def get_ready(self, event: HookEvent) -> None:
        """Open what the first prompt of a session will need: the folder, the block, the arrays."""
        with seen_by(self._workspaces, event) as lore:
            self._sessions.known(event, lore)
        self._retriever.found(self._asking(event, WARM_UP), self._retriever.thinking(WARM_UP))

    def keep(self, event: HookEvent, late: Retrieved) -> None:
        """Keep what came too late for the next prompt; nobody has read its brief."""
        if event.subagent_id is None:
            self._sessions.apply(event, FoundLate(late.pending, unread=True))

    def _taken_up(
        self, event: HookEvent, now: datetime, said: frozenset[str] = frozenset()
    ) -> Pending | None:
        """What waited for this event, if it is not too old; the words of a prompt are noted."""
        if event.subagent_id is not None:
            return None
        waited = only(self._sessions.apply(event, TakenUp(now, said)), TakeUp)
        return None if waited is None else waited.pending

    def _verified(
        self, event: HookEvent, task: str, found: Found, *, sure: Collection[str], started: float
    ) -> Found:
        """What stands up to a second look. One that is slow is heard with the next prompt."""
        until = started + ANSWER_SHARE * self._deadline_s()
        stood, coming = self._second_look(event, task, found, sure=sure, until=until)
        if coming is not None:
            self._later.hand(partial(self._wait_for, event, task, coming))
        return stood

    def _second_look(
        self,
        event: HookEvent,
        task: str,
        found: Found,
        *,
        sure: Collection[str] = (),
        until: float | None = None,
    ) -> tuple[Found, Callable[[], list[Hit]] | None]:
        """What a verifier lets stand. It may ask another process: of an incognito session nobody
        is told."""
        if event.incognito:
            return found, None
        return self._retriever.verified(task, found, sure=sure, until=until)

    def _wait_for(self, event: HookEvent, task: str, coming: Callable[[], Sequence[Hit]]) -> None:
        ids = tuple(hit.memory.id for hit in coming())
        if ids:
            late = Pending(prompt=task, at=self._workspaces.now(), ids=ids)
            self._sessions.apply(event, FoundLate(late))

    def _prepare(self, event: HookEvent, asking: Asking, thinking: Thinking) -> None:
        """Wait for the model and look again; what it finds is for the next prompt."""
        until = time.perf_counter() + MODEL_AWAITED_S
        while self._engine.slot.embedder() is None and time.perf_counter() < until:
            time.sleep(0.1)
        if not thinking.is_late:
            thinking = self._retriever.thinking(asking.task)
        if thinking.vector(until=until) is None:
            return
        every = self._retriever.found(replace(asking, with_code=False), thinking)
        state = self._sessions.get(event)
        told = frozenset() if state is None else self._told(event, state)
        found = every.unasked().best(MAX_TASK).without(told)
        found, _ = self._second_look(event, asking.task, found)
        self._wait_for(event, asking.task, lambda: found.hits)

    def _asking(self, event: HookEvent, task: str) -> Asking:
        assert event.folder is not None
        return Asking(
            folder=event.folder,
            session_id=event.session_id,
            client=event.client,
            task=task,
        )

    def _told(self, event: HookEvent, state: State) -> frozenset[str]:
        """What need not be told: the context holds it, or a person rejected it."""
        told = state.told_in(event.subagent_id).memories
        return told | state.standing | self._rejected(state)

    def _rejected(self, state: State) -> frozenset[str]:
        return rejected(self._engine.store, state)

    def _brief_of(self, event: HookEvent, state: State, found: Found) -> Brief:
        """What was found as a brief, in the room that what is owed leaves it."""
        client = client_named(event.client)
        room = client.most_bytes - owed_bytes(event, self._sessions.get(event) or state)
        ceiling = budget.ceiling_for(self._engine.settings.whole("inject.tokens"), room)
        found = replace(found, earlier=untold(found.earlier, self._told_beside(event, state)))
        uses = {"bridge": _needed(found.bridge), "summary": _needed(found.earlier)}
        share = budget.allocation(remaining_of(event), ceiling, uses=uses)
        return found.briefed(
            Dress(
                form=client.form,
                budget_tokens=share.retrieval,
                bridge_tokens=share.bridge,
                summary_tokens=share.summary,
                most_bytes=room,
            )
        )

    def _told_beside(self, event: HookEvent, state: State) -> frozenset[str]:
        """What was told of earlier sessions and of others at work; `state` may have gone on."""
        return (self._sessions.get(event) or state).told_in(event.subagent_id).others

    def _deadline_s(self) -> float:
        return self._engine.settings.whole("inject.deadline_ms") / 1000


def _needed(pieces: Sequence[Piece]) -> int:
    """How many tokens a tier takes that says this."""
    return size_of(pieces) + TITLE_TOKENS if pieces else 0


def passed_over(looked_at: Found, stood: Found) -> tuple[str, ...]:
    """Ids of what a second look has dropped; none where it failed or is not done."""
    if stood.notes != looked_at.notes:
        return ()
    return tuple(id_ for id_ in looked_at.ids if id_ not in stood.ids)


def question(prompt: str, pending: Pending | None, *, has_content: bool) -> str:
    """What is asked at a prompt: a prompt that only says "go on" stands for the one before it,
    if that still waits for its answer."""
    if pending is None or has_content:
        return prompt
    return pending.prompt


def _opening(every: Found, sure: Found, told: Collection[str], block: str) -> Found:
    """What the task that opens a topic is told beside what the gate is sure of: its files, what is
    kept about them, how sessions went that it resembles, and modules that neither the block nor an
    earlier brief has told."""
    fresh = tuple(
        one for one in every.modules if one.name not in told and module_line(one) not in block
    )
    return replace(sure, files=every.files, modules=fresh, about=every.about, earlier=every.earlier)
