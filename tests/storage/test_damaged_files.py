"""A damaged file is noticed when it is opened, and the way back is named."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from store_tools import ME, NOW, memory, rare_text, store_at

from loremap.errors import Damaged, KeyMissing, KeyWrong, LoremapError
from loremap.storage import memories
from loremap.storage.memories import Filter
from loremap.storage.options import Key
from loremap.storage.sqlite.backup import restore
from loremap.storage.store import Store

PAGE = 4096
TREE_PAGES = (2, 5, 10, 13)
"""The first byte of a page of SQLite's trees."""
COUNT = 80
KEY = Key("5a" * 32, "a5" * 16)
Put = Callable[[Key | None], bytes]


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[Key | None, Path]:
    """A plain and an encrypted store of some pages, each with one backup."""
    made = {}
    for key in (None, KEY):
        rng, folder = random.Random(11), tmp_path_factory.mktemp("whole")
        store = store_at(folder, key=key)
        with store.write(now=NOW, actor=ME) as tx:
            for _ in range(COUNT):
                memories.insert_memory(tx, memory(rare_text(rng, 60), tags=(rare_text(rng, 1),)))
        _without_free_pages(store)
        store.back_up()
        store.close()
        made[key] = folder
    return made


def _without_free_pages(store: Store) -> None:
    """What a free page holds is nobody's, and its damage none."""
    raw = store.engine.raw_connection()
    assert raw.driver_connection is not None
    raw.driver_connection.execute("VACUUM")
    raw.close()


@pytest.fixture
def put(originals: dict[Key | None, Path], tmp_path: Path) -> Callable[[Key | None], bytes]:
    """Puts a copy of one of them into `tmp_path` and returns the bytes of its store."""

    def put_here(key: Key | None) -> bytes:
        shutil.copytree(originals[key], tmp_path, dirs_exist_ok=True)
        return (tmp_path / "lore.db").read_bytes()

    return put_here


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
@pytest.mark.parametrize("harm", ["noise", "zeros", "bit"])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.95])
def test_a_damaged_page_is_noticed(
    tmp_path: Path, put: Put, key: Key | None, harm: str, share: float
) -> None:
    whole = put(key)
    pages = [
        start
        for start in range(PAGE, len(whole), PAGE)
        # In a plain file, what a page holds beside the trees is left to the rows' own checksums.
        if key is not None or whole[start] in TREE_PAGES
    ]
    start = pages[int(len(pages) * share)]
    page = bytearray(whole[start : start + PAGE])
    if harm == "noise":
        page[:] = random.Random(5).randbytes(PAGE)
    elif harm == "zeros":
        page[:] = bytes(PAGE)
    else:
        page[0] ^= 0x40  # the kind of the page
    (tmp_path / "lore.db").write_bytes(whole[:start] + bytes(page) + whole[start + PAGE :])
    with pytest.raises(Damaged) as caught:
        store_at(tmp_path, key=key)
    assert "lore backup restore" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_an_index_of_words_that_cannot_be_opened_is_damage(
    tmp_path: Path, put: Put, key: Key | None
) -> None:
    whole = put(key)
    store = store_at(tmp_path, key=key)
    with store.read() as conn:
        root = "SELECT rootpage FROM sqlite_master WHERE name = 'memory_text_config'"
        start = (conn.exec_driver_sql(root).scalar_one() - 1) * PAGE
    store.close()
    noise = random.Random(5).randbytes(PAGE)
    (tmp_path / "lore.db").write_bytes(whole[:start] + noise + whole[start + PAGE :])
    with pytest.raises(Damaged, match="lore backup restore"):
        store_at(tmp_path, key=key)


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
@pytest.mark.parametrize("kept", [0.3, 0.8])
def test_a_file_cut_short_is_noticed(
    tmp_path: Path, put: Put, key: Key | None, kept: float
) -> None:
    whole = put(key)
    (tmp_path / "lore.db").write_bytes(whole[: int(len(whole) / PAGE * kept) * PAGE])
    with pytest.raises(Damaged, match="lore backup restore"):
        store_at(tmp_path, key=key)


@pytest.mark.parametrize(
    ("head", "error"),
    [
        (bytes(PAGE), Damaged),
        (b"", Damaged),
        (b"no database at all".ljust(PAGE), KeyMissing),  # noise may be an encrypted page
    ],
)
def test_a_lost_first_page_is_noticed(
    tmp_path: Path, put: Put, head: bytes, error: type[LoremapError]
) -> None:
    whole = put(None)
    (tmp_path / "lore.db").write_bytes((head + whole[PAGE:]) if head else b"cut")
    with pytest.raises(error, match="lore backup restore") as caught:
        store_at(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_lost_first_page_of_an_encrypted_store_names_the_backups_too(
    tmp_path: Path, put: Put
) -> None:
    whole = put(KEY)
    spoiled = whole[:16] + random.Random(3).randbytes(PAGE - 16) + whole[PAGE:]
    (tmp_path / "lore.db").write_bytes(spoiled)
    with pytest.raises(KeyWrong, match="lore backup restore"):
        store_at(tmp_path, key=KEY)


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_the_newest_backup_takes_the_place_of_a_damaged_store(
    tmp_path: Path, put: Put, key: Key | None
) -> None:
    whole = put(key)
    (tmp_path / "lore.db").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Damaged):
        store_at(tmp_path, key=key)
    aside = restore(tmp_path / "lore.db", tmp_path / "backups", 1)
    assert aside.stat().st_size == len(whole) // 2
    store = store_at(tmp_path, key=key)
    with store.read() as conn:
        assert memories.count(conn, Filter(everywhere=True)) == COUNT
    store.close()
