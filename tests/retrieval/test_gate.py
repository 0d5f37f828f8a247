"""The gate's reading of a query, and its verdicts on a developer's store with the real model."""

from __future__ import annotations

import time

import pytest

import loremap
from loremap.lore import Lore
from loremap.retrieval.gate import Evidence, asked, belief, covered, rarity

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


@pytest.mark.parametrize(
    ("query", "content", "names"),
    [
        ("thanks, looks good", set(), set()),
        ("where is parseOrder", {"pars", "order", "parseorder"}, {"pars", "order", "parseorder"}),
        ("Did Caroline go there on 7 May 2023?", {"carolin"}, {"carolin"}),
    ],
)
def test_a_query_is_read(query: str, content: set[str], names: set[str]) -> None:
    ask = asked(query)
    assert (ask.content, ask.names) == (content, names)


@pytest.mark.parametrize("piece", ["abc-", "a.b_", "x1", "aB", "é/"])
def test_what_is_no_name_takes_no_time(piece: str) -> None:
    started = time.process_time()
    assert not asked(piece * 20_000).identifiers
    assert time.process_time() - started < 1.0  # by the square of its length it would be minutes


def test_a_term_weighs_by_its_rarity_and_courtesy_hardly_at_all() -> None:
    assert rarity("redi", rows=100, holding=0) > rarity("redi", rows=100, holding=50)
    assert rarity("thank", rows=100, holding=0) < rarity("redi", rows=100, holding=20)


def test_coverage_is_the_best_single_candidates() -> None:
    ask = asked("redis timeout")
    weights = dict.fromkeys(ask.terms, 1.0)
    assert covered(ask, weights=weights, heads=[{"redi"}, {"timeout"}]) == pytest.approx(0.5)
    assert covered(ask, weights=weights, heads=[{"redi", "timeout"}]) == pytest.approx(1.0)
    assert covered(ask, weights=weights, heads=[]) == 0.0


def test_each_piece_of_evidence_speaks_in_its_direction() -> None:
    base = Evidence(nearest=0.5, coverage=0.5, spread=0.1, unknown_names=0, identifier=False)
    higher = (
        Evidence(0.6, 0.5, 0.1, 0, False),
        Evidence(0.5, 0.9, 0.1, 0, False),
        Evidence(0.5, 0.5, 0.1, 0, True),
    )
    assert all(belief(one) > belief(base) for one in higher)
    assert belief(Evidence(0.5, 0.5, 0.1, 1, False)) < belief(base)
