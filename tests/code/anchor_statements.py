"""Statements of several languages made up by chance, as lines that know how deep they stand."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Lines = list[tuple[int, str]]
"""Depth and text of each line. `«7»` stands for the name of the piece with that number."""

NOUNS = (
    "token user order invoice session cache queue worker batch report payload header cursor "
    "shard ledger account ticket route branch commit lease replica quota bucket digest"
).split()
VERBS = "load store refresh parse merge flush retry expire rotate verify render encode".split()
ATTRS = "size state owner limit offset version expires name total depth key kind".split()
WORDS = (
    "The service writes each record twice so that a lost disk costs nothing while readers keep "
    "an older snapshot until the next compaction has finished and every replica agrees on the "
    "order of events which matters most when clocks drift apart during a failover or deploy"
).split()


TOPICS = [
    first + second
    for first in "alba cormo delti fenra gasto hulme ivra jorda kelpi lunto marda nesto".split()
    for second in "ne rix tal vo shing lor pard mist qua bel".split()
]
"""Names of things that only a few texts speak of, as in any project."""


def phrase(rng: random.Random, count: int) -> str:
    """Some words in a row that make no sense but look like prose."""
    return " ".join(rng.choice(WORDS).lower() for _ in range(count))


def camel(name: str) -> str:
    """`snake_case` as `camelCase`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def python(rng: random.Random, call: str) -> Lines:
    """One statement of Python; `call` names a function that it may call."""
    noun, other, attr, verb = _chosen(rng)
    number = rng.randrange(1, 99)
    return rng.choice(
        [
            [(0, f"{noun} = {other}.{verb}({attr}, {rng.choice(ATTRS)}={number})")],
            [(0, f"if {noun} is None:"), (1, f'raise ValueError("{phrase(rng, 4)}")')],
            [(0, f"for {noun} in {other}s:"), (1, f"found.append({noun}.{attr} + {number})")],
            [(0, f"{noun}s = [one for one in {other}s if one.{attr} > {number}]")],
            [(0, f'logger.debug("{phrase(rng, 3)}", {noun})')],
            [(0, f"with {other}.lock:"), (1, f"{other}.{attr} = {noun}")],
            [(0, "try:"), (1, f"{noun} = {other}[{attr!r}]"), (0, "except KeyError:"),
             (1, f"{noun} = {number}")],
            [(0, f"{noun} = {call}({other}, {number})")],
            [(0, f"if {noun}.{attr} >= {number} and not {other}.{rng.choice(ATTRS)}:"),
             (1, f"return {call}({noun})")],
            [(0, f"# {phrase(rng, 5)}"), (0, f"{noun}.{attr} += {number}")],
        ]
    )  # fmt: skip


def typescript(rng: random.Random, call: str) -> Lines:
    """One statement of TypeScript."""
    noun, other, attr, verb = _chosen(rng)
    number = rng.randrange(1, 99)
    return rng.choice(
        [
            [(0, f"const {noun} = {other}.{verb}({attr}, {{ {attr}: {number} }});")],
            [(0, f"if (!{noun}) {{"), (1, f'throw new Error("{phrase(rng, 4)}");'), (0, "}")],
            [(0, f"for (const {noun} of {other}s) {{"),
             (1, f"found.push({noun}.{attr} + {number});"), (0, "}")],
            [(0, f"const {noun}s = {other}s.filter((one) => one.{attr} > {number});")],
            [(0, f'console.debug("{phrase(rng, 3)}", {noun});')],
            [(0, f"{other}.{attr} = {noun} ?? {number};")],
            [(0, f"const {noun} = await {call}({other}, {number});")],
            [(0, f"if ({noun}.{attr} >= {number} && !{other}.{attr}) {{"),
             (1, f"return {call}({noun});"), (0, "}")],
            [(0, f"// {phrase(rng, 5)}"), (0, f"{noun}.{attr} += {number};")],
        ]
    )  # fmt: skip


def go(rng: random.Random, call: str) -> Lines:
    """One statement of Go."""
    noun, other, attr, verb = _chosen(rng)
    number = rng.randrange(1, 99)
    return rng.choice(
        [
            [(0, f"{noun} := {other}.{verb.title()}({attr}, {number})")],
            [(0, f"if {noun} == nil {{"), (1, f'return fmt.Errorf("{phrase(rng, 4)}")'), (0, "}")],
            [(0, f"for _, {noun} := range {other}s {{"),
             (1, f"found = append(found, {noun}.{attr}+{number})"), (0, "}")],
            [(0, f'log.Printf("{phrase(rng, 3)} %v", {noun})')],
            [(0, f"{other}.{attr} = {noun}")],
            [(0, f"{noun} := {call}({other}, {number})")],
            [(0, f"if {noun}.{attr} >= {number} && !{other}.{attr} {{"),
             (1, f"return {call}({noun})"), (0, "}")],
            [(0, f"// {phrase(rng, 5)}"), (0, f"{noun}.{attr} += {number}")],
        ]
    )  # fmt: skip


def recipe(rng: random.Random, _call: str) -> Lines:
    """One line of a rule in a Makefile."""
    noun, other, attr, verb = _chosen(rng)
    return [
        (1, rng.choice([
            f"@tool {verb} --{attr}={rng.randrange(99)} build/{noun}.o",
            f"cp -r {noun}/{other} $(OUT)/{attr}",
            f"$(PYTHON) -m {noun}.{verb} --{attr} {other}",
            f"docker run --rm {noun}:{rng.randrange(9)} {verb} {other}",
        ]))
    ]  # fmt: skip


def sentence(rng: random.Random, _call: str) -> Lines:
    """One sentence of prose."""
    said = phrase(rng, rng.randrange(6, 12)).split() + rng.sample(TOPICS, 3)
    rng.shuffle(said)
    return [(0, " ".join(said).capitalize() + ".")]


def setting(rng: random.Random, _call: str) -> Lines:
    """One line below a key of YAML."""
    noun, other, attr, verb = _chosen(rng)
    return [(2, f"{attr}-{noun}: {verb}-{other}-{rng.randrange(99)}")]


def _chosen(rng: random.Random) -> tuple[str, str, str, str]:
    noun, other = rng.sample(NOUNS, 2)
    return noun, other, rng.choice(ATTRS), rng.choice(VERBS)


def nudged(rng: random.Random, lines: Lines) -> Lines:
    """`lines` with the smallest of edits: one digit, one operator, one letter of a word."""
    changes: list[Callable[[str], str]] = [
        lambda said: re.sub(r"\b\d+\b", lambda found: str(int(found[0]) + 1), said, count=1),
        lambda said: said.replace(" >= ", " > ", 1),
        lambda said: said.replace(" += ", " -= ", 1),
        lambda said: _other_letter(rng, said),
    ]
    tries = [(place, change) for place in range(len(lines)) for change in changes]
    rng.shuffle(tries)
    for place, change in tries:
        depth, text = lines[place]
        said = change(text)
        if said != text:
            return [*lines[:place], (depth, said), *lines[place + 1 :]]
    raise AssertionError(f"nothing to nudge in {lines}")


_KEYWORDS = frozenset(
    "and not none for try except with raise return one const throw new error await range append "
    "nil func compute docker run tool".split()
)
"""Words that are left as they are, so that what was code stays code."""


def _other_letter(rng: random.Random, text: str) -> str:
    """`text` with one letter changed, not in a keyword or what stands for a name."""
    spots = [
        found.start()
        for found in re.finditer(r"(?<![«\w])[a-z]{3,}", text)
        if found[0] not in _KEYWORDS
    ]
    if not spots:
        return text
    spot = rng.choice(spots) + 1
    letter = rng.choice([one for one in "abcdefghij" if one != text[spot]])
    return text[:spot] + letter + text[spot + 1 :]
