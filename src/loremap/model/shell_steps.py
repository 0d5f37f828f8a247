"""What a command line does for finding files: whether it searches, and which files it reads."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache
from posixpath import isabs, join, normpath

MAX_CHARACTERS = 16_384
"""Of a longer command line only the beginning is looked at; the rest is mostly a text to write."""
_SEARCHES = frozenset("grep egrep fgrep rg ag ack find fd fdfind ls tree locate dir".split())
_GREPS = frozenset("grep egrep fgrep rg ag ack".split())
_GIT_SEARCHES = frozenset({"grep", "ls-files", "ls-tree"})
_READS = frozenset("cat head tail sed nl less more bat batcat view type awk".split())
_BEFORE = frozenset(
    "sudo time nice command env builtin exec if while until do then else ! {".split()
)
_AROUND = frozenset("for done fi }".split())
_PARTS = re.compile(r"\|\||&&|[|;\n]|(?<!>)&(?!>)")
_PATH = re.compile(r"[\w@~.+-]*(?:/[\w@.+-]+)*\.\w{1,12}|[\w@~.+-]+(?:/[\w@.+-]+)+")
_SET = re.compile(r"\w+=")


def searches(command: str) -> bool:
    """Whether a command line looks for files; a filter behind a pipe does not."""
    return any(_searches(words) for words in commands_in(command))


def reads(command: str) -> tuple[str, ...]:
    """The files that a command line prints, as far as they look like files; from where it goes
    first, where it goes elsewhere."""
    return tuple(dict.fromkeys(_named(command, _READS)))


def searched(command: str) -> tuple[str, ...]:
    """The files that a command line names to look in, as far as they look like files."""
    return tuple(dict.fromkeys(_named(command, _GREPS)))


def sought(command: str) -> tuple[str, ...]:
    """What a command line looks for in files: the first word of a search that is no option."""
    found = []
    for words in commands_in(command):
        given = words[2:] if words[:2] == ("git", "grep") else words[1:]
        if words[0] in _GREPS or words[:2] == ("git", "grep"):
            found += [word for word in given if not word.startswith("-")][:1]
    return tuple(dict.fromkeys(found))


def covers(passed: str, failed: str) -> bool:
    """Whether one command line does all that another does, or more of it: each program with its
    sub-command, on the same things or on what they are part of."""
    wide = [words for words in commands_in(passed) if words[0] != "cd"]
    narrow = [words for words in commands_in(failed) if words[0] != "cd"]
    return bool(narrow) and all(any(_is_wider(one, other) for one in wide) for other in narrow)


def _is_wider(words: Sequence[str], other: Sequence[str]) -> bool:
    own, others = _things(words), _things(other)
    if words[0] != other[0] or (
        others[:1] != own[:1] and not _is_path(others[0] if others else "")
    ):
        return False
    return all(any(one == thing or _lies_in(one, thing) for one in others) for thing in own)


def _things(words: Sequence[str]) -> list[str]:
    """What a program is told that is no option, nor set by a loop, nor where its output goes."""
    return [word for word in words[1:] if not word.startswith("-") and not set("$<>") & set(word)]


def _lies_in(path: str, folder: str) -> bool:
    return path.startswith(f"{folder.rstrip('/')}/")


def _named(command: str, programs: frozenset[str]) -> Iterator[str]:
    """The files that some programs are given in a command line."""
    folder = ""
    for words in commands_in(command):
        if words[0] == "cd":
            folder = _gone_to(folder, words[1:])
        elif words[0] in programs:
            given = words[1:] if programs is _READS else _after_pattern(words[1:])
            yield from (_within(folder, word) for word in given if _is_path(word))


def _gone_to(folder: str, words: Sequence[str]) -> str:
    place = words[0] if words else "~"
    return normpath(join(folder, place))


def _within(folder: str, path: str) -> str:
    return path if not folder or isabs(path) or path.startswith("~") else join(folder, path)


def _after_pattern(words: Sequence[str]) -> Sequence[str]:
    """What follows the first word that is no option: that is what is looked for."""
    at = next((place for place, word in enumerate(words) if not word.startswith("-")), len(words))
    return words[at + 1 :]


def _searches(words: Sequence[str]) -> bool:
    if words[0] == "git":
        return any(word in _GIT_SEARCHES for word in words[1:3])
    return words[0] in _SEARCHES


def commands_in(command: str) -> tuple[tuple[str, ...], ...]:
    """The simple commands of a line, as words, without those that a pipe feeds."""
    return _simple_of(command[:MAX_CHARACTERS])


@lru_cache(maxsize=16)
def _simple_of(command: str) -> tuple[tuple[str, ...], ...]:
    found = []
    fed = False
    at = 0
    for match in [*_PARTS.finditer(command), None]:
        part = command[at : match.start() if match else None]
        words = _words(part)
        if words and not fed and words[0] not in _AROUND:
            found.append(tuple(words))
        if match is not None:
            fed, at = match.group() == "|", match.end()
    return tuple(found)


def _words(part: str) -> list[str]:
    try:
        words = shlex.split(part)
    except ValueError:  # a quote that was cut in two
        words = part.split()
    begin = 0
    while begin < len(words) and (words[begin] in _BEFORE or _SET.match(words[begin])):
        begin += 1
    words = words[begin:]
    return [words[0].rpartition("/")[2], *words[1:]] if words else []


def _is_path(word: str) -> bool:
    return not word.startswith("-") and _PATH.fullmatch(word) is not None
