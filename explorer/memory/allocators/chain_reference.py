"""Blocks linked by address and free ones in numbered lists, newest first: the plain base of TLSF and of the bins."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Self

from explorer.errors import LayoutError
from explorer.memory.allocators.core import ReferenceCore

if TYPE_CHECKING:
    from collections.abc import Iterator


class Node:
    """A block of the range, free or live, linked to its neighbours by address."""

    __slots__ = ("after", "before", "kind", "live", "offset", "size")

    def __init__(self, offset: int, size: int) -> None:
        self.offset = offset
        self.size = size
        self.before: Node | None = None
        self.after: Node | None = None
        self.live = False
        self.kind = 0


class ChainReference(ReferenceCore):
    """A chain of blocks that tile ``[0, size)``; free neighbours are always joined.

    Args:
        size: Length of the range (bytes or granules).
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.first = self.last = Node(0, size)
        # A dict keeps the order of insertion and removes in O(1); the newest is the last.
        self.lists: dict[int, dict[Node, None]] = {}
        self.filled = 0
        self.node_at: dict[int, Node] = {}

    @abstractmethod
    def list_of(self, size: int) -> int:
        """Return the number of the list for free blocks of a size."""

    @abstractmethod
    def is_listed(self, node: Node) -> bool:
        """Return whether a node belongs in a list."""

    def _first_filled(self, at_least: int) -> int | None:
        above = self.filled >> at_least
        return None if above == 0 else at_least + (above & -above).bit_length() - 1

    def _list(self, number: int | None) -> Iterator[Node]:
        return reversed([] if number is None else list(self.lists[number]))

    def _insert(self, node: Node) -> None:
        number = self.list_of(node.size)
        self.lists.setdefault(number, {})[node] = None
        self.filled |= 1 << number

    def _remove(self, node: Node) -> None:
        number = self.list_of(node.size)
        entries = self.lists[number]
        del entries[node]
        if not entries:
            self.filled &= ~(1 << number)

    def _split_front(self, node: Node, size: int) -> Node:
        """Cut ``size`` bytes off the front of ``node`` and return them as a node of their own."""
        front = Node(node.offset, size)
        front.before, front.after = node.before, node
        if node.before is None:
            self.first = front
        else:
            node.before.after = front
        node.before = front
        node.offset += size
        node.size -= size
        return front

    def _absorb_front(self, node: Node) -> None:
        """Join the node in front into ``node``."""
        front = node.before
        assert front is not None
        node.offset = front.offset
        node.size += front.size
        node.before = front.before
        if front.before is None:
            self.first = node
        else:
            front.before.after = node

    def nodes(self) -> list[Node]:
        """Return all blocks by address."""
        found: list[Node] = []
        node: Node | None = self.first
        while node is not None:
            found.append(node)
            node = node.after
        return found

    def validate(self) -> None:
        """Raise LayoutError unless blocks tile the range and the lists hold just the free ones."""
        end, free = 0, set[Node]()
        was_free = False
        for node in self.nodes():
            if node.offset != end:
                raise LayoutError("blocks do not tile the range", where="offset", found=node.offset)
            end = node.offset + node.size
            if self.is_listed(node):
                free.add(node)
            if was_free and not node.live and node.size:
                raise LayoutError("free neighbours were not joined", where="offset", found=node.offset)
            was_free = not node.live
        if end != self.size:
            raise LayoutError("blocks do not reach the end of the range", where="offset", found=end)
        listed = {node: number for number, entries in self.lists.items() for node in entries}
        if set(listed) != free or any(self.list_of(node.size) != number for node, number in listed.items()):
            raise LayoutError("the lists do not hold just the free blocks")
        if self.filled != sum(1 << number for number, entries in self.lists.items() if entries):
            raise LayoutError("the bit map contradicts the lists")

    @abstractmethod
    def _empty_twin(self) -> Self: ...

    def copy(self) -> Self:
        """Return an independent copy, lists in the same order."""
        twin = self._empty_twin()
        self._copy_held_to(twin)
        copies: dict[Node, Node] = {}
        last: Node | None = None
        for node in self.nodes():
            fresh = copies[node] = Node(node.offset, node.size)
            fresh.live, fresh.kind, fresh.before = node.live, node.kind, last
            if last is None:
                twin.first = fresh
            else:
                last.after = fresh
            last = fresh
        twin.last = copies[self.last]
        twin.lists = {number: {copies[node]: None for node in entries} for number, entries in self.lists.items()}
        twin.filled = self.filled
        twin.node_at = {offset: copies[node] for offset, node in self.node_at.items()}
        return twin
