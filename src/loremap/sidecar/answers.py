"""Finds the JSON object in what a model said, whatever it wrote around it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import islice

from loremap.sidecar.ask import Json, Unusable

MAX_CHARACTERS = 200_000
MAX_TRIED = 200
"""Braces at which an object may begin."""


def object_in(text: str) -> Json:
    """The first JSON object of a text that is whole; raises `Unusable`."""
    if len(text) > MAX_CHARACTERS:
        raise Unusable("the answer is far too long")
    decoder = json.JSONDecoder()
    for place in islice(re.finditer(r"\{", text), MAX_TRIED):
        try:
            found, _ = decoder.raw_decode(text, place.start())
        except (ValueError, RecursionError):
            continue
        return _storable(found)
    raise Unusable("the answer holds no JSON object")


def _storable(found: Json) -> Json:
    """An object of which every text can be kept; halves of signs no database takes."""
    try:
        written = json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as fault:
        raise Unusable("the answer holds text that is none") from fault
    if b"\\u0000" in written:
        raise Unusable("the answer holds text that is none")
    return found


def items_in(answer: Json, name: str, *, most: int) -> Sequence[Json]:
    """The objects of a list in an answer, at most so many; raises `Unusable` where it is none."""
    found = answer.get(name)
    if not isinstance(found, list):
        raise Unusable(f"the answer holds no list {name!r}")
    return [one for one in found if isinstance(one, dict)][:most]


def texts_in(value: object, *, most: int) -> tuple[str, ...]:
    """The texts of a list, without those that are none."""
    if not isinstance(value, list):
        return ()
    return tuple(one.strip() for one in value if isinstance(one, str) and one.strip())[:most]


def whole_number(value: object) -> int | None:
    """A whole number, also where a model wrote it as a text; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        return int(value)
    except ValueError:
        return None


def text_in(answer: Json, name: str) -> str:
    """A text of an answer; empty where it is none."""
    value = answer.get(name)
    return value.strip() if isinstance(value, str) else ""
