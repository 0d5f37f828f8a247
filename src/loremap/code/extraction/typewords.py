"""Reads type annotations of any language as text: what a value of that type may be."""

from __future__ import annotations

import re
from functools import lru_cache

from loremap.code.facts import TAKEN
from loremap.code.grammars.language import Language
from loremap.code.languages import LANGUAGES

_TOKEN = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|\\)[^\W\d][\w$]*)*|[\[\]<>(){}|,?*&]|=>|->")
_SCRIPT_TOKEN = re.compile(_TOKEN.pattern + "|[:;]")
_DEPTH_MAX = 6
_WORDS_MAX = 200
_OPEN = {"[": "]", "<": ">", "(": ")", "{": "}"}

_SKIPPED = frozenset(
    "readonly const struct enum union unsigned signed mut dyn impl final static volatile in out "
    "inout some any var let ref lateinit override asserts class unowned weak".split()
)
"""Words before a type that say nothing of what its values can do."""
_UNKNOWN = frozenset({"keyof", "typeof", "infer", "unique"})
_CALLABLE = frozenset({"Fn", "FnMut", "FnOnce"})
_PREFIXES = frozenset({"map", "chan", "func"})

Values = list[tuple[str, str]]


@lru_cache(maxsize=4096)
def values_of_type(language: str, text: str) -> tuple[tuple[str, str], ...]:
    """The values that a variable of the type `text` holds: where in it, and a chain."""
    text = text.strip().lstrip(":").strip()
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        text = text[1:-1]
    known = LANGUAGES[language]
    if known.type_noise:
        text = re.sub(known.type_noise, " ", text)
    tokens = (_SCRIPT_TOKEN if known.imports == "script" else _TOKEN).findall(text)
    if len(tokens) > _WORDS_MAX:
        return ()
    reader = _Reader(tokens, known)
    return tuple(dict.fromkeys(reader.union(0)))


class _Reader:
    """Walks the tokens of one type from left to right."""

    def __init__(self, tokens: list[str], language: Language) -> None:
        self._tokens = tokens
        self._at = 0
        self._wrappers = language.type_wrappers
        self._self_names = language.self_names
        self._arities = language.arities
        self._is_script = language.imports in ("script", "python", "go")

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _skip_group(self) -> None:
        """Moves past a bracketed group that says nothing of the value."""
        depth = 0
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            depth += token in _OPEN
            depth -= token in _OPEN.values()
            self._at += 1
            if depth <= 0:
                return

    def union(self, depth: int) -> Values:
        """One type, or several joined by `|` or `&`."""
        found = self._one(depth)
        while self._peek() in ("|", "&"):
            self._at += 1
            found = found + self._one(depth)
        return found

    def _one(self, depth: int) -> Values:
        place = ""
        token = self._peek()
        while token in ("*", "&", "[", "|"):
            if token == "[":
                self._skip_group()
                place += "[]"
            else:
                self._at += 1
            token = self._peek()
        if token in ("(", "{", "<"):
            return self._grouped(depth)
        if not token or not (token[0].isalpha() or token[0] == "_"):
            return []
        self._at += 1
        if token in _SKIPPED:
            return [(place + at, value) for at, value in self._one(depth)]
        if token in _UNKNOWN:
            self._one(depth)
            return []
        return [(place + at, value) for at, value in self._named(token, depth)]

    def _grouped(self, depth: int) -> Values:
        if self._peek() == "{" and depth <= _DEPTH_MAX:
            return self._suffixed(self._members(depth))
        if self._peek() != "(" or depth > _DEPTH_MAX:
            self._skip_group()
            return self._called(depth)
        start = self._at
        self._at += 1
        found = self.union(depth + 1)
        if self._peek() == ")":
            self._at += 1
            if self._peek() not in ("=>", "->"):
                return self._suffixed(found)
        self._at = start
        return self._function(depth)

    def _function(self, depth: int) -> Values:
        """A function type from its bracket on: what it takes, and what calling it gives."""
        if self._is_script:  # its parameters have names
            self._skip_group()
            return self._called(depth)
        taken = self._arguments(depth)
        found = [
            (TAKEN.format(index) + at, value)
            for index, values in enumerate(taken)
            for at, value in values
        ]
        return found + self._called(depth)

    def _members(self, depth: int) -> Values:
        """What the members of an object are whose type is written in place."""
        self._at += 1
        found: Values = []
        while self._peek() and self._peek() != "}":
            name = self._peek()
            place = f".{name}" if name[0].isalpha() or name[0] == "_" else ""
            if name in _OPEN:
                self._skip_group()
                place = "[]" if name == "[" else ""
            else:
                self._at += 1
            while self._peek() in ("?", "(", "<"):
                if self._peek() == "(":
                    place += "()" if place else ""
                if self._peek() == "?":
                    self._at += 1
                else:
                    self._skip_group()
            if self._peek() == ":":
                self._at += 1
                values = self.union(depth + 1)
                found += [(place + at, value) for at, value in values] if place else []
        self._at += 1
        return found

    def _called(self, depth: int) -> Values:
        """The rest of a function type: what calling it gives."""
        if self._peek() not in ("=>", "->"):
            return []
        self._at += 1
        return [("()" + at, value) for at, value in self.union(depth + 1)]

    def _named(self, name: str, depth: int) -> Values:
        if name in self._self_names:
            return self._suffixed([("", name)])
        wrapped = self._wrappers.get(name)
        if wrapped in _PREFIXES:
            return self._prefixed(wrapped, depth)
        if wrapped is None:
            wrapped = self._wrappers.get(re.split(r"\.|::|\\", name)[-1])
        given: list[Values] = []
        if self._peek() in ("[", "<") and not self._is_array():
            given = self._arguments(depth)
        name = name.replace("::", ".").replace("\\", ".").lstrip(".")
        if name in _CALLABLE and self._peek() == "(":
            return self._function(depth)
        if wrapped is None and self._peek() == "(" and not self._is_script:
            return [(TAKEN.format("this"), f"{name}()"), *self._function(depth)]
        if wrapped is None:
            given_types = "[]" if given and self._arities else ""
            return self._suffixed([("", f"{name}{given_types}()")])
        return self._suffixed(_unwrapped(wrapped, given))

    def _prefixed(self, wrapped: str, depth: int) -> Values:
        """The rest of `map[K]V`, `chan T` or `func(A) B`."""
        if wrapped != "chan" and self._peek() in _OPEN:
            self._skip_group()
        if not self._peek() or depth > _DEPTH_MAX:
            return []
        place = "()" if wrapped == "func" else "[]"
        return [(place + at, value) for at, value in self._one(depth + 1)]

    def _is_array(self) -> bool:
        following = self._tokens[self._at : self._at + 2]
        return following == ["[", "]"]

    def _arguments(self, depth: int) -> list[Values]:
        close = _OPEN[self._peek()]
        self._at += 1
        found: list[Values] = []
        while self._peek() and self._peek() != close and depth < _DEPTH_MAX:
            before = self._at
            if close == ")" and self._is_labelled():
                self._at += 1
            found.append(self.union(depth + 1))
            while self._peek() and self._peek() not in (",", close):
                if self._peek() in _OPEN:
                    self._skip_group()
                else:
                    self._at += 1
            if self._peek() == ",":
                self._at += 1
            if self._at == before:
                break
        if self._peek() == close:
            self._at += 1
        return found

    def _is_labelled(self) -> bool:
        """Whether two words follow that say no type together: a name, and its type."""
        first, second = [*self._tokens[self._at : self._at + 2], "", ""][:2]
        words = all(one[:1].isalpha() or one[:1] == "_" for one in (first, second))
        return words and first not in _SKIPPED

    def _suffixed(self, values: Values) -> Values:
        """`values`, with the array brackets and question marks that follow."""
        while self._peek() in ("?", "[", "*", "&"):
            if self._peek() == "[":
                self._skip_group()
                values = [("[]" + at, value) for at, value in values]
            else:
                self._at += 1
        return values


def _unwrapped(wrapped: str, given: list[Values]) -> Values:
    """What a generic type says of a value, by how its wrapper is written in the table."""
    if wrapped == "none":
        return []
    if wrapped == "type":
        return [(at, value.removesuffix("()")) for at, value in (given[0] if given else [])]
    if wrapped == "first":
        return given[0] if given else []
    place, _, which = wrapped.partition("-")
    if which:
        chosen = given[-int(which)] if len(given) >= int(which) else []
    elif place == "":
        chosen = [one for values in given for one in values]
    else:
        chosen = given[0] if given else []
    return [(place + at, value) for at, value in chosen]
