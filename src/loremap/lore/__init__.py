"""The façade: the one place where the parts are wired together. Every interface calls this."""

from __future__ import annotations

from loremap.lore.facade import (
    Lore,
    open,  # noqa: A004  the name people expect
    store_options,
    utc_now,
)

__all__ = ["Lore", "open", "store_options", "utc_now"]
