"""Point sprites, N-patches and rectangle patches where the hardware lacks them (rules d3d9.R3.2, R3.3).

The CPU then makes the vertices. A buffer that announced it lies in system memory from the start; one that did not is
read out of video memory once, and the driver keeps it in system memory for the frames that follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.events import EventKind
from explorer.core.kinds import BlockState
from explorer.device import cost, system_memory
from explorer.memory.allocators.protocol import Refusal

if TYPE_CHECKING:
    from explorer.device.d3d9 import D3D9Device


def software_operation(device: D3D9Device, call: str) -> str:
    """Return which operation of a draw the CPU has to do, or an empty text."""
    runtime, states = device.runtime, device.render_states
    if call == "DrawRectPatch" and not runtime.rt_patches:
        return "patches"
    if states.get("NPATCHES", 0) >= 1 and not runtime.n_patches:
        return "N-patches"
    return "point sprites" if states.get("POINTSPRITEENABLE", 0) and not runtime.point_sprites else ""


def draw_on_cpu(device: D3D9Device, row: int, operation: str) -> None:
    """Draw from a vertex buffer whose vertices the CPU processes."""
    state, things = device.state, device.things
    managed = row in device.managed
    block = device.managed.master_of(row) if managed else device.blocks_of[row][0]
    size = int(state.blocks["size"][block])
    system_memory.bring_in(device, block)
    if not managed and device.segment_of(block).group in ("LOCAL", "NON_LOCAL"):
        text = f"with the CPU, which makes its {operation}; the hardware cannot"
        device.wait_for(block, f"{device.name(row)}: the driver needs its vertices for {operation}.", "d3d9.R3.3")
        device.read_back(device.name(row), block, size, text, "d3d9.R3.3")
    if row not in things.on_cpu and (managed or device.segment_of(block).group != "SYSTEM"):
        device.pending_moves = (*device.pending_moves, row)
    device.mark_used(row, block)
    cpu, transfer = cost.software_vertices_ns(size, state.adapter.bus.to_gpu_bytes_per_s)
    device.spend(cpu=cpu, transfer=transfer)


def move_seen(device: D3D9Device) -> None:
    """At the end of the frame: move the buffers in which the driver saw the operation, for later frames (R3.3)."""
    moves, device.pending_moves = dict.fromkeys(device.pending_moves), ()
    for row in moves:
        if row in device.things.of and row not in device.things.on_cpu:
            _move(device, row)


def _move(device: D3D9Device, row: int) -> None:
    state = device.state
    name = device.name(row)
    if row in device.managed:
        block = device.managed.master_of(row)
        device.managed.evict_one(row, "d3d9.R3.3", "since the CPU makes its vertices from the master")
    else:
        block = device.blocks_of[row][0]
        taken = system_memory.take(device, int(state.blocks["size"][block]), int(state.blocks["alignment"][block]))
        if isinstance(taken, Refusal):
            return
        for version in device.blocks_of[row][1:]:
            device.free_block(version, "d3d9.R3.3")
        device.blocks_of[row] = [block]
        system_memory.move_block(state, block, *taken)
        device.gpu.forget(block)
        device.virtual.forget(row)
    device.things.on_cpu |= {row}
    state.blocks["state"][block] |= int(BlockState.MOVED_THIS_FRAME)
    size, where = int(state.blocks["size"][block]), device.segment_of(block).name
    text = (
        f"{name}: the driver saw that the CPU has to process its vertices and keeps it in {where} for later frames; "
        "the usage flag would have told it before."
    )
    state.log.add(EventKind.DEMOTED, name, where, size, rule="d3d9.R3.3", text=text)
    device.spend(cpu=cost.CPU_CALL_NS)
