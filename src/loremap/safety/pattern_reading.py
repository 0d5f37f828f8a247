"""A trigger read into what is searched for, or the reason why it cannot be used."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import get_args

import re2  # type: ignore[import-untyped]  # google-re2 ships no types

from loremap.errors import BadInput
from loremap.model.memory import Trigger, TriggerKind
from loremap.model.memory import TriggerPlace as Place
from loremap.safety.pattern_globs import Part, alternatives, class_regex, glob_parts, path_glob
from loremap.safety.pattern_regexes import regex_finder
from loremap.safety.pattern_search import WORD, WORD_CHAR, Finder, Phrase, Segment, Side
from loremap.safety.pattern_text import SURROGATES, folded

PATTERN_CHARS = 500
_ALTERNATIVES = 32
_SPACE = "\t-\r\x1c-\x1f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What Python's \\s matches, spelled out for RE2."""
_RE2_GAP = rf"[{_SPACE}]+(?:\\\n[{_SPACE}]*)*"
_GAP = r"\s+(?:\\\n\s*)*"
"""White space between two words, over a line continued by a backslash as in a shell."""
_LINE_GAP = r"[^\S\n]+(?:\\\n[^\S\n]*)*"
_OPTION = re.compile(rf"--?{WORD}")


@dataclass(frozen=True, slots=True)
class Finders:
    """A trigger as it is searched for: on the lines of commands and texts, and on paths."""

    lines: tuple[Finder, ...]
    paths: tuple[Finder, ...]


@lru_cache(maxsize=16_384)
def finders_for(trigger: Trigger) -> Finders | str:
    """`trigger` ready to be searched for, or why it cannot be; kept, so a set regrows cheaply."""
    try:
        _check_form(trigger)
        pattern = unicodedata.normalize("NFC", trigger.pattern)
        if trigger.kind == "regex":
            finder = (regex_finder(pattern),)
            return _placed(finder, finder, on=trigger.on)
        if pattern == pattern.lower():
            pattern = folded(pattern)  # which is how a phrase knows that case does not matter
        if trigger.kind == "literal":
            return _read_literal(pattern.strip(), on=trigger.on)
        return _read_glob(pattern.strip(), on=trigger.on)
    except BadInput as refusal:
        return str(refusal)


def _check_form(trigger: Trigger) -> None:
    if trigger.kind not in get_args(TriggerKind):
        raise BadInput(f"A trigger is a literal, a glob or a regex, not {trigger.kind!r}.")
    if trigger.on not in get_args(Place):
        raise BadInput(f"A trigger is on any, command, file or text, not {trigger.on!r}.")
    if not trigger.pattern.strip():
        raise BadInput("The pattern is empty.")
    if len(trigger.pattern) > PATTERN_CHARS:
        raise BadInput(
            f"The pattern has {len(trigger.pattern)} characters, more than {PATTERN_CHARS}.",
            hint="Keep the part that tells it apart.",
        )
    if SURROGATES.search(trigger.pattern):
        raise BadInput("The pattern holds half a character (a lone surrogate).")


def _placed(lines: tuple[Finder, ...], paths: tuple[Finder, ...], *, on: Place) -> Finders:
    return Finders(lines if on != "file" else (), paths if on in ("any", "file") else ())


def _read_literal(pattern: str, *, on: Place) -> Finders:
    if len(pattern) == 1 and pattern.isascii():
        raise BadInput(
            f"The single character {pattern} would fire on almost everything.",
            hint="Add what stands beside it.",
        )
    lines = _literal_phrase(pattern)
    return _placed((lines,), (_literal_phrase(pattern.replace("\\", "/")),), on=on)


def _read_glob(pattern: str, *, on: Place) -> Finders:
    globs = list(islice(alternatives(pattern), _ALTERNATIVES + 1))
    if len(globs) > _ALTERNATIVES:
        raise BadInput(
            f"The braces stand for more than {_ALTERNATIVES} globs.", hint="Use several triggers."
        )
    for glob in globs:
        fixed = "".join("".join(text.split()) for kind, text in glob_parts(glob) if kind == "text")
        if len(fixed) < 2 or not any(sign.isalnum() or not sign.isascii() for sign in fixed):
            raise BadInput(
                f"The glob {glob!r} would fire on almost everything.",
                hint="Add a word that must be there.",
            )
    return _placed(tuple(map(_glob_phrase, globs)), tuple(map(path_glob, globs)), on=on)


def _literal_phrase(pattern: str) -> Phrase:
    return _phrase(pattern, parts=[("text", pattern)], gap=_GAP)


def _glob_phrase(glob: str) -> Phrase:
    return _phrase(glob, parts=glob_parts(glob), gap=_LINE_GAP)


def _phrase(pattern: str, *, parts: list[Part], gap: str) -> Phrase:
    """The segments between the stars; a side without a star is closed."""
    segments: list[list[Part]] = [[]]
    for part in _spaced(parts):
        if part[0] == "star":
            segments.append([])
        else:
            segments[-1].append(part)
    last = len(segments) - 1
    sides = [
        (
            _left_side(segment[0]) if segment and nth == 0 else "open",
            _right_side(segment[-1]) if segment and nth == last else "open",
        )
        for nth, segment in enumerate(segments)
    ]
    return Phrase(
        segments=tuple(
            Segment(_segment_regex(segment, gap=gap), left=left, right=right)
            for segment, (left, right) in zip(segments, sides, strict=True)
            if segment
        ),
        ways=(
            tuple(
                atom
                for segment, (left, right) in zip(segments, sides, strict=True)
                for atom in _atoms(segment, left=left, right=right)
            ),
        ),
        folds=pattern == folded(pattern),
    )


def _spaced(parts: list[Part]) -> Iterator[Part]:
    """`parts` with each run of white space in a text as a gap of its own."""
    for kind, value in parts:
        if kind != "text":
            yield kind, value
            continue
        for piece in re.findall(r"\s+|\S+", value):
            yield ("gap", "") if piece.isspace() else ("text", piece)


def _left_side(part: Part) -> Side:
    kind, text = part
    if kind != "text":
        return "open"
    return "option" if _OPTION.match(text) else "word" if WORD_CHAR.match(text) else "open"


def _right_side(part: Part) -> Side:
    kind, text = part
    if kind != "text" or not WORD_CHAR.match(text[-1]):
        return "open"
    return "option" if _OPTION.match(text) else "word"


def _segment_regex(parts: list[Part], *, gap: str) -> re.Pattern[str]:
    spellings = [_spelling(part, gap=f"(?>{gap})") for part in parts]
    # A gap ends a segment only beside a star; there one space will do, as the star takes the rest.
    if parts[0][0] == "gap":
        spellings[0] = r"[^\S\n]"
    if parts[-1][0] == "gap":
        spellings[-1] = r"[^\S\n]"
    return re.compile("".join(spellings))


def _spelling(part: Part, *, gap: str) -> str:
    kind, value = part
    if kind == "text":
        return re.escape(value)
    if kind == "gap":
        return gap
    return r"\S" if kind == "one" else class_regex(value, never=r"\s")


def _atoms(parts: list[Part], *, left: Side, right: Side) -> list[str]:
    """What RE2 must find in the folded text for a segment to be there: its runs of plain words."""
    runs: list[list[str]] = [[]]
    for kind, value in parts:
        if kind == "text":
            runs[-1].append(folded(value))
        elif kind != "gap":
            runs.append([])
    atoms = [_RE2_GAP.join(map(re2.escape, run)) for run in runs]
    # RE2's \b knows ASCII only: it lets through what touches other letters, never holds back.
    if left == "word" and runs[0][0][0].isascii():
        atoms[0] = rf"\b{atoms[0]}"
    if right != "open" and runs[-1][-1][-1].isascii():
        atoms[-1] = rf"{atoms[-1]}\b"
    return [atom for atom in atoms if atom]
