"""Reads one hook's payload into the event it tells of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from loremap.clients.framed import without_framed
from loremap.clients.payloads.adapter import Adapter
from loremap.clients.payloads.moments import beginning_of, moment_of
from loremap.clients.payloads.payload import Raw, items, parsed, text
from loremap.clients.registry import CLIENTS, client_named
from loremap.model.hook import HookEvent, Moment

CALL = "call:"
"""How the key of a call begins that has an id of its own."""
INCOGNITO = "LOREMAP_INCOGNITO"
MAX_SAID = 200_000
"""Letters of a prompt or a message that anybody looks at; more is a file that was pasted."""
MAX_TAKEN_BACK = 200
_FRAMES = ("hook_context", "project_memory", "system_reminder")
_PROMPTED = frozenset({Moment.PROMPT, Moment.SUBAGENT_START})
_OFF = frozenset({"", "0", "false", "no", "off"})
_PARENTS = ("LOREMAP_PARENT", "CLAUDE_PID", "OPENCODE_PID")


def hook_event(
    payload: bytes, *, client: str, name: str | None, env: Mapping[str, str], now: datetime
) -> HookEvent | None:
    """The event that `payload` tells of; None where it tells of none that concerns us."""
    raw = parsed(payload)
    if raw is None:
        return None
    return told(raw, client=client, name=name, env=env, now=now)


def told(
    raw: Raw, *, client: str, name: str | None, env: Mapping[str, str], now: datetime
) -> HookEvent | None:
    """The event that an object of a client tells of."""
    client = speaker(client, raw, env)
    adapter = client_named(client).payloads or Adapter()
    fields = {**raw, **adapter.flattened(raw)}
    called_it = text(raw, *adapter.event) or name or ""
    moment = adapter.moment(raw, moment_of(called_it))
    if not adapter.wanted(raw, moment):
        return None
    folder, turn = _folder(adapter, raw, env), text(raw, *adapter.turn)
    event = HookEvent(
        client=client,
        name=called_it,
        moment=moment,
        session_id=_session(client, adapter, fields, env, folder),
        at=now,
        folder=folder,
        transcript=_path(text(raw, *adapter.transcript) or adapter.written(raw, env)),
        inner_transcript=_path(text(raw, "agent_transcript_path", "agentTranscriptPath")),
        beginning=(
            beginning_of(called_it, text(raw, "source")) if moment is Moment.SESSION_START else None
        ),
        turn=turn[:200],
        prompt=(
            without_ours(text(fields, *adapter.prompt))[:MAX_SAID] if moment in _PROMPTED else ""
        ),
        tool=adapter.tool(raw, moment, adapter.outcome),
        subagent_id=adapter.agent(raw) or None,
        subagent_kind=text(raw, "agent_type", "subagent_type"),
        said=text(fields, *adapter.said)[:MAX_SAID],
        taken_back=tuple(
            one for one in items(raw, "taken_back")[:MAX_TAKEN_BACK] if isinstance(one, str)
        ),
        incognito=env.get(INCOGNITO, "").lower() not in _OFF,
    )
    return replace(event, key=_key(event, turn))


def speaker(named: str, raw: Raw, env: Mapping[str, str]) -> str:
    """The client that is speaking: the one that was named, unless what it sent is another's. One
    plugin serves several clients with the same command, and some run the hooks of others."""
    known = CLIENTS.get(named)
    if known is not None and known.payloads is not None and not known.is_lent:
        return named
    signs = {
        name: client.payloads.marks(raw, env)
        for name, client in CLIENTS.items()
        if client.payloads is not None
    }
    surest = max(signs, key=lambda name: signs[name])
    return surest if signs[surest] else named or "unknown"


def without_ours(prompt: str) -> str:
    """A prompt without what hooks have put into it: what we said is not what the user said."""
    return without_framed(prompt, *_FRAMES).strip() if "<" in prompt else prompt


def call_key(event: HookEvent, use_id: str, turn: str) -> str:
    """The key of a moment of one call of a tool: by its id, and then by its turn and its agent, for
    what is found in a spool does not know those."""
    call = mark_of_call(event.session_id, event.moment, use_id)
    around = f"{turn}\0{event.subagent_id}" if turn or event.subagent_id else ""
    return f"{call}:{_digest(around) if around else ''}"


def mark_of_call(session_id: str, moment: Moment, use_id: str) -> str:
    """How all keys of one moment of a call begin, whatever is known of its turn and agent."""
    return CALL + _digest(f"{session_id}\0{moment}\0{use_id}")


def _key(event: HookEvent, turn: str) -> str:
    """Equal for one event that reaches us twice, in whichever of a client's shapes. Where a client
    gives a call no id, its content stands for it, and the same may well be said again later."""
    tool = event.tool
    if tool is not None and tool.use_id:
        return call_key(event, tool.use_id, turn)
    content = [event.subagent_id, event.beginning, event.prompt, event.said]
    if tool is not None:
        content += [tool.name.lower(), tool.result, _written(tool.input)]
    parts = (event.session_id, event.moment, turn, *content)
    return "said:" + _digest("\0".join("" if part is None else part for part in parts))


def _written(given: Raw) -> str:
    try:
        return json.dumps(given, sort_keys=True)
    except RecursionError:  # nested deeper than anybody means it
        return repr(sorted(given))


def _digest(content: str) -> str:
    return hashlib.blake2b(content.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _session(
    client: str, adapter: Adapter, raw: Raw, env: Mapping[str, str], folder: Path | None
) -> str:
    """The session's id; one that stays the same for a client in a folder where it gives none."""
    found = text(raw, *adapter.session)
    for variable in () if found else adapter.session_env:
        found = found or env.get(variable, "")
    if found:
        return found[:200]
    parent = next((env[name] for name in _PARENTS if env.get(name)), "")
    return "made-" + _digest(f"{client}\0{folder}\0{parent}")[:16]


def _folder(adapter: Adapter, raw: Raw, env: Mapping[str, str]) -> Path | None:
    """The folder the agent works in, as far as it is there."""
    for named in (adapter.folder(raw), *(env.get(name, "") for name in adapter.folder_env)):
        path = _path(named)
        if path is not None and path.is_dir():
            return path
    return None


def _path(named: str) -> Path | None:
    """The path that is named; None where it is none one can go by."""
    if not named or "\0" in named or len(named) > 4096:
        return None
    path = Path(named)
    return path if path.is_absolute() else None
