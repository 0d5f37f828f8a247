"""Anchors memories to the code at hand when they are made, and anew when someone confirms them.

The parsers are loaded only where a memory names something: most do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loremap.code import mentions
from loremap.model.anchor import Anchor
from loremap.model.memory import Memory, Origin, Scope

if TYPE_CHECKING:
    from loremap.code.view import CodeView


def anchors_of(
    memory: Memory, code: CodeView | None, *, symbols: Sequence[str] = ()
) -> tuple[Anchor, ...]:
    """What `memory` names of the code here, or is said to be about (`path::Class.method`); a global
    one belongs to no code."""
    if code is None or memory.project_id is None or memory.scope is Scope.GLOBAL:
        return ()
    read_in = memory.source_file if memory.origin is Origin.FILE else None
    files = (*memory.files, *([read_in] if read_in else []))
    if not files and not symbols and not mentions.something_in(memory.content):
        return ()
    from loremap.code.anchors import anchors_in

    return anchors_in(memory.content, files, code, symbols=symbols)


def renewed(memory: Memory, held: Sequence[Anchor], code: CodeView) -> tuple[Anchor, ...]:
    """The anchors of a memory that someone says is true now: those it has, where they are found,
    and what it names. Where nothing of it is here, they stay as they are: it was said elsewhere.
    """
    named = anchors_of(memory, code)
    if not held:
        return named
    from loremap.code.anchors import dated, retaken
    from loremap.code.verdicts import verdict

    followed = [retaken(anchor, verdict(anchor, code), code) for anchor in held]
    again = dated([anchor for anchor in followed if anchor is not None], code)
    return united(again, named) or tuple(held)


def united(first: Sequence[Anchor], others: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """Both, each place once, as the first has it."""
    from loremap.code.anchors import MAX_ANCHORS

    both = {(anchor.path, anchor.kind, anchor.symbol): anchor for anchor in (*others, *first)}
    return tuple(both.values())[:MAX_ANCHORS]
