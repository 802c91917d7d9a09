"""What every simulated device does alike: find the handler of a call, time it, report what is not simulated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Any, Self

from explorer.core.calls import call_spec, decode_input
from explorer.core.columns import NO_TILES
from explorer.core.descriptor_uses import NO_USES
from explorer.core.events import EventKind
from explorer.core.verdicts import Reason, Verdict
from explorer.device.outcome import Outcome
from explorer.errors import CallError
from explorer.tables.kernel_rules import kernel_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import numpy.typing as npt

    from explorer.core.calls import CallRecord
    from explorer.core.columns import DescriptorHeapPicture, TileColumns
    from explorer.core.descriptor_uses import DescriptorUses
    from explorer.device.memory_state import MemoryState
    from explorer.device.outcome import Preview
    from explorer.memory.allocators.protocol import Refusal

    Observer = Callable[["Device", CallRecord, Any], None]

NOT_SIMULATED = "NOT_SIMULATED"


def not_simulated_reason(call: str) -> Reason:
    """Return why a call has no answer."""
    row = kernel_reason("product.not-simulated")
    return Reason(row.rule, f"{call} is not simulated: nothing was changed.", row.source)


class Device(ABC):
    """A device of one API: applies call records and answers with outcomes.

    Attributes:
        api: ``d3d9``, ``d3d11`` or ``d3d12`` (or a variant of these).
        state: Memory and what lives in it.
        not_simulated: Call name → how often it was met and not simulated.
        options: Every device option in force.
        observer: Called with the device, the record and its decoded input after a call that succeeded; not copied.
    """

    api: str

    def __init__(self, state: MemoryState, options: Mapping[str, str]) -> None:
        self.state = state
        self.options = dict(options)
        self.not_simulated: Counter[str] = Counter()
        self.observer: Observer | None = None
        self._frame_started_ns = 0

    def apply(self, record: CallRecord) -> Outcome:
        """Apply a call.

        Raises:
            CallError: The record is malformed, or names an object that does not live.
        """
        return self.call(record, decode_input(record))

    def call(self, record: CallRecord, arguments: Any) -> Outcome:
        """Apply a call whose input is already decoded."""
        handler = self.handlers().get(record.call)
        if handler is None:
            return self._refuse_unknown(record)
        verdict = handler(self, arguments, record)
        if self.observer is not None and verdict.succeeded:
            self.observer(self, record, arguments)
        return Outcome(record, verdict.hr, verdict.values, verdict.reasons, self.state.log.take())

    @classmethod
    @abstractmethod
    def handlers(cls) -> Mapping[str, Callable[[Any, Any, CallRecord], Verdict]]:
        """Return call name → method, for the calls that are simulated."""

    @abstractmethod
    def preview(self, record: CallRecord) -> Preview:
        """Return what a creation call would do now, without doing it."""

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent copy, for checkpoints."""

    def kept_copy(self) -> Self:
        """Return a copy that nobody writes: it may share tables with the kept copy before."""
        self.state.is_kept = True
        try:
            return self.copy()
        finally:
            self.state.is_kept = False

    @abstractmethod
    def set_option(self, name: str, value: str) -> None:
        """Change an option that may change while running.

        Raises:
            CommandError: Unknown option or value.
        """

    def where(self, name: str) -> tuple[str, int]:
        """Return the heap and the offset of a placed resource.

        Raises:
            CallError: No such resource, or this API places nothing in heaps.
        """
        raise CallError("this API places nothing in heaps", where="aliases", found=name)

    def choose_heap(self, record: CallRecord, heaps: tuple[str, ...]) -> CallRecord:
        """Return the record placed in the first of some heaps that has room for it.

        Raises:
            CallError: This API places nothing in heaps.
        """
        raise CallError("this API places nothing in heaps", where="heaps", found=heaps[0], accepted=(record.api,))

    def descriptor_heaps(self, resource_at: npt.NDArray[np.int32]) -> tuple[DescriptorHeapPicture, ...]:
        """Return the descriptor heaps; ``resource_at`` maps resource rows to snapshot indices."""
        del resource_at
        return ()

    def descriptor_uses(self, resource_at: npt.NDArray[np.int32]) -> DescriptorUses:
        """Return what happens to descriptor slots; ``resource_at`` as in ``descriptor_heaps``."""
        del resource_at
        return NO_USES

    def tile_mappings(self, heap_at: npt.NDArray[np.int32], resource_at: npt.NDArray[np.int32]) -> TileColumns:
        """Return the tile mappings; the arguments map heap and resource rows to snapshot indices."""
        del heap_at, resource_at
        return NO_TILES

    def end_frame(self) -> None:
        """Close a frame: the clock stands at its end, marks of the frame are gone with the next one."""
        state = self.state
        spent = state.log.time_ns - self._frame_started_ns
        state.times.slowest_frame = max(state.times.slowest_frame, spent)
        self._frame_started_ns = state.log.time_ns
        state.log.frame += 1

    def spend(self, *, gpu: int = 0, transfer: int = 0, cpu: int = 0, stall: int = 0) -> None:
        """Let simulated time pass.

        The parts follow each other: nothing overlaps. Modelling choice; it is an upper bound.
        """
        times = self.state.times
        times.gpu += gpu
        times.transfer += transfer
        times.cpu += cpu
        times.stall += stall
        self.state.log.time_ns += gpu + transfer + cpu + stall

    def refuse(self, record: CallRecord, verdict: Verdict, subject: str = "") -> Verdict:
        """Report a refusal and return it.

        Args:
            record: The call.
            verdict: The refusal.
            subject: Name of the object that the call was made on; empty for one that creates or has none.
        """
        reason = verdict.reasons[0]
        text = f"{verdict.hr}: {reason.text}"
        if subject:
            text = f"{subject}: {record.call} answers {text}"
        self.state.log.add(EventKind.REFUSED, subject or record.out or record.call, rule=reason.rule, text=text)
        return verdict

    def no_room(self, record: CallRecord, hr: str, segment: str, refusal: Refusal, rule: str, source: str) -> Verdict:
        """Report that memory ran out and return the verdict: asked, free, largest hole, lost to alignment."""
        text = f"{segment}: {refusal.text()}"
        self.state.log.add(
            EventKind.REFUSED,
            record.out or record.call,
            segment,
            refusal.requested_bytes,
            rule=refusal.reason,
            text=text,
        )
        values = {
            "requested_bytes": refusal.requested_bytes,
            "free_bytes": refusal.free_bytes,
            "largest_hole_bytes": refusal.largest_hole_bytes,
            "lost_to_alignment_bytes": refusal.lost_to_alignment_bytes,
        }
        return Verdict(hr, (Reason(rule, text, source),), values)

    def _refuse_unknown(self, record: CallRecord) -> Outcome:
        call_spec(record.api, record.call)
        self.not_simulated[record.call] += 1
        reason = not_simulated_reason(record.call)
        self.state.log.add(EventKind.NOT_SIMULATED, record.out or record.call, rule=reason.rule, text=reason.text)
        return Outcome(record, NOT_SIMULATED, {}, (reason,), self.state.log.take())

    def _copy_base(self) -> Self:
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        other.state = self.state.copy()
        other.options = dict(self.options)
        other.observer = None
        other.not_simulated = Counter(self.not_simulated)
        return other
