"""The D3D9 device: pools, managed resources, locks, copies, frames between BeginScene and EndScene, loss and Reset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from explorer.core import d3d9 as api
from explorer.core.calls import CallRecord, decode_input
from explorer.core.events import EventKind
from explorer.core.verdicts import Verdict
from explorer.device import (
    cost,
    d3d9_bindings,
    d3d9_copies,
    d3d9_draw,
    d3d9_driver,
    d3d9_hints,
    d3d9_life,
    d3d9_locks,
    d3d9_loss,
    d3d9_pools,
    d3d9_presentation,
    d3d9_preview,
    d3d9_statistics,
)
from explorer.device.d3d9_gpu import GpuWork
from explorer.device.d3d9_managed import ManagedResources
from explorer.device.d3d9_presentation import Presentation, is_lost
from explorer.device.d3d9_things import Part, Things
from explorer.device.d3d9_virtual import DEFAULT_POLICY, VirtualMemory, is_virtual
from explorer.device.device import NOT_SIMULATED, Device, not_simulated_reason
from explorer.errors import CommandError
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d9 import judge
from explorer.rules.d3d9_create import judge_create
from explorer.rules.d3d9_device import ex_fault
from explorer.rules.d3d9_runtime import runtime_of
from explorer.rules.d3d9_verdicts import granted, reason, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.core.layouts import ResourceLayout
    from explorer.core.verdicts import Reason
    from explorer.device.memory_state import MemoryState
    from explorer.device.outcome import Preview
    from explorer.memory.segments import MemorySegment, Taken

OPTIONS = ("policy", "focus", "hardware")
"""Options that may change while running."""


class D3D9Device(Device):
    """Applies D3D9 calls.

    Args:
        state: Empty memory of the adapter.
        options: Device options: ``policy`` (id of the eviction policy of the runtime's manager), for scenarios
            ``focus`` (``d3d9_loss.FOCUS``) and ``hardware`` (``d3d9_loss.hardware_values``), and those of
            ``rules.d3d9_runtime.OPTION_KEYS``.

    Attributes:
        runtime: The device as its rules see it.
        managed: The managed resources.
        virtual: The moves of DEFAULT resources on 9Ex.
        things: Descriptions, locks, dirty regions, bindings.
        shown: Window, focus and swap chain.
        gpu: What the GPU still has to do.
        blocks_of: Resource row → its blocks; the first one is what the next call uses.
        chains: Number of an additional swap chain → rows of its back buffers.
        modes: Full-screen modes that the adapter lists.
        render_states: States that concern memory.
        used_in_scene: Rows used since BeginScene.
    """

    api = "d3d9"

    def __init__(self, state: MemoryState, options: Mapping[str, str]) -> None:
        super().__init__(state, options)
        # Where a run left focus and hardware is state; a new device has it.
        for moment in ("focus", "hardware"):
            self.options.pop(moment, None)
        self.runtime = runtime_of(state.adapter, options, self.api)
        self.managed = ManagedResources(state, options.get("policy", "lru-mru"))
        self.virtual = VirtualMemory(options.get("policy", DEFAULT_POLICY))
        self.things = Things()
        self.shown = Presentation()
        self.modes = d3d9_presentation.DISPLAY_MODES
        self.blocks_of: dict[int, list[int]] = {}
        self.chains: dict[int, tuple[int, ...]] = {}
        self.render_states: dict[str, int] = {}
        self.used_in_scene: set[int] = set()
        self.pending_moves: tuple[int, ...] = ()
        self.no_driver_management = False
        self.hides_errors = False
        self.managed.by_driver = d3d9_driver.manages(self)
        self.scene = 0
        self.in_scene = False
        self.gpu = GpuWork()

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
        other.virtual = self.virtual.copy()
        other.things = self.things.copy()
        other.blocks_of = {row: list(blocks) for row, blocks in self.blocks_of.items()}
        other.chains, other.render_states = dict(self.chains), dict(self.render_states)
        other.used_in_scene, other.gpu = set(self.used_in_scene), self.gpu.copy()
        return other

    def set_option(self, name: str, value: str) -> None:
        """Change ``policy``, or let something happen to the window's ``focus`` or to the ``hardware``."""
        if name in ("focus", "hardware"):
            accepted = d3d9_loss.FOCUS if name == "focus" else d3d9_loss.hardware_values(self)
            if value not in accepted:
                raise CommandError("unknown value", where=name, found=value, accepted=accepted)
            (d3d9_loss.set_focus if name == "focus" else d3d9_loss.set_hardware)(self, value)
        elif name == "policy":
            self.managed.set_policy(value)
            self.virtual.set_policy(self, value)
        else:
            raise CommandError("this option cannot change while running", where=name, found=value, accepted=OPTIONS)
        self.options[name] = value

    # Creation and destruction ----------------------------------------------------------------------------------

    def create(self, arguments: api.CreateInput, record: CallRecord) -> Verdict:
        """Create a resource: the rules first, then the memory that its pool and usage ask for."""
        verdict = judge_create(arguments, self.runtime)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        plan = d3d9_pools.plan(self, arguments)
        gone = ex_fault(self.shown.status)
        if gone is not None and plan.pool is api.Pool.DEFAULT:
            return self.refuse(record, refused([gone]))
        dummy = plan.pool is api.Pool.DEFAULT and is_lost(self)
        if dummy:
            plan = d3d9_pools.dummy_plan(self, plan)
        answer = d3d9_pools.place(self, plan, record, record.out or record.call, dummy=dummy)
        if len(answer) == 2 and isinstance(answer[1], Refusal):
            return self.out_of_memory(record, str(answer[0]), answer[1])
        return Verdict(verdict.hr, (*verdict.reasons, *answer), verdict.values)  # pyright: ignore[reportArgumentType]  # reasons here

    def add_block(
        self, row: int, kind: int, layout: ResourceLayout, taken: tuple[int, Taken], block_state: int, why: Reason
    ) -> int:
        """Add a block of a resource in a range that was taken for it; ``why`` it lies there is told."""
        memory = self.state
        segment, place = taken
        name, where = self.name(row), memory.segments[segment].name
        block = memory.add_block(
            segment,
            -1,
            place.address,
            place.size,
            asked=layout.texel_bytes,
            alignment=layout.alignment,
            kind=kind,
            state=block_state,
            resource=row,
            pad_before=place.padding_before,
            rounding=place.rounding,
        )
        memory.count_usage(segment, place.size)
        text = f"{name}: {place.size:,} B in {where}. {why.text}"
        memory.log.add(EventKind.ALLOCATED, name, where, place.size, rule=why.rule, text=text)
        return block

    def admit(self, row: int, block: int) -> None:
        """Let the system move a new DEFAULT resource of a 9Ex device."""
        if is_virtual(self, row):
            self.virtual.admit(self, row, block)

    def free_block(self, block: int, rule: str) -> None:
        """Give a block's bytes back and report it under a rule."""
        state = self.state
        segment = int(state.blocks["segment"][block])
        size = int(state.blocks["size"][block])
        name = self.name(int(state.blocks["resource"][block]))
        where = state.segments[segment].name
        state.segments[segment].release(int(state.blocks["offset"][block]))
        state.count_usage(segment, -size)
        state.remove_block(block)
        self.gpu.forget(block)
        state.log.add(EventKind.FREED, name, where, size, rule=rule, text=f"{name} left {where}.")

    def destroy(self, row: int) -> None:
        """Give back everything of a resource that nobody holds any more."""
        d3d9_locks.drop_locks(self, row)
        for slot in [slot for slot, bound in self.things.bound.items() if bound == row]:
            del self.things.bound[slot]
        for number in self.things.parts_of(row):
            self._forget_part(number)
        self.managed.forget(row)
        self.virtual.forget(row)
        is_default = self.things.of[row].resource.pool == api.Pool.DEFAULT
        for block in self.blocks_of.pop(row, []):
            self.free_block(block, "d3d9.R6.7" if is_default else "d3d9.release")
        self.things.forget(row)
        self.used_in_scene.discard(row)
        self.state.remove_resource(row)

    def orphan(self, row: int) -> None:
        """Keep a released resource that is still bound or held through a surface; its name is free for others."""
        state = self.state
        old = self.name(row)
        new, count = f"{old} (released, still in use)", 2
        while new in state.objects:
            new, count = f"{old} (released, still in use, {count})", count + 1
        state.objects.pop(old)
        state.rename_resource(row, new)
        state.bind(new, "resource", row)
        state.generation += 1
        self.things.orphans |= {row}

    def unbind(self, slot: str) -> None:
        """Empty a slot; what only the slot kept alive is destroyed."""
        row = self.things.bound.pop(slot, None)
        if row is not None:
            self._destroy_if_unheld(row)

    def add_part(self, name: str, part: Part) -> None:
        """Give the application a surface of a resource."""
        number = self.things.number()
        self.things.parts[number] = part
        self.things.part_names[number] = name
        self.state.bind(name, "surface", number)

    def drop_part(self, number: int) -> None:
        """Take a surface back; what only it kept alive is destroyed."""
        row = self.things.parts[number].row
        self._forget_part(number)
        if row in self.things.of:
            self._destroy_if_unheld(row)

    def _forget_part(self, number: int) -> None:
        del self.things.parts[number]
        self.state.objects.pop(self.things.part_names.pop(number), None)

    def _destroy_if_unheld(self, row: int) -> None:
        if row in self.things.orphans and not self.things.is_bound(row) and not self.things.parts_of(row):
            self.destroy(row)

    # Frames ----------------------------------------------------------------------------------------------------

    def begin_scene(self, arguments: api.Empty, record: CallRecord) -> Verdict:
        """Begin the frame that LRU→MRU looks at."""
        verdict = judge(arguments, d3d9_presentation.device_state(self), self.runtime, record.call)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        self.scene += 1
        self.in_scene = True
        self.used_in_scene.clear()
        self.state.clear_frame_marks()
        self.managed.begin_scene(self.scene)
        return verdict

    def end_scene(self, arguments: api.Empty, record: CallRecord) -> Verdict:
        """End it: the manager goes back to LRU."""
        verdict = judge(arguments, d3d9_presentation.device_state(self), self.runtime, record.call)
        if not verdict.succeeded:
            return self.refuse(record, verdict)
        self.in_scene = False
        self.managed.end_scene()
        if self.pending_moves:
            d3d9_hints.move_seen(self)
        return verdict

    def finish_frame(self) -> None:
        """Close a frame; what the GPU got ``FRAMES_IN_FLIGHT`` frames ago is done."""
        self.end_frame()
        self.gpu.end_frame()

    def mark_used(self, row: int, block: int) -> None:
        """Note the use of a resource and of the block that served it."""
        state = self.state
        self.used_in_scene.add(row)
        state.resources["used_frame"][row] = state.log.frame
        state.blocks["used_frame"][block] = state.log.frame
        state.blocks["state"][block] |= d3d9_pools.USED

    # The GPU in the back ---------------------------------------------------------------------------------------

    def wait_for(self, block: int, text: str, rule: str) -> None:
        """Stall until the GPU is done with a block, and so with all that came before."""
        segment, size = self.segment_of(block), int(self.state.blocks["size"][block])
        name = self.name(int(self.state.blocks["resource"][block]))
        self.state.log.add(EventKind.STALLED, name, segment.name, size, rule=rule, text=text)
        self.spend(stall=cost.wait_ns(size, segment.bandwidth))
        self.gpu.drain(block)

    def read_back(self, name: str, block: int, size: int, how: str, rule: str) -> None:
        """Bring bytes from the device to the CPU, which waits for them."""
        where = self.segment_of(block).name
        text = f"{name}: {size:,} B were read back from {where} {how}."
        self.state.log.add(EventKind.STALLED, name, where, size, rule=rule, text=text)
        self.spend(transfer=cost.transfer_ns(size, self.state.adapter.bus.from_gpu_bytes_per_s))

    def gpu_block(self, row: int) -> int | None:
        """Return the block that the GPU uses of a resource, in reach; None when it cannot be."""
        if row in self.managed:
            return self.managed.use(self, row)
        block = self.blocks_of[row][0]
        if self.runtime.ex and not self.virtual.touch(self, row, block):
            return None
        return block

    # Small things ----------------------------------------------------------------------------------------------

    def name(self, row: int) -> str:
        """Return the name of a resource."""
        return self.state.resource_names[row]

    def segment_of(self, block: int) -> MemorySegment:
        """Return the segment of a block."""
        return self.state.segments[int(self.state.blocks["segment"][block])]

    def evict_managed(self, arguments: api.Empty, record: CallRecord) -> Verdict:
        """EvictManagedResources: every device copy goes, the masters stay."""
        del arguments
        self.managed.evict_all(self, record.call)
        return granted("R5.9")

    def take(self, group: str, needs: ResourceLayout, kind: int, newcomer: str) -> tuple[int, Taken] | Refusal:
        """Take bytes of a group; in LOCAL memory managed copies leave until there is a hole (R6.8, R5.7)."""
        taken = self.state.take(group, needs.size_bytes, needs.alignment, kind)
        if isinstance(taken, Refusal) and group == "LOCAL":
            movers = self.virtual if self.runtime.ex else self.managed
            return movers.make_room(self, needs, kind, taken, newcomer)
        return taken

    def out_of_memory(self, record: CallRecord, group: str, refusal: Refusal) -> Verdict:
        """Report that memory ran out and return what the API answers (R4.10)."""
        why = reason("R4.10")
        video = group in ("LOCAL", "NON_LOCAL") and not self.runtime.ex
        hr = "D3DERR_OUTOFVIDEOMEMORY" if video else "E_OUTOFMEMORY"
        return self.no_room(record, hr, group, refusal, why.rule, why.source)

    def answer_not_simulated(self, record: CallRecord, what: str) -> Verdict:
        """Answer and count a use of a call that is not simulated."""
        why = not_simulated_reason(what)
        self.not_simulated[record.call] += 1
        self.state.log.add(EventKind.NOT_SIMULATED, record.out or record.call, rule=why.rule, text=why.text)
        return Verdict(NOT_SIMULATED, (why,))


class D3D9ExDevice(D3D9Device):
    """The same with the runtime of Direct3D 9Ex."""

    api = "d3d9ex"


_CREATES = (
    "CreateTexture",
    "CreateCubeTexture",
    "CreateVolumeTexture",
    "CreateVertexBuffer",
    "CreateIndexBuffer",
    "CreateRenderTarget",
    "CreateRenderTargetEx",
    "CreateDepthStencilSurface",
    "CreateDepthStencilSurfaceEx",
    "CreateOffscreenPlainSurface",
    "CreateOffscreenPlainSurfaceEx",
)

_HANDLERS: Mapping[str, Callable[[Any, Any, CallRecord], Verdict]] = {
    **dict.fromkeys(_CREATES, D3D9Device.create),
    **dict.fromkeys(("CreateDevice", "CreateDeviceEx"), d3d9_presentation.create_device),
    "CreateAdditionalSwapChain": d3d9_presentation.create_swap_chain,
    "CreateStateBlock": d3d9_presentation.create_state_block,
    "CreateQuery": d3d9_statistics.create_query,
    "Issue": d3d9_statistics.issue,
    "GetData": d3d9_statistics.get_data,
    **dict.fromkeys(("Reset", "ResetEx"), d3d9_presentation.reset),
    **dict.fromkeys(("Present", "PresentEx"), d3d9_presentation.present),
    **dict.fromkeys(
        ("TestCooperativeLevel", "CheckDeviceState", "CheckDeviceFormat", "ValidateDevice"), d3d9_presentation.plain
    ),
    **dict.fromkeys(("CreateVertexShader", "CreatePixelShader"), d3d9_presentation.create_shader),
    "GetBackBuffer": d3d9_presentation.get_back_buffer,
    "GetRenderTarget": d3d9_presentation.get_render_target,
    "BeginScene": D3D9Device.begin_scene,
    "EndScene": D3D9Device.end_scene,
    **dict.fromkeys(("DrawPrimitive", "DrawIndexedPrimitive", "DrawRectPatch"), d3d9_draw.draw),
    **dict.fromkeys(("SetRenderState", "SetNPatchMode"), d3d9_presentation.set_state),
    "EvictManagedResources": D3D9Device.evict_managed,
    "GetAvailableTextureMem": d3d9_statistics.texture_memory,
    "CheckResourceResidency": d3d9_statistics.check_residency,
    **dict.fromkeys(("GetSurfaceLevel", "GetCubeMapSurface", "GetVolumeLevel"), d3d9_bindings.get_part),
    **dict.fromkeys(("SetTexture", "SetStreamSource", "SetIndices"), d3d9_bindings.set_resource),
    **dict.fromkeys(("SetRenderTarget", "SetDepthStencilSurface"), d3d9_bindings.set_target),
    "Lock": d3d9_locks.lock,
    "Unlock": d3d9_locks.unlock,
    "LockRect": d3d9_locks.lock_rect,
    "LockBox": d3d9_locks.lock_box,
    **dict.fromkeys(("UnlockRect", "UnlockBox"), d3d9_locks.unlock_surface),
    **dict.fromkeys(("AddDirtyRect", "AddDirtyBox"), d3d9_locks.add_dirty),
    "UpdateSurface": d3d9_copies.update_surface,
    "UpdateTexture": d3d9_copies.update_texture,
    "StretchRect": d3d9_copies.stretch_rect,
    "GetRenderTargetData": d3d9_copies.get_target_data,
    "GetFrontBufferData": d3d9_copies.get_front_data,
    "ColorFill": d3d9_copies.color_fill,
    "GenerateMipSubLevels": d3d9_copies.generate_mips,
    "SetAutoGenFilterType": d3d9_copies.set_filter,
    "PreLoad": d3d9_life.preload,
    "SetPriority": d3d9_life.set_priority,
    **dict.fromkeys(("GetPriority", "GetLOD", "GetLevelCount", "GetType"), d3d9_life.ask),
    "SetLOD": d3d9_life.set_lod,
    "Release": d3d9_life.release,
}
