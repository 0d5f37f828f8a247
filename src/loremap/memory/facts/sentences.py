"""The whole sentences of a memory that state something outright."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 240
"""A longer sentence says too much at once to be read by a rule."""
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARK = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|#+|>)\s+")
_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\b[A-Z]\.)(?<!\bvs\.)\s+(?=[A-Z`\"'(\[])"
)
_UNSURE = re.compile(
    r"\b(?:if|unless|whether|would|could|might|may|maybe|perhaps|probably|possibly|likely|should"
    r"|seems?|appears?|apparently|think|believe|guess|assume|suspect|unclear|unsure|will|won't"
    r"|used to|going to|plans? to|planning|planned|wants? to|consider(?:s|ed|ing)?|propos\w+"
    r"|suggest\w*|trying|hopes?|wish|imagine|suppose\w*|claims?|claimed|says|said|told|asked"
    r"|rumou?r\w*|temporarily|hypothetically|once)\b",
    re.IGNORECASE,
)
"""Modal verbs, verbs of thinking and saying: what stands beside them is not stated."""
_NEGATED = re.compile(
    r"\b(?:not|never|no|none|neither|nor|without|cannot|stopped)\b|n['’]t\b", re.I
)
_QUOTED = re.compile(r"[\"“][^\"”]*\s[^\"”]*[\"”]")
_OPENING = re.compile(
    r"^(?:currently|now|today|also|note(?: that)?|fyi|remember(?: that)?|decision|fact|update)"
    r"\s*[,:]?\s+",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text in order, without code, marks of lists, and their full stops."""
    for line in _FENCE.sub("\n", text).splitlines():
        for sentence in _END.split(_MARK.sub("", line)):
            if said := " ".join(sentence.split()):
                yield said


def stated(sentence: str) -> str:
    """What a sentence states, without its opening adverb and its end; empty where it asks, doubts,
    denies, supposes or quotes."""
    if len(sentence) > LONGEST or sentence.endswith(("?", ":", "…", "...")):
        return ""
    if _is_unsure(sentence) or _NEGATED.search(sentence) or _QUOTED.search(sentence):
        return ""
    said = _OPENING.sub("", sentence).strip()
    return said[:-1].rstrip() if said.endswith((".", "!", ";")) else said


def _is_unsure(sentence: str) -> bool:
    """Whether a word of doubt stands in a sentence; in capitals it is an abbreviation."""
    return any(not found[0].isupper() for found in _UNSURE.finditer(sentence))


_FORBIDDEN = re.compile(
    r"^(?:please\s+)?(?:never|do not|don['’]t)\s+(?:ever\s+)?(?:use|import|call|run|commit|push"
    r"|edit|add|mock)\s+(?P<object>.+?)(?:\s+(?:in|inside|within|from)\s+(?P<place>[^,;]+?))?"
    r"(?:\s*(?:,|;|\(|:|\s[-–—]|\bbecause\b|\binstead\b|\bsince\b|\bas\b).*)?$",
    re.IGNORECASE,
)


def forbidden(sentence: str) -> tuple[str, str] | None:
    """What an order forbids, and where (empty: in the whole project); None where it is none."""
    if len(sentence) > LONGEST or _QUOTED.search(sentence) or sentence.endswith("?"):
        return None
    found = _FORBIDDEN.match(sentence.rstrip(".!"))
    return None if found is None else (found["object"].strip(), (found["place"] or "").strip())
