"""Command lists of the D3D12 device: what is copied into them when they record, and what they read when they run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.core.d3d12_commands import ClearDepthStencilView
from explorer.core.d3d12_view_enums import (
    DescriptorHeapFlags,
    DescriptorHeapType,
    DescriptorRangeFlags,
    RootParameterType,
    RootSignatureVersion,
)
from explorer.core.events import EventKind
from explorer.core.verdicts import Verdict
from explorer.device import cost, d3d12_descriptors, d3d12_fences, d3d12_slot_uses
from explorer.device.d3d12_common import ok, reason
from explorer.device.d3d12_slot_uses import RangeUse, RangeUses, SlotCapture
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
        signatures: The root signatures that are set, for ``Graphics`` and ``Compute``.
        tables: Ranges of slots that its tables read.
        reads: Names of what it reads, in the order of recording.
        writes: Names of what it writes: captured from render-target and depth-stencil views.
        fresh: Names of what it clears or discards.
        calls: Draws and dispatches.
    """

    node_mask: int = 0
    is_open: bool = True
    heaps: tuple[str, ...] = ()
    signatures: dict[str, str] = field(default_factory=dict[str, str])
    tables: RangeUses = field(default_factory=RangeUses)
    reads: dict[str, None] = field(default_factory=dict[str, None])
    writes: dict[str, None] = field(default_factory=dict[str, None])
    fresh: dict[str, None] = field(default_factory=dict[str, None])
    calls: int = 0

    def copy(self) -> CommandList:
        """Return an independent copy."""
        return replace(
            self,
            signatures=dict(self.signatures),
            tables=self.tables.copy(),
            reads=dict(self.reads),
            writes=dict(self.writes),
            fresh=dict(self.fresh),
        )


def create(device: D3D12Device, arguments: commands.CreateCommandList, record: CallRecord) -> Verdict:
    """CreateCommandList: it records at once."""
    if not d3d12_fences.is_node(device, arguments.nodeMask):
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.1.6c"),)))
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
        device.signature_records[record.out] = record
        device.state.bind(record.out, "root_signature", -1)
        text = f"{record.out}: {verdict.values['Cost']} of 64 DWORDs."
        device.state.log.add(EventKind.CREATED, record.out, rule="d3d12.7.8a", text=text)
    return verdict


def set_root_signature(device: D3D12Device, arguments: commands.SetRootSignature, record: CallRecord) -> Verdict:
    """SetGraphicsRootSignature and SetComputeRootSignature."""
    recorded = _open(device, arguments.pCommandList)
    device.state.find(arguments.pRootSignature, "root_signature", where="input.pRootSignature")
    recorded.signatures[_pipeline(record)] = arguments.pRootSignature
    return ok("d3d12.7.8a")


def set_table(device: D3D12Device, arguments: commands.SetRootDescriptorTable, record: CallRecord) -> Verdict:
    """SetGraphicsRootDescriptorTable: a range of a heap that is set becomes the parameter's table."""
    recorded = _open(device, arguments.pCommandList)
    handle = arguments.BaseDescriptor
    heap = d3d12_descriptors.find(device, handle.heap, "input.BaseDescriptor.heap")
    if handle.heap not in recorded.heaps:
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.6a"),)))
    uses = _range_uses(device, recorded.signatures.get(_pipeline(record), ""), arguments)
    if uses is None:
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.8e"),)))
    if any(use.first + use.count > heap.desc.NumDescriptors for use in uses):
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.5d"),)))
    frame = device.state.log.frame
    if device.options.get("tables", TABLE_MODES[0]) == "recording":
        for use in uses:
            d3d12_slot_uses.check_contents(device, use)
            captured = SlotCapture(use.heap, use.first, use.count, use.list_name, "", True, frame)
            device.slot_log.captures.append(captured)
        return ok("device.table-captured")
    for use in uses:
        recorded.tables.add(use)
    return ok("device.table-read")


def _pipeline(record: CallRecord) -> str:
    """Return whether a call is about what draws or what dispatches: each has a root signature of its own."""
    return "Compute" if "Compute" in record.call else "Graphics"


def _range_uses(device: D3D12Device, name: str, arguments: commands.SetRootDescriptorTable) -> list[RangeUse] | None:
    """Return the ranges of a table, each with its own flags; None where the parameter is no table."""
    signature = device.root_signatures.get(name)
    if signature is None or arguments.RootParameterIndex >= len(signature.pRootSignature.pParameters):
        return None
    parameter = signature.pRootSignature.pParameters[arguments.RootParameterIndex]
    if parameter.ParameterType is not RootParameterType.DESCRIPTOR_TABLE or parameter.DescriptorTable is None:
        return None
    handle = arguments.BaseDescriptor
    is_old = signature.Version is RootSignatureVersion["_1_0"]
    uses: list[RangeUse] = []
    end = 0
    for part, one in enumerate(parameter.DescriptorTable.pDescriptorRanges):
        start = end if one.OffsetInDescriptorsFromTableStart == _UNBOUNDED else one.OffsetInDescriptorsFromTableStart
        bounded = one.NumDescriptors != _UNBOUNDED
        many = one.NumDescriptors if bounded else arguments.NumDescriptors
        end = start + many
        uses.append(
            RangeUse(
                heap=handle.heap,
                first=handle.index + start,
                count=many,
                is_static=not is_old and not one.Flags & DescriptorRangeFlags.DESCRIPTORS_VOLATILE,
                is_bounded=bounded,
                list_name=arguments.pCommandList,
                signature=name,
                parameter=arguments.RootParameterIndex,
                part=part,
            )
        )
    return uses


def set_targets(device: D3D12Device, arguments: commands.OMSetRenderTargets, record: CallRecord) -> Verdict:
    """OMSetRenderTargets: the contents of the slots are copied into the list; the slots are free at once."""
    recorded = _open(device, arguments.pCommandList)
    handles = [(handle, DescriptorHeapType.RTV) for handle in arguments.pRenderTargetDescriptors]
    if arguments.pDepthStencilDescriptor is not None:
        handles.append((arguments.pDepthStencilDescriptor, DescriptorHeapType.DSV))
    captured: list[str] = []
    captures: list[SlotCapture] = []
    for handle, kind in handles:
        heap = d3d12_descriptors.find(device, handle.heap, "input")
        if heap.desc.Type is not kind:
            return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.10a"),)))
        if handle.index >= heap.desc.NumDescriptors:
            return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.10b"),)))
        names = _captured(device, handle)
        captured.extend(names)
        frame, resource = device.state.log.frame, "".join(names)
        captures.append(SlotCapture(handle.heap, handle.index, 1, arguments.pCommandList, resource, False, frame))
    device.slot_log.captures.extend(captures)
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


def clear(
    device: D3D12Device, arguments: commands.ClearRenderTargetView | commands.ClearDepthStencilView, record: CallRecord
) -> Verdict:
    """ClearRenderTargetView and ClearDepthStencilView: the view is read at once, its resource is written as a whole."""
    recorded = _open(device, arguments.pCommandList)
    if isinstance(arguments, ClearDepthStencilView):
        handle, kind = arguments.DepthStencilView, DescriptorHeapType.DSV
    else:
        handle, kind = arguments.RenderTargetView, DescriptorHeapType.RTV
    heap = d3d12_descriptors.find(device, handle.heap, "input")
    if heap.desc.Type is not kind:
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.10a"),)))
    if handle.index >= heap.desc.NumDescriptors:
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.7.10b"),)))
    names = dict.fromkeys(_captured(device, handle))
    recorded.writes.update(names)
    recorded.fresh.update(names)
    return ok("device.captured")


def discard(device: D3D12Device, arguments: commands.DiscardResource, record: CallRecord) -> Verdict:
    """DiscardResource: the content is given up, which is as good as writing it."""
    del record
    recorded = _open(device, arguments.pCommandList)
    device.state.find(arguments.pResource, "resource", where="input.pResource")
    recorded.writes[arguments.pResource] = None
    recorded.fresh[arguments.pResource] = None
    return ok("d3d12.3.18d")


def draw(device: D3D12Device, arguments: commands.DrawInstanced, record: CallRecord) -> Verdict:
    """DrawInstanced, DrawIndexedInstanced and Dispatch: recorded, nothing runs yet."""
    del record
    recorded = _open(device, arguments.pCommandList)
    for name in arguments.references:
        device.state.find(name, "resource", "heap", "query_heap", where="input.references")
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
        del device.root_signatures[name], device.signature_records[name]
    elif kind in ("command_queue", "fence"):
        d3d12_fences.release(device, name, kind)
    else:
        del device.notifications[name]
    device.state.log.add(EventKind.RELEASED, name, text=f"{name} was released.")


def find(device: D3D12Device, name: str) -> CommandList:
    """Return a command list by name."""
    device.state.find(name, "command_list", where="input.pCommandList")
    return device.lists[name]


def inline_tables(device: D3D12Device, tables: tuple[DescriptorTable, ...]) -> list[RangeUse]:
    """Return the tables that a submission names without a list; their descriptors are volatile.

    Raises:
        CallError: A table leaves its heap.
    """
    uses: list[RangeUse] = []
    for table in tables:
        heap = d3d12_descriptors.find(device, table.heap, "input.tables")
        if table.first + table.count > heap.desc.NumDescriptors:
            accepted = (f"at most {heap.desc.NumDescriptors} slots",)
            found = table.first + table.count
            raise CallError("a table leaves its heap", where="input.tables", found=found, accepted=accepted)
        uses.append(RangeUse(table.heap, table.first, table.count, is_static=False, is_bounded=False, list_name=""))
    return uses


def _captured(device: D3D12Device, handle: DescriptorHandle) -> list[str]:
    row = int(device.descriptors[handle.heap].resource[handle.index])
    return [device.state.resource_names[row]] if row >= 0 else []


def _open(device: D3D12Device, name: str) -> CommandList:
    recorded = find(device, name)
    if not recorded.is_open:
        raise CommandError("the list is closed", where="input.pCommandList", found=name, accepted=("Reset it first",))
    return recorded
