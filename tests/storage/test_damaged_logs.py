"""A log that a crash left and that was damaged since: what is lost of it is said, never silent."""

from __future__ import annotations

import random
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from store_tools import ME, NOW, memory, rare_text, store_at

from loremap.storage import memories
from loremap.storage.memories import Filter
from loremap.storage.options import Key
from loremap.storage.sqlite.log_loss import follows, head_sum, log_loss, unread_commits

KEY = Key("7c" * 32, "c7" * 16)
FRAME = 24 + 4096
WRITES = 12
Harm = Callable[[bytes], bytes]


def left_by_a_crash(folder: Path, key: Key | None) -> Path:
    """A copy of a store and its log as they lie there while somebody has them open."""
    store_at(folder, key=key).close()
    store, rng = store_at(folder, key=key), random.Random(3)
    for _ in range(WRITES):
        with store.write(now=NOW, actor=ME) as tx:
            memories.insert_memory(tx, memory(rare_text(rng, 20)))
    crashed = folder / "crashed"
    crashed.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(folder / f"lore.db{suffix}", crashed / f"lore.db{suffix}")
    store.close()
    return crashed


def in_a_frame(share: float) -> Harm:
    """Noise in the page of one frame."""

    def harm(log: bytes) -> bytes:
        at = 32 + int((len(log) - 32) // FRAME * share) * FRAME + 24 + 100
        return log[:at] + random.Random(1).randbytes(64) + log[at + 64 :]

    return harm


def in_its_head(log: bytes) -> bytes:
    """Another byte in the head of the log."""
    return log[:9] + bytes([log[9] ^ 1]) + log[10:]


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
@pytest.mark.parametrize(
    "harm", [in_a_frame(0.5), in_a_frame(0.9), in_its_head], ids=["middle", "end", "head"]
)
def test_what_a_damaged_log_loses_is_said(tmp_path: Path, harm: Harm, key: Key | None) -> None:
    folder = left_by_a_crash(tmp_path, key)
    log = folder / "lore.db-wal"
    log.write_bytes(harm(log.read_bytes()))
    store = store_at(folder, key=key)
    with store.read() as conn:
        left = memories.count(conn, Filter(everywhere=True))
        noted = log_loss(conn)
    store.close()
    assert left < WRITES
    assert noted is not None
    assert (noted[0], noted[1] >= WRITES - left) == (NOW, True)
    again = store_at(folder, key=key)
    with again.read() as conn:
        assert log_loss(conn) == noted, "said until somebody has heard it"
    again.close()


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_a_log_that_a_crash_left_whole_loses_nothing(tmp_path: Path, key: Key | None) -> None:
    store = store_at(left_by_a_crash(tmp_path, key), key=key)
    with store.read() as conn:
        assert memories.count(conn, Filter(everywhere=True)) == WRITES
        assert log_loss(conn) is None
    store.close()


def test_a_log_that_is_begun_anew_or_torn_at_its_end_loses_nothing(tmp_path: Path) -> None:
    folder = left_by_a_crash(tmp_path, None)
    log = folder / "lore.db-wal"
    log.write_bytes(log.read_bytes() + random.Random(2).randbytes(FRAME // 2))
    store = store_at(folder)
    for mode in ("PASSIVE", "RESTART", "PASSIVE"):
        with store.read() as conn:
            conn.exec_driver_sql(f"PRAGMA wal_checkpoint({mode})")
        assert unread_commits(store.path) == 0
        with store.write(now=NOW, actor=ME) as tx:
            memories.insert_memory(tx, memory(f"Something else was written after {mode} {tx.seq}"))
        assert unread_commits(store.path) == 0
    with store.read() as conn:
        assert log_loss(conn) is None
    store.close()


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_every_frame_as_it_was_written_follows_the_one_before(
    tmp_path: Path, key: Key | None
) -> None:
    log = (left_by_a_crash(tmp_path, key) / "lore.db-wal").read_bytes()
    head, before = log[:32], head_sum(log[:32])
    frames = [log[at : at + FRAME] for at in range(32, len(log), FRAME)]
    assert len(frames) > WRITES
    for frame in frames:
        assert follows(frame, before, head)
        assert not follows(frame[:-1] + bytes([frame[-1] ^ 1]), before, head)
        before = struct.unpack_from(">2I", frame, 16)
