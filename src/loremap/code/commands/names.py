"""What the name of a task, or the words beside a command, say it is for."""

from __future__ import annotations

import re

_NAMED = {
    "test": "test tests unit spec specs unittest unittests testsuite",
    "lint": "lint lints linter linting style vet",
    "format": "format fmt formatting reformat prettify",
    "typecheck": "typecheck types typing mypy tsc typechecking pyright tscheck",
    "build": "build compile",
    "run": "run start serve dev server develop devserver",
    "install": "install setup bootstrap deps init dependencies",
}
_WORD = {word: purpose for purpose, words in _NAMED.items() for word in words.split()}
_LATE = {"check": "test", "ci": "test", "all": "build", "dist": "build", "package": "build"}
"""Words that mean the purpose only where no clearer name does."""
_SPLIT = re.compile(r"[-_:./ ]+|(?<=[a-z])(?=[A-Z])")

_SAID: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (purpose, re.compile(pattern, re.IGNORECASE))
    for purpose, pattern in (
        ("test", r"\btests?\b|\bspecs?\b|test suite|\btesting\b"),
        ("lint", r"\blint\w*|static analy\w+|code style check|\blinters?\b|style checks?"),
        ("format", r"\b(?:auto-?)?format(?:s|ted|ting|ter)?\b|reformat"),
        ("typecheck", r"\btype[- ]?check\w*|check(?:s|ing)? types|static typ\w+"),
        ("build", r"\bbuild(?:s|ing)?\b|\bcompil\w+"),
        ("run", (r"\b(?:start|launch|serve)s?\b|\brun(?:s|ning)? (?:the |your |a |it |this )?(?:\w+ )?(?:app\w*|server|locally|"
                r"dev\w*|from source|examples?|changes|executable|project|on (?:android|ios))|dev(?:elopment)? server|\brun \w+ (?:with|by)\b|\brun(?:ning)? your")),
        ("install", r"\binstall\w*|\bset ?up\b|\bsetup\b|\bdependenc\w+|\bbootstrap\w*|\brestore\b|submodule|prerequisit"),
    )
)  # fmt: skip
_ONE = re.compile(
    r"\b(?:single|specific|individual|particular|one|narrow\w*|given|certain|focused)\b(?:\s+\S+){0,2}?\s+"
    r"(?:tests?|specs?|files?|modules?|cases?|class|methods?|functions?|packages?|crates?)\b|\bby name\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\bdocs?\b|documentation|website|web site|\bbench\w*|\breleas(?:e|ing)\b|\bpublish|\bdeploy|\bdocker\b|changelog"
    r"|translation|\bdebug\w*|\bprofil|\bstorybook|\bbackport|\bsnapshots?\b|\bclean\b|\bgenerat|migrat|\bfuzz|homebrew|windows|powershell|\bvs ?code|visual studio|intellij|\bide\b|\beditor",
    re.IGNORECASE,
)
_SPECIAL = re.compile(
    r"e2e|end-to-end|\bintegration|coverage|--cov|\bwatch|:ui\b|\bslow|\bsmoke|\bwasm|webgl|\bnative|android|\bios\b|tsan|race\b"
    r"|\bfix\b|:fix|-fix\b|--fix|\ball[:_-]|\bci\b|docker|playground|bazel|xcode|\brelease|--release|verbose|debug|profile|staged|changed|:report|report\b|nightly|\btdd\b|parallel|update|extended|prebuild|\bminimal|upgrad|cross|static(?:ally)? link|without|\bskip\b|\s-x\s|only\b|:ai\b|sandbox|rebuild|--pack\b|console|storybook|\bapi\b|prod\b|production|embed|\bperf|\s-v{2,}|--only",
    re.IGNORECASE,
)


def of_name(name: str) -> tuple[str, int]:
    """The purpose a task's name says and how far it goes from the plain word; empty if none.

    `test` is plain (0), `test-unit` has one word more (1).
    """
    words = [word for word in _SPLIT.split(name.lower()) if word]
    joined = "".join(words)
    if joined in _WORD:
        return _WORD[joined], 0
    if joined in _LATE:
        return _LATE[joined], 1
    if words[:2] in (["type", "check"], ["check", "types"], ["types", "check"]):
        return "typecheck", max(0, len(words) - 2)
    found = [(word, at) for at, word in enumerate(words) if word in _WORD]
    if not found or elsewhere(" ".join(words)):
        return "", 0
    first = next((pair for pair in found if pair[1] == 0), found[-1])
    return _WORD[first[0]], len(words) - 1


def said_of(words: str) -> frozenset[str]:
    """What the words beside a command say it is for."""
    return frozenset(purpose for purpose, sign in _SAID if sign.search(words))


def asks_for_one(words: str) -> bool:
    """Whether the words speak of one test rather than all."""
    return _ONE.search(words) is not None


def elsewhere(words: str) -> bool:
    """Whether the words speak of documentation, a release or a machine, not of the code."""
    return _ELSEWHERE.search(words) is not None


def special(text: str) -> int:
    """How many words of a line say that it is for a special case."""
    return len({match.lower() for match in _SPECIAL.findall(text)})
