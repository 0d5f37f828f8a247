"""What came of a session: a question resembles how one began, and is answered by how it ended, or
by what else was settled in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loremap.memory.recall.context import Mask
from loremap.model.kind import RULES, Kind
from loremap.model.memory import Memory
from loremap.model.recall import Recall
from loremap.storage import memories
from loremap.storage.store import Connection
from loremap.storage.warm import Warm

FITS = 0.6
"""The share of the best score from which the session of a note is one that the question is about:
on sde-dev sessions on its subject have .69 and more, others .55 and less."""
READ_FITS = 0.8
"""The same for what was read from a session: there is more of it, and it says more by itself."""
MAX_SESSIONS = 3
LAST_NOTES = 3
"""So many of a session's notes tell how it ended: the last may be no more than a yes."""
LAST_TAUGHT = 10
"""So much of what was read from a session is told with one of it: what settles a thing is seldom
what a question resembles."""

_EPISODIC = np.asarray([RULES[kind].episodic for kind in Kind])


def endings(
    conn: Connection,
    warm: Warm,
    mask: Mask,
    answer: Recall,
    *,
    alike: Sequence[str],
    without: str | None,
) -> list[Memory]:
    """What the sessions taught that an answer is about, the last of it first, or the last notes of
    them, the newest session first, and after them those that began `alike`; of what `mask` lets
    see, and not of the session `without`, which is at it still."""
    about = _about(conn, answer, without) if answer.hits else []
    return [
        note
        for session in [*dict.fromkeys((*about, *alike))][:MAX_SESSIONS]
        for note in _end_of(conn, warm, mask, session)
    ]  # fmt: skip


def _about(conn: Connection, answer: Recall, without: str | None) -> list[str]:
    """The sessions that an answer is about."""
    scores = {hit.memory.id: hit.score for hit in answer.hits}
    scores |= {one.memory_id: one.score for one in answer.trace.verdicts if one.step == "cut"}
    enough = FITS * max(scores.values())
    found = memories.by_ids(conn, [id_ for id_, score in scores.items() if score >= enough])
    surely = READ_FITS * max(scores.values())
    near = [one for one in found if not _is_read(one) or scores[one.id] >= surely]
    return sessions_of(near, without=without)


def sessions_of(notes: Sequence[Memory], *, without: str | None) -> list[str]:
    """The sessions that notes tell of, the one that wrote last first."""
    last: dict[str, Memory] = {}
    for note in notes:
        session = note.session_id
        if session and session != without and (RULES[note.kind].episodic or _is_read(note)):
            last[session] = max(last.get(session, note), note, key=lambda one: one.created_at)
    ordered = sorted(last, key=lambda session: last[session].created_at, reverse=True)
    return ordered[:MAX_SESSIONS]


def _end_of(conn: Connection, warm: Warm, mask: Mask, session: str) -> list[Memory]:
    """What was read from a session, the last of it first; else the last of its notes, in the order
    they were written."""
    rows = np.asarray(memories.rows_of_session(conn, session), np.int64)
    slots = warm.slots_of(rows)
    known = slots >= 0
    rows, slots = rows[known], slots[known]
    rows, slots = rows[mask[slots]], slots[mask[slots]]
    read = [one for one in memories.by_rows(conn, rows.tolist()).values() if _is_read(one)]
    if read:
        read.sort(key=lambda one: one.message_end or 0, reverse=True)
        return read[:LAST_TAUGHT]
    told = rows[_EPISODIC[warm["kind"][slots]]]
    return list(memories.by_rows(conn, told[-LAST_NOTES:].tolist()).values())


def _is_read(note: Memory) -> bool:
    """Whether it was read from what was said in a session, and not written down in it."""
    return note.message_start is not None
