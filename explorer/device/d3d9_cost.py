"""Estimated times that only D3D9 has; the shared formulae are in ``cost``."""

from __future__ import annotations

from explorer.device import cost

LINE_BYTES = 64
"""A line of the CPU's cache and of its write-combine buffers. Source: processors since the Pentium 4."""

ELEMENT_BYTES = 16
"""What one scattered access touches. Modelling choice: a position or a colour with its neighbours."""

RANDOM_CACHED = 2
"""How much longer scattered access to cached memory takes than access in order. Modelling choice."""

RANDOM_COMBINED = 2 * LINE_BYTES // ELEMENT_BYTES
"""The same for writes to write-combined memory: a line filled in part is read and written as a whole (d3d9.R6.4)."""

LOCKABLE_TARGET = (5, 4)
"""How much longer the GPU takes for a target that can be locked, as a fraction. Modelling choice: its layout must stay
one that the CPU can read, without what drivers do to clear and compress; that it costs is d3d9.R6.2 and seed 004."""

EXPANSION = 4
"""Vertices that come of one when the CPU does the work: a point becomes a square. Modelling choice."""

FRAMES_IN_FLIGHT = 2
"""Frames that the GPU may still work on: the present one and the one before. Modelling choice, as for D3D11."""


def access_ns(size: int, caching: str, access: str) -> int:
    """Return the time for the CPU to use locked bytes.

    Args:
        size: Bytes.
        caching: ``WC`` or ``WB``.
        access: A member of ``core.d3d9.CPU_ACCESS``.

    Source: d3d9.R6.3, d3d9.R6.4 for the order; the factors are modelling choices.
    """
    if access == "none":
        return 0
    reads = access.endswith("read")
    if not access.startswith("random"):
        return cost.cpu_ns(size, caching, reads=reads)
    if caching == "WB":
        return RANDOM_CACHED * cost.cpu_ns(size, caching, reads=reads)
    # A read of uncached memory is one access on the bus, in whatever order.
    return cost.cpu_ns(size, caching, reads=reads) * (1 if reads else RANDOM_COMBINED)


def wait_ns(size: int, bandwidth: int) -> int:
    """Return the time that the CPU waits for the GPU to be done with a block. Modelling choice."""
    return cost.transfer_ns(size, bandwidth) + cost.FLUSH_NS


def software_vertices_ns(size: int, bus: int) -> tuple[int, int]:
    """Return CPU and transfer time of vertices that the CPU processes: read, expand, write, and send.

    The host copy that hardware support saves is why it is at least twice as fast (d3d9.R3.2, seed 001).
    """
    expanded = size * EXPANSION
    cpu = cost.cpu_ns(size, "WB", reads=True) + cost.cpu_ns(expanded, "WC", reads=False)
    return cpu, cost.transfer_ns(expanded, bus)
