"""What sessions show of patterns, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pattern_tools import Told, counts, known, task

from loremap.model.pattern import Pattern, PatternType
from loremap.sessions.episodes.together import MAX_AT_ONCE
from loremap.sessions.patterns.abandoned import abandoned
from loremap.sessions.patterns.backtracks import backtracks
from loremap.sessions.patterns.co_edits import co_edits
from loremap.sessions.patterns.failed_edits import failed_edits
from loremap.sessions.patterns.read import sightings_of
from loremap.sessions.patterns.renames import renames
from loremap.sessions.patterns.searches import searches

PAIR = ("a.py", "b.py")
CO_EDIT = known(PatternType.CO_EDIT, PAIR, files=list(PAIR))
Counts = dict[tuple[str, ...], tuple[int, int]]


def swept(number: int) -> Told:
    """A formatter that edits many files at once."""
    told = Told()
    for place in range(number):
        told.edits(f"f{place}.py").waits(-59)
    return told


@pytest.mark.parametrize(
    ("tasks", "before", "seen"),
    [
        (task(Told().edits("a.py").edits("b.py")), [], {PAIR: (1, 0)}),
        (task(Told().edits("b.py").edits("a.py")), [], {PAIR: (1, 0)}),  # whichever comes first
        (task(Told().edits("a.py").edits("b.py").edits("a.py").edits("b.py")), [], {PAIR: (2, 0)}),
        (task(Told().edits("a.py").edits("b.py").edits("b.py").edits("b.py")), [], {PAIR: (1, 0)}),
        (task(Told().edits("a.py").waits(300).edits("b.py")), [], {}),  # too long after
        (task(Told().edits("a.py"), Told().edits("b.py")), [], {}),  # of two tasks
        (task(Told().edits("a.py").edits("b.py", ok=False)), [], {}),  # one did not apply
        (task(Told().edits("a.py").reads("b.py")), [], {}),
        (task(Told().edits("a.py")), [CO_EDIT], {PAIR: (0, 1)}),
        (task(Told().edits("a.py").waits(900).edits("b.py")), [CO_EDIT], {}),  # neither nor
        (task(Told().edits("c.py")), [CO_EDIT], {}),
        (task(swept(MAX_AT_ONCE + 1)), [], {}),
    ],
)
def test_files_that_change_together(
    tasks: list[list[object]], before: list[Pattern], seen: Counts
) -> None:
    assert counts(list(co_edits(tasks, before))) == seen


def test_two_formatters_are_no_pattern_and_a_few_files_are() -> None:
    assert not list(co_edits([swept(30).turns, swept(30).turns]))
    assert len(list(co_edits([swept(3).turns]))) == 3


def test_what_is_kept_of_two_files() -> None:
    (one,) = co_edits(task(Told().edits("a.py").edits("b.py")))
    assert one.data == {
        "files": ["a.py", "b.py"], "operations": ["edit", "edit"], "within_seconds": 300
    }  # fmt: skip
    assert (one.type.value, one.files) == ("co-edit", PAIR)


IMPORT = ("src/auth", "src/app.py")
AFTER_MOVE = known(
    PatternType.REFACTOR, IMPORT, renamed_in="src/auth", updated="src/app.py"
)  # fmt: skip


def moved() -> Told:
    return Told().runs("git mv src/auth/token.py src/auth/keys.py")


@pytest.mark.parametrize(
    ("told", "before", "seen"),
    [
        (
            moved().edits("src/app.py", "from auth import token", "from auth import keys"),
            [],
            {IMPORT: (1, 0)},
        ),
        (
            Told()
            .runs("mv src/auth/token.py src/auth/keys.py")
            .edits("src/app.py", "token", "keys"),
            [],
            {IMPORT: (1, 0)},
        ),
        (moved().edits("src/app.py", "retries = 3", "retries = 4"), [], {}),  # another matter
        (
            Told()
            .edits("src/app.py", "import token", "import keys")
            .runs("git mv token.py keys.py"),
            [],
            {},
        ),  # it came before
        (Told().runs("mv build/out.js /tmp/old.js").edits("a.js", "out", "old"), [], {}),
        (Told().runs("git mv a.py b.txt").edits("c.py", "a", "b"), [], {}),
        (
            Told()
            .edits("cart.py", "def total(self):", "def amount(self):")
            .edits("views.py", "cart.total()", "cart.amount()"),
            [],
            {("cart.py", "views.py"): (1, 0)},
        ),
        (
            Told()
            .edits("cart.py", "def total(self):", "def amount(self):")
            .edits("views.py", "cart.items()", "cart.goods()"),
            [],
            {},
        ),  # another name
        (moved().edits("src/other.py"), [AFTER_MOVE], {IMPORT: (0, 1)}),
        (Told().edits("src/other.py"), [AFTER_MOVE], {}),  # nothing was renamed
    ],
)
def test_what_follows_a_renaming(told: Told, before: list[Pattern], seen: Counts) -> None:
    assert counts(list(renames(task(told), before))) == seen


ODD = [
    *("git", "mv", "stash", "revert", "grep", "env", "time", "-x", "--", "a.py", "/", "..", ""),
    *("|", "&&", ";", "<<EOF", "EOF", "\n", "'", "\\", "$(", "A=1", "\0"),
]


@given(st.lists(st.lists(st.sampled_from(ODD), max_size=6).map(" ".join) | st.text(), max_size=3))
@example(["make check\n-x", "cat > a.md <<'EOF'\n---\ntitle\n---\nEOF", "env -i"])
def test_no_words_are_too_odd_for_a_rule(odd: list[str]) -> None:
    told = Told().asks("Try it.")
    for one in odd:
        told.runs(one).fails(one, one).edits(one, one, one).greps(one)
    assert all(one.supports or one.against for one in sightings_of(told.turns))


SOUGHT = known(
    PatternType.REPEATED_SEARCH, ("refresh_token",), query="refresh_token", found="tokens.py"
)


@pytest.mark.parametrize(
    ("told", "before", "seen", "found"),
    [
        (Told().greps("refresh_token").reads("tokens.py"), [], (1, 0), "tokens.py"),
        (Told().runs("grep -rn refresh_token src").reads("tokens.py"), [], (1, 0), "tokens.py"),
        (Told().runs("git grep -n refresh_token"), [], (1, 0), None),
        (Told().greps("refresh_token").reads("keys.py"), [SOUGHT], (1, 1), "keys.py"),
        (Told().greps("refresh_token").greps("Refresh_Token"), [SOUGHT], (2, 0), None),
        (Told().runs("cat log | grep refresh_token"), [], None, None),  # it looks in no file
        (Told().greps(".*"), [], None, None),
    ],
)
def test_what_is_searched_for(
    told: Told, before: list[Pattern], seen: tuple[int, int] | None, found: str | None
) -> None:
    sightings = list(searches(task(told), before))
    expected = {} if seen is None else {("refresh_token",): seen}
    assert counts(sightings) == expected
    assert {one.data["found"] for one in sightings} <= {found}


READ = known(PatternType.READ_AND_ABANDON, ("b.py",), file="b.py")


@pytest.mark.parametrize(
    ("told", "before", "seen"),
    [
        (Told().reads("b.py").edits("a.py"), [], {("b.py",): (1, 0)}),
        (Told().reads("b.py").reads("b.py").edits("a.py"), [], {("b.py",): (1, 0)}),
        (Told().reads("b.py"), [], {}),  # it was asked about, and nothing was changed
        (Told().reads("b.py").edits("b.py"), [], {}),
        (Told().reads("prices.py").edits("a.py", "", "from prices import total"), [], {}),
        (Told().reads("prices.py").edits("a.py").runs("pytest -k prices"), [], {}),
        (Told().reads("b.py").edits("b.py"), [READ], {("b.py",): (0, 1)}),
    ],
)
def test_what_was_read_in_vain(told: Told, before: list[Pattern], seen: Counts) -> None:
    assert counts(list(abandoned(task(told), before))) == seen


OLD, NEW = "timeout = 10  # seconds", "timeout = 30  # seconds"
CHANGE = ("a.py", OLD, NEW)
BACK = known(PatternType.BACKTRACK, CHANGE, file="a.py", how="git")
UNDONE: Counts = {CHANGE: (1, 0)}


@pytest.mark.parametrize(
    ("told", "before", "seen"),
    [
        (Told().edits("a.py", OLD, NEW).edits("a.py", NEW, OLD), [], UNDONE),
        (Told().edits("a.py", OLD, NEW).edits("b.py", NEW, OLD), [], {}),  # another file
        (Told().edits("a.py", OLD, NEW).edits("a.py", NEW, "timeout = 20  # s"), [], {}),
        (Told().edits("a.py", "x = 1", "x = 2").edits("a.py", "x = 2", "x = 1"), [], {}),  # chance
        (Told().edits("a.py", OLD, NEW).runs("git checkout -- a.py"), [], UNDONE),
        (Told().edits("a.py", OLD, NEW).runs("git restore ."), [], UNDONE),
        (Told().edits("a.py", OLD, NEW).runs("git checkout main"), [], {}),  # a branch
        (Told().runs("git checkout -- a.py").edits("a.py", OLD, NEW), [], {}),  # before it
        (Told().edits("a.py", OLD, NEW).runs("git stash"), [], UNDONE),
        (Told().edits("a.py", OLD, NEW).runs("git stash").runs("git stash pop"), [], {}),
        (Told().edits("a.py", OLD, NEW).runs("git revert abc123"), [], {}),  # of somebody's commit
        (
            Told().edits("a.py", OLD, NEW).runs("git commit -am x").runs("git revert HEAD"),
            [],
            UNDONE,
        ),
        (Told().edits("a.py", OLD, NEW), [BACK], {CHANGE: (0, 1)}),  # now it stays
        (Told().edits("a.py", OLD, "timeout = 60  # s"), [BACK], {}),  # another change
        (
            Told().edits("a.py", OLD, NEW).runs("git checkout .").edits("a.py", OLD, NEW),
            [],
            {},
        ),  # it was made again, and stays
    ],
)
def test_what_was_undone(told: Told, before: list[Pattern], seen: Counts) -> None:
    assert counts(list(backtracks(task(told), before))) == seen


FAILED = known(PatternType.FAILED_EDIT, ("a.py",), file="a.py")


@pytest.mark.parametrize(
    ("told", "before", "seen"),
    [
        (Told().edits("a.py", ok=False), [], {("a.py",): (1, 0)}),
        (Told().edits("a.py", ok=False).edits("a.py"), [], {("a.py",): (1, 1)}),
        (Told().edits("a.py"), [], {}),
        (Told().edits("a.py"), [FAILED], {("a.py",): (0, 1)}),
        (Told().fails("pytest", "1 failed"), [], {}),  # a command is no edit
    ],
)
def test_edits_that_did_not_apply(told: Told, before: list[Pattern], seen: Counts) -> None:
    assert counts(list(failed_edits(task(told), before))) == seen
