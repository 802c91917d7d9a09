"""The cost model: estimated times in integer ns, every formula with its source or marked as a modelling choice."""

from __future__ import annotations

from explorer.core.kinds import ResourceKind

NS = 1_000_000_000

DRAW_SHARE = {
    ResourceKind.TEXTURE: (1, 4),
    ResourceKind.RENDER_TARGET: (1, 1),
    ResourceKind.DEPTH_STENCIL: (1, 1),
}
"""Share of a resource that one reference touches, as a fraction. Modelling choice: a texture is sampled at the mips
that fit the screen, about a quarter of its bytes; targets and buffers are touched whole."""

CPU_CALL_NS = 2_000
"""CPU time of one draw or submission. Modelling choice, in the order of a D3D9 draw call (Wloka, "Batch, Batch,
Batch", GDC 2003: about 10^5 small batches a second on a processor of that time are a full load)."""

PAGE_FILE_BYTES_PER_S = 60_000_000
"""Rate of a page file on a disk of the D3D9 era. Modelling choice; adapters may state their own rate."""


def touch_ns(kind: int, size: int, bandwidth: int) -> int:
    """Return the GPU time to touch a resource once: bytes touched ÷ bandwidth of the segment (DESIGN 5.5)."""
    if bandwidth <= 0:
        return 0
    share, of = DRAW_SHARE.get(ResourceKind(kind), (1, 1))
    return size * share * NS // (of * bandwidth)


def transfer_ns(size: int, rate: int) -> int:
    """Return the time to move bytes over a bus: bytes moved ÷ rate (DESIGN 5.5)."""
    return size * NS // rate if rate > 0 else 0


FLUSH_NS = 200_000
"""Time to submit what is queued before the CPU can wait for it. Modelling choice."""

CPU_RATES = {
    ("WB", False): 8_000_000_000,
    ("WB", True): 8_000_000_000,
    ("WC", False): 4_000_000_000,
    ("WC", True): 100_000_000,
}
"""Bytes a second that the CPU writes (False) or reads (True), by page property. Modelling choice: writes that fill
write-combine buffers in order run at about half the cached rate; uncached reads go one bus access at a time
(d3d9 rules R6.3, R6.4; d3d11 rules M4.9)."""


def cpu_ns(size: int, caching: str, *, reads: bool) -> int:
    """Return the time for the CPU to go through mapped bytes once, in order (DESIGN 5.5)."""
    return size * NS // CPU_RATES.get((caching, reads), CPU_RATES["WB", reads])
