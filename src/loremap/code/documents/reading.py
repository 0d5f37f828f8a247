"""Settings files as plain data: JSON with comments, TOML and INI."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from loremap.errors import BadInput

_DEEPEST_KEY = 64
_JSON_PIECE = re.compile(
    # what is not closed reaches to the end, so that no text is looked at twice
    r'(?P<string>"(?:[^"\\\n]|\\.)*+"?)'
    r"|(?P<blank>\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)"
    r'|(?P<comma>,)|(?P<rest>[^"/,\]}\s]++|.)',
    re.DOTALL,
)
_KEY_RUN = re.compile(r"[\w.\-\"' \t]+")
_Read = TypeVar("_Read")
_CLOSES: Final = frozenset("]}")


def json_data(text: str) -> dict[str, object]:
    """The object in `text`, which may hold comments and trailing commas; raises BadInput."""
    try:
        return _mapping(_json(text))
    except (ValueError, RecursionError) as problem:
        raise BadInput("It is not valid JSON.") from problem


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(_strict_json(text))


def _strict_json(text: str) -> str:
    """`text` without comments and without commas before a closing bracket."""
    pieces = list[str]()
    comma_at = -1
    for found in _JSON_PIECE.finditer(text):
        piece = found.group()
        if found.lastgroup == "blank":
            pieces.append(" ")
            continue
        if piece in _CLOSES and comma_at >= 0:
            pieces[comma_at] = " "
        comma_at = len(pieces) if found.lastgroup == "comma" else -1
        pieces.append(piece)
    return "".join(pieces)


def toml_data(text: str) -> dict[str, object]:
    """The table in `text`; raises BadInput."""
    if any(run.group().count(".") > _DEEPEST_KEY for run in _KEY_RUN.finditer(text)):
        raise BadInput("Its keys are nested too deep.")  # the parser would need hours
    try:
        return _mapping(tomllib.loads(text))
    except (ValueError, RecursionError) as problem:
        raise BadInput("It is not valid TOML.") from problem


def ini_data(text: str) -> dict[str, dict[str, str]]:
    """The sections of `text` with their keys in lower case; raises BadInput."""
    parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    try:
        parser.read_string(text)
    except (configparser.Error, AttributeError) as problem:  # the latter from an orphaned value
        raise BadInput("It is not a valid INI file.") from problem
    return {
        name: {key: value or "" for key, value in parser.items(name)} for name in parser.sections()
    }


def or_empty(read: Callable[[str], dict[str, _Read]], text: str) -> dict[str, _Read]:
    """What `read` finds in `text`; nothing where that is not valid."""
    try:
        return read(text)
    except BadInput:
        return {}


def section(data: object, *names: str) -> dict[str, object]:
    """The mapping under `names`; empty if there is none."""
    for name in names:
        data = data.get(name) if isinstance(data, Mapping) else None
    return _mapping(data)


def string(data: Mapping[str, object], key: str) -> str:
    """The text or number under `key` as one short line; empty if there is none."""
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    short = " ".join(str(value).split())
    return short if len(short) <= 120 else ""


def strings(value: object) -> list[str]:
    """The texts in a list, in a numbered mapping, or the one text; each short and on one line."""
    if isinstance(value, str):
        value = [value]
    elif isinstance(value, Mapping):
        value = list(value.values()) if all(str(key).isdigit() for key in value) else []
    if not isinstance(value, list):
        return []
    return [" ".join(each.split()) for each in value if isinstance(each, str) and len(each) <= 120]


def _mapping(data: object) -> dict[str, object]:
    return {str(key): value for key, value in data.items()} if isinstance(data, Mapping) else {}
