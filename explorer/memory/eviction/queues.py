"""A doubly linked queue of ids, and the bookkeeping that all orders share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from explorer.errors import LayoutError

if TYPE_CHECKING:
    from collections.abc import Iterator

END = -1
"""Stands before the oldest and behind the newest id of a queue."""


class LinkedQueue:
    """Ids from oldest to newest; every operation but iteration and copy takes constant time.

    Unlike a dict it can be walked from any member in both directions while others leave, and re-linking a member does
    not grow it.
    """

    __slots__ = ("_after", "_before")

    def __init__(self) -> None:
        self._after: dict[int, int] = {END: END}
        self._before: dict[int, int] = {END: END}

    def __len__(self) -> int:
        return len(self._after) - 1

    def __contains__(self, object_id: object) -> bool:
        return object_id in self._after and object_id != END

    def __iter__(self) -> Iterator[int]:
        """Yield from oldest to newest; the yielded id may be taken out before the next step."""
        object_id = self._after[END]
        while object_id != END:
            following = self._after[object_id]
            yield object_id
            object_id = following

    @property
    def oldest(self) -> int:
        """The first id, or ``END``."""
        return self._after[END]

    @property
    def newest(self) -> int:
        """The last id, or ``END``."""
        return self._before[END]

    def newer(self, object_id: int) -> int:
        """Return the id behind this one, or ``END``."""
        return self._after[object_id]

    def older(self, object_id: int) -> int:
        """Return the id before this one, or ``END``."""
        return self._before[object_id]

    def append(self, object_id: int) -> None:
        """Add an id as the newest."""
        self.put_after(self._before[END], object_id)

    def put_after(self, member: int, object_id: int) -> None:
        """Add an id right behind a member; behind ``END`` is the oldest place."""
        following = self._after[member]
        self._after[member] = object_id
        self._before[object_id] = member
        self._after[object_id] = following
        self._before[following] = object_id

    def take(self, object_id: int) -> None:
        """Take an id out."""
        before = self._before.pop(object_id)
        after = self._after.pop(object_id)
        self._after[before] = after
        self._before[after] = before

    def renew(self, object_id: int) -> None:
        """Make an id the newest."""
        before, after = self._before, self._after
        last = before[END]
        if last == object_id:
            return
        # As ``take`` and ``append``, but its own entries stay in place: this is what every use of a resource costs.
        older, newer = before[object_id], after[object_id]
        after[older] = newer
        before[newer] = older
        after[last] = object_id
        before[object_id] = last
        after[object_id] = END
        before[END] = object_id

    def copy(self) -> LinkedQueue:
        """Return an independent copy."""
        twin = LinkedQueue.__new__(LinkedQueue)
        twin._after = self._after.copy()
        twin._before = self._before.copy()
        return twin


class ResidentSet:
    """Sizes, priorities and latest uses of the resident objects, and the frame that runs: the base of every order."""

    __slots__ = (
        "_capacity_bytes",
        "_frame",
        "_largest_bytes",
        "_last_frame",
        "_last_time",
        "_priority",
        "_resident_bytes",
        "_size",
    )

    policy: str = ""

    def __init__(self, capacity_bytes: int | None = None) -> None:
        self._size: dict[int, int] = {}
        self._priority: dict[int, int] = {}
        self._last_frame: dict[int, int] = {}
        self._last_time: dict[int, int] = {}
        self._frame = -1
        self._resident_bytes = 0
        self._largest_bytes = 0
        self._capacity_bytes = capacity_bytes

    def __len__(self) -> int:
        return len(self._size)

    def __contains__(self, object_id: object) -> bool:
        return object_id in self._size

    def __iter__(self) -> Iterator[int]:
        return iter(self._size)

    @property
    def resident_bytes(self) -> int:
        """Sum of the sizes."""
        return self._resident_bytes

    @property
    def capacity_bytes(self) -> int:
        """The stated capacity, else the largest ``resident_bytes`` seen."""
        return self._largest_bytes if self._capacity_bytes is None else self._capacity_bytes

    @property
    def is_thrashing(self) -> bool:
        """False: only LRU→MRU knows this."""
        return False

    def set_capacity(self, capacity_bytes: int | None) -> None:
        """State the bytes the objects share, or None for the largest sum seen."""
        self._capacity_bytes = capacity_bytes

    def begin_frame(self, frame: int) -> None:
        """Begin a frame."""
        self._frame = frame

    def end_frame(self) -> None:
        """End the frame."""
        self._frame = -1

    def forget(self, object_id: int) -> None:
        """Do nothing: most policies remember only residents."""

    def admits(self, size: int) -> bool:
        """Return whether a laboratory run lets an object of this size in at all."""
        return True

    def keeps(self, object_id: int, size: int) -> bool:
        """Return whether a laboratory run takes the object in, now that there is room."""
        return True

    def last_use(self, object_id: int) -> tuple[int, int]:
        """Return ``(frame, time)`` of the latest use; ``(-1, 0)`` for one that was never touched."""
        self._demand(object_id)
        return self._last_frame.get(object_id, -1), self._last_time.get(object_id, 0)

    def priority_of(self, object_id: int) -> int:
        """Return the priority of a resident object."""
        self._demand(object_id)
        return self._priority.get(object_id, 0)

    def set_priority(self, object_id: int, priority: int) -> None:
        """Change the priority of a resident object."""
        self._demand(object_id)
        if priority:
            self._priority[object_id] = priority
        else:
            self._priority.pop(object_id, None)

    def _demand(self, object_id: int) -> None:
        if object_id not in self._size:
            raise LayoutError(f"object {object_id} is not in the eviction order", where=self.policy)

    def _take_in(self, object_id: int, size: int, priority: int) -> None:
        if object_id < 0 or object_id in self._size:
            problem = "has a negative id" if object_id < 0 else "is in the eviction order already"
            raise LayoutError(f"object {object_id} {problem}", where=self.policy)
        if size < 0:
            raise LayoutError(f"object {object_id} has a negative size", where=self.policy, found=size)
        self._size[object_id] = size
        # Most priorities are 0: left out, a large order is cheaper to copy.
        if priority:
            self._priority[object_id] = priority
        if self._frame >= 0:
            self._last_frame[object_id] = self._frame
        self._resident_bytes += size
        self._largest_bytes = max(self._largest_bytes, self._resident_bytes)

    def _use(self, object_id: int, frame: int, time: int) -> None:
        if object_id not in self._size:
            self._demand(object_id)
        if frame != self._frame:
            self.begin_frame(frame)
        self._last_frame[object_id] = frame
        self._last_time[object_id] = time

    def _let_go(self, object_id: int) -> int:
        self._demand(object_id)
        size = self._size.pop(object_id)
        self._priority.pop(object_id, None)
        self._last_frame.pop(object_id, None)
        self._last_time.pop(object_id, None)
        self._resident_bytes -= size
        return size

    def _twin(self) -> Self:
        twin = type(self).__new__(type(self))
        twin._size = self._size.copy()
        twin._priority = self._priority.copy()
        twin._last_frame = self._last_frame.copy()
        twin._last_time = self._last_time.copy()
        twin._frame = self._frame
        twin._resident_bytes = self._resident_bytes
        twin._largest_bytes = self._largest_bytes
        twin._capacity_bytes = self._capacity_bytes
        return twin
