"""What the window may ask of the simulation thread, and what comes back besides snapshots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from explorer.core.calls import CallRecord
from explorer.device.outcome import Outcome, Preview
from explorer.errors import Complaint
from explorer.sim.why import WhyAnswer


@dataclass(frozen=True, slots=True)
class Play:
    """Run frames until paused or at the end."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop after the frame that runs."""


@dataclass(frozen=True, slots=True)
class Step:
    """Run some frames, or go back by some where the number is negative, and pause."""

    frames: int = 1


@dataclass(frozen=True, slots=True)
class StepCall:
    """Run one call of the current frame and pause."""


@dataclass(frozen=True, slots=True)
class StepEvent:
    """Run calls until one reports an event, and pause.

    Attributes:
        kinds: Kinds of event that count, as ``EventKind`` values; none: all.
    """

    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Seek:
    """Go to the state after a number of frames, forwards or back."""

    frame: int


@dataclass(frozen=True, slots=True)
class SetSpeed:
    """Frames a second of wall time; None runs flat out."""

    frames_per_second: float | None


@dataclass(frozen=True, slots=True)
class SetLoop:
    """Start again at the end of the scenario, or stop there."""

    loop: bool


@dataclass(frozen=True, slots=True)
class Load:
    """Replace the simulation; the factory runs on the simulation thread and returns a ``Simulation``.

    The type is not named here: the window imports this module before its first paint, and the devices not at all.
    """

    make: Callable[[], Any]
    request: int = 0


@dataclass(frozen=True, slots=True)
class Apply:
    """Apply calls, one after the other; they enter the journal."""

    records: tuple[CallRecord, ...]
    request: int = 0


@dataclass(frozen=True, slots=True)
class PreviewCall:
    """Say what a call would do."""

    record: CallRecord
    request: int = 0


@dataclass(frozen=True, slots=True)
class AskWhy:
    """Say why a resource or heap is where it is, why it was evicted, why a call for it failed.

    Attributes:
        resource: Its name; it need not live.
        request: Number of the answer.
        record: A creation call for it that was refused, for its alignment; None where there is none.
    """

    resource: str
    request: int = 0
    record: CallRecord | None = None


@dataclass(frozen=True, slots=True)
class SetOption:
    """Change a parameter that may change while running (budget, policy, pressure); it enters the journal."""

    name: str
    value: str
    request: int = 0


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the last entry of the journal."""


@dataclass(frozen=True, slots=True)
class Redo:
    """Do the last undone entry again."""


Command = (
    Play
    | Pause
    | Step
    | StepCall
    | StepEvent
    | Seek
    | SetSpeed
    | SetLoop
    | Load
    | Apply
    | PreviewCall
    | AskWhy
    | SetOption
    | Undo
    | Redo
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a command with a request number.

    Attributes:
        request: The number that the command carried.
        outcomes: For ``Apply``.
        preview: For ``PreviewCall``.
        why: For ``AskWhy``.
        error: Why nothing was done, for broken input.
    """

    request: int
    outcomes: tuple[Outcome, ...] = ()
    preview: Preview | None = None
    why: WhyAnswer | None = None
    error: Complaint | None = None


@dataclass(frozen=True, slots=True)
class RunState:
    """How the loop stands.

    Attributes:
        playing: True while frames run.
        frame: Frames run.
        frames: Length of the scenario; 0 for an endless one.
        can_undo: Entries that can be taken back.
        can_redo: Entries that can be done again.
        journal: Entries in the journal.
        frames_per_second: Measured over the last half second; wall time, for the status bar only.
    """

    playing: bool
    frame: int
    frames: int
    can_undo: int
    can_redo: int
    journal: int
    frames_per_second: float
