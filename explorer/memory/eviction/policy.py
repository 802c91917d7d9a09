"""The row that describes one eviction policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from explorer.memory.eviction.order import EvictionOrder
from explorer.memory.eviction.stream import ReferenceStream

Counts = tuple[int, int, int]
"""Misses, fetched bytes, evictions."""


@dataclass(frozen=True, slots=True)
class EvictionPolicy:
    """One eviction policy.

    Attributes:
        id: As on the command line.
        name: As on screen.
        description: One sentence that says who leaves.
        source: Where the policy was described first, or who uses it.
        order: Makes an empty order for a device, given the capacity in bytes (or None); None where the policy needs
            to know the future.
        plain: Runs a stream under a budget in bytes, in plain Python: the oracle, and the path before kernels are
            compiled.
        compiled: Does the same with a compiled kernel; imports numba when called.
    """

    id: str
    name: str
    description: str
    source: str
    order: Callable[[int | None], EvictionOrder] | None
    plain: Callable[[ReferenceStream, int], Counts]
    compiled: Callable[[ReferenceStream, int], Counts]
