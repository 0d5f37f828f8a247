"""Loremap, the memory of AI coding agents.

import loremap

with loremap.open(".") as lore:
    lore.remember("Deploys go through the release branch.", kind="decision")
    for hit in lore.recall("how do we deploy?"):
        print(hit.score, hit.memory.content)
"""

from loremap.model.version import VERSION

__version__ = VERSION

TYPE_CHECKING = False  # the module `typing` takes longer than the rest of a short command
if TYPE_CHECKING:
    from loremap.app import Lore as Lore
    from loremap.app import open as open  # noqa: A004  the name people expect
    from loremap.code.locate.rank import FoundFile as FoundFile
    from loremap.code.locate.rank import Located as Located
    from loremap.errors import Ambiguous as Ambiguous
    from loremap.errors import BadInput as BadInput
    from loremap.errors import LockedStore as LockedStore
    from loremap.errors import LoremapError as LoremapError
    from loremap.errors import ModelError as ModelError
    from loremap.errors import NotFound as NotFound
    from loremap.errors import StoreError as StoreError
    from loremap.memory.brief.brief import Brief as Brief
    from loremap.model.kind import Kind as Kind
    from loremap.model.memory import Memory as Memory
    from loremap.model.memory import Scope as Scope
    from loremap.model.memory import Status as Status
    from loremap.model.memory import Trigger as Trigger
    from loremap.model.outcome import Merged as Merged
    from loremap.model.outcome import Outcome as Outcome
    from loremap.model.outcome import Refused as Refused
    from loremap.model.outcome import Stored as Stored
    from loremap.model.outcome import Superseded as Superseded
    from loremap.model.recall import Alert as Alert
    from loremap.model.recall import Hit as Hit
    from loremap.model.recall import Recall as Recall

_SURFACE = {
    "loremap.app": ("open", "Lore"),
    "loremap.model.kind": ("Kind",),
    "loremap.model.memory": ("Memory", "Scope", "Status", "Trigger"),
    "loremap.model.outcome": ("Outcome", "Stored", "Merged", "Superseded", "Refused"),
    "loremap.model.recall": ("Recall", "Hit", "Alert"),
    "loremap.memory.brief.brief": ("Brief",),
    "loremap.code.locate.rank": ("Located", "FoundFile"),
    "loremap.errors": (
        *("LoremapError", "BadInput", "NotFound", "Ambiguous"),
        *("StoreError", "LockedStore", "ModelError"),
    ),
}
_HOME_OF = {name: module for module, names in _SURFACE.items() for name in names}

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> object:
    """A name of the surface, imported when first asked for: importing loremap stays cheap."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'loremap' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME_OF[name]), name)
