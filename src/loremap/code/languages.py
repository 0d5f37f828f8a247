"""The languages as data: which files they own, their grammar, and how their syntax is read.

Adding one means one entry in `grammars` and one query file in `queries`, whose README says which
captures a query may use.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from tree_sitter import Language as Grammar
from tree_sitter import Parser, Query, QueryCursor

from loremap.code.grammars import c_family, go, jvm, python, script, scripting, systems
from loremap.code.grammars.language import Language, Op, Shape

LANGUAGES: Mapping[str, Language] = {
    language.name: language
    for family in (python, script, go, c_family, jvm, scripting, systems)
    for language in family.LANGUAGES
}


@cache
def _by_extension() -> dict[str, str]:
    return {end: one.name for one in LANGUAGES.values() for end in one.extensions}


@cache
def _by_filename() -> dict[str, str]:
    return {name: one.name for one in LANGUAGES.values() for name in one.filenames}


def language_of(path: str) -> str | None:
    """The name of the language a file is written in, by its extension or well-known name."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return _by_filename().get(name) or (
        _by_extension().get(name[dot:].lower()) if dot > 0 else None
    )


_MATCHES_AT_ONCE_MAX = 128
"""Real files need fewer than 64; without a limit, thousands of siblings take minutes."""


class Tools(NamedTuple):
    """What reads one language in this process."""

    language: Language
    parser: Parser
    cursor: QueryCursor
    plain: re.Pattern[bytes]
    """What an expression looks like that is nothing but names and separators."""
    has_tuples: bool
    shapes: Mapping[int, Shape]
    """The language's expressions by the number of the node's kind, which is cheaper to ask for."""
    comments: frozenset[int]
    noise: re.Pattern[bytes] | None
    """What is blanked before parsing."""
    said: dict[bytes, str | None]
    """The chains of pieces of source that were read before: files say the same over and over."""
    given: dict[bytes, list[tuple[str, str]]]
    """The same for the arguments of calls."""
    mains: dict[int, str]
    """By the number of a query's pattern, the capture that says what a match of it is."""


@cache
def tools(name: str) -> Tools:
    """The parser and query of a language, loaded on first use and kept."""
    language = LANGUAGES[name]
    module = importlib.import_module(language.wheel)
    grammar = Grammar(getattr(module, language.grammar)())
    queries = files("loremap.code").joinpath("queries")
    stems = [stem for stem in (language.extends, name) if stem]
    text = "\n".join(queries.joinpath(f"{stem}.scm").read_text("utf-8") for stem in stems)
    joint = "|".join(re.escape(separator) for separator in language.separators)
    word = rf"(?:[^\W\d]|[{language.marks}])[\w$]*" if language.marks else r"[^\W\d][\w$]*"
    plain = re.compile(rf"{word}(?:\(\))*(?:(?:{joint}){word}(?:\(\))*)*".encode())
    has_tuples = any(shape.op is Op.TUPLE for shape in language.expressions.values())
    cursor = QueryCursor(Query(grammar, text), match_limit=_MATCHES_AT_ONCE_MAX)
    kinds = {at: grammar.node_kind_for_id(at) or "" for at in range(grammar.node_kind_count)}
    shapes = {
        at: language.expressions[kind] for at, kind in kinds.items() if kind in language.expressions
    }
    comments = frozenset(at for at, kind in kinds.items() if kind == "comment")
    noise = re.compile(language.source_noise.encode()) if language.source_noise else None
    return Tools(
        language, Parser(grammar), cursor, plain, has_tuples, shapes, comments, noise, {}, {}, {}
    )
