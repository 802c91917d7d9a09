"""What every simulated device keeps: segments, heaps, blocks, resources, events, names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core.calls import CallRecord
from explorer.core.columns import BlockColumns, HeapColumns, ResourceColumns, column_dtypes
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, HeapKind, ResourceKind
from explorer.core.names import Objects
from explorer.core.words import Words
from explorer.device import kernel_texts
from explorer.device.event_log import EventLog
from explorer.errors import CallError
from explorer.memory.growing import GrowingTable
from explorer.memory.segments import MemorySegment, SegmentGroup, Taken

if TYPE_CHECKING:
    import numpy.typing as npt

    from explorer.memory.allocators.protocol import Refusal
    from explorer.tables.adapters import Adapter

_BLOCK_EXTRA = {"pad_before": np.int64, "rounding": np.int64, "before": np.int32, "after": np.int32}
"""``before`` and ``after``: the neighbours in the list of the same heap, −1 none."""

_HEAP_EXTRA = {"rounding": np.int64, "unit": np.int64, "released": np.bool_, "first": np.int32, "name": np.int32}
"""``first``: a block in it, −1 none; ``name``: index into ``MemoryState.heap_names_ever``."""

_RESOURCE_EXTRA = {"block": np.int32}
"""``block``: the block that was added last for it, −1 none."""


@dataclass(slots=True)
class Times:
    """Estimated time in ns, sums since the start."""

    gpu: int = 0
    transfer: int = 0
    cpu: int = 0
    stall: int = 0
    slowest_frame: int = 0


@dataclass(frozen=True, slots=True)
class NewResource:
    """What a creation call fixes about a resource."""

    name: str
    record: CallRecord | None
    kind: ResourceKind
    dimension: str
    format: str
    place: str
    width: int
    height: int
    depth: int
    mips: int
    size: int
    asked: int
    priority: int = 0


class MemoryState:
    """The memory of a device and everything that lives in it. No rule of an API is applied here.

    Rows of the tables keep their number while they live. ``objects`` maps an object's name to ``("heap", row)``,
    ``("resource", row)`` or another kind that the device adds.

    Args:
        adapter: The simulated adapter.
        allocator: Allocator id for every segment.
        budget: Bytes by (node, group) that replace the adapter's own budgets.
    """

    def __init__(self, adapter: Adapter, allocator: str, budget: dict[tuple[int, str], int] | None = None) -> None:
        self.adapter = adapter
        self.allocator_id = allocator
        self.segments = [
            MemorySegment(s.name, s.group, s.node, s.placement, s.size_bytes, allocator, s.gpu_bandwidth_bytes_per_s)
            for s in adapter.segments
        ]
        self.groups = {
            (b.node, b.group): SegmentGroup(b.node, b.group, b.budget_bytes, b.available_for_reservation or 0)
            for b in adapter.budgets
        }
        for segment in self.segments:
            if segment.group in ("LOCAL", "NON_LOCAL"):
                key = (segment.node, segment.group)
                self.groups.setdefault(key, SegmentGroup(segment.node, segment.group, None))
        for key, value in (budget or {}).items():
            if key in self.groups:
                self.groups[key].budget = value
        self.heaps = GrowingTable({**column_dtypes(HeapColumns), **_HEAP_EXTRA})
        self.blocks = GrowingTable({**column_dtypes(BlockColumns), **_BLOCK_EXTRA})
        self.resources = GrowingTable({**column_dtypes(ResourceColumns), **_RESOURCE_EXTRA})
        self.heap_names: dict[int, str] = {}
        self.heap_names_ever: list[str] = []
        self._named = 0
        self.is_kept = False
        self._kept: tuple[tuple[int, ...], dict[str, Any]] = ((), {})
        self.resource_names: dict[int, str] = {}
        self.records: dict[int, CallRecord | None] = {}
        self.objects = Objects()
        self.dimensions, self.formats, self.places = Words(), Words(), Words()
        self.log = EventLog()
        self.times = Times()
        self.generation = 0

    # Names -----------------------------------------------------------------------------------------------------

    def name_of(self, kind: str, row: int) -> str:
        """Return the name of an object."""
        return self.heap_names[row] if kind == "heap" else self.resource_names[row]

    def find(self, name: str, *kinds: str, where: str = "input") -> tuple[str, int]:
        """Return the kind and row of a named object.

        Raises:
            CallError: There is none, or it is of another kind.
        """
        found = self.objects.get(name)
        if found is None or (kinds and found[0] not in kinds):
            alive = tuple(n for n, (kind, _) in self.objects.items() if not kinds or kind in kinds)
            raise CallError(f"no live {' or '.join(kinds) or 'object'} has this name", where=where, found=name,
                            accepted=alive[:24] or ("(none is alive)",))  # fmt: skip
        return found

    def bind(self, name: str, kind: str, row: int) -> None:
        """Give an object its name; names of live objects are unique."""
        self.objects[name] = (kind, row)

    # Segments --------------------------------------------------------------------------------------------------

    def segments_in(self, group: str, node: int = 0) -> list[int]:
        """Return the indices of a group's segments; shared ones serve every node."""
        shared = group in ("NON_LOCAL", "SYSTEM", "PAGE_FILE")
        return [i for i, s in enumerate(self.segments) if s.group == group and (s.node == node or shared)]

    def take(
        self, group: str, size: int, alignment: int, kind: int = 0, node: int = 0, slot: int = -1
    ) -> tuple[int, Taken] | Refusal:
        """Hold bytes in the first segment of a group that has them; the refusal is the last segment's.

        ``slot`` is the row of the heap that the bytes are for, −1 for anything else.
        """
        refusal: Refusal | None = None
        for index in self.segments_in(group, node):
            taken = self.segments[index].take(size, alignment, kind, slot)
            if isinstance(taken, Taken):
                return index, taken
            refusal = taken
        if refusal is None:
            from explorer.memory.allocators.protocol import Refusal as Refused

            return Refused(size, alignment, 0, 0, 0, 0, "alloc.too-few-bytes")
        return refusal

    def count_usage(self, segment: int, delta: int) -> None:
        """Add bytes to the usage that the budget of the segment's group counts, and report a crossing."""
        place = self.segments[segment]
        group = self.groups.get((place.node, place.group))
        if group is None:
            return
        group.usage += delta
        self.check_budget(group)

    def check_budget(self, group: SegmentGroup) -> None:
        """Report when a group goes over its budget or comes back."""
        over = group.over_budget_bytes
        if over and not group.over:
            group.over = True
            text = kernel_texts.over_budget(group.group, group.node, group.usage, group.budget or 0)
            self.log.add(EventKind.OVER_BUDGET, group.group, size=over, rule="kernel.over-budget", text=text)
        elif group.over and not over:
            group.over = False
            text = kernel_texts.within_budget(group.group, group.node)
            self.log.add(EventKind.WITHIN_BUDGET, group.group, rule="d3d12.8.5c", text=text)

    # Tables ----------------------------------------------------------------------------------------------------

    def add_resource(self, new: NewResource) -> int:
        """Add a resource row; it has no memory yet."""
        row = self.resources.add(
            kind=new.kind,
            dimension=self.dimensions.number(new.dimension),
            format=self.formats.number(new.format),
            place=self.places.number(new.place),
            width=new.width,
            height=new.height,
            depth=new.depth,
            mips=new.mips,
            size=new.size,
            asked=new.asked,
            priority=new.priority,
            created_frame=self.log.frame,
            used_frame=-1,
            block=-1,
        )
        self.resource_names[row] = new.name
        self._named += 1
        self.records[row] = new.record
        self.bind(new.name, "resource", row)
        self.generation += 1
        return row

    def rename_resource(self, row: int, name: str) -> None:
        """Give a resource row another name; what ``objects`` knows it by is the caller's business."""
        self.resource_names[row] = name
        self._named += 1

    @property
    def names_key(self) -> tuple[int, ...]:
        """Differs from what it was whenever a heap or resource came, went or got another name."""
        return len(self.heap_names_ever), len(self.heaps), self._named, len(self.resources)

    def remove_resource(self, row: int) -> None:
        """Remove a resource row whose blocks are gone."""
        self.objects.pop(self.resource_names.pop(row), None)
        self.records.pop(row)
        self.resources.remove(row)
        self.generation += 1

    def add_heap(
        self,
        name: str,
        segment: int,
        address: int,
        size: int,
        kind: HeapKind,
        *,
        flags: int = 0,
        alignment: int = 65536,
        committed: bool = False,
        resident: bool = True,
        priority: int = 0,
        rounding: int = 0,
        unit: int = 1,
    ) -> int:
        """Add a heap row.

        Args:
            name: Name.
            segment: Index of the segment that holds it.
            address: First byte in the segment's address range.
            size: Bytes.
            kind: Type.
            flags: D3D12_HEAP_FLAGS.
            alignment: Bytes.
            committed: True for the implicit heap of a committed resource.
            resident: Whether the GPU can use it at once.
            priority: Residency priority.
            rounding: Bytes that the segment holds behind it, up to whole pages.
            unit: Smallest alignment of anything in it; a shorter rest at its end is its tail.
        """
        row = self.heaps.add(
            segment=segment,
            home=segment,
            address=address,
            size=size,
            kind=kind,
            flags=flags,
            alignment=alignment,
            committed=committed,
            resident=resident,
            resident_count=int(resident),
            priority=priority,
            created_frame=self.log.frame,
            used_frame=-1,
            rounding=rounding,
            unit=unit,
            first=-1,
            name=len(self.heap_names_ever),
        )
        self.heap_names[row] = name
        self.heap_names_ever.append(name)
        self.generation += 1
        return row

    def add_block(
        self,
        segment: int,
        heap: int,
        offset: int,
        size: int,
        *,
        asked: int,
        alignment: int,
        kind: int,
        state: int,
        resource: int,
        pad_before: int = 0,
        rounding: int = 0,
    ) -> int:
        """Add a block row: ``size`` bytes under the resource, ``pad_before`` and ``rounding`` held around it."""
        row = self.blocks.add(
            segment=segment,
            heap=heap,
            offset=offset,
            size=size,
            asked=asked,
            alignment=alignment,
            kind=kind,
            state=state,
            resource=resource,
            created_frame=self.log.frame,
            used_frame=-1,
            pad_before=pad_before,
            rounding=rounding,
            before=-1,
            after=-1 if heap < 0 else int(self.heaps["first"][heap]),
        )
        if heap >= 0:
            first = int(self.heaps["first"][heap])
            if first >= 0:
                self.blocks["before"][first] = row
            self.heaps["first"][heap] = row
        if resource >= 0:
            self.resources["block"][resource] = row
        self.generation += 1
        return row

    def remove_block(self, row: int) -> None:
        """Remove a block row."""
        heap = int(self.blocks["heap"][row])
        if heap >= 0:
            self._unlink_block(row, heap)
        self.blocks.remove(row)
        self.generation += 1

    def blocks_of(self, heap: int) -> npt.NDArray[np.int64]:
        """Return the rows of the blocks in a heap, the newest first."""
        after = self.blocks["after"]
        found: list[int] = []
        row = int(self.heaps["first"][heap])
        while row >= 0:
            found.append(row)
            row = int(after[row])
        return np.array(found, np.int64)

    def _unlink_block(self, row: int, heap: int) -> None:
        before, after = int(self.blocks["before"][row]), int(self.blocks["after"][row])
        if before >= 0:
            self.blocks["after"][before] = after
        else:
            self.heaps["first"][heap] = after
        if after >= 0:
            self.blocks["before"][after] = before

    def _name_tables(self) -> dict[str, Any]:
        """Return copies of the tables of names; those of the last kept copy where nothing got another name since.

        A kept copy is never written: a long run over a hundred thousand steady names holds their tables once.
        """
        key = (*self.names_key, self.objects.epoch, len(self.objects.changes))
        if self.is_kept and self._kept[0] == key:
            return self._kept[1]
        tables: dict[str, Any] = {
            name: dict(getattr(self, name)) for name in ("heap_names", "resource_names", "records")
        }
        tables["objects"] = Objects(self.objects)
        tables["heap_names_ever"] = list(self.heap_names_ever)
        if self.is_kept:
            self._kept = key, tables
        return tables

    def clear_frame_marks(self) -> None:
        """Forget what was used and moved in the frame that ended."""
        state = self.blocks["state"]
        state &= np.uint8(0xFF & ~int(BlockState.USED_THIS_FRAME | BlockState.MOVED_THIS_FRAME))

    def copy(self) -> MemoryState:
        """Return an independent copy, for checkpoints."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.segments = [segment.copy() for segment in self.segments]
        other.groups = {
            key: SegmentGroup(g.node, g.group, g.budget, g.available_for_reservation, g.usage, g.reservation, g.over)
            for key, g in self.groups.items()
        }
        for name in ("heaps", "blocks", "resources", "dimensions", "formats", "places", "log"):
            setattr(other, name, getattr(self, name).copy())
        for name, table in self._name_tables().items():
            setattr(other, name, table)
        other.is_kept, other._kept = False, ((), {})
        t = self.times
        other.times = Times(t.gpu, t.transfer, t.cpu, t.stall, t.slowest_frame)
        return other
