"""Texts fit to keep: without secrets, without signs that steer a terminal, cut short."""

from __future__ import annotations

from loremap.model.text import visible
from loremap.safety.echoes import NO_SECRETS, Secrets
from loremap.safety.private_parts import without_private
from loremap.safety.redaction import redacted, redacted_name

RESULT_HEAD, RESULT_TAIL = 500, 700
"""Of a long result its beginning and, as errors stand there, more of its end."""
LOOKED_AT = 8_192
"""How much of a text is looked at for secrets, so that none is cut in two at the short end."""


def clean(text: str, known: Secrets = NO_SECRETS) -> str:
    """A text fit to keep: without secrets, those `known` among them, without signs that steer a
    terminal."""
    if not text:
        return ""
    text = without_private(text)
    if len(text) > LOOKED_AT:
        # The last words may be one half of a secret.
        text = text[:LOOKED_AT].rsplit(maxsplit=1)[0]
    return redacted(visible(text), known).text


def name_kept(name: str, known: Secrets = NO_SECRETS) -> str:
    """A name, an id or a path, fit to keep."""
    if known or len(name) > LOOKED_AT:
        return clean(name, known)[:1_000]
    return redacted_name(visible(name))[:1_000]


def shortened(result: str, known: Secrets = NO_SECRETS) -> str:
    """The beginning and the end of what came of a call, fit to keep."""
    result = without_private(result)
    if len(result) > 2 * LOOKED_AT:
        head = result[:LOOKED_AT].rsplit(maxsplit=1)[0]
        tail = result[-LOOKED_AT:].split(maxsplit=1)[-1]
        result = f"{head}\n…\n{tail}"
    whole = redacted(visible(result), known).text.strip() if result else ""
    if len(whole) <= RESULT_HEAD + RESULT_TAIL:
        return whole
    return f"{whole[:RESULT_HEAD]}\n…\n{whole[-RESULT_TAIL:]}"


def cut_bytes(text: str, most: int) -> str:
    """As much of `text` as fits into `most` bytes of UTF-8."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
