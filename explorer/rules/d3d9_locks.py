"""Locking and unlocking of surfaces, volumes and buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.d3d9 import Box, Lock, LockBox, LockFlags, LockRect, Pool, Rect, Unlock, UnlockBox, UnlockRect
from explorer.rules.d3d9_resource import Resource, Surface
from explorer.rules.d3d9_runtime import DEFAULT, Runtime
from explorer.rules.d3d9_sizes import device_row_pitch, lock_offset, row_pitch, texels
from explorer.rules.d3d9_verdicts import Fault, fault, granted, refused

if TYPE_CHECKING:
    from explorer.core.verdicts import Verdict

KNOWN_FLAGS = int(sum(LockFlags))
HINTS = int(LockFlags.DISCARD | LockFlags.NOOVERWRITE)


@dataclass(frozen=True, slots=True)
class BufferState:
    """A vertex or index buffer at the time of a call.

    Attributes:
        resource: The buffer.
        locks: How often it is locked now; locks of buffers nest.
    """

    resource: Resource
    locks: int = 0


def is_lockable(resource: Resource, runtime: Runtime = DEFAULT) -> bool:
    """Return whether the CPU can lock a resource at all (rules d3d9.R7.2, d3d9.R7.10)."""
    if resource.pool != Pool.DEFAULT or resource.is_buffer or resource.kind == "offscreen_plain_surface":
        return True
    if resource.multisample:
        return False
    info = resource.info
    if resource.is_texture:
        vendor = resource.kind != "volume_texture" and (info is None or info.vendor)
        return resource.is_dynamic or (vendor and not resource.is_target)
    if resource.kind == "back_buffer":
        return runtime.lockable_back_buffer
    if resource.kind == "render_target":
        return resource.lockable
    return info is not None and info.lockable


def _unlockable(resource: Resource, runtime: Runtime) -> Fault | None:
    if is_lockable(resource, runtime):
        return None
    if resource.multisample or resource.kind == "back_buffer":
        return fault("R7.10", "present it, or read it back with GetRenderTargetData")
    if resource.kind == "render_target":
        return fault("R7.2", "create it with Lockable TRUE")
    if resource.kind == "depth_stencil_surface":
        return fault("R7.2", "create it in a lockable format such as D3DFMT_D16_LOCKABLE")
    return fault("R7.2", "create it with D3DUSAGE_DYNAMIC, or update it with UpdateTexture from D3DPOOL_SYSTEMMEM")


def _with_flags(flags: int) -> dict[str, object]:
    return {"Flags": LockFlags(flags).constants}


def _flags(flags: int, resource: Resource, runtime: Runtime) -> list[Fault]:
    faults: list[Fault] = []
    if not runtime.xp:
        unknown = flags & ~KNOWN_FLAGS
        if unknown:
            faults.append(fault("R7.4", f"remove 0x{unknown:X}", _with_flags(flags & ~unknown)))
        both = int(LockFlags.READONLY | LockFlags.DISCARD)
        if flags & both == both:
            rest = flags & ~int(LockFlags.DISCARD)
            faults.append(fault("R7.4", "remove D3DLOCK_DISCARD", _with_flags(rest)))
    if not resource.is_buffer and flags & LockFlags.NOOVERWRITE:
        rest = flags & ~int(LockFlags.NOOVERWRITE)
        faults.append(fault("lock.nooverwrite", "remove D3DLOCK_NOOVERWRITE", _with_flags(rest)))
    if runtime.debug and flags & HINTS and not resource.is_dynamic:
        faults.append(fault("R7.3", "remove D3DLOCK_DISCARD and D3DLOCK_NOOVERWRITE", _with_flags(flags & ~HINTS)))
    return faults


def _discard(flags: int, surface: Surface, whole: bool) -> Fault | None:
    resource = surface.resource
    if not flags & LockFlags.DISCARD or resource.pool != Pool.DEFAULT or not resource.is_dynamic:
        return None
    if surface.level == 0 and whole:
        return None
    rest = _with_flags(flags & ~int(LockFlags.DISCARD))
    return fault("lock.discard", "remove D3DLOCK_DISCARD, or lock all of level 0", rest)


def _level(surface: Surface) -> Fault | None:
    resource = surface.resource
    if surface.level < resource.levels and surface.face < resource.faces:
        return None
    return fault("lock.level", "name a level that exists", {"Level": resource.levels - 1})


def cuts_blocks(resource: Resource, level: int, rect: tuple[int, int, int, int]) -> bool:
    """Return whether a rectangle (left, top, right, bottom) cuts a block of the format (rule d3d9.R11.4)."""
    info = resource.info
    if info is None or info.vendor or info.kind not in ("block", "packed"):
        return False
    left, top, right, bottom = rect
    width, height, _ = resource.level_size(level)
    across = left % info.block_width or (right % info.block_width and right != width)
    down = top % info.block_height or (bottom % info.block_height and bottom != height)
    return bool(across or down)


def rect_inside(rect: tuple[int, int, int, int], width: int, height: int) -> bool:
    """Return whether a rectangle (left, top, right, bottom) is not empty and lies inside an area."""
    left, top, right, bottom = rect
    return 0 <= left < right <= width and 0 <= top < bottom <= height


def _rect(rect: Rect, surface: Surface, runtime: Runtime) -> list[Fault]:
    resource = surface.resource
    width, height = surface.size
    edges = (rect.left, rect.top, rect.right, rect.bottom)
    faults: list[Fault] = []
    if not runtime.xp and not rect_inside(edges, width, height):
        faults.append(fault("R7.9", "lock the whole level", {"pRect": None}))
    if resource.pool == Pool.DEFAULT and cuts_blocks(resource, surface.level, edges):
        faults.append(fault("R11.4", "lock the whole level", {"pRect": None}))
    return faults


def _box(box: Box, surface: Surface) -> list[Fault]:
    resource = surface.resource
    width, height, depth = resource.level_size(surface.level)
    edges = (box.Left, box.Top, box.Right, box.Bottom)
    faults: list[Fault] = []
    if not rect_inside(edges, width, height) or not 0 <= box.Front < box.Back <= depth:
        faults.append(fault("R7.9", "lock the whole level", {"pBox": None}))
    if cuts_blocks(resource, surface.level, edges):
        faults.append(fault("R11.4", "lock the whole level", {"pBox": None}))
    return faults


def _locked(surface: Surface) -> Fault | None:
    return fault("R7.7", "unlock it first") if surface.locked else None


def lock_pitch(surface: Surface) -> int:
    """Return the pitch that a lock answers, in bytes; that of video memory is a model (decision 040)."""
    resource = surface.resource
    if resource.pool != Pool.DEFAULT:
        return row_pitch(resource, surface.level)
    return device_row_pitch(resource, surface.level)


def judge_lock_rect(arguments: LockRect, state: Surface, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what LockRect answers.

    Values: ``Pitch`` and, for CPU-visible copies, ``offset`` of the pointer from the start of the level.
    """
    flags, rect, resource = int(arguments.Flags), arguments.pRect, state.resource
    found = [_unlockable(resource, runtime), _level(state), _locked(state), _discard(flags, state, rect is None)]
    faults = [item for item in found if item is not None] + _flags(flags, resource, runtime)
    if rect is not None:
        faults += _rect(rect, state, runtime)
    if faults:
        return refused(faults)
    values: dict[str, object] = {"Pitch": lock_pitch(state)}
    if resource.pool != Pool.DEFAULT:
        values["offset"] = lock_offset(resource, state.level, rect.left, rect.top) if rect else 0
    return granted(*_permits(flags, resource, runtime, bad=rect is not None), values=values)


def judge_lock_box(arguments: LockBox, state: Surface, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what LockBox answers; values as for LockRect, and ``SlicePitch``."""
    flags, box, resource = int(arguments.Flags), arguments.pBox, state.resource
    found = [_unlockable(resource, runtime), _level(state), _locked(state), _discard(flags, state, box is None)]
    faults = [item for item in found if item is not None] + _flags(flags, resource, runtime)
    if box is not None:
        faults += _box(box, state)
    if faults:
        return refused(faults)
    pitch = lock_pitch(state)
    _, height, _ = resource.level_size(state.level)
    rows = texels(resource, cpu=resource.pool != Pool.DEFAULT).rows(height)
    values: dict[str, object] = {"RowPitch": pitch, "SlicePitch": pitch * rows}
    if resource.pool != Pool.DEFAULT:
        values["offset"] = lock_offset(resource, state.level, box.Left, box.Top, box.Front) if box else 0
    return granted(*_permits(flags, resource, runtime, bad=False), values=values)


def judge_lock(arguments: Lock, state: BufferState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what Lock of a buffer answers.

    Values: ``offset`` of the pointer from the start of the buffer, ``alignment`` of the pointer to its start.
    """
    flags, resource = int(arguments.Flags), state.resource
    faults = _flags(flags, resource, runtime)
    if arguments.OffsetToLock + arguments.SizeToLock > resource.width:
        faults.append(fault("lock.range", "lock the whole buffer", {"OffsetToLock": 0, "SizeToLock": 0}))
    if faults:
        return refused(faults)
    values = {"offset": arguments.OffsetToLock}
    return granted(*_permits(flags, resource, runtime, bad=False), "R7.12", values=values)


def _permits(flags: int, resource: Resource, runtime: Runtime, *, bad: bool) -> tuple[str, ...]:
    names = ["ok.lock", "R7.2"]
    if resource.kind == "back_buffer":
        names.append("R7.10")
    if resource.pool == Pool.MANAGED:
        names.append("R2.3")
    if resource.is_buffer and resource.pool == Pool.DEFAULT:
        names.append("R6.3")
    if flags & HINTS:
        names.append("R7.3" if not resource.is_dynamic else "R7.6")
    if bad and runtime.xp:
        names.append("R7.9")
    if resource.pool != Pool.DEFAULT and not resource.is_buffer:
        names.append("R10.5" if resource.user_memory else "R11.2")
        if resource.info is not None and resource.info.vendor:
            names.append("R11.5")
    return tuple(names)


def judge_unlock_surface(arguments: UnlockRect | UnlockBox, state: Surface, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what UnlockRect or UnlockBox answers."""
    found = [_unlockable(state.resource, runtime), _level(state)]
    faults = [item for item in found if item is not None]
    if not faults and not state.locked and state.resource.kind != "texture":
        faults = [fault("R7.8", "lock it first")]
    if faults:
        return refused(faults)
    return granted("ok.unlock") if state.locked else granted("R7.8")


def judge_unlock(arguments: Unlock, state: BufferState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what Unlock of a buffer answers."""
    return granted("ok.unlock", "R7.7")
