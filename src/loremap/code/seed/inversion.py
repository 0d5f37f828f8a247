"""What turns a rule into its opposite: a heading, a lead or a mark that says `not like this`."""

from __future__ import annotations

import re

_INVERTING = re.compile(
    r"\b(?:don'?ts?|do not|never|avoid(?:ed|ing)?|bad|wrong|incorrect|anti-?patterns?|not to"
    r"|(?:should|must|may|can) ?not|shouldn't|mustn't|can't|forbidden|prohibited|not allowed"
    r"|mistakes?|discouraged|no longer|deprecated)\b|[❌✗✘🚫⛔👎]",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"(?:[^:`.]{2,40}:\s+)?(?:please\s+)?(?:never|do not|don't|no|not|avoid|must not)\b",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"\W{0,4}[❌✗✘🚫⛔👎]|\W{0,4}(?:also )?(?:wrong|bad|incorrect|don'?t|avoid)\W{0,3}\s*[-:–—]\s",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"^(?:also )?(?:wrong|bad|incorrect|good|correct|right|do|don'?t|avoid)\s*[-:–—]\s+",
    re.IGNORECASE,
)


def inverts(text: str) -> bool:
    """Whether what stands under `text` may be what is not to be done."""
    return _INVERTING.search(text.replace("’", "'")) is not None


def is_negative(text: str) -> bool:
    """Whether `text` says by itself that something is not to be done."""
    return _NEGATIVE.match(text.replace("’", "'")) is not None


def unmarked(raw: str, text: str) -> str:
    """`text` without a mark such as `Good:` before it; empty where `raw` marks it as wrong."""
    bare = _MARK.sub("", text)
    rejected = _REJECTED.match(raw.replace("’", "'")) is not None
    return "" if rejected and not is_negative(bare) else bare
