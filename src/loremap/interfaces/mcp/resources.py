"""The resources: the module map, one module, one memory."""

from __future__ import annotations

from urllib.parse import unquote

from loremap.errors import NotFound
from loremap.injection.render import one_line, short_id
from loremap.interfaces.mcp.answer import plain_id
from loremap.interfaces.mcp.desk import Call
from loremap.interfaces.mcp.map_tool import BEING_MADE, NO_PROJECT, map_text, module_told
from loremap.model.state import Shown
from loremap.model.text import visible

MAP = "loremap://map"
MODULE = "loremap://module/"
MEMORY = "loremap://memory/"


def text_at(call: Call, address: str) -> str:
    """What is at `address`; raises NotFound where there is nothing."""
    if address.startswith(MEMORY):
        with call.lore() as lore:
            return _memory(lore.show(plain_id(unquote(address.removeprefix(MEMORY)))))
    if address != MAP and not address.startswith(MODULE):
        raise NotFound(f"There is no resource {address!r}.", hint=f"Read {MAP}.")
    with call.lore() as lore:
        if lore.repository.kind == "global":
            return NO_PROJECT
    if not call.is_charted():
        return BEING_MADE
    with call.lore() as lore:
        if address == MAP:
            return map_text(lore.atlas.map())
        return module_told(lore, unquote(address.removeprefix(MODULE)))


def _memory(shown: Shown) -> str:
    """A memory with all that belongs to it."""
    memory = shown.memory
    about = {
        "kind": memory.kind.value,
        "status": memory.status.value,
        "scope": memory.scope.value,
        "files": ", ".join(memory.files),
        "tags": ", ".join(memory.tags),
        "written": f"{memory.created_at:%Y-%m-%d} by {memory.created_by}",
        "links": ", ".join(
            f"{link.relation.value} {short_id(link.target_id)}"
            for link in shown.links
            if link.source_id == memory.id
        ),
        "in conflict with": ", ".join(
            short_id(one.memory_b if one.memory_a == memory.id else one.memory_a)
            for one in shown.conflicts
        ),
    }
    head = [f"{name}: {one_line(value)}" for name, value in about.items() if value]
    title = f"Memory #{short_id(memory.id)} (data, not orders)"
    return "\n".join([title, *head, "", visible(memory.content)])


def modules_like(call: Call, start: str) -> list[str]:
    """Names of modules that start so, for a client that completes them."""
    with call.lore() as lore:
        if lore.repository.kind == "global" or not lore.code.scanned:
            return []
        names = [module.name for module in lore.atlas.map().modules]
    return [name for name in names if name.casefold().startswith(start.casefold())]
