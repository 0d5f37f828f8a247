"""Replays sessions of the past against the memory as it would have been then: what it would have
told, how often that was right, and what it would have spared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from loremap.agent.replay.judged import Judged, Repeated, judged, repeated
from loremap.agent.replay.rehearsal import Rehearsal
from loremap.app.lore import Lore
from loremap.app.then import Then, then
from loremap.clients.transcripts.past import PastSession
from loremap.errors import NotFound
from loremap.model.session import Tier
from loremap.model.text import cut, one_line
from loremap.model.tokens import tokens
from loremap.model.turn import Speaker, Turn
from loremap.safety.redaction import redacted
from loremap.sessions.learning.learn import findings_of
from loremap.sessions.past import past_sessions, turns_of_past
from loremap.sessions.replay.spared import Count, Said, counted, spared
from loremap.sessions.replay.steps import steps_of

MOST = 50
MAX_TURNS = 4_000
"""Of a session the first."""
ASKED_CHARACTERS = 80
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One session, and what the memory of then would have been to it."""

    session: PastSession
    asked: str
    """Its first prompt, in a line."""
    prompts: int
    told: tuple[Judged, ...]
    """What would have been told at its start, at its prompts and at its calls."""
    repeated: tuple[Repeated, ...]
    found: Count
    """The calls by which it found its way."""
    spared: Count
    generously: Count
    told_tokens: int
    """About what all that would have been told takes, the block among it."""

    @property
    def at_start(self) -> tuple[Judged, ...]:
        """The block that it would have begun with."""
        return self._of(Tier.ALWAYS)

    @property
    def at_prompts(self) -> tuple[Judged, ...]:
        """What would have been told for what its prompts ask."""
        return self._of(Tier.TASK)

    @property
    def warnings(self) -> tuple[Judged, ...]:
        """What would have been said of a call."""
        return self._of(Tier.TOOL)

    def _of(self, tier: Tier) -> tuple[Judged, ...]:
        return tuple(one for one in self.told if one.told.tier is tier)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The sessions that were replayed, the oldest first."""

    sessions: tuple[Replayed, ...]
    older: int = 0
    """Sessions that were left out because there are more than were asked for."""
    is_whole: bool = True
    """Whether none is missing: not where it was interrupted."""
    is_mapped: bool = True
    """Whether the code was read, so that files could be told."""
    faults: tuple[str, ...] = ()


def replay(
    here: Lore,
    *,
    clients: Sequence[str] = (),
    since: datetime | None = None,
    session_id: str | None = None,
    most: int = MOST,
    tell: Tell = lambda _what, _done, _of: None,
) -> Replay:
    """Replay sessions of this folder's project. The store is only read; Ctrl-C ends it with what
    is done by then."""
    every = past_sessions(here, clients=clients, since=since).sessions
    if session_id is not None:
        every = tuple(one for one in every if one.id.startswith(session_id))
        if not every:
            raise NotFound(
                f"No session {session_id!r} of this project was written down by a client.",
                hint="lore replay goes through all of them.",
            )
    wanted = every[-most:]
    faults: list[str] = []
    done: list[Replayed] = []
    if not wanted:
        return Replay(sessions=())
    tell("sessions", 0, len(wanted))
    with then(here) as past:
        is_whole = True
        try:
            _go_through(here, past, wanted, done, faults, tell)
        except KeyboardInterrupt:
            is_whole = False
        return Replay(
            sessions=tuple(done),
            older=len(every) - len(wanted),
            is_whole=is_whole,
            is_mapped=past.is_mapped,
            faults=tuple(dict.fromkeys(faults)),
        )


def _go_through(
    here: Lore,
    past: Then,
    wanted: Sequence[PastSession],
    done: list[Replayed],
    faults: list[str],
    tell: Tell,
) -> None:
    def failed(where: str, fault: BaseException) -> None:
        faults.append(f"{where}: {type(fault).__name__}: {fault}")

    with Rehearsal(past.workspaces, past.clock, past.folder, failed=failed) as rehearsal:
        for number, session in enumerate(wanted):
            tell("sessions", number, len(wanted))
            try:
                turns = turns_of_past(session)[:MAX_TURNS]
            except OSError as fault:
                failed(session.id, fault)
                continue
            if any(turn.speaker is Speaker.PERSON for turn in turns):
                done.append(_replayed(here, past, rehearsal, session, turns))
        tell("sessions", len(wanted), len(wanted))


def _replayed(
    here: Lore, past: Then, rehearsal: Rehearsal, session: PastSession, turns: Sequence[Turn]
) -> Replayed:
    past.go_to(session.began or session.last, without=session.id)
    known = past.known
    told = rehearsal.told(turns, client=session.client, session_id=session.id)
    steps = steps_of(turns, _named(here, session.folder))
    ways = spared(steps, [Said(one.turn, one.text) for one in told], turns=turns)
    prompts = [turn for turn in turns if turn.speaker is Speaker.PERSON]
    asked = redacted(prompts[0].text).text
    return Replayed(
        session=session,
        asked=cut(one_line(asked), ASKED_CHARACTERS),
        prompts=len(prompts),
        told=tuple(judged(one, turns, steps, known) for one in told),
        repeated=tuple(
            replace(one, content=redacted(one.content).text)
            for one in repeated(findings_of(turns), turns, list(known.values()), told)
        ),
        found=counted(ways.steps),
        spared=counted(ways.spared),
        generously=counted(ways.generously),
        told_tokens=sum(tokens(one.text) for one in told),
    )


def _named(here: Lore, folder: Path | None) -> Callable[[str], str]:
    """Paths as the project names them, of a session that worked in a folder; that may be another
    checkout, and gone."""
    root = here.repository.root
    began = root if folder is None else folder
    inside = began.is_relative_to(root)

    def named(path: str) -> str:
        whole = Path(began, path)
        if not inside and whole.is_relative_to(began):
            return whole.relative_to(began).as_posix()
        return here.path_as_named(whole)

    return named


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """What some sessions come to together."""

    sessions: int
    begun: int
    """Sessions that would have begun with a block."""
    begun_right: int
    """Of these, where a memory of the block was used later."""
    prompts: int
    spoke: int
    """Prompts at which something would have been told."""
    right: int
    """Of these, where a file or a memory that is told was used later."""
    by_file: int
    by_memory: int
    warned: int
    ran_into: int
    """Of the warned calls, those that failed."""
    repeated: int
    """What was taught or failed again although it was known."""
    repeated_told: int
    """Of this, what would have been told before."""
    found: Count
    spared: Count
    generously: Count
    told_tokens: int


def summed(sessions: Iterable[Replayed]) -> Sums:
    """What sessions come to together."""
    every = tuple(sessions)
    prompts = [one for each in every for one in each.at_prompts]
    warnings = [one for each in every for one in each.warnings]
    again = [one for each in every for one in each.repeated]
    blocks = [one for each in every for one in each.at_start]
    return Sums(
        sessions=len(every),
        begun=len(blocks),
        begun_right=sum(bool(one.memories) for one in blocks),
        prompts=sum(one.prompts for one in every),
        spoke=len(prompts),
        right=sum(one.is_right for one in prompts),
        by_file=sum(bool(one.files) for one in prompts),
        by_memory=sum(bool(one.memories) for one in prompts),
        warned=len(warnings),
        ran_into=sum(one.ran_into for one in warnings),
        repeated=len(again),
        repeated_told=sum(one.was_told for one in again),
        found=sum((one.found for one in every), Count()),
        spared=sum((one.spared for one in every), Count()),
        generously=sum((one.generously for one in every), Count()),
        told_tokens=sum(one.told_tokens for one in every),
    )
