"""The resources: the module map, one module, one memory."""

from __future__ import annotations

from urllib.parse import unquote

from loremap.errors import NotFound
from loremap.interfaces.mcp.answer import plain_id, shortened
from loremap.interfaces.mcp.desk import Call
from loremap.interfaces.mcp.map_tool import BEING_MADE, NO_PROJECT, map_text, module_told
from loremap.interfaces.mcp.whole import whole
from loremap.memory.brief.ours import harmless
from loremap.model.text import one_line

MAP = "loremap://map"
MODULE = "loremap://module/"
MEMORY = "loremap://memory/"


def text_at(call: Call, address: str) -> str:
    """What is at `address`, as a model may read it; raises NotFound where there is nothing."""
    return harmless(_at(call, address))


def _at(call: Call, address: str) -> str:
    if address.startswith(MEMORY):
        with call.lore() as lore:
            return whole(lore.show(plain_id(unquote(address.removeprefix(MEMORY)))))
    if address != MAP and not address.startswith(MODULE):
        raise NotFound(f"There is no resource {shortened(address)}.", hint=f"Read {MAP}.")
    with call.lore() as lore:
        if lore.repository.kind == "global":
            return NO_PROJECT
    if not call.is_charted():
        return BEING_MADE
    with call.lore() as lore:
        if address == MAP:
            return map_text(lore.modules.map())
        return module_told(lore, unquote(address.removeprefix(MODULE)))


def modules_like(call: Call, start: str) -> list[str]:
    """Names of modules that start so, for a client that completes them."""
    with call.lore() as lore:
        if lore.repository.kind == "global" or not lore.code.scanned:
            return []
        names = [module.name for module in lore.modules.map().modules]
    shown = [harmless(one_line(name)) for name in names]
    return [name for name in shown if name.casefold().startswith(start.casefold())]
