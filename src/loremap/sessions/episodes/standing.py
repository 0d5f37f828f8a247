"""How a task stands, by what followed what was asked: its last change, its last command, whether
git kept or took back the work, who spoke last."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from loremap.model.hook import ToolCall
from loremap.model.shell_steps import commands_in
from loremap.model.task import TaskStatus
from loremap.model.turn import Speaker, Turn
from loremap.sessions.episodes.work import calls_of, is_change, runs
from loremap.sessions.learning.sentences import asks, sentences, telling
from loremap.sessions.summary import changed_files

MIN_TELLING = 3
"""A last word that says less asks for nothing."""
_EVERYTHING = frozenset({".", ":/", "*"})
_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree"})


def standing(turns: Sequence[Turn], *, is_last: bool, is_over: bool) -> TaskStatus:
    """How a task stands after its turns. One that `is_last` is what its session is at until that
    `is_over`."""
    own = [turn for turn in turns if not turn.in_subagent]
    calls = calls_of(turns)
    changed = max((place for place, call in enumerate(calls) if is_change(call)), default=None)
    after = calls if changed is None else calls[changed + 1 :]
    if changed is not None and any(takes_back(call, changed_files(turns)) for call in after):
        return TaskStatus.FAILED
    if any(map(_commits, after)):
        return TaskStatus.COMPLETED
    if is_last and not is_over:
        return TaskStatus.ACTIVE
    done = runs(turns)
    if changed is None and done and not any(call.success for call in done):
        return TaskStatus.FAILED
    failing = bool(done) and done[-1].success is False
    if (
        failing
        or _is_cut_off(own, is_last=is_last)
        or (changed is None and not done and _waits(own))
    ):
        return TaskStatus.PAUSED
    return TaskStatus.COMPLETED


def _is_cut_off(turns: Sequence[Turn], *, is_last: bool) -> bool:
    """Whether a session ended before what was asked last was answered; who goes on with something
    else had no answer to wait for."""
    last = turns[-1]
    if last.call is not None:
        return last.call.success is None and not last.call.result
    heard = any(turn.speaker is Speaker.AGENT for turn in turns)
    asked = last.speaker is Speaker.PERSON and len(telling(last.text)) >= MIN_TELLING
    return is_last and heard and asked


def _waits(turns: Sequence[Turn]) -> bool:
    """Whether the agent asked something last, and nobody answered."""
    last = turns[-1]
    return last.speaker is Speaker.AGENT and any(map(asks, sentences(last.text)[-1:]))


def _commits(call: ToolCall) -> bool:
    return call.success is not False and any(words[0] == "commit" for words in _git(call))


def takes_back(call: ToolCall, changed: Collection[str]) -> bool:
    """Whether a call undid all that had been changed."""
    if call.success is False:
        return False
    return any(_undoes(words, changed) for words in _git(call))


def _undoes(words: Sequence[str], changed: Collection[str]) -> bool:
    verb, given = words[0], words[1:]
    if verb == "revert" or (verb == "reset" and "--hard" in given):
        return True
    paths = [word for word in given if not word.startswith("-")]
    if verb == "checkout" and not ("--" in given or _EVERYTHING & set(paths)):
        return False  # it goes to a branch
    if verb not in ("checkout", "restore") or "--staged" in given:
        return False
    return bool(_EVERYTHING & set(paths)) or all(
        any(_holds(one, path) for one in paths) for path in changed
    )


def _holds(named: str, path: str) -> bool:
    """Whether what a command names is a file, or a folder that it lies in."""
    return path.endswith(named) or named.endswith(path) or path.startswith(f"{named.rstrip('/')}/")


def _git(call: ToolCall) -> list[tuple[str, ...]]:
    """What a call does with git: each verb with its words."""
    found = []
    for words in commands_in(call.command or ""):
        rest = list(words[1:]) if words[0] == "git" else []
        while rest and rest[0].startswith("-"):
            del rest[: 2 if rest[0] in _VALUED else 1]
        if rest:
            found.append(tuple(rest))
    return found
