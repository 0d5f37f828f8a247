"""Where the settings of clients lie on this machine, and the command lines they get from us."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from loremap.errors import BadInput

SERVER = "loremap"
"""The name our MCP server goes by in every client."""
FREE_TOOLS = ("recall", "search_memory", "brief", "map", "list", "history", "remember")
"""Tools that destroy nothing and send nothing out: asking before each would end their use."""
MARK = "made by `lore connect`"
"""Stands in every file that is wholly ours."""

COMMON_PLACES = ("XDG_CONFIG_HOME", "APPDATA")
"""The variables by which a user moves the settings of several clients."""

_OUR_COMMAND = re.compile(
    r"""(?:"[^"\n]*|'[^'\n]*|[A-Za-z]:[^\s";&|]*|[^\s"';&|]*)lore-agent(?:\.cmd)?["']?"""
    r"""\s+(?:hook|mcp)(?:\s[\w -]*)?"""
)
"""The whole of a line as we write it: one that does more than that is the user's own."""
_GUARD = ("test", "!", "-x"), ("||", "exec")
"""What comes before and behind the program that is looked for, in a line for a shell."""
_OUR_POWERSHELL = re.compile(
    r"if \(Test-Path -LiteralPath ('(?:[^'\n]|'')*lore-agent\.cmd')\) "
    r"\{ & \1 hook [\w-]+ [\w-]+ \}"
)
_COMMAND = re.compile(r"(?:^|[/\\])lore(?:\.exe)?$")
_OUR_PROGRAM = re.compile(r"(?:^|[/\\])lore-agent(?:\.cmd)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One user on one machine; `project` is set where only that folder is to be connected."""

    user: Path
    launcher: Path
    project: Path | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    platform: str = sys.platform
    allows: bool = True
    """Whether clients that would ask may let the model use `FREE_TOOLS` without asking."""
    moved_by: tuple[str, ...] = COMMON_PLACES
    """The variables by which a user moves the settings of clients."""

    def folder(self, variable: str, default: str) -> Path:
        """A folder that a variable of the environment may move; `default` is below the user's."""
        chosen = self.environ.get(variable)
        return Path(chosen).expanduser() if chosen else self.user / default

    @property
    def places(self) -> dict[str, str]:
        """What says where the settings of clients lie."""
        return {name: self.environ[name] for name in self.moved_by if self.environ.get(name)}

    def placed(self, places: Mapping[str, str]) -> Site:
        """The same user with the settings of clients where `places` say."""
        others = {name: value for name, value in self.environ.items() if name not in self.moved_by}
        return replace(self, environ={**others, **places})

    @property
    def config(self) -> Path:
        """The user's folder of settings, by the XDG rules."""
        return self.folder("XDG_CONFIG_HOME", ".config")

    def application(self, name: str) -> Path:
        """The folder of a desktop application."""
        if self.platform == "darwin":
            return self.user / "Library" / "Application Support" / name
        if self.platform == "win32":
            return self.folder("APPDATA", "AppData/Roaming") / name
        return self.config / name

    def program(self, name: str) -> str | None:
        """The path of a program, where it is installed."""
        return shutil.which(name, path=self.environ.get("PATH", ""))

    def hook(self, client: str, event: str) -> str:
        """The command line of a hook, for a shell.

        It succeeds where the launcher has gone: some clients stop the agent otherwise.
        """
        words = [str(self.launcher), "hook", client, event]
        if self.platform == "win32":
            return subprocess.list2cmdline(words)
        return guarded(*words)

    def hooks(self, client: str, events: Mapping[str, int]) -> dict[str, dict[str, Any]]:
        """What to run at each event, and how many seconds it may take, in the form most take."""
        return {
            event: {"command": self.hook(client, event), "timeout": seconds}
            for event, seconds in events.items()
        }

    def powershell_hook(self, client: str, event: str) -> str:
        """The command line of a hook, for PowerShell; it too succeeds without the launcher."""
        program = "'" + str(self.launcher).replace("'", "''") + "'"
        return f"if (Test-Path -LiteralPath {program}) {{ & {program} hook {client} {event} }}"

    def server(self, client: str) -> dict[str, Any]:
        """The command of our MCP server, in the form most clients take."""
        return {"command": str(self.launcher), "args": ["mcp", client]}


def launcher_path(home: Path) -> Path:
    """Where the launcher lies that every client is told to start."""
    return home / "bin" / ("lore-agent.cmd" if sys.platform == "win32" else "lore-agent")


def site_of(home: Path, *, project: Path | None, allows: bool, places: tuple[str, ...]) -> Site:
    """This user on this machine; `places` are the variables that move the settings of clients."""
    try:
        user = Path.home()
    except RuntimeError as fault:
        raise BadInput(
            "There is no home folder, so the settings of clients cannot be found.",
            hint="Set HOME to your home folder and try again.",
        ) from fault
    if not user.is_dir():
        raise BadInput(
            f"The home folder {user} is not there, so the settings of clients cannot be found.",
            hint="Set HOME to your home folder and try again.",
        )
    return Site(
        user=user,
        launcher=launcher_path(home),
        project=project,
        environ=dict(os.environ),
        allows=allows,
        moved_by=places,
    )


def is_our_hook(value: Any) -> bool:
    """Whether a handler of a hook is ours, of whatever home."""
    if not isinstance(value, dict):
        return False
    said = (value.get("command"), value.get("bash"), value.get("powershell"))
    return any(isinstance(line, str) and _is_our_line(line.strip()) for line in said)


def _is_our_line(line: str) -> bool:
    return bool(
        _OUR_COMMAND.fullmatch(line) or _OUR_POWERSHELL.fullmatch(line) or _is_for_a_shell(line)
    )


def _is_for_a_shell(line: str) -> bool:
    """Whether a line is one we wrote for a shell, whatever signs are in the launcher's path."""
    try:
        words = tuple(shlex.split(line))
    except ValueError:
        return False
    looks = (words[:3], words[4:6]) == _GUARD
    words = words[6:] if looks else words
    if len(words) < 2 or not _OUR_PROGRAM.search(words[0]) or words[1] not in ("hook", "mcp"):
        return False
    return line == (guarded(*words) if looks else shlex.join(words))


def guarded(*words: str) -> str:
    """A command line for a shell that succeeds where the program has gone."""
    return f"test ! -x {shlex.quote(words[0])} || exec {shlex.join(words)}"


def is_our_group(value: Any) -> bool:
    """Whether a group of handlers holds ours and no others."""
    handlers = value.get("hooks") if isinstance(value, dict) else None
    return isinstance(handlers, list) and bool(handlers) and all(map(is_our_hook, handlers))


def is_our_server(value: Any) -> bool:
    """Whether an MCP server is ours, of whatever home."""
    command = value.get("command") if isinstance(value, dict) else None
    program = command[0] if isinstance(command, list) and command else command
    return isinstance(program, str) and bool(_OUR_PROGRAM.search(program))


def is_written_by_hand(value: Any) -> bool:
    """Whether an MCP server is Loremap all the same, as somebody wrote it: `lore mcp`."""
    if not isinstance(value, dict):
        return False
    parts = (value.get("command"), value.get("args"))
    words = [word for part in parts for word in (part if isinstance(part, list) else [part])]
    return any(
        isinstance(word, str) and _COMMAND.search(word) and then == "mcp"
        for word, then in itertools.pairwise(words)
    )


def is_ours(value: Any) -> bool:
    """Whether a value in a client's settings is ours."""
    return is_our_hook(value) or is_our_group(value) or is_our_server(value)
