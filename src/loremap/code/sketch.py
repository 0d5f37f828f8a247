"""A piece of code or text without its layout: its tokens, their hash, and a sketch of them.

Two spans are the same when their tokens are: white space never counts, nor do the names the span
itself defines (a rename changes nothing), nor what formatters put in and take out by themselves.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

_TOKEN = re.compile(r"[^\W\d]\w*|\d\w*|[^\w\s]")
_TRAILING_COMMA = re.compile(r",(?=\s*\n\s*[)\]}])")
_LINE_END_SEMICOLON = re.compile(r";(?=[ \t\r]*(?:\n|$|\}))")
_EITHER_QUOTE = frozenset({"python", "javascript", "typescript", "tsx"})
"""Where a text means the same in either quotes."""
_FREE_SEMICOLON = frozenset({"javascript", "typescript", "tsx", "kotlin", "scala", "swift"})
_TOGETHER = 3
"""Tokens of which the sample is made: so many in a row."""
_KEPT = 48
_VERSION = "1"
_SPREAD = 0x9E3779B1
"""Spreads the checksums, so that the least of them are a fair sample."""


def tokens(text: str, *, names: Sequence[str] = (), language: str = "") -> list[str]:
    """The tokens of a span in which each of `names` stands for itself whatever it is called."""
    plain = _TRAILING_COMMA.sub("", text)
    if language in _FREE_SEMICOLON:
        plain = _LINE_END_SEMICOLON.sub("", plain)
    if language in _EITHER_QUOTE:
        plain = plain.replace("'", '"')
    masks = {name: f"\0{place}" for place, name in enumerate(reversed(names))}
    return [masks.get(token, token) for token in _TOKEN.findall(plain)]


@dataclass(frozen=True)
class Sketch:
    """What is kept of a span: its hash, and the least of its hashed token triples."""

    digest: str
    sample: tuple[int, ...]
    """In rising order; all of them where there are few."""
    rival: float = 0.0
    """How like the most similar other span was when the sketch was taken."""
    twins: int = 0
    """How many other spans said just the same then."""
    namesakes: int = 0
    """How many others in the project had its name then."""

    @cached_property
    def members(self) -> frozenset[int]:
        """The sample, to be compared."""
        return frozenset(self.sample)

    def at_most(self, other: Sketch) -> float:
        """What `likeness` cannot exceed, told several times faster."""
        longer = max(len(self.sample), len(other.sample), 1)
        return len(self.members & other.members) / longer

    def likeness(self, other: Sketch) -> float:
        """Estimated share of token triples that two spans have in common (Jaccard)."""
        if self.digest == other.digest:
            return 1.0
        shared = self.members & other.members
        if not shared:
            return 0.0
        sampled = sorted(self.members | other.members)
        if len(self.sample) >= _KEPT or len(other.sample) >= _KEPT:
            sampled = sampled[:_KEPT]
        return len(shared.intersection(sampled)) / len(sampled)


def sketch_of(said: Sequence[str]) -> Sketch:
    """The sketch of a span's tokens."""
    digest = hashlib.sha256("\n".join(said).encode("utf-8", "replace")).hexdigest()[:32]
    rows = zip(*(said[start:] for start in range(min(_TOGETHER, len(said)))), strict=False)
    hashed = {
        zlib.crc32("\n".join(row).encode("utf-8", "replace")) * _SPREAD & 0xFFFFFFFF for row in rows
    }
    return Sketch(digest, tuple(sorted(hashed)[:_KEPT]))


def written(sketch: Sketch) -> str:
    """`sketch` as text for the store."""
    packed = struct.pack(f">{len(sketch.sample)}I", *sketch.sample)
    sample = base64.b64encode(packed).decode()
    return (
        f"{_VERSION}:{sketch.digest}:{sketch.rival:.3f}:{sketch.twins}:{sketch.namesakes}:{sample}"
    )


def read(text: str) -> Sketch | None:
    """The sketch that `written` wrote; None for one of another version."""
    parts = text.split(":")
    if len(parts) != 6 or parts[0] != _VERSION:
        return None
    packed = base64.b64decode(parts[5])
    sample = struct.unpack(f">{len(packed) // 4}I", packed)
    return Sketch(parts[1], sample, float(parts[2]), int(parts[3]), int(parts[4]))
