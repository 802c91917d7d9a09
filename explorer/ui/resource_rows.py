"""The table of resources as numpy columns: what its cells say, sorting, filtering. No Qt, no object for each row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer.core.kinds import BlockState, ResourceKind
from explorer.core.units import MAX_BYTES, format_address, format_bytes, format_exact, parse_size
from explorer.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from explorer.sim.snapshot import Snapshot

Order = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table.

    Attributes:
        id: Its name.
        title: What its header says.
        kind: ``text``, ``word`` (one of a few), ``bytes``, ``number`` or ``address``.
        width: First width in logical pixels.
        hint: Placeholder of its filter.
    """

    id: str
    title: str
    kind: str
    width: int
    hint: str


COLUMNS: tuple[Column, ...] = (
    Column("name", "Name", "text", 190, "contains"),
    Column("kind", "Kind", "word", 132, "contains"),
    Column("format", "Format", "word", 150, "contains"),
    Column("segment", "Segment", "word", 104, "contains"),
    Column("heap", "Heap", "text", 116, "contains"),
    Column("offset", "Offset", "address", 120, "range"),
    Column("size", "Size", "bytes", 84, "2 – 16 MiB"),
    Column("rounding", "Rounding", "bytes", 84, "any"),
    Column("alignment", "Alignment", "number", 80, "any"),
    Column("place", "Pool, usage, heap type", "word", 150, "contains"),
    Column("residency", "Residency", "word", 90, "contains"),
    Column("priority", "Priority", "number", 84, "any"),
    Column("used", "Last use", "number", 76, "since"),
)
VOLATILE = frozenset({"residency", "used", "priority"})
"""Columns whose values change although nothing was created, released or moved."""

KIND_WORDS: Mapping[int, str] = {
    ResourceKind.TEXTURE: "texture",
    ResourceKind.RENDER_TARGET: "render target",
    ResourceKind.DEPTH_STENCIL: "depth-stencil",
    ResourceKind.BUFFER: "buffer",
    ResourceKind.UPLOAD: "upload, dynamic",
    ResourceKind.READBACK: "readback, staging",
    ResourceKind.DESCRIPTOR_HEAP: "descriptor heap",
    ResourceKind.ACCELERATION: "acceleration str.",
    ResourceKind.OTHER: "other",
}
RESIDENCY_WORDS = ("evicted", "resident")
_RANGE = re.compile(r"^\s*(.*?)\s*(?:–|\.\.\.?|…|\bto\b|\s-\s)\s*(.*?)\s*$")


class ResourceRows:
    """A snapshot's resources as columns.

    Args:
        snapshot: The snapshot.
        before: The rows of the snapshot before it; what did not change is taken from there.
    """

    def __init__(self, snapshot: Snapshot, before: ResourceRows | None = None) -> None:
        self.snapshot = snapshot
        self._arrays: dict[str, npt.NDArray[np.int64]] = {}
        self._block: npt.NDArray[np.int32] | None = None
        self._name_rank: npt.NDArray[np.int64] | None = None
        self._lowered: list[str] | None = None
        if before is not None and before.snapshot.resources.names is snapshot.resources.names:
            self._name_rank, self._lowered = before._name_rank, before._lowered

    def __len__(self) -> int:
        return len(self.snapshot.resources.names)

    def block_of(self) -> npt.NDArray[np.int32]:
        """Return the block of each resource, shape (n,), int32, −1 none; of two copies the device's."""
        if self._block is None:
            blocks = self.snapshot.blocks
            found = np.full(len(self), -1, np.int32)
            named = np.flatnonzero(blocks.resource >= 0)
            device = (blocks.state[named] & BlockState.MASTER_COPY) == 0
            for part in (named[~device], named[device]):
                found[blocks.resource[part]] = part
            self._block = found
        return self._block

    def values(self, column: str) -> npt.NDArray[np.int64]:
        """Return a column as integers to sort and filter by, shape (n,), int64.

        Texts give ranks or indices of words; an unknown offset is −1.
        """
        if column not in self._arrays:
            self._arrays[column] = self._make(column)
        return self._arrays[column]

    def _make(self, column: str) -> npt.NDArray[np.int64]:
        table = self.snapshot.resources
        match column:
            case "name":
                return self._ranks()
            case "size":
                found = table.size
            case "rounding":
                found = table.size - table.asked
            case "residency":
                found = table.resident
            case "priority":
                found = table.priority
            case "used":
                found = table.used_frame
            case "kind" | "format" | "place":
                # Words in their own order, so that sorting reads like sorting texts.
                rank = np.argsort(np.argsort(np.array(self.words(column), dtype=object)))
                return rank[self._word_index(column)].astype(np.int64)
            case _:
                return self._of_block(column)
        return found.astype(np.int64)

    def _of_block(self, column: str) -> npt.NDArray[np.int64]:
        blocks, block = self.snapshot.blocks, self.block_of()
        source = getattr(blocks, column)
        found = np.full(len(self), -1, np.int64)
        placed = block >= 0
        found[placed] = source[block[placed]]
        return found

    def _ranks(self) -> npt.NDArray[np.int64]:
        if self._name_rank is None:
            names = self.snapshot.resources.names
            try:
                keys = np.array(names, dtype=np.bytes_)
            except UnicodeEncodeError:
                # UTF-8 sorts as code points do.
                keys = np.array([name.encode() for name in names], dtype=np.bytes_)
            order = np.argsort(keys, kind="stable") if len(names) else np.zeros(0, np.int64)
            rank = np.empty(len(names), np.int64)
            rank[order] = np.arange(len(names))
            self._name_rank = rank
        return self._name_rank

    def words(self, column: str) -> Sequence[str]:
        """Return the words of a ``word`` column (and of ``heap``), by index."""
        snapshot = self.snapshot
        match column:
            case "kind":
                return [KIND_WORDS[kind] for kind in range(len(KIND_WORDS))]
            case "format":
                return [word or "none" for word in snapshot.resources.formats]
            case "place":
                return [word or "none" for word in snapshot.resources.places]
            case "segment":
                return segment_words(snapshot)
            case "heap":
                return snapshot.heaps.names
            case _:
                return RESIDENCY_WORDS

    def _word_index(self, column: str) -> npt.NDArray[np.int64]:
        table = self.snapshot.resources
        if column in ("kind", "format", "place"):
            return getattr(table, column).astype(np.int64)
        return self.values(column)

    def order(self, rows: Order, column: str, *, descending: bool) -> Order:
        """Return ``rows`` sorted by a column, stable, shape (m,), int64."""
        values = self.values(column)[rows]
        if descending:
            # Stable in both directions: equal rows keep their order.
            return rows[np.argsort(-values, kind="stable")]
        return rows[np.argsort(values, kind="stable")]

    def filter(self, texts: Mapping[str, str], only: npt.NDArray[np.bool_] | None = None) -> Order:
        """Return the rows that pass every filter, in order, shape (m,), int64.

        Args:
            texts: Column id → what its filter says; empty texts pass all.
            only: Mask of rows that pass besides, shape (n,).

        Raises:
            InputError: A filter of a number column is no number, size or range.
        """
        keep = np.ones(len(self), np.bool_) if only is None else only.copy()
        for column in COLUMNS:
            text = texts.get(column.id, "").strip()
            if text:
                keep &= self._passes(column, text)
        return np.flatnonzero(keep).astype(np.int64)

    def _passes(self, column: Column, text: str) -> npt.NDArray[np.bool_]:
        if column.id == "name":
            if self._lowered is None:
                self._lowered = [name.lower() for name in self.snapshot.resources.names]
            wanted = text.lower()
            return np.fromiter((wanted in name for name in self._lowered), np.bool_, len(self))
        if column.kind in ("text", "word"):
            words = self.words(column.id)
            fits = np.array([text.lower() in word.lower() for word in words] + [False], np.bool_)
            if column.id == "heap":
                fits[-1] = text.lower() in "none"
            return fits[self._word_index(column.id)]
        low, high = parse_range(text)
        values = self.values(column.id)
        return (values >= low) & (values <= high)

    def text(self, row: int, column: str, *, exact: bool = False) -> str:
        """Return what a cell says.

        Args:
            row: Index of the resource.
            column: Column id.
            exact: Sizes as exact bytes.
        """
        table = self.snapshot.resources
        match column:
            case "name":
                return table.names[row]
            case "kind" | "format" | "place":
                return self.words(column)[int(getattr(table, column)[row])]
            case "residency":
                return RESIDENCY_WORDS[int(table.resident[row])]
            case "used":
                used = int(table.used_frame[row])
                return f"{used:,}" if used >= 0 else "never"
            case "priority":
                return f"{int(table.priority[row]):,}"
            case "size":
                return show_bytes(int(table.size[row]), exact=exact)
            case "rounding":
                rounding = int(table.size[row]) - int(table.asked[row])
                return show_bytes(rounding, exact=exact) if rounding else "none"
            case _:
                return self._block_text(row, column)

    def _block_text(self, row: int, column: str) -> str:
        block = int(self.block_of()[row])
        if block < 0:
            return "not in memory"
        blocks = self.snapshot.blocks
        value = int(getattr(blocks, column)[block])
        match column:
            case "offset":
                return format_address(value) if value >= 0 else "unknown"
            case "segment":
                return segment_words(self.snapshot)[value]
            case "heap":
                return self.snapshot.heaps.names[value] if value >= 0 else "none"
            case _:
                return f"{value:,}" if value > 0 else "unknown"


def segment_words(snapshot: Snapshot) -> list[str]:
    """Return a short word for each segment: its group where that tells it apart, else its name."""
    groups = [segment.group for segment in snapshot.segments]
    return [group_word(s.group) if s.group and groups.count(s.group) == 1 else s.name for s in snapshot.segments]


def group_word(group: str) -> str:
    """Return a segment group as it is shown; the groups of the API keep their spelling."""
    return "PAGE FILE" if group == "PAGE_FILE" else group


def show_bytes(value: int, *, exact: bool) -> str:
    """Return a size in the user's units."""
    return format_exact(value) if exact else format_bytes(value)


def parse_range(text: str) -> tuple[int, int]:
    """Return the bounds, both inclusive, that a filter says.

    Accepts ``64KiB``, ``>= 2MiB``, ``< 4096``, ``2 – 16 MiB`` (the unit of the end serves both), ``0x100 .. 0x200``,
    ``2 – <16 MiB`` (without the end). A bare number or size means exactly that.

    Raises:
        InputError: Not one of these.
    """
    text = text.strip()
    for sign in (">=", "<=", ">", "<", "="):
        if text.startswith(sign):
            value = parse_size(text[len(sign) :])
            return {
                ">=": (value, MAX_BYTES), ">": (value + 1, MAX_BYTES), "<=": (-1, value), "<": (-1, value - 1),
                "=": (value, value),
            }[sign]  # fmt: skip
    match = _RANGE.match(text)
    if match is None:
        value = parse_size(text)
        return value, value
    low, high = match[1], match[2]
    below = high.startswith("<")
    high = high.removeprefix("<").strip()
    unit = re.search(r"[A-Za-z]+$", high)
    if low and unit and re.fullmatch(r"[0-9.,_]+", low):
        low += unit[0]
    bounds = parse_size(low) if low else 0, parse_size(high) - below if high else MAX_BYTES
    if bounds[0] > bounds[1]:
        raise InputError("the range ends before it begins", found=text, accepted=("2 – 16 MiB", ">= 64KiB"))
    return bounds


@dataclass(frozen=True, slots=True)
class Histogram:
    """Resources in each doubling of size.

    Attributes:
        first: Exponent of the first bin: bin i holds sizes from 2^(first + i) to below 2^(first + i + 1).
        counts: Resources in each bin, shape (bins,), int64.
        bytes: Bytes in each bin, shape (bins,), int64.
    """

    first: int
    counts: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.int64]


def histogram(sizes: npt.NDArray[np.int64], bins: int = 20) -> Histogram:
    """Return how many resources lie in each doubling of size; smaller ones than the first bin count there.

    Args:
        sizes: Bytes, shape (n,).
        bins: Largest number of bins.
    """
    live = sizes[sizes > 0]
    if len(live) == 0:
        return Histogram(0, np.zeros(0, np.int64), np.zeros(0, np.int64))
    exponent = np.frexp(live.astype(np.float64))[1] - 1
    last = int(exponent.max())
    first = max(int(exponent.min()), last - bins + 1)
    index = np.maximum(exponent - first, 0)
    counts = np.bincount(index, minlength=last - first + 1).astype(np.int64)
    total = np.zeros(len(counts), np.int64)
    np.add.at(total, index, live)
    return Histogram(first, counts, total)
