"""What runs a project's tests, and where that is configured."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from loremap.code.documents.reading import section
from loremap.code.module_map.manifests import Manifest
from loremap.code.module_map.packages import declared_in
from loremap.code.module_map.project_view import ProjectView
from loremap.model.module import BuildSystem, TestFramework

_NODE = ("vitest", "jest", "mocha", "ava", "jasmine", "tap", "@playwright/test", "cypress", "uvu")
_OF_TOOL = {
    "cargo": ("cargo test", "Cargo.toml"),
    "go": ("go test", "go.mod"),
    "maven": ("JUnit", "pom.xml"),
    "gradle": ("JUnit", "build.gradle"),
    "deno": ("deno test", "deno.json"),
    "dotnet": ("dotnet test", ""),
    "swift": ("XCTest", "Package.swift"),
    "cmake": ("ctest", "CMakeLists.txt"),
    "sbt": ("ScalaTest", "build.sbt"),
    "composer": ("phpunit", "phpunit.xml"),
}


def test_framework(
    project: ProjectView, build: BuildSystem, manifests: Sequence[Manifest]
) -> TestFramework:
    """The framework of the project's main tool."""
    run, paths = build.commands.get("test", ""), frozenset(project.paths)
    if build.tool in {"npm", "pnpm", "yarn", "bun"}:
        tool, config = _node(manifests, paths, run)
    elif build.tool in {"pip", "uv", "poetry", "pdm", "hatch", "pipenv"}:
        tool, config = _python(manifests, project.texts, paths, run)
    elif build.tool == "bundler":
        rspec = "rspec" in run
        tool, config = ("rspec", ".rspec") if rspec else ("minitest", "Rakefile")
    else:
        tool, config = _OF_TOOL.get(build.tool, ("", ""))
    return TestFramework(tool=tool, config_file=config if config in paths else "", run_command=run)


def _node(manifests: Sequence[Manifest], paths: frozenset[str], run: str) -> tuple[str, str]:
    packages = [manifest for manifest in manifests if manifest.file == "package.json"]
    needs = {name for manifest in packages for name in declared_in(manifest)}
    scripts = " ".join(str(line) for one in packages[:1] for line in _tests(one))
    named = [tool for tool in _NODE if re.search(rf"\b{re.escape(tool)}\b", scripts)]
    tool = next(iter([*named, *(tool for tool in _NODE if tool in needs)]), "")
    if not tool and "--test" in scripts:
        return "node:test", "package.json"
    if not tool and "bun test" in scripts:
        return "bun test", "package.json"
    return tool.removeprefix("@").removesuffix("/test"), _node_config(tool, packages, paths)


def _tests(manifest: Manifest) -> list[object]:
    scripts = section(manifest.data, "scripts")
    return [line for name, line in scripts.items() if name.startswith("test")]


def _node_config(tool: str, packages: Sequence[Manifest], paths: frozenset[str]) -> str:
    stem = tool.removeprefix("@").removesuffix("/test")
    if not stem:
        return ""
    pattern = re.compile(rf"(?:\.?{re.escape(stem)}(?:\.config|rc)(?:\.\w+)?)")
    found = sorted(
        (path for path in paths if pattern.fullmatch(path.rpartition("/")[2])), key=_near
    )
    if found:
        return found[0]
    inside = [manifest.path for manifest in packages if stem in manifest.data]
    vite = sorted((p for p in paths if re.fullmatch(r"vite\.config\.\w+", p)), key=_near)
    return next(iter([*inside, *(vite if stem == "vitest" else [])]), "")


def _near(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _python(
    manifests: Sequence[Manifest], texts: Mapping[str, str], paths: frozenset[str], run: str
) -> tuple[str, str]:
    data = next((m.data for m in manifests if m.path == "pyproject.toml"), {})
    if "runtests" in run:
        return "unittest", next(
            (p for p in sorted(paths, key=_near) if p.endswith("runtests.py")), ""
        )
    if "pytest.ini" in paths:
        return "pytest", "pytest.ini"
    if section(data, "tool", "pytest"):
        return "pytest", "pyproject.toml"
    for path, mark in (("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]")):
        if mark in texts.get(path, ""):
            return "pytest", path
    conftest = [p for p in paths if p.rpartition("/")[2] == "conftest.py"]
    if conftest or "pytest" in run:
        return "pytest", min(conftest, key=_near, default="")
    return ("unittest", "") if any("/test" in f"/{path}" for path in paths) else ("", "")
