"""The `memory` tool: its commands as a user types them after a slash."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from loremap.config import settings as config
from loremap.errors import BadInput
from loremap.interfaces.mcp.answer import Answer, listed, named, plain_id, shortened, status_text
from loremap.interfaces.mcp.call import Call
from loremap.interfaces.mcp.memory_tools import noted
from loremap.model.alias import AliasSource
from loremap.model.kind import Kind
from loremap.model.memory import Origin
from loremap.model.recall import Hit
from loremap.model.text import one_line
from loremap.sessions.telling import note_told

if TYPE_CHECKING:
    from loremap.app.lore import Lore

MAX_SHOWN = 20
USAGE = (
    "Commands: remember TEXT, forget ID|WORDS, pin ID|WORDS, status, list [KIND], search QUERY, "
    "budget TOKENS, inbox [keep|drop ID ...], auto on|off, "
    "alias add WORD = OTHER, WORDS | list | remove WORD."
)
Said = Callable[[Call, str], Answer]


def run(call: Call) -> Answer:
    """Do what the user typed."""
    verb, rest = _split(call.given["command"].strip().removeprefix("/"))
    if verb == "memory":
        verb, rest = _split(rest)
    said = COMMANDS.get(verb.lower() or "status")
    if said is None:
        raise BadInput(f"There is no command {shortened(verb)}.", hint=USAGE)
    return said(call, rest)


def _split(typed: str) -> tuple[str, str]:
    """The first word, and what follows as it was typed."""
    first, *rest = typed.split(None, 1) or [""]
    return first, rest[0].strip() if rest else ""


def _remember(call: Call, text: str) -> Answer:
    """What the user typed is confirmed at once; what an agent says for them is the agent's."""
    _wanted(text, "remember TEXT")
    origin = Origin.USER_STATED if call.is_typed(text) else None
    with call.lore(writes=True) as lore:
        outcome = lore.remember(text, kind=Kind.FACT, origin=origin)
    return noted(call, outcome)


def _refuse_unsaid(call: Call, typed: str) -> None:
    """Raise where an agent says on its own what only a user may: text it read may have told it."""
    if not call.is_typed(typed):
        raise BadInput(
            "The user did not type that, and only the user may.",
            hint=f"They can type /memory {typed}, or use `lore` in a shell.",
        )


def _forget(call: Call, text: str) -> Answer:
    _wanted(text, "forget ID|WORDS")
    with call.lore(writes=True) as lore:
        gone, _ = lore.forget(plain_id(text))
    return Answer("\n".join(f"Forgotten: {named(memory)}" for memory in gone))


def _wrong(call: Call, text: str) -> Answer:
    """Withdraw what the user says is wrong; on its own an agent has a vote."""
    id_, reason = _split(text)
    _wanted(id_, "wrong ID [REASON]")
    with call.lore(writes=True) as lore:
        _refuse_unsaid(call, f"wrong {text}")
        person = lore.as_session(lore.session_id, None)
        found = person.lessons.wrong(plain_id(id_), reason)
    lines = [f"Withdrawn as wrong: {named(found.memory)}"]
    lines += [f"It had replaced {named(one)}" for one in found.replaced]
    lines += [f"Derived from it, to be looked at: {named(one)}" for one in found.derived]
    return Answer("\n".join(lines))


def _pin(call: Call, text: str) -> Answer:
    """Pin, or take the pin off again."""
    _wanted(text, "pin ID|WORDS")
    with call.lore(writes=True) as lore:
        _refuse_unsaid(call, f"pin {text}")
        found = lore.find(plain_id(text), by_keyword=True)
        memory = lore.unpin(found.id) if found.pinned else lore.pin(found.id)
    return Answer(f"{'Pinned' if memory.pinned else 'No longer pinned'}: {named(memory)}")


def _status(call: Call, _text: str) -> Answer:
    with call.lore() as lore:
        return Answer(status_text(lore, call.caller))


def _list(call: Call, kind: str) -> Answer:
    with call.lore() as lore:
        found = lore.list(kinds=[kind] if kind else (), limit=MAX_SHOWN)
    hits = [Hit(memory, 0.0) for memory in found]
    return listed(hits, empty="Nothing is remembered here yet.")


def _inbox(call: Call, text: str) -> Answer:
    """What sessions taught and waits for the user; `keep ID` and `drop ID` are their word."""
    verb, rest = _split(text)
    if not verb:
        with call.lore() as lore:
            waiting = lore.sessions.inbox()[:MAX_SHOWN]
            if call.is_typed("inbox"):
                note_told(lore, waiting)
        hits = [Hit(memory, 0.0) for memory in waiting]
        how = "The user keeps or drops it: /memory inbox keep|drop ID …" if waiting else ""
        return listed(hits, note=how, empty="Nothing that was learned waits for the user.")
    if verb not in ("keep", "drop") or not rest:
        raise BadInput("That is no word on what was learned.", hint="Say: inbox keep|drop ID ...")
    with call.lore(writes=True) as lore:
        _refuse_unsaid(call, f"inbox {text}")
        person = lore.as_session(lore.session_id, None)
        judge = person.sessions.keep if verb == "keep" else person.sessions.drop
        done = [judge(plain_id(one)) for one in rest.split()]
    said = "Kept" if verb == "keep" else "Dropped"
    return Answer("\n".join(f"{said}: {named(memory)}" for memory in done))


def _auto(call: Call, text: str) -> Answer:
    """Learn from the sessions of this project, or do not; without a word whether it does."""
    if text and text not in ("on", "off"):
        raise BadInput("Learning is on or off.", hint="Say: auto on|off")
    with call.lore(writes=bool(text)) as lore:
        if text:
            _refuse_unsaid(call, f"auto {text}")
            lore.sessions.switch_project(on=text == "on")
        is_on = lore.sessions.is_on
    return Answer(f"Learning from the sessions of this project is {'on' if is_on else 'off'}.")


def _search(call: Call, text: str) -> Answer:
    """A person's search by words, with the scores; a model reads the answer, so that what is held
    back is named and not said."""
    _wanted(text, "search QUERY")
    with call.lore() as lore:
        found = lore.search(text, recipe="words", limit=MAX_SHOWN)
    lines = [f"{hit.score:.2f} {named(hit.memory)}" for hit in found.hits]
    return Answer("\n".join(lines) or f"No memory here has the words {shortened(text)}.")


def _budget(call: Call, text: str) -> Answer:
    """Show how much may be injected, or set it."""
    name = "inject.tokens"
    with call.lore(writes=bool(text)) as lore:
        if text:
            config.checked(name, text)
            _refuse_unsaid(call, f"budget {text}")
            config.save(lore.places.settings, name, text)
            call.context.workspaces.settings_changed()
        tokens = call.context.workspaces.engine.settings.whole(name)
    return Answer(f"At most {tokens} tokens are injected at once.")


def _alias(call: Call, text: str) -> Answer:
    verb, rest = _split(text)
    if verb in ("", "list"):
        with call.lore() as lore:
            return Answer(_aliases(lore))
    word, _, others = rest.partition("=") if "=" in rest else rest.partition(" ")
    expansions = [one.strip() for one in others.split(",") if one.strip()]
    if not word.strip() or verb not in ("add", "remove") or (verb == "add") != bool(expansions):
        raise BadInput(
            "An alias is a word and what it stands for.",
            hint="Say: alias add k8s = kubernetes | alias remove k8s | alias list.",
        )
    with call.lore(writes=True) as lore:
        _refuse_unsaid(call, f"alias {text}")
        lore.set_alias(word, expansions)
        return Answer(_aliases(lore))


def _aliases(lore: Lore) -> str:
    """The user's aliases, then those that hold unless the user says otherwise."""
    found = lore.lessons.aliases()
    own, told, ours = (
        {one.term: one.expansions for one in found if one.source is source}
        for source in (AliasSource.USER, AliasSource.PROJECT, AliasSource.BUILT_IN)
    )
    said = [_spelt(own) or "none of your own", f"built in: {_spelt(ours)}"]
    if told:
        said.insert(1, f"from the project: {_spelt(told)}")
    return "Aliases: " + "\n".join(said)


def _spelt(aliases: Mapping[str, Sequence[str]]) -> str:
    return one_line("; ".join(f"{word} = {', '.join(to)}" for word, to in aliases.items()))


def _wanted(text: str, usage: str) -> None:
    if not text:
        raise BadInput("Something is missing.", hint=f"Say: {usage}.")


COMMANDS: dict[str, Said] = {
    "remember": _remember,
    "forget": _forget,
    "pin": _pin,
    "wrong": _wrong,
    "status": _status,
    "list": _list,
    "search": _search,
    "budget": _budget,
    "alias": _alias,
    "inbox": _inbox,
    "auto": _auto,
}
