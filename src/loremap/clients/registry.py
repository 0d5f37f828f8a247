"""The clients we speak with. To add one: a file of its name beside this one, and a line here.

Only their names are loaded with this module; a client's file is read when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from loremap.errors import NotFound

if TYPE_CHECKING:
    from loremap.clients.client import Client

NAMES = (
    "claude",
    "codex",
    "gemini",
    "opencode",
    "copilot",
    "cline",
    "cursor",
    "vscode",
    "windsurf",
    "zed",
)


class _Clients(Mapping[str, "Client"]):
    """The clients by their names, each read from its file when it is asked for."""

    def __getitem__(self, name: str) -> Client:
        if name not in NAMES:
            raise KeyError(name)
        found: Client = import_module(f"loremap.clients.{name}").CLIENT
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


CLIENTS: Mapping[str, Client] = _Clients()


def client_named(name: str) -> Client:
    """The client of that name; one we do not know is told nothing unasked."""
    from loremap.clients.client import Client

    return CLIENTS.get(name) or Client(name=name, title=name)


def known_client(name: str) -> Client:
    """The client of that name; raises if there is none."""
    found = CLIENTS.get(name)
    if found is None:
        import difflib  # for a name that was mistyped

        close = difflib.get_close_matches(name, NAMES, 1)
        meant = f"Did you mean {close[0]}?" if close else f"Agents: {', '.join(NAMES)}."
        raise NotFound(f"There is no agent called {name[:40]!r}.", hint=meant)
    return found
