"""How likely a message states something that holds beyond its turn: a few features, weighed.

The weights are fitted by `bench/sessions/learning_fit.py` and lie in `weights.json`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from loremap.model.words import words
from loremap.sessions.learning.earlier import Settled
from loremap.sessions.learning.exchanges import Exchange, changes, fails, works
from loremap.sessions.learning.function_words import Sign, signs_in
from loremap.sessions.learning.sentences import asks, sentences, telling

_PAUSES = re.compile(r"[,;:、]")
_UNWEIGHED = frozenset({Sign.CONTRAST, Sign.LATER, Sign.LAUGH, Sign.LIMIT})
_WEIGHED = tuple(sign for sign in Sign if sign not in _UNWEIGHED)
"""Contrast was tried too and told nothing; what is left for later is found by itself, and a joke
is none."""
_MAX_WORDS = 40
"""A longer message says no more for its length."""
_MAX_SHARED = 4


@dataclass(frozen=True, slots=True)
class Weights:
    """What each feature counts."""

    bias: float
    of: Mapping[str, float]
    threshold: float

    def belief(self, features: Mapping[str, float]) -> float:
        """How likely it is, from 0 to 1."""
        total = self.bias + sum(self.of[name] * value for name, value in features.items())
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def fitted() -> Weights:
    """The weights that were fitted."""
    text = resources.files(__package__).joinpath("weights.json").read_text("utf-8")
    told = json.loads(text)
    return Weights(told["bias"], told["weights"], told["threshold"])


def features(text: str, exchange: Exchange, known: Settled) -> dict[str, float]:
    """What speaks for and against a statement in `text`, said in this exchange."""
    return {**_of_words(text), **_of_place(text, exchange), **_of_subject(text, known)}


def _of_words(text: str) -> dict[str, float]:
    signs, whole = signs_in(text), sentences(text)
    told = {sign.value: min(signs[sign], 2) / 2 for sign in _WEIGHED}
    return {
        **told,
        "length": math.log1p(min(len(words(text)), _MAX_WORDS)),
        "telling": math.log1p(min(len(telling(text)), _MAX_WORDS)),
        "sentences": math.log1p(min(len(whole), 5)),
        "pauses": min(3, len(_PAUSES.findall(text))) / 3,
        "questions": sum(map(asks, whole)) / max(1, len(whole)),
        "asks_last": float(bool(whole) and asks(whole[-1])),
    }


def _of_place(text: str, exchange: Exchange) -> dict[str, float]:
    own, answered, after = telling(text), exchange.answered, exchange.after
    return {
        "first": float(exchange.is_first),
        "last": float(exchange.is_last),
        "talk": float(exchange.is_talk),
        "answers": float(answered is not None),
        "answers_question": float(answered is not None and any(c in answered.text for c in "?？")),
        "after_failure": float(any(map(fails, exchange.before[-3:]))),
        "after_change": float(any(map(changes, exchange.before))),
        "then_changed": float(any(map(changes, after))),
        "then_worked": float(any(map(works, after))),
        "new_words": len(own - exchange.known) / max(1, len(own)),
    }


def _of_subject(text: str, known: Settled) -> dict[str, float]:
    """Whether the subject of something that was settled before is taken up again."""
    return {"takes_up": min(len(known.nearest(telling(text))), _MAX_SHARED) / _MAX_SHARED}
