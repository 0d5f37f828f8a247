"""What `lore doctor` judges: the folder, the store, the model, the service, the agents."""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.errors import LoremapError, ModelError
from loremap.model.version import VERSION

if TYPE_CHECKING:
    from loremap.app import Lore
    from loremap.app.doctor import AgentFacts, Finding, FolderFacts, Launcher, StoreFacts
    from loremap.clients.connect import Connected
    from loremap.interfaces.resident.places import ResidentState

READY_S = 6.0
START_S = 5.0


def folder_facts(home: Path) -> FolderFacts:
    """How the data folder is."""
    from loremap.app.doctor import FolderFacts

    found = home.stat()
    windows = sys.platform == "win32"
    return FolderFacts(
        path=home,
        open_to_others=not windows and bool(found.st_mode & 0o077),
        is_ours=windows or found.st_uid == os.getuid(),
        writable=os.access(home, os.W_OK | os.X_OK),
        free_bytes=shutil.disk_usage(home).free,
    )


def launcher(home: Path) -> tuple[Launcher, Path]:
    """Renew the program that agents start, and say how it was found."""
    from loremap.app.doctor import Launcher
    from loremap.clients.settings.site import launcher_path
    from loremap.interfaces.hooks.launcher import launcher as renewed

    path = launcher_path(home)
    before = path.read_bytes() if path.is_file() else None
    made = renewed(home)
    if before is None:
        return Launcher.MADE, made
    return (Launcher.CURRENT if made.read_bytes() == before else Launcher.RENEWED), made


def store_facts(lore: Lore) -> StoreFacts:
    """How the store is; raises where it is damaged."""
    from loremap.app.doctor import StoreFacts
    from loremap.app.encryption import care_here
    from loremap.storage import memories, relations
    from loremap.storage.memories import Filter
    from loremap.storage.migrate import MIGRATIONS

    store = lore.store
    checked = store.check()
    backups = [] if store.on_server else care_here(lore.places).backups()
    mended = _attached_again(lore)
    with store.read() as conn:
        return StoreFacts(
            name=store.name,
            on_server=store.on_server,
            size_bytes=store.size_bytes(),
            encrypted=store.encrypted,
            read_only=store.read_only,
            version=store.version(),
            newest_version=MIGRATIONS[-1].number,
            checked=bool(checked),
            damaged=len(memories.damaged(conn)) + relations.damaged_links(conn),
            astray=mended,
            memories=memories.count(conn, Filter(everywhere=True)),
            log_loss=store.log_loss(),
            backups=len(backups),
            newest_backup_at=max((one.made_at for one in backups), default=None),
        )


def _attached_again(lore: Lore) -> int:
    """Write anew the files, tags and triggers that memories are looked up by where they differ
    from what the memories say; how many."""
    from loremap.storage import memories

    with lore.store.read() as conn:
        astray = memories.astray(conn)
    if astray and not lore.store.read_only:
        with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
            memories.attach_again(tx, astray)
    return len(astray)


def tampered(lore: Lore) -> str:
    """What is wrong with the bytes of the local model; empty where it is whole or not used."""
    if lore.settings.text("embedding.provider") != "local":
        return ""
    from loremap.embedding import pinned

    model = pinned.local_model(lore.settings.text("embedding.local_model"))
    if pinned.looks_delivered(lore.places.cache, model):
        try:
            pinned.verify(lore.places.cache, model)
        except ModelError as fault:
            return fault.message
    return ""


def resident(home: Path, now: datetime) -> list[Finding]:
    """The resident, started if there is none, as soon as it can answer; and how quick it is."""
    from loremap.app.doctor import ResidentFacts, judged_pace, judged_resident
    from loremap.interfaces.cli.service import pace_of
    from loremap.interfaces.resident.reach import ensure, status

    try:
        reached = ensure(home, wait_s=START_S)
    except (LoremapError, OSError) as fault:
        return [judged_resident(None, trouble=str(fault), now=now)]
    state, until = reached.state, time.monotonic() + READY_S
    while state is not None and not state.ready and time.monotonic() < until:
        time.sleep(0.1)
        state = status(home) or state
    if state is None:
        return [judged_resident(None, trouble=reached.trouble, now=now)]
    facts = ResidentFacts(
        pid=state.pid,
        version=state.version,
        our_version=VERSION,
        started_at=_began(state),
        started_now=reached.started,
        ready=state.ready,
        model=state.model,
        trouble=state.trouble,
    )
    found = judged_resident(facts, trouble="", now=now)
    return [found, judged_pace(pace_of(state))] if state.ready else [found]


def _began(state: ResidentState) -> datetime | None:
    try:
        return datetime.fromisoformat(state.started)
    except ValueError:
        return None


def agents(home: Path) -> list[AgentFacts]:
    """The clients that were connected, and those that our plugin is installed in."""
    from loremap.app.doctor import AgentFacts
    from loremap.clients.connect import connected, site
    from loremap.clients.registry import CLIENTS

    listed = [_agent(each, home) for each in connected(home)]
    known = {each.client for each in listed}
    try:
        here = site(home)
    except LoremapError:
        return listed
    by_plugin = [
        AgentFacts(
            client=name, title=client.title, plugin=True, remarks=client.settings.remarks(here)
        )
        for name, client in CLIENTS.items()
        if name not in known and client.settings.plugin(here)
    ]
    return listed + by_plugin


def _agent(one: Connected, home: Path) -> AgentFacts:
    from loremap.app.doctor import AgentFacts
    from loremap.clients.connect import plan
    from loremap.clients.registry import client_named

    facts = AgentFacts(
        client=one.client,
        title=client_named(one.client).title,
        project=one.project,
        gone=not one.whole,
    )
    try:
        again = plan(one.client, home=home, project=one.project)
    except (LoremapError, OSError) as fault:
        return replace(facts, refused=str(fault))
    return replace(facts, outdated=len(again.changes), remarks=again.remarks)
