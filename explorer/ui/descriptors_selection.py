"""Where a selected resource has descriptor slots, over all heaps, and the way from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QPushButton

if TYPE_CHECKING:
    from collections.abc import Collection

    from explorer.sim.snapshot import Snapshot

_MOST = 1000
"""More selected resources are not looked up in every heap."""


class SelectionSteps(QPushButton):
    """Says how many slots view the selection; hidden without one."""

    def __init__(self) -> None:
        super().__init__("")
        self.setObjectName("selected_slots")
        self.setToolTip("Go to the next slot of the selection (S, back with Shift+S)")
        self.hide()

    def show_selection(self, snapshot: Snapshot | None, chosen: Collection[int]) -> None:
        """Count the slots that view some resources."""
        if snapshot is None or not chosen or len(chosen) > _MOST:
            self.hide()
            return
        counts = [len(found) for found in _slots(snapshot, chosen)]
        heaps, slots = sum(count > 0 for count in counts), sum(counts)
        where = f" in {heaps:,} heaps" if heaps > 1 else ""
        self.setText(f"Selection: {slots:,} slot{'s' * (slots != 1)}{where}")
        self.setEnabled(slots > 0)
        self.show()


def next_place(snapshot: Snapshot, chosen: Collection[int], heap: int, slot: int) -> tuple[int, int] | None:
    """Return heap and slot of the next descriptor of some resources, around the last heap; None where there is none.

    Args:
        snapshot: The snapshot.
        chosen: Resource indices.
        heap: Index of the heap to start from.
        slot: Slot to start behind.
    """
    places = [(at, int(one)) for at, found in enumerate(_slots(snapshot, chosen)) for one in found]
    return next((place for place in places if place > (heap, slot)), places[0] if places else None)


def _slots(snapshot: Snapshot, chosen: Collection[int]) -> list[np.ndarray]:
    wanted = np.fromiter(chosen, np.int32, len(chosen))
    return [np.flatnonzero(np.isin(heap.resource, wanted)) for heap in snapshot.descriptor_heaps]
