"""The named tasks of a project: Makefile, Taskfile, justfile, scripts of manifests and their kin."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from loremap.code.commands.value import Task
from loremap.code.documents.reading import ini_data, json_data, section, toml_data
from loremap.code.documents.yaml_marks import entries
from loremap.errors import BadInput

MAX_TASKS = 300
_TARGET = re.compile(
    r"^(?P<name>[A-Za-z][\w\-]*)\s*(?P<more>[\w\-\s]*):(?!=)(?P<needs>[^#\n=]*)(?:#+\s*(?P<said>.*))?$"
)
_RECIPE = re.compile(r"^@?(?P<name>[A-Za-z][\w\-]*)(?:\s+[^:]*)?:(?!=)(?P<needs>[^#\n]*)")
_COMMENT = re.compile(r"^#+!?\s*(?P<said>.*)$")
_NOX = re.compile(
    r"^@nox\.session(?P<given>\([^)]*\))?[^\n]*\n(?:@[^\n]*\n)*def (?P<name>\w+)\([^\n]*\n(?P<body>(?:[ \t]+[^\n]*\n|\n)*)",
    re.MULTILINE,
)
_NOX_RUN = re.compile(r"session\.run\(\s*((?:\s*['\"][^'\"\n]*['\"],?\s*)+)")
_QUOTED = re.compile(r"['\"]([^'\"\n]*)['\"]")
_MAGE = re.compile(r"^((?://[^\n]*\n)*)func ([A-Z]\w*)\((?:ctx context\.Context)?\)[^\n]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)  # fmt: skip
_RAKE = re.compile(r"^[ \t]*(?:desc ['\"]([^'\"\n]*)['\"]\s*\n\s*)?(?:\w+::)*(?:task|Task|RakeTask\.new|TestTask\.new)[ (]+:?['\"]?([\w:]+)", re.MULTILINE)  # fmt: skip
_XTASK = re.compile(
    r"(?:Subcommand|Some\(\"|^\s*\"|\b)(?P<name>[a-z][\w-]*)\"\)?\s*=>", re.MULTILINE
)


def make_tasks(path: str, text: str) -> Iterator[Task]:
    """The targets of a Makefile that are no files."""
    yield from _targets(path, text, pattern=_TARGET, runner="make")


def just_tasks(path: str, text: str) -> Iterator[Task]:
    """The recipes of a justfile."""
    yield from _targets(path, text, pattern=_RECIPE, runner="just")


def _targets(path: str, text: str, *, pattern: re.Pattern[str], runner: str) -> Iterator[Task]:
    above = ""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        match = pattern.match(line)
        if match:
            said = (match.groupdict().get("said") or above).strip()
            needs = [
                f"{runner} {need}"
                for need in match["needs"].split()
                if re.fullmatch(r"[\w-]+", need)
            ]
            body = (*needs, *_recipe(lines, at + 1))
            for name in [match["name"], *(match.groupdict().get("more") or "").split()]:
                yield Task(
                    name=name, line=f"{runner} {name}", file=path, at=at + 1, body=body, words=said
                )
        if not line.startswith(".PHONY"):
            comment = _COMMENT.match(line)
            above = comment["said"] if comment else ""


def _recipe(lines: list[str], begin: int) -> list[str]:
    found = list[str]()
    for line in lines[begin : begin + 30]:
        if line.strip() and not line[:1].isspace():
            break
        if line.strip():
            found.append(line.strip().lstrip("@-").strip())
    return found


def taskfile_tasks(path: str, text: str) -> Iterator[Task]:
    """The tasks of a Taskfile, under their names and aliases."""
    bodies: dict[str, list[str]] = {}
    said, lines, hidden = dict[str, str](), dict[str, int](), set[str]()
    for entry in entries(text):
        match entry.path:
            case ("tasks", name, "desc" | "summary"):
                said.setdefault(name, entry.value)
            case ("tasks", name, "internal"):
                hidden.add(name)
            case ("tasks", name, "cmds" | "cmd", *rest) if (
                not rest or rest[-1] in ("cmd", "task") or len(rest) == 1
            ):
                called = bool(rest) and rest[-1] == "task"
                bodies.setdefault(name, []).append(f"task {entry.value}" if called else entry.value)
            case ("tasks", name):
                bodies.setdefault(name, []).append(entry.value)
            case _:
                pass
        if entry.path[:1] == ("tasks",) and len(entry.path) > 1:
            lines.setdefault(
                entry.path[1], _line_of(text, rf"^\s+['\"]?{re.escape(entry.path[1])}['\"]?:")
            )
    for name, at in lines.items():
        if name not in hidden:
            body = tuple(bodies.get(name, ()))
            line = "task" if name == "default" else f"task {name}"
            yield Task(name=name, line=line, file=path, at=at, body=body, words=said.get(name, ""))


def package_tasks(path: str, text: str, runner: str) -> Iterator[Task]:
    """The scripts of a package.json; npm, pnpm, yarn or bun runs them."""
    scripts = section(json_data(text), "scripts")
    for name, body in scripts.items():
        hooks = name.startswith(("pre", "post")) and re.sub("^(?:pre|post)", "", name) in scripts
        if isinstance(body, str) and not hooks and "no test specified" not in body:
            short = runner in ("pnpm", "yarn") or (runner == "npm" and name in ("test", "start"))
            line = f"{runner} {name}" if short else f"{runner} run {name}"
            at = _line_of(text, rf'^\s*"{re.escape(name)}"\s*:', after=_line_of(text, r'"scripts"'))
            yield Task(
                name=name, line=line, file=path, at=at, body=tuple(split(body)), cwd=_folder(path)
            )


def composer_tasks(path: str, text: str) -> Iterator[Task]:
    """The scripts of a composer.json."""
    data = json_data(text)
    told = section(data, "scripts-descriptions")
    for name, body in section(data, "scripts").items():
        lines = [body] if isinstance(body, str) else body if isinstance(body, list) else []
        if not name.endswith("-cmd") and not name.startswith(("post-", "pre-")):
            bodies = tuple(
                str(one).replace("@php ", "php ").replace("@", "composer ") for one in lines
            )
            at = _line_of(text, rf'^\s*"{re.escape(name)}"\s*:', after=_line_of(text, r'"scripts"'))
            yield Task(
                name=name,
                line=f"composer {name}",
                file=path,
                at=at,
                body=bodies,
                words=str(told.get(name, "")),
            )


def python_tasks(path: str, text: str) -> Iterator[Task]:
    """The scripts of poe, pdm and hatch, and the environments of tox, in pyproject.toml."""
    tools = section(toml_data(text), "tool")
    yield from _scripts(path, text, section(tools, "poe", "tasks"), "poe ")
    yield from _scripts(path, text, section(tools, "pdm", "scripts"), "pdm run ")
    yield from _scripts(path, text, section(tools, "taskipy", "tasks"), "task ")
    yield from _scripts(path, text, section(tools, "rye", "scripts"), "rye run ")
    yield from _hatch(path, text, section(tools, "hatch", "envs"))
    if "env_run_base" in section(tools, "tox"):
        at = _line_of(text, r"tox\.env_run_base")
        yield Task(name="test", line="tox", file=path, at=at, body=("pytest",))
    for name in section(tools, "tox", "env"):
        yield Task(
            name=name,
            line=f"tox run -e {name}",
            file=path,
            at=_line_of(text, rf"tox.env.{re.escape(name)}"),
        )


def hatch_tasks(path: str, text: str) -> Iterator[Task]:
    """The scripts of hatch.toml."""
    yield from _hatch(path, text, section(toml_data(text), "envs"))


def _hatch(path: str, text: str, envs: Mapping[str, object]) -> Iterator[Task]:
    for env in envs:
        prefix = "hatch run " if env == "default" else f"hatch run {env}:"
        after = _line_of(text, rf"envs\.{re.escape(env)}\.scripts")
        yield from _scripts(path, text, section(envs, env, "scripts"), prefix, env=env, after=after)


def _scripts(path: str, text: str, found: Mapping[str, object], prefix: str, *, env: str = "default", after: int = 0) -> Iterator[Task]:  # fmt: skip
    for name, body in found.items():
        if isinstance(body, Mapping):
            body = body.get("cmd", body.get("shell", body.get("composite", "")))
        lines = [body] if isinstance(body, str) else body if isinstance(body, list) else []
        at = _line_of(text, rf"^\s*['\"]?{re.escape(name)}['\"]?\s*=", after=after)
        own = name if env == "default" else f"{env}-{name}"
        if not name.startswith("_"):
            bodies = tuple(re.sub(r"\{args:?([^}]*)\}", r"\1", str(one)) for one in lines)
            yield Task(name=own, line=f"{prefix}{name}", file=path, at=at, body=bodies)


def tox_tasks(path: str, text: str) -> Iterator[Task]:
    """The environments of tox.ini."""
    for name, own in ini_data(text).items():
        label = name.removeprefix("testenv:")
        body = tuple(line.strip() for line in own.get("commands", "").splitlines() if line.strip())
        body = tuple(
            re.sub(r"\{posargs:?([^}]*)\}|\{env\w*\}", r"\1", line).strip() for line in body
        )
        at = _line_of(text, rf"^\[{re.escape(name)}\]")
        if name == "testenv":
            yield Task(name="test", line="tox", file=path, at=at, body=body)
        elif label != name and re.fullmatch(r"[a-z][\w\-]*", label):
            yield Task(name=label, line=f"tox -e {label}", file=path, at=at, body=body)


def nox_tasks(path: str, text: str) -> Iterator[Task]:
    """The sessions of a noxfile."""
    for match in _NOX.finditer(text):
        named = re.search(r"name\s*=\s*['\"]([\w-]+)", match["given"] or "")
        name = named[1] if named else match["name"]
        body = tuple(" ".join(_QUOTED.findall(run)) for run in _NOX_RUN.findall(match["body"]))
        at = text.count("\n", 0, match.start("name")) + 1
        yield Task(name=name, line=f"nox -s {name}", file=path, at=at, body=body)


def mage_tasks(path: str, text: str) -> Iterator[Task]:
    """The exported functions of a magefile."""
    for match in _MAGE.finditer(text):
        name = match[2][0].lower() + match[2][1:]
        at = text.count("\n", 0, match.start(2)) + 1
        words = " ".join(line.lstrip("/ ") for line in match[1].splitlines())
        yield Task(
            name=name,
            line=f"mage {name}",
            file=path,
            at=at,
            words=words,
            body=tuple(_mage_body(match[3])),
        )


def _mage_body(code: str) -> Iterator[str]:
    for run in re.findall(r"(?:runCmd|sh\.Run\w*|runWith|sh\.Exec\w*)\(([^)]*)\)", code):
        words = _QUOTED.findall(run)
        if words:
            yield " ".join(["go", *words] if "goexe" in run.lower() or "Go(" in run else words)


def rake_tasks(path: str, text: str) -> Iterator[Task]:
    """The tasks of a Rakefile."""
    for match in _RAKE.finditer(text):
        at = text.count("\n", 0, match.start(2)) + 1
        line = "bundle exec rake" if match[2] == "default" else f"bundle exec rake {match[2]}"
        yield Task(name=match[2], line=line, file=path, at=at, words=match[1] or "")


def cargo_tasks(path: str, text: str) -> Iterator[Task]:
    """The aliases of .cargo/config.toml."""
    for name, body in section(toml_data(text), "alias").items():
        line = " ".join(map(str, body)) if isinstance(body, list) else str(body)
        at = _line_of(text, rf"^\s*{re.escape(name)}\s*=")
        yield Task(name=name, line=f"cargo {name}", file=path, at=at, body=(f"cargo {line}",))


def xtask_tasks(path: str, text: str) -> Iterator[Task]:
    """The subcommands that an xtask's main program matches by name."""
    for match in _XTASK.finditer(text):
        at = text.count("\n", 0, match.start("name")) + 1
        yield Task(name=match["name"], line=f"cargo xtask {match['name']}", file=path, at=at)


def preset_tasks(path: str, text: str) -> Iterator[Task]:
    """The first visible workflow, build and test presets of CMake."""
    data = json_data(text)
    for key, line, name in (
        ("workflowPresets", "cmake --workflow --preset", "workflow"),
        ("buildPresets", "cmake --build --preset", "build"),
        ("testPresets", "ctest --preset", "test"),
    ):
        presets = data.get(key)
        shown = (
            [p for p in presets if isinstance(p, Mapping) and not p.get("hidden")]
            if isinstance(presets, list)
            else []
        )
        if len(shown) == 1 and isinstance(shown[0].get("name"), str):
            at = _line_of(text, rf'"{key}"')
            yield Task(name=name, line=f"{line} {shown[0]['name']}", file=path, at=at)


def mise_tasks(path: str, text: str) -> Iterator[Task]:
    """The tasks of mise.toml."""
    for name, own in section(toml_data(text), "tasks").items():
        run = own.get("run", "") if isinstance(own, Mapping) else own
        lines = [run] if isinstance(run, str) else run if isinstance(run, list) else []
        said = str(own.get("description", "")) if isinstance(own, Mapping) else ""
        at = _line_of(text, rf"{re.escape(name)}")
        yield Task(
            name=name,
            line=f"mise run {name}",
            file=path,
            at=at,
            body=tuple(map(str, lines)),
            words=said,
        )


Reader = Callable[[str, str], Iterable[Task]]
READERS: tuple[tuple[str, Reader], ...] = (
    (r"(?:GNU|[Mm])akefile", make_tasks),
    (r"[Tt]askfile(?:\.dist)?\.ya?ml", taskfile_tasks),
    (r"\.?[Jj]ustfile", just_tasks),
    (r"composer\.json", composer_tasks),
    (r"pyproject\.toml", python_tasks),
    (r"hatch\.toml", hatch_tasks),
    (r"tox\.ini", tox_tasks),
    (r"noxfile\.py", nox_tasks),
    (r"magefiles?/?\w*\.go", mage_tasks),
    (r"Rakefile", rake_tasks),
    (r"\.cargo/config(?:\.toml)?", cargo_tasks),
    (r"(?:crates/)?xtask/src/(?:main|flags)\.rs", xtask_tasks),
    (r"CMakePresets\.json", preset_tasks),
    (r"\.?mise\.toml", mise_tasks),
)
"""Who reads which file of a root; package.json needs to know its manager besides."""


def tasks(texts: Mapping[str, str], runner: str) -> list[Task]:
    """The tasks that the files of the root name; `runner` runs the scripts of package.json."""
    found = list[Task]()
    for path, text in texts.items():
        readers = [reader for pattern, reader in READERS if re.fullmatch(pattern, path)]
        try:
            if path == "package.json":
                found += list(package_tasks(path, text, runner))[:MAX_TASKS]
            for reader in readers:
                found += list(reader(path, text))[:MAX_TASKS]
        except BadInput:
            continue  # a broken file names no task
    return found


def split(body: str) -> list[str]:
    """The single commands of a line of shell, as far as signs outside quotes part them."""
    return [
        part.strip()
        for part in re.split(
            r"\s*(?:&&|\|\||;|(?<![&>\d])&(?!&))\s*(?=(?:[^\"']|\"[^\"]*\"|'[^']*')*$)", body
        )
        if part.strip()
    ]


def _line_of(text: str, pattern: str, *, after: int = 0) -> int:
    begin = 0
    for _ in range(max(after - 1, 0)):
        begin = text.find("\n", begin) + 1
    found = re.compile(pattern, re.MULTILINE).search(text, begin)
    return text.count("\n", 0, found.start()) + 1 + (found.group().startswith("\n")) if found else 1


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
