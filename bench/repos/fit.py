"""Fits what the signs of a sentence weigh (`loremap/capture/seed/rules.json`).

    python -m bench.repos.fit [--only-test]

`sentences.json` holds sentences of guides and instruction files of openly licensed repositories,
labelled by a reader: is it a rule for working there that can be followed as it stands? Some were
drawn at random, some because an earlier fit was in doubt about them. Tested on what was not fitted
on: whole repositories are left out, and only what was drawn at random is counted.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremap.capture.seed import rules
from loremap.capture.seed.rules import Said, signs
from loremap.capture.seed.statements import is_for_others

SENTENCES = Path(__file__).with_name("sentences.json")
FOLDS = 5
RIDGE, STEPS = 3.0, 8
FEWEST_REPOSITORIES = 3
"""A sign of fewer says more of them than of rules."""
LEAST_WEIGHT = 0.02
THRESHOLDS = (-0.5, 0.0, 0.3, 0.5, 0.75, 1.0)
Rows = NDArray[np.float64]


@dataclass(frozen=True)
class Labelled:
    """A sentence and whether it is a rule."""

    repo: str
    said: Said
    rule: bool
    drawn: bool
    """At random, so that shares over these are shares over guides."""


def labelled(path: Path = SENTENCES) -> list[Labelled]:
    """The sentences, in order."""
    return [
        Labelled(
            one["repo"],
            Said(
                text=one["text"],
                headings=tuple(one.get("headings", ())),
                lead=one.get("lead", ""),
                for_agents="agents" in one["place"],
                item="item" in one["place"],
                later="later" in one["place"],
                before_code="code after" in one["place"],
                quoted="quoted" in one["place"],
            ),
            rule=one["rule"],
            drawn=one["drawn"],
        )
        for one in json.loads(path.read_text("utf-8"))
    ]


def fitted(every: Sequence[Labelled]) -> dict[str, float]:
    """What each sign weighs: logistic regression with a ridge, by Newton's steps over sentences,
    which are fewer than signs."""
    told = [signs(one.said) for one in every]
    seen = defaultdict[str, set[str]](set)
    for one, its in zip(every, told, strict=True):
        for sign in its:
            seen[sign].add(one.repo)
    names = sorted(sign for sign, repos in seen.items() if len(repos) >= FEWEST_REPOSITORIES)
    at = {name: n for n, name in enumerate(names)}
    rows = np.zeros((len(every), len(names)))
    for n, its in enumerate(told):
        rows[n, [at[sign] for sign in its if sign in at]] = 1.0
    weights = _regression(rows, np.array([float(one.rule) for one in every]))
    return {name: float(weights[n]) for name, n in at.items() if abs(weights[n]) >= LEAST_WEIGHT}


def _regression(rows: Rows, wanted: Rows) -> Rows:
    likeness = rows @ rows.T / RIDGE
    odds = np.zeros(len(rows))
    shares = odds
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-odds))
        bend = np.maximum(likely * (1 - likely), 1e-6)
        aim = odds + (wanted - likely) / bend
        shares = np.linalg.solve(likeness + np.diag(1 / bend), aim)
        odds = likeness @ shares
    return np.asarray(rows.T @ shares / RIDGE)


def unseen_scores(every: Sequence[Labelled]) -> Rows:
    """The score of each sentence by weights that were not fitted to its repository."""
    repos = sorted({one.repo for one in every}, key=lambda name: (sum(name.encode()), name))
    fold = {name: n % FOLDS for n, name in enumerate(repos)}
    scores = np.zeros(len(every))
    for left_out in range(FOLDS):
        weights = fitted([one for one in every if fold[one.repo] != left_out])
        for n, one in enumerate(every):
            if fold[one.repo] == left_out:
                scores[n] = sum(weights.get(sign, 0.0) for sign in signs(one.said))
    return scores


def _report(every: Sequence[Labelled]) -> None:
    scores = unseen_scores(every)
    rule = np.array([one.rule for one in every])
    for name, to in (("files for agents", True), ("guides for people", False)):
        counted = np.array([
            one.drawn and one.said.for_agents is to and not is_for_others(one.said.headings)
            for one in every
        ])  # fmt: skip
        for least in THRESHOLDS:
            offered = counted & (scores >= least)
            right = int((offered & rule).sum())
            print(
                f"{name}, from {least:5.2f}: {right / max(1, offered.sum()):.2f} of "
                f"{offered.sum()} are rules; {right / (counted & rule).sum():.2f} of the rules"
            )


def main() -> None:
    """Say how well it does on repositories it has not seen, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only-test", action="store_true")
    every = labelled()
    _report(every)
    if not parser.parse_args().only_test:
        weights = {name: round(one, 2) for name, one in fitted(every).items()}
        path = Path(rules.__file__).with_name(rules.WEIGHTS)
        path.write_text(json.dumps(weights, indent=0, ensure_ascii=False) + "\n", "utf-8")
        print(f"{len(weights)} signs written")


if __name__ == "__main__":
    main()
