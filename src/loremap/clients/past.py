"""Lists the sessions that clients have written down on this machine, and reads them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.clients.connect import site
from loremap.clients.registry import CLIENTS, client_named
from loremap.clients.transcript import latest, session_records, subagent_records
from loremap.clients.transcripts.past import MAX_FILES, Past, PastSession, sessions_in

if TYPE_CHECKING:
    from loremap.clients.settings.site import Site
    from loremap.clients.transcripts.record import Record


@dataclass(frozen=True, slots=True)
class Listing:
    """The sessions of the past, the oldest first."""

    sessions: tuple[PastSession, ...]
    unreadable: tuple[Path, ...] = ()
    is_whole: bool = True
    """Whether all were looked at: not where time ran out."""


def past_clients() -> tuple[str, ...]:
    """The clients whose sessions of the past can be read."""
    return tuple(name for name, client in CLIENTS.items() if client.past is not None)


def listing(
    home: Path,
    *,
    clients: Sequence[str] = (),
    since: datetime | None = None,
    within_s: float | None = None,
) -> Listing:
    """The sessions that these clients, or all, have written down, in which something happened
    since; `within_s` is how long it may take, and then the newest are in it."""
    in_time = _always if within_s is None else partial(_is_before, time.monotonic() + within_s)
    here, found, bad = site(home), list[PastSession](), list[Path]()
    for name in clients or past_clients():
        past = client_named(name).past
        if past is None:
            continue
        for path in takewhile(lambda _: in_time(), _newest(past, here, in_time)):
            try:
                found += sessions_in(name, past, path)
            except OSError:
                bad.append(path)
    kept = [one for one in _joined(found) if since is None or one.last >= since]
    return Listing(tuple(sorted(kept, key=_time)), tuple(bad), in_time())


def _always() -> bool:
    return True


def _is_before(deadline: float) -> bool:
    return time.monotonic() < deadline


def records_of(session: PastSession) -> Iterator[Record]:
    """What was said and done in a session, in order."""
    past = client_named(session.client).past
    if past is not None and past.records is not None:
        for path in session.paths:
            yield from past.records(path, session.id)
    else:
        yield from session_records(session.paths, session.client)


def subagents_of(
    client: str, session_id: str, paths: Sequence[Path]
) -> Iterator[tuple[str, Iterator[Record]]]:
    """What each subagent of a session did, by its id, as these files tell it or what lies beside
    them."""
    past = client_named(client).past
    if past is not None and past.records is not None:
        for path in paths:
            yield from past.subagents(path, session_id)
    else:
        yield from subagent_records(paths, client)


def written_records(
    home: Path, client: str, session_id: str, transcript: Path | None
) -> Iterator[Record]:
    """What a client has written down of a session, in its transcript and those in which it went on,
    or where it keeps them all; nothing where it cannot be read."""
    past = client_named(client).past
    if past is None or past.records is None:
        if transcript is not None:
            yield from session_records([latest(transcript, client)], client)
        return
    try:
        for path in past.files(site(home)):
            yield from past.records(path, session_id)
    except OSError:
        return


def _newest(past: Past, here: Site, in_time: Callable[[], bool]) -> Sequence[Path]:
    known = takewhile(lambda _: in_time(), past.files(here))
    timed = sorted(((_written(path), path) for path in known), reverse=True)
    return [path for _, path in timed[:MAX_FILES]]


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _joined(found: Sequence[PastSession]) -> list[PastSession]:
    """Each session once, with all its files."""
    known: dict[tuple[str, str], PastSession] = {}
    for one in sorted(found, key=_time):
        key = (one.client, one.id)
        known[key] = one if key not in known else _longer(known[key], one)
    return list(known.values())


def _longer(first: PastSession, then: PastSession) -> PastSession:
    return replace(
        first,
        paths=(*first.paths, *then.paths),
        folder=first.folder or then.folder,
        branch=then.branch or first.branch,
        remote=first.remote or then.remote,
        last=max(first.last, then.last),
        bytes=first.bytes + then.bytes,
    )


def _time(one: PastSession) -> datetime:
    return one.began or one.last
