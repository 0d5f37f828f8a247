"""Killed at any moment: what was acknowledged is there, and what hangs on it is in step."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest
from in_step import assert_in_step
from store_tools import Child, holding, rare_text, rare_words

import loremap
from loremap.app import encryption, store_options
from loremap.config import settings as config
from loremap.config.folders import folders
from loremap.memory.admission.amend import Edit
from loremap.model.outcome import Stored
from loremap.model.words import words
from loremap.storage.sqlite.connect import salt_of


def _write(pipe: Any, project: Path, seed: int) -> None:
    """Remember, reword and back up without end; tell each thing once it is done."""
    rng = random.Random(seed)
    with loremap.open(project) as lore:
        pipe.send(("begun", "", ""))
        while True:
            outcome = lore.remember(rare_text(rng, 8), tags=rare_words(rng, 1))
            assert isinstance(outcome, Stored)
            id_ = outcome.memory.id
            pipe.send(("said", id_, outcome.memory.content))
            chance = rng.random()
            if chance < 0.3:
                text = rare_text(rng, 8)
                pipe.send(("rewording", id_, text))
                lore.edit(id_, Edit(content=text))
                pipe.send(("said", id_, text))
            elif chance < 0.35:
                lore.store.back_up()


def kill_writers(project: Path, times: int, seed: int) -> None:
    rng = random.Random(seed)
    said: dict[str, set[str]] = {}
    for turn in range(3 * times):
        if turn >= times and len(said) >= times:
            break  # a busy machine writes less before each kill, and is killed more often
        child = Child(_write, project, seed * 1000 + turn)
        assert child.says()[0] == "begun"
        time.sleep(rng.random() ** 2 * 0.4)
        for what, id_, text in child.kill():
            if what == "said":
                said[id_] = {text}
            elif what == "rewording":
                said[id_].add(text)
        with loremap.open(project) as lore:
            assert_in_step(lore, said)
            held = {memory.id: memory.content for memory in lore.list(limit=100_000)}
            said = {id_: {held[id_]} for id_ in said}
    assert len(said) >= times


def test_a_writer_is_killed_a_few_times(hashing_home: Path, project: Path) -> None:
    kill_writers(project, 5, seed=1)


@pytest.mark.faults
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [2, 12, 22, 32])
def test_a_writer_is_killed_two_hundred_times(seed: int, hashing_home: Path, project: Path) -> None:
    kill_writers(project, 50, seed)


def _forget(pipe: Any, project: Path, seed: int) -> None:
    """Remember something, back it up, and forget it for good, without end."""
    rng = random.Random(seed)
    with loremap.open(project) as lore:
        pipe.send(("begun", "", []))
        while True:
            said = rare_words(rng, 9)
            outcome = lore.remember(" ".join(said[:7]), tags=[said[7]], files=[f"{said[8]}.py"])
            assert isinstance(outcome, Stored)
            lore.store.back_up()
            pipe.send(("forgetting", outcome.memory.id, said))
            assert lore.forget(outcome.memory.id, now_and_forever=True)[1]
            pipe.send(("forgotten", outcome.memory.id, said))


def kill_forgetters(project: Path, times: int, seed: int) -> None:
    rng, home = random.Random(seed), folders().home
    with loremap.open(project) as lore:
        for _ in range(10):
            lore.remember(rare_text(rng), tags=rare_words(rng, 2))
        kept = {memory.id for memory in lore.list()}
    half_way = 0
    for turn in range(times):
        child = Child(_forget, project, seed * 1000 + turn)
        assert child.says()[0] == "begun"
        time.sleep(0.05 + rng.random() * 0.45)
        told = child.kill()
        half_way += bool(told) and told[-1][0] == "forgetting"
        with loremap.open(project) as lore:  # finishes what was begun
            held = {memory.id for memory in lore.list()}
        assert kept <= held
        for what, id_, said in told:
            assert what == "forgetting" or id_ not in held
            if id_ not in held:
                stems = {stem for word in said for stem in words(word)}
                assert holding(home, {*said, *stems}) == {}
        kept = held
    assert half_way > 0, "no kill came in time to mean anything"


def test_a_process_that_forgets_is_killed_a_few_times(hashing_home: Path, project: Path) -> None:
    kill_forgetters(project, 5, seed=3)


@pytest.mark.faults
@pytest.mark.timeout(600)
def test_a_process_that_forgets_is_killed_thirty_times(hashing_home: Path, project: Path) -> None:
    kill_forgetters(project, 30, seed=4)


def _rekey(pipe: Any) -> None:
    """Encrypt, change the key and decrypt, without end."""
    places = folders()
    options = store_options(config.load(places.settings))
    pipe.send("begun")
    while True:
        if salt_of(places.store) is None:
            encryption.encrypt(places, options=options)
        pipe.send("encrypted")
        encryption.change(places, options=options)
        encryption.decrypt(places, options=options)
        pipe.send("decrypted")


def kill_rekeying(project: Path, times: int, seed: int) -> None:
    rng, places = random.Random(seed), folders()
    with loremap.open(project) as lore:
        canaries = rare_words(rng, 5)
        for canary in canaries:
            lore.remember(f"{canary} {rare_text(rng, 6)}")
            lore.store.back_up()
        before = {memory.id: memory for memory in lore.list()}
    states = set()
    for _ in range(times):
        child = Child(_rekey)
        assert child.says() == "begun"
        time.sleep(rng.random() * 0.8)
        child.kill()
        with loremap.open(project) as lore:
            assert {memory.id: memory for memory in lore.list()} == before
            assert_in_step(lore, {id_: {memory.content} for id_, memory in before.items()})
            encrypted = lore.status().encrypted
        states.add(encrypted)
        if encrypted:
            assert not holding(places.home, canaries).keys() - _backups_of(places.home)
    options = store_options(config.load(places.settings))
    if salt_of(places.store) is None:
        encryption.encrypt(places, options=options)
    else:
        encryption.change(places, options=options)
    assert holding(places.home, canaries) == {}, "whatever a kill left plain is encrypted now"
    assert states == {True, False} or times < 10


def _backups_of(home: Path) -> set[str]:
    """Decrypting makes the backups plain before the store, and may be killed in between."""
    return {str(path.relative_to(home)) for path in (home / "backups").iterdir()}


def test_a_process_that_changes_keys_is_killed_a_few_times(
    hashing_home: Path, project: Path
) -> None:
    kill_rekeying(project, 5, seed=5)


@pytest.mark.faults
@pytest.mark.timeout(600)
def test_a_process_that_changes_keys_is_killed_twenty_times(
    hashing_home: Path, project: Path
) -> None:
    kill_rekeying(project, 20, seed=6)
