"""Advice that events give: what happens again and again, and what should not happen at all."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.events import EventKind
from explorer.core.kinds import HeapKind
from explorer.core.units import MIB, format_bytes
from explorer.device import cost
from explorer.sim.advisor_facts import ITEMS, Finding

if TYPE_CHECKING:
    from explorer.core.events import Event
    from explorer.sim.advisor_facts import Facts

_RECENT_FRAMES = 100
_OFTEN = 8
_FEW_HEAPS = 3
_HIGH = 0xA0010000
"""D3D12_RESIDENCY_PRIORITY_HIGH; targets start at it plus one for every 10 MiB (d3d12.8.4a)."""

_CREATIONS_A_FRAME = 4


def _is_thrashing(facts: Facts) -> bool:
    found = thrash(facts)
    return found is not None and 4 * found.figures["frames"] >= found.figures["of"]


def thrash(facts: Facts) -> Finding | None:
    """Frames that needed more than fits."""
    history = facts.snapshot.history
    if history is None:
        return None
    frames = {frame for frame, kind in history.marks if kind == EventKind.LRU_TO_MRU.value}
    since = max(facts.frame - _RECENT_FRAMES, 0)
    recent = sum(frame >= since for frame in frames)
    if not recent:
        return None
    share = 100 * recent // max(facts.frame - since, 1)
    moved = int(history.uploaded_bytes[since:].sum()) // max(facts.frame - since, 1)
    return Finding(
        f"{recent:,} of the last {facts.frame - since:,} frames needed more than fits",
        f"LRU turned into MRU in {share} % of them, {format_bytes(moved)} are uploaded a frame. Lower texture levels, "
        "or give what every frame needs a higher priority.",
        {"frames": recent, "of": facts.frame - since, "uploaded_bytes_a_frame": moved},
        facts.rows_of(facts.of_kind(EventKind.EVICTED)),
    )


def many_creations(facts: Facts) -> Finding | None:
    """Objects are created in running frames."""
    made = [event for event in facts.of_kind(EventKind.CREATED) if event.frame > 0]
    if facts.frame < 10 or not made:
        return None
    frames = Counter(event.frame for event in made)
    span = facts.event_frames
    per_frame = len(made) / span
    worst, count = max(frames.items(), key=lambda item: (item[1], -item[0]))
    if per_frame <= _CREATIONS_A_FRAME and count <= 4 * _CREATIONS_A_FRAME:
        return None
    return Finding(
        f"Frame {worst:,} created {count:,} resources",
        f"{len(made):,} in {span:,} frames, {per_frame:.1f} a frame. Spread creation over frames, and reuse objects "
        "instead of releasing them.",
        {"created": len(made), "frames": span, "worst_frame": worst, "worst": count},
        facts.rows_of(made),
        "d3d9.R12.1" if facts.api == "d3d9" else "",
    )


def read_of_write_combined(facts: Facts) -> Finding | None:
    """The CPU reads write-combined memory, or through a pointer that was made for writing."""
    slow = [event for event in facts.of_rule("device.wc-read") if event.kind is EventKind.STALLED]
    stale = [event for event in facts.of_rule("device.stale-read") if event.kind is EventKind.HAZARD]
    # One read may be slow and stale: it is counted once.
    found = slow if len(slow) >= len(stale) else stale
    if not found:
        return None
    total = sum(event.size_bytes for event in found)
    how = "from write-combined memory" if slow else "through pointers for writing"
    note = f" {len(stale):,} may have seen old bytes." if stale else ""
    return Finding(
        f"The CPU read {_times(len(found))} {how}",
        f"{format_bytes(total)}, one bus access at a time.{note} Keep a copy in system memory, or read through "
        "a READBACK heap or a STAGING resource.",
        {"reads": len(found), "bytes": total, "stale": len(stale)},
        facts.rows_of(found),
    )


def random_writes(facts: Facts) -> Finding | None:
    """Random writes to AGP or other write-combined memory."""
    found = facts.of_rule("d3d9.R6.4")
    if not found:
        return None
    total = sum(event.size_bytes for event in found)
    return Finding(
        f"{len(found):,} locks wrote to AGP memory in no order",
        f"{format_bytes(total)}: each cache line filled in part is read and written as a whole. Build the data in "
        "system memory and copy it in one go.",
        {"locks": len(found), "bytes": total},
        facts.rows_of(found),
    )


def stalls(facts: Facts) -> Finding | None:
    """Locks and maps that waited for the GPU, where that takes a share of the time that counts."""
    since = max(facts.frame - _RECENT_FRAMES, 0)
    waits = [event for event in facts.of_kind(EventKind.STALLED) if event.rule in _WAITS and event.frame >= since]
    if len(waits) < 3:
        return None
    rates = {segment.name: segment.gpu_bandwidth for segment in facts.snapshot.segments}
    waited = sum(cost.wait_ns(event.size_bytes, rates.get(event.segment, 0)) for event in waits)
    share = 100 * waited // facts.time_ns(since)
    if not share:
        return None
    names = Counter(event.subject for event in waits)
    name, count = max(names.items(), key=lambda item: (item[1], item[0]))
    worst = [event for event in waits if event.subject == name]
    frames = facts.frame - since
    return Finding(
        f"{len(waits):,} waits for the GPU, {count:,} for {name}",
        f"{share} % of the time of the last {frames:,} frames (estimate). {_no_wait(facts, worst)}",
        {"waits": len(waits), "stall_percent": share, "frames": frames},
        facts.rows_of(waits),
        worst[-1].rule,
    )


_WAITS = frozenset({"d3d9.R6.2", "d3d9.R2.4", "d3d9.R8.5", "d3d11.P5.9", "d3d11.M4.7.wait"})
"""Waits for the GPU that the application could have spared itself: locks, maps, and read-back right after the draws."""


def _no_wait(facts: Facts, waits: list[Event]) -> str:
    """Return what spares the waits for one resource, by what waited and by its usage."""
    rule = waits[-1].rule
    if rule == "d3d9.R8.5":
        return "Call GetRenderTargetData some frames after the draws."
    if rule == "d3d9.R2.4":
        return "Fill another SYSTEMMEM resource while the GPU copies this one, in turn."
    if rule == "d3d11.P5.9":
        return "Read back two frames later, from several staging resources in turn."
    flags, append = ("WRITE_DISCARD", "WRITE_NO_OVERWRITE") if facts.api == "d3d11" else ("DISCARD", "NOOVERWRITE")
    rows = facts.rows_of(waits)
    place = facts.snapshot.resources.places[int(facts.snapshot.resources.place[rows[0]])] if rows else ""
    dynamic = "DYNAMIC" in place or (bool(rows) and bool(facts.records.dynamic[rows[0]]))
    made = "" if dynamic else "Make it DYNAMIC, if it changes often. "
    return f"{made}Write it anew with {flags}, append with {append}."


def read_back_before_lock(facts: Facts) -> Finding | None:
    """Locks that read the contents back, since WRITEONLY is missing."""
    found = facts.of_rule("d3d9.R3.5")
    if not found:
        return None
    total = sum(event.size_bytes for event in found)
    return Finding(
        f"{len(found):,} locks read the buffer back first",
        f"{format_bytes(total)} came over the bus for nothing if the CPU only writes. Create it with "
        "D3DUSAGE_WRITEONLY.",
        {"locks": len(found), "bytes": total},
        facts.rows_of(found),
    )


def wrong_usage(facts: Facts) -> Finding | None:
    """Resources that are uploaded again and again although their kind is for data that stays."""
    evicted = {event.subject for event in facts.of_kind(EventKind.EVICTED)}
    uploads = [event for event in facts.of_kind(EventKind.UPLOADED) if event.subject not in evicted]
    frames: dict[str, set[int]] = {}
    for event in uploads:
        frames.setdefault(event.subject, set()).add(event.frame)
    often = {name for name, at in frames.items() if len(at) >= _OFTEN}
    fixed = facts.has_place("MANAGED", "USAGE_DEFAULT")
    rows = tuple(row for row in facts.rows_of([e for e in uploads if e.subject in often]) if fixed[row])
    if not rows:
        return None
    names = facts.snapshot.resources.names
    total = sum(event.size_bytes for event in uploads if event.subject in often)
    place = facts.snapshot.resources.places[int(facts.snapshot.resources.place[rows[0]])]
    better = "DEFAULT with DYNAMIC" if facts.api == "d3d9" else "D3D11_USAGE_DYNAMIC"
    return Finding(
        f"{len(rows):,} {place} {'resource changes' if len(rows) == 1 else 'resources change'} all the time",
        f"{names[rows[0]]} was uploaded in {len(frames[names[rows[0]]]):,} of {facts.event_frames:,} frames, "
        f"{format_bytes(total)} in all, each change written twice. {better} is made for it.",
        {"resources": len(rows), "bytes": total},
        rows,
    )


def misplaced(facts: Facts) -> Finding | None:
    """Resources that ended up in slower memory than they asked for."""
    found = facts.of_kind(EventKind.MISPLACED)
    if not found:
        return None
    total = sum(event.size_bytes for event in found)
    return Finding(
        f"{len(found):,} {'allocation lies' if len(found) == 1 else 'allocations lie'} in slower memory than meant",
        f"{format_bytes(total)} went to {found[-1].segment or 'non-local memory'}: there was no room in the fast one. "
        "Create first what every frame reads, or make room before.",
        {"resources": len(found), "bytes": total},
        facts.rows_of(found),
        found[-1].rule,
    )


def no_priorities(facts: Facts) -> Finding | None:
    """What has to leave is needed again, and nothing says what matters."""
    forced = [event for event in (*facts.of_kind(EventKind.EVICTED), *facts.of_kind(EventKind.DEMOTED))
              if event.rule in _FOR_ROOM]  # fmt: skip
    back = facts.came_back(forced)
    if _is_thrashing(facts):
        # Every frame needs more than fits: no order of leaving helps.
        return None
    table = facts.snapshot.resources
    # A demoted heap of D3D12 holds many resources, a managed copy is one.
    if len(back) < (_OFTEN if facts.api == "d3d9" else _FEW_HEAPS) or not len(table.names):
        return None
    if facts.api == "d3d9":
        source = table.priority[facts.has_place("MANAGED")]
    else:
        heaps = facts.snapshot.heaps
        # The runtime starts targets at HIGH by itself: only what is left at NORMAL counts.
        source = heaps.priority[heaps.kind == int(HeapKind.DEFAULT)]
        source = source[(source >> 16) != _HIGH >> 16]
    if not len(source) or int(source.min()) != int(source.max()):
        return None
    total = sum(event.size_bytes for event in back)
    what = "SetPriority" if facts.api == "d3d9" else "SetResidencyPriority"
    return Finding(
        f"{len(back):,} evictions of what was needed again, and all priorities are equal",
        f"{format_bytes(total)} left by age alone in {facts.event_frames:,} frames. {what} keeps what every frame "
        "needs.",
        {"evictions": len(back), "bytes": total, "priority": int(source[0])},
        facts.rows_of(back),
    )


_FOR_ROOM = frozenset({"d3d9.R5.5", "d3d9.R5.6", "d3d9.R6.8", "d3d9.R10.4", "kernel.over-budget", "kernel.order"})
"""Why something is put out that nobody asked to go: not for a lost device, by the application, or by age."""


def descriptor_overwritten(facts: Facts) -> Finding | None:
    """Slots were overwritten while a list still needed them."""
    found = [event for event in facts.of_rule("device.table-read", "device.static-range")
             if event.kind == EventKind.HAZARD]  # fmt: skip
    return _hazard(
        facts,
        found,
        (
            "descriptor slot was overwritten while a list needed it",
            "descriptor slots were overwritten while a list needed them",
        ),
        "Tables are read when the list executes: write to other slots until its fence has passed.",
    )


def aliasing_without_barrier(facts: Facts) -> Finding | None:
    """Aliased resources were used without being active."""
    found = [event for event in facts.of_rule("d3d12.3.18d") if event.kind == EventKind.HAZARD]
    return _hazard(
        facts,
        found,
        ("use of an aliased resource that was not active", "uses of an aliased resource that was not active"),
        "Its bytes belong to another one: an aliasing barrier, then a clear, copy or discard.",
    )


def not_resident(facts: Facts) -> Finding | None:
    """Objects were used or evicted when they should not have been."""
    found = [event for event in facts.of_rule("d3d12.8.7") if event.kind == EventKind.HAZARD]
    return _hazard(
        facts,
        found,
        ("use of an object that was not resident", "uses of objects that were not resident"),
        "MakeResident and its fence come before the submission; Evict after the last one has ended.",
    )


def over_budget(facts: Facts) -> Finding | None:
    """The budget was crossed again and again."""
    found = facts.of_kind(EventKind.OVER_BUDGET)
    if not found:
        return None
    worst = max(found, key=lambda event: (event.size_bytes, event.number))
    demoted = sum(event.size_bytes for event in facts.of_kind(EventKind.DEMOTED))
    return Finding(
        f"{worst.subject} went over its budget {_times(len(found))}",
        f"By {format_bytes(worst.size_bytes)} in frame {worst.frame:,}; {format_bytes(demoted)} were demoted. Watch "
        "the budget notification and trim before the system does.",
        {"crossings": len(found), "worst_bytes": worst.size_bytes, "demoted_bytes": demoted},
        facts.rows_of(facts.of_kind(EventKind.DEMOTED)),
    )


def many_versions(facts: Facts) -> Finding | None:
    """DISCARD keeps many versions alive."""
    table = facts.snapshot.resources
    extra = np.where(facts.has_place("DYNAMIC"), np.maximum(facts.copies - 1, 0), 0)
    total, versions = int((extra * table.size).sum()), int(extra.sum())
    ring = facts.of_rule("device.dynamic-ring")
    if not ring and total < 16 * MIB:
        return None
    waits = sum(event.kind == EventKind.STALLED for event in ring)
    if not versions and not waits:
        return Finding(
            f"{format_bytes(facts.place_bytes('DYNAMIC'))} are DYNAMIC",
            "The driver's ring is short at 64 MiB of versions that the GPU still reads. DYNAMIC is for what the CPU "
            "makes anew all the time; what rarely changes is DEFAULT with UpdateSubresource.",
            {"versions": 0, "bytes": facts.place_bytes("DYNAMIC"), "waits": 0},
            facts.largest(facts.has_place("DYNAMIC")),
        )
    waited = f"waited {_times(waits)}" if waits else "never waited"
    order = np.argsort(-extra * table.size, kind="stable")
    rows = tuple(row for row in order[:ITEMS].tolist() if extra[row])
    return Finding(
        f"WRITE_DISCARD keeps {versions:,} old versions of DYNAMIC resources",
        f"{format_bytes(total)} that the GPU may still read; the driver {waited}. Fewer and larger "
        "buffers, appended with WRITE_NO_OVERWRITE.",
        {"versions": versions, "bytes": total, "waits": waits},
        rows or facts.rows_of(ring),
    )


def refused(facts: Facts) -> Finding | None:
    """Allocations that failed for lack of room."""
    found = [event for event in facts.of_kind(EventKind.REFUSED) if event.rule.startswith("alloc.")]
    # Descriptors have their own rule: they are slots, not bytes.
    slots = {heap.name for heap in facts.snapshot.descriptor_heaps}
    found = [event for event in found if event.segment not in slots]
    if not found:
        return None
    last = found[-1]
    holes = sum(event.rule != "alloc.too-few-bytes" for event in found)
    return Finding(
        f"{len(found):,} {'allocation' if len(found) == 1 else 'allocations'} found no room",
        f"The last: {last.subject}, {format_bytes(last.size_bytes)} in {last.segment or 'memory'}; {holes:,} of them "
        "for holes, not for bytes. Its failure report says what would help.",
        {"refused": len(found), "for_holes": holes, "last_bytes": last.size_bytes},
        facts.rows_of(found),
        last.rule,
    )


def _hazard(facts: Facts, found: list[Event], what: tuple[str, str], advice: str) -> Finding | None:
    if not found:
        return None
    first = found[0]
    return Finding(
        f"{len(found):,} {what[len(found) > 1]}",
        f"The first kept is of frame {first.frame:,}: {first.subject}. {advice}",
        {"hazards": len(found), "first_frame": first.frame},
        facts.rows_of(found),
    )


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count:,} times")
