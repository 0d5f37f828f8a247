"""Remembers for a while which events have come, so that one fired twice counts once."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from threading import Lock
from typing import TypeVar

from loremap.clients.hook_events import CALL
from loremap.model.hook import HookEvent, Moment

SAID_AGAIN_AFTER = timedelta(seconds=5)
"""The same words after this long are said anew; a call of a tool has an id and is never anew."""
SPOOLED_WITHIN = timedelta(minutes=2)
"""A hook that gave up waiting left a reference to what may have been taken all the same."""
MAX_KEYS = 20_000
_TURNS = frozenset(
    {
        *(Moment.SESSION_START, Moment.PROMPT, Moment.BEFORE_TOOL),
        *(Moment.AFTER_TOOL, Moment.STOP, Moment.SESSION_END),
    }
)
_OPENINGS = frozenset({Moment.SESSION_START, Moment.PROMPT})
_ENDS = frozenset({Moment.STOP, Moment.SESSION_END})
_Value = TypeVar("_Value")


class Recent:
    """The keys of the last events, and how often each session has turned to something else."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, tuple[datetime, int]] = OrderedDict()
        self._turns: OrderedDict[str, tuple[Moment, int]] = OrderedDict()
        self._ends: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()

    def is_new(self, event: HookEvent) -> bool:
        """Whether this is the first of its kind; it is then known from now on."""
        with self._lock:
            turn = self._turn(event)
            if self._came_before(event, turn):
                return False
            _keep(self._seen, event.key, (event.at, turn))
            return True

    def forget(self, event: HookEvent) -> None:
        """It could not be kept after all: when it comes again, it is new."""
        with self._lock:
            self._seen.pop(event.key, None)

    def _turn(self, event: HookEvent) -> int:
        """A number that grows from prompt to tool to stop: what comes again after something else
        has come is new, however soon. A start or a prompt is new only when the turn before has
        ended: hooks that are set up twice mix those of a client that does not wait for them."""
        last, turn = self._turns.get(event.session_id, (Moment.OTHER, 0))
        if event.moment in _TURNS and event.moment is not last:
            turn += 1
            _keep(self._turns, event.session_id, (event.moment, turn))
        ends = self._ends.get(event.session_id, 0) + (event.moment in _ENDS)
        _keep(self._ends, event.session_id, ends)
        return ends if event.moment in _OPENINGS else turn

    def _came_before(self, event: HookEvent, turn: int) -> bool:
        before = self._seen.get(event.key)
        if event.key.startswith(CALL):
            spooled = self._seen.get(turnless(event.key))
            about_then = spooled is not None and abs(event.at - spooled[0]) <= SPOOLED_WITHIN
            return before is not None or about_then
        return (
            before is not None
            and before[1] == turn
            and abs(event.at - before[0]) <= SAID_AGAIN_AFTER
        )


def turnless(key: str) -> str:
    """The key of a call as a spool knows it."""
    return key.rpartition(":")[0] + ":"


def _keep(kept: OrderedDict[str, _Value], key: str, value: _Value) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > MAX_KEYS:
        kept.popitem(last=False)
