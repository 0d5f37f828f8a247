"""CONTRIBUTING.md says how to add a kind, a setting …: each is added to a copy of the package as it
says there, and used. What is counted is how many files that touches."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "loremap"
SAID = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Addition:
    """What is written where, and what shows that it is there."""

    edits: dict[str, tuple[tuple[str, str], ...]]
    """By file: a piece of text, and what stands in its place."""
    uses: str
    """A program that uses what was added; it fails where that does not work."""
    shown: tuple[str, ...] = ()
    """What the program prints."""
    files: dict[str, str] | None = None
    """New files."""
    project: dict[str, str] | None = None
    """Files of the project it works in."""


LORE = "import loremap\nwith loremap.open('.') as lore:\n"
COMMAND = (
    "from loremap.interfaces.cli import main\nimport sys\nsys.argv = ['lore', {words}]\nmain()\n"
)

ADDED = {
    "kind": (
        2,
        Addition(
            edits={
                "model/kind.py": (
                    (
                        '    WORK_STATE = "work_state"\n',
                        '    WORK_STATE = "work_state"\n    INCIDENT = "incident"\n',
                    ),
                    (
                        "    Kind.WORK_STATE: ",
                        (
                            '    Kind.INCIDENT: KindRule(90, 30, 1.1, "INCIDENT", 0.6),\n'
                            "    Kind.WORK_STATE: "
                        ),
                    ),
                )
            },
            uses=LORE + "    lore.remember('The queue stood still on Monday.', kind='incident')\n"
            "    print([one.kind.value for one in lore.list(kinds=['incident'])])\n"
            "    found = lore.recall('when did the queue stand still?')\n"
            "    print([hit.memory.kind.value for hit in found])\n",
            shown=("['incident']", "['incident']"),
        ),
    ),
    "setting": (
        2,
        Addition(
            edits={
                "config/settings.py": (
                    (
                        '    "recall.gate": ',
                        ('    "recall.mood": Setting("calm", "a mood"),\n    "recall.gate": '),
                    ),
                )
            },
            uses=COMMAND.format(words="'config', 'set', 'recall.mood', 'brave'").replace(
                "main()", "try: main()\nexcept SystemExit: pass"
            )
            + LORE
            + "    print(lore.settings.text('recall.mood'))\n",
            shown=("brave",),
        ),
    ),
    "recall step": (
        2,
        Addition(
            files={
                "memory/recall/reversed_order.py": '"""A step that turns the order."""\n\n'
                "from __future__ import annotations\n\n"
                "from loremap.memory.recall.context import Context, Scored\n\n\n"
                "def turn(context: Context, found: list[Scored]) -> list[Scored]:\n"
                '    """Step: the last comes first; what is dropped says why."""\n'
                "    for each in found[2:]:\n"
                '        context.drop(each, "turn", "not among two")\n'
                "    return found[1::-1]\n"
            },
            edits={
                "memory/recall/recipes.py": (
                    ("hybrid, lexical, ", "hybrid, lexical, reversed_order, "),
                    (
                        "(hybrid.gate, hybrid.cut, steps.take_limit)",
                        "(hybrid.gate, hybrid.cut, reversed_order.turn, steps.take_limit)",
                    ),
                )
            },
            uses=LORE + "    for name in ('one', 'two', 'three'):\n"
            "        lore.remember(f'The {name} teapot stands on shelf {name}.')\n"
            "    found = lore.recall('which teapot stands on shelf two?', recipe='words')\n"
            "    print(len(found.hits), found.hits[-1].memory.content)\n"
            "    print({one.step for one in found.trace.verdicts if one.step == 'turn'})\n",
            shown=("2 The two teapot stands on shelf two.", "{'turn'}"),
        ),
    ),
    "command": (
        2,
        Addition(
            files={
                "interfaces/cli/count.py": '"""`count`: how many memories there are."""\n\n'
                "from __future__ import annotations\n\nfrom typing import Any\n\nimport click\n\n"
                "from loremap.interfaces.cli.shell import command, place, say\n\n\n"
                "@click.command()\n@command\ndef count(as_json: bool) -> Any:\n"
                '    """Count the memories."""\n'
                "    with place().lore() as lore:\n        found = len(lore.list())\n"
                '    if as_json:\n        return {"count": found}\n'
                '    say(f"{found} memories")\n    return None\n\n\nCOMMANDS = (count,)\n'
            },
            edits={
                "interfaces/cli/app.py": (
                    ("    control,\n", "    control,\n    count,\n"),
                    ("PARTS = (\n", "PARTS = (\n    count,\n"),
                    ('review forget status"', 'review forget status count"'),
                )
            },
            uses=LORE + "    lore.remember('One thing.')\n" + COMMAND.format(words="'count'"),
            shown=("1 memories",),
        ),
    ),
    "language": (
        2,
        Addition(
            files={
                "code/queries/quill.scm": "(function_definition name: (identifier) @name "
                "parameters: (_) @parameters body: (_) @body) @function\n"
                "(call function: (_) @call arguments: (_)? @arguments)\n",
            },
            edits={
                "code/grammars/python.py": (
                    (
                        "LANGUAGES: tuple[Language, ...] = (PYTHON,",
                        (
                            'QUILL = Language(\n    name="quill",\n    extensions=(".quill",),\n'
                            '    wheel="tree_sitter_python",\n'
                            '    expressions={"identifier": Shape(Op.NAME)},\n'
                            ")\n\nLANGUAGES: tuple[Language, ...] = (QUILL, PYTHON,"
                        ),
                    ),
                )
            },
            project={
                "main.quill": "def greet():\n    return hello()\n\n\ndef hello():\n    return 1\n"
            },
            uses=LORE + "    lore.code.scan()\n"
            "    print([one.name for one in lore.code.outline('main.quill')])\n"
            "    print([one.source.key for one in lore.code.callers('hello')])\n",
            shown=("'greet', 'hello'", "main.quill::greet"),
        ),
    ),
    "table": (
        3,
        Addition(
            files={
                "storage/moods.py": '"""How people felt about a project."""\n\n'
                "from __future__ import annotations\n\n"
                "from sqlalchemy import insert, select\n\n"
                "from loremap.storage.store import Connection\n"
                "from loremap.storage.tables import moods\n"
                "from loremap.storage.transaction import Tx\n\n\n"
                "def put(tx: Tx, mood: str) -> None:\n"
                '    """Write a mood down."""\n'
                "    values = {'tenant_id': tx.actor.tenant_id, 'mood': mood}\n"
                "    tx.conn.execute(insert(moods).values(values))\n\n\n"
                "def all_of(conn: Connection) -> list[str]:\n"
                '    """Every mood."""\n'
                "    return list(conn.execute(select(moods.c.mood)).scalars())\n"
            },
            edits={
                "storage/tables.py": (
                    (
                        'aliases = _table(\n    "aliases",',
                        (
                            'moods = _table("moods", Column("mood", Text, primary_key=True))\n\n'
                            'aliases = _table(\n    "aliases",'
                        ),
                    ),
                )
            },
            uses="from loremap.storage import moods\n"
            + LORE
            + "    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:\n"
            "        moods.put(tx, 'calm')\n"
            "    with lore.store.read() as conn:\n        print(moods.all_of(conn))\n",
            shown=("['calm']",),
        ),
    ),
}


@pytest.mark.parametrize("thing", ADDED)
def test_it_is_added_in_few_files_and_works(thing: str, tmp_path: Path) -> None:
    most, added = ADDED[thing]
    touched = [*added.edits, *(added.files or {})]
    assert len(touched) <= most
    tree = tmp_path / "src" / "loremap"
    shutil.copytree(PACKAGE, tree, ignore=shutil.ignore_patterns("__pycache__"))
    for name, edits in added.edits.items():
        text = (tree / name).read_text("utf-8")
        for old, new in edits:
            assert text.count(old) == 1, f"{name} has not one place that says {old!r}"
            text = text.replace(old, new)
        (tree / name).write_text(text, "utf-8")
    for name, text in (added.files or {}).items():
        (tree / name).write_text(text, "utf-8")
    project = tmp_path / "project"
    project.mkdir()
    for name, text in (added.project or {}).items():
        (project / name).write_text(text, "utf-8")
    env = {
        **os.environ,
        "PYTHONPATH": str(tree.parent),
        "LOREMAP_HOME": str(tmp_path / "home"),
    }
    done = subprocess.run(
        [sys.executable, "-c", added.uses], cwd=project, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for line in added.shown:
        assert line in done.stdout, done.stdout


@pytest.mark.parametrize("thing", ADDED)
def test_the_guide_names_the_files(thing: str) -> None:
    section = re.search(rf"^- \*\*An? {thing}\*\*.*?(?=^- |\Z)", SAID, re.M | re.S)
    assert section is not None, f"CONTRIBUTING.md does not say how to add a {thing}"
    for name in (*ADDED[thing][1].edits, *(ADDED[thing][1].files or {})):
        where = name if name in ADDED[thing][1].edits else name.rpartition("/")[0]
        assert where.rpartition("grammars/")[0] in section[0], f"{where} is not named"
