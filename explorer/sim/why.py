"""Why is it here, why was it evicted, why did it fail: answered from the events of a name, always."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.events import Event, EventKind
from explorer.core.kinds import BlockState, ResidencyPlace
from explorer.core.units import format_address, format_exact
from explorer.core.verdicts import Reason
from explorer.sim.residency_history import FRAME, PLACE, RULE
from explorer.sim.why_failure import FailureReport, failure_report
from explorer.sim.why_rules import rule_reason

if TYPE_CHECKING:
    from explorer.sim.resource_history import Noted, Story
    from explorer.sim.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Why:
    """One answer.

    Attributes:
        happened: False where there is nothing to explain (it was never evicted, nothing failed).
        text: Sentences with numbers; never empty.
        reason: The rule behind it with text and source; None where no rule decided.
        event: The event that answers; None where nothing happened.
        cause: The event that led to it; None where none is known.
    """

    happened: bool
    text: str
    reason: Reason | None = None
    event: Event | None = None
    cause: Event | None = None


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """The three answers about one name.

    Attributes:
        name: The resource or heap.
        frame: The frame that is looked at.
        here: Why it is where it is, or why it is nowhere.
        evicted: Why it had to leave the last time.
        failed: Why a call for it failed the last time.
        count: Events of the name since the start.
        events: Those that are kept, oldest first.
        failure: Where bytes were missing: the range as it is now; else None.
    """

    name: str
    frame: int
    here: Why
    evicted: Why
    failed: Why
    count: int
    events: tuple[Event, ...]
    failure: FailureReport | None = None


def explain(
    name: str, snapshot: Snapshot, story: Story | None, heap_story: Story | None = None, alignment: int = 0
) -> WhyAnswer:
    """Return the three answers.

    Args:
        name: Name of a resource or heap, alive or not.
        snapshot: The state that is looked at.
        story: What happened to the name; None: nothing.
        heap_story: What happened to the heap that it lies in, where that has a name of its own.
        alignment: Alignment that a refused request asked for, in bytes; 0 where only the resource's own is known.
    """
    heap_gone = heap_story.gone if heap_story is not None else None
    gone = _later(story.gone if story is not None else None, heap_gone)
    failed = story.failed if story is not None else None
    return WhyAnswer(
        name=name,
        frame=snapshot.provenance.frame,
        here=_here(name, snapshot, story, heap_story),
        evicted=_evicted(name, snapshot, gone),
        failed=_failed(name, failed),
        count=story.count if story is not None else 0,
        events=story.events if story is not None else (),
        failure=_failure(name, snapshot, failed, alignment),
    )


def heap_of(name: str, snapshot: Snapshot) -> str:
    """Return the name of the heap that a resource lies in; empty where it lies in none of another name."""
    if name not in snapshot.resources.names:
        return ""
    row = snapshot.resources.names.index(name)
    heaps = snapshot.blocks.heap[snapshot.blocks.resource == row]
    found = [snapshot.heaps.names[int(heap)] for heap in heaps if heap >= 0]
    return found[0] if found and found[0] != name else ""


def _here(name: str, snapshot: Snapshot, story: Story | None, heap_story: Story | None) -> Why:
    last = story.recent[-1].event if story is not None else None
    is_alive = name in snapshot.resources.names or name in snapshot.heaps.names
    if not is_alive:
        if last is None:
            return Why(False, f"Nothing of this name was met up to frame {snapshot.provenance.frame:,}.")
        text = f"{name} does not live. {_told(last)}"
        return Why(True, text, rule_reason(last.rule), last)
    place = _place(name, snapshot)
    if story is None:
        return Why(False, f"{place} No event of it is known.")
    noted = _last_arrival(name, snapshot, story, heap_story)
    if noted is None:
        noted = story.first
    text = f"{place} {_told(noted.event, name)}"
    if noted.because is not None:
        text += f" That followed from: {_told(noted.because)}"
    lost = _loss(name, snapshot)
    if lost is not None:
        loss = next((e for e in reversed(snapshot.events) if e.kind is EventKind.DEVICE_LOST), noted.event)
        return Why(True, f"{text} {lost[0]}", rule_reason(lost[1]), loss, noted.because)
    return Why(True, text, rule_reason(noted.event.rule), noted.event, noted.because)


def _loss(name: str, snapshot: Snapshot) -> tuple[str, str] | None:
    """Return when the contents of a resource went with the device, and by which rule; None where they did not."""
    if snapshot.history is None:
        return None
    residency = snapshot.history.residency
    row = residency.last_row(name)
    if row is None or row[PLACE] != ResidencyPlace.LOST:
        return None
    # The state after so many frames is that of the last one of them.
    frame, rule = int(row[FRAME]) - 1, residency.words.words[int(row[RULE])] if row[RULE] >= 0 else ""
    return f"Its contents are lost since frame {frame:,}: they went with the device.", rule


def _last_arrival(name: str, snapshot: Snapshot, story: Story, heap_story: Story | None) -> Noted | None:
    """Return the event that put the bytes where they are: the last arrival, or the leaving that came after it."""
    placed, gone = story.placed, story.gone
    if heap_story is not None:
        placed = _later(placed if placed is None or placed.event.kind != EventKind.CREATED else None, heap_story.placed)
        gone = _later(gone, heap_story.gone)
    if gone is None or placed is None or gone.event.number < placed.event.number:
        return placed or gone
    if name not in snapshot.resources.names:
        return gone
    # A master copy stays where it is when the device copy leaves: then the leaving is the news.
    return gone


def _evicted(name: str, snapshot: Snapshot, noted: Noted | None) -> Why:
    if noted is None:
        return Why(False, f"{name} was never evicted, demoted or paged out up to frame {snapshot.provenance.frame:,}.")
    text = _told(noted.event, name)
    if noted.because is not None and noted.because.subject != name:
        text += f" It made way for: {_told(noted.because)}"
    text += _pressure(snapshot, noted.event)
    return Why(True, text, rule_reason(noted.event.rule), noted.event, noted.because)


def _pressure(snapshot: Snapshot, event: Event) -> str:
    """Return how full the groups were at the end of the event's frame."""
    history = snapshot.history
    if history is None or not 0 <= event.frame < len(history.frame_ns):
        return ""
    segment = next((s for s in snapshot.segments if s.name == event.segment), None)
    parts: list[str] = []
    for index, (node, group) in enumerate(history.groups):
        if group != "LOCAL" and (segment is None or segment.group != group):
            continue
        used, budget = int(history.used[event.frame, index]), int(history.budget[event.frame, index])
        of = f" of a budget of {format_exact(budget)}" if budget >= 0 else ""
        if segment is None or segment.node == node or group != "LOCAL":
            parts.append(f"{group} held {format_exact(used)}{of}")
    return f" At the end of that frame {' and '.join(parts)}." if parts else ""


def _failed(name: str, noted: Noted | None) -> Why:
    if noted is None:
        return Why(False, f"No call for {name} failed.")
    reason = rule_reason(noted.event.rule)
    return Why(True, _told(noted.event, name), reason, noted.event, noted.because)


def _failure(name: str, snapshot: Snapshot, noted: Noted | None, alignment: int) -> FailureReport | None:
    if noted is None or not noted.event.rule.startswith("alloc.") or noted.event.size_bytes <= 0:
        return None
    if not alignment and name in snapshot.resources.names:
        row = snapshot.resources.names.index(name)
        own = snapshot.blocks.alignment[snapshot.blocks.resource == row]
        alignment = int(own.max()) if len(own) else 1
    return failure_report(snapshot, noted.event.segment, noted.event.size_bytes, max(alignment, 1))


def _place(name: str, snapshot: Snapshot) -> str:
    """Return where the bytes of a name are now, as one sentence."""
    if name not in snapshot.resources.names:
        heap = snapshot.heaps.names.index(name)
        where = snapshot.segments[int(snapshot.heaps.segment[heap])].name
        return f"{name} ({format_exact(int(snapshot.heaps.size[heap]))}) lies in {where}."
    row = snapshot.resources.names.index(name)
    blocks = snapshot.blocks
    parts: list[str] = []
    for block in np.flatnonzero(blocks.resource == row).tolist():
        state, heap, offset = int(blocks.state[block]), int(blocks.heap[block]), int(blocks.offset[block])
        what = "its master copy" if state & BlockState.MASTER_COPY else "it"
        what = "its device copy" if state & BlockState.DEVICE_COPY else what
        where = snapshot.segments[int(blocks.segment[block])].name
        if heap >= 0 and snapshot.heaps.names[heap] != name:
            where = f"{snapshot.heaps.names[heap]} in {where}"
        at = f" at {format_address(offset)}" if offset >= 0 else ""
        parts.append(f"{what} ({format_exact(int(blocks.size[block]))}) lies in {where}{at}")
    if not parts:
        return f"{name} has no memory now."
    text = "; ".join(parts).replace("it (", f"{name} (", 1) if parts[0].startswith("it (") else "; ".join(parts)
    lead = text if text.startswith(name) else f"{name}: {text}"
    resident = bool(snapshot.resources.resident[row])
    return f"{lead}." if resident else f"{lead}; the GPU cannot use it now."


def _told(event: Event, name: str = "") -> str:
    """Return an event's frame and sentence; the sentence need not repeat the name that is spoken of."""
    text = event.text or f"{event.kind.value.replace('_', ' ')} {event.subject}."
    return f"Frame {event.frame:,}: {text.removeprefix(f'{name}: ') if name else text}"


def _later(first: Noted | None, second: Noted | None) -> Noted | None:
    if first is None or second is None:
        return first or second
    return first if first.event.number >= second.event.number else second
