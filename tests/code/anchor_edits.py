"""The edits of a made-up history. Each changes the project, notes which pieces say something else
now, and returns the numbers of those it was meant for; None where it does not apply."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable

import anchor_statements as say
from anchor_history import CODE, STATEMENTS, File, History, Piece

Edit = Callable[[History], set[int] | None]


def _chosen(history: History, *, code: bool | None = None, plain: bool = True) -> (
    tuple[File, list[Piece], Piece] | None
):  # fmt: skip
    """A piece that a memory speaks of."""
    held = {memory.number for memory in history.memories}
    fitting = [
        place
        for place in history.places(code=code)
        if place[2].number in held and not (plain and place[2].members is not None)
    ]
    return history.rng.choice(fitting) if fitting else None


def _name_of(history: History, piece: Piece) -> str:
    name = history._fresh_name("_")
    if piece.language in ("typescript", "go"):
        name = say.camel(name)
    return name[:1].upper() + name[1:] if piece.members is not None else name


def _targets(history: History, file: File, piece: Piece) -> list[File]:
    """The other files that may take `piece`: of its language, and without its name."""
    return [
        one
        for one in history.files
        if one.language == file.language and one is not file
        if piece.language == "markdown" or piece.name not in {each.name for each in one.pieces}
    ]


# Inside


def one_character(history: History) -> set[int] | None:
    """The smallest edit inside."""
    chosen = _chosen(history)
    if chosen is None:
        return None
    piece = chosen[2]
    place = history.rng.randrange(len(piece.body))
    piece.body[place] = say.nudged(history.rng, piece.body[place])
    history.changed(piece)
    return {piece.number}


def statement_more(history: History) -> set[int] | None:
    """A statement is added inside."""
    chosen = _chosen(history)
    if chosen is None:
        return None
    piece = chosen[2]
    new = STATEMENTS[piece.language](history.rng, "compute")
    piece.body.insert(history.rng.randrange(len(piece.body) + 1), new)
    history.changed(piece)
    return {piece.number}


def statement_less(history: History) -> set[int] | None:
    """A statement is taken out."""
    chosen = _chosen(history)
    if chosen is None or len(chosen[2].body) < 3:
        return None
    piece = chosen[2]
    del piece.body[history.rng.randrange(len(piece.body))]
    history.changed(piece)
    return {piece.number}


def parameter_more(history: History) -> set[int] | None:
    """Its head changes."""
    chosen = _chosen(history, code=True)
    if chosen is None:
        return None
    piece = chosen[2]
    piece.params.append(f"extra{len(piece.params)}")
    history.changed(piece)
    return {piece.number}


def rewritten(history: History) -> set[int] | None:
    """Most of it is replaced under the same name."""
    chosen = _chosen(history)
    if chosen is None or chosen[0].language == "markdown":
        return None  # a paragraph without a name, written anew, is another paragraph
    piece = chosen[2]
    for place in range(len(piece.body)):
        if history.rng.random() < 0.8 or place == 0:
            piece.body[place] = STATEMENTS[piece.language](history.rng, "compute")
    history.changed(piece)
    return {piece.number}


# Elsewhere


def another_piece(history: History) -> set[int] | None:
    """Something else in the file is edited."""
    held = {memory.number for memory in history.memories}
    others = [place for place in history.places() if place[2].number not in held]
    others = [place for place in others if place[2].members is None]
    if not others:
        return None
    piece = history.rng.choice(others)[2]
    piece.body[0] = say.nudged(history.rng, piece.body[0])
    history.changed(piece)
    return set()


def newcomer(history: History) -> set[int] | None:
    """A new piece is written somewhere in a file."""
    file = history.rng.choice(history.files)
    spot = history.rng.randrange(len(file.pieces) + 1)
    file.pieces.insert(spot, history.new_piece(file.language))
    return set()


def opening(history: History) -> set[int] | None:
    """The head of a file is written anew."""
    file = history.rng.choice(history.files)
    file.opening = say.phrase(history.rng, 7)
    return set()


def twin(history: History) -> set[int] | None:
    """Somebody copies a piece as it is into another file, under another name or the same."""
    chosen = _chosen(history, code=True)
    if chosen is None:
        return None
    file, _, piece = chosen
    targets = _targets(history, file, piece)
    if not targets:
        return None
    made = copy.deepcopy(piece)
    piece.copied = made.copied = True
    made.number = history.new_piece(piece.language).number
    if history.rng.random() < 0.5:
        made.name = _name_of(history, piece)
    history.rng.choice(targets).pieces.append(made)
    return set()


def stranger_gone(history: History) -> set[int] | None:
    """A piece nobody speaks of is deleted."""
    held = {memory.number for memory in history.memories}
    others = [
        (file, piece)
        for file in history.files
        for piece in file.pieces
        if not held & {one.number for one in piece.everything}
    ]
    if not others:
        return None
    file, piece = history.rng.choice(others)
    file.pieces.remove(piece)
    _unlink_calls(history, piece)
    return set()


# Layout


def reformatted(history: History) -> set[int] | None:
    """A formatter with other settings goes over a file."""
    file = history.rng.choice(history.files)
    if file.language not in CODE:
        file.width = history.rng.choice([60, 72, 100])
        file.crlf = not file.crlf
        return {one.number for one in file.pieces}
    if file.language != "go":
        file.indent = 2 if file.indent == 4 else 4
    file.airy = history.rng.random() < 0.5
    file.wrapped = history.rng.random() < 0.5
    file.crlf = history.rng.random() < 0.3
    return {one.number for piece in file.pieces for one in piece.everything}


# Moves


def reordered(history: History) -> set[int] | None:
    """The pieces of a file change places."""
    file = history.rng.choice(history.files)
    history.rng.shuffle(file.pieces)
    return {one.number for piece in file.pieces for one in piece.everything}


def to_other_file(history: History) -> set[int] | None:
    """A piece is cut out and put into another file."""
    chosen = _chosen(history, plain=False)
    if chosen is None:
        return None
    file, holder, piece = chosen
    targets = _targets(history, file, piece)
    if not targets or holder is not file.pieces:
        return None
    holder.remove(piece)
    target = history.rng.choice(targets)
    target.pieces.insert(history.rng.randrange(len(target.pieces) + 1), piece)
    return {one.number for one in piece.everything}


def to_other_class(history: History) -> set[int] | None:
    """A method moves to another class."""
    methods = [
        (owner, member)
        for file in history.files
        for owner in file.pieces
        for member in owner.members or ()
        if len(owner.members or ()) > 1
    ]
    if not methods:
        return None
    owner, member = history.rng.choice(methods)
    targets = [
        piece
        for file in history.files
        for piece in file.pieces
        if piece.members is not None and piece is not owner and piece.language == owner.language
        if member.name not in {one.name for one in piece.members}
    ]
    if not targets:
        return None
    target = history.rng.choice(targets)
    assert owner.members is not None
    owner.members.remove(member)
    owner.version += owner.holds_members
    assert target.members is not None
    target.members.append(member)
    target.version += target.holds_members
    return {member.number}


def file_renamed(history: History) -> set[int] | None:
    """A file gets another name, or another folder."""
    file = history.rng.choice(history.files)
    folder, _, name = file.path.rpartition("/")
    if history.rng.random() < 0.5:
        file.path = f"{folder}/{history._fresh_name('_')}{re.sub(r'^[^.]*', '', name)}"
    else:
        file.path = f"moved/{folder}/{name}"
    return {one.number for piece in file.pieces for one in piece.everything}


# Renames


def renamed(history: History) -> set[int] | None:
    """A piece is renamed, and with it every call of it."""
    chosen = _chosen(history, plain=False)
    if chosen is None or chosen[0].language in ("markdown", "yaml"):
        return None
    piece = chosen[2]
    piece.name = _name_of(history, piece)
    _note_callers(history, piece)
    _note_holder(history, piece)
    return {piece.number}


def name_reused(history: History) -> set[int] | None:
    """A piece is renamed and something new takes its name."""
    chosen = _chosen(history, code=True)
    if chosen is None or chosen[1] is not chosen[0].pieces or len(chosen[2].body) < 4:
        return None
    file, _, piece = chosen
    fresh = history.new_piece(piece.language)
    while fresh.members is not None:
        fresh = history.new_piece(piece.language)
    fresh.name, piece.name = piece.name, _name_of(history, piece)
    file.pieces.append(fresh)
    _note_callers(history, piece)
    return {piece.number}


def _note_callers(history: History, piece: Piece) -> None:
    """What calls `piece` says something else once it is renamed or gone; itself apart."""
    mark = f"«{piece.number}»"
    for _, _, other in history.places(code=True):
        said = any(mark in text for statement in other.body for _, text in statement)
        if said and other is not piece:
            history.changed(other)


def _note_holder(history: History, piece: Piece) -> None:
    for _, _, owner in history.places(code=True):
        if owner.members and piece in owner.members:
            owner.version += owner.holds_members


# Deletions


def deleted(history: History) -> set[int] | None:
    """A piece goes; those that called it call something else."""
    chosen = _chosen(history, plain=False)
    if chosen is None:
        return None
    _, holder, piece = chosen
    if len(holder) < 2 or any(one.copied for one in piece.everything):
        return None
    _note_holder(history, piece)
    holder.remove(piece)
    for one in piece.everything:
        _unlink_calls(history, one)
    return {one.number for one in piece.everything}


def file_deleted(history: History) -> set[int] | None:
    """A whole file goes."""
    if len(history.files) < 4:
        return None
    file = history.rng.choice(history.files)
    gone = [one for piece in file.pieces for one in piece.everything]
    if any(one.copied for one in gone):
        return None
    history.files.remove(file)
    for one in gone:
        _unlink_calls(history, one)
    return {one.number for one in gone}


def _unlink_calls(history: History, piece: Piece) -> None:
    mark = f"«{piece.number}»"
    _note_callers(history, piece)
    for _, _, other in history.places(code=True):
        other.body = [
            [(depth, text.replace(mark, "compute")) for depth, text in statement]
            for statement in other.body
        ]


# Several at once


def _both(*edits: Edit) -> Edit:
    """Several edits of the same piece in one commit, as far as they apply to it."""

    def together(history: History) -> set[int] | None:
        held = history.memories
        chosen = _chosen(history, code=True)
        if chosen is None:
            return None
        number = chosen[2].number
        history.memories = [memory for memory in held if memory.number == number]
        try:
            done = [edit(history) for edit in edits]
        finally:
            history.memories = held
        return {number} if all(one is not None for one in done) else set()

    return together


EDITS: dict[str, tuple[Edit, int]] = {
    "one character": (one_character, 8),
    "a statement more": (statement_more, 5),
    "a statement less": (statement_less, 4),
    "a parameter more": (parameter_more, 2),
    "rewritten": (rewritten, 3),
    "elsewhere: another piece": (another_piece, 8),
    "elsewhere: a new piece": (newcomer, 6),
    "elsewhere: the opening": (opening, 4),
    "elsewhere: a copy": (twin, 3),
    "elsewhere: a stranger deleted": (stranger_gone, 4),
    "reformatted": (reformatted, 6),
    "reordered": (reordered, 5),
    "moved to another file": (to_other_file, 6),
    "moved to another class": (to_other_class, 3),
    "file renamed": (file_renamed, 5),
    "renamed": (renamed, 8),
    "renamed, name reused": (name_reused, 2),
    "deleted": (deleted, 6),
    "file deleted": (file_deleted, 2),
    "moved and edited": (_both(to_other_file, one_character), 4),
    "renamed and edited": (_both(renamed, one_character), 4),
    "renamed and moved": (_both(renamed, to_other_file), 4),
    "renamed, moved and edited": (_both(renamed, to_other_file, statement_more), 2),
}
"""Each edit and how often it happens."""
