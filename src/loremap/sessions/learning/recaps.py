"""What was agreed in a session of words alone: as the agent restated it and nobody objected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loremap.model.finding import Finding
from loremap.model.kind import Kind
from loremap.model.turn import Speaker, Turn
from loremap.sessions.learning.exchanges import Exchange
from loremap.sessions.learning.framed import ANSWERED, RESTATED, framed
from loremap.sessions.learning.function_words import Sign, signs_in
from loremap.sessions.learning.known import Told
from loremap.sessions.learning.sentences import asks, contained, own_words, sentences, telling
from loremap.sessions.learning.statements import Statement, in_parts

_MIN_WORDS, _MIN_SHARE, _MIN_AFFIRMED = 4, 0.4, 0.25
"""Of a sentence that restates, so much is what a person had said; less where they affirm it."""
_ANSWER_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class _Recap:
    """A turn of the agent with the sentences that restate, and what a person said next."""

    turn: Turn
    after: Exchange
    sentences: tuple[str, ...]
    shared: int
    answer: str


def agreed(of: Sequence[Exchange], told: Told) -> list[tuple[Finding, Statement]]:
    """The fullest restatement of a session, the last of equals, in parts that can be told."""
    if not of or not of[0].is_talk:
        return []
    every = list(_recaps(of, told))
    if not every:
        return []
    best = max(every, key=lambda one: (one.shared, one.turn.number))
    thread = "\n".join(one.words for one in of)
    text = " ".join(best.sentences)
    whole = Statement(exchange=best.after, text=text, belief=0.0, thread=thread)
    return [(_finding(best, part.text), part) for part in in_parts(whole)]


def _recaps(of: Sequence[Exchange], told: Told) -> Iterator[_Recap]:
    said = frozenset[str]()
    for exchange, then in zip(of, (*of[1:], None), strict=True):
        said |= telling(exchange.words)
        if exchange.is_first or _is_open(exchange.words) or (then and _goes_on(then.words)):
            continue
        known = said | (telling(then.words) if then else frozenset())
        turn = exchange.after[-1] if exchange.after else None
        if turn is None:
            continue
        answer = _answer(then)
        whole = [one for one in sentences(own_words(turn.text)) if not told.echoed(one)]
        kept = [one for one in whole if _restates(one, known, _MIN_SHARE)]
        if answer and not kept:
            kept = [one for one in whole if _restates(one, known, _MIN_AFFIRMED)]
        if kept:
            shared = len(telling(" ".join(kept)) & known)
            yield _Recap(turn, exchange, tuple(kept), shared, answer)


def _restates(sentence: str, known: frozenset[str], share: float) -> bool:
    enough = len(telling(sentence) & known) >= _MIN_WORDS
    return enough and contained(sentence, known) >= share and not asks(sentence)


def _is_open(text: str) -> bool:
    """Whether a person asked or wondered, and settled nothing."""
    return any(map(asks, sentences(text))) or bool(signs_in(text)[Sign.DOUBT])


def _goes_on(text: str) -> bool:
    """Whether a person objects, or asks on."""
    return _is_open(text) or bool(signs_in(" ".join(text.split()[:2]))[Sign.NEGATION])


def _answer(then: Exchange | None) -> str:
    """What a person said to it, where that is short and no question."""
    text = "" if then is None else then.words
    return "" if len(text) > _ANSWER_CHARACTERS or any(map(asks, sentences(text))) else text


def _finding(of: _Recap, text: str) -> Finding:
    parts = (framed(RESTATED, text), framed(ANSWERED, of.answer))
    return Finding(
        kind=Kind.DECISION,
        content=" ".join(part for part in parts if part),
        quote=text,
        said_by=Speaker.AGENT,
        first=of.after.said.number,
        last=of.turn.number,
        at=of.turn.at,
        because="the agent restated what a person had said, and nobody objected",
        importance=0.7,
        confidence=0.6,
    )
