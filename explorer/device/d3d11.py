"""The device of D3D10, D3D10.1, D3D11 and XG: the usage decides the memory, residency is implicit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from explorer.core import d3d11 as api
from explorer.core.calls import CallRecord, decode_input
from explorer.core.d3d11_enums import MapType, Usage
from explorer.core.events import EventKind
from explorer.core.kinds import BlockState
from explorer.core.verdicts import Verdict
from explorer.device import cost, d3d11_memory, d3d11_preview, segment_budget
from explorer.device.d3d11_ring import DynamicRing
from explorer.device.decoded_calls import decode_known
from explorer.device.device import Device
from explorer.device.kernel_memory import KernelMemory
from explorer.errors import CommandError
from explorer.rules import d3d11 as rules
from explorer.rules.d3d11_resource import GOOD_DATA, data_state, permission, refusal
from explorer.tables.kernel_rules import kernel_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.device.d3d11_memory import Live
    from explorer.device.memory_state import MemoryState
    from explorer.device.outcome import Outcome, Preview

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
        why = permission(live.place.rule, f"{live.place.usage} on a {live.place.adapter} adapter: {live.place.memory}")
        return Verdict(verdict.hr, (*verdict.reasons, why), verdict.values)

    def create_view(self, arguments: Any, record: CallRecord) -> Verdict:
        """Create a view: a name for subresources."""
        row = self._row(arguments.pResource, "input.pResource")
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
        """Release the last reference; views of a resource go with it."""
        del record
        kind, row = self.state.find(arguments.pObject, "resource", "view", where="input.pObject")
        if kind == "view":
            del self.views[arguments.pObject]
            del self.state.objects[arguments.pObject]
            return _ok("d3d11.D10.1")
        for name in [name for name, view in self.views.items() if view[1] == row]:
            del self.views[name]
            del self.state.objects[name]
        d3d11_memory.release(self, row)
        return _ok("d3d11.D10.1")

    # CPU access ------------------------------------------------------------------------------------------------

    def map(self, arguments: Any, record: CallRecord) -> Verdict:
        """Map: discard renames, append never waits, everything else waits for the GPU."""
        row = self._row(arguments.pResource, "input.pResource")
        live, name = self.live[row], arguments.pResource
        busy = d3d11_memory.is_busy(self, live.heap)
        mapping = rules.MapState(mapped=arguments.Subresource in live.mapped, busy=busy)
        verdict = rules.judge(arguments, rules.State11(resource=live.resource, mapping=mapping), self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        if arguments.MapType == MapType.WRITE_DISCARD:
            refused = d3d11_memory.rename(self, row)
            if refused is not None:
                place = live.place
                return self.no_room(record, "E_OUTOFMEMORY", place.segment, refused, place.rule, place.source)
        elif busy and arguments.MapType != MapType.WRITE_NO_OVERWRITE:
            self._wait(name, live)
        live.mapped[arguments.Subresource] = int(arguments.MapType)
        self._cpu_access(live, arguments)
        return verdict

    def unmap(self, arguments: Any, record: CallRecord) -> Verdict:
        """Unmap; what was read through a pointer for writing was slow to read, and need not be what was written."""
        del record
        live = self.live[self._row(arguments.pResource, "input.pResource")]
        how = live.mapped.pop(arguments.Subresource, None)
        size = getattr(arguments, "read_bytes", 0)
        if size and how is not None:
            self._read_through_pointer(arguments.pResource, live, how, size)
        return _ok("d3d11.D10.1")

    def update(self, arguments: api.UpdateSubresource, record: CallRecord) -> Verdict:
        """UpdateSubresource: the bytes travel through the driver's own staging memory, the call does not wait."""
        row = self._row(arguments.pDstResource, "input.pDstResource")
        live = self.live[row]
        state = rules.State11(resource=live.resource, destination_mapped=arguments.DstSubresource in live.mapped)
        verdict = rules.judge(arguments, state, self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        if verdict.values.get("destination_changes"):
            part = live.layout.subresources[arguments.DstSubresource]
            size = part.row_bytes * part.rows * part.depth
            box = arguments.pDstBox
            if box is not None:
                texels = (box.right - box.left) * (box.bottom - box.top) * (box.back - box.front)
                size = size * texels // max(part.width * part.height * part.depth, 1)
            where = self.state.segments[int(self.state.blocks["segment"][live.block])].name
            d3d11_memory.upload(self, arguments.pDstResource, where, size, "written by UpdateSubresource")
            self._mark_used(row, live)
        return verdict

    def copy_resource(self, arguments: Any, record: CallRecord) -> Verdict:
        """CopyResource and CopySubresourceRegion: the GPU reads one and writes the other."""
        to, source = self._row(arguments.pDstResource, "input.pDstResource"), self._row(arguments.pSrcResource)
        state = rules.State11(
            resource=self.live[to].resource,
            source=self.live[source].resource,
            same=to == source,
            destination_mapped=bool(self.live[to].mapped),
            source_mapped=bool(self.live[source].mapped),
        )
        verdict = rules.judge(arguments, state, self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        for row in (source, to):
            self._gpu_use(row, 1)
        name = arguments.pDstResource
        size = self.live[to].layout.texel_bytes
        text = f"{arguments.pSrcResource} was copied to {name}."
        self.state.log.add(EventKind.CHANGED, name, size=size, rule="d3d11.Q7.3", text=text)
        return verdict

    def resolve(self, arguments: api.ResolveSubresource, record: CallRecord) -> Verdict:
        """ResolveSubresource: the GPU reads the samples and writes their averages."""
        to, source = self._row(arguments.pDstResource, "input.pDstResource"), self._row(arguments.pSrcResource)
        state = rules.State11(resource=self.live[to].resource, source=self.live[source].resource, same=to == source)
        verdict = rules.judge(arguments, state, self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        for row in (source, to):
            self._gpu_use(row, 1)
        return verdict

    def generate_mips(self, arguments: api.GenerateMips, record: CallRecord) -> Verdict:
        """GenerateMips: the GPU writes the levels below the most detailed one."""
        row = self.state.find(arguments.pShaderResourceView, "view", where="input.pShaderResourceView")[1]
        verdict = rules.judge(arguments, rules.State11(resource=self.live[row].resource), self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        self._gpu_use(row, 1)
        return verdict

    def flush(self, arguments: Any, record: CallRecord) -> Verdict:
        """Flush: what is queued is submitted now."""
        del arguments, record
        self.spend(cpu=cost.CPU_CALL_NS)
        return _ok("d3d11.D10.1")

    # GPU -------------------------------------------------------------------------------------------------------

    def draw(self, arguments: Any, record: CallRecord) -> Verdict:
        """Draw or Dispatch: the kernel makes what is referenced resident."""
        reads = tuple(self._use(name) for name in arguments.references)
        writes = tuple(self._use(name) for name in arguments.writes)
        wrong = self._wrong_usage(reads, writes)
        if wrong is not None:
            return self.refuse(record, wrong)
        state = rules.State11(reads=reads, writes=writes) if self._needs_rules(reads, writes) else rules.NO_STATE
        verdict = rules.judge(arguments, state, self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        unbound = verdict.values.get("unbound")
        if unbound:
            names = ", ".join(cast("tuple[str, ...]", unbound))
            text = f"{record.call}: {names} is read and written at once and was unbound."
            self.state.log.add(EventKind.HAZARD, record.call, rule="d3d11.U1.8", text=text)
        self._draw_with([self.state.objects[name][1] for name in (*arguments.references, *arguments.writes)])
        self.spend(cpu=cost.CPU_CALL_NS)
        self.kernel.trim(self)
        return verdict

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
        row = self._row(arguments.pResource, "input.pResource")
        self.state.resources["priority"][row] = arguments.EvictionPriority
        self.kernel.set_priority(self.live[row].heap, arguments.EvictionPriority)
        return _ok("d3d11.D10.1")

    def get_priority(self, arguments: Any, record: CallRecord) -> Verdict:
        """GetEvictionPriority."""
        del record
        row = self._row(arguments.pResource, "input.pResource")
        value = int(self.state.resources["priority"][row])
        return Verdict("S_OK", (permission("d3d11.D10.1"),), {"returns": value})

    # Inside ----------------------------------------------------------------------------------------------------

    def _row(self, name: str, where: str = "input") -> int:
        return self.state.find(name, "resource", where=where)[1]

    def _use(self, name: str) -> rules.Use:
        kind, row = self.state.find(name, "resource", "view", where="input.references")
        live = self.live[row]
        touched = self.views[name][2] if kind == "view" else ()
        return rules.Use(name, self.state.resource_names[row], touched, bool(live.mapped))

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

    def _wrong_usage(self, reads: tuple[rules.Use, ...], writes: tuple[rules.Use, ...]) -> Verdict | None:
        """Return why the pipeline cannot use what a draw names: staging at all, or read-only usages as output."""
        for use in (*reads, *writes):
            if self.live[self.state.objects[use.resource][1]].resource.usage == Usage.STAGING:
                return Verdict("E_INVALIDARG", (refusal("d3d11.U1.7", use.name),))
        for use in writes:
            usage = self.live[self.state.objects[use.resource][1]].resource.usage
            if usage != Usage.DEFAULT:
                return Verdict("E_INVALIDARG", (refusal("d3d11.U1.6", use.name),))
        return None

    def _read_through_pointer(self, name: str, live: Live, how: int, size: int) -> None:
        if self.caching_of(live) == "WC":
            text = f"{name}: {size:,} B were read from write-combined memory."
            self.state.log.add(EventKind.STALLED, name, size=size, rule="device.wc-read", text=text)
        if how in (MapType.WRITE_DISCARD, MapType.WRITE_NO_OVERWRITE):
            text = f"{name}: {kernel_reason('device.stale-read').text}"
            self.state.log.add(EventKind.HAZARD, name, size=size, rule="device.stale-read", text=text)
        self.spend(cpu=cost.cpu_ns(size, self.caching_of(live), reads=True))

    def _needs_rules(self, reads: tuple[rules.Use, ...], writes: tuple[rules.Use, ...]) -> bool:
        return any(use.mapped for use in (*reads, *writes)) or any(use.subresources for use in writes)

    def _gpu_use(self, row: int, factor: int) -> None:
        """Use the present version of a resource; the kernel pages it in first if it had put it out."""
        state, live = self.state, self.live[row]
        if not state.heaps["resident"][live.heap] and self.kernel.page_in(self, live.heap, "kernel.paging") is not None:
            return
        self.kernel.touch(self, (live.heap,))
        self._mark_used(row, live)
        segment = state.segments[int(state.blocks["segment"][live.block])]
        size, kind = int(state.blocks["size"][live.block]), int(state.blocks["kind"][live.block])
        touched = cost.transfer_ns(size, segment.bandwidth) if factor else cost.touch_ns(kind, size, segment.bandwidth)
        self.spend(gpu=touched)

    def _draw_with(self, rows: list[int]) -> None:
        """Use the present versions of what a draw names: one pass over columns, a draw names hundreds."""
        state, live = self.state, self.live
        resident = state.heaps["resident"]
        for row in rows:
            if not resident[live[row].heap]:
                self.kernel.page_in(self, live[row].heap, "kernel.paging")
        used = [row for row in rows if resident[live[row].heap]]
        heaps = np.fromiter((live[row].heap for row in used), np.int64, len(used))
        blocks = np.fromiter((live[row].block for row in used), np.int64, len(used))
        self.kernel.touch(self, heaps.tolist())
        frame = state.log.frame
        state.resources["used_frame"][used] = frame
        state.blocks["used_frame"][blocks] = frame
        state.blocks["state"][blocks] |= np.uint8(_USED)
        rates = [segment.bandwidth for segment in state.segments]
        kinds: list[int] = state.blocks["kind"][blocks].tolist()
        sizes: list[int] = state.blocks["size"][blocks].tolist()
        where: list[int] = state.blocks["segment"][blocks].tolist()
        self.spend(gpu=sum(cost.touch_ns(k, size, rates[s]) for k, size, s in zip(kinds, sizes, where, strict=True)))

    def _mark_used(self, row: int, live: Live) -> None:
        state, frame = self.state, self.state.log.frame
        state.heaps["used_frame"][live.heap] = frame
        state.resources["used_frame"][row] = frame
        state.blocks["used_frame"][live.block] = frame
        state.blocks["state"][live.block] |= _USED

    def _wait(self, name: str, live: Live) -> None:
        """Wait until the GPU is done: the work of the frames in flight that used it."""
        segment = self.state.segments[int(self.state.blocks["segment"][live.block])]
        wait = cost.wait_ns(live.layout.size_bytes, segment.bandwidth)
        text = f"{name}: Map waited for the GPU."
        self.state.log.add(EventKind.STALLED, name, segment.name, rule="d3d11.M4.7.wait", text=text)
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
}
