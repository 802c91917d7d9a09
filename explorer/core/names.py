"""Long lists of names as columns: what a call names, without a text looked up for each reference of each frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping

NOBODY, RESOURCE, HEAP, OTHER = range(4)
"""What a name stands for now."""

_KINDS = {"resource": RESOURCE, "heap": HEAP}
_MOST_CHANGES = 1 << 16


class Objects(dict[str, tuple[str, int]]):
    """Name → kind and row of what lives, and a list of the names that came or went.

    Attributes:
        changes: Names that came or went, in order, since ``epoch`` was raised.
        epoch: Raised whenever ``changes`` begins anew.
    """

    def __init__(self, objects: Mapping[str, tuple[str, int]] | None = None) -> None:
        super().__init__(objects or {})
        self.changes: list[str] = []
        self.epoch = 0

    def __setitem__(self, name: str, value: tuple[str, int]) -> None:
        self._note(name)
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self._note(name)
        super().__delitem__(name)

    def pop(self, name: str, *default: Any) -> Any:
        """Take a name out."""
        self._note(name)
        return super().pop(name, *default)

    def _note(self, name: str) -> None:
        if len(self.changes) >= _MOST_CHANGES:
            self.changes = []
            self.epoch += 1
        self.changes.append(name)


class NameRows:
    """Names of a group, and what each of them stands for: looked up once, then kept up with the changes.

    Args:
        names: The names, each once.

    Attributes:
        names: The same.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._index: dict[str, int] | None = None
        self._kind = np.zeros(len(self.names), np.uint8)
        self._row = np.full(len(self.names), -1, np.int64)
        self._alive: npt.NDArray[np.int64] | None = None
        self._of: Objects | None = None
        self._seen = (-1, 0)

    def look(self, objects: Objects) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """Return what each name stands for (``NOBODY`` …) and its row or −1; shape (names,), not to be kept."""
        if self._of is not objects or self._seen[0] != objects.epoch:
            self._of, self._alive = objects, None
            for at, name in enumerate(self.names):
                self._set(at, objects.get(name))
        else:
            self._follow(objects)
        self._seen = objects.epoch, len(objects.changes)
        return self._kind, self._row

    def alive(self, objects: Objects) -> npt.NDArray[np.int64]:
        """Return the indices of the names that live, rising."""
        kind, _ = self.look(objects)
        if self._alive is None:
            self._alive = np.flatnonzero(kind)
        return self._alive

    def _follow(self, objects: Objects) -> None:
        changed = objects.changes[self._seen[1] :]
        if not changed:
            return
        if self._index is None:
            self._index = {name: at for at, name in enumerate(self.names)}
        for name in changed:
            at = self._index.get(name)
            if at is not None:
                self._alive = None
                self._set(at, objects.get(name))

    def _set(self, at: int, found: tuple[str, int] | None) -> None:
        self._kind[at] = NOBODY if found is None else _KINDS.get(found[0], OTHER)
        self._row[at] = -1 if found is None else found[1]


class NameRuns(Sequence[str]):
    """Names picked out of groups: a sequence of texts that is made of numbers.

    Args:
        parts: Groups, and the indices of the names picked from each; int64, shape (n,).
    """

    __slots__ = ("_length", "parts")

    def __init__(self, parts: Sequence[tuple[NameRows, npt.NDArray[np.int64]]] = ()) -> None:
        self.parts = tuple((rows, picks) for rows, picks in parts if len(picks))
        self._length = sum(len(picks) for _, picks in self.parts)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return tuple(self)[index]
        at = index + self._length if index < 0 else index
        for rows, picks in self.parts:
            if 0 <= at < len(picks):
                return rows.names[int(picks[at])]
            at -= len(picks)
        raise IndexError(index)

    def __iter__(self) -> Iterator[str]:
        for rows, picks in self.parts:
            yield from map(rows.names.__getitem__, picks.tolist())

    def living(self, objects: Objects) -> NameRuns:
        """Return the names that live."""
        return NameRuns([(rows, picks[rows.look(objects)[0][picks] > NOBODY]) for rows, picks in self.parts])

    def look(self, objects: Objects) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """Return what the names stand for and their rows, in order; shape (names,)."""
        found = [(kind[picks], row[picks]) for (kind, row), picks in
                 ((rows.look(objects), picks) for rows, picks in self.parts)]  # fmt: skip
        if not found:
            return np.zeros(0, np.uint8), np.zeros(0, np.int64)
        return np.concatenate([kind for kind, _ in found]), np.concatenate([row for _, row in found])


def first_of_each(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the values without repetitions, in the order of their first occurrence (values >= 0)."""
    if not len(values):
        return values
    places = np.empty(int(values.max()) + 1, np.int64)
    order = np.arange(len(values))
    # Written backwards, so that the first occurrence is what stays.
    places[values[::-1]] = order[::-1]
    return values[places[values] == order]


def last_of_each(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the values without repetitions, in the order of their last occurrence (values >= 0)."""
    return first_of_each(values[::-1])[::-1]
