"""What a client would be given in a new session: the memory agent is asked, nothing is kept."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loremap.agent.session_agent import SessionAgent
from loremap.agent.switches import switched_off
from loremap.app.lore import Lore, open_workspaces
from loremap.clients.client import Client
from loremap.config.folders import Folders
from loremap.memory.brief.render import Piece
from loremap.memory.workspaces import Workspaces
from loremap.model.hook import Beginning, HookEvent, Moment
from loremap.model.tokens import tokens

PATIENCE_MS = 2_000
"""The longest deadline there is: a preview shows what is said where nothing is late."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be said, and what it is made of."""

    moment: Moment
    text: str = ""
    pieces: tuple[Piece, ...] = ()
    is_off: bool = False
    """Memory is switched off here."""

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        return tokens(self.text)


def preview(places: Folders, folder: Path, client: Client, prompt: str = "") -> Preview:
    """What a client is given at the start of a session in `folder`, or at its first prompt."""
    workspaces = open_workspaces(places)
    session_agent = None
    try:
        engine = workspaces.engine
        patient = {
            **engine.settings.values,
            "inject.deadline_ms": PATIENCE_MS,
            "metrics.hold_out": 0,
        }
        engine.settings = replace(engine.settings, values=patient)
        engine.slot.query_vector("the first question loads the model")
        session_agent = SessionAgent(workspaces)
        with workspaces.at(folder, watched=False) as lore:
            if switched_off(lore):
                return Preview(Moment.SESSION_START, is_off=True)
        return _played(session_agent, workspaces, folder, client, prompt)
    finally:
        if session_agent is not None:
            session_agent.close()
        workspaces.close()


def _played(
    session_agent: SessionAgent,
    workspaces: Workspaces[Lore],
    folder: Path,
    client: Client,
    prompt: str,
) -> Preview:
    def event(moment: Moment, **more: Any) -> HookEvent:
        return HookEvent(
            client=client.name,
            name=moment.value,
            moment=moment,
            session_id=session,
            at=workspaces.now(),
            folder=folder,
            key=uuid.uuid4().hex,
            incognito=True,
            **more,
        )

    session = f"preview-{uuid.uuid4().hex}"
    asked = event(Moment.SESSION_START, beginning=Beginning.STARTUP)
    reply = session_agent.handle(asked)
    session_agent.settle()
    if prompt:
        # Some clients tell of a prompt only with the first tool.
        moment = Moment.PROMPT if Moment.PROMPT in client.takes else Moment.AFTER_TOOL
        asked = event(moment, prompt=prompt)
        reply = session_agent.handle(asked)
    pieces = (one for part in session_agent.parts_of(asked) for one in part.pieces)
    return Preview(asked.moment, reply.context, tuple(pieces))
