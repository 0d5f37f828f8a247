"""Fits what the signs of a sentence weigh (`loremap/code/seed/rules.json`).

    python -m bench.repos.fit --repos FOLDER [--only-test]

`labels.json` says of sentences in the guides and instruction files of openly licensed repositories
(file, line, which sentence of the block) whether a reader calls them a rule for working there that
can be followed as it stands; the words are read from the checkouts or mirrors in FOLDER
(`OWNER+NAME`, at the commit that is named). Some were drawn at random, some because an earlier fit
was in doubt about them. Tested on what was not fitted on: whole repositories are left out, and only
what was drawn at random is counted.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremap.code.documents.guides import is_instruction_path
from loremap.code.documents.markdown import Block, blocks
from loremap.code.documents.prose import plain, sentences
from loremap.code.documents.restructured import markdown_of
from loremap.code.seed import rules
from loremap.code.seed.rules import Said, signs
from loremap.code.seed.statements import is_for_others

LABELS = Path(__file__).with_name("labels.json")
_FOR_AGENTS = re.compile(r"(^|/)(claude|agents)\.md$", re.IGNORECASE)
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


def labelled(folder: Path, labels: Path = LABELS) -> list[Labelled]:
    """The sentences that were labelled, read where they stand."""
    found = []
    for repo, held in json.loads(labels.read_text("utf-8")).items():
        git = _git_folder(folder / repo.replace("/", "+"))
        for file, marks in groupby(held["labels"], key=lambda mark: mark[0]):
            shown = subprocess.run(
                ["git", "-C", str(git), "show", f"{held['commit']}:{file}"],
                check=True,
                capture_output=True,
            )
            said = dict(_said(file, shown.stdout.decode("utf-8", "replace")))
            for _, line, place, rule, drawn in marks:
                found.append(Labelled(repo, said[line, place], rule=bool(rule), drawn=bool(drawn)))
    return found


def _git_folder(place: Path) -> Path:
    """A checkout, or the git folder in a mirror's."""
    return place if (place / ".git").exists() else next(p for p in place.iterdir() if p.is_dir())


def _said(file: str, raw: str) -> Iterator[tuple[tuple[int, int], Said]]:
    """The sentences of a document, by the line of their block and their place in it."""
    every = blocks(markdown_of(raw) if file.endswith((".rst", ".txt")) else raw)
    for index, block in enumerate(every):
        parts = sentences(plain(block.text)) if block.sort in ("item", "paragraph") else []
        after = every[index + 1] if index + 1 < len(every) else None
        code = after is not None and after.sort == "code" and after.parent == index
        for place, text in enumerate(parts):
            yield (
                (block.line, place),
                Said(
                    text=text,
                    headings=tuple(block.headings),
                    lead=_lead(every, index),
                    for_agents=is_instruction_path(file) or _FOR_AGENTS.search(file) is not None,
                    item=block.sort == "item",
                    later=place > 0,
                    before_code=code and place == len(parts) - 1,
                    quoted=block.quoted,
                ),
            )


def _lead(every: Sequence[Block], index: int) -> str:
    """The sentence with a colon that a block stands under."""
    parent = every[index].parent
    if parent is None or parent >= index or every[parent].sort == "code":
        return ""
    said = sentences(plain(every[parent].text))
    return said[-1] if said and said[-1].endswith(":") else ""


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
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--only-test", action="store_true")
    asked = parser.parse_args()
    every = labelled(asked.repos)
    _report(every)
    if not asked.only_test:
        weights = {name: round(one, 2) for name, one in fitted(every).items()}
        path = Path(rules.__file__).with_name(rules.WEIGHTS)
        path.write_text(json.dumps(weights, indent=0, ensure_ascii=False) + "\n", "utf-8")
        print(f"{len(weights)} signs written")


if __name__ == "__main__":
    main()
