"""Which file of a project an import means."""

from __future__ import annotations

import pytest

from loremap.code.imports import Paths

FILES = (
    "app/__init__.py", "app/models.py", "app/core/__init__.py", "app/core/base.py", "main.py",
    "src/lib/__init__.py", "src/lib/tool.py", "space/part/mod.py", "scripts/run.py",
    "scripts/json.py", "one/twice/__init__.py", "two/twice/__init__.py",
    "web/src/index.ts", "web/src/store/index.ts", "web/src/util.ts", "web/src/view.tsx",
    "packages/kit/src/index.ts", "packages/kit/src/deep.ts", "go/main.go", "go/store/a.go",
)  # fmt: skip
MANIFESTS = {
    "web/tsconfig.json": b'{/* c */ "compilerOptions": {"paths": {"@/*": ["./src/*"]},}}',
    "packages/kit/package.json": b'{"name": "@x/kit", "main": "dist/index.js",'
    b' "exports": {".": "./dist/index.js", "./deep": {"import": "./dist/deep.mjs"}}}',
    "go/go.mod": b"module example.com/shop\n\ngo 1.22\n",
}


@pytest.fixture(scope="module")
def paths() -> Paths:
    return Paths(FILES, MANIFESTS)


@pytest.mark.parametrize(
    ("importer", "module", "item", "meant"),
    [
        ("main.py", "app.models", "User", "app/models.py"),
        ("main.py", "app", "models", "app/models.py"),
        ("main.py", "app", "name", "app/__init__.py"),
        ("app/core/base.py", "..models", "User", "app/models.py"),
        ("app/core/base.py", ".", "base", "app/core/base.py"),
        ("app/core/base.py", "app.models", "", "app/models.py"),
        ("app/core/base.py", "....far", "", None),
        ("main.py", "lib.tool", "", "src/lib/tool.py"),
        ("main.py", "space.part.mod", "", "space/part/mod.py"),
        ("main.py", "json", "", None),
        ("scripts/run.py", "json", "", "scripts/json.py"),
        ("main.py", "twice", "", None),
        ("one/x.py", "twice", "", "one/twice/__init__.py"),
        ("app/models.py", "base", "", None),
        ("main.py", "numpy", "array", None),
    ],
)
def test_python(paths: Paths, importer: str, module: str, item: str, meant: str | None) -> None:
    assert paths.target(importer, "python", module, item) == meant


@pytest.mark.parametrize(
    ("importer", "module", "meant"),
    [
        ("web/src/index.ts", "./util", "web/src/util.ts"),
        ("web/src/index.ts", "./util.js", "web/src/util.ts"),
        ("web/src/index.ts", "./store", "web/src/store/index.ts"),
        ("web/src/store/index.ts", "../view", "web/src/view.tsx"),
        ("web/src/store/index.ts", "@/util", "web/src/util.ts"),
        ("packages/kit/src/index.ts", "@/util", None),
        ("web/src/index.ts", "@x/kit", "packages/kit/src/index.ts"),
        ("web/src/index.ts", "@x/kit/deep", "packages/kit/src/deep.ts"),
        ("web/src/index.ts", "../../../../out", None),
        ("web/src/index.ts", "react", None),
    ],
)
def test_typescript(paths: Paths, importer: str, module: str, meant: str | None) -> None:
    assert paths.target(importer, "typescript", module) == meant


@pytest.mark.parametrize(
    ("module", "meant"),
    [
        ("example.com/shop/store", "go/store"),
        ("example.com/shop", "go"),
        ("example.com/shop/none", None),
        ("example.com/shopping", None),
        ("fmt", None),
    ],
)
def test_go_means_the_folder_of_a_package(paths: Paths, module: str, meant: str | None) -> None:
    assert paths.target("go/main.go", "go", module) == meant


def test_manifests_that_are_no_json_are_ignored() -> None:
    paths = Paths(["a.ts", "b.ts"], {"tsconfig.json": b"{", "package.json": b"[1]"})
    assert paths.target("a.ts", "typescript", "./b") == "b.ts"


@pytest.mark.parametrize("text", [b"a = " + b"[" * 5_000, b"[" + b"a." * 200 + b"b]", b"\xff"])
def test_a_hostile_cargo_file_is_ignored(text: bytes) -> None:
    paths = Paths(["src/lib.rs", "src/a.rs"], {"Cargo.toml": text})
    assert paths.target("src/lib.rs", "rust", "crate::a") == "src/a.rs"
