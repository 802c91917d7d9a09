"""How a D3D9 device is lost: the focus, a power event, and on 9Ex a hang or a removed adapter (rules R9.1, ex.lost)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.core.d3d9 import Pool
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState, ResourceKind
from explorer.device import system_memory
from explorer.rules.d3d9_device import HUNG, LOST, NOT_RESET, OPERATIONAL, REMOVED

if TYPE_CHECKING:
    from explorer.device.d3d9 import D3D9Device

FOCUS = ("lost", "regained")
"""Values of the device option ``focus``, which a scenario sets at a moment: the window loses or regains it."""

WORKS, POWER_EVENT = "works", "power_event"

_RESIDENT = int(BlockState.RESIDENT)
_TARGETS = (int(ResourceKind.RENDER_TARGET), int(ResourceKind.DEPTH_STENCIL))


def hardware_values(device: D3D9Device) -> tuple[str, ...]:
    """Return the values of the device option ``hardware``: what happens to the adapter at a moment."""
    return (WORKS, HUNG, REMOVED) if device.runtime.ex else (WORKS, POWER_EVENT)


def set_focus(device: D3D9Device, value: str) -> None:
    """Let the window lose or regain the focus; a full-screen device of plain D3D9 is lost with it."""
    shown, log = device.shown, device.state.log
    if value == "regained":
        status = NOT_RESET if shown.status == LOST else shown.status
        device.shown = replace(shown, focused=True, status=status)
        rule = "d3d9.R9.1" if status == NOT_RESET else "d3d9.R9.6"
        text = "The window has the focus again" + ("; the device waits for Reset." if status == NOT_RESET else ".")
        log.add(EventKind.CHANGED, shown.name, rule=rule, text=text)
        return
    device.shown = replace(shown, focused=False)
    if device.runtime.ex or shown.windowed:
        rule = "d3d9.R10.3" if device.runtime.ex else "d3d9.R9.6"
        log.add(EventKind.CHANGED, shown.name, rule=rule, text="The window lost the focus; the device does not mind.")
    elif shown.status == OPERATIONAL:
        _lose(device, LOST, "The full-screen window lost the focus: the device is lost.")


def set_hardware(device: D3D9Device, value: str) -> None:
    """Let something happen to the adapter; a device that is lost already does not notice."""
    if device.shown.status != OPERATIONAL or value == WORKS:
        return
    if value == POWER_EVENT:
        # What had the screen before has it again: there is nothing to wait for but Reset.
        status = NOT_RESET if device.shown.focused or device.shown.windowed else LOST
        _lose(device, status, "The machine slept: the device is lost, in a window too.")
    elif value == HUNG:
        _lose(device, HUNG, "The hardware hung and was restarted: ResetEx lets the device go on.")
    else:
        _lose(device, REMOVED, "The driver was stopped or the adapter removed: a new device is needed.")


def _lose(device: D3D9Device, status: str, what: str) -> None:
    """Lose the device: what lies in local and AGP memory is void; masters and system memory are not (R9.3, R4.4)."""
    state, things = device.state, device.things
    device.shown = replace(device.shown, status=status)
    gone = [row for row, thing in things.of.items() if thing.resource.pool == Pool.DEFAULT]
    kind = EventKind.DEVICE_REMOVED if status == REMOVED else EventKind.DEVICE_LOST
    rule = "d3d9.ex.lost" if device.runtime.ex else "d3d9.R9.1"
    text = (
        f"{what} The contents of local and non-local video memory are gone, {len(gone)} DEFAULT resources among them; "
        "what is in system memory stays."
    )
    event = state.log.add(kind, device.shown.name, rule=rule, text=text)
    before = state.log.because(event.number)
    _tell_lost_bytes(device, gone)
    device.managed.evict_all(device, "the loss of the device", "d3d9.R5.4")
    if status == LOST:
        # Windows takes the RAM of a program whose window is minimised (decision 123).
        system_memory.trim(device, frozenset(things.held), "d3d9.R5.4", "while another program has the screen")
    state.log.because(before)
    things.lost |= set(gone)
    for row in gone:
        state.resources["resident"][row] = False
        for block in device.blocks_of[row]:
            state.blocks["state"][block] &= 0xFF & ~_RESIDENT


def _tell_lost_bytes(device: D3D9Device, gone: list[int]) -> None:
    """Report what was lost in each segment: the contents of AGP memory go like those of local memory (R4.4)."""
    state, sums = device.state, dict[int, list[int]]()
    for row in gone:
        for block in device.blocks_of[row]:
            found = sums.setdefault(int(state.blocks["segment"][block]), [0, 0])
            found[0] += 1
            found[1] += int(state.blocks["size"][block])
    for segment, (count, size) in sorted(sums.items()):
        where = state.segments[segment]
        rule = "d3d9.R4.4" if where.group == "NON_LOCAL" else "d3d9.R6.1"
        text = f"What {count:,} blocks of {size:,} B in {where.name} held is gone; the application writes it anew."
        state.log.add(EventKind.CHANGED, device.shown.name, where.name, size, rule=rule, text=text)


def make_reachable(device: D3D9Device) -> None:
    """Let the resources of a 9Ex device be used again after ResetEx; their contents stay lost until written."""
    state = device.state
    for row in sorted(device.things.lost):
        if device.virtual.place_of(device, row) == "disk":
            continue
        state.resources["resident"][row] = True
        for block in device.blocks_of[row]:
            state.blocks["state"][block] |= _RESIDENT


def write_over(device: D3D9Device, row: int) -> None:
    """Note that a resource gets new contents."""
    if device.shown.status == OPERATIONAL:
        device.things.lost -= {row}


def look_at_contents(device: D3D9Device, row: int, kind: int) -> None:
    """Report the use of a resource whose contents went with a hang; a target is written by the draw."""
    if kind in _TARGETS:
        write_over(device, row)
    elif int(device.state.resources["used_frame"][row]) != device.state.log.frame:
        name = device.name(row)
        text = f"{name}: its contents were lost with the hang and nobody has written new ones."
        device.state.log.add(EventKind.HAZARD, name, rule="d3d9.ex.lost", text=text)
