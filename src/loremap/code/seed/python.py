"""Conventions of a Python project: pyproject.toml, setup.cfg, tox.ini."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.code.documents.reading import ini_data, section, string, strings, toml_data
from loremap.code.seed.python_style import black, flake8, isort, mypy, pyright, ruff
from loremap.code.seed.value import Seed, Source, listing
from loremap.model.kind import Kind

_LOCKS = {
    "uv.lock": ("uv", "uv add"),
    "poetry.lock": ("Poetry", "poetry add"),
    "pdm.lock": ("PDM", "pdm add"),
    "Pipfile.lock": ("Pipenv", "pipenv install"),
    "pixi.lock": ("pixi", "pixi add"),
}
_FRAMEWORKS = {
    "django": "Django",
    "flask": "Flask",
    "fastapi": "FastAPI",
    "starlette": "Starlette",
    "litestar": "Litestar",
    "aiohttp": "aiohttp",
    "sqlalchemy": "SQLAlchemy",
    "pydantic": "Pydantic",
    "celery": "Celery",
    "werkzeug": "Werkzeug",
    "jinja2": "Jinja",
    "httpx": "HTTPX",
    "numpy": "NumPy",
    "scipy": "SciPy",
    "matplotlib": "Matplotlib",
    "xarray": "xarray",
    "pandas": "pandas",
    "polars": "Polars",
    "torch": "PyTorch",
    "tensorflow": "TensorFlow",
    "scikit-learn": "scikit-learn",
    "click": "Click",
    "typer": "Typer",
    "streamlit": "Streamlit",
}
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def pyproject_seeds(source: Source) -> Iterator[Seed]:
    """What pyproject.toml settles."""
    data = toml_data(source.text)
    project, tools = section(data, "project"), section(data, "tool")
    yield from _python_version(
        string(project, "requires-python")
        or string(section(tools, "poetry", "dependencies"), "python"),
        source,
    )
    yield from _dependencies(project, tools, source)
    if source.neighbours.isdisjoint({"ruff.toml", ".ruff.toml"}):  # those replace this section
        yield from ruff(section(tools, "ruff"), source, under="[tool.ruff")
    yield from black(section(tools, "black"), source, present=isinstance(tools.get("black"), dict))
    yield from isort(section(tools, "isort"), source)
    yield from mypy(section(tools, "mypy"), source, present=isinstance(tools.get("mypy"), dict))
    yield from pyright(
        section(tools, "pyright"), source, present=isinstance(tools.get("pyright"), dict)
    )
    pytest = section(tools, "pytest", "ini_options") or section(tools, "pytest")
    yield from _pytest(pytest, source, under="[tool.pytest")
    yield from _other_tools(tools, source)


def setup_cfg_seeds(source: Source) -> Iterator[Seed]:
    """What setup.cfg or tox.ini settles."""
    data = ini_data(source.text)
    options: dict[str, object] = dict(data.get("options", {}))
    yield from _python_version(string(options, "python_requires"), source)
    yield from flake8(data.get("flake8", {}), source, present="flake8" in data)
    yield from isort(dict(data.get("isort", {})), source)
    mypy_section: dict[str, object] = dict(data.get("mypy", {}))
    yield from mypy(mypy_section, source, present="mypy" in data)
    for name in ("tool:pytest", "pytest"):
        if name in data:
            yield from _pytest(_split_lists(data[name]), source, under=f"[{name}]")
    if "tox" in data:
        yield from _tox(
            re.split(r"[\s,]+", data["tox"].get("envlist", "") or data["tox"].get("env_list", "")),
            source,
            "envlist",
        )


def _python_version(wanted: str, source: Source) -> Iterator[Seed]:
    if not re.fullmatch(r"[\d.,<>=!~^* |]+", wanted):
        return
    oldest = re.fullmatch(r">=\s*(\d+\.\d+)(?:\.0)?", wanted)
    text = (
        f"The code must run on Python {oldest[1]} and newer."
        if oldest
        else f"The code must run on Python {wanted}."
    )
    line = source.line_of("requires-python") or 1
    if "requires-python" not in source.text:
        line = source.line_of("\npython")
    yield Seed(
        text=text,
        file=source.path,
        line=line,
        tags=("python",),
        importance=0.78,
        about="python version",
    )


def _dependencies(
    project: dict[str, object], tools: dict[str, object], source: Source
) -> Iterator[Seed]:
    for lock, (tool, command) in _LOCKS.items():
        if lock in source.neighbours:
            yield Seed(
                text=f"Dependencies are managed with {tool} ({lock}): add one with `{command}`.",
                file=source.path,
                line=source.line_of("\n[project]") if project else 1,
                tags=("python", "dependencies"),
                importance=0.76,
                about="python dependencies",
            )
            break
    named = [
        *strings(project.get("dependencies")),
        *section(tools, "poetry", "dependencies"),
    ]
    own = string(project, "name").lower()
    found = {name[0].lower() for each in named if (name := _NAME.match(each)) is not None}
    used = [title for name, title in _FRAMEWORKS.items() if name in found and name != own]
    if used:
        yield Seed(
            text=f"The Python code is built on {listing(used[:6])}.",
            kind=Kind.ARCHITECTURE,
            file=source.path,
            line=source.line_of("\ndependencies"),
            tags=("python", "stack"),
            importance=0.66,
            about="python stack",
        )


def _pytest(options: dict[str, object], source: Source, *, under: str) -> Iterator[Seed]:
    def seed(text: str, key: str, importance: float) -> Seed:
        return Seed(
            text=text,
            file=source.path,
            line=source.line_of(under, key),
            tags=("python", "testing"),
            importance=importance,
        )

    wanted = " ".join(strings(options.get("addopts")))
    paths = [path.rstrip("/") for path in strings(options.get("testpaths"))]
    if paths:
        text = f"Tests are run by pytest and live in {listing(f'{path}/' for path in paths[:4])}."
        yield seed(text, "testpaths", 0.72)
    if "error" in strings(options.get("filterwarnings")) or " -W error" in f" {wanted}":
        yield seed("A warning fails the tests (pytest's filterwarnings is `error`).", "error", 0.76)
    if "--strict-markers" in wanted:
        yield seed(
            f"A new pytest marker must be registered in {source.path} (`--strict-markers`).",
            "--strict-markers",
            0.66,
        )
    if str(options.get("asyncio_mode", "")) == "auto":
        yield seed(
            "Async tests need no `@pytest.mark.asyncio` (pytest's asyncio_mode is `auto`).",
            "asyncio_mode",
            0.7,
        )
    if str(options.get("xfail_strict", "")).lower() == "true":
        yield seed(
            "A test marked xfail that passes fails the run (pytest's xfail_strict).",
            "xfail_strict",
            0.6,
        )


def _other_tools(tools: dict[str, object], source: Source) -> Iterator[Seed]:
    def seed(text: str, *needles: str, importance: float, tag: str) -> Seed:
        line = source.line_of(*needles)
        return Seed(
            text=text, file=source.path, line=line, tags=("python", tag), importance=importance
        )

    least = string(section(tools, "coverage", "report"), "fail_under")
    if least:
        text = f"Test coverage must stay at {least} % or more."
        yield seed(text, "[tool.coverage", "fail_under", importance=0.76, tag="testing")
    news = section(tools, "towncrier")
    if news:
        folder = string(news, "directory")
        text = f"Changes are announced by a news fragment in {folder.rstrip('/')}/ (towncrier)."
        yield seed(
            text if folder else "Changes are announced by a news fragment (towncrier).",
            "[tool.towncrier",
            "directory",
            importance=0.74,
            tag="commits",
        )
    if "commitizen" in tools:
        text = "Commit messages follow Conventional Commits (commitizen)."
        yield seed(text, "[tool.commitizen", importance=0.76, tag="commits")
    contracts = section(tools, "importlinter").get("contracts")
    for contract in contracts if isinstance(contracts, list) else []:
        name = string(section(contract), "name")
        if name:
            text = f"Imports are checked by import-linter: {name.rstrip('.')}."
            yield seed(text, "[tool.importlinter", name, importance=0.8, tag="imports")
    tox = section(tools, "tox")
    yield from _tox(
        strings(tox.get("env_list")) or strings(tox.get("envlist")), source, "[tool.tox"
    )


def _tox(environments: list[str], source: Source, needle: str) -> Iterator[Seed]:
    """Names the environments that are checks; those for interpreter versions go without saying."""
    checks = [
        name
        for name in environments
        if re.fullmatch(r"[a-z][a-z_-]+", name) and not re.match(r"py|pypy|env", name)
    ]
    if checks:
        others = listing(checks[:10])
        text = f"Checks run through tox, as `tox -e NAME`; besides the tests there are {others}."
        yield Seed(
            text=text,
            kind=Kind.PROCEDURE,
            file=source.path,
            line=source.line_of(needle),
            tags=("python", "testing"),
            importance=0.7,
            about="tox",
        )


def _split_lists(options: dict[str, str]) -> dict[str, object]:
    """INI options with the values that pytest reads as lists split as it splits them."""
    lists: dict[str, object] = dict(options)
    lists["testpaths"] = options.get("testpaths", "").split()
    lists["filterwarnings"] = [
        line.strip() for line in options.get("filterwarnings", "").split("\n")
    ]
    lists["addopts"] = [" ".join(options.get("addopts", "").split())]
    return lists
