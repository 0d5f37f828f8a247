"""What a command line does for finding files: whether it searches, and which files it reads."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from functools import lru_cache

_SEARCHES = frozenset("grep egrep fgrep rg ag ack find fd fdfind ls tree locate dir".split())
_GIT_SEARCHES = frozenset({"grep", "ls-files", "ls-tree"})
_READS = frozenset("cat head tail sed nl less more bat batcat view type awk".split())
_BEFORE = frozenset("sudo time nice command env builtin exec".split())
_PARTS = re.compile(r"\|\||&&|[|;&\n]")
_PATH = re.compile(r"[\w@~.+-]*(?:/[\w@.+-]+)*\.\w{1,12}|[\w@~.+-]+(?:/[\w@.+-]+)+")


def searches(command: str) -> bool:
    """Whether a command line looks for files; a filter behind a pipe does not."""
    return any(_searches(words) for words in _commands(command))


def reads(command: str) -> tuple[str, ...]:
    """The files that a command line prints, as far as they look like files."""
    found: dict[str, None] = {}
    for words in _commands(command):
        if words[0] in _READS:
            found.update(dict.fromkeys(word for word in words[1:] if _is_path(word)))
    return tuple(found)


def _searches(words: Sequence[str]) -> bool:
    if words[0] == "git":
        return any(word in _GIT_SEARCHES for word in words[1:3])
    return words[0] in _SEARCHES


@lru_cache(maxsize=16)
def _commands(command: str) -> tuple[tuple[str, ...], ...]:
    """The simple commands of a line, as words, without those that a pipe feeds."""
    found = []
    fed = False
    at = 0
    for match in [*_PARTS.finditer(command), None]:
        part = command[at : match.start() if match else None]
        words = _words(part)
        if words and not fed:
            found.append(tuple(words))
        if match is not None:
            fed, at = match.group() == "|", match.end()
    return tuple(found)


def _words(part: str) -> list[str]:
    try:
        words = shlex.split(part)
    except ValueError:  # a quote that was cut in two
        words = part.split()
    while words and (words[0] in _BEFORE or re.fullmatch(r"\w+=.*", words[0])):
        words = words[1:]
    return [words[0].rpartition("/")[2], *words[1:]] if words else []


def _is_path(word: str) -> bool:
    return not word.startswith("-") and _PATH.fullmatch(word) is not None
