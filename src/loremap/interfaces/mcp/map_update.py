"""The tool that corrects a module of the map; what an agent writes there must be found here.

A module's fields stand in the block of every later session, and what an agent writes may have been
told to it by a page it read. So it may say which files, packages and modules belong to a module, by
names this project has; words of its own it may not add.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from loremap.code.module_map.text import module_text
from loremap.errors import BadInput
from loremap.interfaces.mcp.answer import Answer, shortened
from loremap.interfaces.mcp.map_tool import (
    BEING_MADE,
    MODULE_TOKENS,
    module_named,
    refuse_outside,
)
from loremap.model.map_edits import LISTS
from loremap.model.text import one_line

if TYPE_CHECKING:
    from loremap.app.lore import Lore
    from loremap.interfaces.mcp.call import Call
    from loremap.model.module import ModuleMap

FILES = LISTS[:3]
TEXTS = ("name", "description", "annotation")
MAX_ITEMS = 100
LONGEST_ITEM = 300


def update(call: Call) -> Answer:
    """Seed-003 §6: `update_module_map("authentication", { coreFiles: [...] })`."""
    fields = {_snake(key): value for key, value in call.given["fields"].items()}
    if not fields:
        raise BadInput("'fields' is missing.", hint='Give e.g. {"core_files": ["auth/login.py"]}.')
    with call.lore(writes=True) as lore:
        refuse_outside(lore)
    if not call.is_charted():
        return Answer(BEING_MADE)
    with call.lore(writes=True) as lore:
        found = lore.modules.map()
        module = module_named(found, call.given["name"])
        wanted = {key: _checked(call, lore, found, key, value) for key, value in fields.items()}
        seen = call.given.get("version")
        now = lore.modules.update_module(module.name, expected_version=seen, **wanted)
    called = wanted.get("name", module.name)
    told = module_text(module_named(now, str(called)), budget_tokens=MODULE_TOKENS)
    return Answer(f"The map is updated.\n{told or one_line(str(called))}")


def _checked(call: Call, lore: Lore, found: ModuleMap, key: str, value: Any) -> str | Sequence[str]:
    """What may be written into one field; raises where it may not."""
    if key in TEXTS and isinstance(value, str):
        if call.is_typed(value):
            return one_line(value)
        raise BadInput(
            f"An agent corrects a module's files, not its {key}: the user did not type that.",
            hint="They can: lore map edit.",
        )
    if key not in LISTS and key not in TEXTS:
        known = ", ".join((*LISTS, *TEXTS))
        raise BadInput(f"A module has no field {shortened(key)}.", hint=f"Fields: {known}.")
    items = [value] if isinstance(value, str) and key in LISTS else value
    if key in TEXTS or not isinstance(items, list) or not all(isinstance(i, str) for i in items):
        kind = "a text" if key in TEXTS else "a list of texts"
        raise BadInput(f"{key!r} takes {kind}.")
    if len(items) > MAX_ITEMS:
        raise BadInput(f"{key!r} takes {MAX_ITEMS} entries at most, not {len(items)}.")
    known_as = _names(key, lore, found)
    return [_known(call, key, item, known_as) for item in items]


def _known(call: Call, key: str, item: str, known_as: Callable[[str], str | None]) -> str:
    plain = one_line(item)
    name = known_as(plain) if plain == item and len(plain) <= LONGEST_ITEM else None
    if name is not None:
        return name
    if plain and len(plain) <= LONGEST_ITEM and call.is_typed(item):
        return plain
    what = "file" if key in FILES else "module" if key == "related_modules" else "package or module"
    raise BadInput(f"{key}: this project has no {what} {shortened(item)}.", hint="Nothing changed.")


def _names(key: str, lore: Lore, found: ModuleMap) -> Callable[[str], str | None]:
    """What gives the name by which the project knows an entry of a field, or None."""
    if key in FILES:
        return lambda item: _file(lore, item)
    names = {module.name for module in found.modules}
    if key == "dependencies":
        names |= {one for module in found.modules for one in module.dependencies}
    return lambda item: item if item in names else None


def _file(lore: Lore, item: str) -> str | None:
    """A file of this project as the project names it."""
    try:
        path = lore.path_here(item)
        there = (lore.repository.root / path).is_file()
    except (BadInput, OSError, ValueError):  # outside, no name of a file, not to be seen
        return None
    return PurePosixPath(path).as_posix() if there and one_line(path) == path else None


def _snake(key: str) -> str:
    return re.sub(r"(?<=[a-z])[A-Z]", lambda sign: "_" + sign[0].lower(), key)
