"""The D3D12 device: which part of it answers which call, and what the parts share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from explorer.core.calls import CallRecord, decode_input
from explorer.core.d3d12_enums import CpuPageProperty
from explorer.core.events import EventKind
from explorer.core.verdicts import Verdict
from explorer.device import (
    d3d12_create,
    d3d12_descriptors,
    d3d12_fences,
    d3d12_lists,
    d3d12_options,
    d3d12_preview,
    d3d12_query_heaps,
    d3d12_residency,
    d3d12_slot_picture,
    d3d12_slots,
    d3d12_submit,
    d3d12_tiles,
    d3d12_zero_copy,
)
from explorer.device.app_residency_device import AppResidency
from explorer.device.d3d12_common import REMOVED, kind_of, ok, reason, size_of
from explorer.device.d3d12_slot_uses import SlotLog
from explorer.device.d3d12_timeline import Timeline
from explorer.device.decoded_calls import decode_known
from explorer.device.device import Device
from explorer.device.kernel_memory import KernelMemory
from explorer.device.outcome import Outcome, Preview
from explorer.errors import CallError
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d12_access import ResourceState, judge_feature, judge_map
from explorer.rules.d3d12_allocation import judge_allocation_info, judge_footprints
from explorer.rules.d3d12_create import HeapState, judge_placed
from explorer.rules.d3d12_descriptors import judge_increment
from explorer.rules.d3d12_heaps import heap_place, judge_custom_heap_properties
from explorer.rules.d3d12_runtime import D3d12Runtime, runtime_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import numpy.typing as npt

    from explorer.core import d3d12 as api
    from explorer.core.columns import DescriptorHeapPicture, TileColumns
    from explorer.core.d3d12_structs import ResourceDesc
    from explorer.core.descriptor_uses import DescriptorUses
    from explorer.device.d3d12_descriptors import DescriptorHeap
    from explorer.device.d3d12_lists import CommandList
    from explorer.device.d3d12_slots import SlotAllocator
    from explorer.device.d3d12_tiled import TiledResource
    from explorer.device.heap_places import HeapPlaces
    from explorer.device.memory_state import MemoryState
    from explorer.memory.allocators.protocol import Placement


class D3D12Device(Device):
    """Applies D3D12 calls.

    Args:
        state: Empty memory of the adapter.
        options: Device options: ``policy`` (who is demoted first), ``app_policy`` and ``residency_mode`` (what the
            application itself does about residency), ``tables`` (when descriptor tables are read), ``size_model``,
            runtime variants.
    """

    api = "d3d12"

    def __init__(self, state: MemoryState, options: Mapping[str, str]) -> None:
        super().__init__(state, options)
        self.runtime = runtime_of(state.adapter, options)
        d3d12_residency.set_reservable(state)
        self.kernel = KernelMemory(state, options.get("policy", "priority-lru"))
        self.heap_descs: dict[int, api.HeapDesc] = {}
        self._kept_tables: tuple[tuple[int, ...], dict[str, dict[int, Any]]] = ((), {})
        self.places: dict[int, HeapPlaces] = {}
        self.block_of: dict[int, int] = {}
        self.resource_descs: dict[int, ResourceDesc] = {}
        self.descriptors: dict[str, DescriptorHeap] = {}
        self.next_handle = 1 << 32
        self.removed: str | None = None
        self.removed_reason = "S_OK"
        self.app = AppResidency.of(options.get("app_policy", "none"), options.get("residency_mode", "library"))
        d3d12_options.check_tables(options.get("tables", d3d12_lists.TABLE_MODES[0]))
        self.tiled: dict[int, TiledResource] = {}
        self.shown_tiles: tuple[tuple[int, int], TileColumns] | None = None
        self.lists: dict[str, CommandList] = {}
        self.root_signatures: dict[str, api.CreateRootSignature] = {}
        self.signature_records: dict[str, CallRecord] = {}
        self.notifications: dict[str, tuple[int, str]] = {}
        self.slot_log = SlotLog()
        self.slot_allocators: dict[str, SlotAllocator] = {}
        self.in_place: set[int] = set()
        self.uninitialised: set[int] = set()
        self.timeline = Timeline()
        d3d12_zero_copy.is_allowed(state.adapter, options)

    @classmethod
    def handlers(cls) -> Mapping[str, Callable[[Any, Any, CallRecord], Verdict]]:
        """Return call name → method."""
        return _HANDLERS

    def apply(self, record: CallRecord) -> Outcome:
        """Apply a call; a placed resource without ``HeapOffset`` goes where the heap's own allocator puts it."""
        completed = self.complete(record)
        if isinstance(completed, Verdict):
            return Outcome(record, completed.hr, completed.values, completed.reasons, self.state.log.take())
        return self.call(completed, decode_known(completed))

    def call(self, record: CallRecord, arguments: Any) -> Outcome:
        """Apply a call whose input is already decoded; a removed device creates nothing more (rules 8.7, 11)."""
        if self.removed and record.call in _NOT_WHEN_REMOVED:
            rule = "d3d12.11.3" if record.call.startswith("Create") else "d3d12.8.7"
            verdict = self.refuse(record, Verdict(REMOVED, (reason(rule),)))
            return Outcome(record, verdict.hr, verdict.values, verdict.reasons, self.state.log.take())
        return super().call(record, arguments)

    def spend(self, *, gpu: int = 0, transfer: int = 0, cpu: int = 0, stall: int = 0) -> None:
        """Let simulated time pass; what the paging queue does takes time beside the program's."""
        if self.timeline.paged_ns is None:
            super().spend(gpu=gpu, transfer=transfer, cpu=cpu, stall=stall)
        else:
            self.timeline.paged_ns += gpu + transfer + cpu + stall

    def complete(self, record: CallRecord) -> CallRecord | Verdict:
        """Return the record with what it leaves to the product: an offset, tiles of a pool, descriptor slots.

        Where there is no room the API is never asked; the verdict says so.
        """
        if record.call in _PLACED and record.inputs.get("HeapOffset") is None:
            return self._complete_offset(record)
        if record.call == "UpdateTileMappings" and "pHeapRangeStartOffsets" not in record.inputs:
            tiles = d3d12_tiles.complete(self, record)
            if isinstance(tiles, Refusal):
                return d3d12_tiles.no_tiles(self, record, str(record.inputs.get("pHeap")), tiles)
            return tiles
        return d3d12_slots.complete(self, record) if d3d12_slots.wants_slots(record) else record

    def _complete_offset(self, record: CallRecord) -> CallRecord | Verdict:
        """Return the record with the offset that the heap's own allocator chooses, as an engine's would."""
        probe = CallRecord(record.api, record.call, {**record.inputs, "HeapOffset": 0}, record.out)
        arguments = decode_input(probe)
        _, heap = self.state.find(arguments.pHeap, "heap", where="input.pHeap")
        verdict = judge_placed(arguments, HeapState(self.heap_descs[heap]), self.runtime)
        if not verdict.succeeded:
            return probe
        placed = self.plan_offset(heap, arguments)
        if isinstance(placed, Refusal):
            why = reason("product.no-hole")
            return self.no_room(record, "E_OUTOFMEMORY", arguments.pHeap, placed, why.rule, why.source)
        return CallRecord(record.api, record.call, {**record.inputs, "HeapOffset": placed.offset}, record.out)

    def plan_offset(self, heap: int, arguments: api.CreatePlacedResource) -> Placement | Refusal:
        """Return where the heap's own allocator would place a resource."""
        layout = size_of(self, arguments)
        kind = kind_of(arguments.pDesc, self.heap_descs[heap].Properties.Type, arguments)
        return self.places[heap].plan(layout.size_bytes, layout.alignment, int(kind))

    def _complete_quietly(self, record: CallRecord) -> CallRecord | Verdict:
        log, allocators = self.state.log, self.slot_allocators
        self.state.log = log.copy()
        self.slot_allocators = {name: one.copy() for name, one in allocators.items()}
        try:
            return self.complete(record)
        finally:
            self.state.log, self.slot_allocators = log, allocators

    def where(self, name: str) -> tuple[str, int]:
        """Return the heap and the offset of a placed resource."""
        _, row = self.state.find(name, "resource", where="aliases")
        block = self.block_of.get(row)
        if block is None:
            raise CallError("a reserved resource lies in no heap", where="aliases", found=name)
        heap = int(self.state.blocks["heap"][block])
        if heap not in self.places:
            raise CallError("a committed resource cannot be aliased", where="aliases", found=name)
        return self.state.heap_names[heap], int(self.state.blocks["offset"][block])

    def choose_heap(self, record: CallRecord, heaps: tuple[str, ...]) -> CallRecord:
        """Return the record placed in the first of some heaps that has room for it, else in the last one alive."""
        alive = [name for name in heaps if name in self.state.objects]
        suits: dict[api.HeapDesc, bool] = {}
        last = alive[-1] if alive else heaps[-1]
        fallback = CallRecord(record.api, record.call, {**record.inputs, "pHeap": last}, record.out)
        probe = decode_input(CallRecord(record.api, record.call, {**fallback.inputs, "HeapOffset": 0}))
        for name in alive:
            _, heap = self.state.find(name, "heap")
            desc = self.heap_descs[heap]
            if desc not in suits:
                # Heaps of one group are mostly alike: one judgement serves them all.
                suits[desc] = judge_placed(probe, HeapState(desc), self.runtime).succeeded
            if not suits[desc]:
                continue
            placed = self.plan_offset(heap, probe)
            if not isinstance(placed, Refusal):
                inputs = {**record.inputs, "pHeap": name, "HeapOffset": placed.offset}
                return CallRecord(record.api, record.call, inputs, record.out)
        return fallback

    def heap_positions(self) -> Any:
        """Return heap row → index in a snapshot."""
        return self.state.heaps.positions()

    def preview(self, record: CallRecord) -> Preview:
        """Return what a creation call would do now, without doing it."""
        completed = self._complete_quietly(record)
        if isinstance(completed, Verdict):
            return Preview(record, completed, refusal=completed.reasons[0].text)
        return d3d12_preview.preview(self, completed, decode_input(completed))

    def copy(self) -> Self:
        """Return an independent copy."""
        other = self._copy_base()
        other.kernel = self.kernel.copy(other.state)
        vars(other).update(self._row_tables())
        other._kept_tables = ((), {})
        other.places = {row: places.copy() for row, places in self.places.items()}
        other.descriptors = {name: heap.copy() for name, heap in self.descriptors.items()}
        other.app = self.app.copy()
        other.tiled = {row: tiled.copy() for row, tiled in self.tiled.items()}
        other.lists = {name: recorded.copy() for name, recorded in self.lists.items()}
        other.slot_allocators = {name: one.copy() for name, one in self.slot_allocators.items()}
        for name in ("root_signatures", "signature_records", "notifications"):
            setattr(other, name, dict(getattr(self, name)))
        other.slot_log = self.slot_log.copy()
        other.in_place = set(self.in_place)
        other.uninitialised = set(self.uninitialised)
        other.timeline = self.timeline.copy()
        return other

    def _row_tables(self) -> dict[str, dict[int, Any]]:
        """Return copies of what is known by row; those of the last kept copy where no row came or went since."""
        key = self.state.names_key
        if self.state.is_kept and self._kept_tables[0] == key:
            return self._kept_tables[1]
        tables: dict[str, dict[int, Any]] = {
            "heap_descs": dict(self.heap_descs),
            "block_of": dict(self.block_of),
            "resource_descs": dict(self.resource_descs),
        }
        if self.state.is_kept:
            self._kept_tables = key, tables
        return tables

    def set_option(self, name: str, value: str) -> None:
        """Change an option while running: see ``d3d12_options``."""
        d3d12_options.set_option(self, name, value)

    # Queries ---------------------------------------------------------------------------------------------------

    def query(self, arguments: Any, record: CallRecord) -> Verdict:
        """Answer a call that changes nothing."""
        return _QUERIES[record.call](arguments, self.runtime)

    @staticmethod
    def queries() -> tuple[str, ...]:
        """Return the calls that change nothing."""
        return tuple(_QUERIES)

    # Creation and release --------------------------------------------------------------------------------------

    def create_heap(self, arguments: api.CreateHeap, record: CallRecord) -> Verdict:
        """CreateHeap."""
        return d3d12_create.create_heap(self, arguments, record)

    def create_committed(self, arguments: api.CreateCommittedResource, record: CallRecord) -> Verdict:
        """CreateCommittedResource."""
        return d3d12_create.create_committed(self, arguments, record)

    def create_placed(self, arguments: api.CreatePlacedResource, record: CallRecord) -> Verdict:
        """CreatePlacedResource."""
        return d3d12_create.create_placed(self, arguments, record)

    def create_reserved(self, arguments: Any, record: CallRecord) -> Verdict:
        """CreateReservedResource: address space without memory."""
        return d3d12_tiles.create(self, arguments, record)

    def release(self, arguments: api.Release, record: CallRecord) -> Verdict:
        """Release the last reference."""
        del record
        d3d12_create.release(self, arguments.pObject)
        return ok("d3d12.8.1")

    def create_descriptor_heap(self, arguments: api.CreateDescriptorHeap, record: CallRecord) -> Verdict:
        """CreateDescriptorHeap."""
        return d3d12_descriptors.create(self, arguments, record)

    def create_view(self, arguments: Any, record: CallRecord) -> Verdict:
        """Create…View and CreateSampler: write a slot."""
        return d3d12_descriptors.create_view(self, arguments, record)

    def copy_descriptors(self, arguments: Any, record: CallRecord) -> Verdict:
        """CopyDescriptors and CopyDescriptorsSimple."""
        return d3d12_descriptors.copy(self, arguments, record)

    def descriptor_heaps(self, resource_at: npt.NDArray[np.int32]) -> tuple[DescriptorHeapPicture, ...]:
        """Return the pictures of the descriptor heaps, in the order of creation."""
        generation = self.state.generation
        return tuple(heap.picture(resource_at, generation) for heap in self.descriptors.values())

    def descriptor_uses(self, resource_at: npt.NDArray[np.int32]) -> DescriptorUses:
        """Return who reads, copied and was given descriptor slots, and what went wrong."""
        return d3d12_slot_picture.picture(self, resource_at)

    def tile_mappings(self, heap_at: npt.NDArray[np.int32], resource_at: npt.NDArray[np.int32]) -> TileColumns:
        """Return the tile mappings; the same columns again while no mapping, heap or resource came, went or moved."""
        key = (self.state.generation, max((tiled.changed for tiled in self.tiled.values()), default=-1))
        if self.shown_tiles is None or self.shown_tiles[0] != key:
            self.shown_tiles = (key, d3d12_tiles.columns(self, heap_at, resource_at))
        return self.shown_tiles[1]

    def resource_desc(self, row: int) -> ResourceDesc:
        """Return the description that a resource was created with."""
        return self.resource_descs[row]

    def free_heap(self, heap: int) -> None:
        """Give back the bytes of an implicit heap."""
        d3d12_create.free_heap(self, heap)

    def map(self, arguments: api.Map, record: CallRecord) -> Verdict:
        """Map: needs a heap that the CPU can see; it never waits and copies nothing (rules 3.17).

        What the read range names is read by the CPU at once; a null range says that it may be, and costs nothing here.
        """
        _, row = self.state.find(arguments.pResource, "resource", where="input.pResource")
        heap = self.heap_of(row)
        properties = self.heap_descs[heap].Properties if heap >= 0 else None
        verdict = judge_map(arguments, ResourceState(self.resource_descs[row], properties), self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        reads = arguments.pReadRange
        if reads is not None and reads.End > reads.Begin:
            d3d12_submit.cpu_access(self, row, reads.End - reads.Begin, reads=True)
        return verdict

    def unmap(self, arguments: api.Unmap, record: CallRecord) -> Verdict:
        """Unmap: what the written range names was written by the CPU."""
        del record
        _, row = self.state.find(arguments.pResource, "resource", where="input.pResource")
        written = arguments.pWrittenRange
        if written is not None and written.End > written.Begin:
            d3d12_submit.cpu_access(self, row, written.End - written.Begin, reads=False)
        return ok("d3d12.3.17f")

    def heap_of(self, row: int) -> int:
        """Return the heap row of a placed or committed resource, −1 for a reserved one."""
        block = self.block_of.get(row)
        return -1 if block is None else int(self.state.blocks["heap"][block])

    def caching_of(self, row: int) -> str:
        """Return ``WC``, ``WB`` or an empty text: how the CPU reaches a resource's heap."""
        desc = self.heap_descs.get(self.heap_of(row))
        if desc is None:
            return ""
        page, _ = heap_place(desc.Properties, desc.Flags, self.runtime)
        return {CpuPageProperty.WRITE_COMBINE: "WC", CpuPageProperty.WRITE_BACK: "WB"}.get(page, "")

    # Frames ----------------------------------------------------------------------------------------------------

    def present(self, arguments: Any, record: CallRecord) -> Verdict:
        """End the frame."""
        del arguments, record
        self.state.log.add(EventKind.PRESENTED, text=f"Frame {self.state.log.frame} was presented.")
        self.end_frame()
        self.kernel.end_frame()
        self.state.clear_frame_marks()
        d3d12_fences.advance(self)
        self.slot_log.end_frame(self.state.log.frame, self.timeline.running)
        return Verdict(REMOVED, (reason("d3d12.8.7"),)) if self.removed else ok("device.in-flight")

    def removed_reason_of(self, arguments: Any, record: CallRecord) -> Verdict:
        """GetDeviceRemovedReason: the cause stays, later calls only say that the device is gone (rules 8.7, 11)."""
        del arguments, record
        rule = {"S_OK": "d3d12.11.1", "DXGI_ERROR_INVALID_CALL": "d3d12.11.2"}.get(self.removed_reason, "d3d12.8.7")
        return Verdict(self.removed_reason, (reason(rule),))


_VIEWS = (
    "CreateConstantBufferView",
    "CreateShaderResourceView",
    "CreateUnorderedAccessView",
    "CreateRenderTargetView",
    "CreateDepthStencilView",
    "CreateSampler",
)

_PLACED = ("CreatePlacedResource", "CreatePlacedResource1", "CreatePlacedResource2")

_QUERIES: Mapping[str, Callable[[Any, D3d12Runtime], Verdict]] = {
    "GetCustomHeapProperties": judge_custom_heap_properties,
    "GetResourceAllocationInfo": judge_allocation_info,
    "GetResourceAllocationInfo1": judge_allocation_info,
    "GetResourceAllocationInfo2": judge_allocation_info,
    "GetResourceAllocationInfo3": judge_allocation_info,
    "GetCopyableFootprints": judge_footprints,
    "GetCopyableFootprints1": judge_footprints,
    "CheckFeatureSupport": judge_feature,
    "GetDescriptorHandleIncrementSize": judge_increment,
}

_HANDLERS: Mapping[str, Callable[[Any, Any, CallRecord], Verdict]] = {
    **dict.fromkeys(_QUERIES, D3D12Device.query),
    "CreateHeap": D3D12Device.create_heap,
    "CreateHeap1": D3D12Device.create_heap,
    "CreateCommittedResource": D3D12Device.create_committed,
    "CreateCommittedResource1": D3D12Device.create_committed,
    "CreateCommittedResource2": D3D12Device.create_committed,
    "CreateCommittedResource3": D3D12Device.create_committed,
    "CreatePlacedResource": D3D12Device.create_placed,
    "CreatePlacedResource1": D3D12Device.create_placed,
    "CreatePlacedResource2": D3D12Device.create_placed,
    **dict.fromkeys(
        ("CreateReservedResource", "CreateReservedResource1", "CreateReservedResource2"), D3D12Device.create_reserved
    ),
    **d3d12_fences.HANDLERS,
    "CreateQueryHeap": d3d12_query_heaps.create,
    **d3d12_residency.HANDLERS,
    "GetResourceTiling": d3d12_tiles.query_tiling,
    "UpdateTileMappings": d3d12_tiles.update,
    "CopyTileMappings": d3d12_tiles.copy_mappings,
    "CreateRootSignature": d3d12_lists.create_root_signature,
    "CreateCommandList": d3d12_lists.create,
    "Close": d3d12_lists.close,
    "Reset": d3d12_lists.reset,
    "SetDescriptorHeaps": d3d12_lists.set_heaps,
    "SetGraphicsRootSignature": d3d12_lists.set_root_signature,
    "SetComputeRootSignature": d3d12_lists.set_root_signature,
    "SetGraphicsRootDescriptorTable": d3d12_lists.set_table,
    "SetComputeRootDescriptorTable": d3d12_lists.set_table,
    "OMSetRenderTargets": d3d12_lists.set_targets,
    "IASetVertexBuffers": d3d12_lists.set_buffers,
    "SOSetTargets": d3d12_lists.set_buffers,
    "IASetIndexBuffer": d3d12_lists.set_index_buffer,
    "ClearRenderTargetView": d3d12_lists.clear,
    "ClearDepthStencilView": d3d12_lists.clear,
    "DiscardResource": d3d12_lists.discard,
    "DrawInstanced": d3d12_lists.draw,
    "DrawIndexedInstanced": d3d12_lists.draw,
    "Dispatch": d3d12_lists.draw,
    "CopyResource": d3d12_submit.copy_resource,
    "CopyBufferRegion": d3d12_submit.copy_resource,
    "CreateDescriptorHeap": D3D12Device.create_descriptor_heap,
    **dict.fromkeys(_VIEWS, D3D12Device.create_view),
    "CopyDescriptors": D3D12Device.copy_descriptors,
    "CopyDescriptorsSimple": D3D12Device.copy_descriptors,
    "Map": D3D12Device.map,
    "Unmap": D3D12Device.unmap,
    "ExecuteCommandLists": d3d12_submit.execute,
    "ResourceBarrier": d3d12_submit.barrier,
    "GetDeviceRemovedReason": D3D12Device.removed_reason_of,
    "Present": D3D12Device.present,
    "Release": D3D12Device.release,
}

_NOT_WHEN_REMOVED = frozenset(
    (
        *(name for name in _HANDLERS if name.startswith("Create")),
        *("MakeResident", "EnqueueMakeResident", "SetResidencyPriority", "Map", "Signal", "Wait"),
    )
)
