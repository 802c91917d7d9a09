"""The D3D9 device: pools, managed resources, frames between BeginScene and EndScene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from explorer.core.calls import CallRecord, decode_input
from explorer.core.events import EventKind
from explorer.core.verdicts import Verdict
from explorer.device import cost, d3d9_pools, d3d9_preview
from explorer.device.d3d9_managed import ManagedResources
from explorer.device.device import Device
from explorer.errors import CommandError
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d9_create import judge_create
from explorer.rules.d3d9_runtime import runtime_of
from explorer.rules.d3d9_verdicts import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.core import d3d9 as api
    from explorer.device.memory_state import MemoryState
    from explorer.device.outcome import Preview

OK = "D3D_OK"


class D3D9Device(Device):
    """Applies D3D9 calls.

    Args:
        state: Empty memory of the adapter.
        options: Device options: ``policy`` (id of the eviction policy of the runtime's manager), ``windows``.
    """

    api = "d3d9"

    def __init__(self, state: MemoryState, options: Mapping[str, str]) -> None:
        super().__init__(state, options)
        self.runtime = runtime_of(state.adapter, options)
        self.managed = ManagedResources(state, options.get("policy", "lru-mru"))
        self.blocks_of: dict[int, list[int]] = {}
        self.scene = 0
        self.in_scene = False

    @classmethod
    def handlers(cls) -> Mapping[str, Callable[[Any, Any, CallRecord], Verdict]]:
        """Return call name → method."""
        return _HANDLERS

    def preview(self, record: CallRecord) -> Preview:
        """Return what a creation call would do now, without doing it."""
        return d3d9_preview.preview(self, record, decode_input(record))

    def copy(self) -> Self:
        """Return an independent copy."""
        other = self._copy_base()
        other.managed = self.managed.copy(other.state)
        other.blocks_of = {row: list(blocks) for row, blocks in self.blocks_of.items()}
        return other

    def set_option(self, name: str, value: str) -> None:
        """Change ``policy`` while running."""
        if name != "policy":
            raise CommandError("this option cannot change while running", where=name, found=value, accepted=("policy",))
        self.managed.set_policy(value)
        self.options["policy"] = value

    # Creation and release --------------------------------------------------------------------------------------

    def create(self, arguments: api.CreateInput, record: CallRecord) -> Verdict:
        """Create a resource: the rules first, then the memory that its pool and usage ask for."""
        verdict = judge_create(arguments, self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        answer = d3d9_pools.place(self, arguments, record)
        if isinstance(answer, Verdict):
            return answer
        return Verdict(verdict.hr, (*verdict.reasons, *answer), verdict.values)

    def release(self, arguments: api.ObjectCall, record: CallRecord) -> Verdict:
        """Release an object: its memory is free at once."""
        del record
        _, row = self.state.find(arguments.object, "resource", where="input.object")
        self.managed.forget(row)
        for block in self.blocks_of.pop(row, []):
            self.free_block(block, EventKind.FREED)
        self.state.log.add(EventKind.RELEASED, arguments.object, text=f"{arguments.object} was released.")
        self.state.remove_resource(row)
        return _ok("d3d9.R6.7")

    def free_block(self, block: int, kind: EventKind) -> None:
        """Give a block's bytes back and report it."""
        state = self.state
        segment = int(state.blocks["segment"][block])
        size = int(state.blocks["size"][block])
        name = state.resource_names[int(state.blocks["resource"][block])]
        state.segments[segment].release(int(state.blocks["offset"][block]))
        state.count_usage(segment, -size)
        state.remove_block(block)
        state.log.add(
            kind, name, state.segments[segment].name, size, text=f"{name} left {state.segments[segment].name}."
        )

    # Frames ----------------------------------------------------------------------------------------------------

    def begin_scene(self, arguments: api.Empty, record: CallRecord) -> Verdict:
        """Begin the frame that LRU→MRU looks at."""
        del arguments, record
        self.scene += 1
        self.in_scene = True
        self.state.clear_frame_marks()
        self.managed.begin_scene(self.scene)
        return _ok("d3d9.R5.8")

    def end_scene(self, arguments: api.Empty, record: CallRecord) -> Verdict:
        """End it: the manager goes back to LRU."""
        del arguments, record
        self.in_scene = False
        self.managed.end_scene()
        return _ok("d3d9.R5.8")

    def draw(self, arguments: api.Draw, record: CallRecord) -> Verdict:
        """Use resources: managed ones are uploaded if the device has no copy."""
        del record
        state = self.state
        for name in (*arguments.references, *arguments.writes):
            _, row = state.find(name, "resource", where="input.references")
            block = self.managed.use(self, row) if row in self.managed else self._plain_block(row)
            if block is None:
                return Verdict("D3DERR_OUTOFVIDEOMEMORY", (self.managed.last_refusal,))
            self.mark_used(row, block)
            segment = state.segments[int(state.blocks["segment"][block])]
            kind, size = int(state.blocks["kind"][block]), int(state.blocks["size"][block])
            self.spend(gpu=cost.touch_ns(kind, size, segment.bandwidth))
        self.spend(cpu=cost.CPU_CALL_NS)
        return _ok("d3d9.R5.3")

    def present(self, arguments: Any, record: CallRecord) -> Verdict:
        """End the frame."""
        del arguments, record
        self.state.log.add(EventKind.PRESENTED, text=f"Frame {self.state.log.frame} was presented.")
        self.end_frame()
        return _ok("d3d9.R9.5")

    def mark_used(self, row: int, block: int) -> None:
        """Note the use of a resource and of the block that served it."""
        state = self.state
        state.resources["used_frame"][row] = state.log.frame
        state.blocks["used_frame"][block] = state.log.frame
        state.blocks["state"][block] |= d3d9_pools.USED

    def _plain_block(self, row: int) -> int:
        return self.blocks_of[row][0]

    # Managed resources -----------------------------------------------------------------------------------------

    def evict_managed(self, arguments: api.Empty, record: CallRecord) -> Verdict:
        """EvictManagedResources: every device copy goes, the masters stay."""
        del arguments
        self.managed.evict_all(self, record.call)
        return _ok("d3d9.R5.9")

    def preload(self, arguments: api.ObjectCall, record: CallRecord) -> Verdict:
        """PreLoad: upload now; nothing for other pools and while thrashing."""
        del record
        _, row = self.state.find(arguments.object, "resource", where="input.object")
        if row in self.managed and not self.managed.is_thrashing:
            self.managed.use(self, row)
        return _ok("d3d9.R5.11")

    def set_priority(self, arguments: api.SetPriority, record: CallRecord) -> Verdict:
        """SetPriority: returns the old value; no effect outside MANAGED."""
        del record
        _, row = self.state.find(arguments.object, "resource", where="input.object")
        if row not in self.managed:
            return Verdict(OK, (reason("d3d9.R5.10"),), {"returns": 0})
        old = int(self.state.resources["priority"][row])
        self.state.resources["priority"][row] = arguments.PriorityNew
        self.managed.set_priority(row, arguments.PriorityNew)
        name = self.state.resource_names[row]
        self.state.log.add(EventKind.CHANGED, name, rule="d3d9.R5.6", text=f"{name}: priority {arguments.PriorityNew}.")
        return Verdict(OK, (reason("d3d9.R5.10"),), {"returns": old})

    def get_priority(self, arguments: api.ObjectCall, record: CallRecord) -> Verdict:
        """GetPriority."""
        del record
        _, row = self.state.find(arguments.object, "resource", where="input.object")
        value = int(self.state.resources["priority"][row]) if row in self.managed else 0
        return Verdict(OK, (reason("d3d9.R5.10"),), {"returns": value})

    # Room ------------------------------------------------------------------------------------------------------

    def take(self, group: str, size: int, alignment: int, kind: int) -> tuple[int, Any] | Refusal:
        """Take bytes of a group; in LOCAL memory managed copies leave until there is a hole (R6.8, R5.7)."""
        taken = self.state.take(group, size, alignment, kind)
        if isinstance(taken, Refusal) and group == "LOCAL":
            return self.managed.make_room(self, size, alignment, kind, taken)
        return taken


def _ok(rule: str) -> Verdict:
    return Verdict(OK, (reason(rule),))


_CREATES = (
    "CreateTexture",
    "CreateCubeTexture",
    "CreateVolumeTexture",
    "CreateVertexBuffer",
    "CreateIndexBuffer",
    "CreateRenderTarget",
    "CreateDepthStencilSurface",
    "CreateOffscreenPlainSurface",
)

_HANDLERS: Mapping[str, Callable[[Any, Any, CallRecord], Verdict]] = {
    **dict.fromkeys(_CREATES, D3D9Device.create),
    "BeginScene": D3D9Device.begin_scene,
    "EndScene": D3D9Device.end_scene,
    "DrawPrimitive": D3D9Device.draw,
    "DrawIndexedPrimitive": D3D9Device.draw,
    "Present": D3D9Device.present,
    "EvictManagedResources": D3D9Device.evict_managed,
    "PreLoad": D3D9Device.preload,
    "SetPriority": D3D9Device.set_priority,
    "GetPriority": D3D9Device.get_priority,
    "Release": D3D9Device.release,
}
