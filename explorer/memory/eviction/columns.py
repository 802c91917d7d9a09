"""What the compiled eviction kernels share: the types of their columns, and a stream to compile them with.

Every kernel takes the objects of the references, the bytes of the objects and the capacity in bytes, and returns
misses, fetched bytes and evictions. An object larger than the capacity is a miss and is not admitted; any other evicts
until it fits; there is no warm-up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.uint32]
"""Unsigned, so that compiled code need not ask whether an index counts from the end."""
Sizes = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Counts = tuple[Any, Any, Any]
"""Three integers: Python's from compiled code, numpy's where compiling is switched off."""


def tiny() -> tuple[Ids, Sizes, int]:
    """Return a stream and a capacity for a warm-up; read-only as in a ``ReferenceStream``: that is part of the type."""
    ids = np.array([0, 1, 2, 0, 3, 0, 1], np.uint32)
    sizes = np.array([3, 1, 2, 4], np.int64)
    for column in (ids, sizes):
        column.flags.writeable = False
    return ids, sizes, 5
