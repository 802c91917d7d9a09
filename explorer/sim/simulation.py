"""A scenario, a device and time: applies calls, runs frames, goes back, and shows snapshots. Plain Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from explorer import __version__
from explorer.core.calls import CallRecord
from explorer.core.names import NameRuns
from explorer.core.units import parse_size
from explorer.device import make_device
from explorer.device.memory_state import MemoryState
from explorer.errors import CallError, CommandError, ExplorerError, InputError, PresetError
from explorer.sim import interruption
from explorer.sim.checkpoints import Checkpoints, event_work, frame_work, name_work
from explorer.sim.history import HistoryRecorder
from explorer.sim.journal import Entry, Journal, Moment
from explorer.sim.picture import PictureMaker
from explorer.sim.resource_history import ResourceHistory
from explorer.sim.script import Planned, Script
from explorer.sim.snapshot import Provenance, Snapshot

if TYPE_CHECKING:
    from explorer.core.events import Event
    from explorer.device.device import Observer
    from explorer.device.outcome import Outcome, Preview
    from explorer.sim.scenario import ObjectGroup, Scenario
    from explorer.sim.why import WhyAnswer
    from explorer.tables.adapters import Adapter

EVENTLESS_FRAMES = 1000
"""Frames after which ``step_event`` gives up looking for an event."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run may choose.

    Attributes:
        seed: Seed of the random streams.
        allocator: Allocator id.
        device: Device options (``policy``, ``windows``, ``size_model`` …).
        budget: (node, group) → bytes that replace the adapter's budget.
    """

    seed: int
    allocator: str
    device: Mapping[str, str]
    budget: Mapping[tuple[int, str], int]


class Simulation:
    """One run of a scenario.

    The state is a fold over calls: the scenario's own and the journal's edits. The same scenario, adapter, options and
    edits give the same snapshots on every machine.

    Args:
        scenario: What happens.
        adapter: The simulated adapter.
        options: What the run chooses.
    """

    def __init__(self, scenario: Scenario, adapter: Adapter, options: RunOptions) -> None:
        self.scenario = scenario
        self.adapter = adapter
        self.options = options
        self._script = Script(scenario, options.seed)
        self._journal = Journal()
        self._checkpoints = Checkpoints()
        self._work = 0
        self._pictures = PictureMaker()
        self._calls: list[Planned] | None = None
        self._step = 0
        self._frame = 0
        self._made: dict[str, int] = {}
        self._reported: Sequence[Event] = ()
        self._observer: Observer | None = None
        state = MemoryState(adapter, options.allocator, dict(options.budget))
        self._device = make_device(scenario.api, state, options.device)
        self._events = ResourceHistory()
        self._history = HistoryRecorder(tuple(state.groups))
        for group in scenario.objects:
            self._create(group)
        self._history.begin(state, self._events)
        self._keep_checkpoint()
        self._apply_edits()

    # What the window shows beside snapshots --------------------------------------------------------------------

    @property
    def frame(self) -> int:
        """Frames run."""
        return self._frame

    @property
    def frames(self) -> int:
        """Length of the scenario."""
        return self.scenario.frames

    @property
    def at_end(self) -> bool:
        """True when the scenario's last frame was run."""
        return self._frame >= self.scenario.frames

    @property
    def can_undo(self) -> int:
        """Edits that can be taken back."""
        return len(self._journal.added)

    @property
    def can_redo(self) -> int:
        """Edits that can be done again."""
        return len(self._journal.undone)

    @property
    def journal_length(self) -> int:
        """Edits in force."""
        return len(self._journal.entries)

    @property
    def journal(self) -> tuple[Entry, ...]:
        """The edits in force, in the order of their moments."""
        return tuple(self._journal.entries)

    # Running ---------------------------------------------------------------------------------------------------

    def step(self, frames: int = 1) -> None:
        """Run whole frames; a frame that was begun by ``step_call`` is finished first and counts."""
        for _ in range(frames):
            self._finish_frame()

    def step_event(self, kinds: frozenset[str] = frozenset()) -> tuple[Event, ...]:
        """Run calls until one of them reports an event; the call that reports it is done as a whole.

        Args:
            kinds: Kinds that count; none: all.

        Returns:
            The events of that call that count; empty when ``EVENTLESS_FRAMES`` frames went by without any.
        """
        last = self._frame + EVENTLESS_FRAMES
        while self._frame < last:
            self._reported = ()
            self.step_call()
            found = tuple(event for event in self._reported if not kinds or event.kind.value in kinds)
            if found:
                return found
        return ()

    def step_call(self) -> None:
        """Run one call of the current frame."""
        calls = self._frame_calls()
        if self._step < len(calls):
            self._run(calls[self._step])
            self._step += 1
            self._apply_edits()
        if self._step >= len(calls):
            self._next_frame()

    def seek(self, frame: int) -> None:
        """Go to the state after ``frame`` frames, from the nearest checkpoint before it or from where the run stands.

        Args:
            frame: 0 is the state before the first frame.
        """
        frame = max(frame, 0)
        if frame < self._frame or self._step or self._checkpoints.nearest(frame).frame > self._frame:
            self._restore(frame)
        while self._frame < frame:
            self._finish_frame()

    def apply(self, record: CallRecord) -> Outcome:
        """Apply a call now; it enters the journal.

        Raises:
            CallError: The record is malformed or names what does not live; nothing was changed.
        """
        self._check_name(record)
        outcome = self._device.apply(record)
        self._note(outcome.events)
        self._enter(Entry(Moment(self._frame, self._step), record))
        return outcome

    def preview(self, record: CallRecord) -> Preview:
        """Return what a creation call would do now."""
        return self._device.preview(record)

    def why(self, name: str, record: CallRecord | None = None) -> WhyAnswer:
        """Return why a resource or heap is where it is, why it was evicted and why a call for it failed.

        Args:
            name: Its name; it need not live.
            record: A creation call for it that was refused; the failure report then knows its alignment.
        """
        from explorer.sim.why import explain, heap_of

        snapshot = self.snapshot()
        heap = heap_of(name, snapshot)
        layout = self.preview(record).layout if record is not None else None
        heap_story = self._events.story(heap) if heap else None
        return explain(name, snapshot, self._events.story(name), heap_story, layout.alignment if layout else 0)

    def set_option(self, name: str, value: str) -> None:
        """Change a device option now; it enters the journal.

        Raises:
            CommandError: Unknown option or value; nothing was changed.
        """
        self._set_option(name, value)
        self._enter(Entry(Moment(self._frame, self._step), option=(name, value)))

    def observe(self, observer: Observer | None) -> None:
        """Have a function called after every call that succeeds from now on, also where frames are run again.

        Args:
            observer: Called with the device, the record and its decoded input; None ends it. It changes nothing.
        """
        self._observer = self._device.observer = observer

    def undo(self) -> None:
        """Take back the last edit; the rest is run again."""
        entry = self._journal.undo()
        if entry is not None:
            self._rerun(entry)

    def redo(self) -> None:
        """Do the last undone edit again."""
        entry = self._journal.redo()
        if entry is not None:
            self._rerun(entry)

    def snapshot(self) -> Snapshot:
        """Return the present state."""
        options = {"allocator": self.options.allocator, **self._device.options}
        for (node, group), size in sorted(self.options.budget.items()):
            options.setdefault("budget", f"{group}={size}" if node == 0 else f"{group}@{node}={size}")
        provenance = Provenance(
            scenario=self.scenario.id,
            seed=self.options.seed,
            frame=self._frame,
            version=__version__,
            options=dict(sorted(options.items())),
        )
        return self._pictures.make(self._device, provenance, self._history.show())

    # Inside ----------------------------------------------------------------------------------------------------

    def _create(self, group: ObjectGroup) -> None:
        state = self._device.state
        limit = parse_size(group.total) if group.total else None
        total = 0
        self._made[group.id] = 0
        for planned in self._script.objects(group):
            if limit is not None and total >= limit:
                return
            interruption.check()
            self._made[group.id] += 1
            if self._lacks_its_place(planned):
                continue
            try:
                record = self._placed_record(planned)
                assert record is not None
                self._check_name(record)
                self._note(self._device.apply(record).events)
            except (InputError, CommandError) as error:
                raise self._in_file(error, planned) from error
            made = state.objects.get(record.out or "")
            if made is not None and made[0] == "resource":
                total += int(state.resources["size"][made[1]])

    def _in_file(self, error: ExplorerError, planned: Planned) -> PresetError:
        """Return an error of a call or option as one of the scenario's file that names the key."""
        c = error.complaint
        part = "option" if planned.option is not None else c.where
        where = ".".join(name for name in (planned.where, part) if name)
        return PresetError(
            c.message, file=f"{self.scenario.id}.toml", where=where or None, found=c.found, accepted=c.accepted
        )

    def _placed_record(self, planned: Planned) -> CallRecord | None:
        """Return the record with heap and offset chosen as the scenario says."""
        record = planned.record
        if record is None or (planned.alias_of is None and not planned.heaps):
            return record
        if planned.alias_of is not None:
            heap, offset = self._device.where(planned.alias_of)
            inputs = {**record.inputs, "pHeap": heap, "HeapOffset": offset}
            return CallRecord(record.api, record.call, inputs, record.out)
        return self._device.choose_heap(record, planned.heaps)

    def _lacks_its_place(self, planned: Planned) -> bool:
        """Whether every heap that an object could lie in was refused: an application asks no further then."""
        objects = self._device.state.objects
        return bool(planned.heaps) and not any(name in objects for name in planned.heaps)

    def _check_name(self, record: CallRecord) -> None:
        if record.out is not None and record.out in self._device.state.objects:
            raise CallError("an object of this name lives already", where="out", found=record.out)

    def _frame_calls(self) -> list[Planned]:
        if self._calls is None:
            self._calls = self._script.frame(self._frame, self._device.state.objects, self._made)
        return self._calls

    def _finish_frame(self) -> None:
        interruption.check()
        calls = self._frame_calls()
        while self._step < len(calls):
            self._run(calls[self._step])
            self._step += 1
            self._apply_edits()
        self._next_frame()

    def _next_frame(self) -> None:
        self._history.add(self._device.state, self._events)
        self._frame += 1
        self._step = 0
        self._calls = None
        if self._checkpoints.is_due(self._frame, self._work):
            self._keep_checkpoint()
        self._apply_edits()

    def _run(self, planned: Planned) -> None:
        try:
            self._make(planned)
        except (InputError, CommandError) as error:
            raise self._in_file(error, planned) from error

    def _make(self, planned: Planned) -> None:
        if planned.option is not None:
            self._set_option(*planned.option)
            return
        record = self._placed_record(planned)
        assert record is not None
        references = 0
        if planned.arguments is not None:
            arguments = self._living(planned.arguments)
            references = sum(name_work(getattr(arguments, name, ())) for name in ("references", "writes"))
            events = self._device.call(record, arguments).events
        else:
            self._check_name(record)
            events = self._device.apply(record).events
        self._work += frame_work(1, references, event_work(events))
        self._note(events)

    def _set_option(self, name: str, value: str) -> None:
        self._device.set_option(name, value)
        self._note(self._device.state.log.take())

    def _note(self, events: Sequence[Event]) -> None:
        self._reported = events
        self._events.note(events)
        self._history.note(events)

    def _living(self, arguments: Any) -> Any:
        """Return a submission without the objects that an edit or a stream released in this frame."""
        objects = self._device.state.objects
        changes: dict[str, Sequence[str]] = {}
        for name in ("references", "writes"):
            names: Sequence[str] = getattr(arguments, name, ())
            if isinstance(names, NameRuns):
                alive = names.living(objects)
            else:
                alive = tuple(one for one in names if one in objects)
            if len(alive) < len(names):
                changes[name] = alive
        return dataclasses.replace(arguments, **changes) if changes else arguments

    def _apply_edits(self) -> None:
        """Apply the journal's edits of this moment (there are none while new ones are made)."""
        for entry in self._journal.at(Moment(self._frame, self._step)):
            try:
                if entry.record is not None:
                    self._check_name(entry.record)
                    self._note(self._device.apply(entry.record).events)
                elif entry.option is not None:
                    self._set_option(*entry.option)
            except ExplorerError:
                # An edit may rest on one that was undone; it changes nothing then, and stays in the journal.
                continue

    def _enter(self, entry: Entry) -> None:
        self._journal.add(entry)
        self._checkpoints.drop_after(entry.at.frame)

    def _rerun(self, entry: Entry) -> None:
        self._checkpoints.drop_after(entry.at.frame)
        frame, step = self._frame, self._step
        self._restore(min(frame, entry.at.frame))
        while self._frame < frame:
            self._finish_frame()
        for _ in range(step):
            self.step_call()

    def _keep_checkpoint(self) -> None:
        copies = self._device.kept_copy(), self._history.copy(), self._events.copy()
        self._checkpoints.keep(self._frame, self._work, *copies)

    def _restore(self, frame: int) -> None:
        kept = self._checkpoints.nearest(frame)
        self._device = kept.device.copy()
        self._device.observer = self._observer
        self._history = kept.history.copy()
        self._events = kept.events.copy()
        self._frame, self._work = kept.frame, kept.work
        self._step, self._calls = 0, None
        self._pictures = PictureMaker()
        self._apply_edits()
