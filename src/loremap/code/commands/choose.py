"""Which command stands for each purpose: ranked by who says it; nothing where nothing is sure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set

from loremap.code.commands import names
from loremap.code.commands.book import Book
from loremap.code.commands.tools import bare, fetches_tool
from loremap.code.commands.value import (
    CHECKS_FORMAT,
    ELSEWHERE,
    FIXES,
    HOOKS_FORMAT,
    PURPOSES,
    Candidate,
    Said,
    Who,
)

_PLACEHOLDER = re.compile(r"<[^>]+>|\bpath/to\b")
_ONE_TEST = re.compile(
    r"::|\s-k[\s=]|--filter[\s=-](?!not)|--filter-(?:method|class)|\s-run[\s=]|--tests[\s=]|-D(?:it\.)?test=|--grep|\s-t\s|-R\s"
    r"|testOnly|--spec[\s=]|\S*(?:test_|_test\b|\.test\.|\.spec\.|_spec\b|Test\b)\S*\.(?!csproj|sln|toml|json|ya?ml)\w{1,4}\b|--only[\s=]|\s-m\s\w"
)
_TEST_PATH = re.compile(
    r"(?:^|\s)(?:\./)?(?:[\w.-]+/)*tests?/[\w/.-]+\.(?!csproj|fsproj|sln|toml|json|ya?ml)\w+(?:\s|$)|\s\./\w+/\.\.\.|\s\w+\.tests?\.\w+"
)
_LONGEST_UNKNOWN = 80
_OWN_PATH = re.compile(r"(?:\./)?[\w.-]+/|\./")
_OWN = re.compile(
    r"(?:[A-Z_]+=\S+\s+)*(?:(?:\./)?[\w.-]+/|\./|make |just |task |mage |nox |tox |poe |mise run |(?:bundle exec )?rake\b|cargo xtask "
    r"|mvn |gradle |(?:uv|poetry|pdm|hatch|npm|pnpm|yarn|bun) run |(?:pnpm|yarn) [\w:-]+)"
)
"""What a project itself may have named, so that its words tell what it does."""
_TOO_SPECIAL = 2
_TRIAL = re.compile(r"[A-Z_][A-Z0-9_]*=|.*\s--\s+-")
"""The program run with a variable set or with an option of its own: how something is tried, not how
it is run."""


def candidates(said: Iterable[Said], book: Book) -> Iterator[Candidate]:
    """What each command said may be for."""
    for one in said:
        yield from _of(one, book)


def _of(one: Said, book: Book) -> Iterator[Candidate]:
    does = book.purposes(one.line)
    if ELSEWHERE in does or _is_elsewhere(one, does):
        return
    told = names.said_of(one.words)
    near = told or names.said_of(" ".join(one.headings[-1:]))
    task = book.task_of(one.line)
    far = (
        names.special(one.line)
        + names.special(one.words)
        + names.special(" ".join(one.headings[-1:]))
    )
    if not does:
        far += 1 if told else 2
    far += fetches_tool(one.line)
    if task is not None:
        far += names.of_name(task.name)[1]
    for purpose in _meant(does, told, near, one):
        if purpose in ("run", "build", "install") and far > _TOO_SPECIAL:
            continue
        if purpose == "run" and _TRIAL.match(one.line):
            continue
        if purpose == "test" and _is_one(one, told):
            plain = _PLACEHOLDER.search(one.line) or _ONE_TEST.search(one.line)
            yield Candidate(said=one, purpose="test_one", narrow=far + (0 if plain else 1))
        else:
            wide = _PLACEHOLDER.search(one.line) is not None
            late = purpose == "format" and HOOKS_FORMAT in does
            yield Candidate(said=one, purpose=purpose, narrow=far + 3 * (wide or late))


def _meant(
    does: frozenset[str], told: frozenset[str], near: frozenset[str], one: Said
) -> frozenset[str]:
    """The purposes of a command, by what it does and what is said of it."""
    if does:
        meant = set(does - {FIXES, CHECKS_FORMAT})
        if FIXES in does and "format" in told:
            meant.add("format")
        if HOOKS_FORMAT in does:
            meant = (meant - {HOOKS_FORMAT}) | {"format"}
        if CHECKS_FORMAT in does and "lint" in told:
            meant.add("lint")
        if "lint" in told and "run" in does and re.search(r"on itself|self-lint", one.words):
            meant.add("lint")
        return frozenset(meant)
    if one.who in (Who.CI, Who.README) or len(one.line) > _LONGEST_UNKNOWN:
        return frozenset()
    if not _OWN.match(one.line):
        return frozenset()  # a program that is known, asked for something else
    sure = told if len(told) == 1 else frozenset()
    if not sure and len(near) == 1 and not told:
        sure = near
    return sure - (frozenset() if _OWN_PATH.match(one.line) else {"run"})


def _is_elsewhere(one: Said, does: frozenset[str]) -> bool:
    beside = names.elsewhere(one.words) and not (names.said_of(one.words) & does)
    return beside or any(names.elsewhere(heading) for heading in one.headings[-1:])


def _is_one(one: Said, told: frozenset[str]) -> bool:
    line = bare(one.line)
    return bool(
        _PLACEHOLDER.search(line)
        or _ONE_TEST.search(line)
        or _TEST_PATH.search(line)
        or ("test" in told and names.asks_for_one(one.words) and len(line.split()) > 2)
    )


def _length(one: Candidate) -> int:
    """Of what runs the program, the plainest is meant."""
    return len(one.said.line.split()) if one.purpose == "run" else 0


def rank(one: Candidate, lines: Set[str] = frozenset()) -> tuple[int, int, int, int]:
    """The order of candidates for one purpose: who says it, how plain it is; then as it was said.

    Of two of which one is the other with more arguments, the shorter is meant.
    """
    elsewhere = 1 if one.said.cwd and one.said.who is not Who.USUAL else 0
    longer = one.purpose != "test_one" and any(_extends(one.said.line, line) for line in lines)
    narrow = min(one.narrow + 3 * longer, 3)
    return (narrow >= 3, int(one.said.who), narrow, elsewhere)


def _extends(line: str, other: str) -> bool:
    longer = " " in other or other.startswith("./")
    more = line.removeprefix(f"{other} ") if longer and line.startswith(f"{other} ") else ""
    return any(not word.startswith("-") for word in more.split()[:1])


def chosen(found: Sequence[Candidate], forbidden: Sequence[str]) -> dict[str, Candidate]:
    """The command for each purpose; none for a purpose without one that is allowed."""
    best = dict[str, Candidate]()
    for purpose in PURPOSES:
        fit = [one for one in found if one.purpose == purpose and not _refused(one, forbidden)]
        if fit:
            lines = {who: {o.said.line for o in fit if o.said.who is who} for who in Who}
            best[purpose] = min(
                fit, key=lambda one: (*rank(one, lines[one.said.who]), _length(one))
            )
    return best


def _refused(one: Candidate, forbidden: Sequence[str]) -> bool:
    """Whether a document forbids this command, or an option of it."""
    line = f"{bare(one.said.line)} "
    whole = f"{one.said.line} "
    return any(
        (f" {no} " in whole)
        if no.startswith("-")
        else line.startswith(f"{no} ") or whole.startswith(f"{no} ")
        for no in forbidden
    )
