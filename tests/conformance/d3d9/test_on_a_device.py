"""Vectors of creations, locks and copies hold on a device too: every question to the rules is put to one by calls.

``check`` answers these kinds by the rules alone. Here each judgement that an answer rests on is replaced by a fresh
device on which the objects are created, locked where the record says so, and used; the answers must stay the same.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from explorer.core import d3d9 as api
from explorer.core.calls import CallRecord
from explorer.core.verdicts import Verdict
from explorer.device import make_device
from explorer.device.d3d9_rig import creation_of
from explorer.device.memory_state import MemoryState
from explorer.rules import (
    d3d9_question,
    d3d9_records_copies,
    d3d9_records_create,
    d3d9_records_locks,
)
from explorer.rules.check import check
from explorer.rules.d3d9 import BufferState, CopyState, Resource, Surface, TextureCopyState, judge
from explorer.rules.d3d9_phrases import NotUnderstoodError
from explorer.rules.records import CheckOptions
from explorer.tables.adapters import adapter
from tests.conformance.d3d9.data import vectors

if TYPE_CHECKING:
    from explorer.device.d3d9 import D3D9Device
    from explorer.rules.d3d9 import Runtime

KINDS = (
    "block_locks", "color_fill", "create_buffer_d3d9", "create_buffer_d3d9ex", "create_surface_d3d9",
    "create_surface_d3d9ex", "create_volume_d3d9", "create_volume_d3d9ex", "dxt_block_sizes",
    "get_render_target_data", "lock_regions", "mip_levels", "non_power_of_two", "pitch_and_layout",
    "shared_and_user_memory", "stretch_rect", "update_texture_shapes", "update_texture_volume", "vb_lock_flags",
    "vertex_buffer_alignment", "volume_locking",
)  # fmt: skip
MODULES = (d3d9_question, d3d9_records_copies, d3d9_records_create, d3d9_records_locks)
BLOCK = 4
SOURCES = ("object", "pSurface", "pTexture", "pStreamData", "pIndexData", "pSourceSurface", "pSourceTexture")
TARGETS = ("pDestSurface", "pDestinationSurface", "pDestinationTexture")
BINDINGS = ("pNewZStencil", "pRenderTarget")


class UncreatableError(Exception):
    """A record describes an object that no creation call makes."""


class Players:
    """What stands in for the rules, and how often each had to ask them after all."""

    def __init__(self) -> None:
        self.played: Counter[str] = Counter()
        self.ruled: Counter[str] = Counter()

    def create(self, arguments: api.CreateInput, runtime: Runtime) -> Verdict:
        device = fresh(runtime)
        self.played["create"] += 1
        return call(device, type(arguments).__name__, arguments, "Object")

    def judge(self, arguments: Any, state: Any, runtime: Runtime, name: str | None = None) -> Verdict:
        device = fresh(runtime)
        word = name or type(arguments).__name__
        try:
            arguments = with_objects(device, arguments, state)
        except (UncreatableError, NotUnderstoodError):
            self.ruled[word] += 1
            return judge(arguments, state, runtime, name)
        self.played[word] += 1
        return call(device, word, arguments)


def fresh(runtime: Runtime) -> D3D9Device:
    name = "d3d9ex" if runtime.ex else "d3d9"
    device = cast("D3D9Device", make_device(name, MemoryState(adapter("hd4870"), "tlsf"), {}))
    device.runtime = runtime
    return device


def call(device: D3D9Device, name: str, arguments: Any, out: str | None = None) -> Verdict:
    outcome = device.call(CallRecord(device.api, name, {}, out), arguments)
    assert outcome.hr != "NOT_SIMULATED", name
    return Verdict(outcome.hr, outcome.reasons, outcome.values)


def with_objects(device: D3D9Device, arguments: Any, state: Any) -> Any:
    """Create what a state describes and return the arguments with the names of it."""
    fields = type(arguments).__dataclass_fields__
    changes: dict[str, str | None] = {}
    ends: dict[str, Any] = {}
    if isinstance(state, CopyState | TextureCopyState):
        copies = isinstance(arguments, api.GetRenderTargetData)
        ends = {"Source": (state.source, (*SOURCES, "pRenderTarget") if copies else SOURCES),
                "Target": (state.destination, TARGETS)}  # fmt: skip
    else:
        ends = {"Object": (state, (*SOURCES, *BINDINGS))}
    for name, (end, keys) in ends.items():
        made = None if end is None else make(device, end, name)
        changes.update({key: made for key in keys if key in fields})
    return replace(arguments, **changes)


def make(device: D3D9Device, state: Resource | Surface | BufferState, name: str) -> str:
    resource = state if isinstance(state, Resource) else state.resource
    if resource.kind == "back_buffer":
        flags = api.PresentFlags.LOCKABLE_BACKBUFFER if device.runtime.lockable_back_buffer else api.NO_PRESENT_FLAGS
        parameters = api.PresentParameters(resource.width, resource.height, Flags=flags)
        creator = "CreateDeviceEx" if device.runtime.ex else "CreateDevice"
        made = call(device, creator, api.CreateDevice(parameters), "Device")
        if made.succeeded:
            call(device, "GetBackBuffer", api.GetBackBuffer(), name)
    elif resource.kind == "texture" and resource.width < BLOCK and resource.info and resource.info.kind == "block":
        # No texture is that small, but a level of one is.
        down = (BLOCK // resource.width).bit_length() - 1
        whole = replace(resource, width=BLOCK, height=BLOCK, levels=down + 1)
        call(device, "CreateTexture", creation_of(whole), "Whole")
        made = call(device, "GetSurfaceLevel", api.GetSurfaceLevel("Whole", down), name)
    else:
        made = call(device, type(creation_of(resource)).__name__, creation_of(resource), name)
    if not made.succeeded:
        raise UncreatableError(made.hr)
    if isinstance(state, Surface) and state.locked:
        locker = (
            api.LockBox(name, state.level) if resource.kind == "volume_texture" else api.LockRect(name, state.level)
        )
        if not call(device, type(locker).__name__, locker).succeeded:
            raise UncreatableError("a lock")
    return name


@pytest.fixture
def players(monkeypatch: pytest.MonkeyPatch) -> Players:
    """Put devices in the place of the rules."""
    found = Players()
    for module in MODULES:
        for name, player in (("judge", found.judge), ("judge_create", found.create)):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, player)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_that_the_vectors_of_a_kind_hold_on_a_device(kind: str, players: Players) -> None:
    answers = [check(record, CheckOptions()) for record in vectors(kind)]
    wrong = [
        (a.source.id, a.verdict, a.comparison.differs, a.answer.why)
        for a in answers
        if a.verdict not in ("agree", "no_expect")
    ]
    assert not wrong
    # How levels follow each other ("LockRect per level") is told in words.
    asked = [a for a in answers if " per " not in a.source.record.call and a.verdict == "agree"]
    assert sum(players.played.values()) >= len(asked) > 0
    assert not players.ruled, "objects that a device cannot create"
