"""Runs the graph on onnxruntime and turns its many errors into one of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.bert import INPUT_IDS, INPUT_MASK, OUTPUT
from loremap.embedding.protocol import Vectors
from loremap.errors import ModelFailed


class Session:
    """A loaded graph; safe to share between threads."""

    def __init__(self, graph: Path, threads: int) -> None:
        with _our_error():
            import onnxruntime  # type: ignore[import-untyped]  # it ships no types

            options = onnxruntime.SessionOptions()
            # The graph is written fused already: optimising it at every load gains nothing.
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
            options.enable_cpu_mem_arena = False  # no slower, and memory is given back
            options.log_severity_level = 4
            for pool in ("intra_op", "inter_op"):  # waiting threads must not burn a processor
                options.add_session_config_entry(f"session.{pool}.allow_spinning", "0")
            self._session = onnxruntime.InferenceSession(
                str(graph), options, providers=["CPUExecutionProvider"]
            )

    def run(self, ids: NDArray[np.int32], mask: NDArray[np.int32]) -> Vectors:
        """One unit row per row of token ids."""
        with _our_error():
            (vectors,) = self._session.run([OUTPUT], {INPUT_IDS: ids, INPUT_MASK: mask})
        return np.asarray(vectors, dtype=np.float32)


@contextmanager
def _our_error() -> Iterator[None]:
    try:
        from onnxruntime.capi import (  # type: ignore[import-untyped]  # it ships no types
            onnxruntime_pybind11_state as state,
        )
    except ImportError as error:  # a system library is missing, as on a bare Windows
        raise ModelFailed(
            f"onnxruntime cannot be loaded ({error}).", hint="Install onnxruntime again."
        ) from error
    try:
        yield
    except (
        state.EPFail,
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NoSuchFile,
        state.NotImplemented,
        state.RuntimeException,
    ) as error:
        raise ModelFailed(
            f"onnxruntime cannot run the model ({' '.join(str(error).split())[:200]}).",
            hint="Install onnxruntime again, or choose another embedder.",
        ) from error
