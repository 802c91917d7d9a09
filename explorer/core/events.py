"""What happened: the events that a device reports, and nothing but them explains a state."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class EventKind(enum.StrEnum):
    """Every kind of event; ``run --json`` counts each, zeros too."""

    CREATED = "created"
    RELEASED = "released"
    ALLOCATED = "allocated"
    FREED = "freed"
    UPLOADED = "uploaded"
    EVICTED = "evicted"
    PAGED_IN = "paged_in"
    PAGED_OUT = "paged_out"
    DEMOTED = "demoted"
    TRIMMED = "trimmed"
    MADE_RESIDENT = "made_resident"
    REFUSED = "refused"
    OVER_BUDGET = "over_budget"
    WITHIN_BUDGET = "within_budget"
    BUDGET_CHANGED = "budget_changed"
    LRU_TO_MRU = "lru_to_mru"
    MISPLACED = "misplaced"
    ALIASED = "aliased"
    ACTIVATED = "activated"
    RENAMED = "renamed"
    STALLED = "stalled"
    HAZARD = "hazard"
    DEVICE_LOST = "device_lost"
    DEVICE_REMOVED = "device_removed"
    RESET = "reset"
    PRESENTED = "presented"
    NOTIFIED = "notified"
    """The system told the application something."""
    CHANGED = "changed"
    """A description, priority, state or view was set."""
    NOT_SIMULATED = "not_simulated"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        number: 0-based, without gaps in a simulation.
        frame: The frame in which it happened, 0 before the first Present.
        time_ns: Simulated time.
        kind: What.
        subject: Name of the resource or heap, or empty.
        segment: Name of the memory segment, or empty.
        size_bytes: Bytes moved, taken or asked for; 0 where none.
        rule: Id of the rule that says why, or empty.
        text: One sentence with the numbers.
        cause: Number of the event that led to this one, or −1.
    """

    number: int
    frame: int
    time_ns: int
    kind: EventKind
    subject: str = ""
    segment: str = ""
    size_bytes: int = 0
    rule: str = ""
    text: str = ""
    cause: int = -1
