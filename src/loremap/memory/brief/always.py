"""What every session starts with: the map in a line per module, pins, and what stands.

Each part has a share of the budget. Where a part exceeds it, the least important give way, and the
trace says so. What a client loads by itself is not told it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from loremap.clients.client import Client
from loremap.code.module_map.line import command_line, module_line
from loremap.memory.brief.recaps import UNFINISHED
from loremap.memory.brief.render import MAX_BYTES, Piece, Rendered, Section, rendered
from loremap.memory.brief.said import Remarks, memory_piece, registers
from loremap.model.anchor import withheld
from loremap.model.clock import to_ms
from loremap.model.kind import RULES
from loremap.model.memory import FROM_USER, Memory, Status
from loremap.model.module import ModuleMap
from loremap.model.recall import Hit, Verdict
from loremap.model.session import MAX_PINNED
from loremap.model.tokens import tokens

MODULE_SHARE = 1 / 3
"""What of the block the map may take: 600 of 1,800 tokens."""
MAX_UNFINISHED_TOKENS = 160
FRAME_TOKENS = 60
"""What the frame and the titles take."""
STEP = "always-on"
ROOM = "room"
"""The step at which what belongs into the block gives way to what is more important."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlwaysOn:
    """The block, what it is made of, and who had to give way and why."""

    text: str = ""
    pieces: tuple[Piece, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much there is room for."""

    tokens: int
    pinned_tokens: int
    most_bytes: int = MAX_BYTES


def always_on(
    module_map: ModuleMap | None,
    hits: Sequence[Hit],
    *,
    client: Client,
    room: Room,
    remarks: Remarks | None = None,
    unfinished: Sequence[Piece] = (),
    is_loaded: Callable[[Memory], bool] = lambda _: False,
) -> AlwaysOn:
    """The block for a client: `hits` are all that may be in it, with what became of their code;
    `is_loaded` says what the client loads by itself, `unfinished` what is left open here."""
    verdicts: list[Verdict] = []
    speaking = [hit for hit in hits if not _left_out(hit, client, is_loaded, verdicts)]
    inside = max(room.tokens - FRAME_TOKENS, 0)
    modules = _modules(module_map, int(inside * MODULE_SHARE))
    open_ends = _within(unfinished, MAX_UNFINISHED_TOKENS, [])
    left = inside - _size(modules) - _size(open_ends)
    hit_of = {hit.memory.id: hit for hit in speaking}
    ordered = [hit_of[memory.id] for memory in by_importance([hit.memory for hit in speaking])]
    pinned = [hit for hit in ordered if hit.memory.pinned]
    standing = [hit for hit in ordered if not hit.memory.pinned]
    pins = _within(
        [_piece(hit, remarks, "pinned") for hit in pinned],
        min(room.pinned_tokens, left),
        verdicts,
        most=MAX_PINNED,
    )
    rest = _within(
        [_piece(hit, remarks, "standing") for hit in standing], left - _size(pins), verdicts
    )
    sections = (
        Section("Modules of this project", tuple(modules)),
        Section(UNFINISHED, tuple(open_ends)),
        *registers([*pins, *rest]),
    )
    made = rendered(
        sections, form=client.form, budget_tokens=room.tokens, most_bytes=room.most_bytes
    )
    return AlwaysOn(text=made.text, pieces=made.kept, verdicts=_told(made, verdicts))


def _left_out(
    hit: Hit, client: Client, is_loaded: Callable[[Memory], bool], verdicts: list[Verdict]
) -> bool:
    why = why_not(hit)
    if not why and is_loaded(hit.memory):
        why = f"{client.title} loads {hit.memory.source_file} by itself"
    if why:
        verdicts.append(Verdict(hit.memory.id, STEP, False, why, hit.memory.importance))
    return bool(why)


def why_not(hit: Hit) -> str:
    """Why a memory does not belong into the block; empty where it does."""
    memory = hit.memory
    if memory.status is not Status.CONFIRMED:
        return "nobody confirmed it"
    if memory.tainted:
        return "it came from outside"
    if memory.voted_down:
        return "voted down"
    if not memory.pinned and not RULES[memory.kind].always_on:
        return "of a kind that is told when it fits"
    if hit.freshness is not None and withheld(memory.kind, hit.freshness.freshness):
        return f"orphaned: {hit.freshness.why}"
    return ""


def by_importance(standing: Sequence[Memory]) -> list[Memory]:
    """Pins first, then what the user stated, then the most important; of equals the one that weighs
    more, then the newer."""
    return sorted(
        standing,
        key=lambda memory: (
            not memory.pinned,
            memory.origin not in FROM_USER,
            -memory.importance,
            -RULES[memory.kind].weight,
            -to_ms(memory.created_at),
            memory.content,  # what was seeded together has one time
        ),
    )


def _piece(hit: Hit, remarks: Remarks | None, why: str) -> Piece:
    ranked = Hit(hit.memory, hit.memory.importance, freshness=hit.freshness)
    return memory_piece(ranked, remarks=remarks, why=why)


def _modules(module_map: ModuleMap | None, budget: int) -> list[Piece]:
    """The map in a line per module, the largest first, and the commands before them."""
    if module_map is None or not module_map.modules:
        return []
    lines = [command_line(module_map)] if module_map.build.commands else []
    product = [module for module in module_map.modules if not module.role]
    ordered = sorted(product, key=lambda one: (-len(one.core_files), one.name))
    lines += [module_line(module) for module in ordered]
    kept: list[str] = []
    for line in lines:
        if tokens("\n".join([*kept, line])) > budget - 5:
            break
        kept.append(line)
    more = len(lines) - len(kept)
    if kept and more:
        kept.append(f"… and {more} more: `lore map`")
    return [Piece(text="\n".join(kept), why="the map")] if kept else []


def _within(
    pieces: Sequence[Piece], budget: int, verdicts: list[Verdict], *, most: int | None = None
) -> list[Piece]:
    """As many as fit, the most important first; who gives way is noted."""
    kept: list[Piece] = []
    for piece in pieces:
        if most is not None and len(kept) >= most:
            why = f"{most} more important ones are there"
        elif _size([*kept, piece]) > budget:
            why = f"the share of {budget} tokens is taken by more important ones"
        else:
            kept.append(piece)
            continue
        verdicts.append(Verdict(piece.memory_id or "", ROOM, False, why, piece.score or 0.0))
    return kept


def _size(pieces: Sequence[Piece]) -> int:
    return sum(tokens(piece.text) + 1 for piece in pieces)


def _told(made: Rendered, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    kept = [
        Verdict(piece.memory_id, STEP, True, piece.why, piece.score or 0.0)
        for piece in made.kept
        if piece.memory_id
    ]
    cut = [
        Verdict(piece.memory_id, ROOM, False, "the block would be too long", piece.score or 0.0)
        for piece in made.left_out
        if piece.memory_id
    ]
    return (*kept, *verdicts, *cut)
