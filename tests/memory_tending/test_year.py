"""A year of ten thousand events, and what is left of it."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from tending_tools import UNLIMITED, Clock, known, learned, now_of, sentence, used

from loremap.app import Lore
from loremap.model.clock import short_id
from loremap.model.kind import Kind
from loremap.model.memory import Candidate, Memory, Origin, Status
from loremap.model.outcome import Stored
from loremap.storage.tables import projects

EVENTS = 10_000
MAX_S = 60.0
LIMIT = 300
YEAR = timedelta(days=365)
A_FORTNIGHT = 384
WRITTEN = 0.15
USED = 0.6
KINDS = (Kind.FACT, Kind.CONTEXT, Kind.ERROR_PATTERN, Kind.DISCOVERY, Kind.DECISION)


@pytest.mark.alone
@pytest.mark.sqlite
@pytest.mark.timeout(300)
def test_a_year(lore: Lore, clock: Clock) -> None:
    values = {**lore.settings.values, "tend.evict_above": LIMIT, "tend.evict_to": LIMIT * 9 // 10}
    lore.engine.settings = replace(lore.settings, values=values)
    began = time.process_time()
    pinned = [learned(lore, sentence(9_000 + number)) for number in range(5)]
    for one in pinned:
        lore.pin(short_id(one.id))
    stated = [lore.remember(sentence(9_100 + number)) for number in range(5)]
    echo = learned(lore, sentence(9_500), kind=Kind.ERROR_PATTERN, session="echo")
    valued = [learned(lore, sentence(9_600 + number), session="first") for number in range(5)]
    most = _lived(lore, clock, echo, valued)
    took = time.process_time() - began
    assert all(now_of(lore, one).active for one in pinned)
    assert [now_of(lore, one.memory).active for one in stated if isinstance(one, Stored)] == [
        True
    ] * 5
    assert all(now_of(lore, one).status is Status.CONFIRMED for one in valued)
    assert most <= LIMIT
    stale = [one for one in known(lore) if one.status is Status.CANDIDATE and one.access_count == 0]
    assert max(clock.at - one.created_at for one in stale) <= timedelta(days=181)
    with lore.store.read() as conn:
        counted = conn.execute(projects.select()).one()
    assert counted.total_promotions >= len(valued)
    assert counted.total_evictions > EVENTS * WRITTEN / 2
    assert took < MAX_S


def _lived(lore: Lore, clock: Clock, echo: Memory, valued: list[Memory]) -> int:
    """Let a year pass, tending every fortnight; the most that the project held after that."""
    dice, first, most = Random(7), clock.at, 0
    alive: list[Memory] = []
    for start in range(0, EVENTS, A_FORTNIGHT):
        clock.at = first + start * YEAR / EVENTS
        written, work = [], []
        for event in range(start, min(start + A_FORTNIGHT, EVENTS)):
            chance = dice.random()
            if chance < WRITTEN:
                written.append(_noted(event, dice))
            elif chance < USED:
                work.append(dice.choice(alive if alive and event % 2 else valued))
            elif event % 20 == 0:
                learned(lore, echo.content, kind=echo.kind, session="echo")
        used(lore, *work, session=f"session-{start}")
        made = lore.admit_all(written, limits=UNLIMITED)
        alive = [*alive, *(one.memory for one in made if isinstance(one, Stored))][-50:]
        clock.at += timedelta(days=1)
        lore.tending.run()
        held = known(lore)
        # Whoever says again what it said, in one session, has it no more believed.
        assert all(one.status is Status.CANDIDATE for one in held if one.content == echo.content)
        most = max(most, len(held))
    return most


def _noted(event: int, dice: Random) -> Candidate:
    return Candidate(
        content=sentence(event),
        kind=dice.choice(KINDS),
        origin=Origin.OBSERVED,
        importance=round(dice.random(), 2),
        created_by="agent:claude",
        agent="claude",
        session_id=f"session-{event // 40}",
    )
