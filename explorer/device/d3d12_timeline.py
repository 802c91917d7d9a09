"""What the GPU of a D3D12 device has finished: queues, fences and the paging queue.

What a submission does shows at the call; here stands only when it is done. A queue works through its items in order:
a submission is done ``FRAMES_IN_FLIGHT`` frames later, or sooner where the CPU waits for it. Paging that
EnqueueMakeResident began ends at a point of simulated time, one call after the other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from explorer.device.cost import FRAMES_IN_FLIGHT

Rows: TypeAlias = Sequence[int] | npt.NDArray[np.int64]
"""Rows of heaps."""

LOST_VALUE = 2**64 - 1
"""What every fence shows when the device is removed. Source: device.fence-lost."""


@dataclass(frozen=True, slots=True)
class Run:
    """A submission on a queue, and the frame in which it was made."""

    number: int
    frame: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A fence that a queue sets (``waits`` false) or waits for."""

    fence: str
    value: int
    waits: bool


@dataclass(frozen=True, slots=True)
class Arrival:
    """Bytes on their way in.

    Attributes:
        done_ns: When they are there.
        fence: The fence that is set then.
        value: Its value.
        heaps: Rows of the heaps.
    """

    done_ns: int
    fence: str
    value: int
    heaps: tuple[int, ...]


@dataclass(slots=True)
class Queue:
    """A command queue.

    Attributes:
        node: The node it works for.
        items: What is not done, oldest first.
        waited: Fence → highest value that it was told to wait for.
    """

    node: int
    items: deque[Run | Mark] = field(default_factory=deque[Run | Mark])
    waited: dict[str, int] = field(default_factory=dict[str, int])

    def copy(self) -> Queue:
        """Return an independent copy."""
        return replace(self, items=deque(self.items), waited=dict(self.waited))


@dataclass(slots=True)
class Timeline:
    """Everything on its way.

    Attributes:
        fences: Fence → value that it has reached.
        queues: Name → queue.
        paging: Bytes on their way in, in the order of the calls.
        submitted: Number of the next submission.
        running: Submissions that are not done.
        heaps: Submission on its way → rows of the heaps that it uses; a set once one was looked for.
        since: Heap row → first submission that may mean it: its row was another heap's, or its bytes were away.
        paged_ns: Time that the paging of the present call takes; None outside of such a call.
    """

    fences: dict[str, int] = field(default_factory=dict[str, int])
    queues: dict[str, Queue] = field(default_factory=dict[str, Queue])
    paging: list[Arrival] = field(default_factory=list[Arrival])
    submitted: int = 0
    running: set[int] = field(default_factory=set[int])
    heaps: dict[int, Rows | frozenset[int]] = field(default_factory=dict[int, Rows | frozenset[int]])
    since: dict[int, int] = field(default_factory=dict[int, int])
    paged_ns: int | None = None

    def begin(self, queue: str, node: int, frame: int, heaps: Rows) -> int:
        """Put a submission on a queue and return its number; ``heaps`` is kept and must not change."""
        number = self.submitted
        self.submitted += 1
        self.running.add(number)
        self.queue(queue, node).items.append(Run(number, frame))
        self.heaps[number] = heaps
        return number

    def queue(self, name: str, node: int = 0) -> Queue:
        """Return a queue; those that no call created are there from their first use on."""
        found = self.queues.get(name)
        if found is None:
            found = self.queues[name] = Queue(node)
        return found

    def uses(self, heap: int) -> int | None:
        """Return the last submission on its way that uses a heap, or None."""
        for number in sorted(self.running, reverse=True):
            if number < self.since.get(heap, 0):
                break
            rows = self.heaps[number]
            if not isinstance(rows, frozenset):
                rows = self.heaps[number] = frozenset(map(int, rows))
            if heap in rows:
                return number
        return None

    def arriving(self, heap: int) -> Arrival | None:
        """Return the paging that a heap waits for, or None."""
        return next((one for one in self.paging if heap in one.heaps), None)

    def forget(self, heap: int) -> None:
        """Forget a heap that was evicted or destroyed; a fence is set all the same."""
        if self.running:
            self.since[heap] = self.submitted
        if self.paging:
            self.paging = [replace(one, heaps=tuple(row for row in one.heaps if row != heap)) for one in self.paging]

    def advance(self, frame: int, now_ns: int) -> None:
        """Set what is reached by now and take off what is done."""
        while self.paging and self.paging[0].done_ns <= now_ns:
            arrival = self.paging.pop(0)
            if arrival.fence in self.fences:
                self.fences[arrival.fence] = arrival.value
        moved = True
        while moved:
            moved = any(self._advance(queue, frame) for queue in self.queues.values())
        if self.since and not self.running:
            self.since.clear()

    def done(self, number: int) -> None:
        """Note that a submission is done."""
        self.running.discard(number)
        self.heaps.pop(number, None)

    def page(self, now_ns: int, took_ns: int, fence: str, value: int, heaps: tuple[int, ...]) -> Arrival:
        """Put bytes on the paging queue; it begins when the one before is done."""
        start = max(now_ns, self.paging[-1].done_ns) if self.paging else now_ns
        arrival = Arrival(start + took_ns, fence, value, heaps)
        self.paging.append(arrival)
        return arrival

    def finish(self, fence: str, value: int) -> bool:
        """Let the GPU come to a value; False where nothing on its way sets it."""
        return self._finish(fence, value, set())

    def finish_submission(self, number: int) -> bool:
        """Let the GPU finish a submission; False where it waits for what never comes."""
        for queue in self.queues.values():
            for item in queue.items:
                if isinstance(item, Run) and item.number == number:
                    return self._drain(queue, item, set())
        return True

    def lose(self) -> None:
        """Forget everything on its way: the device is removed."""
        self.fences = dict.fromkeys(self.fences, LOST_VALUE)
        self.paging.clear()
        self.running.clear()
        self.heaps.clear()
        self.since.clear()
        for queue in self.queues.values():
            queue.items.clear()

    def copy(self) -> Timeline:
        """Return an independent copy."""
        return replace(
            self,
            fences=dict(self.fences),
            queues={name: queue.copy() for name, queue in self.queues.items()},
            paging=list(self.paging),
            running=set(self.running),
            heaps=dict(self.heaps),
            since=dict(self.since),
        )

    def _advance(self, queue: Queue, frame: int) -> bool:
        moved = False
        while queue.items:
            item = queue.items[0]
            if isinstance(item, Run):
                if item.frame + FRAMES_IN_FLIGHT > frame:
                    break
            elif item.waits and self.fences.get(item.fence, LOST_VALUE) < item.value:
                break
            self._pass(queue)
            moved = True
        return moved

    def _pass(self, queue: Queue) -> None:
        item = queue.items.popleft()
        if isinstance(item, Run):
            self.done(item.number)
        elif not item.waits and item.fence in self.fences:
            self.fences[item.fence] = item.value

    def _finish(self, fence: str, value: int, visited: set[tuple[str, int]]) -> bool:
        if self.fences.get(fence, LOST_VALUE) >= value:
            return True
        if (fence, value) in visited:
            return False
        visited.add((fence, value))
        for queue in self.queues.values():
            for item in queue.items:
                if isinstance(item, Mark) and not item.waits and item.fence == fence and item.value >= value:
                    if self._drain(queue, item, visited):
                        return True
                    break
        return False

    def _drain(self, queue: Queue, last: Run | Mark, visited: set[tuple[str, int]]) -> bool:
        while queue.items:
            item = queue.items[0]
            if isinstance(item, Mark) and item.waits and not self._finish(item.fence, item.value, visited):
                return False
            # The wait may have come round to this very queue.
            if queue.items and queue.items[0] is item:
                self._pass(queue)
            if item is last:
                return True
        return True
