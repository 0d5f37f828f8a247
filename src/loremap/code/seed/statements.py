"""Single rules out of a Markdown text, each able to stand alone."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from loremap.code.documents.markdown import Block, blocks
from loremap.code.documents.prose import plain, sentences
from loremap.code.seed.inversion import inverts, is_negative, unmarked
from loremap.code.seed.rules import (
    Said,
    is_condition,
    is_deictic,
    is_firm,
    is_rule,
    kind_of,
    score,
)
from loremap.code.seed.value import MAX_CHARS
from loremap.model.kind import Kind
from loremap.model.words import words

_LONGEST_LEAD = 140
_LONGEST_HEADING = 30
_SHORT_ITEM = 80
_NEAR_CHILDREN = 40
_FORBIDDEN, _TO_PEOPLE = 0.08, 0.12
"""What must not be done weighs more, for it does harm where it is not known; what is said to people
at large weighs less."""
_FOR_OTHERS = re.compile(
    r"\breview(?:s|ers?|ing)?\b|\breleas|table of contents|licen[cs]e"
    r"|\bcode of conduct\b|\bsecurity\b|\bbugs?\b|\bissues?\b|\bmaintainers?\b",
    re.IGNORECASE,
)
"""Headings of what is for those who review, release or report, not for those who write code."""
_GENERIC = frozenset(
    """
    guideline guidelin rule note overview general import key point direct develop project convent
    style code guid introduct basic common miscellan other tip instruct standard practic best must
    do contribut about critic principl workflow agent claud cursor step what how when start set up
    short version long detail require usag process polici pattern
    command stack
    """.split()
)
_DANGLING = re.compile(
    r"\b(?:must|should|shall|sure to|sure that|always|never|not|don't|needs? to|required to|ensure"
    r"|ensure that|please)\s*:$",
    re.IGNORECASE,
)
_EMPTY_LEAD = re.compile(
    r"(?:\bfollowing|\bexamples?|\bfor instance|\bsuch as|\bnotes?|\bbelow|\bsteps?|\bthings"
    r"|\bthese[\w ]*|\bways|\bguidelines|\brules)\s*:$",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"\b(?:as follows|in (?:this|the following) order)\s*:$", re.IGNORECASE)
"""A lead whose items are one rule together."""
_SHORTEST_LIST, _LONGEST_LIST = 3, 12
_SHELLS = frozenset({"bash", "sh", "shell", "console", "zsh", "powershell", "pwsh"})
_JOINT = re.compile(
    r"^(?:(?:additionally|also|furthermore|moreover|in addition|likewise|similarly|therefore|so),"
    r"|but)\s+",
    re.IGNORECASE,
)
"""How a sentence is joined to the one before that it can do without."""
_GOES_ON = re.compile(r"^(?:it|they|these|this|instead|otherwise|if)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """One rule, the line it begins at, and its weight."""

    text: str
    line: int
    kind: Kind
    weight: float
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """A block of prose: its sentences, each with what it is judged by."""

    block: Block
    lead: str
    said: tuple[Said, ...]

    @property
    def rules(self) -> list[bool]:
        """Which of its sentences are rules."""
        return [is_rule(one) for one in self.said]


def statements(text: str, *, strict: bool) -> list[Statement]:
    """The single rules in a Markdown text, each able to stand alone. Strict is for files written to
    people at large, where most sentences are none."""
    every = blocks(text)
    used = set[int]()
    found = list[Statement]()
    for index, block in enumerate(every):
        passed = block.box or is_for_others(block.headings)
        if index not in used and block.sort in ("item", "paragraph") and not passed:
            found += _of_block(every, index, used, strict=strict)
    return sorted((one for one in found if len(one.text) <= MAX_CHARS), key=lambda one: -one.weight)


def is_for_others(headings: Sequence[str]) -> bool:
    """Whether what stands under `headings` is not for those who write code."""
    return any(_FOR_OTHERS.search(name) for name in headings)


def _of_block(
    every: list[Block], index: int, used: set[int], *, strict: bool
) -> Iterator[Statement]:
    block = every[index]
    text = unmarked(block.text, plain(block.text))
    if not text:
        return
    piece = _piece(every, index, text, strict=strict)
    if text.endswith(":"):
        yield from _of_lead(every, index, used, piece)
    elif piece.lead or not inverts(_said_before(every, index)) or is_negative(text):
        yield from _of_paragraph(piece) if block.sort == "paragraph" else _of_item(piece)


def _piece(every: list[Block], index: int, text: str, *, strict: bool) -> _Piece:
    block = every[index]
    after = every[index + 1] if index + 1 < len(every) else None
    parts = [_unjoined(part) for part in sentences(text)]
    before = _said_before(every, index)
    said = (
        Said(
            text=part,
            headings=block.headings,
            lead=before,
            for_agents=not strict,
            item=block.sort == "item",
            later=at > 0,
            before_code=at == len(parts) - 1
            and after is not None
            and after.sort == "code"
            and after.parent == index,
            quoted=block.quoted,
        )
        for at, part in enumerate(parts)
    )
    return _Piece(block, _lead(before), tuple(said))


def _of_lead(every: list[Block], index: int, used: set[int], piece: _Piece) -> Iterator[Statement]:
    """What a sentence with a colon says: with its list, with its code, or only before it."""
    if piece.block.sort == "paragraph":  # what is said before the sentence that leads on
        yield from _of_paragraph(_Piece(piece.block, piece.lead, piece.said[:-1]))
    near = range(index + 1, min(index + _NEAR_CHILDREN, len(every)))
    children = [n for n in near if every[n].parent == index]
    listed = [n for n in children if every[n].sort == "item"]
    lead = piece.said[-1].text
    last = replace(piece.said[-1], text=f"{lead[:-1]}.", before_code=False)
    joined = _joined(lead, last, [plain(every[n].text) for n in listed])
    if joined:
        used.update(listed)
        yield _statement(joined, piece.block, score(last), strict=not last.for_agents)
    elif not listed and children and _is_shown(last, every[children[0]]):
        yield _statement(last.text, piece.block, score(last), strict=not last.for_agents)


def _is_shown(said: Said, code: Block) -> bool:
    """Whether a sentence is a rule without the code after it. What a command does is none; that it
    must be run is one."""
    told = code.language not in _SHELLS or is_firm(said.text)
    return code.sort == "code" and told and is_rule(said)


def _of_paragraph(piece: _Piece) -> Iterator[Statement]:
    """Each rule, with the sentence after it that goes on about it and is none by itself."""
    rules = piece.rules
    for at, said in enumerate(piece.said):
        if not rules[at]:
            continue
        after = piece.said[at + 1].text if at + 1 < len(rules) and not rules[at + 1] else ""
        goes_on = _GOES_ON.match(after) and after.endswith(".")
        whole = f"{said.text} {after}" if goes_on else said.text
        text = whole if len(whole) <= MAX_CHARS else said.text
        yield _statement(text, piece.block, score(said), strict=not said.for_agents)


def _of_item(piece: _Piece) -> Iterator[Statement]:
    """An item one sentence of which is a rule; of a guide for people only from there on."""
    rules = piece.rules
    if not any(rules) or is_deictic(piece.lead):
        return
    parts = [said.text for said in piece.said]
    strict = not piece.said[0].for_agents
    room = MAX_CHARS - len(piece.lead) - 1
    if strict or len(" ".join(parts)) >= room or is_deictic(parts[0]):
        parts = parts[rules.index(True) :]
    whole = _fitting(parts, room=room)
    if whole:
        best = max(score(said) for said in piece.said)
        yield _statement(whole, piece.block, best, strict=strict, lead=piece.lead)


def _unjoined(sentence: str) -> str:
    """`sentence` without what only joins it to the one before."""
    bare = _JOINT.sub("", sentence)
    return bare[:1].upper() + bare[1:] if bare != sentence else sentence


def _joined(lead: str, said: Said, items: list[str]) -> str:
    """A rule that is told by a whole list of short items; empty where each item speaks alone."""
    if _ORDERED.search(lead) and _SHORTEST_LIST <= len(items) <= _LONGEST_LIST:
        short = all(len(item) <= _SHORT_ITEM // 2 for item in items)
        return _listed(lead, items) if short and not is_deictic(_ORDERED.sub("", lead)) else ""
    if not items or not is_rule(said) or _EMPTY_LEAD.search(lead):
        return ""
    if any(len(item) > _SHORT_ITEM or is_condition(item) for item in items):
        return ""
    return _listed(lead, items)


def _listed(lead: str, items: list[str]) -> str:
    text = f"{_bare(lead)} {'; '.join(item.rstrip('.;,') for item in items)}."
    return text if len(text) <= MAX_CHARS else ""


def _lead(last: str) -> str:
    """What an item is told with: the sentence that its list hangs on, where it says more than that
    a list follows."""
    fits = len(last) <= _LONGEST_LEAD and last.endswith(":") and not _EMPTY_LEAD.search(last)
    told = is_condition(last) or _DANGLING.search(last) is not None or inverts(last)
    return _bare(last) if fits and told else ""


def _bare(lead: str) -> str:
    """`lead` without the reason it gives first."""
    return lead.rpartition(", so ")[2]


def _said_before(every: list[Block], index: int) -> str:
    """The sentence with a colon that an item hangs on."""
    block = every[index]
    if block.parent is None or block.parent >= index or every[block.parent].sort == "code":
        return ""
    said = sentences(plain(every[block.parent].text))
    return said[-1] if said and said[-1].endswith(":") else ""


def _fitting(parts: list[str], *, room: int) -> str:
    """As many of the first sentences as fit; empty where not even one does."""
    text = ""
    for part in parts:
        longer = f"{text} {part}".strip()
        if len(longer) > room - 1 or part.endswith(("?", ":")):
            break
        text = longer
    return text


def _statement(text: str, block: Block, odds: float, *, strict: bool, lead: str = "") -> Statement:
    text = _ended(text)
    headed = _ended(f"{lead} {text}") if lead else _headed(text, block.headings)
    kind, likely = kind_of(text), 1 / (1 + math.exp(-odds))
    weight = 0.6 + 0.2 * likely + (_FORBIDDEN if kind is Kind.WARNING else 0.0)
    weight -= _TO_PEOPLE if strict else 0.0
    return Statement(headed, block.line, kind, round(weight, 3), block.headings)


def _headed(text: str, headings: tuple[str, ...]) -> str:
    """`text` after the heading it stands under, where that adds a word to it."""
    wrong = next((plain(name) for name in reversed(headings) if inverts(name)), "")
    if wrong and not is_negative(text):
        return f"{wrong.rstrip(':.')}: {text}"
    if not headings or re.match(r"[^:`.]{2,40}: ", text):
        return text
    name = plain(headings[-1]).rstrip(":.")
    topic = set(words(name)) - _GENERIC
    known = set(words(name)) & set(words(text))
    if not topic or known or len(name) > _LONGEST_HEADING or len(headings) < 2:
        return text
    headed = f"{name}: {text}"
    return headed if len(headed) <= MAX_CHARS else text


def _ended(text: str) -> str:
    text = text.strip().rstrip(",;")
    if "a" <= text[:1] <= "z":
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ".)")) else f"{text}."
