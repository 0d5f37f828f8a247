"""The cases of gitleaks' rules: lines its authors call secret, and lines they do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.secrets.expressions import Computed, Expressions, Token, literal, split

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
_LISTS = ("[", "map", "append")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_CLASS = re.compile(r"func (\w+)\(size string\) string \{\s*return fmt\.Sprintf\(`([^`]*)\{%s\}`")


@dataclass(frozen=True, slots=True)
class Case:
    """One line or block of text, the file it stands in, and whether it holds a secret.

    A false case is `exempt` where the rule lists its very value as known to all; nothing in its
    looks tells it from a secret. A `generated` one is built by the rule, in part by chance.
    """

    file: str
    text: str
    secret: bool
    exempt: bool = False
    generated: bool = False


def cases(folder: Path) -> list[Case]:
    """The cases of every rule file under `folder`, once each, contradictions dropped.

    A false line of one rule may be the true line of a sister rule; such a line says nothing about
    whether it holds a secret, and only the true label is kept.
    """
    samples, classes = _samples(folder), _classes(folder)
    found = [
        case
        for path in sorted(folder.rglob("rules/*.go"))
        for case in _of_file(path, Expressions(samples, classes, seed=path.name))
    ]
    true_texts = {case.text for case in found if case.secret}
    kept = (case for case in found if case.secret or case.text not in true_texts)
    return list({(case.text, case.secret): case for case in kept}.values())


def _samples(folder: Path) -> list[str]:
    """The lines into which gitleaks puts a generated secret."""
    for path in folder.rglob("utils/generate.go"):
        for name, expression in _assignments(_tokens(path)):
            if name == "samples":
                elements = split(expression[expression.index(("sign", "{")) + 1 : -1])
                return [literal(*element[2]) for element in elements if len(element) == 3]
    return []


def _classes(folder: Path) -> dict[str, str]:
    """The functions that write a class of characters of a given length."""
    files = folder.rglob("utils/patterns.go")
    return dict(pair for path in files for pair in _CLASS.findall(path.read_text("utf-8")))


def _tokens(path: Path) -> list[Token]:
    return [
        (str(match.lastgroup), match.group())
        for match in _TOKEN.finditer(path.read_text(encoding="utf-8"))
        if match.lastgroup != "comment"
    ]


def _of_file(path: Path, expressions: Expressions) -> Iterator[Case]:
    tokens = _tokens(path)
    exempt = _values_exempt(tokens)
    for name, expression in _assignments(tokens):
        found = list(_texts(expression, expressions))
        if name not in ("tps", "fps"):
            texts = [text for text, _ in found]
            single = len(texts) == 1 and expression[0][1] not in _LISTS
            expressions.names[name] = texts[0] if single else texts
            if not any(generated for _, generated in found):
                expressions.literal.add(name)
            continue
        for text, generated in found:
            known = name == "fps" and any(value in text for value in exempt)
            yield Case(path.name, text, name == "tps", known, generated)


def _values_exempt(tokens: list[Token]) -> set[str]:
    """The values that the allow lists of a file name: long plain literals inside calls or lists."""
    starts = [at for at, (_, text) in enumerate(tokens) if text in ("Allowlists", "StopWords")]
    listed = (token for at in starts for token in _balanced(tokens, at))
    literals = (text[1:-1] for kind, text in listed if kind in ("raw", "text"))
    return {value for value in literals if _VALUE.fullmatch(value)}


def _assignments(tokens: list[Token]) -> Iterator[tuple[str, list[Token]]]:
    """Each `name = value` and `name := value` of a file, with the tokens of its value."""
    for at in range(len(tokens) - 2):
        (kind, name), (_, sign), (_, head) = tokens[at : at + 3]
        if kind == "name" and sign in (":=", "="):
            listed = head in _LISTS
            yield name, _balanced(tokens, at + 2) if listed else tokens[at + 2 : at + 200]


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


def _texts(expression: list[Token], expressions: Expressions) -> Iterator[tuple[str, bool]]:
    """The texts of a list or of a single expression, each with whether it was generated."""
    if not expression or expression[0][1] not in _LISTS:
        yield from _of_one(expression, expressions, whole=False)
        return
    opening = "(" if expression[0][1] == "append" else "{"
    signs = [text if kind == "sign" else "" for kind, text in expression]
    if opening not in signs:
        return
    for element in split(expression[signs.index(opening) + 1 : -1]):
        if element[0][1] != "tps":
            spread = element[-1][1] == "..."
            bare = element[:-1] if spread else _value(element)
            yield from _of_one(bare, expressions, whole=True)


def _of_one(
    expression: list[Token], expressions: Expressions, *, whole: bool
) -> Iterator[tuple[str, bool]]:
    names = {text for kind, text in expression if kind == "name"}
    generated = not whole or not names <= expressions.literal
    try:
        value = expressions.value(expression) if whole else expressions.first(expression)
    except Computed:
        return
    for text in [value] if isinstance(value, str) else value:
        if text:
            yield text, generated


def _value(element: list[Token]) -> list[Token]:
    """The value of a `key: value` pair, or the element itself."""
    return element[2:] if len(element) > 2 and element[1][1] == ":" else element
