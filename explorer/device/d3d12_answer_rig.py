"""A D3D12 device of its own for one conformance record, and a short way to call it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from explorer.core.calls import CallRecord
from explorer.core.verdicts import Reason
from explorer.device import make_device
from explorer.device.memory_state import MemoryState
from explorer.rules.d3d12_record_input import NotSimulatedError
from explorer.tables.adapters import adapter

if TYPE_CHECKING:
    from explorer.device.d3d12 import D3D12Device
    from explorer.device.outcome import Outcome
    from explorer.rules.d3d12_runtime import D3d12Runtime
    from explorer.rules.records import CheckOptions

_DEFAULT_ADAPTER = "rtx5090"
"""A discrete adapter with room for most records; what decides an answer is the record's own device."""
_ROOM = 1 << 46
"""Bytes of every segment of a device with room for every size that a record names."""

Answer = tuple[Mapping[str, object], Sequence[Reason]]


class Rig:
    """A device and a short way to call it.

    Args:
        runtime: What the record says about the device.
        options: The adapter that was chosen, if any.
        has_room: Make every segment large enough for every size that a record names.
        device: Device options.
    """

    def __init__(self, runtime: D3d12Runtime, options: CheckOptions, *, has_room: bool = False, **device: str) -> None:
        chosen = options.adapter if options.adapter is not None else adapter(_DEFAULT_ADAPTER)
        if has_room:
            segments = tuple(dataclasses.replace(one, size_bytes=_ROOM) for one in chosen.segments)
            chosen = dataclasses.replace(chosen, segments=segments)
        self.state = MemoryState(chosen, "tlsf")
        self.device = cast("D3D12Device", make_device("d3d12", self.state, device))
        self.device.runtime = runtime

    def call(self, name: str, inputs: Mapping[str, object], out: str | None = None) -> Outcome:
        """Apply a call.

        Raises:
            NotSimulatedError: The device does not simulate it.
        """
        outcome = self.device.apply(CallRecord("d3d12", name, dict(inputs), out))
        if outcome.hr in ("NOT_SIMULATED", "E_FAIL"):
            raise NotSimulatedError(f"{name}: {outcome.reasons[0].text}")
        return outcome

    def heap(self, name: str, size: int, *flags: str, kind: str = "DEFAULT", holds: str = "BUFFERS") -> None:
        """Create a heap.

        Raises:
            NotSimulatedError: It cannot be created.
        """
        names = [f"ALLOW_ONLY_{holds}", *flags]
        desc = {
            "SizeInBytes": size,
            "Properties": {"Type": f"D3D12_HEAP_TYPE_{kind}"},
            "Flags": [f"D3D12_HEAP_FLAG_{flag}" for flag in names],
        }
        outcome = self.call("CreateHeap", {"pDesc": desc}, name)
        if not outcome.succeeded:
            raise NotSimulatedError(f"{name}: {outcome.reasons[0].text}")

    def row(self, name: str) -> int:
        """Return the row of an object."""
        return self.state.objects[name][1]
