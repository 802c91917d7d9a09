"""The cost model: every formula of estimated time, in integer ns, each with its source or marked as a modelling choice.

Devices call the functions; ``FORMULAE`` says the same in words, for the window's rule browser. A test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from explorer.core.kinds import ResourceKind

if TYPE_CHECKING:
    import numpy.typing as npt

NS = 1_000_000_000
_WITHIN_64_BITS = 9_000_000_000


class SegmentFacts(Protocol):
    """What a formula needs to know of a memory segment."""

    @property
    def group(self) -> str:
        """Its segment group."""
        ...

    @property
    def bandwidth(self) -> int:
        """Bytes a second that the GPU reads from it; 0 unknown."""
        ...


# What the GPU touches ------------------------------------------------------------------------------------------

DRAW_SHARE = {
    ResourceKind.TEXTURE: (1, 4),
    ResourceKind.RENDER_TARGET: (1, 1),
    ResourceKind.DEPTH_STENCIL: (1, 1),
}
"""Share of a resource that one reference touches, as a fraction. Modelling choice: a texture is sampled at the mips
that fit the screen, about a quarter of its bytes; targets and buffers are touched whole."""

LOCKABLE_TARGET = (5, 4)
"""How much longer the GPU takes for a target that can be locked, as a fraction. Modelling choice: its layout must stay
one that the CPU can read, without what drivers do to clear and compress; that it costs is d3d9.R6.2 and seed 004."""

FRAMES_IN_FLIGHT = 2
"""Frames that the GPU may still work on: the present one and the one before. Modelling choice."""


def touch_ns(kind: int, size: int, bandwidth: int) -> int:
    """Return the GPU time to touch a resource once: bytes touched ÷ bandwidth of the segment (``cost.touch``)."""
    if bandwidth <= 0:
        return 0
    share, of = DRAW_SHARE.get(ResourceKind(kind), (1, 1))
    return size * share * NS // (of * bandwidth)


def touch_sum_ns(
    kinds: npt.NDArray[np.integer[Any]], sizes: npt.NDArray[np.int64], bandwidths: npt.NDArray[np.int64]
) -> int:
    """Return the sum of ``touch_ns`` over columns of one length."""
    shares = np.array([DRAW_SHARE.get(kind, (1, 1)) for kind in ResourceKind], np.int64)[kinds]
    rates = shares[:, 1] * bandwidths
    asked = sizes * shares[:, 0]
    # Ten digits more must stay within signed 64 bit; what is larger is rare.
    small = (asked < _WITHIN_64_BITS) & (bandwidths > 0)
    total = int((asked[small] * NS // rates[small]).sum())
    large = np.flatnonzero(asked >= _WITHIN_64_BITS).tolist()
    return total + sum(touch_ns(int(kinds[at]), int(sizes[at]), int(bandwidths[at])) for at in large)


def lockable_ns(touched: int) -> int:
    """Return the GPU time for a target that can be locked, from that of one that cannot (``cost.lockable``)."""
    more, of = LOCKABLE_TARGET
    return touched * more // of


def transfer_ns(size: int, rate: int) -> int:
    """Return the time to move bytes: bytes moved ÷ rate of the bus or of the segment (``cost.transfer``)."""
    return size * NS // rate if rate > 0 else 0


def side_ns(size: int, segment: SegmentFacts, bus: int) -> tuple[int, int]:
    """Return GPU and transfer time of one side of a copy (``cost.transfer``).

    Args:
        size: Bytes that are read or written there.
        segment: Where they lie.
        bus: Bytes a second of the bus in the direction of the copy.
    """
    if segment.group == "LOCAL":
        return transfer_ns(size, segment.bandwidth), 0
    return 0, transfer_ns(size, bus)


# What the CPU does ---------------------------------------------------------------------------------------------

CPU_CALL_NS = 2_000
"""CPU time of one draw or submission. Modelling choice, in the order of a D3D9 draw call (Wloka, "Batch, Batch,
Batch", GDC 2003: about 10^5 small batches a second on a processor of that time are a full load)."""

CPU_RATES = {
    ("WB", False): 8_000_000_000,
    ("WB", True): 8_000_000_000,
    ("WC", False): 4_000_000_000,
    ("WC", True): 100_000_000,
}
"""Bytes a second that the CPU writes (False) or reads (True), by page property. Modelling choice: writes that fill
write-combine buffers in order run at about half the cached rate; uncached reads go one bus access at a time
(d3d9 rules R6.3, R6.4; d3d11 rules M4.9)."""

LINE_BYTES = 64
"""A line of the CPU's cache and of its write-combine buffers. Source: processors since the Pentium 4."""

ELEMENT_BYTES = 16
"""What one scattered access touches. Modelling choice: a position or a colour with its neighbours."""

RANDOM_CACHED = 2
"""How much longer scattered access to cached memory takes than access in order. Modelling choice."""

RANDOM_COMBINED = 2 * LINE_BYTES // ELEMENT_BYTES
"""The same for writes to write-combined memory: a line filled in part is read and written as a whole (d3d9.R6.4)."""

APPEND_SHARE = 16
"""Appends with NO_OVERWRITE that fill a ring: one touches this part of it. Modelling choice."""

EXPANSION = 4
"""Vertices that come of one when the CPU does the work: a point becomes a square. Modelling choice."""

UNCACHED_REREAD = 4
"""How often the GPU fetches the same bytes where no cache serves it. Modelling choice."""


def cpu_ns(size: int, caching: str, *, reads: bool) -> int:
    """Return the time for the CPU to go through mapped bytes once, in order (``cost.cpu``).

    Args:
        size: Bytes.
        caching: ``WC`` or ``WB``.
        reads: Reads, else writes.
    """
    return size * NS // CPU_RATES.get((caching, reads), CPU_RATES["WB", reads])


def access_ns(size: int, caching: str, access: str) -> int:
    """Return the time for the CPU to use locked bytes (``cost.cpu``, ``cost.order``).

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
        return cpu_ns(size, caching, reads=reads)
    return cpu_ns(size, caching, reads=reads) * random_factor(caching, reads=reads)


def random_factor(caching: str, *, reads: bool) -> int:
    """Return how much longer scattered access takes than access in order (``cost.order``)."""
    if caching == "WB":
        return RANDOM_CACHED
    # A read of uncached memory is one access on the bus, in whatever order.
    return 1 if reads else RANDOM_COMBINED


def software_vertices_ns(size: int, bus: int) -> tuple[int, int]:
    """Return CPU and transfer time of vertices that the CPU processes: read, expand, write, and send.

    The host copy that hardware support saves is why it is at least twice as fast (d3d9.R3.2, seed 001;
    ``cost.vertices``).
    """
    expanded = size * EXPANSION
    cpu = cpu_ns(size, "WB", reads=True) + cpu_ns(expanded, "WC", reads=False)
    return cpu, transfer_ns(expanded, bus)


def in_place_ns(size: int, reads: int, rate: int, *, cached: bool) -> int:
    """Return the GPU time to read bytes where the CPU wrote them (``cost.in-place``).

    Args:
        size: Bytes.
        reads: How often the GPU reads them in a frame.
        rate: Bytes a second on the way to them.
        cached: A cache that CPU and GPU share serves the later reads.
    """
    again = 1 if cached else UNCACHED_REREAD
    return (1 + (reads - 1) * again if reads else 0) * transfer_ns(size, rate)


# Waiting -------------------------------------------------------------------------------------------------------

FLUSH_NS = 200_000
"""Time to submit what is queued before the CPU can wait for it. Modelling choice."""

PAGE_FILE_BYTES_PER_S = 60_000_000
"""Rate of a page file on a disk of the D3D9 era. Modelling choice; adapters may state their own rate."""


def wait_ns(size: int, bandwidth: int) -> int:
    """Return the time that the CPU waits for the GPU to be done with a block (``cost.wait``)."""
    return transfer_ns(size, bandwidth) + FLUSH_NS


def freeze_ns(excess: int, to_gpu: int, from_gpu: int) -> int:
    """Return how long an application is frozen that needs more than its budget (``cost.freeze``).

    Args:
        excess: Bytes above the budget: they leave and come back.
        to_gpu: Bytes a second of the bus towards the GPU.
        from_gpu: Bytes a second of the bus the other way.
    """
    return transfer_ns(excess, from_gpu) + transfer_ns(excess, to_gpu)


# In words ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in words.

    Attributes:
        id: Like the id of a rule, ``cost.…``.
        part: The part of the frame time that it counts to: ``GPU``, ``transfer``, ``CPU``, ``stall``, or ``frame``.
        text: One or two sentences with its numbers.
        source: Citation, or ``modelling choice`` and why.
    """

    id: str
    part: str
    text: str
    source: str


def _rate(caching: str, *, reads: bool) -> str:
    return f"{CPU_RATES[caching, reads] / NS:g} GB/s"


_DESIGN = "DESIGN 5.5"
_CHOICE = "modelling choice"
_TEXTURE_SHARE = DRAW_SHARE[ResourceKind.TEXTURE]
_MORE, _OF = LOCKABLE_TARGET

FORMULAE: tuple[Formula, ...] = (
    Formula(
        "cost.frame",
        "frame",
        "A frame takes GPU time + transfer time + CPU time + stalls. Nothing overlaps, so it is an upper bound; every "
        "time is an estimate.",
        f"{_DESIGN} for the four parts; that they follow each other is a {_CHOICE}",
    ),
    Formula(
        "cost.touch",
        "GPU",
        "Bytes touched ÷ bandwidth of the segment that they lie in. Targets and buffers are touched whole, a texture "
        f"at {_TEXTURE_SHARE[0]}/{_TEXTURE_SHARE[1]} of its bytes: the mips that fit the screen.",
        f"{_DESIGN}; the share is a {_CHOICE}",
    ),
    Formula(
        "cost.lockable",
        "GPU",
        f"A target that can be locked takes {_MORE}/{_OF} of the time: its layout must stay one that the CPU can read.",
        f"seed 004, d3d9.R6.2; the factor is a {_CHOICE}",
    ),
    Formula(
        "cost.in-place",
        "GPU",
        "Bytes that the CPU wrote are read where they are: bytes ÷ rate for the first read, and "
        f"{UNCACHED_REREAD} times that for each later one unless CPU and GPU share a cache.",
        _CHOICE,
    ),
    Formula(
        "cost.transfer",
        "transfer",
        "Bytes moved ÷ rate of the bus in that direction. A copy reads one segment and writes another: what is local "
        "counts as GPU time, what crosses the bus as transfer.",
        _DESIGN,
    ),
    Formula(
        "cost.cpu",
        "CPU",
        f"Bytes ÷ rate of the page property: cached {_rate('WB', reads=False)}; write-combined "
        f"{_rate('WC', reads=False)} written in order, {_rate('WC', reads=True)} read.",
        f"{_CHOICE} after d3d9.R6.3 and d3d11.M4.9",
    ),
    Formula(
        "cost.order",
        "CPU",
        f"Scattered access takes {RANDOM_CACHED} times as long in cached memory, scattered writes to write-combined "
        f"memory {RANDOM_COMBINED} times: for each {ELEMENT_BYTES} B a line of {LINE_BYTES} B is read and written.",
        f"d3d9.R6.4; the factors are a {_CHOICE}",
    ),
    Formula("cost.append", "CPU", f"A Map with NO_OVERWRITE writes 1/{APPEND_SHARE} of the ring.", _CHOICE),
    Formula(
        "cost.call",
        "CPU",
        f"A draw, a submission or a lock takes {CPU_CALL_NS / 1000:g} µs of the CPU.",
        f"{_CHOICE}, in the order of a D3D9 draw: Wloka, Batch, Batch, Batch, GDC 2003",
    ),
    Formula(
        "cost.vertices",
        "CPU",
        f"Vertices that the CPU processes are read, written {EXPANSION} times as large and sent over the bus for each "
        "draw.",
        f"d3d9.R3.2, seed 001; the factor is a {_CHOICE}",
    ),
    Formula(
        "cost.wait",
        "stall",
        f"Waiting for the GPU: the block's bytes ÷ bandwidth of its segment, and {FLUSH_NS / 1000:g} µs to submit what "
        f"is queued. The GPU is at most {FRAMES_IN_FLIGHT} frames behind.",
        _CHOICE,
    ),
    Formula(
        "cost.freeze",
        "stall",
        "More than the budget in one frame: the excess leaves over the bus and comes back.",
        f"kernel.freeze for the freeze; its length is a {_CHOICE}",
    ),
    Formula(
        "cost.page-file",
        "stall",
        "Bytes ÷ rate of the page file: the adapter's own, or "
        f"{PAGE_FILE_BYTES_PER_S // 1_000_000} MB/s where it states none.",
        f"{_CHOICE}: a disk of the D3D9 era",
    ),
)
"""Every formula, by the part of the frame time that it counts to."""


def formula(rule: str) -> Formula | None:
    """Return a formula by its id; None for an id that there is not."""
    return next((one for one in FORMULAE if one.id == rule), None)
