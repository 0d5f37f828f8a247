"""What is due to a session at a moment, and that it has it now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loremap.agent.pending import Pending
from loremap.agent.records import SessionRecords
from loremap.agent.state import Given, Part, State, Told
from loremap.clients.client import Client
from loremap.clients.registry import client_named
from loremap.memory.brief.brief import Brief
from loremap.memory.brief.render import Piece, Section, fits, rendered
from loremap.memory.brief.said import HELD, HOLDS, Fired, in_one_line, tool_lines
from loremap.model.hook import HookEvent, Moment, Reply
from loremap.model.memory import Status
from loremap.model.recall import Alert
from loremap.model.session import Tier
from loremap.model.standby import block_mark


def given(
    event: HookEvent,
    state: State,
    records: SessionRecords,
    *,
    task: Brief | None = None,
    notice: str = "",
) -> Reply:
    """All that is due at this moment, as far as the client takes it here and it fits; `notice` is
    for the person."""
    client = client_named(event.client)
    if state.session.held_out or event.moment not in client.takes:
        return Reply(notice=notice)
    with state.lock:
        had_block = state.has_block
        parts: list[Part] = []
        for part in _due(event, state, client, task):
            longer = "\n".join(one.text for one in (*parts, part))
            if fits(longer, budget_tokens=None, most_bytes=client.most_bytes):
                parts.append(part)
        new = [one for one in parts if one.tier is not Tier.ALWAYS or not had_block]
        _note(event, state, records, new, had_block=had_block)
        return Reply(context="\n".join(part.text for part in parts), notice=notice)


def _note(
    event: HookEvent,
    state: State,
    records: SessionRecords,
    parts: Sequence[Part],
    *,
    had_block: bool,
    held: bool = False,
) -> None:
    """Note that the context holds it now, unless it turns out that nobody heard it."""
    rows: list[str] = []
    for part in parts:
        _mark(event, state, part)
        rows += records.note_given(state, part, client=event.client, moment=event.moment.value)
    if parts:
        state.note_given(_name(event), Given(tuple(parts), tuple(rows), held, had_block))


def recognise(event: HookEvent, state: State, records: SessionRecords) -> None:
    """Note that the context holds the block, where a hook has given it when nobody was here."""
    with state.lock:
        block = state.session.always_on
        if state.has_block or not block or client_named(event.client).asks_for_block:
            return
        if records.met(event.session_id, state, block_mark(block)):
            part = Part(Tier.ALWAYS, block, state.pieces)
            for piece in part.pieces:
                _tell(state.told, piece, part.tier)
            state.has_block = True
            moment = Moment.SESSION_START.value
            records.note_given(state, part, client=event.client, moment=moment)


def take_back(event: HookEvent, state: State, records: SessionRecords) -> None:
    """What an event was answered with reached nobody: the block and lines are owed again, what was
    found for the task waits for the next event, and a call that was held is held again."""
    with state.lock:
        given = state.given.pop(_name(event), None)
        if given is None:
            return
        told = state.told_in(event.subagent_id)
        for part in given.parts:
            ids = [piece.memory_id for piece in part.pieces if piece.memory_id is not None]
            if part.tier is Tier.ALWAYS:
                state.has_block = given.had_block
                told.memories.difference_update(ids)
            elif part.tier is Tier.TOOL and given.held:
                told.lines.difference_update(ids)
            elif part.tier is Tier.TOOL:
                state.owe(_call(event), part.pieces)
            else:
                told.memories.difference_update(ids)
                told.modules.difference_update(piece.module for piece in part.pieces)
                state.briefed = False
                if ids and event.subagent_id is None:
                    asked = event.prompt or state.asked
                    state.pending = Pending(prompt=asked, at=event.at, ids=tuple(ids))
        records.take_back(state, given.rows)


def pieces_of(event: HookEvent, state: State) -> tuple[Piece, ...]:
    """What the answer to an event was made of, as long as that is remembered."""
    with state.lock:
        given = state.given.get(_name(event))
    return () if given is None else tuple(one for part in given.parts for one in part.pieces)


def owed_bytes(event: HookEvent, state: State, client: Client) -> int:
    """How much of an answer is taken by what waits already."""
    with state.lock:
        waiting = _due(event, state, client, None)
    return sum(len(part.text.encode("utf-8", "replace")) + 1 for part in waiting)


def held(event: HookEvent, state: State, records: SessionRecords, fired: Fired) -> Reply | None:
    """The call held back this once, where a confirmed warning is about its command and was not
    read in this stretch; None where it may go on."""
    client = client_named(event.client)
    if not client.holds or state.session.held_out:
        return None
    with state.lock:
        told = state.told_in(event.subagent_id)
        waiting = {one.memory.id for one in fired.alerts if holds(one)} - told.lines
        read = {id_ for id_ in waiting if records.met(event.session_id, state, id_)}
        told.lines |= read
        if not waiting - read:
            return None
        ordered = tuple(sorted(fired.alerts, key=lambda alert: not holds(alert)))
        lines = tool_lines(replace(fired, alerts=ordered), told.lines)
        _note(event, state, records, [_lines(lines, client)], had_block=state.has_block, held=True)
    return Reply(hold=" ".join((HELD, *map(in_one_line, lines))))


def holds(alert: Alert) -> bool:
    """Whether a call waits for this to be read: a person stands behind it, and it names the
    command by a pattern of its own."""
    memory = alert.memory
    own = {trigger.pattern for trigger in memory.triggers if trigger.on in ("command", "any")}
    return (
        memory.status is Status.CONFIRMED
        and memory.kind in HOLDS
        and alert.on == "command"
        and alert.pattern in own
    )


def owe(event: HookEvent, state: State, fired: Fired) -> None:
    """Keep the lines that fire, each once, for the next moment that takes them."""
    with state.lock:
        told = state.told_in(event.subagent_id)
        lines = tool_lines(fired, told.lines)
        told.lines.update(line.memory_id for line in lines if line.memory_id)
        if lines:
            state.owe(_call(event), lines)


def _due(event: HookEvent, state: State, client: Client, task: Brief | None) -> list[Part]:
    """What waits to be given, the most pressing first."""
    parts: list[Part] = []
    if lines := _owed_here(event, state):
        parts.append(_lines(lines, client))
    inside = event.subagent_id is not None or event.moment is Moment.SUBAGENT_START
    due = event.moment is Moment.SESSION_START if client.asks_for_block else not state.has_block
    if not inside and due and state.session.always_on:
        parts.append(Part(Tier.ALWAYS, state.session.always_on, state.pieces))
    if task is not None and task.text:
        parts.append(Part(Tier.TASK, task.text, task.pieces))
    return parts


def _lines(lines: Sequence[Piece], client: Client) -> Part:
    section = Section("", tuple(lines))
    made = rendered([section], form=client.form, most_bytes=client.most_bytes // 2, step=True)
    return Part(Tier.TOOL, made.text, made.kept)


def _mark(event: HookEvent, state: State, part: Part) -> None:
    """Note that the context holds it now."""
    told = state.told_in(event.subagent_id)
    if event.moment is not Moment.SUBAGENT_START or event.subagent_id is not None:
        for piece in part.pieces:
            _tell(told, piece, part.tier)
    if part.tier is Tier.ALWAYS:
        state.has_block = True
        state.with_a_prompt = event.moment is Moment.PROMPT
    if part.tier is Tier.TOOL:
        _pay(event, state)


def _tell(told: Told, piece: Piece, tier: Tier) -> None:
    if piece.module:
        told.modules.add(piece.module)
    if piece.memory_id is not None:
        (told.lines if tier is Tier.TOOL else told.memories).add(piece.memory_id)


def _name(event: HookEvent) -> str:
    return f"{event.key} {event.moment} {event.at.isoformat()}"


def _call(event: HookEvent) -> str:
    return "" if event.tool is None or event.tool.use_id is None else event.tool.use_id


def _owed_here(event: HookEvent, state: State) -> tuple[Piece, ...]:
    """The lines owed at this moment: a call's own at the call, all of them at a prompt."""
    if event.moment is Moment.PROMPT:
        return tuple(line for lines in state.owed.values() for line in lines)
    if event.moment in (Moment.BEFORE_TOOL, Moment.AFTER_TOOL):
        return state.owed.get(_call(event), ())
    return ()


def _pay(event: HookEvent, state: State) -> None:
    if event.moment is Moment.PROMPT:
        state.owed.clear()
    else:
        state.owed.pop(_call(event), None)
