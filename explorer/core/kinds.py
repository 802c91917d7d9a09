"""The categories that every view, legend and exporter shares."""

from __future__ import annotations

import enum


class ResourceKind(enum.IntEnum):
    """What a block holds; the order is that of the nine fills of the visual tokens."""

    TEXTURE = 0
    RENDER_TARGET = 1
    DEPTH_STENCIL = 2
    BUFFER = 3
    UPLOAD = 4
    READBACK = 5
    DESCRIPTOR_HEAP = 6
    ACCELERATION = 7
    OTHER = 8

    @property
    def token(self) -> str:
        """The key of the kind in tokens, files and legends."""
        return self.name.lower()


class WasteCause(enum.IntEnum):
    """Why bytes are held although nothing lives in them."""

    ALIGNMENT = 0
    """In front of a resource, up to its alignment."""
    GRANULARITY = 1
    """Between neighbours of different kinds."""
    ROUNDING = 2
    """Behind a resource, up to the size that the memory hands out."""
    TAIL = 3
    """The end of a heap, too small for anything."""

    @property
    def token(self) -> str:
        """The key of the cause in files and legends."""
        return self.name.lower()


class BlockState(enum.IntFlag):
    """What is true of a block at the moment of the snapshot."""

    RESIDENT = 1
    """The GPU can use it now."""
    MASTER_COPY = 2
    """The system-memory copy of a managed D3D9 resource."""
    DEVICE_COPY = 4
    """The video-memory copy of a managed D3D9 resource."""
    ALIASED = 8
    """Shares bytes with another live block."""
    INACTIVE = 16
    """An aliased resource that is not the active one."""
    DIRTY = 32
    """A master copy with changes that the device copy lacks."""
    USED_THIS_FRAME = 64
    MOVED_THIS_FRAME = 128
    """Uploaded, paged in or moved in this frame."""


class HeapKind(enum.IntEnum):
    """The type of a heap; ``NONE`` for memory that is no D3D12 heap."""

    NONE = 0
    DEFAULT = 1
    UPLOAD = 2
    READBACK = 3
    CUSTOM = 4
    GPU_UPLOAD = 5
    OTHER = 6


class ResidencyPlace(enum.IntEnum):
    """Where the bytes of a heap or resource are at the end of a frame."""

    ABSENT = 0
    """Not created yet, or released."""
    LOCAL = 1
    """Where the GPU reads fastest."""
    NON_LOCAL = 2
    """In reach of the GPU over the bus."""
    SYSTEM = 3
    """In system memory, where it belongs or waits for its first use."""
    EVICTED = 4
    """In system memory, because it had to leave memory that the GPU reads."""
    PAGE_FILE = 5
    LOST = 6
    """In video memory whose contents went with the device."""
    NO_MEMORY = 7
    """Alive without a byte: a reserved resource with no tile mapped."""
    IN_HEAP = 8
    """Wherever the heap is that it is placed in."""


class Placement(enum.StrEnum):
    """Whether a segment needs unbroken ranges."""

    CONTIGUOUS = "contiguous"
    PAGED = "paged"
