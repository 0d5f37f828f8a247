"""Texts fit to keep: without secrets, without signs that steer a terminal, cut short."""

from __future__ import annotations

from functools import lru_cache

from loremap.model.text import visible
from loremap.safety.redaction import redacted

RESULT_HEAD, RESULT_TAIL = 500, 700
"""Of a long result its beginning and, as errors stand there, more of its end."""
LOOKED_AT = 8_192
"""How much of a text is looked at for secrets, so that none is cut in two at the short end."""


def clean(text: str) -> str:
    """A text fit to keep: without secrets, without signs that steer a terminal."""
    if not text:
        return ""
    if len(text) > LOOKED_AT:
        # The last words may be one half of a secret.
        text = text[:LOOKED_AT].rsplit(maxsplit=1)[0]
    return redacted(visible(text)).text


@lru_cache(maxsize=4_096)
def name_kept(name: str) -> str:
    """A name, an id or a path, fit to keep."""
    return clean(name)[:1_000]


def shortened(result: str) -> str:
    """The beginning and the end of what came of a call, fit to keep."""
    if len(result) > 2 * LOOKED_AT:
        head = result[:LOOKED_AT].rsplit(maxsplit=1)[0]
        tail = result[-LOOKED_AT:].split(maxsplit=1)[-1]
        result = f"{head}\n…\n{tail}"
    whole = redacted(visible(result)).text.strip() if result else ""
    if len(whole) <= RESULT_HEAD + RESULT_TAIL:
        return whole
    return f"{whole[:RESULT_HEAD]}\n…\n{whole[-RESULT_TAIL:]}"


def cut_bytes(text: str, most: int) -> str:
    """As much of `text` as fits into `most` bytes of UTF-8."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
