"""What clients read of a hook, as forms: what is said is put in where its mark stands.

A form is plain data, so that the hook's own process, which loads nothing of ours, can be given it
in a file (`memory/standby`). There is one for each thing that may be said; those that are said
become one object.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EVENT, CONTEXT, NOTICE, HOLD = "@event", "@context", "@notice", "@hold"
"""Marks: the event as the client calls it; what the model reads; what the user reads; why a call is
held back."""

Forms = Mapping[str, Mapping[str, Any]]

DENIED = {"permissionDecision": "deny", "permissionDecisionReason": HOLD}
NESTED: Forms = {
    NOTICE: {"systemMessage": NOTICE},
    HOLD: {"hookSpecificOutput": {"hookEventName": EVENT, **DENIED}},
    CONTEXT: {"hookSpecificOutput": {"hookEventName": EVENT, "additionalContext": CONTEXT}},
}
"""The form that Claude Code brought up and others took over."""
