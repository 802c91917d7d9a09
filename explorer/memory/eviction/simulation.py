"""Run a reference stream under a policy and a budget, with the kernel or in plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.units import MAX_BYTES
from explorer.errors import InputError

if TYPE_CHECKING:
    from explorer.memory.eviction.policy import EvictionPolicy
    from explorer.memory.eviction.stream import ReferenceStream


@dataclass(frozen=True, slots=True)
class EvictionCounts:
    """What a run of a stream cost.

    Attributes:
        misses: References to objects that were not resident.
        fetched_bytes: Bytes of those objects.
        evictions: Objects that had to leave.
    """

    misses: int
    fetched_bytes: int
    evictions: int


def simulate(
    policy: EvictionPolicy, stream: ReferenceStream, budget_bytes: int, *, use_kernel: bool = True
) -> EvictionCounts:
    """Return what a stream costs under a policy, from an empty memory, with no warm-up.

    An object larger than the budget is a miss and is not admitted. The kernel and the plain path count the same.

    Args:
        policy: A row of ``EVICTION_POLICIES``.
        stream: The references.
        budget_bytes: Bytes of memory, 0 to 2^62.
        use_kernel: False runs in plain Python, for instance before the kernels are compiled.

    Raises:
        InputError: The budget is out of range.
    """
    check_budget(budget_bytes)
    run = policy.compiled if use_kernel else policy.plain
    misses, fetched, evictions = run(stream, budget_bytes)
    return EvictionCounts(int(misses), int(fetched), int(evictions))


def check_budget(budget_bytes: int) -> None:
    """Raise an InputError for a budget that no run can have."""
    # Half of what 64 bits hold: kernels add a size to what is used, and ARC doubles the budget.
    highest = MAX_BYTES // 2
    if not 0 <= budget_bytes <= highest:
        raise InputError("a budget is out of range", where="budget", found=budget_bytes, accepted=(f"0 to {highest}",))
