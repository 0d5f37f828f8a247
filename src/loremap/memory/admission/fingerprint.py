"""The fingerprint of a text: blind to case, white space and Unicode form."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_SPACE = re.compile(r"\s+")


def normalised(text: str) -> str:
    """`text` as the fingerprint sees it."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return _SPACE.sub(" ", folded).strip()


def fingerprint(text: str, *, session_id: str | None = None) -> str:
    """SHA-256 of the normalised text; a session's own memory is told apart by its session."""
    said = normalised(text) if session_id is None else f"{session_id}\n{normalised(text)}"
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
