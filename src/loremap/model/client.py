"""The clients we speak with: what each reads by itself and where it takes what we have to say."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from loremap.model.hook import Moment


class Form(StrEnum):
    """How text is dressed for a client (seed-004 §15)."""

    XML = "xml"
    MARKDOWN = "markdown"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One coding agent, as far as the text we give it depends on it."""

    name: str
    title: str
    form: Form = Form.TEXT
    takes: frozenset[Moment] = frozenset()
    """The moments at which it passes our text on to the model."""
    reads: tuple[str, ...] = ()
    """Instruction files it reads by itself: memories seeded from them are not told again."""
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
            reads=("CLAUDE.md", "CLAUDE.local.md", ".claude/rules/"),
        ),
        Client(
            name="codex",
            title="Codex",
            takes=_USUAL,
            keeps_on_resume=True,
            says_compacted=True,
            holds=True,
            reads=("AGENTS.md", "AGENTS.override.md"),
        ),
        Client(
            name="gemini",
            title="Gemini CLI",
            form=Form.MARKDOWN,
            # Text at a session's start would keep it from knowing slash commands as such.
            takes=frozenset({Moment.PROMPT, Moment.AFTER_TOOL}),
            keeps_on_resume=True,
            holds=True,
            reads=("GEMINI.md",),
        ),
        Client(
            name="copilot",
            title="Copilot CLI",
            takes=_USUAL - {Moment.SUBAGENT_START},
            holds=True,
            reads=("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"),
        ),
        Client(
            name="opencode",
            title="OpenCode",
            takes=_USUAL - {Moment.BEFORE_TOOL},
            keeps_on_resume=True,
            says_compacted=True,
            asks_for_block=True,
            holds=True,
            reads=("AGENTS.md", "CLAUDE.md"),
        ),
        Client(
            name="cline",
            title="Cline",
            # What is said to it otherwise does not arrive, so all waits for the first tool.
            takes=frozenset({Moment.BEFORE_TOOL, Moment.AFTER_TOOL}),
            keeps_on_resume=True,
            reads=("AGENTS.md", ".clinerules"),
        ),
        Client(
            name="cursor",
            title="Cursor",
            takes=frozenset({Moment.SESSION_START}),
            reads=("AGENTS.md", ".cursorrules", ".cursor/rules/"),
        ),
        Client(
            name="vscode",
            title="VS Code",
            takes=frozenset({Moment.SESSION_START, Moment.BEFORE_TOOL, Moment.AFTER_TOOL}),
            reads=("AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"),
        ),
        Client(name="windsurf", title="Windsurf", reads=("AGENTS.md", ".windsurfrules")),
        Client(name="zed", title="Zed", reads=("AGENTS.md", "CLAUDE.md", ".rules")),
    )
}


def client_named(name: str) -> Client:
    """The client of that name; one we do not know is told nothing unasked."""
    return CLIENTS.get(name) or Client(name=name, title=name)
