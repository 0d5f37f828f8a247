"""Proves that a memory arrives: stores one, sends a hook as an agent does, reads its output."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from loremap.agent.state import is_held_out
from loremap.app.doctor import CanaryFacts
from loremap.app.lore import Lore
from loremap.errors import LoremapError
from loremap.interfaces.cli.canary_hook import hook_of
from loremap.interfaces.hooks.known import ENV_PREFIXES
from loremap.interfaces.hooks.launcher import wait_ms
from loremap.model.kind import Kind
from loremap.model.memory import Trigger
from loremap.model.outcome import Refused, Stored
from loremap.storage import canary
from loremap.storage.graph.file import erase as erase_graph
from loremap.storage.graph.file import graph_path

TRIES = 6
"""With twice the rest after each: a machine that is busy, or hooks that rest after failures, have
ten seconds."""
WAIT_S = 3.0
SETTLE_S = 0.3
"""What the resident does behind a hook's back is done by then."""
NOTHING_SAID = "the hook said nothing"
MAX_ERASURES = 3
ABANDONED = timedelta(minutes=5)
_SYLLABLES = "ba bo da do fa fo ka ko la lo ma mo na no ra ro sa so ta to va vo za zo".split()
_OURS = ("LOREMAP_INCOGNITO", "LOREMAP_SESSION", "LOREMAP_AGENT", "LOREMAP_OFF")


def proven(lore: Lore, clients: Sequence[str], *, launcher: Path) -> list[CanaryFacts]:
    """Whether a memory reaches the hooks of these clients; nothing of it is left afterwards."""
    _sweep(lore)
    lore.engine.due_at = datetime.max.replace(tzinfo=UTC)  # no backup may hold the canary
    trial = Trial(lore, launcher)
    try:
        trouble = trial.store()
        if trouble:
            return [CanaryFacts(client=clients[0], arrived=False, trouble=trouble)]
        facts: list[CanaryFacts] = []
        for client in clients:  # where one was asked in vain, the others are asked once
            tries = TRIES if all(one.arrived for one in facts) else 1
            facts.append(trial.asked(client, tries=tries))
        return facts
    finally:
        trial.close()


class Trial:
    """A throw-away project with one memory in it, and the sessions that ask for it."""

    def __init__(self, lore: Lore, launcher: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=canary.PREFIX)).resolve()
        self.trigger, self.proof = f"lore-canary-{_word()}", _word()
        """What fires the memory, and what only the memory says."""
        self.sessions: list[str] = []
        self._launcher = launcher
        self._lore = Lore(
            self.folder,
            places=lore.places,
            settings=lore.settings,
            now=lore.now,
            engine=lore.engine,
        )

    def store(self) -> str:
        """Store the memory; why that cannot be, empty where it is done."""
        try:
            outcome = self._lore.remember(
                f"Canary {self.proof}: nothing but a sign of life for `lore doctor`.",
                kind=Kind.WARNING,
                triggers=(Trigger("literal", self.trigger, "command"),),
                pin=True,
            )
        except LoremapError as fault:
            return str(fault)
        if isinstance(outcome, Stored):
            return ""
        if not isinstance(outcome, Refused):
            self._lore.undo(outcome.memory.id)
        return f"it was taken for something else ({type(outcome).__name__})"

    def asked(self, client: str, *, tries: int) -> CanaryFacts:
        """Send the client's hook until the proof arrives; a resident that has only just begun may
        need a second time."""
        facts = CanaryFacts(client=client, arrived=False, trouble="it takes nothing")
        for number in range(tries):
            facts = self._asked_once(client)
            if facts.arrived:
                break
            if number + 1 < tries:
                time.sleep(SETTLE_S * 2**number)
        return facts

    def _asked_once(self, client: str) -> CanaryFacts:
        session_id = self._session(client)
        self.sessions.append(session_id)
        hook = hook_of(client, session_id=session_id, folder=self.folder, line=self.trigger)
        if hook is None:
            return CanaryFacts(client=client, arrived=False, trouble="it takes nothing")
        name, payload = hook
        began = time.perf_counter()
        try:
            said = _sent(self._launcher, [client, name], payload, self.folder)
        except (OSError, subprocess.TimeoutExpired) as fault:
            return CanaryFacts(client=client, arrived=False, trouble=type(fault).__name__)
        took_ms = (time.perf_counter() - began) * 1_000
        trouble = _missed(said, self.proof)
        if trouble == NOTHING_SAID and took_ms > (wait := wait_ms(self._lore.places.home)):
            trouble = f"no answer within {wait} ms; the machine may be busy"
        return CanaryFacts(client=client, arrived=not trouble, took_ms=took_ms, trouble=trouble)

    def _session(self, client: str) -> str:
        """A session's id that is not drawn to get nothing."""
        share = self._lore.settings.number("metrics.hold_out")
        drawn = [f"{canary.PREFIX}{client}-{_word()}" for _ in range(50)]
        return next((one for one in drawn if not is_held_out(one, share)), drawn[0])

    def close(self) -> None:
        """Remove the memory, its project and all that its sessions left."""
        self._erase()
        self._lore.close()
        graph = graph_path(self._lore.places.graphs, self.folder)
        erase_graph(graph)
        graph.with_suffix(".lock").unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        _unspool(self._lore.places.home, self.sessions)

    def _erase(self) -> None:
        """What the resident writes late comes after the first time."""
        lore, project_id = self._lore, self._lore.project_id
        if project_id is None:
            return
        for _ in range(MAX_ERASURES):
            time.sleep(SETTLE_S)
            with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
                left = canary.erase(tx, project_id, self.sessions)
            if not left:
                return


def _word() -> str:
    """A word nobody uses and no rule takes for a secret."""
    return "".join(secrets.choice(_SYLLABLES) for _ in range(5))


def _missed(said: subprocess.CompletedProcess[bytes], proof: str) -> str:
    """Why a hook's answer does not prove anything; empty where it does."""
    if said.returncode:
        return f"the hook ended with {said.returncode}"
    if proof.encode() in said.stdout:
        return ""
    spoke = said.stdout.strip(b"{} \n")
    return "the hook said something else" if spoke else NOTHING_SAID


def _sent(
    launcher: Path, words: Sequence[str], payload: dict[str, Any], folder: Path
) -> subprocess.CompletedProcess[bytes]:
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(ENV_PREFIXES) and name not in _OURS
    }
    return subprocess.run(
        [str(launcher), "hook", *words],
        input=json.dumps(payload).encode(),
        cwd=folder,
        env=env,
        capture_output=True,
        timeout=WAIT_S,
        check=False,
    )


def _sweep(lore: Lore) -> None:
    """Remove what a run left that was ended half-way."""
    with lore.store.read() as conn:
        found = {
            id_: canary.sessions_of(conn, id_)
            for id_ in canary.left_over(conn, before=lore.now() - ABANDONED)
        }
    for project_id, sessions in found.items():
        with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
            canary.erase(tx, project_id, sessions)


def _unspool(home: Path, sessions: Sequence[str]) -> None:
    """Remove the references that hooks left to what was only tried."""
    for file in (home / "spool").glob("*.json"):
        try:
            if json.loads(file.read_bytes()).get("session_id") in sessions:
                file.unlink(missing_ok=True)
        except (OSError, ValueError, AttributeError):
            continue
