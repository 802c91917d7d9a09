"""Memory of D3D10/11/XG resources: which one the runtime picks, and the versions of dynamic resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import BindFlag, CpuAccessFlag, Usage
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, HeapKind, ResourceKind
from explorer.core.layouts import ResourceLayout
from explorer.device import cost
from explorer.device.cost import FRAMES_IN_FLIGHT
from explorer.device.memory_state import NewResource
from explorer.memory.allocators.protocol import Refusal
from explorer.rules import d3d11 as rules
from explorer.rules.d3d11_resource import usage_name
from explorer.tables.d3d11_tables import PlacementRow

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.core.verdicts import Verdict
    from explorer.device.d3d11 import D3D11Device

_RESIDENT = int(BlockState.RESIDENT)
_MOVED = int(BlockState.MOVED_THIS_FRAME)
_PRIORITY_NORMAL = 0x78000000
"""DXGI_RESOURCE_PRIORITY_NORMAL."""


Version = tuple[int, int]
"""Memory of a resource, as the rows of its heap and block."""


@dataclass(slots=True)
class Live:
    """A live resource.

    Attributes:
        resource: As the rules describe it.
        layout: Its size and subresources.
        place: The memory that was picked, and why.
        heap: Row of the implicit heap of the version that the next call uses.
        block: Row of that version's block.
        idle: Other versions, from Maps with WRITE_DISCARD; the GPU may still read them.
        held: Versions that recordings of deferred contexts switch to; they are never given out again.
        mapped: Subresources that are mapped on the immediate context → how (``MapType``).
    """

    resource: rules.Resource
    layout: ResourceLayout
    place: PlacementRow
    heap: int = -1
    block: int = -1
    idle: tuple[Version, ...] = ()
    held: frozenset[Version] = frozenset()
    mapped: Mapping[int, int] = field(default_factory=dict[int, int])

    def copy(self) -> Live:
        """Return an independent copy: what is inside is replaced, never changed, since checkpoints copy thousands."""
        return Live(
            self.resource, self.layout, self.place, self.heap, self.block, self.idle, self.held, self.mapped
        )  # fmt: skip


def describe(device: D3D11Device, resource: rules.Resource) -> Live:
    """Return size and place of an accepted description; nothing is taken."""
    runtime = device.runtime
    return Live(resource, rules.layout_of(resource, runtime), rules.placement_of(resource, runtime.adapter_class))


def create(device: D3D11Device, live: Live, record: CallRecord, *, has_data: bool) -> Verdict | None:
    """Take memory for a new resource and bind its name; the verdict if there is none left."""
    state = device.state
    resource = live.resource
    name = record.out or record.call
    row = state.add_resource(_new(live, record, name))
    made = _add_version(device, live, row, name)
    if isinstance(made, Refusal):
        refused = made
        state.remove_resource(row)
        return device.no_room(record, "E_OUTOFMEMORY", live.place.segment, refused, live.place.rule, live.place.source)
    live.heap, live.block = made
    device.live[row] = live
    if resource.usage == Usage.DYNAMIC:
        device.ring.created(device, name, live.layout.size_bytes)
    state.log.add(EventKind.CREATED, name, size=live.layout.size_bytes, rule=live.place.rule,
                  text=f"{name}: {usage_name(resource.api, resource.usage)} picks {live.place.memory}.")  # fmt: skip
    if has_data:
        upload(device, name, state.segments[int(state.blocks["segment"][live.block])].name, live.layout.texel_bytes,
               "given at creation, through a staging block", "d3d11.Q7.5")  # fmt: skip
    return None


def release(device: D3D11Device, row: int) -> None:
    """Give back every version of a resource."""
    state = device.state
    live = device.live.pop(row)
    if live.resource.usage == Usage.DYNAMIC:
        device.ring.released(live.layout.size_bytes)
    name = state.resource_names[row]
    for heap, block in dict.fromkeys([(live.heap, live.block), *live.idle, *sorted(live.held)]):
        _drop_version(device, heap, block)
    state.log.add(EventKind.RELEASED, name, text=f"{name} was released.")
    state.remove_resource(row)


def is_busy(device: D3D11Device, heap: int) -> bool:
    """Return whether the GPU may still use a version."""
    used = int(device.state.heaps["used_frame"][heap])
    return used >= 0 and used > device.state.log.frame - FRAMES_IN_FLIGHT


def rename(device: D3D11Device, row: int) -> Refusal | None:
    """Give a dynamic resource memory that the GPU does not read (rule M4.11): an idle version or a new one."""
    live = device.live[row]
    if not is_busy(device, live.heap):
        return None
    version = new_version(device, row)
    if isinstance(version, Refusal):
        return version
    switch(device, row, version)
    count = len(live.idle) + len(live.held) + 1
    name = device.state.resource_names[row]
    text = f"{name}: the GPU still reads the old contents, WRITE_DISCARD gives other memory ({count} versions)."
    device.state.log.add(EventKind.RENAMED, name, size=live.layout.size_bytes, rule="d3d11.M4.11", text=text)
    return None


def new_version(device: D3D11Device, row: int) -> Version | Refusal:
    """Return memory of a resource that the GPU is done with and no recording holds: an idle version or a new one."""
    live = device.live[row]
    fresh = next((version for version in live.idle if not is_busy(device, version[0])), None)
    if fresh is None:
        return _add_version(device, live, row, device.state.resource_names[row])
    live.idle = tuple(version for version in live.idle if version != fresh)
    return fresh


def switch(device: D3D11Device, row: int, version: Version) -> None:
    """Let a resource have other memory from now on."""
    live = device.live[row]
    old = (live.heap, live.block)
    if version == old:
        return
    live.heap, live.block = version
    if old not in live.held:
        live.idle = (*live.idle, old)
    device.ring.renamed(device, device.state.resource_names[row], live.layout.size_bytes)


def upload(device: D3D11Device, name: str, segment: str, size: int, how: str, rule: str) -> None:
    """Move bytes from the CPU to the resource's memory and report it."""
    text = f"{name}: {size:,} B {how}."
    device.state.log.add(EventKind.UPLOADED, name, segment, size, rule=rule, text=text)
    device.spend(transfer=cost.transfer_ns(size, device.state.adapter.bus.to_gpu_bytes_per_s))


def kind_of(resource: rules.Resource) -> ResourceKind:
    """Return what views colour a resource by."""
    if resource.usage == Usage.DYNAMIC:
        return ResourceKind.UPLOAD
    if resource.usage == Usage.STAGING:
        return ResourceKind.READBACK if resource.cpu & CpuAccessFlag.READ else ResourceKind.UPLOAD
    if resource.bind & BindFlag.DEPTH_STENCIL:
        return ResourceKind.DEPTH_STENCIL
    if resource.bind & BindFlag.RENDER_TARGET:
        return ResourceKind.RENDER_TARGET
    return ResourceKind.BUFFER if resource.is_buffer else ResourceKind.TEXTURE


def _add_version(device: D3D11Device, live: Live, row: int, name: str) -> Version | Refusal:
    state, layout = device.state, live.layout
    taken = device.kernel.commit(device, live.place.segment, layout.size_bytes, layout.alignment, 0)
    if isinstance(taken, Refusal) and live.place.segment != "LOCAL":
        # A part without non-local memory keeps everything in its one group.
        taken = device.kernel.commit(device, "LOCAL", layout.size_bytes, layout.alignment, 0)
    if isinstance(taken, Refusal):
        return taken
    segment, place = taken
    kind = HeapKind.UPLOAD if live.place.caching == "WC" else HeapKind.DEFAULT
    if live.place.caching == "WB":
        kind = HeapKind.READBACK
    label = name if live.heap < 0 else f"{name} (version {len(live.idle) + len(live.held) + 2})"
    heap = state.add_heap(
        label,
        segment,
        place.address,
        layout.size_bytes,
        kind,
        alignment=layout.alignment,
        committed=True,
        priority=_PRIORITY_NORMAL,
        rounding=place.rounding,
    )
    device.kernel.admit(heap)
    needed = min(sum(part.size_bytes for part in layout.subresources) or layout.texel_bytes, layout.size_bytes)
    block = state.add_block(
        segment,
        heap,
        0,
        needed,
        asked=layout.texel_bytes,
        alignment=layout.alignment,
        kind=int(state.resources["kind"][row]),
        state=_RESIDENT | _MOVED,
        resource=row,
        rounding=layout.size_bytes - needed,
    )
    state.resources["resident"][row] = True
    where = state.segments[segment].name
    text = f"{label}: {layout.size_bytes:,} B in {where}."
    state.log.add(EventKind.ALLOCATED, name, where, layout.size_bytes, rule=live.place.rule, text=text)
    return heap, block


def _drop_version(device: D3D11Device, heap: int, block: int) -> None:
    state = device.state
    name, size = state.heap_names[heap], int(state.heaps["size"][heap])
    where = state.segments[int(state.heaps["segment"][heap])].name
    state.remove_block(block)
    device.kernel.drop(heap)
    state.heap_names.pop(heap)
    state.heaps.remove(heap)
    state.generation += 1
    state.log.add(EventKind.FREED, name, where, size, rule="d3d11.Q7.2", text=f"{name}: {size:,} B are free again.")


def _new(live: Live, record: CallRecord, name: str) -> NewResource:
    resource = live.resource
    return NewResource(
        name=name,
        record=record,
        kind=kind_of(resource),
        dimension=resource.dimension.upper(),
        format="" if resource.is_buffer else resource.format.name.lstrip("_"),
        place=usage_name(resource.api, resource.usage),
        width=resource.width,
        height=resource.height,
        depth=resource.depth * resource.slices,
        mips=resource.levels,
        size=live.layout.size_bytes,
        asked=live.layout.texel_bytes,
        priority=_PRIORITY_NORMAL,
    )
