"""Looking after what is known, as `Lore` names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loremap.errors import BadInput, NotFound
from loremap.memory import undoing
from loremap.memory.tending import deciding, tend
from loremap.memory.tending.audit import Rate, audited
from loremap.memory.tending.tend import Tended
from loremap.memory.workspace import Workspace
from loremap.memory.writing import settled_project, writing
from loremap.model.memory import Memory
from loremap.model.promotion import PRESETS
from loremap.model.proposal import Proposal
from loremap.storage import projects


class Tending:
    """What is done to the memories seen from one folder when nobody asks for them."""

    def __init__(self, here: Workspace) -> None:
        self._here = here

    def planned(self) -> Tended:
        """What would be done now; nothing is changed."""
        return tend.planned(self._here)

    def run(self, *, by_itself: bool = False) -> Tended:
        """Do what is due; `by_itself` where nobody asked for it."""
        return tend.tend(self._here, by_itself=by_itself)

    def undo(self) -> Sequence[Memory]:
        """Take back the last run, whoever asked for it; the memories it had changed."""
        return undoing.undo(self._here, None, change_id=None, tended=True)[0]

    @property
    def is_due(self) -> bool:
        """Whether a day, or fifty recalls, have passed since the last run."""
        return tend.is_due(self._here)

    def audit(self) -> tuple[Rate, ...]:
        """How clean the store is, and what to run about it."""
        return audited(self._here)

    def proposals(self) -> Sequence[Proposal]:
        """What waits for a person's word, oldest first."""
        return deciding.waiting(self._here)

    def spoken_of(self, found: Sequence[Proposal]) -> Mapping[str, Memory]:
        """The memories of proposals that still speak, by id."""
        return deciding.spoken_of(self._here, found)

    def decide(self, reference: str, *, accept: bool) -> tuple[Proposal, int]:
        """Do what was proposed, or leave it for good; and how many memories that changed."""
        return deciding.decided(self._here, reference, accept=accept)

    @property
    def preset(self) -> str:
        """How much must speak for a candidate of this project, by name."""
        if self._here.project_id is None:
            return "balanced"
        with self._here.store.read() as conn:
            return projects.preset(conn, self._here.project_id)

    def use_preset(self, name: str) -> None:
        """Set how much must speak for a candidate of this project."""
        if name not in PRESETS:
            raise BadInput(f"There is no preset {name!r}.", hint=f"Presets: {', '.join(PRESETS)}.")
        project = settled_project(self._here)
        if project is None:
            raise NotFound("There is no project here.", hint="Run this in a repository.")
        with writing(self._here) as tx:
            projects.set_preset(tx, project.id, name)
