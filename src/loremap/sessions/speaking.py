"""In whose name what a session taught becomes a memory: the session's, by rule; a person's word is
not put into their mouth."""

from __future__ import annotations

from copy import copy

from loremap.memory.workspace import Workspace
from loremap.model.memory import BY_RULE, Actor
from loremap.storage.learning import LEARNING

WRITER = f"{BY_RULE}session"
"""Who writes it, whichever rule read it: what two of them say of one session is said once."""


def speaking_for(here: Workspace, session_id: str, client: str) -> Workspace:
    """The memory as one speaks to it who lets a session's findings become memories."""
    speaker = copy(here)
    speaker.session_id, speaker.agent = session_id, client
    speaker.actor = learner(here)
    return speaker


def learner(here: Workspace) -> Actor:
    """Who lets findings become memories, on behalf of whoever this memory is."""
    return Actor(here.actor.tenant_id, here.actor.owner_id, LEARNING)
