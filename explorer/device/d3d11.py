"""The device of D3D10, D3D10.1, D3D11 and XG: the usage decides the memory, residency is implicit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from explorer.core import d3d11 as api
from explorer.core.calls import CallRecord, decode_input
from explorer.core.d3d11_enums import MapType, Usage
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState
from explorer.core.verdicts import Verdict
from explorer.device import (
    cost,
    d3d11_copies,
    d3d11_deferred,
    d3d11_draw,
    d3d11_memory,
    d3d11_preview,
    segment_budget,
)
from explorer.device.d3d11_deferred import Recordings
from explorer.device.d3d11_ring import DynamicRing
from explorer.device.decoded_calls import decode_known
from explorer.device.device import Device
from explorer.device.kernel_memory import KernelMemory
from explorer.errors import CommandError
from explorer.rules import d3d11 as rules
from explorer.rules.d3d11_resource import GOOD_DATA, data_state, permission
from explorer.tables.kernel_rules import kernel_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.device.d3d11_deferred import Recording
    from explorer.device.d3d11_memory import Live
    from explorer.device.memory_state import MemoryState
    from explorer.device.outcome import Outcome, Preview
    from explorer.memory.allocators.protocol import Refusal
    from explorer.memory.segments import MemorySegment

_USED = int(BlockState.USED_THIS_FRAME)


class D3D11Device(Device):
    """Applies D3D10/11/XG calls.

    Args:
        state: Empty memory of the adapter.
        options: Device options: ``api`` (a variant of ``d3d11``), ``policy``, ``feature_level`` …
    """

    api = "d3d11"

    def __init__(self, state: MemoryState, options: Mapping[str, str]) -> None:
        super().__init__(state, options)
        self.api = options.get("api", "d3d11")
        self.runtime = rules.runtime_of(state.adapter, options, self.api)
        self.kernel = KernelMemory(state, options.get("policy", "priority-lru"))
        self.live: dict[int, Live] = {}
        self.views: dict[str, tuple[str, int, tuple[int, ...]]] = {}
        self.ring = DynamicRing()
        self.recordings = Recordings()

    @classmethod
    def handlers(cls) -> Mapping[str, Callable[[Any, Any, CallRecord], Verdict]]:
        """Return call name → method."""
        return _HANDLERS

    def apply(self, record: CallRecord) -> Outcome:
        """Apply a call."""
        return self.call(record, decode_known(record))

    def preview(self, record: CallRecord) -> Preview:
        """Return what a creation call would do now, without doing it."""
        return d3d11_preview.preview(self, record, decode_input(record))

    def copy(self) -> Self:
        """Return an independent copy."""
        other = self._copy_base()
        other.kernel = self.kernel.copy(other.state)
        other.live = {row: live.copy() for row, live in self.live.items()}
        other.views = dict(self.views)
        other.ring = self.ring.copy()
        other.recordings = self.recordings.copy()
        return other

    def set_option(self, name: str, value: str) -> None:
        """Change ``policy`` or ``budget`` while running."""
        if name == "policy":
            self.kernel.set_policy(value)
            self.options["policy"] = value
        elif name == "budget":
            segment_budget.set_budget(self, value)
        else:
            accepted = ("policy", "budget")
            raise CommandError("this option cannot change while running", where=name, found=value, accepted=accepted)

    # Creation and release --------------------------------------------------------------------------------------

    def create(self, arguments: Any, record: CallRecord) -> Verdict:
        """Create a resource: the rules first, then the memory that its usage picks."""
        verdict = rules.judge(arguments, rules.NO_STATE, self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        if verdict.hr == "S_FALSE":
            return verdict
        live = d3d11_memory.describe(self, rules.resource_of(arguments.pDesc))
        has_data = data_state(arguments.pInitialData) == GOOD_DATA
        refused = d3d11_memory.create(self, live, record, has_data=has_data)
        if refused is not None:
            return refused
        return verdict

    def create_view(self, arguments: Any, record: CallRecord) -> Verdict:
        """Create a view: a name for subresources."""
        row = self.row_of(arguments.pResource, "input.pResource")
        live = self.live[row]
        verdict = rules.judge(arguments, rules.State11(resource=live.resource), self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        if verdict.hr != "S_FALSE" and record.out:
            kind = _VIEW_KINDS[type(arguments)]
            view = None if arguments.pDesc is None else rules.view_of(arguments.pDesc)
            self.views[record.out] = (kind, row, rules.subresources_of(view, kind, live.resource))
            self.state.bind(record.out, "view", row)
        return verdict

    def release(self, arguments: api.Release, record: CallRecord) -> Verdict:
        """Release the last reference; views of a resource go with it, what command lists use lives on."""
        del record
        kinds = ("resource", "view", "context", "command list")
        kind, row = self.state.find(arguments.pObject, *kinds, where="input.pObject")
        if kind in ("context", "command list"):
            d3d11_deferred.release(self, arguments.pObject)
            return _ok("d3d11.D10.1")
        if kind == "view":
            del self.views[arguments.pObject]
            del self.state.objects[arguments.pObject]
            return _ok("d3d11.D10.1")
        for name in [name for name, view in self.views.items() if view[1] == row]:
            del self.views[name]
            del self.state.objects[name]
        if not d3d11_deferred.keep(self, row):
            d3d11_memory.release(self, row)
        return _ok("d3d11.D10.1")

    # CPU access ------------------------------------------------------------------------------------------------

    def map(self, arguments: Any, record: CallRecord) -> Verdict:
        """Map: discard renames, append never waits, everything else waits for the GPU."""
        row = self.row_of(arguments.pResource, "input.pResource")
        live, name = self.live[row], arguments.pResource
        recording = d3d11_deferred.of(self, getattr(arguments, "This", None))
        if recording is not None:
            return self._map_deferred(arguments, record, recording, row)
        busy = d3d11_memory.is_busy(self, live.heap)
        mapping = rules.MapState(mapped=arguments.Subresource in live.mapped, busy=busy)
        verdict = rules.judge(arguments, rules.State11(resource=live.resource, mapping=mapping), self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        if arguments.MapType == MapType.WRITE_DISCARD:
            refused = d3d11_memory.rename(self, row)
            if refused is not None:
                return self._no_version(record, live, refused)
        elif busy and arguments.MapType != MapType.WRITE_NO_OVERWRITE:
            self._wait(name, live)
        live.mapped = {**live.mapped, arguments.Subresource: int(arguments.MapType)}
        self._cpu_access(live, arguments)
        return verdict

    def _map_deferred(self, arguments: Any, record: CallRecord, recording: Recording, row: int) -> Verdict:
        verdict = d3d11_deferred.judge_map(self, arguments, recording, row)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        live = self.live[row]
        if arguments.MapType == MapType.WRITE_DISCARD:
            refused = d3d11_deferred.rename(self, recording, row)
            if refused is not None:
                return self._no_version(record, live, refused)
        recording.mapped[row, arguments.Subresource] = int(arguments.MapType)
        self._cpu_access(live, arguments)
        return verdict

    def unmap(self, arguments: Any, record: CallRecord) -> Verdict:
        """Unmap; what was read through a pointer for writing was slow to read, and need not be what was written."""
        del record
        row = self.row_of(arguments.pResource, "input.pResource")
        recording = d3d11_deferred.of(self, arguments.This)
        if recording is None:
            live = self.live[row]
            how = live.mapped.get(arguments.Subresource)
            live.mapped = {part: kind for part, kind in live.mapped.items() if part != arguments.Subresource}
        else:
            how = recording.mapped.pop((row, arguments.Subresource), None)
        size = arguments.read_bytes
        if size and how is not None:
            self._read_through_pointer(arguments.pResource, self.live[row], how, size)
        return _ok("d3d11.D10.1")

    # Copies ----------------------------------------------------------------------------------------------------

    def update(self, arguments: api.UpdateSubresource, record: CallRecord) -> Verdict:
        """UpdateSubresource: the bytes travel through the driver's own memory, the call does not wait."""
        recording = d3d11_deferred.of(self, arguments.This)
        row = self.row_of(arguments.pDstResource, "input.pDstResource")
        mapped = self.is_mapped(row, recording, arguments.DstSubresource)
        return self._copy(record, recording, *d3d11_copies.update_job(self, arguments, mapped))

    def copy_resource(self, arguments: Any, record: CallRecord) -> Verdict:
        """CopyResource and CopySubresourceRegion: the GPU reads one and writes the other."""
        recording = d3d11_deferred.of(self, arguments.This)
        mapped = self._sides_mapped(arguments, recording)
        return self._copy(record, recording, *d3d11_copies.copy_job(self, arguments, mapped))

    def resolve(self, arguments: api.ResolveSubresource, record: CallRecord) -> Verdict:
        """ResolveSubresource: the GPU reads the samples and writes their averages."""
        recording = d3d11_deferred.of(self, arguments.This)
        mapped = self._sides_mapped(arguments, recording)
        return self._copy(record, recording, *d3d11_copies.resolve_job(self, arguments, mapped))

    def generate_mips(self, arguments: api.GenerateMips, record: CallRecord) -> Verdict:
        """GenerateMips: the GPU writes the levels below the most detailed one."""
        recording = d3d11_deferred.of(self, arguments.This)
        return self._copy(record, recording, *d3d11_copies.mips_job(self, arguments))

    def _sides_mapped(self, arguments: Any, recording: Recording | None) -> tuple[bool, bool]:
        """Return whether destination and source are mapped: the subresources that a call names, else any."""
        to = self.row_of(arguments.pDstResource, "input.pDstResource")
        source = self.row_of(arguments.pSrcResource, "input.pSrcResource")
        return (
            self.is_mapped(to, recording, getattr(arguments, "DstSubresource", None)),
            self.is_mapped(source, recording, getattr(arguments, "SrcSubresource", None)),
        )

    def _copy(
        self, record: CallRecord, recording: Recording | None, verdict: Verdict, job: d3d11_copies.CopyJob | None
    ) -> Verdict:
        """Do the work of a copy now, or record it."""
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        if job is None:
            return verdict
        d3d11_copies.store(self, job)
        if recording is None:
            d3d11_copies.run(self, job)
        else:
            recording.jobs.append(job)
        return verdict

    # Deferred contexts -----------------------------------------------------------------------------------------

    def create_deferred(self, arguments: api.CreateDeferredContext, record: CallRecord) -> Verdict:
        """CreateDeferredContext."""
        return d3d11_deferred.create(self, arguments, record)

    def finish_list(self, arguments: api.FinishCommandList, record: CallRecord) -> Verdict:
        """FinishCommandList."""
        return d3d11_deferred.finish(self, arguments, record)

    def execute_list(self, arguments: api.ExecuteCommandList, record: CallRecord) -> Verdict:
        """ExecuteCommandList."""
        return d3d11_deferred.execute(self, arguments, record)

    def flush(self, arguments: Any, record: CallRecord) -> Verdict:
        """Flush: what is queued is submitted now."""
        del arguments, record
        self.spend(cpu=cost.CPU_CALL_NS)
        return _ok("d3d11.D10.1")

    # GPU -------------------------------------------------------------------------------------------------------

    def draw(self, arguments: Any, record: CallRecord) -> Verdict:
        """Draw or Dispatch: the kernel makes what is referenced resident; on a deferred context it is recorded."""
        return d3d11_draw.draw(self, arguments, record)

    def present(self, arguments: Any, record: CallRecord) -> Verdict:
        """End the frame."""
        del arguments, record
        self.state.log.add(EventKind.PRESENTED, text=f"Frame {self.state.log.frame} was presented.")
        self.end_frame()
        self.kernel.end_frame()
        self.state.clear_frame_marks()
        return _ok("d3d11.D10.1")

    def query(self, arguments: Any, record: CallRecord) -> Verdict:
        """Answer a call that changes nothing."""
        del record
        return rules.judge(arguments, rules.NO_STATE, self.runtime)

    def set_priority(self, arguments: Any, record: CallRecord) -> Verdict:
        """SetEvictionPriority."""
        del record
        row = self.row_of(arguments.pResource, "input.pResource")
        self.state.resources["priority"][row] = arguments.EvictionPriority
        self.kernel.set_priority(self.live[row].heap, arguments.EvictionPriority)
        return _ok("d3d11.D10.1")

    def get_priority(self, arguments: Any, record: CallRecord) -> Verdict:
        """GetEvictionPriority."""
        del record
        row = self.row_of(arguments.pResource, "input.pResource")
        value = int(self.state.resources["priority"][row])
        return Verdict("S_OK", (permission("d3d11.D10.1"),), {"returns": value})

    # Inside ----------------------------------------------------------------------------------------------------

    def row_of(self, name: str, where: str = "input") -> int:
        """Return the row of a live resource."""
        return self.state.find(name, "resource", where=where)[1]

    def segment_of(self, row: int) -> MemorySegment:
        """Return the segment of a resource's present version."""
        return self.state.segments[int(self.state.blocks["segment"][self.live[row].block])]

    def is_mapped(self, row: int, recording: Recording | None, subresource: int | None = None) -> bool:
        """Return whether a resource, or one subresource of it, is mapped on the context of a call."""
        if recording is not None:
            return any(at == row and subresource in (None, part) for at, part in recording.mapped)
        mapped = self.live[row].mapped
        return bool(mapped) if subresource is None else subresource in mapped

    def caching_of(self, live: Live) -> str:
        """Return how the CPU reaches a resource: what is write-combined elsewhere is cached on coherent UMA (Q7.4)."""
        coherent = self.state.adapter.is_cache_coherent and live.place.adapter == "uma"
        return "WB" if coherent and live.place.caching == "WC" else live.place.caching

    def free_idle_versions(self) -> None:
        """Note that the GPU is done with every version but the present ones."""
        used = self.state.heaps["used_frame"]
        for live in self.live.values():
            for heap, _ in live.idle:
                used[heap] = -1

    def _read_through_pointer(self, name: str, live: Live, how: int, size: int) -> None:
        if self.caching_of(live) == "WC":
            text = f"{name}: {size:,} B were read from write-combined memory."
            self.state.log.add(EventKind.STALLED, name, size=size, rule="device.wc-read", text=text)
        if how in (MapType.WRITE_DISCARD, MapType.WRITE_NO_OVERWRITE):
            text = f"{name}: {kernel_reason('device.stale-read').text}"
            self.state.log.add(EventKind.HAZARD, name, size=size, rule="device.stale-read", text=text)
        self.spend(cpu=cost.cpu_ns(size, self.caching_of(live), reads=True))

    def bring_in(self, row: int) -> bool:
        """Make the present version of a resource resident; what finds no room is left out, and that is reported."""
        heap = self.live[row].heap
        if not self.state.heaps["resident"][heap]:
            refused = self.kernel.page_in(self, heap, "kernel.paging")
            if refused is not None:
                name, place = self.state.resource_names[row], self.live[row].place.segment
                text = f"{name} stays out of this submission: {refused.text()}"
                size = refused.requested_bytes
                self.state.log.add(EventKind.REFUSED, name, place, size, rule=refused.reason, text=text)
                return False
        return True

    def mark_used(self, row: int) -> None:
        """Note that the GPU uses the present version of a resource in this frame."""
        live, state, frame = self.live[row], self.state, self.state.log.frame
        self.kernel.touch(self, (live.heap,))
        state.heaps["used_frame"][live.heap] = frame
        state.resources["used_frame"][row] = frame
        state.blocks["used_frame"][live.block] = frame
        state.blocks["state"][live.block] |= _USED

    def _no_version(self, record: CallRecord, live: Live, refused: Refusal) -> Verdict:
        place = live.place
        return self.no_room(record, "E_OUTOFMEMORY", place.segment, refused, place.rule, place.source)

    def _wait(self, name: str, live: Live) -> None:
        """Wait until the GPU is done: the work of the frames in flight that used it."""
        segment = self.state.segments[int(self.state.blocks["segment"][live.block])]
        wait = cost.wait_ns(live.layout.size_bytes, segment.bandwidth)
        text = f"{name}: Map waited for the GPU."
        rule = "d3d11.P5.9" if live.resource.usage == Usage.STAGING else "d3d11.M4.7.wait"
        self.state.log.add(EventKind.STALLED, name, segment.name, live.layout.size_bytes, rule=rule, text=text)
        self.spend(stall=wait)
        self.state.heaps["used_frame"][live.heap] = -1

    def _cpu_access(self, live: Live, arguments: Any) -> None:
        part = live.layout.subresources[int(arguments.Subresource)]
        size = part.row_bytes * part.rows * part.depth
        reads = arguments.MapType in (MapType.READ, MapType.READ_WRITE)
        if arguments.MapType == MapType.WRITE_NO_OVERWRITE:
            # An append touches the next part of a ring.
            size //= cost.APPEND_SHARE
        self.spend(cpu=cost.cpu_ns(size, self.caching_of(live), reads=reads))


def _ok(rule: str) -> Verdict:
    return Verdict("S_OK", (permission(rule),))


_VIEW_KINDS: Mapping[type, str] = {
    api.CreateShaderResourceView: "srv",
    api.CreateRenderTargetView: "rtv",
    api.CreateDepthStencilView: "dsv",
    api.CreateUnorderedAccessView: "uav",
}

_CREATES = ("CreateBuffer", "CreateTexture1D", "CreateTexture2D", "CreateTexture3D")
_VIEWS = (
    "CreateShaderResourceView",
    "CreateRenderTargetView",
    "CreateDepthStencilView",
    "CreateUnorderedAccessView",
)
_QUERIES = ("CheckFeatureSupport", "CheckFormatSupport", "CheckMultisampleQualityLevels")

_HANDLERS: Mapping[str, Callable[[Any, Any, CallRecord], Verdict]] = {
    **dict.fromkeys(_CREATES, D3D11Device.create),
    **dict.fromkeys(_VIEWS, D3D11Device.create_view),
    **dict.fromkeys(_QUERIES, D3D11Device.query),
    "Map": D3D11Device.map,
    "Unmap": D3D11Device.unmap,
    "UpdateSubresource": D3D11Device.update,
    "CopyResource": D3D11Device.copy_resource,
    "CopySubresourceRegion": D3D11Device.copy_resource,
    "ResolveSubresource": D3D11Device.resolve,
    "GenerateMips": D3D11Device.generate_mips,
    "Flush": D3D11Device.flush,
    "Draw": D3D11Device.draw,
    "DrawIndexed": D3D11Device.draw,
    "Dispatch": D3D11Device.draw,
    "Present": D3D11Device.present,
    "SetEvictionPriority": D3D11Device.set_priority,
    "GetEvictionPriority": D3D11Device.get_priority,
    "Release": D3D11Device.release,
    "CreateDeferredContext": D3D11Device.create_deferred,
    "FinishCommandList": D3D11Device.finish_list,
    "ExecuteCommandList": D3D11Device.execute_list,
}
