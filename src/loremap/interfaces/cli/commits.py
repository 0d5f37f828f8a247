"""`learn --git`, and what `init` says: what the messages of commits teach."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from loremap.interfaces.cli.progress import bar
from loremap.interfaces.cli.shell import counted, place, say
from loremap.model.clock import short_id
from loremap.model.outcome import Refused

if TYPE_CHECKING:
    from loremap.app.lore import Lore
    from loremap.sessions.commits.history import HistoryRead, Taught

INIT_SECONDS = 15.0
"""What of a long history is not read by then, the resident reads."""
SHORT_ID = 9


def learn(since: datetime | None, *, dry_run: bool, as_json: bool) -> Any:
    """Learn from commits, or show what would be learned."""
    at = None if since is None else since.replace(tzinfo=UTC)
    with place().lore() as lore, bar() as tell:
        history = lore.commits
        found = history.preview(since=at) if dry_run else history.learn(since=at, progress=tell)
    if as_json:
        return _data(found)
    _say_read(found)
    for one in found.taught:
        _show(one)
    for memory in found.withdrawn:
        say(f"Withdrawn, its commit was reverted: {memory.summary}")
    if found.taught:
        say(("Nothing was kept." if dry_run else "Keep or drop it: lore inbox", "dim"))
    return None


def learned_at_init(lore: Lore, *, as_json: bool) -> dict[str, Any] | None:
    """What `init` learns from the history of a repository, said in a line."""
    history = lore.commits
    if not history.is_on or not history.is_due:
        return None
    with bar() as tell:
        found = history.learn(seconds=INIT_SECONDS, progress=tell)
    if not as_json and found.taught:
        _say_read(found)
        say(("`lore inbox` asks about each.", "dim"))
    return {
        "read": found.commits,
        "learned": [memory.id for memory in found.new],
        "held_back": sum(memory.held_back for memory in found.new),
        "done": found.is_done,
    }


def _say_read(found: HistoryRead) -> None:
    held = sum(not one.may_speak for one in found.taught)
    told = counted(len(found.taught), "thing")
    said = f"Read {counted(found.commits, 'commit')}: {told} to know in their messages."
    if held:
        whose = "All" if held == len(found.taught) else str(held)
        said += f" {whose} by others: told to no agent until you keep them."
    say(said if found.is_done else f"{said} The rest is read in the background.")


def _show(one: Taught) -> None:
    finding = one.finding
    say(f"  {finding.kind.value}: {finding.content}")
    commit = finding.commit
    said = f"{commit.id[:SHORT_ID]} {commit.at:%Y-%m-%d} {commit.author}"
    say((f"    {said}: {finding.because}{_fate(one)}", "dim"))


def _fate(one: Taught) -> str:
    outcome = one.outcome
    if outcome is None:
        return "" if one.may_speak else " (by others: would wait for you)"
    if isinstance(outcome, Refused):
        return f" → not kept: {outcome.reason}"
    return f" → {short_id(outcome.memory.id)}"


def _data(found: HistoryRead) -> dict[str, Any]:
    return {
        "commits": found.commits,
        "done": found.is_done,
        "findings": [_finding(one) for one in found.taught],
        "withdrawn": [one.id for one in found.withdrawn],
    }


def _finding(one: Taught) -> dict[str, Any]:
    finding, outcome = one.finding, one.outcome
    return {
        "kind": finding.kind.value,
        "content": finding.content,
        "commit": finding.commit.id,
        "author": finding.commit.author,
        "at": finding.commit.at.isoformat(),
        "files": list(finding.files),
        "because": finding.because,
        "may_speak": one.may_speak,
        "memory": None if outcome is None or isinstance(outcome, Refused) else outcome.memory.id,
        "refused": outcome.reason if isinstance(outcome, Refused) else None,
    }
