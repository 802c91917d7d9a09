"""Eviction policies: who leaves memory when something else has to come in."""

from __future__ import annotations

from explorer.errors import CommandError
from explorer.memory.eviction import arc, belady, clock, fifo, lru, lru_mru, mru, priority_lru, s3_fifo, sieve
from explorer.memory.eviction.belady import fetch_bound
from explorer.memory.eviction.order import NOBODY, EvictionOrder
from explorer.memory.eviction.policy import EvictionPolicy
from explorer.memory.eviction.simulation import EvictionCounts, simulate
from explorer.memory.eviction.stream import ReferenceStream, reference_stream

__all__ = [
    "EVICTION_POLICIES",
    "NOBODY",
    "EvictionCounts",
    "EvictionOrder",
    "EvictionPolicy",
    "ReferenceStream",
    "fetch_bound",
    "make_order",
    "policy_by_id",
    "reference_stream",
    "simulate",
]

EVICTION_POLICIES: tuple[EvictionPolicy, ...] = (
    lru.POLICY,
    mru.POLICY,
    lru_mru.POLICY,
    priority_lru.POLICY,
    fifo.POLICY,
    clock.POLICY,
    sieve.POLICY,
    s3_fifo.POLICY,
    arc.POLICY,
    belady.POLICY,
)
"""All policies, in the order of menus and of the command line."""


def policy_by_id(policy_id: str) -> EvictionPolicy:
    """Return the policy with this id.

    Raises:
        CommandError: There is none.
    """
    for policy in EVICTION_POLICIES:
        if policy.id == policy_id:
            return policy
    accepted = tuple(policy.id for policy in EVICTION_POLICIES)
    raise CommandError("unknown eviction policy", where="policy", found=policy_id, accepted=accepted)


def make_order(policy_id: str, capacity_bytes: int | None = None) -> EvictionOrder:
    """Return an empty eviction order for a device.

    Args:
        policy_id: Id of a policy.
        capacity_bytes: Bytes the objects share, for the policies that size queues by it; None: the largest sum seen.

    Raises:
        CommandError: The policy is unknown, or needs to know the future (``belady``).
    """
    policy = policy_by_id(policy_id)
    if policy.order is None:
        accepted = tuple(policy.id for policy in EVICTION_POLICIES if policy.order is not None)
        raise CommandError(
            f"{policy.name} needs to know the future: it runs in the laboratory only",
            where="policy",
            found=policy_id,
            accepted=accepted,
        )
    return policy.order(capacity_bytes)
