"""`tasks`, `task`, `session`, and what `history` says of files: what was done here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from loremap.interfaces.cli.shell import command, console, counted, group, place, say
from loremap.interfaces.cli.sidecar import money
from loremap.model.clock import short_id
from loremap.model.task import Task, TaskStatus

if TYPE_CHECKING:
    from datetime import datetime

    from loremap.app.lore import Lore
    from loremap.model.episode import Interaction, Past, Together
    from loremap.sessions.episodes.asked import SessionAccount

SHOWN_FILES = 30
SHOWN_COMMANDS = 20
_STANDS = {
    TaskStatus.ACTIVE: "cyan",
    TaskStatus.PAUSED: "yellow",
    TaskStatus.COMPLETED: "green",
    TaskStatus.FAILED: "red",
}


# Files


def file_history(lore: Lore, path: str, *, limit: int, as_json: bool) -> Any:
    """What was done with a file, and which change together with it."""
    found = lore.episodes.with_file(path, limit=limit)
    near = lore.episodes.together(path, limit=limit)
    if as_json:
        return {
            "file": path,
            "interactions": [interaction_data(one) for one in found],
            "together": [together_data(one) for one in near],
        }
    if not found:
        say(f"No session has worked with {path}.")
        return None
    _print_interactions(found, lore.now())
    for one in near:
        other = one.second if one.first == found[0].path else one.first
        say(("changes together with ", "dim"), other, (f", {counted(one.times, 'time')}", "dim"))
    return None


def word_history(lore: Lore, word: str, *, limit: int, as_json: bool) -> Any:
    """What was last done with files whose path holds a word, and the tasks that were like it."""
    found = lore.episodes.about(word, limit=limit)
    alike = lore.episodes.similar(word, limit=limit)
    if as_json:
        return {
            "about": word,
            "interactions": [interaction_data(one) for one in found],
            "tasks": [past_data(one) for one in alike],
        }
    if not found and not alike:
        say(f"No session has done anything about {word!r}.")
    _print_interactions(found, lore.now())
    _print_tasks([one.task for one in alike], lore.now())
    return None


def together_history(lore: Lore, path: str | None, *, limit: int, as_json: bool) -> Any:
    """Which files change together."""
    found = lore.episodes.together(path, limit=limit)
    if as_json:
        return {"together": [together_data(one) for one in found]}
    if not found:
        say("No files were changed together three times.")
        return None
    from loremap.interfaces.cli.present import plain_table

    table = plain_table("times", "tasks", "file", "file")
    for one in found:
        table.add_row(str(one.times), str(one.tasks), one.first, one.second)
    console().print(table)
    return None


def _print_interactions(found: Sequence[Interaction], now: datetime) -> None:
    from loremap.interfaces.cli.present import ago

    for one in found:
        lines = "" if one.lines is None else f":{one.lines[0]}–{one.lines[1]}"
        say(
            (f"{ago(now - one.at):>9}  ", "dim"),
            (f"{one.operation.value:<8}", "cyan"),
            one.path,
            (lines, "dim"),
            f"  {one.changed or one.why}" if one.changed or one.why else "",
            ("  failed", "red") if one.success is False else "",
        )
        if one.task is not None:
            say((f"{'':>11}for: {one.task.description}", "dim"))


def interaction_data(one: Interaction) -> dict[str, Any]:
    """A use of a file for `--json`."""
    return {
        "at": one.at.isoformat(),
        "file": one.path,
        "operation": one.operation.value,
        "lines": None if one.lines is None else list(one.lines),
        "success": one.success,
        "tool": one.tool,
        "changed": one.changed,
        "why": one.why,
        "session": one.session_id,
        "client": one.client,
        "task": None if one.task is None else task_data(one.task),
    }


def together_data(one: Together) -> dict[str, Any]:
    """Two files that change together, for `--json`."""
    return {
        "files": [one.first, one.second],
        "times": one.times,
        "tasks": one.tasks,
        "last_at": one.last_at.isoformat(),
    }


# Tasks


@click.command()
@click.option("--all", "everything", is_flag=True, help="Completed and failed ones too.")
@click.option("--like", metavar="TEXT", help="Past tasks like this.")
@click.option("-n", "--limit", type=click.IntRange(1, 1_000), default=20, help="At most [20].")
@command
def tasks(everything: bool, like: str | None, limit: int, as_json: bool) -> Any:
    """What was being worked on: tasks that are active or paused, the last begun first."""
    return _listed(everything=everything, like=like, limit=limit, as_json=as_json)


def _listed(*, everything: bool, like: str | None, limit: int, as_json: bool) -> Any:
    with place().lore() as lore:
        now = lore.now()
        if like is not None:
            alike = lore.episodes.similar(like, limit=limit)
            found: Sequence[Task] = [one.task for one in alike]
            data = [past_data(one) for one in alike]
        else:
            statuses = tuple(TaskStatus) if everything else (TaskStatus.ACTIVE, TaskStatus.PAUSED)
            found = lore.episodes.tasks(statuses=statuses, limit=limit)
            data = [task_data(one) for one in found]
    if as_json:
        return {"tasks": data}
    if not found:
        say("No past task is like that." if like else "Nothing is being worked on here.")
    _print_tasks(found, now)
    return None


task = group("task", "Say how a task stands: start, pause, done, fail.", default="list")


@task.command("list")
@click.option("--all", "everything", is_flag=True, help="Completed and failed ones too.")
@click.option("-n", "--limit", type=click.IntRange(1, 1_000), default=20, help="At most [20].")
@command
def list_(everything: bool, limit: int, as_json: bool) -> Any:
    """The same as `lore tasks`."""
    return _listed(everything=everything, like=None, limit=limit, as_json=as_json)


@task.command()
@click.argument("what", nargs=-1, required=True)
@command
def start(what: tuple[str, ...], as_json: bool) -> Any:
    """Begin a task, or go on with one by its id. What agents are asked here is part of it."""
    with place().lore() as lore:
        return _told(lore.episodes.start(" ".join(what)), "At work", as_json=as_json)


def _setting(name: str, status: TaskStatus, said: str, doc: str) -> None:
    @click.argument("id_", required=False, metavar="[ID]")
    @command
    def setting(id_: str | None, as_json: bool) -> Any:
        with place().lore() as lore:
            return _told(lore.episodes.set_status(status, id_), said, as_json=as_json)

    task.command(name, help=doc)(setting)


_setting("pause", TaskStatus.PAUSED, "Paused", "Leave the task at hand, or one by its id.")
_setting("done", TaskStatus.COMPLETED, "Done", "Complete the task at hand, or one by its id.")
_setting("fail", TaskStatus.FAILED, "Failed", "Give the task at hand up, or one by its id.")


def _told(one: Task, said: str, *, as_json: bool) -> Any:
    if as_json:
        return task_data(one)
    say((f"{said}  ", "bold"), (short_id(one.id), "dim"), f"  {one.description}")
    return None


def _print_tasks(found: Sequence[Task], now: datetime) -> None:
    from loremap.interfaces.cli.present import ago

    for one in found:
        intent = "" if one.intent is None else f" · {one.intent.value}"
        say(
            (f"{short_id(one.id)}  ", "dim"),
            (f"{one.status.value:<10}", _STANDS[one.status]),
            one.description,
        )
        where = f" · {one.branch}" if one.branch else ""
        said = f" · {one.outcome}" if one.outcome else ""
        say((f"{'':10}{ago(now - one.started_at)}{where}{intent}{said}", "dim"))


def task_data(one: Task) -> dict[str, Any]:
    """A task for `--json`."""
    return {
        "id": one.id,
        "session": one.session_id or None,
        "description": one.description,
        "intent": None if one.intent is None else one.intent.value,
        "status": one.status.value,
        "set_by": one.set_by.value,
        "started_at": one.started_at.isoformat(),
        "completed_at": None if one.completed_at is None else one.completed_at.isoformat(),
        "files_touched": list(one.files_touched),
        "tools_used": dict(one.tools_used),
        "outcome": one.outcome,
        "branch": one.branch,
        "version": one.version,
    }


def past_data(one: Past) -> dict[str, Any]:
    """A past task and how like it is, for `--json`."""
    return task_data(one.task) | {"likeness": one.likeness}


# Sessions


@click.command()
@click.argument("session_id", required=False, metavar="[SESSION]")
@click.option("--snapshot", is_flag=True, help="First note down what lies in its context now.")
@command
def session(session_id: str | None, snapshot: bool, as_json: bool) -> Any:
    """What was done in a session, the last one here or the one named: its tasks, files, commands,
    and what it taught."""
    with place().lore() as lore:
        if snapshot:
            lore.episodes.snapshot(session_id)
        account, now = lore.episodes.session(session_id), lore.now()
    if as_json:
        return _account_data(account)
    _print_account(account, now)
    return None


def _print_account(account: SessionAccount, now: datetime) -> None:
    from loremap.interfaces.cli.present import moment

    one = account.session
    branch = f", {one.branch}" if one.branch else ""
    say((f"Session {one.id}", "bold"), f"  {one.client}, {moment(one.created_at)}{branch}")
    for line in account.summary.splitlines():
        say(f"  {line}")
    _headed("Tasks", account.tasks)
    _print_tasks(account.tasks, now)
    _headed("Files", account.files)
    _print_interactions(account.files[:SHOWN_FILES], now)
    _headed("Commands", account.commands)
    for ran in account.commands[-SHOWN_COMMANDS:]:
        mark = {True: ("ok    ", "green"), False: ("failed", "red"), None: ("      ", "dim")}
        say(mark[ran.success], f"  {ran.command[:160]}")
    _headed("Contexts", account.snapshots)
    for seen in account.snapshots:
        held = len(seen.items) or len(seen.pruned)
        say(
            (f"{moment(seen.at)}  ", "dim"),
            f"{seen.reason.value:<16}",
            f"{seen.total_tokens:>9,} tokens, {counted(held, 'item')} of ours",
            " taken out" if seen.pruned else "",
        )
    if account.sidecar.calls:
        asked, cost = counted(account.sidecar.calls, "request"), money(account.sidecar_dollars)
        say(f"\nSmall model: {asked}, {account.sidecar.tokens:,} tokens, {cost}")
    _headed("It taught", account.findings)
    for kept in account.findings:
        say(f"  {kept.finding.kind.value}: {kept.finding.content}")


def _headed(title: str, held: Sequence[object]) -> None:
    if held:
        say((f"\n{title} ({len(held)})", "bold"))


def _account_data(account: SessionAccount) -> dict[str, Any]:
    one = account.session
    return {
        "session": one.id,
        "client": one.client,
        "branch": one.branch,
        "started_at": one.created_at.isoformat(),
        "ended_at": None if one.ended_at is None else one.ended_at.isoformat(),
        "summary": account.summary,
        "tasks": [task_data(each) for each in account.tasks],
        "files": [interaction_data(each) for each in account.files],
        "commands": [
            {"command": ran.command, "success": ran.success, "at": ran.at.isoformat()}
            for ran in account.commands
        ],
        "contexts": [
            {
                "at": seen.at.isoformat(),
                "reason": seen.reason.value,
                "task": seen.task_id,
                "total_tokens": seen.total_tokens,
                "items": [asdict(item) for item in seen.items],
                "pruned": [asdict(item) for item in seen.pruned],
            }
            for seen in account.snapshots
        ],
        "sidecar": {
            "requests": account.sidecar.calls,
            "tokens": account.sidecar.tokens,
            "dollars": account.sidecar_dollars,
        },
        "findings": [
            {"kind": kept.finding.kind.value, "content": kept.finding.content}
            for kept in account.findings
        ],
    }


COMMANDS = (tasks, task, session)
