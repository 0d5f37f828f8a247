"""What the text of a definition says without its syntax: signature, doc line, digest, indent."""

from __future__ import annotations

import hashlib
import re

_SIGNATURE_MAX = 200
_DOC_MAX = 200
_DIGEST_BYTES = 10
_DOCSTRING = re.compile(rb"[rRuUbBfF]{0,2}(\"\"\"|'''|\"|')\s*([^\n]*)")
_COMMENT = re.compile(r"^\s*(?:///?!?|/\*\*?|\*/?|#+:?|--|;+)\s?")
_ATTRIBUTE = (b"@", b"#[", b"[")
_COMMENT_START = (b"//", b"/*", b"*", b"#")
_WORDS = frozenset(bytes((code,)) for code in range(256) if chr(code).isalnum() or code in b"_$")
_BLANK = re.compile(rb"[ \t]*")
_OPENING = re.compile(rb"\{?\s*")
_LINES_ABOVE_MAX = 60


def folded(piece: bytes, limit: int = _SIGNATURE_MAX) -> str:
    """The text on one line with white space folded, cut at `limit`."""
    text = " ".join(piece[: limit * 8].decode("utf-8", "replace").split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def signature(source: bytes, start: int, body: int) -> str:
    """What stands before the body of a definition."""
    return folded(source[start:body]).rstrip("{:= ")


def digest(span: bytes, name: bytes) -> str:
    """Hash of a span without its white space and with its own name masked."""
    if name:
        span = _masked(span, name)
    bare = span.translate(None, b" \t\r\n\f")
    return hashlib.blake2b(bare, digest_size=_DIGEST_BYTES).hexdigest()


def _masked(span: bytes, name: bytes) -> bytes:
    """`span` with each `name` that stands as a word replaced."""
    parts = span.split(name)
    masked = parts[0]
    for part in parts[1:]:
        whole = masked[-1:] not in _WORDS and part[:1] not in _WORDS
        masked += (b"\0" if whole else name) + part
    return masked


def docstring(source: bytes, body: int) -> str:
    """The first line of the text that a body opens with."""
    found = _DOCSTRING.match(source, body)
    if found is None:
        return ""
    first = found[2].split(found[1])[0].strip()
    if not first and len(found[1]) == 3 and found[1] not in found[2]:
        first = source[found.end() : found.end() + 4 * _DOC_MAX].strip().split(b"\n")[0]
        first = first.split(found[1])[0]
    return folded(first, _DOC_MAX)


def comment_above(source: bytes, start: int) -> str:
    """The first line with words of the comment block directly above a definition."""
    first = ""
    end = source.rfind(b"\n", 0, start)
    for _ in range(_LINES_ABOVE_MAX):
        if end <= 0:
            break
        begin = source.rfind(b"\n", 0, end) + 1
        line = source[begin : min(end, begin + 4 * _DOC_MAX)].strip()
        if line.startswith(_COMMENT_START) and not line.startswith(b"#["):
            words = _COMMENT.sub("", line.decode("utf-8", "replace"))
            words = words.removesuffix("*/").strip()
            if words.startswith("!"):
                break
            first = words if words and not words.startswith("@") else first
        elif not line.startswith(_ATTRIBUTE):
            break
        end = begin - 1
    return folded(first.encode(), _DOC_MAX)


def indent(source: bytes, at: int) -> int:
    """The width of the white space that opens the line holding the byte `at`."""
    begin = source.rfind(b"\n", 0, at) + 1
    before = source[begin:at]
    left = before.lstrip(b" \t")
    if left:
        return len(before) - len(left)
    blank = _BLANK.match(source, at)
    return (blank.end() if blank else at) - begin


def first_in(source: bytes, body: int) -> int:
    """Where the first word of a body stands, after its brace and the white space."""
    opening = _OPENING.match(source, body)
    return opening.end() if opening else body
