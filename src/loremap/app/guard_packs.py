"""Switches ready packs of warnings on and off: each is an ordinary memory, known by its tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from loremap.errors import BadInput
from loremap.model.guard_pack import BY_NAME, PACKS, TAG, Pack
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Scope, Trigger
from loremap.model.outcome import Refused

if TYPE_CHECKING:
    from loremap.app.lore import Lore

IMPORTANCE = 0.3
"""It speaks up at its commands; in the block of a session it gives way to what a project knows."""


def chosen(names: Sequence[str]) -> list[Pack]:
    """The packs of these names; `all` is every one of them, `none` is none."""
    wanted = [name for each in names for name in each.split(",") if name]
    if "all" in wanted:
        return list(PACKS)
    unknown = [name for name in wanted if name not in BY_NAME and name != "none"]
    if unknown:
        raise BadInput(
            f"There is no pack {unknown[0]!r}; nothing was changed.",
            hint=f"There are: {', '.join(BY_NAME)}; or all, or none.",
        )
    return [pack for pack in PACKS if pack.name in wanted]


def switched_on(lore: Lore) -> Mapping[str, Memory]:
    """The packs that are on here, each with its memory."""
    found: dict[str, Memory] = {}
    for memory in lore.list(kinds=(Kind.WARNING,), tag=TAG, limit=1_000):
        for name in BY_NAME.keys() & set(memory.tags):
            found[name] = memory
    return found


def switch_on(lore: Lore, packs: Sequence[Pack], *, here_only: bool = False) -> list[Memory]:
    """Remember the warnings of some packs that are not on yet, for every project or for this one;
    what was remembered."""
    known = switched_on(lore)
    return [_remembered(lore, pack, here_only) for pack in packs if pack.name not in known]


def switch_off(lore: Lore, packs: Sequence[Pack]) -> list[Memory]:
    """Forget the warnings of some packs, as any memory is forgotten; what was forgotten."""
    known = switched_on(lore)
    ids = [known[pack.name].id for pack in packs if pack.name in known]
    return [memory for id_ in ids for memory in lore.forget(id_)[0]]


def _remembered(lore: Lore, pack: Pack, here_only: bool) -> Memory:
    outcome = lore.remember(
        pack.text,
        kind=Kind.WARNING,
        scope=Scope.PROJECT if here_only else Scope.GLOBAL,
        tags=(TAG, pack.name),
        triggers=[Trigger("literal", command, "command") for command in pack.commands],
        importance=IMPORTANCE,
    )
    if isinstance(outcome, Refused):
        raise BadInput(f"The pack {pack.name} was not switched on: {outcome.reason}")
    return outcome.memory
