"""`tend`, `proposals`, `audit`: looking after what is known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from loremap.interfaces.cli.shell import command, counted, group, place, say, warn
from loremap.model.clock import short_id
from loremap.model.text import cut

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from loremap.memory.tending.tend import Tended
    from loremap.model.memory import Memory
    from loremap.model.proposal import Proposal

MAX_NAME = 32
_WHOLE_ID = re.compile(r"[0-9a-f]{32}")
MAX_SHOWN = 20
"""Steps and items that are printed one by one; `--json` has all."""
_SAYS = {
    "confirm": ("confirmed", "would be confirmed"),
    "quarantine": ("in quarantine for a day", "would go into quarantine for a day"),
    "weaken": ("less important", "would be less important"),
    "expire": ("expired", "would expire"),
    "end": ("ended with their session", "would end with their session"),
    "evict": ("let go to make room", "would be let go to make room"),
    "erase": ("erased", "would be erased for good"),
    "propose": ("proposed to you", "would be proposed to you"),
}


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--undo", is_flag=True, help="Take back the last run, also one made by itself.")
@command
def tend(dry_run: bool, undo: bool, as_json: bool) -> Any:
    """Look after what is known: believe, let go, merge; undone by one `lore undo`."""
    with place().lore() as lore:
        if undo:
            return _taken_back(lore.tending.undo(), as_json=as_json)
        done = lore.tending.planned() if dry_run else lore.tending.run()
        open_ = lore.tending.proposals()
        known = lore.summaries([step.on for step in done.steps[:MAX_SHOWN]])
    if as_json:
        return _as_data(done, open_, dry_run=dry_run)
    if done.is_busy:
        warn("Another process tends this store just now; nothing was done here.")
        return None
    for does, number in done.counts.items():
        say(f"{number:,} ", (_SAYS.get(does, (does, f"would {does}"))[dry_run], "cyan"))
    for step in done.steps[:MAX_SHOWN]:
        said = known.get(step.on, "")
        name = short_id(step.on) if _WHOLE_ID.fullmatch(step.on) else cut(step.on, MAX_NAME)
        say((f"  {name}  {step.does}  ", "dim"), said, (f"  {step.why}", "dim"))
    if len(done.steps) > MAX_SHOWN:
        say((f"  and {len(done.steps) - MAX_SHOWN:,} more; --json lists all", "dim"))
    if not done.steps:
        say("There is nothing to do.")
    elif not dry_run:
        say(("`lore undo` takes it back as one.", "dim"))
    if open_:
        say(f"{counted(len(open_), 'proposal')} for you to decide: lore proposals")
    return None


def _taken_back(touched: Sequence[Memory], *, as_json: bool) -> Any:
    if as_json:
        return {"touched": [memory.id for memory in touched]}
    many = f"{len(touched):,} memories are as before" if touched else "what it derived is gone"
    say(f"The last run is taken back: {many}.")
    return None


def _as_data(done: Tended, open_: Any, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "busy": done.is_busy,
        "counts": dict(done.counts),
        "steps": [{"on": step.on, "does": step.does, "why": step.why} for step in done.steps],
        "proposals": len(open_),
    }


proposals = group("proposals", "What would be merged or let go, for you to decide.", default="list")


@proposals.command("list")
@command
def proposals_list(as_json: bool) -> Any:
    """List what waits for your word."""
    with place().lore() as lore:
        found = lore.tending.proposals()
        known = lore.tending.spoken_of(found)
    if as_json:
        return {"proposals": [_proposal(one, known) for one in found]}
    for one in found:
        say(
            (short_id(one.id), "bold"),
            f"  {one.kind.value} {len(one.items):,}",
            (f"  proposed {one.created_at:%Y-%m-%d}", "dim"),
        )
        for item in one.items[:MAX_SHOWN]:
            if item.memory_id in known:
                say(
                    (f"  {short_id(item.memory_id)}  ", "dim"),
                    known[item.memory_id].summary,
                    (f"  {item.why}", "dim"),
                )
        if len(one.items) > MAX_SHOWN:
            say((f"  and {len(one.items) - MAX_SHOWN:,} more; --json lists all", "dim"))
    if found:
        say("\nDecide: lore proposals accept ID, or lore proposals reject ID")
    else:
        say("Nothing is proposed.")
    return None


def _decide(name: str, doc: str, *, accept: bool) -> click.Command:
    @click.command(name, help=doc)
    @click.argument("id_", metavar="ID")
    @command
    def run(id_: str, as_json: bool) -> Any:
        with place().lore() as lore:
            proposal, changed = lore.tending.decide(id_, accept=accept)
        if as_json:
            return {"proposal": proposal.id, "accepted": accept, "changed": changed}
        if accept:
            say(f"Done: {proposal.kind.value}, {changed:,} changed. `lore undo` takes it back.")
        else:
            say("Left as it is, and not proposed again.")
        return None

    return run


proposals.add_command(_decide("accept", "Do what is proposed.", accept=True))
proposals.add_command(_decide("reject", "Leave it as it is, for good.", accept=False))


def _proposal(one: Proposal, known: Mapping[str, Memory]) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind.value,
        "created_at": one.created_at.isoformat(),
        "items": [
            {"id": item.memory_id, "why": item.why, "into": item.into}
            for item in one.items
            if item.memory_id in known
        ],
    }


@click.command()
@command
def audit(as_json: bool) -> Any:
    """How clean the store is: what is doubled, stale, unused or secret, and what to run."""
    with place().lore() as lore:
        rates = lore.tending.audit()
    if as_json:
        return {
            rate.name: {"count": rate.count, "share": rate.share, "ids": rate.ids, "run": rate.run}
            for rate in rates
        }
    say(f"{rates[0].of:,} memories speak here.")
    for rate in rates:
        hint = (f"  {rate.run}", "dim") if rate.count else ""
        say(f"{rate.count:>7,}  {rate.share:>6.1%}  ", (rate.name, "cyan"), hint)
    return None


COMMANDS = (tend, proposals, audit)
