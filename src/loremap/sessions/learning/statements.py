"""What a person said in passing that holds on: constraints, choices, reasons, facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loremap.safety.redaction import redacted
from loremap.sessions.learning.earlier import Settled
from loremap.sessions.learning.evidence import Weights, features
from loremap.sessions.learning.exchanges import Exchange, changes, works
from loremap.sessions.learning.function_words import Sign, signs_in
from loremap.sessions.learning.known import Told
from loremap.sessions.learning.sentences import asks, own_words, sentences, telling

_ELLIPTIC_WORDS = 8
"""With fewer telling words a statement is not understood without what it answers."""
_LONG_SENTENCES = 8
"""A longer message is a task or a paste: each of its sentences must stand for itself."""
_MAX_OF_LONG = 4
_SHORT_WORDS = 4
_MIN_RESTATED = 3
_MIN_TELLING = 2
_NEIGHBOUR_CHARACTERS = 300
_MAX_REASONS = 2
_THREAD_TURNS, _THREAD_CHARACTERS = 24, 2_000
_STANDING = (
    *(Sign.NEGATION, Sign.QUANTIFIER, Sign.DUTY, Sign.REASON, Sign.CONTRAST, Sign.GROUP),
)  # fmt: skip
_BINDING = (Sign.NEGATION, Sign.QUANTIFIER, Sign.DUTY, Sign.REASON)


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence of a person on the way to a choice."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class Statement:
    """What of a message holds on, and how likely that is."""

    exchange: Exchange
    text: str
    belief: float
    neighbour: str = ""
    """The sentence of the agent that it answers."""
    reasons: tuple[Reason, ...] = ()
    """What they had said on the way to it, while nothing was done yet."""
    thread: str = ""
    """All that was said since the last change, by both."""


def statements(
    of: Sequence[Exchange], told: Told, weights: Weights, known: Settled
) -> Iterator[Statement]:
    """The messages of a session that hold on, without what in them does not."""
    reasons, said, thread = list[Reason](), list[Reason](), list[str]()
    for exchange in of:
        if any(map(changes, exchange.before)):
            reasons, said, thread = [], [], []
        thread += [turn.text[:_THREAD_CHARACTERS] for turn in (*exchange.before, exchange.said)]
        text = _kept(exchange, told, weights, known)
        belief = weights.belief(features(exchange.words, exchange, known))
        if belief >= weights.threshold and _holds_on(text, exchange):
            yield Statement(
                exchange=exchange,
                text=text,
                belief=belief,
                neighbour=_neighbour(text, exchange, told),
                reasons=tuple(reasons[-_MAX_REASONS:]),
                thread="\n".join(thread[-_THREAD_TURNS:]),
            )
            reasons, said = [], []
            continue
        if affirmed := _affirmed(exchange, said, told):
            yield Statement(
                exchange=exchange,
                text=exchange.words,
                belief=weights.threshold,
                neighbour=affirmed,
                reasons=tuple(said[-_MAX_REASONS:]),
                thread="\n".join(thread[-_THREAD_TURNS:]),
            )
            reasons, said = [], []
            continue
        if reason := _reason(text):
            reasons.append(Reason(exchange.said.number, reason))
        if telling(text):
            said.append(Reason(exchange.said.number, text))


def _affirmed(exchange: Exchange, said: Sequence[Reason], told: Told) -> str:
    """The sentence with which the agent had restated what a person said, where they affirm it: in a
    session of words alone that is how something is settled."""
    answered, own = exchange.answered, telling(exchange.words)
    is_short = len(own) <= _SHORT_WORDS and not any(map(asks, sentences(exchange.words)))
    if answered is None or not (exchange.is_talk and said and is_short):
        return ""
    before = frozenset[str]().union(*(telling(one.text) for one in said[-_MAX_REASONS:]))
    shared = {
        one: len(telling(one) & (before | own))
        for one in sentences(own_words(answered.text))
        if not asks(one) and not told.echoed(one) and len(one) <= _NEIGHBOUR_CHARACTERS
    }
    best = max(shared, key=shared.__getitem__, default="")
    return best if best and shared[best] >= _MIN_RESTATED else ""


def _kept(exchange: Exchange, told: Told, weights: Weights, known: Settled) -> str:
    """The sentences that may hold on: no questions, none taken back, none of this moment alone,
    no thoughts that nobody acted on, none restated, none with a secret."""
    whole, kept, after_question = sentences(exchange.words), list[str](), False
    was_done = any(changes(turn) or works(turn) for turn in exchange.after)
    for sentence in whole:
        drops = asks(sentence) or (after_question and len(sentence.split()) <= _SHORT_WORDS)
        after_question = asks(sentence)
        drops = drops or _passes(sentence) or (_doubts(sentence) and not was_done)
        if not (drops or told.restated(sentence) or _is_secret(sentence)):
            kept.append(sentence)
    if len(whole) > _LONG_SENTENCES:
        bar = weights.threshold
        kept = [one for one in kept if weights.belief(features(one, exchange, known)) >= bar]
        kept = kept[:_MAX_OF_LONG]
    return " ".join(kept)


def _passes(sentence: str) -> bool:
    """Whether a sentence speaks of this moment alone."""
    signs = signs_in(sentence)
    return bool(signs[Sign.PASSING]) and not any(signs[one] for one in _BINDING)


def _doubts(sentence: str) -> bool:
    return bool(signs_in(sentence)[Sign.DOUBT])


def _is_secret(sentence: str) -> bool:
    return redacted(sentence).text != sentence


def _holds_on(text: str, exchange: Exchange) -> bool:
    """Whether anything is left that says more than yes, and binds or was acted on."""
    if len(telling(text)) < _MIN_TELLING:
        return False
    signs, answered = signs_in(text), exchange.answered
    if answered is not None and asks(sentences(answered.text)[-1]):
        return True
    return any(map(changes, exchange.after)) or any(signs[one] for one in _BINDING)


def _reason(text: str) -> str:
    """The sentences that give a reason, of a message that settles nothing."""
    said = (one for one in sentences(text) if len(telling(one)) >= _MIN_TELLING)
    return " ".join(one for one in said if any(signs_in(one)[sign] for sign in _STANDING))


def _neighbour(text: str, exchange: Exchange, told: Told) -> str:
    """What the agent had asked or proposed, where the statement needs it: it is short, or speaks
    of the same, and does not turn it down."""
    answered, own = exchange.answered, telling(text)
    if answered is None or signs_in(" ".join(text.split()[:2]))[Sign.NEGATION]:
        return ""
    offered = [
        one
        for one in sentences(answered.text)
        if not told.echoed(one) and len(one) <= _NEIGHBOUR_CHARACTERS and telling(one)
    ]
    if not offered:
        return ""
    best = max(offered, key=lambda one: (asks(one) + len(own & telling(one)), offered.index(one)))
    needed = len(own) <= _ELLIPTIC_WORDS or own & telling(best)
    return best if needed else ""
