"""The times that `--since` names."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from loremap.errors import BadInput

_AGO = re.compile(r"(\d{1,4})\s*([hdw])(?:ours?|ays?|eeks?)?")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


def since_when(said: str, now: datetime) -> datetime:
    """The time that `2026-10-01`, `14d` or `12h` means; raises BadInput."""
    if ago := _AGO.fullmatch(said.strip().lower()):
        return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    try:
        return datetime.fromisoformat(said.strip()).astimezone(UTC)
    except (ValueError, OverflowError) as fault:
        raise BadInput(
            f"{said[:40]!r} is no time; nothing was done.",
            hint="Say a day such as 2026-05-01, or 12h, 14d, 6w.",
        ) from fault
