"""The sessions at work: the state of each, changed by one thread at a time and only by `reduce`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import TypeVar

from loremap.agent.events import Effect, Effects, Event, Restored, Started
from loremap.agent.reduce import reduce
from loremap.agent.state import State

MAX_SESSIONS = 512
E = TypeVar("E", bound=Effect)


@dataclass(slots=True, eq=False)
class _Kept:
    state: State
    lock: RLock = field(default_factory=RLock)


class States:
    """The sessions that are known here; the one silent longest makes room. What an event brings
    about is handed to `carry_out` before another event of the session can come."""

    def __init__(self, carry_out: Callable[[Effects], None]) -> None:
        self._carry_out = carry_out
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = Lock()

    def get(self, session_id: str) -> State | None:
        """The session's state, where it is known here."""
        kept = self._of(session_id)
        return None if kept is None else kept.state

    def open(self, first: Started | Restored) -> tuple[State, bool]:
        """The state of a session that was not known; where another thread was first, its state is
        the one. Whether this one was."""
        state, effects = reduce(None, first)
        with self._lock:
            kept = self._kept.get(state.session.id)
            if kept is not None:
                return kept.state, False
            self._kept[state.session.id] = _Kept(state)
            while len(self._kept) > MAX_SESSIONS:
                self._kept.popitem(last=False)
            self._carry_out(effects)
        return state, True

    def apply(self, session_id: str, event: Event) -> Effects:
        """Let an event happen to a session that is known; what it brings about."""
        kept = self._of(session_id)
        if kept is None:
            return ()
        with kept.lock:
            kept.state, effects = reduce(kept.state, event)
            self._carry_out(effects)
        return effects

    @contextmanager
    def alone(self, session_id: str) -> Iterator[State | None]:
        """The state of a session that nobody else changes meanwhile."""
        kept = self._of(session_id)
        if kept is None:
            yield None
            return
        with kept.lock:
            yield kept.state

    def _of(self, session_id: str) -> _Kept | None:
        with self._lock:
            kept = self._kept.get(session_id)
            if kept is not None:
                self._kept.move_to_end(session_id)
            return kept


def found(effects: Effects, kind: type[E]) -> E | None:
    """The effect of a kind, where there is one."""
    return next((one for one in effects if isinstance(one, kind)), None)
