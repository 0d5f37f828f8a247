"""The one brief of a task: its files, their modules, what is kept about them, what recall finds.

The command line, MCP, subagents and the first prompt of a session or topic are all given this.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from loremap.clients.client import Form
from loremap.code.locate.rank import FoundFile
from loremap.memory import recalling, writing
from loremap.memory.brief.brief import DEFAULT_TOKENS, Brief, Dress, FileFound
from loremap.memory.brief.budget import MAX_SUMMARY
from loremap.memory.brief.recaps import Fit
from loremap.memory.brief.render import MAX_BYTES
from loremap.memory.brief.said import Remarks, remarks_of
from loremap.memory.earlier import earlier_sessions
from loremap.memory.found import Found
from loremap.memory.modules import Modules
from loremap.memory.recall.match_modules import modules_for
from loremap.memory.standing import standing_hits
from loremap.model.memory import Memory
from loremap.model.module import Module, ModuleMap
from loremap.model.recall import Hit, Recall
from loremap.model.words import words
from loremap.storage import relations

if TYPE_CHECKING:
    from loremap.memory.workspace import Workspace

MAX_MEMORIES = 20
MAX_ABOUT = 8
"""Memories of the task's files that are told although the task does not name them."""
MAX_FILES = 8
BESIDE_BEST = 0.5
"""A file is told beside the best one from this share of its score."""
FEWEST_WORDS, MAX_WORDS = 2, 3
SURE_WORDS, SURE_SHARE = 3, 0.4
"""So many words of a task in the best file, with this share of what it tells: 80 % of 40 tasks
of five repositories reach it, and 5 % of chatter, follow-ups, and tasks for other projects."""
MAX_BYTES_PER_TOKEN = 6
_WORDS, _LIKENESS, _USED = "words: ", "similar: ", "used by "
"""How `locate` begins its weaker reasons."""


def briefed(lore: Workspace, task: str, *, budget_tokens: int | None = None) -> Brief:
    """What is told before `task` to somebody who has been told nothing yet."""
    budget_tokens = budget_tokens or DEFAULT_TOKENS
    project = writing.settled_project(lore)
    located: Sequence[FoundFile] = ()
    module_map = None
    if project is not None:
        located = lore.code.locate(task, limit=MAX_FILES).files
        module_map = Modules(lore).map()
    answer = recalling.recall(lore, task, limit=MAX_MEMORIES)
    most_bytes = max(MAX_BYTES, MAX_BYTES_PER_TOKEN * budget_tokens)  # a person may ask for more
    known = gathered(lore, task, answer, located=located, module_map=module_map, with_standing=True)
    if not known.is_any:
        return Brief("")
    return known.briefed(dress_of(budget_tokens, most_bytes=most_bytes))


def dress_of(budget_tokens: int, *, most_bytes: int, form: Form = Form.TEXT) -> Dress:
    """A brief of so many tokens in all: what the task asks for comes first, and how earlier
    sessions went takes what that leaves."""
    return Dress(
        form=form,
        budget_tokens=budget_tokens,
        summary_tokens=MAX_SUMMARY,
        total_tokens=budget_tokens,
        most_bytes=most_bytes,
    )


def nothing_loaded(_: Memory) -> bool:
    """The reader has nothing from the project's files."""
    return False


def gathered(
    lore: Workspace,
    task: str,
    answer: Recall,
    *,
    located: Sequence[FoundFile],
    module_map: ModuleMap | None,
    is_loaded: Callable[[Memory], bool] = nothing_loaded,
    with_standing: bool = False,
    with_endings: bool = True,
) -> Found:
    """What is known for a task; `is_loaded` says what its reader has from the project's files,
    `with_standing` whether what holds for any work here belongs to it, `with_endings` whether what
    came of sessions it resembles does."""
    files = files_told(located)
    found = [(one.path, one.score) for one in located] if files else []
    modules = () if module_map is None else modules_for(task, module_map, found)
    paths = core_of([module for module, _ in modules]) or {one.path for one in files}
    hits = [hit for hit in answer.hits if not is_loaded(hit.memory)]
    about = [hit for hit in recalling.about(lore, paths) if not is_loaded(hit.memory)][:MAX_ABOUT]
    standing = standing_hits(lore, is_loaded=is_loaded) if with_standing else []
    earlier: Sequence[Fit] = ()
    if with_endings:
        earlier = earlier_sessions(lore, said=words(task), files=files, around=paths)
    alike = [one.recap.session.id for one in earlier if one.is_alike]
    ended = recalling.endings(lore, answer, alike=alike) if with_endings else ()
    endings = tuple(hit for hit in ended if not is_loaded(hit.memory))
    return Found(
        said=frozenset(words(task)),
        hits=tuple(hits),
        endings=endings,
        about=tuple(about),
        standing=tuple(standing),
        earlier=tuple(one.piece for one in earlier),
        files=files,
        modules=tuple(module for module, _ in modules),
        remarks=_remarks(lore, answer, hits, (*endings, *about, *standing)),
    )


def _remarks(
    lore: Workspace, answer: Recall, hits: Sequence[Hit], beside: Sequence[Hit]
) -> Remarks:
    """What is said of what was found, and of what is told beside it, whose conflicts the answer
    does not know."""
    conflicts = {one.id: one for one in answer.conflicts}
    if beside:
        with lore.store.read() as conn:
            found = relations.open_conflicts(conn, [hit.memory.id for hit in beside], spoken=True)
        conflicts |= {one.id: one for one in found}
    return remarks_of((*hits, *beside), tuple(conflicts.values()))


def files_told(located: Sequence[FoundFile]) -> tuple[FileFound, ...]:
    """The best of the files found for a task that something plain speaks for, each with why."""
    best = max((one.score for one in located), default=0.0)
    near = [one for one in located[:MAX_FILES] if one.score >= BESIDE_BEST * best]
    told = (_told(one, is_best=at == 0) for at, one in enumerate(near))
    return tuple(one for one in told if one is not None)


def _told(found: FoundFile, *, is_best: bool) -> FileFound | None:
    """A file with why it is told; None where only a likeness or a single word speaks for it, which
    any text has with some file. Where a name speaks for it, words say nothing more."""
    named = [one for one in found.reasons if not one.startswith((_WORDS, _LIKENESS, _USED))]
    if named:
        return FileFound(found.path, "; ".join(named), is_sure=True)
    words = [word for one in found.reasons for word in one.removeprefix(_WORDS).split(", ")
             if one.startswith(_WORDS)]  # fmt: skip
    if len(words) < FEWEST_WORDS:
        return None
    is_sure = is_best and found.said >= SURE_WORDS and found.share >= SURE_SHARE
    return FileFound(found.path, f"{_WORDS}{', '.join(words[:MAX_WORDS])}", is_sure=is_sure)


def core_of(modules: Collection[Module]) -> set[str]:
    """The files of some modules."""
    return {path for module in modules for path in module.core_files}
