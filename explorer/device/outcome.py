"""What a device answers to a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from explorer.core.calls import CallRecord
from explorer.core.events import Event
from explorer.core.layouts import ResourceLayout
from explorer.core.verdicts import Reason, Verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to one call record.

    Attributes:
        record: The call.
        hr: Name of the HRESULT; ``NOT_SIMULATED`` where the device does not simulate the call.
        values: Out values under the API's names.
        reasons: The rules that decided, the decisive one first.
        events: What it caused, in order.
    """

    record: CallRecord
    hr: str
    values: Mapping[str, object]
    reasons: tuple[Reason, ...]
    events: Sequence[Event]

    @property
    def succeeded(self) -> bool:
        """True for success codes."""
        return self.hr.startswith("S_") or self.hr == "D3D_OK"


@dataclass(frozen=True, slots=True)
class Ghost:
    """Where a block would lie.

    Attributes:
        segment: Index of the segment in the snapshot.
        heap: Index of the heap, −1 where it would lie directly in the segment or in a new heap of its own.
        offset: First byte, as in ``BlockColumns``.
        size: Bytes.
        kind: ``ResourceKind``.
    """

    segment: int
    heap: int
    offset: int
    size: int
    kind: int


@dataclass(frozen=True, slots=True)
class AccessRow:
    """Who may touch a resource, and what it costs; texts for people.

    Attributes:
        who: ``GPU``, ``CPU`` or ``Bus``.
        read: For example ``yes``, ``no``, ``slow (write-combined)``.
        write: As ``read``.
        whole_ns: Estimated time for the whole resource, −1 where there is none.
    """

    who: str
    read: str
    write: str
    whole_ns: int = -1


@dataclass(frozen=True, slots=True)
class Preview:
    """What a creation call would do now, without doing it.

    Attributes:
        record: The call.
        verdict: What the API would answer, with reasons.
        layout: Size, alignment and subresources; None where the description is refused.
        segment: Name of the memory segment, or empty.
        why: Why that memory, one sentence with its source.
        ghost: Where it would lie; None where it has no place.
        refusal: Why it has no place: asked, free, largest hole, lost to alignment; empty else.
        after: One sentence: what the segment or budget looks like afterwards.
        access: Who may touch it.
    """

    record: CallRecord
    verdict: Verdict
    layout: ResourceLayout | None = None
    segment: str = ""
    why: str = ""
    ghost: Ghost | None = None
    refusal: str = ""
    after: str = ""
    access: tuple[AccessRow, ...] = field(default=())
