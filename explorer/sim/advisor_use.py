"""Advice about how resources are used: locks, views, rings of descriptors, and hazards that no other rule explains."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from explorer.core.events import EventKind
from explorer.core.units import format_bytes
from explorer.device import cost
from explorer.sim.advisor_facts import Finding

if TYPE_CHECKING:
    from explorer.sim.advisor_facts import Facts

_LOCKS_A_FRAME = 4
_LOCKS = frozenset({"d3d9.R6.2", "d3d9.R6.3", "d3d9.R7.6", "d3d9.R3.5"})
"""What events of a lock or unlock name: waited, sent up at the unlock, renamed, read back."""

_EXPLAINED = frozenset(
    {
        "device.table-read", "device.static-range", "d3d12.8.7", "d3d12.3.18d", "d3d11.U1.8", "d3d9.R2.17",
        "device.dynamic-ring", "device.stale-read",
    }
)  # fmt: skip
"""Rules of hazards that have advice of their own."""


def ring_full(facts: Facts) -> Finding | None:
    """A descriptor heap had no free slots for what was to be written or copied."""
    slots = {heap.name for heap in facts.snapshot.descriptor_heaps}
    found = [event for event in facts.of_kind(EventKind.REFUSED) if event.segment in slots]
    if not found:
        return None
    names = Counter(event.segment for event in found)
    name, count = max(names.items(), key=lambda item: (item[1], item[0]))
    ring = any(event.rule == "alloc.locked" for event in found if event.segment == name)
    why = "the GPU may still read all slots of its ring" if ring else "every slot is taken"
    size = next(len(heap.kind) for heap in facts.snapshot.descriptor_heaps if heap.name == name)
    return Finding(
        f"{name} had no free slots {count:,} times",
        f"Of its {size:,} slots none was free, {why}; last in frame {found[-1].frame:,}. Make it larger by what a "
        "frame writes for each frame in flight, or write less anew.",
        {"refused": count, "slots": size},
        facts.rows_named(list(names)),
        "device.ring-full" if ring else "device.free-slot",
    )


def unbound(facts: Facts) -> Finding | None:
    """A resource was input and output of one draw: the runtime took the input away."""
    found = [event for event in facts.of_rule("d3d11.U1.8") if event.kind is EventKind.HAZARD]
    if not found:
        return None
    return Finding(
        f"{len(found):,} {'draw' if len(found) == 1 else 'draws'} read and wrote the same subresource",
        f"Last in frame {found[-1].frame:,}. {found[-1].text} It reads zero: use other mips or slices, or a second "
        "resource in turn.",
        {"draws": len(found), "last_frame": found[-1].frame},
        facts.rows_of(found),
    )


def not_drawable(facts: Facts) -> Finding | None:
    """Textures in system memory are set, which no draw can sample."""
    found = [event for event in facts.of_rule("d3d9.R2.17") if event.kind is EventKind.HAZARD]
    if not found:
        return None
    names = len({event.subject for event in found})
    return Finding(
        f"{names:,} {'texture' if names == 1 else 'textures'} in system memory {'was' if names == 1 else 'were'} drawn",
        f"{len(found):,} draws went without. SetTexture takes them, the pipeline does not: copy to a DEFAULT texture "
        "with UpdateTexture, or make them MANAGED.",
        {"textures": names, "draws": len(found)},
        facts.rows_of(found),
    )


def other_hazards(facts: Facts) -> Finding | None:
    """Hazards that no other rule of the advisor explains."""
    found = [event for event in facts.of_kind(EventKind.HAZARD) if event.rule not in _EXPLAINED]
    if not found:
        return None
    rules = Counter(event.rule for event in found)
    rule, count = max(rules.items(), key=lambda item: (item[1], item[0]))
    last = next(event for event in reversed(found) if event.rule == rule)
    more = f" Besides: {len(found) - count:,} of other kinds." if len(found) > count else ""
    return Finding(
        f"{count:,} {'hazard' if count == 1 else 'hazards'}, the last in frame {last.frame:,}",
        f"{last.text}{more}",
        {"hazards": len(found), "of_this_kind": count, "last_frame": last.frame},
        facts.rows_of([event for event in found if event.rule == rule]),
        rule,
    )


def many_locks(facts: Facts) -> Finding | None:
    """One resource is locked again and again within a frame."""
    locks: dict[tuple[str, int], int] = {}
    found = [event for rule in _LOCKS for event in facts.of_rule(rule)]
    # One lock may wait, read back, take a buffer and send it: the events of one sort count locks.
    for (_, _, name, frame), count in Counter((e.rule, e.kind, e.subject, e.frame) for e in found).items():
        locks[name, frame] = max(locks.get((name, frame), 0), count)
    often = Counter(name for (name, _), count in locks.items() if count >= _LOCKS_A_FRAME)
    if not often:
        return None
    name, frames = max(often.items(), key=lambda item: (item[1], item[0]))
    worst = max(count for (of, _), count in locks.items() if of == name)
    events = [event for event in found if event.subject in often]
    return Finding(
        f"{name} was locked {worst:,} times in a frame",
        f"{_LOCKS_A_FRAME} times or more in {frames:,} of {facts.event_frames:,} frames. Lock once and write all of "
        "it, or append with NOOVERWRITE.",
        {"resources": len(often), "locks_a_frame": worst, "frames": frames},
        facts.rows_of(sorted(events, key=lambda event: event.number)),
    )


def lockable_targets(facts: Facts) -> Finding | None:
    """Render targets are made lockable, which costs the GPU in every frame."""
    mask = facts.records.lockable & (facts.copies > 0)
    count = int(mask.sum())
    if not count:
        return None
    total = int(facts.snapshot.resources.size[mask].sum())
    more = 100 * cost.lockable_ns(100) // 100 - 100
    return Finding(
        f"{count:,} render {'target is' if count == 1 else 'targets are'} lockable",
        f"{format_bytes(total)} that the GPU fills {more} % slower (estimate). Make them without Lockable, and read "
        "back with GetRenderTargetData.",
        {"targets": count, "bytes": total, "percent_slower": more},
        facts.largest(mask),
    )
