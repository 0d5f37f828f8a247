"""Where in the code a memory holds, and whether it still holds there.

A memory is anchored to what it names: a symbol, a block of a text, or the existence of a file.
At recall each anchor is looked for in the checkout at hand:

    fresh      it says what it said, wherever it stands now and whatever it is called
    drifted    it is there, but it was changed
    orphaned   it is not in this checkout
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from loremap.model.kind import RULES, Kind


class Freshness(StrEnum):
    """Whether the code that a memory speaks of is as it was."""

    FRESH = "fresh"
    DRIFTED = "drifted"
    ORPHANED = "orphaned"


class AnchorKind(StrEnum):
    """What an anchor holds on to."""

    SYMBOL = "symbol"
    BLOCK = "block"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """One place in the code, as it was when the anchor was taken."""

    path: str
    kind: AnchorKind
    symbol: str = ""
    """Its dotted name inside the file; of a block its title, where it has one."""
    digest: str = ""
    """The hash by which the code graph finds it again under another name or in another file."""
    span: str = ""
    """Sketch of the normalised text: its hash, and what tells how like another text is."""
    head: str | None = None
    """The commit it was taken at."""
    dirty: bool = False
    """Whether the file differed from that commit: the anchor is of the working tree."""

    @property
    def key(self) -> str:
        """How a person is told of it: `auth/tokens.py::refresh`."""
        return f"{self.path}::{self.symbol}" if self.symbol else self.path


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of an anchor, or of all anchors of one memory, in the checkout at hand."""

    freshness: Freshness
    path: str = ""
    """Where it is now; where it was, if it is gone."""
    symbol: str = ""
    line: int | None = None
    why: str = ""
    """What happened to it; empty where it is just as and where it was."""

    @property
    def key(self) -> str:
        """Where it is now: `auth/tokens.py::refresh`."""
        return f"{self.path}::{self.symbol}" if self.symbol else self.path


GOES_EVERYWHERE = frozenset(
    {
        Kind.PREFERENCE,
        Kind.CORRECTION,
        Kind.HUMAN_FEEDBACK,
        Kind.CONVENTION,
        Kind.PROCEDURE,
        Kind.DECISION,
    }
)
"""What a person wants or has settled holds where the code it names is not (yet, any more) there."""


def withheld(kind: Kind, freshness: Freshness | None) -> bool:
    """Whether a memory is kept from agents in this checkout for what became of its anchors.

    Only what is orphaned is withheld, and of that neither the kinds that go everywhere nor those
    bound to a branch by name: working state is shown on its branch whatever became of the code.
    """
    return (
        freshness is Freshness.ORPHANED
        and kind not in GOES_EVERYWHERE
        and not RULES[kind].branch_bound
    )


def together(checks: Sequence[Checked]) -> Checked | None:
    """What became of a memory with several anchors; None where it has none.

    It is orphaned only if all of them are gone, and drifted if one was changed or is gone: what
    the memory says of the rest may still hold, but not all that it speaks of is as it was.
    """
    if not checks:
        return None
    gone = [one for one in checks if one.freshness is Freshness.ORPHANED]
    changed = [one for one in checks if one.freshness is Freshness.DRIFTED]
    if len(gone) == len(checks):
        return Checked(Freshness.ORPHANED, gone[0].path, gone[0].symbol, None, _said(gone))
    lead = next(one for one in (*changed, *checks) if one.freshness is not Freshness.ORPHANED)
    if changed or gone:
        return Checked(
            Freshness.DRIFTED, lead.path, lead.symbol, lead.line, _said([*changed, *gone])
        )
    return Checked(Freshness.FRESH, lead.path, lead.symbol, lead.line, _said(checks))


def _said(checks: Sequence[Checked]) -> str:
    return "; ".join(dict.fromkeys(one.why for one in checks if one.why))
