"""Locks of a D3D9 device: which pointer the application gets, what it waits for, and what an unlock moves.

Four kinds of pointer (rules d3d9.R6.3, R7.6; decision 120): ``system`` into the copy in system memory, ``direct`` into
memory that CPU and GPU share, ``temporary`` into a copy in system memory that is read back before and sent up after,
and ``dummy`` while the device is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core import d3d9 as api
from explorer.core.d3d9 import LockFlags, Pool
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, ResourceKind
from explorer.core.verdicts import Verdict
from explorer.device import cost, d3d9_loss, system_memory
from explorer.device.d3d9_lock_events import reads_write_only, tell_access, tell_lock
from explorer.device.d3d9_presentation import is_lost
from explorer.device.d3d9_things import Box, Held, Part, box_bytes, find_surface, joined, surface_of, whole
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d9 import BufferState, judge
from explorer.rules.d3d9_resource import SURFACES
from explorer.rules.d3d9_verdicts import fault, reason, refused

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.device.d3d9 import D3D9Device

_STAGING_ALIGNMENT = 16


def lock(device: D3D9Device, arguments: api.Lock, record: CallRecord) -> Verdict:
    """Lock a vertex or index buffer; locks of buffers nest (R7.7)."""
    _, row = device.state.find(arguments.object, "resource", where="input.object")
    resource = device.things.of[row].resource
    if not resource.is_buffer:
        return device.refuse(record, refused([fault("bind.type", "use LockRect or LockBox")]), device.name(row))
    verdict = judge(arguments, BufferState(resource, len(device.things.held.get(row, ()))), device.runtime)
    size = arguments.SizeToLock or resource.width - arguments.OffsetToLock
    box = (arguments.OffsetToLock, 0, 0, arguments.OffsetToLock + size, 1, 1)
    return _open(device, record, verdict, Part(row), box, int(arguments.Flags), arguments.access)


def lock_rect(device: D3D9Device, arguments: api.LockRect, record: CallRecord) -> Verdict:
    """LockRect of a surface or of a level of a texture."""
    part = find_surface(
        device.state, device.things, arguments.object, "input.object", arguments.Level, int(arguments.FaceType)
    )
    surface = surface_of(device.things, part)
    verdict = judge(arguments, surface, device.runtime)
    box, rect = whole(surface.resource, part.level), arguments.pRect
    if rect is not None:
        # XP accepts rectangles outside the level; nothing is moved there.
        box = (max(rect.left, 0), max(rect.top, 0), 0, max(rect.right, 0), max(rect.bottom, 0), 1)
    return _open(device, record, verdict, part, box, int(arguments.Flags), arguments.access)


def lock_box(device: D3D9Device, arguments: api.LockBox, record: CallRecord) -> Verdict:
    """LockBox of a volume or of a level of a volume texture."""
    part = find_surface(device.state, device.things, arguments.object, "input.object", arguments.Level)
    surface = surface_of(device.things, part)
    verdict = judge(arguments, surface, device.runtime)
    box, asked = whole(surface.resource, part.level), arguments.pBox
    if asked is not None:
        box = (asked.Left, asked.Top, asked.Front, asked.Right, asked.Bottom, asked.Back)
    return _open(device, record, verdict, part, box, int(arguments.Flags), arguments.access)


def unlock(device: D3D9Device, arguments: api.Unlock, record: CallRecord) -> Verdict:
    """Unlock a buffer: the last lock ends."""
    _, row = device.state.find(arguments.object, "resource", where="input.object")
    verdict = judge(arguments, BufferState(device.things.of[row].resource), device.runtime, record.call)
    locks = device.things.held.get(row, ())
    if locks:
        _close(device, row, locks[-1])
    return verdict


def unlock_surface(device: D3D9Device, arguments: api.UnlockRect | api.UnlockBox, record: CallRecord) -> Verdict:
    """UnlockRect or UnlockBox."""
    face = int(arguments.FaceType) if isinstance(arguments, api.UnlockRect) else 0
    part = find_surface(device.state, device.things, arguments.object, "input.object", arguments.Level, face)
    verdict = judge(arguments, surface_of(device.things, part), device.runtime, record.call)
    if not verdict.succeeded:
        return device.refuse(record, verdict, device.name(part.row))
    held = [one for one in device.things.held.get(part.row, ()) if (one.level, one.face) == (part.level, part.face)]
    if held:
        _close(device, part.row, held[-1])
    return verdict


def add_dirty(device: D3D9Device, arguments: api.AddDirtyRect | api.AddDirtyBox, record: CallRecord) -> Verdict:
    """AddDirtyRect or AddDirtyBox: a part of level 0 counts as changed (R7.11)."""
    _, row = device.state.find(arguments.object, "resource", where="input.object")
    resource = device.things.of[row].resource
    face, box = 0, whole(resource)
    if isinstance(arguments, api.AddDirtyRect):
        face, rect = int(arguments.FaceType), arguments.pDirtyRect
        if rect is not None:
            box = (max(rect.left, 0), max(rect.top, 0), 0, max(rect.right, 0), max(rect.bottom, 0), 1)
    elif arguments.pDirtyBox is not None:
        asked = arguments.pDirtyBox
        box = (asked.Left, asked.Top, asked.Front, asked.Right, asked.Bottom, asked.Back)
    mark_dirty(device, row, face, box)
    return judge(arguments, None, device.runtime, record.call)


def mark_dirty(device: D3D9Device, row: int, face: int, box: Box) -> None:
    """Note a change of a master or of an update source that the device's copy lacks."""
    things, state = device.things, device.state
    resource = things.of[row].resource
    if row in device.managed:
        state.blocks["state"][device.managed.master_of(row)] |= int(BlockState.DIRTY)
        if device.managed.copy_of(row) is None:
            # The next use uploads everything anyway.
            return
    elif resource.pool != Pool.SYSTEMMEM or not resource.is_texture:
        return
    things.dirty[row] = joined(things.dirty.get(row, ()), face, box)


def drop_locks(device: D3D9Device, row: int) -> None:
    """End the locks of a resource that is destroyed: temporary copies go."""
    for held in device.things.held.pop(row, ()):
        if held.staging >= 0:
            device.free_block(held.staging, "d3d9.R6.3")


# Inside --------------------------------------------------------------------------------------------------------


def pointer_of(device: D3D9Device, row: int) -> str:
    """Return which kind of pointer a lock of a resource gives."""
    thing = device.things.of[row]
    if is_lost(device) and thing.resource.pool == Pool.DEFAULT:
        return "dummy"
    if thing.resource.pool != Pool.DEFAULT or thing.segment == "system" or row in device.things.on_cpu:
        return "system"
    return "direct" if thing.resource.is_dynamic else "temporary"


def _open(
    device: D3D9Device, record: CallRecord, verdict: Verdict, part: Part, box: Box, flags: int, access: str | None
) -> Verdict:
    if not verdict.succeeded:
        return device.refuse(record, verdict, device.name(part.row))
    # A pair of calls for every few bytes adds up (R6.5).
    device.spend(cpu=cost.CPU_CALL_NS)
    row = part.row
    resource = device.things.of[row].resource
    pointer = pointer_of(device, row)
    size = box_bytes(resource, part.level, box)
    values: dict[str, object] = {"pointer": pointer, "waited": False}
    staging, rules = -1, list[str]()
    if _must_not_wait(device, row, flags) and device.gpu.is_busy(device.blocks_of[row][0]):
        busy = refused([fault("R7.5", "try again later", hr="D3DERR_WASSTILLDRAWING")])
        return device.refuse(record, busy, device.name(row))
    if pointer == "system":
        rules += _open_system(device, row, values)
    elif pointer == "direct":
        rules += _open_direct(device, row, flags, box, values)
    elif pointer == "temporary":
        made = _open_temporary(device, row, size, values)
        if isinstance(made, Refusal):
            return device.out_of_memory(record, "SYSTEM", made)
        staging = made
        rules.append("R3.5" if resource.is_buffer and not resource.usage & api.Usage.WRITEONLY else "R6.3")
    else:
        rules.append("R9.5")
    block = staging if staging >= 0 else device.blocks_of[row][0]
    values["segment"] = device.segment_of(block).name
    values["address"] = int(device.state.blocks["offset"][block]) + (box[0] if resource.is_buffer else 0)
    tell_lock(device, row, pointer, flags, box, values)
    if reads_write_only(flags, resource.usage):
        rules.append("R3.6")
    said = access or ("sequential read" if flags & LockFlags.READONLY else "sequential write")
    held = Held(part.level, part.face, flags, box, pointer, staging, said)
    device.things.held[row] = (*device.things.held.get(row, ()), held)
    reasons = (*verdict.reasons, *(reason(rule) for rule in rules))
    return Verdict(verdict.hr, tuple(dict.fromkeys(reasons)), {**verdict.values, **values})


def _must_not_wait(device: D3D9Device, row: int, flags: int) -> bool:
    """Return whether DONOTWAIT counts: it is a flag of surfaces, not of textures and buffers (R7.5)."""
    return bool(flags & LockFlags.DONOTWAIT) and device.things.of[row].resource.kind in SURFACES


def _open_system(device: D3D9Device, row: int, values: dict[str, object]) -> list[str]:
    block = device.blocks_of[row][0]
    system_memory.bring_in(device, block)
    device.state.blocks["used_frame"][block] = device.state.log.frame
    if device.gpu.is_busy(block):
        # An update from it is still pending.
        device.wait_for(block, f"{device.name(row)}: the lock waited for a pending copy out of it.", "d3d9.R2.4")
        values["waited"] = True
        return ["R2.4"]
    return ["R5.12"] if row in device.managed and device.things.of[row].resource.is_buffer else []


def _open_direct(device: D3D9Device, row: int, flags: int, box: Box, values: dict[str, object]) -> list[str]:
    """Give a pointer into shared memory: appended, renamed, or after waiting."""
    block = device.blocks_of[row][0]
    appends = bool(flags & LockFlags.NOOVERWRITE)
    values["write_visible_to_pending_draw"] = appends
    if appends:
        _append(device, row, block, box)
        return ["R6.4", "R6.5"]
    device.things.appended.pop(row, None)
    if flags & LockFlags.DISCARD:
        if device.gpu.is_busy(block) and not rename(device, row):
            _wait(device, row, block, values)
        values["discarded"] = True
        return ["R6.4", "R6.9"]
    if device.gpu.is_busy(block) and not flags & LockFlags.READONLY:
        _wait(device, row, block, values)
    return ["R6.4", "R6.2"]


def _append(device: D3D9Device, row: int, block: int, box: Box) -> None:
    """Note what NOOVERWRITE will write; bytes that a pending draw still reads are the hazard that they are (R7.6)."""
    start, end = box[0], box[3]
    # What was written before the work that is done was drawn by it; a program draws what it appended once.
    recent = [one for one in device.things.appended.get(row, ()) if one[2] >= device.gpu.completed]
    last = device.gpu.last_work(block)
    hit = [one for one in recent if one[0] < end and start < one[1] and last > max(one[2], device.gpu.completed)]
    if hit:
        low, high = max(start, hit[0][0]), min(end, hit[0][1])
        text = (
            f"{device.name(row)}: NOOVERWRITE promises not to touch what the GPU still reads, but bytes {low:,} to "
            f"{high:,} were written for a draw that is still pending; it may see the new data."
        )
        where = device.segment_of(block).name
        device.state.log.add(EventKind.HAZARD, device.name(row), where, high - low, rule="d3d9.R7.6", text=text)
    device.things.appended[row] = (*recent, (start, end, device.gpu.submitted))


def _wait(device: D3D9Device, row: int, block: int, values: dict[str, object]) -> None:
    device.wait_for(block, f"{device.name(row)}: the lock waited until the GPU was done with it.", "d3d9.R6.2")
    values["waited"] = True


def rename(device: D3D9Device, row: int) -> bool:
    """Give a resource a block that the GPU does not read; False when there is no room for another one."""
    state, blocks = device.state, device.blocks_of[row]
    fresh = next((block for block in blocks[1:] if not device.gpu.is_busy(block)), None)
    if fresh is None:
        thing = device.things.of[row]
        group = device.segment_of(blocks[0]).group
        kind = int(state.blocks["kind"][blocks[0]])
        taken = state.take(group, thing.layout.size_bytes, thing.layout.alignment, kind)
        if isinstance(taken, Refusal):
            return False
        fresh = device.add_block(row, kind, thing.layout, taken, int(BlockState.RESIDENT), reason("R7.6"))
        blocks.append(fresh)
    blocks.remove(fresh)
    blocks.insert(0, fresh)
    size = int(state.blocks["size"][fresh])
    text = (
        f"{device.name(row)}: the GPU still reads the old contents, DISCARD gives another block "
        f"({len(blocks)} of {size:,} B)."
    )
    where = device.segment_of(fresh).name
    state.log.add(EventKind.RENAMED, device.name(row), where, size, rule="d3d9.R7.6", text=text)
    return True


def _open_temporary(device: D3D9Device, row: int, size: int, values: dict[str, object]) -> int | Refusal:
    """Make the temporary copy; without WRITEONLY the contents are read back into it (R3.5, R6.3)."""
    state = device.state
    taken = system_memory.take(device, max(size, 1), _STAGING_ALIGNMENT)
    if isinstance(taken, Refusal):
        return taken
    segment, place = taken
    staging = state.add_block(
        segment, -1, place.address, place.size, asked=size, alignment=_STAGING_ALIGNMENT,
        kind=int(ResourceKind.READBACK), state=0, resource=row, pad_before=place.padding_before,
        rounding=place.rounding,
    )  # fmt: skip
    state.blocks["used_frame"][staging] = state.log.frame
    name, block = device.name(row), device.blocks_of[row][0]
    text = f"{name}: {place.size:,} B in {state.segments[segment].name} for the time of the lock."
    state.log.add(EventKind.ALLOCATED, name, state.segments[segment].name, place.size, rule="d3d9.R6.3", text=text)
    if device.gpu.is_busy(block):
        _wait(device, row, block, values)
    write_only = bool(device.things.of[row].resource.usage & api.Usage.WRITEONLY)
    values["read_back_bytes"] = 0 if write_only else size
    if not write_only:
        rule = "d3d9.R3.5" if device.things.of[row].resource.is_buffer else "d3d9.R6.3"
        device.read_back(name, block, size, "before the lock, since the resource is not write-only", rule)
    return staging


def _close(device: D3D9Device, row: int, held: Held) -> None:
    """End a lock: let the CPU's work take its time, and move what has to move."""
    state, things = device.state, device.things
    thing = things.of[row]
    locks = tuple(one for one in things.held[row] if one is not held)
    if locks:
        things.held[row] = locks
    else:
        del things.held[row]
    size = box_bytes(thing.resource, held.level, held.box)
    tell_access(device, row, held, size)
    writes = not held.flags & LockFlags.READONLY
    if writes and row in things.lost:
        d3d9_loss.write_over(device, row)
    if held.staging >= 0:
        device.free_block(held.staging, "d3d9.R6.3")
        if writes and not is_lost(device):
            where = device.segment_of(device.blocks_of[row][0]).name
            text = f"{device.name(row)}: {size:,} B sent to {where} at the unlock."
            state.log.add(EventKind.UPLOADED, device.name(row), where, size, rule="d3d9.R6.3", text=text)
            device.spend(transfer=cost.transfer_ns(size, state.adapter.bus.to_gpu_bytes_per_s))
            state.blocks["state"][device.blocks_of[row][0]] |= int(BlockState.MOVED_THIS_FRAME)
    elif held.pointer == "system" and writes and not held.flags & LockFlags.NO_DIRTY_UPDATE and held.level == 0:
        mark_dirty(device, row, held.face, held.box)
