"""`lore` as a process: how it starts, what it loads, how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_tools import LORE, Cli, in_own_process

import loremap

HEAVY = {"numpy", "sqlalchemy", "sqlcipher3", "onnxruntime", "tokenizers", "rich", "re2", "keyring"}


def loaded_by(*arguments: str, folder: Path) -> set[str]:
    """The heavy parts that are in memory once a command has ended."""
    script = (
        "import sys, json, atexit\n"
        "from loremap.interfaces.cli import main\n"
        "tops = lambda: sorted({name.partition('.')[0] for name in sys.modules})\n"
        "atexit.register(lambda: print(json.dumps(tops()), file=sys.stderr))\n"
        "main(sys.argv[1:])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return HEAVY & set(json.loads(ran.stderr.splitlines()[-1]))


def test_help_and_completion_load_nothing_heavy(shop: Path) -> None:
    assert loaded_by("--help", folder=shop) == set()
    assert loaded_by("completion", "bash", folder=shop) == set()


@pytest.mark.parametrize(
    "arguments", [("init", "--no-scan"), ("check", "--command", "ls"), ("list",)]
)
def test_what_needs_no_model_loads_none(shop: Path, arguments: tuple[str, ...]) -> None:
    assert loaded_by(*arguments, folder=shop) & {"onnxruntime", "tokenizers"} == set()


def test_the_module_runs_too(shop: Path) -> None:
    ran = in_own_process("--version", folder=shop)
    assert (ran.code, ran.out) == (0, f"lore, version {loremap.__version__}\n")


def test_a_first_day(shop: Path) -> None:
    """The story of the README, in processes of their own and with the real model."""
    told = in_own_process("remember", "Refresh tokens are not checked against Redis", folder=shop)
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("Remembered (confirmed)")
    asked = in_own_process("recall", "are refresh tokens validated?", folder=shop)
    assert ": Refresh tokens are not checked against Redis" in asked.out
    idle = in_own_process("recall", "thanks, that looks good", folder=shop)
    assert idle.out.startswith("Nothing fits.")


def test_an_output_without_every_sign_still_speaks(cli: Cli, shop: Path) -> None:
    cli.remember("数据库 needs 🚀 and “quotes”")
    ran = in_own_process("list", folder=shop, env={"PYTHONIOENCODING": "ascii"})
    assert (ran.code, ran.err) == (0, "")
    assert "needs ?" in ran.out
    ran = in_own_process("list", "--json", folder=shop, env={"PYTHONIOENCODING": "ascii"})
    assert ran.data["memories"][0]["content"] == "数据库 needs 🚀 and “quotes”"


def test_a_reader_that_has_gone_is_no_error(cli: Cli, shop: Path) -> None:
    gone, ours = os.pipe()
    os.close(gone)
    ran = subprocess.run(
        [*LORE, "config"], cwd=shop, stdout=ours, stderr=subprocess.PIPE, timeout=60, check=False
    )
    os.close(ours)
    assert (ran.returncode, ran.stderr) == (0, b"")


BREAK = (
    "import loremap.interfaces.cli.app as app, loremap.interfaces.cli.shell as shell\n"
    "shell.Place.lore = lambda place: {}['a key nobody has']\n"
    "app.main(['list'])\n"
)
"""Runs `lore list` with a fault in it that nobody planned for."""


def test_an_error_of_ours_is_one_line_and_no_traceback(shop: Path) -> None:
    run = [sys.executable, "-c", BREAK]
    ran = subprocess.run(run, cwd=shop, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    assert ran.stderr.startswith("lore: an error of ours (KeyError: 'a key nobody has').")
    told = subprocess.run(
        run,
        cwd=shop,
        env=os.environ | {"LOREMAP_DEBUG": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" in told.stderr


def test_lore_alone_shows_what_it_can_do(cli: Cli, shop: Path) -> None:
    ran = in_own_process(folder=shop)
    assert ran.code == 2
    assert "Exit codes:" in ran.err
    assert "Exit codes:" in cli("--help").out
    assert cli("config", "--help").code == 0


COMPLETED = {
    "lore conf": {"config", "confirm", "conflicts"},
    "lore list --session s1 --pin": {"--pinned"},
    "lore remember --kind pr_g": {"pr_gotcha"},
    "lore config unse": {"unset"},
    "lore resolve x ne": {"neither"},
}


@pytest.mark.parametrize("line", COMPLETED)
def test_what_is_begun_is_completed(shop: Path, line: str) -> None:
    asked = {
        "_LORE_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    ran = in_own_process(folder=shop, env=asked)
    assert {answer.partition(",")[2] for answer in ran.out.split()} == COMPLETED[line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_each_shell(cli: Cli, shell: str) -> None:
    script = cli("completion", shell).out
    assert f"_LORE_COMPLETE={shell}_complete" in script
    assert cli("completion", "tcsh").code == 2
