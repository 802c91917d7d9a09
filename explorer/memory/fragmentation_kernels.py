"""The sweep over sorted spans that counts shared bytes once."""

from __future__ import annotations

from typing import Any, TypeAlias

from explorer.memory.kernels import flat_kernel

Column: TypeAlias = Any
"""An int64 array of shape (n,)."""


@flat_kernel
def union_bytes_sorted(starts: Column, ends: Column) -> int:
    """Return the bytes under at least one span; ``starts`` ascending."""
    total, reached = 0, -(1 << 62)
    for row in range(len(starts)):
        if ends[row] > reached:
            total += ends[row] - max(starts[row], reached)
            reached = ends[row]
    return total
