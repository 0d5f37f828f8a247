"""A session in about two thousand tokens, for a small model to read: what was typed, what failed,
what was changed, what the agent came to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loremap.model.text import one_line
from loremap.model.turn import Speaker, Turn
from loremap.sessions.learning.exchanges import changes, fails
from loremap.sessions.learning.sentences import own_words

MOST_TOKENS = 2_000
CHARACTERS_PER_TOKEN = 3.5
_TYPED_SHARE, _OTHERS_SHARE = 0.7, 0.2
_COMMAND, _OUTPUT, _SAID = 120, 160, 500
_PARTS_OF_PATH = 3
Line = tuple[int, str]


def compressed(turns: Sequence[Turn], *, most_tokens: int = MOST_TOKENS) -> str:
    """The turns as numbered lines, in order, within so many tokens; what subagents said is left
    out. Typed text comes first and is whole where it fits, then failing commands, edits, and what
    the agent said last before somebody answered; of each the latest."""
    main = [turn for turn in turns if not turn.in_subagent]
    room = int(most_tokens * CHARACTERS_PER_TOKEN)
    kept = _typed(main, most=int(room * _TYPED_SHARE))
    room -= _size(kept)
    for lines in (_failures(turns), _edits(turns), _conclusions(main)):
        taken = _latest(lines, most=max(int(room * _OTHERS_SHARE), 0))
        kept += taken
    left = most_tokens * CHARACTERS_PER_TOKEN - _size(kept)
    taken_at = {number for number, _ in kept}
    rest = [line for line in _conclusions(main) if line[0] not in taken_at]
    kept += _latest(rest, most=int(left))
    return "\n".join(text for _, text in sorted(kept))


def _typed(turns: Iterable[Turn], *, most: int) -> list[Line]:
    """What was typed, without what was pasted; the longest are cut where it is too much in all."""
    said = [
        (turn.number, one_line(own_words(turn.text)))
        for turn in turns
        if turn.speaker is Speaker.PERSON
    ]
    said = [(number, text) for number, text in said if text]
    longest = max((len(text) for _, text in said), default=0)
    while longest > 40 and sum(min(len(text), longest) for _, text in said) > most:
        longest = longest * 3 // 4
    return _latest([_line(number, "person", text[:longest]) for number, text in said], most=most)


def _failures(turns: Iterable[Turn]) -> list[Line]:
    found = list[Line]()
    for turn in turns:
        if turn.call is None or not turn.call.command or not fails(turn):
            continue
        output = (turn.call.error or turn.call.result).strip().splitlines()
        last = one_line(output[-1])[:_OUTPUT] if output else ""
        command = one_line(turn.call.command)[:_COMMAND]
        found.append(_line(turn.number, "tool", f"`{command}` failed: {last}"))
    return found


def _edits(turns: Iterable[Turn]) -> list[Line]:
    found = dict[str, Line]()
    for turn in turns:
        if turn.call is None or not changes(turn):
            continue
        names = ("/".join(use.path.split("/")[-_PARTS_OF_PATH:]) for use in turn.call.files)
        said = f"changed {', '.join(dict.fromkeys(names))}"
        found[said] = _line(turn.number, "tool", said)
    return list(found.values())


def _conclusions(turns: Sequence[Turn]) -> list[Line]:
    """What the agent said last before a person spoke, or at the end."""
    found, last = list[Line](), None
    for turn in turns:
        if turn.speaker is Speaker.AGENT:
            last = turn
        elif turn.speaker is Speaker.PERSON and last is not None:
            found.append(_said(last))
            last = None
    return [*found, _said(last)] if last is not None else found


def _said(turn: Turn) -> Line:
    return _line(turn.number, "agent", one_line(own_words(turn.text))[:_SAID])


def _line(number: int, speaker: str, text: str) -> Line:
    return number, f"[{number} {speaker}] {text}"


def _latest(lines: Sequence[Line], *, most: int) -> list[Line]:
    """The last of some lines, as many as have so many characters in all."""
    kept, used = list[Line](), 0
    for line in reversed(lines):
        used += len(line[1]) + 1
        if used > most:
            break
        kept.append(line)
    return kept


def _size(lines: Iterable[Line]) -> int:
    return sum(len(text) + 1 for _, text in lines)
