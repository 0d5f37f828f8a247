"""One act on what is remembered, as the audit trail tells it, and what to call it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from loremap.model.clock import short_id


@dataclass(frozen=True, slots=True)
class Deed:
    """One line of the audit trail: what was done, to which memory, with its detail."""

    action: str
    memory_id: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """All that one write did, so that it can be named and undone as one."""

    change_id: str
    at: datetime
    actor: str
    deeds: tuple[Deed, ...]

    @property
    def undoable(self) -> bool:
        """Whether anything of it is left to put back; what was erased is gone."""
        return all(deed.action != "erase" for deed in self.deeds)


_CALLED = {
    "compact accepted": "did what was proposed",
    "compact": "tended what is known",
    "erase": "erased",
    "resolve": "resolved a conflict",
    "alias": "changed an alias",
    "fact add": "stated a fact",
    "fact retract": "withdrew a fact",
    "fact": "changed a fact",
    "decline": "declined what the project's files say",
    "update map": "changed the module map",
    "settings preset": "set how readily candidates are believed",
    "settings on": "switched Loremap on for this project",
    "settings off": "switched Loremap off for this project",
    "add": "remembered",
    "link": "linked",
    "unlink": "unlinked",
    "restore": "restored",
    "remove": "forgot",
    "pin": "pinned",
    "unpin": "unpinned",
    "tag": "tagged",
    "update edited": "edited",
    "update merged": "repeated",
    "update retracted": "withdrew",
    "update helpful": "marked as helpful",
    "update not": "marked as not helpful",
    "update voted": "voted against",
    "confirm": "confirmed",
    "promote": "believed by use",
    "evict": "let go of",
    "update": "changed",
}
"""What an act is called by its weightiest deed, that first: a replacement also links, a
resolution also confirms."""
_LINKING = ("link", "unlink")
MAX_NAMED = 3


def named(act: Act, summaries: Mapping[str, str]) -> str:
    """What an act did, with the memories it was about: `pinned 1a2b3c4d "Use tabs"`."""
    names = [_name(deed) for deed in act.deeds]
    lead = next((name for name in _CALLED if name in names), "update")
    about = [deed for deed, name in zip(act.deeds, names, strict=True) if name == lead]
    ids = list(dict.fromkeys(deed.memory_id for deed in about if deed.memory_id))
    said = [_CALLED[lead]]
    if len(ids) > MAX_NAMED:
        said.append(f"{len(ids)} memories")
    elif ids:
        said.append(", ".join(_quoted(id_, summaries) for id_ in ids))
    if lead in _LINKING:
        relation, _, target = about[0].detail.partition(" ")
        said += [f"({relation})", _quoted(target, summaries)]
    return " ".join(said)


def _name(deed: Deed) -> str:
    """The entry of the table that a deed falls under."""
    first = deed.detail.partition(" ")[0]
    return next(
        (name for name in (f"{deed.action} {first}", deed.action) if name in _CALLED), deed.action
    )


def _quoted(id_: str, summaries: Mapping[str, str]) -> str:
    summary = summaries.get(id_)
    return f'{short_id(id_)} "{summary}"' if summary else short_id(id_)


def spoken_of(act: Act) -> list[str]:
    """The ids of the memories that an act was about."""
    linked = [deed.detail.partition(" ")[2] for deed in act.deeds if deed.action in _LINKING]
    return [*filter(None, (deed.memory_id for deed in act.deeds)), *linked]
