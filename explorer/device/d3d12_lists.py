"""Command lists of the D3D12 device: what is copied into them when they record, and what they read when they run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.core.d3d12_view_enums import (
    DescriptorHeapFlags,
    DescriptorHeapType,
    DescriptorRangeFlags,
    RootParameterType,
    RootSignatureVersion,
)
from explorer.core.events import EventKind
from explorer.core.verdicts import Verdict
from explorer.device import cost, d3d12_descriptors, d3d12_fences
from explorer.device.d3d12_common import ok, reason
from explorer.device.d3d12_slots import FRAMES_IN_FLIGHT, TableUse
from explorer.errors import CallError, CommandError
from explorer.rules.d3d12_descriptors import judge_root_signature
from explorer.tables.d3d12_tables import constant

if TYPE_CHECKING:
    from explorer.core import d3d12 as api
    from explorer.core import d3d12_commands as commands
    from explorer.core.calls import CallRecord
    from explorer.core.d3d12_structs import DescriptorHandle, DescriptorTable
    from explorer.device.d3d12 import D3D12Device

_UNBOUNDED = 0xFFFFFFFF
TABLE_MODES = ("execution", "recording")
"""Values of the option ``tables``: when the contents of descriptor tables are read."""


@dataclass(slots=True)
class CommandList:
    """One command list.

    Attributes:
        node_mask: The node it is for.
        is_open: It records.
        heaps: The descriptor heaps that are set.
        root_signature: The root signature that is set, or empty.
        tables: Ranges of slots that its tables read.
        reads: Names of what it reads, in the order of recording.
        writes: Names of what it writes: captured from render-target and depth-stencil views.
        calls: Draws and dispatches.
    """

    node_mask: int = 0
    is_open: bool = True
    heaps: tuple[str, ...] = ()
    root_signature: str = ""
    tables: list[TableUse] = field(default_factory=list[TableUse])
    reads: dict[str, None] = field(default_factory=dict[str, None])
    writes: dict[str, None] = field(default_factory=dict[str, None])
    calls: int = 0

    def copy(self) -> CommandList:
        """Return an independent copy."""
        return replace(self, tables=list(self.tables), reads=dict(self.reads), writes=dict(self.writes))


def create(device: D3D12Device, arguments: commands.CreateCommandList, record: CallRecord) -> Verdict:
    """CreateCommandList: it records at once."""
    name = record.out or record.call
    device.lists[name] = CommandList(arguments.nodeMask)
    device.state.bind(name, "command_list", -1)
    return ok("device.list-state")


def close(device: D3D12Device, arguments: commands.ListCall, record: CallRecord) -> Verdict:
    """Close: ends the recording."""
    recorded = find(device, arguments.pCommandList)
    if not recorded.is_open:
        return device.refuse(record, Verdict("E_FAIL", (reason("device.list-state"),)))
    recorded.is_open = False
    return ok("device.list-state")


def reset(device: D3D12Device, arguments: commands.ListCall, record: CallRecord) -> Verdict:
    """Reset: begins a new recording; what was executed before stays on its way."""
    recorded = find(device, arguments.pCommandList)
    if recorded.is_open:
        return device.refuse(record, Verdict("E_FAIL", (reason("device.list-state"),)))
    device.lists[arguments.pCommandList] = CommandList(recorded.node_mask)
    return ok("device.list-state")


def set_heaps(device: D3D12Device, arguments: commands.SetDescriptorHeaps, record: CallRecord) -> Verdict:
    """SetDescriptorHeaps: at most one of a type, and only what shaders see."""
    recorded = _open(device, arguments.pCommandList)
    if not heaps_can_be_set(device, arguments.ppDescriptorHeaps):
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.6a"),)))
    recorded.heaps = arguments.ppDescriptorHeaps
    return ok("d3d12.7.6a")


def heaps_can_be_set(device: D3D12Device, names: tuple[str, ...]) -> bool:
    """Return whether descriptor heaps can be set together (rules 7.6)."""
    descs = [d3d12_descriptors.find(device, name, "input.ppDescriptorHeaps").desc for name in names]
    visible = all(desc.Flags & DescriptorHeapFlags.SHADER_VISIBLE for desc in descs)
    return visible and len({desc.Type for desc in descs}) == len(descs)


def create_root_signature(device: D3D12Device, arguments: api.CreateRootSignature, record: CallRecord) -> Verdict:
    """CreateRootSignature: checked, priced, and kept for the lists that set it."""
    verdict = judge_root_signature(arguments, device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    live = sum(len(one.pRootSignature.pStaticSamplers) for one in device.root_signatures.values())
    if live + len(arguments.pRootSignature.pStaticSamplers) > constant("MAX_LIVE_STATIC_SAMPLERS"):
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.8c"),)))
    if record.out is not None:
        device.root_signatures[record.out] = arguments
        device.state.bind(record.out, "root_signature", -1)
        text = f"{record.out}: {verdict.values['Cost']} of 64 DWORDs."
        device.state.log.add(EventKind.CREATED, record.out, rule="d3d12.7.8a", text=text)
    return verdict


def set_root_signature(device: D3D12Device, arguments: commands.SetRootSignature, record: CallRecord) -> Verdict:
    """SetGraphicsRootSignature and SetComputeRootSignature."""
    del record
    recorded = _open(device, arguments.pCommandList)
    device.state.find(arguments.pRootSignature, "root_signature", where="input.pRootSignature")
    recorded.root_signature = arguments.pRootSignature
    return ok("d3d12.7.8a")


def set_table(device: D3D12Device, arguments: commands.SetRootDescriptorTable, record: CallRecord) -> Verdict:
    """SetGraphicsRootDescriptorTable: a range of a heap that is set becomes the parameter's table."""
    recorded = _open(device, arguments.pCommandList)
    handle = arguments.BaseDescriptor
    heap = d3d12_descriptors.find(device, handle.heap, "input.BaseDescriptor.heap")
    if handle.heap not in recorded.heaps:
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.6a"),)))
    use = _table_use(device, recorded, arguments)
    if use is None:
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.8e"),)))
    if use.first + use.count > heap.desc.NumDescriptors:
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.5d"),)))
    if device.options.get("tables", TABLE_MODES[0]) == "recording":
        _check_contents(device, use)
        return ok("device.table-captured")
    recorded.tables.append(use)
    return ok("device.table-read")


def _table_use(
    device: D3D12Device, recorded: CommandList, arguments: commands.SetRootDescriptorTable
) -> TableUse | None:
    signature = device.root_signatures.get(recorded.root_signature)
    if signature is None or arguments.RootParameterIndex >= len(signature.pRootSignature.pParameters):
        return None
    parameter = signature.pRootSignature.pParameters[arguments.RootParameterIndex]
    if parameter.ParameterType is not RootParameterType.DESCRIPTOR_TABLE or parameter.DescriptorTable is None:
        return None
    count = end = 0
    bounded, volatile = True, signature.Version is RootSignatureVersion["_1_0"]
    for one in parameter.DescriptorTable.pDescriptorRanges:
        start = end if one.OffsetInDescriptorsFromTableStart == _UNBOUNDED else one.OffsetInDescriptorsFromTableStart
        bounded = bounded and one.NumDescriptors != _UNBOUNDED
        many = arguments.NumDescriptors if one.NumDescriptors == _UNBOUNDED else one.NumDescriptors
        end = start + many
        count = max(count, end)
        volatile = volatile or bool(one.Flags & DescriptorRangeFlags.DESCRIPTORS_VOLATILE)
    handle = arguments.BaseDescriptor
    return TableUse(handle.heap, handle.index, count, not volatile, bounded, arguments.pCommandList)


def set_targets(device: D3D12Device, arguments: commands.OMSetRenderTargets, record: CallRecord) -> Verdict:
    """OMSetRenderTargets: the contents of the slots are copied into the list; the slots are free at once."""
    recorded = _open(device, arguments.pCommandList)
    handles = [(handle, DescriptorHeapType.RTV) for handle in arguments.pRenderTargetDescriptors]
    if arguments.pDepthStencilDescriptor is not None:
        handles.append((arguments.pDepthStencilDescriptor, DescriptorHeapType.DSV))
    captured: list[str] = []
    for handle, kind in handles:
        heap = d3d12_descriptors.find(device, handle.heap, "input")
        if heap.desc.Type is not kind:
            return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.10a"),)))
        if handle.index >= heap.desc.NumDescriptors:
            return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.10b"),)))
        captured.extend(_captured(device, handle))
    recorded.writes.update(dict.fromkeys(captured))
    slots = ", ".join(f"{handle.heap} {handle.index}" for handle, _ in handles)
    text = f"{arguments.pCommandList} holds copies of {slots} ({', '.join(captured)}): the slots are free at once."
    device.state.log.add(EventKind.CHANGED, arguments.pCommandList, rule="device.captured", text=text)
    return ok("device.captured")


def set_buffers(device: D3D12Device, arguments: commands.SetBufferViews, record: CallRecord) -> Verdict:
    """IASetVertexBuffers and SOSetTargets: views without any heap, copied into the list."""
    recorded = _open(device, arguments.pCommandList)
    names = [view.resource for view in arguments.pViews]
    for name in names:
        device.state.find(name, "resource", where="input.pViews")
    (recorded.writes if record.call == "SOSetTargets" else recorded.reads).update(dict.fromkeys(names))
    return ok("device.captured")


def set_index_buffer(device: D3D12Device, arguments: commands.IASetIndexBuffer, record: CallRecord) -> Verdict:
    """IASetIndexBuffer."""
    del record
    recorded = _open(device, arguments.pCommandList)
    if arguments.pView is not None:
        device.state.find(arguments.pView.resource, "resource", where="input.pView")
        recorded.reads[arguments.pView.resource] = None
    return ok("device.captured")


def draw(device: D3D12Device, arguments: commands.DrawInstanced, record: CallRecord) -> Verdict:
    """DrawInstanced, DrawIndexedInstanced and Dispatch: recorded, nothing runs yet."""
    del record
    recorded = _open(device, arguments.pCommandList)
    for name in arguments.references:
        device.state.find(name, "resource", "heap", where="input.references")
    recorded.reads.update(dict.fromkeys(arguments.references))
    recorded.calls += 1
    device.spend(cpu=cost.CPU_CALL_NS)
    return ok("device.list-state")


def release(device: D3D12Device, name: str, kind: str) -> None:
    """Release a command list, a root signature or a notification."""
    device.state.objects.pop(name)
    if kind == "command_list":
        del device.lists[name]
    elif kind == "root_signature":
        del device.root_signatures[name]
    elif kind in ("command_queue", "fence"):
        d3d12_fences.release(device, name, kind)
    else:
        del device.notifications[name]
    device.state.log.add(EventKind.RELEASED, name, text=f"{name} was released.")


def find(device: D3D12Device, name: str) -> CommandList:
    """Return a command list by name."""
    device.state.find(name, "command_list", where="input.pCommandList")
    return device.lists[name]


def run_tables(device: D3D12Device, uses: list[TableUse]) -> None:
    """Note that the GPU reads ranges of slots from now on, and look at what stands in them."""
    done = device.state.log.frame + FRAMES_IN_FLIGHT
    for use in uses:
        _check_contents(device, use)
        device.in_flight.append(replace(use, done_frame=done))


def inline_tables(device: D3D12Device, tables: tuple[DescriptorTable, ...]) -> list[TableUse]:
    """Return the tables that a submission names without a list; their descriptors are volatile.

    Raises:
        CallError: A table leaves its heap.
    """
    uses: list[TableUse] = []
    for table in tables:
        heap = d3d12_descriptors.find(device, table.heap, "input.tables")
        if table.first + table.count > heap.desc.NumDescriptors:
            accepted = (f"at most {heap.desc.NumDescriptors} slots",)
            found = table.first + table.count
            raise CallError("a table leaves its heap", where="input.tables", found=found, accepted=accepted)
        uses.append(TableUse(table.heap, table.first, table.count, False, False, "the submission"))
    return uses


def _check_contents(device: D3D12Device, use: TableUse) -> None:
    """Report slots of a bounded range that name a resource which is gone."""
    if not use.is_bounded:
        return
    heap = device.descriptors[use.heap]
    stale = int(heap.stale[use.first : use.first + use.count].sum())
    if stale:
        text = f"{stale:,} slots of {use.heap} that {use.list_name} reads name a resource that is gone."
        device.state.log.add(EventKind.HAZARD, use.heap, rule="device.table-read", text=text)


def _captured(device: D3D12Device, handle: DescriptorHandle) -> list[str]:
    row = int(device.descriptors[handle.heap].resource[handle.index])
    return [device.state.resource_names[row]] if row >= 0 else []


def _open(device: D3D12Device, name: str) -> CommandList:
    recorded = find(device, name)
    if not recorded.is_open:
        raise CommandError("the list is closed", where="input.pCommandList", found=name, accepted=("Reset it first",))
    return recorded
