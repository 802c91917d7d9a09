"""Allocators over a range of bytes; the tuple is written by hand, everything else reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from explorer.errors import CommandError, InputError
from explorer.memory.allocators.bins import OffsetBinsAllocator
from explorer.memory.allocators.buddy import BuddyAllocator
from explorer.memory.allocators.fits import BestFitAllocator, FirstFitAllocator, WorstFitAllocator
from explorer.memory.allocators.linear import LinearAllocator
from explorer.memory.allocators.protocol import (
    Allocator,
    AllocatorReport,
    Block,
    Gain,
    Operations,
    Placement,
    Refusal,
    ReplayResult,
)
from explorer.memory.allocators.tlsf import TlsfAllocator

__all__ = [
    "ALLOCATORS", "Allocator", "AllocatorEntry", "AllocatorReport", "Block", "Gain", "Operations", "Placement",
    "Refusal", "ReplayResult", "allocator_by_id", "make_allocator",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class AllocatorEntry:
    """An allocator on offer.

    Attributes:
        id: Id as on the command line.
        title: Name for menus.
        what: One clause: how it chooses.
        make: Makes one for a range of bytes; takes the options of its class.
    """

    id: str
    title: str
    what: str
    make: Callable[..., Allocator]


ALLOCATORS: tuple[AllocatorEntry, ...] = (
    AllocatorEntry("tlsf", "TLSF", "size classes in two levels, as VMA and D3D12MA lay out", TlsfAllocator),
    AllocatorEntry("best-fit", "Best fit", "the smallest hole that fits", BestFitAllocator),
    AllocatorEntry("first-fit", "First fit", "the lowest hole that fits", FirstFitAllocator),
    AllocatorEntry("worst-fit", "Worst fit", "the largest hole", WorstFitAllocator),
    AllocatorEntry("buddy", "Buddy", "halves of powers of two", BuddyAllocator),
    AllocatorEntry("linear", "Linear", "behind the newest block, around as a ring", LinearAllocator),
    AllocatorEntry("offset-bins", "Offset bins", "floating-point size bins, as OffsetAllocator", OffsetBinsAllocator),
)


def allocator_by_id(allocator_id: str) -> AllocatorEntry:
    """Return the entry of an allocator; CommandError when the id is unknown."""
    for entry in ALLOCATORS:
        if entry.id == allocator_id:
            return entry
    accepted = tuple(entry.id for entry in ALLOCATORS)
    raise CommandError("no such allocator", where="allocator", found=allocator_id, accepted=accepted)


def make_allocator(allocator_id: str, size: int, **options: object) -> Allocator:
    """Return a new allocator over ``size`` bytes.

    Args:
        allocator_id: Id as on the command line.
        size: Bytes of the range, 1 … 2^61.
        options: Options of the allocator's class.

    Raises:
        CommandError: Unknown id.
        InputError: Size, option or value not accepted.
    """
    entry = allocator_by_id(allocator_id)
    try:
        return entry.make(size, **options)
    except TypeError as error:
        raise InputError(f"option not accepted by {allocator_id}", where="options", found=str(error)) from error
