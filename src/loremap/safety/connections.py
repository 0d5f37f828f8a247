"""Passwords on the way to a server: in addresses, in connection strings and on command lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.safety.linear import Hit, Span, matches
from loremap.safety.values import hash_or_id, masked, password_like, stands_in, token_like

_URL = r"""[A-Za-z][A-Za-z0-9+.-]*://[^\s:/@"'`<>]*:([^\s/@"'`<>]+(?:@[^\s/@"'`<>]+)*)@[^\s"'/@]"""
_STORE_URL = (
    r"(?i:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|cockroachdb|clickhouse"
    r"|couchbase|nats|kafka|ldaps?|s?ftp|smtps?|imaps?)(?:\+[a-z0-9]{2,20})?://"
    r"""[^\s:/@"'`<>]*:([^\s"'`<>]+)@[^\s"'/@]"""
)
_URL_TOKEN = r"""[A-Za-z][A-Za-z0-9+.-]*://([A-Za-z0-9_.~%-]{16,})@[^\s"'/@]"""
_CURL_USER = r"""\s(?:-u|--user)(?:=|\s{0,5})["']?([^\s:"']*):["']?([^\s"']*)"""
_FLAG = (
    r"""(?:^|[\s"'])--?(?:[a-z0-9]+-)*(password|passwd|pass|passphrase|token|secret|api-key|apikey"""
    r"""|access-key|secret-key)\s{1,3}(["']?)([^\s"'-][^\s"']*)"""
)
_TOOL = (
    r"""(?:sshpass\s{1,3}-p\s{0,3}|mysql\S*\s(?:[^\n|;]*?\s)?-p|(?i:identified by)\s{1,3})"""
    r"""["']?([^\s"'-][^\s"';]{2,})"""
)
_REFERENCE = re.compile(r"\$\{?\w+\}?|\$\(.*|\{\{?[^}]*\}?\}|<[^>]*>|%\w+%?|\[[^\]]*\]|\.{3}|\*+")


def connection_secrets(data: bytes) -> Iterator[Hit]:
    """The passwords that `data` sends along with an address or a command."""
    if b"://" in data:
        yield from _in_urls(data)
    if b"curl" in data:
        for _, user, password in matches(_CURL_USER, data):
            yield from _curl(data, user, password)
    yield from _on_command_lines(data)


def _in_urls(data: bytes) -> Iterator[Hit]:
    for pattern in (_STORE_URL, _URL):
        for _, (start, end) in matches(pattern, data):
            if not _referred(data[start:end].decode("latin-1")):
                yield Hit("connection-password", start, end)
    for _, (start, end) in matches(_URL_TOKEN, data):
        token = data[start:end].decode("latin-1")
        if hash_or_id(token) or token_like(token):
            yield Hit("connection-password", start, end)


def _curl(data: bytes, user: Span, password: Span) -> Iterator[Hit]:
    login = data[user[0] : user[1]].decode("latin-1")
    said = data[password[0] : password[1]].decode("latin-1")
    if login.startswith("<"):
        return
    if len(said) >= 3 and not stands_in(said) and not _referred(said):
        yield Hit("basic-auth", *password)
    elif not said and password_like(login) and not stands_in(login):
        yield Hit("basic-auth", *user)


def _on_command_lines(data: bytes) -> Iterator[Hit]:
    for _, flag, quote, (start, end) in matches(_FLAG, data):
        value = data[start:end].decode("latin-1").rstrip(".,;:)")
        if stands_in(value):
            continue
        of_password = data[flag[0] : flag[1]].startswith(b"pass")
        quoted = quote[1] > quote[0] and len(value) >= 3
        if (quoted or password_like(value)) if of_password else token_like(value):
            yield Hit("password" if of_password else "secret", start, start + len(value))
    for _, (start, end) in matches(_TOOL, data):
        if password_like(value := data[start:end].decode("latin-1")) and not stands_in(value):
            yield Hit("password", start, end)


def _referred(password: str) -> bool:
    """Whether the password of an address is a variable or a mask; `password` itself is hidden."""
    return (
        not password.strip("\0") or masked(password) or _REFERENCE.fullmatch(password) is not None
    )
