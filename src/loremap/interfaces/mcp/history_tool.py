"""The tool that asks what was done here: files, tasks, tools. It says what was done, and never what
a model answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from loremap.errors import BadInput
from loremap.interfaces.mcp.answer import HEAD, Answer, shortened
from loremap.interfaces.mcp.call import Call
from loremap.memory.brief.said import name_said
from loremap.model.hostile import UNSAID, speaks_to_a_model
from loremap.model.task import TaskStatus
from loremap.model.text import cut, one_line

if TYPE_CHECKING:
    from datetime import datetime

    from loremap.app.lore import Lore
    from loremap.model.episode import Interaction, Together
    from loremap.model.task import Task

SHOWN = 10
LONGEST_LINE = 200
_DAY = "%Y-%m-%d %H:%M"


def ask(call: Call) -> Answer:
    """Answer one question about what was done."""
    question = call.given["question"]
    name = call.given.get("name", "").strip()
    if not name and question in _WANTED:
        raise BadInput(f"'name' is missing for {question}.", hint=_WANTED[question])
    with call.lore() as lore:
        lines = list(QUESTIONS[question](lore, name, call.given.get("limit", SHOWN)))
    if not lines:
        about = f" about {shortened(name)}" if name else ""
        return Answer(f"Nothing of that kind was recorded here{about}.")
    return Answer("\n".join((HEAD, *lines)))


def _file(lore: Lore, name: str, limit: int) -> Iterable[str]:
    for one in lore.episodes.with_file(name, limit=limit):
        yield _interaction(one, named=False)
    for pair in lore.episodes.together(name, limit=limit):
        yield f"changes together: {_pair(pair)}"


def _about(lore: Lore, name: str, limit: int) -> Iterable[str]:
    for one in lore.episodes.about(name, limit=limit):
        yield _interaction(one, named=True)
    for past in lore.episodes.similar(name, limit=limit):
        yield f"task {_task(past.task)}"


def _together(lore: Lore, name: str, limit: int) -> Iterable[str]:
    return map(_pair, lore.episodes.together(name or None, limit=limit))


def _tools(lore: Lore, _name: str, limit: int) -> Iterable[str]:
    for one in lore.episodes.tool_rates()[:limit]:
        rate = "outcome not told" if one.rate is None else f"{one.rate:.0%} succeeded"
        mean = "" if one.mean_ms is None else f", {one.mean_ms:.0f} ms on average"
        yield f"{name_said(one.tool)}: {one.total} calls in 7 days, {rate}{mean}"


def _tasks(lore: Lore, _name: str, limit: int) -> Iterable[str]:
    return map(_task, lore.episodes.tasks(limit=limit))


def _similar(lore: Lore, name: str, limit: int) -> Iterable[str]:
    return (_task(past.task) for past in lore.episodes.similar(name, limit=limit))


QUESTIONS: Mapping[str, Callable[[Lore, str, int], Iterable[str]]] = {
    "file": _file,
    "about": _about,
    "together": _together,
    "tools": _tools,
    "tasks": _tasks,
    "similar": _similar,
}
_WANTED: Mapping[str, str] = {
    "file": "Give a path of this project.",
    "about": "Give a word that paths hold, such as auth.",
    "similar": "Say the task in a sentence.",
}


def _interaction(one: Interaction, *, named: bool) -> str:
    lines = "" if one.lines is None else f" {one.lines[0]}-{one.lines[1]}"
    path = f" {name_said(one.path)}" if named else ""
    failed = " (failed)" if one.success is False else ""
    task = "" if one.task is None else f" — for: {_harmless(one.task.description)}"
    what = _harmless(one.changed or one.why)
    return _cut(
        f"{_when(one.at)} {one.operation.value}{path}{lines}{failed}{f': {what}' if what else ''}"
        f"{task}"
    )


def _pair(one: Together) -> str:
    return f"{name_said(one.first)} + {name_said(one.second)}, {one.times} times"


def _task(one: Task) -> str:
    outcome = f" — {_harmless(one.outcome)}" if one.outcome else ""
    by = " (said by the user)" if one.set_by.value == "person" else ""
    status = TaskStatus(one.status).value
    return _cut(f"[{status}{by}] {_when(one.started_at)} {_harmless(one.description)}{outcome}")


def _harmless(text: str) -> str:
    return UNSAID if speaks_to_a_model(text) else one_line(text)


def _when(at: datetime) -> str:
    return at.strftime(_DAY)


def _cut(line: str) -> str:
    return cut(line, LONGEST_LINE)
