"""What to write about the use of descriptor slots: beside the grid, in tool tips, and in lists; no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.descriptor_uses import HazardKind
from explorer.render.root_signature import RULE_CAPTURED, RULE_READ
from explorer.render.slot_uses import (
    HAZARD_WORDS,
    heap_name,
    is_captured,
    list_name,
    range_title,
    slots_text,
    union,
)
from explorer.render.slots import ACROSS

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.columns import Int32, Int64
    from explorer.render.slot_uses import HeapUses
    from explorer.render.slots import SlotGrid
    from explorer.sim.snapshot import Snapshot

RULE_STATIC, RULE_TARGET, RULE_COPY, RULE_RING, RULE_FREE = (
    "device.static-range", "device.captured", "d3d12.7.5e", "device.ring-full", "device.free-slot",
)  # fmt: skip

_FEW = 4


@dataclass(frozen=True, slots=True)
class RowLabel:
    """What stands in the right gutter of a row.

    Attributes:
        row: Row of the grid.
        text: All that begins in it, the gravest first.
        look: ``hazard``, ``copy`` or ``plain``.
        rank: How much it matters, 0 most: a label that has no room gives way to one that matters more.
    """

    row: int
    text: str
    look: str
    rank: int = 0


@dataclass(frozen=True, slots=True)
class UseRow:
    """A row of a list.

    Attributes:
        title: What.
        right: Slots.
        second: The rest, on a second line.
        look: ``hazard``, ``earlier`` or ``plain``.
        heap: Name of the heap to go to.
        slot: Slot to go to.
    """

    title: str
    right: str
    second: str
    look: str
    heap: str
    slot: int


@dataclass(frozen=True, slots=True)
class UseFact:
    """A line about a slot: name, value, and the rule behind it or nothing."""

    name: str
    value: str
    rule: str = ""


def row_labels(uses: HeapUses, grid: SlotGrid, first_row: int, rows: int) -> list[RowLabel]:
    """Return what begins in the rows in view."""
    told = uses.snapshot.descriptor_uses
    texts: dict[int, list[tuple[int, str, str]]] = {}

    def begin(first: Int32, which: Int64, rank: int, look: str, say: Callable[[int], str]) -> None:
        for row, at in _beginning(grid, first, which, first_row, rows):
            texts.setdefault(at, []).append((rank, look, say(row)))

    hazards = told.hazards
    begin(hazards.first, uses.pending, 0, "hazard",
          lambda row: f"{HAZARD_WORDS[int(hazards.kind[row])]}, {int(hazards.count[row]):,}")  # fmt: skip
    _allocator_labels(uses, grid, first_row, rows, texts)
    begin(told.ranges.first, uses.ranges, 3, "plain", lambda row: range_title(uses, row))
    begin(told.copies.first, uses.copies_in, 2, "copy", lambda row: f"copy in, {int(told.copies.count[row]):,}")
    begin(told.copies.source_first, uses.copies_out, 2, "copy",
          lambda row: f"copy out, {int(told.copies.count[row]):,}")  # fmt: skip
    for at, count in _captured_rows(uses, grid, first_row, rows).items():
        texts.setdefault(at, []).append((4, "plain", f"held by lists ×{count:,}, free" if count > 1 else "held, free"))
    return [_label(row, found) for row, found in sorted(texts.items())]


def _label(row: int, found: list[tuple[int, str, str]]) -> RowLabel:
    ordered = sorted(found, key=lambda one: one[0])
    counted: dict[tuple[int, str, str], int] = {}
    for one in ordered:
        counted[one] = counted.get(one, 0) + 1
    tables = [one for one in counted if one[0] == 3]
    parts = [(f"{text} ×{times}" if times > 1 else text) for (rank, _, text), times in counted.items() if rank < 3]
    if len(tables) > 2:
        parts.append(f"{sum(counted[one] for one in tables):,} tables or ranges")
    else:
        parts += [(f"{one[2]} ×{counted[one]}" if counted[one] > 1 else one[2]) for one in tables]
    parts += [(f"{text} ×{times}" if times > 1 else text) for (rank, _, text), times in counted.items() if rank > 3]
    return RowLabel(row, " · ".join(parts), ordered[0][1], ordered[0][0])


def _beginning(grid: SlotGrid, first: Int32, which: Int64, first_row: int, rows: int) -> list[tuple[int, int]]:
    """Return (row of the table, row of the grid) of what begins in the rows in view; ``which`` is by first slot."""
    if not len(which) or not len(grid):
        return []
    last = min(first_row + rows, len(grid)) - 1
    if last < first_row:
        return []
    firsts = first[which]
    low = int(np.searchsorted(firsts, grid.first_slot(first_row)))
    high = int(np.searchsorted(firsts, grid.first_slot(last) + ACROSS))
    found: list[tuple[int, int]] = []
    for row in which[low:high].tolist():
        slot = int(first[row])
        at = grid.row_of(slot)
        if grid.first_slot(at) <= slot < grid.first_slot(at) + ACROSS:
            found.append((row, at))
    return found


def _allocator_labels(
    uses: HeapUses, grid: SlotGrid, first_row: int, rows: int, texts: dict[int, list[tuple[int, str, str]]]
) -> None:
    if uses.allocator < 0:
        return
    allocators = uses.snapshot.descriptor_uses.allocators
    head, tail = int(allocators.head[uses.allocator]), int(allocators.tail[uses.allocator])
    ends = [(head, "next free")] if uses.is_free_list else [(tail, "tail"), (head, "head")]
    for slot, word in ends:
        # A ring that stands at its end goes on at slot 0.
        slot %= max(grid.slots, 1)
        if not len(grid):
            continue
        row = grid.row_of(slot)
        shown = first_row <= row < first_row + rows and 0 <= slot - grid.first_slot(row) < ACROSS
        if shown and not (word == "next free" and head >= grid.slots):
            texts.setdefault(row, []).append((1, "plain", f"{word} {slot:,}"))


def _captured_rows(uses: HeapUses, grid: SlotGrid, first_row: int, rows: int) -> dict[int, int]:
    captures = uses.snapshot.descriptor_uses.captures
    order = uses.captures[np.argsort(captures.first[uses.captures], kind="stable")]
    counts: dict[int, int] = {}
    for _, at in _beginning(grid, captures.first, order, first_row, rows):
        counts[at] = counts.get(at, 0) + 1
    return counts


def slot_facts(uses: HeapUses, slot: int) -> list[UseFact]:
    """Return what happens to a slot, the gravest first."""
    told, snapshot = uses.snapshot.descriptor_uses, uses.snapshot
    facts: list[UseFact] = []
    for row in uses.rows_at("hazards", slot)[:_FEW]:
        name = "Hazard" if told.hazards.is_pending[row] else "Hazard, over"
        facts.append(UseFact(name, _hazard(uses, row), told.rules[int(told.hazards.rule[row])]))
        if told.hazards.times[row] > 1:
            since = int(told.hazards.since[row])
            facts.append(UseFact("Repeated", f"{int(told.hazards.times[row]):,} × since frame {since:,}"))
    ranges = uses.rows_at("ranges", slot)
    for row in ranges[:_FEW]:
        reader = list_name(snapshot, int(told.ranges.command_list[row]))
        facts.append(UseFact("Read by", f"{reader}, {range_title(uses, row)}", RULE_READ))
        rule = RULE_STATIC if told.ranges.is_static[row] else RULE_READ
        facts.append(UseFact("Range", _state(uses, row), rule))
    if len(ranges) > _FEW:
        facts.append(UseFact("Read by", f"{len(ranges) - _FEW:,} more tables", RULE_READ))
    for row in uses.rows_at("copies_in", slot)[-1:]:
        copies = told.copies
        name = heap_name(snapshot, int(copies.source_heap[row]))
        at = int(copies.source_first[row]) + slot - int(copies.first[row])
        facts.append(UseFact("Copied from", f"{name}, slot {at:,}, frame {int(copies.frame[row]):,}", RULE_COPY))
    for row in uses.rows_at("copies_out", slot)[-1:]:
        copies = told.copies
        at = int(copies.first[row]) + slot - int(copies.source_first[row])
        name = heap_name(snapshot, int(copies.heap[row]))
        facts.append(UseFact("Copied to", f"{name}, slot {at:,}, frame {int(copies.frame[row]):,}", RULE_COPY))
    facts += _captured(uses, slot)
    facts += _given(uses, slot)
    if not ranges and uses.heap.shader_visible and not facts:
        facts.append(UseFact("Read by", "no table", RULE_READ))
    return facts


def _captured(uses: HeapUses, slot: int) -> list[UseFact]:
    captures, snapshot = uses.snapshot.descriptor_uses.captures, uses.snapshot
    rows = uses.rows_at("captures", slot)
    if not rows:
        return []
    frame = int(captures.frame[rows[0]])
    names = [snapshot.resources.names[int(captures.resource[row])] for row in rows if captures.resource[row] >= 0]
    is_table = bool(captures.is_table[rows[0]])
    readers = ", ".join(dict.fromkeys(list_name(snapshot, int(captures.command_list[row])) for row in rows))
    held = f"{readers}, {len(rows):,} ×, frame {frame:,}" if len(rows) > 1 else f"{readers}, frame {frame:,}"
    rule = RULE_CAPTURED if is_table else RULE_TARGET
    facts = [UseFact("Held by", held, rule)]
    if names:
        facts.append(UseFact("As", ", ".join(dict.fromkeys(names))))
    facts.append(UseFact("Reuse", "the slot is free at once", rule))
    return facts


def _given(uses: HeapUses, slot: int) -> list[UseFact]:
    if uses.allocator < 0:
        return []
    told = uses.snapshot.descriptor_uses.given_out
    rows = uses.rows_at("given", slot)
    rule = RULE_FREE if uses.is_free_list else RULE_RING
    if not rows:
        return [UseFact("Allocator", "free to be given out", rule)]
    back = int(told.back_frame[rows[-1]])
    text = f"given out, back in frame {back:,}" if back >= 0 else "given out while its resource lives"
    return [UseFact("Allocator", text, rule)]


def _state(uses: HeapUses, row: int) -> str:
    ranges = uses.snapshot.descriptor_uses.ranges
    done = int(ranges.done_frame[row])
    kind = "static" if ranges.is_static[row] else "volatile"
    bound = "" if ranges.is_bounded[row] else ", unbounded"
    when = f"in flight until frame {done:,}" if done >= 0 else "recorded"
    return f"{kind}{bound}, {when}"


def _hazard(uses: HeapUses, row: int) -> str:
    hazards = uses.snapshot.descriptor_uses.hazards
    return f"{HAZARD_WORDS[int(hazards.kind[row])]}, frame {int(hazards.frame[row]):,}"


_HAZARD_WHY = (
    "written while {reader} may still read it",
    "{reader} has recorded it as static",
    "{reader} reads it, its resource is gone",
)
"""In the order of ``HazardKind``."""


def hazard_rows(uses: HeapUses) -> list[UseRow]:
    """Return the hazards of a heap for a list: those that a list still suffers from first, the newest first."""
    told = uses.snapshot.descriptor_uses
    hazards = told.hazards
    order = sorted(uses.hazards.tolist(), key=lambda row: (not hazards.is_pending[row], -int(hazards.frame[row]),
                                                           int(hazards.first[row])))  # fmt: skip
    rows: list[UseRow] = []
    for row in order:
        kind = HazardKind(int(hazards.kind[row]))
        why = _HAZARD_WHY[kind].format(reader=list_name(uses.snapshot, int(hazards.command_list[row])))
        pending = bool(hazards.is_pending[row])
        first, count, times = int(hazards.first[row]), int(hazards.count[row]), int(hazards.times[row])
        often = f" · {times:,} × since frame {int(hazards.since[row]):,}" if times > 1 else ""
        state = "" if pending else " · over"
        rule = told.rules[int(hazards.rule[row])]
        second = f"{why} · frame {int(hazards.frame[row]):,}{often}{state} · {rule}"
        title = HAZARD_WORDS[kind].capitalize()
        look = "hazard" if pending else "earlier"
        rows.append(UseRow(title, slots_text(first, count), second, look, uses.heap.name, first))
    return rows


def table_rows(uses: HeapUses, first: int = 0, count: int | None = None) -> list[UseRow]:
    """Return ranges of tables for a list, from one on."""
    ranges = uses.snapshot.descriptor_uses.ranges
    rows: list[UseRow] = []
    for row in uses.ranges[first : None if count is None else first + count].tolist():
        title = f"{list_name(uses.snapshot, int(ranges.command_list[row]))}, {range_title(uses, row)}"
        slots = slots_text(int(ranges.first[row]), int(ranges.count[row]))
        rows.append(UseRow(title, slots, _state(uses, row), "plain", uses.heap.name, int(ranges.first[row])))
    return rows


def copy_rows(snapshot: Snapshot) -> list[UseRow]:
    """Return the copies of the frame for a list, in order: from where to where."""
    copies = snapshot.descriptor_uses.copies
    newest = int(copies.frame.max()) if len(copies) else -1
    rows: list[UseRow] = []
    for row in np.flatnonzero(copies.frame == newest).tolist():
        count = int(copies.count[row])
        name, goal = heap_name(snapshot, int(copies.source_heap[row])), heap_name(snapshot, int(copies.heap[row]))
        first, begin = int(copies.first[row]), int(copies.source_first[row])
        rows.append(
            UseRow(
                f"{name} → {goal}", f"{count:,}", f"{slots_text(begin, count)} → {slots_text(first, count)}",
                "plain", goal, first,
            )
        )  # fmt: skip
    return rows


def capture_rows(uses: HeapUses) -> list[UseRow]:
    """Return what lists hold copies of, in the order of recording."""
    captures, snapshot = uses.snapshot.descriptor_uses.captures, uses.snapshot
    rows: list[UseRow] = []
    for row in uses.captures.tolist():
        name = list_name(snapshot, int(captures.command_list[row]))
        resource = int(captures.resource[row])
        what = snapshot.resources.names[resource] if resource >= 0 else "table" if captures.is_table[row] else "none"
        first, count = int(captures.first[row]), int(captures.count[row])
        second = f"copied when it was recorded, frame {int(captures.frame[row]):,} · slot free at once"
        rows.append(UseRow(f"{name} holds {what}", slots_text(first, count), second, "plain", uses.heap.name, first))
    return rows


def allocator_text(uses: HeapUses) -> str:
    """Return how the heap's slots are given out, in one line; empty where no allocator does."""
    if uses.allocator < 0:
        return ""
    one = uses.snapshot.descriptor_uses.allocators
    at, slots = uses.allocator, len(uses.heap.kind)
    out, refused = int(one.given_out[at]), int(one.refused[at])
    often = f" · {refused:,} refused" if refused else ""
    if uses.is_free_list:
        head = f"next free {int(one.head[at]):,}" if one.head[at] < slots else "no free slot"
        coming = int(one.coming_back[at])
        back = f" · {coming:,} coming back" if coming else ""
        return f"Free list: {out:,} given out · {slots - out:,} free · {head}{back}{often}"
    return f"Ring: tail {int(one.tail[at]):,} · head {int(one.head[at]):,} · {out:,} of {slots:,} out{often}"


def reading_text(uses: HeapUses) -> str:
    """Return why no table reads a heap, or how many slots tables read."""
    if len(uses.ranges):
        ranges = uses.snapshot.descriptor_uses.ranges
        return f"{union(ranges.first, ranges.count, uses.ranges):,} slots"
    if not uses.heap.shader_visible:
        return "Shaders do not see this heap: no table can reach it."
    if is_captured(uses.snapshot):
        return "Tables are captured when they are recorded: no slot is needed later."
    return "No list that is recorded or in flight reads this heap."
