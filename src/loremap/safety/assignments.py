"""Values given to names that call themselves secret, in settings, code, headers and markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.safety.entropy import alphabet
from loremap.safety.linear import Hit, Span, matches, rare, run_end
from loremap.safety.names import Kind, kind_of
from loremap.safety.values import (
    computed,
    hash_or_id,
    identifier,
    passphrase,
    password_like,
    stands_in,
    token_like,
)

_NAME = (
    r"([A-Za-z0-9_.$-]*"
    r"(?i:pass|pwd|secret|token|key|cred|auth|cookie|session|kennwort|senha)"
    r"[A-Za-z0-9_.-]*)"
)
_VALUE = (
    r"""(?:\s{0,8}\\?"([^"\n]+)|\s{0,8}\\?'([^'\n]+)|\s{0,8}\\?`([^`\n]+)"""
    r"""|([^\s"'`,;(){}<>|\\]{1,300}))"""
)
_TYPE = r"(?::\s{0,2}[A-Za-z_][A-Za-z0-9_.\[\]?|]{0,30}|\s(?:string|String|str))"
_OPERATOR = r"[:?|+.!]{0,3}={1,3}>?|:|\|\|"
_ASSIGNED = rare(
    rf"{_NAME}(?:{_TYPE}[ \t]{{0,8}}=|[\\\"'`\])]{{0,4}}[ \t]{{0,8}}(?:{_OPERATOR}))"
    rf"[ \t]{{0,8}}{_VALUE}"
)
_BACKTICKS, _BARE = 2, 3
_ARGUMENT = rare(_NAME + r"""\\?["'`]\s{0,2},\s{0,4}\\?["'`]([^"'`\s]+)""")
_ELEMENT = rare("<" + _NAME + r"(?:\s[^<>\n]{0,80})?>\s{0,20}([^<>\s]+)\s{0,20}</")
_PAIR = rare(
    r"""(?i:name|key|id)\\?["']?\s{0,2}[=:]\s{0,2}\\?["']"""
    + _NAME
    + r"""\\?["'][,;]?\s{1,20}\\?["']?(?i:value)\\?["']?\s{0,2}[=:]\s{0,2}\\?["']([^"'\s]+)"""
)


def assigned_secrets(data: bytes) -> Iterator[Hit]:
    """The secret values that `data` gives to names."""
    taken = 0
    for _, name, *values in matches(_ASSIGNED, data, resume=lambda spans: spans[1][1]):
        which, span = next((i, value) for i, value in enumerate(values) if value[0] >= 0)
        command = which == _BACKTICKS and len(data[span[0] : span[1]].split()) > 1
        if command or name[0] < taken:
            continue
        for hit in _judged(data, name, span, quoted=which != _BARE):
            taken = hit.end if hit.end < span[1] else run_end(data, hit.end)
            yield Hit(hit.type, hit.start, taken)
    for pattern, quoted in ((_ARGUMENT, False), (_ELEMENT, True), (_PAIR, True)):
        for _, name, span in matches(pattern, data):
            yield from _judged(data, name, span, quoted=quoted)


def _judged(data: bytes, name: Span, span: Span, *, quoted: bool) -> Iterator[Hit]:
    called = data[name[0] : name[1]].decode("latin-1")
    kind = kind_of(called)
    if kind is Kind.NONE:
        return
    value = data[span[0] : span[1]].decode("latin-1")
    if value.endswith("..."):
        return
    if not quoted:
        value = _cut(value, in_query=data[max(0, name[0] - 1) : name[0]] in (b"?", b"&"))
    value = value.rstrip("\\")
    if not value.strip("\0") or stands_in(value) or _spells(value, called):
        return
    code = computed(value) or _passed_on(value)
    if not quoted and (data[span[1] : span[1] + 1] == b"(" or code):
        return
    close = data[name[1] : name[1] + 1] == b"="
    listed = data[max(0, name[0] - 2) : name[0]].rstrip(b" ").endswith(b";")
    if _secret(kind, value, sure=close and (called.isupper() or listed), quoted=quoted):
        yield Hit(_TYPES[kind], span[0], span[0] + len(value))


_TYPES = {Kind.WEAK: "secret", Kind.TOKEN: "secret", Kind.PASSWORD: "password"}


def _cut(value: str, *, in_query: bool) -> str:
    """A bare value without what ends a sentence or a query's parameter."""
    if in_query:
        value = re.split("[&#]", value, maxsplit=1)[0]
    return value.rstrip(".,:!?)]*_")


def _secret(kind: Kind, value: str, *, sure: bool, quoted: bool) -> bool:
    """Whether a value that stands in for nothing is the secret its name speaks of."""
    spaced = any(map(str.isspace, value))
    if kind is Kind.WEAK:
        plain = spaced or hash_or_id(value) or (not quoted and _variable(value)) or alphabet(value)
        return token_like(value, least=18) and not plain
    if kind is Kind.TOKEN:
        if alphabet(value):
            return False
        if spaced:
            return sure
        random = hash_or_id(value) or token_like(value)
        return (random and (quoted or not _variable(value))) or (sure and _chosen(value))
    if spaced:
        return sure or _APP_PASSWORD.match(value) is not None or passphrase(value)
    if sure or quoted:
        return len(value) >= (4 if value.isdigit() else 3)
    number = value.isdigit() and len(value) >= 5
    return (number or password_like(value)) and not _variable(value)


_APP_PASSWORD = re.compile(r"(?:[a-z]{4} ){3}[a-z]{4}$")
_CONSTANT = re.compile(r"_|[A-Z][A-Z0-9]*_[A-Z0-9_]+$")
_NAMED_SECRET = re.compile("pass|pwd|secret|token|key|user|cred|auth", re.IGNORECASE)


def _variable(value: str) -> bool:
    """Whether a bare value is the name of a variable, as in `password=password2`."""
    return identifier(value) and (
        "." in value
        or _CONSTANT.match(value) is not None
        or _NAMED_SECRET.search(value) is not None
    )


def _passed_on(value: str) -> bool:
    """Whether a bare value is a name for a secret, as in `HTTP_AUTHORIZATION=auth_header`."""
    return "_" in value and identifier(value) and _NAMED_SECRET.search(value) is not None


def _spells(value: str, name: str) -> bool:
    """Whether a value only spells its name, as in `NEW_PASSWORD = "new-password"`."""
    letters = re.sub(r"[\W_]", "", value).lower()
    return re.sub(r"[\W_]", "", name).lower().endswith(letters) and letters.isalpha()


def _chosen(value: str) -> bool:
    """A secret that a person chose for a setting; numbers and switches are none."""
    return len(value) >= 6 and any(map(str.isalpha, value)) and "=" not in value
