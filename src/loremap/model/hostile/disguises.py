"""Other readings of a text: what it says once a disguise is taken off it."""

from __future__ import annotations

import base64
import binascii
import html
import re
import string
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from loremap.model.text import visible

LONGEST = 20_000
"""Characters of a text that are looked at for disguises."""
_BASE64 = re.compile(r"(?<![\w+/-])[A-Za-z0-9+/_-]{20,}={0,2}(?![\w+/-])")
_HEX = re.compile(
    r"(?<![\w-])(?:0x)?(?:[0-9a-fA-F]{2}[ :]?){12,}(?![\w-])|(?:\\x[0-9a-fA-F]{2}){6,}"
)
_ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4}){4,}")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}){4,}|(?:[\w.,]+%20){3,}[\w.,]+")
_ENTITIES = re.compile(r"(?:&#x?[0-9a-fA-F]{2,6};){4,}")
_SPACED = re.compile(r"(?<!\w)(?:[^\W\d_][ .\-_*]){5,}[^\W\d_](?!\w)")
_SPACED_OUT = re.compile(r"(?<!\w)([^\W\d_])[.\-_*\ ](?=[^\W\d_](?:[.\-_*\ ]|\b))")
_PROSE = re.compile(r"[^\W\d_]{2,}")
_TAG = re.compile("[\U000e0020-\U000e007e]{4,}")
_MIXED = re.compile(r"\b(?=\w*[a-zA-Z])(?=\w*[\u0370-\u03ff\u0400-\u04ff])\w+\b")
_LEET = re.compile(r"\b(?=\w*[a-zA-Z])(?=\w*[013457@$])[\w@$]+\b")
_LEET_LETTERS = str.maketrans("013457@$", "oieastas")
_LOOKALIKES = str.maketrans(
    "авекмнорстухіјѕԁԛԝгАВЕКМНОРСТУХІЈЅαβεικνορτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "abekmhopctyxijsdqwrABEKMHOPCTYXIJSabeiknoptuxyABEZHIKMNOPTYX",
)
"""Letters of Cyrillic and Greek that look like Latin ones."""
_LEAST_WORDS = 3
_MAX_ODD = 0.15
"""Share of characters that are neither letters, spaces nor stops in what passes for prose."""

_LETTERS = string.ascii_lowercase
_TURNED = _LETTERS[13:] + _LETTERS[:13]
_ROT13 = str.maketrans(_LETTERS + _LETTERS.upper(), _TURNED + _TURNED.upper())


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says under a disguise; `hidden` where nobody sees it without taking that off."""

    disguise: str
    text: str
    hidden: bool = False


def readings(text: str) -> Iterator[Reading]:
    """The other readings of `text`, none where it wears no disguise."""
    text = text[:LONGEST]
    yield from _invisible(text)
    yield from _encoded(text)
    plain = unicodedata.normalize("NFKC", visible(text))
    folded = _MIXED.sub(lambda found: found[0].translate(_LOOKALIKES), plain)
    if folded != text:
        yield Reading("letters that look like others", folded)
    if _SPACED.search(plain):
        yield Reading("letters set apart", _SPACED_OUT.sub(r"\1", plain))
    if _LEET.search(plain):
        yield Reading(
            "digits for letters", _LEET.sub(lambda found: found[0].translate(_LEET_LETTERS), plain)
        )
    yield Reading("reversed text", plain[::-1])
    yield Reading("ROT13", plain.translate(_ROT13))


def _invisible(text: str) -> Iterator[Reading]:
    for found in _TAG.finditer(text):
        letters = "".join(chr(ord(sign) - 0xE0000) for sign in found[0])
        yield Reading("invisible characters", letters, hidden=True)


def _encoded(text: str) -> Iterator[Reading]:
    """What is written in another alphabet and reads as prose."""
    for name, pattern, decode in (
        ("base64", _BASE64, _from_base64),
        ("hexadecimal digits", _HEX, _from_hex),
        ("escapes", _ESCAPED, _from_escapes),
        ("percent signs", _PERCENT, unquote),
        ("entities", _ENTITIES, html.unescape),
    ):
        for found in pattern.finditer(text):
            said = decode(found[0])
            if said and is_prose(said):
                yield Reading(name, said, hidden=name != "percent signs")


def is_prose(text: str) -> bool:
    """Whether `text` reads as words: letters, spaces and stops, hardly anything else."""
    if not text.isprintable() and not text.replace("\n", "").replace("\t", "").isprintable():
        return False
    odd = sum(not (sign.isalpha() or sign.isspace() or sign in ".,;:!?'\"()-") for sign in text)
    words = len(_PROSE.findall(text))
    unspaced = sum("\u3040" <= sign <= "\u9fff" for sign in text)
    worded = words >= _LEAST_WORDS and " " in text
    return (worded or unspaced >= 6) and odd <= _MAX_ODD * len(text)


def _from_base64(text: str) -> str:
    body = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _from_hex(text: str) -> str:
    try:
        return bytes.fromhex(re.sub(r"0x|\\x|[ :]", "", text)).decode("utf-8")
    except ValueError:
        return ""


def _from_escapes(text: str) -> str:
    return "".join(chr(int(code, 16)) for code in text.split("\\u")[1:])
