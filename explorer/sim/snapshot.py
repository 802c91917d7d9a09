"""The immutable picture of a state that views and exporters see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from explorer.core.columns import (
    NO_TILES,
    BlockColumns,
    DescriptorHeapPicture,
    HeapColumns,
    ResourceColumns,
    TileColumns,
    WasteColumns,
)
from explorer.core.descriptor_uses import NO_USES, DescriptorUses
from explorer.core.events import Event
from explorer.sim.residency_history import ResidencyHistory
from explorer.tables.adapter_model import Adapter

__all__ = [
    "EVENT_TAIL",
    "BlockColumns",
    "DescriptorHeapPicture",
    "DescriptorUses",
    "FrameHistory",
    "FrameTimes",
    "GroupPicture",
    "HeapColumns",
    "MovedBytes",
    "Note",
    "Provenance",
    "ResidencyHistory",
    "ResourceColumns",
    "SegmentPicture",
    "Snapshot",
    "TileColumns",
    "Totals",
    "WasteColumns",
]

EVENT_TAIL = 1000
"""How many of the simulation's last events a snapshot holds."""


@dataclass(frozen=True, slots=True)
class SegmentPicture:
    """A memory segment and the sum of its bytes: used + Σ padding + free = size.

    Attributes:
        name: As the adapter names it.
        group: ``LOCAL``, ``NON_LOCAL``, ``SYSTEM``, ``PAGE_FILE`` or ``RESERVED``.
        node: Node index.
        placement: ``contiguous`` or ``paged``.
        size_bytes: Size.
        used_bytes: Under at least one live resource or copy; shared bytes once.
        padding_bytes: Held under nothing, by cause (``alignment granularity rounding tail``).
        free_bytes: In a heap or in none.
        free_in_heaps_bytes: The part of ``free_bytes`` inside heaps.
        largest_free_bytes: Largest hole outside heaps (all of it where paged).
        gpu_bandwidth: Bytes a second that the GPU reads from it; 0 unknown.
    """

    name: str
    group: str
    node: int
    placement: str
    size_bytes: int
    used_bytes: int
    padding_bytes: Mapping[str, int]
    free_bytes: int
    free_in_heaps_bytes: int
    largest_free_bytes: int
    gpu_bandwidth: int = 0


@dataclass(frozen=True, slots=True)
class GroupPicture:
    """A segment group of a node and its budget (CLI.md section 3)."""

    node: int
    group: str
    budget_bytes: int | None
    usage_bytes: int
    over_budget_bytes: int
    reservation_bytes: int = 0
    available_for_reservation_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over a layout (CLI.md section 3)."""

    resources: int
    heaps: int
    blocks: int
    asked_bytes: int
    placed_bytes: int
    aliased_bytes: int
    resident_bytes: int
    evicted_bytes: int


@dataclass(frozen=True, slots=True)
class MovedBytes:
    """Bytes that crossed the bus since the start."""

    uploaded: int = 0
    paged_in: int = 0
    paged_out: int = 0
    demoted: int = 0


@dataclass(frozen=True, slots=True)
class FrameTimes:
    """Simulated time in ns since the start, and of the slowest frame. Estimates."""

    gpu_ns: int = 0
    transfer_ns: int = 0
    cpu_ns: int = 0
    stall_ns: int = 0
    slowest_frame_ns: int = 0


@dataclass(frozen=True, slots=True)
class FrameHistory:
    """Per-frame figures since the start, for the timeline; row i is frame i. Not part of the saved snapshot.

    Attributes:
        groups: ``(node, group)`` of each column of ``used`` and ``budget``.
        used: int64, shape (frames, groups): usage.
        budget: int64, shape (frames, groups): budget, −1 none.
        evicted_bytes: int64, shape (frames,).
        uploaded_bytes: int64, shape (frames,): uploads and page-ins.
        frame_ns: int64, shape (frames,): estimated frame time.
        marks: (frame, event kind) of loss, thrash, budget changes, trims.
        mark_notes: (rule, text) of the event behind each mark.
        split_ns: int64, shape (frames, 4): the parts of ``frame_ns``: GPU, transfer, CPU, stall.
        residency: Where the bytes of each heap and resource were.
    """

    groups: tuple[tuple[int, str], ...]
    used: npt.NDArray[np.int64]
    budget: npt.NDArray[np.int64]
    evicted_bytes: npt.NDArray[np.int64]
    uploaded_bytes: npt.NDArray[np.int64]
    frame_ns: npt.NDArray[np.int64]
    marks: tuple[tuple[int, str], ...] = ()
    mark_notes: tuple[tuple[str, str], ...] = ()
    split_ns: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 4), np.int64))
    residency: ResidencyHistory = field(default_factory=ResidencyHistory)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a snapshot comes from.

    Attributes:
        scenario: Scenario id; empty for an import.
        file: File name as given, for an import; empty else.
        file_format: Format id of CLI.md section 4; empty for a simulation.
        seed: Seed of the random streams.
        frame: Frames run.
        version: Version of the product.
        options: Every option in force (allocator, policy, windows …), as text.
    """

    scenario: str = ""
    file: str = ""
    file_format: str = ""
    seed: int = 0
    frame: int = 0
    version: str = ""
    options: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Note:
    """A user's name or note on a range of a heap or segment."""

    segment: str
    heap: str
    offset: int
    size: int
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The state of a simulated or imported layout. Everything in it is immutable.

    Attributes:
        origin: ``simulated`` or ``imported``.
        api: ``d3d9``, ``d3d11`` …, ``vulkan``, or empty.
        adapter: The simulated adapter; None for an import.
        adapter_name: What the layout says of its adapter.
        provenance: Where it comes from.
        time_ns: Simulated time.
        segments: Memory segments; an import has one for each memory type or heap it names.
        groups: Budgets.
        heaps: Heaps.
        blocks: Live ranges.
        wastes: Padding, by cause.
        resources: Resources.
        descriptor_heaps: Descriptor heaps.
        descriptor_uses: Who reads, copied and was given their slots, and what went wrong.
        totals: Sums.
        events: The last ``EVENT_TAIL`` events of the simulation.
        event_counts: How often each kind happened since the start.
        moved: Bytes moved since the start.
        times: Simulated time since the start.
        not_simulated: Call name → how often it was met.
        notes: User notes.
        tiles: Tile mappings of reserved resources.
        history: For the timeline; None for an import.
        generation: Changes whenever a block, heap or resource came, went or moved.
    """

    origin: str
    api: str
    adapter: Adapter | None
    adapter_name: str
    provenance: Provenance
    time_ns: int
    segments: tuple[SegmentPicture, ...]
    groups: tuple[GroupPicture, ...]
    heaps: HeapColumns
    blocks: BlockColumns
    wastes: WasteColumns
    resources: ResourceColumns
    descriptor_heaps: tuple[DescriptorHeapPicture, ...]
    totals: Totals
    events: tuple[Event, ...]
    event_counts: Mapping[str, int]
    moved: MovedBytes
    times: FrameTimes
    not_simulated: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[Note, ...] = ()
    tiles: TileColumns = NO_TILES
    descriptor_uses: DescriptorUses = NO_USES
    history: FrameHistory | None = None
    generation: int = 0
