"""`review`, `conflicts`, `resolve`: a person's word on what was learned."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import click

from loremap.errors import BadInput
from loremap.interfaces.cli.shell import command, counted, interactive, place, say, warn
from loremap.model.clock import short_id
from loremap.model.hostile import why_held_back
from loremap.model.memory import Conflict, Memory, Status

if TYPE_CHECKING:
    from loremap.app import Lore

Clash = tuple[Conflict, Memory, Memory]
"""A conflict with its newer and its older side."""
CANDIDATE_KEYS = "y yes, keep · n no, wrong · f forget · p pin · e edit · s skip · q quit"
CONFLICT_KEYS = "1 the newer holds · 2 the older holds · b both · x neither · s skip · q quit"


@click.command()
@command
def review(as_json: bool) -> Any:
    """Walk through candidates and conflicts with single keys."""
    with place().lore() as lore:
        waiting, clashes = lore.waiting_for_review(), lore.conflicts()
        if as_json:
            from loremap.interfaces.cli.present import as_data

            return {
                "candidates": [as_data(memory) for memory in waiting],
                "conflicts": [_data(*clash) for clash in clashes],
            }
        if not waiting and not clashes:
            say("Nothing waits for review.")
            return None
        if not interactive():
            raise BadInput(
                f"{counted(len(waiting), 'candidate')} and {counted(len(clashes), 'conflict')} "
                "wait.",
                hint="Run this in a terminal, or use confirm, forget and resolve.",
            )
        _walk(lore, waiting, clashes)
        left = len(lore.waiting_for_review()) + len(lore.conflicts())
    say(f"\n{left} left." if left else "\nNothing is left.")
    return None


def _walk(lore: Lore, waiting: Sequence[Memory], clashes: Sequence[Clash]) -> None:
    """Ask about each in turn, until all were asked about or the person has enough."""
    for number, clash in enumerate(clashes, 1):
        if not all(lore.find(memory.id).active for memory in clash[1:]):
            continue  # another conflict settled it
        _show_conflict(clash, f"conflict {number} of {len(clashes)}")
        if not _settled(CONFLICT_KEYS, "12bxs", functools.partial(_resolve, lore, clash[0].id)):
            return
    for number, memory in enumerate(waiting, 1):
        now = lore.find(memory.id)
        if not now.active or now.status is Status.CONFIRMED:
            continue  # a conflict settled it
        _show_candidate(now, f"candidate {number} of {len(waiting)}")
        if not _settled(CANDIDATE_KEYS, "ynfpes", functools.partial(_judge, lore, now)):
            return


def _settled(keys: str, allowed: str, act: Callable[[str], str]) -> bool:
    """Ask for a key and act on it, again where that fails; False where the person quits."""
    while True:
        answer = asked(keys, allowed + "q")
        if answer == "q":
            return False
        try:
            say((f"→ {'skipped' if answer == 's' else act(answer)}", "green"))
            return True
        except BadInput as fault:
            warn(str(fault))


def _resolve(lore: Lore, conflict_id: str, answer: str) -> str:
    keep, said = {
        "1": ("first", "the newer holds"),
        "2": ("second", "the older holds"),
        "b": ("both", "both hold"),
        "x": ("neither", "both withdrawn"),
    }[answer]
    lore.resolve(conflict_id, keep)
    return said


def _judge(lore: Lore, memory: Memory, answer: str) -> str:
    if answer == "e":
        return _edited(lore, memory)
    act, said = cast(
        dict[str, tuple[Callable[[str], object], str]],
        {
            "y": (lore.confirm, "confirmed"),
            "n": (lore.retract, "withdrawn as wrong"),
            "f": (lore.forget, "forgotten"),
            "p": (lore.pin, "pinned"),
        },
    )[answer]
    act(memory.id)
    return said


def _edited(lore: Lore, memory: Memory) -> str:
    from loremap.memory.admission.amend import Edit

    text = click.edit(memory.content, extension=".txt")
    if text is None or text.strip() == memory.content.strip():
        raise BadInput("Nothing was changed; choose again.")
    lore.edit(memory.id, Edit(content=text.strip()))
    return "changed and confirmed"


def asked(keys: str, allowed: str, *, enter: str = "") -> str:
    """The first key pressed that is an answer, Enter standing for `enter`; the answers are shown
    again after another one."""
    while True:
        say((keys, "dim"))
        key = click.getchar().lower()
        if key in ("\x03", "\x04"):
            raise click.Abort
        if key in ("\r", "\n"):
            key = enter
        if len(key) == 1 and key in allowed:
            return key


def _show_candidate(memory: Memory, title: str) -> None:
    tainted = f" · held back: {why_held_back(memory)}" if memory.held_back else ""
    say((f"\n{title} · {memory.kind.value} · {memory.origin.value}{tainted}", "bold"))
    say(memory.content)
    if memory.files:
        say((", ".join(memory.files), "cyan"))


def _show_conflict(clash: Clash, title: str) -> None:
    from loremap.interfaces.cli.present import moment

    conflict, newer, older = clash
    say((f"\n{title} · {conflict.reason}", "bold red"))
    for number, memory in ((1, newer), (2, older)):
        say(
            (f"{number}  ", "bold"),
            memory.content,
            (f"  {moment(memory.created_at)} {memory.created_by} {short_id(memory.id)}", "dim"),
        )


@click.command()
@command
def conflicts(as_json: bool) -> Any:
    """Memories that cannot both be followed."""
    with place().lore() as lore:
        found = lore.conflicts()
    if as_json:
        return {"conflicts": [_data(*clash) for clash in found]}
    for clash in found:
        _show_conflict(clash, short_id(clash[0].id))
    if found:
        say("\nSettle one: lore resolve ID first|second|both|neither")
    else:
        say("No conflicts.")
    return None


@click.command()
@click.argument("conflict_id")
@click.argument("keep", type=click.Choice(["first", "second", "both", "neither"]))
@command
def resolve(conflict_id: str, keep: str, as_json: bool) -> Any:
    """Settle a conflict: keep the first (newer), the second (older), both or neither."""
    with place().lore() as lore:
        lore.resolve(conflict_id, keep)
    if as_json:
        return {"conflict": conflict_id, "resolution": keep}
    said = {
        "first": "the newer holds",
        "second": "the older holds",
        "both": "both hold",
        "neither": "both are withdrawn",
    }
    say(f"Resolved: {said[keep]}.")
    return None


def _data(conflict: Conflict, newer: Memory, older: Memory) -> dict[str, Any]:
    from loremap.interfaces.cli.present import as_data

    return {
        "id": conflict.id,
        "type": conflict.type.value,
        "reason": conflict.reason,
        "detected_at": conflict.detected_at.isoformat(),
        "first": as_data(newer),
        "second": as_data(older),
    }


COMMANDS = (review, conflicts, resolve)
