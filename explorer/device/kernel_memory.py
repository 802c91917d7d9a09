"""The kernel memory manager (WDDM): where heaps' bytes are, who is demoted, what pages in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from explorer.core.events import EventKind
from explorer.core.kinds import BlockState
from explorer.device import cost, kernel_batch
from explorer.device import kernel_texts as texts
from explorer.memory.allocators.protocol import Refusal
from explorer.memory.eviction import make_order
from explorer.memory.eviction.column_order import COLUMN_POLICIES, ColumnOrder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from explorer.device.device import Device
    from explorer.device.memory_state import MemoryState
    from explorer.memory.eviction import EvictionOrder
    from explorer.memory.segments import SegmentGroup, Taken

_RESIDENT = np.uint8(int(BlockState.RESIDENT))
_MOVED = np.uint8(int(BlockState.MOVED_THIS_FRAME))


class KernelMemory:
    """Moves heaps between segments.

    A heap has a home segment. It is *resident* while its count is above 0 and its bytes are where the GPU can reach
    them: at home, or demoted to NON_LOCAL memory. An evicted heap's bytes are in system memory or in the page file.

    Args:
        state: The device's memory.
        policy: Id of the policy that chooses who is demoted.

    Attributes:
        demotes: Whether groups above their budget are trimmed after a submission; records of libraries leave the
            system out.
    """

    def __init__(self, state: MemoryState, policy: str) -> None:
        self._state = state
        self._order = _order_of(policy)
        self.demotes = True
        self._trim_mark = 0
        self._frozen: set[tuple[int, str]] = set()

    def set_policy(self, policy: str) -> None:
        """Go on with another policy; heaps are taken over in the order of their last use."""
        fresh = _order_of(policy)
        heaps = self._state.heaps
        for row in sorted(self._order, key=lambda r: (int(heaps["used_frame"][r]), r)):
            fresh.insert(row, int(heaps["size"][row]), int(heaps["priority"][row]))
        self._order = fresh

    def commit(self, device: Device, group: str, size: int, alignment: int, node: int) -> tuple[int, Taken] | Refusal:
        """Hold bytes of a group for the heap that is added next; others are demoted when its segments are full."""
        row = self._state.heaps.next_row
        taken = self._state.take(group, size, alignment, node=node, slot=row)
        if isinstance(taken, Refusal):
            return self._make_room(device, group, size, alignment, node, taken, row)
        return taken

    def commit_evicted(self, device: Device, size: int, row: int = -1) -> tuple[int, Taken] | Refusal:
        """Hold bytes outside the GPU's reach: in system memory, or in the page file when that is full.

        Args:
            device: The device.
            size: Bytes.
            row: The heap that they are for; −1: the one that is added next.
        """
        slot = self._state.heaps.next_row if row < 0 else row
        taken = self._state.take("SYSTEM", size, 1, slot=slot)
        while isinstance(taken, Refusal) and self._page_to_file(device):
            taken = self._state.take("SYSTEM", size, 1, slot=slot)
        return self._state.take("PAGE_FILE", size, 1, slot=slot) if isinstance(taken, Refusal) else taken

    def admit(self, row: int) -> None:
        """Count a heap whose bytes have just come to its home segment."""
        heaps = self._state.heaps
        self._order.insert(row, int(heaps["size"][row]), int(heaps["priority"][row]))
        self._state.count_usage(int(heaps["segment"][row]), int(heaps["size"][row]))

    def drop(self, row: int) -> None:
        """Give back the bytes of a heap that is destroyed."""
        heaps = self._state.heaps
        segment = int(heaps["segment"][row])
        if row in self._order:
            self._order.remove(row)
        if heaps["resident"][row]:
            self._state.count_usage(segment, -int(heaps["size"][row]))
        self._state.segments[segment].release_slot(row, int(heaps["address"][row]), int(heaps["size"][row]))

    def use(self, device: Device, rows: Sequence[int] | npt.NDArray[np.int64]) -> int:
        """Use heaps in a submission, in order: who is out comes in, who is demoted comes home if there is room.

        What the submission names stays in memory while room is made for the rest of it. Who finds its own segment full
        of what this frame uses lies beside it, in NON_LOCAL memory (decision 200).

        Args:
            device: The device.
            rows: Heap rows.

        Returns:
            Index of the first one that the application evicted, or that found no memory at all; −1 none.
        """
        if len(rows) >= kernel_batch.FEWEST and self._is_batched():
            return kernel_batch.use(device, cast("ColumnOrder", self._order), np.asarray(rows, np.int64))
        heaps = self._state.heaps
        heaps["used_frame"][rows] = self._state.log.frame
        for index, row in enumerate(rows):
            if not heaps["resident"][row] and (
                not heaps["resident_count"][row] or not self._comes_in(device, int(row))
            ):
                return index
        self.touch(device, rows)
        return -1

    def touch(self, device: Device, rows: Sequence[int] | npt.NDArray[np.int64]) -> None:
        """Use resident heaps in a submission, in order; demoted ones come home if there is room for them."""
        state, heaps, order = self._state, self._state.heaps, self._order
        frame, time_ns = state.log.frame, state.log.time_ns
        heaps["used_frame"][rows] = frame
        for row in map(int, rows):
            if row in order:
                order.touch(row, frame, time_ns)
            else:
                self._come_home(device, row, int(heaps["home"][row]))

    def set_priority(self, row: int, priority: int) -> None:
        """Change a heap's residency priority."""
        self._state.heaps["priority"][row] = priority
        if row in self._order:
            self._order.set_priority(row, priority)

    def page_out(self, device: Device, row: int, rule: str, why: str) -> bool:
        """Evict a heap: its bytes go to system memory; when that is full older ones go on to the page file."""
        state, heaps = self._state, self._state.heaps
        if not heaps["resident"][row]:
            # The system had put it out already: its bytes move no second time.
            return True
        size = int(heaps["size"][row])
        taken = self.commit_evicted(device, size, row)
        if isinstance(taken, Refusal):
            return False
        if row in self._order:
            self._order.evict(row)
        source = state.segments[int(heaps["segment"][row])].name
        state.count_usage(int(heaps["segment"][row]), -size)
        self._move(row, taken, resident=False)
        name = state.heap_names[row]
        target = state.segments[taken[0]].name
        state.log.add(EventKind.EVICTED, name, source, size, rule=rule, text=texts.evicted(name, source, why))
        text = texts.paged_out(name, size, target)
        state.log.add(EventKind.PAGED_OUT, name, target, size, rule="kernel.paging", text=text)
        device.spend(transfer=cost.transfer_ns(size, state.adapter.bus.from_gpu_bytes_per_s))
        return True

    def page_in(self, device: Device, row: int, rule: str, *, may_demote: bool = True) -> Refusal | None:
        """Bring an evicted heap home; the refusal if even demoting others, where that is allowed, makes no room."""
        state, heaps = self._state, self._state.heaps
        size, home = int(heaps["size"][row]), int(heaps["home"][row])
        place = state.segments[home]
        alignment = int(heaps["alignment"][row])
        taken = state.take(place.group, size, alignment, node=place.node, slot=row)
        if isinstance(taken, Refusal) and may_demote:
            taken = self._make_room(device, place.group, size, alignment, place.node, taken, row)
        if isinstance(taken, Refusal):
            return taken
        source = state.segments[int(heaps["segment"][row])]
        if source.group == "PAGE_FILE":
            device.spend(stall=cost.transfer_ns(size, source.bandwidth or cost.PAGE_FILE_BYTES_PER_S))
        self._move(row, taken, resident=True)
        self.admit(row)
        name, where = state.heap_names[row], state.segments[taken[0]].name
        text = texts.paged_in(name, size, source.name, where)
        state.log.add(EventKind.PAGED_IN, name, where, size, rule=rule, text=text)
        device.spend(transfer=cost.transfer_ns(size, state.adapter.bus.to_gpu_bytes_per_s))
        return None

    def trim(self, device: Device) -> None:
        """Take out what was not used in this frame while a group is above its budget (rules 8.6).

        LOCAL memory is demoted, NON_LOCAL memory paged out. When that is not enough the application is frozen.
        """
        if not self.demotes or not any(group.over_budget_bytes for group in self._state.groups.values()):
            return
        if len(self._order) >= kernel_batch.FEWEST and self._is_batched():
            kernel_batch.trim(device, cast("ColumnOrder", self._order), self._frozen)
            return
        for key, group in self._state.groups.items():
            if group.over_budget_bytes:
                self._trim_group(device, group)
                if group.over_budget_bytes and key not in self._frozen:
                    self._frozen.add(key)
                    self._freeze(device, group)

    def end_frame(self) -> None:
        """Close a frame: an application is frozen once in a frame at most."""
        self._frozen.clear()

    def restart_trim(self) -> None:
        """Let the next periodic trim look at references from now on."""
        self._trim_mark = self._state.log.frame

    def periodic_trim(self, device: Device) -> None:
        """Take out what was not referenced since the periodic trim before."""
        mark, self._trim_mark = self._trim_mark, self._state.log.frame
        self._notify(device, "kernel.periodic-trim", f"Periodic trim: what was not used since frame {mark} leaves.")
        heaps = self._state.heaps
        for row in list(self._leaving()):
            if int(heaps["used_frame"][row]) < mark and int(heaps["created_frame"][row]) < mark:
                self._trim_one(device, row, "kernel.periodic-trim", f"because it was not used since frame {mark}")

    def trim_to_budget(self, device: Device, size: int | None) -> None:
        """Take out a number of bytes, what leaves first by the policy; None: what is above the LOCAL budgets."""
        heaps = self._state.heaps
        groups = [group for (_, name), group in self._state.groups.items() if name == "LOCAL"]
        wanted = sum(group.over_budget_bytes for group in groups) if size is None else size
        self._notify(device, "kernel.trim-to-budget", f"Trim to the budget: {wanted:,} B have to leave.")
        for row in list(self._leaving()):
            if wanted <= 0:
                return
            if int(heaps["used_frame"][row]) < self._state.log.frame:
                wanted -= int(heaps["size"][row])
                self._trim_one(device, row, "kernel.trim-to-budget", "because the system asked for bytes")

    def copy(self, state: MemoryState) -> KernelMemory:
        """Return an independent copy over a copied state."""
        other = KernelMemory.__new__(KernelMemory)
        other._state = state
        # A kept copy rests until somebody goes back to it: packed, a long run can hold more of them.
        at_rest = self._state.is_kept and isinstance(self._order, ColumnOrder)
        other._order = (
            cast("EvictionOrder", cast("ColumnOrder", self._order).packed()) if at_rest else self._order.copy()
        )
        other.demotes = self.demotes
        other._trim_mark = self._trim_mark
        other._frozen = set(self._frozen)
        return other

    def _notify(self, device: Device, rule: str, text: str) -> None:
        device.state.log.add(EventKind.NOTIFIED, "trim", rule=rule, text=text)

    def _trim_one(self, device: Device, row: int, rule: str, why: str) -> None:
        state, heaps = self._state, self._state.heaps
        name, size = state.heap_names[row], int(heaps["size"][row])
        where = state.segments[int(heaps["segment"][row])].name
        if self.page_out(device, row, rule, why):
            text = f"{name}: {size:,} B were trimmed from {where} {why}."
            state.log.add(EventKind.TRIMMED, name, where, size, rule=rule, text=text)

    def _freeze(self, device: Device, group: SegmentGroup) -> None:
        """Stop the application for as long as the excess takes to leave and come back.

        Modelling choice: the documents name the freeze and give no time.
        """
        excess, bus = group.over_budget_bytes, self._state.adapter.bus
        stall = cost.freeze_ns(excess, bus.to_gpu_bytes_per_s, bus.from_gpu_bytes_per_s)
        text = texts.frozen(group.group, excess)
        self._state.log.add(EventKind.STALLED, group.group, size=excess, rule="kernel.freeze", text=text)
        device.spend(stall=stall)

    def _page_to_file(self, device: Device) -> bool:
        """Move the longest unused evicted heap from system memory to the page file."""
        state, heaps = self._state, self._state.heaps
        system = state.segments_in("SYSTEM")
        rows = np.flatnonzero(heaps.live & ~heaps["resident"] & np.isin(heaps["segment"], system))
        if not len(rows):
            return False
        row = int(rows[np.lexsort((rows, heaps["used_frame"][rows]))[0]])
        size = int(heaps["size"][row])
        taken = state.take("PAGE_FILE", size, 1, slot=row)
        if isinstance(taken, Refusal):
            return False
        self._move(row, taken, resident=False)
        name, place = state.heap_names[row], state.segments[taken[0]]
        text = texts.went_to_file(name, size, place.name)
        state.log.add(EventKind.PAGED_OUT, name, place.name, size, rule="kernel.page-file", text=text)
        device.spend(stall=cost.transfer_ns(size, place.bandwidth or cost.PAGE_FILE_BYTES_PER_S))
        return True

    def _trim_group(self, device: Device, group: SegmentGroup) -> None:
        heaps = self._state.heaps
        frame = self._state.log.frame
        for row in self._leaving():
            if not group.over_budget_bytes:
                return
            place = self._state.segments[int(heaps["segment"][row])]
            if (place.node, place.group) != (group.node, group.group) or int(heaps["used_frame"][row]) >= frame:
                continue
            # One that is too large to go anywhere keeps smaller ones from nothing.
            self._demote(device, row, texts.OVER_BUDGET)

    def _leaving(self) -> Iterator[int]:
        """Yield who leaves, in order; whoever goes through them may take out what was yielded."""
        # To ask a table changes nothing; other orders decide by being asked.
        return (self._order if isinstance(self._order, ColumnOrder) else self._order.copy()).victims(None)

    def _is_batched(self) -> bool:
        return isinstance(self._order, ColumnOrder) and kernel_batch.suits(self._state, self._order)

    def _comes_in(self, device: Device, row: int) -> bool:
        """Bring an evicted heap home for a submission, else beside its own segment; False where nothing is free."""
        if self.page_in(device, row, "kernel.paging") is None:
            return True
        state, heaps = self._state, self._state.heaps
        size, home = int(heaps["size"][row]), state.segments[int(heaps["home"][row])]
        taken = state.take("NON_LOCAL", size, 1, node=home.node, slot=row) if home.group == "LOCAL" else None
        if taken is None or isinstance(taken, Refusal):
            return False
        source = state.segments[int(heaps["segment"][row])]
        if source.group == "PAGE_FILE":
            device.spend(stall=cost.transfer_ns(size, source.bandwidth or cost.PAGE_FILE_BYTES_PER_S))
        self._move(row, taken, resident=True)
        state.count_usage(taken[0], size)
        name, where = state.heap_names[row], state.segments[taken[0]].name
        text = texts.came_beside(name, size, source.name, where)
        state.log.add(EventKind.PAGED_IN, name, where, size, rule="kernel.over-budget", text=text)
        device.spend(transfer=cost.transfer_ns(size, state.adapter.bus.to_gpu_bytes_per_s))
        return True

    def _make_room(
        self, device: Device, group: str, size: int, alignment: int, node: int, refusal: Refusal, slot: int
    ) -> tuple[int, Taken] | Refusal:
        """Demote heaps of a group until a range is free; those used in this frame stay."""
        state, heaps = self._state, self._state.heaps
        wanted = set(state.segments_in(group, node))
        if not any(state.segments[index].size >= size for index in wanted):
            return refusal
        for row in self._leaving():
            if int(heaps["segment"][row]) not in wanted or int(heaps["used_frame"][row]) >= state.log.frame:
                continue
            if not self._demote(device, row, texts.for_room(size)):
                continue
            taken = state.take(group, size, alignment, node=node, slot=slot)
            if not isinstance(taken, Refusal):
                return taken
            refusal = taken
        return refusal

    def _demote(self, device: Device, row: int, why: str) -> bool:
        """Move a heap from LOCAL to NON_LOCAL memory; where there is none, page it out."""
        state, heaps = self._state, self._state.heaps
        size = int(heaps["size"][row])
        source = state.segments[int(heaps["segment"][row])]
        taken = state.take("NON_LOCAL", size, 1, node=source.node, slot=row) if source.group == "LOCAL" else None
        if taken is None or isinstance(taken, Refusal):
            return self.page_out(device, row, "kernel.over-budget", why)
        self._order.evict(row)
        state.count_usage(int(heaps["segment"][row]), -size)
        self._move(row, taken, resident=True)
        state.count_usage(taken[0], size)
        name, where = state.heap_names[row], state.segments[taken[0]].name
        text = texts.demoted(name, size, source.name, where, why)
        state.log.add(EventKind.DEMOTED, name, where, size, rule="kernel.over-budget", text=text)
        device.spend(transfer=cost.transfer_ns(size, state.adapter.bus.from_gpu_bytes_per_s))
        return True

    def _come_home(self, device: Device, row: int, home: int) -> None:
        state, heaps = self._state, self._state.heaps
        place = state.segments[home]
        size, alignment = int(heaps["size"][row]), int(heaps["alignment"][row])
        group = state.groups.get((place.node, place.group))
        if group is not None and group.budget is not None and group.usage + size > group.budget:
            return
        taken = state.take(place.group, size, alignment, node=place.node, slot=row)
        if isinstance(taken, Refusal):
            return
        state.count_usage(int(heaps["segment"][row]), -size)
        self._move(row, taken, resident=True)
        self.admit(row)
        self._order.touch(row, state.log.frame, state.log.time_ns)
        name, where = state.heap_names[row], state.segments[taken[0]].name
        text = texts.came_back(name, size, where)
        state.log.add(EventKind.PAGED_IN, name, where, size, rule="kernel.over-budget", text=text)
        device.spend(transfer=cost.transfer_ns(size, state.adapter.bus.to_gpu_bytes_per_s))

    def _move(self, row: int, taken: tuple[int, Taken], *, resident: bool) -> None:
        state, heaps, blocks = self._state, self._state.heaps, self._state.blocks
        segment, place = taken
        source = state.segments[int(heaps["segment"][row])]
        source.release_slot(row, int(heaps["address"][row]), int(heaps["size"][row]))
        heaps["segment"][row] = segment
        heaps["address"][row] = place.address
        heaps["rounding"][row] = place.rounding
        heaps["resident"][row] = resident
        inside = state.blocks_of(row)
        blocks["segment"][inside] = segment
        marks = blocks["state"][inside] & ~_RESIDENT
        blocks["state"][inside] = marks | _MOVED | (_RESIDENT if resident else np.uint8(0))
        owners = blocks["resource"][inside]
        state.resources["resident"][owners[owners >= 0]] = resident
        state.generation += 1


def _order_of(policy: str) -> EvictionOrder:
    return ColumnOrder(policy) if policy in COLUMN_POLICIES else make_order(policy)
