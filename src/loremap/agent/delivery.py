"""What is due to a session at a moment, that it has it now, and that it never got it. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from loremap.agent.events import (
    Answered,
    Asked,
    Effects,
    Hold,
    Say,
    StoodIn,
    StrikeInjections,
    Undelivered,
    Warned,
    WriteInjections,
)
from loremap.agent.state import Given, Part, Pending, State, newest, without
from loremap.clients.client import Client
from loremap.clients.registry import client_named
from loremap.memory.brief.brief import Brief
from loremap.memory.brief.render import Piece, Section, fits, rendered
from loremap.memory.brief.said import HELD, HOLDS, in_one_line, tool_lines
from loremap.model.hook import HookEvent, Moment
from loremap.model.recall import Alert
from loremap.model.session import Injection, Tier
from loremap.model.tokens import tokens

MAX_OWED = 32
MAX_GIVEN = 8
WHOLE_BLOCK = Piece(text="", why="the block")
"""Of a block that another process made only the text is known."""


def answered(state: State, event: Answered) -> tuple[State, Effects]:
    """All that is due at this moment, as far as the client takes it here and it fits."""
    hook, client = event.hook, client_named(event.hook.client)
    if state.session.held_out or hook.moment not in client.takes:
        return state, ()
    had_block = state.has_block
    parts: list[Part] = []
    for part in due(hook, state, client, event.brief):
        longer = "\n".join(one.text for one in (*parts, part))
        if fits(longer, budget_tokens=None, most_bytes=client.most_bytes):
            parts.append(part)
    new = [one for one in parts if one.tier is not Tier.ALWAYS or not had_block]
    state, written = _noted(state, event, new)
    said = "\n".join(part.text for part in parts)
    return state, (*written, Say(said)) if said else written


def warned(state: State, event: Warned) -> tuple[State, Effects]:
    """A call held back this once, where a confirmed warning is about its command and was not read
    in this stretch; else the lines that fire, each once, kept for the next moment that takes
    them."""
    hook, client = event.hook, client_named(event.hook.client)
    told = state.told_in(hook.subagent_id)
    if event.may_hold and client.holds and not state.session.held_out:
        waiting = holding(event.fired.alerts) - told.lines
        told = replace(told, lines=told.lines | (waiting & event.read))
        state = state.telling(hook.subagent_id, told)
        if waiting - event.read:
            ordered = tuple(sorted(event.fired.alerts, key=lambda alert: not holds(alert)))
            lines = tool_lines(replace(event.fired, alerts=ordered, others=()), told.lines)
            state, written = _noted(state, event, [_lines(lines, client)], held=True)
            return state, (*written, Hold(" ".join((HELD, *map(in_one_line, lines)))))
    lines = tool_lines(event.fired, told.lines, told.others)
    if not lines:
        return state, ()
    ids = frozenset(line.memory_id for line in lines if line.memory_id)
    keys = frozenset(key for line in lines for key in line.keys)
    told = replace(told, lines=told.lines | ids, others=told.others | keys)
    state = state.telling(hook.subagent_id, told)
    return _owing(state, _call(hook), lines), ()


def undelivered(state: State, event: Undelivered) -> tuple[State, Effects]:
    """What an event was answered with reached nobody: the block and lines are owed again, what was
    found for the task waits for the next event, and a call that was held is held again."""
    hook = event.hook
    given = state.given.get(_name(hook))
    if given is None:
        return state, ()
    state = replace(state, given=without(state.given, _name(hook)))
    for part in given.parts:
        state = _taken_back(state, hook, part, given)
    return state, (StrikeInjections(given.rows),)


def _taken_back(state: State, hook: HookEvent, part: Part, given: Given) -> State:
    if part.tier is Tier.TOOL and not given.held:
        return _owing(state, _call(hook), part.pieces)
    told = state.told_in(hook.subagent_id)
    state = state.telling(hook.subagent_id, told - part.told)
    if part.tier is Tier.ALWAYS:
        return replace(state, has_block=given.had_block)
    if part.tier is Tier.TOOL:
        return state
    ids = tuple(piece.memory_id for piece in part.pieces if piece.memory_id is not None)
    pending = state.pending
    if ids and hook.subagent_id is None:
        pending = Pending(prompt=hook.prompt or state.asked, at=hook.at, ids=ids)
    return replace(state, briefed=False, pending=pending)


def stood_in(state: State, event: StoodIn) -> tuple[State, Effects]:
    """The context holds the block that a hook has given when nobody was here."""
    if state.has_block or not state.session.always_on:
        return state, ()
    part = Part(Tier.ALWAYS, state.session.always_on, state.pieces)
    rows = _rows(state, part, event.client, Moment.SESSION_START.value, event.now, event.seed)
    return replace(state, has_block=True, told=state.told + part.told), (WriteInjections(rows),)


def asked(state: State, event: Asked) -> tuple[State, Effects]:
    """The session has what it asked for."""
    part = Part(Tier.ASKED, "", event.pieces)
    rows = _rows(state, part, event.client, Tier.ASKED.value, event.now, event.seed)
    return replace(state, told=state.told + part.told), (WriteInjections(rows),)


def due(
    hook: HookEvent, state: State, client: Client, brief: Brief | None = None
) -> tuple[Part, ...]:
    """What waits to be given, the most pressing first."""
    parts: list[Part] = []
    if lines := _owed_here(hook, state):
        parts.append(_lines(lines, client))
    inside = hook.subagent_id is not None or hook.moment is Moment.SUBAGENT_START
    wanted = hook.moment is Moment.SESSION_START if client.asks_for_block else not state.has_block
    if not inside and wanted and state.session.always_on:
        parts.append(Part(Tier.ALWAYS, state.session.always_on, state.pieces))
    if brief is not None and brief.text:
        parts.append(Part(Tier.TASK, brief.text, brief.pieces))
    return tuple(parts)


def owed_bytes(hook: HookEvent, state: State) -> int:
    """How much of an answer is taken by what waits already."""
    waiting = due(hook, state, client_named(hook.client))
    return sum(len(part.text.encode("utf-8", "replace")) + 1 for part in waiting)


def parts_of(hook: HookEvent, state: State) -> tuple[Part, ...]:
    """What the answer to an event was made of, as long as that is remembered."""
    given = state.given.get(_name(hook))
    return () if given is None else given.parts


def holding(alerts: Sequence[Alert]) -> frozenset[str]:
    """The memories among these that a call waits for."""
    return frozenset(one.memory.id for one in alerts if holds(one))


def holds(alert: Alert) -> bool:
    """Whether a call waits for this to be read: a person stands behind it, and it names the
    command by a pattern of its own."""
    memory = alert.memory
    own = {trigger.pattern for trigger in memory.triggers if trigger.on in ("command", "any")}
    return (
        memory.vouched and memory.kind in HOLDS and alert.on == "command" and alert.pattern in own
    )


def _noted(
    state: State, event: Answered | Warned, parts: Sequence[Part], *, held: bool = False
) -> tuple[State, Effects]:
    """The context holds it now, unless it turns out that nobody heard it."""
    if not parts:
        return state, ()
    hook, had_block = event.hook, state.has_block
    rows = tuple(
        row
        for number, part in enumerate(parts)
        for row in _rows(
            state, part, hook.client, hook.moment.value, event.now, f"{event.seed} {number}"
        )
    )
    for part in parts:
        state = _marked(state, hook, part)
    given = Given(tuple(parts), tuple(row.id for row in rows), held, had_block)
    kept = newest(state.given, _name(hook), given, most=MAX_GIVEN)
    return replace(state, given=kept), (WriteInjections(rows),)


def _marked(state: State, hook: HookEvent, part: Part) -> State:
    if hook.moment is not Moment.SUBAGENT_START or hook.subagent_id is not None:
        told = state.told_in(hook.subagent_id)
        state = state.telling(hook.subagent_id, told + part.told)
    if part.tier is Tier.ALWAYS:
        return replace(state, has_block=True, with_a_prompt=hook.moment is Moment.PROMPT)
    if part.tier is Tier.TOOL:
        paid = hook.moment is Moment.PROMPT
        return replace(state, owed={} if paid else without(state.owed, _call(hook)))
    return state


def _owing(state: State, use_id: str, lines: Sequence[Piece]) -> State:
    """The state that keeps lines for the tool's result, or the next prompt."""
    kept = (*state.owed.get(use_id, ()), *lines)
    return replace(state, owed=newest(state.owed, use_id, kept, most=MAX_OWED))


def _owed_here(hook: HookEvent, state: State) -> tuple[Piece, ...]:
    """The lines owed at this moment: a call's own at the call, all of them at a prompt."""
    if hook.moment is Moment.PROMPT:
        return tuple(line for lines in state.owed.values() for line in lines)
    if hook.moment in (Moment.BEFORE_TOOL, Moment.AFTER_TOOL):
        return state.owed.get(_call(hook), ())
    return ()


def _lines(lines: Sequence[Piece], client: Client) -> Part:
    section = Section("", tuple(lines))
    made = rendered([section], form=client.form, most_bytes=client.most_bytes // 2, step=True)
    return Part(Tier.TOOL, made.text, made.kept)


def _rows(
    state: State, part: Part, client: str, moment: str, now: datetime, seed: str
) -> tuple[Injection, ...]:
    """A row for each piece of what was given; the frame counts with the first."""
    pieces = part.pieces or (WHOLE_BLOCK,)
    sizes = [tokens(piece.text) for piece in pieces]
    sizes[0] += max(tokens(part.text) - sum(sizes), 0)
    return tuple(
        Injection(
            id=hashlib.blake2b(f"{seed} {number}".encode(), digest_size=16).hexdigest(),
            at=now,
            session_id=state.session.id,
            project_id=state.session.project_id,
            client=client,
            moment=moment,
            tier=piece.tier or part.tier,
            memory_id=piece.memory_id,
            tokens=size,
            why=piece.why,
            score=piece.score,
            patterns=piece.patterns,
        )
        for number, (piece, size) in enumerate(zip(pieces, sizes, strict=True))
    )


def _name(hook: HookEvent) -> str:
    return f"{hook.key} {hook.moment} {hook.at.isoformat()}"


def _call(hook: HookEvent) -> str:
    return "" if hook.tool is None or hook.tool.use_id is None else hook.tool.use_id
