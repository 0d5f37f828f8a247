"""What a cluster is called: the words that its members say and others do not."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from loremap.model.text import opening
from loremap.model.words import words
from loremap.storage.bm25 import rarity

WORDS = 3
LEAST_SAYING = 2
"""So many members say a word that the cluster is called by."""
_TOKEN = re.compile(r"[^\W\d_][\w.-]*\w")


def cluster_name(
    texts: Sequence[str], frequency: Callable[[Sequence[str]], Sequence[int]], rows: int
) -> str:
    """The words that tell a cluster from everything else, the most telling first. `frequency` says
    how many of all `rows` memories hold each of some terms."""
    saying, forms = _said(texts)
    terms = sorted(term for term, count in saying.items() if count >= LEAST_SAYING)
    held = dict(zip(terms, frequency(terms), strict=True))
    weight = {
        term: saying[term] / len(texts) * rarity(rows=rows, holding=max(held[term], saying[term]))
        for term in terms
    }
    best = sorted(terms, key=lambda term: (-weight[term], term))[:WORDS]
    return ", ".join(forms[term].most_common(1)[0][0] for term in best)


def _said(texts: Sequence[str]) -> tuple[Counter[str], Mapping[str, Counter[str]]]:
    """How many texts say each term, and the forms in which they say it."""
    saying = Counter[str]()
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        here: set[str] = set()
        for token in _TOKEN.findall(opening(text)[0].lower()):
            if term := _term(token):
                here.add(term)
                forms[term][token] += 1
        saying.update(here)
    return saying, forms


@lru_cache(maxsize=65_536)
def _term(token: str) -> str:
    """The one term that a token is looked up by; empty where it is several, as a path is."""
    terms = words(token)
    return terms[0] if len(terms) == 1 else ""
