"""System memory with the page file behind it, for blocks that lie directly in a segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.events import EventKind
from explorer.device import cost
from explorer.memory.allocators.protocol import Refusal

if TYPE_CHECKING:
    from explorer.device.device import Device
    from explorer.device.memory_state import MemoryState
    from explorer.memory.segments import Taken

RULE = "d3d9.R5.4"
"""Masters may have been paged to disk. Which ones leave first is a modelling choice: the longest unused."""


def take(device: Device, size: int, alignment: int) -> tuple[int, Taken] | Refusal:
    """Hold bytes of system memory; when it is full the longest unused blocks go to the page file.

    Returns:
        The segment's index and the range, or why even that did not help.
    """
    state = device.state
    taken = state.take("SYSTEM", size, alignment)
    while isinstance(taken, Refusal):
        if not _page_out_oldest(device):
            return taken
        taken = state.take("SYSTEM", size, alignment)
    return taken


def bring_in(device: Device, block: int) -> bool:
    """Bring a block back from the page file; False when system memory has no room for it at all."""
    state = device.state
    if state.segments[int(state.blocks["segment"][block])].group != "PAGE_FILE":
        return True
    size, alignment = int(state.blocks["size"][block]), int(state.blocks["alignment"][block])
    # Marked used first: it must not be the one that leaves.
    state.blocks["used_frame"][block] = state.log.frame
    taken = take(device, size, alignment)
    if isinstance(taken, Refusal):
        return False
    move_block(state, block, *taken)
    name = state.resource_names[int(state.blocks["resource"][block])]
    text = f"{name}: its system copy came back from the page file."
    state.log.add(EventKind.PAGED_IN, name, state.segments[taken[0]].name, size, rule=RULE, text=text)
    device.spend(stall=cost.transfer_ns(size, page_file_rate(state)))
    return True


def _page_out_oldest(device: Device) -> bool:
    state = device.state
    system = state.segments_in("SYSTEM")
    blocks = state.blocks
    here = np.flatnonzero(blocks.live & np.isin(blocks["segment"], system) & (blocks["heap"] < 0))
    if not len(here):
        return False
    block = int(here[np.lexsort((here, blocks["used_frame"][here]))[0]])
    size = int(blocks["size"][block])
    taken = state.take("PAGE_FILE", size, 1)
    if isinstance(taken, Refusal):
        return False
    move_block(state, block, *taken)
    name = state.resource_names[int(blocks["resource"][block])]
    text = f"{name}: system memory is full, its system copy went to the page file."
    state.log.add(EventKind.PAGED_OUT, name, state.segments[taken[0]].name, size, rule=RULE, text=text)
    device.spend(stall=cost.transfer_ns(size, page_file_rate(state)))
    return True


def trim(device: Device, held: frozenset[int], rule: str, why: str) -> int:
    """Send blocks of system memory to the page file while another program has the screen, the longest unused first.

    Nobody waits for it: it happens behind the back of the application.

    Args:
        device: The device.
        held: Rows of resources that stay, being locked.
        rule: Rule of the events.
        why: End of the events' sentence.

    Returns:
        The bytes that went.
    """
    state, blocks = device.state, device.state.blocks
    here = np.flatnonzero(blocks.live & np.isin(blocks["segment"], state.segments_in("SYSTEM")) & (blocks["heap"] < 0))
    sent = 0
    for block in here[np.lexsort((here, blocks["used_frame"][here]))].tolist():
        row, size = int(blocks["resource"][block]), int(blocks["size"][block])
        if row in held:
            continue
        taken = state.take("PAGE_FILE", size, 1)
        if isinstance(taken, Refusal):
            break
        move_block(state, block, *taken)
        sent += size
        name = state.resource_names[row]
        text = f"{name}: its system copy went to the page file {why}."
        state.log.add(EventKind.PAGED_OUT, name, state.segments[taken[0]].name, size, rule=rule, text=text)
    return sent


def move_block(state: MemoryState, block: int, segment: int, taken: Taken) -> None:
    """Let a block lie in a range that was taken for it; what it held before is free."""
    blocks = state.blocks
    before, size = int(blocks["segment"][block]), int(blocks["size"][block])
    state.segments[before].release(int(blocks["offset"][block]))
    state.count_usage(before, -size)
    state.count_usage(segment, size)
    blocks["segment"][block] = segment
    blocks["offset"][block] = taken.address
    blocks["rounding"][block] = taken.rounding
    blocks["pad_before"][block] = taken.padding_before
    state.generation += 1


def page_file_rate(state: MemoryState) -> int:
    """Return the bytes a second that the page file moves."""
    index = state.segments_in("PAGE_FILE")
    return state.segments[index[0]].bandwidth or cost.PAGE_FILE_BYTES_PER_S if index else cost.PAGE_FILE_BYTES_PER_S
