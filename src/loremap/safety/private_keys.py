"""Blocks of armoured keys: private ones to hide, public ones to leave alone."""

from __future__ import annotations

from collections.abc import Iterator

from loremap.safety.linear import Hit, Span, compiled, matches

_MARK = (
    r"-{4,5} ?(BEGIN|END) ([A-Z0-9 ]{0,40})"
    r"(PRIVATE KEY|PUBLIC KEY|CERTIFICATE|PGP MESSAGE|SIGNATURE|ENCRYPTED FILE)[A-Z ]{0,20}-{4,5}"
)
_BODY = (
    r"(?:(?:\s|\\[nrt]|[>#*|\"'+,`])*(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash): ?[^\n]{0,100}"
    r"|[A-Za-z0-9+/=]{16,}))+(?:[\s>]{0,8}[A-Za-z0-9+/]{1,15}={1,2})?"
)
_PUTTY = r"Private-Lines: [0-9]{1,4}((?:\s+[A-Za-z0-9+/=]{16,})+)"
_LEAST_BODY = 32


def private_keys(data: bytes) -> Iterator[Hit]:
    """The private key blocks of `data`, each to its last mark or to where it breaks off."""
    for kind, start, end in _blocks(data):
        if kind == b"PRIVATE KEY":
            yield Hit("private-key", start, end)
    if b"Private-Lines" in data:
        for _, (start, end) in matches(_PUTTY, data):
            yield Hit("private-key", start, end)


def public_blocks(data: bytes) -> list[Span]:
    """The spans of certificates, public keys, signatures and what is encrypted."""
    return [(start, end) for kind, start, end in _blocks(data) if kind != b"PRIVATE KEY"]


def _blocks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    if b"BEGIN" not in data:
        return
    marks = [
        (data[side[0] : side[1]], data[kind[0] : kind[1]], whole)
        for whole, side, _, kind in matches(_MARK, data)
    ]
    for at, (side, kind, (start, body)) in enumerate(marks):
        if side != b"BEGIN":
            continue
        closing = marks[at + 1] if at + 1 < len(marks) else None
        if closing is not None and closing[0] == b"END":
            if len(b"".join(data[body : closing[2][0]].split())) >= _LEAST_BODY:
                yield kind, start, closing[2][1]
        elif (cut := compiled(_BODY).match(data, body)) is not None:
            yield kind, start, cut.end()
