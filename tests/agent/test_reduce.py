"""A session as a value: journeys that drive `reduce` alone, with no store, no clock, no client.

After each event a journey says what lies in the context and what waits, and what is to be done.
"""

from __future__ import annotations

import ast
import inspect
from copy import deepcopy
from dataclasses import FrozenInstanceError, dataclass, replace
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any, get_args

import pytest

from loremap.agent import delivery, events, reduce, state, turns
from loremap.agent.events import (
    AnswerAnew,
    Answered,
    Asked,
    Began,
    BlockHeld,
    BlockMade,
    Compacted,
    Compacting,
    Effect,
    Ended,
    Event,
    Followed,
    FoundLate,
    Heard,
    Hold,
    MarkUsed,
    OpenTopic,
    Restored,
    Say,
    Started,
    StartTask,
    StoodIn,
    Stored,
    StrikeInjections,
    SubagentStarted,
    SubagentStopped,
    TakenUp,
    TakeUp,
    Tasked,
    Undelivered,
    Used,
    Warned,
    WentOn,
    WriteInjections,
    WriteSession,
)
from loremap.agent.state import KEPT_FOR, Pending, State
from loremap.clients.transcripts.record import Cut
from loremap.embedding.scale import Scale
from loremap.memory.brief.always import AlwaysOn
from loremap.memory.brief.brief import Brief
from loremap.memory.brief.render import Piece
from loremap.memory.brief.said import Fired
from loremap.model.hook import HookEvent, Moment, ToolCall
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Scope, Status, Trigger
from loremap.model.recall import Alert
from loremap.model.session import Injection, Session, Tier

T0 = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
SCALE = Scale(0.2, 0.1)
LOGIN = frozenset(("login", "token", "expires", "every", "night"))
CART = frozenset(("cart", "total", "wrong", "with", "discounts"))
TAKES_ALL, TAKES_NO_TOOL = "claude", "gemini"


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


SESSION = Session(id="s1", client=TAKES_ALL, created_at=T0, last_at=T0, reset_at=T0)
BLOCK = BlockMade(AlwaysOn(text="[rule]", pieces=(Piece(text="[rule]", memory_id="rule"),)), seq=7)
STARTED = Started(SESSION)
BEGAN = Began(T0, is_new=True, block=BLOCK)


def hook(moment: Moment, seconds: float, **more: Any) -> HookEvent:
    usual: dict[str, Any] = {
        "client": TAKES_ALL,
        "name": moment.value,
        "moment": moment,
        "session_id": "s1",
        "at": at(seconds),
        "key": f"k{seconds}",
    }
    return HookEvent(**(usual | more))


def start(seconds: float = 0, **more: Any) -> Answered:
    return answer(Moment.SESSION_START, seconds, **more)


def answer(moment: Moment, seconds: float, brief: Brief | None = None, **more: Any) -> Answered:
    seed = f"seed {seconds}"
    return Answered(hook=hook(moment, seconds, **more), now=at(seconds), seed=seed, brief=brief)


def prompt(seconds: float, brief: Brief | None = None, **more: Any) -> Answered:
    return answer(Moment.PROMPT, seconds, brief, **more)


def heard(moment: Moment, seconds: float, *cuts: Cut, **more: Any) -> Heard:
    return Heard(hook(moment, seconds, **more), cuts)


def of(*ids: str, module: str = "") -> Brief:
    """A brief of these memories."""
    pieces = [Piece(text=f"[{id_}]", memory_id=id_) for id_ in ids]
    pieces += [Piece(text=f"[{module}]", module=module)] if module else []
    return Brief(" ".join(piece.text for piece in pieces), pieces=tuple(pieces))


def about(words: frozenset[str], *, worth: bool = True, **more: Any) -> Followed:
    return Followed(words, None, SCALE, is_worth=worth, **more)


def call(use_id: str) -> ToolCall:
    return ToolCall(name="Bash", use_id=use_id, command="git push --force")


def warning(id_: str = "warn") -> Alert:
    pattern = "push --force"
    memory = Memory(
        id=id_,
        content=f"[{id_}]",
        summary=f"[{id_}]",
        kind=Kind.WARNING,
        status=Status.CONFIRMED,
        scope=Scope.PROJECT,
        created_at=T0,
        updated_at=T0,
        last_accessed_at=T0,
        project_id=None,
        origin=Origin.USER_STATED,
        fingerprint="",
        triggers=(Trigger("literal", pattern, "command"),),
    )
    return Alert(memory, "command", pattern, pattern)


def warned(seconds: float, use_id: str, *, holds: bool = False, **more: Any) -> Warned:
    fields = {"client": more.pop("client", TAKES_ALL), "tool": call(use_id)}
    return Warned(
        hook=hook(Moment.BEFORE_TOOL, seconds, **fields),
        fired=Fired((warning(),)),
        now=at(seconds),
        seed=f"seed {seconds}",
        may_hold=holds,
        **more,
    )


def row(seconds: float, moment: Moment, tier: Tier, memory_id: str | None, why: str = "") -> Any:
    return Injection(
        id=f"row {seconds} {memory_id}",
        at=at(seconds),
        session_id="s1",
        project_id=None,
        client=TAKES_ALL,
        moment=moment.value,
        tier=tier,
        memory_id=memory_id,
        tokens=1,
        why=why,
    )


def holds(one: State) -> str:
    """What lies in the context, and what waits, in a line."""
    told = one.told
    inside = [f"{name}:{id_}" for name, each in one.subagents.items() for id_ in each.memories]
    return " ".join(
        [
            *(["block"] if one.has_block else []),
            *sorted(told.memories),
            *(f"line:{id_}" for id_ in sorted(told.lines)),
            *(f"module:{name}" for name in sorted(told.modules)),
            *sorted(inside),
            *(f"owed:{piece.memory_id}" for lines in one.owed.values() for piece in lines),
            *(f"waits:{id_}" for id_ in (() if one.pending is None else one.pending.ids)),
        ]
    )


def done(effects: tuple[Effect, ...]) -> str:
    """What is to be done, in a line."""
    return "; ".join(map(_done, effects))


def _done(effect: Effect) -> str:
    match effect:
        case WriteSession(session, told):
            ended = " ended" if session.ended_at else ""
            return f"row{ended} {','.join(sorted(told or ()))}".strip()
        case WriteInjections(rows):
            return f"wrote {','.join(one.memory_id or one.why for one in rows)}"
        case StrikeInjections(ids):
            return f"struck {len(ids)}"
        case MarkUsed(_, ids, _):
            return f"used {','.join(ids)}"
        case Say(text):
            known = ("rule", "gotcha", "other", "warn", "auth")
            return f"said {','.join(name for name in known if f'[{name}]' in text)}"
        case Hold():
            return "held"
        case TakeUp(pending):
            return f"takes up {','.join(pending.ids)}"
        case AnswerAnew(asked):
            return f"anew: {asked}"
        case OpenTopic(modules):
            return f"opens{''.join(f' -{name}' for name in sorted(modules))}"
        case StartTask(task):
            return f"task {task}"


Step = tuple[Event, str, str]
"""An event, what lies in the context then, and what is to be done."""

BEGUN: list[Step] = [
    (STARTED, "", "row"),
    (BEGAN, "", "row rule"),
    (start(), "block rule", "wrote rule; said rule"),
]
BRIEFED: list[Step] = [
    *BEGUN,
    (heard(Moment.PROMPT, 10, prompt="the login"), "block rule", ""),
    (TakenUp(at(10), LOGIN), "block rule", ""),
    (about(LOGIN), "block rule", "opens"),
    (
        prompt(10, of("gotcha", module="auth"), prompt="the login"),
        "block gotcha rule module:auth",
        "wrote gotcha,; said gotcha,auth",
    ),
]
LOST = "block gotcha rule"

JOURNEYS: dict[str, list[Step]] = {
    "a start": [*BEGUN, (prompt(5), "block rule", "")],
    "a start without anything to tell": [
        (STARTED, "", "row"),
        (Began(T0, is_new=True, block=BlockMade(AlwaysOn(), 1)), "", ""),
        (start(), "", ""),
    ],
    "the block is owed until a client takes it": [
        (STARTED, "", "row"),
        (BEGAN, "", "row rule"),
        (start(client=TAKES_NO_TOOL), "", ""),
        (prompt(1, client=TAKES_NO_TOOL), "block rule", "wrote rule; said rule"),
    ],
    "prompts of one topic": [
        *BRIEFED,
        (about(LOGIN), "block gotcha rule module:auth", ""),
        (prompt(20), "block gotcha rule module:auth", ""),
    ],
    "another topic": [
        *BRIEFED,
        (about(CART, worth=False), "block", ""),
        (about(CART), "block", "opens"),
    ],
    "another topic that what was told answers": [
        *BRIEFED,
        (about(CART, is_known=True), "block gotcha rule module:auth", ""),
    ],
    "a brief that is not whole comes again": [
        *BEGUN,
        (about(LOGIN, is_whole=False), "block rule", "opens"),
        (prompt(10, of(module="auth")), "block rule module:auth", "wrote ; said auth"),
        (about(LOGIN), "block rule module:auth", "opens -auth"),
    ],
    "a tool that is warned of": [
        *BEGUN,
        (warned(10, "t1"), "block rule line:warn owed:warn", ""),
        (
            answer(Moment.BEFORE_TOOL, 10, tool=call("t1")),
            "block rule line:warn",
            "wrote warn; said warn",
        ),
        (warned(11, "t2"), "block rule line:warn", ""),
        (answer(Moment.AFTER_TOOL, 12, tool=call("t1")), "block rule line:warn", ""),
    ],
    "a line is owed to its own call, or to the next prompt": [
        *BEGUN,
        (warned(10, "t1", client=TAKES_NO_TOOL), "block rule line:warn owed:warn", ""),
        (
            answer(Moment.BEFORE_TOOL, 10, tool=call("t1"), client=TAKES_NO_TOOL),
            "block rule line:warn owed:warn",
            "",
        ),
        (
            answer(Moment.AFTER_TOOL, 11, tool=call("t9"), client=TAKES_NO_TOOL),
            "block rule line:warn owed:warn",
            "",
        ),
        (prompt(12, client=TAKES_NO_TOOL), "block rule line:warn", "wrote warn; said warn"),
    ],
    "a call that is held once": [
        *BEGUN,
        (warned(10, "t1", holds=True), "block rule line:warn", "wrote warn; held"),
        (warned(11, "t2", holds=True), "block rule line:warn", ""),
    ],
    "a call whose warning a hook that stood in has shown": [
        *BEGUN,
        (warned(10, "t1", holds=True, read=frozenset({"warn"})), "block rule line:warn", ""),
    ],
    "a compaction that is told of before and after": [
        *BRIEFED,
        (Compacting(at(20), is_told_after=True), "block gotcha rule module:auth", ""),
        (Compacted(at(21)), "", "row rule"),
        (prompt(22), "block rule", "wrote rule; said rule"),
    ],
    "a compaction that is told of before only": [
        *BRIEFED,
        (Compacting(at(20), is_told_after=False), "", "row rule"),
    ],
    "a compaction told after the session began anew": [
        *BEGUN,
        (Began(at(100)), "", "row rule"),
        (start(100), "block rule", "wrote rule; said rule"),
        (Compacted(at(101)), "block rule", ""),
        (Compacted(at(200)), "", "row rule"),
    ],
    "a clear": [
        *BRIEFED,
        (
            FoundLate(Pending(prompt="p", at=at(11), ids=("other",))),
            "block gotcha rule module:auth waits:other",
            "",
        ),
        (Began(at(20)), "", "row rule"),
        (start(20), "block rule", "wrote rule; said rule"),
    ],
    "a resume in a client that keeps what it was given": [
        *BRIEFED,
        (Ended(at(20)), "block gotcha rule module:auth", "row ended rule"),
        (WentOn(is_beginning=True), "block gotcha rule module:auth", "row rule"),
        (start(21), "block gotcha rule module:auth", ""),
    ],
    "a resume in one that keeps only what came with prompts": [
        (STARTED, "", "row"),
        (BEGAN, "", "row rule"),
        (prompt(1), "block rule", "wrote rule; said rule"),
        (Began(at(20), keeps_history=True), "block", "row rule"),
        (start(20), "block", ""),
    ],
    "a resume where the block came with the start": [
        *BEGUN,
        (Began(at(20), keeps_history=True), "", "row rule"),
        (start(20), "block rule", "wrote rule; said rule"),
    ],
    "a fork is a session of its own and is told all": [
        (Started(replace(SESSION, id="s2")), "", "row"),
        (Began(at(20), is_new=True, block=BLOCK), "", "row rule"),
        (start(20, session_id="s2"), "block rule", "wrote rule; said rule"),
    ],
    "a turn taken back, known at the next prompt": [
        *BRIEFED,
        (heard(Moment.PROMPT, 30, Cut(at(5), at(25)), prompt="again"), "block rule", ""),
        (about(LOGIN), "block rule", "opens"),
    ],
    "a turn taken back, known only after the prompt was answered": [
        *BRIEFED,
        (heard(Moment.PROMPT, 30, prompt="again"), "block gotcha rule module:auth", ""),
        (
            heard(Moment.BEFORE_TOOL, 31, Cut(at(5), at(25)), tool=call("t1")),
            "block rule waits:gotcha",
            "anew: again",
        ),
    ],
    "a turn taken back, known at the end of another": [
        *BRIEFED,
        (heard(Moment.STOP, 31, Cut(at(5), at(25))), "block rule waits:gotcha", ""),
    ],
    "turns taken back by the names a client gives them": [
        *BEGUN,
        (heard(Moment.PROMPT, 10, turn="one"), "block rule", ""),
        (prompt(10, of("gotcha")), LOST, "wrote gotcha; said gotcha"),
        (heard(Moment.PROMPT, 20, turn="two"), LOST, ""),
        (prompt(20, of("other")), "block gotcha other rule", "wrote other; said other"),
        (heard(Moment.PROMPT, 30, taken_back=("two",)), LOST, ""),
    ],
    "the first turn taken back, with what was said at the start": [
        *BRIEFED,
        (heard(Moment.PROMPT, 30, Cut(at(-1), at(25), start_too=True)), "", ""),
        (prompt(30), "block rule", "wrote rule; said rule"),
    ],
    "a turn in a subagent looks back at nothing": [
        *BRIEFED,
        (
            heard(Moment.PROMPT, 30, Cut(at(5), at(25)), subagent_id="a1"),
            "block gotcha rule module:auth",
            "",
        ),
    ],
    "a subagent": [
        *BEGUN,
        (Tasked("explorer", "find the cart"), "block rule", ""),
        (Tasked("writer", "write the cart"), "block rule", ""),
        (SubagentStarted("writer"), "block rule", "task write the cart"),
        (SubagentStarted("other"), "block rule", "task find the cart"),
        (SubagentStarted("other"), "block rule", ""),
        (
            answer(Moment.SUBAGENT_START, 10, of("gotcha"), subagent_id="a1"),
            "block rule a1:gotcha",
            "wrote gotcha; said gotcha",
        ),
        (prompt(11, of("gotcha")), "block gotcha rule a1:gotcha", "wrote gotcha; said gotcha"),
        (SubagentStopped("a1"), LOST, ""),
    ],
    "a subagent without an id": [
        *BEGUN,
        (
            answer(Moment.SUBAGENT_START, 10, of("gotcha")),
            "block rule",
            "wrote gotcha; said gotcha",
        ),
    ],
    "a crash": [
        (
            Restored(
                replace(SESSION, always_on="[rule]"),
                (
                    row(1, Moment.SESSION_START, Tier.ALWAYS, "rule"),
                    row(10, Moment.PROMPT, Tier.TASK, "gotcha"),
                    row(10, Moment.PROMPT, Tier.TASK, None, "module auth"),
                    row(11, Moment.BEFORE_TOOL, Tier.TOOL, "warn"),
                    row(12, Moment.SUBAGENT_START, Tier.TASK, "inside"),
                ),
            ),
            "block gotcha rule line:warn module:auth",
            "",
        ),
        (about(LOGIN), "block gotcha rule line:warn module:auth", ""),
        (prompt(20), "block gotcha rule line:warn module:auth", ""),
    ],
    "a crash, and turns taken back before it": [
        (
            Restored(
                replace(SESSION, always_on="[rule]"),
                (
                    row(1, Moment.SESSION_START, Tier.ALWAYS, "rule"),
                    row(10, Moment.PROMPT, Tier.TASK, "gotcha"),
                    row(20, Moment.PROMPT, Tier.TASK, "other"),
                ),
                (Cut(at(5), at(15)),),
            ),
            "block other rule",
            "",
        ),
    ],
    "a crash before the block was given": [
        (Restored(replace(SESSION, always_on="[rule]")), "", ""),
        (prompt(20), "block", "wrote the block; said rule"),
    ],
    "a block that nobody heard": [
        *BEGUN,
        (Undelivered(hook(Moment.SESSION_START, 0)), "", "struck 1"),
        (Undelivered(hook(Moment.SESSION_START, 0)), "", ""),
        (prompt(5), "block rule", "wrote rule; said rule"),
    ],
    "a brief that nobody heard": [
        *BRIEFED,
        (
            Undelivered(hook(Moment.PROMPT, 10, prompt="the login")),
            "block rule waits:gotcha",
            "struck 2",
        ),
        (TakenUp(at(11)), "block rule", "takes up gotcha"),
        (about(LOGIN), "block rule", "opens"),
    ],
    "a line that nobody heard": [
        *BEGUN,
        (warned(10, "t1"), "block rule line:warn owed:warn", ""),
        (
            answer(Moment.BEFORE_TOOL, 10, tool=call("t1")),
            "block rule line:warn",
            "wrote warn; said warn",
        ),
        (
            Undelivered(hook(Moment.BEFORE_TOOL, 10, tool=call("t1"))),
            "block rule line:warn owed:warn",
            "struck 1",
        ),
        (
            answer(Moment.AFTER_TOOL, 11, tool=call("t1")),
            "block rule line:warn",
            "wrote warn; said warn",
        ),
    ],
    "a held call that nobody heard of is held again": [
        *BEGUN,
        (warned(10, "t1", holds=True), "block rule line:warn", "wrote warn; held"),
        (Undelivered(hook(Moment.BEFORE_TOOL, 10, tool=call("t1"))), "block rule", "struck 1"),
        (warned(11, "t1", holds=True), "block rule line:warn", "wrote warn; held"),
    ],
    "what is found late": [
        *BRIEFED,
        (
            FoundLate(Pending(prompt="p", at=at(11), ids=("other",)), unread=True),
            "block gotcha rule module:auth waits:other",
            "",
        ),
        (
            FoundLate(Pending(prompt="q", at=at(12), ids=("third",))),
            "block gotcha rule module:auth waits:other",
            "",
        ),
        (TakenUp(at(20)), "block gotcha rule module:auth", "takes up other"),
        (TakenUp(at(21)), "block gotcha rule module:auth", ""),
        (about(LOGIN), "block gotcha rule module:auth", "opens -auth"),
    ],
    "what is found late and not asked for in time": [
        *BEGUN,
        (
            FoundLate(Pending(prompt="p", at=at(11), ids=("other",))),
            "block rule waits:other",
            "",
        ),
        (TakenUp(at(12) + KEPT_FOR), "block rule", ""),
    ],
    "a session that is held out": [
        (Started(replace(SESSION, held_out=True)), "", "row"),
        (Began(T0, is_new=True), "", ""),
        (start(), "", ""),
        (prompt(10, of("gotcha")), "", ""),
        (warned(11, "t1", holds=True), "line:warn owed:warn", ""),
        (answer(Moment.BEFORE_TOOL, 11, tool=call("t1")), "line:warn owed:warn", ""),
    ],
    "an incognito session leaves nothing": [
        (Started(SESSION, incognito=True), "", ""),
        (BEGAN, "", ""),
        (start(), "block rule", "said rule"),
        (warned(5, "t1", holds=True), "block rule line:warn", "held"),
        (prompt(10, of("gotcha")), "block gotcha rule line:warn", "said gotcha"),
        (
            Undelivered(hook(Moment.PROMPT, 10)),
            "block rule line:warn waits:gotcha",
            "",
        ),
        (Used(("rule",), at(11)), "block rule line:warn waits:gotcha", ""),
        (Ended(at(12)), "block rule line:warn waits:gotcha", ""),
    ],
    "a block that a hook gave when nobody was here": [
        (STARTED, "", "row"),
        (BLOCK, "", "row rule"),
        (StoodIn(TAKES_ALL, at(1), "seed"), "block rule", "wrote rule"),
        (StoodIn(TAKES_ALL, at(2), "seed"), "block rule", ""),
        (prompt(3), "block rule", ""),
    ],
    "a block that still holds": [
        *BEGUN,
        (BlockHeld(9), "block rule", ""),
    ],
    "what a session asks for, stores and uses": [
        *BEGUN,
        (
            Asked(pieces=of("gotcha").pieces, client=TAKES_ALL, now=at(5), seed="seed"),
            LOST,
            "wrote gotcha",
        ),
        (Stored(frozenset({"other"})), "block gotcha other rule", ""),
        (Used(("gotcha",), at(6)), "block gotcha other rule", "used gotcha"),
    ],
    "a transcript that is told of late is written down": [
        *BEGUN,
        (heard(Moment.SESSION_END, 5, transcript="/t.jsonl"), "block rule", "row rule"),
        (heard(Moment.STOP, 6, transcript="/t.jsonl"), "block rule", ""),
    ],
}


@pytest.mark.parametrize("journey", JOURNEYS.values(), ids=JOURNEYS)
def test_a_journey(journey: list[Step]) -> None:
    now: State | None = None
    for number, (event, context, effects) in enumerate(journey):
        before = deepcopy(now)
        after, brought = reduce.reduce(now, event)
        where = f"step {number}: {type(event).__name__}"
        assert (holds(after), done(brought)) == (context, effects), where
        assert now == before, f"{where} has changed the state it was given"
        assert reduce.reduce(now, event) == (after, brought), f"{where} came out otherwise"
        now = after


def test_every_event_is_known_and_travelled() -> None:
    known = set(reduce.RULES) | {Started, Restored}
    assert known == set(get_args(Event))
    assert known == {type(event) for journey in JOURNEYS.values() for event, _, _ in journey}


def test_a_state_cannot_be_changed_in_place() -> None:
    begun, _ = reduce.reduce(None, STARTED)
    with pytest.raises(FrozenInstanceError):
        begun.has_block = True  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class Kept:
    """How many of something a state keeps, however many come."""

    of: str
    most: int


@pytest.mark.parametrize(
    ("kept", "event"),
    [
        (Kept("owed", delivery.MAX_OWED), lambda n: _warned_alone(n)),
        (Kept("given", delivery.MAX_GIVEN), lambda n: prompt(n + 1, of(f"m{n}"))),
        (Kept("tasks", reduce.MAX_TASKS), lambda n: Tasked("kind", f"task {n}")),
        (Kept("turns", turns.MAX_TURNS + 1), lambda n: heard(Moment.PROMPT, n + 1)),
    ],
    ids=lambda one: one.of if isinstance(one, Kept) else "",
)
def test_a_long_session_keeps_the_newest(kept: Kept, event: Any) -> None:
    now, _ = reduce.reduce(None, STARTED)
    for number in range(kept.most + 20):
        now, _ = reduce.reduce(now, event(number))
    assert len(getattr(now, kept.of)) == kept.most


def _warned_alone(number: int) -> Warned:
    """A warning of its own on a call of its own."""
    return replace(warned(number, f"t{number}"), fired=Fired((warning(f"w{number}"),)))


@pytest.mark.parametrize("module", [state, events, reduce, turns, delivery])
def test_it_reads_no_clock_no_settings_and_no_database(module: ModuleType) -> None:
    tree = ast.parse(inspect.getsource(module))
    imported = {
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
    } | {one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names}
    called = {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    outside = ("loremap.storage", "loremap.config", "time", "random", "uuid", "os", "threading")
    assert not [name for name in imported if name.startswith(outside)]
    assert not called & {"now", "utcnow", "today", "stat", "open"}
    assert "new_id" not in inspect.getsource(module)
