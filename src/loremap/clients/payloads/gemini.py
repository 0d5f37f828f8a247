"""Gemini CLI."""

from __future__ import annotations

from loremap.clients.payloads.adapter import Adapter
from loremap.clients.payloads.outcomes import of_gemini
from loremap.clients.payloads.payload import Raw, text
from loremap.model.hook import Moment


def _moment(raw: Raw, moment: Moment) -> Moment:
    """It says that it is about to compress before every call of the model; only a compression the
    user asked for is one."""
    if moment is Moment.BEFORE_COMPACT and text(raw, "trigger") != "manual":
        return Moment.OTHER
    return moment


GEMINI = Adapter(
    client="gemini",
    session_env=("GEMINI_SESSION_ID",),
    folder_env=("GEMINI_CWD", "GEMINI_PROJECT_DIR"),
    said=("prompt_response",),
    outcome=of_gemini,
    moment=_moment,
)
