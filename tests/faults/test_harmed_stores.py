"""A store that was harmed anywhere gives no wrong answer, and the command that its message names
brings it back with all that the last backup held and what could still be read."""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from store_tools import ME, NOW, QUICK, memory, rare_text, rare_words, store_at

from loremap.app.recovery import Recovered, lines_of, recover
from loremap.config.folders import Folders
from loremap.errors import LoremapError
from loremap.model.clock import short_id
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Relation, Status, Trigger
from loremap.storage import memories, relations
from loremap.storage.memories import Filter
from loremap.storage.options import Key
from loremap.storage.sqlite.store import FileStore, open_store

PAGE = 4096
KEY = Key("6b" * 32, "b6" * 16)
WHOLE = "LOREMAP_HARM_ALL"
"""Set it to try the whole numbers, which takes a quarter of an hour."""
EVERY = Filter(everywhere=True, statuses=tuple(Status))
Harm = Callable[[bytes, random.Random], bytes]
LinkSaid = tuple[str, str, str, float]


@dataclass(frozen=True)
class Truth:
    """What the store said last, what it said when it was backed up, and what it may never say."""

    folder: Path
    now: dict[str, Memory]
    backed_up: dict[str, Memory]
    links: frozenset[LinkSaid]
    erased: str


def _said(store: FileStore) -> dict[str, Memory]:
    with store.read() as conn:
        found = memories.listing(conn, EVERY, limit=999)
        found += memories.listing(conn, replace(EVERY, deleted=True), limit=999)
    return {each.id: each for each in found}


def _links(store: FileStore) -> frozenset[LinkSaid]:
    said = _said(store)
    with store.read() as conn:
        return frozenset(
            (link.source_id, link.target_id, link.relation.value, link.weight)
            for id_ in said
            for link in relations.links_of(conn, id_)
        )


def _filled(folder: Path, key: Key | None) -> Truth:
    """A store with a backup, and with what was written, changed, forgotten and erased since."""
    rng = random.Random(17)
    store = store_at(folder, key=key)
    told = [_told(rng) for _ in range(24)]
    with store.write(now=NOW, actor=ME) as tx:
        for each in told:
            memories.insert_memory(tx, each)
        for one, other in pairwise(told[:8]):
            relations.add_link(tx, one.id, other.id, Relation.RELATES_TO, weight=0.25)
    store.back_up()
    backed_up = _said(store)
    later = NOW + timedelta(hours=1)
    with store.write(now=later, actor=ME) as tx:
        for each in (fresh := [_told(rng) for _ in range(12)]):
            memories.insert_memory(tx, each)
        for one, other in pairwise(fresh[:5]):
            relations.add_link(tx, one.id, other.id, Relation.DERIVED_FROM, weight=0.5)
        for each in told[10:14]:
            edited = replace(each, content=each.content + " Since then.", pinned=True)
            memories.update_memory(tx, each, edited, action="update")
        for each in told[14:17]:
            memories.update_memory(tx, each, replace(each, deleted_at=later), action="remove")
    store.erase([told[20].id], now=later, actor=ME)
    now, links = _said(store), _links(store)
    shutil.copy(store.backups / "lore.db.bak.1", folder / "kept")
    store.close()
    return Truth(folder, now, backed_up, links, told[20].id)


def _told(rng: random.Random) -> Memory:
    words = rare_words(rng, 4)
    return memory(
        rare_text(rng, rng.choice((8, 40, 300))),
        kind=Kind.GOTCHA,
        tags=words[:2],
        files=(f"src/{words[2]}.py",),
        triggers=(Trigger("literal", words[3]),),
    )


@pytest.fixture(scope="module")
def truths(tmp_path_factory: pytest.TempPathFactory) -> dict[Key | None, Truth]:
    return {key: _filled(tmp_path_factory.mktemp("whole"), key) for key in (None, KEY)}


def flipped(whole: bytes, rng: random.Random) -> bytes:
    """One bit is another."""
    at = rng.randrange(len(whole))
    return whole[:at] + bytes([whole[at] ^ (1 << rng.randrange(8))]) + whole[at + 1 :]


def garbled(whole: bytes, rng: random.Random) -> bytes:
    """One page is noise."""
    at = rng.randrange(len(whole) // PAGE) * PAGE
    return whole[:at] + rng.randbytes(PAGE) + whole[at + PAGE :]


def cut(whole: bytes, rng: random.Random) -> bytes:
    """The end is missing; now and then all of it."""
    return whole[: rng.choice((0, rng.randrange(len(whole)), rng.randrange(len(whole))))]


def _harmed(truth: Truth, folder: Path, harm: Harm, rng: random.Random) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(truth.folder, folder)
    file = folder / "lore.db"
    file.write_bytes(harm(file.read_bytes(), rng))


def _tried(folder: Path, key: Key | None, truth: Truth) -> str:
    """How a harmed store opens; what it says is true, and what it leaves out it says."""
    refused = ""
    try:
        store = open_store(folder / "lore.db", key=key, options=QUICK, now=NOW)
        try:
            hidden = _looked_at(store, truth)
        finally:
            store.close()
    except LoremapError as fault:
        refused = str(fault)
    if refused:
        assert "lore backup restore" in refused, refused
        assert "\n" not in refused
        return "refused"
    return "withheld" if hidden else "unharmed"


def _looked_at(store: FileStore, truth: Truth) -> int:
    with store.read() as conn:
        hidden = len(memories.damaged(conn)) + relations.damaged_links(conn)
    said, links = _said(store), _links(store)
    assert all(truth.now.get(id_) == each for id_, each in said.items()), "a wrong answer"
    assert links <= truth.links, "a wrong link"
    assert hidden or (said == truth.now and links == truth.links), "lost in silence"
    return hidden


def _brought_back(folder: Path, key: Key | None, truth: Truth) -> Recovered:
    """What the named command brings back: at least the backup, nothing wrong, losses listed."""
    done = recover(Folders(folder, folder), options=QUICK, now=NOW)
    store = store_at(folder, key=key)
    said, links = _said(store), _links(store)
    with store.read() as conn:
        assert memories.damaged(conn) == []
        assert memories.astray(conn) == []
    store.close()
    for id_, each in said.items():
        assert each in (truth.now.get(id_), truth.backed_up.get(id_)), "a wrong answer"
    assert links <= truth.links | {link for link in truth.links if truth.erased in link}
    missing = truth.now.keys() - said.keys()
    assert not missing & truth.backed_up.keys(), "less than the backup"
    older = {id_ for id_, each in said.items() if id_ in truth.now and each != truth.now[id_]}
    assert done.faults or missing <= set(done.lost), "lost without a word"
    assert done.faults or older <= set(done.older), "older without a word"
    told = lines_of(done)
    assert any("lost" in line or "Lost" in line for line in told)
    for id_ in done.older[:3]:  # by its first words, so that a person knows what to look at
        first = said[id_].summary.split()[0]
        assert any(f"{short_id(id_)} ({first}" in line for line in told)
    for name, (had, read) in done.unread.items():
        assert read < had
        assert any(f"{name} {read:,} of {had:,}" in line for line in told)
    return done


@pytest.fixture
def harmed_home(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOREMAP_KEY", KEY.key)
    return tmp_path / "harmed"


CASES = [(flipped, 500, 12), (garbled, 100, 6), (cut, 100, 6)]


@pytest.mark.faults
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
@pytest.mark.parametrize(("harm", "all_of_them", "some"), CASES, ids=["flips", "pages", "cuts"])
def test_a_harmed_store_says_nothing_wrong_and_comes_back(
    truths: dict[Key | None, Truth],
    harmed_home: Path,
    harm: Harm,
    all_of_them: int,
    some: int,
    key: Key | None,
) -> None:
    truth, seen = truths[key], Counter[str]()
    for number in range(all_of_them if WHOLE in os.environ else some):
        _harmed(truth, harmed_home, harm, random.Random(number))
        how = _tried(harmed_home, key, truth)
        seen[how] += 1
        if how == "unharmed":
            continue
        done = _brought_back(harmed_home, key, truth)
        seen["back"] += 1
        seen["listed as lost"] += len(done.lost)
        seen["only older left"] += len(done.older)
    print(harm.__name__, "plain" if key is None else "encrypted", dict(seen))
    assert seen["back"] == seen["refused"] + seen["withheld"]
    assert seen["back"] or WHOLE not in os.environ
