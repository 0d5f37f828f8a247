"""What may be remembered at all: size, text, and how much an agent may write."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from loremap.model.kind import RULES
from loremap.model.memory import Candidate

_ALLOWED_CONTROLS = frozenset("\n\r\t")


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one way in; imports and benchmarks pass their own."""

    content_bytes: int = 2_048
    per_session: int = 50
    tags: int = 20
    tag_characters: int = 60
    files: int = 50
    triggers: int = 20


def refusal_for(candidate: Candidate, limits: Limits) -> str | None:
    """Why `candidate` cannot be remembered, and what to do; None where it can."""
    content = candidate.content
    if not content.strip():
        return "There is nothing to remember: the text is empty. Say it in a sentence."
    if is_binary(content):
        return "That is not text but binary data. Remember what you learned from it, in words."
    size = len(content.encode("utf-8", "surrogatepass"))
    if size > limits.content_bytes:
        return (
            f"The text has {size:,} bytes; a memory holds {limits.content_bytes:,}. "
            "Say the point in a few sentences, or split it into several memories."
        )
    if len(candidate.tags) > limits.tags:
        return f"A memory takes {limits.tags} tags, not {len(candidate.tags)}."
    for tag in candidate.tags:
        if not tag.strip() or len(tag) > limits.tag_characters or is_binary(tag):
            return f"A tag is 1 to {limits.tag_characters} characters of text, not {tag[:70]!r}."
    if len(candidate.files) > limits.files:
        return f"A memory names {limits.files} files, not {len(candidate.files)}."
    if candidate.triggers and not RULES[candidate.kind].may_trigger:
        able = ", ".join(kind.value for kind, rule in RULES.items() if rule.may_trigger)
        return f"A {candidate.kind.value} cannot carry triggers; these can: {able}."
    if len(candidate.triggers) > limits.triggers:
        return f"A memory carries {limits.triggers} triggers, not {len(candidate.triggers)}."
    if any(_is_broken(text) for text in _other_texts(candidate)):
        return "A file name, snippet, reason or step is not text; give it in UTF-8."
    if sum(len(text) for text in _other_texts(candidate)) > 2 * limits.content_bytes:
        most = 2 * limits.content_bytes
        return f"Snippet, reason, files and steps hold {most:,} characters together. Shorten them."
    for name, value in (("confidence", candidate.confidence), ("importance", candidate.importance)):
        if value is not None and not 0.0 <= value <= 1.0:
            return f"{name} is a number from 0 to 1, not {value:g}."
    return None


def _other_texts(candidate: Candidate) -> Iterator[str]:
    yield from (*candidate.files, candidate.snippet, candidate.confidence_reason)
    yield candidate.seasonal or ""
    if (steps := candidate.procedure) is not None:
        yield from (steps.name, steps.trigger, *steps.steps, *steps.prerequisites, *steps.warnings)


def _is_broken(text: str) -> bool:
    """Whether `text` holds bytes that were no UTF-8, which no file of ours can keep."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def is_binary(text: str) -> bool:
    """Whether `text` holds bytes that are not text: NUL, other control characters, or bytes
    that were no UTF-8 (seen as surrogates or replacement signs)."""
    bad = sum(
        1
        for character in text
        if unicodedata.category(character) in ("Cc", "Cs") and character not in _ALLOWED_CONTROLS
    )
    replaced = text.count("\ufffd")
    return bad > 0 or replaced > max(1, len(text) // 100)
