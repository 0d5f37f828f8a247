"""Answers an event that no resident has answered: holds what a confirmed warning names, and gives
a session the block that the last one in its folder began with.

Loaded by the client only then. What it goes by was written by whoever changed memories last
(`lore/standby.py`); a file that others could have written is not read. It matches words and paths
and no regular expression, so nothing here can take longer than its input is long.
"""

from __future__ import annotations

import sys
import time

if sys.platform == "win32":
    import nt as system  # pragma: no cover
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from loremap.model.command_line import Line
if TYPE_CHECKING or __package__:
    from loremap.interfaces.hooks.client import (
        PARSED_BYTES,
        caught,
        here,
        make_folders,
        read_file,
        write_file,
    )
    from loremap.interfaces.hooks.spool import BROKEN, parsed, reference, written
    from loremap.model.standby import (
        FILE,
        FOLDER,
        ONCE,
        VERSION,
        block_file,
        block_mark,
        mark_of,
        memory_places,
    )
else:
    from client import PARSED_BYTES, caught, here, make_folders, read_file, write_file
    from spool import BROKEN, parsed, reference, written

    sys.path.insert(0, f"{here()}/../../model")
    from standby import (
        FILE,
        FOLDER,
        ONCE,
        VERSION,
        block_file,
        block_mark,
        mark_of,
        memory_places,
    )

    del sys.path[0]  # names in that folder are those of modules of Python too

MAX_BYTES = 1 << 20
MAX_LINES = 3
MAX_TEXT = 100_000
OLD_S = 86_400.0
"""A block that is older says so."""
MAX_ABOVE = 64
INPUTS = ("tool_input", "toolInput", "toolArgs", "tool_args", "tool_call", "preToolUse")
WITHIN = ("input", "parameters", "args")
PATCH = "*** Begin Patch"
GOES_ON = ("resume", "fork")


class Unsafe(Exception):
    """Somebody else could have written it."""


class Stage:
    """One event, and all that the answer depends on."""

    def __init__(self, home: str, header: dict[str, str], payload: bytes) -> None:
        self.home, self.client = home, header["client"]
        self.told = parsed(payload)
        ref = reference(header, payload)
        self.name = str(ref["event"] or "")
        self.folder = str(ref["cwd"] or "")
        self.session = str(ref["session_id"] or f"{self.client} {self.folder} {system.getppid()}")
        self.place, self.guard = opened(home)
        self.moment: str = self.guard.get("moments", {}).get(plain(self.name), "")
        self.takes: Sequence[str] = self.known.get("takes", ())

    @property
    def known(self) -> dict[str, Any]:
        """What is known of the client."""
        found: dict[str, Any] = self.guard.get("clients", {}).get(self.client, {})
        return found

    def once(self, what: str, *, again: bool = False) -> bool:
        """Note that the session has met something; whether that is new, or may be met `again`.
        Where it cannot be noted it is not met: what is held must pass the second time."""
        folder = f"{self.home}/{FOLDER}/{ONCE}"
        make_folders(folder)
        path = f"{folder}/{mark_of(self.session[:200], what)}"
        try:
            flags = system.O_WRONLY | system.O_CREAT | system.O_EXCL
            system.close(system.open(path, flags, 0o600))
        except FileExistsError:
            if again:
                write_file(path, b"")
            return again
        return True


def answer(home: str, header: dict[str, str], payload: bytes) -> bytes:
    """What the client reads; nothing where there is nothing to say."""
    if len(payload) > PARSED_BYTES:
        return b""
    try:
        stage = Stage(home, header, payload)
    except (FileNotFoundError, *BROKEN):
        return b""
    if not stage.takes and not stage.known.get("holds"):
        return b""
    where = _Where(stage.folder)
    if any(where.lies_in(path) for path in stage.guard["off"]) or _is_held_out(stage):
        return b""
    context = _block(stage)
    hold = ""
    if stage.moment == "before_tool":
        hold, lines = _warned(stage, where)
        context = "\n".join(filter(None, (lines, context)))
    return _dressed(stage, context, hold) if context or hold else b""


def _dressed(stage: Stage, context: str, hold: str) -> bytes:
    if TYPE_CHECKING or __package__:
        from loremap.interfaces.hooks.dress import parts_of
    else:
        from dress import parts_of

    parts = parts_of(stage.known["reply"], stage.name, context=context, hold=hold)
    return written(parts).encode() if parts else b""


def _read(command: str) -> Line:
    """A command line; what reads it is loaded only now."""
    if TYPE_CHECKING or __package__:
        from loremap.model.command_line import Line
    else:
        sys.path.insert(0, f"{here()}/../../model")
        from command_line import Line

        del sys.path[0]
    return Line(command)


# What was written for us


def opened(home: str) -> tuple[str, dict[str, Any]]:
    """The folder of the files, and what may be warned of; raises FileNotFoundError where there is
    none that is ours."""
    user = 0 if sys.platform == "win32" else system.getuid()
    for place in (f"{home}/{FOLDER}", *memory_places(home, user)):
        try:
            guard = parsed(read_ours(place, FILE))
        except FileNotFoundError:
            continue
        except Unsafe as fault:
            caught(home, "hook, standing in", fault)
            continue
        if guard.get("version") == VERSION:
            return place, guard
    raise FileNotFoundError(FILE)


def read_ours(folder: str, name: str) -> bytes:
    """A file that nobody but this user can have written, in a folder of the same kind."""
    path = f"{folder}/{name}"
    for each, kind in ((folder, 0o040000), (path, 0o100000)):
        found = system.lstat(each)
        if found.st_mode & 0o170000 != kind:
            raise Unsafe
        if sys.platform != "win32" and (found.st_uid != system.getuid() or found.st_mode & 0o077):
            raise Unsafe
    return read_file(path, most=MAX_BYTES)


def _is_held_out(stage: Stage) -> bool:
    """Whether the session is one of those that get nothing, as the resident draws them."""
    share = stage.guard["hold_out"]
    if not share:
        return False
    from _blake2 import blake2b

    drawn = blake2b(stage.session.encode("utf-8", "replace"), digest_size=8).digest()
    return bool(int.from_bytes(drawn, "big") / 2**64 < share)


# Where the session works


class _Where:
    """The folder of a session, and the one that all worktrees of its repository share."""

    def __init__(self, folder: str) -> None:
        self.folder = _real(folder)
        self.shared = _shared(self.folder)

    def lies_in(self, path: str) -> bool:
        """Whether this is the project known by that path."""
        return self.shared == path or f"{self.folder}/".startswith(f"{path.rstrip('/')}/")

    def named(self, file: str, path: str) -> str:
        """A file as the project names it."""
        file = file.removeprefix("file://").replace("\\", "/")
        for root in (self.folder, path):
            if file.startswith(f"{root}/"):
                return file[len(root) + 1 :]
        return file.removeprefix("./")


def _real(folder: str) -> str:
    """The folder without links in its way; this process ends soon and may stand anywhere."""
    try:
        system.chdir(folder)
        return system.getcwd().replace("\\", "/")
    except (OSError, ValueError):
        return folder.replace("\\", "/")


def _shared(folder: str) -> str:
    """The folder that holds the repository, also of a worktree elsewhere; empty where none does."""
    for _ in range(MAX_ABOVE):
        try:
            found = system.lstat(f"{folder}/.git")
            if found.st_mode & 0o170000 == 0o040000:
                return folder
            said = read_file(f"{folder}/.git", most=4_096).decode("utf-8", "replace")
            inner = said.removeprefix("gitdir:").strip()
            return inner.partition("/.git/worktrees/")[0] if "/.git/worktrees/" in inner else folder
        except OSError:
            folder, cut, _ = folder.rpartition("/")
        if not cut:
            break
    return ""


# How a session begins


def _block(stage: Stage) -> str:
    """The block, at the first moment of a session that carries it."""
    if stage.moment not in stage.takes or stage.moment != stage.takes[0]:
        return ""
    begins = stage.moment == "session_start"
    if begins and str(stage.told.get("source", "")).lower() in GOES_ON:
        return ""
    try:
        kept = parsed(read_ours(stage.place, block_file(stage.client, stage.folder)))
    except FileNotFoundError:
        return ""
    if not stage.once(block_mark(kept["text"]), again=begins):
        return ""
    is_old = time.time() - kept["at"] / 1_000 > OLD_S
    return str(kept["old"] if is_old else kept["text"])


# What is about to be done


def _warned(stage: Stage, where: _Where) -> tuple[str, str]:
    """Why the call is held, and what is said beside it."""
    command, files, text = _call(stage)
    line = _read(command) if command else None
    now_ms = time.time() * 1_000
    holding: list[str] = []
    saying: list[str] = []
    for entry in stage.guard["entries"]:
        path = next((one for one in entry["paths"] or ("",) if where.lies_in(one)), None)
        if path is None and entry["paths"] is not None:
            continue
        if entry.get("until") and entry["until"] <= now_ms:
            continue
        by_command = line is not None and any(fires(one, line) for one in entry["command"])
        fits = by_command or _is_about(
            entry, [where.named(file, path or "") for file in files], text
        )
        holds = by_command and entry["holds"] and stage.guard["holds"] and stage.known["holds"]
        room = len(holding) + len(saying) < MAX_LINES
        if not fits or not room or not (holds or stage.moment in stage.takes):
            continue
        if stage.once(entry["id"]):
            (holding if holds else saying).append(entry["line"])
    if holding:
        return " ".join((stage.guard["held"], *holding, *saying)), ""
    before, after = stage.guard["frames"][stage.known["form"]]
    return "", f"{before}{chr(10).join(saying)}{after}" if saying else ""


def _call(stage: Stage) -> tuple[str, list[str], str]:
    """The command that a tool is about to run, the files it names, and what it writes."""
    told, fields = stage.told, stage.guard["fields"]
    given: Any = next((told[name] for name in INPUTS if told.get(name)), told)
    outer = given if isinstance(given, dict) else {}
    given = next((outer[name] for name in WITHIN if isinstance(outer.get(name), dict)), given)
    if isinstance(given, str):
        try:
            given = parsed(given.encode())
        except BROKEN:
            given = {"command": given}
    if not isinstance(given, dict):
        return "", [], ""
    names = (told.get("tool_name"), told.get("toolName"), outer.get("name"), outer.get("toolName"))
    tool = str(next((name for name in names if name), ""))
    own = plain(tool.rpartition("__")[2].rpartition(".")[2])
    said = _joined(next((given[name] for name in fields["command"] if given.get(name)), ""))
    if own not in stage.guard["runs"] or PATCH in said:
        files = [given[name] for name in fields["file"] if isinstance(given.get(name), str)]
        new = [given[name] for name in fields["text"] if isinstance(given.get(name), str)]
        return "", files, "\n".join((*new, said))[:MAX_TEXT]
    return said, [], ""


def _joined(given: object) -> str:
    if isinstance(given, list):
        words = [word for word in given if isinstance(word, str)]
        return words[2] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(words)
    return given if isinstance(given, str) else ""


def fires(literal: str, line: Line) -> bool:
    """Whether a literal names a command of the line, or stands in what the line does."""
    if line.runs(literal):
        return True
    return any(says(each, literal) for each in (line.spoken, *(one for one, _ in line.fragments)))


def says(text: str, literal: str) -> bool:
    """Whether the words of a literal stand in a text, uncut; white space is white space, and case
    does not matter to what is written in small letters."""
    wanted, body = " ".join(literal.split()), " ".join(text.split())
    if wanted == wanted.lower():
        body = body.lower()
    at = body.find(wanted)
    while at >= 0:
        if not _is_cut(body, wanted, at):
            return True
        at = body.find(wanted, at + 1)
    return False


def _is_cut(body: str, wanted: str, at: int) -> bool:
    """Whether a word, or an option, goes on before or after what was found."""
    before, after = body[:at][-1:], body[at + len(wanted) :][:2]
    first, last = wanted[0], wanted.rpartition(" ")[2]
    if first.isalnum() or first == "_":
        if before.isalnum() or before == "_":
            return True
    elif first == "-" and (before == "-" or before.isalnum()):
        return True
    if not (last[-1].isalnum() or last[-1] == "_"):
        return False
    if last.startswith("-") and after[:1] == "-":
        after = after[1:]
    return after[:1].isalnum() or after[:1] == "_"


def _is_about(entry: dict[str, Any], files: Sequence[str], text: str) -> bool:
    if text and any(says(text, one) for one in entry["text"]):
        return True
    return any(fits(glob, file) for glob in entry["file"] for file in files)


def fits(glob: str, path: str) -> bool:
    """Whether a path is what a glob names, as git reads it: one without a slash is a name at any
    depth, and a folder stands for all that lies in it."""
    if glob == glob.lower():
        path = path.lower()
    names = [name for name in glob.split("/") if name not in ("", ".")]
    if "/" not in glob.rstrip("/"):
        names = ["**", *names]
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return any(_fits(names, parts[:end]) for end in range(len(parts), 0, -1))


def _fits(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether names with stars are these parts, the first way tried first; both are short."""
    reached = {0}
    for name in names:
        if name == "**":
            reached = set(range(min(reached, default=len(parts) + 1), len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and _is_named(name, parts[at])}
    return len(parts) in reached


def _is_named(name: str, part: str) -> bool:
    """Whether a name with stars and question marks is this one."""
    reached = {0}
    for sign in name:
        if sign == "*":
            reached = set(range(min(reached, default=len(part) + 1), len(part) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(part) and sign in ("?", part[at])}
    return len(part) in reached


def plain(name: str) -> str:
    """A name without what clients write differently."""
    return "".join(sign for sign in name.lower() if sign.isalnum())
