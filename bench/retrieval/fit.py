"""Fits the gate's weights over several kinds of store: coding notes, conversations and chats.

    python -m bench.retrieval.fit --data FOLDER [--stores 3]

Every store is asked what it can answer and what it cannot: turns of ordinary work, prompts of other
trades, questions to another store. Each kind of store counts the same. Prints the weights of
`retrieval/gate.py`, and what they let through at several bars.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import platformdirs
from numpy.typing import NDArray

from bench.coding.data import coding
from bench.coding.world import world as coding_world
from bench.retrieval import data
from bench.retrieval.embedder import KeptEmbedder
from bench.retrieval.run import KINDS
from bench.retrieval.world import world
from bench.unasked.embedder import ReadyEmbedder
from loremap.embedding.local import LocalEmbedder
from loremap.model.recall import Recall

Numbers = NDArray[np.float64]

RIDGE = 3e-3
NAMES = ("nearest", "known", "said", "covered")
SILENT = (0.90, 0.95, 0.97, 0.98, 0.99)


@dataclass(frozen=True)
class Case:
    """One question: the store it was asked of, whether that can answer, and the evidence."""

    store: str
    sort: str
    answers: bool
    evidence: tuple[float, ...]


def case_of(store: str, sort: str, answer: Recall, *, answers: bool) -> Case | None:
    """What the gate saw; None where nothing was found at all."""
    seen = answer.trace.evidence
    if not seen:
        return None
    logs = (np.log1p(seen["known"]), np.log(seen["said"] + 0.1), np.log(seen["covered"] + 0.05))
    return Case(store, sort, answers, (seen.get("nearest", 0.0), *logs))


def coding_cases(folder: Path, embedder: ReadyEmbedder) -> Iterable[Case | None]:
    """The notes of each repository in a project of its own, and all in one."""
    store = coding(folder)
    texts = [*(one.text for one in store.fit), *store.nofit, *store.generic]
    embedder.prepare([*(note.text for note in store.notes), *texts])
    for apart in (True, False):
        name = "coding" if apart else "coding, one store"
        with coding_world(embedder) as place:
            for repo in store.repos if apart else ("all",):
                place.remember(repo, [one for one in store.notes if repo in (one.repo, "all")])
            projects = store.repos if apart else ("all",)
            for one in store.fit:
                found = place.recall(one.repo if apart else "all", one.text, ranked=True)[1]
                yield case_of(name, "fit", found, answers=True)
            for sort, asked in (("nofit", store.nofit), ("generic", store.generic)):
                for text in asked:
                    for project in projects:
                        found = place.recall(project, text, ranked=True)[1]
                        yield case_of(name, sort, found, answers=False)


def talk_cases(
    name: str, stores: Sequence[data.Store], embedder: KeptEmbedder, turns: Sequence[str],
    issues: Sequence[str],
) -> Iterable[Case | None]:  # fmt: skip
    """Conversations or chats, each asked its own questions and those of the next."""
    for at, store in enumerate(stores):
        other = [one.text for one in stores[(at + 1) % len(stores)].questions if one.gold]
        with world(store, kind=KINDS[name], embedder=embedder) as place:
            for one in store.questions:
                if one.gold:
                    found = place.ask(one.text, "hybrid", limit=10)[1]
                    yield case_of(name, "fit", found, answers=True)
            asked = (("generic", turns), ("nofit", issues), ("another store", other))
            for sort, texts in asked:
                for text in texts:
                    found = place.ask(text, "hybrid", limit=10)[1]
                    yield case_of(name, sort, found, answers=False)


def fitted(cases: Sequence[Case], columns: Sequence[int]) -> Numbers:
    """Weights of some of the evidence and the bias, every store and either answer alike."""
    seen = np.asarray([[one.evidence[at] for at in columns] + [1.0] for one in cases])
    wanted = np.asarray([one.answers for one in cases], np.float64)
    groups = [(one.store, one.answers) for one in cases]
    share = np.asarray([1 / groups.count(group) for group in groups])
    share /= share.sum()
    scale = np.append(seen[:, :-1].std(axis=0), 1.0)
    seen = seen / scale
    weights = np.zeros(seen.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-seen @ weights))
        slope = seen.T @ (share * (chance - wanted)) + RIDGE * weights
        curve = (seen * (share * chance * (1 - chance))[:, None]).T @ seen
        weights -= np.linalg.solve(curve + RIDGE * np.eye(len(weights)), slope)
    found: Numbers = weights / scale
    return found


def report(cases: Sequence[Case], columns: Sequence[int], weights: Numbers) -> None:
    """What bars on the belief let through of each store."""
    belief = np.asarray(
        [[one.evidence[at] for at in columns] + [1.0] for one in cases]
    ) @ weights  # fmt: skip
    sorts = sorted({(one.store, one.sort) for one in cases})
    of = np.asarray([sorts.index((one.store, one.sort)) for one in cases])
    nothing_fits = np.asarray([one.store == "coding" and not one.answers for one in cases])
    for share in SILENT:
        bar = float(np.quantile(belief[nothing_fits], share))
        let = {sorts[at]: 100 * float(np.mean(belief[of == at] >= bar)) for at in set(of.tolist())}
        told = (f"{store}/{sort} {value:.1f}" for (store, sort), value in sorted(let.items()))
        print(f"bar {bar:+.2f}: {', '.join(told)}")


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--stores", type=int, default=3)
    given = parser.parse_args()
    kept = KeptEmbedder(
        LocalEmbedder.load(), Path(platformdirs.user_cache_dir("loremap")) / "bench" / "vectors.db"
    )
    turns = list(coding(given.data).generic)
    issues = [one.text for one in data.foreign_issues(given.data)][::3]
    cases = [*coding_cases(given.data, ReadyEmbedder(kept))]
    for name, stores in (("locomo", data.locomo(given.data)), ("beam", data.beam(given.data))):
        cases += talk_cases(name, stores[: given.stores], kept, turns, issues)
    found = [one for one in cases if one is not None]
    for name, columns in (("with vectors", (0, 1, 2)), ("words alone", (1, 3))):
        weights = fitted(found, columns)
        names = [*(NAMES[at] for at in columns), "bias"]
        print(name, dict(zip(names, np.round(weights, 2).tolist(), strict=True)))
        report(found, columns, weights)


if __name__ == "__main__":
    main()
