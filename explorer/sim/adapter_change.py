"""What is different after the same calls ran on another adapter, in sentences for people."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, fields
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.d3d12_enums import HeapType
from explorer.core.units import format_bytes, format_exact
from explorer.tables.d3d12_tables import custom_properties

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot
    from explorer.tables.adapters import Adapter

_CLASSES = {
    "discrete_agp": "discrete on AGP", "discrete_pcie": "discrete on PCIe", "uma": "UMA (one memory for CPU and GPU)",
}  # fmt: skip
_MODELS = {
    "nvidia": "NVIDIA tiles", "tiled": "64 KiB tiles", "linear": "rows one after the other",
}  # fmt: skip
_GROUPS = ("LOCAL", "NON_LOCAL", "SYSTEM", "PAGE_FILE", "RESERVED")
_SYSTEM = ("SYSTEM", "PAGE_FILE", "RESERVED")
_HEAP_TYPES = (HeapType.DEFAULT, HeapType.UPLOAD, HeapType.READBACK)
_EXAMPLES = 2


def describe_change(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """Return what changed from one adapter to another, the most important first.

    Args:
        before: A state on the first adapter.
        after: A state of the same scenario on the second one; best in the same frame, since places change with time.

    Returns:
        One sentence for each of: memory class, segments of the GPU, budgets, heap properties, size model, options,
        sizes, placements, resources that only one adapter holds, segments of the system. Empty where nothing differs.
    """
    lines: list[str] = []
    one, two = before.adapter, after.adapter
    if one is not None and two is not None:
        lines += _classes(one, two)
    lines += _segments(before, after, of_the_system=False)
    lines += _budgets(before, after)
    if one is not None and two is not None:
        if "d3d12" in (before.api, after.api):
            lines += _heap_properties(one, two)
        # D3D9 sizes follow the rows of the texels on every adapter.
        if one.size_model != two.size_model and not after.api.startswith("d3d9"):
            was, now = _MODELS[one.size_model], _MODELS[two.size_model]
            lines.append(f"Size model: textures are laid out in {now} instead of {was}.")
    lines += _options(before, after)
    lines += _resources(before, after)
    return (*lines, *_segments(before, after, of_the_system=True))


def _classes(one: Adapter, two: Adapter) -> list[str]:
    was, now = _class_words(one), _class_words(two)
    return [f"Memory class: {now} instead of {was}."] if was != now else []


def _class_words(adapter: Adapter) -> str:
    words = _CLASSES[adapter.memory_class]
    if adapter.memory_class != "uma":
        return words
    return f"{words}, {'cache-coherent' if adapter.is_cache_coherent else 'not cache-coherent'}"


def _segments(before: Snapshot, after: Snapshot, *, of_the_system: bool) -> list[str]:
    one, two = _group_facts(before), _group_facts(after)
    lines: list[str] = []
    for key in sorted(one.keys() | two.keys(), key=lambda k: (k[0], _rank(k[1]))):
        if (key[1] in _SYSTEM) is not of_the_system:
            continue
        was, now = one.get(key), two.get(key)
        name = _group_name(*key)
        if was is None and now is not None:
            lines.append(f"{name} segments: {_bytes(now[0])}, {now[1]}; there were none.")
        elif now is None and was is not None:
            lines.append(f"{name} segments: none; there were {_bytes(was[0])}.")
        elif was is not None and now is not None and was != now:
            size = f"{_bytes(now[0])} instead of {_bytes(was[0])}" if was[0] != now[0] else _bytes(now[0])
            placed = f"; {now[1]} instead of {was[1]}" if was[1] != now[1] else ""
            lines.append(f"{name} segments: {size}{placed}.")
    return lines


def _group_facts(snapshot: Snapshot) -> dict[tuple[int, str], tuple[int, str]]:
    found: dict[tuple[int, str], tuple[int, str]] = {}
    for segment in snapshot.segments:
        if not segment.size_bytes:
            continue
        size, placed = found.get((segment.node, segment.group), (0, ""))
        kinds = sorted({*filter(None, placed.split(" and ")), segment.placement})
        found[segment.node, segment.group] = size + segment.size_bytes, " and ".join(kinds)
    return found


def _budgets(before: Snapshot, after: Snapshot) -> list[str]:
    one = {(g.node, g.group): g.budget_bytes for g in before.groups}
    two = {(g.node, g.group): g.budget_bytes for g in after.groups}
    lines: list[str] = []
    for key in sorted(one.keys() & two.keys(), key=lambda k: (k[0], _rank(k[1]))):
        was, now = one[key], two[key]
        if was != now:
            lines.append(f"{_group_name(*key)} budget: {_budget(now)} instead of {_budget(was)}.")
    return lines


def _heap_properties(one: Adapter, two: Adapter) -> list[str]:
    first, second = one.d3d12, two.d3d12
    if first is None or second is None:
        return []
    parts: list[str] = []
    for heap_type in _HEAP_TYPES:
        was = custom_properties(heap_type, first.UMA, first.CacheCoherentUMA)
        now = custom_properties(heap_type, second.UMA, second.CacheCoherentUMA)
        if was != now:
            parts.append(f"{heap_type.name} {now[0].name} in {now[1].name} instead of {was[0].name} in {was[1].name}")
    lines = [f"Heap properties: {', '.join(parts)}."] if parts else []
    if first.ResourceHeapTier != second.ResourceHeapTier:
        lines.append(f"Resource heap tier: {second.ResourceHeapTier} instead of {first.ResourceHeapTier}.")
    if first.DescriptorIncrement != second.DescriptorIncrement:
        pairs = zip(fields(first.DescriptorIncrement), astuple(first.DescriptorIncrement),
                    astuple(second.DescriptorIncrement), strict=True)  # fmt: skip
        parts = [f"{f.name} {now} B instead of {was} B" for f, was, now in pairs if was != now]
        lines.append(f"Descriptor increments: {', '.join(parts)}.")
    return lines


def _options(before: Snapshot, after: Snapshot) -> list[str]:
    one, two = before.provenance.options, after.provenance.options
    changed = [name for name in sorted(one.keys() | two.keys()) if one.get(name) != two.get(name)]
    return [f"Option {name}: {two.get(name, 'none')} instead of {one.get(name, 'none')}." for name in changed]


def _resources(before: Snapshot, after: Snapshot) -> list[str]:
    one = {name: i for i, name in enumerate(before.resources.names)}
    two = {name: i for i, name in enumerate(after.resources.names)}
    both = [name for name in one if name in two]
    lines: list[str] = []
    old = before.resources.size[[one[name] for name in both]] if both else np.zeros(0, np.int64)
    new = after.resources.size[[two[name] for name in both]] if both else np.zeros(0, np.int64)
    unlike: list[int] = np.flatnonzero(old != new).tolist()
    if unlike:
        names = [both[i] for i in unlike[:_EXAMPLES]]
        delta = int(new.sum()) - int(old.sum())
        more = f"{format_bytes(abs(delta))} {'more' if delta >= 0 else 'less'} in all"
        lines.append(f"Sizes: {len(unlike):,} of {len(both):,} resources differ, {more} ({_some(names, len(unlike))}).")
    lines += _placements(before, after, {name: (one[name], two[name]) for name in both})
    for names, words in (
        ([name for name in one if name not in two], "no longer there"),
        ([name for name in two if name not in one], "there only now"),
    ):
        if names:
            lines.append(f"Resources {words}: {len(names):,} ({_some(names[:_EXAMPLES], len(names))}).")
    frames = before.provenance.frame, after.provenance.frame
    if lines and frames[0] != frames[1]:
        lines.append(f"Resources are compared in frame {frames[1]:,} with frame {frames[0]:,}.")
    return lines


def _placements(before: Snapshot, after: Snapshot, both: dict[str, tuple[int, int]]) -> list[str]:
    was, now = _homes(before), _homes(after)
    ways: Counter[tuple[str, str]] = Counter()
    example: dict[tuple[str, str], str] = {}
    for name, (i, j) in both.items():
        way = was.get(i, "no memory"), now.get(j, "no memory")
        if way[0] != way[1]:
            ways[way] += 1
            example.setdefault(way, name)
    return [
        f"Placement: {count:,} of {len(both):,} resources lie in {way[1]} instead of {way[0]} "
        f"({_some([example[way]], count)})."
        for way, count in sorted(ways.items(), key=lambda item: (-item[1], item[0]))
    ]


def _homes(snapshot: Snapshot) -> dict[int, str]:
    """Return resource → the segment groups that its bytes belong to, in words."""
    blocks, heaps = snapshot.blocks, snapshot.heaps
    segment = blocks.segment.astype(np.int64)
    in_heap = blocks.heap >= 0
    # Where a heap belongs, not where residency moved it to: that depends on the moment.
    segment[in_heap] = heaps.home[blocks.heap[in_heap]]
    found: dict[int, set[str]] = {}
    owners: list[int] = blocks.resource.tolist()
    places: list[int] = segment.tolist()
    for resource, at in zip(owners, places, strict=True):
        if resource >= 0 and at >= 0:
            found.setdefault(resource, set()).add(snapshot.segments[at].group)
    return {resource: " and ".join(sorted(groups, key=_rank)) for resource, groups in found.items()}


def _rank(group: str) -> int:
    return _GROUPS.index(group) if group in _GROUPS else len(_GROUPS)


def _group_name(node: int, group: str) -> str:
    return f"{group} of node {node}" if node else group


def _budget(size: int | None) -> str:
    return "none" if size is None else _bytes(size)


def _bytes(size: int) -> str:
    return format_bytes(size, 2) if size >= 1024 else format_exact(size)


def _some(names: list[str], count: int) -> str:
    return ", ".join(names) + (f" and {count - len(names):,} more" if count > len(names) else "")
