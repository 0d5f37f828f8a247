"""Judges whether everything is well: from plain facts to lines that say what mends them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from loremap.agent.service_level import Health, Pace
from loremap.memory.sidecar_state import SidecarState, fresh_fault
from loremap.model.state import ModelState
from loremap.storage.caught import Caught

LITTLE_ROOM_BYTES = 500 * 1024 * 1024
NO_ROOM_BYTES = 20 * 1024 * 1024
LOSS_TOLD = timedelta(days=14)
"""How long a loss is told: nothing can bring back what was in the log."""
BACKUP_DUE = timedelta(days=3)
SPOOLED_LONG = timedelta(minutes=10)
LATELY = timedelta(days=7)
SHOWN_CAUGHT = 3


class Verdict(StrEnum):
    """How something is."""

    WELL = "well"
    ODD = "odd"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, and the command that mends it where it is not well."""

    area: str
    verdict: Verdict
    says: str
    mend: str = ""


def well(area: str, says: str) -> Finding:
    """All is as it should be."""
    return Finding(area, Verdict.WELL, says)


def odd(area: str, says: str, mend: str = "") -> Finding:
    """It works, but not as it could."""
    return Finding(area, Verdict.ODD, says, mend)


def broken(area: str, says: str, mend: str = "") -> Finding:
    """It does not work."""
    return Finding(area, Verdict.BROKEN, says, mend)


def exit_code(findings: Sequence[Finding]) -> int:
    """1 where anything is broken; what is odd breaks nothing."""
    return int(any(one.verdict is Verdict.BROKEN for one in findings))


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderFacts:
    """The data folder."""

    path: Path
    open_to_others: bool
    is_ours: bool
    writable: bool
    free_bytes: int


def judged_folder(facts: FolderFacts) -> Finding:
    """Whether the data folder is private, can be written and has room."""
    area, path = "data", facts.path
    if not facts.writable:
        return broken(area, f"{path} cannot be written", f"chmod u+rwx {path}")
    if not facts.is_ours:
        return broken(area, f"{path} belongs to another user", "set LOREMAP_HOME to your own")
    if facts.open_to_others:
        return broken(area, f"{path} can be read by other users", f"chmod 700 {path}")
    room = f"{facts.free_bytes / 2**30:,.1f} GB free"
    if facts.free_bytes < NO_ROOM_BYTES:
        return broken(area, f"{path}: the disk is full ({room})", "free some space")
    if facts.free_bytes < LITTLE_ROOM_BYTES:
        return odd(area, f"{path}: little room is left ({room})", "free some space")
    return well(area, f"{path}, yours alone, {room}")


class Launcher(StrEnum):
    """How the program that agents start was found."""

    CURRENT = "current"
    RENEWED = "renewed"
    MADE = "made"


def judged_install(*, version: str, python: str, launcher: Launcher, path: Path) -> Finding:
    """What is installed, and whether agents would start it."""
    how = {
        Launcher.CURRENT: f"{path} is current",
        Launcher.RENEWED: f"{path} started another installation and was renewed",
        Launcher.MADE: f"{path} was missing and was made",
    }[launcher]
    return well("install", f"Loremap {version}, Python {python}; {how}")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFacts:
    """An open store."""

    name: str
    on_server: bool = False
    """Whether others see to its disks."""
    size_bytes: int
    encrypted: bool
    read_only: bool
    version: int
    newest_version: int
    checked: bool
    """Whether the file is small enough to have been checked."""
    damaged: int
    """Memories and links that are not what was written."""
    astray: int
    """Memories that were looked up by other files, tags or triggers than they have, till now."""
    memories: int
    backups: int
    newest_backup_at: datetime | None
    log_loss: tuple[datetime, int] | None = None
    """When its log was found damaged, and how many transactions in it could not be read."""


def judged_store(facts: StoreFacts, *, now: datetime) -> list[Finding]:
    """Whether the store is whole, current, writable and backed up."""
    area = "store"
    if facts.read_only:
        return [broken(area, f"{facts.name} can be read but not written", "make it writable")]
    found = []
    if facts.damaged:
        found.append(
            broken(
                area,
                f"{facts.damaged} memories or links are not what was written, and withheld",
                "lore backup restore",
            )
        )
    if facts.log_loss is not None and now - facts.log_loss[0] < LOSS_TOLD:
        at, lost = facts.log_loss
        said = f"the log was damaged when the store was opened on {at:%Y-%m-%d %H:%M} UTC: the last"
        found.append(
            broken(
                area,
                f"{said} {lost} change{'' if lost == 1 else 's'} before that could not be read",
                "say again what `lore list` lacks",
            )
        )
    if facts.version != facts.newest_version:
        found.append(
            broken(
                area,
                f"the store is at version {facts.version}, the program at {facts.newest_version}",
                "run any lore command that writes",
            )
        )
    if facts.astray:
        said = f"{facts.astray} memories were looked up by damaged files, tags or triggers; "
        found.append(odd(area, f"{said}these were written anew", "lore doctor looks again"))
    if facts.on_server:
        size = f"{facts.size_bytes / 2**20:,.1f} MB in the database"
        held = "its disks, encryption and backups are the server's"
        whole = [well(area, f"{facts.memories:,} memories, {size}, {facts.name}; {held}")]
        return found or whole
    if not found:
        said = "encrypted" if facts.encrypted else "not encrypted"
        checked = "whole" if facts.checked else "too large to be checked here"
        size = f"{facts.size_bytes / 2**20:,.1f} MB"
        found.append(
            well(area, f"{facts.memories:,} memories, {size}, {checked}, {said}, {facts.name}")
        )
    return [*found, _judged_backups(facts, now)]


def _judged_backups(facts: StoreFacts, now: datetime) -> Finding:
    made = facts.newest_backup_at
    if made is None:
        if not facts.memories:
            return well("backup", "nothing to back up yet")
        return odd("backup", "there is no backup yet", "lore backup now")
    days = max(now - made, timedelta()).days
    said = "today" if days == 0 else f"{days} day{'' if days == 1 else 's'} ago"
    if now - made > BACKUP_DUE:
        return odd("backup", f"the newest backup was made {said}", "lore backup now")
    return well("backup", f"{facts.backups} kept, the newest made {said}")


def judged_model(state: ModelState, *, tampered: str = "") -> Finding:
    """Whether vectors are made; without them words answer alone."""
    area = "model"
    if tampered:
        return broken(area, tampered, "lore model fetch")
    if state.provider == "none":
        return well(area, "none chosen: words answer alone")
    if not state.ready:
        mend = "lore model fetch" if state.provider == "local" else "lore model status"
        return odd(area, f"words answer alone: {state.trouble or 'it is not there'}", mend)
    where = "; texts leave this machine to be embedded" if state.leaves_machine else ""
    if state.waiting:
        return odd(
            area, f"{state.name}: {state.waiting:,} memories wait{where}", "lore model embed"
        )
    return well(area, f"{state.name}, {state.embedded:,} embedded{where}")


def judged_sidecar(state: SidecarState, *, now: datetime) -> list[Finding]:
    """Whether the small model is asked and answers; nothing is said where none is chosen."""
    area = "sidecar"
    if state.kind == "off":
        return []
    if state.trouble:
        return [odd(area, f"it is not asked: {state.trouble}", "lore sidecar")]
    if fault := fresh_fault(state, now):
        return [odd(area, f"rules worked alone: {fault}", "lore sidecar test")]
    if state.full_at is not None:
        return [odd(area, "the day's ceiling is met: rules work alone", "lore sidecar")]
    where = "; redacted words leave this machine" if state.leaves_machine else ""
    return [well(area, f"{state.model} at {state.where}, {state.calls:,} requests today{where}")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidentFacts:
    """The background service as it was found, or started."""

    pid: int
    version: str
    our_version: str
    started_at: datetime | None
    started_now: bool
    ready: bool
    model: str
    trouble: str


def judged_resident(facts: ResidentFacts | None, *, trouble: str, now: datetime) -> Finding:
    """Whether the resident answers and can open the memory."""
    area = "resident"
    if facts is None:
        return broken(area, trouble or "it did not start", "lore service logs")
    if not facts.ready:
        said = facts.trouble or "it does not get ready"
        return broken(area, f"it runs but cannot answer: {said}", "lore service logs")
    if facts.version != facts.our_version:
        said = f"version {facts.version} runs, {facts.our_version} is installed"
        return broken(area, said, "lore service stop")
    began = facts.started_at
    if facts.started_now:
        since = "was not running and was started; it ends by itself when nobody needs it"
    else:
        since = "runs" if began is None else f"runs since {_span(now - began)}"
    return well(area, f"{since}; process {facts.pid}, version {facts.version}")


def judged_pace(pace: Pace) -> Finding:
    """Whether retrieval keeps its promise."""
    if pace.health is Health.DEGRADED:
        return odd("recall", str(pace), "lore metrics --all shows what takes long")
    return well("recall", str(pace))


def judged_switches(*, off: bool, project_off: str = "") -> list[Finding]:
    """Whether sessions are listened to at all."""
    if off:
        return [odd("switch", "everything is off: nothing is recorded or injected", "lore on")]
    if project_off:
        return [odd("switch", f"the project {project_off} is off", "lore on --project")]
    return [well("switch", "on")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFacts:
    """One connected client."""

    client: str
    title: str
    project: Path | None = None
    plugin: bool = False
    gone: bool = False
    """Whether our entries are not in its files any more."""
    outdated: int = 0
    """Files in which our entries are not as this version writes them."""
    refused: str = ""
    """Why its settings cannot be read."""
    remarks: tuple[str, ...] = ()
    """What keeps our hooks from running: a policy, for one."""


def judged_agent(facts: AgentFacts) -> list[Finding]:
    """Whether a client's settings still say what was written there."""
    area = facts.client
    for_project = f" in {facts.project}" if facts.project else ""
    again = f"lore connect {facts.client}{' --project' if facts.project else ''}"
    if facts.refused:
        return [broken(area, f"{facts.title}{for_project}: {facts.refused}", again)]
    if facts.gone:
        said = f"{facts.title}{for_project}: our entries are gone from its settings"
        return [broken(area, said, again)]
    if facts.outdated:
        count = f"{facts.outdated} file{'' if facts.outdated == 1 else 's'}"
        said = f"{facts.title}{for_project}: connected, but {count} would be written otherwise now"
        return [odd(area, said, again)]
    how = "by the plugin" if facts.plugin else "connected"
    return [
        well(area, f"{facts.title}{for_project}: {how}"),
        *(odd(area, remark) for remark in facts.remarks),
    ]


def judged_agents(facts: Sequence[AgentFacts]) -> list[Finding]:
    """What is said of all of them, none included."""
    if not facts:
        return [odd("agents", "no agent is connected", "lore connect --all")]
    return [finding for one in facts for finding in judged_agent(one)]


def judged_caught(caught: Sequence[Caught], *, now: datetime) -> Finding:
    """What hooks kept from agents lately."""
    if not caught:
        return well("caught", f"hooks caught no error in {LATELY.days} days")
    counts = Counter((one.fault, one.where) for one in caught)
    most = ", ".join(
        f"{fault} in {where} ({count}×)"
        for (fault, where), count in counts.most_common(SHOWN_CAUGHT)
    )
    last = caught[-1]
    place = f" at {last.lines[-1]}" if last.lines else ""
    said = (
        f"{len(caught)} in {LATELY.days} days, the last {_span(now - last.at)} ago{place}: {most}"
    )
    return odd("caught", said, "lore service logs --caught")


def judged_spool(waiting: int, *, oldest: timedelta | None) -> Finding:
    """Whether what hooks could not hand over was taken up since."""
    if not waiting:
        return well("spool", "empty")
    said = f"{waiting:,} events wait to be read from transcripts"
    if oldest is not None and oldest > SPOOLED_LONG:
        return odd("spool", f"{said}, the oldest for {_span(oldest)}", "lore service logs")
    return well("spool", said)


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryFacts:
    """Whether a memory reached one client's hook."""

    client: str
    arrived: bool
    took_ms: float = 0.0
    trouble: str = ""


def judged_canary(facts: CanaryFacts, *, connected: bool) -> Finding:
    """Whether what is remembered arrives where an agent reads it; while no agent is connected, a
    canary that does not arrive keeps nothing from anyone."""
    if facts.arrived:
        said = f"a memory reached the hook of {facts.client} in {facts.took_ms:.0f} ms"
        return well("canary", f"{said}, and is erased")
    said = f"a memory did not reach the hook of {facts.client}: {facts.trouble}"
    mend = "lore service stop, then lore doctor"
    if not connected:
        return odd("canary", f"{said} (no agent is connected yet)", mend)
    return broken("canary", said, mend)


def _span(span: timedelta) -> str:
    seconds = max(span.total_seconds(), 0)
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"
