"""What a path alone says of a file: a test, generated, or brought in from elsewhere."""

from __future__ import annotations

import re
from functools import lru_cache

_TEST_FOLDERS = frozenset(
    "tests __tests__ __mocks__ spec specs e2e testdata test-data test_data test-helpers".split()
)
_SOMETIMES_TEST_FOLDERS = frozenset({"test", "testing"})
"""Test folders at the top and in some trees, but also the name of packages that help to test."""
_TREES_OF_TESTS = re.compile(r"(?:^|/)src/(?:test|testFixtures|[a-z]\w*Test)/|[-_]tests/")
_TEST_NAME = re.compile(
    r"""
      (?:^|/)test_[^/]*\.\w+$                        # test_app.py, test_app.rb
    | [^/]_test\.\w+$                                # app_test.go
    | (?:^|/)(?:conftest|tests)\.py$
    | [.-](?:test|spec|tests|e2e|cy)\.[cm]?[jt]sx?$  # app.test.ts
    | _spec\.rb$
    | [a-z0-9](?:Tests?|TestCase|IT)\.(?:java|kts?|scala|swift|cs|php|groovy)$
    | [a-z0-9]Specs?\.(?:kts?|scala|swift|groovy)$  # in Java a JobSpec describes a job
    | (?:^|/)Test[A-Z]\w*\.(?:java|kt|scala|cs|php)$
    | \.bats$
    """,
    re.VERBOSE,
)
_GENERATED = re.compile(
    r"""
      [.-]min\.(?:js|css|mjs|cjs)$
    | (?:\.bundle|\.chunk)\.js$
    | _pb2(?:_grpc)?\.pyi?$
    | \.pb(?:\.gw|\.validate)?\.(?:go|cc|h|c|rb|swift|dart)$
    | \.(?:g|designer|generated)\.(?:cs|dart|ts|js|swift|go|kt|java|rs|py)$
    | (?:^|/)zz_generated[^/]*\.\w+$
    | _(?:gen|string|generated)\.go$
    | _generated\.\w+$
    | (?:^|/)(?:bindata|mock_\w+)\.go$
    | Grpc\.(?:java|cs)$
    | \.snap$
    | (?:^|/)(?:__generated__|generated|gen-src|autogen)/
    | (?:^|/)(?:package-lock\.json|[\w.-]+\.lock|pnpm-lock\.yaml|go\.sum)$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_COPIED_FOLDERS = frozenset(
    """vendor vendored _vendor third_party thirdparty third-party 3rdparty external_libs""".split()
)
"""Where people keep the code of others in their own repository."""
_VENDORED_FOLDERS = _COPIED_FOLDERS | frozenset(
    """node_modules bower_components jspm_packages site-packages dist-packages .venv venv .tox .nox
    virtualenv Pods Carthage .bundle .yarn .gradle .terraform""".split()
)
_BUILT_FOLDERS = frozenset(
    "dist .next .nuxt .svelte-kit __pycache__ .eggs htmlcov DerivedData .build".split()
)
_BUILT_AT_TOP = frozenset({"target", "obj", "_build"})
"""Not `build`, `bin` or `out`: where git tracks those, people wrote what is in them."""


@lru_cache(maxsize=65_536)
def is_test_path(path: str) -> bool:
    """Whether the file at this path (with `/`) is a test or serves only tests."""
    *folders, name = path.split("/")
    if _TEST_NAME.search(path) or _TREES_OF_TESTS.search(path):
        return True
    if any(folder.lower() in _TEST_FOLDERS for folder in folders):
        return True
    if folders and folders[0].lower() in _SOMETIMES_TEST_FOLDERS:
        return True
    # `django/test/client.py` is what users import; nested folders of that name are packages there
    return "test" in folders[1:] and not name.endswith((".py", ".pyi"))


@lru_cache(maxsize=65_536)
def is_generated_path(path: str) -> bool:
    """Whether a program wrote the file at this path (with `/`)."""
    *folders, _ = path.split("/")
    if _GENERATED.search(path) or any(folder in _BUILT_FOLDERS for folder in folders):
        return True
    return bool(folders) and folders[0] in _BUILT_AT_TOP


@lru_cache(maxsize=65_536)
def is_vendored_path(path: str) -> bool:
    """Whether the file at this path (with `/`) was brought in from another project."""
    return any(folder in _VENDORED_FOLDERS for folder in path.split("/")[:-1])


def vendored_tree(path: str) -> str:
    """The highest folder of a path, with `/`, where a project keeps the code of others; empty for
    none, and for what a tool has installed."""
    parts = path.split("/")[:-1]
    depth = next((at for at, part in enumerate(parts, 1) if part in _VENDORED_FOLDERS), 0)
    kept = depth and parts[depth - 1] in _COPIED_FOLDERS
    return "/".join(parts[:depth]) + "/" if kept else ""


_SIDES = {
    "examples": "example examples sample samples demo demos playground playgrounds",
    "docs": "doc docs documentation website",
    "benchmarks": "bench benches benchmark benchmarks perf perf-measures",
    "tooling": "script scripts tool tools hack extra extras build ci dev runtime-tests",
}
_ROLE_OF_SIDE = {name: role for role, names in _SIDES.items() for name in names.split()}
SIDE_FOLDERS = frozenset(_ROLE_OF_SIDE)
"""Top folders that lie beside the product."""
_SIDE_ANYWHERE = frozenset({"examples", "playground", "playgrounds", "benches", "benchmarks"})
"""Those that mean the same below the top; the others are also names of packages."""
_MIGRATION = re.compile(r"(?:^|/)(?:migrations?|migrate|versions)/(?:[^/]+/)?[Vv]?\d[^/]*$")


@lru_cache(maxsize=65_536)
def is_beside_path(path: str) -> bool:
    """Whether the file at this path (with `/`) serves the repository and is not the product."""
    top, below, _ = path.partition("/")
    return bool(below) and (top.lower() in SIDE_FOLDERS or top.startswith("."))


def is_migration_path(path: str) -> bool:
    """Whether the file at this path (with `/`) is one step of a database's migrations."""
    return _MIGRATION.search(path) is not None


def role_of(path: str) -> str:
    """What a file, or a folder ending in `/`, is beside the product; empty for the product."""
    if is_vendored_path(path):
        return "vendored"
    if is_test_path(path):
        return "tests"
    if is_generated_path(path):
        return "generated"
    if is_migration_path(path):
        return "migrations"
    *folders, _ = path.lower().split("/")
    if folders and (side := _ROLE_OF_SIDE.get(folders[0])):
        return side
    inner = next((name for name in folders if name in _SIDE_ANYWHERE), "")
    return _ROLE_OF_SIDE.get(inner, "tooling" if folders[:1] and folders[0][0] == "." else "")
