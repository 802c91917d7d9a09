"""Layouts of any size from a seeded generator, for benchmarks and tests."""

from __future__ import annotations

import numpy as np

from explorer.core.columns import BlockColumns, HeapColumns, Int64, ResourceColumns, WasteColumns, make_columns
from explorer.core.kinds import BlockState, HeapKind, Placement, ResourceKind, WasteCause
from explorer.core.units import MIB
from explorer.sim.snapshot import (
    FrameTimes,
    GroupPicture,
    MovedBytes,
    Provenance,
    SegmentPicture,
    Snapshot,
    Totals,
)

_UNIT = 256
"""All sizes and offsets of these layouts are multiples of this."""


def bench_snapshot(blocks: int, *, heap_bytes: int = 256 * MIB, seed: int = 1) -> Snapshot:
    """Return a paged layout with one block after the other, padding and holes between some.

    Args:
        blocks: Live blocks, > 0.
        heap_bytes: Size of a heap; there are as many as the blocks need, eight at least.
        seed: Of the generator; the same seed gives the same layout.
    """
    rng = np.random.default_rng(seed)
    per_heap = max(1, -(-blocks // 8))
    heaps = -(-blocks // per_heap)
    largest = max(2, heap_bytes // _UNIT // per_heap)
    slot = rng.integers(max(1, largest // 2), largest, blocks, endpoint=True).astype(np.int64) * _UNIT
    heap = (np.arange(blocks) // per_heap).astype(np.int32)
    before = np.cumsum(slot) - slot
    offset = before - before[np.arange(heaps) * per_heap][heap]
    size, waste = _split(slot, rng)
    size_of_heap = np.bincount(heap, slot, heaps).astype(np.int64) + _UNIT * 64
    kind = rng.choice(len(ResourceKind), blocks, p=[0.55, 0.06, 0.03, 0.2, 0.05, 0.02, 0.02, 0.03, 0.04])
    return _snapshot(heap, offset, size, kind.astype(np.uint8), size_of_heap, waste)


def _split(slot: Int64, rng: np.random.Generator) -> tuple[Int64, tuple[Int64, Int64, Int64]]:
    """Return block sizes, and (block, size, cause) of the wasted ranges behind some of them."""
    size = slot.copy()
    draw = rng.random(len(slot))
    wasted = np.flatnonzero((draw < 0.08) & (slot >= 4 * _UNIT))
    hole = (draw > 0.9) & (slot >= 4 * _UNIT)
    size[hole] = slot[hole] // (2 * _UNIT) * _UNIT
    padding = np.maximum(slot[wasted] // (4 * _UNIT), 1) * _UNIT
    size[wasted] -= padding
    return size, (wasted, padding, rng.integers(0, 4, len(wasted)).astype(np.int64))


def _snapshot(heap: np.ndarray, offset: Int64, size: Int64, kind: np.ndarray, heap_sizes: Int64,
              waste: tuple[Int64, Int64, Int64]) -> Snapshot:  # fmt: skip
    count, heaps = len(size), len(heap_sizes)
    block, padding, cause = waste
    used = int(size.sum())
    held = int(heap_sizes.sum())
    by_cause = {one.token: int(padding[cause == one].sum()) for one in WasteCause}
    total = 1 << max(held - 1, 1).bit_length()
    free_in_heaps = held - used - sum(by_cause.values())
    segment = SegmentPicture("LOCAL", "LOCAL", 0, Placement.PAGED, total, used, by_cause, total - held + free_in_heaps,
                             free_in_heaps, total - held)  # fmt: skip
    places = ("DEFAULT",)
    names = tuple(f"Block_{index:07d}" for index in range(count))
    return Snapshot(
        origin="simulated",
        api="d3d12",
        adapter=None,
        adapter_name="Benchmark",
        provenance=Provenance(scenario="bench"),
        time_ns=0,
        segments=(segment,),
        groups=(GroupPicture(0, "LOCAL", total, held, 0),),
        heaps=HeapColumns(
            names=tuple(f"{_LETTERS[index % 26]}-heap {index}" for index in range(heaps)),
            **make_columns(HeapColumns, heaps, {
                "size": heap_sizes, "address": np.cumsum(heap_sizes) - heap_sizes,
                "kind": np.full(heaps, HeapKind.DEFAULT), "alignment": np.full(heaps, 65536),
                "resident": np.ones(heaps, np.bool_)}),
        ),
        blocks=BlockColumns(**make_columns(BlockColumns, count, {
            "heap": heap, "offset": offset, "size": size, "asked": size, "alignment": np.full(count, _UNIT),
            "kind": kind, "state": np.full(count, BlockState.RESIDENT), "resource": np.arange(count)})),
        wastes=WasteColumns(**make_columns(WasteColumns, len(block), {
            "heap": heap[block], "offset": offset[block] + size[block], "size": padding, "cause": cause})),
        resources=ResourceColumns(names=names, records=(None,) * count, dimensions=("BUFFER",), formats=("",),
            places=places, **make_columns(ResourceColumns, count, {
            "kind": kind, "size": size, "asked": size, "width": size, "resident": np.ones(count, np.bool_)})),
        descriptor_heaps=(),
        totals=Totals(count, heaps, count, used, used, 0, used, 0),
        events=(),
        event_counts={},
        moved=MovedBytes(),
        times=FrameTimes(),
    )  # fmt: skip


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Heaps with unlike names, so that each has a lane of its own."""
