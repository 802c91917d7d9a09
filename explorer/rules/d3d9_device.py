"""Calls on the device itself: loss and Reset, memory questions, formats, queries, swap chains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.d3d9 import (
    CheckDeviceFormat,
    CheckDeviceState,
    CheckResourceResidency,
    CreateAdditionalSwapChain,
    CreateDevice,
    CreateQuery,
    Empty,
    Format,
    GetData,
    PresentParameters,
    QueryType,
    Reset,
    ResourceType,
    SwapEffect,
    Usage,
)
from explorer.core.units import align_down
from explorer.rules.d3d9_runtime import DEFAULT, Runtime
from explorer.rules.d3d9_verdicts import NOTAVAILABLE, Fault, fault, granted, refused
from explorer.tables.d3d9_tables import format_flags, limit

if TYPE_CHECKING:
    from explorer.core.verdicts import Verdict

OPERATIONAL, LOST, NOT_RESET = "operational", "lost", "not_reset"
HUNG, REMOVED = "hung", "removed"
"""States of a 9Ex device alone."""

OBSTACLES = ("default_resource", "implicit_surface", "swap_chain", "state_block")
"""What an application may hold that stands in the way of Reset on plain D3D9."""

RESIDENCY = {"device": "S_OK", "shared": "S_RESIDENT_IN_SHARED_MEMORY", "disk": "S_NOT_RESIDENT"}
"""Where a resource is, and what CheckResourceResidency answers for the worst of them."""


@dataclass(frozen=True, slots=True)
class DeviceState:
    """The device between calls.

    Attributes:
        status: ``operational``, ``lost`` or ``not_reset``; on 9Ex ``operational``, ``hung`` or ``removed``.
        windowed: How it presents.
        focused: Whether its window has the focus.
        mode_changed: 9Ex: the display mode changed since the last Present.
        held: Members of ``OBSTACLES`` that the application holds, repeated as often as it does.
        mode_listed: Whether a full-screen mode asked for is one that the adapter lists.
        free_bytes: Memory that textures could still take.
        in_scene: Between BeginScene and EndScene.
        residency: For CheckResourceResidency: where each resource of the array is (keys of ``RESIDENCY``).
    """

    status: str = OPERATIONAL
    windowed: bool = True
    focused: bool = True
    mode_changed: bool = False
    held: tuple[str, ...] = ()
    mode_listed: bool = True
    free_bytes: int = 0
    in_scene: bool = False
    residency: tuple[str, ...] = ()


def _key(name: str, path: str) -> str:
    return f"{path}.{name}" if path else name


def present_faults(
    parameters: PresentParameters, runtime: Runtime, path: str = "pPresentationParameters"
) -> list[Fault]:
    """Return what is wrong with presentation parameters."""
    faults: list[Fault] = []
    effects = [SwapEffect.DISCARD, SwapEffect.FLIP, SwapEffect.COPY]
    if runtime.ex:
        effects += [SwapEffect.OVERLAY, SwapEffect.FLIPEX]
    if parameters.SwapEffect not in effects:
        faults.append(
            fault("swap.effect", "use D3DSWAPEFFECT_DISCARD", {_key("SwapEffect", path): "D3DSWAPEFFECT_DISCARD"})
        )
    most = limit("back_buffers_ex" if runtime.ex else "back_buffers")
    if parameters.SwapEffect == SwapEffect.COPY:
        most = 1
    if parameters.BackBufferCount > most:
        faults.append(fault("swap.count", f"use {most} back buffers at most", {_key("BackBufferCount", path): most}))
    value = int(parameters.BackBufferFormat)
    unknown_ok = parameters.Windowed and value == Format.UNKNOWN
    if not unknown_ok and "back_buffer" not in format_flags(value):
        change = {_key("BackBufferFormat", path): "D3DFMT_X8R8G8B8"}
        faults.append(fault("swap.format", "use D3DFMT_X8R8G8B8", change))
    return faults


def judge_create_device(arguments: CreateDevice, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what CreateDevice or CreateDeviceEx answers."""
    faults = present_faults(arguments.pPresentationParameters, runtime)
    return refused(faults) if faults else granted("ok.call", "swap.count")


def judge_swap_chain(arguments: CreateAdditionalSwapChain, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what CreateAdditionalSwapChain answers."""
    if state.status != OPERATIONAL and not runtime.ex:
        return refused([fault("R9.1", "reset the device first", hr="D3DERR_DEVICELOST")])
    faults = present_faults(arguments.pPresentationParameters, runtime)
    return refused(faults) if faults else granted("ok.call", "swap.count")


def ex_fault(status: str) -> Fault | None:
    """Return what stands against a call on a 9Ex device that hangs or whose adapter is gone."""
    if status == HUNG:
        return fault("ex.lost", "call ResetEx", hr="D3DERR_DEVICEHUNG")
    return fault("ex.lost", "create a new device", hr="D3DERR_DEVICEREMOVED") if status == REMOVED else None


def judge_reset(arguments: Reset, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what Reset or ResetEx answers: value ``status`` afterwards."""
    parameters = arguments.pPresentationParameters
    if state.status == LOST and not runtime.ex:
        lost = fault("R9.1", "wait until TestCooperativeLevel answers D3DERR_DEVICENOTRESET", hr="D3DERR_DEVICELOST")
        return refused([lost], {"status": LOST})
    if state.status == REMOVED:
        return refused([fault("ex.lost", "create a new device", hr="D3DERR_DEVICEREMOVED")], {"status": REMOVED})
    faults = present_faults(parameters, runtime)
    # Parameters are looked at before anything is given up: the device then stays as it was.
    after = state.status if faults or runtime.ex else NOT_RESET
    if state.held and not runtime.ex:
        faults.append(fault("R9.2", "release what is in D3DPOOL_DEFAULT, and swap chains, surfaces, state blocks"))
    if not parameters.Windowed and not state.mode_listed:
        key = "pPresentationParameters.Windowed"
        faults.append(fault("swap.mode", "use a mode that the adapter lists, or a window", {key: True}))
    if faults:
        return refused(faults, {"status": after})
    names = ("R10.2",) if runtime.ex else ("R9.3", "R9.2")
    if state.status == HUNG:
        names = ("ex.lost",)
    return granted(*names, values={"status": OPERATIONAL})


def judge_cooperative_level(arguments: Empty, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what TestCooperativeLevel answers."""
    if runtime.ex or state.status == OPERATIONAL:
        return granted("R10.2" if runtime.ex else "R9.1")
    hr = "D3DERR_DEVICELOST" if state.status == LOST else "D3DERR_DEVICENOTRESET"
    text = "wait for the focus" if state.status == LOST else "call Reset"
    return refused([fault("R9.1", text, hr=hr)])


def judge_present(arguments: Empty, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what Present or PresentEx answers."""
    if runtime.ex:
        gone = ex_fault(state.status)
        if gone is not None:
            return refused([gone])
        if state.mode_changed:
            return granted("R10.3", hr="S_PRESENT_MODE_CHANGED")
        hidden = not state.windowed and not state.focused
        return granted("R10.3", hr="S_PRESENT_OCCLUDED") if hidden else granted("R10.3")
    if state.status == OPERATIONAL:
        return granted("R9.6" if state.windowed and not state.focused else "R9.1")
    return refused([fault("R9.5", "reset the device", hr="D3DERR_DEVICELOST")])


def judge_device_state(arguments: CheckDeviceState, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what CheckDeviceState answers for the device's window, or for no window."""
    gone = ex_fault(state.status)
    if gone is not None:
        return refused([gone])
    if state.mode_changed:
        return granted("R10.3", hr="S_PRESENT_MODE_CHANGED")
    exclusive = not state.windowed
    # Without a window the question is about the desktop, which a full-screen device in front of it hides.
    hidden = exclusive and (state.focused if arguments.hDestinationWindow is None else not state.focused)
    return granted("R10.3", hr="S_PRESENT_OCCLUDED") if hidden else granted("R10.3")


def judge_plain(arguments: object, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what draws and states answer: they succeed in every state of the device."""
    if state.status == OPERATIONAL or runtime.ex:
        return granted("ok.call")
    return granted("R9.5")


def judge_begin_scene(arguments: Empty, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what BeginScene answers: pairs do not nest."""
    if state.in_scene:
        return refused([fault("scene", "call EndScene first")])
    return granted("R5.8") if state.status == OPERATIONAL else granted("R9.5")


def judge_end_scene(arguments: Empty, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what EndScene answers: a scene must have begun."""
    if not state.in_scene:
        return refused([fault("scene", "call BeginScene first")])
    return granted("R5.8") if state.status == OPERATIONAL else granted("R9.5")


def judge_evict(arguments: Empty, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what EvictManagedResources answers."""
    return granted("R5.9")


def judge_texture_memory(arguments: Empty, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what GetAvailableTextureMem answers: value ``returns`` in bytes."""
    value = align_down(min(state.free_bytes, 2**32 - 1), limit("texture_memory_granularity"))
    return granted("R4.8", values={"returns": value})


def judge_residency(arguments: CheckResourceResidency, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what CheckResourceResidency answers: the worst of its resources."""
    order = list(RESIDENCY)
    worst = max(state.residency, key=order.index, default="device")
    return granted("R10.7", hr=RESIDENCY[worst])


def judge_query(arguments: CreateQuery, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what CreateQuery answers."""
    if arguments.Type not in set(QueryType):
        return refused([fault("query.type", "use a D3DQUERYTYPE", {"Type": "D3DQUERYTYPE_EVENT"}, NOTAVAILABLE)])
    if arguments.Type in (QueryType.RESOURCEMANAGER, QueryType.VERTEXSTATS, QueryType.VCACHE) and not runtime.debug:
        return refused([fault("query.debug", "use the debug runtime", hr=NOTAVAILABLE)])
    if arguments.Type == QueryType.MEMORYPRESSURE and not runtime.ex:
        return refused([fault("query.pressure", "use Direct3D 9Ex", hr=NOTAVAILABLE)])
    return granted("ok.call")


def judge_validate(arguments: Empty, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what ValidateDevice answers: a lost device says so, another one can draw what is set."""
    if state.status != OPERATIONAL and not runtime.ex:
        return refused([fault("R9.1", "reset the device first", hr="D3DERR_DEVICELOST")])
    return granted("ok.call")


def judge_get_data(arguments: GetData, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what GetData of a query answers; without the flush a lost device is not noticed."""
    if state.status != OPERATIONAL and not runtime.ex and arguments.dwGetDataFlags & 1:
        return refused([fault("R9.1", "reset the device first", hr="D3DERR_DEVICELOST")])
    return granted("ok.call")


_TYPE_USES = {
    ResourceType.SURFACE: "s",
    ResourceType.TEXTURE: "t",
    ResourceType.VOLUMETEXTURE: "v",
    ResourceType.VOLUME: "v",
    ResourceType.CUBETEXTURE: "c",
}
_QUERY_USES = {
    Usage.QUERY_LEGACYBUMPMAP: "u",
    Usage.QUERY_SRGBREAD: "g",
    Usage.QUERY_FILTER: "f",
    Usage.QUERY_SRGBWRITE: "w",
    Usage.QUERY_POSTPIXELSHADER_BLENDING: "b",
    Usage.QUERY_VERTEXTEXTURE: "x",
    Usage.QUERY_WRAPANDMIP: "m",
}
_ANY_TYPE = Usage.RENDERTARGET | Usage.DEPTHSTENCIL | Usage.SOFTWAREPROCESSING | Usage.NONSECURE


def format_available(arguments: CheckDeviceFormat, runtime: Runtime = DEFAULT) -> bool:
    """Return whether the device supports a format for a type and usage."""
    usage, value = Usage(arguments.Usage), int(arguments.CheckFormat)
    surface = arguments.RType == ResourceType.SURFACE
    volume = arguments.RType in (ResourceType.VOLUME, ResourceType.VOLUMETEXTURE)
    uses = "" if surface and usage & (Usage.RENDERTARGET | Usage.DEPTHSTENCIL) else _TYPE_USES[arguments.RType]
    rest = int(usage) & ~int(_ANY_TYPE)
    if usage & Usage.RENDERTARGET:
        uses += "r"
    if usage & Usage.DEPTHSTENCIL:
        uses += "d"
    if volume and usage & (Usage.RENDERTARGET | Usage.DEPTHSTENCIL):
        return False
    if usage & Usage.DYNAMIC and not surface and runtime.dynamic_textures:
        rest &= ~int(Usage.DYNAMIC)
    if usage & Usage.AUTOGENMIPMAP and not surface and not volume:
        rest &= ~int(Usage.AUTOGENMIPMAP)
    for flag, use in _QUERY_USES.items():
        if usage & flag and (not surface or use == "b"):
            uses += use
            rest &= ~int(flag)
    return not rest and all(runtime.supports(value, use) for use in uses)


def judge_check_format(arguments: CheckDeviceFormat, state: DeviceState, runtime: Runtime = DEFAULT) -> Verdict:
    """Return what CheckDeviceFormat answers."""
    if arguments.AdapterFormat == Format.UNKNOWN:
        change = {"AdapterFormat": "D3DFMT_X8R8G8B8"}
        return refused([fault("check.adapter", "use D3DFMT_X8R8G8B8 for the adapter", change)])
    if arguments.RType not in _TYPE_USES:
        return refused([fault("check.buffer", "ask about a texture or surface", {"RType": "D3DRTYPE_TEXTURE"})])
    if not format_available(arguments, runtime):
        return refused([fault("check.answer", "ask for another format or usage", hr=NOTAVAILABLE)])
    autogen = runtime.autogen_mipmaps and runtime.supports(int(arguments.CheckFormat), "a")
    if arguments.Usage & Usage.AUTOGENMIPMAP and not autogen:
        return granted("check.answer", hr="D3DOK_NOAUTOGEN")
    return granted("check.answer")
