"""`forget --now`: afterwards no byte of any file holds a word of it."""

from __future__ import annotations

import random
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from store_tools import ME, NOW, Child, holding, memory, rare_text, rare_words, store_at

import loremap
from loremap.app import Lore, encryption, store_options
from loremap.config import settings as config
from loremap.config.folders import Folders, folders
from loremap.memory.admission.amend import Edit
from loremap.model.memory import Relation, Trigger
from loremap.model.outcome import Refused, Stored
from loremap.model.words import words
from loremap.storage import memories
from loremap.storage.memories import Filter
from loremap.storage.sqlite.backup import backup_paths, restore

pytestmark = pytest.mark.usefixtures("quick_home")


@dataclass(frozen=True)
class Victim:
    """What is to be forgotten, and every word that only it has."""

    id: str
    words: frozenset[str]


@pytest.fixture(params=["plain", "encrypted"])
def places(request: pytest.FixtureRequest, project: Path) -> Folders:
    if request.param == "encrypted":
        loremap.open(project).close()
        options = store_options(config.load(folders().settings))
        encryption.encrypt(folders(), options=options)
    return folders()


@pytest.fixture
def lore(places: Folders, project: Path) -> Iterator[Lore]:
    with loremap.open(project) as opened:
        yield opened


def victim_in(lore: Lore, seed: int) -> Victim:
    """A memory with everything a memory can have, older texts, and three backups of it."""
    rng = random.Random(seed)
    said = rare_words(rng, 14)
    first = lore.remember(
        f"{said[0].title()}Handler drops {said[1].upper()} when {said[2]} is ready.",
        kind="gotcha",
        tags=[said[3], "shared"],
        files=[f"src/{said[4]}/{said[5]}.py"],
        triggers=[Trigger("literal", said[6])],
        snippet=said[7],
        reason=said[8],
    )
    assert isinstance(first, Stored)
    other = lore.remember(f"An innocent bystander: {rare_text(rng)}", tags=["shared"])
    assert isinstance(other, Stored)
    lore.store.back_up()
    lore.edit(first.memory.id, Edit(content=f"{said[9]} was renamed, so {said[10]} is ready."))
    lore.store.back_up()
    lore.tag(first.memory.id, add=[said[11]], remove=[said[3]])
    derived = lore.remember(f"It follows that {said[12]} must wait for a {said[13]} signal.")
    assert isinstance(derived, Stored)
    lore.link(derived.memory.id, first.memory.id, Relation.DERIVED_FROM)
    lore.store.back_up()
    stems = {stem for word in said for stem in words(word)}
    assert all(len(stem) >= 11 for stem in stems), "a shorter one may be there by chance"
    return Victim(first.memory.id, frozenset({*said, *stems}))


def crowd(lore: Lore, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(12):
        lore.remember(rare_text(rng), tags=rare_words(rng, 2), files=[f"{rare_words(rng, 1)[0]}.c"])


@pytest.mark.parametrize("seed", [1, 2])
def test_no_byte_of_any_file_holds_a_word_of_it(places: Folders, lore: Lore, seed: int) -> None:
    crowd(lore, seed)
    victim = victim_in(lore, 100 + seed)
    crowd(lore, seed + 50)
    assert len(backup_paths(places.backups)) == 3
    if not lore.status().encrypted:
        seen = holding(places.home, victim.words)
        assert {"lore.db.bak.1", "lore.db.bak.2"} <= {Path(name).name for name in seen}
        assert {word for found in seen.values() for word in found} == victim.words
    before = {memory.id for memory in lore.list(limit=99)}

    gone, complete = lore.forget(victim.id, now_and_forever=True)

    assert complete
    assert holding(places.home, victim.words) == {}, "while open"
    assert len(gone) == 2, "what was derived from it goes, too"
    assert {memory.id for memory in lore.list(limit=99)} == before - {one.id for one in gone}
    assert lore.recall("innocent bystander").hits
    lore.close()
    assert holding(places.home, victim.words) == {}, "after closing"
    for number in (1, 2, 3):  # the backups are still whole, and no way back for what is gone
        restore(places.store, places.backups, number)
        with loremap.open(lore.folder) as restored:
            assert not [one for one in restored.list(limit=99) if one.id == victim.id]
            assert [one for one in restored.list(limit=99) if "bystander" in one.content]


def test_what_a_restore_put_aside_is_cleaned_too(places: Folders, project: Path) -> None:
    with loremap.open(project) as lore:
        victim = victim_in(lore, 7)
    restore(places.store, places.backups, 1)
    with loremap.open(project) as lore:
        assert lore.forget(victim.id, now_and_forever=True)[1]
    assert (places.home / "lore.db.damaged").exists()
    assert holding(places.home, victim.words) == {}


@pytest.mark.parametrize("harm", ["cut", "noise"])
def test_a_copy_that_cannot_be_cleaned_is_removed(places: Folders, lore: Lore, harm: str) -> None:
    victim = victim_in(lore, 8)
    spoilt = places.backups / "lore.db.bak.2"
    whole = spoilt.read_bytes()
    spoilt.write_bytes(whole[: len(whole) // 2 + 7] if harm == "cut" else secrets.token_bytes(9000))
    assert lore.forget(victim.id, now_and_forever=True)[1]
    assert not spoilt.exists()
    assert len(backup_paths(places.backups)) == 2
    assert holding(places.home, victim.words) == {}


def _read_on(pipe: Any, project: Path) -> None:
    """Hold a view of the store as it was."""
    with loremap.open(project) as lore:
        with lore.store.read() as conn:
            held = memories.count(conn, Filter(everywhere=True))
            pipe.send(held)
            pipe.recv()
            pipe.send(memories.count(conn, Filter(everywhere=True)))
        pipe.recv()


def test_a_reader_in_another_process_delays_it_until_the_next_opening(
    places: Folders, project: Path
) -> None:
    lore = loremap.open(project)
    victim = victim_in(lore, 9)
    with Child(_read_on, project) as reader:
        held = reader.says()
        _, complete = lore.forget(victim.id, now_and_forever=True)
        assert not complete
        assert not lore.list(tag="shared", kinds=["gotcha"]), "it is silent at once"
        reader.tell("look again")
        assert reader.says() == held, "the reader sees what it saw"
        lore.close()
        with loremap.open(project):  # the reader is still there, idle: now it can be finished
            assert holding(places.home, victim.words) == {}
        reader.tell("stop")
    assert holding(places.home, victim.words) == {}


def test_the_days_of_grace_end_in_the_same_oblivion(places: Folders, project: Path) -> None:
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    with loremap.open(project, now=lambda: begin) as lore:
        victim = victim_in(lore, 11)
        derived = lore.find("follows that", by_keyword=True).id
        for id_ in (victim.id, derived):
            lore.forget(id_)
        assert lore.restore(derived).deleted_at is None
        lore.forget(derived)
    with loremap.open(project, now=lambda: begin + timedelta(days=29)) as lore:
        lore.remember("The days of grace are not over yet.")
        assert lore.find(victim.id).deleted_at is not None
    with loremap.open(project, now=lambda: begin + timedelta(days=31)) as lore:
        lore.remember("Now they are over, and the engine is kept.")
        assert not lore.notes
    assert holding(places.home, victim.words) == {}


def test_rows_that_moved_between_pages_leave_nothing_behind(tmp_path: Path) -> None:
    """Splitting a page copies rows to a new one and leaves their bytes in the old."""
    rng = random.Random(4)
    store = store_at(tmp_path)
    made = []
    for _ in range(60):
        with store.write(now=NOW, actor=ME) as tx:
            for _ in range(8):
                one = memory(
                    rare_text(rng, rng.choice([3, 30])),
                    tags=tuple(rare_words(rng, 2)),
                    files=(rare_words(rng, 1)[0],),
                )
                memories.insert_memory(tx, one)
                made.append(one)
    gone = rng.sample(made, 240)
    kept = {one.id for one in made} - {one.id for one in gone}
    copy = store.back_up()
    assert store.erase([one.id for one in gone], now=NOW, actor=ME)
    store.close()
    forgotten = {text for one in gone for text in (*one.tags, *one.files, *words(one.content))}
    for file in (tmp_path / "lore.db", copy):
        runs = re.findall(rb"[a-z]{13,}", file.read_bytes().lower())
        seen = {run[start : start + 13] for run in runs for start in range(len(run) - 12)}
        assert not {text for text in forgotten if text.encode() in seen}
    again = store_at(tmp_path)
    with again.read() as conn:
        held = memories.listing(conn, Filter(everywhere=True), limit=999)
        assert {one.id for one in held} == kept
        conn.exec_driver_sql("INSERT INTO memory_text(memory_text) VALUES ('integrity-check')")
    again.close()


def secret_strings() -> dict[str, str]:
    """Made when run, so that no scanner finds them in this file; the same in every run.

    One in ten random strings of 24 characters has under the four bits a character of the rule.
    """
    chance = random.Random(24)
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"

    def some(length: int) -> str:
        return "".join(chance.choice(letters) for _ in range(length))

    return {
        "github": "gh" + "p_" + some(36),
        "aws": "AK" + "IA" + "".join(chance.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
                                     for _ in range(16)),
        "password": some(24),
        "slack": "xox" + "b-" + "123456789012-" + "123456789012-" + some(24),
        "stripe": "sk_" + "live_" + some(24),
    }  # fmt: skip


def test_a_secret_that_was_given_is_in_no_file(places: Folders, lore: Lore) -> None:
    hidden = secret_strings()
    for name, secret in hidden.items():
        told = f"The {name} deploy uses password={secret} in the pipeline of {name}."
        outcome = lore.remember(
            told,
            kind="gotcha",
            tags=[secret[:60]],
            snippet=f"export TOKEN={secret}",
            reason=f"token {secret}",
            triggers=[Trigger("literal", f"curl -u me:{secret}")],
        )
        assert not isinstance(outcome, Refused), outcome
        assert secret not in outcome.memory.content
        assert isinstance(lore.remember(secret), Refused)
    assert len(lore.list()) == len(hidden)
    lore.store.back_up()
    assert holding(places.home, hidden.values()) == {}
    lore.close()
    assert holding(places.home, hidden.values()) == {}


def test_an_erased_memory_can_come_back_by_an_import_and_be_erased_again(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    one = memory(rare_text(random.Random(1)))
    for _ in range(2):
        with store.write(now=NOW, actor=ME) as tx:
            memories.insert_memory(tx, replace(one))
        assert store.erase([one.id], now=NOW, actor=ME)
    store.close()
    assert holding(tmp_path, [one.content]) == {}
