"""Rooms are entered by their surface: the contract that `make lint` checks, on a small house."""

from __future__ import annotations

import sys
from pathlib import Path

import grimp
import pytest
from docs.surfaces import SurfaceContract


@pytest.mark.parametrize(
    ("importer", "imports", "past", "idle"),
    [
        ("hall", "from {house}.kitchen import stove", [], []),
        ("hall", "from {house}.kitchen.drawers import knife", [("hall.door", "kitchen.drawers")],
         ["kitchen.stove"]),
        ("hall", "import {house}.kitchen", [], ["kitchen.stove"]),
        ("hall", "from {house}.cellar.barrel import wine", [], ["kitchen.stove"]),  # shows all
        ("wiring", "from {house}.kitchen import drawers, stove", [], []),
        ("kitchen", "from {house}.kitchen import drawers", [], ["kitchen.stove"]),
    ],
)  # fmt: skip
def test_what_is_past_a_surface(
    importer: str,
    imports: str,
    past: list[tuple[str, str]],
    idle: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house = f"house_{abs(hash((importer, imports)))}"
    for room, text in {
        "hall": "",
        "wiring": "",
        "kitchen": 'SURFACE = ("stove",)',
        "cellar": "",
    }.items():
        (tmp_path / house / room).mkdir(parents=True)
        (tmp_path / house / room / "__init__.py").write_text(text)
    (tmp_path / house / "__init__.py").write_text("")
    for name in ("kitchen/stove", "kitchen/drawers", "cellar/barrel"):
        (tmp_path / house / f"{name}.py").write_text("knife = wine = 1\n")
    (tmp_path / house / importer / "door.py").write_text(imports.format(house=house))
    monkeypatch.syspath_prepend(str(tmp_path))
    graph = grimp.build_graph(house, cache_dir=None)
    options = {"package": house, "free": ["wiring"]}
    contract = SurfaceContract("surfaces", {}, options)
    found = contract.check(graph, verbose=False)
    told = [
        tuple(name.removeprefix(f"{house}.") for name in each) for each in found.metadata["past"]
    ]
    assert (told, found.metadata["idle"]) == (past, idle)
    assert found.kept == (not past and not idle)
    sys.modules.pop(house, None)
