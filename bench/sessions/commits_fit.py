"""Fits the weights by which a commit is taken for one that teaches something.

    python -m bench.sessions.commits_fit --data FOLDER [--write]

FOLDER holds clones, as `owner+name/repo`. `commits.json` names commits of public repositories that
somebody has read: good ones are worth telling an engineer, weak ones are not. What is printed was
foretold with the weights of the other repositories; `--write` writes those of all of them into the
package.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.sessions.learning_fit import Example, fitted, weights_without
from loremap.code.commits import changes_of, read_commits
from loremap.code.git import git_says
from loremap.sessions.commits import evidence
from loremap.sessions.commits.evidence import features, may_teach
from loremap.sessions.commits.message import parsed

THRESHOLD = 0.7
LABELS = Path(__file__).parent / "commits.json"


def examples(data: Path) -> list[Example]:
    """Every commit that somebody has read."""
    labels: dict[str, dict[str, str]] = json.loads(LABELS.read_text("utf-8"))
    return [
        one
        for name, said in labels.items()
        for label, ids in said.items()
        for one in _of(data / name.replace("/", "+") / "repo", name, ids.split(), label == "good")
    ]


def _of(root: Path, name: str, short: Sequence[str], is_good: bool) -> list[Example]:
    told = git_says(("rev-parse", *short), at=root)
    ids = (told or b"").decode().split()
    changed = changes_of(root, ids)
    return [
        Example(name, features(message, changed[one.id]), is_good, message.subject)
        for one in read_commits(root, ids)
        if may_teach(message := parsed(one.message)) and one.id in changed
    ]


def main() -> None:
    """Fit, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    of = examples(given.data)
    left_out = weights_without(of)
    beliefs = np.array([left_out[one.project].belief(one.features) for one in of])
    good = np.array([one.taught for one in of])
    print(f"{len(of)} commits, {good.sum()} teach something")
    for bar in (0.4, 0.5, 0.6, 0.65, 0.7, 0.75):
        taken = beliefs >= bar
        share, found = good[taken].mean(), (taken & good).sum() / good.sum()
        print(f"belief >= {bar}: {taken.sum()} taken, precision {share:.3f}, recall {found:.3f}")
    weights = fitted(of)
    for name, value in sorted(weights.of.items(), key=lambda one: -one[1]):
        print(f"  {value:+.2f} {name}")
    if given.write:
        told = {"threshold": THRESHOLD, "bias": weights.bias, "weights": dict(weights.of)}
        path = Path(evidence.__file__).parent / "weights.json"
        path.write_text(json.dumps(told, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
