"""The named tasks of a project: Makefile and justfile targets, scripts of package manifests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from loremap.codegraph.module_map.manifests import Manifest, ini_data, table, words_under

_TARGET = re.compile(
    r"^(?P<name>[A-Za-z][\w\-]*)\s*(?P<more>[\w\-\s]*):(?!=)[^#\n]*(?:#+\s*(?P<said>.*))?$"
)
_RECIPE = re.compile(r"^@?(?P<name>[A-Za-z][\w\-]*)(?:\s+[^:]*)?:(?!=)")
_COMMENT = re.compile(r"^#+!?\s*(?P<said>.*)$")
_NOX = re.compile(r"(?m)^@nox\.session[^\n]*\n(?:@[^\n]*\n)*def (\w+)\(")


@dataclass(frozen=True, slots=True)
class Task:
    """A command that the project itself gives a name."""

    name: str
    command: str
    said: str = ""
    """What its comment says."""


def make_tasks(text: str) -> list[Task]:
    """The targets of a Makefile that are no files, in order."""
    return _targets(text, pattern=_TARGET, runner="make")


def just_tasks(text: str) -> list[Task]:
    """The recipes of a justfile."""
    return _targets(text, pattern=_RECIPE, runner="just")


def _targets(text: str, *, pattern: re.Pattern[str], runner: str) -> list[Task]:
    found: dict[str, Task] = {}
    above = ""
    for line in text.splitlines():
        if match := pattern.match(line):
            said = match.groupdict().get("said") or above
            for name in [match["name"], *(match.groupdict().get("more") or "").split()]:
                found.setdefault(name, Task(name, f"{runner} {name}", said.strip()))
        if not line.startswith(".PHONY"):
            comment = _COMMENT.match(line)
            above = comment["said"] if comment else ""
    return list(found.values())


def script_tasks(names: Iterable[str], *, runner: str) -> list[Task]:
    """Scripts as their runner starts them; `npm test` needs no `run`."""
    return [
        Task(
            name,
            f"{runner.removesuffix(' run')} {name}"
            if _is_short(name, runner)
            else f"{runner} {name}",
        )
        for name in names
    ]


def _is_short(name: str, runner: str) -> bool:
    return runner in {"pnpm run", "yarn run"} or (runner == "npm run" and name in {"test", "start"})


def node_tasks(manifest: Manifest, tool: str) -> list[Task]:
    """The scripts of a package.json."""
    names = words_under(table(manifest.data, "scripts"))
    return script_tasks(
        [name for name in names if not name.startswith(("pre", "post"))], runner=f"{tool} run"
    )


def python_tasks(manifests: Sequence[Manifest], texts: Mapping[str, str]) -> list[Task]:
    """The scripts of hatch, pdm and poe, the sessions of nox and the environments of tox."""
    found = list[Task]()
    for manifest in manifests:
        tools = table(manifest.data, "tool")
        found += script_tasks(words_under(table(tools, "pdm", "scripts")), runner="pdm run")
        found += script_tasks(words_under(table(tools, "poe", "tasks")), runner="poe")
        hatch = table(tools, "hatch", "envs", "default", "scripts")
        found += script_tasks(words_under(hatch), runner="hatch run")
        found += _tox_tables(table(tools, "tox"))
    found += [Task(name, f"nox -s {name}") for name in _NOX.findall(texts.get("noxfile.py", ""))]
    return found + _tox_sections(ini_data(texts.get("tox.ini", "")))


def _tox_tables(tox: Mapping[str, object]) -> list[Task]:
    names = [name for name in words_under(table(tox, "env")) if re.fullmatch(r"[a-z\-]+", name)]
    tasks = [Task(name, f"tox run -e {name}") for name in names]
    return [*tasks, Task("tox", "tox run")] if tox else []


def _tox_sections(sections: Mapping[str, Mapping[str, str]]) -> list[Task]:
    found = list[Task]()
    if "testenv" in sections:
        plain = _tox_command(sections["testenv"])
        found.append(Task("test", plain or "tox"))
    for name in sections:
        label = name.removeprefix("testenv:")
        if label != name and re.fullmatch(r"[a-z][a-z\-]*", label):
            found.append(Task(label, f"tox -e {label}"))
    return found


def _tox_command(section: Mapping[str, str]) -> str:
    """The one command of an environment as a person would type it; empty where there are more."""
    lines = [line.strip() for line in section.get("commands", "").splitlines() if line.strip()]
    if len(lines) != 1 or "{env:" in lines[0] or "\\" in lines[0]:
        return ""
    bare = re.sub(r"\{envpython\}", "python", lines[0])
    bare = re.sub(r"\s*\{posargs[^}]*\}", "", bare)
    if "{" in bare:
        return ""
    folder = section.get("changedir", "") or section.get("change_dir", "")
    return f"cd {folder} && {bare}" if folder and "{" not in folder else bare
