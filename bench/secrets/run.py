"""Measures redaction on gitleaks' own rule cases: `python -m bench.secrets.run --data FOLDER`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.secrets.cases import Case, cases

from loremap.safety.redaction import PERSONAL, redacted

BASELINE = "detect-secrets 1.5 on such lines: precision .665, recall .453"


@dataclass(frozen=True, slots=True)
class Score:
    """How many cases were told right and wrong."""

    hits: int
    misses: int
    false_alarms: int
    quiet: int

    @property
    def precision(self) -> float:
        """Share of alarms that were right."""
        return self.hits / max(1, self.hits + self.false_alarms)

    @property
    def recall(self) -> float:
        """Share of secrets that raised an alarm."""
        return self.hits / max(1, self.hits + self.misses)


def alarm(text: str) -> bool:
    """Whether redaction takes a secret out of `text`; personal data is no secret here."""
    return any(finding.type not in PERSONAL for finding in redacted(text).findings)


def score(told: Iterable[tuple[Case, bool]]) -> Score:
    """The score of pairs of case and alarm."""
    pairs = [(case.secret, raised) for case, raised in told]
    return Score(
        hits=pairs.count((True, True)),
        misses=pairs.count((True, False)),
        false_alarms=pairs.count((False, True)),
        quiet=pairs.count((False, False)),
    )


def lines(told: list[tuple[Case, bool]], *, took_ms: float) -> Iterator[str]:
    """The report: the figures as labelled, and without values that gitleaks exempts by name."""
    literal = [pair for pair in told if not pair[0].generated]
    for title, pairs in (
        ("as labelled", literal),
        ("without values exempt by name", [pair for pair in literal if not pair[0].exempt]),
        ("with those that the rules generate", told),
    ):
        result = score(pairs)
        yield f"{title}: {len(pairs)} cases, {result.hits + result.misses} secret"
        yield f"  precision {result.precision:.3f}  ({result.false_alarms} false alarms)"
        yield f"  recall    {result.recall:.3f}  ({result.misses} missed)"
    yield f"{took_ms / len(told):.2f} ms per case"
    rules = {case.file for case, _ in told}
    silent = {case.file for case, raised in told if case.secret and not raised}
    yield f"{len(rules)} rule files, {len(silent)} of them with a secret that was missed"
    yield BASELINE


def main() -> None:
    """Print precision and recall, and on request which cases were told wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a checkout of gitleaks")
    parser.add_argument("--files", default="0-z", help="only files that begin with these letters")
    parser.add_argument("--wrong", action="store_true", help="list the cases told wrong")
    options = parser.parse_args()
    first, _, last = options.files.partition("-")
    found = [case for case in cases(options.data) if first <= case.file[0] <= last]
    if not found:
        parser.error(f"no rules/*.go with cases under {options.data}")
    began = time.perf_counter()
    told = [(case, alarm(case.text)) for case in found]
    took_ms = (time.perf_counter() - began) * 1000
    print("\n".join(lines(told, took_ms=took_ms)))
    if options.wrong:
        for case, raised in told:
            if raised != case.secret:
                print(f"{'missed' if case.secret else 'alarm '} {case.file}: {case.text!r}")


if __name__ == "__main__":
    main()
