"""What the map says about a place: tooltips, the status bar, and text for people who do not see the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.kinds import BlockState, WasteCause
from explorer.core.units import format_address, format_bytes, format_exact
from explorer.render.hit import Hit, crowd
from explorer.render.looks import WASTE
from explorer.render.map_texts import block_name
from explorer.render.walk import Focus, lane_at

if TYPE_CHECKING:
    from explorer.render.lanes import MapScene
    from explorer.render.layout import MapLayout

_KIND_WORDS = ("texture", "render target", "depth-stencil", "buffer", "upload buffer", "readback buffer",
               "descriptor heap", "acceleration structure", "other resource")  # fmt: skip
_CAUSE_TITLES = {
    WasteCause.ALIGNMENT: "Padding",
    WasteCause.GRANULARITY: "Gap",
    WasteCause.ROUNDING: "Rounding",
    WasteCause.TAIL: "Tail",
}
_CROWD_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Told:
    """A tooltip.

    Attributes:
        title: Name of what is there.
        pill: State in a word, or empty.
        range_text: Addresses, or empty.
        rows: (label, value) pairs.
        look: Colour index of the swatch, −1 for none.
    """

    title: str
    pill: str
    range_text: str
    rows: tuple[tuple[str, str], ...]
    look: int = -1


def state_word(scene: MapScene, block: int) -> str:
    """Return the state of a block in a word."""
    state = int(scene.snapshot.blocks.state[block])
    if state & BlockState.MASTER_COPY:
        return "master copy, dirty" if state & BlockState.DIRTY else "master copy"
    if state & BlockState.INACTIVE:
        return "inactive alias"
    if not state & BlockState.RESIDENT or bool(_gone(scene, block)):
        return "evicted"
    return "resident"


def tell(layout: MapLayout, hit: Hit, x: float, colour: int = -1) -> Told:
    """Return the tooltip for a hit.

    Args:
        layout: The map.
        hit: What is under the cursor.
        x: Logical pixels from the left end of the rows.
        colour: Colour index of the block.
    """
    scene = layout.scene
    if hit.block < 0:
        return _tell_nothing(layout, hit)
    several = crowd(layout, hit.strip, x)
    if len(several) > _CROWD_SHOWN and (hit.end - hit.first) * hit.strip.pixels_per_byte < 1:
        shown = [(block_name(scene, int(b)), format_bytes(int(scene.snapshot.blocks.size[b]))) for b in several[:3]]
        rest = len(several) - _CROWD_SHOWN
        return Told(f"{len(several):,} blocks here", "", "the largest of them", (*shown, ("and", f"{rest:,} more")))
    return _tell_block(layout, hit, colour)


def hover_text(layout: MapLayout, hit: Hit | None) -> str:
    """Return where the cursor is, for the status bar: ``Textures 13 + 0x0104_C000 · 1 px = 74.8 KiB``."""
    if hit is None:
        return ""
    lane = layout.boxes[hit.box].lane
    per_pixel = 1 / hit.strip.pixels_per_byte
    scale = f"1 px = {format_bytes(round(per_pixel))}" if per_pixel >= 1 else f"1 B = {1 / per_pixel:,.0f} px"
    return f"{lane.title if lane is not None else ''} + {format_address(hit.offset)} · {scale}"


def focus_text(scene: MapScene, focus: Focus) -> str:
    """Return the text for the keyboard's place.

    For example ``T_RoadAsphalt_03_N, texture, 21.4 MiB at 0x0A00_0000 in Textures 13, resident``.
    """
    lane = lane_at(scene, focus.first)
    where = f"{format_address(focus.first - lane.base)} in {lane.title}" if lane is not None else "nowhere"
    size = format_bytes(focus.end - focus.first)
    if focus.block >= 0:
        kind = _KIND_WORDS[min(int(scene.snapshot.blocks.kind[focus.block]), 8)]
        whole = format_bytes(int(scene.snapshot.blocks.size[focus.block]))
        return f"{block_name(scene, focus.block)}, {kind}, {whole} at {where}, {state_word(scene, focus.block)}"
    if focus.waste >= 0:
        cause = WasteCause(int(scene.snapshot.wastes.cause[focus.waste]))
        return f"{_CAUSE_TITLES[cause]}, {size} at {where}"
    return f"Free, {size} at {where}"


def _gone(scene: MapScene, block: int) -> bool:
    heap = int(scene.snapshot.blocks.heap[block])
    heaps = scene.snapshot.heaps
    return heap >= 0 and bool(heaps.segment[heap] != heaps.home[heap])


def _tell_block(layout: MapLayout, hit: Hit, colour: int) -> Told:
    scene = layout.scene
    snapshot, block = scene.snapshot, hit.block
    size, asked = int(snapshot.blocks.size[block]), int(snapshot.blocks.asked[block])
    rows = [("Size", f"{format_bytes(size)} ({format_exact(size)})")]
    if 0 < asked < size:
        rows.append(("Asked for", f"{format_exact(asked)}, {format_bytes(size - asked)} rounding"))
    resource = int(snapshot.blocks.resource[block])
    if resource >= 0:
        formats = snapshot.resources.formats
        text = formats[int(snapshot.resources.format[resource])] if formats else ""
        mips = int(snapshot.resources.mips[resource])
        if text:
            rows.append(("Format", text + (f" · {mips} mips" if mips > 1 else "")))
    rows += _alias_rows(scene, hit)
    rows.append(("In", _heap_text(scene, block)))
    rows.append(("State", _state_sentence(scene, block)))
    return Told(block_name(scene, block), state_word(scene, block), _block_range(scene, block), tuple(rows), colour)


def _block_range(scene: MapScene, block: int) -> str:
    offset, size = int(scene.snapshot.blocks.offset[block]), int(scene.snapshot.blocks.size[block])
    if offset < 0:
        return "offset unknown"
    return f"{format_address(offset)} – {format_address(offset + max(size - 1, 0))}"


def _alias_rows(scene: MapScene, hit: Hit) -> list[tuple[str, str]]:
    first, end = hit.first, hit.end
    blocks = np.concatenate([
        table.block[table.between(first, end)][table.end[table.between(first, end)] > first]
        for table in (scene.items, scene.aliases)
    ])  # fmt: skip
    others = sorted({int(block) for block in blocks if block >= 0 and block != hit.block})
    if not others or not (hit.alias or len(scene.aliases)):
        return []
    names = ", ".join(block_name(scene, block) for block in others[:2])
    more = f" and {len(others) - 2:,} more" if len(others) > 2 else ""
    return [("Aliases", names + more), ("Shared bytes", "counted once")]


def _heap_text(scene: MapScene, block: int) -> str:
    heap = int(scene.snapshot.blocks.heap[block])
    segment = scene.snapshot.segments[int(scene.snapshot.blocks.segment[block])].name
    if heap < 0:
        return segment
    if bool(scene.snapshot.heaps.committed[heap]):
        return f"a heap of its own, {segment}"
    return f"{scene.snapshot.heaps.names[heap] or f'Heap {heap}'}, {segment}"


def _state_sentence(scene: MapScene, block: int) -> str:
    word = state_word(scene, block)
    used, frame = int(scene.snapshot.blocks.used_frame[block]), scene.snapshot.provenance.frame
    if word == "inactive alias":
        return "inactive until an aliasing barrier"
    if word == "evicted":
        return f"evicted, last used in frame {used:,}" if used >= 0 else "evicted, never used"
    if scene.snapshot.origin == "imported":
        return word
    if used < 0:
        return f"{word}, not used yet"
    return f"{word}, used in this frame" if used == frame else f"{word}, last used in frame {used:,}"


def _tell_nothing(layout: MapLayout, hit: Hit) -> Told:
    scene = layout.scene
    lane = layout.boxes[hit.box].lane
    base = lane.base if lane is not None else 0
    size = hit.end - hit.first
    span = f"{format_address(hit.first - base)} – {format_address(hit.end - base - 1)}"
    if hit.waste < 0:
        return Told("Free", "", span, (("Size", f"{format_bytes(size)} ({format_exact(size)})"),))
    cause = WasteCause(int(scene.snapshot.wastes.cause[hit.waste]))
    rows = [("Size", f"{format_bytes(size)} ({format_exact(size)})"), ("Why", _why(scene, hit, cause))]
    return Told(_CAUSE_TITLES[cause], "", span, tuple(rows), WASTE + cause)


def _why(scene: MapScene, hit: Hit, cause: WasteCause) -> str:
    items = scene.items
    if cause is WasteCause.ALIGNMENT:
        after = int(items.start.searchsorted(hit.end, "left"))
        if after < len(items) and items.block[after] >= 0:
            block = int(items.block[after])
            need = format_bytes(int(scene.snapshot.blocks.alignment[block])).replace(".0 ", " ")
            return f"{block_name(scene, block)} needs {need} alignment"
        return "up to the alignment of what follows"
    if cause is WasteCause.ROUNDING:
        before = int(items.start.searchsorted(hit.first, "left")) - 1
        if before >= 0 and items.block[before] >= 0:
            return f"behind {block_name(scene, int(items.block[before]))}, up to what the memory hands out"
        return "up to what the memory hands out"
    if cause is WasteCause.GRANULARITY:
        return "between neighbours of different kinds"
    return "the end of the heap, too small for anything"
