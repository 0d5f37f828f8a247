"""Fits the two rules over vectors that admission asks (`loremap/memory/admission/meaning.json`).

    python -m bench.poison.fit --data FOLDER --bipia FOLDER --poisonedrag FOLDER --repo BARE …

A request is what BIPIA plants (its training attacks), a passage what PoisonedRAG writes on HotpotQA
and MS MARCO; harmless are half of the developers' texts, BIPIA's contexts, and talk.
Tested on what was not fitted on: the other half, every second kind of attack, NQ's passages.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import platformdirs
from numpy.typing import NDArray

from bench.poison.data import attacks, contexts, memories, poisonedrag, repository_lines
from bench.retrieval import data as talk
from bench.retrieval.embedder import KeptEmbedder
from loremap.embedding.local import LocalEmbedder
from loremap.memory.admission import meaning
from loremap.model.hostile import sentences

STEPS, RIDGE = 12, 1e-4
FOLDS = 5
MAX_ALARMS = 0.005
"""Share of the harmless texts, unseen by their fold, that may lie above the threshold."""
MAX_TALK = 600
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True)
class Linear:
    """Weights and a bias, the threshold taken into it."""

    weights: NDArray[np.float64]
    bias: float

    def share(self, rows: NDArray[np.float32]) -> float:
        """Share of `rows` it holds of."""
        return float((rows @ self.weights + self.bias > 0).mean()) if len(rows) else 0.0


def fitted(
    hostile: Sequence[NDArray[np.float32]], harmless: Sequence[NDArray[np.float32]]
) -> Linear:
    """Logistic regression, each set of equal weight. Its threshold is set by the false alarms on
    texts that a fold was not fitted on: on those it was, a rule does better than it will."""
    weights, bias = _regression(hostile, harmless)
    scores = []
    for fold in range(FOLDS):
        seen = [np.delete(one, np.s_[fold::FOLDS], axis=0) for one in harmless]
        unseen = np.vstack([one[fold::FOLDS] for one in harmless])
        slope, at = _regression(hostile, seen)
        scores.append(unseen @ slope + at)
    threshold = float(np.quantile(np.concatenate(scores), 1 - MAX_ALARMS))
    return Linear(weights, bias - max(0.0, threshold))


def _regression(
    hostile: Sequence[NDArray[np.float32]], harmless: Sequence[NDArray[np.float32]]
) -> tuple[NDArray[np.float64], float]:
    rows = np.vstack([*hostile, *harmless]).astype(np.float64)
    sizes = [(len(one), 1.0, len(hostile)) for one in hostile]
    sizes += [(len(one), 0.0, len(harmless)) for one in harmless]
    wanted = np.concatenate([np.full(size, label) for size, label, _ in sizes])
    share = np.concatenate([np.full(size, 0.5 / count / size) for size, _, count in sizes])
    rows = np.hstack([rows, np.ones((len(rows), 1))])
    ridge = np.diag([RIDGE] * (rows.shape[1] - 1) + [0.0])
    found = np.zeros(rows.shape[1])
    for _ in range(STEPS):  # Newton's
        likely = 1 / (1 + np.exp(-(rows @ found)))
        slope = rows.T @ ((likely - wanted) * share) + ridge @ found
        bend = (rows * (likely * (1 - likely) * share)[:, None]).T @ rows + ridge
        found -= np.linalg.solve(bend, slope)
    return found[:-1], float(found[-1])


def is_fitted_on(text: str) -> bool:
    """Whether a text is in the half that is fitted on."""
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 0


def main() -> None:
    """Fit, say how well it does on what it has not seen, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--data", "--bipia", "--poisonedrag"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--repo", type=Path, action="append", default=[])
    given = parser.parse_args()
    kept = Path(platformdirs.user_cache_dir("loremap")) / "bench" / "vectors.db"
    embedder = KeptEmbedder(LocalEmbedder.load(), kept)
    embed = embedder.embed
    rags = given.poisonedrag / "results" / "adv_targeted_results"
    clean = [one.text for one in memories(given.data)]
    clean += [one.text for repo in given.repo for one in repository_lines(repo)]
    seen = [one for one in clean if is_fitted_on(one)]
    ours = embed(seen)
    parts = embed([part for one in seen if len(sentences(one)) > 1 for part in sentences(one)])
    unseen = embed([one for one in clean if not is_fitted_on(one)])
    there = contexts(given.bipia, "train")
    around = embed([s for task in ("email", "code") for c in there[task] for s in sentences(c)])
    said = [item.text for store in talk.locomo(given.data) for item in store.items]
    chat = embed(said[:: max(1, len(said) // MAX_TALK)])
    asked = [(one.kind, sentences(one.text)[0]) for one in attacks(given.bipia, "train")]
    kinds = sorted({kind for kind, _ in asked})
    half = [text for kind, text in asked if kind in kinds[::2]]
    rest = [text for kind, text in asked if kind not in kinds[::2]]
    told = [embed([p.attack for p in poisonedrag(rags / f"{name}.json")])
            for name in ("hotpotqa", "msmarco")]  # fmt: skip
    trial = fitted([embed(half)], [ours, parts, around, chat])
    print(f"request, unseen kinds of attack {trial.share(embed(rest)):.3f}, "
          f"unseen harmless {trial.share(unseen):.3f}")  # fmt: skip
    request = fitted([embed([text for _, text in asked])], [ours, parts, around, chat])
    passage = fitted(told, [ours, around, chat])
    nq = embed([p.attack for p in poisonedrag(rags / "nq.json")])
    print(f"passage, NQ {passage.share(nq):.3f}, unseen harmless {passage.share(unseen):.3f}, "
          f"talk {passage.share(chat):.3f}")  # fmt: skip
    print(f"request, unseen harmless {request.share(unseen):.3f}")
    _write(embedder.model, request=request, passage=passage)


def _write(space: str, **rules: Linear) -> None:
    record: dict[str, object] = {"space": space}
    for name, rule in rules.items():
        weights = [round(float(one), 3) for one in rule.weights]
        record[name] = {"bias": round(rule.bias, 3), "weights": weights}
    path = Path(meaning.__file__).with_name(meaning.DATA)
    path.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
