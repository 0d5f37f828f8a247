"""The gate's reading of a query, and its verdicts on a developer's store with the real model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.memory.recall.context import Evidence
from loremap.memory.recall.steps import above_chance, belief

STORE = (
    "Deploys run from the release branch with make release",
    "The HTTP client times out after 60 seconds",
    "Refresh tokens are not checked against Redis",
    "Use tabs for indentation in the C sources",
    "Integration tests need REDIS_URL to be set",
    "The orders table is partitioned by month",
    "parse_order() lives in src/orders/parser.py",
    "Feature flags are read from config/flags.toml at startup",
    "Pull requests need two reviewers",
    "The search index is rebuilt every night at 02:00",
    "Passwords are hashed with argon2id",
    "We chose SQLite because the tool has to work offline",
    "The CSV exporter is deprecated; use the JSON one",
    "Background jobs go through Celery with Redis as the broker",
    "Keep React components under 200 lines",
)
ANSWERABLE = (
    ("how do we deploy?", 0),
    ("what is the timeout of the http client", 1),
    ("are refresh tokens validated?", 2),
    ("tabs or spaces?", 3),
    ("why do the integration tests fail without redis url", 4),
    ("how is the orders table organised", 5),
    ("where is parse_order defined", 6),
    ("where do feature flags come from", 7),
    ("how many reviewers does a pull request need", 8),
    ("when does the search index get rebuilt", 9),
    ("which password hash do we use", 10),
    ("why sqlite?", 11),
    ("should I use the csv exporter", 12),
    ("what broker does celery use", 13),
    ("how long may a react component be", 14),
)
UNANSWERABLE = (
    "thanks, looks good",
    "ok continue",
    "yes please",
    "write me a poem about the sea",
    "what's the weather in Lisbon",
    "explain quantum entanglement to me",
    "who won the football match yesterday",
    "book a flight to Tokyo for Anna",
    "translate this sentence into French",
    "how do I bake sourdough bread",
)


@pytest.fixture(scope="module")
def lore(tmp_path_factory: pytest.TempPathFactory) -> Lore:
    folder = tmp_path_factory.mktemp("gate")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOREMAP_HOME", str(folder / "home"))
        with loremap.open(folder) as opened:
            for text in STORE:
                opened.remember(text)
            yield opened


@pytest.mark.parametrize(("query", "answer"), ANSWERABLE)
def test_a_developers_question_is_answered(lore: Lore, query: str, answer: int) -> None:
    hits = lore.recall(query).hits
    assert STORE[answer] in [hit.memory.content for hit in hits[:2]]


@pytest.mark.parametrize("query", UNANSWERABLE)
def test_what_the_store_does_not_know_gets_nothing(lore: Lore, query: str) -> None:
    answer = lore.recall(query)
    assert answer.hits == ()
    assert answer.gated
    assert all(not verdict.kept for verdict in answer.trace.verdicts)


def test_the_gate_can_be_left_open(lore: Lore) -> None:
    assert lore.recall("thanks, looks good", gate=False).hits


def test_a_recall_without_the_gate_is_not_cut_either(lore: Lore) -> None:
    assert len(lore.recall("how do we deploy?", gate=False, limit=10).hits) == 10
    assert len(lore.recall("how do we deploy?", limit=10).hits) <= 3


def test_the_trace_says_what_the_gate_went_by(lore: Lore) -> None:
    seen = lore.recall("are refresh tokens validated?").trace.evidence
    assert set(seen) == {"nearest", "known", "said", "asked", "covered"}
    assert 0 < seen["said"] <= seen["known"] <= seen["asked"]


BASE = Evidence(known=1.0, said=0.5, asked=2.0, covered=0.5, nearest=1.0)


@pytest.mark.parametrize("more", [{"known": 1.5}, {"said": 0.9}, {"nearest": 1.5}])
def test_each_piece_of_evidence_speaks_for_an_answer(more: dict[str, float]) -> None:
    assert belief(replace(BASE, **more)) > belief(BASE)


@pytest.mark.parametrize("more", [{"known": 1.5}, {"covered": 0.9}])
def test_without_vectors_words_must_cover_the_query(more: dict[str, float]) -> None:
    base = replace(BASE, nearest=None)
    assert belief(replace(base, **more)) > belief(base)


def test_a_memory_that_holds_the_one_rare_word_asked_for_answers() -> None:
    assert belief(Evidence(known=0.74, said=0.33, asked=0.74, covered=1.0)) > 0


@pytest.mark.parametrize("nearest", [-2.0, 3.0])
def test_vectors_count_as_far_as_their_model_is_measured(nearest: float) -> None:
    by_words = belief(replace(BASE, nearest=None))
    by_both = belief(replace(BASE, nearest=nearest))
    assert belief(replace(BASE, nearest=nearest, measured=0.0)) == by_words
    half = belief(replace(BASE, nearest=nearest, measured=0.5))
    assert half == pytest.approx((by_words + by_both) / 2)


def test_a_query_of_no_known_word_is_not_answered_however_near() -> None:
    assert belief(Evidence(known=0.0, said=0.0, asked=1.0, nearest=2.0)) < 0


@pytest.mark.parametrize("deviations", [2.0, 4.0])
def test_the_nearest_of_many_is_near_by_chance(deviations: float) -> None:
    few, many = (above_chance(deviations, among=count) for count in (10, 10_000))
    assert many < few < deviations


def test_each_answer_is_believed_by_its_own_evidence(home: Path, tmp_path: Path) -> None:
    with loremap.open(tmp_path) as lore:
        lore.use_embedder(None)
        lore.remember("The upstream provider blocks us after ten retries")
        lore.remember("The mirror of the provider is synced at night")
        first = lore.recall("the upstream provider blocks retries", gate=False).hits[0]
        assert first.belief is None  # nobody was asked
        hits = lore.recall("the upstream provider blocks retries").hits
        assert hits[0].memory.id == first.memory.id
        believed = [hit.belief for hit in hits if hit.belief is not None]
        assert believed == sorted(believed, reverse=True)
        assert len(set(believed)) == len(hits)
