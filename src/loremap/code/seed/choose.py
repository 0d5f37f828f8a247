"""Which seeds are shown: repetitions merged, the most important first, never too many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, replace

from loremap.code.seed.value import MAX_CHARS, Seed
from loremap.model.words import words

MAX_SEEDS = 60
"""More than these a person does not review."""
_NEGATIONS = frozenset({"not", "never", "no", "don't", "without", "avoid"})
_FEW_WORDS = 4
"""With fewer words a statement is held in another by chance."""
_NEARLY_SAME = 0.8
"""Share of common words from which two statements of different files are one."""


def chosen(seeds: Iterable[Seed]) -> tuple[list[Seed], list[Seed]]:
    """`seeds` without repetitions, in order of importance, at most `MAX_SEEDS` of them; and those
    that are left out."""
    fit = [seed for seed in seeds if _presentable(seed.text)]
    every = _merged(sorted(fit, key=lambda seed: (_voice(seed), -seed.importance)))
    return every[:MAX_SEEDS], every[MAX_SEEDS:]


def new_seeds(
    seeds: Iterable[Seed], known: Set[str], *, fingerprint: Callable[[str], str]
) -> list[Seed]:
    """The seeds whose text has none of the `known` fingerprints."""
    return [seed for seed in seeds if fingerprint(seed.text) not in known]


def _voice(seed: Seed) -> int:
    """Who speaks: the instructions of the root, a guide, the instructions of a part, settings."""
    if seed.instruction_file:
        at_root = "/" not in seed.file or (seed.file.count("/") == 1 and seed.file.startswith("."))
        return 0 if at_root else 2
    name = seed.file.lower().rpartition("/")[2]
    guide = name.endswith((".md", ".rst", ".txt", "contributing")) and "readme" not in name
    return 1 if guide else 3


def _presentable(text: str) -> bool:
    """Whether `text` is short and holds nothing that a person reviewing it would not see."""
    return 0 < len(text) <= MAX_CHARS and text.isprintable()


@dataclass(frozen=True, slots=True)
class _Gist:
    """What a statement is compared by: its words, and apart from them its values and negations."""

    words: frozenset[str]
    values: frozenset[str]


def _merged(seeds: Iterable[Seed]) -> list[Seed]:
    """`seeds` with each repetition named in the first one's `also_in`."""
    kept, gists = list[Seed](), list[_Gist]()
    for seed in seeds:
        gist = _gist(seed.text)
        pairs = enumerate(zip(kept, gists, strict=True))
        at = next((n for n, (one, its) in pairs if _repeats(seed, gist, one, its)), None)
        if at is None:
            kept.append(seed)
            gists.append(gist)
        else:
            others = dict.fromkeys((*kept[at].also_in, seed.file, *seed.also_in))
            others.pop(kept[at].file, None)
            kept[at] = replace(kept[at], also_in=tuple(others))
    return kept


def _repeats(seed: Seed, gist: _Gist, earlier: Seed, its: _Gist) -> bool:
    """Whether `seed` settles what `earlier` settles, or says nearly the same or a part of it."""
    if seed.about and earlier.about:
        return seed.about == earlier.about
    if gist.values != its.values or not gist.words or not its.words:
        return False
    both, shorter = len(gist.words & its.words), min(len(gist.words), len(its.words))
    held = both == shorter >= _FEW_WORDS
    return held or both / len(gist.words | its.words) >= _NEARLY_SAME


def _gist(text: str) -> _Gist:
    terms = text.lower().split()
    values = {term for term in terms if term in _NEGATIONS or any(map(str.isdigit, term))}
    return _Gist(frozenset(words(text)), frozenset(values))
