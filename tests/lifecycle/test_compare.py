"""The rule that tells a repetition from a change, on frozen pairs and case by case."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loremap.embedding.local import LocalEmbedder
from loremap.embedding.weights import deliver
from loremap.lifecycle.compare import Comparison, Likeness, compared
from loremap.lifecycle.statement.meaning import meaning_of

DATA = Path(__file__).parents[1] / "data"
FROZEN = {
    "changed_values.jsonl": "1729f0c4730cf5bdf294be2bc5ccc75c4f5aafbcfdf0e4d581f1254cacd2c4bd",
    "paraphrases.jsonl": "fe135617c4b77a955ec70b7efb7a13ae272293c4534cce54e5c7c4314b7b1e20",
}
SAME, CHANGED, DIFFERENT = Likeness.SAME, Likeness.CHANGED, Likeness.DIFFERENT

Pair = tuple[str, str]
Rated = tuple[str, str, float]


def pairs(name: str) -> list[Pair]:
    rows = [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]
    return [tuple(list(row.values())[:2]) for row in rows]


def likeness(old: str, new: str, similarity: float | None = None) -> Likeness:
    return compared(old, new, similarity=similarity).likeness


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    deliver()
    return LocalEmbedder.load()


def rated(embedder: LocalEmbedder, name: str) -> Iterator[Rated]:
    found = pairs(name)
    left = embedder.embed([old for old, _ in found])
    right = embedder.embed([new for _, new in found])
    for (old, new), cosine in zip(found, np.sum(left * right, axis=1), strict=True):
        yield old, new, float(cosine)


@pytest.mark.parametrize(("name", "digest"), FROZEN.items())
def test_the_judging_pairs_are_frozen(name: str, digest: str) -> None:
    assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == digest


def test_no_changed_value_is_merged(embedder: LocalEmbedder) -> None:
    merged = [
        (old, new, similarity)
        for first, second, cosine in rated(embedder, "changed_values.jsonl")
        for old, new in ((first, second), (second, first))
        for similarity in (cosine, None, 1.0)
        if likeness(old, new, similarity) is SAME
    ]
    assert merged == []


def test_most_changed_values_are_seen_as_changes(embedder: LocalEmbedder) -> None:
    """Most, not all: these pairs were frozen to catch wrong merges, and some change the subject or
    the scope ("run it against staging", "… production"), which leaves both statements standing.
    """
    verdicts = [likeness(*row) for row in rated(embedder, "changed_values.jsonl")]
    assert verdicts.count(CHANGED) / len(verdicts) >= 0.7


def test_most_paraphrases_are_merged(embedder: LocalEmbedder) -> None:
    verdicts = [likeness(*row) for row in rated(embedder, "paraphrases.jsonl")]
    assert verdicts.count(SAME) / len(verdicts) >= 0.84


def judged(embedder: LocalEmbedder, verdict: str) -> list[Comparison]:
    """The comparisons, in both orders, of the pairs that a person gave this verdict."""
    lines = (DATA / "replacing_pairs.jsonl").read_text("utf-8").splitlines()
    wanted = {
        (row["old"], row["new"]) for row in map(json.loads, lines) if row["verdict"] == verdict
    }
    found = [row for row in rated(embedder, "replacing_pairs.jsonl") if row[:2] in wanted]
    return [
        compared(*pair, similarity=cosine)
        for old, new, cosine in found
        for pair in ((old, new), (new, old))
    ]


def test_a_second_rule_or_scope_replaces_nothing(embedder: LocalEmbedder) -> None:
    kept = judged(embedder, "keep")
    assert [each for each in kept if each.specific or each.likeness is SAME] == []
    assert sum(each.likeness is DIFFERENT for each in kept) / len(kept) >= 0.9


def test_another_value_of_the_same_thing_replaces_it(embedder: LocalEmbedder) -> None:
    replaced = judged(embedder, "replace")
    assert SAME not in {each.likeness for each in replaced}
    assert sum(each.specific for each in replaced) / len(replaced) >= 0.8


def test_what_a_person_would_ask_about_is_never_settled_silently(embedder: LocalEmbedder) -> None:
    unclear = judged(embedder, "flag")
    assert [each for each in unclear if each.specific or each.likeness is SAME] == []


def test_notes_on_one_topic_stay_apart(embedder: LocalEmbedder) -> None:
    verdicts = [likeness(*row) for row in rated(embedder, "different_pairs.jsonl")]
    assert SAME not in verdicts
    assert verdicts.count(DIFFERENT) / len(verdicts) >= 0.95


def test_statements_of_other_pairs_are_never_merged() -> None:
    texts = [old for old, _ in pairs("changed_values.jsonl")]
    merged = [
        (old, new)
        for at, old in enumerate(texts)
        for new in texts[at + 1 :]
        if likeness(old, new) is SAME
    ]
    assert merged == []


REPEATED = [
    # fillers, quotes, case, contractions
    ("Always run the formatter.", "Please always run the formatter!"),
    ("Note: secrets are in Vault", "Secrets are in `Vault`."),
    ("Don't commit the lock file.", "Do not commit the lock file."),
    ("The guide is written in Markdown.", "the guide's written in markdown"),
    ("- Use ruff for linting.", "We use ruff for linting."),
    # numbers, units, times and dates
    ("Retry 3 times.", "Retry three times."),
    ("The limit is 1,000 rows.", "The limit is 1000 rows."),
    ("The limit is 50MB.", "The limit is 50 megabytes."),
    ("Tokens expire after 60 minutes.", "Tokens expire after 1 hour."),
    ("Backups run at 02:00.", "Backups run at 2 am."),
    ("The freeze starts on July 1.", "The freeze starts on 1 July."),
    ("Keep coverage above 85%.", "Keep coverage over 85 percent."),
    # abbreviations, compounds, spelling, synonyms
    ("The k8s config is in the repo.", "The Kubernetes configuration is in the repository."),
    ("Every bug fix needs a test.", "Each bugfix needs a test."),
    ("The primary colour is blue.", "The primary color is blue."),
    ("Delete stale branches weekly.", "Remove stale branches every week."),
    ("Use the DB for dev only.", "Use the database for development only."),
    # polarity said in other words
    ("Avoid global state.", "Don't use global state."),
    ("We no longer use Redux.", "We don't use Redux any more."),
    ("Nobody may push to main.", "Never push to main."),
    ("Docstrings are optional.", "Docstrings are not required."),
    ("Disable source maps.", "Source maps should be turned off."),
    # order and voice
    ("Before you push, run make check.", "Run make check before pushing."),
    ("Dana owns the deploy script.", "The deploy script is owned by Dana."),
    ("The job deletes old sessions.", "Old sessions are deleted by the job."),
    ("The cookie is Secure and HttpOnly.", "The cookie is HttpOnly and Secure."),
    ("If the build fails, check the lock file.", "Check the lock file if the build fails."),
    ("Billing depends on accounts.", "Accounts is a dependency of billing."),
    ("Use httpx instead of requests.", "Use httpx rather than requests."),
    # other languages
    ("Bitte immer Tests im Code schreiben.", "Schreibe immer Tests im Code."),
    ("Usa la caché en las pruebas.", "Por favor, usa la caché en los tests."),
    ("提交前要运行测试。", "请记住，提交之前要运行测试。"),
]


@pytest.mark.parametrize(("old", "new"), REPEATED)
def test_a_repetition_is_the_same(old: str, new: str) -> None:
    assert likeness(old, new) is SAME
    assert likeness(new, old) is SAME


ALTERED = [
    # old, new, how the reason begins, may replace without asking
    ("The timeout is 30 seconds.", "The timeout is 60 seconds.", "number: 30 seconds → 60", True),
    ("The limit is 50 MB.", "The limit is 50 GB.", "number", True),
    ("The offset is +2.", "The offset is -2.", "number", True),
    ("Backups run at 3 am.", "Backups run at 3 pm.", "number", True),
    ("Always squash.", "Never squash.", "polarity", True),
    ("The endpoint is paginated.", "The endpoint isn't paginated.", "polarity", True),
    ("Ship with a flag.", "Ship without a flag.", "polarity", True),
    ("Staging is on.", "Staging is off.", "polarity", False),
    ("The cache is safe to clear.", "The cache is unsafe to clear.", "value: safe → unsafe", True),
    ("All routes need a token.", "Some routes need a token.", "scope", False),
    ("Type hints are in src only.", "Type hints are in src.", "scope", False),
    ("Docstrings are required.", "Docstrings are optional.", "scope", False),
    ("Reviewers must approve.", "Reviewers may approve.", "scope", False),
    ("Reviewers must approve.", "Reviewers should approve.", "wording", False),
    ("The build was green.", "The build is green.", "wording", False),
    ("Passwords need at least 12 signs.", "Passwords need at most 12 signs.", "scope", False),
    ("Use tabs in C sources.", "Use spaces in C sources.", "value: tabs → spaces", True),
    ("We deploy on Tuesdays.", "We deploy on Thursdays.", "value", True),
    ("Sessions are stored in Redis.", "Sessions are stored in Postgres.", "value", True),
    ("Put fixtures in tests/a.py.", "Put fixtures in tests/b.py.", "value", True),
    ("Compile with -O2.", "Compile with -O3.", "value: -o2 → -o3", True),
    ("Use httpx instead of requests.", "Use requests instead of httpx.", "order", True),
    ("Lint before testing.", "Test before linting.", "order", True),
    ("Run migrations before deploying.", "Run migrations after deploying.", "order", True),
    ("Copy from staging to local.", "Copy from local to staging.", "order", True),
    ("The gateway calls the ledger.", "The ledger calls the gateway.", "order", True),
    ("Use A if B fails.", "Use B if A fails.", "order", True),
    ("If red, deploy blue.", "Deploy red if blue.", "order", True),
    ("We replaced Flask with FastAPI.", "We replaced FastAPI with Flask.", "order", True),
    ("Set x to 1 and y to 2.", "Set x to 2 and y to 1.", "order", True),
    ("Imports go local, external.", "Imports go external, local.", "order", True),
    ("接口超时是30秒。", "接口超时是60秒。", "number", True),
    ("提交前要测试。", "提交前不要测试。", "polarity", True),
    ("Тесты запускать до деплоя.", "Тесты запускать после деплоя.", "order", True),
    ("Die Tests laufen mit Netz.", "Die Tests laufen ohne Netz.", "polarity", True),
]


@pytest.mark.parametrize(("old", "new", "reason", "specific"), ALTERED)
def test_a_change_is_named(old: str, new: str, reason: str, specific: bool) -> None:
    verdict = compared(old, new, similarity=0.97)
    assert (verdict.likeness, verdict.specific) == (CHANGED, specific)
    assert verdict.reason.startswith(reason)
    assert likeness(new, old, 0.97) is not SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Requires admin and owner.", "Requires admin or owner."),
        ("Retry for 5 minutes.", "Retry every 5 minutes."),
        ("Increase the limit by 5.", "Increase the limit to 5."),
        ("The limit applies per user.", "The limit applies to all users."),
        ("Run the scripts in CI.", "Keep the scripts in CI."),
        ("Set the label to 'Delete'.", 'Set the label to "Remove".'),
        ("Run make build first.", "Run make compile first."),
        ("Ship without a flag.", "Do not ship a flag."),
        ("I work with Ann.", "I work for Ann."),
        ("Sarah is my manager.", "I am Sarah's manager."),
        ("We used Docker.", "We use Docker."),
        ("Use userName.", "Use username."),
        ("The service logs to stdout.", "The service logs to stdout and a file."),
        ("CSV is cached but JSON is not cached.", "CSV is not cached but JSON is cached."),
        ("Use test keys in test, prod keys in prod.", "Use prod keys in test, prod keys in prod."),
        ("The users table is big.", "The users endpoint is big."),
        ("First build, then test, then ship.", "First test, then build, then ship."),
        ("Die DB darf nicht weg.", "Die DB muss nicht weg."),
        ("キャッシュを使う。", "キャッシュを使わない。"),
        ("The code is 0042.", "The code is 42."),
        ("Ratio 1,5.", "Ratio 5,1."),
        ("Use GET for search and POST for updates.", "Use POST for search and GET for updates."),
        ("Logs go to the gateway by the worker.", "Logs go to the worker by the gateway."),
        ("Do it now, not later.", "Do it later, not now."),
        ("Start at 48 pm.", "Start at 60 pm."),
        ("Run make seed in CI.", "Run make seed-all in CI."),
        ("The importer will skip bad rows.", "The importer skipped bad rows."),
    ],
)
def test_in_doubt_nothing_is_merged(old: str, new: str) -> None:
    for similarity in (None, 0.99):
        assert likeness(old, new, similarity) is not SAME
        assert likeness(new, old, similarity) is not SAME


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("Chanel was founded by Coco Chanel.", "Chanel was founded by Andy Warhol.", CHANGED),
        ("The author of Dune is Herbert.", "The author of Dune is Tolkien.", CHANGED),
        ("Ward plays the position of center.", "Ward plays the position of guard.", CHANGED),
        ("The guide is written in HTML.", "The guide is written in Markdown.", CHANGED),
        ("We use Redux for state.", "We use Zustand for state.", CHANGED),
        ("The project uses DuckDB.", "The project uses Next.js.", DIFFERENT),
        ("The app depends on httpx.", "The app depends on numpy.", DIFFERENT),
        ("The page supports search.", "The page supports export.", DIFFERENT),
        ("The author of Dune is Herbert.", "The author of Emma is Austen.", DIFFERENT),
        ("Issue 12 is fixed.", "Issue 14 is fixed.", DIFFERENT),
        ("The app logs to stdout.", "The app logs to stderr.", CHANGED),
        ("Python 3.10 is required.", "Python 3.12 is required.", CHANGED),
        ("Node 3 serves the docs.", "Node 4 serves the docs.", DIFFERENT),
        ("Use tabs.", "Use spaces.", CHANGED),
        ("Use Zod in the API.", "Use Redux in the API.", DIFFERENT),
        ("Use Zod for forms.", "Use Yup for forms.", CHANGED),
        ("Use Zod for forms.", "Use Zod for settings.", DIFFERENT),
        ("Never use Zod for forms.", "Never use Yup for forms.", DIFFERENT),
        ("Keys are stored in Vault.", "Keys are stored in SOPS.", CHANGED),
        ("Keys are stored in Vault.", "Keys are stored in SOPS in staging.", DIFFERENT),
        ("Keys are not stored in Vault.", "Keys are not stored in SOPS.", DIFFERENT),
        ("The delay is 5 seconds.", "The delay is 9 seconds in staging.", DIFFERENT),
    ],
)
def test_predicates_have_a_cardinality(old: str, new: str, verdict: Likeness) -> None:
    found = compared(old, new, similarity=None)
    assert found.likeness is verdict
    assert found.specific is (verdict is CHANGED)


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        (
            "Tests are run by pytest and live in tests/.",
            "A warning fails the tests (pytest's filterwarnings is `error`).",
            DIFFERENT,
        ),
        ("Never log access tokens.", "Access tokens expire after 15 minutes.", DIFFERENT),
        ("Do not touch the vendor folder.", "Include the vendor folder in search.", DIFFERENT),
        ("We deploy on Friday.", "We never deploy on a Friday in summer.", CHANGED),
        ("Sí, usa la caché de Redis.", "No, no uses la caché de Redis.", CHANGED),
    ],
)
def test_a_negation_denies_what_it_stands_beside(old: str, new: str, verdict: Likeness) -> None:
    """One word more that only one statement has: what is denied must be said by both."""
    assert likeness(old, new) is verdict
    assert likeness(new, old) is verdict


def test_an_unclear_change_needs_a_common_kind_or_file() -> None:
    old, new = "All routes need a token.", "Some routes need a token."
    assert compared(old, new, similarity=0.9, same_kind=False).likeness is DIFFERENT
    kept = compared(old, new, similarity=0.9, same_kind=False, shared_files=True)
    assert kept.likeness is CHANGED


def test_from_the_threshold_on_another_subject_is_still_another_statement() -> None:
    old, new = "Errors are swallowed quietly here.", "Panics are swallowed quietly here."
    assert likeness(old, new, 0.95) is DIFFERENT


def test_from_the_threshold_on_another_word_is_a_change() -> None:
    old, new = "Errors are swallowed quietly here.", "Errors are dropped quietly here."
    assert likeness(old, new, 0.5) is DIFFERENT
    assert likeness(old, new, 0.95) is CHANGED
    assert compared(old, new, similarity=0.95, threshold=0.99).likeness is DIFFERENT


def test_equal_words_of_unlike_meaning_are_not_merged() -> None:
    assert likeness("Please use it in Vault.", "Use it in Vault", 0.1) is DIFFERENT


def test_a_difference_past_the_part_that_is_read_counts() -> None:
    start = "Deploy on Friday. " * 300
    assert likeness(start + "Use tabs.", start + "Use spaces.") is not SAME


def test_a_comparison_is_quick() -> None:
    found = pairs("changed_values.jsonl") + pairs("paraphrases.jsonl")
    for old, new in found:
        compared(old, new, similarity=0.9)
    started = time.process_time()
    for old, new in found:
        compared(old, new, similarity=0.9)
    assert (time.process_time() - started) / len(found) < 0.0003


WORDS = st.sampled_from(
    """deploy the cache to staging never use not all only before after if config tests run is are
    must may service user 提交 テスト не nicht . , `make` /api/v1 user_name "quoted" -x one two
    """.split()
)
SENTENCES = st.lists(WORDS | st.integers(0, 10_000).map(str), min_size=1, max_size=14).map(" ".join)


@given(st.text())
def test_a_text_repeats_itself(text: str) -> None:
    assert likeness(text, text) is SAME
    meaning_of.cache_clear()
    assert meaning_of(text) == meaning_of(str(text))


@given(st.text() | SENTENCES, st.text() | SENTENCES)
def test_it_answers_for_any_two_texts(old: str, new: str) -> None:
    there, back = likeness(old, new), likeness(new, old)
    assert (there is SAME) == (back is SAME)


@given(SENTENCES, st.data())
def test_a_changed_number_is_never_merged(text: str, data: st.DataObject) -> None:
    numbers = list(re.finditer(r"(?<!\S)\d+(?!\S)", text))
    assume(numbers)
    number = data.draw(st.sampled_from(numbers))
    other = data.draw(st.integers(0, 10_000).map(str).filter(lambda value: value != number[0]))
    changed = text[: number.start()] + other + text[number.end() :]
    assert likeness(text, changed, 0.99) is not SAME
