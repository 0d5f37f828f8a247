"""Bug reports whose right fix was decided in a chat or in a commit (sde-bench, MIT)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.decisions.data import Deciding, Turn
from bench.sessions.learning_transcripts import Json


@dataclass(frozen=True)
class Task:
    """A bug report and where its fix was decided."""

    name: str
    report: str
    policy: str
    module: str
    function: str
    chats: tuple[tuple[Json, ...], ...]
    """The chats that decided it, the oldest first; none where a commit did."""
    commit: str
    """The message of the commit that decided it; empty where a chat did."""
    cause: str
    """The subject of the commit after it, which broke it again."""

    @property
    def group(self) -> str:
        """What kind of source decides it."""
        if self.commit:
            return "history"
        return "amended" if len(self.chats) > 1 else "conversation"


def tasks_and_decoys(folder: Path) -> tuple[list[Task], list[tuple[Json, ...]]]:
    """All of one file."""
    record = json.loads(next(iter(sorted(folder.glob("sde*.json")))).read_text("utf-8"))
    decoys = [tuple(one["turns"]) for one in record["decoys"]]
    return [_task(one) for one in record["tasks"]], decoys


def _task(one: Json) -> Task:
    given = one.get("conversations") or []
    chats = given if given and isinstance(given[0], list) else [given] if given else []
    return Task(
        name=one["task_id"],
        report=one["bug_report"],
        policy=one["policy"],
        module=one["module"],
        function=(one.get("function") or "").rpartition(".")[2],
        chats=tuple(tuple(chat) for chat in chats),
        commit="" if chats else _message(one),
        cause=one.get("cause_subject") or f"perf: simplify {Path(one['module']).stem}",
    )


def _message(one: Json) -> str:
    """The message of the deciding commit; where the set gives none, its policy as one."""
    subject = one.get("decision_subject") or f"fix: {one.get('function') or one['module']}"
    return f"{subject}\n\n{one.get('decision_rationale') or one['policy']}"


def deciding(task: Task, decoys: Sequence[Sequence[Json]]) -> tuple[list[str], list[str]]:
    """The sentences that say what decides a task, and those that said it before an amendment."""
    chats = [_turns(str(at), chat) for at, chat in enumerate((*decoys, *task.chats))]
    if task.commit:
        chats.append((Turn("commit", 0, task.commit.partition("\n\n")[2]),))
    finder = Deciding(turn for chat in chats for turn in chat)
    new = [one.text for one in finder.statements(chats[-1], task.policy)]
    if task.group != "amended":
        return new, []
    old = [one.text for one in finder.statements(chats[len(decoys)], task.policy)]
    return new, [one for one in old if one not in new]


def _turns(chat: str, given: Sequence[Json]) -> tuple[Turn, ...]:
    return tuple(Turn(chat, at, one["text"]) for at, one in enumerate(given))
