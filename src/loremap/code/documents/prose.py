"""Sentences without their markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CODE = re.compile(r"(`+)([^`]*+)\1")
_IMAGE = re.compile(r"!\[[^\]\[]*\]\([^()]*(?:\([^()]*\)[^()]*)*\)")
_LINK = re.compile(r"\[([^\]\[]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]\[]*\])")
_REFERENCE = re.compile(r"\[\^[^\]\s]*\]")
_BOLD = re.compile(r"(\*\*|__)(?=\S)([^*_]*?[^*_\s])\1")
_LEAN = re.compile(r"(?<![\w*_/])([*_])(?=[^\s*_])([^*_]*?[^*_\s])\1(?![\w*/])")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_EMOJI_NAME = re.compile(r"(?<!\w):[a-z][a-z_]+:(?!\w)")
_SIGN = re.compile("^[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f\u200d ]+")
_ASIDE = "\ue000"
_PUT_ASIDE = re.compile(f"{_ASIDE}(\\d+);")
_SPACE = re.compile(r"\s+")
_END = re.compile(r"[.!?][\"')\]”’]*\s+(?=[\"'(\[“`]?[A-Z0-9`])")
_ABBREVIATED = re.compile(
    r"(?:^|[\s(\[])(?:e\.g|i\.e|etc|vs|cf|no|resp|incl|approx|fig|sec|dr|mr|ms|st)\.$",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """`text` without Markdown's marks and links; what stands in backticks stays as it is."""
    codes = list[str]()

    def put_aside(code: re.Match[str]) -> str:
        codes.append(code[2].strip())
        return f"{_ASIDE}{len(codes) - 1};" if codes[-1] else ""

    text = _CODE.sub(put_aside, text.replace(_ASIDE, " "))
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    text = _EMOJI_NAME.sub("", _TAG.sub("", _REFERENCE.sub("", text)))
    text = _LEAN.sub(r"\2", _BOLD.sub(r"\2", text)).replace("**", "")
    text = _SIGN.sub("", _SPACE.sub(" ", text).strip()).strip()
    return _PUT_ASIDE.sub(lambda found: f"`{codes[int(found[1])]}`", text)


def sentences(text: str) -> list[str]:
    """The sentences of `text`, split where one ends and the next begins with a capital or code."""
    return [sentence for each in _split(text) if (sentence := each.strip())]


def _split(text: str) -> Iterator[str]:
    begin = 0
    quoted = [(code.start(), code.end()) for code in _CODE.finditer(text)]
    for end in _END.finditer(text):
        before = text[begin : end.start() + 1]
        inside = any(start < end.start() < stop for start, stop in quoted)
        if (
            not inside
            and before.count("(") <= before.count(")")
            and not _ABBREVIATED.search(before[-12:])
        ):
            yield text[begin : end.end()]
            begin = end.end()
    yield text[begin:]
