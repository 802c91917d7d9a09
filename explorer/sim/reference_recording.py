"""What a run of a scenario refers to, submission by submission: the stream that the policy laboratory runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from explorer.errors import InputError
from explorer.memory.eviction.stream import reference_stream
from explorer.memory.eviction.stream_csv import NamedStream
from explorer.sim.reference_uses import READ, priority_of, uses_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.calls import CallRecord
    from explorer.device.device import Device
    from explorer.sim.simulation import Simulation

MAX_REFERENCES = 50_000_000
"""Most references of one recording; where they are reached it ends with that frame."""


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """The references of a run.

    Attributes:
        stream: References by number of object, with sizes, frames and the residency priorities that objects had when
            they were used first; and the objects' names. One that was released and made again is another object, whose
            name says its frame.
        access: 0 where a reference reads, 1 where it writes; shape (n,), uint8, read-only.
        first_frame: Frame before which nothing was recorded.
        frames: Frames that were recorded.
        complete: False if the run was cancelled or grew too long.
    """

    stream: NamedStream
    access: npt.NDArray[np.uint8]
    first_frame: int
    frames: int
    complete: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each object, by its number."""
        return self.stream.names


def record_references(
    simulation: Simulation,
    frames: int,
    *,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Recording:
    """Run frames and record what the GPU uses.

    One submission (a draw, a dispatch, the execution of command lists, a copy; ``uses_of``) uses each resource once,
    however often and through however many views it names it; it writes if any use writes. Resources count wherever
    they lie, since the question is what a memory of some size would hold of them. Calls that were refused use nothing.

    Args:
        simulation: A run; it stands ``frames`` frames later afterwards.
        frames: How many to run, >= 0.
        progress: Called after each frame with the frames done and the frames in all.
        cancelled: Asked after each frame; True ends the recording early.

    Raises:
        InputError: Nothing was used in these frames.
    """
    recorder = _Recorder()
    first = simulation.frame
    done = 0
    simulation.observe(recorder.note)
    try:
        while done < frames and len(recorder.ids) < MAX_REFERENCES and not (cancelled is not None and cancelled()):
            simulation.step()
            done += 1
            if progress is not None:
                progress(done, frames)
    finally:
        simulation.observe(None)
    if not recorder.ids:
        raise InputError("nothing is used in these frames: there are no references", file=simulation.scenario.id,
                         found=f"{done} frames", accepted=("a scenario that draws or executes",))  # fmt: skip
    return recorder.finish(first, done, complete=done == frames)


@dataclass(slots=True)
class _Recorder:
    """The columns as far as they are recorded."""

    ids: list[int] = field(default_factory=list[int])
    frames: list[int] = field(default_factory=list[int])
    access: list[int] = field(default_factory=list[int])
    sizes: list[int] = field(default_factory=list[int])
    priorities: list[int] = field(default_factory=list[int])
    names: list[str] = field(default_factory=list[str])
    number_of: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    made_names: set[str] = field(default_factory=set[str])

    def note(self, device: Device, record: CallRecord, arguments: Any) -> None:
        """Take in a call; most use nothing."""
        uses = dict[int, int]()
        for kind, row, access in uses_of(device, record, arguments):
            number = self._number(device, kind, row)
            uses[number] = max(uses.get(number, READ), access)
        if uses:
            frame = device.state.log.frame
            self.ids.extend(uses)
            self.access.extend(uses.values())
            self.frames.extend([frame] * len(uses))

    def finish(self, first: int, frames: int, *, complete: bool) -> Recording:
        """Return what was recorded."""
        stream = reference_stream(
            np.array(self.ids, np.uint32),
            np.array(self.sizes, np.int64),
            frames=np.array(self.frames, np.int64),
            priorities=np.array(self.priorities, np.int64),
        )
        access = np.array(self.access, np.uint8)
        access.flags.writeable = False
        return Recording(NamedStream(stream, tuple(self.names)), access, first, frames, complete)

    def _number(self, device: Device, kind: str, row: int) -> int:
        state = device.state
        table = state.heaps if kind == "heap" else state.resources
        made = int(table["created_frame"][row])
        name = state.name_of(kind, row)
        number = self.number_of.get((name, made))
        if number is None:
            number = self.number_of[name, made] = len(self.names)
            self.names.append(name if name not in self.made_names else f"{name} (made in frame {made})")
            self.made_names.add(name)
            self.sizes.append(int(table["size"][row]))
            self.priorities.append(priority_of(device, kind, row))
        return number
