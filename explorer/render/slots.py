"""The slot grid of a descriptor heap: what each slot looks like, painted for the rows in view; no Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.core.kinds import ResourceKind
from explorer.core.units import format_address
from explorer.errors import InputError
from explorer.render.colours import KIND_LABELS
from explorer.render.looks import Pixels
from explorer.render.tokens import Palette, Rgba, mix, pack

if TYPE_CHECKING:
    from collections.abc import Collection

    from explorer.core.columns import Bytes8, DescriptorHeapPicture, Int64
    from explorer.sim.snapshot import Snapshot

ACROSS = 64
"""Slots in a row."""

EMPTY = 0
NULL = len(ResourceKind) + 1
STALE = NULL + 1
LOOKS = STALE + 1
"""A look is 0 for an empty slot, ``ResourceKind`` + 1, ``NULL`` or ``STALE``."""

_NULL_KIND = 255
_REST = 0.3
"""How much of the colour of other slots is left while only stale ones are looked for."""

VIEW_WORDS: tuple[str, ...] = ("none", "CBV", "SRV", "UAV", "RTV", "DSV", "sampler")
"""In the order of ``DescriptorHeapPicture.view``."""

_SLOT_FORMS = ("640", "1,024", "0x1_0000_4E00")
_NUMBER = re.compile(r"^[0-9][0-9_,]*$")
_HANDLE = re.compile(r"^0x[0-9a-f_]+$")


def slot_looks(heap: DescriptorHeapPicture, first: int = 0, end: int | None = None) -> Bytes8:
    """Return the look of each slot of a range, uint8.

    Args:
        heap: The heap.
        first: First slot.
        end: Slot behind the last one; None for the end of the heap.
    """
    kind = heap.kind[first:end]
    looks = np.where(kind == _NULL_KIND, NULL, np.minimum(kind, NULL - 1)).astype(np.uint8)
    looks[heap.stale[first:end] & (kind != 0)] = STALE
    return looks


@dataclass(frozen=True, slots=True)
class SlotCounts:
    """How many slots look how.

    Attributes:
        by_look: One count for each look.
        longest_empty: Slots of the longest run of empty ones.
    """

    by_look: tuple[int, ...]
    longest_empty: int

    @property
    def slots(self) -> int:
        """Slots of the heap."""
        return sum(self.by_look)

    @property
    def used(self) -> int:
        """Slots that are not empty."""
        return self.slots - self.by_look[EMPTY]


def count_slots(heap: DescriptorHeapPicture) -> SlotCounts:
    """Count the slots of a heap by look."""
    looks = slot_looks(heap)
    edges = np.flatnonzero(looks != EMPTY)
    gaps = np.diff(np.concatenate(([-1], edges, [len(looks)]))) - 1
    counts = np.bincount(looks, minlength=LOOKS)
    return SlotCounts(tuple(int(count) for count in counts), int(gaps.max()))


def look_label(look: int, heap_type: str) -> str:
    """Return what a look means in a heap of a type."""
    if look in (EMPTY, NULL, STALE):
        return {EMPTY: "Empty", NULL: "Null", STALE: "Stale"}[look]
    return "Samplers" if heap_type == "SAMPLER" else KIND_LABELS[look - 1]


class SlotGrid:
    """Rows of 64 slots: all of a heap, or those that hold stale descriptors.

    Args:
        heap: The heap.
        stale_only: Leave out rows without a stale slot.
    """

    def __init__(self, heap: DescriptorHeapPicture, *, stale_only: bool = False) -> None:
        self.heap = heap
        self.stale_only = stale_only
        self.slots = len(heap.kind)
        self._kept: Int64 | None = None
        if stale_only:
            self._kept = np.unique(np.flatnonzero(heap.stale & (heap.kind != 0)) // ACROSS)

    def __len__(self) -> int:
        """Return the number of rows."""
        return -(-self.slots // ACROSS) if self._kept is None else len(self._kept)

    def first_slot(self, row: int) -> int:
        """Return the first slot of a row."""
        return (row if self._kept is None else int(self._kept[row])) * ACROSS

    def slot_at(self, row: int, column: int) -> int | None:
        """Return a slot by its place, or None where there is none."""
        if not (0 <= row < len(self) and 0 <= column < ACROSS):
            return None
        slot = self.first_slot(row) + column
        return slot if slot < self.slots else None

    def row_of(self, slot: int) -> int:
        """Return the row that shows a slot, or the next one that is shown."""
        if self._kept is None:
            return slot // ACROSS
        return min(int(np.searchsorted(self._kept, slot // ACROSS)), max(len(self) - 1, 0))

    def slots_of(self, first_row: int, rows: int) -> Int64:
        """Return the slots of rows in order, int64."""
        last = min(first_row + rows, len(self))
        starts = np.array([self.first_slot(row) for row in range(first_row, last)], np.int64)
        slots = (starts[:, None] + np.arange(ACROSS)).reshape(-1)
        return slots[slots < self.slots]

    def nearest(self, slot: int) -> int:
        """Return a slot that is shown: the slot itself, or the one in the same column of the next row."""
        if not len(self):
            return 0
        found = self.slot_at(self.row_of(slot), slot % ACROSS)
        return self.slots - 1 if found is None else found

    def walk(self, slot: int, step: int) -> int | None:
        """Return the shown slot so many places on, or None beyond the ends."""
        place = self.row_of(slot) * ACROSS + slot % ACROSS + step
        return self.slot_at(place // ACROSS, place % ACROSS)

    def next_stale(self, slot: int, step: int) -> int | None:
        """Return the next stale slot in a direction (1 or −1), around the ends; None where there is none."""
        found = np.flatnonzero(self.heap.stale & (self.heap.kind != 0))
        if not len(found):
            return None
        at = int(np.searchsorted(found, slot, "right" if step > 0 else "left"))
        return int(found[(at if step > 0 else at - 1) % len(found)])

    def next_of(self, resources: Collection[int], slot: int, step: int) -> int | None:
        """Return the next slot that views one of some resources, around the ends; None where there is none."""
        found = np.flatnonzero(np.isin(self.heap.resource, np.fromiter(resources, np.int32, len(resources))))
        if not len(found):
            return None
        at = int(np.searchsorted(found, slot, "right" if step > 0 else "left"))
        return int(found[(at if step > 0 else at - 1) % len(found)])

    def looks(self, first_row: int, rows: int) -> Bytes8:
        """Return the looks of rows, shape (rows, 64); places behind the last slot are ``LOOKS``."""
        shown = np.full((max(rows, 0), ACROSS), LOOKS, np.uint8)
        if self._kept is None:
            first = first_row * ACROSS
            part = slot_looks(self.heap, first, first + rows * ACROSS)
            shown.reshape(-1)[: len(part)] = part
            return shown
        for at in range(min(len(shown), len(self) - first_row)):
            first = self.first_slot(first_row + at)
            part = slot_looks(self.heap, first, first + ACROSS)
            shown[at, : len(part)] = part
        return shown


@dataclass(frozen=True, slots=True, eq=False)
class SlotColours:
    """Pixels of each look for one theme.

    Attributes:
        fill: uint32, shape (LOOKS + 1,); the last one is the ground behind the end of the heap.
        line: uint32, shape (LOOKS + 1,): strokes of null and stale slots.
        base: Pixel between cells.
    """

    fill: Pixels
    line: Pixels
    base: int


def slot_colours(palette: Palette, *, faded: bool = False) -> SlotColours:
    """Return the colours of a theme.

    Args:
        palette: The theme's palette.
        faded: Fade all but stale slots.
    """
    base, free, stale = palette.map["base"], palette.map["free"], palette.descriptor["stale"]
    fills: list[Rgba] = [free, *(kind.fill for kind in palette.kinds), palette.descriptor["null"]]
    if faded:
        fills = [mix(fill, base, _REST) for fill in fills]
    fills += [mix(stale, base, 0.18), base]
    lines = list(fills)
    lines[NULL] = mix(palette.colour["text2"], base, _REST) if faded else palette.colour["text2"]
    lines[STALE] = stale
    return SlotColours(
        np.array([pack(colour) for colour in fills], np.uint32),
        np.array([pack(colour) for colour in lines], np.uint32),
        pack(base),
    )


def slot_pixels(palette: Palette, look: int, side: int) -> Pixels:
    """Return one cell as a swatch for legends, shape (side, side)."""
    colours = slot_colours(palette)
    looks = np.full((1, 1), look, np.uint8)
    return paint_slots(looks, colours, side, 0)


def paint_slots(looks: Bytes8, colours: SlotColours, cell: int, gap: int) -> Pixels:
    """Paint rows of slots.

    Args:
        looks: Shape (rows, columns).
        colours: Of a theme.
        cell: Side of a cell in device pixels, > 0.
        gap: Device pixels between cells.

    Returns:
        uint32 pixels, shape (rows × (cell + gap), columns × (cell + gap)).
    """
    rows, columns = looks.shape
    pitch = cell + gap
    pixels = np.full((rows * pitch, columns * pitch), colours.base, np.uint32)
    cells = pixels.reshape(rows, pitch, columns, pitch)[:, :cell, :, :cell]
    cells[...] = colours.fill[looks][:, None, :, None]
    for look, mask in ((NULL, _cross(cell)), (STALE, _struck(cell))):
        at_row, at_column = np.nonzero(looks == look)
        if len(at_row):
            down, across = np.nonzero(mask)
            cells[at_row[:, None], down, at_column[:, None], across] = colours.line[look]
    return pixels


def strip(heap: DescriptorHeapPicture, colours: SlotColours, width: int) -> Pixels:
    """Return the whole heap as one line of pixels: the commonest use of each part, amber where any slot is stale.

    Args:
        heap: The heap.
        colours: Of a theme.
        width: Pixels, > 0.
    """
    looks = slot_looks(heap)
    if len(looks) < width:
        # Fewer slots than pixels: every pixel shows the slot that it lies in.
        return (
            colours.fill[looks[np.arange(width) * len(looks) // width]] if len(looks) else colours.fill[[EMPTY] * width]
        )
    starts = -(-np.arange(width) * len(looks) // width)
    shown = np.zeros(width, np.int64)
    most = np.zeros(width, np.int64)
    for look in np.flatnonzero(np.bincount(looks, minlength=LOOKS)).tolist():
        count = np.add.reduceat(looks == look, starts, dtype=np.int64)
        if look != EMPTY:
            shown[count > most] = look
            most = np.maximum(most, count)
        if look == STALE:
            stale = count > 0
            line = colours.fill[shown]
            line[stale] = colours.line[STALE]
            return line
    return colours.fill[shown]


def _cross(side: int) -> npt.NDArray[np.bool_]:
    """Return × with a margin of about a quarter."""
    row, column = np.indices((side, side))
    margin = side // 4
    inside = (row >= margin) & (row < side - margin)
    thick = max(side // 12, 0)
    falling, rising = np.abs(row - column) <= thick, np.abs(row + column - side + 1) <= thick
    return inside & (falling | rising) & (column >= margin) & (column < side - margin)


def _struck(side: int) -> npt.NDArray[np.bool_]:
    """Return a frame with a rising stroke."""
    row, column = np.indices((side, side))
    thick = max(side // 10, 1)
    frame = (row < thick) | (column < thick) | (row >= side - thick) | (column >= side - thick)
    return frame | (np.abs(row + column - side + 1) < thick)


@dataclass(frozen=True, slots=True)
class SlotTold:
    """What is known about a slot, in words.

    Attributes:
        slot: Its index.
        look: Its look.
        title: ``SRV of T_Roof``.
        state: ``stale``, ``null``, ``empty`` or nothing.
        rows: Names and values.
        resource: Index of the viewed resource, −1 none.
        uses: Names, values and rule ids of what happens to it.
    """

    slot: int
    look: int
    title: str
    state: str
    rows: tuple[tuple[str, str], ...]
    resource: int
    uses: tuple[tuple[str, str, str], ...] = ()


def describe_slot(snapshot: Snapshot, heap: DescriptorHeapPicture, slot: int) -> SlotTold:
    """Return what a slot holds and how it is addressed."""
    look = int(slot_looks(heap, slot, slot + 1)[0])
    view, resource = VIEW_WORDS[int(heap.view[slot])], int(heap.resource[slot])
    name = snapshot.resources.names[resource] if resource >= 0 else ""
    if look == EMPTY:
        title, state = "Empty slot", "empty"
    elif look == NULL:
        title, state = f"Null {view}", "null"
    elif look == STALE:
        title, state = f"{view} of a resource that is gone", "stale"
    else:
        title, state = (f"{view} of {name}" if name else view.capitalize()), ""
    rows = [("Slot", f"{slot:,} of {len(heap.kind):,}"), ("View", view)]
    if name:
        rows += [("Resource", name), ("Description", _description(snapshot, resource))]
    elif look == STALE:
        rows.append(("Resource", "released; reading it is undefined"))
    rows.append(("CPU handle", f"{format_address(heap.cpu_start + slot * heap.increment)}"))
    visible = heap.shader_visible
    gpu = format_address(heap.gpu_start + slot * heap.increment) if visible else "none: not shader visible"
    rows.append(("GPU handle", gpu))
    rows.append(("From the start", f"{slot * heap.increment:,} B"))
    return SlotTold(slot, look, title, state, tuple(rows), resource)


def _description(snapshot: Snapshot, resource: int) -> str:
    table = snapshot.resources
    texel = table.formats[int(table.format[resource])]
    width, height = int(table.width[resource]), int(table.height[resource])
    if not texel:
        return f"{width:,} B"
    mips = int(table.mips[resource])
    return f"{texel}, {width:,} × {height:,}, {mips} mip" + "s" * (mips != 1)


def parse_slot(text: str, heap: DescriptorHeapPicture) -> int:
    """Return the slot that a number or a handle names.

    Args:
        text: ``640``, ``1,024``, or a CPU or GPU handle such as ``0x1_0000_4E00``.
        heap: The heap.

    Raises:
        InputError: No such slot, or no handle of this heap.
    """
    word = text.strip().lower()
    last = len(heap.kind) - 1
    if _NUMBER.match(word):
        slot = int(word.replace(",", "").replace("_", ""))
        if slot > last:
            raise InputError(f"the last slot is {last:,}", where="slot", found=text, accepted=(f"0 to {last}",))
        return slot
    if not _HANDLE.match(word):
        raise InputError("neither a slot nor a handle", where="slot", found=text, accepted=_SLOT_FORMS)
    handle = int(word.replace("_", ""), 16)
    starts = (heap.cpu_start, heap.gpu_start) if heap.shader_visible else (heap.cpu_start,)
    for start in starts:
        slot, rest = divmod(handle - start, max(heap.increment, 1))
        if 0 <= slot <= last:
            if rest:
                above = f"{format_address(start + slot * heap.increment)}"
                raise InputError(
                    f"not the start of a slot: it lies {rest} B into slot {slot:,}",
                    where="slot", found=text, accepted=(above,),
                )  # fmt: skip
            return slot
    spans = tuple(
        f"{format_address(start)} to {format_address(start + last * heap.increment)}" for start in dict.fromkeys(starts)
    )
    raise InputError("no handle of this heap", where="slot", found=text, accepted=spans)
