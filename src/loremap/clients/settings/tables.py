"""Puts tables into a TOML text and takes them out again; every other byte stays."""

from __future__ import annotations

import copy
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

Names = tuple[str, ...]
_BARE = re.compile(r"[A-Za-z0-9_-]+")


class Malformed(Exception):
    """The text is not TOML."""


def parsed(text: str) -> dict[str, Any]:
    """The value of a text."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as fault:  # an integer may have too many digits to be read
        raise Malformed(f"not valid TOML: {fault}") from fault


def at(value: Any, path: Names) -> Any:
    """What lies at a path; None where nothing does."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def with_table(text: str, path: Names, value: Mapping[str, Any]) -> str:
    """The text with a table of that name; the same text where it is there."""
    there = parsed(text)
    if at(there, path) == value:
        return text
    if at(there, path) is not None:
        text = without_table(text, path)
        there = parsed(text)
    wanted = copy.deepcopy(there)
    _put(wanted, path, dict(value))
    line = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else line if text.endswith("\n") else line * 2
    appended = text + gap + _block(path, value).replace("\n", line)
    try:
        if _comparable(tomllib.loads(appended)) == _comparable(wanted):
            return appended
    except tomllib.TOMLDecodeError:
        pass  # an inline table of the same name cannot be extended from outside
    return _rewritten(text, {path: dict(value)})


def with_keys(text: str, path: Names, values: Mapping[str, Any]) -> str:
    """The text with these keys in a table that is there; what else is in the table stays."""
    return _rewritten(text, {(*path, key): value for key, value in values.items()})


def without_table(text: str, path: Names) -> str:
    """The text without the table of that name."""
    there = parsed(text)
    if at(there, path) is None:
        return text
    wanted = copy.deepcopy(there)
    _drop(wanted, path)
    for shorter in _without_block(text, path):
        try:
            if _pruned(tomllib.loads(shorter)) == _pruned(wanted):
                return shorter
        except tomllib.TOMLDecodeError:
            continue  # the lines that looked like the table were part of something else
    return _rewritten(text, {path: None})


def ended_as(text: str, original: str) -> str:
    """The text without the line end that was put behind the last line of `original`."""
    last = original.rpartition("\n")[2]
    for end in ("\r\n", "\n"):
        if last and text.endswith(last + end):
            return text.removesuffix(end)
    return text


def _block(path: Names, value: Mapping[str, Any]) -> str:
    lines = [f"[{'.'.join(map(_key, path))}]"]
    lines += [f"{_key(key)} = {_literal(each)}" for key, each in value.items()]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _literal(value: Any) -> str:
    """A text, a number or a list of them, as TOML writes it; there JSON and TOML are alike."""
    return json.dumps(value, ensure_ascii=False)


def _without_block(text: str, path: Names) -> Iterator[str]:
    """The text without the lines of a table and the empty line before them, for each place where
    it may begin."""
    lines = text.splitlines(keepends=True)
    header = f"[{'.'.join(map(_key, path))}]"
    for number, line in enumerate(lines):
        if line.strip() != header:
            continue
        start, end = number, number + 1
        while end < len(lines) and lines[end].strip() and lines[end].lstrip()[0] not in "[#":
            end += 1
        if start and not lines[start - 1].strip():
            start -= 1
        elif not start and end < len(lines) and not lines[end].strip():
            end += 1
        yield "".join(lines[:start] + lines[end:])


def _rewritten(text: str, values: Mapping[Names, Any]) -> str:
    """The text with values set, or dropped where they are None, by a library that keeps comments;
    raises where it did not do what was asked."""
    if not values:
        return text
    import tomlkit  # much to load, and only where a client is connected
    from tomlkit.exceptions import TOMLKitError

    wanted = parsed(text)
    try:
        document = tomlkit.parse(text)
        for path, value in values.items():
            for each in (wanted, document):
                if value is None:
                    _drop(each, path)
                else:
                    _put(each, path, value)
        written = tomlkit.dumps(document)
    except TOMLKitError as fault:
        raise Malformed(f"not a TOML we can change: {fault}") from fault
    if _pruned(parsed(written)) != _pruned(wanted):
        raise Malformed("not a TOML we can change")
    return written


def _put(value: Any, path: Names, leaf: Any) -> None:
    for name in path[:-1]:
        value = value.setdefault(name, {})
    value[path[-1]] = leaf


def _drop(value: Any, path: Names) -> None:
    """Take a table out, and what it leaves empty with it."""
    holders = [value]
    for name in path[:-1]:
        holders.append(holders[-1][name])
    for holder, name in zip(reversed(holders), reversed(path), strict=True):
        del holder[name]
        if holder:
            return


def _comparable(value: Any) -> Any:
    """The value with its NaNs named, which else are not equal to themselves."""
    if isinstance(value, dict):
        return {key: _comparable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_comparable(each) for each in value]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def _pruned(value: Any) -> Any:
    """The value to compare by, without empty tables: one that only its parts were named of leaves
    none behind."""
    if not isinstance(value, dict):
        return _comparable(value)
    inner = {key: _pruned(each) for key, each in value.items()}
    return {key: each for key, each in inner.items() if each != {}}
