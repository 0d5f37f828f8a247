"""Which modules a task is about."""

from __future__ import annotations

import pytest

from loremap.memory.recall.match_modules import modules_for
from loremap.model.module import Module, ModuleMap

MAP = ModuleMap(
    project_id="p",
    modules=(
        Module(
            name="authentication",
            description="JWT-based auth with Redis session store",
            core_files=("src/auth/config.ts", "src/auth/tokens.ts", "src/middleware/auth.ts"),
            dependencies=("jsonwebtoken", "redis"),
        ),
        Module(name="db.models", core_files=("src/db/models/query.py", "src/db/models/base.py")),
        Module(name="db.backends", core_files=("src/db/backends/sqlite.py",)),
        Module(
            name="payments",
            description="Charging cards",
            core_files=("src/pay/card_reader.py", "src/pay/refunds.py"),
        ),
        Module(name="logging", core_files=("src/logging/format.py",)),
        Module(name="web.ui", core_files=("src/web/ui/button.tsx", "src/web/ui/form.tsx")),
    ),
)


def names(text: str, located: tuple[tuple[str, float], ...] = ()) -> list[str]:
    return [module.name for module, _ in modules_for(text, MAP, located)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("there's a bug in auth", "authentication"),
        (
            "We're having a bug in the auth system: users get logged out after 5 minutes",
            "authentication",
        ),
        ("Fix the login, please", "authentication"),
        ("jsonwebtoken must be upgraded", "authentication"),
        ("refunds are charged twice", "payments"),
        ("CardReader times out", "payments"),
        ("look at src/pay/card_reader.py", "payments"),
        ("sqlite.py leaks", "db.backends"),
        ("db.models is slow", "db.models"),
        ("the payment page", "payments"),
        ("the button has the wrong colour", "web.ui"),
    ],
)
def test_the_module_a_task_is_about(text: str, first: str) -> None:
    assert names(text)[0] == first


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hi",
        "thanks, that works!",
        "ok please go on",
        "can you help me with this bug?",
        "run the tests",
        "42",
        "🙂",
    ],
)
def test_small_talk_is_about_none(text: str) -> None:
    assert names(text) == []
    assert names(text, (("src/pay/refunds.py", 0.1),)) == []


def test_located_files_lead_to_their_modules() -> None:
    located = (("src/db/backends/sqlite.py", 9.0), ("src/db/models/query.py", 2.0))
    assert names("rows vanish after a rollback", located)[0] == "db.backends"
    assert names("rows vanish after a rollback") == []
    assert names("rows vanish after a rollback", (("unknown.py", 3.0),)) == []


def test_words_outweigh_a_stray_file() -> None:
    assert names("bug in auth tokens", (("src/logging/format.py", 1.0),))[0] == "authentication"


def test_scores_fall_and_weak_modules_are_left_out() -> None:
    found = modules_for("db models and backends", MAP)
    scores = [score for _, score in found]
    assert [module.name for module, _ in found] == ["db.backends", "db.models"]
    assert scores == sorted(scores, reverse=True)


def test_an_empty_map_has_none() -> None:
    assert modules_for("bug in auth", ModuleMap(project_id="p")) == []


def mapped(*modules: tuple[str, str]) -> ModuleMap:
    """A map of modules by name, each with its files."""
    return ModuleMap(
        project_id="p",
        modules=tuple(
            Module(name=name, core_files=tuple(files.split())) for name, files in modules
        ),
    )


PACKAGE = mapped(
    ("lore", "src/loremap/lore/facade.py src/loremap/lore/code.py"),
    ("loremap", "src/loremap/errors.py src/loremap/__main__.py"),
    ("module_map", "src/loremap/module_map/folders.py"),
    ("codegraph", "src/loremap/code/resolve.py"),
    ("storage", "src/loremap/storage/sqlite/backup.py src/loremap/storage/vectors.py"),
    ("docs", "docs/generate.py"),
    ("tooling", "noxfile.py"),
)
"""A package whose name opens every path, and whose command is the first half of it."""
FLAT = mapped(
    ("hono", "src/context.ts src/types.ts"),
    ("router", "src/router/trie.ts"),
    ("jsx", "src/jsx/render.ts"),
    ("benchmarks", "benchmarks/run.ts"),
)
"""The name stands in no path: only the module at the top bears it."""
SIDE_BY_SIDE = mapped(
    ("client", "client.py"), ("server", "server.py"), ("wire", "wire.py wire_text.py")
)
"""Every module lies at the top, so none of them is the whole."""


@pytest.mark.parametrize(
    ("project", "text", "first"),
    [
        (PACKAGE, "lore backup fails", "storage"),
        (PACKAGE, "loremap loses vectors", "storage"),
        (PACKAGE, "Loremap's map has too many folders", "module_map"),
        (PACKAGE, "the lore facade is long", "lore"),
        (PACKAGE, "lore is slow", "lore"),  # nothing else is said
        (PACKAGE, "src/loremap/lore/code.py is slow", "lore"),
        (PACKAGE, "the code graph is wrong", "codegraph"),  # in two words
        (FLAT, "hono router matches too much", "router"),
        (FLAT, "Hono renders undefined", "jsx"),
        (FLAT, "context of hono", "hono"),
        (FLAT, "hono", "hono"),
        (SIDE_BY_SIDE, "the client says nothing", "client"),
        (SIDE_BY_SIDE, "wire text", "wire"),
    ],
)
def test_the_name_of_the_project_names_no_module_of_it(
    project: ModuleMap, text: str, first: str
) -> None:
    assert modules_for(text, project)[0][0].name == first


def test_the_name_of_the_project_does_not_outweigh_a_located_file() -> None:
    found = modules_for(
        "lore leaves bytes behind", PACKAGE, (("src/loremap/storage/vectors.py", 1.0),)
    )
    assert [module.name for module, _ in found] == ["storage"]
