"""What there is to say of a coding agent: the file of each builds one `Client`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from loremap.clients.replies import NESTED, NOTICE
from loremap.model.hook import Moment

if TYPE_CHECKING:
    from pathlib import Path

    from loremap.clients.payloads.adapter import Adapter
    from loremap.clients.settings.edits import Edit
    from loremap.clients.settings.site import Site
    from loremap.clients.settings.trust import Trust
    from loremap.clients.transcripts.past import Past
    from loremap.clients.transcripts.record import Transcript
    from loremap.sidecar.program import Program

USUAL = frozenset(
    {
        Moment.SESSION_START,
        Moment.PROMPT,
        Moment.BEFORE_TOOL,
        Moment.AFTER_TOOL,
        Moment.SUBAGENT_START,
    }
)
"""The moments at which most clients take text."""


class Form(StrEnum):
    """How text is dressed for a client."""

    XML = "xml"
    MARKDOWN = "markdown"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Loaded:
    """An instruction file, or a folder of them, that a client puts into its requests by itself."""

    name: str
    """`AGENTS.md`, or a folder with its slash: `.claude/rules/`."""
    below: bool = True
    """Whether those of other folders are loaded too, once a file beside them is read; else only
    those from the root down to the folder the client was started in."""
    unless_beside: tuple[str, ...] = ()
    """It is not loaded where one of these lies beside it,"""
    unless_at_root: tuple[str, ...] = ()
    """nor where one of these lies at the root."""

    def folder_of(self, path: str) -> str | None:
        """The folder, with its slash, whose file of this name `path` is; None where it is not."""
        if self.name.endswith("/"):
            before, found, _ = f"/{path}".partition(f"/{self.name}")
            above = f"{before}/".lstrip("/")
        else:
            above = path.removesuffix(self.name)
            found = "" if above == path or not f"/{above}".endswith("/") else self.name
        hidden = any(part.startswith(".") for part in above.split("/"))
        return above if found and not hidden else None


def _none(site: Site) -> tuple[Any, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a client is found on a machine, and what is written where to connect it."""

    programs: tuple[str, ...] = ()
    folders: Callable[[Site], tuple[Path, ...]] = _none
    """One of these is there if the client is used on this machine."""
    moved_by: tuple[str, ...] = ()
    """The variables by which a user moves its settings elsewhere."""
    edits: Callable[[Site], tuple[Edit, ...]] = _none
    remarks: Callable[[Site], tuple[str, ...]] = _none
    """What a person must know: a policy that keeps our hooks from running, for one."""
    plugin: Callable[[Site], bool] = lambda site: False
    """Whether our plugin is installed in it, which does the same."""
    former: Callable[[Site], tuple[Edit, ...]] = _none
    """What an earlier Loremap wrote and this one only takes away, should no record know of it."""
    trust: Trust | None = None
    """How its user comes to trust our hooks, where it runs no others."""
    no_project: str = ""
    """Why it cannot be connected for one project, where it cannot."""

    def found(self, site: Site) -> bool:
        """Whether the client is on this machine."""
        return any(folder.is_dir() for folder in self.folders(site)) or any(
            site.program(name) for name in self.programs
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One coding agent: what it sends, writes down, takes and loads, and how it is connected."""

    name: str
    title: str
    experimental: bool = False
    """Written from its documents: `tests/real_clients` does not run it."""
    settings: Settings = field(default_factory=Settings)

    # What it tells

    events: Collection[str] = ()
    """The moments it tells of, in its own words."""
    payloads: Adapter | None = None
    """How what its hooks send is read; without one, as tolerantly as can be."""
    transcript: Transcript | None = None
    """How it writes a session down; None where it does not, or we cannot read it."""
    past: Past | None = None
    """Where it keeps its sessions; None where it does not, or we cannot read them."""
    is_lent: bool = False
    """Others read its settings: being called by its name proves nothing."""

    # What it is told

    reply: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: NESTED)
    """What it reads of a hook, as forms to fill in (`replies.py`)."""
    silence: bytes = b""
    """What it wants to read where nothing is said."""
    form: Form = Form.TEXT
    takes: frozenset[Moment] = frozenset()
    """The moments at which it passes our text on to the model."""
    most_bytes: int = 8_000
    """More than this in one answer is cut off or spilled by some client."""
    keeps_on_resume: bool = False
    """A resumed session still holds what was injected before; told again, it would hold it twice.
    The others put what is said now in its place."""
    says_compacted: bool = False
    """It tells when its context was compacted; the others only that they are about to."""
    asks_for_block: bool = False
    """It asks for the block by itself and sends it with every request, so it is never owed."""
    holds: bool = False
    """A tool call can be held back once with a reason that the model reads: the only way by which
    a warning arrives before the command runs."""

    # Over MCP

    called: tuple[str, ...] = ()
    """What else it may call itself when it introduces itself."""
    session_in: Callable[[Mapping[str, Any]], object] = lambda meta: None
    """The session that the metadata of its requests name."""
    use_in: Callable[[Mapping[str, Any]], object] = lambda meta: None
    """The id of the call, as its hooks name it, in the metadata of its requests."""
    takes_prompts: bool = True
    """Whether it is offered MCP prompts beside the commands that `lore connect` brings."""
    gives_first_word: bool = False
    """It gives a prompt the first word only of what was typed, and shows the model all."""

    # Asked for one answer

    alone: Program | None = None
    """How its program answers one prompt by itself, with hooks, servers and tools off."""

    # What it loads by itself

    reads: tuple[Loaded, ...] = ()
    """Instruction files it loads by itself: memories seeded from them are not told again. Seen in
    the requests of those that are not experimental, and in the documents of the others."""
    imports: bool = False
    """Whether it loads a file too that one of them names as `@path`."""

    @property
    def shows_notices(self) -> bool:
        """Whether its hooks have a way to tell the person something."""
        return NOTICE in self.reply


def loads(client: Client, path: str, *, is_file: Callable[[str], bool], started: str = "") -> bool:
    """Whether a client loads the file at `path` by its name, all paths being the project's;
    `started` is the folder the client was started in."""
    for entry in client.reads:
        folder = entry.folder_of(path)
        if folder is None or not (entry.below or f"{started}/".startswith(folder)):
            continue
        others = (*(folder + name for name in entry.unless_beside), *entry.unless_at_root)
        if not any(map(is_file, others)):
            return True
    return False
