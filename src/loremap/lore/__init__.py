"""The façade: the one place where the parts are wired together. Every interface calls this."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loremap.lore.facade import (
        Lore,
        open,  # noqa: A004  the name people expect
    )
    from loremap.lore.house import store_options
    from loremap.lore.standpoint import utc_now

__all__ = ["Lore", "open", "store_options", "utc_now"]


def __getattr__(name: str) -> object:
    """The memory's façade, imported when first asked for: the code graph answers without it."""
    if name in __all__:
        from loremap.lore import facade, house

        return getattr(house if name == "store_options" else facade, name)
    raise AttributeError(f"module 'loremap.lore' has no attribute {name!r}")
