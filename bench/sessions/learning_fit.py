"""Fits the weights by which a message is taken for a statement that holds beyond its turn.

    python -m bench.sessions.learning_fit --data FOLDER [--write]

FOLDER holds `learning-dev.json`, to which the first half of our own sessions is added. A message
of a person is an example; it is a good one where somebody marked its turn as one that taught
something. Ridge logistic regression over the features of `loremap.sessions.learning.evidence`.
What is printed was foretold with the weights of the other projects; `--write` writes those of all
of them into the package.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.sessions.learning_data import Chat, Half, Json, chats, development, own
from bench.sessions.learning_transcripts import written
from loremap.clients.transcript import records
from loremap.model.turn import Turn
from loremap.sessions.learning import evidence
from loremap.sessions.learning.earlier import Earlier, Settled
from loremap.sessions.learning.evidence import Weights, features
from loremap.sessions.learning.exchanges import exchanges
from loremap.sessions.learning.sentences import telling
from loremap.sessions.turns import turns_of

RIDGE = 10.0
"""Chosen among 3, 10 and 30, which differ by less than a hundredth."""
THRESHOLD = 0.54
STEPS = 30
SETTLED, DECOY, MIN_SHARED = 0.4, 0.12, 2
"""What a message of a chat counts: as many speak for as against, and all together less than the
sessions. With so many words of what was settled a message is taken for part of it."""
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """One message, and whether it taught something."""

    project: str
    features: dict[str, float]
    taught: bool
    told: str = ""
    weight: float = 1.0


def turns(session: Json) -> list[Turn]:
    """The turns of a session, read from a transcript in its client's form."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        client = written(session, path)
        return turns_of(records(path, client))


def examples(sessions: Sequence[Json]) -> list[Example]:
    """Every message of every session, with what the sessions of its project had settled before."""
    found, settled = list[Example](), defaultdict[str, Settled](Settled)
    for session in sorted(sessions, key=lambda one: str(one["started_at"])):
        known = settled[session["project"]]
        found += [
            Example(
                session["project"],
                features(one.words, one, known),
                any(one.said.number in item["from_turns"] for item in session["learn"]),
                f"{session['id']}:{one.said.number} {one.words[:150]}",
            )
            for one in exchanges(turns(session))
        ]
        for item in session["learn"]:
            known.add(Earlier(item["what"]))
    return found


def fitting(folder: Path) -> list[Example]:
    """The messages that the weights are fitted on."""
    return [*of_sessions(folder), *of_chats(chats(folder))]


def of_sessions(folder: Path) -> list[Example]:
    """Those of sessions alone."""
    return examples((*development(folder), *own(Half.FIRST)))


def of_chats(told: Sequence[Chat]) -> list[Example]:
    """The messages of chats: those of decoys, and those that share words with what was settled."""
    return [
        Example(
            chat.name,
            features(one.words, one, Settled()),
            bool(chat.settled),
            one.words[:150],
            SETTLED if chat.settled else DECOY,
        )
        for chat in told
        for talk in chat.talks
        for one in exchanges(talk)
        if not chat.settled or (not one.is_first and _settles(one.words, chat.settled))
    ]


def _settles(words: str, settled: str) -> bool:
    return len(telling(words) & telling(settled)) >= MIN_SHARED


def fitted(of: Sequence[Example]) -> Weights:
    """The weights for these examples."""
    names = sorted(of[0].features)
    table = np.array([[one.features[name] for name in names] for one in of])
    taught = np.array([one.taught for one in of], dtype=np.float64)
    mean, spread = table.mean(0), table.std(0) + 1e-6
    counts = np.array([one.weight for one in of])
    found = _ridge(np.c_[(table - mean) / spread, np.ones(len(of))], taught, counts)
    weights = found[:-1] / spread
    bias = float(found[-1] - weights @ mean)
    return Weights(
        round(bias, 4),
        {name: round(float(one), 4) for name, one in zip(names, weights, strict=True)},
        THRESHOLD,
    )


def _ridge(table: Array, wanted: Array, counts: Array) -> Array:
    weights, penalty = np.zeros(table.shape[1]), np.full(table.shape[1], RIDGE)
    penalty[-1] = 0.0
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (counts * (chance - wanted)) + penalty * weights
        bend = table.T @ (table * (counts * chance * (1 - chance) + 1e-6)[:, None]) + np.diag(
            penalty
        )
        weights -= np.linalg.solve(bend, slope)
    return weights


def weights_without(of: Sequence[Example]) -> dict[str, Weights]:
    """For each project the weights that the others give."""
    return {
        project: fitted([one for one in of if one.project != project])
        for project in sorted({one.project for one in of})
    }


def main() -> None:
    """Fit, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    of = fitting(given.data)
    left_out = weights_without(of)
    beliefs = np.array([left_out[one.project].belief(one.features) for one in of])
    taught = np.array([one.taught for one in of])
    print(f"{len(of)} messages, {taught.sum()} taught something")
    for bar in (0.45, 0.5, 0.55, 0.6, 0.65):
        taken = beliefs >= bar
        print(
            f"belief >= {bar}: {taken.sum()} taken, precision {taught[taken].mean():.3f}, "
            f"recall {(taken & taught).sum() / taught.sum():.3f}"
        )
    weights = fitted(of)
    for name, value in sorted(weights.of.items(), key=lambda one: -one[1]):
        print(f"  {value:+.2f} {name}")
    if given.write:
        told = {"threshold": THRESHOLD, "bias": weights.bias, "weights": dict(weights.of)}
        path = Path(evidence.__file__).parent / "weights.json"
        path.write_text(json.dumps(told, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
