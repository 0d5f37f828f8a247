"""`config`, `key`, `backup`, `completion`: keeping the store and the program."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import click

from loremap.config.folders import folders
from loremap.errors import LoremapError
from loremap.interfaces.cli.shell import agreed, command, group, place, say

TOLD_TO_HOOKS = ("inject.hold", "metrics.hold_out")
"""Settings that a hook goes by where it finds no resident."""

config = group("config", "Settings: list, get, set, unset, preset.", default="list")


@config.command("list")
@command
def config_list(as_json: bool) -> Any:
    """List every setting, its value and what it does."""
    from loremap.config.settings import SETTINGS, load

    values = load(folders().settings).values
    if as_json:
        return {"settings": dict(values), "file": str(folders().settings)}
    for name, setting in SETTINGS.items():
        mark = "" if values[name] == setting.default else " (set)"
        say(
            (name, "cyan"),
            f" = {_shown(values[name])}",
            (mark, "yellow"),
            (f"  {setting.says}", "dim"),
        )
    say((f"kept in {folders().settings}", "dim"), whole=True)
    return None


@config.command("get")
@click.argument("name")
@command
def config_get(name: str, as_json: bool) -> Any:
    """Print the value of one setting."""
    from loremap.config.settings import SETTINGS, checked, load

    values = load(folders().settings).values
    value = values.get(name)
    if value is None:
        checked(name, SETTINGS)  # says which name was meant
    if as_json:
        return {"name": name, "value": value}
    click.echo(_shown(value))
    return None


@config.command("set")
@click.argument("name")
@click.argument("value")
@command
def config_set(name: str, value: str, as_json: bool) -> Any:
    """Set NAME to VALUE."""
    from loremap.config.settings import checked, save
    from loremap.safety.own_rules import checked_rules

    if isinstance(wanted := checked(name, value), tuple) and name.startswith("redact."):
        checked_rules(name, wanted)
    new = save(folders().settings, name, value)
    if name in TOLD_TO_HOOKS:
        _stand_by()
    if as_json:
        return {"name": name, "value": new}
    say(f"{name} = {_shown(new)}")
    return None


@config.command("unset")
@click.argument("name")
@command
def config_unset(name: str, as_json: bool) -> Any:
    """Reset NAME to its default."""
    from loremap.config.settings import SETTINGS, unset

    unset(folders().settings, name)
    if name in TOLD_TO_HOOKS:
        _stand_by()
    default = SETTINGS[name].default
    if as_json:
        return {"name": name, "value": default}
    say(f"{name} = {_shown(default)}")
    return None


@config.command("preset")
@click.argument("name", required=False, metavar="[conservative|balanced|aggressive]")
@command
def config_preset(name: str | None, as_json: bool) -> Any:
    """Show or set how readily candidates of this project are believed."""
    with place().lore() as lore:
        if name is not None:
            lore.tending.use_preset(name)
        now = lore.tending.preset
        project = lore.repository.name
    if as_json:
        return {"preset": now, "project": project}
    say(f"{now}", (f"  for {project}", "dim"))
    return None


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else str(value) or '""'


key = group(
    "key",
    "The key of an encrypted store: status, encrypt, change, decrypt, export, import, reset.",
    default="status",
)


@key.command("status")
@command
def key_status(as_json: bool) -> Any:
    """Show whether the store is encrypted and where its key is."""
    from loremap.app import encryption

    state = encryption.state(folders())
    if as_json:
        return {
            "encrypted": state.encrypted,
            "key_found_in": state.place,
            "keychain": state.keychain,
            "on_server": state.on_server,
        }
    if state.on_server:
        say(f"The store is on a server ({state.store}) and has no key of its own.")
        say("Whoever runs the server encrypts its disks.")
    elif not state.exists:
        say("There is no store yet: lore init --encrypt makes an encrypted one.")
    elif not state.encrypted:
        say("The store is not encrypted: lore key encrypt")
    elif state.place:
        say(f"The store is encrypted; its key is in {state.place}.", whole=True)
    else:
        say(
            ("The store is encrypted and its key was not found.", "yellow"),
            " The data is unharmed: lore key import puts the key back, lore key reset starts anew.",
        )
    return None


def _let_go() -> None:
    """End the resident, which has the store open; the next event of an agent starts another."""
    from loremap.interfaces.resident.reach import stop

    stop(folders().home)


def _stand_by() -> None:
    """Let hooks that find no resident go by the settings and the store as they are now; by nothing
    where the store cannot be opened."""
    from loremap.app.encryption import care_here
    from loremap.memory.standby import files as standby_files

    standby_files.clear(folders().home)
    with suppress(LoremapError):
        if care_here(folders()).exists():
            with place().lore() as lore:
                lore.engine.standby.refresh()


def _options() -> Any:
    from loremap.app import store_options
    from loremap.config.settings import load

    return store_options(load(folders().settings))


@key.command("encrypt")
@click.option("--key-from-stdin", is_flag=True, help="Use the key on standard input (64 hex).")
@command
def key_encrypt(key_from_stdin: bool, as_json: bool) -> Any:
    """Encrypt the store and its backups."""
    from loremap.app import encryption

    _let_go()
    kept = encryption.encrypt(folders(), options=_options(), given=_given(key_from_stdin))
    _stand_by()
    return _kept("Encrypted", kept, as_json=as_json)


@key.command("change")
@click.option("--key-from-stdin", is_flag=True, help="Use the key on standard input (64 hex).")
@command
def key_change(key_from_stdin: bool, as_json: bool) -> Any:
    """Change the key of the store and its backups."""
    from loremap.app import encryption

    _let_go()
    kept = encryption.change(folders(), options=_options(), given=_given(key_from_stdin))
    _stand_by()
    return _kept("The key is changed", kept, as_json=as_json)


@key.command("decrypt")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@command
def key_decrypt(yes: bool, as_json: bool) -> Any:
    """Decrypt the store and its backups."""
    from loremap.app import encryption

    if not agreed(
        "Anyone who can read the files can then read the store. Go on?",
        yes=yes,
        as_json=as_json,
        unasked="Anyone who can read the files could then read the store.",
    ):
        return None
    _let_go()
    encryption.decrypt(folders(), options=_options())
    _stand_by()
    if as_json:
        return {"encrypted": False}
    say("Decrypted; the key is forgotten.")
    return None


@key.command("export")
@command
def key_export(as_json: bool) -> Any:
    """Print the key, to be kept in a safe place."""
    from loremap.app import encryption

    secret = encryption.export_key(folders())
    if as_json:
        return {"key": secret}
    click.echo(secret)
    return None


@key.command("import")
@command
def key_import(as_json: bool) -> Any:
    """Keep the key given on standard input, if it opens the store."""
    from loremap.app import encryption

    given = _given(True)
    assert given is not None
    kept = encryption.import_key(folders(), given, options=_options())
    return _kept("The key opens the store", kept, as_json=as_json)


@key.command("reset")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@command
def key_reset(yes: bool, as_json: bool) -> Any:
    """Start over when the key is lost. The old file is put aside, not removed."""
    from loremap.app import encryption

    if not agreed(
        "Put the locked store aside and start with an empty one?",
        yes=yes,
        as_json=as_json,
        unasked="This puts the whole store aside.",
    ):
        return None
    _let_go()
    aside = encryption.reset(folders(), datetime.now(UTC))
    if as_json:
        return {"put_aside": str(aside)}
    say(f"The locked store is now {aside}; the next command starts a new one.")
    return None


def _given(from_stdin: bool) -> str | None:
    if not from_stdin:
        return None
    if sys.stdin.isatty():
        return str(click.prompt("Key (64 hexadecimal digits)", hide_input=True))
    return sys.stdin.readline()


def _kept(said: str, where: str, *, as_json: bool) -> Any:
    if as_json:
        return {"encrypted": True, "key_kept_in": where}
    say(f"{said}; the key is kept in {where}.", whole=True)
    say("Without it the data cannot be read: lore key export prints it for safekeeping.")
    return None


backup = group("backup", "Backups: list, now, restore.", default="list")


@backup.command("list")
@command
def backup_list(as_json: bool) -> Any:
    """List the backups, newest first."""
    from loremap.app.encryption import care_here

    found = [
        {
            "number": one.number,
            "made_at": one.made_at.isoformat("T", "seconds"),
            "size_bytes": one.size_bytes,
        }
        for one in care_here(folders()).backups()
    ]
    if as_json:
        return {"backups": found, "folder": str(folders().backups)}
    for entry in found:
        say(f"{entry['number']}  {entry['made_at']}  {entry['size_bytes']:,} bytes")
    if not found:
        say("No backups yet; one is made each day, or by lore backup now.")
    return None


@backup.command("now")
@command
def backup_now(as_json: bool) -> Any:
    """Make a backup."""
    from loremap.app.encryption import care_here

    with place().lore() as lore:
        made = lore.store.back_up()
    if made is None:
        raise care_here(folders()).no_backups()
    if as_json:
        return {"backup": str(made)}
    say(f"Made {made}", whole=True)
    return None


@backup.command("restore")
@click.argument("number", type=int, required=False)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@command
def backup_restore(number: int | None, yes: bool, as_json: bool) -> Any:
    """Bring back a store that is gone or damaged; with NUMBER, replace it with that backup.

    Without NUMBER all that can still be read is kept, the rest comes from the newest good backup,
    and what was lost is listed. What is there now is kept beside it.
    """
    from loremap.app.encryption import care_here

    care = care_here(folders())
    if care.on_server:
        raise care.no_backups()
    if not agreed(
        "Bring the store back?" if number is None else f"Replace the store with backup {number}?",
        yes=yes,
        as_json=as_json,
        unasked="This replaces the store.",
    ):
        return None
    _let_go()
    if number is None:
        return _recovered(as_json=as_json)
    aside = care.restore(number)
    _stand_by()
    if as_json:
        return {"restored": number, "put_aside": str(aside)}
    say(f"Restored backup {number}; what was there is {aside}.", whole=True)
    return None


def _recovered(*, as_json: bool) -> Any:
    from dataclasses import asdict

    from loremap.app.recovery import lines_of, recover

    done = recover(folders(), options=_options(), now=datetime.now(UTC))
    if as_json:
        aside = None if done.aside is None else str(done.aside)
        at = None if done.backup_at is None else done.backup_at.isoformat("T", "seconds")
        return asdict(done) | {"aside": aside, "backup_at": at}
    for line in lines_of(done):
        say(line, whole=True)
    return None


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@command
def completion(shell: str, as_json: bool) -> Any:
    """Print the completion script: eval "$(lore completion bash)"."""
    from click.shell_completion import get_completion_class

    lore = click.get_current_context().find_root().command
    made = get_completion_class(shell)
    assert made is not None
    script = made(lore, {}, "lore", "_LORE_COMPLETE").source()
    if as_json:
        return {"shell": shell, "script": script}
    click.echo(script)
    return None


COMMANDS = (config, key, backup, completion)
