"""Runs the graph on onnxruntime and turns its many errors into one of ours."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.onnx_file import Weight
from loremap.embedding.protocol import Vectors
from loremap.errors import ModelFailed

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
"""onnxruntime reads it once, when it is imported: here only, and never before this line."""


class Session:
    """A loaded graph; safe to share between threads."""

    def __init__(
        self, graph: bytes, threads: int, *, weights: Mapping[str, Weight] | None = None
    ) -> None:
        """Load a ready graph, or one of our own with the weights it declares."""
        with _our_error():
            import onnxruntime  # type: ignore[import-untyped]  # it ships no types

            options = onnxruntime.SessionOptions()
            if weights:
                # Our graph is written fused: optimising it at every load gains nothing.
                levels = onnxruntime.GraphOptimizationLevel
                options.graph_optimization_level = levels.ORT_DISABLE_ALL
                given = onnxruntime.OrtValue.ortvalue_from_numpy
                options.add_external_initializers(
                    list(weights), [given(array) for array in weights.values()]
                )
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
            options.enable_cpu_mem_arena = False  # no slower, and memory is given back
            options.log_severity_level = 4
            for pool in ("intra_op", "inter_op"):  # waiting threads must not burn a processor
                options.add_session_config_entry(f"session.{pool}.allow_spinning", "0")
            self._session = onnxruntime.InferenceSession(
                graph, options, providers=["CPUExecutionProvider"]
            )

    def run(self, given: Mapping[str, NDArray[np.int32] | NDArray[np.int64]]) -> Vectors:
        """The graph's one output for its named inputs."""
        with _our_error():
            (output,) = self._session.run(None, given)
        return np.asarray(output, dtype=np.float32)


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
