"""The localisation benchmark ranks as the product does, and counts what is a source file."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from bench.code import fit
from bench.code.localisation import (
    WEIGHTS,
    Measured,
    all_gold,
    any_gold,
    bars_missed,
    measured,
    ranks,
)
from bench.code.trees import Issue, KeptTerms, issues, sources

import loremap

FILES = {
    "CHANGELOG.md": "# Changes\n",
    "examples/report.py": "from shop.orders import monthly_report\nmonthly_report([])\n",
    "shop/orders.py": """
from shop.pricing import rounded

def monthly_report(orders):
    \"\"\"A table of all orders of a month.\"\"\"
    return [rounded(order) for order in orders]
""",
    "shop/people.py": 'def greet(name):\n    """Say hello to a customer of this month."""\n',
    "shop/pricing.py": "def rounded(value):\n    return int(value)\n",
}
TEXT = "The monthly report is empty\nA table of orders has no rows."


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "all"],
    ):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return folder


def asked(clone: Path, gold: tuple[str, ...]) -> Measured | None:
    kept = KeptTerms(clone.parent / "kept.db")
    kept.read(clone, sources(clone, "HEAD"), workers=1)
    issue = Issue("shop-1", "Multilingual", "shop", "HEAD", TEXT, gold)
    return measured(issue, clone=clone, kept=kept, vectors=None)


def test_files_are_ranked_as_the_product_ranks_them(home: Path, clone: Path) -> None:
    gold = tuple(path for path in FILES if path.endswith(".py"))
    one = asked(clone, gold)
    assert one is not None
    with loremap.open(clone) as lore:
        lore.use_embedder(None)
        told = [found.path for found in lore.locate(TEXT)]
    found = dict(zip(gold, ranks([one], WEIGHTS)[0], strict=True))
    assert told == sorted(told, key=found.__getitem__)
    assert "shop/pricing.py" in told  # the graph speaks in both


@pytest.mark.parametrize(
    ("gold", "counted"),
    [
        (("CHANGELOG.md", "shop/orders.py"), 1),
        (("shop/orders.py", "shop/new.py"), 1),  # the fix made it
        (("shop/orders.py", "shop/pricing.py"), 2),
        (("CHANGELOG.md",), None),
    ],
)
def test_gold_that_is_no_source_file_of_the_tree_is_left_out(
    clone: Path, gold: tuple[str, ...], counted: int | None
) -> None:
    one = asked(clone, gold)
    assert (None if one is None else len(one.case.gold)) == counted


def test_any_is_the_best_of_the_right_files_and_all_the_last() -> None:
    found = [[0, 7], [12, 3]]
    assert (any_gold(found)["Acc@1"], any_gold(found)["Acc@5"]) == (50.0, 100.0)
    assert (all_gold(found)["Acc@5"], all_gold(found)["Acc@10"]) == (0.0, 50.0)


def test_both_sets_are_read(tmp_path: Path) -> None:
    row = {"instance_id": "a-1", "repo": "o/a", "base_commit": "c", "problem_statement": "t",
           "gold_files": ["a.py"]}  # fmt: skip
    for name in ("swebench-lite-dev.jsonl", "swebench-multilingual-dev.jsonl"):
        (tmp_path / name).write_text(json.dumps(row) + "\n")
    assert [one.set for one in issues(tmp_path)] == ["Lite", "Multilingual"]


@pytest.mark.parametrize(("figure", "missed"), [(75.0, 0), (74.9, 1)])
def test_a_bar_is_missed_below_it(figure: float, missed: int) -> None:
    rows = {"TypeScript and JavaScript (23)": {"Acc@5": figure}}
    assert len(bars_missed({"Multilingual: by language": rows})) == missed


def test_weights_are_fitted_on_what_is_not_held_back() -> None:
    speaks, silent = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    cases = [fit.Case("a", speaks, (0,)), fit.Case("b", silent, (0,))]
    first, second = fit.unseen_weights(cases, fit.by_group(cases))
    assert first[1] > first[0]  # of the case in b
    assert second[0] > second[1]
