"""What of the code a text names: paths, and names written as code. Nothing is looked up here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

READ_CHARS = 8_000
"""Of a longer text only the opening is read."""
MAX_NAMES = 24

_QUOTED = re.compile(r"`([^`\n]{1,160})`")
_PATH = re.compile(r"(?<![\w/.:@-])(?:\.{1,2}/)?[\w@+-][\w.@+-]*(?:/[\w.@+-]+)*")
_LINE = re.compile(r":(\d{1,6})(?!\d|\.\d)")
_PART = r"[^\W\d][\w$]*"
_CHAIN = rf"{_PART}(?:(?:\.|::|#|->){_PART})*"
_IN_PATH = re.compile(rf"::({_CHAIN})")
_CODE = re.compile(rf"(?<![\w.$/-])({_CHAIN})(\()?")
_RECEIVER = re.compile(rf"\(\*?({_PART})\)\.({_PART})")
_CASED = re.compile(r"[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z\d]|[A-Z]{2}[a-z]")
_JOINT = re.compile(r"\.|::|#|->")
_PROSE = frozenset({"e.g", "i.e", "a.m", "p.m", "etc"})
_OWN = frozenset({"self", "this", "cls", "super"})


@dataclass(frozen=True, slots=True)
class Path:
    """A path as it is written, with the line or the symbol that is named with it."""

    text: str
    line: int | None = None
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Name:
    """A name written as code: its parts, and whether the text marks it as code."""

    parts: tuple[str, ...]
    marked: bool
    """In backticks, called, or dotted; else it only looks like code (`snake_case`)."""

    @property
    def chain(self) -> str:
        """The dotted name."""
        return ".".join(self.parts)


def paths_in(text: str) -> list[Path]:
    """What may be a path in `text`: it has a folder or an ending, or is a known file's name."""
    found: dict[str, Path] = {}
    opening = text[:READ_CHARS]
    for match in _PATH.finditer(opening):
        said = match[0].rstrip(".").removeprefix("./")
        if not is_path(said) or said in _PROSE or opening[: match.start()].endswith("://"):
            continue
        end = match.start() + len(match[0].rstrip("."))
        line, symbol = _LINE.match(opening, end), _IN_PATH.match(opening, end)
        found.setdefault(
            said,
            Path(said, int(line[1]) if line else None, _dotted(symbol[1]) if symbol else ""),
        )
    return list(found.values())


def something_in(text: str) -> bool:
    """Whether `text` names anything that could be code."""
    return bool(paths_in(text) or names_in(text))


def is_path(said: str) -> bool:
    """Whether a word may name a file: by a folder, an ending of letters, or a capital's name."""
    pure = PurePosixPath(said)
    return (
        "/" in said or bool(re.fullmatch(r"\.[A-Za-z]\w{0,9}", pure.suffix)) or said in _FILE_NAMES
    )


_FILE_NAMES = frozenset(
    "Makefile Dockerfile Justfile justfile Procfile Rakefile Gemfile Jenkinsfile Vagrantfile "
    "Brewfile Pipfile CMakeLists.txt LICENSE README CHANGELOG CONTRIBUTING AUTHORS NOTICE".split()
)


def names_in(text: str) -> list[Name]:
    """The names in `text` that are written as code, those that are marked first."""
    opening = text[:READ_CHARS]
    marked = dict.fromkeys(
        chain for quoted in _QUOTED.finditer(opening) if (chain := _quoted_chain(quoted[1]))
    )
    looks: dict[str, None] = {}
    for match in _CODE.finditer(opening):
        chain = _dotted(match[1])
        if chain in _PROSE:
            continue
        if match[2] or "." in chain:
            marked.setdefault(chain)
        elif _CASED.search(chain):
            looks.setdefault(chain)
    marked.update(dict.fromkeys(f"{one[1]}.{one[2]}" for one in _RECEIVER.finditer(opening)))
    names = [Name(_without_own(chain), True) for chain in marked]
    names += [Name((chain,), False) for chain in looks if chain not in marked]
    return [name for name in dict.fromkeys(names) if name.parts][:MAX_NAMES]


def _quoted_chain(said: str) -> str:
    """The dotted name that a piece in backticks is; empty where it is something else."""
    match = re.fullmatch(rf"(?:new |await |\*|&|@)?({_CHAIN})(?:\(.*\))?[;:?!]?", said.strip())
    return _dotted(match[1]) if match else ""


def _dotted(chain: str) -> str:
    return _JOINT.sub(".", chain)


def _without_own(chain: str) -> tuple[str, ...]:
    parts = tuple(chain.split("."))
    return parts[1:] if parts[0] in _OWN else parts
