"""Passwords on the way to a server: in addresses, in connection strings and on command lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.safety.commands import command_secrets
from loremap.safety.linear import Hit, matches, rare
from loremap.safety.values import hash_or_id, masked, password_like, stands_in, token_like

_URL = r"""[A-Za-z][A-Za-z0-9+.-]*://[^\s:/@"'`<>]*:([^\s/@"'`<>]+(?:@[^\s/@"'`<>]+)*)@[^\s"'/@]"""
_STORE_URL = (
    r"(?i:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|cockroachdb|clickhouse"
    r"|couchbase|nats|kafka|ldaps?|s?ftp|smtps?|imaps?)(?:\+[a-z0-9]{2,20})?://"
    r"""[^\s:/@"'`<>]*:([^\s"'`<>]+)@[^\s"'/@]"""
)
_URL_TOKEN = r"""[A-Za-z][A-Za-z0-9+.-]*://([A-Za-z0-9_.~%-]{16,})@[^\s"'/@]"""
_FLAG = rare(
    r"""(?:^|[\s"'])--?(?:[a-z0-9]+-)*(password|passwd|pass|passphrase|token|secret|api-key|apikey"""
    r"""|access-key|secret-key)(?:\s{1,3}|=)(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'-][^\s"']*))"""
)
_IDENTIFIED = rare(r"""(?i:identified by)\s{1,3}["']?([^\s"'-][^\s"';]{2,})""")
_REFERENCE = re.compile(r"\$\{?\w+\}?|\$\(.*|\{\{?[^}]*\}?\}|<[^>]*>|%\w+%?|\[[^\]]*\]|\.{3}|\*+")


def connection_secrets(data: bytes) -> Iterator[Hit]:
    """The passwords that `data` sends along with an address or a command."""
    if b"://" in data:
        yield from _in_urls(data)
    yield from command_secrets(data)
    yield from _in_long_options(data)


def _in_urls(data: bytes) -> Iterator[Hit]:
    for pattern in (_STORE_URL, _URL):
        for _, (start, end) in matches(pattern, data):
            if not _referred(data[start:end].decode("latin-1")):
                yield Hit("connection-password", start, end)
    for _, (start, end) in matches(_URL_TOKEN, data):
        token = data[start:end].decode("latin-1")
        if hash_or_id(token) or token_like(token):
            yield Hit("connection-password", start, end)


def _in_long_options(data: bytes) -> Iterator[Hit]:
    for _, flag, *values in matches(_FLAG, data):
        quoted = values[2][0] < 0
        start, end = next(span for span in values if span[0] >= 0)
        value = data[start:end].decode("latin-1")
        value = value if quoted else value.rstrip(".,;:)")
        if stands_in(value):
            continue
        of_password = data[flag[0] : flag[1]].startswith(b"pass")
        whole = quoted and len(value) >= 3
        if (whole or password_like(value)) if of_password else token_like(value):
            yield Hit("password" if of_password else "secret", start, start + len(value))
    for _, (start, end) in matches(_IDENTIFIED, data):
        if password_like(value := data[start:end].decode("latin-1")) and not stands_in(value):
            yield Hit("password", start, end)


def _referred(password: str) -> bool:
    """Whether the password of an address is a variable or a mask; `password` itself is hidden."""
    return (
        not password.strip("\0") or masked(password) or _REFERENCE.fullmatch(password) is not None
    )
