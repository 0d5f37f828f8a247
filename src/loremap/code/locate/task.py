"""Reads a task description: its words by where they stand, and the names and places it gives."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from loremap.code.term_hashes import Hashes, is_compound, run_hashes, token_hashes


class Region(Enum):
    """Where a line stands; its value weighs the words that stand there."""

    TITLE = 2.0
    PROSE = 1.0
    CODE = 0.5
    TRACE = 0.3


@dataclass(frozen=True)
class Frame:
    """A line of a traceback: the file as it was called there, and the function."""

    path: str
    function: str


@dataclass(frozen=True, eq=False)
class Task:
    """A task description, read."""

    terms: dict[int, float]
    """Hash of a term → its weight."""
    title_terms: dict[int, float]
    identifiers: dict[str, float]
    """Names that the text gives as names: compound, in backticks, dotted, called or imported."""
    dotted: frozenset[str]
    """`a.b.c` as written, and `a.b.c` of `from a.b import c`."""
    paths: frozenset[str]
    whole_paths: frozenset[str]
    """Those that the title or the prose gives from some folder on, or a link to a source does."""
    in_title: frozenset[str]
    """Those paths and dotted names that the title gives."""
    frames: tuple[Frame, ...]
    """Outermost first."""
    runs: Hashes
    """Every three words in a row."""
    spelling: dict[int, str]
    """Hash of a term → a word of the text that has it."""


_MAX_WEIGHT = 4.0
_LONGEST_TEXT = 50_000
_LONGEST_LINE = 1_000
"""Past these a text is a log, and no expression below may take long on it."""
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_FRAME = re.compile(
    r"""File\ "(?P<py>[^"\n]+)",\ line\ \d+(?:,\ in\ (?P<fn>[\w<>]+))?
      | ^\s*at\ (?:(?P<js>[\w.$<>]+)\ \()?(?:file://)?(?P<at>[\w@./\\:-]+?\.\w+):\d+
      | ^\s*(?P<plain>[\w./\\-]+[/\\][\w.-]+\.\w+):\d+
    """,
    re.VERBOSE | re.MULTILINE,
)
_TRACE_HEAD = re.compile(r"^\W*(?:Traceback \(most recent|Stack ?trace|goroutine \d+ \[)", re.I)
_CODE = re.compile(
    r"""^\s*(?:
        >>>|\.\.\.\ |[$#]\ |//|@\w|[-+]\ \s*\w+[\w.]*[=(]
      | from\ [\w.]+\ import|import\ [\w.{*"']+
      | (?:async\ )?(?:def|class|func|fn|function|struct|interface|trait|enum)\ \w+.*[:({\[]
      | (?:public|private|protected|static|const|let|var|val|return|package|use)\ .*
      | (?:if|for|while|with|elif|else|try|except|switch|case)\b.*[:{]\s*$
      | [\w.\[\]'"]+(?:,\ ?\w+)*\ ?(?:[-+*/:]?=)\ ?\S
      | [\w.]+\(.*\)?\s*[,;{:]?$
      | [\])}]+[,;:]?$
      | [{}()\[\]<]
      | ['"]\w+['"]:
      | .*[{};(\[]\s*$
    )""",
    re.VERBOSE,
)
_MADE_HERE = re.compile(
    r"^\s*(?:(?:export|public|async)\s+)*"
    r"(?:def|class|func|fn|function|struct|interface|trait|enum)\s+(\w+)",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[^\W\d]\w*")
_TICKED = re.compile(r"`([^`\n]+)`")
_CALLED = re.compile(r"\b([^\W\d]\w*+)\(")
_DOTTED = re.compile(r"\b[^\W\d]\w*+(?:(?:\.|::|\#)[^\W\d]\w*+)+")
_FROM_IMPORT = re.compile(r"from\s+([\w.]+)\s+import\s+\(?([\w, \t]+)")
_PATH_LIKE = re.compile(r"[\w.@/\\-]+")
_PATH = re.compile(r".*[/\\].*\.\w{1,5}|[\w-]+\.[a-z]{1,4}")
_LINKED = re.compile(r"//[\w.-]+/.+?/(?:blob|blame|raw|edit)/[^/]+/(.+)")
_ELSEWHERE = re.compile(r"[/\\]|\.\.|.*[/\\](?:site-packages|node_modules|vendor)[/\\]")
"""A path on somebody's machine, and one inside what is installed."""


def read_task(text: str) -> Task:
    """What a task description says."""
    text = _readable(text)
    title = text.partition("\n")[0]
    lines = list(_regions(text))
    spelling: dict[int, str] = {}
    weights: Counter[int] = Counter()
    for region in Region:
        said = "\n".join(line for line, where in lines if where is region)
        for term, weight in _weights(said, spelling).items():
            weights[term] += region.value * weight  # type: ignore[assignment]  # floats count too
    code = "\n".join(line for line, where in lines if where is Region.CODE)
    prose = "\n".join(line for line, where in lines if where in (Region.TITLE, Region.PROSE))
    return Task(
        terms={term: min(weight, _MAX_WEIGHT) for term, weight in weights.items()},
        title_terms=_weights(title, spelling),
        identifiers=_identifiers(text, made_here=frozenset(_MADE_HERE.findall(code))),
        dotted=frozenset(_dotted(text)),
        paths=frozenset(_paths(_FRAME.sub(" ", text))),
        whole_paths=frozenset(_whole_paths(prose)),
        in_title=frozenset((*_paths(title), *_dotted(title))),
        frames=tuple(_frames(text)),
        runs=run_hashes(_FRAME.sub("\0", text).replace("\n", " \0 ").encode("utf-8", "replace")),
        spelling=spelling,
    )


def _readable(text: str) -> str:
    """The text in one Unicode form, without what a template says in comments."""
    said = _COMMENT.sub("", text[:_LONGEST_TEXT])
    lines = unicodedata.normalize("NFKC", said).strip().splitlines()
    return "\n".join(line[:_LONGEST_LINE] for line in lines)


def _regions(text: str) -> Iterator[tuple[str, Region]]:
    fenced = after_frame = False
    for number, line in enumerate(text.splitlines()):
        if _FENCE.match(line):
            fenced = not fenced
        elif number == 0:
            yield line, Region.TITLE
        elif _FRAME.search(line) or _TRACE_HEAD.match(line):
            after_frame = True  # the next line quotes the source
            yield line, Region.TRACE
            continue
        elif after_frame:
            yield line, Region.TRACE
        else:
            yield line, Region.CODE if fenced or _CODE.match(line) else Region.PROSE
        after_frame = False


def _weights(text: str, spelling: dict[int, str]) -> dict[int, float]:
    """Terms of a text, growing with the logarithm of how often they are said."""
    counts: Counter[int] = Counter()
    for token, count in Counter(_WORD.findall(text)).items():
        for term in token_hashes(token):
            counts[term] += count
            spelling.setdefault(term, token)
    return {term: 1 + math.log(count) for term, count in counts.items()}


def _identifiers(text: str, *, made_here: frozenset[str]) -> dict[str, float]:
    """Names given as names; what the text itself makes is no name of the project."""
    given = {name for span in _TICKED.findall(text) for name in _NAME.findall(span)}
    given.update(_CALLED.findall(text))
    given.update(name for chain in _dotted(text) for name in chain.split("."))
    return {
        name: 1 + math.log(count)
        for name, count in Counter(_NAME.findall(text)).items()
        if (name in given or is_compound(name)) and name not in made_here
    }


def _dotted(text: str) -> Iterator[str]:
    for chain in _DOTTED.findall(text):
        yield re.sub(r"::|#", ".", chain)
    for module, items in _FROM_IMPORT.findall(text):
        yield from (f"{module}.{item}" for item in _NAME.findall(items))


def _paths(text: str) -> Iterator[str]:
    for like in _PATH_LIKE.findall(text):
        path = like.rstrip("./\\-")
        if _PATH.fullmatch(path):
            yield path


def _whole_paths(text: str) -> Iterator[str]:
    for path in _paths(text):
        linked = _LINKED.fullmatch(path)
        if linked is not None:
            yield linked[1]
        elif not _ELSEWHERE.match(path):
            yield path


def _frames(text: str) -> Iterator[Frame]:
    for match in _FRAME.finditer(text):
        path = match["py"] or match["at"] or match["plain"]
        yield Frame(path.replace("\\", "/"), match["fn"] or (match["js"] or "").rpartition(".")[2])
