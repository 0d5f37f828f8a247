"""The localisation benchmark: issue text → file to edit, with the product's own ranking.

    python -m bench.code.localisation --data FOLDER --repos FOLDER [--out bench/results]

The data folder holds swebench-lite*.jsonl and swebench-multilingual*.jsonl; the other one a clone
of each repository, named like it, with the commits of the issues. Nothing is checked out. A first
run reads every file version, embeds its symbols and links the best files of each issue; all is kept
in the user's cache.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
import platformdirs
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.code import fit
from bench.code.trees import SETS, Issue, KeptTerms, Read, issues, sources
from bench.retrieval.embedder import KeptEmbedder
from loremap.code.languages import language_of
from loremap.code.locate.asked import SATURATION, Asked, inverse_frequency, length_norm
from loremap.code.locate.index import Floats, Ints, built_index
from loremap.code.locate.name_signals import file_named, named_outright
from loremap.code.locate.neighbours import no_uses
from loremap.code.locate.rank import PARTS, locate, ranked, strength
from loremap.code.locate.similar import file_similarity, task_texts
from loremap.code.locate.task import read_task
from loremap.embedding.local import LocalEmbedder
from loremap.embedding.protocol import Vectors

DEPTHS = (1, 3, 5, 10)
SCRIPT = "TypeScript and JavaScript"
FOLDED = {"c": "C and C++", "cpp": "C and C++", "javascript": SCRIPT, "typescript": SCRIPT,
          "tsx": SCRIPT}  # fmt: skip
"""Languages whose files one repository mixes, so that an issue is of both."""
BARS: tuple[tuple[str, str, str, float], ...] = (
    ("Lite: whole", "blend", "Acc@1", 66.5),
    ("Lite: whole", "blend", "Acc@5", 88.2),
    ("Lite: whole", "blend", "Acc@10", 91.9),
    ("Multilingual: whole", "blend", "Acc@1", 60.0),
    ("Multilingual: whole", "blend", "Acc@5", 85.0),
    ("Multilingual: whole", "blend", "Acc@10", 90.0),
    ("Multilingual: whole", "blend, all gold files", "Acc@10", 82.0),
    ("Multilingual: by language", SCRIPT, "Acc@5", 75.0),
)
"""Table, row, figure, and what it must reach."""
ABOUT = """written by `bench.code.localisation`. A right file is a source file that the fix edited;
a table counts an issue by the best ranked of them, unless it says all. `words and named paths` is
BM25 over whole files."""
NAMES = tuple(part.name for part in PARTS)
WEIGHTS = np.array([part.weight for part in PARTS])
SIMILAR = NAMES.index("similar_symbols")
ADDED_IN_TURN = (
    "best_passage", "best_for_title", "names_of_title", "words_of_path", "rare_words",
    "identifiers_said", "file_named", "messages_quoted", "similar_symbols",
)  # fmt: skip
"""The order in which the picture adds the signals: words, names, places, texts, vectors."""
LINKED_FILES = 5
"""Of how many of an issue's best files the uses are looked up, with and without vectors."""


@dataclass(frozen=True, eq=False)
class Measured:
    """One issue, asked: what a plain search says, what each signal says, and the time it took."""

    issue: Issue
    language: str
    case: fit.Case
    standing: Floats
    outright: Ints
    uses: Mapping[int, Sequence[int]]
    half: Floats
    """The strength of likeness where every other file, drawn at random, has no vectors yet."""
    plain: Floats
    build_ms: float
    locate_ms: float


@dataclass(frozen=True)
class Way:
    """What of the ranking is used; the product uses all."""

    standing: bool = True
    graph: bool = True
    outright: bool = True
    half_vectors: bool = False


PRODUCT = Way()


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


def measured(
    issue: Issue, *, clone: Path, kept: KeptTerms, vectors: SymbolVectors | None
) -> Measured | None:
    """One issue asked of the tree it was reported on; None where its fix edited no source there."""
    blobs = sources(clone, issue.commit)
    files = [(blob.path, kept.of(blob)) for blob in blobs]
    start = perf_counter()
    index = built_index((path, one.terms) for path, one in files)
    built = perf_counter()
    locate(index, issue.text)
    located = perf_counter()
    places = {path: at for at, path in enumerate(index.paths)}
    gold = tuple(places[path] for path in issue.gold if path in places)
    if not gold:
        return None
    asked = Asked(index, read_task(issue.text), _similar(issue, files, vectors))
    strengths = np.stack([strength(part, asked) for part in PARTS], axis=1)
    return Measured(
        issue=issue,
        language=_language(index.paths),
        case=fit.Case(f"{issue.set}: {issue.repository}", strengths, gold),
        standing=index.standing,
        outright=named_outright(asked),
        uses=_uses(issue, places, _best(strengths, index.standing), clone=clone, kept=kept),
        half=_half_known(asked),
        plain=plain_search(asked),
        build_ms=1e3 * (built - start),
        locate_ms=1e3 * (located - built),
    )


def _similar(
    issue: Issue, files: Sequence[tuple[str, Read]], vectors: SymbolVectors | None
) -> Floats | None:
    if vectors is None:
        return None
    owners = np.repeat(np.arange(len(files), dtype=np.int32), [len(one.texts) for _, one in files])
    return file_similarity(
        vectors.of([text for _, one in files for text in one.texts]),
        owners,
        vectors.of(task_texts(issue.text)),
        file_count=len(files),
    )


def _half_known(asked: Asked) -> Floats:
    """The strength of likeness if half of the files had vectors."""
    if asked.similar is None:
        return np.zeros(len(asked.index))
    known = np.random.default_rng(0).permutation(len(asked.index)) % 2 == 0
    partly = Asked(asked.index, asked.task, np.where(known, asked.similar, np.nan))
    return strength(PARTS[SIMILAR], partly)


def _language(paths: Sequence[str]) -> str:
    """The language of most files."""
    found = Counter(language_of(path) or "" for path in paths)
    folded: Counter[str] = Counter()
    for language, count in found.items():
        folded[FOLDED.get(language, language.capitalize())] += count
    return folded.most_common(1)[0][0]


def _best(strengths: Floats, standing: Floats) -> list[int]:
    """The files that may be among the best, with and without vectors."""
    ways = (WEIGHTS, chosen([name for name in NAMES if name != NAMES[SIMILAR]]))
    order = [np.argsort(-(strengths @ weights) * standing, kind="stable") for weights in ways]
    return sorted({int(at) for one in order for at in one[:LINKED_FILES]})


def _uses(
    issue: Issue, places: Mapping[str, int], best: Sequence[int], *, clone: Path, kept: KeptTerms
) -> dict[int, list[int]]:
    paths = list(places)
    found = kept.uses(clone, issue.commit, [paths[at] for at in best])
    return {
        places[path]: [places[one] for one in used if one in places] for path, used in found.items()
    }


def plain_search(asked: Asked) -> Floats:
    """The baseline: BM25 over the words of whole files, and a bonus for a path that is named."""
    counts = asked.file_counts
    telling = inverse_frequency(np.count_nonzero(counts, axis=0), len(counts))
    norm = length_norm(asked.index.file_lengths)[:, None]
    words: Floats = (counts * (SATURATION + 1) / (counts + norm)) @ telling
    words /= words.max(initial=1e-9)
    return words + np.minimum(file_named(asked), 1.0)


def ranks(
    results: Sequence[Measured], weights: Floats | Sequence[Floats], way: Way = PRODUCT
) -> list[list[int]]:
    """The ranks of each issue's right files under some weights of the signals, or of each issue."""
    given = [weights] * len(results) if isinstance(weights, np.ndarray) else weights
    return [_ranks(one, each, way) for one, each in zip(results, given, strict=True)]


def _ranks(one: Measured, weights: Floats, way: Way) -> list[int]:
    """Ranks as the product's own `ranked` orders the files."""
    strengths = one.case.strengths
    if way.half_vectors:
        strengths = strengths.copy()
        strengths[:, SIMILAR] = one.half
    scores, _ = ranked(
        strengths @ weights * (one.standing if way.standing else 1.0),
        (lambda at: one.uses.get(at, ())) if way.graph else no_uses,
        one.outright if way.outright else one.outright[:0],
    )
    return [fit.rank(scores, gold) for gold in one.case.gold]


def accuracy(found: Sequence[int]) -> dict[str, float]:
    """Share of right files among the first k, and the mean reciprocal rank, in percent."""
    at = np.array(found)
    figures = {f"Acc@{depth}": 100 * float((at < depth).mean()) for depth in DEPTHS}
    return {**figures, "MRR": 100 * float((1 / (at + 1)).mean())}


def any_gold(found: Sequence[Sequence[int]]) -> dict[str, float]:
    """The figures by the best of each issue's right files."""
    return accuracy([min(one) for one in found])


def all_gold(found: Sequence[Sequence[int]]) -> dict[str, float]:
    """The figures by the last of each issue's right files."""
    return accuracy([max(one) for one in found])


def chosen(names: Sequence[str]) -> Floats:
    """The blend's weights of these signals, the others without weight."""
    return np.where(np.isin(NAMES, names), WEIGHTS, 0.0)


Tables = dict[str, dict[str, dict[str, float]]]


def sections(results: Sequence[Measured]) -> Tables:
    """Every table of both sets: title → row → figures."""
    cases = [replace(one.case, strengths=one.case.strengths * one.standing[:, None])
             for one in results]  # fmt: skip
    unseen = fit.unseen_weights(cases, fit.by_group(cases))
    tables: Tables = {}
    for name in SETS:
        at = [place for place, one in enumerate(results) if one.issue.set == name]
        if at:
            some = [results[place] for place in at]
            found = {
                "whole": _whole(some, [unseen[place] for place in at]),
                **_signals(some),
                **_parts(some),
            }
            tables |= {f"{name}: {title}": rows for title, rows in found.items()}
    return tables


def _whole(results: Sequence[Measured], unseen: Sequence[Floats]) -> dict[str, dict[str, float]]:
    plain = [[fit.rank(one.plain, gold) for gold in one.case.gold] for one in results]
    blend = ranks(results, WEIGHTS)
    vectorless = chosen([name for name in NAMES if name != NAMES[SIMILAR]])
    return {
        "words and named paths": any_gold(plain),
        "words and named paths, all gold files": all_gold(plain),
        "blend": any_gold(blend),
        "blend, all gold files": all_gold(blend),
        "blend without vectors": any_gold(ranks(results, vectorless)),
        "vectors for half of the files": any_gold(ranks(results, WEIGHTS, Way(half_vectors=True))),
        "without the graph": any_gold(ranks(results, WEIGHTS, Way(graph=False))),
        "without the graph, all gold files": all_gold(ranks(results, WEIGHTS, Way(graph=False))),
        "without named files first": any_gold(ranks(results, WEIGHTS, Way(outright=False))),
        "without standing": any_gold(ranks(results, WEIGHTS, Way(standing=False))),
        "weights fitted on other repositories": any_gold(ranks(results, unseen)),
    }


def _signals(results: Sequence[Measured]) -> Tables:
    alone = Way(graph=False, outright=False)
    return {
        "alone": {name: any_gold(ranks(results, chosen([name]), alone)) for name in NAMES},
        "added in turn": {
            f"+ {name}": any_gold(ranks(results, chosen(ADDED_IN_TURN[: at + 1]), alone))
            for at, name in enumerate(ADDED_IN_TURN)
        },
        "left out": {
            f"- {name}": any_gold(ranks(results, chosen([one for one in NAMES if one != name])))
            for name in NAMES
        },
    }


def _parts(results: Sequence[Measured]) -> Tables:
    blend = ranks(results, WEIGHTS)
    groups: dict[str, dict[str, list[int]]] = {"by repository": {}, "by language": {}}
    for at, one in enumerate(results):
        groups["by repository"].setdefault(one.issue.repository, []).append(at)
        groups["by language"].setdefault(one.language, []).append(at)
    halves = zip(("even", "odd"), fit.halves(len(results)), strict=True)
    return {
        title: {
            f"{name} ({len(places)})": any_gold([blend[at] for at in places])
            for name, places in sorted(parts.items())
        }
        for title, parts in {**groups, "by half": dict(halves)}.items()
    }


def plot(tables: Tables, file: Path) -> None:
    """What each signal adds in turn, and what is lost without it, for each set."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = [name for name in SETS if f"{name}: whole" in tables]
    figure, axes = plt.subplots(len(names), 2, figsize=(13, 6 * len(names)), squeeze=False)
    for (turn_axis, left_axis), name in zip(axes, names, strict=True):
        turn = tables[f"{name}: added in turn"]
        for depth in DEPTHS:
            values = [row[f"Acc@{depth}"] for row in turn.values()]
            turn_axis.plot(list(turn), values, marker="o", label=f"Acc@{depth}")
        turn_axis.set_title(f"{name}: signals added in turn")
        turn_axis.tick_params(axis="x", rotation=70)
        turn_axis.legend()
        rows, whole = tables[f"{name}: left out"], tables[f"{name}: whole"]["blend"]["MRR"]
        left_axis.barh(list(rows)[::-1], [row["MRR"] - whole for row in rows.values()][::-1])
        left_axis.set_title(f"{name}: change of MRR without a signal")
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def report(results: Sequence[Measured], out: Path, *, left_out: Sequence[str]) -> int:
    """Print and write the tables and the plot; 1 where a bar is missed."""
    tables, console = sections(results), Console()
    page = [f"# Localisation\n\n{len(results)} issues; {ABOUT}\n"]
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
    missed = bars_missed(tables)
    page += [f"Times: {times}.", f"Fitted weights: {proposed}.",
             f"Left out, for their fix edited no source file: {', '.join(left_out) or 'none'}.",
             f"Bars missed: {', '.join(missed) or 'none'}."]  # fmt: skip
    console.print("\n".join(page[-4:]))
    out.mkdir(parents=True, exist_ok=True)
    (out / "localisation.md").write_text("\n".join(page) + "\n", "utf-8")
    (out / "localisation.json").write_text(
        json.dumps(
            {"tables": tables, "times": times, "fitted": proposed, "bars missed": missed}, indent=1
        )
        + "\n",
        "utf-8",
    )
    plot(tables, out / "localisation.png")
    return 1 if missed else 0


def bars_missed(tables: Tables) -> list[str]:
    """The bars that are not reached, in words, of the sets that were measured."""
    return [
        f"{title}, {row}: {name} {figures[name]:.1f} < {bar}"
        for title, row, name, bar in BARS
        for shown, figures in tables.get(title, {}).items()
        if (shown == row or shown.startswith(f"{row} (")) and figures[name] < bar
    ]


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("bench/results"))
    parser.add_argument("--words-only", action="store_true", help="embed nothing")
    parser.add_argument(
        "--kept", type=Path, default=Path(platformdirs.user_cache_dir("loremap")) / "bench"
    )
    given = parser.parse_args()
    kept = KeptTerms(given.kept / "code-terms.db")
    embedder = None if given.words_only else LocalEmbedder.load()
    vectors = embedder and SymbolVectors(KeptEmbedder(embedder, given.kept / "code-vectors.db"))
    asked = issues(given.data)
    for repository in track(sorted({one.repository for one in asked}), "reading"):
        clone = given.repos / repository
        commits = {one.commit for one in asked if one.repository == repository}
        kept.read(clone, (blob for commit in sorted(commits) for blob in sources(clone, commit)))
    found = {
        one: measured(one, clone=given.repos / one.repository, kept=kept, vectors=vectors)
        for one in track(asked, "asking")
    }
    results = [one for one in found.values() if one is not None]
    left_out = [issue.name for issue, one in found.items() if one is None]
    return report(results, given.out, left_out=left_out)


if __name__ == "__main__":
    sys.exit(main())
