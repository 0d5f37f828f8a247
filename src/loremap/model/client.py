"""The clients we speak with: what each reads by itself and where it takes what we have to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from loremap.model.hook import Moment


class Form(StrEnum):
    """How text is dressed for a client (seed-004 §15)."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One coding agent, as far as the text we give it depends on it."""

    name: str
    title: str
    form: Form = Form.TEXT
    takes: frozenset[Moment] = frozenset()
    """The moments at which it passes our text on to the model."""
    reads: tuple[Loaded, ...] = ()
    """Instruction files it loads by itself: memories seeded from them are not told again. Seen in
    the requests of the five that `tests/real_clients` runs, and in the documents of the others."""
    imports: bool = False
    """Whether it loads a file too that one of them names as `@path`."""
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


_CLAUDE_FILES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")
_USUAL = frozenset(
    {
        Moment.SESSION_START,
        Moment.PROMPT,
        Moment.BEFORE_TOOL,
        Moment.AFTER_TOOL,
        Moment.SUBAGENT_START,
    }
)

CLIENTS: dict[str, Client] = {
    client.name: client
    for client in (
        Client(
            name="claude",
            title="Claude Code",
            form=Form.XML,
            takes=_USUAL,
            keeps_on_resume=True,
            says_compacted=True,
            holds=True,
            reads=(
                *map(Loaded, _CLAUDE_FILES),
                Loaded(".claude/rules/"),
                Loaded("AGENTS.md", unless_beside=_CLAUDE_FILES, unless_at_root=_CLAUDE_FILES),
            ),
            imports=True,
        ),
        Client(
            name="codex",
            title="Codex",
            takes=_USUAL,
            keeps_on_resume=True,
            says_compacted=True,
            holds=True,
            reads=(
                Loaded("AGENTS.override.md", below=False),
                Loaded("AGENTS.md", below=False, unless_beside=("AGENTS.override.md",)),
            ),
        ),
        Client(
            name="gemini",
            title="Gemini CLI",
            form=Form.MARKDOWN,
            # Text at a session's start would keep it from knowing slash commands as such.
            takes=frozenset({Moment.PROMPT, Moment.AFTER_TOOL}),
            keeps_on_resume=True,
            holds=True,
            reads=(Loaded("GEMINI.md"),),
            imports=True,
        ),
        Client(
            name="copilot",
            title="Copilot CLI",
            takes=_USUAL - {Moment.SUBAGENT_START},
            holds=True,
            reads=(
                *map(Loaded, ("AGENTS.md", "CLAUDE.md", "GEMINI.md")),
                *map(Loaded, (".github/copilot-instructions.md", ".github/instructions/")),
                Loaded(".claude/rules/"),
            ),
            imports=True,
        ),
        Client(
            name="opencode",
            title="OpenCode",
            takes=_USUAL - {Moment.BEFORE_TOOL},
            keeps_on_resume=True,
            says_compacted=True,
            asks_for_block=True,
            holds=True,
            reads=(Loaded("AGENTS.md"), Loaded("CLAUDE.md", unless_beside=("AGENTS.md",))),
        ),
        Client(
            name="cline",
            title="Cline",
            # What is said to it otherwise does not arrive, so all waits for the first tool.
            takes=frozenset({Moment.BEFORE_TOOL, Moment.AFTER_TOOL}),
            keeps_on_resume=True,
            reads=(Loaded("AGENTS.md"), Loaded(".clinerules"), Loaded(".clinerules/")),
        ),
        Client(
            name="cursor",
            title="Cursor",
            takes=frozenset({Moment.SESSION_START}),
            reads=(Loaded("AGENTS.md"), Loaded(".cursorrules"), Loaded(".cursor/rules/")),
        ),
        Client(
            name="vscode",
            title="VS Code",
            takes=frozenset({Moment.SESSION_START, Moment.BEFORE_TOOL, Moment.AFTER_TOOL}),
            reads=(
                *map(Loaded, ("AGENTS.md", "CLAUDE.md")),
                *map(Loaded, (".github/copilot-instructions.md", ".github/instructions/")),
            ),
        ),
        Client(
            name="windsurf",
            title="Windsurf",
            reads=(Loaded("AGENTS.md"), Loaded(".windsurfrules"), Loaded(".windsurf/rules/")),
        ),
        Client(
            name="zed",
            title="Zed",
            reads=tuple(map(Loaded, ("AGENTS.md", "CLAUDE.md", ".rules"))),
        ),
    )
}


def client_named(name: str) -> Client:
    """The client of that name; one we do not know is told nothing unasked."""
    return CLIENTS.get(name) or Client(name=name, title=name)
