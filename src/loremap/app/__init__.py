"""The façade: the one place where the parts are wired together. Every interface calls this."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loremap.app.engine import store_options
    from loremap.app.lore import (
        Lore,
        open,  # noqa: A004  the name people expect
        open_workspaces,
    )
    from loremap.memory.workspace import utc_now

__all__ = ["Lore", "open", "open_workspaces", "store_options", "utc_now"]


def __getattr__(name: str) -> object:
    """The memory's façade, imported when first asked for: the code graph answers without it."""
    if name in __all__:
        from loremap.app import engine, lore

        return getattr(engine if name == "store_options" else lore, name)
    raise AttributeError(f"module 'loremap.app' has no attribute {name!r}")


SURFACE = (
    "doctor",
    "encryption",
    "guard_packs",
    "injected",
    "lore",
    "previewing",
    "recovery",
    "replaying",
)
"""What other rooms may import; `make lint` holds them to it."""
