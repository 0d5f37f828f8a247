"""Searches for one thing, again and again, and the file in which it was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loremap.clients.payloads.tools import operation_of
from loremap.model.hook import Operation, ToolCall
from loremap.model.pattern import Pattern, PatternType, Sighting, key_of
from loremap.model.shell_steps import sought
from loremap.model.text import one_line
from loremap.model.turn import Turn
from loremap.safety.redaction import redacted
from loremap.sessions.patterns.edits import Task

_QUERIES = ("pattern", "query", "regex", "search", "text")
_MIN_CHARACTERS, _MAX_CHARACTERS = 4, 120
_NEAR = 4
"""So many calls after a search the file is opened that it found."""
_OPENS = frozenset({Operation.READ, Operation.EDIT, Operation.WRITE})


def searches(tasks: Sequence[Task], known: Sequence[Pattern] = ()) -> Iterator[Sighting]:
    """What was searched for, with the file that was opened then; that it was another one than
    before speaks against a pattern."""
    found = {
        one.key: one.data.get("found") for one in known if one.type is PatternType.REPEATED_SEARCH
    }
    for task in tasks:
        calls = [turn for turn in task if turn.call is not None]
        for place, turn in enumerate(calls):
            for query in queries(turn):
                opened = _opened(calls[place + 1 : place + 1 + _NEAR])
                one = _sighting(turn, query, opened)
                before = found.get(one.key)
                elsewhere = before is not None and opened is not None and opened != before
                yield _sighting(turn, query, opened, against=int(elsewhere))


def queries(turn: Turn) -> Iterator[str]:
    """What a call searches for, as far as its length lets it be known again."""
    call = turn.call
    if call is None:
        return
    for text in sought(call.command) if call.command else _asked(call):
        query = one_line(redacted(text).text) if len(text) <= _MAX_CHARACTERS else ""
        if sum(map(str.isalpha, query)) >= _MIN_CHARACTERS:
            yield query


def _asked(call: ToolCall) -> Iterator[str]:
    if operation_of(call.name) is Operation.SEARCH:
        given = (call.input.get(name) for name in _QUERIES)
        yield from (text for text in given if isinstance(text, str))


def query_key(query: str) -> str:
    """The key of the pattern of a search."""
    return key_of(*_about(query))


def _about(query: str) -> tuple[str, ...]:
    return (query.casefold(),)


def _opened(calls: Sequence[Turn]) -> str | None:
    uses = (use for turn in calls if turn.call is not None for use in turn.call.files)
    return next((use.path for use in uses if use.operation in _OPENS), None)


def _sighting(turn: Turn, query: str, opened: str | None, *, against: int = 0) -> Sighting:
    return Sighting(
        type=PatternType.REPEATED_SEARCH,
        about=_about(query),
        data={"query": query, "found": opened},
        files=() if opened is None else (opened,),
        supports=1,
        against=against,
        first=turn.at,
        last=turn.at,
    )
