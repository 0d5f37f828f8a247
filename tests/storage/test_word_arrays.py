"""What the arrays of words say is what FTS5 says, whatever was written, and by whom."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from store_tools import ME, NOW, memory, store_at

from loremap.model.kind import Kind
from loremap.model.memory import Memory, Status
from loremap.storage import memories, word_arrays
from loremap.storage.bm25 import COLUMNS, Matched, Words, idf, rarity
from loremap.storage.options import Key
from loremap.storage.sqlite.text_index import IndexWords, any_of, search, vocabulary
from loremap.storage.store import Store
from loremap.storage.warm import ASKED_OF_INDEX, Warm
from loremap.storage.word_arrays import WordArrays

VOCABULARY = [f"w{letter}{number}" for letter in "abcdefgh" for number in range(12)]
EQUAL = (1.0, 1.0, 1.0, 1.0, 1.0)
WEIGHTS = [EQUAL, (2.0, 2.0, 1.5, 1.2, 1.0), (1.0, 0.2, 1.0, 1.0, 0.0), (0.0, 0.0, 3.0, 1.0, 0.0)]


def text_of(rng: random.Random) -> str:
    """Words of which a few are common; now and then so many that they have a rest."""
    many = rng.choice([3, 8, 8, 20, 400])
    return " ".join(VOCABULARY[min(int(rng.expovariate(0.08)), 95)] for _ in range(many))


def made(rng: random.Random) -> Memory:
    return memory(
        f"{text_of(rng)} {rng.random()}",
        kind=rng.choice(list(Kind)),
        tags=tuple(rng.sample(VOCABULARY, rng.choice([0, 0, 1, 3]))),
        files=tuple(f"src/{name}.py" for name in rng.sample(VOCABULARY, rng.choice([0, 1, 2]))),
    )


def written(store: Store, wanted: Sequence[Memory]) -> list[Memory]:
    with store.write(now=NOW, actor=ME) as tx:
        for one in wanted:
            memories.insert_memory(tx, one)
    return list(wanted)


def change(store: Store, live: list[Memory], rng: random.Random) -> None:
    """One write of any sort."""
    what = rng.choice(["insert", "word", "tags", "delete", "status", "touch", "erase"])
    place = rng.randrange(len(live))
    old = live[place]
    if what == "insert":
        live += written(store, [made(rng) for _ in range(rng.choice([1, 5]))])
        return
    with store.write(now=NOW, actor=ME) as tx:
        if what == "erase":
            memories.erase(tx, [old.id])
            del live[place]
        elif what == "touch":
            memories.touch(tx, [old.id])
        else:
            text = text_of(rng) + str(rng.random())
            after = {
                "word": replace(old, content=text, fingerprint=text),
                "tags": replace(old, tags=(rng.choice(VOCABULARY),), kind=rng.choice(list(Kind))),
                "delete": replace(old, deleted_at=None if old.deleted_at else NOW),
                "status": replace(old, status=rng.choice(list(Status))),
            }[what]
            # What takes a change back may make anything of a memory.
            live[place] = memories.update_memory(tx, old, after, action="undo")


def asked_of_fts5(
    store: Store, warm: Warm, terms: Sequence[str], weights: Sequence[float]
) -> dict[int, float]:
    """BM25 by slot, as one question to FTS5 tells it."""
    columns = [name for name, weight in zip(COLUMNS, weights, strict=True) if weight]
    with store.read() as conn:
        hits = search(conn, any_of(terms, columns=columns), limit=10**6, weights=weights)
    slots = warm.slots_of(np.asarray([hit.row for hit in hits], np.int64))
    return dict(zip(slots.tolist(), (hit.score for hit in hits), strict=True))


def refreshed(warm: Warm, store: Store) -> Words:
    """The arrays of words, in step with the store."""
    with store.read() as conn:
        warm.refresh(conn, seq=store.change_seq(conn))
        for _ in range(ASKED_OF_INDEX):
            warm.words(conn)
        return warm.words(conn)


def agree(words: Words, store: Store, warm: Warm, rng: random.Random) -> None:
    for weights in WEIGHTS:
        terms = [*rng.sample(VOCABULARY, rng.choice([1, 8])), "src", "py", "decis", "unheard"]
        gained: Counter[int] = Counter()
        for term in terms:
            slots, gains = words.gains(term, weights)
            gained.update(dict(zip(slots.tolist(), gains, strict=True)))
        assert gained == pytest.approx(asked_of_fts5(store, warm, terms, weights), rel=1e-6)
        assert words.scores(terms, weights=weights).slots.tolist() == sorted(gained)


def same(one: Matched, other: Matched) -> bool:
    return (
        one.slots.tolist() == other.slots.tolist()
        and (one.mass, one.known) == (other.mass, other.known)
        and np.allclose(one.bm25, other.bm25, rtol=1e-9)
        and np.allclose(one.covered, other.covered, rtol=1e-9)
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_arrays_score_as_fts5_does_through_every_change(
    store: Store, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(word_arrays, "LATE_AT_LEAST", 12)  # so that they are settled anew
    rng, warm = random.Random(seed), Warm(None)
    live = written(store, [made(rng) for _ in range(80)])
    for _ in range(25):
        for _ in range(rng.choice([1, 1, 4, 15])):
            change(store, live, rng)
        agree(refreshed(warm, store), store, warm, rng)


def test_arrays_kept_in_step_are_those_built_now(store: Store) -> None:
    rng, kept = random.Random(5), Warm(None)
    live = written(store, [made(rng) for _ in range(60)])
    refreshed(kept, store)
    for _ in range(60):
        change(store, live, rng)
    words, fresh = refreshed(kept, store), refreshed(Warm(None), store)
    assert words.rows == fresh.rows == len(live)
    assert words.vocabulary() == fresh.vocabulary()
    assert words.with_prefix("wa") == fresh.with_prefix("wa")
    assert words.frequencies(VOCABULARY).tolist() == fresh.frequencies(VOCABULARY).tolist()


def test_the_index_asked_term_by_term_says_what_the_arrays_say(store: Store) -> None:
    rng, warm = random.Random(6), Warm(None)
    live = written(store, [made(rng) for _ in range(120)])
    for _ in range(20):
        change(store, live, rng)
    arrays = refreshed(warm, store)
    assert isinstance(arrays, WordArrays)
    with store.read() as conn:
        index = IndexWords(conn, warm)
        assert index.rows == arrays.rows
        assert index.vocabulary() == arrays.vocabulary()
        assert set(index.vocabulary()) == set(vocabulary(conn)) - {"everywhere"}
        assert index.with_prefix("wb") == arrays.with_prefix("wb") == sorted(VOCABULARY[12:24])
        for weights in WEIGHTS:
            terms = [*rng.sample(VOCABULARY, 6), "unheard"]
            given = {"weights": weights, "term_weights": [1.0, 0.5, 1.0, 2.0, 1.0, 1.0, 1.0]}
            assert same(arrays.scores(terms, **given), index.scores(terms, **given))
            given["covered_in"] = ("head", "tags")
            assert same(arrays.scores(terms, **given), index.scores(terms, **given))
        counted = [list(words.frequencies(VOCABULARY)) for words in (arrays, index)]
        assert counted[0] == counted[1]


def test_who_asks_once_does_not_build_the_arrays(store: Store) -> None:
    written(store, [memory("Deploys need a tag.")])
    warm = Warm(None)
    with store.read() as conn:
        warm.refresh(conn, seq=store.change_seq(conn))
        assert [type(warm.words(conn)) for _ in range(ASKED_OF_INDEX + 2)] == [
            *[IndexWords] * ASKED_OF_INDEX,
            WordArrays,
            WordArrays,
        ]


def test_how_much_of_a_query_is_covered(store: Store) -> None:
    both, one, neither = written(
        store,
        [
            memory("Deploys need Ansible."),
            memory("Deploys are manual.", tags=("ansible",)),
            memory("Nothing of the sort."),
        ],
    )
    warm = Warm(None)
    words = refreshed(warm, store)
    terms = ["deploi", "ansibl", "unheard"]
    common, unheard = rarity(rows=3, holding=2), rarity(rows=3, holding=0)
    whole = words.scores(terms, weights=EQUAL)
    assert [warm.ids[slot] for slot in whole.slots] == [both.id, one.id]
    share = 2 * common / (2 * common + unheard)
    assert whole.covered == pytest.approx([share, share])
    assert whole.mass == pytest.approx(2 * common + unheard)
    assert whole.known == pytest.approx(2 * common)
    heads = words.scores(terms, weights=EQUAL, covered_in=("head",))
    assert heads.covered == pytest.approx([share, share / 2])
    light = words.scores(terms, weights=EQUAL, term_weights=[1.0, 1.0, 0.0])
    assert light.covered == pytest.approx([1.0, 1.0])
    assert neither.id in warm.ids


def test_a_word_that_most_memories_hold_still_counts(store: Store) -> None:
    written(store, [memory("Deploys need Ansible."), memory("Deploys need a rest, and a tag.")])
    words = refreshed(Warm(None), store)
    found = words.scores(["deploi"], weights=EQUAL)
    (_, gained), common = words.gains("deploi", EQUAL), rarity(rows=2, holding=2)
    assert found.bm25 == pytest.approx(common / idf(rows=2, holding=2) * gained)
    assert found.bm25[0] > found.bm25[1] > common / 2  # about once in a text of usual length


@pytest.mark.parametrize("terms", [[], ["unheard"], ["", '"', "*"]])
def test_nothing_matches_what_nobody_wrote(store: Store, terms: list[str]) -> None:
    written(store, [memory("Deploys need a tag.")])
    warm = Warm(None)
    arrays = refreshed(warm, store)
    with store.read() as conn:
        for words in (arrays, IndexWords(conn, warm)):
            found = words.scores(terms, weights=EQUAL)
            assert (len(found.slots), len(found.bm25), len(found.covered)) == (0, 0, 0)


def test_an_empty_store_has_no_words(store: Store) -> None:
    words = refreshed(Warm(None), store)
    assert (words.rows, words.vocabulary(), words.with_prefix("a")) == (0, [], [])
    assert len(words.scores(["deploi"], weights=EQUAL).slots) == 0


def test_what_is_erased_leaves_no_word(store: Store) -> None:
    secret, other = written(store, [memory("Zanzibar burns."), memory("Deploys need a tag.")])
    warm = Warm(None)
    assert "zanzibar" in refreshed(warm, store).vocabulary()
    with store.write(now=NOW, actor=ME) as tx:
        memories.erase(tx, [secret.id])
    words = refreshed(warm, store)
    assert words.vocabulary() == ["deploi", "fact", "need", "tag"]
    assert words.with_prefix("zan") == []
    assert [warm.ids[slot] for slot in words.holds("tag")] == [other.id]


def test_an_encrypted_store_is_read_as_a_plain_one(tmp_path: Path) -> None:
    store = store_at(tmp_path, key=Key("ab" * 32, "cd" * 16))
    rng, warm = random.Random(8), Warm(None)
    written(store, [made(rng) for _ in range(40)])
    agree(refreshed(warm, store), store, warm, rng)
    store.close()


@pytest.mark.parametrize(
    ("rows", "holding", "idf_is", "rarity_is"),
    [
        (100, 0, np.log(100.5 / 0.5), np.log1p(130.5 / 0.5)),
        (100, 10, np.log(90.5 / 10.5), np.log1p(120.5 / 10.5)),
        (100, 90, 1e-6, np.log1p(40.5 / 90.5)),  # most hold it: FTS5 gives it next to nothing
        (0, 0, 1e-6, np.log1p(30.5 / 0.5)),
    ],
)
def test_rarity(rows: int, holding: int, idf_is: float, rarity_is: float) -> None:
    assert idf(rows=rows, holding=holding) == pytest.approx(idf_is)
    assert rarity(rows=rows, holding=holding) == pytest.approx(rarity_is)
