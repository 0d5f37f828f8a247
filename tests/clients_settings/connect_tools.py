"""A throw-away machine with the settings of many clients, and `lore` to run on it."""

from __future__ import annotations

import json
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from loremap.interfaces.cli.app import main
from terminal_tools import Terminal

CLAUDE = """\
{
\t// mine
\t"model" : "opus",  /* odd */
\t"hooks": {
\t\t"Stop": [ { "hooks": [{"type":"command","command":"say done"}] } ],
\t\t"PreToolUse": [
\t\t\t{ "matcher": "Bash", "hooks": [ { "type": "command", "command": "guard" } ] },
\t\t],
\t},
}
"""
STATE = '{"numStartups": 3,"mcpServers":{"other":{"command":"x","args":[]}},"projects":{}}'
CODEX = """\
# mine
model = "gpt"   # odd

[mcp_servers.other]
command = "x"

# about the next
[projects."/a"]
trust_level = "trusted"
"""
CODEX_HOOKS = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}\n'
GEMINI = '{\r\n    "theme": "x",\r\n    "mcpServers": {}\r\n}\r\n'
OPENCODE = (
    '// mine\n{\n  "$schema": "https://example.com",\n  "mcp": { "other": {"type": "local"} },\n}\n'
)
SERVERS = '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}'
CURSOR = '{\n   "version": 1,\n   "hooks": {"stop": [{"command": "say done"}]}\n}\n'
VSCODE = '{\n    // mine\n    "editor.fontSize": 12,\n}\n'
ZED = '\ufeff// Zed settings\n{\n  "theme": "One Dark",\n  // servers\n  "context_servers": {}\n}\n'

SETTINGS: dict[str, dict[str, str]] = {
    "claude": {".claude/settings.json": CLAUDE, ".claude.json": STATE},
    "codex": {".codex/config.toml": CODEX, ".codex/hooks.json": CODEX_HOOKS},
    "gemini": {".gemini/settings.json": GEMINI},
    "opencode": {".config/opencode/opencode.jsonc": OPENCODE},
    "copilot": {".copilot/mcp-config.json": SERVERS},
    "cline": {".cline/data/settings/cline_mcp_settings.json": SERVERS},
    "cursor": {".cursor/hooks.json": CURSOR, ".cursor/mcp.json": SERVERS},
    "vscode": {".config/Code/User/settings.json": VSCODE},
    "windsurf": {".codeium/windsurf/mcp_config.json": SERVERS},
    "zed": {".config/zed/settings.json": ZED},
}
"""What each client's user had written, in formats as people leave them."""


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The one JSON object it printed."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Machine:
    """A user's folder, a project in it and the home of Loremap, apart from both."""

    user: Path
    project: Path
    home: Path

    def write(self, name: str, text: str) -> Path:
        """Write a file of the user."""
        path = self.user / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def settle(self, *clients: str) -> None:
        """Write what the users of these clients had."""
        for client in clients:
            for name, text in SETTINGS[client].items():
                self.write(name, text)

    def files(self) -> dict[str, tuple[bytes, int] | None]:
        """Everything below the user's folder: folders as None, files with bytes and mode."""
        return {
            str(path.relative_to(self.user)): (
                None if path.is_dir() else (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
            )
            for path in sorted(self.user.rglob("*"))
        }

    def ours(self) -> list[str]:
        """The files that hold something of ours."""
        signs = (b"lore-agent", b"lore connect", b"loremap")
        found = [(name, file) for name, file in self.files().items() if file]
        return [name for name, file in found if any(sign in file[0] for sign in signs)]

    def lore(self, *arguments: str) -> Ran:
        """Run `lore` in the project, in this process."""
        hook, code = sys.excepthook, 0
        with CliRunner().isolation() as (out, err, _):
            try:
                main(("-C", str(self.project), *arguments))
            except SystemExit as end:
                code = int(end.code or 0)
            finally:
                sys.excepthook = hook
            sys.stdout.flush()
            sys.stderr.flush()
            return Ran(code, out.getvalue().decode(), err.getvalue().decode())

    def person(self, *arguments: str) -> Terminal:
        """Somebody at a terminal with colours in which `lore` runs in the project."""
        words = (sys.executable, "-m", "loremap", *arguments)
        return Terminal(*words, folder=self.project, kind="xterm")

    def done(self, *arguments: str) -> Ran:
        """Run a command that must succeed without asking."""
        ran = self.lore(*arguments, "--yes")
        assert ran.code == 0, ran
        return ran
