"""What was put into the sessions of a project, and a person's word on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loremap.agent import switches
from loremap.agent.metrics.rules import Measure
from loremap.clients.registry import client_named
from loremap.errors import Ambiguous, NotFound
from loremap.model.clock import short_id
from loremap.model.memory import Memory
from loremap.model.session import Injection, Tier
from loremap.storage import injections, memories, metrics

if TYPE_CHECKING:
    from loremap.app.lore import Lore

NOT_HELPFUL = "not helpful"


@dataclass(frozen=True, slots=True)
class Given:
    """One thing that was injected, with the memory it was; None for a module or what is gone."""

    injection: Injection
    memory: Memory | None = None


def last(lore: Lore, *, most: int | None = None) -> list[Given]:
    """What was injected here last: all of one moment, or the newest `most` of any."""
    if lore.project_id is None:
        return []
    with lore.store.read() as conn:
        if most is None:
            found = injections.last(conn, project_id=lore.project_id)
        else:
            found = injections.recent(conn, project_id=lore.project_id, limit=most)
        ids = [one.memory_id for one in found if one.memory_id]
        known = {memory.id: memory for memory in memories.by_ids(conn, ids)}
    if most is None:  # what was found for the moment first: the block is the same every time
        found = sorted(found, key=lambda one: one.tier is Tier.ALWAYS)
    return [Given(one, known.get(one.memory_id or "")) for one in found]


def why_nothing(lore: Lore) -> str:
    """Why nothing was injected here, in a line."""
    if switches.is_off(lore.places.home):
        return "Nothing was injected: Loremap is off. `lore on` switches it on."
    if lore.project_id is None:
        return "Nothing was injected: no agent has worked in this folder yet."
    if switches.project_is_off(lore):
        return "Nothing was injected: this project is off. `lore on --project` switches it on."
    with lore.store.read() as conn:
        session = metrics.last_session(conn, lore.project_id)
        late = 0 if session is None else metrics.count(conn, Measure.LATE, session_id=session.id)
    if session is None:
        return (
            "Nothing was injected: no session of an agent was seen here. `lore connect` connects "
            "one, `lore doctor` says whether it works."
        )
    if session.held_out:
        return (
            f"Nothing was injected: the last session ({session.client}) was held out, to compare "
            "with. `lore config get metrics.hold_out` says how often that happens."
        )
    if late:
        times = "once" if late == 1 else f"{late} times"
        return (
            f"Nothing was injected: in the last session ({session.client}) the answer came too "
            f"late {times}, and waits for the next prompt. `lore metrics --all` shows the times."
        )
    return f"Nothing was injected: nothing fitted in the last session ({session.client})."


def left_out(lore: Lore, given: Sequence[Given]) -> list[tuple[Memory, str]]:
    """What has a place in the block of a session, and would not get one now for want of room; none
    where no block was given."""
    from loremap.memory.standing import gave_way

    client = next((one.injection.client for one in given if _is_block(one)), None)
    if client is None:
        return []
    crowded = gave_way(lore, client_named(client))
    with lore.store.read() as conn:
        known = {one.id: one for one in memories.by_ids(conn, [one.memory_id for one in crowded])}
    return [(known[one.memory_id], one.why) for one in crowded if one.memory_id in known]


def _is_block(one: Given) -> bool:
    return one.injection.tier is Tier.ALWAYS


def chosen(given: Sequence[Given], reference: str) -> Given:
    """The one a person means by the start of a memory's id."""
    found = {
        one.injection.memory_id: one
        for one in reversed(given)
        if one.injection.memory_id and one.injection.memory_id.endswith(reference.lower())
    }
    if not found:
        raise NotFound(
            f"No memory {reference!r} was injected here lately.",
            hint="`lore last --all 50` shows what was.",
        )
    if len(found) > 1:
        raise Ambiguous(
            f"{len(found)} injected memories start with {reference!r}.",
            hint="Give more of the id.",
            candidates=tuple(
                (id_, "" if one.memory is None else one.memory.summary)
                for id_, one in found.items()
                if id_ is not None
            ),
        )
    return next(iter(found.values()))


def reject(lore: Lore, one: Given) -> Memory:
    """Say that a memory was not wanted: it counts less, and this session does not get it again."""
    memory = _present(one)
    with lore.store.append() as conn:
        fresh = injections.reject(conn, _rows(lore, one), lore.now())
    return lore.feedback(memory.id, helpful=False) if fresh else memory


def take_back(lore: Lore, one: Given) -> Memory:
    """Take a rejection back: the memory counts as before, and may be given again."""
    memory = _present(one)
    with lore.store.append() as conn:
        changed = metrics.take_back_rejection(conn, _rows(lore, one))
    if not changed:
        raise NotFound(f"{short_id(memory.id)} was not rejected in that session.")
    newest = lore.log(limit=1, reference=memory.id)
    if newest and newest[0].detail == NOT_HELPFUL:
        lore.undo(memory.id)
    else:  # somebody changed it since; that stays
        lore.feedback(memory.id, helpful=True)
    return lore.find(memory.id)


def _present(one: Given) -> Memory:
    if one.memory is None:
        raise NotFound("That is no memory any more.")
    return one.memory


def _rows(lore: Lore, one: Given) -> list[str]:
    """Every injection of that memory into that session."""
    with lore.store.read() as conn:
        given = injections.since(conn, one.injection.session_id, None)
    return [each.id for each in given if each.memory_id == one.injection.memory_id]
