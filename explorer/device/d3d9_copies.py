"""Copies that the D3D9 device makes: what they move over the bus, what they wait for, what becomes clean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core import d3d9 as api
from explorer.core.d3d9 import Pool
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState
from explorer.device import cost, d3d9_loss, system_memory
from explorer.device.d3d9_locks import mark_dirty
from explorer.device.d3d9_presentation import is_lost
from explorer.device.d3d9_things import Box, Part, all_dirty, box_bytes, dirty_bytes, find_surface, surface_of, whole
from explorer.rules.d3d9 import CopyState, TextureCopyState, judge
from explorer.rules.d3d9_verdicts import fault, refused

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.core.verdicts import Verdict
    from explorer.device.d3d9 import D3D9Device
    from explorer.rules.d3d9_resource import Resource


def update_surface(device: D3D9Device, arguments: api.UpdateSurface, record: CallRecord) -> Verdict:
    """UpdateSurface: bytes of a rectangle go from system memory to the device."""
    source = _part(device, arguments.pSourceSurface, "pSourceSurface")
    target = _part(device, arguments.pDestinationSurface, "pDestinationSurface")
    verdict = judge(arguments, _ends(device, source, target), device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict, device.name(target.row))
    resource = device.things.of[source.row].resource
    size = box_bytes(resource, source.level, _box(arguments.pSourceRect, resource, source.level))
    _send(device, source.row, target.row, size, "UpdateSurface", "d3d9.R8.1")
    return verdict


def update_texture(device: D3D9Device, arguments: api.UpdateTexture, record: CallRecord) -> Verdict:
    """UpdateTexture: only the dirty region of the source moves, and it is clean afterwards (R7.11)."""
    _, source = device.state.find(arguments.pSourceTexture, "resource", where="input.pSourceTexture")
    _, target = device.state.find(arguments.pDestinationTexture, "resource", where="input.pDestinationTexture")
    a, b = device.things.of[source].resource, device.things.of[target].resource
    verdict = judge(arguments, TextureCopyState(a, b), device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict, device.name(target))
    if is_lost(device):
        return verdict
    dirty = device.things.dirty.pop(source, ())
    size = dirty_bytes(a, dirty, range(min(a.levels, b.levels)))
    if size:
        part = "all of it" if dirty == all_dirty(a) else "the part that had changed"
        _send(device, source, target, size, f"UpdateTexture, {part}", "d3d9.R7.11")
    return verdict


def stretch_rect(device: D3D9Device, arguments: api.StretchRect, record: CallRecord) -> Verdict:
    """StretchRect: the GPU reads one surface and writes the other."""
    source = _part(device, arguments.pSourceSurface, "pSourceSurface")
    target = _part(device, arguments.pDestSurface, "pDestSurface")
    verdict = judge(arguments, _ends(device, source, target), device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict, device.name(target.row))
    read = _gpu_bytes(device, source, arguments.pSourceRect)
    written = _gpu_bytes(device, target, arguments.pDestRect)
    how = f"the GPU read {read:,} B of {device.name(source.row)} and wrote {written:,} B"
    _tell(device, target.row, written, f"{how} (StretchRect)", "d3d9.R8.4")
    return verdict


def color_fill(device: D3D9Device, arguments: api.ColorFill, record: CallRecord) -> Verdict:
    """ColorFill: the GPU writes a rectangle."""
    part = _part(device, arguments.pSurface, "pSurface")
    verdict = judge(arguments, surface_of(device.things, part), device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict, device.name(part.row))
    size = _gpu_bytes(device, part, arguments.pRect)
    _tell(device, part.row, size, f"the GPU filled {size:,} B with one colour (ColorFill)", "d3d9.R8.6")
    return verdict


def generate_mips(device: D3D9Device, arguments: api.ObjectCall, record: CallRecord) -> Verdict:
    """GenerateMipSubLevels: the GPU reads the top level and writes the others; a managed texture is dirty all over."""
    part = _part(device, arguments.object, "object")
    verdict = judge(arguments, None, device.runtime, record.call)
    resource = device.things.of[part.row].resource
    if not resource.usage & api.Usage.AUTOGENMIPMAP:
        return verdict
    if part.row in device.managed:
        _all_dirty(device, part.row)
        return verdict
    levels = range(resource.stored_levels)
    read = _gpu_bytes(device, part, None)
    size = sum(box_bytes(resource, level, whole(resource, level)) for level in levels[1:]) * resource.faces
    if read:
        device.spend(gpu=cost.transfer_ns(size, device.segment_of(device.blocks_of[part.row][0]).bandwidth))
        how = f"the GPU made {len(levels) - 1} levels of {size:,} B"
        _tell(device, part.row, size, f"{how} (GenerateMipSubLevels)", "d3d9.R2.10")
    return verdict


def set_filter(device: D3D9Device, arguments: api.SetAutoGenFilterType, record: CallRecord) -> Verdict:
    """SetAutoGenFilterType: the levels of a managed texture have to be made anew, so it is dirty all over (R7.11)."""
    part = _part(device, arguments.object, "object")
    if device.things.of[part.row].resource.usage & api.Usage.AUTOGENMIPMAP and part.row in device.managed:
        _all_dirty(device, part.row)
    return judge(arguments, None, device.runtime, record.call)


def get_target_data(device: D3D9Device, arguments: api.GetRenderTargetData, record: CallRecord) -> Verdict:
    """GetRenderTargetData: waits until the target is drawn, and brings it to system memory."""
    lost = _lost(device)
    if lost is not None:
        return lost
    ends = [
        None if name is None else _part(device, name, key)
        for name, key in ((arguments.pRenderTarget, "pRenderTarget"), (arguments.pDestSurface, "pDestSurface"))
    ]
    verdict = judge(arguments, _ends(device, *ends), device.runtime)
    source, target = ends
    if not verdict.succeeded or source is None or target is None:
        return device.refuse(record, verdict)
    resource = device.things.of[source.row].resource
    block = device.blocks_of[source.row][0]
    if device.gpu.is_busy(block):
        device.wait_for(block, f"{device.name(source.row)}: GetRenderTargetData waited for its draws.", "d3d9.R8.5")
    system_memory.bring_in(device, device.blocks_of[target.row][0])
    size = box_bytes(resource, source.level, whole(resource, source.level))
    device.read_back(device.name(source.row), block, size, f"to {device.name(target.row)}", "d3d9.R8.5")
    if target.level == 0:
        # What came into a texture has not been sent on from it.
        mark_dirty(device, target.row, target.face, whole(device.things.of[target.row].resource))
    return verdict


def get_front_data(device: D3D9Device, arguments: api.GetFrontBufferData, record: CallRecord) -> Verdict:
    """GetFrontBufferData: slow by design; the front buffer comes to system memory."""
    lost = _lost(device)
    if lost is not None:
        return lost
    target = _part(device, arguments.pDestSurface, "pDestSurface")
    verdict = judge(arguments, _ends(device, None, target), device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict, device.name(target.row))
    front = device.shown.front if device.shown.front >= 0 else next(iter(device.shown.back), -1)
    if front >= 0:
        resource = device.things.of[target.row].resource
        block = device.blocks_of[front][0]
        size = box_bytes(resource, 0, whole(resource))
        device.read_back(device.name(front), block, size, f"to {device.name(target.row)}", "d3d9.copy.frontbuffer")
    return verdict


def _lost(device: D3D9Device) -> Verdict | None:
    if not is_lost(device):
        return None
    return refused([fault("R9.1", "reset the device first", hr="D3DERR_DEVICELOST")])


def _part(device: D3D9Device, name: str, key: str) -> Part:
    return find_surface(device.state, device.things, name, f"input.{key}")


def _ends(device: D3D9Device, source: Part | None, target: Part | None) -> CopyState:
    a, b = (None if part is None else surface_of(device.things, part) for part in (source, target))
    return CopyState(a, b, device.in_scene)


def _box(rect: api.Rect | None, resource: Resource, level: int) -> Box:
    return whole(resource, level) if rect is None else (rect.left, rect.top, 0, rect.right, rect.bottom, 1)


def _send(device: D3D9Device, source: int, target: int, size: int, how: str, rule: str) -> None:
    """Move bytes from a system copy to the device's; both are in use until the GPU has done it."""
    if is_lost(device):
        return
    state = device.state
    from_block = device.blocks_of[source][0]
    system_memory.bring_in(device, from_block)
    block = device.gpu_block(target)
    if block is None:
        return
    device.mark_used(target, block)
    device.gpu.hand_over(block, from_block)
    d3d9_loss.write_over(device, target)
    state.blocks["used_frame"][from_block] = state.log.frame
    state.blocks["state"][block] |= int(BlockState.MOVED_THIS_FRAME)
    name, where = device.name(target), device.segment_of(block).name
    text = f"{name}: {size:,} B from {device.name(source)} to {where} ({how})."
    state.log.add(EventKind.UPLOADED, name, where, size, rule=rule, text=text)
    device.spend(transfer=cost.transfer_ns(size, state.adapter.bus.to_gpu_bytes_per_s), cpu=cost.CPU_CALL_NS)


def _all_dirty(device: D3D9Device, row: int) -> None:
    for face, box in all_dirty(device.things.of[row].resource):
        mark_dirty(device, row, face, box)


def _tell(device: D3D9Device, row: int, size: int, how: str, rule: str) -> None:
    """Report what the GPU did to a surface; nothing where it did nothing, the device being lost."""
    if size:
        d3d9_loss.write_over(device, row)
        name, where = device.name(row), device.segment_of(device.blocks_of[row][0]).name
        device.state.log.add(EventKind.CHANGED, name, where, size, rule=rule, text=f"{name}: {how}.")


def _gpu_bytes(device: D3D9Device, part: Part, rect: api.Rect | None) -> int:
    """Let the GPU touch a rectangle of a surface; return its bytes, 0 where the GPU cannot."""
    if is_lost(device) or device.things.of[part.row].resource.pool in (Pool.SYSTEMMEM, Pool.SCRATCH):
        return 0
    block = device.gpu_block(part.row)
    if block is None:
        return 0
    device.mark_used(part.row, block)
    device.gpu.hand_over(block)
    resource = device.things.of[part.row].resource
    size = box_bytes(resource, part.level, _box(rect, resource, part.level))
    device.spend(gpu=cost.transfer_ns(size, device.segment_of(block).bandwidth), cpu=cost.CPU_CALL_NS)
    return size
