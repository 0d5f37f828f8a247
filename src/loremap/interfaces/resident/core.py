"""What the resident keeps warm and wires together: store, model, memory agent, protocol."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.errors import LoremapError
from loremap.interfaces.hooks.client import is_incognito
from loremap.interfaces.resident.life import IDLE_S, LivingCore, where
from loremap.interfaces.resident.places import ResidentState, RunFolder
from loremap.interfaces.resident.requests import Request

if TYPE_CHECKING:
    from loremap.agent.intake.intake import EventIntake
    from loremap.agent.metrics.meter import Meter
    from loremap.agent.session_agent import SessionAgent
    from loremap.app.lore import Lore
    from loremap.embedding.slot import EmbedderSlot
    from loremap.interfaces.hooks.answered import Answer
    from loremap.interfaces.http.guard import ASGIApp
    from loremap.interfaces.mcp.caller import Hello
    from loremap.interfaces.resident.chores import Chores
    from loremap.interfaces.resident.doors import Doors
    from loremap.interfaces.resident.learner import Learner
    from loremap.interfaces.resident.sidecar_work import SidecarWork
    from loremap.interfaces.resident.watch import Watch
    from loremap.memory.workspaces import Workspaces

log = logging.getLogger("loremap.resident")

POLL_S = 0.05
CALM_S = 0.5
MAX_PATIENCE_S = 2.0
RETRY_S = 30.0
"""After the store could not be opened."""
WARM_TEXT = "Warm up the model, so that no prompt has to wait for it."


@dataclass(frozen=True, slots=True)
class Parts:
    """The memory, as events and tools ask it."""

    workspaces: Workspaces[Lore]
    session_agent: SessionAgent
    intake: EventIntake
    meter: Meter
    sidecar_work: SidecarWork

    def close(self) -> None:
        """Let go of everything, what listens first."""
        self.intake.close()
        self.session_agent.close()
        self.meter.close()
        self.workspaces.engine.back_up()
        self.workspaces.close()


class RealCore(LivingCore):
    """Loads in the background, in the order in which it is needed."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._ready = threading.Event()
        self._speaks = threading.Event()
        self._ended = threading.Event()
        self._parts: Parts | None = None
        self._helpers: tuple[Chores | Watch | Learner | SidecarWork, ...] = ()
        self._doors: Doors | None = None
        self._slot: EmbedderSlot | None = None
        """Takes the model's place in the engine once it is loaded."""
        self._trouble = ""
        self._asked_at = -CALM_S
        """When a hook last asked."""
        self._model = "loading"
        self._settings: tuple[int, int] | None = None
        """The settings file as it was when it was last read."""
        self._thread = threading.Thread(target=self._load, name="core", daemon=True)

    # Loading

    def start(self) -> None:
        """Begin to load."""
        self._thread.start()

    def _load(self) -> None:
        """Wire the parts; where the store cannot be opened, try again later."""
        while not self._ended.is_set():
            try:
                self._parts = self._wired()
                break
            except (LoremapError, ImportError, OSError) as fault:
                if str(fault) != self._trouble:
                    self._note(fault)
                self._trouble = str(fault)
                log.error(
                    "the memory cannot be opened: %s at %s", type(fault).__name__, where(fault)
                )
            self._ended.wait(RETRY_S)
        if self._parts is None:
            return
        self._trouble = ""
        self._ready.set()
        log.info("ready")
        self._load_the_rest(self._parts)

    def _note(self, fault: Exception) -> None:
        """Write down, where the doctor finds it, why no hook is answered."""
        from loremap.storage.caught import caught

        caught(self._run.home, "open the store", fault)

    def _wired(self) -> Parts:
        from loremap.agent.after_recall import after_recall
        from loremap.agent.intake.intake import EventIntake
        from loremap.agent.metrics.meter import Meter
        from loremap.agent.session_agent import SessionAgent
        from loremap.agent.verifying import BySidecar
        from loremap.app.lore import open_workspaces
        from loremap.config.folders import folders
        from loremap.embedding.slot import EmbedderSlot
        from loremap.interfaces.resident.chores import stamp_of
        from loremap.interfaces.resident.sidecar_work import SidecarWork
        from loremap.storage.caught import caught

        self._settings = stamp_of(folders().settings)
        workspaces = open_workspaces(folders())
        engine = workspaces.engine
        self._slot, engine.slot = engine.slot, EmbedderSlot(lambda: None)
        engine.slot.use(None)
        meter = Meter(engine.store, now=workspaces.now, records=lambda: engine.records)
        sidecar_work = SidecarWork(workspaces)
        session_agent = SessionAgent(
            workspaces,
            verifier=BySidecar(engine),
            measured=meter.note,
            chores=(after_recall(workspaces), sidecar_work.note_fitted),
        )
        session_agent.caught = partial(caught, self._run.home)
        intake = EventIntake(workspaces, session_agent, measured=meter.note)
        return Parts(workspaces, session_agent, intake, meter, sidecar_work)

    def _load_the_rest(self, parts: Parts) -> None:
        from loremap.interfaces.hooks.launcher import launcher
        from loremap.interfaces.resident.chores import Chores
        from loremap.interfaces.resident.learner import Learner
        from loremap.interfaces.resident.watch import Watch

        try:
            launcher(self._run.home)
        except (LoremapError, OSError) as fault:
            log.error("the launcher was not written: %s", type(fault).__name__)
        parts.workspaces.engine.standby.refresh()
        self.warm_model()
        chores = Chores(
            parts.workspaces,
            parts.intake,
            self._run,
            warm_model=self.warm_model,
            reload=self.reload,
            leave=self.leave,
        )
        learner = Learner(parts.workspaces)
        self._helpers = (chores, Watch(parts.workspaces), learner, parts.sidecar_work)
        chores.start()
        self._await_calm()
        importlib.import_module("loremap.interfaces.mcp.serve")  # a second of the interpreter

        if self._ended.is_set():
            return
        self._speaks.set()
        log.info("speaks MCP")
        importlib.import_module("loremap.interfaces.cli.asked_here")
        for helper in self._helpers[1:]:
            helper.start()

    def _await_calm(self) -> None:
        """Let a session that has just begun have the interpreter for itself, for a while."""
        until = time.monotonic() + MAX_PATIENCE_S
        while time.monotonic() < until and time.monotonic() - self._asked_at < CALM_S:
            if self._ended.wait(POLL_S):
                return

    def warm_model(self) -> None:
        """Load the model where that was not done or failed; hooks are answered by words alone
        meanwhile, because it takes longer than they may."""
        if self._slot is None or self.parts.workspaces.engine.slot is self._slot:
            return
        said = self._warmed(self._slot)
        if said != self._model:
            log.info("model: %s", said)
        self._model = said

    def _warmed(self, slot: EmbedderSlot) -> str:
        """What makes the vectors now, or why nothing does."""
        embedder = slot.embedder()
        if embedder is None:
            return slot.trouble or "none"
        try:
            embedder.embed([WARM_TEXT], query=True)
            self.parts.workspaces.engine.warm_up(slot, embedder)
        except LoremapError as fault:
            return str(fault)
        return str(embedder.model)

    # What the edge asks

    @property
    def is_ready(self) -> bool:
        """Whether events can be answered."""
        return self._ready.is_set()

    @property
    def parts(self) -> Parts:
        """The parts, once they are there."""
        assert self._parts is not None, "asked before it was ready"
        return self._parts

    def answer(self, request: Request) -> Answer:
        """What answers a hook's event."""
        from loremap.agent.metrics.rules import Measure
        from loremap.interfaces.hooks.answered import answered

        self._asked_at = time.monotonic()
        with self.parts.meter.timed(Measure.HOOK):
            return answered(
                self.parts.intake,
                client=request.client,
                name=request.name,
                payload=request.payload,
                env=request.env,
                now=self.parts.workspaces.now(),
                ticket=request.ticket,
            )

    def record(self, request: Request, payloads: Sequence[bytes]) -> int:
        """Record events that nobody waits for."""
        from loremap.clients.hook_events import hook_event

        now = self.parts.workspaces.now()
        told = (
            hook_event(each, client=request.client, name=request.name, env=request.env, now=now)
            for each in payloads
        )
        return self.parts.intake.record([event for event in told if event is not None])

    def command(self, request: Request) -> bytes | None:
        """What a command printed; None while this is not what its own process would use."""
        from loremap.interfaces.cli.asked_here import told
        from loremap.interfaces.resident.chores import stamp_of

        workspaces = self.parts.workspaces
        if (now := stamp_of(workspaces.places.settings)) != self._settings:
            self._settings = now
            self.reload()
        if self._trouble or not self._is_settled:
            return None
        return told(request, workspaces)

    @property
    def _is_settled(self) -> bool:
        """Whether vectors are made as the settings say."""
        engine = self.parts.workspaces.engine
        chosen = engine.settings.text("embedding.provider")
        return engine.slot is self._slot or (chosen == "none" and self._model != "loading")

    async def mcp(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Speak MCP until the client ends."""
        await self._spoken()
        from loremap.interfaces.mcp.serve import serve_stream

        await serve_stream(
            reader,
            writer,
            hello=hello_of(request),
            workspaces=self.parts.workspaces,
            session_agent=self.parts.session_agent,
        )

    async def open_doors(self, noted: Callable[[], None]) -> None:
        """Speak HTTP, once the protocol's library is there."""
        from loremap.interfaces.resident.doors import Doors

        await self._spoken()
        from loremap.interfaces.mcp.serve import http_app

        def app_for(token: str | None) -> ASGIApp:
            return http_app(self.parts.workspaces, self.parts.session_agent, token=token)

        self._doors = Doors(self._run, app_for, noted)
        self._doors.open(self.parts.workspaces.engine.settings.whole("service.http_port"))

    async def _spoken(self) -> None:
        """Wait until the protocol's library is there."""
        while not self._speaks.is_set():
            await asyncio.sleep(POLL_S)

    async def close_doors(self) -> None:
        """Speak HTTP no more."""
        self._ended.set()
        if self._doors is not None:
            await self._doors.close()

    def described(self, state: ResidentState) -> ResidentState:
        """The state with what the core knows of itself."""
        if self._parts is not None:
            pace = self._parts.session_agent.monitor.pace
            folders = self._parts.workspaces.folders()
            state = replace(
                state,
                folders=tuple(str(folder) for folder in folders),
                health=pace.health.value,
                p95_ms=pace.p95_ms,
                retrievals=pace.count,
            )
        return replace(
            state,
            ready=self.is_ready,
            model=self._model,
            speaks_mcp=self._speaks.is_set(),
            trouble=self._trouble,
        )

    def reload(self) -> None:
        """Read the settings again; for another model or port leave: the next one has it."""
        if self._parts is None:
            return
        workspaces = self._parts.workspaces
        before = _lasting(workspaces)
        try:
            workspaces.settings_changed()
            self._trouble = ""
        except LoremapError as fault:
            self._trouble = str(fault)
            return
        if _lasting(workspaces) != before:
            self.leave()

    @property
    def is_busy(self) -> bool:
        """Whether it takes up what hooks left."""
        return any(helper.is_busy for helper in self._helpers)

    def idle_s(self) -> float:
        """After how long without a client the resident ends."""
        chosen = os.environ.get("LOREMAP_IDLE_SECONDS")
        if chosen:
            return float(chosen)
        if self._parts is None:
            return IDLE_S
        return 60.0 * self._parts.workspaces.engine.settings.whole("service.idle_minutes")

    def close(self) -> None:
        """Let go of everything."""
        self._ended.set()
        for helper in self._helpers:
            helper.close()
        if self._parts is not None:
            self._parts.close()


def hello_of(request: Request) -> Hello:
    """How a client of the protocol introduces itself by where it was started."""
    from loremap.interfaces.mcp.caller import Hello

    return Hello(
        client=request.client,
        folder=_folder(request),
        session_id=_session(request),
        incognito=is_incognito(request.env),
    )


def _folder(request: Request) -> Path:
    """The folder a client works in; a project that it names says more than where it was started,
    which in Copilot's plugins is their own folder."""
    if request.cwd and request.cwd == request.env.get("COPILOT_PLUGIN_ROOT"):
        return Path(os.sep)
    named = (request.env.get(name, "") for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"))
    found = (Path(each) for each in named if each and Path(each).is_dir())
    return next(found, Path(request.cwd or os.sep))


def _session(request: Request) -> str | None:
    names = ("CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID", "COPILOT_AGENT_SESSION_ID")
    found = (request.env.get(name) for name in (*names, "LOREMAP_SESSION"))
    return next((each for each in found if each), None)


def _lasting(workspaces: Workspaces[Lore]) -> dict[str, object]:
    """The settings that hold for a resident's whole life."""
    values = workspaces.engine.settings.values
    lasting = ("embedding.", "service.http_port", "storage.")
    return {name: value for name, value in values.items() if name.startswith(lasting)}
