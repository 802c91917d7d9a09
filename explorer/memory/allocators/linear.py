"""The allocator ``linear``: a stack, two stacks, or a ring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from explorer.core.units import align_up
from explorer.errors import InputError
from explorer.memory.allocators.linear_reference import LINEAR_MODES, LinearReference, Region
from explorer.memory.allocators.ranges import RangeAllocator, check_range

if TYPE_CHECKING:
    from explorer.memory.allocators.core import Core, HeldColumns


class _Runs(Protocol):
    def regions(self, kind: int) -> list[Region]: ...

    def bounded(self, region: Region, kind: int) -> Region: ...


class LinearAllocator(RangeAllocator):
    """Blocks one behind the other.

    Args:
        size: Bytes of the range.
        mode: ``ring`` (also serves as a stack), ``stack``, or ``double-stack`` (odd kinds from the upper end).
        granularity: Page that blocks of different kinds never share.
    """

    own_reason = "alloc.locked"

    def __init__(self, size: int, *, mode: str = "ring", granularity: int = 1) -> None:
        check_range(size, granularity)
        if mode not in LINEAR_MODES:
            raise InputError("no such mode", where="mode", found=mode, accepted=LINEAR_MODES)
        self.mode = mode
        core = LinearReference(size, mode, granularity)
        super().__init__("linear", size, core, compile_core=_compile, granularity=granularity)

    @property
    def _runs(self) -> _Runs:
        return cast("_Runs", self._core)

    def _padding(self, live: HeldColumns) -> tuple[int, int, int]:
        """Return bytes held for alignment, granularity and rounding (never any).

        Where a block of another kind lies in front, the bytes up to the next page count as granularity.
        """
        gaps = live.kept - live.size
        kinds = 0
        if self.granularity > 1 and len(gaps):
            page = self.granularity
            front = np.minimum(-live.start & (page - 1), live.offset - live.start)
            differs = np.append(
                False, (live.kind[1:] != live.kind[:-1]) & (live.start[1:] == (live.start + live.kept)[:-1])
            )
            kinds = int(front[differs].sum())
        return int(gaps.sum()) - kinds, kinds, 0

    def _locked(self, live: HeldColumns) -> int:
        regions = self._runs.regions(0)
        return self.size - int(live.kept.sum()) - sum(region.limit - region.start for region in regions)

    def _count(self, live: HeldColumns, size: int, alignment: int, kind: int) -> int:
        stride = align_up(size, alignment)
        count = 0
        for region in self._runs.regions(kind):
            inner = self._runs.bounded(region, kind)
            offset = inner.place(size, alignment)
            if offset is None:
                continue
            room = offset - inner.start if inner.upper else inner.limit - offset - size
            count += room // stride + 1
        return count


def _compile(core: Core) -> Core:
    from explorer.memory.allocators.linear_compiled import LinearCompiled

    assert isinstance(core, LinearReference)
    return LinearCompiled(core)
