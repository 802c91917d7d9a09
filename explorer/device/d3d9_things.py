"""What a D3D9 device remembers of its resources beside their bytes: description, parts, locks, dirty regions.

Every value is immutable, so that a checkpoint copies the tables and nothing inside them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.core.layouts import ResourceLayout
from explorer.core.units import align_up
from explorer.rules.d3d9_resource import Resource, Surface
from explorer.rules.d3d9_sizes import texels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.device.memory_state import MemoryState

Box = tuple[int, int, int, int, int, int]
"""left, top, front inclusive, right, bottom, back exclusive: texels; for buffers left and right are bytes."""

Dirty = tuple[tuple[int, Box], ...]
"""Cube face → the smallest box of level 0 that holds every change."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A live resource.

    Attributes:
        resource: As the rules see it.
        layout: Layout of the copy that the GPU uses; of the system copy where there is no other.
        segment: Row of the placement table: ``local_video``, ``agp_aperture``, ``system_gpu_visible``, ``uma_system``
            or ``system``.
        implicit: Made by the device itself (a back buffer): the application holds no reference.
        dummy: Made while the device was lost: it has system memory that nothing uses.
    """

    resource: Resource
    layout: ResourceLayout
    segment: str
    implicit: bool = False
    dummy: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A surface or volume that the application holds of a texture or swap chain.

    Attributes:
        row: Row of the resource that it belongs to.
        level: Mip level.
        face: Cube face.
    """

    row: int
    level: int = 0
    face: int = 0


@dataclass(frozen=True, slots=True)
class Held:
    """A lock that was not undone yet.

    Attributes:
        level: Mip level.
        face: Cube face.
        flags: D3DLOCK bits.
        box: What was locked.
        pointer: ``system``, ``direct``, ``temporary`` or ``dummy``.
        staging: Block of the temporary copy, or −1.
        access: What the application does (a member of ``core.d3d9.CPU_ACCESS``).
    """

    level: int
    face: int
    flags: int
    box: Box
    pointer: str
    staging: int
    access: str


@dataclass(slots=True)
class Things:
    """The tables of a device; keys are rows of resources unless said otherwise.

    Attributes:
        of: The resources.
        parts: Surface number → part; ``MemoryState.objects`` has the names.
        part_names: Surface number → name.
        others: Number → what it is (``swap_chain``, ``state_block``, ``query``, ``device``) and its value.
        held: Locks, oldest first.
        dirty: Changes that the copy of the device lacks.
        lod: Levels left out by SetLOD.
        bound: Slot (``texture 0``, ``stream 0``, ``indices``, ``target 0``, ``depth``) → row.
        orphans: Released by the application, still bound or held through a surface.
        lost: Contents were lost with the device.
        appended: What NOOVERWRITE wrote lately: first byte, end, and how much work the GPU had been handed before.
        prioritised: Those whose priority SetPriority has changed.
        on_cpu: Buffers that the driver keeps in system memory because the CPU processes their vertices.
    """

    of: dict[int, Thing] = field(default_factory=dict[int, Thing])
    parts: dict[int, Part] = field(default_factory=dict[int, Part])
    part_names: dict[int, str] = field(default_factory=dict[int, str])
    others: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    held: dict[int, tuple[Held, ...]] = field(default_factory=dict[int, tuple[Held, ...]])
    dirty: dict[int, Dirty] = field(default_factory=dict[int, Dirty])
    lod: dict[int, int] = field(default_factory=dict[int, int])
    bound: dict[str, int] = field(default_factory=dict[str, int])
    appended: dict[int, tuple[tuple[int, int, int], ...]] = field(
        default_factory=dict[int, tuple[tuple[int, int, int], ...]]
    )
    orphans: frozenset[int] = frozenset()
    lost: frozenset[int] = frozenset()
    on_cpu: frozenset[int] = frozenset()
    prioritised: frozenset[int] = frozenset()
    _next: int = 0

    def number(self) -> int:
        """Return a number for a new surface or other object."""
        self._next += 1
        return self._next

    def forget(self, row: int) -> None:
        """Drop everything about a destroyed resource."""
        del self.of[row]
        self.held.pop(row, None)
        self.dirty.pop(row, None)
        self.lod.pop(row, None)
        self.appended.pop(row, None)
        self.orphans -= {row}
        self.lost -= {row}
        self.on_cpu -= {row}
        self.prioritised -= {row}

    def parts_of(self, row: int) -> list[int]:
        """Return the surfaces held of a resource."""
        return [number for number, part in self.parts.items() if part.row == row]

    def is_bound(self, row: int) -> bool:
        """Return whether a resource is set on the device."""
        return row in self.bound.values()

    def locked(self, row: int, level: int, face: int) -> bool:
        """Return whether a subresource is locked."""
        return any(one.level == level and one.face == face for one in self.held.get(row, ()))

    def copy(self) -> Things:
        """Return an independent copy."""
        return Things(
            dict(self.of),
            dict(self.parts),
            dict(self.part_names),
            dict(self.others),
            dict(self.held),
            dict(self.dirty),
            dict(self.lod),
            dict(self.bound),
            dict(self.appended),
            self.orphans,
            self.lost,
            self.on_cpu,
            self.prioritised,
            self._next,
        )


def find_surface(state: MemoryState, things: Things, name: str, where: str, level: int = 0, face: int = 0) -> Part:
    """Return which subresource a name means: a surface, or a level and face of a resource.

    Raises:
        CallError: No such object lives.
    """
    kind, number = state.find(name, "resource", "surface", where=where)
    return things.parts[number] if kind == "surface" else Part(number, level, face)


def surface_of(things: Things, part: Part) -> Surface:
    """Return a subresource as the rules see it."""
    return Surface(things.of[part.row].resource, part.level, part.face, things.locked(part.row, part.level, part.face))


def whole(resource: Resource, level: int = 0) -> Box:
    """Return the box of a whole level, or of a whole buffer."""
    width, height, depth = resource.level_size(level)
    return 0, 0, 0, width, height, depth


def joined(dirty: Dirty, face: int, box: Box) -> Dirty:
    """Return a dirty region with a box added: for each face the smallest box around both.

    Modelling choice; how finely the runtime keeps regions is not documented.
    """
    found = dict(dirty)
    old = found.get(face, box)
    low = tuple(min(a, b) for a, b in zip(old[:3], box[:3], strict=True))
    high = tuple(max(a, b) for a, b in zip(old[3:], box[3:], strict=True))
    found[face] = (low[0], low[1], low[2], high[0], high[1], high[2])
    return tuple(sorted(found.items()))


def all_dirty(resource: Resource) -> Dirty:
    """Return the region of a resource that is changed all over."""
    return tuple((face, whole(resource)) for face in range(resource.faces))


def scaled(box: Box, level: int) -> Box:
    """Return the part of a level that a box of level 0 covers, rounded outwards."""
    low = tuple(edge >> level for edge in box[:3])
    high = tuple(max((edge + (1 << level) - 1) >> level, at + 1) for at, edge in zip(low, box[3:], strict=True))
    return (low[0], low[1], low[2], high[0], high[1], high[2])


def box_bytes(resource: Resource, level: int, box: Box) -> int:
    """Return the bytes of a box of a level, in whole blocks of the format, without row padding."""
    if resource.is_buffer:
        return max(box[3] - box[0], 0)
    form = texels(resource, cpu=False)
    width, height, depth = resource.level_size(level)
    left, right = _blocks(box[0], min(box[3], width), form.block_width)
    top, bottom = _blocks(box[1], min(box[4], height), form.block_height)
    slices = max(min(box[5], depth) - box[2], 0)
    return max(right - left, 0) * max(bottom - top, 0) * form.block_bytes * slices * max(1, resource.multisample)


def dirty_bytes(resource: Resource, dirty: Dirty, levels: Iterable[int]) -> int:
    """Return the bytes that a dirty region moves: its box in each of some levels (rule d3d9.R7.11)."""
    return sum(box_bytes(resource, level, scaled(box, level)) for level in levels for _, box in dirty)


def _blocks(low: int, high: int, unit: int) -> tuple[int, int]:
    return max(low, 0) // unit, align_up(max(high, 0), unit) // unit
