"""The steps that all allocator dumps share: from pools and stated sums to an opened file."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec

from explorer.errors import InputError
from explorer.interchange.importers.dump_layout import DumpBlock, DumpLayout, build_snapshot
from explorer.interchange.importers.dump_model import (
    Pool,
    Range,
    first_character,
    optional_part,
    read_part,
    sum_layouts,
)
from explorer.interchange.opened import HeapLayout, Layout, OpenedFile

if TYPE_CHECKING:
    from explorer.core.kinds import HeapKind
    from explorer.interchange.importers.source import Source


def read_pools(source: Source, raw: msgspec.Raw | None, where: str) -> dict[str, Pool]:
    """Return pools by key; one that is no pool at all becomes a warning.

    Raises:
        InputError: A size or an offset in a pool has the wrong type or is out of range.
    """
    if raw is None:
        return {}
    if where == "DefaultPools" and source.pools is not None:
        known, source.pools = source.pools, None
        # They have the attributes of a Pool that any reader of such a dump looks at.
        return cast("dict[str, Pool]", known)
    try:
        # All at once where nothing is wrong: finding each pool first would scan the text a second time.
        return msgspec.json.decode(raw, type=dict[str, Pool])
    except msgspec.ValidationError:
        pass
    pools: dict[str, Pool] = {}
    for key, body in (optional_part(source, raw, dict[str, msgspec.Raw], where) or {}).items():
        path = f"{where}.{key}"
        if first_character(body) != b"{":
            source.warn("unreadable-part", path, "left out: it is no pool")
            continue
        pools[key] = read_part(source, body, Pool, path)
    return pools


def read_pool_lists(source: Source, raw: msgspec.Raw | None, where: str) -> list[tuple[str, int, Pool]]:
    """Return the pools that stand in a list for each key, as (key, index, pool)."""
    found: list[tuple[str, int, Pool]] = []
    for key, body in (optional_part(source, raw, dict[str, msgspec.Raw], where) or {}).items():
        for index, one in enumerate(optional_part(source, body, list[msgspec.Raw], f"{where}.{key}") or []):
            found.append((key, index, read_part(source, one, Pool, f"{where}.{key}[{index}]")))
    return found


def add_pool(layout: DumpLayout, pool: Pool, segment: int, place: str, kind: HeapKind, where: str,
             title: str, flags: int = 0) -> None:  # fmt: skip
    """Add the blocks and the dedicated allocations of a pool.

    Args:
        layout: Where to.
        pool: The pool.
        segment: Index of the memory heap.
        place: Memory type or heap type, in the dump's words.
        kind: Heap type.
        where: Key path of the pool.
        title: How its blocks are named.
        flags: D3D12_HEAP_FLAGS.
    """
    blocks = pool.blocks.items() if isinstance(pool.blocks, dict) else enumerate(pool.blocks)
    for key, block in blocks:
        name = f"{title} block {key}"
        layout.blocks.append(
            DumpBlock(
                name, segment, place, kind, flags, block.total_bytes, block.suballocations, f"{where}.Blocks.{key}"
            )
        )
    add_dedicated(layout, pool.dedicated_allocations, segment, place, kind, where, title, flags)


def add_dedicated(layout: DumpLayout, rows: list[Range], segment: int, place: str, kind: HeapKind, where: str,
                  title: str, flags: int = 0) -> None:  # fmt: skip
    """Add allocations that have memory of their own; arguments as in ``add_pool``."""
    for number, row in enumerate(rows):
        own = row.name if layout.name_of is None else layout.name_of(row)
        name = own or f"{title} dedicated {number}"
        layout.blocks.append(
            DumpBlock(
                name, segment, place, kind, flags, row.size, [row], f"{where}.DedicatedAllocations[{number}]", True
            )
        )


def opened_dump(
    source: Source,
    layout: DumpLayout,
    *,
    version: str | None,
    stated: Layout | None,
    stated_heaps: list[Layout | None],
    detail: bool,
) -> OpenedFile:
    """Return the opened file of a dump.

    Args:
        source: The file.
        layout: Its memory heaps and blocks.
        version: Version of the format.
        stated: The sums that the file states for all of it.
        stated_heaps: The same for each memory heap.
        detail: Whether the file holds the single blocks; without them the heaps' sums are compared with the total.

    Raises:
        InputError: Neither blocks nor sums could be read.
    """
    if not detail:
        return _totals_only(source, layout, version, stated, stated_heaps)
    snapshot, heaps = build_snapshot(layout, source)
    totals = sum_layouts([heap.layout for heap in heaps])
    differences = _differences(totals, stated, heaps, stated_heaps)
    if differences:
        source.warn("totals-differ", "Total", "the file's own sums differ from its map: " + ", ".join(differences[:12]))
    overlap = totals.overlap_bytes or 0
    if overlap:
        source.warn("overlap", "Suballocations", f"allocations share {overlap} bytes")
    source.at(1.0)
    return OpenedFile(
        file=source.file,
        format=layout.format_id,
        format_version=version,
        encoding=source.encoding,
        kind="layout",
        detail=True,
        snapshot=snapshot,
        totals=totals,
        file_totals=stated,
        heaps=heaps,
        named=len(snapshot.resources) - snapshot.resources.names.count(""),
        repaired=source.repaired,
        warnings=source.warnings,
        disagreements=None if stated is None else tuple(differences),
    )


def _differences(
    totals: Layout, stated: Layout | None, heaps: tuple[HeapLayout, ...], stated_heaps: list[Layout | None]
) -> list[str]:
    found = [] if stated is None else [f"totals.{name}" for name in totals.differences(stated)]
    for heap, said in zip(heaps, stated_heaps, strict=True):
        found += [] if said is None else [f"{heap.name}.{name}" for name in heap.layout.differences(said)]
    return found


def _totals_only(
    source: Source, layout: DumpLayout, version: str | None, stated: Layout | None, stated_heaps: list[Layout | None]
) -> OpenedFile:
    known = [
        HeapLayout(segment.name, segment.group, said)
        for segment, said in zip(layout.segments, stated_heaps, strict=True)
        if said is not None
    ]
    if stated is None and not known:
        reason = source.warnings[0].message if source.warnings else "it holds neither blocks nor totals"
        where = source.warnings[0].where if source.warnings else None
        raise InputError(f"nothing in this dump can be read: {reason}", file=source.file, where=where,
                         accepted=("DefaultPools", "Total"))  # fmt: skip
    totals = sum_layouts([heap.layout for heap in known]) if known else stated
    differences = None
    if totals is not None and stated is not None and known:
        differences = totals.differences(stated)
        if differences:
            source.warn("totals-differ", "Total", "the heaps do not add up to the total: " + ", ".join(differences))
    source.at(1.0)
    return OpenedFile(
        file=source.file,
        format=layout.format_id,
        format_version=version,
        encoding=source.encoding,
        kind="layout",
        totals=totals,
        file_totals=stated,
        heaps=tuple(known),
        repaired=source.repaired,
        warnings=source.warnings,
        disagreements=differences,
    )
