"""The prompts, which in many clients a user picks as slash commands, and the resources: the module
map, one module, one memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from loremap.clients.registry import client_named
from loremap.errors import BadInput, NotFound
from loremap.interfaces.mcp.answer import plain_id, shortened, whole
from loremap.interfaces.mcp.call import Call
from loremap.interfaces.mcp.map_tool import BEING_MADE, NO_PROJECT, map_text, module_told
from loremap.memory.brief.ours import harmless
from loremap.model.text import one_line


@dataclass(frozen=True, slots=True)
class Prompt:
    """One slash command: its argument, and the start of the command line it stands for."""

    name: str
    says: str
    argument: str
    argument_says: str
    command: str
    required: bool = True


PROMPTS: tuple[Prompt, ...] = (
    Prompt("remember", "Remember something in this project", "text", "what to keep", "remember"),
    Prompt("forget", "Forget a memory", "what", "an id, or words only it has", "forget"),
    Prompt("pin", "Pin a memory to every session, or unpin it", "what", "id or words", "pin"),
    Prompt(
        "memory",
        "Memory: status, list, search, inbox, auto, budget, alias",
        "command",
        "status | list [kind] | search … | inbox [keep|drop ID] | auto on|off | budget N | alias …",
        "",
        required=False,
    ),
)
_VERBS = (
    "status", "list", "search ", "inbox", "inbox keep ", "inbox drop ", "auto on", "auto off",
    "budget ", "alias add ", "alias list", "alias remove ",
)  # fmt: skip
BY_NAME = {prompt.name: prompt for prompt in PROMPTS}


def offered(client: str) -> tuple[Prompt, ...]:
    """The prompts a client is offered: none where `lore connect` brought the commands in another
    form."""
    return PROMPTS if client_named(client).takes_prompts else ()


def verbs_like(prompt: str, start: str) -> list[str]:
    """Commands that start so, for a client that completes what the user types."""
    return [verb for verb in _VERBS if verb.startswith(start)] if prompt == "memory" else []


def asked(name: str, given: Mapping[str, str], *, client: str = "") -> str:
    """What the model reads when the user picks a prompt; the user's words are quoted as data."""
    prompt = BY_NAME.get(name)
    if prompt is None:
        raise BadInput(
            f"There is no prompt {shortened(name)}.", hint=f"Prompts: {', '.join(BY_NAME)}."
        )
    words = one_line(given.get(prompt.argument, ""))
    if prompt.required and not words:
        raise BadInput(f"/{name} needs {prompt.argument}.", hint=f"Say {prompt.argument_says}.")
    command = " ".join(part for part in (prompt.command, words) if part) or "status"
    arguments = json.dumps({"command": command}, ensure_ascii=False)
    cut = client_named(client).gives_first_word
    whole = f" (in place of {words!r}: all of <command-args>)" if cut else ""
    return (
        f"I typed /{name}. Call the Loremap tool `memory` once with {arguments}{whole}, "
        "then show me its answer. Do nothing else."
    )


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
