"""What was asked and nothing here answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

MAX_SNIPPET = 500
"""Characters of a prompt that a gap keeps."""
FEWEST_WORDS = 5
"""A prompt of fewer telling words is no question to the memory."""
MAX_GAPS = 200
"""So many a project keeps; the least asked, oldest ones go."""
SAME_GAP = 6.0
"""Deviations of similarity from which two prompts ask the same."""
SAME_WORDS = 0.6
"""The like by the share of common words, where there are no vectors to compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A question that found nothing, and how often it was asked."""

    id: str
    asked: str
    """The prompt, without secrets."""
    at: datetime
    last_at: datetime
    times: int = 1
    project_id: str | None = None
    session_id: str | None = None
    model: str | None = None
    vector: bytes | None = None
    closed_at: datetime | None = None
