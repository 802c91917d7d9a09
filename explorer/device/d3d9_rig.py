"""A D3D9 device for one conformance record, and the calls that make what a phrase describes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from explorer.core import d3d9 as api
from explorer.core.calls import CallRecord
from explorer.device import make_device
from explorer.device.memory_state import MemoryState
from explorer.rules.d3d9_phrases import NotUnderstoodError, Phrase
from explorer.rules.d3d9_question import Question
from explorer.tables.adapters import adapter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.device.d3d9 import D3D9Device
    from explorer.device.outcome import Outcome
    from explorer.rules.d3d9_resource import Resource
    from explorer.rules.d3d9_runtime import Runtime
    from explorer.rules.records import CheckOptions, VectorRecord

DEFAULT_ADAPTER = "hd4870"
"""Whose memory the default device has: discrete, with room for whatever the records create."""

DEVICE = "Device"


class Rig(Question):
    """A record with a device that plays it.

    Attributes:
        device: The device; its capabilities are those that the record states.
    """

    __slots__ = ("_made", "device")

    def __init__(self, record: VectorRecord, runtime: Runtime, options: CheckOptions) -> None:
        super().__init__(record, runtime)
        chosen = options.adapter
        if chosen is None or not chosen.apis.d3d9:
            chosen = adapter(DEFAULT_ADAPTER)
        self.device = cast("D3D9Device", make_device(record.api, MemoryState(chosen, "tlsf"), {}))
        self.device.runtime = runtime
        self._made = 0

    def call(self, name: str, arguments: object, out: str | None = None) -> Outcome:
        """Make a call and keep its reasons.

        Raises:
            NotUnderstoodError: The device does not simulate it.
        """
        outcome = self.device.call(CallRecord(self.record.api, name, {}, out), arguments)
        if outcome.hr == "NOT_SIMULATED":
            raise NotUnderstoodError(f"{name}: {outcome.reasons[0].text}")
        for item in outcome.reasons:
            if item.rule.startswith("d3d9."):
                self.reasons.setdefault(item.rule, item)
        return outcome

    def quiet(self, name: str, arguments: object, out: str | None = None) -> Outcome:
        """Make a call that prepares the question; its reasons are not the answer's."""
        before = dict(self.reasons)
        outcome = self.call(name, arguments, out)
        self.reasons = before
        return outcome

    def start(self, parameters: api.PresentParameters | None = None) -> None:
        """Create the device with its swap chain."""
        flags = api.CreateFlags.HARDWARE_VERTEXPROCESSING
        if self.runtime.vertex_processing != "hardware":
            flags = api.CreateFlags.MIXED_VERTEXPROCESSING
        name = "CreateDeviceEx" if self.runtime.ex else "CreateDevice"
        arguments = api.CreateDevice(parameters or api.PresentParameters(), flags)
        outcome = self.quiet(name, arguments, DEVICE)
        if not outcome.succeeded:
            raise NotUnderstoodError(f"{name}: {outcome.hr}")
        # The record's own device stays: CreateDevice has set what its flags say.
        self.device.runtime = replace(
            self.runtime, lockable_back_buffer=self.device.runtime.lockable_back_buffer or
            self.runtime.lockable_back_buffer,
        )  # fmt: skip

    def create(self, arguments: api.CreateInput, key: str = "create_hr") -> Resource | None:
        """Answer a creation by the device; return the resource, or None where it is refused."""
        self._made += 1
        name = f"Object {self._made}"
        outcome = self.call(type(arguments).__name__, arguments, name)
        self.put(key, outcome.hr)
        self.values = outcome.values
        if not outcome.succeeded:
            return None
        return self.device.things.of[self.device.state.objects[name][1]].resource

    def make(self, phrase: Phrase, name: str) -> str:
        """Create what a phrase describes and return the name to use: the object's, or that of its part.

        Raises:
            NotUnderstoodError: Such an object cannot be created here.
        """
        resource = phrase.resource
        if resource.kind == "back_buffer":
            return self._part("GetBackBuffer", api.GetBackBuffer(), name)
        arguments = creation_of(resource)
        if not self.quiet(type(arguments).__name__, arguments, name).succeeded:
            raise NotUnderstoodError(f"a {resource.kind} in {api.Pool(resource.pool).constant}")
        if not phrase.part:
            return name
        getters: Mapping[str, tuple[str, Any]] = {
            "texture": ("GetSurfaceLevel", api.GetSurfaceLevel(name, phrase.level)),
            "cube_texture": ("GetCubeMapSurface", api.GetCubeMapSurface(name, Level=phrase.level)),
            "volume_texture": ("GetVolumeLevel", api.GetVolumeLevel(name, phrase.level)),
        }
        if resource.kind not in getters:
            return name
        call, part = getters[resource.kind]
        return self._part(call, part, f"{name}, level {phrase.level}")

    def _part(self, call: str, arguments: object, name: str) -> str:
        if not self.quiet(call, arguments, name).succeeded:
            raise NotUnderstoodError(f"{call} of {name}")
        return name


def creation_of(resource: Resource) -> api.CreateInput:
    """Return the input of the call that creates a resource."""
    r = resource
    usage, pool = api.Usage(r.usage), api.Pool(r.pool)
    handle = "user_memory" if r.user_memory else None
    implied = api.Usage.RENDERTARGET | api.Usage.DEPTHSTENCIL
    if r.kind == "vertex_buffer":
        return api.CreateVertexBuffer(r.width, usage, 0, pool, handle)
    if r.kind == "index_buffer":
        return api.CreateIndexBuffer(r.width, usage, r.format, pool, handle)
    if r.kind == "texture":
        return api.CreateTexture(r.width, r.height, r.levels, usage, r.format, pool, handle)
    if r.kind == "cube_texture":
        return api.CreateCubeTexture(r.width, r.levels, usage, r.format, pool, handle)
    if r.kind == "volume_texture":
        return api.CreateVolumeTexture(r.width, r.height, r.depth, r.levels, usage, r.format, pool, handle)
    if usage & ~implied:
        raise NotUnderstoodError(f"usage of a {r.kind}")
    samples = api.MultisampleType(r.multisample)
    if r.kind == "render_target":
        return api.CreateRenderTarget(r.width, r.height, r.format, samples, Lockable=r.lockable)
    if r.kind == "depth_stencil_surface":
        return api.CreateDepthStencilSurface(r.width, r.height, r.format, samples, Discard=r.discard)
    return api.CreateOffscreenPlainSurface(r.width, r.height, r.format, pool, handle)
