"""What a tool does, by its name and its input: the command, the files, the text, the task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from loremap.clients.payloads.moments import plain
from loremap.clients.payloads.patches import (
    PATCH_BEGINS,
    added_text,
    changed_lines,
    patched_files,
    removed_text,
    told,
)
from loremap.clients.payloads.payload import Raw, items, mapping, text, whole
from loremap.model import shell_steps
from loremap.model.hook import FileUse, Operation, ToolCall

_NAMES: dict[Operation, str] = {
    Operation.RUN: "bash shell localshell execcommand runshellcommand runcommand runcommands "
    "executecommand runinterminal terminal powershell containerexec execute",
    Operation.EDIT: "edit multiedit applypatch patch replace strreplace strreplaceeditor "
    "strreplacebasededittool editfile editfiles replaceinfile searchreplace notebookedit "
    "editor inserteditintofile replacestringinfile multireplacestringinfile editnotebookfile",
    Operation.WRITE: "write writefile writetofile create createfile savefile newfile",
    Operation.READ: "read readfile readfiles view notebookread readmanyfiles openfile",
    Operation.SEARCH: "grep glob search searchfiles listfiles ls list listdir listdirectory "
    "codebasesearch searchcodebase codebase findfiles filesearch grepsearch textsearch "
    "searchfilecontent semanticsearch findtext rg",
    Operation.ANALYZE: "lsp diagnostics geterrors problems listcodedefinitionnames usages",
}
_OPERATIONS = {name: operation for operation, names in _NAMES.items() for name in names.split()}
_TASKS = frozenset(
    "task agent spawnagent newtask runsubagent usesubagents delegatetoagent teamruntask".split()
)
PATHS = (
    *("file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file"),
    *("targetFile", "filename", "file", "relative_path", "uri", "TargetFile", "AbsolutePath"),
)
_LISTS = ("files", "paths", "file_paths", "filePaths")
COMMANDS = ("command", "cmd", "CommandLine", "script")
_FOLDERS = ("workdir", "cwd", "working_directory", "workingDirectory")
NEW = (
    *("content", "new_string", "newString", "new_str", "file_text", "contents", "new_source"),
    *("newText", "new_text", "insert_text", "code", "replacement", "diff"),
)
_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text")
_PATCHES = ("patch", "patchText", "input", "patch_text", "command", "cmd")
_PROMPTS = ("prompt", "message", "task", "query", "instructions")
_REASONS = ("description", "explanation", "reason", "justification", "intent", "goal", "title")
MAX_FILES = 50


def operation_of(name: str) -> Operation | None:
    """What a tool of that name does with files; None for one that has to do with none."""
    return _OPERATIONS.get(plain(name)) or _OPERATIONS.get(plain(_own_name(name)))


def names_of(operation: Operation) -> list[str]:
    """The tools that do this, as `plain` writes their names."""
    return _NAMES[operation].split()


def _own_name(name: str) -> str:
    """A tool's name without the server it came from."""
    return name.rpartition("__")[2].rpartition(".")[2]


def starts_subagent(name: str) -> bool:
    """Whether a tool of that name gives a task on."""
    return plain(_own_name(name)) in _TASKS


def called(name: str, given: Raw, *, use_id: str | None = None) -> ToolCall:
    """The call of a tool, before it has run."""
    operation = operation_of(name)
    patch = _patch(given)
    command = _command(given) if operation is Operation.RUN else ""
    files = _patch_uses(patch) if patch else _uses(given, operation, command)
    new = added_text(patch) if patch else _new_text(given)
    writes = bool(patch) or operation in (Operation.EDIT, Operation.WRITE)
    return ToolCall(
        name=name,
        use_id=use_id or None,
        command=command or None,
        files=tuple(files)[:MAX_FILES],
        text=(new or None) if writes else None,
        replaced=(removed_text(patch) if patch else _old_text(given)) if writes else "",
        task=(text(given, *_PROMPTS) or None) if starts_subagent(name) else None,
        why=text(given, *_REASONS),
        input=given,
    )


def _command(given: Raw) -> str:
    """The command line; several of them are lines."""
    if line := text(given, *COMMANDS, "commands"):
        return line
    words = [word for word in items(given, *COMMANDS) if isinstance(word, str)]
    if len(words) == 3 and words[1] in ("-lc", "-c"):
        return words[2]  # the shell that runs it is no part of what is run
    return " ".join(words) or "\n".join(filter(None, map(_one_command, items(given, "commands"))))


def _one_command(given: Any) -> str:
    if not isinstance(given, dict):
        return given if isinstance(given, str) else ""
    arguments = [word for word in items(given, "args") if isinstance(word, str)]
    return " ".join([text(given, *COMMANDS), *arguments]).strip()


def _patch(given: Raw) -> str:
    for name in _PATCHES:
        value = given.get(name)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str) and PATCH_BEGINS in part:
                return part
    return ""


def _patch_uses(patch: str) -> Iterator[FileUse]:
    for file in patched_files(patch):
        operation = Operation.WRITE if file.is_new else Operation.EDIT
        yield FileUse(path=file.path, operation=operation, changed=file.changed)


def _uses(given: Raw, operation: Operation | None, command: str) -> Iterator[FileUse]:
    if operation is Operation.RUN:
        yield from _read_by(command, text(given, *_FOLDERS))
    if operation is None or operation is Operation.RUN:
        return
    actual = _editor_operation(given, operation)
    changed = _changed(given, actual)
    if path := text(given, *PATHS):
        yield FileUse(
            path=_local(path), operation=actual, lines=_lines(given, actual), changed=changed
        )
    for item in items(given, *_LISTS):
        if isinstance(item, str) and item:
            yield FileUse(path=_local(item), operation=actual)
        elif isinstance(item, dict) and (path := text(item, *PATHS)):
            yield FileUse(path=_local(path), operation=actual, changed=_changed(item, actual))


def _read_by(command: str, folder: str) -> Iterator[FileUse]:
    """The files that a command line prints or looks in."""
    for operation, paths in (
        (Operation.READ, shell_steps.reads(command)),
        (Operation.SEARCH, shell_steps.searched(command)),
    ):
        for path in paths:
            whole_path = str(PurePath(folder, path)) if folder else path
            yield FileUse(path=whole_path, operation=operation)


def _local(path: str) -> str:
    return path.removeprefix("file://")


def _editor_operation(given: Raw, operation: Operation) -> Operation:
    """One tool of some clients views, makes and edits, as its `command` says."""
    return {
        "view": Operation.READ,
        "create": Operation.WRITE,
    }.get(text(given, "command"), operation)


def _lines(given: Raw, operation: Operation) -> tuple[int, int] | None:
    """The lines a tool asks for, where it says."""
    if operation is not Operation.READ:
        return None
    if (view := items(given, "view_range")) and all(isinstance(line, int) for line in view):
        return (view[0], max(view[0], view[-1]))
    first = whole(given, "offset", "start_line", "startLine", "line_start", "startLineNumber")
    last = whole(given, "end_line", "endLine", "line_end", "endLineNumber")
    count = whole(given, "limit")
    if last is None and count is not None:
        first = 1 if first is None else first
        last = first + count - 1
    if first is None or last is None:
        return None
    return (max(first, 0), max(first, last))


def _edits(given: Raw) -> list[Raw]:
    many: list[Raw] = [
        edit for edit in items(given, "edits", "replacements") if isinstance(edit, dict)
    ]
    return many or [given]


def _changed(given: Raw, operation: Operation) -> str:
    if operation is Operation.WRITE:
        return changed_lines("", _new_text(given))
    if operation is not Operation.EDIT:
        return ""
    return changed_lines(_old_text(given), _new_text(given))


def _old_text(given: Raw) -> str:
    return "\n".join(text(edit, *_OLD) for edit in _edits(given)).strip("\n")


def _new_text(given: Raw) -> str:
    return "\n".join(text(edit, *NEW) for edit in _edits(given)).strip("\n")


def given_input(raw: Raw, *names: str) -> Raw:
    """A tool's input, whichever field holds it; text that is no JSON is kept as `input`."""
    if found := mapping(raw, *names):
        return found
    plain_text = text(raw, *names)
    return {"input": plain_text} if plain_text else {}


def edited_in(response: Any, files: tuple[FileUse, ...]) -> tuple[FileUse, ...]:
    """`files` with the lines and counts that a client's own patch of the result tells."""
    hunks = items(response, "structuredPatch") if isinstance(response, dict) else []
    whole_hunks = [hunk for hunk in hunks if isinstance(hunk, dict)]
    if len(files) != 1 or not whole_hunks:
        return files
    lines = [line for hunk in whole_hunks for line in items(hunk, "lines") if isinstance(line, str)]
    starts = [start for hunk in whole_hunks if (start := whole(hunk, "newStart")) is not None]
    ends = [
        start + (whole(hunk, "newLines") or 1) - 1
        for hunk, start in zip(whole_hunks, starts, strict=False)
    ]
    changed = told(*(_marked(lines, sign) for sign in "+-"))
    span = (min(starts), max(ends)) if starts else None
    use = files[0]
    return (
        FileUse(path=use.path, operation=use.operation, lines=span, changed=changed or use.changed),
    )


def _marked(lines: Iterable[str], sign: str) -> Iterator[str]:
    """The lines of a patch that bear a sign, without it."""
    return (line[1:] for line in lines if line.startswith(sign))
