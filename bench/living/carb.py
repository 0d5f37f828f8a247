"""CaRB (dair-iitd/CaRB, commit 024e0e91): how right the triples are that are read from any prose.

    python -m bench.living.carb --repo FOLDER [--split dev]

FOLDER is a clone, with or without a work tree. Scored as CaRB's lenient match: each triple read is
held against the gold tuple of its sentence that shares most words with it, part by part. Nothing is
known beforehand, so that only proper names speak and few sentences are read at all; what counts is
precision.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

from loremap.memory.facts.names import Names, standing_names
from loremap.memory.facts.read import Reader, Reading
from loremap.model.entity import keys_of

COMMIT = "024e0e91"
_SPACED = re.compile(r"\s+([.,;:?!)'’]|n't\b|'s\b)|(?<=\()\s+")
Tuple_ = tuple[list[str], list[list[str]]]


def gold(repo: Path, split: str) -> dict[str, list[Tuple_]]:
    """The tuples of each sentence: the words of the predicate, and of its two sides."""
    git = repo / ".git" if (repo / ".git").exists() else repo
    said = subprocess.run(
        ["git", "--git-dir", str(git), "show", f"{COMMIT}:data/gold/{split}.tsv"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    found: dict[str, list[Tuple_]] = defaultdict(list)
    for line in said.splitlines():
        sentence, predicate, *sides = line.split("\t")
        if sides:
            parts = [sides[0].lower().split(), " ".join(sides[1:]).lower().split()]
            found[sentence].append((predicate.lower().split(), parts))
    return found


def precision(said: Tuple_, ref: Tuple_) -> float:
    """CaRB's lenient precision of a tuple against a gold one; 0 where no word of the predicate is
    shared."""
    if not _shared(said[0], ref[0]):
        return 0.0
    pairs = [(said[0], ref[0]), *zip(said[1], ref[1], strict=True)]
    number = sum(len(mine) for mine, _ in pairs)
    return sum(_shared(mine, theirs) for mine, theirs in pairs) / max(1, number)


def _shared(mine: list[str], theirs: list[str]) -> int:
    return (Counter(mine) & Counter(theirs)).total()


def as_tuple(one: Reading) -> Tuple_:
    """A fact in the words that CaRB compares."""
    thing = one.object.name if one.object is not None else one.value or ""
    words = one.predicate.removeprefix("the_").replace("_", " ").split()
    return words, [_words(one.subject.name), _words(thing)]


def _words(name: str) -> list[str]:
    return re.findall(r"\w[\w.'’-]*|[^\w\s]", name.lower())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    known = gold(given.repo, given.split)
    plain = {sentence: _SPACED.sub(r"\1", sentence) for sentence in known}
    standing = {
        key for text in plain.values() for name in standing_names(text) for key in keys_of(name)[:1]
    }
    reader = Reader(Names({}, frozenset(standing)))
    scores = []
    for sentence, refs in known.items():
        for one in reader.read(plain[sentence]).facts:
            scores.append(max(precision(as_tuple(one), ref) for ref in refs))
            if given.show:
                print(f"{scores[-1]:.2f}  {as_tuple(one)}\n      {sentence}")
    mean = sum(scores) / max(1, len(scores))
    whole = sum(score > 0 for score in scores) / max(1, len(scores))
    print(
        f"{given.split}: {len(known)} sentences, {len(scores)} triples read; lenient precision "
        f"{mean:.3f}; {whole:.3f} of them match some gold tuple"
    )


if __name__ == "__main__":
    main()
