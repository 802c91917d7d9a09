"""The tables of a layout as numpy columns: what devices and importers fill and views read.

A table is a frozen dataclass of equally long arrays. ``freeze`` makes them read-only; nothing writes to a frozen one.
Index columns point into the other tables of the same picture; −1 means none.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import numpy.typing as npt

from explorer.core.calls import CallRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Bools = npt.NDArray[np.bool_]
Bytes8 = npt.NDArray[np.uint8]
Int16 = npt.NDArray[np.int16]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


NO_HEAP = -1
"""Heap of a tile without memory."""

HEAP_GONE = -2
"""Heap of a tile whose heap was destroyed while it was mapped."""


class Table:
    """Length and freezing of a table of columns: the base of all tables."""

    __slots__ = ()

    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """Return the numpy columns by name."""
        fields = dataclasses.fields(cast("Any", self))
        found: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields}
        return {name: cast("npt.NDArray[Any]", value) for name, value in found.items() if isinstance(value, np.ndarray)}

    def __len__(self) -> int:
        return len(next(iter(self.arrays().values())))

    def freeze(self) -> Self:
        """Make every column read-only and return the table."""
        for array in self.arrays().values():
            array.flags.writeable = False
        return self


@dataclass(frozen=True, slots=True, eq=False)
class HeapColumns(Table):
    """Heaps: explicit ones, and the implicit one of each committed resource.

    Attributes:
        names: One each.
        segment: Index of the segment where its bytes are now.
        home: Index of the segment where it belongs (differs from ``segment`` while it is evicted or demoted).
        address: First byte in the segment's address range; −1 where unknown.
        size: Bytes.
        kind: ``HeapKind``.
        flags: D3D12_HEAP_FLAGS.
        alignment: Bytes.
        committed: True for the implicit heap of one committed (dedicated) resource.
        resident: True while the GPU can use it.
        resident_count: MakeResident calls less Evict calls.
        priority: Residency priority.
        created_frame: Frame of creation.
        used_frame: Frame of the last use, −1 never.
    """

    names: tuple[str, ...]
    segment: Int16
    home: Int16
    address: Int64
    size: Int64
    kind: Bytes8
    flags: Int64
    alignment: Int64
    committed: Bools
    resident: Bools
    resident_count: Int32
    priority: Int64
    created_frame: Int32
    used_frame: Int32


@dataclass(frozen=True, slots=True, eq=False)
class BlockColumns(Table):
    """Live ranges: one for each resource in memory, two for a managed resource with both copies.

    Attributes:
        segment: Index of the segment that holds the bytes now.
        heap: Index of the heap, −1 where it lies directly in the segment.
        offset: First byte, from the start of the heap, or of the segment where ``heap`` is −1; −1 where unknown.
        size: Bytes under the resource.
        asked: Bytes asked for, <= ``size``.
        alignment: Bytes.
        kind: ``ResourceKind``.
        state: ``BlockState`` bits.
        resource: Index of the resource, −1 where an import names none.
        created_frame: Frame in which the block was made.
        used_frame: Frame of the last use, −1 never.
    """

    segment: Int16
    heap: Int32
    offset: Int64
    size: Int64
    asked: Int64
    alignment: Int64
    kind: Bytes8
    state: Bytes8
    resource: Int32
    created_frame: Int32
    used_frame: Int32


@dataclass(frozen=True, slots=True, eq=False)
class WasteColumns(Table):
    """Ranges that are held although nothing lives in them.

    Attributes:
        segment: Index of the segment.
        heap: Index of the heap, −1 where it lies directly in the segment.
        offset: As in ``BlockColumns``.
        size: Bytes.
        cause: ``WasteCause``.
    """

    segment: Int16
    heap: Int32
    offset: Int64
    size: Int64
    cause: Bytes8


@dataclass(frozen=True, slots=True, eq=False)
class TileColumns(Table):
    """Tile mappings of reserved resources: runs of tiles that one call mapped alike, by resource and first tile.

    A tile that no call ever named is in no row and has no memory.

    Attributes:
        resource: Index of the reserved resource.
        first: First tile, counted over the whole resource (``StartTileIndexInOverallResource`` and on).
        count: Tiles, > 0.
        heap: Index of the heap, ``NO_HEAP`` where a call took the memory away, ``HEAP_GONE`` where the heap is gone.
        tile: Tile of the heap behind the first tile, in tiles of 64 KiB; 0 without memory.
        step: Heap tiles from one tile to the next: 1, or 0 where one heap tile stands behind all of them.
        frame: Frame of the call.
        event: Number of the event that says so.
    """

    resource: Int32
    first: Int32
    count: Int32
    heap: Int32
    tile: Int32
    step: Bytes8
    frame: Int32
    event: Int64


@dataclass(frozen=True, slots=True, eq=False)
class ResourceColumns(Table):
    """Resources, in memory or not.

    Attributes:
        names: One each.
        records: The call that made each; None for imported ones.
        kind: ``ResourceKind``.
        dimension: Index into ``dimensions``.
        format: Index into ``formats``.
        place: Index into ``places``.
        width: Texels or bytes.
        height: Texels.
        depth: Depth or array size.
        mips: Mip levels.
        size: Bytes that the memory must hold for it.
        asked: Bytes that its texels or elements take.
        resident: True while the GPU can use it.
        priority: Residency priority of the API.
        created_frame: Frame of creation.
        used_frame: Frame of the last use, −1 never.
        dimensions: Words such as ``TEXTURE2D``, ``BUFFER``.
        formats: Words such as ``BC7_UNORM``, empty for none.
        places: The pool, usage or heap type in the API's words.
    """

    names: tuple[str, ...]
    records: tuple[CallRecord | None, ...]
    kind: Bytes8
    dimension: Int16
    format: Int16
    place: Int16
    width: Int64
    height: Int32
    depth: Int32
    mips: Int16
    size: Int64
    asked: Int64
    resident: Bools
    priority: Int64
    created_frame: Int32
    used_frame: Int32
    dimensions: tuple[str, ...]
    formats: tuple[str, ...]
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class DescriptorHeapPicture:
    """A descriptor heap (read-only columns, one row for each slot).

    Attributes:
        name: Name.
        heap_type: ``CBV_SRV_UAV``, ``SAMPLER``, ``RTV`` or ``DSV``.
        shader_visible: Whether tables can reference it.
        increment: Bytes from one handle to the next.
        cpu_start: CPU handle of slot 0.
        gpu_start: GPU handle of slot 0; 0 where not shader visible.
        kind: uint8, 0 empty, else the ``ResourceKind`` + 1 of the viewed resource, 255 a null descriptor.
        view: uint8, 0 none, 1 CBV, 2 SRV, 3 UAV, 4 RTV, 5 DSV, 6 SAMPLER.
        stale: bool, the viewed resource is gone.
        resource: int32, index of the viewed resource, −1 none.
    """

    name: str
    heap_type: str
    shader_visible: bool
    increment: int
    cpu_start: int
    gpu_start: int
    kind: Bytes8
    view: Bytes8
    stale: Bools
    resource: Int32


_DTYPES: Mapping[str, type[np.generic]] = {
    "Bools": np.bool_,
    "Bytes8": np.uint8,
    "Int16": np.int16,
    "Int32": np.int32,
    "Int64": np.int64,
}


def column_dtypes(table: type[Table]) -> Mapping[str, type[np.generic]]:
    """Return column name → numpy type of a table class, in order."""
    fields = dataclasses.fields(cast("Any", table))
    return {field.name: _DTYPES[str(field.type)] for field in fields if str(field.type) in _DTYPES}


def make_columns(table: type[Table], length: int, columns: Mapping[str, Sequence[int] | npt.NDArray[Any]]) -> Any:
    """Return read-only numpy columns for a table class as keyword arguments.

    Columns that are not given are 0 (False).

    Args:
        table: One of the table classes of this module.
        length: Rows.
        columns: Name → values.
    """
    made: dict[str, npt.NDArray[Any]] = {}
    for name, dtype in column_dtypes(table).items():
        values = columns.get(name)
        array = np.zeros(length, dtype) if values is None else np.asarray(values, dtype)
        array.flags.writeable = False
        made[name] = array
    return made


NO_TILES = TileColumns(**make_columns(TileColumns, 0, {}))
"""Nothing is mapped: a layout without reserved resources."""
