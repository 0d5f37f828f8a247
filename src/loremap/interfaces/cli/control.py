"""`off`, `on`, `feedback`: what is listened to, and what a person thinks of it."""

from __future__ import annotations

from typing import Any

import click

from loremap.interfaces.cli.shell import chosen, command, place, say
from loremap.model.clock import short_id


def _switch(name: str, doc: str, *, on: bool) -> click.Command:
    @click.command(name, help=doc)
    @click.option("--project", is_flag=True, help="Only the project of this folder.")
    @command
    def run(project: bool, as_json: bool) -> Any:
        from loremap.agent import switches
        from loremap.config.folders import folders

        if project:
            with place().lore() as lore:
                changed = switches.switch_project(lore, on=on)
                what = lore.repository.name
        else:
            since = switches.off_since(folders().home)
            if on and since is not None:  # before anybody may learn from what was said meanwhile
                with place().lore() as lore:
                    switches.note_pause(lore, since)
            changed = switches.switch(folders().home, on=on)
            what = "everything"
        if as_json:
            return {"on": on, "project": what if project else None, "changed": changed}
        already = "" if changed else "already "
        say(f"Loremap is {already}{name} for {what}.")
        if on and not project:
            with place().lore() as lore:
                if switches.project_is_off(lore):
                    say(("The project here is still off: `lore on --project`.", "dim"))
        if not on:
            back = "lore on --project" if project else "lore on"
            say((f"Nothing is recorded or injected until `{back}`; what is stored stays.", "dim"))
        return None

    return run


off = _switch("off", "Switch off: say and record nothing in agents' sessions.", on=False)
on = _switch("on", "Switch on again.", on=True)


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--helpful/--not-helpful", default=True, help="Whether it helped.")
@click.option("--wrong", is_flag=True, help="It does not hold.")
@command
def feedback(id_: str, helpful: bool, wrong: bool, as_json: bool) -> Any:
    """Vote on a memory: whether it helped, or that it is wrong."""
    from loremap.interfaces.cli.present import as_data

    with place().lore() as lore:
        memory = lore.feedback(
            chosen(id_, lore.find, as_json=as_json),
            helpful=helpful,
            wrong=wrong,
        )
    if as_json:
        return as_data(memory)
    said = "Voted wrong" if wrong else "Helpful" if helpful else "Not helpful"
    say(f"{said}  ", (short_id(memory.id), "dim"), f"  {memory.summary}")
    if memory.voted_down:
        say(("It is said to no agent from now on; `lore wrong` withdraws it.", "dim"))
    return None


COMMANDS = (off, on, feedback)
