"""What we know of a client that can be connected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loremap.clients.settings.edits import Edit
from loremap.clients.settings.site import Site


def _nothing(site: Site) -> tuple[Any, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One client: how it is found, and what is written where to connect it."""

    name: str
    title: str
    programs: tuple[str, ...]
    folders: Callable[[Site], tuple[Path, ...]]
    """One of these is there if the client is used on this machine."""
    edits: Callable[[Site], tuple[Edit, ...]]
    remarks: Callable[[Site], tuple[str, ...]] = _nothing
    """What a person must know: a policy that keeps our hooks from running, for one."""
    plugin: Callable[[Site], bool] = lambda site: False
    """Whether our plugin is installed in it, which does the same."""
    former: Callable[[Site], tuple[Edit, ...]] = _nothing
    """What an earlier Loremap wrote and this one only takes away, should no record know of it."""
    no_project: str = ""
    """Why it cannot be connected for one project, where it cannot."""

    def found(self, site: Site) -> bool:
        """Whether the client is on this machine."""
        return any(folder.is_dir() for folder in self.folders(site)) or any(
            site.program(name) for name in self.programs
        )
