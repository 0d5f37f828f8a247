"""Loremap, the memory of AI coding agents."""

from loremap.model.version import VERSION

__version__ = VERSION

TYPE_CHECKING = False  # the module `typing` takes longer than the rest of a short command
if TYPE_CHECKING:
    from loremap.lore import Lore as Lore
    from loremap.lore import open as open  # noqa: A004  the name people expect

__all__ = ["Lore", "__version__", "open"]


def __getattr__(name: str) -> object:
    """`open` and `Lore`, imported when first asked for, so that importing loremap is cheap."""
    if name in ("open", "Lore"):
        from loremap import lore

        return getattr(lore, name)
    raise AttributeError(f"module 'loremap' has no attribute {name!r}")
