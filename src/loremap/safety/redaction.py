"""Takes secrets and personal data out of a text before it is kept."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from loremap.safety.assignments import assigned_secrets
from loremap.safety.connections import connection_secrets
from loremap.safety.disguises import Reading, joined, readings
from loremap.safety.entropy import random_strings
from loremap.safety.known_keys import known_keys, split_keys
from loremap.safety.linear import Hit, Span, blanked
from loremap.safety.manifests import manifest_secrets
from loremap.safety.personal import personal_data
from loremap.safety.private_keys import private_keys
from loremap.safety.prose import told_secrets
from loremap.safety.secret_patterns import MAKES

PERSONAL = frozenset({"email", "phone", "card-number"})
"""The types that are personal data rather than secrets."""

_TYPES = PERSONAL.union(
    (make.type for make in MAKES),
    "private-key kubernetes-secret connection-password basic-auth password secret pin".split(),
    ["high-entropy"],
)
_OPENING = "[REDACTED: "
_PLACEHOLDER = re.compile(re.escape(_OPENING) + r"([a-z0-9-]{2,40})\]")
_MOST_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Finding:
    """What was taken out: its type and where it stood, never what it was."""

    type: str
    span: Span

    @property
    def length(self) -> int:
        """How many characters were taken out."""
        return self.span[1] - self.span[0]


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text fit to keep, what was taken out of it, and whether anything worth keeping is left."""

    text: str
    findings: tuple[Finding, ...]
    nothing_left: bool


def redacted(text: str) -> Redaction:
    """`text` with each secret replaced by `[REDACTED: type]`; redacting it again changes nothing.

    A replacement may lay bare another secret, so this goes on until a round finds none. A text that
    never comes to rest is dropped as a whole.
    """
    hits: list[Hit] = []
    kept = _Rewrite(text, ())
    for _ in range(_MOST_ROUNDS):
        found = [kept.original(hit) for hit in _found(kept.text)]
        if not found:
            break
        hits = _merged([*hits, *found])
        kept = _Rewrite(text, hits)
    else:
        hits = [Hit("secret", 0, len(text))]
        kept = _Rewrite(text, hits)
    findings = tuple(Finding(hit.type, (hit.start, hit.end)) for hit in hits)
    return Redaction(kept.text, findings, _nothing_left(kept.text))


def _found(text: str) -> list[Hit]:
    """Every secret of `text` in any of its readings; what was redacted before is not looked at."""
    hits = list[Hit]()
    for reading in readings(_blanked_placeholders(text)):
        hits.extend(_in_place(reading, _detected(reading.data)))
        if (whole := joined(reading)) is not None:
            hits.extend(_in_place(whole, split_keys(whole)))
    return _merged(hits)


def _blanked_placeholders(text: str) -> str:
    if _OPENING not in text:
        return text
    return _PLACEHOLDER.sub(
        lambda found: "\0" * len(found[0]) if found[1] in _TYPES else found[0], text
    )


def _in_place(reading: Reading, hits: Iterable[Hit]) -> Iterator[Hit]:
    return (Hit(hit.type, *reading.original(hit.start, hit.end)) for hit in hits)


def _detected(data: bytes) -> list[Hit]:
    """What each detector finds, each after the last one's findings were blanked."""
    hits = list[Hit]()
    for detector in _DETECTORS:
        found = list(detector(data))
        hits.extend(found)
        data = blanked(data, [(hit.start, hit.end) for hit in found]) if found else data
    return hits


_DETECTORS: tuple[Callable[[bytes], Iterable[Hit]], ...] = (
    private_keys,
    known_keys,
    connection_secrets,
    manifest_secrets,
    assigned_secrets,
    told_secrets,
    personal_data,
    random_strings,
)


def _merged(hits: Iterable[Hit]) -> list[Hit]:
    """`hits` in order of place, those that overlap made one of the type that says most.

    That is the type that was found first, but a string is only called random where nothing else is
    known about it.
    """
    merged = list[tuple[tuple[bool, int], Hit]]()
    for order, hit in sorted(enumerate(hits), key=lambda numbered: numbered[1].start):
        rank = (hit.type == "high-entropy", order)
        if merged and hit.start < merged[-1][1].end:
            other_rank, other = merged[-1]
            named = hit if rank < other_rank else other
            union = Hit(named.type, other.start, max(other.end, hit.end))
            merged[-1] = (min(rank, other_rank), union)
        else:
            merged.append((rank, hit))
    return [hit for _, hit in merged]


class _Rewrite:
    """A text with placeholders for hits, and the way back to the text it was made of."""

    def __init__(self, text: str, hits: Iterable[Hit]) -> None:
        pieces, self._new, self._old, at, length = list[str](), [0], [(0, 0)], 0, 0
        for hit in hits:
            placeholder = f"{_OPENING}{hit.type}]"
            length += hit.start - at
            self._new.append(length)
            self._old.append((hit.start, hit.end))
            length += len(placeholder)
            self._new.append(length)
            self._old.append((hit.end, hit.end))
            pieces += text[at : hit.start], placeholder
            at = hit.end
        self.text = "".join((*pieces, text[at:]))

    def original(self, hit: Hit) -> Hit:
        """`hit` of the rewritten text in the places of the first text."""
        return Hit(hit.type, self._place(hit.start)[0], self._place(hit.end - 1)[1])

    def _place(self, at: int) -> Span:
        piece = bisect_right(self._new, at) - 1
        start, end = self._old[piece]
        if piece % 2:
            return start, end
        return start + at - self._new[piece], start + at - self._new[piece] + 1


_LABELS = frozenset(
    """
    a an and are as at by for from has have here in is it its key keys me my now of on or our set
    so that the this to use used uses using was with your password passwords passwd pass
    passphrase passcode pwd pin code secret secrets token tokens credential credentials creds
    login user username name account email mail phone tel telephone mobile number card cvv api
    apikey access auth authorization bearer basic id client private public signing encryption
    master root admin db database prod production staging dev test live env export const let var
    string header connection webhook url value
    """.split()
) | {word for type_ in _TYPES for word in type_.split("-")}
_LETTERS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_NAMED = re.compile(r"""[\w.$-]{1,80}["'`]?\s{0,4}(?:=|:|=>|:=)\s{0,4}["'`]?$""")


def _nothing_left(text: str) -> bool:
    """Whether only placeholders and the words that announce them are left."""
    *before, after = re.split("\0+", _blanked_placeholders(text))
    return (
        _OPENING in text
        and len(before) > 0
        and _only_labels(after)
        and all(
            _only_labels(words[:-160]) and _only_labels(_NAMED.sub("", words[-160:]))
            for words in before
        )
    )


def _only_labels(text: str) -> bool:
    return all(word.lower() in _LABELS for word in _LETTERS.findall(text))
