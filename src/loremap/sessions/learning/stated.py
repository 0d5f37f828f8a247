"""What is kept of a statement: its kind, its words with what they answer, what it turned down."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from loremap.model.finding import Finding
from loremap.model.kind import Kind
from loremap.model.text import one_line
from loremap.model.turn import Speaker, Turn
from loremap.safety.redaction import beginning
from loremap.sessions.learning.exchanges import Exchange, changes, done, fails
from loremap.sessions.learning.framed import ANSWERED, PROPOSED, SAID, SAID_BEFORE, framed
from loremap.sessions.learning.function_words import Sign, signs_in
from loremap.sessions.learning.sentences import sentences
from loremap.sessions.learning.statements import TOLD_CHARACTERS, Statement

_CLAUSE = re.compile(r"[,;:.!?。、]\s*")
_CODE = re.compile(r"[a-z][A-Z]|\w[_/.]\w|(?<!\S)/\w")
_MAX_REJECTED, _MAX_FILES = 4, 8
_COMMAND_CHARACTERS, _PAIR_CHARACTERS = 120, 300
_WHY = {
    Kind.CORRECTION: "a person pushed back on what the agent had done",
    Kind.DECISION: "a person chose, and the work followed",
    Kind.WARNING: "a person ruled something out for good",
    Kind.CONVENTION: "a person said how it is done here",
    Kind.FACT: "a person told of their world",
    Kind.GOTCHA: "a person said why something failed",
    Kind.PREFERENCE: "a person said how they want it",
    Kind.WORK_STATE: "a person said where the work stops",
}
_IMPORTANCE = {Kind.FACT: 0.5, Kind.WORK_STATE: 0.5, Kind.CORRECTION: 0.8, Kind.WARNING: 0.8}


def stated(of: Statement) -> Finding:
    """The finding that a statement makes."""
    of = _fitting(of)
    exchange, kind = of.exchange, kind_of(of)
    said, answered = exchange.said, exchange.answered
    turns = [said.number, *(reason.turn for reason in of.reasons)]
    if of.neighbour and answered is not None:
        turns.append(answered.number)
    return Finding(
        kind=kind,
        content=_content(of),
        quote=of.text,
        said_by=Speaker.PERSON,
        first=min(turns),
        last=said.number,
        at=said.at,
        because=_WHY[kind],
        importance=_IMPORTANCE.get(kind, 0.7),
        confidence=round(of.belief, 2),
        files=_files(exchange, of.text),
        rejected=_rejected(of, kind),
    )


def kind_of(of: Statement) -> Kind:
    """What kind of statement it is: by its place first, by its function words second."""
    exchange, signs = of.exchange, signs_in(of.text)
    changed = any(map(changes, exchange.after))
    binds = signs[Sign.NEGATION] or signs[Sign.QUANTIFIER] or signs[Sign.DUTY]
    if exchange.is_last and not changed and (signs[Sign.LATER] or _trails(of.text, exchange)):
        return Kind.WORK_STATE
    if _went_wrong(exchange) and signs_in(" ".join(of.text.split()[:2]))[Sign.NEGATION]:
        return Kind.CORRECTION
    if exchange.answered is not None and (changed or exchange.is_talk):
        return Kind.DECISION
    if _failed(exchange):
        return Kind.GOTCHA
    if binds and signs[Sign.SELF] and not changed and not signs[Sign.GROUP]:
        return Kind.PREFERENCE
    if signs[Sign.NEGATION] and signs[Sign.QUANTIFIER]:
        return Kind.WARNING
    if binds:
        return Kind.CONVENTION
    return Kind.DECISION if changed else Kind.FACT


def _trails(text: str, exchange: Exchange) -> bool:
    """Whether a last message tells where the work is left: it answers nothing and rules nothing, or
    a person speaks of themselves and of names of code while nothing is done any more."""
    signs = signs_in(text)
    if exchange.answered is None and not signs[Sign.QUANTIFIER]:
        return True
    rules = signs[Sign.NEGATION] or signs[Sign.QUANTIFIER] > signs[Sign.LIMIT]
    idle = all(turn.call is None for turn in exchange.after)
    return idle and bool(signs[Sign.SELF] and _CODE.search(text)) and not rules


def _went_wrong(exchange: Exchange) -> bool:
    return any(map(fails, exchange.before[-3:])) or any(map(changes, exchange.before))


def _content(of: Statement) -> str:
    before = framed(SAID_BEFORE, *(reason.text for reason in of.reasons))
    parts = (before, framed(PROPOSED, of.neighbour), _failed(of.exchange))
    led = " ".join(part for part in parts if part)
    return f"{led} {framed(ANSWERED if of.neighbour else SAID, of.text)}" if led else of.text


def _fitting(of: Statement) -> Statement:
    """The statement with as much of what led to it as can be told beside it: the sentence it
    answers first, then what was said last on the way."""
    while len(_content(of)) > TOLD_CHARACTERS and of.reasons:
        first, *rest = of.reasons
        shorter = " ".join(sentences(first.text)[1:])
        kept = (replace(first, text=shorter), *rest) if shorter else tuple(rest)
        of = replace(of, reasons=kept)
    return of if len(_content(of)) <= TOLD_CHARACTERS else replace(of, neighbour="")


def _failed(exchange: Exchange) -> str:
    """The command that had just failed, where that is what a person answers to."""
    last = next((turn for turn in reversed(exchange.before) if turn.call is not None), None)
    if last is None or last.call is None or not last.call.command or not fails(last):
        return ""
    return f"After `{beginning(one_line(last.call.command), _COMMAND_CHARACTERS)}` failed."


def _rejected(of: Statement, kind: Kind) -> tuple[str, ...]:
    """What was turned down: by a correction what the agent had said or done, else the clauses that
    say no."""
    if kind is Kind.CORRECTION:
        corrected = beginning(_corrected(of.exchange), _PAIR_CHARACTERS)
        return (corrected,) if corrected else ()
    if kind is not Kind.DECISION:
        return ()
    clauses = (one.strip() for one in _CLAUSE.split(of.text))
    return tuple(one for one in clauses if signs_in(one)[Sign.NEGATION])[:_MAX_REJECTED]


def _corrected(exchange: Exchange) -> str:
    """What the agent said last, with which it began or summed up its work; where it said nothing,
    what it changed last."""
    lately = exchange.before[::-1]
    said = (turn.text for turn in lately if turn.speaker is Speaker.AGENT)
    changed = (one_line(done(turn)) for turn in lately if changes(turn))
    return next(said, "") or next(changed, "")


def _files(exchange: Exchange, text: str) -> tuple[str, ...]:
    """The files that were changed because of what was said; where none was, those that it names
    among the ones that were looked at."""
    changed = _used(turn for turn in exchange.after if changes(turn))
    named = (
        path
        for path in _used((*exchange.before, *exchange.after))
        if _has_name(text, PurePosixPath(path).name)
    )
    return tuple(changed or dict.fromkeys(named))[:_MAX_FILES]


def _used(turns: Iterable[Turn]) -> list[str]:
    uses = (use.path for turn in turns if turn.call is not None for use in turn.call.files)
    return list(dict.fromkeys(uses))


def _has_name(text: str, name: str) -> bool:
    return (
        bool(name) and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", text) is not None
    )
