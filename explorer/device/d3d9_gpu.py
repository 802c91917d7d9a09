"""The GPU behind a D3D9 device: which blocks it still has to use, and what it has done."""

from __future__ import annotations

from explorer.device import cost


class GpuWork:
    """Numbers the work handed to the GPU, which does it in order.

    Attributes:
        submitted: How much work it was handed so far.
        completed: How much of it is done.
    """

    def __init__(self) -> None:
        self.submitted = 0
        self.completed = 0
        self._last: dict[int, int] = {}
        self._fences: tuple[int, ...] = ()

    @property
    def is_pending(self) -> bool:
        """Whether something is left to do."""
        return self.submitted > self.completed

    def is_busy(self, block: int) -> bool:
        """Return whether a block is still to be used."""
        return self._last.get(block, 0) > self.completed

    def last_work(self, block: int) -> int:
        """Return the number of the last work that uses a block, 0 for none."""
        return self._last.get(block, 0)

    def hand_over(self, *blocks: int) -> None:
        """Note that one piece of work uses blocks."""
        self.submitted += 1
        for block in blocks:
            self._last[block] = self.submitted

    def forget(self, block: int) -> None:
        """Note that nothing has to be done with a block any more."""
        self._last.pop(block, None)

    def drain(self, block: int) -> None:
        """Note that the work with a block was waited for, and so all that came before."""
        self.completed = max(self.completed, self._last.get(block, 0))

    def end_frame(self) -> None:
        """Note that a frame ends: what was handed over ``FRAMES_IN_FLIGHT`` frames ago is done."""
        self._fences = (*self._fences, self.submitted)[-cost.FRAMES_IN_FLIGHT :]
        if len(self._fences) == cost.FRAMES_IN_FLIGHT:
            self.completed = max(self.completed, self._fences[0])

    def copy(self) -> GpuWork:
        """Return an independent copy."""
        other = GpuWork()
        other.submitted, other.completed, other._fences = self.submitted, self.completed, self._fences
        other._last = dict(self._last)
        return other
