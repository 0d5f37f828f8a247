"""When a finding is one of the things that a careful reader wrote down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from loremap.model.finding import Finding
from loremap.model.words import STOP_WORDS, words

Json = dict[str, Any]
MIN_WORDS, MIN_SHARE = 2, 0.25
MIN_SHARE_OF_JUNK = 0.5


def telling(text: str) -> frozenset[str]:
    """The words of a text that say what it is about."""
    return frozenset(word for word in words(text) if word not in STOP_WORDS)


def matches(found: Finding, item: Json, *, english: bool = True) -> bool:
    """Whether a finding stems from the turns of an item and says it: at least two telling words
    and a quarter of the item's. What a person said in another language shares names and numbers
    with the item, which is English: there one word is enough."""
    if not any(found.first <= turn <= found.last for turn in item["from_turns"]):
        return False
    wanted = telling(item["what"])
    shared = wanted & telling(f"{found.content} {' '.join(found.files)}")
    if not english:
        return bool(shared)
    return len(shared) >= max(MIN_WORDS, MIN_SHARE * len(wanted))


def is_junk(found: Finding, not_to_learn: Iterable[str]) -> bool:
    """Whether a finding has two telling words, and half, of what is not to be learned."""
    own = telling(found.content)
    return any(
        len(wanted & own) >= max(MIN_WORDS, MIN_SHARE_OF_JUNK * len(wanted))
        for wanted in map(telling, not_to_learn)
    )


_ENGLISH = re.compile(r"\b(?:the|is|are|to|of|and|it|in|for|a)\b", re.IGNORECASE)


def is_english(session: Json) -> bool:
    """Whether what the person typed in a session is English."""
    said = [turn["text"] for turn in session["turns"] if turn["role"] == "user"]
    return _share(said) >= 0.06


def _share(said: Sequence[str]) -> float:
    text = " ".join(said)
    return len(_ENGLISH.findall(text)) / max(1, len(text.split()))
