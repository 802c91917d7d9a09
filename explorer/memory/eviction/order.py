"""What every eviction policy offers a simulated device: one victim at a time, in the policy's order.

An order knows the resident objects only by id, size and priority. It decides who leaves; how much has to leave, and
whether a hole is large enough, is the residency manager's business. All state is integers in plain containers, so an
order can be copied for a checkpoint and gives the same answers on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

NOBODY: frozenset[int] = frozenset()
"""The default for ``pinned``: nothing is held in place."""


@runtime_checkable
class EvictionOrder(Protocol):
    """The order in which resident objects leave under one policy.

    Ids are any integers >= 0. Touches come in the order of time: a later call is a later use.
    """

    @property
    def policy(self) -> str:
        """Id of the policy, as in ``EVICTION_POLICIES``."""
        ...

    @property
    def resident_bytes(self) -> int:
        """Sum of the sizes in the order."""
        ...

    @property
    def is_thrashing(self) -> bool:
        """True while LRU→MRU evicts most-recently-used first; always False elsewhere."""
        ...

    def __len__(self) -> int: ...

    def __contains__(self, object_id: object) -> bool: ...

    def __iter__(self) -> Iterator[int]:
        """Yield all resident ids, in an order that depends on the calls alone."""
        ...

    def set_capacity(self, capacity_bytes: int | None) -> None:
        """State the bytes the objects share (S3-FIFO and ARC size their queues by it).

        None: the largest ``resident_bytes`` seen so far.
        """
        ...

    def begin_frame(self, frame: int) -> None:
        """Say that a frame begins (D3D9: BeginScene)."""
        ...

    def end_frame(self) -> None:
        """Say that the frame ends (D3D9: EndScene); until the next one nothing counts as used in it."""
        ...

    def insert(self, object_id: int, size: int, priority: int = 0) -> None:
        """Take in an object that just became resident; its creation counts as its latest use.

        Raises:
            LayoutError: The id is resident already, or the size is negative.
        """
        ...

    def touch(self, object_id: int, frame: int, time: int = 0) -> None:
        """Say that a resident object is used.

        Args:
            object_id: A resident id.
            frame: Number of the frame; another one than before begins that frame.
            time: Simulated time in ns, kept for who asks ``last_use``; the order of calls decides, not this.

        Raises:
            LayoutError: The id is not resident.
        """
        ...

    def last_use(self, object_id: int) -> tuple[int, int]:
        """Return ``(frame, time)`` of the latest use; ``(-1, 0)`` for one that was never touched."""
        ...

    def priority_of(self, object_id: int) -> int:
        """Return the priority of a resident object."""
        ...

    def set_priority(self, object_id: int, priority: int) -> None:
        """Change the priority of a resident object; ``lru-mru`` and ``priority-lru`` obey it."""
        ...

    def victims(
        self, bytes_needed: int | None, pinned: Container[int] = NOBODY, *, incoming: int | None = None
    ) -> Iterator[int]:
        """Yield who should leave, one by one, until their sizes add up to the bytes that are needed.

        To advance the iterator **is the decision**: hands move, reference bits clear, LRU→MRU may switch. A yielded id
        stays resident until ``evict`` or ``remove`` takes it out, and is not yielded twice by one iterator. Between two
        steps the caller may take out ids that were yielded, and do nothing else with the order.

        Args:
            bytes_needed: Bytes that must leave; <= 0 yields nobody; None goes on until nobody is left (contiguous
                segments, where only the caller knows when the hole is large enough).
            pinned: Ids that must stay; only ``in`` is asked.
            incoming: The id that needs the room, where it is known: ARC and S3-FIFO look whether they have seen it.

        Yields:
            Ids of resident objects. Ends early when everybody left is pinned.
        """
        ...

    def evict(self, object_id: int) -> None:
        """Take out an object that had to leave; policies with a memory of the evicted remember it."""
        ...

    def remove(self, object_id: int) -> None:
        """Take out an object that is destroyed; nothing remembers it."""
        ...

    def forget(self, object_id: int) -> None:
        """Say that an object which is not resident was destroyed: its ghost, if a policy keeps one, goes too."""
        ...

    def copy(self) -> Self:
        """Return an independent copy with the same future (for checkpoints, and to ask "who would leave?")."""
        ...
