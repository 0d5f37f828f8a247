"""A regular expression of the user as it is searched for, or refused in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator

import re2  # type: ignore[import-untyped]  # google-re2 ships no types

from loremap.errors import BadInput
from loremap.safety.pattern_search import Regex, Ways, re2_regex

_Item = str | Ways | None
"""Of a regular expression: a character, the ways of a group, or what may match anything."""
_PROGRAM_SIZE = 1_400
"""RE2 instructions of one regular expression; Unicode's letters alone take 1,200."""
_REGEX_TOKEN = re.compile(
    r"\\(?P<escaped>[^A-Za-z0-9])|\\[dDwWsSbBAzCntrfva]|(?P<other>\\[\s\S])"
    r"|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]"
    r"|(?P<flags>\(\?[imsU-]+\))|(?P<group>\((?:\?(?:P?<[^>]+>|[imsU-]*:))?)"
    r"|(?P<repeat>[*+?]\??|\{(?P<least>\d+)(?:,\d*)?\}\??)"
    r"|[.^$)|]|(?P<plain>[\s\S])"
)
_ORDINARY = (b"ls", b"go fmt", b"README.md", b"Fix it now")
"""Unlike each other and harmless: what fires on all of them fires on nearly everything."""


def regex_finder(pattern: str) -> Regex:
    """`pattern` ready to be searched for; raises BadInput where it cannot or should not be."""
    source = f"(?m){pattern}"  # a search is by line: ^ and $ stand at each
    try:
        regex = re2_regex(source)
    except re2.error as error:
        raise _regex_refusal(error.args[0].decode(errors="replace")) from error
    if regex.programsize > _PROGRAM_SIZE:
        raise _regex_refusal("pattern too large")
    if regex.search(b""):
        raise BadInput(
            "The regular expression matches the empty text, so it would always fire.",
            hint="Let it require at least one character.",
        )
    if all(regex.search(line) for line in _ORDINARY):
        raise BadInput(
            "The regular expression would fire on almost everything.",
            hint="Add a word that must be there.",
        )
    return Regex(regex, _regex_ways(pattern))


_REGEX_HELP = (
    (
        r"operator: \(\?<?[=!]",
        "Look-around such as (?=…) or (?<!…) is not supported. Match what stands beside it too.",
    ),
    (
        r"escape sequence: \\[1-9k]|operator: \(\?P$",
        r"A back-reference such as \1 is not supported. Write the repeated part out.",
    ),
    (
        r"operator: \(\?\(",
        "A conditional group is not supported. Write the choices out as a|b.",
    ),
    (
        r"operator: \(\?>|operator: .*\+$",
        "Atomic groups and possessive repeats are not supported. Write (?:…) and plain * or +.",
    ),
    (
        r"repetition size|too large",
        "Too large with its counts written out. Use * or + for a large count such as {0,200}.",
    ),
    (
        r"escape sequence: \\Z",
        r"\Z is not supported. Write \z for the end of the text or $ for the end of a line.",
    ),
    (
        r"escape sequence: \\[uUN]",
        r"\u, \U and \N are not supported. Write the character itself or \x{20ac}.",
    ),
)
"""What RE2 says of a pattern, and what the user should read instead."""


def _regex_refusal(error: str) -> BadInput:
    for sign, advice in _REGEX_HELP:
        if re.search(sign, error):
            return BadInput(advice)
    detail = " ".join(error.replace("(?m)", "", 1).split())
    return BadInput(f"Not a regular expression: {detail}.", hint="Mend it, or use a literal.")


def _regex_ways(pattern: str) -> Ways:
    """For each alternative of a valid regular expression, plain texts that a match must hold.

    RE2's own filter would do this, but with many patterns it misses some that do match.
    """
    tokens = list(_REGEX_TOKEN.finditer(pattern))
    if any(token["other"] for token in tokens):
        return ((),)
    return _group_ways(iter(tokens))


def _group_ways(tokens: Iterator[re.Match[str]]) -> Ways:
    ways: list[tuple[str, ...]] = []
    items: list[_Item] = []
    for token in tokens:
        sign = token[0]
        if sign == ")":
            break
        if sign == "|":
            ways += _branch_ways(items)
            items = []
        elif token["flags"]:
            continue  # a repeat after it still belongs to what came before
        elif token["group"]:
            items.append(_group_ways(tokens))
        elif token["repeat"]:
            if sign[0] in "*?" or int(token["least"] or 1) == 0:
                items[-1] = None
            items.append(None)
        else:
            text = token["escaped"] or token["plain"]
            items.append(text.lower() if text and text.isascii() else None)
    return tuple(ways + _branch_ways(items))


def _branch_ways(items: list[_Item]) -> list[tuple[str, ...]]:
    runs = [""]
    for item in items:
        if isinstance(item, str):
            runs[-1] += item
        else:
            runs.append("")
    atoms = tuple(re2.escape(run) for run in runs if len(run) > 1)
    if atoms:
        return [atoms]
    groups: list[Ways] = [item for item in items if isinstance(item, tuple) and () not in item]
    groups.sort(key=len)
    return list(groups[0]) if groups else [()]
