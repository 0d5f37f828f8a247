"""Encryption at rest: no byte of any file tells what was said, and no way loses what was stored."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlcipher3 import dbapi2 as driver
from store_tools import Child, holding, rare_text, rare_words

import loremap
from loremap.app import Lore, encryption, store_options
from loremap.config import settings as config
from loremap.config.folders import Folders, folders
from loremap.errors import BadInput, Busy, KeyMissing, KeyWrong, LoremapError
from loremap.memory.admission.amend import Edit
from loremap.model.memory import Procedure, Relation, Trigger
from loremap.model.outcome import Stored
from loremap.model.words import words
from loremap.storage.sqlite.backup import backup_paths, restore
from loremap.storage.sqlite.connect import salt_of

Act = Callable[[], object]


@pytest.fixture
def places(quick_home: Path) -> Folders:
    return folders()


@pytest.fixture
def canaries() -> dict[str, str]:
    rng = random.Random(secrets.randbits(64))
    names = "content edited tag file trigger snippet step alias query reason merged".split()
    return dict(zip(names, rare_words(rng, len(names)), strict=True))


def options() -> Any:
    return store_options(config.load(folders().settings))


def encrypt(places: Folders, given: str | None = None) -> str:
    return encryption.encrypt(places, options=options(), given=given)


def lived_in(lore: Lore, said: dict[str, str]) -> None:
    """Use everything that stores a text."""
    outcome = lore.remember(
        f"The word is {said['content']}, mind it.",
        kind="gotcha",
        tags=[said["tag"]],
        files=[f"src/{said['file']}.py"],
        triggers=[Trigger("literal", said["trigger"])],
        procedure=Procedure("how", steps=(said["step"],)),
        snippet=said["snippet"],
        reason=said["reason"],
    )
    assert isinstance(outcome, Stored)
    lore.edit(outcome.memory.id, Edit(content=f"The word is {said['edited']} now, mind it."))
    other = lore.remember("Releases are cut on Tuesdays by whoever is on call.")
    assert isinstance(other, Stored)
    lore.remember(f"Releases are cut on Tuesdays by whoever is on call. {said['merged']}")
    lore.link(outcome.memory.id, other.memory.id, Relation.RELATES_TO)
    lore.set_alias(said["alias"], ["something"])
    lore.recall(f"what is {said['query']} about")
    lore.search(said["query"])
    lore.check(command=said["query"])
    lore.retract(other.memory.id, reason=said["reason"])
    for _ in range(2):
        lore.store.back_up()


def everything_said(canaries: dict[str, str]) -> set[str]:
    return {*canaries.values(), *(stem for word in canaries.values() for stem in words(word))}


def test_a_plain_store_shows_what_was_said(
    places: Folders, project: Path, canaries: dict[str, str]
) -> None:
    """The control: what the next test looks for can be found."""
    with loremap.open(project) as lore:
        lived_in(lore, canaries)
        found = holding(places.home, canaries.values())
    seen = {word for words_ in found.values() for word in words_}
    assert seen == set(canaries.values()) - {canaries["query"]}, "a query is never stored"
    assert "backups/lore.db.bak.1" in found


def test_no_byte_of_an_encrypted_store_shows_what_was_said(
    places: Folders, project: Path, canaries: dict[str, str]
) -> None:
    with loremap.open(project):
        pass
    encrypt(places)
    with loremap.open(project) as lore:
        assert lore.status().encrypted
        lived_in(lore, canaries)
        names = {str(path.relative_to(places.home)) for path in places.home.rglob("*")}
        assert {"lore.db", "lore.db-wal", "lore.db-shm", "backups/lore.db.bak.2"} <= names
        assert holding(places.home, everything_said(canaries)) == {}
    assert holding(places.home, everything_said(canaries)) == {}
    assert b"SQLite format" not in places.store.read_bytes()[:16]


def test_a_store_with_data_and_backups_is_encrypted_rekeyed_and_decrypted(
    places: Folders, project: Path, canaries: dict[str, str]
) -> None:
    with loremap.open(project) as lore:
        lived_in(lore, canaries)
        before = {memory.id: memory for memory in lore.list(statuses=())}
    restore(places.store, places.backups, 1)  # leaves a whole plain copy aside

    place = encrypt(places)
    assert Path(place).stat().st_mode & 0o077 == 0
    assert holding(places.home, everything_said(canaries)) == {}
    first_salt = salt_of(places.store)
    for copy in [*backup_paths(places.backups), places.home / "lore.db.damaged"]:
        assert salt_of(copy) == first_salt

    again = encryption.change(places, options=options())
    assert again != place
    assert not Path(place).exists(), "the old key is of no use any more"
    assert salt_of(places.store) not in (None, first_salt)
    with loremap.open(project) as lore:
        assert {memory.id: memory for memory in lore.list(statuses=())} == before
        assert lore.recall(canaries["edited"], gate=False, count_use=False).hits

    encryption.decrypt(places, options=options())
    assert not Path(again).exists()
    assert salt_of(places.store) is None
    with loremap.open(project) as lore:
        assert {memory.id: memory for memory in lore.list(statuses=())} == before
    restore(places.store, places.backups, 2)
    with loremap.open(project) as lore:
        assert {memory.id: memory for memory in lore.list(statuses=())} == before
    assert not [path for path in places.home.rglob("*") if path.name.endswith(".rekeyed")]


def test_what_a_killed_decryption_left_is_cleared_away_at_the_next_opening(
    places: Folders, project: Path
) -> None:
    with loremap.open(project) as lore:
        lore.remember("A text that shall not lie about.")
        lore.store.back_up()
    encrypt(places)
    left = [places.home / "lore.db.rekeyed", places.backups / "lore.db.bak.1.rekeyed"]
    for path in left:
        path.write_bytes(b"SQLite format 3\0 and a text that shall not lie about")
    loremap.open(project).close()
    assert not [path for path in left if path.exists()]


def test_an_encrypted_store_is_not_encrypted_twice(places: Folders, project: Path) -> None:
    loremap.open(project).close()
    with pytest.raises(BadInput, match="not encrypted"):
        encryption.change(places, options=options())
    encrypt(places)
    with pytest.raises(BadInput, match="encrypted already"):
        encrypt(places)


def one_line(caught: pytest.ExceptionInfo[LoremapError]) -> str:
    said = str(caught.value)
    assert "\n" not in said
    return said


def test_a_wrong_key_says_so_and_changes_nothing(
    places: Folders, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loremap.open(project).close()
    encrypt(places)
    before = places.store.read_bytes()
    monkeypatch.setenv("LOREMAP_KEY", "12" * 32)
    with pytest.raises(KeyWrong) as caught:
        loremap.open(project)
    assert "does not open the store" in one_line(caught)
    with pytest.raises(KeyWrong):
        encryption.import_key(places, "34" * 32, options=options())
    monkeypatch.delenv("LOREMAP_KEY")
    loremap.open(project).close()
    assert places.store.read_bytes()[:16] == before[:16]


def test_a_lost_key_says_where_it_was_sought_and_the_store_can_be_begun_anew(
    places: Folders, project: Path
) -> None:
    with loremap.open(project) as lore:
        lore.remember("Kept although nobody can read it.")
        lore.store.back_up()
    key_file = Path(encrypt(places))
    key = key_file.read_text("ascii").strip()
    key_file.unlink()
    with pytest.raises(KeyMissing) as caught:
        loremap.open(project)
    assert "LOREMAP_KEY" in one_line(caught)
    assert str(key_file) in one_line(caught)
    assert "lore key reset" in one_line(caught)
    assert encryption.state(places).place is None

    aside = encryption.reset(places, datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC))
    assert aside.name == "lore.20260506-070809.locked.db"
    with loremap.open(project) as lore:
        assert not lore.list()
        stored = lore.remember("A new beginning for this project.")
        assert isinstance(stored, Stored)
        lore.store.back_up()
        _, complete = lore.forget(stored.memory.id, now_and_forever=True)
        assert complete
    encrypt(places)  # what is locked does not stand in the way

    salt = salt_of(aside)
    raw = driver.connect(str(aside))
    raw.execute(f"PRAGMA key = \"x'{key}{salt}'\"")  # the key turned up
    assert raw.execute("SELECT content FROM memories").fetchall() == [
        ("Kept although nobody can read it.",)
    ]
    raw.close()
    assert list(aside.with_suffix(".backups").iterdir())


def test_a_key_of_the_users_own_is_used_exported_and_imported(
    places: Folders, project: Path
) -> None:
    loremap.open(project).close()
    own = secrets.token_hex(32)
    place = Path(encrypt(places, own.upper()))
    assert encryption.export_key(places) == own
    place.unlink()
    assert encryption.import_key(places, own + "\n", options=options()) == str(place)
    loremap.open(project).close()
    with pytest.raises(BadInput, match="64 hexadecimal"):
        encryption.change(places, options=options(), given="too short")


def test_the_environment_is_the_only_place_of_a_key_it_holds(
    places: Folders, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loremap.open(project).close()
    first, second = secrets.token_hex(32), secrets.token_hex(32)
    monkeypatch.setenv("LOREMAP_KEY", first)
    assert encrypt(places) == "LOREMAP_KEY"
    loremap.open(project).close()
    with pytest.raises(BadInput, match="LOREMAP_KEY is set"):
        encryption.change(places, options=options())
    encryption.change(places, options=options(), given=second)
    with pytest.raises(KeyWrong):
        loremap.open(project)
    monkeypatch.setenv("LOREMAP_KEY", second)
    loremap.open(project).close()


def _stay_open(pipe: Any, project: Path) -> None:
    with loremap.open(project) as lore:
        lore.remember("Said before the key came.")
        pipe.send("open")
        pipe.recv()
        outcome = lore.remember("Said while another wanted to encrypt the store.")
        pipe.send(outcome.memory.id if isinstance(outcome, Stored) else repr(outcome))


def test_a_store_that_is_in_use_is_not_encrypted_and_its_user_goes_on(
    places: Folders, project: Path, tmp_path: Path
) -> None:
    with loremap.open(project) as lore:
        lore.remember("There is a backup of this.")
        lore.store.back_up()
    with Child(_stay_open, project) as other:
        assert other.says() == "open"
        copies = {path: path.read_bytes() for path in backup_paths(places.backups)}
        with pytest.raises(Busy) as caught:
            encrypt(places)
        assert "\n" not in str(caught.value)
        assert salt_of(places.store) is None
        assert {path: path.read_bytes() for path in backup_paths(places.backups)} == copies
        assert not list((tmp_path / "keys").glob("*")), "a key that opens nothing is not kept"
        other.tell("go on")
        written = other.says()
    encrypt(places)
    with loremap.open(project) as lore:
        assert lore.find(written).content == "Said while another wanted to encrypt the store."
        assert len(lore.list()) == 3


def _keep_writing(pipe: Any, project: Path, seed: int) -> None:
    """Write again and again, each time with the store opened anew; tell what was stored."""
    rng = random.Random(seed)
    stored: list[str] = []
    refused: set[str] = set()
    pipe.send("begun")
    while not pipe.poll():
        try:
            with loremap.open(project) as lore:
                for _ in range(3):
                    outcome = lore.remember(rare_text(rng, 8))
                    assert isinstance(outcome, Stored)
                    stored.append(outcome.memory.id)
        except LoremapError as fault:
            refused.add(type(fault).__name__)
        time.sleep(rng.random() / 10)  # now and then nobody has the store open
    pipe.send((stored, refused))


def test_nothing_is_lost_when_keys_change_under_writers(places: Folders, project: Path) -> None:
    loremap.open(project).close()
    acts: list[Act] = [
        lambda: encrypt(places),
        lambda: encryption.change(places, options=options()),
        lambda: encryption.decrypt(places, options=options()),
        lambda: encrypt(places),
    ]
    done = 0
    with Child(_keep_writing, project, 1) as one, Child(_keep_writing, project, 2) as other:
        assert (one.says(), other.says()) == ("begun", "begun")
        until = time.monotonic() + 20
        while done < len(acts) and time.monotonic() < until:
            time.sleep(0.1)  # the writers shall write, too
            try:
                acts[done]()
            except Busy:
                continue
            done += 1
        for child in (one, other):
            child.tell("stop")
        results = [one.says(), other.says()]
    assert done == len(acts), "the writers left no gap at all"
    with loremap.open(project) as lore:
        held = {memory.id for memory in lore.list(limit=100_000)}
    stored = {id_ for ids, _ in results for id_ in ids}
    assert stored, results
    assert stored <= held
    assert {name for _, names in results for name in names} <= {
        "Busy", "Moved", "KeyMissing", "KeyWrong"
    }  # fmt: skip
