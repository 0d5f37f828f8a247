"""What is unmistakable between two statements, case by case; everything else is kept."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loremap.memory.admission.compare import Verdict, compared
from loremap.memory.admission.statement import difference

SAME, REPLACES, OPPOSED, OTHER = Verdict.SAME, Verdict.REPLACES, Verdict.OPPOSED, Verdict.OTHER


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Don't commit the .env file.", "Do not commit the `.env` file."),
        ("The users endpoint is not paginated", "The users endpoint isn't paginated."),
        ("Before pushing, run `make lint`.", "Run make lint before pushing."),
        ("The default cache is Redis", "Redis is the default cache"),
        ("Access tokens expire after 15 minutes", "Access tokens expire after 15 min."),
        ("Each worker keeps 1,000 jobs", "Each worker keeps 1000 jobs"),
        ("Java 8 is no longer supported", "Java 8 is no longer supported."),
        ("日志保存在 Splunk。", "日志保存在Splunk"),
    ],
)
def test_the_same_statement_but_for_order_case_inflection_and_filler(old: str, new: str) -> None:
    assert compared(old, new).verdict is SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Run lint before tests.", "Run tests before lint."),
        ("The parser calls the lexer.", "The lexer calls the parser."),
        ("Shop is the parent of Auth", "Auth is the parent of Shop"),
        ("We use Redis for sessions.", "We used Redis for sessions."),
        ("Copy from build to public", "Copy to build from public"),
        ("New migrations go in db/migrations", "New migrations go in db/migrate"),
        ("Do not run A and run B", "Run A and do not run B"),
        ("A file is read and not written", "A file is written and not read"),
    ],
)
def test_words_alike_are_not_the_same_statement(old: str, new: str) -> None:
    assert compared(old, new).verdict is OTHER


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("The HTTP client times out after 30 seconds", "The HTTP client times out after 60 seconds",
         "“30” → “60”"),
        ("The retry limit is 3", "The retry limit is 5", "“3” → “5”"),
        ("The worker keeps 4 threads", "The worker keeps 8 threads", "“4” → “8”"),
        ("The primary database is MySQL 5.7.", "The primary database is MySQL 8.0.",
         "“5.7” → “8.0”"),
        ("The app needs iOS 16 or newer", "The app needs iOS 17 or newer", "“16” → “17”"),
        ("Retries are capped at 5", "Retries are capped at 7", "“5” → “7”"),
        ("It sets workers=4 in production", "It sets workers=8 in production",
         ""),  # nobody knows what "it" is
        ("Vectors have 384 dimensions, the column is vector(384)",
         "Vectors have 768 dimensions, the column is vector(768)", "“384” → “768”"),
        ("The CDN caches HTML pages.", "The CDN does not cache HTML pages.", "“not” has come"),
        ("Always squash before merging", "Never squash before merging", "“Never” has come"),
        ("Generated files are not committed", "Generated files are committed", "“not” has gone"),
    ],
)  # fmt: skip
def test_one_number_version_or_negation_replaces(old: str, new: str, reason: str) -> None:
    found = compared(old, new)
    assert (found.verdict, found.reason) == (REPLACES if reason else OTHER, reason)


def test_in_one_settings_file_any_number_that_alone_differs_has_changed() -> None:
    pair = "Develop with Node.js 20 (.nvmrc).", "Develop with Node.js 22 (.nvmrc)."
    assert compared(*pair).verdict is OTHER
    assert compared(*pair, one_setting=True).verdict is REPLACES


@pytest.mark.parametrize(
    ("old", "new", "mark"),
    [
        ("Jobs run on Sidekiq.", "Jobs were moved from Sidekiq to Temporal.", "moved from"),
        ("Jobs run on Sidekiq.", "Sidekiq has been replaced by Temporal for jobs.",
         "been replaced by"),
        ("The frontend uses npm.", "The frontend uses pnpm instead of npm.", "instead of"),
        ("Docs live in Confluence.", "Docs no longer live in Confluence but in the repo.",
         "no longer"),
        ("We deploy on Fridays.", "We stopped deploying on Fridays.", "stopped"),
        ("The retry limit is 3.", "The retry limit used to be 3, now it is 5.", "used to"),
        ("The retry limit is 3.", "The retry limit has been raised to 5.", "raised"),
        ("The daily stand-up is at 9:30.", "The daily stand-up is now at 10:15.", "now"),
        ("Logs are sent to Splunk.", "Logs are now sent to Loki.", "now"),
        ("Logs are sent to Splunk.", "As of May logs are sent to Loki, not to Splunk.", "not"),
        ("Max upload size is 5 MB.", "Correction: the max upload size is 50 MB.", "Correction"),
        ("Die Logs liegen in Splunk.", "Die Logs liegen nicht mehr in Splunk, sondern in Loki.",
         "nicht mehr"),
        ("La API usa REST.", "La API ya no usa REST, usa GraphQL.", "ya no"),
        ("日志保存在 Splunk。", "日志不再保存在 Splunk，改为 Loki。", "不再"),
    ],
)  # fmt: skip
def test_a_text_that_marks_the_change_replaces(old: str, new: str, mark: str) -> None:
    found = compared(old, new)
    assert (found.verdict, found.reason) == (REPLACES, f"“{mark}”")


BOTH_TRUE = [
    # one name differs
    ("The app writes to Postgres.", "The app writes to Kafka."),
    ("CI runs on Linux.", "CI runs on macOS."),
    ("Formatting is done by gofumpt", "Formatting is done by gofmt"),
    # a number that names something
    ("Node 16 is supported.", "Node 18 is supported."),
    ("We test with Python 3.11 in CI", "We test with Python 3.12 in CI"),
    ("Wheels are built for 3.11.", "Wheels are built for 3.12."),
    ("Port 80 is open.", "Port 443 is open."),
    ("The server listens on port 8080.", "The server listens on port 9090."),
    ("Error 404 means the page is gone.", "Error 403 means the page is gone."),
    ("Backups run at 02:00.", "Backups run at 14:00."),
    ("Alerts fire at 80 % disk.", "Alerts fire at 95 % disk."),
    ("Alerts are fired at 80 %", "Alerts are fired at 95 %"),
    ("Backups are started at 02:00.", "Backups are started at 14:00."),
    ("Level 1 tickets are answered in 4 hours.", "Level 2 tickets are answered in 4 hours."),
    ("Our Java 8 builds fail on ARM.", "Our Java 11 builds fail on ARM."),
    # a change of something else, of a part, beside it, or not yet
    ("The search service caches in Redis.",
     "The search service moved its sessions from Redis to Postgres."),
    ("Search sessions live in Redis.", "Search caches in Memcached instead of Redis."),
    ("Redis is used for sessions and caching.", "Redis is no longer used for sessions."),
    ("The API checks tokens.", "In staging the API no longer checks tokens."),
    ("The API checks tokens.", "The API no longer checks tokens in staging."),
    ("The pool has 10 connections.", "The staging pool now has 20 connections."),
    ("The pool has 10 connections.", "The pool now has 20 connections in CI."),
    ("The deploy script is slow.", "The deploy script is now idempotent."),
    ("The daily stand-up is at 9:30.", "The daily stand-up is now in room 4."),
    ("The app writes to Postgres.", "The app now also writes to Kafka."),
    ("Reviews are done by two people.", "We will move reviews from two people to one."),
    ("The frontend uses npm.", "The backend uses pnpm instead of npm."),
    ("Redis is used to cache sessions.", "Memcached is used to cache sessions."),
    # both tell of one change
    ("Redis is no longer used for sessions, they are in cookies.",
     "We stopped keeping sessions in Redis and have them in cookies."),
    ("`Cache.get` returns a copy, not the stored object.",
     "`Cache.get` gives you a copy, not the stored object."),
    ("The build uses make instead of cmake.", "The build uses make instead of ninja."),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), BOTH_TRUE)
def test_what_may_both_hold_is_left_alone(old: str, new: str) -> None:
    assert compared(old, new).verdict is OTHER


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Strings take single quotes in Python code", "Strings take double quotes in Python code",
         "“double” against “single”"),
        ("Telemetry is disabled by default", "Telemetry is enabled by default",
         "“enabled” against “disabled”"),
        ("The hook runs before the tests.", "The hook runs after the tests.", ""),
        ("Add type hints to all functions.", "Remove type hints from all functions.",
         "“Remove” against “Add”"),
        ("Enable caching in CI.", "Disable caching in CI.", "“Disable” against “Enable”"),
        ("Add a label before the merge.", "Remove the label after the merge.", ""),
        ("Copy data from prod to staging.", "Copy data to prod from staging.", ""),
    ],
)  # fmt: skip
def test_opposite_words_in_one_place_cannot_both_hold(old: str, new: str, reason: str) -> None:
    found = compared(old, new)
    assert (found.verdict, found.reason) == (OPPOSED if reason else OTHER, reason)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Go code is formatted with gofumpt.", "Go code is formatted with gofmt.",
         "“gofmt” against “gofumpt”"),
        ("Releases are cut from next", "Releases are cut from main on Fridays",
         "“main on Fridays” against “next”"),
        ("Squash your commits", "Never squash your commits", "“Never squash” against “Squash”"),
        ("Use tabs", "Use tabs here", "“tabs here” against “tabs”"),
        ("Releases are cut from main", "Releases are not cut from main",
         "“not cut” against “cut”"),
        ("Use", "Use", "“Use” against “Use”"),
    ],
)  # fmt: skip
def test_a_difference_is_quoted(old: str, new: str, said: str) -> None:
    assert difference(old, new) == said


@given(st.text(min_size=1, max_size=300))
def test_any_text_is_comparable_with_itself_and_never_changes_itself(text: str) -> None:
    assert compared(text, text).verdict in (SAME, OTHER)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_another_number_is_never_the_same(one: int, other: int) -> None:
    assume(one != other)
    assert compared(f"The queue holds {one} jobs", f"The queue holds {other} jobs").verdict is (
        REPLACES
    )


def test_comparing_long_texts_takes_no_time() -> None:
    text = "moved not was is " * 110
    started = time.perf_counter()
    compared(text, text + " now from")
    assert time.perf_counter() - started < 0.5
