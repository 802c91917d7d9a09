"""Real allocators' answers, offset for offset, where the shared folder is at hand; our own trace always."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.memory.allocators.bench_traces import bench_trace
from explorer.memory.allocators.protocol import OP_FREE, OP_TAKE, Operations
from tests.memory.allocators.variants import CORES, Variant
from tests.shared_folder import SHARED

GOLDEN = Path(__file__).parent / "golden_offsets.json"
FOLDER = None if SHARED is None else SHARED / "reference" / "allocators"
TRACES = [] if FOLDER is None else sorted(FOLDER.glob("*.json"))
ANSWERS = {
    "offset_bins": Variant("offset-bins", {"granule": 256}),
    "vma_tlsf": Variant("tlsf"),
    "vma_tlsf_min_memory": Variant("tlsf", {"strategy": "min-memory"}),
    "vma_tlsf_min_time": Variant("tlsf", {"strategy": "min-time"}),
    "vma_tlsf_min_offset": Variant("first-fit"),
}
BEST_FIT_REFUSALS = {"s2000_85_mix": 1, "s300_97_256": 190, "s500_70_256": 10, "s500_92_mix": 168}
"""As the README beside the traces states them."""


def _operations(trace: dict[str, Any]) -> Operations:
    rows = [(OP_FREE, -1 - row[0], 1, 1) if len(row) == 1 else (OP_TAKE, *row) for row in trace["ops"]]
    table = np.array(rows, dtype=np.int64)
    return Operations(*(np.ascontiguousarray(table[:, column]) for column in range(4)))


needs_traces = pytest.mark.skipif(not TRACES, reason="the shared folder is not here")


@needs_traces
@pytest.mark.parametrize("path", TRACES or [Path("none")], ids=lambda path: path.stem)
def test_that_every_answer_of_a_real_allocator_is_given(path: Path) -> None:
    trace = json.loads(path.read_text())
    operations = _operations(trace)
    takes = operations.op == OP_TAKE
    for name, variant in ANSWERS.items():
        allocator = variant.make(trace["capacity_bytes"], compiled=CORES[-1])
        starts = allocator.replay(operations).starts[takes]
        assert np.array_equal(starts, np.array(trace["answers"][name])), name
        allocator.validate()


@needs_traces
@pytest.mark.parametrize("name", ["offset_bins", "vma_tlsf", "vma_tlsf_min_memory", "vma_tlsf_min_time"])
def test_that_the_plain_references_give_the_answers_too(name: str) -> None:
    trace = json.loads(TRACES[1].read_text())
    operations = _operations(trace)
    starts = ANSWERS[name].make(trace["capacity_bytes"]).replay(operations).starts
    assert np.array_equal(starts[operations.op == OP_TAKE], np.array(trace["answers"][name]))


@needs_traces
def test_that_best_fit_refuses_as_often_as_the_readme_says() -> None:
    for path in TRACES:
        if path.stem in BEST_FIT_REFUSALS:
            trace = json.loads(path.read_text())
            allocator = Variant("best-fit").make(trace["capacity_bytes"], compiled=CORES[-1])
            assert allocator.replay(_operations(trace)).refused == BEST_FIT_REFUSALS[path.stem]


def golden_answers(compiled: bool) -> dict[str, list[int]]:
    """Offsets of a small seeded trace under each allocator (run this module to write the golden file)."""
    trace = bench_trace(40, 60, fill_percent=88, mixed=True, seed=3)
    answers: dict[str, list[int]] = {}
    for variant in [*ANSWERS.values(), *map(Variant, ("best-fit", "worst-fit", "buddy", "linear"))]:
        allocator = variant.make(trace.capacity_bytes, compiled=compiled)
        parts = [allocator.replay(part) for part in (trace.fill, trace.churn)]
        answers[str(variant)] = np.concatenate([part.starts for part in parts]).tolist()
    return answers


@pytest.mark.parametrize("compiled", CORES)
def test_that_our_own_small_trace_is_placed_as_ever(compiled: bool) -> None:
    assert golden_answers(compiled) == json.loads(GOLDEN.read_text())


if __name__ == "__main__":
    lines = [f'  "{name}": {json.dumps(offsets)}' for name, offsets in golden_answers(compiled=False).items()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
