"""A device's state as an immutable snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.core.columns import BlockColumns, HeapColumns, ResourceColumns, WasteColumns, make_columns
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState
from explorer.sim.snapshot import FrameTimes, GroupPicture, MovedBytes, SegmentPicture, Snapshot, Totals
from explorer.sim.sums import CAUSES, Sums, sum_bytes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from explorer.device.device import Device
    from explorer.device.memory_state import MemoryState
    from explorer.memory.growing import GrowingTable
    from explorer.sim.snapshot import FrameHistory, Provenance


class PictureMaker:
    """Makes snapshots of one device; remembers what did not change since the last one."""

    def __init__(self) -> None:
        self._key: tuple[int, ...] = ()
        self._heap_names: tuple[str, ...] = ()
        self._resource_names: tuple[str, ...] = ()
        self._records: tuple[Any, ...] = ()

    def make(self, device: Device, provenance: Provenance, history: FrameHistory | None) -> Snapshot:
        """Return the snapshot of the device's present state."""
        state = device.state
        self._remember_names(state)
        sums = sum_bytes(state)
        heap_at = state.heaps.positions()
        resource_at = state.resources.positions()
        log = state.log
        return Snapshot(
            origin="simulated",
            api=device.api,
            adapter=state.adapter,
            adapter_name=state.adapter.name,
            provenance=provenance,
            time_ns=log.time_ns,
            segments=_segments(state, sums),
            groups=_groups(state),
            heaps=HeapColumns(names=self._heap_names, **_columns(HeapColumns, state.heaps)),
            blocks=_blocks(state, heap_at, resource_at),
            wastes=_wastes(sums, heap_at),
            resources=ResourceColumns(
                names=self._resource_names,
                records=self._records,
                dimensions=tuple(state.dimensions.words),
                formats=tuple(state.formats.words),
                places=tuple(state.places.words),
                **_columns(ResourceColumns, state.resources),
            ),
            descriptor_heaps=device.descriptor_heaps(resource_at),
            descriptor_uses=device.descriptor_uses(resource_at),
            tiles=device.tile_mappings(heap_at, resource_at),
            totals=_totals(state, sums),
            events=log.tail,
            event_counts=log.counts,
            moved=MovedBytes(
                uploaded=log.bytes_of(EventKind.UPLOADED),
                paged_in=log.bytes_of(EventKind.PAGED_IN),
                paged_out=log.bytes_of(EventKind.PAGED_OUT),
                demoted=log.bytes_of(EventKind.DEMOTED),
            ),
            times=FrameTimes(
                gpu_ns=state.times.gpu,
                transfer_ns=state.times.transfer,
                cpu_ns=state.times.cpu,
                stall_ns=state.times.stall,
                slowest_frame_ns=state.times.slowest_frame,
            ),
            not_simulated=dict(sorted(device.not_simulated.items())),
            history=history,
            generation=state.generation,
        )

    def _remember_names(self, state: MemoryState) -> None:
        if self._key == state.names_key:
            return
        self._key = state.names_key
        resources = state.resources.rows().tolist()
        self._heap_names = tuple(map(state.heap_names.__getitem__, state.heaps))
        self._resource_names = tuple(map(state.resource_names.__getitem__, resources))
        self._records = tuple(map(state.records.__getitem__, resources))


def _columns(table: type[Any], rows: GrowingTable) -> dict[str, npt.NDArray[Any]]:
    from explorer.core.columns import column_dtypes

    made = {name: rows.compact(name) for name in column_dtypes(table)}
    for array in made.values():
        array.flags.writeable = False
    return made


def _blocks(state: MemoryState, heap_at: npt.NDArray[np.int32], resource_at: npt.NDArray[np.int32]) -> BlockColumns:
    columns = _columns(BlockColumns, state.blocks)
    # Index −1 picks the last element of the position tables, which is −1 again.
    columns["heap"] = heap_at[columns["heap"]]
    columns["resource"] = resource_at[columns["resource"]]
    return BlockColumns(**columns).freeze()


def _wastes(sums: Sums, heap_at: npt.NDArray[np.int32]) -> WasteColumns:
    segment, heap, offset, size, cause = sums.waste.table()
    columns = {"segment": segment, "heap": heap_at[heap], "offset": offset, "size": size, "cause": cause}
    return WasteColumns(**make_columns(WasteColumns, len(size), columns))


def _segments(state: MemoryState, sums: Sums) -> tuple[SegmentPicture, ...]:
    pictures: list[SegmentPicture] = []
    for index, segment in enumerate(state.segments):
        padding = sums.padding[index]
        free = segment.size - sums.used[index] - sum(padding)
        in_heaps = sums.free_in_heaps[index]
        pictures.append(
            SegmentPicture(
                name=segment.name,
                group=segment.group,
                node=segment.node,
                placement=str(segment.placement),
                size_bytes=segment.size,
                used_bytes=sums.used[index],
                padding_bytes=dict(zip(CAUSES, padding, strict=True)),
                free_bytes=free,
                free_in_heaps_bytes=in_heaps,
                largest_free_bytes=segment.largest_free if segment.is_contiguous else free - in_heaps,
                gpu_bandwidth=segment.bandwidth,
            )
        )
    return tuple(pictures)


def _groups(state: MemoryState) -> tuple[GroupPicture, ...]:
    return tuple(
        GroupPicture(
            node=group.node,
            group=group.group,
            budget_bytes=group.budget,
            usage_bytes=group.usage,
            over_budget_bytes=group.over_budget_bytes,
            reservation_bytes=group.reservation,
            available_for_reservation_bytes=group.available_for_reservation,
        )
        for group in state.groups.values()
    )


def _totals(state: MemoryState, sums: Sums) -> Totals:
    blocks = state.blocks
    live = blocks.live
    resident = (blocks["state"][live] & int(BlockState.RESIDENT)) != 0
    size = blocks["size"][live]
    master = (blocks["state"][live] & int(BlockState.MASTER_COPY)) != 0
    # Index −1 (no resource) reads the last row; such blocks are never master copies.
    owner_resident = state.resources["resident"][blocks["resource"][live]] if len(state.resources) else resident
    in_heap = blocks["heap"][live] >= 0
    evicted = (master & ~owner_resident) | (in_heap & ~resident)
    return Totals(
        resources=len(state.resources),
        heaps=len(state.heaps),
        blocks=len(blocks),
        asked_bytes=int(blocks["asked"][live].sum()),
        placed_bytes=int((size + blocks["rounding"][live]).sum()),
        aliased_bytes=sums.shared,
        resident_bytes=int(size[resident].sum()),
        evicted_bytes=int(size[evicted].sum()),
    )
