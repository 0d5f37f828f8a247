"""The modules of a project that a task is about, by its words and by the files it was traced to."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log

from loremap.memory.recall.signals import DEFAULT_ALIASES, expanded
from loremap.model.module import Module, ModuleMap
from loremap.model.words import STOP_WORDS, stem, words

MOST = 4
_LEAST = 1.0
_BESIDE_BEST = 0.4
"""A module is named beside the best one from this share of its score."""
_NAME, _ABOVE, _FILE, _TOLD, _FOLDER, _DEPENDENCY = 3.0, 1.0, 1.4, 1.0, 0.8, 1.2
"""What a word counts in a module's own name, in the names above it, in the names of its files, in
its description or annotation, in its folders, in its dependencies."""
_MANY_FILES = 20
"""From so many files on, one of them called by a word says less of their module."""
_ALIAS = 0.6
_FORM = 0.8
_LEAST_FORM, _MAX_LONGER = 4, 6
"""A word is a form of another that begins with it, from so many letters on and by so many more."""
_NONE = {"": 0.0}
_MENTIONED = 4.0
_LOCATED = 4.0
_BESIDE = 0.7
"""What a module counts that lies beside the product: benchmarks, examples, scripts."""
_NEARLY_ALL = 0.75
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
    said = _telling(text)
    mentioned = _mentioned(text, module_map.modules)
    if not module_map.modules or not (said or mentioned):
        return []
    names = _names_of(module_map)
    located = _located(located_files, module_map.modules)
    others = [term for term in said if term not in names.own]
    scores = _by_words(_asked((*others, *_joined(text, names)), aliases), names)
    if not (scores or mentioned or located):  # the project's name may mean the module called so
        scores = _by_words(_asked(said, aliases), names)
    for name, count in mentioned.items():
        scores[name] += _MENTIONED * min(count, 2)
    for name, share in located.items():
        scores[name] += _LOCATED * share
    for module in module_map.modules:
        if module.name not in mentioned and module.name in names.beside:
            scores[module.name] *= _BESIDE
    best = max(scores.values(), default=0.0)
    found = [
        (module, scores[module.name])
        for module in module_map.modules
        if scores[module.name] >= max(_LEAST, _BESIDE_BEST * best)
    ]
    found.sort(key=lambda one: (-one[1], one[0].name))
    return found[:most]


@dataclass(frozen=True, slots=True)
class _Names:
    """What a map's modules are known by; worked out once for a map."""

    count: int
    places: Mapping[str, Mapping[str, float]]
    """By word: the modules that are known by it, each with the weight of the word's best place."""
    ordered: Sequence[str]
    own: frozenset[str]
    """Words that name the whole project."""
    beside: frozenset[str]
    """Modules that lie beside the product."""


_KNOWN: deque[tuple[ModuleMap, _Names]] = deque(maxlen=8)
"""The maps asked about last; one stays the same object while it is true."""


def _names_of(module_map: ModuleMap) -> _Names:
    for known, names in tuple(_KNOWN):
        if known is module_map:
            return names
    by_module = {module.name: _places(module) for module in module_map.modules}
    places: dict[str, dict[str, float]] = defaultdict(dict)
    for name, terms in by_module.items():
        for term, weight in terms.items():
            places[term][name] = weight
    made = _Names(
        len(by_module),
        places,
        sorted(places),
        _own_name(module_map.modules, places),
        frozenset(module.name for module in module_map.modules if module.role),
    )
    _KNOWN.append((module_map, made))
    return made


def _telling(text: str) -> list[str]:
    """The words of a task that may name a module."""
    plain = re.sub(r"[^\w\s./\-'’]", " ", text)  # signs such as 🙂 are words elsewhere
    said = [term for term in dict.fromkeys(words(plain)) if len(term) > 1 and not term.isdigit()]
    return [term for term in said if term not in _SMALL_TALK and term not in STOP_WORDS]


def _asked(telling: Sequence[str], aliases: Mapping[str, Iterable[str]]) -> dict[str, float]:
    """Words with their weights, those that stand for them counting less."""
    asked = dict.fromkeys(telling, 1.0)
    for term in (*expanded(telling, aliases), *_stood_for(telling, aliases)):
        asked.setdefault(term, _ALIAS)
    return asked


def _joined(text: str, names: _Names) -> list[str]:
    """The names of modules that the text writes in two words: `code graph` for `codegraph`."""
    pieces = re.findall(r"\w+", text.lower())
    pairs = [term for one, two in pairwise(pieces) for term in words(one + two)]
    return [term for term in pairs if max(names.places.get(term, _NONE).values()) >= _NAME]


def _stood_for(terms: Iterable[str], aliases: Mapping[str, Iterable[str]]) -> list[str]:
    """The short words that `terms` are spelt out from: `auth` for `login`."""
    said = set(terms)
    return [
        term
        for key, others in aliases.items()
        if not said.isdisjoint(word for other in others for word in words(other))
        for term in words(key)
    ]


def _own_name(modules: Sequence[Module], known: Collection[str]) -> frozenset[str]:
    """The words that name the whole project, and so no module of it: the folder that nearly all
    modules lie in, the one module that lies in it without a folder of its own, and the first half
    of a name put together from two known words (`lore` where `loremap` has a `map`)."""
    product = [one for one in modules if not one.role]
    top = _top_folder(product)
    if top is None:
        return frozenset()
    at_top = [one.name for one in product if _folder_of_most(one) == top]
    name = {*words(top.rpartition("/")[2]), *(words(at_top[0]) if len(at_top) == 1 else ())}
    halves = {
        term
        for one in name
        for term in known
        if len(term) > 2 and one.startswith(term) and one.removeprefix(term) in known
    }
    return frozenset(name | halves)


def _top_folder(modules: Sequence[Module]) -> str | None:
    """The deepest folder that nearly all modules have most of their files in or below."""
    holders: Counter[str] = Counter()
    for module in modules:
        parts = _folder_of_most(module).split("/")
        holders.update({"/".join(parts[:size]) for size in range(len(parts) + 1)})
    held = [folder for folder, count in holders.items() if count >= _NEARLY_ALL * len(modules)]
    return max(held, key=len) if len(modules) > 2 and held else None


def _folder_of_most(module: Module) -> str:
    """The folder that most files of a module lie in or below."""
    below: Counter[str] = Counter()
    for path in module.core_files:
        parts = path.split("/")[:-1]
        below.update("/".join(parts[:size]) for size in range(1, len(parts) + 1))
    most = [folder for folder, count in below.items() if 2 * count > len(module.core_files)]
    return max(most, key=len, default="")


def _by_words(asked: Mapping[str, float], names: _Names) -> dict[str, float]:
    """By module: the best place of each word, rarer words counting more."""
    scores: dict[str, float] = defaultdict(float)
    for term, weight in asked.items():
        found = _best_places(term, names)
        rarity = _rarity(list(found.values()), names.count)
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
    thinned = 1 + log(max(1.0, len(module.core_files) / _MANY_FILES))
    put(" ".join(sorted(stems)), _FILE / thinned)
    put(" ".join(sorted(folders)), _FOLDER / thinned)
    return places


def _best_places(term: str, names: _Names) -> dict[str, float]:
    """By module: the weight of a word where it or a longer or shorter form of it is said."""
    found = dict(names.places.get(term, {}))
    if len(term) < _LEAST_FORM:
        return found
    for form in _forms(term, names):
        for name, weight in names.places[form].items():
            known = found.get(name, 0.0)
            if known < _NAME:
                found[name] = max(known, _FORM * weight)
    return found


def _forms(term: str, names: _Names) -> Iterator[str]:
    """The words of which one is the beginning of the other: `auth` and `authent`."""
    at = bisect_right(names.ordered, term)
    while at < len(names.ordered) and names.ordered[at].startswith(term):
        if len(names.ordered[at]) - len(term) <= _MAX_LONGER:
            yield names.ordered[at]
        at += 1
    for size in range(max(_LEAST_FORM, len(term) - _MAX_LONGER), len(term)):
        if term[:size] in names.places:
            yield term[:size]


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
