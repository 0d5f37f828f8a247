"""What stands apart from the product, what guides say of folders, and packages by manifests."""

from __future__ import annotations

import pytest
from map_tools import file, named, names, project

from loremap.code.module_map import mapped
from loremap.code.module_map.told_folders import told_folders, told_of
from loremap.model.module import Module
from loremap.model.paths import role_of, vendored_tree


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/shop/cart.py", ""),
        ("tests/test_cart.py", "tests"),
        ("tests/", "tests"),
        ("src/shop/_vendor/six.py", "vendored"),
        ("shop/cart/migrations/0001_initial.py", "migrations"),
        ("db/migrate/20240101_carts.rb", "migrations"),
        ("django/db/migrations/executor.py", ""),  # code about migrations
        ("api/cart.pb.go", "generated"),
        ("examples/cart/main.go", "examples"),
        ("packages/ui/playground/app.ts", "examples"),
        ("playground/app.ts", "examples"),
        ("docs/conf.py", "docs"),
        ("shop/docs/models.py", ""),  # an app that is called so
        ("benches/cart.rs", "benchmarks"),
        ("scripts/release.sh", "tooling"),
        (".github/actions/x/index.js", "tooling"),
    ],
)
def test_what_a_path_is_beside_the_product(path: str, role: str) -> None:
    assert role_of(path) == role


@pytest.mark.parametrize(
    ("files", "role"),
    [
        (("src/cart.py", "src/migrations/0001_x.py"), ""),
        (("shop/migrations/0001_x.py", "shop/migrations/0002_y.py"), "migrations"),
        (("docs/",), "docs"),
        (("changelog/",), "files"),
        (("src/pip/_vendor/",), "vendored"),
        ((), ""),
    ],
)
def test_the_role_of_a_module_is_what_nearly_all_its_files_say(
    files: tuple[str, ...], role: str
) -> None:
    assert Module(name="x", core_files=files).role == role


@pytest.mark.parametrize(
    ("path", "tree"),
    [
        ("src/pip/_vendor/rich/x.py", "src/pip/_vendor/"),
        ("vendor/a/vendor/b.go", "vendor/"),
        ("web/node_modules/a/vendor/b.js", ""),  # installed by a tool
        ("src/cart.py", ""),
    ],
)
def test_where_a_project_keeps_the_code_of_others(path: str, tree: str) -> None:
    assert vendored_tree(path) == tree


def test_trees_without_source_are_modules_of_one_folder() -> None:
    view = project(
        ["shop/cart/a.py", "shop/cart/b.py", "shop/cart/c.py", "tests/test_a.py", "tests/b.py"],
        others=["docs/a.md", "docs/b.md", "logo/one.png", ".github/x.yml", ".github/y.yml"],
        texts={"docs/README.md": "# Docs\n\nThe pages of the manual.\n"},
    )
    found = mapped(view)
    assert {one.name: one.core_files for one in found.modules if one.role} == {
        "docs": ("docs/",),
        "tests": ("tests/",),
    }
    assert named(found, "docs").description == "The pages of the manual"


APP = ("models", "views", "forms", "api")


def test_an_app_is_not_split_into_kinds_of_files() -> None:
    files = [
        file(f"shop/{app}/{kind}/{part}.py", lines=900)
        for app in ("cart", "stock", "mail", "tax")
        for kind in APP
        for part in ("one", "two", "three")
    ]
    apps = [f"shop/{app}/apps.py" for app in ("cart", "stock", "mail", "tax")]
    assert names(mapped(project([*files, *apps]))) == ["cart", "mail", "stock", "tax"]


def test_many_packages_of_one_folder_are_that_folder() -> None:
    providers = [f"providers/p{number}" for number in range(9)]
    files = [f"{one}/src/{name}.ts" for one in providers for name in ("a", "b", "c")]
    texts = {f"{one}/package.json": "{}" for one in [*providers, "core"]}
    core = [f"core/{name}.ts" for name in "abcdefghij"]
    assert names(mapped(project([*files, *core], texts=texts))) == ["core", "providers"]


def test_a_package_of_one_file_is_a_module_and_called_as_its_manifest_says() -> None:
    files = [
        *(f"crates/core/src/{name}.rs" for name in "abcdefgh"),
        "crates/tiny/src/lib.rs",
        *(f"backend/src/shopling/{name}.py" for name in "abcdefgh"),
    ]
    texts = {
        "crates/core/Cargo.toml": '[package]\nname = "core"\n',
        "crates/tiny/Cargo.toml": '[package]\nname = "tiny"\n',
        "backend/pyproject.toml": '[project]\nname = "shopling"\n',
    }
    assert names(mapped(project(files, texts=texts))) == ["core", "shopling", "tiny"]


def test_the_slogan_of_the_project_describes_no_module() -> None:
    files = ["shop/app.py", "shop/main.py", "shop/run.py", *(f"shop/cart/{x}.py" for x in "abcd")]
    texts = {
        "README.md": "# Shop\n\nSells things to people.\n",
        "pyproject.toml": '[project]\nname = "shop"\ndescription = "Sells things to people"\n',
    }
    assert named(mapped(project(files, texts=texts)), "shop").description == ""


GUIDE = """# Guide

```
shop/
├── cart/        # Baskets and what is in them
│   └── tax/     — Rates of all countries
└── mail/
```

- `pay/`: Cards and invoices.
- **stock** - what is on the shelves
- `run`: run this before you commit
| `web` | The pages people see |

### `crates/parser`

The grammar and its errors. More of it.

## Tests

Nothing of a folder is said here.
"""


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("shop/cart", "Baskets and what is in them"),
        ("shop/cart/tax", "Rates of all countries"),
        ("shop/mail", ""),
        ("pay", "Cards and invoices"),
        ("shop/stock", "What is on the shelves"),
        ("run", ""),
        ("web", "The pages people see"),
        ("crates/parser", "The grammar and its errors"),
        ("Tests", ""),
    ],
)
def test_what_a_guide_says_of_a_folder(folder: str, said: str) -> None:
    assert told_of(folder, told_folders({"AGENTS.md": GUIDE, "notes.md": GUIDE})) == said
