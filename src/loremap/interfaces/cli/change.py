"""`edit`, `undo`, `pin`, `unpin`, `confirm`, `forget`, `restore`, `link`, `tag`, `alias`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from loremap.errors import BadInput
from loremap.interfaces.cli.shell import (
    agreed,
    chosen,
    command,
    group,
    interactive,
    place,
    say,
    warn,
)
from loremap.interfaces.cli.write import FILE, KindName
from loremap.model.clock import short_id
from loremap.model.memory import RELATION_NAMES, Memory
from loremap.model.session import MAX_PINNED
from loremap.model.trigger import parsed_trigger

if TYPE_CHECKING:
    pass


_IF_VERSION = click.option(
    "--if-version",
    type=int,
    metavar="N",
    help="Refuse where the memory is no longer at version N, as `lore show` told it.",
)


def _done(memory: Memory, said: str, *, as_json: bool) -> Any:
    from loremap.interfaces.cli.present import as_data

    if as_json:
        return as_data(memory)
    say(f"{said}  ", (short_id(memory.id), "dim"), f"  {memory.summary}")
    return None


def _simple(name: str, doc: str, said: str, act: Callable[..., Memory]) -> click.Command:
    """A command that does one thing to one memory."""

    @click.command(name, help=doc)
    @click.argument("id_or_keyword")
    @_IF_VERSION
    @command
    def run(id_or_keyword: str, if_version: int | None, as_json: bool) -> Any:
        with place().lore() as lore:
            keyword = name in ("pin", "unpin")
            id_ = chosen(
                id_or_keyword, lambda ref: lore.find(ref, by_keyword=keyword), as_json=as_json
            )
            memory = act(lore, id_, expected_version=if_version)
            pins = len(lore.list(pinned=True, limit=MAX_PINNED + 1)) if name == "pin" else 0
            if pins > MAX_PINNED and not as_json:
                warn(
                    f"More than {MAX_PINNED} memories are pinned: a session starts with the "
                    f"{MAX_PINNED} most important. `lore last` names those left out."
                )
            return _done(memory, said, as_json=as_json)

    return run


pin = _simple("pin", "Pin a memory: every session starts with it.", "Pinned",
              lambda lore, id_, **seen: lore.pin(id_, **seen))  # fmt: skip
unpin = _simple("unpin", "Unpin a memory.", "Unpinned",
                lambda lore, id_, **seen: lore.unpin(id_, **seen))  # fmt: skip
confirm = _simple("confirm", "Confirm that a memory is true, here and now.", "Confirmed",
                  lambda lore, id_, **seen: lore.confirm(id_, **seen))  # fmt: skip
restore = _simple("restore", "Restore what was forgotten, withdrawn or replaced.", "Restored",
                  lambda lore, id_, **seen: lore.restore(id_, **seen))  # fmt: skip


@click.command()
@click.argument("id_", metavar="ID")
@click.argument("text", nargs=-1)
@click.option("-k", "--kind", type=KindName(), help="Change the kind.")
@click.option("-t", "--tag", "tags", multiple=True, help="Replace the tags with these.")
@click.option(
    "-f", "--file", "files", multiple=True, type=FILE, help="Replace the files with these."
)
@click.option("--trigger", "triggers", multiple=True, help="Replace the triggers with these.")
@click.option("--on", type=click.Choice(["any", "command", "file", "text"]), default="any")
@click.option("--seasonal", metavar="LABEL", help='Tell it in this season only; "" for any.')
@click.option("--importance", type=float, help="0 to 1.")
@click.option("--confidence", type=float, help="0 to 1.")
@_IF_VERSION
@command
def edit(
    id_: str,
    text: tuple[str, ...],
    kind: str | None,
    tags: tuple[str, ...],
    files: tuple[str, ...],
    triggers: tuple[str, ...],
    on: str,
    seasonal: str | None,
    importance: float | None,
    confidence: float | None,
    if_version: int | None,
    as_json: bool,
) -> Any:
    """Change a memory. Without TEXT or options it opens in your editor."""
    with place().lore() as lore:
        from loremap.memory.admission.amend import Edit
        from loremap.model.kind import known_kind

        said: str | None = " ".join(text) or None
        nothing_given = not any((said, kind, tags, files, triggers, importance, confidence))
        if nothing_given and importance is None and confidence is None and seasonal is None:
            seen = lore.find(id_)
            said, if_version = _edited_by_hand(seen.content), if_version or seen.version
        memory, warnings = lore.edit(
            id_,
            Edit(
                content=said,
                kind=known_kind(kind) if kind else None,
                importance=importance,
                confidence=confidence,
                files=files or None,
                tags=tags or None,
                triggers=tuple(parsed_trigger(one, on) for one in triggers) or None,
                seasonal=seasonal,
            ),
            expected_version=if_version,
        )
    if not as_json:
        for warning in warnings:
            warn(warning)
    return _done(memory, "Changed", as_json=as_json)


def _edited_by_hand(content: str) -> str:
    if not interactive():
        raise BadInput("There is nothing to change.", hint="Give the new text or an option.")
    edited = click.edit(content, extension=".txt")
    if edited is None or edited.strip() == content.strip():
        raise BadInput("Nothing was changed.")
    return edited.strip()


@click.command()
@click.argument("id_", metavar="[ID]", required=False)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@command
def undo(id_: str | None, yes: bool, as_json: bool) -> Any:
    """Undo the last act here, or the last one on a memory. It is named first."""
    from loremap.interfaces.cli.present import as_data, moment

    with place().lore() as lore:
        act = lore.last_act(id_)
        said = f"{moment(act.at)}, {act.actor}: {lore.named_act(act)}"
        if act.undoable and not agreed(
            f"{said}\nUndo it?",
            yes=yes,
            as_json=as_json,
            unasked=f"The last act was not undone: {said}.",
        ):
            return None
        touched = lore.undo(id_, change_id=act.change_id)
    if as_json:
        return {"undone": said, "memories": [as_data(memory) for memory in touched]}
    say(f"Undone  {said}")
    for memory in touched:
        now = "gone" if memory.deleted_at else f"{memory.status.value} as before"
        say(f"  now {now}  ", (short_id(memory.id), "dim"), f"  {memory.summary}")
    return None


@click.command()
@click.argument("id_or_keyword")
@click.option("--now", "at_once", is_flag=True, help="Erase immediately and permanently.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@_IF_VERSION
@command
def forget(
    id_or_keyword: str, at_once: bool, yes: bool, if_version: int | None, as_json: bool
) -> Any:
    """Forget a memory. It can be restored for 30 days; with --now never."""

    with place().lore() as lore:
        id_ = chosen(
            id_or_keyword,
            lambda ref: lore.find(ref, by_keyword=True, inactive=at_once),
            as_json=as_json,
        )
        if at_once:
            summary = lore.find(id_).summary
            if not agreed(
                f"Erase permanently: {summary!r}?",
                yes=yes,
                as_json=as_json,
                unasked=f"{summary!r} was not erased: that is permanent.",
            ):
                return None
        gone, complete = lore.forget(id_, now_and_forever=at_once, expected_version=if_version)
        grace = lore.settings.whole("forget.grace_days")
        where, left = lore.store.erased_from, lore.store.kept_of_erased
    if as_json:
        return {
            "forgotten": [memory.id for memory in gone],
            "erased": at_once,
            "complete": complete,
        }
    if not at_once:
        short = short_id(gone[0].id)
        say("Forgotten  ", (short, "dim"), f"  {gone[0].summary}")
        say((f"lore restore {short} brings it back for {grace} days.", "dim"))
    elif complete:
        derived = f" and {len(gone) - 1} derived from it" if len(gone) > 1 else ""
        say(f"Erased{derived}: {where}.")
        if left:
            say(left)
    else:
        warn(
            "Erased, but another process still reads the old log; "
            "it is emptied as soon as that ends."
        )
    return None


@click.command()
@click.argument("source")
@click.argument("target")
@click.option(
    "-r",
    "--relation",
    type=click.Choice(sorted(RELATION_NAMES)),
    default="relates_to",
    help="What SOURCE is to TARGET.",
)
@click.option("-w", "--weight", type=float, default=1.0, help="How strongly, 0 to 1.")
@click.option("--remove", is_flag=True, help="Remove the link.")
@command
def link(
    source: str, target: str, relation: str, weight: float, remove: bool, as_json: bool
) -> Any:
    """Link two memories."""
    kind = RELATION_NAMES[relation]
    with place().lore() as lore:
        if remove:
            if not lore.unlink(source, target, kind):
                raise BadInput(f"There is no such link ({kind.value}).")
        else:
            lore.link(source, target, kind, weight=weight)
    if as_json:
        return {"from": source, "to": target, "relation": kind.value, "removed": remove}
    say(f"{'Unlinked' if remove else 'Linked'}: {source} {kind.value} {target}")
    return None


@click.command()
@click.argument("id_", metavar="ID")
@click.argument("tags", nargs=-1)
@click.option("-r", "--remove", multiple=True, help="Remove this tag.")
@_IF_VERSION
@command
def tag(
    id_: str,
    tags: tuple[str, ...],
    remove: tuple[str, ...],
    if_version: int | None,
    as_json: bool,
) -> Any:
    """Add TAGS to a memory, or remove some."""
    with place().lore() as lore:
        memory = lore.tag(id_, add=tags, remove=remove, expected_version=if_version)
    shown = " ".join(f"#{name}" for name in memory.tags) or "no tags"
    return _done(memory, f"Tagged {shown}", as_json=as_json)


alias = group("alias", "Words that stand for one another in searches.", default="list")


@alias.command("list")
@click.option("--defaults", is_flag=True, help="Also list those Loremap comes with.")
@command
def alias_list(defaults: bool, as_json: bool) -> Any:
    """List the aliases in use."""
    from loremap.model.alias import AliasSource

    with place().lore() as lore:
        every = lore.lessons.aliases()
    found = [one for one in every if defaults or one.source is not AliasSource.BUILT_IN]
    if as_json:
        return {
            "aliases": {one.term: list(one.expansions) for one in found},
            "sources": {one.term: one.source.value for one in found},
        }
    for one in found:
        source = "" if one.source is AliasSource.USER else f"  ({one.source.value})"
        say((one.term, "cyan"), f"  {', '.join(one.expansions)}", (source, "dim"))
    if not found:
        say("None of your own. --defaults shows those Loremap comes with.")
    return None


@alias.command("add")
@click.argument("term")
@click.argument("others", nargs=-1, required=True)
@command
def alias_add(term: str, others: tuple[str, ...], as_json: bool) -> Any:
    """Also search for OTHERS where TERM is asked for."""
    with place().lore() as lore:
        lore.set_alias(term, others)
    if as_json:
        return {"term": term, "others": list(others)}
    say(f"{term} also finds {', '.join(others)}")
    return None


@alias.command("remove")
@click.argument("term")
@command
def alias_remove(term: str, as_json: bool) -> Any:
    """Remove an alias."""
    with place().lore() as lore:
        if term.lower() not in {one.term for one in lore.lessons.aliases()}:
            raise BadInput(f"There is no alias {term!r}.", hint="`lore alias` lists them.")
        lore.set_alias(term, ())
    if as_json:
        return {"term": term, "removed": True}
    say(f"{term} finds only itself")
    return None


COMMANDS = (edit, undo, pin, unpin, confirm, forget, restore, link, tag, alias)
