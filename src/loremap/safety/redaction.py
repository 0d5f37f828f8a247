"""Takes secrets and personal data out of a text before it is kept."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from loremap.safety.assignments import assigned_secrets
from loremap.safety.connections import connection_secrets
from loremap.safety.disguises import Reading, joined, readings
from loremap.safety.echoes import NO_SECRETS, Secrets, secrets_of
from loremap.safety.entropy import random_strings
from loremap.safety.known_keys import known_keys, split_keys
from loremap.safety.languages import WORDS, translated
from loremap.safety.linear import Hit, Span, blanked
from loremap.safety.manifests import manifest_secrets
from loremap.safety.own_rules import OwnRules
from loremap.safety.personal import personal_data
from loremap.safety.private_keys import private_keys
from loremap.safety.private_parts import private_parts
from loremap.safety.prose import told_secrets
from loremap.safety.secret_patterns import MAKES
from loremap.safety.values import password_like

PERSONAL = frozenset({"email", "phone", "card-number"})
"""The types that are personal data rather than secrets."""

_TYPES = PERSONAL.union(
    (make.type for make in MAKES),
    "private-key kubernetes-secret connection-password basic-auth password secret pin".split(),
    ["high-entropy", "own-pattern", "private"],
)
_SAID_ONCE = PERSONAL | {"high-entropy", "private", "private-key"}
"""What is known by its looks wherever it stands, or is no value."""
_IN_ADDRESSES = frozenset({"connection-password", "basic-auth"})
_OPENING = "[REDACTED: "
_PLACEHOLDER = re.compile(re.escape(_OPENING) + r"([a-z0-9-]{2,40})\]")
_MAX_ROUNDS = 8
_LOOKED_AT = 8_192


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
    secrets: Secrets = field(default=NO_SECRETS, repr=False, compare=False)
    """What was taken out, to be looked for in other texts of the same origin."""


class _InForce:
    """The rules of the user whose process this is."""

    rules = OwnRules()


def use_own_rules(rules: OwnRules) -> None:
    """Let `rules` hold for every text that this process redacts from now on."""
    _InForce.rules = rules


def redacted(text: str, known: Secrets = NO_SECRETS) -> Redaction:
    """`text` with each secret replaced by `[REDACTED: type]`; redacting it again changes nothing.

    A secret is taken out wherever it stands once it gave itself away, here or among those `known`.
    A replacement may lay bare another secret, so this goes on until a round finds none. A text that
    never comes to rest is dropped as a whole.
    """
    hits = _merged([*private_parts(text), *known.within(text)])
    kept = _Rewrite(text, hits)
    for _ in range(_MAX_ROUNDS):
        found = [kept.original(hit) for hit in _found(kept.text, _InForce.rules)]
        if not found:
            break
        hits = _merged([*hits, *found])
        hits = _merged([*hits, *_told(text, hits).within(text)])
        kept = _Rewrite(text, hits)
    else:
        hits = [Hit("secret", 0, len(text))]
        kept = _Rewrite(text, hits)
    findings = tuple(Finding(hit.type, (hit.start, hit.end)) for hit in hits)
    return Redaction(kept.text, findings, _nothing_left(kept.text), _told(text, hits))


@lru_cache(maxsize=4_096)
def _redacted_name(name: str, rules: OwnRules) -> str:
    return redacted(name).text


def redacted_name(name: str) -> str:
    """A name or an id that comes again and again, without what no file shall keep."""
    return _redacted_name(name, _InForce.rules)


def beginning(text: str, characters: int) -> str:
    """The first characters of a text, of one that is cut without secrets: of half a secret nobody
    knows that it is one."""
    if len(text) <= characters:
        return text
    return _whole_words(text[:_LOOKED_AT], _InForce.rules)[:characters]


@lru_cache(maxsize=512)
def _whole_words(text: str, rules: OwnRules) -> str:
    return redacted(text).text


def _told(text: str, hits: Iterable[Hit]) -> Secrets:
    """The secrets that stand at `hits`; a plain word is none because some address holds it."""
    return secrets_of(
        text,
        (
            hit
            for hit in hits
            if hit.type not in _SAID_ONCE
            and (hit.type not in _IN_ADDRESSES or password_like(text[hit.start : hit.end]))
        ),
    )


def _found(text: str, rules: OwnRules) -> list[Hit]:
    """Every secret of `text` in any of its readings; what was redacted before is not looked at."""
    hits = list[Hit]()
    text = _blanked_placeholders(text)
    for reading in readings(text):
        hits.extend(_in_place(reading, _detected(reading.data)))
        if (whole := joined(reading)) is not None:
            hits.extend(_in_place(whole, split_keys(whole)))
    if (foreign := translated(text)) is not None:
        for detector in (assigned_secrets, told_secrets):
            hits.extend(_in_place(foreign, detector(foreign.data)))
    hits.extend(rules.found(text))
    return _merged(hit for hit in hits if _counts(text[hit.start : hit.end], rules))


def _counts(value: str, rules: OwnRules) -> bool:
    """Whether what was found is more than what was redacted before, and not allowed."""
    return bool(value.strip("\0")) and not (rules.allow and rules.allows(value))


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


_LABELS = (
    frozenset(
        """
        a an and are as at by for from has have here in is it its key keys me my now of on or our
        set so that the this to use used uses using was with your password passwords passwd pass
        passphrase passcode pwd pin code secret secrets token tokens credential credentials creds
        login user username name email mail phone tel telephone mobile number cvv api apikey
        access auth authorization bearer basic id private public export const let var string
        header value
        """.split()
    )
    | WORDS
    | {word for type_ in _TYPES for word in type_.split("-")}
)
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
