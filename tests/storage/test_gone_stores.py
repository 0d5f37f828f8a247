"""A store that is gone is not an empty store: it is said, and no good backup is rotated away."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from store_tools import ME, NOW, QUICK, memory, store_at

from loremap.app.encryption import care_here
from loremap.app.recovery import Recovered, lines_of, recover
from loremap.config.folders import Folders
from loremap.errors import BadInput, Gone, LockedStore
from loremap.memory.housekeeping import back_up_changed
from loremap.model.clock import short_id
from loremap.storage import memories, relations
from loremap.storage.memories import Filter
from loremap.storage.options import Key
from loremap.storage.sqlite.backup import backup_paths, best, kept
from loremap.storage.sqlite.connect import LONGEST_NAP_S, SHORTEST_NAP_S, nap_s
from loremap.storage.store import Store


def filled(folder: Path, texts: int) -> Store:
    store = store_at(folder)
    with store.write(now=NOW, actor=ME) as tx:
        for number in range(texts):
            memories.insert_memory(tx, memory(f"Text {number}", tags=("a", "b"), files=("x.py",)))
    return store


def count(folder: Path) -> int:
    store = store_at(folder)
    with store.read() as conn:
        found = memories.count(conn, Filter(everywhere=True))
    store.close()
    return found


@pytest.mark.parametrize("empty", [False, True], ids=["missing", "empty"])
@pytest.mark.parametrize("backed_up", [False, True])
def test_a_store_that_was_there_is_not_made_anew(
    tmp_path: Path, empty: bool, backed_up: bool
) -> None:
    store = filled(tmp_path, 3)
    if backed_up:
        store.back_up()
    store.close()
    (tmp_path / "lore.db").unlink()
    if empty:
        (tmp_path / "lore.db").touch()
    with pytest.raises(Gone, match="`lore backup restore`") as caught:
        store_at(tmp_path)
    assert "\n" not in str(caught.value)
    left = [file.stat().st_size for file in tmp_path.glob("lore.db") if file.exists()]
    assert left == [0] * empty  # what is lost is left as it was found
    done = recover(Folders(tmp_path, tmp_path), options=QUICK, now=NOW)
    assert done.memories == (3 if backed_up else 0)
    assert any("lost" in line for line in lines_of(done))
    assert count(tmp_path) == done.memories


def test_backups_alone_tell_that_there_was_a_store(tmp_path: Path) -> None:
    store = filled(tmp_path / "one", 1) if (tmp_path / "one").mkdir() is None else None
    assert store is not None
    store.back_up()
    store.close()
    (tmp_path / "other").mkdir()
    shutil.copytree(tmp_path / "one" / "backups", tmp_path / "other" / "backups")
    with pytest.raises(Gone):
        store_at(tmp_path / "other")


def test_one_who_removed_it_on_purpose_starts_anew_and_keeps_the_backups(tmp_path: Path) -> None:
    store = filled(tmp_path, 2)
    store.back_up()
    store.close()
    places = Folders(tmp_path, tmp_path)
    with pytest.raises(BadInput, match="There is a store already"):
        care_here(places).start_anew(NOW)
    (tmp_path / "lore.db").unlink()
    aside = care_here(places).start_anew(NOW)
    assert aside is not None
    assert backup_paths(aside)
    assert count(tmp_path) == 0


def test_a_whole_store_is_not_brought_back(tmp_path: Path) -> None:
    filled(tmp_path, 2).close()
    with pytest.raises(BadInput, match="The store is whole"):
        recover(Folders(tmp_path, tmp_path), options=QUICK, now=NOW)


@pytest.mark.parametrize("given", [None, "9c" * 32], ids=["no key", "another key"])
def test_a_store_whose_key_is_not_at_hand_is_left_alone(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, given: str | None
) -> None:
    store = store_at(tmp_path, key=Key("7d" * 32, "d7" * 16))
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, memory())
    store.back_up()
    store.close()
    if given is not None:
        monkeypatch.setenv("LOREMAP_KEY", given)
    before = (tmp_path / "lore.db").read_bytes()
    with pytest.raises(LockedStore):
        recover(Folders(tmp_path, tmp_path), options=QUICK, now=NOW)
    assert (tmp_path / "lore.db").read_bytes() == before
    assert not (tmp_path / "lore.db.restored").exists()


@pytest.mark.parametrize(
    ("worths", "most", "places"),
    [
        ([5, 4, 3, 2], 3, [0, 1, 2]),  # the oldest goes
        ([5, 4], 3, [0, 1]),
        ([0, 90, 80, 70], 3, [0, 1, 2]),  # those that are kept hold enough
        ([0, 0, 0, 90, 80], 3, [0, 1, 2, 3]),  # an emptied store spares the newest full one
        ([40, 30, 20, 90], 3, [0, 1, 2, 3]),  # far less
        ([60, 30, 20, 90], 3, [0, 1, 2]),  # less, but not far
        ([0, 0, 0, 90], 1, [0, 3]),
        ([0, 0, 0, 0], 3, [0, 1, 2]),  # all damaged or empty
    ],
)
def test_what_holds_far_less_rotates_nothing_away(
    worths: list[int], most: int, places: list[int]
) -> None:
    assert kept(worths, most=most) == places


@pytest.mark.parametrize(
    ("worths", "place"),
    [([], None), ([0, 0], None), ([5], 0), ([0, 5], 1), ([1, 90, 95], 1), ([50, 90], 0)],
)
def test_the_best_backup_is_the_newest_whole_one_that_holds_enough(
    worths: list[int], place: int | None
) -> None:
    assert best(worths) == place


def test_backups_of_an_emptied_store_spare_the_full_one(tmp_path: Path) -> None:
    store = filled(tmp_path, 8)
    store.back_up()
    store.close()
    for name in ("lore.db", "lore.db.known"):
        (tmp_path / name).unlink()
    shutil.move(tmp_path / "backups", tmp_path / "kept")
    store = filled(tmp_path, 1)
    shutil.move(tmp_path / "kept", tmp_path / "backups")
    for _ in range(5):
        store.back_up()
    store.close()
    names = [path.name for path in backup_paths(tmp_path / "backups")]
    assert names == [f"lore.db.bak.{number}" for number in (1, 2, 3, 4)]
    (tmp_path / "lore.db").unlink()
    assert recover(Folders(tmp_path, tmp_path), options=QUICK, now=NOW).backup == 4
    assert count(tmp_path) == 8


def test_a_damaged_backup_counts_for_nothing(tmp_path: Path) -> None:
    store = filled(tmp_path, 4)
    store.back_up()
    with store.engine.connect() as conn, conn.begin():
        conn.exec_driver_sql("UPDATE memories SET status = 'konfirmed' WHERE row = 1")
    for _ in range(4):
        store.back_up()
    store.close()
    assert len(backup_paths(tmp_path / "backups")) == 4
    done = recover(Folders(tmp_path, tmp_path), options=QUICK, now=NOW)
    assert (done.backup, done.memories, done.lost) == (4, 4, ())


def test_what_a_process_still_has_open_of_a_removed_store_is_saved(tmp_path: Path) -> None:
    store = filled(tmp_path, 2)
    store.back_up()
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, memory("Written since."))
    (tmp_path / "lore.db").unlink()
    assert back_up_changed(store)
    store.close()
    recover(Folders(tmp_path, tmp_path), options=QUICK, now=NOW)
    assert count(tmp_path) == 3


def test_a_backup_is_made_at_the_end_only_of_what_changed(tmp_path: Path) -> None:
    store = filled(tmp_path, 1)
    assert [back_up_changed(store), back_up_changed(store)] == [True, False]
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, memory("Another."))
    assert back_up_changed(store)
    store.close()
    assert len(backup_paths(tmp_path / "backups")) == 2


SIDES = [
    "UPDATE memory_tags SET tag = 'c' WHERE tag = 'a'",
    "DELETE FROM memory_tags WHERE tag = 'b'",
    "UPDATE memory_files SET path = 'y.py'",
]


@pytest.mark.parametrize("harm", SIDES)
def test_a_memory_says_its_own_files_and_tags_whatever_it_is_looked_up_by(
    store: Store, harm: str
) -> None:
    one = memory(tags=("a", "b"), files=("x.py",))
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)
    with store.engine.connect() as conn, conn.begin():
        conn.exec_driver_sql(harm)
    with store.read() as conn:
        assert memories.get(conn, one.id) == one
        assert memories.listing(conn, Filter(everywhere=True, tag="c"), limit=9) == []
        assert memories.listing(conn, Filter(everywhere=True, file="y.py"), limit=9) == []
        assert memories.astray(conn) == [one.id]
    with store.write(now=NOW, actor=ME) as tx:
        memories.attach_again(tx, [one.id])
    with store.read() as conn:
        assert memories.astray(conn) == []
        assert memories.listing(conn, Filter(everywhere=True, tag="b"), limit=9) == [one]


def test_a_damaged_link_is_withheld(store: Store) -> None:
    from loremap.model.memory import Relation

    one, other = memory("One."), memory("Other.")
    with store.write(now=NOW, actor=ME) as tx:
        for each in (one, other):
            memories.insert_memory(tx, each)
        relations.add_link(tx, one.id, other.id, Relation.RELATES_TO, weight=0.5)
    with store.read() as conn:
        assert len(relations.links_of(conn, one.id)) == 1
    with store.engine.connect() as conn, conn.begin():
        conn.exec_driver_sql("UPDATE links SET weight = 0.25")
    with store.read() as conn:
        assert relations.links_of(conn, one.id) == []
        assert relations.damaged_links(conn) == 1


@pytest.mark.parametrize(
    ("waited_s", "nap"), [(0.0, LONGEST_NAP_S), (1.0, LONGEST_NAP_S / 2), (60.0, SHORTEST_NAP_S)]
)
def test_who_has_waited_long_asks_more_often(waited_s: float, nap: float) -> None:
    assert nap_s(waited_s) == nap


def test_losses_are_named_by_their_first_words_and_counted_by_table() -> None:
    done = Recovered(
        backup=1,
        backup_at=NOW,
        memories=7,
        brought=0,
        lost=("c" * 32,),
        older=("a" * 32,),
        said={"a" * 32: "Deploys need two…"},
        unread={"history": (40, 31)},
        faults=2,
        aside=None,
    )
    told = lines_of(done)
    assert f"Lost: {'c' * 8}." in told
    assert f"Only an earlier version is left of {'a' * 8} (Deploys need two…)." in told
    assert "Rows read of the damaged file, of those in the backup: history 31 of 40." in told


def test_what_is_left_only_in_an_earlier_version_is_named(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    said = memory("Deploys need two approvals from the release team.")
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, said)
    store.back_up()
    with store.write(now=NOW, actor=ME) as tx:
        memories.update_memory(tx, said, replace(said, pinned=True), action="update")
        tx.conn.exec_driver_sql("UPDATE memories SET content = content || ' Or three.'")
    store.close()
    done = recover(Folders(tmp_path, tmp_path), options=QUICK, now=NOW)
    assert done.older == (said.id,)
    assert any(
        f"{short_id(said.id)} (Deploys need two approvals" in line for line in lines_of(done)
    )
