"""Clauses that tell of a thing by way of others: who moved from it, what its tests run on."""

from __future__ import annotations

import re

_S, _O = r"(?P<subject>.+?)", r"(?P<object>.+?)"
_TEAM = r"(?:we|the team|i)(?:\s+have)?\s+"
_CHOSE = (
    r"(?:decided on|decided to use|decided in favou?r of|settled on|agreed on|chose|picked"
    r"|went with|opted for|landed on)"
)
_RUN = r"(?:run|build|compile|start|use|deploy)"
_RUNNING = r"(?:running|building|compiling|starting|using|deploying)"
_FRAMES = tuple(
    (predicate, re.compile(f"^{pattern}$", re.IGNORECASE))
    for predicate, pattern in (
        (
            "replaced_by",
            (
                rf"{_TEAM}(?:replaced|swapped(?: out)?|dropped)\s+{_S}\s+(?:with|by|for|in favou?r of)"
                rf"\s+{_O}"
            ),
        ),
        (
            "replaced_by",
            (
                rf".+?\s(?:have\s+|has\s+)?(?:moved|migrated|switched)\s+(?:away\s+|over\s+)?from\s+{_S}"
                rf"\s+to\s+{_O}"
            ),
        ),
        ("deployed_to", rf"{_TEAM}(?:ship|deploy|release|push)\s+{_S}\s+to\s+{_O}"),
        ("stores_in", rf"{_TEAM}(?:store|keep|save)\s+{_S}\s+in\s+{_O}"),
        ("decided", rf"(?:.*?\s)?{_TEAM}{_CHOSE}\s+{_O}\s+(?:for|as)\s+{_S}"),
        ("decided", rf"{_TEAM}{_CHOSE}\s+{_O}(?P<subject>)"),
        ("decided", rf"it\s+(?:was|has been)\s+decided\s+(?:to use|on)\s+{_O}\s+for\s+{_S}"),
        (
            "decided",
            rf"{_O}\s+(?:was|got|has been)\s+(?:chosen|picked|selected)\s+(?:for|as)\s+{_S}",
        ),
        (
            "version_is",
            (
                r"(?:we|i)\s+(?:are|am)\s+(?:still\s+|now\s+)?on\s+(?P<subject>\S+)\s+"
                r"(?P<object>v?\d\S*).*"
            ),
        ),
        (
            "owned_by",
            rf"(?:ownership|responsibility) (?:of|for)\s+{_S}\s+(?:is|lies|sits|rests)\s+with\s+{_O}",
        ),
        (
            "default_is",
            (
                rf"{_S}\s+(?:is|are|starts? (?:out )?(?:in|as|at|with))\s+{_O}\s+(?:by default"
                r"|out of the box).*"
            ),
        ),
        ("default_is", rf"the\s+default\s+{_S}\s+is\s+{_O}"),
        (
            "configured_by",
            (
                rf"(?:the\s+)?(?:config|configuration|settings)\s+(?:of|for)\s+{_S}\s+(?:is|are|lives?"
                rf"|sits?|resides?|comes?)\s+(?:in|at|under|from)\s+{_O}"
            ),
        ),
        (
            "tested_with",
            (
                rf"(?:the\s+)?(?:\w+\s+)?(?:tests|specs)\s+(?:of|for|in)\s+{_S}\s+(?:use|run (?:on|with"
                rf"|through|under)|are (?:written (?:in|with)|run (?:by|with)))\s+{_O}"
            ),
        ),
        ("requires", rf"you\s+need\s+{_O}\s+(?:to\s+{_RUN}|for(?:\s+{_RUNNING})?)\s+{_S}"),
        ("requires", rf"(?:to\s+{_RUN}|for)\s+{_S}\s+you\s+need\s+{_O}"),
        ("requires", rf"{_RUNNING}\s+{_S}\s+(?:requires|needs|takes)\s+{_O}"),
        ("prefers", rf"my\s+preference\s+is\s+{_O}(?P<subject>)"),
        (
            "listens_on",
            rf"{_S}\s+[a-z]+s\s+(?:[a-z]+\s+){{0,2}}on\s+(?:port\s+)?(?P<object>\d{{3,5}})",
        ),
        (
            "located_in",
            (
                rf"{_S}\s+(?:[a-z]+s|[a-z]+ed|are)\s+(?:up\s+|right\s+)?(?:in|under|at|below|inside"
                r"|beneath)\s+(?P<object>`?[\w.@-]*/\S+)"
            ),
        ),
    )
)


def framed(clause: str) -> tuple[str, str, str] | None:
    """The predicate, the subject (empty: the project) and the object of a clause that fits a
    frame; None where it fits none."""
    for predicate, pattern in _FRAMES:
        if (found := pattern.match(clause)) is not None:
            return predicate, found["subject"], found["object"]
    return None
