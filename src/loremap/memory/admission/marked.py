"""Whether a text says itself that what another one states has changed: "no longer", "moved …"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from loremap.memory.admission import marks
from loremap.memory.admission.statement import NUMBER, Token, cut, keys_of, tokens_of
from loremap.model.words import plain, words

ENOUGH_OF_IT, MAX_OF_IT = 0.4, 0.6
"""How much of a statement the one that changes it must name, so that nothing else in it is lost."""
REACH = 80
"""Characters beside a phrase in which stands what it says is over."""


def change_marked(old: str, new: str) -> str:
    """The phrase by which `new` says itself that what `old` states has changed; else nothing."""
    if not _may_mark(new):
        return ""
    before = tokens_of(old)
    said, told = set(words(old)), set(words(new))
    covered = len(said & told) / max(1, len(said))
    if covered < ENOUGH_OF_IT:
        return ""
    if (found := marks.CORRECTION.search(new)) and covered >= MAX_OF_IT:
        return f"“{found[0].strip()}”"
    if _narrower(before, new, said):
        return ""
    for found in _over(old, new, said, told):
        return f"“{cut(found[0].strip(' ,'))}”"
    ended = marks.ENDED.search(new)
    if ended and not marks.ENDED.search(old) and _ends(old, said, new):
        return "" if _narrows(_clause(new, ended), said) else f"“{cut(ended[0])}”"
    told_before = plain(old)
    now = next((one for one in marks.NOW.finditer(new) if plain(one[0]) not in told_before), None)
    if now is None:
        return ""
    value = _new_value(before, tokens_of(marks.NOW.sub(" ", new)))
    if not value and not _new_number(before, tokens_of(new), said, told):
        return ""
    scoped = _narrows(_clause(new, now), said | set(words(value)))
    return "" if scoped else f"“{now[0]}”"


@lru_cache(maxsize=32)
def _may_mark(new: str) -> bool:
    """Whether a text has any phrase that marks a change which has happened; it is compared with
    several others, one after the other."""
    if marks.ADDS.search(new) or marks.UNSURE.search(new):
        return False
    return any(
        pattern.search(new)
        for pattern in (
            marks.CORRECTION,
            marks.OLD_VALUE_FOLLOWS,
            marks.OLD_VALUE_PRECEDES,
            marks.ENDED,
            marks.NOW,
        )
    )


def _over(old: str, new: str, said: set[str], told: set[str]) -> Iterator[re.Match[str]]:
    """The phrases of `new` by which something that `old` states is over."""
    denied, covered = _denied_by(old), len(said & told) / max(1, len(said))
    about_it = _subject(tokens_of(old)) <= told
    for found in marks.OLD_VALUE_FOLLOWS.finditer(new) if about_it else ():
        value = _value_beside(new, found, follows=True)
        rest = (said & told) - value
        if value & said and rest and not value & denied and _same_thing(new, found, said):
            yield found
    nothing_else = covered >= MAX_OF_IT and not _several(old)
    for found in marks.OLD_VALUE_PRECEDES.finditer(new) if nothing_else else ():
        value = _value_beside(new, found, follows=False)
        if value & said and (said & told) - value and not value & denied:
            yield found


def _same_thing(new: str, found: re.Match[str], said: set[str]) -> bool:
    """Whether what moved, or does something instead, is what the other statement speaks of."""
    parts, clause = found.groupdict(), _clause(new, found)
    before = clause[: clause.find(found[0])]
    if parts.get("beside"):
        return set(words(" ".join(before.split()[:-2]))) <= said
    if moved := set(words(parts.get("what") or "")):
        return bool(moved & said)
    passive = re.search(r"(.*?)\b(?:has |have )?(?:was|were|been)\s*$", before)
    return passive is None or set(words(passive[1])) <= said


def _subject(tokens: Sequence[Token]) -> set[str]:
    """The words before the first is, has or must; without one, the first telling word."""
    for at, token in enumerate(tokens):
        if at and (token.key in marks.AUXILIARIES or token.before in marks.AUXILIARIES):
            return {word for one in tokens[:at] for word in words(one.raw)}
    return set(next((found for token in tokens if (found := words(token.raw))), ()))


def _value_beside(text: str, found: re.Match[str], *, follows: bool) -> set[str]:
    """The first words that a phrase says were there before."""
    side = (
        text[found.end() :][:REACH].split() if follows else text[: found.start()][-REACH:].split()
    )
    near = [each for word in side if (each := set(words(word)))]
    return set().union(*(near[:2] if follows else near[-2:]))


def _denied_by(text: str) -> set[str]:
    """What a statement itself says does not hold, or no longer."""
    found = (*marks.OLD_VALUE_FOLLOWS.finditer(text), *marks.DENIES.finditer(text))
    return set().union(*(_value_beside(text, one, follows=True) for one in found))


def _narrower(before: Sequence[Token], new: str, said: set[str]) -> bool:
    """Whether `new` is about a part of what the other is about: "the staging pool", "in CI, …"."""
    opening = marks.NARROWS.match(new.lstrip())
    if opening and _is_scope(opening[1], said):
        return True
    subject = next((token.key for token in before if words(token.raw)), "")
    for token in tokens_of(marks.ENDED.sub(" ", marks.NOW.sub(" ", new))):
        if token.key == subject:
            beside = set(words(token.before))
            return bool(beside) and not beside & said
    return False


def _clause(text: str, found: re.Match[str]) -> str:
    """The part of a sentence that a phrase stands in."""
    turns = [turn.start() for turn in marks.TURNS.finditer(text)]
    start = max((at for at in turns if at < found.start()), default=0)
    return text[start : min((at for at in turns if at >= found.end()), default=len(text))]


def _narrows(clause: str, said: set[str]) -> bool:
    return any(_is_scope(found[1], said) for found in marks.NARROWS.finditer(clause))


def _is_scope(phrase: str, said: set[str]) -> bool:
    """Whether a phrase behind in, on or for names something new, and no date or version."""
    named = set(words(phrase))
    return bool(named) and not named & said and not any(sign.isdigit() for sign in phrase)


def _ends(old: str, said: set[str], new: str) -> bool:
    """Whether all that `old` says is over: nothing of it is left that may still hold."""
    told = {*words(new), *words(marks.ENDED.sub("", new))}
    return said <= told and not _several(old)


def _several(text: str) -> bool:
    """Whether it states several things, of which some may still hold."""
    return re.search(r"\b(?:and|or|und|oder|y|et)\b", text) is not None


def _new_value(old: Sequence[Token], new: Sequence[Token]) -> str:
    """The value that `new` has where it repeats `old` up to its last words and then has another
    of the same sort: is at 9:30, is at 10:15."""
    keys, held = keys_of(old), keys_of(new)
    for length in range(len(keys) - 1, max(1, len(keys) // 2 - 1), -1):
        for at in range(len(held) - length):
            if held[at : at + length] == keys[:length]:
                one, other = old[length], new[at + length]
                return other.raw if one.key != other.key and _alike(one, other) else ""
    return ""


def _new_number(old: Sequence[Token], new: Sequence[Token], said: set[str], told: set[str]) -> bool:
    """Whether `new` says all that `old` says but for its one number, and has another one beside
    the same word: 70 % of coverage, 82 % of coverage."""
    at = [place for place, token in enumerate(old) if NUMBER.fullmatch(token.raw)]
    if len(at) != 1 or not said - set(words(old[at[0]].raw)) <= told:
        return False
    beside = _beside(old, at[0])
    return any(
        token.key != old[at[0]].key and (beside & _beside(new, place) or token.before == "to")
        for place, token in enumerate(new)
        if NUMBER.fullmatch(token.raw)
    )


def _beside(tokens: Sequence[Token], at: int) -> set[tuple[str, str]]:
    """The telling words before and behind a place, each with its side."""
    sides = (("before", tokens[at - 1 : at]), ("behind", tokens[at + 1 : at + 2]))
    return {
        (side, token.key)
        for side, near in sides
        for token in near
        if words(token.raw) or token.key in marks.UNITS
    }


def _alike(one: Token, other: Token) -> bool:
    """Whether both are numbers, both names, or two forms of one word: opt-in, opt-out."""
    sorts = {_sort(token.raw) for token in (one, other)}
    if len(sorts) == 1 and "word" not in sorts:
        return True
    head, _, tail = one.key.partition("-")
    return bool(tail) and other.key.startswith(head + "-")


def _sort(raw: str) -> str:
    if NUMBER.fullmatch(raw):
        return "number"
    return "name" if not raw.islower() or set(raw) & set("/._()") else "word"
