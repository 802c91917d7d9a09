"""One pass over the columns of a batch, before an allocator applies it."""

from __future__ import annotations

from typing import Any, TypeAlias

from explorer.memory.kernels import flat_kernel

Table: TypeAlias = Any
"""An int64 array; elements count as plain integers here."""


@flat_kernel
def survey(op: Table, slot: Table, size: Table, alignment: Table) -> tuple[bool, int, int, int, int]:
    """Return whether all operations are well formed, the takes, the slots, the largest size and alignment."""
    takes, last_slot, largest, widest = 0, -1, 0, 1
    good = True
    for row in range(len(op)):
        good &= slot[row] >= 0
        last_slot = max(last_slot, slot[row])
        if op[row] == 0:
            bytes_asked, step = size[row], alignment[row]
            good &= bytes_asked > 0 and step > 0 and step & (step - 1) == 0
            takes += 1
            largest = max(largest, bytes_asked)
            widest = max(widest, step)
        else:
            good &= op[row] == 1
    return good, takes, last_slot + 1, largest, widest
