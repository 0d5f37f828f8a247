"""A coding agent's own program, started once for one answer: its command, how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loremap.sidecar.ask import Said

GUARD = "LOREMAP_OFF"
"""Set for a program we start: our hooks and our MCP server see it and do nothing, so that no answer
is recorded, and none asks for another."""


@dataclass(frozen=True, slots=True)
class Program:
    """How an agent is asked from outside: the prompt goes to its standard input."""

    arguments: tuple[str, ...]
    """The program and its arguments, with its hooks, servers and tools off."""
    read: Callable[[str], Said]
    """What its output says; raises ValueError, LookupError, TypeError or AttributeError where it is
    something else."""
    model_option: str = "--model"
    without: tuple[str, ...] = ()
    """Variables by which it would think that it runs inside itself."""
