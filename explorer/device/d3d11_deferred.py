"""Deferred contexts and command lists of D3D11: what is recorded reaches the GPU when a list is executed (D10.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.core.events import EventKind
from explorer.core.verdicts import Verdict
from explorer.device import cost, d3d11_copies, d3d11_memory
from explorer.device.d3d11_copies import CopyJob
from explorer.device.d3d11_memory import Version
from explorer.memory.allocators.protocol import Refusal
from explorer.rules import d3d11 as rules
from explorer.rules.d3d11_resource import permission, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.core import d3d11 as api
    from explorer.core.calls import CallRecord
    from explorer.device.d3d11 import D3D11Device

RULE, LIVES = "d3d11.D10.4", "d3d11.D10.5"


@dataclass(frozen=True, slots=True)
class DrawJob:
    """A recorded draw: rows that it reads and rows that it writes."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RenameJob:
    """A recorded Map with WRITE_DISCARD: the memory that the resource has from here on."""

    row: int
    version: Version


Job = DrawJob | RenameJob | CopyJob


@dataclass(slots=True)
class Recording:
    """What a deferred context has recorded, or what a command list holds.

    Attributes:
        jobs: In order.
        mapped: (row, subresource) → how it is mapped (``MapType``).
        discarded: Rows that were mapped with WRITE_DISCARD: only those may be appended to (M4.8).
    """

    jobs: list[Job] = field(default_factory=list[Job])
    mapped: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    discarded: set[int] = field(default_factory=set[int])

    def copy(self) -> Recording:
        """Return an independent copy; jobs never change."""
        return Recording(list(self.jobs), dict(self.mapped), set(self.discarded))

    def rows(self) -> set[int]:
        """Return the resources that it uses."""
        renamed = {job.row for job in self.jobs if isinstance(job, RenameJob)}
        return renamed.union(row for _, row, _ in self.uses())

    def uses(self) -> Iterator[tuple[str, int, int]]:
        """Yield what it lets the GPU use, in order: ``resource``, its row, 0 for reading or 1 for writing."""
        for job in self.jobs:
            if isinstance(job, DrawJob):
                yield from (("resource", row, 0) for row in job.reads)
                yield from (("resource", row, 1) for row in job.writes)
            elif isinstance(job, CopyJob):
                if job.source >= 0:
                    yield "resource", job.source, 0
                yield "resource", job.to, 1


class Recordings:
    """The deferred contexts and command lists of a device.

    Attributes:
        of: Name of a context or list → what it holds.
        kept: Rows of resources that the application has released and that a recording still uses.
    """

    def __init__(self) -> None:
        self.of: dict[str, Recording] = {}
        self.kept: set[int] = set()

    def copy(self) -> Recordings:
        """Return an independent copy."""
        other = Recordings()
        other.of = {name: recording.copy() for name, recording in self.of.items()}
        other.kept = set(self.kept)
        return other

    def uses(self, row: int) -> bool:
        """Return whether a recording uses a resource."""
        return any(row in recording.rows() for recording in self.of.values())


def create(device: D3D11Device, arguments: api.CreateDeferredContext, record: CallRecord) -> Verdict:
    """CreateDeferredContext."""
    del arguments
    if record.out:
        device.recordings.of[record.out] = Recording()
        device.state.bind(record.out, "context", -1)
    return Verdict("S_OK", (permission(RULE),))


def of(device: D3D11Device, name: str | None) -> Recording | None:
    """Return the recording of the context that a call is made on; None for the immediate context."""
    if name is None:
        return None
    device.state.find(name, "context", where="input.This")
    return device.recordings.of[name]


def rename(device: D3D11Device, recording: Recording, row: int) -> Refusal | None:
    """Hand out memory for a recorded WRITE_DISCARD: the present contents stay until the list is executed."""
    version = d3d11_memory.new_version(device, row)
    if isinstance(version, Refusal):
        return version
    live, name = device.live[row], device.state.resource_names[row]
    live.held |= {version}
    recording.jobs.append(RenameJob(row, version))
    recording.discarded.add(row)
    text = f"{name}: WRITE_DISCARD on a deferred context gives memory that the command list switches to."
    device.state.log.add(EventKind.RENAMED, name, size=live.layout.size_bytes, rule=RULE, text=text)
    return None


def finish(device: D3D11Device, arguments: api.FinishCommandList, record: CallRecord) -> Verdict:
    """FinishCommandList: what was recorded becomes a list, and the context begins anew."""
    device.state.find(arguments.This, "context", where="input.This")
    recorded = device.recordings.of[arguments.This]
    recorded.mapped.clear()
    device.recordings.of[arguments.This] = Recording()
    if record.out:
        device.recordings.of[record.out] = recorded
        device.state.bind(record.out, "command list", -1)
    else:
        _forget(device, recorded)
    device.spend(cpu=cost.CPU_CALL_NS)
    return Verdict("S_OK", (permission(RULE),))


def execute(device: D3D11Device, arguments: api.ExecuteCommandList, record: CallRecord) -> Verdict:
    """ExecuteCommandList: one submission; what it uses is made resident now."""
    device.state.find(arguments.pCommandList, "command list", where="input.pCommandList")
    recording = device.recordings.of[arguments.pCommandList]
    names = device.state.resource_names
    mapped = [names[row] for row in sorted(recording.rows()) if device.live[row].mapped]
    if mapped:
        return device.refuse(record, Verdict("E_INVALIDARG", (refusal("d3d11.D10.2", ", ".join(mapped)),)))
    # Imported here: a draw may be recorded, and a list draws.
    from explorer.device import d3d11_draw

    for job in recording.jobs:
        if isinstance(job, DrawJob):
            d3d11_draw.draw_with(device, [*job.reads, *job.writes])
        elif isinstance(job, RenameJob):
            d3d11_memory.switch(device, job.row, job.version)
        else:
            d3d11_copies.run(device, job)
    count = len(recording.jobs)
    text = f"{arguments.pCommandList} was executed: {count:,} recorded {'call' if count == 1 else 'calls'}."
    device.state.log.add(EventKind.CHANGED, arguments.pCommandList, rule=RULE, text=text)
    device.spend(cpu=cost.CPU_CALL_NS)
    device.kernel.trim(device)
    return Verdict("S_OK", (permission(RULE), permission(LIVES)))


def release(device: D3D11Device, name: str) -> None:
    """Release a context or a command list, and with it what only it kept alive."""
    del device.state.objects[name]
    _forget(device, device.recordings.of.pop(name))


def keep(device: D3D11Device, row: int) -> bool:
    """Keep a released resource that recordings still use; False where none does."""
    if not device.recordings.uses(row):
        return False
    state = device.state
    name = state.resource_names[row]
    device.recordings.kept.add(row)
    state.objects.pop(name, None)
    state.rename_resource(row, f"{name} (released)")
    state.generation += 1
    text = f"{name} was released; a command list still uses it, so its memory stays."
    state.log.add(EventKind.CHANGED, name, size=device.live[row].layout.size_bytes, rule=LIVES, text=text)
    return True


def judge_map(device: D3D11Device, arguments: api.Map, recording: Recording, row: int) -> Verdict:
    """Return what Map answers on a deferred context: WRITE_DISCARD first, then WRITE_NO_OVERWRITE (M4.8)."""
    mapping = rules.MapState(
        mapped=(row, arguments.Subresource) in recording.mapped,
        deferred=True,
        discarded=row in recording.discarded,
    )
    return rules.judge(arguments, rules.State11(resource=device.live[row].resource, mapping=mapping), device.runtime)


def _forget(device: D3D11Device, recording: Recording) -> None:
    """Give the memory that a recording handed out back to the resources, and free what only it kept alive."""
    for job in recording.jobs:
        if isinstance(job, RenameJob) and job.row in device.live:
            live = device.live[job.row]
            live.held -= {job.version}
            if job.version != (live.heap, live.block):
                live.idle = (*live.idle, job.version)
    for row in sorted(device.recordings.kept):
        if not device.recordings.uses(row):
            device.recordings.kept.discard(row)
            d3d11_memory.release(device, row)
