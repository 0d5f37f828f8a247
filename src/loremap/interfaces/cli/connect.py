"""`connect`, `disconnect`: Loremap in the settings of coding agents, and out of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loremap.clients.registry import NAMES
from loremap.errors import BadInput, LoremapError
from loremap.interfaces.cli.shell import (
    EXIT_BAD,
    command,
    complain,
    counted,
    interactive,
    place,
    print_json,
    say,
    warn,
)

if TYPE_CHECKING:
    from loremap.clients.connect import Plan

EXPERIMENTAL = "experimental: never run by our tests"
Options = Callable[[Callable[..., Any]], Callable[..., Any]]


def _options(*, all_says: str) -> Options:
    """The arguments both commands take."""

    def added(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(
            (
                click.argument("agents", nargs=-1),
                click.option("--all", "every", is_flag=True, help=all_says),
                click.option(
                    "--user/--project", "user", default=True, help="For you, or this project only."
                ),
                click.option("-y", "--yes", is_flag=True, help="Do not ask."),
                click.option("--dry-run", is_flag=True, help="Show the change and make none."),
                click.option("--diff", is_flag=True, help="Show every line that changes."),
            )
        ):
            function = option(function)
        return function

    return added


@click.command(
    help=f"""Put Loremap into the settings of AGENTS. It says first which files change.

    AGENTS are {", ".join(NAMES[:-1])} and {NAMES[-1]}.
    Without any, shows which are found here and which are connected.
    """
)
@_options(all_says="Every agent found on this machine.")
@click.option("--trust", is_flag=True, help="Also mark the hooks as trusted in Codex.")
@click.option(
    "--allow/--no-allow",
    "allows",
    default=True,
    help="Let the agent recall and remember without asking you each time; else it asks.",
)
@command
def connect(
    agents: Sequence[str],
    every: bool,
    user: bool,
    yes: bool,
    dry_run: bool,
    diff: bool,
    trust: bool,
    allows: bool,
    as_json: bool,
) -> Any:
    """Put Loremap into the settings of agents, or show which are connected."""
    from loremap.clients.connect import found, plan
    from loremap.config.folders import folders

    home = folders().home
    if not agents and not every:
        return _overview(home, as_json=as_json)
    names = found(home) if every else list(agents)
    if not names:
        raise BadInput(
            "No agent was found on this machine: neither its program nor its settings.",
            hint=f"Name the one you are going to use: lore connect {NAMES[0]}",
        )
    project = None if user else _project()
    if not yes and not dry_run and (as_json or not interactive()):
        _refuse_unasked(plan(name, home=home, project=project, allows=allows) for name in names)

    def one(name: str, project: Path | None) -> dict[str, Any]:
        planned = plan(name, home=home, project=project, allows=allows)
        return connect_one(
            planned, yes=yes, dry_run=dry_run, whole=diff, trust=trust, quiet=as_json
        )

    return _each([(name, project) for name in names], one, as_json=as_json)


@click.command()
@_options(all_says="Every agent that is connected.")
@command
def disconnect(
    agents: Sequence[str],
    every: bool,
    user: bool,
    yes: bool,
    dry_run: bool,
    diff: bool,
    as_json: bool,
) -> Any:
    """Take Loremap out of the settings of AGENTS. Other changes there stay."""
    from loremap.clients.connect import connected, plan_removal
    from loremap.config.folders import folders

    home = folders().home
    project = None if user else _project()
    if every:
        chosen = [(each.client, each.project) for each in connected(home)]
    else:
        chosen = [(name, project) for name in agents]
    if not chosen and not every:
        raise BadInput("No agent was named.", hint="Name one, or --all; `lore connect` lists them.")
    if not chosen and not as_json:
        say("No agent is connected; nothing changes.")
    if not yes and not dry_run and (as_json or not interactive()):
        _refuse_unasked(plan_removal(name, home=home, project=where) for name, where in chosen)

    def one(name: str, project: Path | None) -> dict[str, Any]:
        planned = plan_removal(name, home=home, project=project)
        return _disconnect(planned, yes=yes, dry_run=dry_run, whole=diff, quiet=as_json)

    return _each(chosen, one, as_json=as_json)


def _each(
    chosen: Sequence[tuple[str, Path | None]],
    one: Callable[[str, Path | None], dict[str, Any]],
    *,
    as_json: bool,
) -> dict[str, Any] | None:
    """Go through the agents; one that cannot be done does not keep the others from it."""
    results, faults = [], []
    for name, project in chosen:
        if len(chosen) > 1 and not as_json:
            say((name, "bold cyan"), f"  in {project}" if project else "", whole=True)
        try:
            results.append(one(name, project))
        except LoremapError as fault:
            if len(chosen) == 1:
                raise
            faults.append((name, fault))
            if not as_json:
                warn("That failed; the reason is given at the end.")
    if not faults:
        return {"clients": results} if as_json else None
    if as_json:
        errors = [
            {"client": name, "message": each.message, "hint": each.hint} for name, each in faults
        ]
        print_json({"clients": results, "errors": errors})
    # At the end, where the changes of the others do not hide them.
    for _, each in faults:
        complain(each, as_json=False)
    sys.exit(EXIT_BAD)


def connect_one(
    planned: Plan,
    *,
    yes: bool,
    dry_run: bool = False,
    whole: bool = False,
    trust: bool = False,
    quiet: bool = False,
) -> dict[str, Any]:
    """Bring one agent's settings to what is planned, after asking; what was done."""
    from loremap.clients.connect import plan_removal

    if planned.client.settings.plugin(planned.site) and _leave_to_plugin(
        planned, yes=yes, quiet=quiet
    ):
        planned = plan_removal(planned.client.name, home=planned.home, project=planned.project)
        if not planned.changes:
            return _result(planned, done=False, plugin=True)
    if not planned.changes:
        return _already(planned, yes=yes, dry_run=dry_run, trust=trust, quiet=quiet)
    if not _agreed(planned, yes=yes, dry_run=dry_run, whole=whole, quiet=quiet):
        return _result(planned, done=False)
    _apply(planned)
    if not quiet:
        what = f"connected{_whose(planned)}" if planned.connecting else "left to the plugin"
        say(
            (f"{planned.client.title} is {what}. ", "green"),
            "It takes effect in a new session.",
            whole=True,
        )
        if planned.connecting and planned.client.experimental:
            warn(f"{planned.client.title} is {EXPERIMENTAL}.")
        _say_elsewhere(planned)
    trusted = _trusted(planned, yes=yes, trust=trust, quiet=quiet)
    return _result(planned, done=True) | trusted


def _already(plan: Plan, *, yes: bool, dry_run: bool, trust: bool, quiet: bool) -> dict[str, Any]:
    """Nothing to write; only the launcher is made anew, for a Loremap that was upgraded."""

    if not quiet:
        say(f"{plan.client.title} is connected{_whose(plan)} already; nothing changes.", whole=True)
        _say_remarks(plan)
        _say_elsewhere(plan)
    if dry_run:
        return _result(plan, done=False)
    _apply(plan)
    return _result(plan, done=False) | _trusted(plan, yes=yes, trust=trust, quiet=quiet)


def _disconnect(
    planned: Plan, *, yes: bool, dry_run: bool, whole: bool, quiet: bool
) -> dict[str, Any]:

    if not planned.changes:
        if not quiet:
            said = f"{planned.client.title} is not connected{_whose(planned)}; nothing changes."
            say(said, whole=True)
            _say_remarks(planned)
            _say_elsewhere(planned)
        if not dry_run:
            _apply(planned)
        return _result(planned, done=False)
    if not _agreed(planned, yes=yes, dry_run=dry_run, whole=whole, quiet=quiet):
        return _result(planned, done=False)
    _apply(planned)
    if not quiet:
        said = f"{planned.client.title} is disconnected{_whose(planned)}; what is stored stays."
        say(said, whole=True)
        _say_elsewhere(planned)
    return _result(planned, done=True)


def _agreed(plan: Plan, *, yes: bool, dry_run: bool, whole: bool, quiet: bool) -> bool:
    """Show what will change; whether it is to be done."""
    from loremap.clients.connect import refuse

    if not quiet:
        _show(plan, whole=whole or dry_run)
    refuse(plan)
    if dry_run or yes:
        return not dry_run
    verb = "Connect" if plan.connecting else "Disconnect"
    changed = counted(len(plan.changes), "file")
    asked = f"{verb} {plan.client.title}{_whose(plan)} ({changed})?"
    return click.confirm(asked, default=True)


def _trusted(plan: Plan, *, yes: bool, trust: bool, quiet: bool) -> dict[str, Any]:
    """Whether our hooks are trusted, after asking where they are not; nothing of a client that runs
    them all the same."""
    from loremap.clients.connect import plan_trust

    needed = plan.client.settings.trust
    if needed is None or not plan.connecting:
        return {}
    title, waiting = plan.client.title, needed.untrusted(plan.site)
    if waiting == []:
        return {"trusted": True}
    if not quiet:
        say(needed.why)
    if waiting is None:
        if not quiet:
            say(f"{title} itself was not found or did not answer: start it and {needed.by_hand}.")
        return {"trusted": False}
    asked = not trust and not yes and interactive()
    if not trust and not (asked and click.confirm(f"Trust the {len(waiting)} hooks?")):
        if not quiet:
            again = f"lore connect {plan.client.name} --trust"
            say(f"Not trusted yet: {needed.by_hand} in {title}, or `{again}`.")
        return {"trusted": False}
    _apply(plan_trust(plan, waiting))
    if not quiet:
        say(f"{counted(len(waiting), 'hook')} trusted.")
    return {"trusted": True}


def _leave_to_plugin(plan: Plan, *, yes: bool, quiet: bool) -> bool:
    """Whether the plugin, which does the same, is left as the only one."""
    title = plan.client.title
    if not quiet:
        warn(f"The Loremap plugin is installed in {title} and does the same as these settings.")
    if yes or not interactive():
        if not quiet:
            say(f"It is left to the plugin; uninstall that in {title} to use settings instead.")
        return True
    return click.confirm("Leave it to the plugin, without settings?", default=True)


def _refuse_unasked(plans: Iterable[Plan]) -> None:
    """Raise where a change would have to be confirmed and nobody can be asked."""
    for plan in plans:
        if plan.changes:
            verb = "connected" if plan.connecting else "disconnected"
            raise BadInput(
                f"{plan.client.title} was not {verb}: its settings are changed only after "
                "confirmation.",
                hint="--yes makes the change, --dry-run shows it.",
            )


def _project() -> Path:
    """The folder of the repository this stands in, or the folder itself."""
    folder = place().folder.resolve()
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)


def _overview(home: Path, *, as_json: bool) -> dict[str, Any] | None:
    from loremap.clients.show import overview

    rows = overview(home)
    if as_json:
        return {"clients": rows}
    for row in rows:
        mark = (f"  {EXPERIMENTAL}" if row["experimental"] else "", "dim")
        say((f"{row['client']:<10}", "cyan"), _state(row), mark, whole=True)
    say(("lore connect NAME connects one, --all every one that was found.", "dim"))
    return None


def _state(row: dict[str, Any]) -> tuple[str, str]:
    """What is known of an agent, and its style."""
    projects = ", ".join(row["projects"])
    if row["connected"]:
        return f"connected{f', and on its own for {projects}' if projects else ''}", "green"
    if projects:
        return f"connected for {projects} only", "green"
    return ("found", "") if row["found"] else ("not found", "dim")


def _show(plan: Plan, *, whole: bool) -> None:
    """Print the changes of a plan: which files, or as a diff where the `whole` is wanted."""
    from loremap.clients.show import diff, summary

    for line in diff(plan) if whole else summary(plan):
        say(line, whole=True)
    _say_remarks(plan)


def _say_remarks(plan: Plan) -> None:
    for remark in plan.remarks:
        warn(remark)


def _say_elsewhere(plan: Plan) -> None:
    from loremap.clients.connect import elsewhere

    for remark in elsewhere(plan):
        warn(remark)


def _whose(plan: Plan) -> str:
    """For which project, where it is for one."""
    return f" for {plan.project}" if plan.project else ""


def _result(plan: Plan, *, done: bool, plugin: bool = False) -> dict[str, Any]:
    from loremap.clients.show import as_data

    return as_data(plan, done=done, plugin=plugin)


COMMANDS = (connect, disconnect)


def _apply(plan: Plan) -> None:
    """Make the changes of a plan; what connects starts the Loremap that is installed now."""
    from loremap.clients.connect import apply
    from loremap.interfaces.hooks.launcher import launcher

    if plan.connecting:
        launcher(plan.home)
    apply(plan)
