"""No room, no right to write, no local disk: what is stored is safe, and what can be done is."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from store_tools import ME, NOW, Child, holding, memory, rare_text, store_at

import loremap
from loremap.errors import DiskFull, ReadOnly, StoreError, UnsafeFolder
from loremap.model.memory import Memory, Trigger
from loremap.model.outcome import Stored
from loremap.storage import memories
from loremap.storage.memories import Filter
from loremap.storage.sqlite.store import FileStore, check_integrity

NOBODY = 65_534
posix_only = pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")


def fill(store: FileStore, rng: random.Random, *, words: int = 150) -> None:
    with store.write(now=NOW, actor=ME) as tx:
        for _ in range(20):
            memories.insert_memory(tx, memory(rare_text(rng, words)))


def count(store: FileStore) -> int:
    with store.read() as conn:
        return memories.count(conn, Filter(everywhere=True))


def whole(store: FileStore) -> None:
    check_integrity(store, whole=True)
    with store.engine.connect() as conn:
        conn.exec_driver_sql("INSERT INTO memory_text(memory_text) VALUES ('integrity-check')")


def test_a_full_store_takes_nothing_and_goes_on_when_there_is_room(store: FileStore) -> None:
    rng = random.Random(1)
    fill(store, rng)
    with store.engine.connect() as conn:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        conn.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(DiskFull) as caught:
        fill(store, rng)
    assert "no room left" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert count(store) == 20
    whole(store)
    with store.engine.connect() as conn:
        conn.exec_driver_sql("PRAGMA max_page_count = 1073741823")
    fill(store, rng)
    assert count(store) == 40


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 6 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(place)],
        capture_output=True,
        check=False,
    ) if shutil.which("mount") and sys.platform.startswith("linux") else None  # fmt: skip
    if made is None or made.returncode:
        pytest.skip("no right to mount a small disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_harms_nothing(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, rng = small_disk / "home", random.Random(2)
    home.mkdir()
    (home / "config.toml").write_text('[embedding]\nprovider = "hashing"\n', "utf-8")
    monkeypatch.setenv("LOREMAP_HOME", str(home))
    project = small_disk / "project"
    project.mkdir()
    acknowledged: list[str] = []
    with loremap.open(project) as lore:
        with pytest.raises(DiskFull) as caught:  # noqa: PT012
            for _ in range(2_000):
                outcome = lore.remember(rare_text(rng, 40))
                assert isinstance(outcome, Stored)
                acknowledged.append(outcome.memory.id)
        assert "\n" not in str(caught.value)
        assert len(acknowledged) > 20
        assert {memory.id for memory in lore.list(limit=5_000)} == set(acknowledged)
        assert lore.search(lore.find(acknowledged[3]).content).hits
    with loremap.open(project) as lore:  # still full
        assert {memory.id for memory in lore.list(limit=5_000)} == set(acknowledged)
        assert lore.recall(lore.find(acknowledged[4]).content, gate=False).hits
        with pytest.raises(DiskFull):  # noqa: PT012
            for _ in range(50):
                lore.remember(rare_text(rng, 40))
        with pytest.raises(StoreError):
            lore.store.back_up()
        assert not list((home / "backups").glob("*")), "no half of a backup is left"
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    with loremap.open(project) as lore:
        lore.remember(rare_text(rng, 40))
        whole(lore.store)


def test_what_is_forgotten_on_a_full_disk_is_erased_when_there_is_room(small_disk: Path) -> None:
    rng = random.Random(3)
    victim = memory(rare_text(rng))
    store = store_at(small_disk)
    with store.write(now=NOW, actor=ME) as tx:
        for one in (victim, *(memory(rare_text(rng, 100)) for _ in range(300))):
            memories.insert_memory(tx, one)
    with store.engine.connect() as conn:
        conn.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    ballast, disk = small_disk / "ballast", os.statvfs(small_disk)
    ballast.write_bytes(bytes(disk.f_bavail * disk.f_frsize))
    assert not erased_at_last(store, victim, ballast), "there was room for all of it"
    store.close()
    store = store_at(small_disk)  # what is pending does not keep us out
    assert count(store) == 300
    store.close()
    ballast.unlink()
    store = store_at(small_disk)
    assert holding(small_disk, [victim.content, *victim.content.rstrip(".").split()]) == {}
    whole(store)
    store.close()


def erased_at_last(store: FileStore, victim: Memory, ballast: Path) -> bool:
    """What `erase` says once there is just enough room to begin it."""
    while True:
        try:
            return store.erase([victim.id], now=NOW, actor=ME)
        except DiskFull:
            assert count(store) == 301, "all or nothing"
            os.truncate(ballast, ballast.stat().st_size - 131_072)


@pytest.fixture
def others_folder() -> Iterator[Path]:
    """A folder that another user can reach."""
    with tempfile.TemporaryDirectory(prefix="loremap-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def _as_somebody_else(pipe: Any, home: Path, project: Path) -> None:
    """Recall and try to write as a user who may only read."""
    with loremap.open(project) as lore:  # loads all modules while this user still may
        lore.remember("The stove is warmed up first.")
        lore.recall("warm up")
    os.environ["LOREMAP_HOME"] = str(home)
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    told: list[object] = []
    with loremap.open(project) as lore:
        told += [lore.status().read_only, len(lore.list()), len(lore.recall("quokka").hits)]
        told += [bool(lore.check(command="rm -rf quokka")), lore.show("quokka", by_keyword=True)]
        try:
            lore.remember("Written by somebody who may not.")
        except StoreError as fault:
            told += [type(fault).__name__, str(fault)]
    pipe.send(told)


def read_only_home(folder: Path, files: dict[str, bytes]) -> Path:
    home = folder / "home"
    home.mkdir()
    for name, data in files.items():
        (home / name).write_bytes(data)
        (home / name).chmod(0o444)
    home.chmod(0o555)
    return home


@posix_only
@pytest.mark.parametrize("state", ["closed", "log", "log only"])
def test_a_folder_that_may_only_be_read_still_recalls(
    quick_home: Path, project: Path, others_folder: Path, state: str
) -> None:
    with loremap.open(project) as lore:
        lore.remember(
            "Never feed the quokka after midnight.",
            kind="warning",
            triggers=[Trigger("literal", "rm -rf quokka")],
        )
        open_files = {
            path.name: path.read_bytes() for path in quick_home.iterdir() if path.is_file()
        }
    files = {path.name: path.read_bytes() for path in quick_home.iterdir() if path.is_file()}
    if state != "closed":
        files = open_files
        assert len(files["lore.db-wal"]) > 0
    if state == "log only":
        del files["lore.db-shm"]
    home = read_only_home(others_folder, files)
    project.chmod(0o755)
    with Child(_as_somebody_else, home, project) as other:
        read_only, listed, recalled, warned, shown, error, said = other.says()
    home.chmod(0o755)
    assert (read_only, listed, recalled, warned) == (True, 1, 1, True)
    assert shown.memory.kind == "warning"
    assert error == "ReadOnly"
    assert "\n" not in said
    assert {path.name: path.read_bytes() for path in home.iterdir()} == files


def mountinfo(folder: Path, kind: str) -> str:
    return (
        "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
        f"40 22 0:50 / {folder} rw,relatime shared:5 - {kind} server:/export rw\n"
    )


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "9p"])
def test_a_network_folder_is_refused_before_anything_is_written(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(mountinfo(tmp_path.resolve(), kind), "utf-8")
    monkeypatch.setenv("LOREMAP_MOUNTINFO", str(table))
    with pytest.raises(UnsafeFolder) as caught:
        loremap.open(project)
    assert kind in str(caught.value)
    assert "LOREMAP_HOME" in caught.value.hint
    assert "\n" not in str(caught.value)
    assert not home.exists()


def test_a_local_folder_is_used(
    quick_home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(mountinfo(tmp_path.resolve(), "btrfs"), "utf-8")
    monkeypatch.setenv("LOREMAP_MOUNTINFO", str(table))
    loremap.open(project).close()
    assert (quick_home / "lore.db").exists()


def test_a_home_that_cannot_be_made_is_an_error_of_ours(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    monkeypatch.setenv("LOREMAP_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(ReadOnly, match="cannot be made") as caught:
        loremap.open(project)
    assert "\n" not in str(caught.value)


@posix_only
def test_a_new_home_is_the_owners_alone(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loremap.open(project).close()
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "lore.db").stat().st_mode & 0o777 == 0o600


def test_a_store_that_was_opened_twice_in_one_process_stays_whole(tmp_path: Path) -> None:
    first, second = store_at(tmp_path), store_at(tmp_path)
    rng = random.Random(8)
    fill(first, rng, words=5)
    second.close()
    fill(first, rng, words=5)
    third = store_at(tmp_path)
    assert count(third) == 40
    whole(third)
    first.close()
    third.close()
