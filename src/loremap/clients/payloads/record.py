"""Makes of an event what may be kept of it: redacted, cut short, nothing of files of secrets."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from loremap.clients.payloads.cleaned import LOOKED_AT, clean, cut_bytes, name_kept, shortened
from loremap.clients.payloads.parameters import VALUE_CHARACTERS, parameters
from loremap.clients.payloads.tools import MAX_FILES
from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.hook import FileUse, HookEvent, Moment, Operation, ToolCall
from loremap.model.tokens import tokens
from loremap.safety.ignored import inside, refusal_for, refused_by_name

RECORDED = frozenset(Moment) - {Moment.BEFORE_TOOL, Moment.OTHER}
"""What is about to be done is no event yet: what came of it will be."""
TEXT_BYTES = 2_048
WHY_CHARACTERS = 500
CHANGED_CHARACTERS = 200
_WRITES = frozenset({Operation.EDIT, Operation.WRITE})
_WORDS = re.compile(r"""[^\s"'`=;|&<>()]+""")
_OURS = re.compile(r"(?:^|[_-])loremap(?:__|_|-)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """The project in which an event happened; a root of None where its folder is not known."""

    project_id: str | None = None
    root: Path | None = None
    folder: Path | None = None


def recorded(event: HookEvent, place: Place) -> Event:
    """What the log keeps of `event`: of what a model answered, nothing."""
    ends = event.moment is Moment.SUBAGENT_STOP
    kept = Event(
        id=new_id(),
        at=event.at,
        client=event.client,
        moment=event.moment,
        session_id=name_kept(event.session_id),
        project_id=place.project_id,
        turn_id=name_kept(event.turn) or None,
        subagent_id=None if event.subagent_id is None else name_kept(event.subagent_id),
        subagent_kind=name_kept(event.subagent_kind)[:200],
        context_tokens=event.context_tokens,
        why=clean(event.prompt)[:WHY_CHARACTERS] if ends else "",
        text="" if ends else cut_bytes(clean(event.prompt), TEXT_BYTES),
        key=event.key,
    )
    return kept if event.tool is None else _with_tool(kept, event.tool, place)


def _with_tool(kept: Event, tool: ToolCall, place: Place) -> Event:
    runs = tool.command is not None
    uses = [use for use in tool.files if not runs or _is_there(use, place)][:MAX_FILES]
    looked = [_looked_at(use.path, place) for use in uses]
    kept_input, known = parameters(tool.input)
    files = tuple(
        replace(
            use,
            path=name_kept(path, known),
            changed=clean(use.changed, known)[:CHANGED_CHARACTERS],
        )
        for use, (path, _) in zip(uses, looked, strict=True)
    )
    kept = replace(
        kept,
        tool=name_kept(tool.name),
        success=tool.success,
        duration_ms=tool.duration_ms,
        result_tokens=tokens(tool.result) if tool.result else None,
        files=files,
    )
    secret = not runs and any(secret for _, secret in looked)
    if secret or _OURS.search(tool.name):
        # A file of secrets leaves its name; what we ourselves told is not learned again.
        return replace(kept, files=tuple(replace(use, changed="") for use in files))
    quiet = tool.command is not None and _names_secret(tool.command)
    return replace(
        kept,
        parameters=kept_input,
        result="" if quiet else shortened(_told(tool), known) or _edited(files, tool),
        error="" if quiet else clean(tool.error, known)[:VALUE_CHARACTERS],
        why=clean(tool.why, known)[:WHY_CHARACTERS],
    )


def _told(tool: ToolCall) -> str:
    """What came of a call; what was written is no news when it is said again."""
    return "" if tool.text is not None and tool.result.strip() == tool.text.strip() else tool.result


def _edited(files: tuple[FileUse, ...], tool: ToolCall) -> str:
    """What came of an edit that worked and of which the client tells nothing, in a line."""
    if tool.success is False:
        return ""
    written = [use for use in files if use.operation in _WRITES]
    said = "; ".join(" ".join(filter(None, (use.path, use.changed))) for use in written)
    return said[:VALUE_CHARACTERS]


def _is_there(use: FileUse, place: Place) -> bool:
    """Whether a word of a command line that looks like a file is one, as far as can be known."""
    if place.root is None:
        return True
    try:
        return _whole(use.path, place.root, place.folder).is_file()
    except (OSError, ValueError):
        return False


def _whole(path: str, root: Path, folder: Path | None) -> Path:
    given = Path(path)
    return given if given.is_absolute() else (folder or root) / given


def _looked_at(path: str, place: Place) -> tuple[str, bool]:
    """`path` as the project names it, or as it was given where it lies outside; and whether nothing
    of what it holds may be kept."""
    if "\0" in path or refused_by_name(PurePath(path)) is not None:
        return path.replace("\0", ""), True
    if place.root is None:
        return path, False
    whole = _whole(path, place.root, place.folder)
    return inside(whole, place.root) or path, refusal_for(whole, place.root) is not None


def _names_secret(command: str) -> bool:
    """Whether a command line names a file of secrets, whose content its output may hold."""
    words = _WORDS.findall(command[:LOOKED_AT])
    return any(refused_by_name(PurePath(word)) is not None for word in words)
