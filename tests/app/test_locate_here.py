"""Files found in a real checkout: by the graph, and by the vectors there are."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import loremap
from loremap import Lore
from loremap.embedding.hashing import HashingEmbedder

FILES = {
    "orders.py": """
from pricing import rounded

def monthly_report(orders):
    \"\"\"A table of all orders of a month.\"\"\"
    return [rounded(order) for order in orders]
""",
    "pricing.py": "def rounded(value):\n    return int(value)\n",
    "people.py": 'def greet(name):\n    """Say hello to a customer."""\n',
}
TASK = "The monthly report is empty\nA table of orders has no rows."


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for path, text in FILES.items():
        (tmp_path / path).write_text(text)
    with loremap.open(tmp_path) as opened:
        opened.use_embedder(HashingEmbedder())
        yield opened


def test_what_the_best_file_calls_is_found_behind_it(lore: Lore) -> None:
    found = lore.locate(TASK)
    assert [one.path for one in found[:2]] == ["orders.py", "pricing.py"]
    assert "used by orders.py" in found[1].reasons


def test_vectors_are_used_for_the_files_that_have_them(lore: Lore, tmp_path: Path) -> None:
    assert lore.code.embed() == 0
    for number in range(3):  # more than half of the files have none
        (tmp_path / f"late_{number}.py").write_text(f"def other_{number}(): ...\n")
    best = lore.locate("Say hello to a customer")[0]
    assert best.path == "people.py"
    assert any(reason.startswith("similar: ") for reason in best.reasons)
