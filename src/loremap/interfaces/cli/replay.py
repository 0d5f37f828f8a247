"""`replay`: what memory would have been worth in one's own sessions of the past."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from loremap.errors import BadInput
from loremap.interfaces.cli.progress import bar
from loremap.interfaces.cli.shell import command, console, counted, place, say, warn
from loremap.interfaces.cli.since import since_when
from loremap.model.clock import short_id
from loremap.model.text import one_line

if TYPE_CHECKING:
    from loremap.agent.replay.judged import Judged, Repeated
    from loremap.app.replaying import Replay, Replayed, Sums
    from loremap.sessions.replay.spared import Count

SHOWN_SESSIONS = 12
SHOWN_REPEATED = 8
SHORT_SESSION = 8


@click.command()
@click.option("--since", metavar="WHEN", help="Only sessions since then: 2026-05-01, or 14d, 6w.")
@click.option("--most", type=click.IntRange(1, 1000), default=50, show_default=True,
              help="The newest of them, at most.")  # fmt: skip
@command
@click.option("--agent", "agents", multiple=True, help="Only sessions of this client; repeatable.")
@click.option(
    "--session", "session_id", metavar="ID", help="Only this session; its start is enough."
)
def replay(
    since: str | None, agents: Sequence[str], session_id: str | None, most: int, as_json: bool
) -> Any:
    """Go through past sessions with the memory as it was then: what would it have been worth?"""
    from loremap import app
    from loremap.app import replaying

    with app.open(place().folder) as lore, bar() as tell:
        found = replaying.replay(
            lore,
            clients=_known(agents),
            since=None if since is None else since_when(since, lore.now()),
            session_id=session_id,
            most=most,
            tell=tell,
        )
        name = lore.project.name if lore.project is not None else ""
    sums = replaying.summed(found.sessions)
    if as_json:
        return _data(found, sums)
    _show(found, sums, name)
    return None


def _known(agents: Sequence[str]) -> tuple[str, ...]:
    """The clients as they are called here; raises BadInput for one whose sessions are not read."""
    from loremap.clients.past import past_clients

    known = past_clients()
    for name in agents:
        if name not in known:
            raise BadInput(
                f"No sessions of {name} can be read.", hint=f"Those of: {', '.join(known)}."
            )
    return tuple(agents)


def _show(found: Replay, sums: Sums, name: str) -> None:
    if not found.sessions and not found.is_whole:
        say("Interrupted before a session was gone through.")
        return
    if not found.sessions:
        say("No session of this project was found that a client has written down.")
        return
    first, last = found.sessions[0].session, found.sessions[-1].session
    say(
        (f"{counted(sums.sessions, 'session')} of {name}", "bold"),
        f", {_day(first.began or first.last)} to {_day(last.last)}, "
        "each with what was known when it began",
    )
    _figures(sums)
    _table(found.sessions)
    _again([one for each in found.sessions for one in each.repeated])
    for note in _notes(found):
        warn(note)
    say(("Read with today's code; answers that would have come too late count too.", "dim"))


def _figures(sums: Sums) -> None:
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for title, line in _lines(sums):
        table.add_row(title, line)
    console().print(table)


def _lines(sums: Sums) -> list[tuple[str, str]]:
    borne_out = f"a file it named {sums.by_file:,}, a memory {sums.by_memory:,}"
    right = f"right at {sums.right:,}{_share(sums.right, sums.spoke)} ({borne_out})"
    told = f"{sums.repeated_told:,} would have been told in time"
    at_most = _spared(sums.generously, sums)
    used = f"a memory of it used later in {sums.begun_right:,}"
    return [
        ("starts", f"{sums.sessions:,}: a block at {sums.begun:,}, {used}"),
        ("prompts", f"{sums.prompts:,}: something to say at {sums.spoke:,}, {right}"),
        ("warnings", f"{sums.warned:,}: {sums.ran_into:,} of the calls they are about failed"),
        ("in vain", f"{sums.repeated:,} times what was known was taught or failed again: {told}"),
        ("finding files", f"{_count(sums.found)} before the first edits"),
        ("of it spared", f"{_spared(sums.spared, sums)}; at most {at_most}"),
        ("told in all", f"about {sums.told_tokens:,} tokens"),
    ]


def _spared(count: Count, sums: Sums) -> str:
    return f"{_count(count)}{_share(count.calls, sums.found.calls)}"


def _share(part: int, whole: int) -> str:
    return f" ({part / whole:.0%})" if whole else ""


def _count(count: Count) -> str:
    return f"{counted(count.calls, 'call')}, about {count.tokens:,} tokens"


def _table(sessions: Sequence[Replayed]) -> None:
    from rich.table import Table

    screen = console()
    table = Table(box=None, pad_edge=False, header_style="dim", expand=screen.is_terminal)
    for title, width in (("session", SHORT_SESSION), ("began", 10), ("client", 8)):
        table.add_column(title, no_wrap=True, min_width=width)
    for title in ("prompts", "said", "right", "spared"):
        table.add_column(title, no_wrap=True, justify="right", min_width=len(title))
    table.add_column("asked", no_wrap=True, overflow="ellipsis", ratio=1)
    for one in reversed(sessions[-SHOWN_SESSIONS:]):
        said = one.at_prompts
        table.add_row(
            one.session.id[:SHORT_SESSION],
            _day(one.session.began or one.session.last),
            one.session.client,
            str(one.prompts),
            str(len(said)),
            str(sum(each.is_right for each in said)),
            f"{one.spared.calls}/{one.found.calls}",
            one.asked,
        )
    say("")
    screen.print(table)
    if (more := len(sessions) - SHOWN_SESSIONS) > 0:
        say((f"and {counted(more, 'older session')}: --json has all", "dim"))


def _again(found: Sequence[Repeated]) -> None:
    if not found:
        return
    say("")
    say("Taught again, or failed again, although it was known:")
    for one in found[:SHOWN_REPEATED]:
        told = "would have been told" if one.was_told else "would not have been told"
        say(
            f"  {one.kind.value}: {one_line(one.content)}  ",
            (f"{short_id(one.memory_id)}, {told}", "dim"),
        )
    if (more := len(found) - SHOWN_REPEATED) > 0:
        say((f"  and {more} more: --json has all", "dim"))


def _notes(found: Replay) -> list[str]:
    notes = []
    if not found.is_whole:
        notes.append("Interrupted: these are the oldest of what was asked for.")
    if found.older:
        notes.append(f"{counted(found.older, 'older session')} left out; --most N takes more.")
    if not found.is_mapped:
        notes.append("The code was never read, so no files could be told: lore scan")
    return notes + [f"Could not be gone through: {fault}" for fault in found.faults]


def _day(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d}"


def _data(found: Replay, sums: Sums) -> dict[str, Any]:
    return {
        "sessions": sums.sessions,
        "blocks": sums.begun,
        "blocks_with_a_memory_used": sums.begun_right,
        "prompts": sums.prompts,
        "prompts_spoken_at": sums.spoke,
        "prompts_right": sums.right,
        "right_by_file": sums.by_file,
        "right_by_memory": sums.by_memory,
        "warnings": sums.warned,
        "warned_calls_failed": sums.ran_into,
        "repeated_in_vain": sums.repeated,
        "repeated_in_vain_told": sums.repeated_told,
        "discovery": _count_data(sums.found),
        "spared": _count_data(sums.spared),
        "spared_generously": _count_data(sums.generously),
        "told_tokens": sums.told_tokens,
        "older_left_out": found.older,
        "whole": found.is_whole,
        "mapped": found.is_mapped,
        "faults": list(found.faults),
        "by_session": [_session_data(one) for one in found.sessions],
    }


def _session_data(one: Replayed) -> dict[str, Any]:
    began = one.session.began or one.session.last
    return {
        "session": one.session.id,
        "client": one.session.client,
        "began_at": began.isoformat(),
        "asked": one.asked,
        "prompts": one.prompts,
        "told": [_told_data(each) for each in one.told],
        "repeated_in_vain": [_again_data(each) for each in one.repeated],
        "discovery": _count_data(one.found),
        "spared": _count_data(one.spared),
        "spared_generously": _count_data(one.generously),
        "told_tokens": one.told_tokens,
    }


def _told_data(one: Judged) -> dict[str, Any]:
    return {
        "turn": one.told.turn,
        "for": one.told.tier.value,
        "memories": list(one.told.memories),
        "held": one.told.holds,
        "right": one.is_right,
        "files_used": list(one.files),
        "memories_used": list(one.memories),
        "call_failed": one.ran_into,
    }


def _again_data(one: Repeated) -> dict[str, Any]:
    return {
        "kind": one.kind.value,
        "content": one.content,
        "turns": [one.first, one.last],
        "memory": one.memory_id,
        "told": one.was_told,
    }


def _count_data(count: Count) -> dict[str, int]:
    return {"calls": count.calls, "tokens": count.tokens}


COMMANDS = (replay,)
