"""The tools that keep, find and change memories."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from loremap.errors import BadInput, NotFound
from loremap.interfaces.mcp.answer import ID, Answer, listed, named, plain_id, stored, whole
from loremap.interfaces.mcp.call import Call
from loremap.interfaces.mcp.map_tool import BEING_MADE
from loremap.model.kind import Kind, known_kind
from loremap.model.memory import RELATION_NAMES, Procedure, Scope
from loremap.model.outcome import Outcome, Refused
from loremap.model.recall import Hit
from loremap.model.text import one_line
from loremap.model.trigger import parsed_trigger

MAX_RESULTS = 5
MAX_LISTED = 20
BRIEF_TOKENS = 1_800
NOTHING_FITS = "Nothing remembered fits."


def remember(call: Call) -> Answer:
    """Keep something for later sessions."""
    given = call.given
    patterns = given.get("triggers", ())
    procedure = _procedure(given)
    usual = Kind.FACT if procedure is None else Kind.PROCEDURE
    kind = given.get("kind") or (Kind.WARNING if patterns else usual)
    with call.lore(writes=True) as lore:
        outcome = lore.remember(
            given["content"] if procedure is None else procedure.said,
            kind=kind,
            procedure=procedure,
            scope=given.get("scope", Scope.PROJECT),
            tags=given.get("tags", ()),
            files=given.get("files", ()),
            symbols=given.get("symbols", ()),
            triggers=[parsed_trigger(one, given.get("on", "any")) for one in patterns],
            importance=given.get("importance"),
            replaces=plain_id(given["replaces"]) if "replaces" in given else None,
        )
    return noted(call, outcome)


def _procedure(given: Mapping[str, Any]) -> Procedure | None:
    """How something is done, where steps are given; `content` names it then."""
    steps, more = given.get("steps", ()), ("when", "needs", "beware")
    if not steps:
        if any(name in given for name in more):
            raise BadInput("A procedure needs steps.", hint="Give them in steps, in their order.")
        return None
    return Procedure(
        given["content"],
        given.get("when", ""),
        tuple(steps),
        tuple(given.get("needs", ())),
        tuple(given.get("beware", ())),
    )


def noted(call: Call, outcome: Outcome) -> Answer:
    """What became of something to be remembered; the session that said it knows it."""
    if not isinstance(outcome, Refused):
        call.note_stored(outcome.memory.id)
    return stored(outcome)


def record_gotcha(call: Call) -> Answer:
    """Keep a trap, with what it bites at."""
    given = call.given
    pattern = given.get("trigger")
    with call.lore(writes=True) as lore:
        outcome = lore.remember(
            given["text"],
            kind=Kind.GOTCHA,
            files=given.get("files", ()),
            triggers=[parsed_trigger(pattern, "any")] if pattern else (),
        )
    return noted(call, outcome)


def recall(call: Call) -> Answer:
    """What is remembered that fits, and was not told in this session yet; by its id, one memory in
    full."""
    given, caller = call.given, call.caller
    if ID.fullmatch(given["query"].strip()):
        with call.lore() as lore, suppress(NotFound):  # a number may be what is looked for
            return Answer(whole(lore.show(plain_id(given["query"]))))
    limit = given.get("limit", MAX_RESULTS)
    kinds = [known_kind(given["kind"]).value] if "kind" in given else []
    if caller.incognito:
        # Nothing may be noted of an incognito session, so nothing is held back as told before.
        with call.lore() as lore:
            files = given.get("files", ())
            found = lore.recall(
                given["query"], limit=limit, files=files, kinds=kinds, count_use=False
            )
        return listed(found.hits, empty=NOTHING_FITS, asked=given["query"])
    with call.lore():
        pass
    asked = call.context.session_agent.asked(
        caller.folder,
        given["query"],
        session_id=caller.session_id,
        client=caller.client,
        limit=limit,
        again=given.get("again", False),
        files=given.get("files", ()),
        kinds=kinds,
    )
    return listed(
        asked.hits,
        remarks=asked.remarks,
        empty=NOTHING_FITS,
        note=_held_back(asked.known),
        asked=given["query"],
    )


def _held_back(known: int) -> str:
    if not known:
        return ""
    return f"{known} more this session knows already; again=true repeats them."


def brief(call: Call) -> Answer:
    """The modules a task concerns, and what is remembered of them."""
    given, caller = call.given, call.caller
    with call.lore() as lore:
        has_code = lore.repository.kind != "global"
    note = "" if not has_code or call.is_charted() else "\n" + BEING_MADE
    text = call.context.session_agent.brief(
        caller.folder,
        given["task"],
        session_id=None if caller.incognito else caller.session_id,
        client=caller.client,
        budget_tokens=given.get("tokens", BRIEF_TOKENS),
    )
    return Answer((text or "Nothing here concerns that.") + note, framed=True)


def forget(call: Call) -> Answer:
    """Take a memory out of use; a person can bring it back."""
    with call.lore(writes=True) as lore:
        gone, _ = lore.forget(
            plain_id(call.given["id"]), expected_version=call.given.get("version")
        )
    return Answer("\n".join(f"Forgotten: {named(memory)}" for memory in gone))


def link(call: Call) -> Answer:
    """Say how two memories belong together."""
    given = call.given
    relation = RELATION_NAMES[given.get("relation", "relates_to")]
    with call.lore(writes=True) as lore:
        one, other = lore.link(plain_id(given["from"]), plain_id(given["to"]), relation)
    return Answer(f"Linked: {named(one)} {relation.value} {named(other)}")


def tag(call: Call) -> Answer:
    """Add and take away tags."""
    given = call.given
    add, remove = given.get("tags", ()), given.get("remove", ())
    if not add and not remove:
        raise BadInput("There is no tag.", hint="Give tags to add, or some to remove.")
    with call.lore(writes=True) as lore:
        memory = lore.tag(
            plain_id(given["id"]),
            add=add,
            remove=remove,
            expected_version=given.get("version"),
        )
    return Answer(f"{named(memory)} is tagged: {one_line(', '.join(memory.tags)) or 'nothing'}")


def list_(call: Call) -> Answer:
    """Memories by tag or kind, newest first."""
    given = call.given
    limit = given.get("limit", MAX_LISTED)
    with call.lore() as lore:
        found = lore.list(
            kinds=[given["kind"]] if "kind" in given else (), tag=given.get("tag"), limit=limit + 1
        )
    more = "There are more; a larger limit shows them." if len(found) > limit else ""
    hits = [Hit(memory, 0.0) for memory in found[:limit] if not memory.voted_down]
    return listed(hits, note=more, empty="Nothing is remembered here yet.")


def feedback(call: Call) -> Answer:
    """Say whether a memory helped."""
    helpful, wrong = call.given["helpful"], call.given.get("wrong", False)
    with call.lore(writes=True) as lore:
        memory = lore.feedback(plain_id(call.given["id"]), helpful=helpful, wrong=wrong)
    said = "wrong" if wrong else "helpful" if helpful else "not helpful"
    return Answer(f"Noted as {said}: {named(memory)}")
