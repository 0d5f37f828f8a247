"""Personal data by its form: e-mail addresses, telephone numbers and payment cards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.safety.linear import Hit, matches, rare

_EMAIL = r"([A-Za-z0-9._%+-]+@[A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z]{2,24})(?:[^A-Za-z0-9]|$)"
_PHONE = rare(
    r"(?:^|[^A-Za-z0-9.+/=_#-])("
    r"\+[1-9][0-9]{0,2}[ .-]?\(?[0-9]{1,4}\)?(?:[ .-]?[0-9]{2,4}){2,5}"
    r"|\([2-9][0-9]{2}\) ?[2-9][0-9]{2}[ .-][0-9]{4}"
    r"|(?:1-)?[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}|(?:1\.)?[2-9][0-9]{2}\.[2-9][0-9]{2}\.[0-9]{4}"
    r")(?:[^A-Za-z0-9_-]|$)"
)
_CARD = rare(r"(?:^|[^A-Za-z0-9_.+-])([2-6](?:[ -]?[0-9]){12,18})(?:[^A-Za-z0-9_-]|$)")

_NOBODY = re.compile(r"(?:git|hg|svn|no-?reply|do-?not-?reply|ssh)@|.*@.*noreply", re.IGNORECASE)
_NO_DOMAIN = frozenset(
    """
    service socket timer mount target slice local internal localdomain lan invalid py js ts jsx
    tsx md git png jpg jpeg gif svg webp css scss html json yaml yml toml lock sh rs go rb java
    """.split()
)
_ISSUERS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}$|(?:5[1-5]|2[2-7])\d{14}$|3[47]\d{13}$|6(?:011|4[4-9]|5)\d{10,13}$"
    r"|35\d{14}$|3(?:0[0-5]|[68])\d{11,12}$|62\d{14,17}$"
)
_GROUPS = frozenset({(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3)})


def personal_data(data: bytes) -> Iterator[Hit]:
    """The e-mail addresses, telephone numbers and card numbers of `data`."""
    if b"@" in data:
        for _, (start, end) in matches(_EMAIL, data):
            if not _nobody(data, start, end):
                yield Hit("email", start, end)
    for _, (start, end) in matches(_CARD, data):
        if _card(data[start:end].decode("latin-1")) and not _column(data, start, end):
            yield Hit("card-number", start, end)
    for _, (start, end) in matches(_PHONE, data):
        if _phone(data[start:end].decode("latin-1")):
            yield Hit("phone", start, end)


def _nobody(data: bytes, start: int, end: int) -> bool:
    """Whether an address belongs to no person: a remote, a login in a URL, a unit, a file."""
    address = data[start:end].decode("latin-1")
    remote = re.match(rb":(?:[/~]|[\w.-]+/)", data[end : end + 80]) is not None
    before = data[max(0, start - 80) : start].rpartition(b"\n")[2]
    login = before.endswith(b"//") or re.search(rb"\b(?:ssh|scp|sftp|rsync)\s", before)
    return bool(
        remote
        or login
        or _NOBODY.match(address)
        or address.rpartition(".")[2].lower() in _NO_DOMAIN
    )


def _phone(text: str) -> bool:
    digits = sum(map(str.isdigit, text))
    return 10 <= digits <= 15 and (not text.startswith("+") or text.count(".") != 1)


def _card(text: str) -> bool:
    groups = tuple(map(len, re.split("[ -]", text)))
    digits = re.sub("[ -]", "", text)
    grouped = len(groups) == 1 or groups in _GROUPS
    return grouped and _ISSUERS.match(digits) is not None and _luhn(digits)


def _column(data: bytes, start: int, end: int) -> bool:
    """Whether more groups of four stand beside the number, as in a table of codes."""
    before = re.search(rb"[0-9A-Fa-f]{4}\s$", data[max(0, start - 5) : start])
    after = re.match(rb"\s[0-9A-Fa-f]{4}\b", data[end : end + 6])
    return before is not None or after is not None


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0
