"""The localisation benchmark: issue text → file to edit, with the product's own ranking.

    python -m bench.code.localisation --data FOLDER --repos FOLDER [--out bench/results]

The data folder holds swebench-lite*.jsonl; the other one a clone of each repository, named like it,
with the commits of the issues. Nothing is checked out. A first run reads every file version and
embeds its symbols; both are kept in the user's cache.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
import platformdirs
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.code import fit
from bench.code.trees import Issue, KeptTerms, issues, sources
from bench.retrieval.embedder import KeptEmbedder
from loremap.embedding.local import LocalEmbedder
from loremap.embedding.protocol import Vectors
from loremap.retrieval.locate.asked import SATURATION, Asked, inverse_frequency, length_norm
from loremap.retrieval.locate.index import Floats, built_index
from loremap.retrieval.locate.name_signals import file_named
from loremap.retrieval.locate.rank import PARTS, locate, strength
from loremap.retrieval.locate.similar import file_similarity, task_texts
from loremap.retrieval.locate.task import read_task

DEPTHS = (1, 3, 5, 10)
BARS = {1: 57.0, 5: 80.0, 10: 87.0}
NAMES = tuple(part.name for part in PARTS)
WEIGHTS = np.array([part.weight for part in PARTS])
ADDED_IN_TURN = (
    "best_passage", "best_for_title", "names_of_title", "words_of_path", "rare_words",
    "identifiers_said", "file_named", "messages_quoted", "similar_symbols",
)  # fmt: skip
"""The order in which the picture adds the signals: words, names, places, texts, vectors."""


@dataclass(frozen=True, eq=False)
class Measured:
    """One issue, asked: what a plain search says, what each signal says, and the time it took."""

    case: fit.Case
    plain: Floats
    build_ms: float
    locate_ms: float


class SymbolVectors:
    """The vectors of symbols' texts, each embedded once."""

    def __init__(self, embedder: KeptEmbedder) -> None:
        self._embedder = embedder
        self._known: dict[str, int] = {}
        self._rows = np.zeros((0, embedder.dim), np.float32)

    def of(self, texts: Sequence[str]) -> Vectors:
        """One row per text."""
        fresh = list(dict.fromkeys(text for text in texts if text not in self._known))
        if fresh:
            self._known.update({text: len(self._rows) + at for at, text in enumerate(fresh)})
            self._rows = np.concatenate([self._rows, self._embedder.embed(fresh)])
        return self._rows[[self._known[text] for text in texts]]


def measured(issue: Issue, *, clone: Path, kept: KeptTerms, vectors: SymbolVectors) -> Measured:
    """One issue asked of the tree it was reported on."""
    blobs = sources(clone, issue.commit)
    files = [(blob.path, kept.of(blob)) for blob in blobs]
    start = perf_counter()
    index = built_index((path, one.terms) for path, one in files)
    built = perf_counter()
    locate(index, issue.text)
    located = perf_counter()
    owners = np.repeat(np.arange(len(files), dtype=np.int32), [len(one.texts) for _, one in files])
    similar = file_similarity(
        vectors.of([text for _, one in files for text in one.texts]),
        owners,
        vectors.of(task_texts(issue.text)),
        file_count=len(files),
    )
    asked = Asked(index, read_task(issue.text), similar)
    return Measured(
        case=fit.Case(
            group=issue.repository,
            strengths=np.stack([strength(part, asked) for part in PARTS], axis=1),
            gold=index.paths.index(issue.gold[0]),
        ),
        plain=plain_search(asked),
        build_ms=1e3 * (built - start),
        locate_ms=1e3 * (located - built),
    )


def plain_search(asked: Asked) -> Floats:
    """The baseline: BM25 over the words of whole files, and a bonus for a path that is named."""
    counts = asked.file_counts
    telling = inverse_frequency(np.count_nonzero(counts, axis=0), len(counts))
    norm = length_norm(asked.index.file_lengths)[:, None]
    words: Floats = (counts * (SATURATION + 1) / (counts + norm)) @ telling
    words /= words.max(initial=1e-9)
    return words + np.minimum(file_named(asked), 1.0)


def ranks(results: Sequence[Measured], weights: Floats) -> list[int]:
    """The rank of each right file under some weights of the signals."""
    return [fit.rank(one.case.strengths @ weights, one.case.gold) for one in results]


def accuracy(found: Sequence[int]) -> dict[str, float]:
    """Share of right files among the first k, and the mean reciprocal rank, in percent."""
    at = np.array(found)
    figures = {f"Acc@{depth}": 100 * float((at < depth).mean()) for depth in DEPTHS}
    return {**figures, "MRR": 100 * float((1 / (at + 1)).mean())}


def chosen(names: Sequence[str]) -> Floats:
    """The blend's weights of these signals, the others without weight."""
    return np.where(np.isin(NAMES, names), WEIGHTS, 0.0)


def sections(results: Sequence[Measured]) -> dict[str, dict[str, dict[str, float]]]:
    """Every table: title → row → figures."""
    cases = [one.case for one in results]
    plain = [fit.rank(one.plain, one.case.gold) for one in results]
    blend = ranks(results, WEIGHTS)
    vectorless = ranks(results, chosen([name for name in NAMES if name != "similar_symbols"]))
    return {
        "Whole": {
            "words and named paths": accuracy(plain),
            "blend": accuracy(blend),
            "blend without vectors": accuracy(vectorless),
            "weights fitted on other issues": accuracy(
                fit.unseen_ranks(cases, fit.by_chance(len(cases), 8))
            ),
            "weights fitted on other repositories": accuracy(
                fit.unseen_ranks(cases, fit.by_group(cases))
            ),
        },
        "Alone": {name: accuracy(ranks(results, chosen([name]))) for name in NAMES},
        "Added in turn": {
            f"+ {name}": accuracy(ranks(results, chosen(ADDED_IN_TURN[: at + 1])))
            for at, name in enumerate(ADDED_IN_TURN)
        },
        "Left out": {
            f"- {name}": accuracy(ranks(results, chosen([one for one in NAMES if one != name])))
            for name in NAMES
        },
        "By repository": {
            f"{cases[fold[0]].group} ({len(fold)})": accuracy([blend[at] for at in fold])
            for fold in fit.by_group(cases)
        },
        "By half": {
            half: accuracy([blend[at] for at in fold])
            for half, fold in zip(("even", "odd"), fit.halves(len(cases)), strict=True)
        },
    }


def plot(tables: dict[str, dict[str, dict[str, float]]], file: Path) -> None:
    """What each signal adds, alone and in turn, and what is lost without it."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(17, 6), sharey=False)
    turn = tables["Added in turn"]
    for depth in DEPTHS:
        values = [row[f"Acc@{depth}"] for row in turn.values()]
        axes[0].plot(list(turn), values, marker="o", label=f"Acc@{depth}")
        if depth in BARS:
            axes[0].axhline(BARS[depth], linestyle=":", linewidth=0.8, color="grey")
    axes[0].set_title("Signals added in turn (dotted: the bars)")
    axes[0].tick_params(axis="x", rotation=70)
    axes[0].legend()
    for axis, title in ((axes[1], "Alone"), (axes[2], "Left out")):
        rows = tables[title]
        whole = tables["Whole"]["blend"]["MRR"]
        values = [row["MRR"] - (whole if title == "Left out" else 0) for row in rows.values()]
        axis.barh(list(rows)[::-1], values[::-1])
        axis.set_title(f"{title}: {'change of ' if title == 'Left out' else ''}MRR")
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def report(results: Sequence[Measured], out: Path) -> int:
    """Print and write the tables and the plot; 1 where a bar is missed."""
    tables, console = sections(results), Console()
    page = ["# Localisation\n", f"{len(results)} issues; written by `bench.code.localisation`.\n"]
    for title, rows in tables.items():
        columns = list(next(iter(rows.values())))
        shown = Table(title, *columns)
        page += [f"| {title} | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
        for name, figures in rows.items():
            cells = [f"{figures[column]:.1f}" for column in columns]
            shown.add_row(name, *cells)
            page.append(f"| {name} | {' | '.join(cells)} |")
        page.append("")
        console.print(shown)
    times = {
        name: [round(float(np.percentile(values, share)), 1) for share in (50, 95)]
        for name, values in (("locate ms p50, p95", [one.locate_ms for one in results]),
                             ("index ms p50, p95", [one.build_ms for one in results]))
    }  # fmt: skip
    weights = fit.fitted([one.case for one in results])
    proposed = {name: round(float(w), 2) for name, w in zip(NAMES, weights, strict=True)}
    missed = bars_missed(tables["Whole"]["blend"])
    page += [f"Times: {times}.", f"Fitted weights: {proposed}.",
             f"Bars missed: {', '.join(missed) or 'none'}."]  # fmt: skip
    console.print("\n".join(page[-3:]))
    out.mkdir(parents=True, exist_ok=True)
    (out / "localisation.md").write_text("\n".join(page) + "\n", "utf-8")
    (out / "localisation.json").write_text(
        json.dumps({"tables": tables, "times": times, "fitted": proposed}, indent=1) + "\n", "utf-8"
    )
    plot(tables, out / "localisation.png")
    return 1 if missed else 0


def bars_missed(figures: dict[str, float]) -> list[str]:
    """The bars that are not reached, in words."""
    return [
        f"Acc@{depth} {figures[f'Acc@{depth}']:.1f} < {bar}"
        for depth, bar in BARS.items()
        if figures[f"Acc@{depth}"] < bar
    ]


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("bench/results"))
    parser.add_argument(
        "--kept", type=Path, default=Path(platformdirs.user_cache_dir("loremap")) / "bench"
    )
    given = parser.parse_args()
    kept = KeptTerms(given.kept / "code-terms.db")
    vectors = SymbolVectors(KeptEmbedder(LocalEmbedder.load(), given.kept / "code-vectors.db"))
    asked = issues(given.data)
    for repository in track(sorted({one.repository for one in asked}), "reading"):
        clone = given.repos / repository
        commits = {one.commit for one in asked if one.repository == repository}
        kept.read(clone, (blob for commit in sorted(commits) for blob in sources(clone, commit)))
    results = [
        measured(one, clone=given.repos / one.repository, kept=kept, vectors=vectors)
        for one in track(asked, "asking")
    ]
    return report(results, given.out)


if __name__ == "__main__":
    sys.exit(main())
