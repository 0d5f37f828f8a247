"""What programs and people read: `--json` on every command, and text that is printed as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click
import pytest
from cli_tools import Cli

from loremap.interfaces.cli.app import lore
from loremap.interfaces.cli.present import scored
from loremap.memory.admission.fingerprint import fingerprint

MEMORY_FIELDS = {
    "id", "kind", "content", "summary", "status", "confidence", "importance", "pinned", "scope",
    "files", "tags", "created_at",
}  # fmt: skip


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by its full name."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


@pytest.mark.parametrize("name", sorted(dict(commands(lore))))
def test_every_command_takes_json_and_is_helped(name: str) -> None:
    command = dict(commands(lore))[name]
    spoken_by_agents = name in ("hook", "mcp")  # their output is the client's own form
    assert spoken_by_agents or any("--json" in option.opts for option in command.params)
    assert command.get_short_help_str()


JSON_RUNS = (
    ("init",),
    ("scan",),
    ("outline", "app.py"),
    ("symbol", "app.py", "--references"),
    ("callers", "app.py"),
    ("callees", "app.py"),
    ("deps", "app.py"),
    ("impact", "app.py"),
    ("locate", "hello"),
    ("brief", "hello"),
    ("preview", "claude", "hello"),
    ("map",),
    ("map", "show"),
    ("map", "edit", "rename", "shop", "app"),
    ("map", "edit", "annotate", "app", "A note"),
    ("map", "edit", "describe", "app", "Says hello"),
    ("map", "edit", "add", "app", "app.py"),
    ("map", "edit", "split", "app", "other", "tool.*"),
    ("map", "edit", "merge", "other", "app"),
    ("map", "edit", "remove", "app", "app.py"),
    ("map", "edits", "--forget", "1"),
    ("remember", "The cache is warmed at start"),
    ("recall", "--no-gate", "--why", "cache"),
    ("search", "cache", "--why"),
    ("check", "--command", "git push --force"),
    ("list",),
    ("show", "SEED"),
    ("edit", "SEED", "--importance", "0.9"),
    ("history", "SEED"),
    ("undo", "--yes"),
    ("pin", "SEED"),
    ("unpin", "SEED"),
    ("confirm", "SEED"),
    ("feedback", "SEED", "--not-helpful"),
    ("wrong", "WRONG", "it", "never", "did"),
    ("tombstones",),
    ("tombstones", "list"),
    ("tombstones", "lift", "GRAVE"),
    ("gaps",),
    ("gaps", "list"),
    ("import", "sessions", "--dry-run"),
    ("learn", "--off"),
    ("learn", "--git"),
    ("tasks",),
    ("task", "start", "Release", "week"),
    ("task", "pause"),
    ("task", "fail"),
    ("task", "start", "Another", "one"),
    ("task", "done"),
    ("task", "list", "--all"),
    ("insights",),
    ("sql", "SELECT status FROM task_history"),
    ("inbox",),
    ("patterns",),
    ("replay",),
    ("note", "--runner", "ideation", "The price table could be split by region."),
    ("tags",),
    ("tags", "list"),
    ("tags", "infer"),
    ("clusters", "--refresh"),
    ("similar", "SEED"),
    ("graph", "SEED"),
    ("fact", "learn"),
    ("fact", "add", "app", "uses", "Redis"),
    ("fact", "show", "FACT"),
    ("fact", "history", "FACT"),
    ("fact", "retract", "FACT"),
    ("facts", "app"),
    ("entities",),
    ("tend", "--dry-run"),
    ("tend",),
    ("audit",),
    ("proposals",),
    ("proposals", "list"),
    ("guard",),
    ("guard", "list"),
    ("guard", "on", "force-push"),
    ("guard", "off", "force-push"),
    ("off", "--project"),
    ("off",),
    ("on",),
    ("on", "--project"),
    ("forget", "SEED"),
    ("restore", "SEED"),
    ("review",),
    ("conflicts",),
    ("resolve", "CONFLICT", "both"),
    ("link", "SEED", "OTHER"),
    ("tag", "SEED", "net"),
    ("tags", "describe", "net", "What goes over the network"),
    ("alias",),
    ("alias", "list", "--defaults"),
    ("alias", "add", "k8s", "kubernetes"),
    ("alias", "remove", "k8s"),
    ("status",),
    ("kinds",),
    ("connect",),
    ("connect", "claude", "--dry-run"),
    ("disconnect", "claude", "--dry-run"),
    ("last",),
    ("metrics",),
    ("service",),
    ("service", "start"),
    ("service", "status"),
    ("service", "logs"),
    ("service", "stop"),
    ("config",),
    ("config", "list"),
    ("config", "get", "recall.limit"),
    ("config", "set", "recall.limit", "7"),
    ("config", "unset", "recall.limit"),
    ("config", "preset", "balanced"),
    ("log",),
    ("model",),
    ("model", "status"),
    ("model", "embed"),
    ("model", "verify"),
    ("model", "use", "none"),
    ("model", "fetch"),
    ("sidecar",),
    ("sidecar", "status"),
    ("key",),
    ("key", "status"),
    ("key", "encrypt"),
    ("key", "export"),
    ("key", "change"),
    ("key", "decrypt", "--yes"),
    ("backup",),
    ("backup", "list"),
    ("backup", "now"),
    ("backup", "restore", "1", "--yes"),
    ("completion", "bash"),
    ("forget", "OTHER", "--now", "--yes"),
)
"""Every command once, in an order in which each can succeed."""
NOT_RUN = {
    "key import", "key reset", "doctor", "hook", "mcp", "near", "gaps close", "proposals accept",
    "proposals reject", "session", "sidecar test", "sidecar key",
}  # fmt: skip
"""The first two need a lost key: test_cli_refusals; the doctor has tests/doctor, what only agents
start tests/resident; a gap and an account need a session: test_cli_lessons,
test_cli_episodes; a proposal needs what nearly says the same: tests/memory_tending; a
sidecar needs a server: test_cli_sidecar."""


def test_every_command_prints_one_json_object(cli: Cli) -> None:
    warning = ("--kind", "warning", "--trigger", "push --force")
    names = {
        "OTHER": cli.remember("Retries are capped at 3", "--pin")["id"],
        "SEED": cli.remember("Never push --force to main", *warning)["id"],
        "CONFLICT": cli.remember("Retries are capped at 7")["conflicts"][0],
        "FACT": json.loads(cli("fact", "add", "app", "uses", "Celery", "--json").out)["id"],
        "WRONG": (wrong := cli.remember("Deploys go out on Tuesdays"))["id"],
        "GRAVE": fingerprint(wrong["content"]),
    }
    (cli.folder / "tool.py").write_text("def tool(): ...\n")
    for run in JSON_RUNS:
        ran = cli(*(names.get(word, word) for word in run), "--json")
        assert (ran.code, ran.err) == (0, ""), run
        assert isinstance(json.loads(ran.out), dict), run
        assert ran.out.count("\n") == 1, run


def test_the_runs_above_leave_no_command_out() -> None:
    ran = {" ".join(run[:size]) for run in JSON_RUNS for size in (1, 2, 3)}
    assert {name for name in dict(commands(lore)) if name not in ran} == NOT_RUN


def test_a_memory_in_json_says_all_that_is_promised(cli: Cli) -> None:
    stored = cli.remember(
        "Prices are in cents", "--kind", "decision", "--tag", "money", "--file", "app.py", "--pin"
    )
    assert stored.keys() >= MEMORY_FIELDS
    assert (
        stored
        | {
            "kind": "decision",
            "content": "Prices are in cents",
            "summary": "Prices are in cents",
            "status": "confirmed",
            "pinned": True,
            "scope": "project",
            "files": ["app.py"],
            "tags": ["money"],
        }
        == stored
    )
    id_ = stored["id"]
    for shown in (
        cli.data("show", id_),
        cli.data("list")["memories"][0],
        cli.data("confirm", id_),
        cli.data("recall", "--no-gate", "prices in cents")["hits"][0],
        cli.data("search", "cents")["hits"][0],
    ):
        assert shown.keys() >= MEMORY_FIELDS
        assert shown["id"] == id_


def test_a_recall_in_json_has_scores_and_a_time(full: Cli) -> None:
    full.remember("The search index is rebuilt every night at two")
    answer = full.data("recall", "when is the search index rebuilt?")
    assert [hit["content"] for hit in answer["hits"]] == [
        "The search index is rebuilt every night at two"
    ]
    assert all(isinstance(hit["score"], float) for hit in answer["hits"])
    assert answer["took_ms"] > 0


def test_why_says_of_every_candidate_whether_it_was_kept(cli: Cli) -> None:
    kept = cli.remember("The linter runs before each commit")["id"]
    cli.remember("The linter is ruff")
    asked = ("recall", "--why", "--limit", "1", "--no-gate", "linter before commit")
    verdicts = {verdict["id"]: verdict for verdict in cli.data(*asked)["trace"]["verdicts"]}
    assert verdicts[kept]["kept"]
    assert [one["why"] for one in verdicts.values() if not one["kept"]] != [""]
    shown = cli(*asked).out
    assert "dropped" in shown
    assert "The linter is ruff" in shown


TEXTS = (
    "Use [bold]this[/bold] and [/] and [red] as they are",
    "Write :warning: and :100: out",
    "items: list[int] = rows[0][:5]",
    "Delimit with {curly} %s and \\[escaped]",
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_printed_as_it_is(cli: Cli, text: str) -> None:
    id_ = cli.remember(text, "--tag", "[dim]")["id"]
    for run in (("list",), ("show", id_), ("recall", "--no-gate", "--full", text), ("history", id_),
                ("pin", id_), ("unpin", id_), ("search", text, "--why")):  # fmt: skip
        assert text in cli(*run).out, run
    assert "#[dim]" in cli("list").out


def test_a_memory_stays_on_its_line_where_nobody_looks_on(cli: Cli) -> None:
    long = "The nightly job copies every order, invoice, refund and credit note into the warehouse"
    cli.remember(long)
    assert [line for line in cli("list").out.splitlines() if long in line]


def test_a_list_says_when_there_is_more(cli: Cli) -> None:
    for text in ("Redis holds the carts", "Invoices are sent on Mondays", "The build uses ninja"):
        cli.remember(text)
    assert "There are more: --offset 2" in cli("list", "--limit", "2").out
    assert cli.listed("--limit", "2", "--offset", "2") == ["Redis holds the carts"]
    assert cli.data("list", "--limit", "3")["more"] is False


def test_what_waits_is_said_with_the_command_that_helps(cli: Cli) -> None:
    cli("--agent", "bot", "remember", "The queue drops messages over 64 KB")
    shown = cli("status").out
    assert "1 candidate, 0 conflicts  → lore review" in shown
    assert "project    shop on main" in shown
    assert "words answer alone" in shown


def test_where_a_command_stands_may_be_said_before_it_or_after(cli: Cli) -> None:
    cli("--session", "s1", "remember", "--scope", "session", "The demo runs on port 8080")
    cli("remember", "The demo has two screens", "--scope", "session", "--session", "s1")
    for run in (("--session", "s1", "list"), ("list", "--session", "s1")):
        assert len(cli.data(*run)["memories"]) == 2
    assert cli("list", "-C", "nowhere").code == 2


@pytest.mark.parametrize(
    ("score", "said"),
    [(0.0, "0.00"), (1e-6, "<0.01"), (0.0049, "<0.01"), (0.005, "0.01"), (7.126, "7.13")],
)
def test_a_hit_is_never_shown_to_score_nothing(score: float, said: str) -> None:
    assert scored(score) == said
