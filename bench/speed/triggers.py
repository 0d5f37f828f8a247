"""Triggers as a store might hold them, and texts that nearly fire many of them."""

from __future__ import annotations

import random
import re
import sysconfig
from pathlib import Path

from loremap.model.memory import Trigger

SHARES = {"literal": 0.7, "glob": 0.2, "regex": 0.1}
HOSTILE = (
    r"(a+)+$",
    r"(a|aa)+$",
    r"(.*)*x",
    r"(?:a?){200}a{200}Q",
    r"(a|b)*a(a|b){50}c",
    r"(a|b)*a(a|b){900}c",
    r"[ab]*a.{100}Q",
    r"(?i)[a-z]{1,150}Q",
    r"(x{1000}){1000}",
    r"\pL{1,300}Q",
)
"""Patterns on which an engine that backtracks, or unrolls, never ends."""


def library_source(chars: int) -> str:
    """Source code of Python's own library: text as real as a check will see, on every machine."""
    source = ""
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        source += path.read_text(encoding="utf-8", errors="replace")
        if len(source) >= chars:
            break
    return source


def excerpts(corpus: str, count: int, *, chars: int, seed: int) -> list[str]:
    """Pieces of `corpus`, each of so many characters."""
    dice = random.Random(seed)
    starts = [dice.randrange(len(corpus) - chars) for _ in range(count)]
    return [corpus[start : start + chars] for start in starts]


def triggers(count: int, *, corpus: str, seed: int) -> list[Trigger]:
    """Triggers of words that do occur in the corpus, so that many are nearly hit."""
    dice = random.Random(seed)
    words = sorted(set(re.findall(r"[A-Za-z_]{4,20}", corpus)))
    kinds = dice.choices(list(SHARES), weights=list(SHARES.values()), k=count)
    return [_TRIGGERS[kind](dice, words) for kind in kinds]


def _literal(dice: random.Random, words: list[str]) -> Trigger:
    one, two = dice.sample(words, 2)
    shapes = (one, f"{one}.{two}", f"{one}(", f"{one} --{two.lower()}", f"{one} {two}", f"{one}!")
    return Trigger("literal", dice.choice(shapes))


def _glob(dice: random.Random, words: list[str]) -> Trigger:
    one, two = (word.lower() for word in dice.sample(words, 2))
    if dice.random() < 0.5:
        shapes = (f"src/{one}/**", f"**/{one}_*.py", f"*.{one[:4]}", f"{one}/{two}.py", f"{one}*")
        return Trigger("glob", dice.choice(shapes), "file")
    return Trigger("glob", dice.choice((f"git {one}*--{two}*", f"{one} * {two}", f"*{one}*{two}*")))


def _regex(dice: random.Random, words: list[str]) -> Trigger:
    one, two = dice.sample(words, 2)
    shapes = (
        rf"\b{one}\s*\(",
        rf"{one}|{two}_\d+",
        rf"(?i){one}.*{two}",
        rf"^\s*{one}\s+=",
        rf"{one}\.[a-z_]+\({two}",
    )
    return Trigger("regex", dice.choice(shapes))


_TRIGGERS = {"literal": _literal, "glob": _glob, "regex": _regex}
