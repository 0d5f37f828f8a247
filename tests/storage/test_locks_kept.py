"""SQLite's locks on a file: kept while we look at it, and asked before it is replaced."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from store_tools import ME, NOW, Child, memory, store_at

from loremap.errors import Busy, Damaged
from loremap.storage import memories
from loremap.storage.sqlite.backup import restore
from loremap.storage.sqlite.connect import is_encrypted
from loremap.storage.sqlite.exclusive import held, take_place


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads Linux's table of locks")
def test_looking_at_a_file_that_is_open_takes_no_lock_from_it(tmp_path: Path) -> None:
    """POSIX drops a process's locks on a file when it closes any descriptor of it."""

    def locks() -> list[str]:
        file = f":{(tmp_path / 'lore.db').stat().st_ino} "
        listed = Path("/proc/locks").read_text("ascii").splitlines()
        return [line.split(maxsplit=1)[1] for line in listed if file in line]

    store = store_at(tmp_path)
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, memory())
    before = locks()
    assert before
    assert not is_encrypted(store.path)
    assert locks() == before
    second = store_at(tmp_path)
    second.close()
    assert locks() == before
    store.close()


def _stay(pipe: Any, folder: Path) -> None:
    store = store_at(folder)
    pipe.send("open")
    pipe.recv()
    store.close()
    pipe.send("closed")


def test_a_file_that_a_process_has_open_is_not_replaced(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, memory())
    store.back_up()
    store.close()
    with Child(_stay, tmp_path) as other:
        assert other.says() == "open"
        before = (tmp_path / "lore.db").read_bytes()
        with pytest.raises(Busy, match=r"has .* open"):
            restore(tmp_path / "lore.db", tmp_path / "backups", 1)
        assert (tmp_path / "lore.db").read_bytes() == before
        assert not (tmp_path / "lore.db.damaged").exists()
        assert not (tmp_path / "lore.db.restored").exists()
        other.tell("close")
        assert other.says() == "closed"
    restore(tmp_path / "lore.db", tmp_path / "backups", 1)


def _open_late(pipe: Any, folder: Path) -> None:
    pipe.send("trying")
    try:
        store = store_at(folder)
    except Busy:
        pipe.send("Busy")
    else:
        store.close()
        pipe.send("open")


def test_nobody_opens_a_file_that_is_held(tmp_path: Path) -> None:
    store_at(tmp_path).close()
    with held(tmp_path / "lore.db"), Child(_open_late, tmp_path) as other:
        assert other.says() == "trying"
        assert other.says() == "Busy"


def test_the_old_file_is_of_no_use_to_those_who_still_have_it(tmp_path: Path) -> None:
    """Else their log, named as that of the new file, would be played into it."""
    store_at(tmp_path).close()
    store, second_name = tmp_path / "lore.db", tmp_path / "old" / "lore.db"
    second_name.parent.mkdir()
    second_name.hardlink_to(store)
    fresh = tmp_path / "fresh"
    fresh.write_bytes(store.read_bytes())
    with held(store) as old:
        take_place(fresh, store, old=old)
    store_at(tmp_path).close()
    with pytest.raises(Damaged):
        store_at(second_name.parent)
