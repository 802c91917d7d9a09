"""The driver's ring that DYNAMIC resources share: short when many of them are renamed or live at a time."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from explorer.core.events import EventKind
from explorer.device import cost
from explorer.device.cost import FRAMES_IN_FLIGHT
from explorer.tables.kernel_rules import kernel_reason

if TYPE_CHECKING:
    from explorer.device.d3d11 import D3D11Device

SHORT_BYTES = 64 << 20
"""Bytes that wait to be freed at which a driver submits. Source: D3D12TranslationLayer (workloads 20)."""
FULL_BYTES = 256 << 20
"""Upload space at which it waits. Source: as ``SHORT_BYTES``."""
RULE = "device.dynamic-ring"


class DynamicRing:
    """What DYNAMIC resources take of the ring.

    Attributes:
        live_bytes: Bytes of the live DYNAMIC resources, one version each.
    """

    def __init__(self) -> None:
        self.live_bytes = 0
        self._renamed: deque[tuple[int, int]] = deque()
        self._renamed_bytes = 0
        self._warned_frame = -1

    def created(self, device: D3D11Device, name: str, size: int) -> None:
        """Count a new resource; many of them are warned of when they pass what the ring holds easily."""
        before, self.live_bytes = self.live_bytes, self.live_bytes + size
        if before <= SHORT_BYTES < self.live_bytes:
            self._warn(device, name, self.live_bytes, "are DYNAMIC")

    def released(self, size: int) -> None:
        """Forget a resource."""
        self.live_bytes -= size

    def renamed(self, device: D3D11Device, name: str, size: int) -> None:
        """Count a version that the GPU still reads; at the end of the ring the driver waits for the GPU."""
        frame = device.state.log.frame
        while self._renamed and self._renamed[0][0] <= frame - FRAMES_IN_FLIGHT:
            self._renamed_bytes -= self._renamed.popleft()[1]
        self._renamed.append((frame, size))
        self._renamed_bytes += size
        if self._renamed_bytes > FULL_BYTES:
            self._wait(device, name)
        elif self._renamed_bytes > SHORT_BYTES and self._warned_frame != frame:
            self._warned_frame = frame
            self._warn(device, name, self._renamed_bytes, "of renamed versions are still read, the driver submits")
            device.spend(cpu=cost.FLUSH_NS)

    def copy(self) -> DynamicRing:
        """Return an independent copy."""
        other = DynamicRing()
        other.live_bytes = self.live_bytes
        other._renamed = deque(self._renamed)
        other._renamed_bytes, other._warned_frame = self._renamed_bytes, self._warned_frame
        return other

    def _warn(self, device: D3D11Device, name: str, size: int, what: str) -> None:
        text = f"{size:,} B {what}: {kernel_reason(RULE).text}"
        device.state.log.add(EventKind.HAZARD, name, size=size, rule=RULE, text=text)

    def _wait(self, device: D3D11Device, name: str) -> None:
        size = self._renamed_bytes
        self._renamed.clear()
        self._renamed_bytes = 0
        device.free_idle_versions()
        text = f"{name}: the ring of {FULL_BYTES:,} B is full, the driver waited for the GPU."
        device.state.log.add(EventKind.STALLED, name, size=size, rule=RULE, text=text)
        device.spend(stall=cost.FLUSH_NS)
