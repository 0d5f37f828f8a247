"""One call of a tool: what it works with, what its caller may do, and the first scan it may wait
for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from loremap.agent.switches import is_off, switched_off
from loremap.errors import BadInput
from loremap.interfaces.mcp.arguments import Field

if TYPE_CHECKING:
    from loremap.agent.session_agent import SessionAgent
    from loremap.app.lore import Lore
    from loremap.interfaces.mcp.answer import Answer
    from loremap.interfaces.mcp.caller import Caller
    from loremap.memory.workspaces import Workspaces
from concurrent.futures import Future
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from loremap.errors import LoremapError

if TYPE_CHECKING:
    from loremap.app.lore import Lore
    from loremap.memory.workspaces import Workspaces


WAIT_SECONDS = 20.0
"""Clients give a tool about a minute."""


class Charting:
    """The scans under way, one for each folder."""

    def __init__(self, wait_seconds: float = WAIT_SECONDS) -> None:
        self.wait_seconds = wait_seconds
        self._lock = Lock()
        self._under_way: dict[Path, tuple[Thread, Future[None]]] = {}

    def is_charted(self, workspaces: Workspaces[Lore], folder: Path) -> bool:
        """Whether the folder's project has a map; waits a while for the first one."""
        with workspaces.at(folder) as lore:
            if lore.code.scanned:
                return True
        try:
            self._started(workspaces, folder).result(self.wait_seconds)
        except TimeoutError:
            return False
        return True

    def _started(self, workspaces: Workspaces[Lore], folder: Path) -> Future[None]:
        with self._lock:
            under_way = self._under_way.get(folder)
            if under_way is not None and under_way[0].is_alive():
                return under_way[1]
            done: Future[None] = Future()
            thread = Thread(target=_chart, args=(workspaces, folder, done), daemon=True)
            self._under_way[folder] = (thread, done)
            thread.start()
            return done


def _chart(workspaces: Workspaces[Lore], folder: Path, done: Future[None]) -> None:
    """Scan and map with a store of its own, so that the engine is free meanwhile."""
    from loremap.app.lore import Lore

    settings = workspaces.engine.settings
    try:
        with Lore(folder, places=workspaces.places, settings=settings, now=workspaces.now) as lore:
            lore.modules.map()
    except LoremapError as fault:
        done.set_exception(fault)
    else:
        done.set_result(None)


OFF = "Memory is switched off here."
OFF_HINT = "The user can switch it on with `lore on`."


class Shut(BadInput):
    """The user has closed the memory to this session; asking again is of no use."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What every tool works with."""

    workspaces: Workspaces[Lore]
    session_agent: SessionAgent
    charting: Charting = field(default_factory=Charting)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool."""

    context: ToolContext
    caller: Caller
    given: Mapping[str, Any]

    @contextmanager
    def lore(self, *, writes: bool = False) -> Iterator[Lore]:
        """The memory as the caller sees it; raises where it is off, or may not be written."""
        caller = self.caller
        self.refuse_off()
        if writes and caller.incognito:
            raise Shut(
                "This session is incognito: nothing is stored or changed.",
                hint="The user can say `lore remember` in a shell, or start a normal session.",
            )
        with self.context.workspaces.at(
            caller.folder,
            session_id=caller.session_id,
            agent=caller.client,
            role=None
            if caller.use_id is None
            else self.context.session_agent.roles.of(caller.use_id),
            watched=not caller.incognito,
        ) as lore:
            if switched_off(lore):
                raise Shut(OFF, hint=OFF_HINT)
            lore.incognito = caller.incognito
            if lore.repository.kind == "repository":
                lore.code.kept = True  # the resident scans it aside; here others wait for it
            yield lore

    def note_stored(self, memory_id: str) -> None:
        """What a session has said itself need not be told to it."""
        if self.caller.session_id is not None:
            self.context.session_agent.stored(self.caller.session_id, [memory_id])

    def is_typed(self, text: str) -> bool:
        """Whether the user typed this, by what their prompts said or the slash command picked."""
        caller, spoken = self.caller, self.context.session_agent.spoken
        session = caller.session_id if caller.is_named else None
        return spoken.is_said(text, client=caller.client, session_id=session)

    def is_charted(self) -> bool:
        """Whether there is a map here; the first one is waited for a while. An incognito session
        leaves no trace, so it makes none."""
        if not self.caller.incognito:
            return self.context.charting.is_charted(self.context.workspaces, self.caller.folder)
        with self.lore() as lore:
            return lore.code.scanned

    def refuse_off(self) -> None:
        """Raise where everything is switched off."""
        if is_off(self.context.workspaces.places.home):
            raise Shut(OFF, hint=OFF_HINT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool: what the model reads of it, and what it does."""

    name: str
    title: str
    says: str
    fields: tuple[Field, ...]
    run: Callable[[Call], Answer]
    reads_only: bool = False
    destroys: bool = False
    repeats: bool = True
    """Whether calling it again changes nothing more."""
    always_loaded: bool = False
    answers_plainly: bool = False
    """Whether a refusal is an answer like any other, since a person asked: clients add to an error
    that the model shall try again."""
