"""What `/memory status` says: counts, index health, what was injected last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loremap.app import injected
from loremap.interfaces.mcp.answer import named
from loremap.memory.brief.said import name_said
from loremap.model.text import one_line

if TYPE_CHECKING:
    from loremap.app.lore import Lore
    from loremap.interfaces.mcp.caller import Caller
    from loremap.model.state import State

MAX_INJECTED = 5


def status_text(lore: Lore, caller: Caller) -> str:
    """The state of the memory here, in a few lines."""
    state = lore.status()
    lines = [
        f"Memory of {name_said(state.project) if state.project else 'no project'}"
        + (f" on {name_said(state.branch)}" if state.branch else "")
        + (", incognito: nothing is stored" if caller.incognito else ""),
        _counts(state),
        f"Index: {_index(state)}; map: {_map(lore)}",
        _budget(lore),
        *_injected(lore),
    ]
    return "\n".join(one_line(line) for line in lines if line)


def _counts(state: State) -> str:
    kinds = ", ".join(f"{kind} {count}" for kind, count in state.by_kind.items() if count)
    counted = f"{state.memories_here} here, {state.memories_global} global"
    waiting = f"; {state.candidates} wait for review" if state.candidates else ""
    pinned = f"; {state.pinned} pinned" if state.pinned else ""
    conflicts = f"; {state.open_conflicts} open conflicts" if state.open_conflicts else ""
    return f"Memories: {counted}{f' ({kinds})' if kinds else ''}{pinned}{waiting}{conflicts}"


def _index(state: State) -> str:
    if state.damaged:
        return f"{len(state.damaged)} damaged entries; run `lore status` in a shell"
    model = state.model
    if model.name is None or not model.ready:
        return f"words only ({model.trouble or 'no embedding model'})"
    waiting = f", {model.waiting} waiting" if model.waiting else ""
    return f"healthy, {model.embedded} embedded{waiting}"


def _map(lore: Lore) -> str:
    if lore.repository.kind == "global":
        return "none outside a project"
    return "made" if lore.code.scanned else "not made yet"


def _budget(lore: Lore) -> str:
    return f"Budget: {lore.settings.whole('inject.tokens')} tokens"


def _injected(lore: Lore) -> list[str]:
    """What was put into a session last, and where."""
    given = injected.last(lore)
    if not given:
        return [injected.why_nothing(lore)]
    first = given[0].injection
    head = f"Last injected ({first.client}, {first.moment}, {first.at:%Y-%m-%d %H:%M} UTC):"
    told = [named(one.memory) for one in given if one.memory is not None]
    modules = len(given) - len(told)
    more = [f"… and {len(told) - MAX_INJECTED} more"] if len(told) > MAX_INJECTED else []
    return [head, *told[:MAX_INJECTED], *more, *([f"{modules} other parts"] if modules else [])]
