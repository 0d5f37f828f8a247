"""What a person said in passing that holds on: constraints, choices, reasons, facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from loremap.safety.redaction import redacted
from loremap.sessions.learning.earlier import Settled
from loremap.sessions.learning.evidence import Weights, features
from loremap.sessions.learning.exchanges import Exchange, changes, works
from loremap.sessions.learning.function_words import Sign, prohibits, signs_in
from loremap.sessions.learning.known import Told
from loremap.sessions.learning.otherwise import denies, other_figure
from loremap.sessions.learning.sentences import asks, sentences, telling

_ELLIPTIC_WORDS = 8
"""With fewer telling words a statement is not understood without what it answers."""
_LONG_SENTENCES = 8
"""A longer message is a task or a paste: each of its sentences must stand for itself."""
_MAX_OF_LONG = 4
_SHORT_WORDS = 4
_MIN_LEFT = 5
_MIN_TELLING, _MIN_OF_REASON = 2, 3
_MIN_TAKEN_UP = 2
"""So many words are shared with what is taken up: one is shared with something in every store."""
_NEW = 0.75
_NEIGHBOUR_CHARACTERS = 300
_MAX_REASONS = 2
TOLD_CHARACTERS, _FRAME_CHARACTERS = 500, 60
"""A memory of more characters is not told whole."""
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
    reasons, thread = list[Reason](), list[str]()
    for exchange in of:
        if any(map(changes, exchange.before)):
            reasons, thread = [], []
        thread += [turn.text[:_THREAD_CHARACTERS] for turn in (*exchange.before, exchange.said)]
        text = _kept(exchange, told, weights, known)
        belief = weights.belief(features(exchange.words, exchange, known))
        holds = _holds_on(text, exchange) and not _is_for_now(text, exchange, known)
        if belief >= weights.threshold and holds:
            whole = Statement(
                exchange=exchange,
                text=text,
                belief=belief,
                neighbour=_neighbour(text, exchange, told),
                reasons=tuple(reasons[-_MAX_REASONS:]),
                thread="\n".join(thread[-_THREAD_TURNS:]),
            )
            yield from in_parts(whole)
            reasons = []
            continue
        if left := _left_open(exchange, told):
            yield Statement(exchange=exchange, text=left, belief=weights.threshold)
        elif (reason := _reason(text)) and not (exchange.is_talk and exchange.is_first):
            reasons.append(Reason(exchange.said.number, reason))


def in_parts(of: Statement) -> Iterator[Statement]:
    """A statement in parts of whole sentences that can each be told; what led to it is said with
    the first."""
    parts = [""]
    for sentence in sentences(of.text):
        longer = f"{parts[-1]} {sentence}".strip()
        if parts[-1] and len(longer) > TOLD_CHARACTERS - _FRAME_CHARACTERS:
            parts.append(sentence)
        else:
            parts[-1] = longer
    yield replace(of, text=parts[0])
    for part in parts[1:]:
        if len(telling(part)) >= _MIN_TELLING:
            yield replace(of, text=part, neighbour="", reasons=())


def _left_open(exchange: Exchange, told: Told) -> str:
    """What the last message leaves for later, where nothing was done any more."""
    if not exchange.is_last or any(turn.call is not None for turn in exchange.after):
        return ""
    left = [
        one
        for one in sentences(exchange.words)
        if not (asks(one) or _doubts(one) or told.restated(one) or _is_secret(one))
    ]
    text = " ".join(left)
    is_enough = len(telling(text)) >= _MIN_LEFT and signs_in(text)[Sign.LATER]
    return text if is_enough and not exchange.is_talk else ""


def _kept(exchange: Exchange, told: Told, weights: Weights, known: Settled) -> str:
    """The sentences that may hold on: no questions, none taken back, none of this moment alone,
    no thoughts that nobody acted on, none restated, none with a secret."""
    whole, kept, after_question = sentences(exchange.words), list[str](), False
    was_done = any(changes(turn) or works(turn) for turn in exchange.after)
    for sentence in whole:
        drops = asks(sentence) or (after_question and len(sentence.split()) <= _SHORT_WORDS)
        after_question = asks(sentence)
        if kept and _passes(sentence) and len(sentence.split()) <= _SHORT_WORDS:
            kept.pop()  # so short it says for how long the sentence before it holds
        drops = drops or _passes(sentence) or (_doubts(sentence) and not was_done)
        if not (drops or told.restated(sentence) or _is_secret(sentence)):
            kept.append(sentence)
    if len(whole) > _LONG_SENTENCES:
        bar = weights.threshold
        kept = [one for one in kept if weights.belief(features(one, exchange, known)) >= bar]
        kept = kept[:_MAX_OF_LONG]
    return " ".join(kept)


def _passes(sentence: str) -> bool:
    """Whether a sentence speaks of this moment alone, or is a joke."""
    signs = signs_in(sentence)
    if signs[Sign.LAUGH]:
        return True
    binds = signs[Sign.NEGATION] or signs[Sign.DUTY] or signs[Sign.REASON]
    return bool(signs[Sign.PASSING]) and not (binds or signs[Sign.QUANTIFIER] > signs[Sign.LIMIT])


def _doubts(sentence: str) -> bool:
    return bool(signs_in(sentence)[Sign.DOUBT])


def _is_secret(sentence: str) -> bool:
    return redacted(sentence).text != sentence


def _holds_on(text: str, exchange: Exchange) -> bool:
    """Whether anything is left that says more than yes, and binds or was acted on; what opens a
    session of words alone is its question."""
    if len(telling(text)) < _MIN_TELLING or (exchange.is_talk and exchange.is_first):
        return False
    signs, answered = signs_in(text), exchange.answered
    if answered is not None and asks(sentences(answered.text)[-1]):
        return True
    return any(map(changes, exchange.after)) or any(signs[one] for one in _BINDING)


def _is_for_now(text: str, exchange: Exchange, known: Settled) -> bool:
    """Whether what opens a session or a task only says what to do in it: without a word of lasting,
    and about nothing that was settled before."""
    if not (exchange.is_first or _opens(exchange)):
        return False
    signs = signs_in(text)
    if signs[Sign.QUANTIFIER] or _takes_up(text, known):
        return False
    return exchange.is_first or not (signs[Sign.DUTY] or prohibits(text))


def _takes_up(text: str, known: Settled) -> bool:
    """Whether a text speaks of something that was settled, or settles it otherwise."""
    own, rare = telling(text), known.nearest(telling(text))
    if len(rare) >= _MIN_TAKEN_UP:
        return True
    return any(
        (rare & one.words and other_figure(text, one.content))
        or (len(own & one.words) >= _MIN_TAKEN_UP and denies(text, one.content))
        for one in known.likest(own)
    )


def _opens(exchange: Exchange) -> bool:
    """Whether a message begins something else, that is then worked on: it answers nothing, and
    most of its words are new to the session."""
    own, answered = telling(exchange.words), exchange.answered
    if not any(turn.call is not None for turn in exchange.after):
        return False
    if answered is None and exchange.before:
        return False
    if answered is not None and (
        asks(sentences(answered.text)[-1]) or own & telling(answered.text)
    ):
        return False
    return len(own - exchange.known) >= _NEW * len(own)


def _reason(text: str) -> str:
    """The sentences that give a reason, of a message that settles nothing."""
    said = (one for one in sentences(text) if len(telling(one)) >= _MIN_OF_REASON)
    return " ".join(one for one in said if any(signs_in(one)[sign] for sign in _STANDING))


def _neighbour(text: str, exchange: Exchange, told: Told) -> str:
    """What the agent had asked or proposed, where the statement needs it: it is short, or speaks
    of the same, and neither turns it down nor says all of it."""
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
    if not asks(best):
        is_little = len(telling(best)) < _MIN_OF_REASON and not own & telling(best)
        if is_little or telling(best) <= own:
            return ""
    needed = len(own) <= _ELLIPTIC_WORDS or own & telling(best)
    return best if needed else ""
