"""A brief for a task: the files it concerns, their modules, and what is remembered of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from loremap.clients.client import Form
from loremap.code.module_map.line import module_line
from loremap.memory.brief.recaps import EARLIER
from loremap.memory.brief.render import MAX_BYTES, Piece, Rendered, Section, rendered
from loremap.memory.brief.said import LONGEST, Remarks, joined, memory_piece, name_said, registers
from loremap.model.kind import RULES
from loremap.model.module import Module
from loremap.model.recall import Hit
from loremap.model.text import visible
from loremap.model.tokens import tokens

DEFAULT_TOKENS = 1_800
BRIDGE = "Other agents at work here now (unverified)"
CODE_SHARE = 1 / 3
"""What of the budget files and modules may take; memories get the rest."""
FRAME_TOKENS, TITLE_TOKENS = 40, 20
LONGEST_IN_FULL = 1_600
"""Characters of one memory where there is room for more than a passage of it."""
NO_REASONS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class FileFound:
    """A file that a task concerns, and why in a few words."""

    path: str
    why: str
    is_sure: bool = False
    """The task names it or something that it defines or says, or most of the task is said in it."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What an agent is told before a task, and what it is made of."""

    text: str
    files: tuple[FileFound, ...] = ()
    modules: tuple[Module, ...] = ()
    hits: tuple[Hit, ...] = ()
    left_out: int = 0
    """Memories that fit the task and no longer the budget."""
    pieces: tuple[Piece, ...] = ()

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        return tokens(self.text)

    @property
    def beside(self) -> tuple[Piece, ...]:
        """What it tells that is neither a memory, nor a module, nor a file of the task."""
        return tuple(piece for piece in self.pieces if piece.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dress:
    """How a brief is dressed, and how long it may be."""

    form: Form = Form.TEXT
    budget_tokens: int = DEFAULT_TOKENS
    """For what the task asks for."""
    bridge_tokens: int = 0
    summary_tokens: int = 0
    """For what others at work find, and how earlier sessions went, beside that."""
    total_tokens: int | None = None
    """For all of it, where that is less than the sum: how earlier sessions went gives way."""
    most_bytes: int = MAX_BYTES


def brief(
    hits: Sequence[Hit],
    *,
    files: Sequence[FileFound] = (),
    modules: Sequence[Module] = (),
    remarks: Remarks | None = None,
    asked: frozenset[str] = frozenset(),
    reasons: Mapping[str, str] = NO_REASONS,
    answers: Collection[str] = (),
    bridge: Sequence[Piece] = (),
    earlier: Sequence[Piece] = (),
    dress: Dress | None = None,
) -> Brief:
    """The brief within its budget; empty where nothing concerns the task. Of a long memory that
    passage is told which says most of what was `asked`, or all of it where it is one of those that
    answer the task by themselves (`answers`) and there is room. `reasons` say by memory why it is
    told, where that is not plain. What others at work find (`bridge`) comes first, how `earlier`
    sessions went last, each within its own tokens."""
    dress = dress or Dress()

    def piece_of(hit: Hit, longest: int = LONGEST) -> Piece:
        why = reasons.get(hit.memory.id, fits_by(hit))
        return memory_piece(hit, remarks=remarks, why=why, longest=longest, asked=asked)

    told = [piece_of(hit) for hit in hits]
    inside = max(dress.budget_tokens - FRAME_TOKENS, 0)
    needed = sum(tokens(piece.text) + 1 for piece in told)
    for_code = max(int(inside * CODE_SHARE), inside - needed)
    shown = _within([_file_piece(one) for one in files], for_code)
    mapped = _within([_module_piece(one) for one in modules], for_code - size_of(shown))
    answering = [piece for piece in told if piece.memory_id in answers]
    room = inside - size_of([*shown, *mapped, *answering])
    told = _in_full(answers, hits, told, lambda hit: piece_of(hit, LONGEST_IN_FULL), room=room)
    asked_for = (
        Section("Files for this task", shown),
        Section("Modules", mapped),
        *registers(told),
    )
    at_work = Section(BRIDGE, _within(bridge, dress.bridge_tokens - TITLE_TOKENS))
    made = rendered(
        asked_for,
        form=dress.form,
        budget_tokens=dress.budget_tokens,
        most_bytes=dress.most_bytes,
    )
    room = dress.summary_tokens
    if dress.total_tokens is not None:
        room = min(room, dress.total_tokens - tokens(made.text) - size_of(at_work.pieces))
    gone = Section(EARLIER, _within(earlier, room - TITLE_TOKENS))
    if at_work.pieces or gone.pieces:
        every = (at_work, *made.only_kept(asked_for), gone)
        made = rendered(every, form=dress.form, most_bytes=dress.most_bytes)
    return _brief(made, files=files, modules=modules, hits=hits)


def _in_full(
    answers: Collection[str],
    hits: Sequence[Hit],
    told: Sequence[Piece],
    in_full: Callable[[Hit], Piece],
    *,
    room: int,
) -> list[Piece]:
    """The pieces, of the `answers` that are passages the first ones in full where no other answer
    needs the room: what settles a thing may stand anywhere in it."""
    pieces = list[Piece]()
    for hit, piece in zip(hits, told, strict=True):
        if hit.memory.id in answers and len(hit.memory.content) > LONGEST:
            longer = in_full(hit)
            more = tokens(longer.text) - tokens(piece.text)
            if more <= room:
                piece, room = longer, room - more
        pieces.append(piece)
    return pieces


def fits_by(hit: Hit) -> str:
    """Why a memory fits: what its score is made of."""
    made = ", ".join(f"{name} {value:.2f}" for name, value in hit.parts.items())
    if made:
        return f"fits by {made}"
    if hit.memory.pinned:
        return "pinned"
    return "standing" if RULES[hit.memory.kind].always_on else "kept about files of the task"


def _file_piece(found: FileFound) -> Piece:
    path = joined(visible(found.path))
    why = name_said(found.why)  # it names what the file defines
    return Piece(text=f"- {path}: {why}", file=found.path, why=f"located: {why}")


def _module_piece(module: Module) -> Piece:
    return Piece(text=module_line(module), module=module.name, why=f"module {module.name}")


def _within(pieces: Sequence[Piece], budget: int) -> tuple[Piece, ...]:
    """The first pieces, as many as fit."""
    kept: list[Piece] = []
    for piece in pieces:
        if size_of([*kept, piece]) > budget:
            break
        kept.append(piece)
    return tuple(kept)


def size_of(pieces: Sequence[Piece]) -> int:
    """About how many tokens pieces take."""
    return sum(tokens(piece.text) + 1 for piece in pieces)


def _brief(
    made: Rendered,
    *,
    files: Sequence[FileFound],
    modules: Sequence[Module],
    hits: Sequence[Hit],
) -> Brief:
    paths = {piece.file for piece in made.kept}
    names = {piece.module for piece in made.kept}
    ids = {piece.memory_id for piece in made.kept}
    kept = tuple(hit for hit in hits if hit.memory.id in ids)
    return Brief(
        made.text,
        files=tuple(one for one in files if one.path in paths),
        modules=tuple(module for module in modules if module.name in names),
        hits=kept,
        left_out=len(hits) - len(kept),
        pieces=made.kept,
    )
