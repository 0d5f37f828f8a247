"""No secret is in any byte of any file, whichever way it was told to `lore`."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_tools import Cli

from told_secrets import told


def leaked(secrets: list[str], home: Path) -> list[str]:
    """The secrets that lie in a file of the data folder, its log and backups among them."""
    files = [file for file in home.rglob("*") if file.is_file()]
    assert any(file.name == "lore.db" for file in files)
    held = b"\0".join(file.read_bytes() for file in files)
    return [secret for secret in secrets if secret.encode() in held]


def test_sixty_sentences_in_six_languages(cli: Cli, home: Path) -> None:
    said = told(11)
    for one in said:
        ran = cli("remember", "--", one.text)
        assert ran.code == 0, ran
        assert one.secret not in ran.out + ran.err
    assert cli("backup", "now").code == 0
    assert len(cli.data("list", "--limit", "100")["memories"]) > 50
    assert leaked([one.secret for one in said], home) == []


def test_what_the_text_gives_away_is_out_of_every_other_field(cli: Cli, home: Path) -> None:
    one, two = told(12)[:2]
    ran = cli(
        "remember", "--kind", "procedure", "--name", f"rotate {one.secret}",
        "--when", f"{one.secret} leaks", "--step", f"revoke {one.secret}",
        "--needs", one.secret, "--beware", f"{one.secret} is cached",
        "--tag", one.secret, "--snippet", f"they said {one.secret}",
        "--reason", f"{one.secret} worked", "--", one.text,
    )  # fmt: skip
    assert ran.code == 0, ran
    ran = cli(
        "remember", "--kind", "warning", "--tag", two.secret, "--file", f"notes/{two.secret}.md",
        "--trigger", f"echo {two.secret}", "--", two.text,
    )  # fmt: skip
    assert ran.code == 0, ran
    assert leaked([one.secret, two.secret], home) == []


@pytest.mark.parametrize(
    "text",
    [
        "The mailer retries <private>{}</private> three times",
        "The mailer retries\n<private>\n{}\n\nsee {}\n</private>\nthree times",
        "The mailer retries three times <PRIVATE>{}",
    ],
)
def test_what_is_private_is_not_stored(cli: Cli, home: Path, text: str) -> None:
    words = "the plum orchard meeting"
    stored = cli.remember(text.replace("{}", words), "--tag", f"x<private>{words}</private>")
    assert "plum" not in str(stored)
    assert cli.listed()[0].startswith("The mailer retries")
    assert leaked([words], home) == []


def test_conventions_of_a_project_are_stored_without_its_secrets(
    cli: Cli, shop: Path, home: Path
) -> None:
    said = told(13)
    rules = "\n".join(f"- {one.text}" for one in said)
    (shop / "AGENTS.md").write_text(f"# Rules\n\n{rules}\n", "utf-8")
    code = "\n".join(f'def use_{at}():\n    """{one.text}"""' for at, one in enumerate(said))
    (shop / "notes.py").write_text(code.replace('""""', '" """'), "utf-8")
    assert cli("init", "--keep", "all").code == 0
    assert cli("map").code == 0
    assert leaked([one.secret for one in said], home) == []


def test_the_users_own_patterns_and_exceptions_hold(cli: Cli, home: Path) -> None:
    ticket, sample = "ACME-" + "77031", "Tr0ub4" + "dor3x"
    assert cli("config", "set", "redact.patterns", "ACME-[0-9]{5}").code == 0
    assert cli("config", "set", "redact.allow", f'["{sample}"]').code == 0
    cli.remember(f"Case {ticket} shows that the password is {sample} in the manual")
    assert cli.listed() == [
        f"Case [REDACTED: own-pattern] shows that the password is {sample} in the manual"
    ]
    assert leaked([ticket], home) == []


def test_a_bad_pattern_is_a_clear_error(cli: Cli, home: Path) -> None:
    ran = cli("config", "set", "redact.patterns", "(?<=a)b")
    assert ran.code != 0
    assert "redact.patterns: '(?<=a)b': Look-around" in ran.err
    (home / "config.toml").write_text('[redact]\npatterns = ["[unclosed"]\n', "utf-8")
    ran = cli("remember", "The mailer retries three times")
    assert ran.code != 0
    assert "redact.patterns: '[unclosed'" in ran.err
