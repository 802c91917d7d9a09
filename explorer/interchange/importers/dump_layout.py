"""From the pools of a dump to a snapshot: columns built at once, nothing kept for each row."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer import __version__
from explorer.core.columns import (
    BlockColumns,
    HeapColumns,
    Int32,
    Int64,
    ResourceColumns,
    WasteColumns,
    make_columns,
)
from explorer.core.kinds import BlockState, HeapKind, Placement, WasteCause
from explorer.errors import InputError
from explorer.interchange.importers.dump_model import FREE, Budget, Range
from explorer.interchange.layout_totals import gap_counts, heap_layouts, place_ranges
from explorer.sim.snapshot import (
    FrameTimes,
    GroupPicture,
    MovedBytes,
    Provenance,
    SegmentPicture,
    Snapshot,
    Totals,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.core.columns import Bools, Bytes8
    from explorer.interchange.importers.source import Source
    from explorer.interchange.opened import HeapLayout

    KindOf = Callable[[Bools, Bools, Int64, Bytes8], Bytes8]

_ROWS_AT_ONCE = 4096
MAX_TOTAL_BYTES = 1 << 62
"""Sizes of a file may not add up to more: sums and map addresses are signed 64 bit."""


@dataclass(slots=True)
class DumpSegment:
    """A memory heap that the dump names.

    Attributes:
        name: Its name there.
        group: ``LOCAL``, ``NON_LOCAL``, or empty for memory that is no GPU's.
        size: Bytes; 0 where not stated.
        budget: What the dump says of its budget.
    """

    name: str
    group: str
    size: int = 0
    budget: Budget | None = None


@dataclass(slots=True)
class DumpBlock:
    """A block of memory, or (``is_dedicated``) the memory of one allocation.

    Attributes:
        name: Name.
        segment: Index of its memory heap.
        place: Memory type or heap type, in the dump's words.
        kind: Heap type.
        flags: D3D12_HEAP_FLAGS.
        size: Bytes.
        ranges: Used and free ranges.
        where: Key path.
        is_dedicated: Whether it is the memory of one allocation.
    """

    name: str
    segment: int
    place: str
    kind: HeapKind
    flags: int
    size: int
    ranges: list[Range]
    where: str
    is_dedicated: bool = False


@dataclass(slots=True)
class DumpLayout:
    """All that a dump holds, ready for columns.

    Attributes:
        api: ``vulkan``, ``d3d12`` or empty.
        adapter_name: What the dump says of its adapter.
        format_id: Format id.
        segments: Memory heaps.
        blocks: Blocks, in the dump's order.
        kind_of: From which are buffers, which are textures, usage flags and heap kinds to resource kinds.
        name_of: The name of an allocation, where it is not simply its name.
        has_frames: Whether the dump tells frames of creation and use.
    """

    api: str
    adapter_name: str
    format_id: str
    kind_of: KindOf
    segments: list[DumpSegment] = field(default_factory=list[DumpSegment])
    blocks: list[DumpBlock] = field(default_factory=list[DumpBlock])
    name_of: Callable[[Range], str] | None = None
    has_frames: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """All ranges of all blocks as columns; ``heap`` is the index of the block, ``names`` are those of used ranges."""

    heap: Int32
    offset: Int64
    size: Int64
    usage: Int64
    names: list[str]
    used: npt.NDArray[np.bool_]
    words: tuple[str, ...]
    word: npt.NDArray[np.int16]


def build_snapshot(layout: DumpLayout, source: Source) -> tuple[Snapshot, tuple[HeapLayout, ...]]:
    """Return the snapshot of a dump and the sums of each memory heap.

    Raises:
        InputError: The sizes add up to more than 2^62 bytes.
    """
    rows, sizes = _rows(layout, source)
    source.at(0.6)
    keep = np.flatnonzero(rows.used)
    heap, offset, size = rows.heap[keep], rows.offset[keep], rows.size[keep]
    heaps = _heaps(layout, sizes)
    base = np.cumsum(sizes) - sizes
    placed = place_ranges(heap, offset, size, base)
    state = np.full(len(keep), BlockState.RESIDENT, np.uint8)
    state[placed.overlapping()] |= np.uint8(BlockState.ALIASED)
    resources = _resources(layout, rows, keep, heaps.kind, source)
    source.at(0.8)
    blocks = BlockColumns(
        **make_columns(BlockColumns, len(keep), {
            "segment": heaps.segment[heap], "heap": heap, "offset": offset, "size": size, "asked": size,
            "alignment": np.ones(len(keep), np.int64), "kind": resources.kind, "state": state,
            "resource": np.arange(len(keep), dtype=np.int32),
            "created_frame": resources.created_frame, "used_frame": resources.used_frame}),
    )  # fmt: skip
    # The bytes of each block under a resource: shared ones once.
    under = np.zeros(len(sizes), np.int64)
    np.add.at(under, heap[placed.order], placed.end - placed.start - placed.shared)
    listed = np.bincount(rows.heap[~rows.used], minlength=len(sizes)).astype(np.int64)
    free_ranges = listed + gap_counts(rows.heap, rows.offset, rows.size, sizes)
    snapshot = _snapshot(layout, heaps, blocks, resources, under, int(placed.shared.sum()), source)
    return snapshot, heap_layouts(snapshot, free_ranges)


def _rows(layout: DumpLayout, source: Source) -> tuple[_Rows, Int64]:
    counts = np.array([len(block.ranges) for block in layout.blocks], np.int64)
    heap = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    size, offset, usage, names, words, word = _columns_of(layout.blocks, int(counts.sum()), source.file)
    used = np.array([one != FREE for one in words], np.bool_)[word] if words else np.zeros(0, np.bool_)
    sizes = np.array([block.size for block in layout.blocks], np.int64)
    total = float(size.sum(dtype=np.float64) + sizes.sum(dtype=np.float64))
    if max(total, float(offset.max(initial=0))) >= MAX_TOTAL_BYTES:
        raise InputError("the sizes add up to 2^62 bytes or more", file=source.file, where="Suballocations")
    dedicated = np.array([block.is_dedicated for block in layout.blocks], np.bool_)[heap]
    offset[dedicated] = 0
    unknown = offset < 0
    if unknown.any():
        # Ranges come in offset order and cover the block: their sizes tell where they lie.
        before = np.cumsum(size) - size
        first = np.repeat(np.cumsum(counts) - counts, counts)
        offset = np.where(unknown, before - before[first], offset)
        source.warn("no-offset", "Suballocations", "ranges without an offset are put end to end", int(unknown.sum()))
    beyond = np.flatnonzero(offset + size > sizes[heap]) if len(heap) else np.zeros(0, np.int64)
    outgrown: list[int] = np.unique(heap[beyond]).tolist()
    for index in outgrown:
        block = layout.blocks[index]
        source.warn("beyond-block", block.where, "ranges end behind the block; it is drawn as large as they need",
                    int((heap[beyond] == index).sum()))  # fmt: skip
    np.maximum.at(sizes, heap[beyond], (offset + size)[beyond])
    return _Rows(heap, offset, size, usage, names, used, words, word), sizes


def _heaps(layout: DumpLayout, sizes: Int64) -> HeapColumns:
    blocks = layout.blocks
    count = len(blocks)
    segment = [block.segment for block in blocks]
    names = tuple(block.name for block in blocks)
    return HeapColumns(
        names=names,
        **make_columns(HeapColumns, count, {
            "segment": segment, "home": segment, "address": np.full(count, -1), "size": sizes,
            "kind": [block.kind for block in blocks], "flags": [block.flags for block in blocks],
            "alignment": np.ones(count), "committed": [block.is_dedicated for block in blocks],
            "resident": np.ones(count, np.bool_), "used_frame": np.full(count, -1)}),
    )  # fmt: skip


def _resources(layout: DumpLayout, rows: _Rows, keep: Int64, heap_kind: Bytes8, source: Source) -> ResourceColumns:
    count = len(keep)
    heap, size, usage = rows.heap[keep], rows.size[keep], rows.usage[keep]
    # Words are compared once each, not once for every row.
    dimensions = tuple(word or "UNKNOWN" for word in rows.words if word != FREE)
    renumbered = np.cumsum([word != FREE for word in rows.words]).astype(np.int16) - np.int16(1)
    dimension = renumbered[rows.word[keep]] if count else rows.word[:0]
    is_buffer = np.array([word == "BUFFER" for word in dimensions], np.bool_)[dimension]
    is_texture = np.array([word.startswith(("IMAGE", "TEXTURE")) for word in dimensions], np.bool_)[dimension]
    kind = layout.kind_of(is_buffer, is_texture, usage, heap_kind[heap])
    places, place = _numbered([block.place for block in layout.blocks], source.file)
    names = tuple(rows.names)
    if layout.name_of is not None:
        names = tuple(map(layout.name_of, _used(layout.blocks)))
    if source.is_single_byte:
        names = tuple(map(source.name, names))
    created, last = np.zeros(count, np.int64), np.full(count, -1)
    if layout.has_frames:
        used = list(_used(layout.blocks))
        created = np.array([row.creation_frame_index for row in used], np.int64)
        last = np.array([row.last_use_frame_index for row in used], np.int64)
    top = np.iinfo(np.int32).max
    columns = {
        "kind": kind, "dimension": dimension, "place": place[heap] if count else place[:0], "size": size, "asked": size,
        "width": np.where(is_buffer, size, 0), "resident": np.ones(count, np.bool_),
        "created_frame": np.clip(created, 0, top), "used_frame": np.clip(last, -1, top),
    }  # fmt: skip
    return ResourceColumns(
        names=names,
        records=(None,) * count,
        dimensions=dimensions,
        formats=("",),
        places=places,
        **make_columns(ResourceColumns, count, columns),
    )


def _every(blocks: list[DumpBlock]) -> Iterator[Range]:
    return itertools.chain.from_iterable(block.ranges for block in blocks)


def _used(blocks: list[DumpBlock]) -> Iterator[Range]:
    return (row for row in _every(blocks) if row.type != FREE)


def _columns_of(
    blocks: list[DumpBlock], count: int, file: str
) -> tuple[Int64, Int64, Int64, list[str], tuple[str, ...], npt.NDArray[np.int16]]:
    """Return size, offset, usage, names of used rows, the words for types, and the index of each row's word."""
    size, offset, usage = (np.empty(count, np.int64) for _ in range(3))
    met = np.empty(count, np.int32)
    numbers: dict[str, int] = {}
    names: list[str] = []
    every, first = _every(blocks), 0
    # All of a few rows at a time, while they are in the processor's cache.
    while rows := list(itertools.islice(every, _ROWS_AT_ONCE)):
        here = slice(first, first + len(rows))
        size[here] = _packed([row.size for row in rows])
        offset[here] = _packed([row.offset for row in rows])
        usage[here] = _flags_of(rows)
        types = [row.type for row in rows]
        for word in set(types):
            numbers.setdefault(word, len(numbers))
        met[here] = [numbers[word] for word in types]
        names += [row.name for row in rows if row.type != FREE]
        first = here.stop
    return size, offset, usage, names, *_sorted_words(numbers, met, file)


def _packed(values: list[int]) -> Int64:
    # A quarter faster than np.array or np.fromiter of the same list.
    return np.frombuffer(struct.pack(f"{len(values)}q", *values), np.int64)


def _flags_of(rows: list[Range]) -> Int64:
    try:
        return _packed([row.usage for row in rows])
    except struct.error:
        # No flag that is looked at lies above bit 62.
        return np.array([row.usage & (MAX_TOTAL_BYTES - 1) for row in rows], np.int64)


def _numbered(words: list[str], file: str) -> tuple[tuple[str, ...], npt.NDArray[np.int16]]:
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    return _sorted_words(numbers, np.array([numbers[word] for word in words], np.int32), file)


def _sorted_words(numbers: dict[str, int], met: Int32, file: str) -> tuple[tuple[str, ...], npt.NDArray[np.int16]]:
    if len(numbers) > np.iinfo(np.int16).max:
        raise InputError("too many different words for types", file=file, where="Type", found=len(numbers))
    words = tuple(sorted(numbers))
    rank = np.empty(len(words), np.int16)
    rank[[numbers[word] for word in words]] = np.arange(len(words), dtype=np.int16)
    return words, rank[met]


def _snapshot(
    layout: DumpLayout,
    heaps: HeapColumns,
    blocks: BlockColumns,
    resources: ResourceColumns,
    under: Int64,
    shared: int,
    source: Source,
) -> Snapshot:
    segments: list[SegmentPicture] = []
    held: list[int] = []
    for index, segment in enumerate(layout.segments):
        here = heaps.segment == index
        block_bytes, used = int(heaps.size[here].sum()), int(under[here].sum())
        if segment.size and block_bytes > segment.size:
            source.warn("beyond-heap", segment.name, "its blocks are larger than the memory heap is said to be")
        size = max(segment.size, block_bytes)
        held.append(block_bytes)
        in_heaps = block_bytes - used
        padding = {cause.token: 0 for cause in WasteCause}
        free = size - used
        picture = SegmentPicture(
            segment.name, segment.group, 0, Placement.PAGED, size, used, padding, free, in_heaps, size - block_bytes
        )
        segments.append(picture)
    size_sum = int(blocks.size.sum())
    return Snapshot(
        origin="imported",
        api=layout.api,
        adapter=None,
        adapter_name=layout.adapter_name,
        provenance=Provenance(
            file=PureWindowsPath(source.file).name, file_format=layout.format_id, version=__version__
        ),
        time_ns=0,
        segments=tuple(segments),
        groups=_groups(layout.segments, held),
        heaps=heaps,
        blocks=blocks,
        wastes=WasteColumns(**make_columns(WasteColumns, 0, {})),
        resources=resources,
        descriptor_heaps=(),
        totals=Totals(len(resources), len(heaps), len(blocks), size_sum, size_sum, shared, size_sum, 0),
        events=(),
        event_counts={},
        moved=MovedBytes(),
        times=FrameTimes(),
    )


def _groups(segments: list[DumpSegment], held: list[int]) -> tuple[GroupPicture, ...]:
    groups: list[GroupPicture] = []
    for group in dict.fromkeys(segment.group for segment in segments if segment.group):
        members = [(s, bytes_) for s, bytes_ in zip(segments, held, strict=True) if s.group == group]
        budgets = [s.budget for s, _ in members if s.budget is not None]
        granted = [budget.budget for budget in budgets if budget.budget is not None]
        budget = sum(granted) if len(granted) == len(members) else None
        # What the system counts can lag behind what the dump lists, and holds other users' bytes too.
        usage = max(sum(b.usage for b in budgets), sum(bytes_ for _, bytes_ in members))
        groups.append(GroupPicture(0, group, budget, usage, max(0, usage - budget) if budget is not None else 0))
    return tuple(groups)
