"""Passwords, PINs and keys that a sentence gives away."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from loremap.model.words import STOP_WORDS
from loremap.safety.linear import Hit, Span, matches, rare, run_end
from loremap.safety.values import (
    computed,
    hash_or_id,
    identifier,
    passphrase,
    password_like,
    stands_in,
    token_like,
)

_APART = r"(?:^|[^A-Za-z0-9_.-])"
_PASSWORD = r"(?i:pass(?:word|wd|phrase|code)|pwd|pw)"
_KEY = (
    r"(?i:(?:api|access|secret|private|encryption|signing|auth|license)[ -]key|token|secret|apikey)"
)
_FILLER = r"(?:[A-Za-z0-9 _/()'\"`@-]|\.[A-Za-z0-9]){0,60}?"
_STILL = r"(?:\s(?i:now|still|just|simply))?"
_GIVES = "|".join(
    (
        r"\s{1,3}(?i:(?:(?:is|was|be|been|got)\s)?(?:set|changed|reset|updated|rotated)\sto)\s{1,3}",
        rf"\s{{1,3}}(?i:is|was|are|to|be|became|being|equals){_STILL}:?[ \t]{{1,3}}",
        rf"['?]s{_STILL}[ \t]{{1,3}}",  # a curly apostrophe reads as ?
        r"[ \t]{1,2}(?:-{1,2}>?|=>)[ \t]{1,2}",
        r"[*_`]{0,3}[ \t]{0,2}[:=]{1,2}>?[*_`]{0,3}[ \t]{0,3}",
    )
)
_SAID = r"""(["'`*]{0,3})([^\s"'`]{1,300})"""
_LONGEST = 300

_PASSWORD_IS = rare(rf"{_APART}({_PASSWORD})s?\b{_FILLER}(?:{_GIVES}){_SAID}")
_PASSWORD_THEN = rare(rf"{_APART}({_PASSWORD})[ \t]{{1,3}}{_SAID}")
_KEY_IS = rare(rf"{_APART}({_KEY})\b{_FILLER}(?:{_GIVES}){_SAID}")
_KEY_THEN = rare(rf"{_APART}({_KEY})[ \t]{{1,3}}{_SAID}")
_IS_PASSWORD = rare(
    rf"""(?:^|[\s"'`(])([^\s"'`]{{4,}})["'`]?\s(?i:is|was)\s(?i:the|my|our|your|its|a)\s"""
    rf"""(?:[A-Za-z0-9_-]{{1,20}}\s){{0,3}}{_PASSWORD}\b"""
)
_PHRASE = rare(
    rf"{_APART}(?i:passphrase|(?:seed|recovery|secret) phrase|mnemonic)(?:{_GIVES})"
    r"""["'`*]*((?:[A-Za-z]{2,12}[ -]){3,23}[A-Za-z]{2,12})"""
)
_PIN = rare(
    r"\b(?:PIN|(?i:pin[ -]?code|passcode|door code|unlock code|security code))\b"
    rf"{_FILLER}(?:{_GIVES})[\"'`*]*([0-9]{{3,8}})(?:[^0-9A-Za-z]|$)"
)
_CARD_CODE = rare(
    r"\b(?i:cvv|cvc|cvv2|cvc2)\b(?:[ \t]?[:=]?[ \t]?|\s(?i:is)\s)([0-9]{3,4})(?:[^0-9A-Za-z]|$)"
)
_LOGIN = rare(
    r"\b(?i:credentials?|creds|login|log in|logged in|sign in)\b[A-Za-z0-9 ]{0,30}?"
    r"""(?:\s(?i:is|are|with|as|using)|:)\s{1,3}["'`]?[A-Za-z0-9_.@+-]{1,60}["'`]?"""
    r"""\s{0,2}[/:|]\s{0,2}["'`]?([^\s"'`,;]{4,})"""
)

_NOTORIOUS = frozenset(
    """
    swordfish letmein qwerty qwertyuiop qwertz azerty iloveyou monkey dragon sunshine princess
    football baseball superman batman shadow master welcome opensesame trustno1 admin
    administrator root toor guest changeme changeit hunter sesame mellon abcdef supersecret
    topsecret correcthorsebatterystaple
    """.split()
)
_TRAILING = ".,;:!?)]}*_"
_HOW = re.compile(
    r"(?:sha|md|bcrypt|argon|pbkdf|aes|base|utf|oauth|http|rs|hs|es|v|step|level|row|line|col|type"
    r"|rfc)-?\d+\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[_./\\(:]|pass|token|key", re.IGNORECASE)


def told_secrets(data: bytes) -> Iterator[Hit]:
    """The secrets that the sentences of `data` tell."""
    for _, phrase in matches(_PHRASE, data):
        if STOP_WORDS.isdisjoint(_text(data, phrase).lower().split()):
            yield Hit("password", *phrase)
    for pattern, told in (
        (_PASSWORD_IS, _told_password),
        (_PASSWORD_THEN, _told_next),
        (_KEY_IS, _told_key),
        (_KEY_THEN, _told_key),
    ):
        yield from _told(pattern, told, data)
    for pattern in (_IS_PASSWORD, _LOGIN):
        for _, (start, end) in matches(pattern, data):
            value = _text(data, (start, end)).rstrip(_TRAILING)
            if password_like(value) and not stands_in(value) and _HOW.match(value) is None:
                yield Hit("password", start, start + len(value))
    for pattern in (_PIN, _CARD_CODE):
        for _, span in matches(pattern, data):
            yield Hit("pin", *span)


def _told(pattern: str, told: Callable[..., bool], data: bytes) -> Iterator[Hit]:
    """The words that a pattern leads to and that `told` takes for a secret."""
    type_ = "secret" if told is _told_key else "password"
    taken = 0
    for _, noun, quote, (start, end) in matches(pattern, data, resume=lambda spans: spans[1][1]):
        value = _text(data, (start, end)).rstrip(_TRAILING)
        quoted = quote[0] < quote[1]
        if noun[0] < taken or data[start:end].endswith(b"..."):
            continue
        if quoted and (words := _words_to(data, quote[1] - 1, end)) > end:
            if type_ == "password" and passphrase(_text(data, (start, words))):
                taken = words
                yield Hit(type_, start, words)
            continue
        if _said_of_it(value, quoted=quoted):
            continue
        if told(value, quoted=quoted, counts=_counts(data, end)):
            taken = start + len(value)
            taken = run_end(data, taken) if end - start == _LONGEST else taken
            yield Hit(type_, start, taken)


def _words_to(data: bytes, quote: int, end: int) -> int:
    """Where a quote of several words closes on its line, or -1 if it is of one word."""
    if data[end : end + 1] not in (b" ", b"\t"):
        return -1
    line = data[end : end + _LONGEST].partition(b"\n")[0]
    closing = line.find(data[quote : quote + 1])
    return end + closing if closing >= 0 else -1


def _text(data: bytes, span: Span) -> str:
    return data[span[0] : span[1]].decode("latin-1")


def _told_password(value: str, *, quoted: bool, counts: bool) -> bool:
    plain = value.lower() in _NOTORIOUS or (quoted and len(value) >= 4 and value.isalnum())
    number = value.isdigit() and len(value) >= 4 and not counts
    return plain or number or password_like(value)


def _told_next(value: str, *, quoted: bool, counts: bool) -> bool:
    """Whether the word right after `password` is one, as in `with password hunter2`."""
    if not quoted and (value.isdigit() or _NAME.search(value) is not None):
        return False
    return _told_password(value, quoted=quoted, counts=counts)


def _told_key(value: str, *, quoted: bool, counts: bool) -> bool:
    return hash_or_id(value) or token_like(value, least=10)


def _said_of_it(value: str, *, quoted: bool) -> bool:
    """Whether a sentence goes on to say something of a secret instead of giving it away."""
    code = not quoted and (computed(value) or ("." in value and identifier(value)))
    return not value or "\0" in value or code or stands_in(value) or _HOW.match(value) is not None


def _counts(data: bytes, end: int) -> bool:
    """Whether a number is followed by what it counts, as in `the password is 1024 bytes`."""
    return re.match(rb"[ ]?[A-Za-z%]", data[end : end + 2]) is not None
