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
_VENDORED_FOLDERS = frozenset(
    """node_modules bower_components jspm_packages vendor vendored _vendor third_party thirdparty
    third-party 3rdparty external_libs site-packages dist-packages .venv venv .tox .nox
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


SIDE_FOLDERS = frozenset(
    "example examples sample samples demo demos doc docs documentation website bench benches "
    "benchmark benchmarks script scripts tool tools hack extra extras build ci dev "
    "perf perf-measures runtime-tests".split()
)
"""Top folders that lie beside the product."""


@lru_cache(maxsize=65_536)
def is_beside_path(path: str) -> bool:
    """Whether the file at this path (with `/`) serves the repository and is not the product."""
    top, below, _ = path.partition("/")
    return bool(below) and (top.lower() in SIDE_FOLDERS or top.startswith("."))
