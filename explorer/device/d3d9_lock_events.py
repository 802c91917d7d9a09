"""What a lock of a D3D9 device tells: which pointer the CPU got, and what its accesses through it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.d3d9 import LockFlags, Pool, Usage
from explorer.core.events import EventKind
from explorer.device import cost

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.device.d3d9 import D3D9Device
    from explorer.device.d3d9_things import Box, Held

WC_READ = "device.wc-read"
_SYSTEM_RULES = {Pool.MANAGED: "R2.3", Pool.SYSTEMMEM: "R2.4", Pool.SCRATCH: "R2.5"}


def tell_lock(device: D3D9Device, row: int, pointer: str, flags: int, box: Box, values: Mapping[str, object]) -> None:
    """Report which pointer a lock gave, and where to.

    Args:
        device: The device.
        row: Row of the resource.
        pointer: ``system``, ``direct``, ``temporary`` or ``dummy``.
        flags: D3DLOCK bits.
        box: What was locked.
        values: Out values of the lock.
    """
    name, where = device.name(row), str(values["segment"])
    resource = device.things.of[row].resource
    if pointer == "direct":
        rule, text = _direct(flags, box, values)
        if flags & LockFlags.READONLY and device.segment_of(device.blocks_of[row][0]).group == "NON_LOCAL":
            rule = "R4.3"
    elif pointer == "temporary":
        read = int(str(values["read_back_bytes"]))
        rule = "R6.3"
        text = "temporary copy" + (f", {read:,} B were read back into it" if read else "; it is write-only")
    elif pointer == "dummy":
        rule, text = "R9.5", "dummy memory: the device is lost"
    else:
        rule = _SYSTEM_RULES.get(Pool(resource.pool), "R3.2")
        text = "system copy"
    waited = " after a wait for the GPU" if values["waited"] else ""
    size = box[3] - box[0] if resource.is_buffer else 0
    device.state.log.add(EventKind.CHANGED, name, where, max(size, 0), rule=f"d3d9.{rule}",
                         text=f"{name}: locked{waited} in {where}, {text}.")  # fmt: skip


def _direct(flags: int, box: Box, values: Mapping[str, object]) -> tuple[str, str]:
    if flags & LockFlags.NOOVERWRITE:
        return "R6.5", f"direct pointer: NOOVERWRITE appends bytes {box[0]:,} to {box[3]:,}"
    if values.get("discarded"):
        return "R6.9", f"direct pointer: DISCARD gives the block at 0x{int(str(values['address'])):X}"
    return "R6.2", "direct pointer to the block that the GPU uses"


def tell_access(device: D3D9Device, row: int, held: Held, size: int) -> None:
    """Let the CPU's work in a lock take its time; what write-combined memory makes slow is told (R6.3, R6.4)."""
    combined = held.pointer == "direct" and device.things.of[row].segment != "uma_system"
    device.spend(cpu=cost.access_ns(size, "WC" if combined else "WB", held.access))
    if not combined or held.access not in ("random write", "sequential read", "random read"):
        return
    name, where = device.name(row), device.segment_of(device.blocks_of[row][0]).name
    if held.access == "random write":
        rule, what = "d3d9.R6.4", "written to {} in no order, each line read and written whole"
    else:
        rule, what = WC_READ, "read from {}, which no cache serves"
    text = f"{name}: {size:,} B were {what.format(where)}."
    device.state.log.add(EventKind.STALLED, name, where, size, rule=rule, text=text)


def reads_write_only(flags: int, usage: int) -> bool:
    """Return whether a lock reads what was created to be written alone; it gets the old data (rule d3d9.R3.6)."""
    return bool(flags & LockFlags.READONLY and usage & Usage.WRITEONLY)
