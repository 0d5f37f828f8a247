"""The whole sentences of a memory, their clauses, and which of these state something outright."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 300
"""A longer sentence says too much at once to be read by a rule."""
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARK = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|#+|>)\s+")
_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\b[A-Z]\.)(?<!\bvs\.)\s+(?=[A-Z`\"'(\[])"
)
_DOUBTED = re.compile(
    r"(?<![\w-])(?:think|guess|believe|suspect|assume|imagine|hope|wish|maybe|perhaps|probably|possibly"
    r"|likely|apparently|supposedly|allegedly|seems?|appears?|unclear|unsure|heard|rumou?r\w*"
    r"|says|said|claims|claimed|told|according to|reportedly)(?![\w-])",
    re.IGNORECASE,
)
"""Verbs of thinking and saying: what stands in one sentence with them is not stated."""
_PAST = re.compile(
    r"\b(?:originally|formerly|previously|historically|used to|back in|back when|in the past"
    r"|at first|no longer|once (?:was|were|ran|lived))\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"^(?:if|unless|whether|once|when|whenever|in case|as soon as|should|suppose|assuming|until"
    r"|per|let's|imagine|what if)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"(?<![\w-])(?:if|unless|whether|would(?! rather)|could|might|may|should|ought|will|won't|going to|plans? to"
    r"|planning|planned|wants? to|tr(?:y|ies|ying) to|consider\w*|propos\w+|suggest\w*"
    r"|not|never|none|neither|nor|without|cannot|stopped|hardly|barely|almost|nearly)(?![\w-])|n['’]t\b",
    re.IGNORECASE,
)
"""Modal verbs and negation: they open the clause they stand in and no other."""
_QUOTED = re.compile(r"[\"“][^\"”]*\s[^\"”]*[\"”]")
_OPENING = re.compile(
    r"^(?:currently|now|today|nowadays|also|note(?: that)?|fyi|heads[- ]up|reminder|remember(?: "
    r"that)?|fact|update|btw)\s*[,:]?\s+",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"\s*[,;:]\s+|\s+[-–—]+\s+|\s*\(|\)\s*|\s+(?:and|but)\s+(?=not\s)|\s+(?=(?:which|who)\s)|\s+(?:but|so|because|while|whereas"
    r"|since|although|though|hence)\s+"
)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text in order, without code and marks of lists."""
    for line in _FENCE.sub("\n", text).splitlines():
        for sentence in _END.split(_MARK.sub("", line)):
            if said := " ".join(sentence.split()):
                yield said


def stated(sentence: str) -> str:
    """What a sentence states, without its opening adverb and its end; empty where it asks, doubts,
    supposes, quotes or tells of the past."""
    if len(sentence) > LONGEST or sentence.endswith(("?", ":", "…", "...")):
        return ""
    said = _OPENING.sub("", sentence).strip()
    if (
        _QUOTED.search(said)
        or _SUPPOSED.match(said)
        or _meant(_DOUBTED, said)
        or _PAST.search(said)
    ):
        return ""
    return said[:-1].rstrip() if said.endswith((".", "!", ";")) else said


_SHORT = {"'m": " am", "'re": " are", "'ve": " have", "'d rather": " would rather"}


def _spelt_out(text: str) -> str:
    """A text with its short verbs in full; what ends in 's may be an owner."""
    text = text.replace("’", "'")
    for short, full in _SHORT.items():
        text = text.replace(short, full)
    return text


def is_open(clause: str) -> bool:
    """Whether a clause denies, wants or makes conditions."""
    return _meant(_OPEN, clause)


def clauses(sentence: str) -> list[str]:
    """The parts of a sentence between its commas and conjunctions, in order."""
    return [part.strip() for part in _JOINT.split(sentence) if part and part.strip()]


def _meant(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a word of a pattern stands in a text; in capitals it is an abbreviation."""
    return any(not found[0].isupper() for found in pattern.finditer(text))


_PLACE = r"\s+(?:in|inside|within|from|into|to)\s+(?P<place>.+)$"
_NOT = r"(?:\s+not|n['’]t)"
_FORBIDDING = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            r"^(?:please\s+)?(?:never|do not|don['’]t)\s+(?:ever\s+)?(?:use|import|call|run|commit|push"
            rf"|edit|add|mock|put)\s+(?P<object>.+?)(?:{_PLACE[:-1]})?$"
        ),
        rf"^(?P<object>.+?)\s+(?:is|are){_NOT}\s+(?:allowed|permitted|welcome|tolerated){_PLACE}",
        rf"^(?:no|avoid)\s+(?P<object>[^,]+?){_PLACE}",
        r"^keep\s+(?P<object>.+?)\s+out\s+of\s+(?P<place>.+)$",
        (
            r"^(?P<place>.+?)\s+(?:must|may|should|can)(?:\s+not|not|n['’]t)\s+(?:use|import|call|contain"
            r"|depend on|touch)\s+(?P<object>.+)$"
        ),
        rf"^(?P<place>.+?)\s+(?:does|do){_NOT}\s+(?:allow|permit|accept|tolerate)\s+(?P<object>.+)$",
    )
)
_NEEDED = re.compile(
    r"^(?P<subject>.+?)\s+(?:won['’]t|will not|doesn['’]t|does not|can['’]t|cannot|refuses to)\s+"
    r"(?:even\s+)?(?:start|run|work|build|compile|boot|function|come up|operate)(?:\s+up)?\s+without"
    r"\s+(?P<object>.+)$",
    re.IGNORECASE,
)


def forbidden(sentence: str) -> tuple[str, str] | None:
    """What an order forbids, and where (empty: in the whole project); None where it is none."""
    first = _first_clause(sentence)
    for pattern in _FORBIDDING:
        if (found := pattern.match(first)) is not None:
            return found["object"].strip(), (found["place"] or "").strip()
    return None


def needed(sentence: str) -> tuple[str, str] | None:
    """What does not work without what; None where a sentence says nothing of the sort."""
    found = _NEEDED.match(_first_clause(sentence))
    return None if found is None else (found["subject"], found["object"])


def _first_clause(sentence: str) -> str:
    if len(sentence) > LONGEST or _QUOTED.search(sentence) or sentence.endswith("?"):
        return ""
    if _meant(_DOUBTED, sentence) or _SUPPOSED.match(sentence):
        return ""
    return next(iter(clauses(sentence.rstrip(".!"))), "")
