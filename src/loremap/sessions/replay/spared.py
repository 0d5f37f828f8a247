"""What a session would have been spared had it known what it was told at its prompts. Pure.

Counted are the steps by which it found its way: after each prompt, up to the first change of a file
that the session did not make itself. Such a step would have been spared only if

- it looked for files, and did not look into one: what stands in a file has to be read all the same;
- its result named a file that the session went on to read or change and had not yet, so it was
  this step that led there;
- every such file had been told by then by its whole path, and the person had not named it so.

The *generous* count adds what led nowhere: until the first file that was told and later changed was
reached, each step after which no file was changed but those that were told. A session that is told
one right file may still look at others; therefore it is an upper bound, and counted apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from loremap.model.turn import Speaker, Turn
from loremap.sessions.replay.steps import Step, Way, paths_in

NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Said:
    """What was told to a session before one of its turns."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Calls, and about how many tokens came back from them."""

    calls: int = 0
    tokens: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(calls=self.calls + other.calls, tokens=self.tokens + other.tokens)


def counted(steps: Iterable[Step]) -> Count:
    """How much some steps come to."""
    every = tuple(steps)
    return Count(calls=len(every), tokens=sum(step.tokens for step in every))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spared:
    """The steps by which a session found its way, and which of them it would have been spared."""

    steps: tuple[Step, ...]
    spared: tuple[Step, ...]
    generously: tuple[Step, ...]
    """Those that are spared, and what led nowhere."""


def spared(steps: Sequence[Step], said: Sequence[Said], *, turns: Sequence[Turn] = ()) -> Spared:
    """What a session would have been spared by what was `said` to it. Its `turns` tell where its
    prompts begin and what the person named; without them there is one prompt."""
    prompts = [turn for turn in turns if turn.speaker is Speaker.PERSON]
    course = _Course(steps, said, prompts)
    finding = tuple(_finding(steps, course.made, [turn.number for turn in prompts]))
    return Spared(
        steps=finding,
        spared=tuple(step for step in finding if course.spares(step)),
        generously=tuple(step for step in finding if course.spares_generously(step)),
    )


def _finding(
    steps: Sequence[Step], made: Collection[str], prompts: Sequence[int]
) -> Iterator[Step]:
    """The steps that look for something, after each prompt and before its first change."""
    begins = sorted(prompts) or [-1]
    ends = [*begins[1:], NEVER]
    for begin, end in zip(begins, ends, strict=True):
        for step in steps:
            if not begin < step.turn < end:
                continue
            if step.discovers:
                yield step
            elif not set(step.files) <= set(made):
                break


class _Course:
    """When each file was used, changed and told in a session."""

    def __init__(
        self, steps: Sequence[Step], said: Sequence[Said], prompts: Sequence[Turn]
    ) -> None:
        self.made = _made(steps)
        self._first_use = _first([(step.turn, path) for step in steps for path in step.files])
        self._changed = {
            path for step in steps if not step.discovers for path in step.files
        } - self.made
        paths = set(self._first_use) - self.made
        asked = _first(
            [(one.number, path) for one in prompts for path in paths_in(one.text, paths)]
        )
        told = _first([(one.turn, path) for one in said for path in paths_in(one.text, paths)])
        self._told = {path: turn for path, turn in told.items() if turn < asked.get(path, NEVER)}
        self._paths = paths
        self._found: dict[int, set[str]] = {}

    def spares(self, step: Step) -> bool:
        """Whether a step led to files that were told before."""
        led_to = self._led_to(step)
        return bool(led_to) and all(self._is_told(path, step) for path in led_to)

    def spares_generously(self, step: Step) -> bool:
        """Whether a step is spared, or led nowhere on the way to a file that was told before."""
        if self.spares(step):
            return True
        reached = set(step.files) if step.way is Way.LOOKS_INTO else self._led_to(step)
        if step.way is Way.LOOKS_INTO and reached & self._changed:
            return False
        ahead = any(
            self._is_told(path, step) and self._first_use[path] > step.turn
            for path in self._changed
        )
        return ahead and all(self._is_told(path, step) for path in reached & self._changed)

    def _led_to(self, step: Step) -> set[str]:
        """The files that a step which looked for some has named, and that were first used after."""
        if step.way is not Way.LOOKS_FOR:
            return set()
        if step.turn not in self._found:
            later = [path for path in self._paths if self._first_use[path] > step.turn]
            self._found[step.turn] = step.tells_of(later)
        return self._found[step.turn]

    def _is_told(self, path: str, step: Step) -> bool:
        return self._told.get(path, NEVER) < step.turn


def _made(steps: Sequence[Step]) -> set[str]:
    """The files that a session made itself: the first that it did with them was to write them."""
    touched: dict[str, bool] = {}
    for step in steps:
        for path in step.files:
            touched.setdefault(path, path in step.made)
    return {path for path, is_made in touched.items() if is_made}


def _first(places: Sequence[tuple[int, str]]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for turn, path in places:
        found[path] = min(turn, found.get(path, NEVER))
    return found
