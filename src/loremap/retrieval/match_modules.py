"""The modules of a project that a task is about, by its words and by the files it was traced to."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log

from loremap.model.module import Module, ModuleMap
from loremap.model.paths import is_beside_path
from loremap.model.words import STOP_WORDS, stem, words
from loremap.retrieval.aliases import DEFAULT_ALIASES, expanded

MOST = 4
_LEAST = 1.0
_BESIDE_BEST = 0.4
"""A module is named beside the best one from this share of its score."""
_NAME, _ABOVE, _FILE, _TOLD, _FOLDER, _DEPENDENCY = 3.0, 1.0, 1.4, 1.0, 0.8, 1.2
"""What a word counts in a module's own name, in the names above it, in the names of its files, in
its description or annotation, in its folders, in its dependencies."""
_ALIAS = 0.6
_FORM = 0.8
_MENTIONED = 4.0
_LOCATED = 4.0
_BESIDE = 0.7
"""What a module counts that lies beside the product: benchmarks, examples, scripts."""
_SMALL_TALK = frozenset(
    stem(word)
    for word in """
    add adjust app bad better big bit break broken bug bugs build call called change check code
    correct create crash do done error every everything exception explain fail failing failure file
    files find fix fixed function get give go good great hello help hey hi implement improve
    instead issue just kind know let like line little long look looks make maybe method module
    more much need new nice ok okay old please problem project put really refactor remove repo
    right run say see seems set show something start still stop sure take task tell test tests
    thank thanks thing things think time today try trying update use used using version want way
    well work working works write wrong yes minute minutes hour hours day days first last next
    """.split()
)
"""Words of any task; they name a module only where it is called so."""


def modules_for(
    text: str,
    module_map: ModuleMap,
    located_files: Sequence[tuple[str, float]] = (),
    *,
    aliases: Mapping[str, Iterable[str]] = DEFAULT_ALIASES,
    most: int = MOST,
) -> list[tuple[Module, float]]:
    """The modules that `text` is about with their scores, the surest first; none for small talk.

    `located_files` are files that a search traced the text to, with scores of any scale.
    """
    asked = _asked(text, aliases)
    mentioned = _mentioned(text, module_map.modules)
    if not module_map.modules or not (asked or mentioned):
        return []
    scores = _by_words(asked, module_map.modules)
    for name, count in mentioned.items():
        scores[name] += _MENTIONED * min(count, 2)
    for name, share in _located(located_files, module_map.modules).items():
        scores[name] += _LOCATED * share
    for module in module_map.modules:
        if module.name not in mentioned and all(map(is_beside_path, module.core_files)):
            scores[module.name] *= _BESIDE
    best = max(scores.values(), default=0.0)
    found = [
        (module, scores[module.name])
        for module in module_map.modules
        if scores[module.name] >= max(_LEAST, _BESIDE_BEST * best)
    ]
    found.sort(key=lambda one: (-one[1], one[0].name))
    return found[:most]


def _asked(text: str, aliases: Mapping[str, Iterable[str]]) -> dict[str, float]:
    """The telling words of a task with their weights, those that stand for them counting less."""
    plain = re.sub(r"[^\w\s./\-'’]", " ", text)  # signs such as 🙂 are words elsewhere
    said = [term for term in dict.fromkeys(words(plain)) if len(term) > 1 and not term.isdigit()]
    telling = [term for term in said if term not in _SMALL_TALK and term not in STOP_WORDS]
    asked = dict.fromkeys(telling, 1.0)
    for term in (*expanded(telling, aliases), *_stood_for(telling, aliases)):
        asked.setdefault(term, _ALIAS)
    return asked


def _stood_for(terms: Iterable[str], aliases: Mapping[str, Iterable[str]]) -> list[str]:
    """The short words that `terms` are spelt out from: `auth` for `login`."""
    said = set(terms)
    return [
        term
        for key, others in aliases.items()
        if not said.isdisjoint(word for other in others for word in words(other))
        for term in words(key)
    ]


def _by_words(asked: Mapping[str, float], modules: Sequence[Module]) -> dict[str, float]:
    """By module: the best place of each word, rarer words counting more."""
    places = {module.name: _places(module) for module in modules}
    scores: dict[str, float] = defaultdict(float)
    for term, weight in asked.items():
        found = {
            name: best for name, terms in places.items() if (best := _best_place(term, terms)) > 0
        }
        rarity = _rarity(list(found.values()), len(modules))
        for name, best in found.items():
            scores[name] += weight * best * rarity
    return scores


def _rarity(places: Sequence[float], modules: int) -> float:
    """1 for a word of one module, less the more of them have it in as good a place."""
    if not places:
        return 0.0
    shared = sum(places) / max(places)
    return max(0.2, log(1 + modules / shared) / log(1 + modules))


def _places(module: Module) -> dict[str, float]:
    """The words a module is known by, each with the weight of its best place."""
    above, _, last = module.name.rpartition(".")
    places: dict[str, float] = {}

    def put(text: str, weight: float) -> None:
        for term in words(text):
            places[term] = max(places.get(term, 0.0), weight)

    put(last, _NAME)
    put(above, _ABOVE)
    put(f"{module.description} {module.annotation}", _TOLD)
    put(" ".join(module.dependencies), _DEPENDENCY)
    folders, stems = set[str](), set[str]()
    for path in (*module.core_files, *module.entry_points):
        folder, _, file = path.rpartition("/")
        stems.add(file.partition(".")[0])
        folders.update(folder.split("/"))
    put(" ".join(sorted(stems)), _FILE)
    put(" ".join(sorted(folders)), _FOLDER)
    return places


def _best_place(term: str, places: Mapping[str, float]) -> float:
    """The weight of a word where it or a longer or shorter form of it is said."""
    exact = places.get(term, 0.0)
    if len(term) < 4 or exact >= _NAME:
        return exact
    forms = (weight for known, weight in places.items() if _is_short_for(term, known))
    return max(exact, _FORM * max(forms, default=0.0))


def _is_short_for(one: str, other: str) -> bool:
    """Whether one word is the beginning of the other: `auth` and `authent`."""
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and long.startswith(short) and len(long) - len(short) <= 6


def _mentioned(text: str, modules: Sequence[Module]) -> Counter[str]:
    """By module: how many of its files or of its dotted names the text names outright."""
    named = {
        piece.strip("./") for piece in re.findall(r"[\w./\-]+\.\w+|[\w\-]+(?:/[\w.\-]+)+", text)
    }
    counts: Counter[str] = Counter()
    for piece in named:
        for module in modules:
            hit = piece == module.name if "." in module.name and "/" not in piece else False
            if hit or any(
                path == piece or path.endswith(f"/{piece}") for path in module.core_files
            ):
                counts[module.name] += 1
    return counts


def _located(
    located_files: Sequence[tuple[str, float]], modules: Sequence[Module]
) -> dict[str, float]:
    """By module: its share of what a search found, by rank and score."""
    holder = {path: module.name for module in modules for path in module.core_files}
    best = max((score for _, score in located_files), default=0.0)
    if best <= 0:
        return {}
    shares: dict[str, float] = defaultdict(float)
    for rank, (path, score) in enumerate(located_files):
        if path in holder and score > 0:
            shares[holder[path]] += score / best / (1 + rank)
    total = sum(shares.values())
    return {name: share / total for name, share in shares.items()} if total else {}
