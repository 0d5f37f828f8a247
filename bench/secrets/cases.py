"""The literal cases of gitleaks' rules: lines its authors call secret, and lines they do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>`[^`]*`)
      | (?P<text>"(?:[^"\\\n]|\\.)*")
      | (?P<rune>'(?:[^'\\\n]|\\.)+')
      | (?P<name>\w+)
      | (?P<sign>:=|\.\.\.|[^\s\w])""",
    re.VERBOSE | re.DOTALL,
)
_VALUE = re.compile(r"[\w-]{20,}")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-7]{3}|.)", re.DOTALL)
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}

Token = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """One line or block of text, the file it stands in, and whether it holds a secret.

    A false case is `exempt` where the rule lists its very value as known to all; nothing in its
    looks tells it from a secret.
    """

    file: str
    text: str
    secret: bool
    exempt: bool = False


def cases(folder: Path) -> list[Case]:
    """The literal cases of every rule file under `folder`, once each, contradictions dropped.

    A false line of one rule may be the true line of a sister rule; such a line says nothing about
    whether it holds a secret, and only the true label is kept.
    """
    found = [case for path in sorted(folder.rglob("rules/*.go")) for case in _of_file(path)]
    true_texts = {case.text for case in found if case.secret}
    kept = (case for case in found if case.secret or case.text not in true_texts)
    return list({(case.text, case.secret): case for case in kept}.values())


def _of_file(path: Path) -> Iterator[Case]:
    tokens = [
        (str(match.lastgroup), match.group())
        for match in _TOKEN.finditer(path.read_text(encoding="utf-8"))
        if match.lastgroup != "comment"
    ]
    lists: dict[str, list[str]] = {}
    exempt = _values_exempt(tokens)
    for name, expression in _assignments(tokens):
        texts = [text for element in _elements(expression, lists) for text in element if text]
        lists[name] = texts
        if name == "tps":
            yield from (Case(path.name, text, secret=True) for text in texts)
        elif name == "fps":
            for text in texts:
                known = any(value in text for value in exempt)
                yield Case(path.name, text, secret=False, exempt=known)


def _values_exempt(tokens: list[Token]) -> set[str]:
    """The values that the allow lists of a file name: long plain literals inside calls or lists."""
    starts = [at for at, (_, text) in enumerate(tokens) if text in ("Allowlists", "StopWords")]
    listed = (token for at in starts for token in _balanced(tokens, at))
    literals = (text[1:-1] for kind, text in listed if kind in ("raw", "text"))
    return {value for value in literals if _VALUE.fullmatch(value)}


def _assignments(tokens: list[Token]) -> Iterator[tuple[str, list[Token]]]:
    """Each `name = list` and `name := append(...)` of a file, with the tokens of its value."""
    for at in range(len(tokens) - 2):
        (kind, name), (_, sign), (_, head) = tokens[at : at + 3]
        if kind == "name" and sign in (":=", "=") and head in ("[", "map", "append"):
            yield name, _balanced(tokens, at + 2)


def _balanced(tokens: list[Token], start: int) -> list[Token]:
    """The tokens from `start` to the end of the list literal or call that opens there."""
    last = "(" if tokens[start][1] == "append" else "{"
    depth, opened = 0, False
    for at in range(start, len(tokens)):
        kind, sign = tokens[at]
        if kind == "sign" and sign in _OPEN:
            depth += 1
            opened = opened or sign == last
        elif kind == "sign" and sign in _CLOSE:
            depth -= 1
            if depth == 0 and opened:
                return tokens[start : at + 1]
    return []


def _elements(expression: list[Token], lists: dict[str, list[str]]) -> Iterator[list[str]]:
    """The literal texts of each element; an element that is computed has none."""
    opening = "(" if expression and expression[0][1] == "append" else "{"
    signs = [text if kind == "sign" else "" for kind, text in expression]
    if opening not in signs:
        return
    for element in _split(expression[signs.index(opening) + 1 : -1]):
        if len(element) == 2 and element[1][1] == "...":
            yield [] if element[0][1] == "tps" else lists.get(element[0][1], [])
        elif len(element) == 1 and element[0][1] in lists and element[0][1] not in ("tps", "fps"):
            yield lists[element[0][1]]
        elif (text := _literal(_value(element))) is not None:
            yield [text]


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
    depth, element = 0, list[Token]()
    for kind, text in tokens:
        depth += (kind == "sign" and text in _OPEN) - (kind == "sign" and text in _CLOSE)
        if kind == "sign" and text == "," and depth == 0:
            yield element
            element = []
        else:
            element.append((kind, text))
    if element:
        yield element


def _value(element: list[Token]) -> list[Token]:
    """The value of a `key: value` pair, or the element itself."""
    return element[2:] if len(element) > 2 and element[1][1] == ":" else element


def _literal(element: list[Token]) -> str | None:
    """The text of literals joined by `+`, or None where something is computed."""
    pieces = []
    for at, (kind, text) in enumerate(element):
        if at % 2:
            if text != "+":
                return None
        elif kind == "raw":
            pieces.append(text[1:-1].replace("\r", ""))
        elif kind == "text":
            pieces.append(_ESCAPE.sub(_unescaped, text[1:-1]))
        else:
            return None
    return "".join(pieces) if pieces else None


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if len(code) > 1:
        return chr(int(code, 8) if code.isdigit() and code[0] not in "xu" else int(code[1:], 16))
    return _PLAIN_ESCAPES.get(code, code)
