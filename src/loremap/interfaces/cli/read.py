"""`recall`, `search`, `check`, `list`, `show`, `history`, `log`, `kinds`, `status`."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from loremap.errors import BadInput
from loremap.interfaces.cli.shell import (
    EXIT_FIRED,
    Part,
    ask_there,
    chosen,
    command,
    console,
    counted,
    echo,
    place,
    print_json,
    say,
    warn,
)
from loremap.interfaces.cli.write import FILE, KindName
from loremap.model.clock import short_id
from loremap.model.memory import ACTIVE, Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from loremap.app import Lore
    from loremap.model.recall import Recall
    from loremap.model.state import State


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("-n", "--limit", type=int, help="At most this many [recall.limit].")
@click.option("-r", "--recipe", help="hybrid, weighted, lexical, cascade, words or vectors.")
@click.option(
    "-f", "--file", "files", multiple=True, type=FILE, help="A file in hand; raises what is near."
)
@click.option("-k", "--kind", "kinds", multiple=True, type=KindName(), help="Only this kind.")
@click.option("-t", "--tag", help="Only with this tag.")
@click.option("--gate/--no-gate", default=None, help="Answer nothing when nothing fits.")
@click.option("--full", is_flag=True, help="Whole texts, however long.")
@click.option("--why", is_flag=True, help="Say for every candidate why it was kept or dropped.")
@command
def recall(
    text: tuple[str, ...],
    limit: int | None,
    recipe: str | None,
    files: tuple[str, ...],
    kinds: tuple[str, ...],
    tag: str | None,
    gate: bool | None,
    full: bool,
    why: bool,
    as_json: bool,
) -> Any:
    """What an agent would be given for TEXT; often nothing."""
    with place().lore() as lore:
        answer = lore.recall(
            " ".join(text),
            limit=limit,
            recipe=recipe,
            files=files,
            kinds=kinds,
            tag=tag,
            gate=gate,
        )
        show = partial(_print_said, asked=" ".join(text))
        return _answered(lore, answer, show, full=full, why=why, as_json=as_json)


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("-n", "--limit", type=int, help="At most this many [10].")
@click.option("-r", "--recipe", help="hybrid, weighted, lexical, cascade, words or vectors.")
@click.option("-k", "--kind", "kinds", multiple=True, type=KindName(), help="Only this kind.")
@click.option("-t", "--tag", help="Only with this tag.")
@click.option("--all", "everything", is_flag=True, help="Also what is replaced or withdrawn.")
@click.option("--full", is_flag=True, help="Whole texts, not summaries.")
@click.option("--why", is_flag=True, help="Say for every candidate why it was kept or dropped.")
@command
def search(
    text: tuple[str, ...],
    limit: int | None,
    recipe: str | None,
    kinds: tuple[str, ...],
    tag: str | None,
    everything: bool,
    full: bool,
    why: bool,
    as_json: bool,
) -> Any:
    """Search for TEXT yourself: no gate, and it never counts as use."""
    with place().lore() as lore:
        answer = lore.search(
            " ".join(text),
            limit=limit,
            recipe=recipe,
            kinds=kinds,
            tag=tag,
            everything=everything,
        )
        return _answered(lore, answer, _print_found, full=full, why=why, as_json=as_json)


def _print_said(_lore: Lore, answer: Recall, *, full: bool, asked: str) -> None:
    """Answers as an agent reads them."""
    from loremap.memory.brief.said import LONGEST, remarks_of, said_lines
    from loremap.model.words import words

    lines = said_lines(
        answer.hits,
        remarks=remarks_of(answer.hits, answer.conflicts),
        longest=sys.maxsize if full else LONGEST,
        asked=frozenset(words(asked)),
    )
    echo("\n".join(lines))


def _print_found(_lore: Lore, answer: Recall, *, full: bool) -> None:
    """Answers with all that a person may want to know of them."""
    from loremap.interfaces.cli import present

    present.print_hits(answer.hits, full=full)


def _answered(
    lore: Lore,
    answer: Recall,
    show: Callable[..., None],
    *,
    full: bool,
    why: bool,
    as_json: bool,
) -> Any:
    from loremap.interfaces.cli import present

    if as_json:
        return present.recall_data(answer, why=why)
    if answer.narrative:
        from loremap.memory.brief.ours import harmless

        echo(harmless(answer.narrative) + "\n")
    if answer.hits:
        show(lore, answer, full=full)
    elif not answer.narrative:
        say("Nothing fits." + (" Some came near; --no-gate shows them." if answer.gated else ""))
    if why:
        ids = [verdict.memory_id for verdict in answer.trace.verdicts]
        present.print_trace(answer, lore.summaries(ids))
    if lore.model_trouble:
        warn(f"Words only: {lore.model_trouble}")
    return None


@click.command()
@click.option("--command", "shell", help="A command about to be run.")
@click.option("-f", "--file", "files", multiple=True, type=FILE, help="A file about to be touched.")
@click.option("--text", help="A text about to be written; - reads standard input.")
@click.option("-n", "--limit", type=int, default=3, help="At most this many [3].")
@click.option("--exit-code", is_flag=True, help="End with code 3 when something fires.")
@command
def check(
    shell: str | None,
    files: tuple[str, ...],
    text: str | None,
    limit: int,
    exit_code: bool,
    as_json: bool,
) -> Any:
    """Which warnings fire on what is about to be done."""
    if text == "-":
        ask_there()
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if shell is None and not files and text is None:
        raise BadInput("There is nothing to check.", hint="Give --command, --file or --text.")
    from loremap.interfaces.cli import present

    with place().lore() as lore:
        alerts = lore.check(command=shell, files=files, text=text, limit=limit)
    if as_json:
        print_json({"alerts": [present.alert_data(alert) for alert in alerts]})
    elif alerts:
        present.print_alerts(alerts)
    elif console().is_terminal:
        say(("Nothing fires.", "dim"))
    if alerts and exit_code:
        sys.exit(EXIT_FIRED)


@click.command("list")
@click.argument("kind", required=False, type=KindName())
@click.option("-t", "--tag", help="Only with this tag.")
@click.option("-f", "--file", type=FILE, help="Only about this file.")
@click.option("--pinned", is_flag=True, default=None, help="Only pinned ones.")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice([status.value for status in Status]),
    help="Only of this status [candidate and confirmed].",
)
@click.option("--stale", is_flag=True, help="Only those whose code was changed or is gone here.")
@click.option("--forgotten", is_flag=True, help="What was forgotten and can be restored.")
@click.option("--everywhere", is_flag=True, help="Of every project.")
@click.option("-n", "--limit", type=click.IntRange(1, 10_000), default=50, help="At most [50].")
@click.option("--offset", type=click.IntRange(0), default=0, help="Skip this many.")
@command
def list_(
    kind: str | None,
    tag: str | None,
    file: str | None,
    pinned: bool | None,
    statuses: tuple[str, ...],
    stale: bool,
    forgotten: bool,
    everywhere: bool,
    limit: int,
    offset: int,
    as_json: bool,
) -> Any:
    """Browse memories, newest first; KIND keeps one kind."""
    wanted = tuple(Status(status) for status in statuses) or (
        tuple(Status) if forgotten else ACTIVE
    )
    with place().lore() as lore:
        found = lore.list(
            kinds=(kind,) if kind else (),
            statuses=wanted,
            tag=tag,
            file=file,
            pinned=pinned,
            deleted=forgotten,
            everywhere=everywhere,
            stale=stale,
            limit=limit + 1,
            offset=offset,
        )
        checks = lore.freshness(found)
        now, hidden = lore.now(), lore.withheld()
    from loremap.interfaces.cli import present

    found, more = found[:limit], len(found) > limit
    if as_json:
        listed = [
            present.as_data(memory) | present.freshness_data(checks.get(memory.id))
            for memory in found
        ]
        return {"memories": listed, "more": more, "withheld": hidden}
    if found:
        present.print_list(found, now=now, checks=checks, why=stale)
        if more:
            say((f"There are more: --offset {offset + limit}", "dim"))
    else:
        narrowed = bool(kind or tag or file or statuses or stale)
        say(_nothing_listed(forgotten=forgotten, narrowed=narrowed))
    if hidden:
        warn(f"{counted(hidden, 'damaged row')} of the store withheld → lore backup restore")
    return None


def _nothing_listed(*, forgotten: bool, narrowed: bool) -> str:
    if forgotten:
        return "Nothing forgotten can be restored."
    return "None are so." if narrowed else 'Nothing here yet: lore remember "…"'


@click.command()
@click.argument("id_or_keyword")
@command
def show(id_or_keyword: str, as_json: bool) -> Any:
    """One memory with its anchors in the code, sources, links and conflicts."""
    from loremap.interfaces.cli import present

    with place().lore() as lore:
        id_ = chosen(id_or_keyword, lambda ref: lore.find(ref, by_keyword=True), as_json=as_json)
        shown = lore.show(id_)
        now = lore.now()
    if as_json:
        return present.as_data(shown.memory) | {
            "provenance": [present.source_data(entry) for entry in shown.provenance],
            "links": [
                {
                    "from": link.source_id,
                    "to": link.target_id,
                    "relation": link.relation.value,
                    "weight": link.weight,
                }
                for link in shown.links
            ],
            "conflicts": [conflict.id for conflict in shown.conflicts],
            "inferred_tags": [{"tag": one.tag, "source": one.source} for one in shown.inferred],
            "anchors": [present.anchor_data(anchor, check) for anchor, check in shown.anchors],
        }
    present.print_memory(shown, now=now)
    return None


@click.command()
@click.argument("what", required=False, metavar="[FILE|ID]")
@click.option("--about", metavar="WORD", help="What was last done with files named so.")
@click.option("--together", is_flag=True, help="Which files change together.")
@click.option("-n", "--limit", type=click.IntRange(1, 1_000), help="At most so many.")
@command
def history(
    what: str | None, about: str | None, together: bool, limit: int | None, as_json: bool
) -> Any:
    """What was done with a file, or with files named so, the latest first; or what happened to a
    memory, oldest first."""
    from loremap.interfaces.cli import episodes

    with place().lore() as lore:
        if about is not None:
            return episodes.word_history(lore, about, limit=limit or 10, as_json=as_json)
        if together:
            return episodes.together_history(lore, what, limit=limit or 20, as_json=as_json)
        if what is None:
            raise BadInput("Name a file or a memory.", hint="lore history FILE, or --about WORD")
        if _is_file(lore, what):
            return episodes.file_history(lore, what, limit=limit or 5, as_json=as_json)
        return _memory_history(lore, what, as_json=as_json)


def _is_file(lore: Lore, what: str) -> bool:
    """Whether a file is meant: it is there, or is written like one."""
    return any(sign in what for sign in "/\\.") or (lore.folder / what).exists()


def _memory_history(lore: Lore, id_: str, *, as_json: bool) -> Any:
    entries = lore.history(id_)
    now = lore.find(id_)
    # An entry keeps what was before it, so what it led to is what the next one keeps.
    texts = [entry.before["content"] for entry in entries[1:] if entry.before] + [now.content]
    if as_json:
        return {
            "history": [
                {
                    "version": entry.version,
                    "action": entry.action,
                    "at": entry.at.isoformat(),
                    "actor": entry.actor,
                    "undone": entry.undone,
                    "content": text,
                }
                for entry, text in zip(entries, texts, strict=True)
            ]
        }
    from loremap.interfaces.cli.present import moment

    for entry, text in zip(entries, texts, strict=True):
        say(
            (f"{entry.version:>3}  {moment(entry.at)}  {entry.actor:<8} ", "dim"),
            (f"{entry.action:<8} ", "cyan"),
            str(text),
            (" (undone)" if entry.undone else "", "dim"),
        )
    return None


@click.command()
@click.argument("id_", required=False)
@click.option("-n", "--limit", type=click.IntRange(1, 10_000), default=30, help="At most [30].")
@command
def log(id_: str | None, limit: int, as_json: bool) -> Any:
    """The audit trail, newest first: what was done, by whom, never what it said."""
    with place().lore() as lore:
        events = lore.log(limit=limit, reference=id_)
    if as_json:
        return {
            "events": [
                {
                    "seq": event.seq,
                    "at": event.at.isoformat(),
                    "action": event.action,
                    "actor": event.actor,
                    "memory_id": event.memory_id,
                    "project_id": event.project_id,
                    "detail": event.detail,
                }
                for event in events
            ]
        }
    from loremap.interfaces.cli.present import with_short_ids

    for event in events:
        say(
            (f"{event.at.astimezone():%Y-%m-%d %H:%M:%S}  {event.actor:<8} ", "dim"),
            (f"{event.action:<8} ", "cyan"),
            f"{short_id(event.memory_id or ''):<8}  ",
            (with_short_ids(event.detail), "dim"),
        )
    return None


@click.command()
@command
def kinds(as_json: bool) -> Any:
    """Every kind of memory, and how long it lasts."""
    from loremap.model.kind import OFFERED, RULES

    ordered = [*OFFERED, *(kind for kind in RULES if kind not in OFFERED)]
    if as_json:
        return {
            "kinds": [
                {
                    "kind": kind.value,
                    "half_life_days": RULES[kind].half_life_days,
                    "also": list(RULES[kind].seed_names),
                    "offered": kind in OFFERED,
                }
                for kind in ordered
            ]
        }
    for kind in ordered:
        rule = RULES[kind]
        days = rule.half_life_days
        fades = "does not fade" if days is None else f"halves in {days:g} days without use"
        also = f"; also {', '.join(rule.seed_names)}" if rule.seed_names else ""
        say((f"{kind.value:<20} ", "cyan" if kind in OFFERED else "dim"), f"{fades}{also}")
    return None


@click.command()
@command
def status(as_json: bool) -> Any:
    """The state of the store, the project and the embedding model."""
    from loremap.agent import switches

    with place().lore() as lore:
        state, now = lore.status(), lore.now()
        off, project_off = switches.is_off(lore.places.home), switches.project_is_off(lore)
    if as_json:
        return _state_data(state) | {"off": off, "project_off": project_off}
    _print_state(state, now=now)
    if off or project_off:
        what, back = ("everything", "lore on") if off else ("this project", "lore on --project")
        warn(f"off        {what} is off: nothing is recorded or injected  → {back}")
    return None


def _state_data(state: State) -> dict[str, Any]:
    from dataclasses import asdict

    model = asdict(state.model) | {"other_spaces": dict(state.model.other_spaces)}
    data = {
        name: getattr(state, name) for name in state.__slots__ if name not in ("model", "store")
    }
    return data | {
        "store": str(state.store),
        "by_kind": dict(state.by_kind),
        "checked_at": state.checked_at.isoformat(),
        "model": model,
    }


def _print_state(state: State, *, now: datetime) -> None:
    from loremap.interfaces.cli.present import ago

    lock = "encrypted" if state.encrypted else "not encrypted"
    kept = "" if state.backups is None else f", {counted(state.backups, 'backup')}"
    if state.backups is None:
        lock = "on a server that sees to encryption and backups"
    say(
        f"store      {state.store} ({state.size_bytes / 1e6:.1f} MB, version {state.version}",
        f", {lock}",
        (", read-only" if state.read_only else "", "yellow"),
        f"{kept})",
        whole=True,
    )
    branch = f" on {state.branch}" if state.branch else ""
    say(f"project    {state.project or 'none here: only global memories apply'}{branch}")
    say(
        f"memories   {state.memories_here} here, {state.memories_global} global, "
        f"{state.memories_in_all} in all"
    )
    if state.by_kind:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(state.by_kind.items()))
        say(f"kinds      {kinds}")
    waits = "  → lore review" if state.candidates or state.open_conflicts else ""
    say(
        f"review     {counted(state.candidates, 'candidate')}, "
        f"{counted(state.open_conflicts, 'conflict')}{waits}"
    )
    if state.inbox:
        say(f"inbox      {counted(state.inbox, 'thing')} learned  → lore inbox")
    say(f"pinned     {state.pinned}, forgotten {state.forgotten}")
    say("model      ", *_model_line(state))
    if state.model.leaves_machine:
        warn("notice     texts leave this machine to be embedded")
    if state.damaged:
        shown = ", ".join(short_id(id_) for id_ in state.damaged[:5])
        withheld = counted(len(state.damaged), "memory row")
        say((f"damaged    {withheld} withheld: {shown} → lore backup restore", "red"))
    if state.damaged_links:
        links = counted(state.damaged_links, "link")
        say((f"damaged    {links} withheld → lore backup restore", "red"))
    say(f"checked    every row, {ago(now - state.checked_at)}")
    for note in state.notes:
        warn(note)


def _model_line(state: State) -> list[Part]:
    model = state.model
    if model.provider == "none":
        return ["none chosen: words answer alone"]
    if not model.ready:
        return [(f"words answer alone: {model.trouble}", "yellow")]
    waits = f", {model.waiting} wait → lore model embed" if model.waiting else ""
    return [f"{model.name} ({model.dim} numbers), {model.embedded} embedded", (waits, "yellow")]


COMMANDS = (recall, search, check, list_, show, history, log, kinds, status)
