"""The row that describes one eviction policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from explorer.memory.eviction.order import EvictionOrder


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
    """

    id: str
    name: str
    description: str
    source: str
    order: Callable[[int | None], EvictionOrder] | None
