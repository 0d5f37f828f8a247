"""What was heard lately and is stored nowhere: what people typed, and where sessions work.

By the first a user's own word is told from what an agent says for them; by the other a tool that
was started elsewhere is known to be a session's.
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock

LATELY = timedelta(minutes=10)
MAX_KEPT = 256
MAX_CHARS = 20_000
MAX_SESSIONS = 512


@dataclass(frozen=True, slots=True)
class _Typed:
    client: str
    session_id: str | None
    said: str
    at: datetime


class Spoken:
    """The prompts of the last minutes; nothing of it is stored."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._typed: deque[_Typed] = deque(maxlen=MAX_KEPT)
        self._lock = Lock()

    def note(self, text: str, *, client: str, session_id: str | None) -> None:
        """A person typed this."""
        with self._lock:
            self._typed.append(_Typed(client, session_id, _plain(text), self._now()))

    def is_said(self, text: str, *, client: str, session_id: str | None) -> bool:
        """Whether a person typed `text` lately in this client, as it stands, in one piece and in
        whole words; in this session, where the client tells which that is."""
        wanted, since = _plain(text), self._now() - LATELY
        with self._lock:
            typed = tuple(self._typed)
        # Without re.ASCII nothing would be found in writing that has no spaces.
        whole = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)", re.ASCII)
        return bool(wanted) and any(
            one.client == client
            and (session_id is None or one.session_id in (None, session_id))
            and one.at >= since
            and whole.search(one.said)
            for one in typed
        )


class Roles:
    """The role of the subagent that called a tool lately, by the id of its call."""

    def __init__(self) -> None:
        self._roles: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def note(self, use_id: str, role: str) -> None:
        """A subagent of that role is about to call a tool."""
        with self._lock:
            self._roles[use_id] = role
            while len(self._roles) > MAX_SESSIONS:
                self._roles.popitem(last=False)

    def of(self, use_id: str) -> str | None:
        """Whose call it is; None where no subagent's."""
        with self._lock:
            return self._roles.get(use_id)


class Whereabouts:
    """The folder of each session heard of lately; nothing of it is stored."""

    def __init__(self) -> None:
        self._folders: OrderedDict[str, Path] = OrderedDict()
        self._lock = Lock()

    def note(self, session_id: str, folder: Path) -> None:
        """A session works there."""
        with self._lock:
            self._folders[session_id] = folder
            self._folders.move_to_end(session_id)
            while len(self._folders) > MAX_SESSIONS:
                self._folders.popitem(last=False)

    def of(self, session_id: str) -> Path | None:
        """Where a session works; None where it was not heard of."""
        with self._lock:
            return self._folders.get(session_id)


def _plain(text: str) -> str:
    """A text as it is compared: no matter its case and white space."""
    return " ".join(text[:MAX_CHARS].casefold().split())
