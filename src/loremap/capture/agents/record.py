"""Makes of an event what may be kept of it: redacted, cut short, nothing of files of secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.hook import HookEvent, Moment, ToolCall
from loremap.model.text import visible
from loremap.model.tokens import tokens
from loremap.safety.ignored import inside, refusal_for, refused_by_name
from loremap.safety.redaction import redacted

RECORDED = frozenset(Moment) - {Moment.BEFORE_TOOL, Moment.OTHER}
"""What is about to be done is no event yet: what came of it will be."""
VALUE_CHARACTERS = 500
PARAMETERS_BYTES = 4_096
TEXT_BYTES = 2_048
RESULT_HEAD, RESULT_TAIL = 500, 700
"""Of a long result its beginning and, as errors stand there, more of its end."""
WHY_CHARACTERS = 500
_LOOKED_AT = 8_192
"""How much of a text is looked at for secrets, so that none is cut in two at the short end."""
_WORDS = re.compile(r"""[^\s"'`=;|&<>()]+""")
_OURS = re.compile(r"(?:^|[_-])loremap(?:__|_|-)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """The project in which an event happened; a root of None where its folder is not known."""

    project_id: str | None = None
    root: Path | None = None
    folder: Path | None = None


def recorded(event: HookEvent, place: Place) -> Event:
    """What the log keeps of `event`."""
    said = event.prompt or event.said
    kept = Event(
        id=new_id(),
        at=event.at,
        client=event.client,
        moment=event.moment,
        session_id=name_kept(event.session_id),
        project_id=place.project_id,
        subagent_id=None if event.subagent_id is None else name_kept(event.subagent_id),
        context_tokens=event.context_tokens,
        text=cut_bytes(clean(said), TEXT_BYTES),
        key=event.key,
    )
    return kept if event.tool is None else _with_tool(kept, event.tool, place)


def _with_tool(kept: Event, tool: ToolCall, place: Place) -> Event:
    looked = [_looked_at(use.path, place) for use in tool.files]
    files = tuple(
        replace(use, path=name_kept(path), changed=use.changed[:200])
        for use, (path, _) in zip(tool.files, looked, strict=True)
    )
    kept = replace(
        kept,
        tool=name_kept(tool.name),
        success=tool.success,
        duration_ms=tool.duration_ms,
        result_tokens=tokens(tool.result) if tool.result else None,
        files=files,
    )
    if any(secret for _, secret in looked) or _OURS.search(tool.name):
        # A file of secrets leaves its name; what we ourselves told is not learned again.
        return replace(kept, files=tuple(replace(use, changed="") for use in files))
    quiet = tool.command is not None and _names_secret(tool.command)
    return replace(
        kept,
        parameters=_parameters(tool.input),
        result="" if quiet else shortened(tool.result),
        error="" if quiet else clean(tool.error)[:VALUE_CHARACTERS],
        why=clean(tool.why)[:WHY_CHARACTERS],
    )


def _looked_at(path: str, place: Place) -> tuple[str, bool]:
    """`path` as the project names it, or as it was given where it lies outside; and whether nothing
    of what it holds may be kept."""
    if "\0" in path or refused_by_name(PurePath(path)) is not None:
        return path.replace("\0", ""), True
    if place.root is None:
        return path, False
    given = Path(path)
    whole = given if given.is_absolute() else (place.folder or place.root) / given
    return inside(whole, place.root) or path, refusal_for(whole, place.root) is not None


def _names_secret(command: str) -> bool:
    """Whether a command line names a file of secrets, whose content its output may hold."""
    words = _WORDS.findall(command[:_LOOKED_AT])
    return any(refused_by_name(PurePath(word)) is not None for word in words)


def clean(text: str) -> str:
    """A text fit to keep: without secrets, without signs that steer a terminal."""
    if not text:
        return ""
    if len(text) > _LOOKED_AT:
        # The last words may be one half of a secret.
        text = text[:_LOOKED_AT].rsplit(maxsplit=1)[0]
    return redacted(visible(text)).text


@lru_cache(maxsize=4_096)
def name_kept(name: str) -> str:
    """A name, an id or a path, fit to keep."""
    return clean(name)[:1_000]


def shortened(result: str) -> str:
    """The beginning and the end of what came of a call, fit to keep."""
    if len(result) > 2 * _LOOKED_AT:
        head = result[:_LOOKED_AT].rsplit(maxsplit=1)[0]
        tail = result[-_LOOKED_AT:].split(maxsplit=1)[-1]
        result = f"{head}\n…\n{tail}"
    whole = redacted(visible(result)).text.strip() if result else ""
    if len(whole) <= RESULT_HEAD + RESULT_TAIL:
        return whole
    return f"{whole[:RESULT_HEAD]}\n…\n{whole[-RESULT_TAIL:]}"


def cut_bytes(text: str, most: int) -> str:
    """As much of `text` as fits into `most` bytes of UTF-8."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def _parameters(given: Mapping[str, Any]) -> str:
    """A tool's input in JSON: secrets taken out, long values cut, little of what is nested.

    A name and its value are looked at together, for neither may show alone that it is a secret."""
    shown = {
        visible(str(name))[:100]: _value(value, depth=3, most=4 * VALUE_CHARACTERS)
        for name, value in list(given.items())[:50]
    }
    if redacted("\n".join(_spoken(shown))).findings:
        shown = {clean(name): _hidden(name, value) for name, value in shown.items()}
    return _fitted(_cut(shown))


def _value(value: Any, *, depth: int, most: int) -> Any:
    """A value with little of what is nested in it."""
    if isinstance(value, str):
        return visible(value[:most].rsplit(maxsplit=1)[0] if len(value) > most else value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth and isinstance(value, Mapping):
        first = list(value.items())[:20]
        return {
            visible(str(name))[:100]: _value(item, depth=depth - 1, most=most)
            for name, item in first
        }
    if depth and isinstance(value, list):
        return [_value(item, depth=depth - 1, most=most) for item in value[:20]]
    return "…"


def _spoken(value: Any, name: str = "") -> Iterator[str]:
    """Every text in a value, each after its name."""
    if isinstance(value, Mapping):
        for inner, item in value.items():
            yield from _spoken(item, str(inner))
    elif isinstance(value, list):
        for item in value:
            yield from _spoken(item, name)
    elif value is not None and not isinstance(value, bool):
        yield f"{name}: {value}" if name else str(value)


def _hidden(name: str, value: Any) -> Any:
    """A value without its secrets, and without what its name shows to be one."""
    if isinstance(value, Mapping):
        return {clean(inner): _hidden(inner, item) for inner, item in value.items()}
    if isinstance(value, list):
        return [_hidden(name, item) for item in value]
    if value is None or isinstance(value, bool):
        return value
    told = f"{name}: {value}"
    kept = redacted(told).text
    if kept == told and not redacted(str(value)).findings:
        return value
    return kept.removeprefix(f"{name}: ") if kept.startswith(f"{name}: ") else clean(str(value))


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value[:VALUE_CHARACTERS]
    if isinstance(value, Mapping):
        return {name: _cut(item) for name, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value


def _fitted(shown: Mapping[str, Any]) -> str:
    """As many of the fields as there is room for."""
    kept: dict[str, Any] = {}
    room = PARAMETERS_BYTES
    for name, value in shown.items():
        room -= len(json.dumps({name: value}, ensure_ascii=False).encode("utf-8", "replace"))
        if room < 64:
            kept["…"] = len(shown) - len(kept)
            break
        kept[name] = value
    return json.dumps(kept, ensure_ascii=False)
