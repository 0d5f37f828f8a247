"""Bad input, and a store that cannot be used: one line that says what to do, exit code 2, and
nothing stored."""

from __future__ import annotations

import random
import secrets
import sqlite3
import string
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_tools import Cli, Ran, git, in_own_process, rows

from loremap.model.clock import short_id
from loremap.storage.sqlite import connect

CHANCE = random.Random(2026)


def refused(cli: Cli, home: Path, *arguments: str, stdin: bytes | None = None) -> str:
    """The one line that `lore` says when it refuses, having changed nothing."""
    before = rows(home)
    ran = cli(*arguments, stdin=stdin)
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err.startswith("lore: ")
    assert ran.err.count("\n") == 1, ran.err
    assert rows(home) == before
    return ran.err


def made_up(alphabet: str, length: int) -> str:
    """Signs nobody has used for a key."""
    return "".join(CHANCE.choices(alphabet, k=length))


BAD_TEXTS: dict[str, tuple[tuple[str, ...], bytes | None, str]] = {
    "nothing": (("remember",), None, "the text is empty"),
    "empty": (("remember", ""), None, "the text is empty"),
    "white space": (("remember", " \t\n "), None, "the text is empty"),
    "empty input": (("remember", "-"), b"", "the text is empty"),
    "3 KB": (("remember", "word " * 600), None, "a memory holds 2,048"),
    "3 KB of input": (("remember", "-"), b"word " * 600, "a memory holds 2,048"),
    "3 KB of Chinese": (("remember", "数" * 1000), None, "3,000 bytes"),
    "NUL": (("remember", "-"), b"a\0b", "binary"),
    "no UTF-8": (("remember", "-"), b"caf\xe9 au lait", "binary"),
    "an image": (("remember", "-"), b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "binary"),
    "terminal codes": (("remember", "-"), b"\x1b[31mred\x1b[0m", "binary"),
    "an argument of bytes": (("remember", "caf\udce9"), None, "not UTF-8"),
    "a tag of bytes": (("recall", "x", "--tag", "\udcff"), None, "not UTF-8"),
    "an empty tag": (("remember", "x y", "--tag", " "), None, "A tag is 1 to 60"),
    "a number that is none": (("remember", "x y", "--importance", "2"), None, "from 0 to 1"),
    "an unknown kind": (("remember", "x y", "--kind", "gotchya"), None, "Did you mean 'gotcha'?"),
    "an unknown kind to recall": (("recall", "x", "--kind", "nope"), None, "no kind 'nope'. Kinds"),
    "an unknown kind to list": (("list", "nope"), None, "There is no kind 'nope'."),
    "an unknown agent": (("connect", "nosuch"), None, "no agent called 'nosuch'. Agents: claude"),
    "no such agent": (("disconnect", "nosuch"), None, "no agent called 'nosuch'. Agents: claude"),
    "a missing folder": (("-C", "nowhere", "list"), None, "There is no folder 'nowhere'."),
    "an unknown origin": (("remember", "x y", "--origin", "moon"), None, "Origins: "),
    "an unknown scope": (("remember", "x y", "--scope", "moon"), None, "'global', 'project'"),
    "no session": (("remember", "x y", "--scope", "session"), None, "--session"),
    "two texts": (("remember", "x y", "--from", "app.py"), None, "Give one."),
    "a procedure without steps": (("remember", "x y", "--beware", "z"), None, "--step"),
    "a trigger on a fact": (("remember", "x y", "--trigger", "z"), None, "these can: "),
    "nothing to recall": (("recall", " "), None, "query is empty"),
    "nothing to check": (("check",), None, "Give --command, --file or --text."),
    "no answer wanted": (("recall", "x", "--limit", "0"), None, "from 1 up"),
    "an unknown recipe": (("recall", "x", "--recipe", "stew"), None, "Recipes: hybrid"),
    "an unknown command": (("rember", "x"), None, "See lore --help."),
    "an unknown option": (("list", "--newest"), None, "See lore list --help."),
    "a missing argument": (("recall",), None, "See lore recall --help."),
    "an unknown setting": (("config", "set", "recall.limits", "5"), None, "'recall.limit'?"),
    "a setting out of range": (("config", "set", "recall.limit", "0"), None, "from 1 to 100"),
    "a setting of another type": (("config", "set", "recall.gate", "maybe"), None, "true or false"),
    "an unknown alias": (("alias", "remove", "nosuch"), None, "`lore alias` lists them"),
    "an unknown backup": (("backup", "restore", "9", "--yes"), None, "no backup 9"),
    "an unknown conflict": (("resolve", "beef", "both"), None, "`lore conflicts` lists them"),
    "nothing to undo": (("undo",), None, "nothing to undo"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_TEXTS)
def test_bad_input_gets_one_line(cli: Cli, home: Path, case: str) -> None:
    arguments, stdin, said = BAD_TEXTS[case]
    cli("init")
    assert said in refused(cli, home, *arguments, stdin=stdin)


UNKNOWN_IDS = tuple(
    (command, "0123456789abcdef", *more)
    for command, *more in (
        ("show",), ("edit", "new text"), ("history",), ("undo",), ("pin",), ("unpin",),
        ("confirm",), ("forget",), ("restore",), ("tag", "x"), ("log",),
    )
)  # fmt: skip


@pytest.mark.parametrize("arguments", UNKNOWN_IDS, ids=lambda arguments: arguments[0])
def test_an_unknown_id_gets_one_line(cli: Cli, home: Path, arguments: tuple[str, ...]) -> None:
    cli.remember("The build uses ninja")
    assert "`lore list` shows the ids there are." in refused(cli, home, *arguments)


def test_an_unknown_end_of_a_link_gets_one_line(cli: Cli, home: Path) -> None:
    id_ = cli.remember("The build uses ninja")["id"]
    assert "no memory 'beef'" in refused(cli, home, "link", id_, "beef")
    assert "linked to itself" in refused(cli, home, "link", id_, short_id(id_))
    assert "from 0 to 1" in refused(cli, home, "link", id_, id_, "--weight", "3")


def test_an_ambiguous_end_of_an_id_gets_one_line(cli: Cli, home: Path) -> None:
    cli.remember("The build uses ninja")
    cli.remember("Reports are sent on Fridays")
    with sqlite3.connect(home / "lore.db") as db:
        ids = [id_ for (id_,) in db.execute("SELECT id FROM memories")]
        for id_ in ids:
            db.execute("UPDATE memories SET id = ? WHERE id = ?", (id_[:-4] + "abcd", id_))
    said = refused(cli, home, "forget", "abcd")
    assert "2 memories end with 'abcd'. Give more of the id: " in said
    assert len(cli("forget", "abcd", "--json").data["error"]["candidates"]) == 2


@pytest.mark.parametrize("command", ["forget", "pin", "show"])
def test_an_ambiguous_keyword_without_a_terminal_gets_one_line(
    cli: Cli, home: Path, command: str
) -> None:
    ids = {
        short_id(cli.remember(text)["id"]) for text in ("Redis holds carts", "Redis runs on 6380")
    }
    said = refused(cli, home, command, "redis")
    assert "2 memories fit 'redis'" in said
    assert all(id_ in said for id_ in ids)


def test_a_wrong_keyword_gets_one_line(cli: Cli, home: Path) -> None:
    cli.remember("Redis holds carts")
    assert "'kafka'" in refused(cli, home, "forget", "kafka")
    assert "'!!'" in refused(cli, home, "forget", "!!")


@pytest.mark.parametrize("path", ["../elsewhere.py", "/etc/hostname", "link/out.py"])
def test_a_file_outside_the_project_is_refused(
    cli: Cli, home: Path, shop: Path, tmp_path: Path, path: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (shop / "link").symlink_to(tmp_path / "elsewhere")
    for option in ("--file", "--from"):
        text = () if option == "--from" else ("It is slow",)
        said = refused(cli, home, "remember", option, path, *text)
        assert "outside the project" in said
        assert "Name a file of this project." in said


SECRET_FILES = {
    ".env": ".env is a file of secrets by its name",
    "deploy/.env.production": "secrets by its name",
    "certs/server.pem": "secrets by its name",
    "build/output.txt": ".gitignore leaves it out: build/",
    "private/notes.txt": ".secretsignore leaves it out: private/*",
}


@pytest.mark.parametrize("path", SECRET_FILES)
def test_the_text_of_a_file_that_may_hold_secrets_is_refused(
    cli: Cli, home: Path, shop: Path, path: str
) -> None:
    (shop / ".gitignore").write_text("build/\n")
    (shop / ".secretsignore").write_text("private/*\n")
    (shop / path).parent.mkdir(exist_ok=True)
    (shop / path).write_text("The staging host is called otter\n")
    assert SECRET_FILES[path] in refused(cli, home, "remember", "--from", path)


def test_the_text_of_a_file_of_the_project_is_taken(cli: Cli, home: Path, shop: Path) -> None:
    (shop / "NOTES").write_text("The staging host is called otter\n")
    stored = cli.data("remember", "--from", "NOTES")
    assert (stored["content"], stored["source_file"]) == (
        "The staging host is called otter",
        "NOTES",
    )
    assert "There is no file MISSING" in refused(cli, home, "remember", "--from", "MISSING")
    assert "not a file" in refused(cli, home, "remember", "--from", ".")
    assert "git itself" in refused(cli, home, "remember", "--from", ".git/config")


PATTERNS = {
    "regex:([a-z": "Not a regular expression",
    "regex:*a": "Not a regular expression",
    r"regex:(a|aa)+\1$": "back-reference",
    "regex:(?=(a+)+$)b": "Look-around",
    "": "The pattern is empty.",
    "glob:*": "would fire on almost everything",
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_that_cannot_be_used_is_refused(cli: Cli, home: Path, pattern: str) -> None:
    warned = ("remember", "Mind the gap", "--kind", "warning", "--trigger", pattern)
    assert PATTERNS[pattern] in refused(cli, home, *warned)


def test_a_pattern_that_would_backtrack_for_ever_is_stopped(cli: Cli) -> None:
    cli.remember("Mind the gap", "--kind", "warning", "--trigger", "regex:^(a+)+$")
    assert cli.data("check", "--text", "a" * 4000 + "!")["alerts"] == []
    assert len(cli.data("check", "--text", "a" * 4000)["alerts"]) == 1


def test_text_that_is_only_a_secret_is_refused(cli: Cli, home: Path) -> None:
    for secret in (
        "ghp_" + made_up(string.ascii_letters + string.digits, 36),
        "AKIA" + made_up(string.ascii_uppercase + "234567", 16),
        "sk-ant-api03-" + made_up(string.ascii_letters + string.digits, 93) + "AA",
    ):
        said = refused(cli, home, "remember", secret)
        assert "nothing but a secret" in said
        assert secret not in said
        assert "Remember where it is kept instead" in said
    assert cli.actions().count("refuse") == 3


BROKEN_SETTINGS = {
    "recall = [": "cannot be read",
    "[recall]\nlimit = 0": "recall.limit takes a number from 1 to 100, not 0.",
    "[recall]\nrecipe = 'stew'": "recall.recipe takes hybrid/weighted",
    "[recal]\nlimit = 5": "There is no setting 'recal.limit'. Did you mean 'recall.limit'?",
    "\udcff": "cannot be read",
}


@pytest.mark.parametrize("text", BROKEN_SETTINGS)
def test_a_broken_settings_file_gets_one_line(cli: Cli, home: Path, text: str) -> None:
    cli.remember("The build uses ninja")
    (home / "config.toml").write_text(text, errors="surrogateescape")
    for run in ("remember x", "recall x", "config", "config set recall.limit 5"):
        said = refused(cli, home, *run.split())
        assert str(home / "config.toml") in said
        assert BROKEN_SETTINGS[text] in said
    assert (home / "config.toml").read_text(errors="surrogateescape") == text


def test_a_full_disk_gets_one_line_and_harms_nothing(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.remember("The build uses ninja")
    tune = connect.tune

    def tuned(raw: sqlite3.Connection, **options: object) -> None:
        """As it is tuned, but with no room for another page."""
        tune(raw, **options)  # type: ignore[arg-type]  # passed on as they came
        raw.execute("PRAGMA max_page_count = 1")

    monkeypatch.setattr(connect, "tune", tuned)
    # What fits into the pages there are still succeeds, so this takes more than they hold.
    texts = [" ".join(made_up(string.ascii_lowercase, 9) for _ in range(200)) for _ in range(30)]
    ran = next(ran for text in texts if (ran := cli("remember", text)).code)
    assert (ran.code, ran.out) == (2, "")
    assert "no room left" in ran.err
    assert "Free some space and try again." in ran.err
    assert ran.err.count("\n") == 1
    held = rows(home)
    assert "no room left" in refused(cli, home, "remember", texts[-1])
    assert "The build uses ninja" in cli.recalled("which build tool")
    monkeypatch.setattr(connect, "tune", tune)
    assert rows(home) == held
    assert cli("remember", "There is room again").code == 0


def test_a_disk_that_takes_no_more_bytes_gets_one_line(cli: Cli, home: Path, shop: Path) -> None:
    import resource

    cli.remember("The build uses ninja")
    before = rows(home)
    ran = in_own_process(
        "remember",
        "A memory too many",
        folder=shop,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
    )
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("lore: ")
    assert rows(home) == before
    assert cli.listed() == ["The build uses ninja"]


def test_a_network_folder_is_refused(
    cli: Cli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        f"22 1 8:1 / / rw - ext4 /dev/sda1 rw\n36 22 0:45 / {home} rw - nfs4 nas:/export rw\n"
    )
    monkeypatch.setenv("LOREMAP_MOUNTINFO", str(mounts))
    for run in (("init",), ("remember", "x y"), ("recall", "x")):
        said = refused(cli, home, *run)
        assert "network file system (nfs4)" in said
        assert "Set LOREMAP_HOME to a folder on a local disk." in said
    assert not (home / "lore.db").exists()


def test_a_store_of_a_newer_version_is_refused(cli: Cli, home: Path) -> None:
    cli.remember("The build uses ninja")
    with sqlite3.connect(home / "lore.db") as db:
        db.execute("UPDATE migrations SET oldest_program = '99.1'")
    for run in (("remember", "x y"), ("recall", "build"), ("status",)):
        said = refused(cli, home, *run)
        assert "needs version 99.1 or later" in said
        assert "Upgrade" in said


def test_a_file_that_is_no_store_is_refused(cli: Cli, home: Path) -> None:
    (home / "lore.db").write_bytes(b"SQLite format 3\0" + b"not really" * 500)
    ran = cli("remember", "x y")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert (home / "lore.db").stat().st_size == 5016


def test_a_data_folder_that_is_a_file_is_refused(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LOREMAP_HOME", str(tmp_path / "file" / "home"))
    ran = cli("remember", "x y")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "LOREMAP_HOME" in ran.err


@pytest.fixture
def locked(cli: Cli) -> Cli:
    """An encrypted store that holds a memory."""
    assert cli("init", "--encrypt").code == 0
    cli.remember("The build uses ninja")
    return cli


def test_a_wrong_key_gets_one_line(locked: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREMAP_KEY", secrets.token_hex(32))
    for run in (("recall", "build"), ("remember", "x y"), ("status",)):
        ran = locked(*run)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert "does not open the store" in ran.err
        assert "lore key import" in ran.err
    monkeypatch.setenv("LOREMAP_KEY", "not a key")
    assert "64 hexadecimal digits" in locked("recall", "build").err
    monkeypatch.delenv("LOREMAP_KEY")
    assert locked.listed() == ["The build uses ninja"]


def test_a_lost_key_is_put_back_or_the_store_begun_anew(locked: Cli, tmp_path: Path) -> None:
    key = locked.data("key", "export")["key"]
    for file in (tmp_path / "keys").iterdir():
        file.unlink()
    for run in (("recall", "build"), ("remember", "x y"), ("key", "encrypt")):
        ran = locked(*run)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), run
    assert "lore key import" in locked("recall", "build").err
    assert "not found" in locked("key").out
    wrong = locked("key", "import", stdin=secrets.token_hex(32).encode())
    assert (wrong.code, "does not open" in wrong.err) == (2, True)
    assert locked("key", "import", stdin=key.encode()).code == 0
    assert locked.listed() == ["The build uses ninja"]
    for file in (tmp_path / "keys").iterdir():
        file.unlink()
    assert "Add --yes to confirm it." in locked("key", "reset").err
    aside = Path(locked.data("key", "reset", "--yes")["put_aside"])
    assert aside.exists()
    assert locked.listed() == []


def test_a_key_others_can_read_is_refused(locked: Cli, tmp_path: Path) -> None:
    for file in (tmp_path / "keys").iterdir():
        file.chmod(0o644)
    ran = locked("recall", "build")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "chmod 600" in ran.err


def without_override() -> None:
    """Take from a child of root the right to write where it has no right to."""
    import ctypes

    drop_from_bounding_set, dac_override = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override, 0, 0, 0)


@pytest.fixture
def read_only(full: Cli, home: Path) -> Iterator[Callable[..., Ran]]:
    """Runs `lore` on a store that holds a memory, in a folder that cannot be written."""
    full.remember("The build uses ninja")
    parts = (home, *home.rglob("*"))
    for part in parts:
        part.chmod(0o500 if part.is_dir() else 0o400)
    yield lambda *arguments: in_own_process(
        *arguments, folder=full.folder, preexec_fn=without_override
    )
    for part in parts:
        part.chmod(0o700)


def test_a_read_only_folder_still_recalls(read_only: Callable[..., Ran], home: Path) -> None:
    before = rows(home)
    recalled = read_only("recall", "--json", "which build tool is used?")
    assert [hit["content"] for hit in recalled.data["hits"]] == ["The build uses ninja"]
    ran = read_only("remember", "x y")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "Make the folder writable or set LOREMAP_HOME." in ran.err
    assert rows(home) == before


def test_an_error_with_json_is_one_object_too(cli: Cli) -> None:
    for run in (("show", "beef"), ("recall",), ("remember", "", "--kind", "moon")):
        ran = cli(*run, "--json")
        assert ran.code == 2
        assert ran.data["error"]["message"]
        assert ran.err.count("\n") == 1


def test_a_repository_of_secrets_is_not_told_apart_by_git_alone(cli: Cli, shop: Path) -> None:
    """What git would commit is still refused where its name says that it holds secrets."""
    (shop / ".env").write_text("HOST=otter\n")
    git(shop, "add", "-f", ".env")
    git(shop, "commit", "-q", "-m", "Oops")
    assert cli("remember", "--from", ".env").code == 2
