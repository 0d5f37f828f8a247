"""The search for what triggers were read into: first what may be there, then where, in time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import re2  # type: ignore[import-untyped]  # google-re2 ships no types

from loremap.safety.pattern_text import Block, Span, Subject, windows_over

Side = Literal["open", "word", "option"]
Ways = tuple[tuple[str, ...], ...]
"""For each way to match, the atoms: patterns that RE2 must find in the folded text."""
_REGEX_SECONDS = 0.015
"""For the windows of one regular expression; a last pass over the block may take it again."""
_WINDOW_WORK = 1_000_000
"""Bytes times instructions searched between two looks at the clock: 10 to 20 ms at the worst."""
_SHARD_CHARS = 100_000
"""Pattern characters in one automaton, a third of where RE2 may run out of its memory budget."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Scripts written without spaces, or with endings glued on: there a word has no visible edge."""
WORD = rf"[^\W{_UNSPACED}]"
WORD_CHAR = re.compile(WORD)
_WORD_RUN = re.compile(f"{WORD}*")


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on a clock."""

    at: float
    clock: Callable[[], float]

    @classmethod
    def after(cls, seconds: float, clock: Callable[[], float]) -> Deadline:
        """The moment `seconds` from now."""
        return cls(clock() + seconds, clock)

    def sooner(self, seconds: float) -> Deadline:
        """This moment, or the one `seconds` from now if that comes first."""
        return Deadline(min(self.at, self.clock() + seconds), self.clock)

    def has_passed(self) -> bool:
        """Whether the clock has reached it."""
        return self.clock() >= self.at


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a line that matches in at most one way from any start, and what bounds it.

    A closed side may not touch a letter or digit there; an option such as --force is one word
    with what a hyphen adds to it, so that it stays silent on --force-with-lease.
    """

    regex: re.Pattern[str]
    left: Side
    right: Side

    def first(self, text: str, start: int, end: int) -> Span | None:
        """Where it first stands uncut between `start` and `end`."""
        while found := self.regex.search(text, start, end):
            if self._is_cut_left(text, found.start()):
                start = max(found.start() + 1, _word_end(text, found.start()))
            elif self._is_cut_right(text, found.end()):
                start = found.start() + 1
            else:
                return found.span()
        return None

    def _is_cut_left(self, text: str, at: int) -> bool:
        if self.left == "open" or at == 0:
            return False
        before = text[at - 1]
        return bool(WORD_CHAR.match(before)) or (self.left == "option" and before == "-")

    def _is_cut_right(self, text: str, at: int) -> bool:
        if self.right == "open":
            return False
        if self.right == "option" and text.startswith("-", at):
            at += 1
        return bool(WORD_CHAR.match(text, at))


@dataclass(frozen=True, slots=True)
class Phrase:
    """Segments that follow each other on one line.

    As a segment that starts later never ends sooner, taking the first match of each in turn finds
    a match wherever there is one, without ever going back.
    """

    segments: tuple[Segment, ...]
    ways: Ways
    folds: bool

    def span(self, subject: Subject, block: Block, deadline: Deadline) -> Span | None:
        """Where the first match in `block` stands."""
        text = subject.folded if self.folds else subject.text
        first, *rest = self.segments
        at = block.start
        while head := first.first(text, at, block.end):
            start, end = head
            line_end = min(_line_end(text, end), block.end) if rest else end
            for segment in rest:
                found = segment.first(text, end, line_end)
                if found is None:
                    break
                end = found[1]
            else:
                return start, end
            at = line_end
        return None


@dataclass(frozen=True, slots=True)
class PathGlob:
    """A git-like glob over a whole path."""

    regex: Any
    ways: Ways
    folds: bool

    def span(self, subject: Subject, block: Block, deadline: Deadline) -> Span | None:
        """The whole of the path if it fits."""
        path = subject.folded if self.folds else subject.text
        return (0, len(path)) if self.regex.fullmatch(clean_path(path).encode()) else None


@dataclass(frozen=True, slots=True)
class Regex:
    """A regular expression of the user, which RE2 cannot be stopped in once it searches.

    Its time grows at the worst with the text times the program, so the clock is looked at between
    windows. A program fast on every window is fast on the whole, which finds longer matches too.
    """

    regex: Any
    ways: Ways

    def span(
        self, subject: Subject, block: Block, deadline: Deadline
    ) -> Span | Literal["stopped"] | None:
        """Where the first match in `block` stands, or that the search ran out of time."""
        deadline = deadline.sooner(_REGEX_SECONDS)
        size = max(2 * self.regex.programsize, _WINDOW_WORK // self.regex.programsize)
        bytes_in_block = block.byte_end - block.byte_start
        windows = list(windows_over(bytes_in_block, size=size, overlap=size // 2))
        if len(windows) > 1:
            windows.append((0, bytes_in_block))
        for start, end in windows:
            found = self.regex.search(
                subject.utf8, block.byte_start + start, block.byte_start + end
            )
            if found:
                return subject.char_span(found.span(), block)
            if (start, end) != windows[-1] and deadline.has_passed():
                return "stopped"
        return None


Finder = Phrase | PathGlob | Regex


class Index:
    """Names, after one pass over a text, the triggers of which one way to match may be there."""

    def __init__(self, finders: Sequence[tuple[int, Finder]]) -> None:
        self._finders = finders
        self._always = [nth for nth, (_, find) in enumerate(finders) if () in find.ways]
        atoms = list(dict.fromkeys(a for _, find in finders for way in find.ways for a in way))
        self._sets = [(first, _atom_set(shard)) for first, shard in _shards(atoms)]
        place = {atom: nth for nth, atom in enumerate(atoms)}
        self._by_atom: dict[int, list[tuple[frozenset[int], int]]] = {}
        for nth, (_, find) in enumerate(finders):
            for way in filter(None, find.ways):
                rarest = place[max(way, key=len)]
                needs = frozenset(place[atom] for atom in way)
                self._by_atom.setdefault(rarest, []).append((needs, nth))

    def candidates(self, folded: bytes) -> list[tuple[int, Finder]]:
        """What may be found in a text, given `folded`, in the order it was put in."""
        found = {first + nth for first, atoms in self._sets for nth in atoms.Match(folded) or ()}
        nths = {
            nth
            for atom in found & self._by_atom.keys()
            for needs, nth in self._by_atom[atom]
            if needs <= found
        }
        return [self._finders[nth] for nth in sorted(nths.union(self._always))]


def _atom_set(atoms: Sequence[str]) -> Any:
    atom_set = re2.Set.SearchSet(_options(max_mem=64 << 20))
    for atom in atoms:
        atom_set.Add(atom)
    atom_set.Compile()
    return atom_set


def _shards(patterns: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """`patterns` in runs of a bounded size, each with the place of its first."""
    first, chars = 0, 0
    for nth, pattern in enumerate(patterns):
        if chars + len(pattern) > _SHARD_CHARS and nth > first:
            yield first, patterns[first:nth]
            first, chars = nth, 0
        chars += len(pattern)
    if patterns:
        yield first, patterns[first:]


def _word_end(text: str, at: int) -> int:
    run = _WORD_RUN.match(text, at)
    return run.end() if run else at


def _line_end(text: str, at: int) -> int:
    """Where the line of `at` ends; a backslash at its end continues it, as in a shell."""
    end = text.find("\n", at)
    while end > 0 and text[end - 1] == "\\":
        end = text.find("\n", end + 1)
    return len(text) if end < 0 else end


def clean_path(path: str) -> str:
    """`path` without what changes nothing: doubled slashes, a leading ./ and slashes around it."""
    path = re.sub("/+", "/", path)
    while path.startswith("./"):
        path = path[2:]
    return path.strip("/")


def re2_regex(pattern: str) -> Any:
    """`pattern` compiled by RE2; raises re2.error where it is not one RE2 can read."""
    return re2.compile(pattern, _options())


def _options(*, max_mem: int = 1 << 20) -> Any:
    options = re2.Options()
    options.never_capture = True  # the span of the match is all we need, and far cheaper
    options.log_errors = False
    options.max_mem = max_mem
    return options
