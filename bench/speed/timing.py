"""Times of many runs, as a table and as a file."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import numpy as np

T = TypeVar("T")
RESULTS = Path(__file__).parents[1] / "results"


@dataclass(slots=True)
class Times:
    """How long each run of one thing took."""

    name: str
    runs_ms: list[float] = field(default_factory=list)
    processor_ms: list[float] = field(default_factory=list)
    """The same without what other processes took away; threads of this one add up."""

    def run(self, work: Callable[[], T]) -> T:
        """Run `work` and note how long it took; what came of it."""
        worked, started = time.process_time_ns(), time.perf_counter_ns()
        came = work()
        self.runs_ms.append((time.perf_counter_ns() - started) / 1e6)
        self.processor_ms.append((time.process_time_ns() - worked) / 1e6)
        return came

    @property
    def median_ms(self) -> float:
        """Half of the runs were faster."""
        return float(np.median(self.runs_ms))

    @property
    def p95_ms(self) -> float:
        """Nineteen of twenty runs were faster."""
        return float(np.percentile(self.runs_ms, 95))

    @property
    def processor_median_ms(self) -> float:
        """Half of the runs took less of the processors."""
        return float(np.median(self.processor_ms))

    def figures(self) -> dict[str, float | int]:
        """The figures that are kept."""
        return {
            "runs": len(self.runs_ms),
            "median_ms": round(self.median_ms, 3),
            "p95_ms": round(self.p95_ms, 3),
            "processor_median_ms": round(self.processor_median_ms, 3),
        }


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure and the most it may be."""

    name: str
    value: float
    most: float

    @property
    def met(self) -> bool:
        """Whether the figure is within its bar."""
        return self.value <= self.most


def table(title: str, times: Sequence[Times], bars: Sequence[Bar]) -> str:
    """The figures, for a person."""
    lines = [title, f"  {'':28}{'median ms':>11}{'p95 ms':>10}{'processor ms':>14}"]
    lines += [
        f"  {each.name:28}{each.median_ms:11.2f}{each.p95_ms:10.2f}{each.processor_median_ms:14.2f}"
        for each in times
    ]
    lines += [
        f"  {bar.name}: {bar.value:.2f}, at most {bar.most:g}: {'met' if bar.met else 'MISSED'}"
        for bar in bars
    ]
    return "\n".join(lines)


def written(name: str, measured: Mapping[str, object], *, folder: Path = RESULTS) -> Path:
    """Write what was measured to `speed-NAME.json` in the folder of results."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"speed-{name}.json"
    about = {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}",
    }
    path.write_text(json.dumps(about | dict(measured), indent=2) + "\n", encoding="utf-8")
    return path


def summed(times: Sequence[Times], bars: Sequence[Bar]) -> dict[str, object]:
    """One measurement as data."""
    return {
        "times": {each.name: each.figures() for each in times},
        "bars": {
            bar.name: {"value": round(bar.value, 3), "most": bar.most, "met": bar.met}
            for bar in bars
        },
    }
