"""Memories as people and programs read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from loremap.interfaces.cli.shell import Part, console, counted, say, warn
from loremap.memory.brief.said import register_of
from loremap.model.anchor import Anchor, Checked, Freshness
from loremap.model.clock import short_id
from loremap.model.hostile import why_held_back
from loremap.model.kind import RULES
from loremap.model.memory import Memory, Origin, Provenance, Status
from loremap.model.recall import Alert, Hit, Recall
from loremap.model.record import to_record
from loremap.sessions.learning.framed import pair

if TYPE_CHECKING:
    from loremap.model.state import Shown
from collections.abc import Collection

from rich.console import Console
from rich.text import Span

SHORT = 8
"""Letters of an id that are shown."""
NAMED_COLUMNS = 40
"""Columns a summary takes where it only names a memory."""
_WHOLE_ID = re.compile(r"\b[0-9a-f]{24}([0-9a-f]{8})\b")


def as_data(memory: Memory) -> dict[str, Any]:
    """A memory for `--json`, with what is counted apart taken together as scores do."""
    return to_record(memory) | {
        "access_count": memory.access_count,
        "strength": memory.strength,
    }


def freshness_data(check: Checked | None) -> dict[str, Any]:
    """What became of the code a memory speaks of, for `--json`; null where it speaks of none."""
    return {
        "freshness": None if check is None else check.freshness.value,
        "freshness_why": "" if check is None else check.why,
    }


def anchor_data(anchor: Anchor, check: Checked | None) -> dict[str, Any]:
    """Where in the code a memory holds, for `--json`."""
    here = None if check is None or check.freshness is Freshness.ORPHANED else check
    return freshness_data(check) | {
        "path": anchor.path,
        "symbol": anchor.symbol,
        "kind": anchor.kind.value,
        "head": anchor.head,
        "dirty": anchor.dirty,
        "now": None if here is None else here.key,
        "line": None if here is None else here.line,
    }


def hit_data(hit: Hit) -> dict[str, Any]:
    """An answer for `--json`."""
    return (
        as_data(hit.memory)
        | freshness_data(hit.freshness)
        | {
            "register": register_of(hit.memory).value,
            "score": round(hit.score, 4),
            "parts": {name: round(value, 4) for name, value in hit.parts.items()},
            "conflict_with": list(hit.conflict_with),
            "unmerged": hit.unmerged,
        }
    )


def recall_data(answer: Recall, *, why: bool) -> dict[str, Any]:
    """A recall for `--json`."""
    data: dict[str, Any] = {
        "hits": [hit_data(hit) for hit in answer.hits],
        "took_ms": round(answer.took_ms, 2),
        "gated": answer.gated,
    }
    if answer.narrative:
        data["narrative"] = answer.narrative
    if why:
        data["trace"] = {
            "recipe": answer.trace.recipe,
            "notes": list(answer.trace.notes),
            "took_ms": {name: round(ms, 3) for name, ms in answer.trace.took_ms.items()},
            "verdicts": [
                {
                    "id": verdict.memory_id,
                    "step": verdict.step,
                    "kept": verdict.kept,
                    "why": verdict.why,
                    "score": round(verdict.score, 4),
                }
                for verdict in answer.trace.verdicts
            ],
        }
    return data


def alert_data(alert: Alert) -> dict[str, Any]:
    """A warning that fired, for `--json`."""
    return (
        as_data(alert.memory)
        | freshness_data(alert.freshness)
        | {
            "fired_on": alert.on,
            "matched": alert.matched,
            "pattern": alert.pattern,
        }
    )


def print_hits(hits: Iterable[Hit], *, full: bool) -> None:
    """What a search found: kind, files and marks, then what it says."""
    for hit in hits:
        memory = hit.memory
        head: list[Part] = [(f"[{RULES[memory.kind].label}]", "bold cyan")]
        if memory.files:
            head.append((" " + ", ".join(memory.files[:3]), "cyan"))
        if memory.pinned:
            head.append((" pinned", "yellow"))
        if _is_apart(memory):
            head.append((f" {standing(memory)}", "magenta"))
        if hit.conflict_with:
            others = ", ".join(short_id(id_) for id_ in hit.conflict_with)
            head.append((f" [⚠ CONFLICT] with {others}", "bold red"))
        marks = filter(None, (stale_mark(hit.freshness), branch_mark(hit.unmerged)))
        head.extend((f" {mark}", "yellow") for mark in marks)
        score = "" if hit.pinned_lane else f"  {scored(hit.score)}"
        say(*head, (f"  {short_id(memory.id)}{score}", "dim"))
        say("  ", memory.content if full else memory.summary)


def print_alerts(alerts: Iterable[Alert]) -> None:
    """Warnings that fired, each with the lesson itself."""
    for alert in alerts:
        memory = alert.memory
        say(
            (f"[{RULES[memory.kind].label}] ", "bold red"),
            (f"{mark} " if (mark := stale_mark(alert.freshness)) else "", "yellow"),
            (f"{mark} " if (mark := branch_mark(alert.unmerged)) else "", "yellow"),
            memory.summary,
            (f"  ({alert.on}: {alert.matched.strip()})  {short_id(memory.id)}", "dim"),
        )


def stale_mark(check: Checked | None) -> str:
    """`[drifted]` or `[orphaned]`; nothing where the code is as it was."""
    fresh = check is None or check.freshness is Freshness.FRESH
    return "" if check is None or fresh else f"[{check.freshness.value}]"


def branch_mark(branch: str | None) -> str:
    """`[feature, not merged]`; nothing where the work is merged or here."""
    return f"[{branch}, not merged]" if branch else ""


def print_list(
    memories: Sequence[Memory],
    *,
    now: datetime,
    checks: Mapping[str, Checked] | None = None,
    why: bool = False,
) -> None:
    """A table of memories, marked where their code was changed; `why` says what happened to it."""
    checks = checks or {}
    names = ("id", "kind", "memory", "where", "age", *(["why"] if why else []))
    rows = [
        (
            Text(short_id(memory.id), "dim"),
            Text(memory.kind.value, "cyan"),
            _named(memory, checks.get(memory.id)),
            Text(memory.scope.value, "dim"),
            Text(age(now - memory.created_at), "dim"),
            *([Text(checks[memory.id].why)] if why and memory.id in checks else []),
        )
        for memory in memories
    ]
    console().print(
        in_columns(names, rows, broken=("memory", "why"), console=console()), soft_wrap=True
    )


def _named(memory: Memory, check: Checked | None = None) -> Text:
    """A memory on its line of a list, with what sets it apart."""
    mark = stale_mark(check)
    apart = _is_apart(memory)
    parts = (
        ("● " if memory.pinned else "", "yellow"),
        (f"{standing(memory)} " if apart else "", "magenta"),
        (f"{mark} " if mark else "", "yellow"),
        (memory.summary, ""),
        ("".join(f" #{tag}" for tag in memory.tags), "dim"),
    )
    return Text.assemble(*(part for part in parts if part[0]))


def plain_table(*names: str) -> Table:
    """A table without lines, whose texts are broken and whose other columns are kept whole."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in names:
        table.add_column(name, no_wrap=name not in ("memory", "why"), overflow="fold")
    return table


def print_memory(shown: Shown, *, now: datetime) -> None:
    """One memory, with all that belongs to it."""
    memory = shown.memory
    say(memory.content)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in _facts(memory, now):
        table.add_row(name, value)
    if shown.inferred:
        table.add_row("inferred", " ".join(f"#{one.tag} ({one.source})" for one in shown.inferred))
    for anchor, check in shown.anchors:
        table.add_row("anchor", _anchored(anchor, check))
    for entry in shown.provenance:
        said, rejected = pair(entry.snippet)
        table.add_row("source", _source(entry, said))
        if rejected:
            table.add_row("instead of", f"“{rejected}”")
    for link in shown.links:
        other = link.target_id if link.source_id == memory.id else link.source_id
        arrow = "→" if link.source_id == memory.id else "←"
        table.add_row("link", f"{arrow} {link.relation.value} {short_id(other)} ({link.weight:g})")
    for conflict in shown.conflicts:
        other = conflict.memory_b if conflict.memory_a == memory.id else conflict.memory_a
        table.add_row(
            Text("conflict", "red"),
            f"with {short_id(other)} ({conflict.reason}): lore resolve {short_id(conflict.id)} …",
        )
    console().print(table)


def _facts(memory: Memory, now: datetime) -> Iterable[tuple[str, str]]:
    yield "id", memory.id
    yield "kind", memory.kind.value
    yield "status", standing(memory) + (", pinned" if memory.pinned else "")
    yield "scope", f"{memory.scope.value}, {memory.visibility.value}"
    if memory.branch:
        bound = "only on" if RULES[memory.kind].branch_bound else "written on"
        at = f" at {memory.commit_id[:SHORT]}" if memory.commit_id else ""
        yield "branch", f"{bound} {memory.branch}{at}"
    if memory.seasonal:
        yield "season", f"{memory.seasonal}; told when that is asked for or set"
    if memory.files:
        yield "files", ", ".join(memory.files)
    if memory.tags:
        yield "tags", " ".join(f"#{tag}" for tag in memory.tags)
    for trigger in memory.triggers:
        yield "trigger", f"{trigger.kind} on {trigger.on}: {trigger.pattern}"
    if memory.procedure is not None:
        for name, lines in (
            ("needs", memory.procedure.prerequisites),
            ("step", memory.procedure.steps),
            ("beware", memory.procedure.warnings),
        ):
            for number, line in enumerate(lines, 1):
                yield name, f"{number}. {line}"
    yield (
        "confidence",
        f"{memory.confidence:.2f} (importance {memory.importance:.2f}, trust {memory.trust:g})",
    )
    yield "used", f"{counted(memory.uses, 'time')}, strength {memory.strength}"
    said = {
        "said again": memory.repetitions,
        "confirmed": memory.confirmations,
        "helpful": memory.helpful,
        "not helpful": memory.unhelpful,
    }
    if any(said.values()):
        yield "counted", ", ".join(f"{name} {count}" for name, count in said.items() if count)
    yield (
        "created",
        f"{moment(memory.created_at)} by {memory.created_by}, {ago(now - memory.created_at)}",
    )
    yield "version", str(memory.version)
    if memory.superseded_by:
        yield "replaced by", short_id(memory.superseded_by)
    if memory.deleted_at:
        yield (
            "forgotten",
            f"{moment(memory.deleted_at)}; `lore restore {short_id(memory.id)}` brings it back",
        )


def _anchored(anchor: Anchor, check: Checked | None) -> str:
    """Where in the code a memory holds, what became of it, and where it is now."""
    taken = f", taken at {short_id(anchor.head)}" if anchor.head else ""
    taken += " with changes" if anchor.head and anchor.dirty else ""
    if check is None:
        return f"{anchor.key}{taken}"
    now = f", now {check.key}" if check.key != anchor.key else ""
    line = f", line {check.line}" if check.line else ""
    return f"{anchor.key}: {check.freshness.value}{now}{line}{taken}"


def _source(entry: Provenance, said: str) -> str:
    where = f" {entry.file}{f':{entry.line}' if entry.line else ''}" if entry.file else ""
    by = f" by {entry.actor}" if entry.actor else ""
    session = f" in session {entry.session_id}" if entry.session_id else ""
    branch = f" on {entry.branch}" if entry.branch else ""
    commit = f" at {entry.commit_id[:SHORT]}" if entry.commit_id else ""
    quoted = f": “{said}”" if said else ""
    known = f"{entry.source.value}{where}{by}{session}{branch}{commit}"
    return f"{known}, {entry.confidence_reason}{quoted}"


def source_data(entry: Provenance) -> dict[str, Any]:
    """A source of a memory for `--json`."""
    said, rejected = pair(entry.snippet)
    return {
        "source": entry.source.value,
        "at": entry.at.isoformat(),
        "session_id": entry.session_id,
        "snippet": said,
        "rejected": rejected or None,
        "confidence_reason": entry.confidence_reason,
        "file": entry.file,
        "line": entry.line,
        "actor": entry.actor,
        "agent": entry.agent,
        "branch": entry.branch,
        "commit_id": entry.commit_id,
    }


def print_trace(answer: Recall, summaries: Mapping[str, str]) -> None:
    """Why every candidate was kept or dropped."""
    timings = ", ".join(f"{name} {ms:.1f} ms" for name, ms in answer.trace.took_ms.items())
    say((f"\nrecipe {answer.trace.recipe}: {timings}", "dim"))
    for note in answer.trace.notes:
        warn(note)
    table = plain_table("", "id", "score", "step", "why")
    table.add_column("memory", no_wrap=True, overflow="ellipsis", max_width=NAMED_COLUMNS)
    for verdict in answer.trace.verdicts:
        table.add_row(
            Text("kept", "green") if verdict.kept else Text("dropped", "red"),
            short_id(verdict.memory_id),
            scored(verdict.score),
            verdict.step,
            verdict.why,
            Text(summaries.get(verdict.memory_id, ""), "dim"),
        )
    console().print(table)


def scored(score: float) -> str:
    """A score in two decimals; one that is more than nothing is never shown as nothing."""
    return "<0.01" if 0 < score < 0.005 else f"{score:.2f}"


def _is_apart(memory: Memory) -> bool:
    """Whether a person is told how it stands: it is not simply theirs and in force."""
    return not memory.vouched or memory.deleted_at is not None or memory.voted_down


def standing(memory: Memory) -> str:
    """A memory's status, as a person reads it."""
    if memory.deleted_at is not None:
        return "forgotten"
    voted = ", voted down: said to no agent" if memory.active and memory.voted_down else ""
    if not memory.tainted:
        by_use = memory.status is Status.CONFIRMED and not memory.vouched
        return f"{'borne out by use' if by_use else memory.status.value}{voted}"
    why = "unreviewed" if memory.origin is Origin.FILE else "tainted"
    said = f"{memory.status.value}, {why}"
    held = f": {why_held_back(memory)}" if memory.held_back else ""
    return f"{said}{held}{voted}"


def with_short_ids(text: str) -> str:
    """`text` with the ids in it shortened."""
    return _WHOLE_ID.sub(r"\1", text)


def moment(at: datetime) -> str:
    """A time to the minute, on the clock of the person who reads it."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


def ago(span: timedelta) -> str:
    """How long it is since."""
    said = age(span)
    return "just now" if said == "now" else f"{said} ago"


def age(span: timedelta) -> str:
    """A span in its largest unit."""
    seconds = max(span.total_seconds(), 0)
    for unit, size in (("y", 31_557_600), ("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return "now"


GAP = "  "
LEAST = 10
"""Columns that a text is never broken below."""


def in_columns(
    names: Sequence[str],
    rows: Sequence[Sequence[Text]],
    *,
    broken: Collection[str],
    console: Console,
) -> Text:
    """The rows under their names, within the width of the console: texts of the columns in `broken`
    go on below each other, those of the others are kept whole."""
    head = [Text(name, "dim") for name in names]
    lines = [head, *([*row, *[Text()] * (len(names) - len(row))] for row in rows)]
    needed = [max(row[place].cell_len for row in lines) for place in range(len(names))]
    room = console.width - len(GAP) * (len(names) - 1)
    widths = shared(needed, [name in broken for name in names], room)
    said = _Said()
    for row in lines:
        cells = [_broken(cell, width, console) for cell, width in zip(row, widths, strict=True)]
        for line in range(max(map(len, cells))):
            said.add_line([(each[line : line + 1] or _NOTHING)[0] for each in cells], widths)
    return Text("\n".join(said.lines), spans=said.spans)


def shared(needed: Sequence[int], may_shrink: Sequence[bool], room: int) -> list[int]:
    """How wide each column is: as wide as it needs, and where there is no room for that, those
    that may shrink have the same share of what the others leave."""
    widths = list(needed)
    left = room - sum(need for need, shrinks in zip(needed, may_shrink, strict=True) if not shrinks)
    places = [place for place, shrinks in enumerate(may_shrink) if shrinks]
    for number, place in enumerate(sorted(places, key=lambda place: needed[place])):
        share = max(left // (len(places) - number), LEAST)
        widths[place] = min(needed[place], share)
        left -= widths[place]
    return widths


def _broken(cell: Text, width: int, console: Console) -> list[Text]:
    if cell.cell_len <= width and "\n" not in cell.plain:
        return [cell]
    return list(cell.wrap(console, width, overflow="fold"))


class _Said:
    """Lines and their styles; putting rich's texts together one by one takes several times as
    long."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.spans: list[Span] = []
        self._at = 0

    def add_line(self, cells: Sequence[Text], widths: Sequence[int]) -> None:
        """One line of a row, without spaces at its end."""
        parts, at = list[str](), self._at
        for cell, width in zip(cells, widths, strict=True):
            if cell.style:
                self.spans.append(Span(at, at + len(cell), cell.style))
            self.spans += [span.move(at) for span in cell.spans]
            parts += [cell.plain, " " * (width - cell.cell_len), GAP]
            at += sum(map(len, parts[-3:]))
        line = "".join(parts).rstrip()
        self.lines.append(line)
        self._at += len(line) + 1


_NOTHING = [Text()]
