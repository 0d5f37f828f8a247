"""Whether the write-ahead log holds what was committed and can no longer be read.

SQLite reads a log up to the first frame that is not what was written, and drops the rest without a
word. The rest still lies there until the next write: frames of the same log that end a transaction.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine

from loremap.model.clock import from_ms
from loremap.storage.facts import fact, set_fact
from loremap.storage.sqlite.exclusive import head_of

NOTED = "log_damaged"
PAGE_BYTES = 4096
_HEAD, _FRAME_HEAD = 32, 24
_SALTS_AT, _NO_SALTS = 16, bytes(8)
_INDEX_BYTES, _INDEX_LAST_AT, _INDEX_SUM_AT, _INDEX_SALTS_AT = 48, 16, 24, 32
"""The head of the index of a log: the last frame that is read, its checksum, the log's salts."""
_WORD = 2**32 - 1


def note_log_loss(engine: Engine, path: Path, *, now_ms: int) -> int:
    """Note in the store that a part of its log is lost, where it is; how many transactions."""
    if not unread_commits(path):
        return 0
    with engine.connect().execution_options(begin="IMMEDIATE") as conn, conn.begin():
        lost = unread_commits(path)  # now that nobody is about to write
        if lost:
            set_fact(conn, NOTED, f"{now_ms} {lost}")
    return lost


def log_loss(conn: Connection) -> tuple[datetime, int] | None:
    """When a part of the log was found to be lost, and how many transactions; None where none
    was."""
    said = fact(conn, NOTED)
    if said is None:
        return None
    at, _, lost = said.partition(" ")
    return from_ms(int(at)), int(lost)


def unread_commits(path: Path) -> int:
    """How many transactions lie in the log behind a frame that is not what was written. Asked by a
    process that has the store open."""
    log, index = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    if not index.exists() or not log.exists() or log.stat().st_size <= _HEAD:
        return 0
    held = head_of(index, _INDEX_BYTES)
    salts = held[_INDEX_SALTS_AT:][:8]
    if len(held) < _INDEX_BYTES:
        return 0
    last = struct.unpack_from("=I", held, _INDEX_LAST_AT)[0]
    with log.open("rb") as file:
        head = file.read(_HEAD)
    if salts == _NO_SALTS:  # SQLite could not even read its head
        return sum(_commits(log, 0, None))
    if salts != head[_SALTS_AT:][:8]:
        return 0  # it is begun anew
    before = struct.unpack_from("=2I", held, _INDEX_SUM_AT) if last else head_sum(head)
    broken = _broken_at(log, last, before, head)
    return 0 if broken is None else sum(_commits(log, broken, salts))


def _broken_at(log: Path, first: int, before: tuple[int, int], head: bytes) -> int | None:
    """The frame from `first` on that is not what was written; None where a whole transaction
    follows, of one who is about to say so or was killed before, or nothing does."""
    with log.open("rb") as file:
        file.seek(_HEAD + first * (_FRAME_HEAD + PAGE_BYTES))
        while len(frame := file.read(_FRAME_HEAD + PAGE_BYTES)) == _FRAME_HEAD + PAGE_BYTES:
            if not follows(frame, before, head):
                return first
            if _ends_transaction(frame):
                return None
            before = struct.unpack_from(">2I", frame, 16)
            first += 1
    return None


def head_sum(head: bytes) -> tuple[int, int]:
    """The checksum in the head of a log, which that of its first frame goes on from."""
    one, other = struct.unpack_from(">2I", head, 24)
    return one, other


def follows(frame: bytes, before: tuple[int, int], head: bytes) -> bool:
    """Whether a frame is what was written: its checksum goes on from the one before it."""
    order = ">" if head[3] & 1 else "<"
    summed = frame[:8] + frame[_FRAME_HEAD:]
    words = struct.unpack(f"{order}{len(summed) // 4}I", summed)
    one, other = before
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + other) & _WORD
        other = (other + second + one) & _WORD
    return (one, other) == struct.unpack_from(">2I", frame, 16)


def _commits(log: Path, first: int, salts: bytes | None) -> Iterator[bool]:
    """Of every frame from `first` on that has these salts, or those of the first one, whether it
    ends a transaction."""
    with log.open("rb") as file:
        file.seek(_HEAD + first * (_FRAME_HEAD + PAGE_BYTES))
        while len(head := file.read(_FRAME_HEAD)) == _FRAME_HEAD:
            salts = salts or head[8:16]
            if head[8:16] == salts:
                yield _ends_transaction(head)
            file.seek(PAGE_BYTES, 1)


def _ends_transaction(frame: bytes) -> bool:
    """Only the last frame of a transaction says how large the file is after it."""
    return frame[4:8] != bytes(4)
