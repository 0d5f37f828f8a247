"""Whether equal words stand in an order that says something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from loremap.lifecycle.lexicon import GHOSTS
from loremap.lifecycle.statement.meaning import SEQUENCE, Meaning, bag_key
from loremap.lifecycle.statement.tokens import Sort, Token

_RANKING = frozenset({"sort", "order", "priorit", "prioriti", "rank", "sequenc"})
_UNMOVED = (GHOSTS - {"§now"}) | {"§not", "§only"}
_NO_PIVOT = frozenset("§all §so §eg §should §else §only §rather".split())
_MAX_TOKENS = 120
"""Past this a changed order is taken for a changed meaning: the check is quadratic."""

Place = tuple[int, Token, str]


def reordered(old: Meaning, new: Meaning) -> bool:
    """Whether two statements of the same words give those words other roles."""
    if old.settled == new.settled:
        return False
    if max(len(old.tokens), len(new.tokens)) > _MAX_TOKENS:
        return True
    around = _exchanges(old.settled, new.settled)
    if old.moved in around or new.moved in around:
        return True
    if around and _exchanges(old.tokens, new.tokens):
        return True
    if _agents(old) and _agents(new) and _agents(old) != _agents(new):
        return True
    if _steps(old) and _steps(new) and _steps(old) != _steps(new):
        return True
    return _numbers_exchanged(old, new) or _reranked(_placed(old.tokens), _placed(new.tokens))


def _exchanges(old: Sequence[Token], new: Sequence[Token]) -> list[str]:
    """The words and marks around which others changed sides."""
    if old == new:
        return []
    first, second = _placed(old), _placed(new)
    shared = [key for key in first if key in second]
    return [
        pivot
        for pivot in shared
        if pivot not in _NO_PIVOT
        and first[pivot][1].sort is not Sort.NUMBER
        and _exchanged(pivot, shared, first=first, second=second)
    ]


def _placed(tokens: Sequence[Token]) -> dict[str, Place]:
    """Where each word that occurs once stands, with the key of the token after it."""
    counts = Counter(map(bag_key, tokens))
    followers = [token.key for token in tokens[1:]] + [""]
    return {
        bag_key(token): (at, token, follower)
        for at, (token, follower) in enumerate(zip(tokens, followers, strict=True))
        if counts[bag_key(token)] == 1
    }


def _exchanged(
    pivot: str, shared: Collection[str], *, first: dict[str, Place], second: dict[str, Place]
) -> bool:
    """Whether a word before `pivot` and one after it changed sides."""
    (at_first, one, follower), (at_second, two, other_follower) = first[pivot], second[pivot]
    turned = SEQUENCE.get(one.key, 1) != SEQUENCE.get(two.key, 1)
    rightward = leftward = False
    for key in shared:
        if key != pivot and _moves(first[key][1], second[key][1]):
            was_left = first[key][0] < at_first
            is_left = (second[key][0] < at_second) != turned
            rightward |= was_left and not is_left
            leftward |= is_left and not was_left
    if turned:
        return rightward or leftward
    if one.passive != two.passive:
        return _agent_stayed(pivot, shared, first=first, second=second)
    if follower == other_follower and _voice_differs(follower, first, second):
        return False
    return rightward and leftward


def _moves(one: Token, two: Token) -> bool:
    """Whether the place of a token says something; a verb's or adjective's changes with voice."""
    return one.key not in _UNMOVED and one.complement == two.complement


def _agent_stayed(
    verb: str, shared: Collection[str], *, first: dict[str, Place], second: dict[str, Place]
) -> bool:
    """Whether `by X` in the passive keeps the side of the verb that X has in the active."""
    return any(
        first[key][1].agent != second[key][1].agent
        and (first[key][0] < first[verb][0]) == (second[key][0] < second[verb][0])
        for key in shared
    )


def _voice_differs(verb: str, first: dict[str, Place], second: dict[str, Place]) -> bool:
    return verb in first and verb in second and first[verb][1].passive != second[verb][1].passive


def _agents(meaning: Meaning) -> set[str]:
    """The words right after "by"."""
    return {token.key for token in meaning.tokens if token.agent}


def _steps(meaning: Meaning) -> list[str]:
    """The words of a statement of several steps, in their order."""
    marks = sum(token.key in SEQUENCE for token in meaning.tokens)
    return [token.key for token in meaning.tokens if token.sort is Sort.WORD] if marks > 1 else []


def _numbers_exchanged(old: Meaning, new: Meaning) -> bool:
    """Whether two numbers changed their order and with it the words they stand beside."""
    first, second = _numbered(old), _numbered(new)
    if list(first) == list(second):
        return False
    return any(first[key].isdisjoint(second[key]) for key in first if key in second)


def _numbered(meaning: Meaning) -> dict[str, set[str]]:
    """Each number in order, with the words beside it."""
    tokens = [token for token in meaning.tokens if token.sort is not Sort.GHOST]
    numbered: dict[str, set[str]] = {}
    for at, token in enumerate(tokens):
        if token.sort is Sort.NUMBER:
            near = (*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2])
            numbered.setdefault(token.key, set()).update(
                other.key for other in near if other.sort is not Sort.NUMBER
            )
    return numbered


def _reranked(first: dict[str, Place], second: dict[str, Place]) -> bool:
    """Whether a list changed its order: after a word of ranking, or between commas."""
    shared = [
        key for key in first if key in second and first[key][1].sort in (Sort.NAME, Sort.WORD)
    ]
    for rank in _RANKING.intersection(shared):
        after = [
            key
            for key in shared
            if first[key][0] > first[rank][0] and second[key][0] > second[rank][0]
        ]
        if after != sorted(after, key=lambda key: second[key][0]):
            return True
    return any(
        second[later][0] < second[earlier][0] and second[earlier][1].listed
        for at, later in enumerate(shared)
        if first[later][1].listed
        for earlier in shared[:at]
    )
