"""Keys of a known make, on one line or broken over several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from loremap.safety.disguises import Reading
from loremap.safety.entropy import alphabet, made_of_words
from loremap.safety.linear import Hit, Span, Words, matches
from loremap.safety.secret_patterns import MAKES, Make
from loremap.safety.values import hash_or_id, masked, odd_case, random_looking

_BY_HINT = {
    hint: tuple(at for at, make in enumerate(MAKES) if hint in make.hints)
    for hint in {hint for make in MAKES for hint in make.hints}
}
_FAKE = re.compile(
    r"(?:^|[-_])your|placeholder|change_?me|x{8}|\.{4}|here$|EXAMPLE=?$|#{4}", re.IGNORECASE
)
_FILLING = "xX*.0_-#?a1"
_ELIDED = (b"...", b"***", b"###")
_REPEATED = re.compile(r"(.{2,5}?)\1{3,}")
_LEAST_REPEATED_SHARE = 0.5
_LOOKED_AT = 512
_CONTEXT = 80
"""More than any pattern reads before its key."""


def known_keys(data: bytes) -> Iterator[Hit]:
    """The keys of a known make in `data`."""
    return (
        Hit(make.type, *span) for make in _hinted(data) for span in _keys(make, make.pattern, data)
    )


def split_keys(whole: Reading) -> Iterator[Hit]:
    """The keys of a known make that line breaks ran through, in a reading without them."""
    for make in _hinted(whole.data):
        for start, end in _keys(make, make.body, whole.data):
            last = _extent(make, whole, start, end)
            if whole.joins_within(start, last) and _stands_apart(make, whole, start, last):
                yield Hit(make.type, start, last)


def _hinted(data: bytes) -> Iterator[Make]:
    """The makes of which a hint occurs in `data`."""
    hints = _hints().within(data.lower())
    return (MAKES[at] for at in sorted({at for hint in hints for at in _BY_HINT[hint]}))


def _keys(make: Make, pattern: str, data: bytes) -> Iterator[Span]:
    for spans in matches(pattern, data):
        value = data[spans[-1][0] : spans[-1][1]].decode("latin-1")
        elided = data[spans[-1][1] : spans[-1][1] + 3] in _ELIDED
        if not elided and not _fake(value) and (not make.loose or _random(value)):
            yield spans[-1]


@cache
def _hints() -> Words:
    return Words(_BY_HINT)


def _fake(key: str) -> bool:
    """Whether a key is one that people write to show where a key goes."""
    return masked(key, _FILLING) or alphabet(key) or _repeats(key) or _FAKE.search(key) is not None


def _repeats(key: str) -> bool:
    """Whether most of a key is one short piece over and over, as in `123123123123`."""
    found = _REPEATED.search(key[:_LOOKED_AT])
    if found is None or len(set(found.group(1))) == 1:
        return False  # one sign over and over is a mask, and not each sign is
    return len(found.group()) >= _LEAST_REPEATED_SHARE * len(key)


def _random(value: str) -> bool:
    """Whether what a loose pattern found is a key, and neither words nor a digest behind a word, as
    in `favicon.ico-` and a digest."""
    return random_looking(value) and not hash_or_id(value.partition("-")[2])


def _extent(make: Make, whole: Reading, start: int, end: int) -> int:
    """Where a key ends: past its least length, a line must look like more of it to belong to it."""
    edges = [*whole.joins_within(start, end), end]
    first = next((at for at, edge in enumerate(edges) if _complete(make, whole, start, edge)), -1)
    last = edges[first]
    for edge in edges[first + 1 :] if first >= 0 else ():
        line = whole.data[last:edge]
        another = any(hint in line.lower() for hint in make.hints)
        name = edge == end and whole.data[end : end + 1] in (b"=", b":", b"(")
        if another or name or _reads_as_words(line.decode("latin-1")):
            break
        last = edge
    return last


def _reads_as_words(line: str) -> bool:
    return made_of_words(line) and not odd_case(line) and not line.endswith("=")


def _complete(make: Make, whole: Reading, start: int, edge: int) -> bool:
    """Whether what stands between `start` and `edge` is already a key of that make."""
    context = max(0, start - _CONTEXT)
    key = (start - context, edge - context)
    return any(spans[-1] == key for spans in matches(make.body, whole.data[context:edge]))


def _stands_apart(make: Make, whole: Reading, start: int, end: int) -> bool:
    """Whether a key begins and ends as its make wants, where the edge of a line counts as apart."""
    if make.pattern == make.body:
        return True
    before = whole.data[start - 1 : start] if not whole.starts_line(start) else b""
    after = whole.data[end : end + 1] if not whole.starts_line(end) else b""
    return not before.isalnum() and not after.isalnum()
