"""The turns of a session from what its transcript tells: each call with what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from loremap.clients.payloads.cleaned import name_kept
from loremap.clients.transcript import joined
from loremap.clients.transcripts.record import Record, Role
from loremap.memory.brief.ours import is_our_command, without_ours
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import is_there
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, ToolCall
from loremap.model.turn import Speaker, Turn

MAX_TURNS = 50_000
MAX_TYPED = 200_000
"""Letters of one message; more is a file that was pasted."""
MAX_SAID = 20_000
"""Letters of an answer, of what was written, and of what came of a call."""
MAX_PARTS = 100
_SPEAKERS = {Role.USER: Speaker.PERSON, Role.AGENT: Speaker.AGENT, Role.CALL: Speaker.TOOL}


def turns_of(records: Iterable[Record]) -> list[Turn]:
    """The turns that records tell of, in order, no more than MAX_TURNS. What a client sums up by
    itself is nobody's word and is left out; so is what we put in, whatever holds it, and what was
    said in turns that were taken back."""
    turns: list[Turn] = []
    standing: list[tuple[int, int]] = []
    open_calls: dict[str, int] = {}
    for record in records:
        if record.role is Role.RESULT:
            _close(turns, open_calls, record)
            continue
        if record.role is Role.REWOUND:
            _take_back(turns, standing, record.offset)
            continue
        speaker, text = _said(record)
        if speaker is None or not (text.strip() or record.tool):
            continue
        number = len(turns)
        if number == MAX_TURNS:
            break
        if record.tool is not None and record.tool.use_id:
            open_calls[record.tool.use_id] = number
        standing.append((record.offset, number))
        turns.append(
            Turn(
                number=number,
                speaker=speaker,
                text=text,
                call=None if record.tool is None else bounded(record.tool),
                at=record.at,
                in_subagent=record.in_subagent,
                subagent_kind=record.subagent_kind,
            )
        )
    return [turn for turn in turns if turn.call is not None or not turn.taken_back]


def _take_back(turns: list[Turn], standing: list[tuple[int, int]], since: int) -> None:
    """Mark the turns that were told since a place, of those that stand by place and number."""
    while standing and standing[-1][0] >= since:
        _, number = standing.pop()
        turns[number] = replace(turns[number], taken_back=True)


def _said(record: Record) -> tuple[Speaker | None, str]:
    """Who speaks, and what; the task of a subagent is its agent's word, and a command of ours is
    nothing that a session could teach."""
    speaker = _SPEAKERS.get(record.role)
    if speaker is not Speaker.PERSON:
        return speaker, cut_in_midst(record.text, MAX_SAID)
    text = cut_in_midst(without_ours(record.text), MAX_TYPED)
    if record.in_subagent:
        return Speaker.AGENT, text
    return (None, "") if is_our_command(text) else (speaker, text)


def bounded(call: ToolCall) -> ToolCall:
    """A call of which the beginning and the end are kept where it is long, for a session may hold
    thousands of them."""
    return replace(
        call,
        text=None if call.text is None else cut_in_midst(call.text, MAX_SAID),
        input=_bounded(call.input, depth=4),
        result=cut_in_midst(without_ours(call.result), MAX_SAID),
    )


def _bounded(value: Any, *, depth: int) -> Any:
    if isinstance(value, str):
        return cut_in_midst(value, MAX_SAID)
    if not depth:
        return None
    if isinstance(value, Mapping):
        return {
            key: _bounded(one, depth=depth - 1) for key, one in islice(value.items(), MAX_PARTS)
        }
    if isinstance(value, list):
        return [_bounded(one, depth=depth - 1) for one in value[:MAX_PARTS]]
    return value


def cut_in_midst(text: str, longest: int) -> str:
    """`text`, of which so much is kept as fits, from its beginning and from its end."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n…\n{text[-half:]}"


def _close(turns: list[Turn], open_calls: dict[str, int], record: Record) -> None:
    """Put what came of a call to the call; a result whose call is not told is passed over."""
    use_id = None if record.tool is None else record.tool.use_id
    number = open_calls.pop(use_id, None) if use_id else None
    if number is not None:
        call = joined(turns[number].call, record)
        turns[number] = replace(turns[number], call=None if call is None else bounded(call))


def turns_of_events(events: Iterable[Event]) -> list[Turn]:
    """The turns as the log tells them, of a client that writes no transcript we can read: what a
    person typed, but for commands of ours, and what tools did; the agent's own words are not in
    it."""
    turns: list[Turn] = []
    for event in events:
        text = _typed_in(event)
        call = _call_of(event) if event.moment is Moment.AFTER_TOOL and event.tool else None
        if not text.strip() and call is None:
            continue
        turns.append(
            Turn(
                number=len(turns),
                speaker=Speaker.TOOL if call is not None else Speaker.PERSON,
                text=text,
                call=call,
                at=event.at,
                in_subagent=event.subagent_id is not None,
                subagent_id=event.subagent_id or "",
                subagent_kind=event.subagent_kind,
            )
        )
    return turns


def _typed_in(event: Event) -> str:
    if event.moment is not Moment.PROMPT or event.subagent_id is not None:
        return ""
    text = without_ours(event.text)
    return "" if is_our_command(text) else text


def _call_of(event: Event) -> ToolCall:
    given = json.loads(event.parameters)
    command = given.get("command") if isinstance(given, dict) else None
    return ToolCall(
        name=event.tool,
        use_id=event.id,
        command=command if isinstance(command, str) else None,
        files=event.files,
        why=event.why,
        input=given if isinstance(given, dict) else {},
        result=event.result,
        success=event.success,
        error=event.error,
        duration_ms=event.duration_ms,
    )


def as_named(here: Workspace, turns: Iterable[Turn]) -> list[Turn]:
    """The turns with the files of the project as it names them, and others as they were given; a
    name too may hold a secret."""
    known: dict[str, str] = {}

    def named(use: FileUse) -> FileUse:
        if use.path not in known:
            known[use.path] = name_kept(here.path_as_named(use.path))
        return replace(use, path=known[use.path])

    return [_with_files(turn, named) for turn in turns]


def as_lying_here(here: Workspace, turns: Sequence[Turn], folder: Path | None) -> Sequence[Turn]:
    """The turns of a session that worked in a folder which has gone, a worktree for one, with the
    files in it as they lie in this checkout. Within the checkout it may have been any folder, so
    that only those are moved that lie here."""
    if folder is None or is_there(folder):
        return turns
    root = here.repository.root
    may_be_any = folder.is_relative_to(root)

    def placed(use: FileUse) -> FileUse:
        path = Path(use.path)
        if not path.is_relative_to(folder):
            return use
        lies = root / path.relative_to(folder)
        return use if may_be_any and not lies.is_file() else replace(use, path=str(lies))

    return [_with_files(turn, placed) for turn in turns]


def _with_files(turn: Turn, changed: Callable[[FileUse], FileUse]) -> Turn:
    call = turn.call
    if call is None or not call.files:
        return turn
    return replace(turn, call=replace(call, files=tuple(map(changed, call.files))))
