"""Bringing back a store that is gone or damaged, and what a person is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from loremap.app.encryption import care_here, key_of
from loremap.config.folders import Folders
from loremap.model.clock import short_id
from loremap.storage.care import Recovered
from loremap.storage.options import Options

SHOWN = 20
"""Ids that a list of losses names."""


def recover(folders: Folders, *, options: Options, now: datetime) -> Recovered:
    """Bring this user's store back; raises BadInput where nothing is wrong with it."""
    return care_here(folders).recover(key_of=key_of, options=options, now=now)


def lines_of(done: Recovered) -> list[str]:
    """What a person is told of a recovery: what there is again, and every loss."""
    lines = [f"The store is back, with {done.memories:,} memories."]
    if done.backup is not None and done.backup_at is not None:
        made = f"{done.backup_at.astimezone():%Y-%m-%d %H:%M}"
        lines.append(f"From backup {done.backup} of {made}; {done.brought:,} were newer or only ")
        lines[-1] += "in the damaged store." if done.faults >= 0 else "elsewhere."
    else:
        lines.append(f"There was no good backup; {done.brought:,} could be read.")
    if done.faults < 0:
        lines.append("The store itself was gone: what was written after the backup is lost.")
    elif done.lost:
        lines.append(f"Lost: {_some([short_id(id_) for id_ in done.lost])}.")
    elif done.faults:
        lines.append("What was lost beyond that cannot be told: the damaged part names no memory.")
    else:
        lines.append("No memory is known to be lost.")
    if done.older:
        told = [
            f"{short_id(id_)} ({done.said[id_]})" if id_ in done.said else id_ for id_ in done.older
        ]
        lines.append(f"Only an earlier version is left of {_some(told)}.")
    if done.unread:
        counts = (f"{name} {read:,} of {had:,}" for name, (had, read) in done.unread.items())
        lines.append(f"Rows read of the damaged file, of those in the backup: {', '.join(counts)}.")
    if done.faults > 0:
        lines.append(f"The damaged file has {done.faults:,} or more faults.")
    if done.aside is not None:
        lines.append(f"The damaged file is kept as {done.aside}.")
    return lines


def _some(told: Sequence[str]) -> str:
    shown = ", ".join(told[:SHOWN])
    return shown if len(told) <= SHOWN else f"{shown} and {len(told) - SHOWN:,} more"
