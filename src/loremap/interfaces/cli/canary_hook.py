"""A hook as each client would send it, at a moment when the client passes our text on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loremap.clients.payloads.adapter import Adapter, Example
from loremap.clients.payloads.moments import moment_of
from loremap.clients.registry import client_named
from loremap.model.hook import Moment

_MOMENTS = (Moment.BEFORE_TOOL, Moment.SESSION_START, Moment.PROMPT, Moment.AFTER_TOOL)
"""The first of these that a client takes is the one that is tried."""


def hook_of(
    client: str, *, session_id: str, folder: Path, line: str
) -> tuple[str, dict[str, Any]] | None:
    """The name and the payload of a hook in which `line` is run or said; None for a client that
    takes nothing."""
    known = client_named(client)
    moment = next((each for each in _MOMENTS if each in known.takes), None)
    name = next((event for event in known.events if moment_of(event) is moment), None)
    if moment is None or name is None:
        return None
    told = _told(moment, line=line, use_id=f"call-{session_id}")
    example = Example(name=name, session_id=session_id, folder=str(folder), told=told)
    return name, (known.payloads or Adapter()).sent(example)


def _told(moment: Moment, *, line: str, use_id: str) -> dict[str, Any]:
    if moment is Moment.SESSION_START:
        return {"source": "startup"}
    if moment is Moment.PROMPT:
        return {"prompt": line}
    call = {"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": use_id}
    return call if moment is Moment.BEFORE_TOOL else {**call, "tool_response": {"stdout": ""}}
