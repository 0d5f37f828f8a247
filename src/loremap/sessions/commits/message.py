"""A commit message taken apart: what it says in sentences, and what its form says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loremap.model.words import words
from loremap.sessions.learning.sentences import own_words, sentences, telling

_TYPE = re.compile(r"(?P<type>[a-z]{2,10})(?:\((?P<scope>[^()]{1,40})\))?(?P<breaks>!)?:\s+(?=\S)")
_TRAILER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+: ?\S|\(cherry picked from commit ")
_POINTER = re.compile(
    r"(?:(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|ref(?:s|erences)?|reverts?|see|issue|part of|"
    r"related to)[:\s]+)?(?:[\w./-]*#\d+|https?://\S+|[A-Z][A-Z0-9]+-\d+)(?:[\s,&]+(?:and\s+)?"
    r"(?:[\w./-]*#\d+|https?://\S+|[A-Z][A-Z0-9]+-\d+))*[\s.]*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\s*\((?:[\w./-]*#\d+[\s,]*)+\)\s*$")
_REVERTED = re.compile(r"\bThis reverts commit (?P<id>[0-9a-f]{7,64})\b[.,]?")
_REVERT_SUBJECT = re.compile(r"^\s*Revert(?:ed)?:? +[\"“](?P<what>.+)[\"”]\s*$", re.IGNORECASE)
_BREAKING = re.compile(r"^BREAKING[ -]CHANGE:\s*", re.MULTILINE)
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+(?=\S)")
_CUT = re.compile(r"^-{3,}\s*$|^(?:diff --git|# -+ >8 -+)", re.MULTILINE)
_CODE = re.compile(r"^(?: {4}|\t)\S.*$", re.MULTILINE)
_FIX = re.compile(r"(?:[\w./-]+[:,] ?|\[[^\]]*\] ?)*(?:bug|hot)?fix(?:e[sd])?\b", re.IGNORECASE)
_LINK = re.compile(r"\[[^\]]*\]\(\S+\)|https?://\S+")
_MIN_TELLING, _MIN_BESIDE_LINK = 3, 5


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences on one line."""

    text: str
    is_item: bool = False
    """One of a list, which is where squashing leaves the subjects of what it joins."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a commit message says."""

    subject: str
    paragraphs: tuple[Paragraph, ...] = ()
    """Its body, without code, trailers and mere numbers of tickets."""
    type: str = ""
    """The type of a conventional commit: `fix`, `feat`."""
    breaking: str = ""
    """What a footer says of a change that breaks something."""
    reverts: tuple[str, ...] = ()
    """The commits it says it takes back, as it names them."""
    reverted_subject: str = ""
    """The subject of the commit it says it takes back."""

    @property
    def is_revert(self) -> bool:
        """Whether it takes another commit back."""
        return bool(self.reverts or self.reverted_subject)

    @property
    def is_fix(self) -> bool:
        """Whether it says that it mends something."""
        return bool(_FIX.match(self.subject))

    @property
    def body(self) -> str:
        """Its paragraphs together."""
        return "\n".join(one.text for one in self.paragraphs)


def parsed(message: str) -> Message:
    """A message as git keeps it, taken apart."""
    whole = message.replace("\r\n", "\n").strip()
    head, _, rest = whole.partition("\n")
    more, _, body = rest.partition("\n\n") if not rest.startswith("\n") else ("", "", rest)
    subject = _NUMBERED.sub("", " ".join(f"{head} {more}".split()))
    body, breaking = _without_breaking(_CUT.split(body, maxsplit=1)[0])
    kind, revert = _TYPE.match(subject), _REVERT_SUBJECT.match(subject)
    # Elsewhere it speaks of one step among those that were joined.
    is_whole = revert is not None or _REVERTED.match(body.lstrip())
    reverts = tuple(one["id"] for one in _REVERTED.finditer(body)) if is_whole else ()
    return Message(
        subject=subject,
        paragraphs=_paragraphs(_REVERTED.sub("", body), subject),
        type="" if kind is None else kind["type"],
        breaking=breaking or (subject if kind is not None and kind["breaks"] else ""),
        reverts=reverts,
        reverted_subject=_NUMBERED.sub("", revert["what"]) if revert is not None else "",
    )


def _without_breaking(body: str) -> tuple[str, str]:
    """The body without the footer that says what breaks, and that."""
    parts = _BREAKING.split(body, maxsplit=1)
    if len(parts) == 1:
        return body, ""
    footer, _, after = parts[1].partition("\n\n")
    return f"{parts[0]}\n\n{after}", " ".join(_said_lines(footer))


def _paragraphs(body: str, subject: str) -> tuple[Paragraph, ...]:
    found = (
        Paragraph(_whole(" ".join(_said_lines(part))), is_item)
        for part, is_item in _parts(own_words(_CODE.sub("", body)))
    )
    return tuple(
        one for one in found if len(telling(one.text)) >= _MIN_TELLING and one.text != subject
    )


def _whole(text: str) -> str:
    """A paragraph without the sentence that led to code which is left out."""
    return " ".join(one for one in sentences(text) if not one.endswith(":"))


def _parts(body: str) -> list[tuple[str, bool]]:
    """The paragraphs, and each item of a list for itself."""
    parts, is_new = list[tuple[str, bool]](), True
    for line in body.splitlines():
        item = _ITEM.match(line)
        if item or (is_new and line.strip()):
            parts.append((line[item.end() :] if item else line, bool(item)))
        elif line.strip():
            parts[-1] = (f"{parts[-1][0]}\n{line}", parts[-1][1])
        is_new = not line.strip()
    return parts


def _said_lines(part: str) -> list[str]:
    """The lines of a paragraph that say something."""
    lines = (line.strip() for line in part.splitlines())
    return [
        line
        for line in lines
        if line and not _TRAILER.match(line) and not _POINTER.fullmatch(line) and _says(line)
    ]


def _says(line: str) -> bool:
    """Whether a line says more than where a link leads."""
    without = _LINK.sub(" ", line)
    return without == line or len(words(without)) >= _MIN_BESIDE_LINK
