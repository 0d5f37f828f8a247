"""Computes the Go expressions in which gitleaks' rules build their cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

Token = tuple[str, str]
Value = str | list[str]

_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-7]{3}|.)", re.DOTALL)
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_MAX_REPEATS = 10
"""How often a part without an upper bound is repeated beyond its least, as reggen does."""


class Computed(Exception):
    """Something that only Go can work out."""


class Expressions:
    """Works out expressions of text; names stand for what was assigned to them before."""

    def __init__(self, samples: list[str], classes: Mapping[str, str], seed: str) -> None:
        self.names: dict[str, Value] = {}
        self.literal: set[str] = set()
        """The names that stand for nothing generated."""
        self._samples = samples
        self._classes = classes
        self._rng = Random(seed)
        self._functions: dict[str, Callable[..., Value]] = {
            "NewSecret": self._new_secret,
            "GenerateSampleSecret": lambda name, secret: f'{name}_api_token = "{secret}"',
            "GenerateSampleSecrets": self._in_samples,
            "Sprintf": _formatted,
            "ToUpper": str.upper,
        }

    def value(self, tokens: list[Token]) -> Value:
        """What `tokens` come to; raises Computed where that cannot be told."""
        value, rest = self._sum(tokens)
        if rest:
            raise Computed
        return value

    def first(self, tokens: list[Token]) -> Value:
        """What the expression at the start of `tokens` comes to."""
        return self._sum(tokens)[0]

    def _sum(self, tokens: list[Token]) -> tuple[Value, list[Token]]:
        value, rest = self._term(tokens)
        while rest and rest[0][1] == "+":
            other, rest = self._term(rest[1:])
            if not isinstance(value, str) or not isinstance(other, str):
                raise Computed
            value += other
        return value, rest

    def _term(self, tokens: list[Token]) -> tuple[Value, list[Token]]:
        if not tokens:
            raise Computed
        (kind, text), rest = tokens[0], tokens[1:]
        if kind in ("raw", "text"):
            return literal(kind, text), rest
        if kind != "name":
            raise Computed
        while len(rest) > 1 and rest[0][1] == "." and rest[1][0] == "name":
            text, rest = rest[1][1], rest[2:]
        if rest and rest[0][1] == "(":
            return self._call(text, rest)
        if text not in self.names:
            raise Computed
        return self.names[text], rest

    def _call(self, name: str, rest: list[Token]) -> tuple[Value, list[Token]]:
        inside, rest = _parenthesised(rest)
        given = [self.value(argument) for argument in split(inside) if argument]
        if name in self._classes and len(given) == 1:
            return f"{self._classes[name]}{{{given[0]}}}", rest
        if name not in self._functions or not all(isinstance(one, str) for one in given):
            raise Computed
        return self._functions[name](*given), rest

    def _new_secret(self, pattern: str) -> str:
        return _text_of(_parser.parse(pattern), self._rng)

    def _in_samples(self, name: str, secret: str) -> list[str]:
        if not self._samples:
            raise Computed
        signs = {"{i}": name, "{I}": name.upper(), "{s}": secret}
        return [re.sub(r"\{[iIs]\}", lambda found: signs[found[0]], one) for one in self._samples]


def literal(kind: str, text: str) -> str:
    """The text of a Go literal."""
    if kind == "raw":
        return text[1:-1].replace("\r", "")
    return _ESCAPE.sub(_unescaped, text[1:-1])


def split(tokens: list[Token]) -> list[list[Token]]:
    """`tokens` at the commas that stand in no bracket."""
    depth, elements = 0, list[list[Token]]([[]])
    for kind, text in tokens:
        depth += (kind == "sign" and text in "([{") - (kind == "sign" and text in ")]}")
        if kind == "sign" and text == "," and depth == 0:
            elements.append([])
        else:
            elements[-1].append((kind, text))
    return [element for element in elements if element]


def _parenthesised(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    depth = 0
    for at, (kind, text) in enumerate(tokens):
        depth += (kind == "sign" and text in "([{") - (kind == "sign" and text in ")]}")
        if depth == 0:
            return tokens[1:at], tokens[at + 1 :]
    raise Computed


def _formatted(form: str, *values: str) -> str:
    if form.count("%s") != len(values):
        raise Computed
    return form.replace("%%", "%") % values


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if len(code) > 1:
        return chr(int(code, 8) if code.isdigit() and code[0] not in "xu" else int(code[1:], 16))
    return _PLAIN_ESCAPES.get(code, code)


def _text_of(parsed: Any, rng: Random) -> str:
    """A text that a parsed regular expression matches, drawn by chance."""
    return "".join(_piece(operation, argument, rng) for operation, argument in parsed)


def _piece(operation: Any, argument: Any, rng: Random) -> str:
    if operation is _constants.LITERAL:
        return chr(argument)
    if operation is _constants.IN:
        return rng.choice(_signs(argument))
    if operation in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
        least, most, part = argument
        most = min(int(most), least + _MAX_REPEATS)
        return "".join(_text_of(part, rng) for _ in range(rng.randint(least, most)))
    if operation is _constants.SUBPATTERN:
        return _text_of(argument[3], rng)
    if operation is _constants.BRANCH:
        return _text_of(rng.choice(argument[1]), rng)
    raise Computed


def _signs(parts: Any) -> str:
    signs = ""
    for operation, argument in parts:
        if operation is _constants.LITERAL:
            signs += chr(argument)
        elif operation is _constants.RANGE:
            signs += "".join(map(chr, range(argument[0], argument[1] + 1)))
        elif argument is _constants.CATEGORY_WORD:
            signs += "".join(c for c in map(chr, range(128)) if c.isalnum() or c == "_")
        elif argument is _constants.CATEGORY_DIGIT:
            signs += "0123456789"
        else:
            raise Computed
    return signs
