"""What the relay tells of the client before the protocol begins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """Who speaks on a connection, and where they work."""

    client: str
    """The client's name as `lore connect` wrote it; empty where nobody said."""
    folder: Path
    session_id: str | None = None
    incognito: bool = False
