"""The D3D9 device as it presents: swap chain, focus, loss, Reset and what survives it (rules d3d9.R9.1 … R10.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from explorer.core import d3d9 as api
from explorer.core.events import EventKind
from explorer.core.verdicts import Verdict
from explorer.device import d3d9_driver, d3d9_loss, d3d9_pools
from explorer.device.d3d9_things import Part
from explorer.memory.allocators.protocol import Refusal
from explorer.rules.d3d9 import judge
from explorer.rules.d3d9_device import HUNG, NOT_RESET, OPERATIONAL, DeviceState
from explorer.rules.d3d9_resource import Resource, back_buffer
from explorer.rules.d3d9_verdicts import fault, granted, reason, refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.calls import CallRecord
    from explorer.device.d3d9 import D3D9Device

DISPLAY_MODES = frozenset((
    (640, 480), (720, 480), (720, 576), (800, 600), (1024, 768), (1152, 864), (1280, 720), (1280, 768), (1280, 800),
    (1280, 960), (1280, 1024), (1360, 768), (1366, 768), (1400, 1050), (1440, 900), (1600, 900), (1600, 1200),
    (1680, 1050), (1920, 1080), (1920, 1200), (2048, 1536), (2560, 1440), (2560, 1600), (3840, 2160),
))  # fmt: skip
"""Full-screen modes that every adapter lists, in pixels. Modelling choice: the usual ones of VESA and television."""


_NO_PARAMETERS = api.PresentParameters()


@dataclass(frozen=True, slots=True)
class Presentation:
    """How the device stands to its window.

    Attributes:
        status: ``operational``, ``lost`` or ``not_reset``; on 9Ex ``operational``, ``hung`` or ``removed``.
        windowed: Not full-screen.
        focused: Its window has the focus.
        mode_changed: 9Ex: leaving full screen changed the display mode, and nobody has called Reset since.
        name: Name of the device object; empty where the scenario makes none and so has no swap chain.
        parameters: Of the last CreateDevice or Reset.
        back: Rows of the back buffers.
        front: Row of the front buffer, −1 in a window, where the desktop is in front.
        depth: Row of the automatic depth buffer, or −1.
    """

    status: str = OPERATIONAL
    windowed: bool = True
    focused: bool = True
    mode_changed: bool = False
    name: str = ""
    parameters: api.PresentParameters = _NO_PARAMETERS
    back: tuple[int, ...] = ()
    front: int = -1
    depth: int = -1

    @property
    def rows(self) -> tuple[int, ...]:
        """Rows of everything that belongs to the swap chain."""
        return (*self.back, *(row for row in (self.front, self.depth) if row >= 0))


def device_state(device: D3D9Device, **more: Any) -> DeviceState:
    """Return the device as the rules see it."""
    shown = device.shown
    return DeviceState(
        shown.status, shown.windowed, shown.focused, shown.mode_changed, in_scene=device.in_scene, **more
    )


def is_lost(device: D3D9Device) -> bool:
    """Return whether draws vanish: lost, waiting for Reset, or on 9Ex hung or removed."""
    return device.shown.status != OPERATIONAL


def plain(device: D3D9Device, arguments: Any, record: CallRecord) -> Verdict:
    """Answer a call that only looks at the device, such as TestCooperativeLevel or CheckDeviceFormat."""
    return judge(arguments, device_state(device), device.runtime, record.call)


def create_device(device: D3D9Device, arguments: api.CreateDevice, record: CallRecord) -> Verdict:
    """CreateDevice: make the implicit swap chain, and take over what the behaviour flags say."""
    if device.shown.name:
        return device.answer_not_simulated(record, "A second device")
    verdict = judge(arguments, DeviceState(), device.runtime, record.call)
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    flags, parameters = arguments.BehaviorFlags, arguments.pPresentationParameters
    processing = device.runtime.vertex_processing
    for flag, word in _PROCESSING.items():
        processing = word if flags & flag else processing
    lockable = bool(parameters.Flags & api.PresentFlags.LOCKABLE_BACKBUFFER)
    device.runtime = replace(device.runtime, vertex_processing=processing, lockable_back_buffer=lockable)
    device.no_driver_management = bool(flags & _NO_DRIVER)
    device.hides_errors = bool(flags & api.CreateFlags.DISABLE_DRIVER_MANAGEMENT)
    device.managed.by_driver = d3d9_driver.manages(device)
    name = record.out or "Device"
    # A new device is one with a past no more: its window takes the focus.
    device.shown = Presentation(windowed=parameters.Windowed, name=name)
    device.options.pop("hardware", None)
    failed = _make_chain(device, parameters)
    if failed is not None:
        device.shown = replace(device.shown, name="")
        return device.out_of_memory(record, *failed)
    number = device.things.number()
    device.things.others[number] = ("device", 0)
    device.state.bind(name, "device", number)
    return Verdict(verdict.hr, (*verdict.reasons, reason("R5.15")))


def create_swap_chain(device: D3D9Device, arguments: api.CreateAdditionalSwapChain, record: CallRecord) -> Verdict:
    """CreateAdditionalSwapChain: back buffers of its own, which stand in the way of Reset."""
    verdict = judge(arguments, device_state(device), device.runtime, record.call)
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    parameters, name = arguments.pPresentationParameters, record.out or record.call
    number = device.things.number()
    made: list[int] = []
    for index in range(max(parameters.BackBufferCount, 1)):
        found = _make(device, _buffer(parameters), f"{name}: back buffer {index}")
        if isinstance(found, tuple):
            for row in made:
                device.destroy(row)
            return device.out_of_memory(record, *found)
        made.append(found)
    device.chains[number] = tuple(made)
    device.things.others[number] = ("swap_chain", 0)
    device.state.bind(name, "swap_chain", number)
    return verdict


def create_state_block(device: D3D9Device, arguments: api.CreateStateBlock, record: CallRecord) -> Verdict:
    """CreateStateBlock: it takes no memory here, but Reset minds it."""
    verdict = judge(arguments, None, device.runtime, record.call)
    number = device.things.number()
    device.things.others[number] = ("state_block", arguments.Type)
    device.state.bind(record.out or record.call, "state_block", number)
    return verdict


def create_shader(device: D3D9Device, arguments: api.Empty, record: CallRecord) -> Verdict:
    """CreateVertexShader or CreatePixelShader: an object that Reset leaves alone."""
    number = device.things.number()
    device.things.others[number] = ("shader", 0)
    device.state.bind(record.out or record.call, "shader", number)
    return judge(arguments, None, device.runtime, record.call)


def get_back_buffer(device: D3D9Device, arguments: api.GetBackBuffer, record: CallRecord) -> Verdict:
    """GetBackBuffer: the application now holds a reference to the implicit surface."""
    chains = [device.shown.back, *device.chains.values()]
    rows = chains[arguments.iSwapChain] if arguments.iSwapChain < len(chains) else ()
    if arguments.iBackBuffer >= len(rows):
        return device.refuse(record, refused([fault("swap.count", "ask for a back buffer that the chain has")]))
    device.add_part(record.out or record.call, Part(rows[arguments.iBackBuffer]))
    return judge(arguments, None, device.runtime, record.call)


def get_render_target(device: D3D9Device, arguments: api.GetRenderTarget, record: CallRecord) -> Verdict:
    """GetRenderTarget: D3DERR_NOTFOUND for an empty slot."""
    row = device.things.bound.get(f"target {arguments.RenderTargetIndex}")
    if row is None:
        return refused([fault("bind.target", "ask for a slot that is set", hr="D3DERR_NOTFOUND")])
    device.add_part(record.out or record.call, Part(row))
    return judge(arguments, None, device.runtime, record.call)


def present(device: D3D9Device, arguments: Any, record: CallRecord) -> Verdict:
    """Present: end the frame; a lost device says so, and shows nothing."""
    verdict = judge(arguments, device_state(device), device.runtime, record.call)
    if verdict.succeeded and verdict.hr != "S_PRESENT_OCCLUDED":
        device.state.log.add(EventKind.PRESENTED, text=f"Frame {device.state.log.frame} was presented.")
    device.finish_frame()
    return verdict


# Reset ---------------------------------------------------------------------------------------------------------


def obstacles(device: D3D9Device) -> tuple[str, ...]:
    """Return what the application holds that stands in the way of Reset on plain D3D9 (rules R9.2, R9.4)."""
    things = device.things
    found = [
        "default_resource"
        for row, thing in things.of.items()
        if thing.resource.pool == api.Pool.DEFAULT and not thing.implicit and not _only_bound(device, row)
    ]
    found += ["implicit_surface" for part in things.parts.values() if things.of[part.row].implicit]
    found += [kind for kind, _ in things.others.values() if kind in ("swap_chain", "state_block")]
    return tuple(found)


def _only_bound(device: D3D9Device, row: int) -> bool:
    return row in device.things.orphans and not device.things.parts_of(row)


def reset(device: D3D9Device, arguments: api.Reset, record: CallRecord) -> Verdict:
    """Reset or ResetEx."""
    parameters, things = arguments.pPresentationParameters, device.things
    size = (parameters.BackBufferWidth, parameters.BackBufferHeight)
    held = obstacles(device)
    state = device_state(device, held=held, mode_listed=size in device.modes)
    verdict = judge(arguments, state, device.runtime, record.call)
    was_windowed, was_hung = device.shown.windowed, device.shown.status == HUNG
    device.shown = replace(device.shown, status=str(verdict.values["status"]))
    if not verdict.succeeded:
        return device.refuse(record, verdict)
    if device.runtime.ex:
        d3d9_loss.make_reachable(device)
        for slot in [one for one in things.bound if one.startswith("target") or one == "depth"]:
            device.unbind(slot)
    else:
        for slot in tuple(things.bound):
            device.unbind(slot)
        device.managed.evict_all(device, record.call, "d3d9.R5.4")
        device.render_states.clear()
    device.shown = replace(
        device.shown,
        windowed=parameters.Windowed,
        # A full-screen Reset takes the focus back; leaving full screen changes the display mode once.
        focused=device.shown.focused or not parameters.Windowed,
        mode_changed=device.runtime.ex and parameters.Windowed and not was_windowed,
    )
    # What happened to the hardware is over; no scene goes on over a Reset.
    device.options.pop("hardware", None)
    device.in_scene = False
    device.managed.end_scene()
    if device.shown.name:
        failed = _make_chain(device, parameters)
        if failed is not None:
            device.shown = replace(device.shown, status=OPERATIONAL if device.runtime.ex else NOT_RESET)
            return device.out_of_memory(record, *failed)
    what = "everything stays" if device.runtime.ex else "managed resources are uploaded again on their next use"
    if was_hung:
        what = "every resource stays where it is, but what was in video memory has to be written anew"
    device.state.log.add(EventKind.RESET, device.shown.name, rule=verdict.reasons[0].rule,
                         text=f"{record.call} succeeded: {what}.")  # fmt: skip
    return verdict


def drop_chain(device: D3D9Device) -> None:
    """Give back the implicit swap chain and depth buffer."""
    for row in device.shown.rows:
        device.destroy(row)
    device.shown = replace(device.shown, back=(), front=-1, depth=-1)


def _make_chain(device: D3D9Device, parameters: api.PresentParameters) -> tuple[str, Refusal] | None:
    """Make the implicit surfaces anew; the group without room if there is one.

    Plain D3D9 has refused where the application still holds one; on 9Ex what it holds names the new surface.
    """
    things = device.things
    if not device.shown.back or parameters != device.shown.parameters or not device.runtime.ex:
        # The surfaces go and come under the application's references, which stay.
        held = {n: things.parts.pop(n) for n, part in tuple(things.parts.items()) if part.row in device.shown.rows}
        drop_chain(device)
        failed = _fill_chain(device, parameters)
        if failed is not None:
            things.parts |= held
            for number in held:
                device.drop_part(number)
            drop_chain(device)
            return failed
        things.parts |= dict.fromkeys(held, Part(device.shown.back[0]))
    things.bound["target 0"] = device.shown.back[0]
    if device.shown.depth >= 0:
        things.bound["depth"] = device.shown.depth
    return None


def _fill_chain(device: D3D9Device, parameters: api.PresentParameters) -> tuple[str, Refusal] | None:
    name, count = device.shown.name, max(parameters.BackBufferCount, 1)
    names = [f"{name}: back buffer {index}" for index in range(count)]
    resources = [_buffer(parameters)] * count
    if not parameters.Windowed:
        names.append(f"{name}: front buffer")
        resources.append(_buffer(parameters))
    if parameters.EnableAutoDepthStencil:
        names.append(f"{name}: depth buffer")
        resources.append(_depth(parameters))
    rows: list[int] = []
    for one, resource in zip(names, resources, strict=True):
        made = _make(device, resource, one)
        if isinstance(made, tuple):
            device.shown = replace(device.shown, back=tuple(rows))
            return made
        rows.append(made)
    depth = rows.pop() if parameters.EnableAutoDepthStencil else -1
    front = -1 if parameters.Windowed else rows.pop()
    device.shown = replace(device.shown, parameters=parameters, back=tuple(rows), front=front, depth=depth)
    return None


def _depth(parameters: api.PresentParameters) -> Resource:
    return Resource(
        "depth_stencil_surface",
        max(parameters.BackBufferWidth, 1),
        max(parameters.BackBufferHeight, 1),
        usage=int(api.Usage.DEPTHSTENCIL),
        format=int(parameters.AutoDepthStencilFormat),
        multisample=int(parameters.MultiSampleType),
    )


def _buffer(parameters: api.PresentParameters) -> Resource:
    value = int(parameters.BackBufferFormat) or int(api.Format.X8R8G8B8)
    width, height = max(parameters.BackBufferWidth, 1), max(parameters.BackBufferHeight, 1)
    return back_buffer(width, height, value, int(parameters.MultiSampleType))


def _make(device: D3D9Device, resource: Resource, name: str) -> int | tuple[str, Refusal]:
    answer = d3d9_pools.place(device, d3d9_pools.plan_of(device, resource), None, name, implicit=True)
    if len(answer) == 2 and isinstance(answer[1], Refusal):
        return str(answer[0]), answer[1]
    return device.state.objects[name][1]


_PROCESSING: Mapping[api.CreateFlags, str] = {
    api.CreateFlags.SOFTWARE_VERTEXPROCESSING: "software",
    api.CreateFlags.HARDWARE_VERTEXPROCESSING: "hardware",
    api.CreateFlags.MIXED_VERTEXPROCESSING: "mixed",
}
_NO_DRIVER = api.CreateFlags.DISABLE_DRIVER_MANAGEMENT | api.CreateFlags.DISABLE_DRIVER_MANAGEMENT_EX


def set_state(device: D3D9Device, arguments: Any, record: CallRecord) -> Verdict:
    """Keep a render state or the N-patch mode; Reset puts them back."""
    if isinstance(arguments, api.SetNPatchMode):
        device.render_states["NPATCHES"] = arguments.nSegments
    elif isinstance(arguments, api.SetRenderState):
        device.render_states[str(getattr(arguments.State, "name", int(arguments.State)))] = arguments.Value
    return judge(arguments, device_state(device), device.runtime, record.call)


def vanish() -> Verdict:
    """Return the answer of a draw while the device is lost."""
    return granted("R9.5")
