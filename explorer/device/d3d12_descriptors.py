"""Descriptor heaps of the D3D12 device: slots, views in them, copies between them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from explorer.core import d3d12 as api
from explorer.core.columns import DescriptorHeapPicture
from explorer.core.d3d12_enums import ResourceFlags
from explorer.core.d3d12_structs import DescriptorHeapDesc
from explorer.core.d3d12_view_enums import DescriptorHeapFlags
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, HeapKind, ResourceKind
from explorer.core.units import align_up
from explorer.core.verdicts import Verdict
from explorer.device import d3d12_slot_uses, system_memory
from explorer.device.d3d12_common import no_memory
from explorer.device.memory_state import NewResource
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d12_access import default_priority
from explorer.rules.d3d12_descriptors import CopyState, increment_of, judge_copy_descriptors, judge_descriptor_heap
from explorer.rules.d3d12_views import ViewState, judge_view

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.core.d3d12_structs import DescriptorHandle
    from explorer.device.d3d12 import D3D12Device

NULL = 255
"""Kind of a null descriptor; 0 is an empty slot, others are ``ResourceKind`` + 1."""

_VIEW_CODES: dict[type, int] = {
    api.CreateConstantBufferView: 1,
    api.CreateShaderResourceView: 2,
    api.CreateUnorderedAccessView: 3,
    api.CreateRenderTargetView: 4,
    api.CreateDepthStencilView: 5,
    api.CreateSampler: 6,
}
_HANDLE_BASE = 1 << 32
_HANDLE_STEP = 1 << 16
"""Where the handles of heaps start, and what they are rounded up to. Modelling choice: real ones are the driver's."""


@dataclass(slots=True)
class DescriptorHeap:
    """One descriptor heap.

    Attributes:
        name: Name.
        desc: As created.
        increment: Bytes from one handle to the next.
        cpu_start: CPU handle of slot 0.
        gpu_start: GPU handle of slot 0; 0 where not shader visible.
        kind: uint8, shape (slots,).
        view: uint8, shape (slots,).
        stale: bool, shape (slots,).
        resource: int32, shape (slots,): resource rows, −1 none.
        shown: The last picture and the generation of the tables that it was made for.
        is_shared: A checkpoint holds the same columns: they are copied before they are written.
    """

    name: str
    desc: DescriptorHeapDesc
    increment: int
    cpu_start: int
    gpu_start: int
    kind: npt.NDArray[np.uint8]
    view: npt.NDArray[np.uint8]
    stale: npt.NDArray[np.bool_]
    resource: npt.NDArray[np.int32]
    shown: tuple[int, DescriptorHeapPicture] | None = field(default=None)
    is_shared: bool = False

    def write(self, slots: Any, kind: Any, view: Any, resource: Any, stale: Any = False) -> None:
        """Overwrite slots (an index, a slice or an index array)."""
        self._own()
        self.kind[slots] = kind
        self.view[slots] = view
        self.resource[slots] = resource
        self.stale[slots] = stale
        self.shown = None

    def forget(self, row: int) -> list[int]:
        """Mark the descriptors of a resource that is gone as stale and return their slots."""
        gone = np.flatnonzero(self.resource == row)
        if len(gone):
            self._own()
            self.stale[gone] = True
            self.resource[gone] = -1
            self.shown = None
        return gone.tolist()

    def picture(self, resource_at: npt.NDArray[np.int32], generation: int) -> DescriptorHeapPicture:
        """Return the read-only picture; the last one again if nothing changed."""
        if self.shown is not None and self.shown[0] == generation:
            return self.shown[1]
        made = DescriptorHeapPicture(
            name=self.name,
            heap_type=self.desc.Type.name,
            shader_visible=bool(self.desc.Flags & DescriptorHeapFlags.SHADER_VISIBLE),
            increment=self.increment,
            cpu_start=self.cpu_start,
            gpu_start=self.gpu_start,
            kind=self.kind.copy(),
            view=self.view.copy(),
            stale=self.stale.copy(),
            resource=resource_at[self.resource],
        )
        for column in (made.kind, made.view, made.stale, made.resource):
            column.flags.writeable = False
        self.shown = (generation, made)
        return made

    def copy(self) -> DescriptorHeap:
        """Return a copy that shares the columns until one of the two is written."""
        self.is_shared = True
        return dataclasses.replace(self)

    def _own(self) -> None:
        if self.is_shared:
            self.kind, self.view = self.kind.copy(), self.view.copy()
            self.stale, self.resource = self.stale.copy(), self.resource.copy()
            self.is_shared = False


def create(device: D3D12Device, arguments: api.CreateDescriptorHeap, record: CallRecord) -> Verdict:
    """Create a descriptor heap; visible ones are in GPU memory, the others in ordinary system memory (rules 7.2)."""
    verdict = judge_descriptor_heap(arguments, device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    desc = arguments.pDescriptorHeapDesc
    increment = increment_of(desc.Type, device.runtime)
    size = max(increment * desc.NumDescriptors, 1)
    name = record.out or record.call
    visible = bool(desc.Flags & DescriptorHeapFlags.SHADER_VISIBLE)
    refused = _take(device, name, record, size, desc, visible=visible)
    if refused is not None:
        return refused
    start = device.next_handle
    device.next_handle += align_up(size, _HANDLE_STEP) + _HANDLE_STEP
    slots = desc.NumDescriptors
    device.descriptors[name] = DescriptorHeap(
        name,
        desc,
        increment,
        start,
        start if visible else 0,
        np.zeros(slots, np.uint8),
        np.zeros(slots, np.uint8),
        np.zeros(slots, np.bool_),
        np.full(slots, -1, np.int32),
    )
    handles: dict[str, object] = {"CPUDescriptorHandleForHeapStart": start, "DescriptorHandleIncrementSize": increment}
    if visible:
        handles["GPUDescriptorHandleForHeapStart"] = start
    return Verdict(verdict.hr, verdict.reasons, {**verdict.values, **handles})


def create_view(device: D3D12Device, arguments: Any, record: CallRecord) -> Verdict:
    """Write a view into a slot."""
    handle: DescriptorHandle = arguments.DestDescriptor
    heap = find(device, handle.heap, "input.DestDescriptor.heap")
    name = getattr(arguments, "pResource", None)
    if isinstance(arguments, api.CreateConstantBufferView) and arguments.pDesc is not None:
        name = arguments.pDesc.resource
    row = device.state.find(name, "resource", where="input.pResource")[1] if name else -1
    resource = device.resource_desc(row) if row >= 0 else None
    verdict = judge_view(arguments, ViewState(heap.desc, resource), device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    if isinstance(arguments, api.CreateSampler):
        kind = int(ResourceKind.OTHER) + 1
    else:
        kind = int(device.state.resources["kind"][row]) + 1 if row >= 0 else NULL
    _check_overwrite(device, heap, handle.index, 1)
    heap.write(handle.index, kind, _VIEW_CODES[type(arguments)], row)
    return verdict


def copy(device: D3D12Device, arguments: Any, record: CallRecord) -> Verdict:
    """CopyDescriptors and CopyDescriptorsSimple."""
    ranges = _ranges(arguments)
    names = {handle.heap for side in ranges[:2] for handle, _ in side}
    heaps = {name: find(device, name, "input") for name in sorted(names)}
    state = CopyState({name: heap.desc for name, heap in heaps.items()})
    verdict = judge_copy_descriptors(arguments, state)
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    sources = _gather(heaps, ranges[1])
    at = 0
    for handle, size in ranges[0]:
        part = slice(at, at + size)
        size = min(size, len(sources[0]) - at)
        if size <= 0:
            continue
        slots = slice(handle.index, handle.index + size)
        _check_overwrite(device, heaps[handle.heap], handle.index, size)
        heaps[handle.heap].write(slots, *(column[part][:size] for column in sources))
        at += size
    d3d12_slot_uses.note_copies(device, *ranges)
    total = min(at, len(sources[0]))
    first = ranges[0][0][0].heap if ranges[0] else record.call
    text = f"{total:,} descriptors were copied to {first}."
    device.state.log.add(EventKind.CHANGED, first, size=total, rule="d3d12.7.5e", text=text)
    return verdict


def release(device: D3D12Device, name: str) -> None:
    """Release a descriptor heap."""
    state = device.state
    row = state.objects[name][1]
    del device.descriptors[name]
    device.slot_allocators.pop(name, None)
    device.slot_log.forget_heap(name)
    block = device.block_of.pop(row)
    heap = int(state.blocks["heap"][block])
    state.log.add(EventKind.RELEASED, name, text=f"{name} was released.")
    if heap >= 0:
        state.remove_block(block)
        device.free_heap(heap)
    else:
        state.segments[int(state.blocks["segment"][block])].release(int(state.blocks["offset"][block]))
        state.remove_block(block)
    state.remove_resource(row)


def find(device: D3D12Device, name: str, where: str) -> DescriptorHeap:
    """Return a descriptor heap by name."""
    device.state.find(name, "descriptor_heap", where=where)
    return device.descriptors[name]


def _check_overwrite(device: D3D12Device, heap: DescriptorHeap, first: int, count: int) -> None:
    # No table reaches a heap that shaders do not see.
    if heap.desc.Flags & DescriptorHeapFlags.SHADER_VISIBLE:
        d3d12_slot_uses.check_overwrite(device, heap.name, first, count)


def _ranges(arguments: Any) -> tuple[list[tuple[DescriptorHandle, int]], list[tuple[DescriptorHandle, int]]]:
    if isinstance(arguments, api.CopyDescriptorsSimple):
        size = arguments.NumDescriptors
        return [(arguments.DestDescriptorRangeStart, size)], [(arguments.SrcDescriptorRangeStart, size)]
    sides: list[list[tuple[DescriptorHandle, int]]] = []
    for starts, sizes in (
        (arguments.pDestDescriptorRangeStarts, arguments.pDestDescriptorRangeSizes),
        (arguments.pSrcDescriptorRangeStarts, arguments.pSrcDescriptorRangeSizes),
    ):
        counts = [1] * len(starts) if sizes is None else list(sizes)
        sides.append(list(zip(starts, counts, strict=False)))
    return sides[0], sides[1]


def _gather(
    heaps: dict[str, DescriptorHeap], ranges: list[tuple[DescriptorHandle, int]]
) -> tuple[npt.NDArray[Any], ...]:
    """Return kind, view, resource and stale of the source slots, in order (copies: ranges may overlap)."""
    parts: list[tuple[npt.NDArray[Any], ...]] = []
    for handle, size in ranges:
        heap = heaps[handle.heap]
        slots = slice(handle.index, handle.index + size)
        parts.append((heap.kind[slots], heap.view[slots], heap.resource[slots], heap.stale[slots]))
    empty: tuple[npt.NDArray[Any], ...] = tuple(np.zeros(0, np.uint8) for _ in range(4))
    return tuple(np.concatenate(columns) for columns in zip(*parts, strict=True)) if parts else empty


def _take(
    device: D3D12Device, name: str, record: CallRecord, size: int, desc: DescriptorHeapDesc, *, visible: bool
) -> Verdict | None:
    state = device.state
    held = align_up(size, 65536) if visible else size
    if visible:
        taken = device.kernel.commit(device, "LOCAL", held, 65536, (desc.NodeMask or 1).bit_length() - 1)
    else:
        taken = system_memory.take(device, held, 16)
        if isinstance(taken, Refusal):
            taken = state.take("LOCAL", held, 16)
    if isinstance(taken, Refusal):
        return no_memory(device, record, "LOCAL" if visible else "SYSTEM", taken)
    segment, place = taken
    row = state.add_resource(_new(name, record, size, held, desc))
    state.bind(name, "descriptor_heap", row)
    heap = -1
    if visible:
        heap = state.add_heap(
            name,
            segment,
            place.address,
            held,
            HeapKind.OTHER,
            committed=True,
            priority=default_priority(ResourceFlags.NONE, held),
            rounding=place.rounding,
        )
        device.kernel.admit(heap)
    rounding = held - size if visible else place.rounding
    block = state.add_block(
        segment,
        heap,
        0 if visible else place.address,
        size,
        asked=size,
        alignment=65536 if visible else 16,
        kind=ResourceKind.DESCRIPTOR_HEAP,
        state=int(BlockState.RESIDENT) if visible else 0,
        resource=row,
        rounding=rounding,
    )
    device.block_of[row] = block
    state.resources["resident"][row] = visible
    where = state.segments[segment].name
    text = f"{name}: {desc.NumDescriptors:,} descriptors, {held:,} B in {where}."
    state.log.add(EventKind.CREATED, name, where, held, rule="d3d12.7.2", text=text)
    state.log.add(EventKind.ALLOCATED, name, where, held, rule="d3d12.7.2", text=text)
    return None


def _new(name: str, record: CallRecord, size: int, held: int, desc: DescriptorHeapDesc) -> NewResource:
    kind = desc.Type.constant
    visible = desc.Flags & DescriptorHeapFlags.SHADER_VISIBLE
    return NewResource(
        name=name,
        record=record,
        kind=ResourceKind.DESCRIPTOR_HEAP,
        dimension="DESCRIPTOR_HEAP",
        format="",
        place=f"{kind} | SHADER_VISIBLE" if visible else kind,
        width=desc.NumDescriptors,
        height=1,
        depth=1,
        mips=1,
        size=held,
        asked=size,
    )
