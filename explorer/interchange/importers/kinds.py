"""What a resource is for, from the flags that it was created with (whole columns at once)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.d3d12_enums import ResourceFlags
from explorer.core.kinds import HeapKind, ResourceKind

if TYPE_CHECKING:
    from explorer.core.columns import Bools, Bytes8, Int64

# Values of VkBufferUsageFlagBits and VkImageUsageFlagBits (Vulkan specification, chapter Resource Creation).
_BUFFER_TRANSFER_SRC, _BUFFER_TRANSFER_DST = 0x1, 0x2
_BUFFER_ACCELERATION_STORAGE = 0x0010_0000
_BUFFER_DESCRIPTORS = 0x0020_0000 | 0x0040_0000
_IMAGE_COLOR, _IMAGE_DEPTH_STENCIL = 0x10, 0x20


def vulkan_kinds(is_buffer: Bools, is_image: Bools, usage: Int64, heap: Bytes8) -> Bytes8:
    """Return the kind of each Vulkan allocation.

    Args:
        is_buffer: Which ones are buffers.
        is_image: Which ones are images.
        usage: Buffer or image usage flags of each.
        heap: Not needed: Vulkan's usage flags say what memory is for.

    Returns:
        ``ResourceKind``, uint8.
    """
    del heap
    kind = np.full(len(usage), ResourceKind.OTHER, np.uint8)
    kind[is_buffer] = ResourceKind.BUFFER
    kind[is_buffer & (usage == _BUFFER_TRANSFER_SRC)] = ResourceKind.UPLOAD
    kind[is_buffer & (usage == _BUFFER_TRANSFER_DST)] = ResourceKind.READBACK
    kind[is_buffer & ((usage & _BUFFER_DESCRIPTORS) != 0)] = ResourceKind.DESCRIPTOR_HEAP
    kind[is_buffer & ((usage & _BUFFER_ACCELERATION_STORAGE) != 0)] = ResourceKind.ACCELERATION
    kind[is_image] = ResourceKind.TEXTURE
    kind[is_image & ((usage & _IMAGE_COLOR) != 0)] = ResourceKind.RENDER_TARGET
    kind[is_image & ((usage & _IMAGE_DEPTH_STENCIL) != 0)] = ResourceKind.DEPTH_STENCIL
    return kind


def d3d12_kinds(is_buffer: Bools, is_texture: Bools, usage: Int64, heap: Bytes8) -> Bytes8:
    """Return the kind of each Direct3D 12 allocation.

    Args:
        is_buffer: Which ones are buffers.
        is_texture: Which ones are textures.
        usage: D3D12_RESOURCE_FLAGS of each.
        heap: ``HeapKind`` of the memory of each.

    Returns:
        ``ResourceKind``, uint8.
    """
    kind = np.full(len(usage), ResourceKind.OTHER, np.uint8)
    kind[is_buffer] = ResourceKind.BUFFER
    kind[is_buffer & ((heap == HeapKind.UPLOAD) | (heap == HeapKind.GPU_UPLOAD))] = ResourceKind.UPLOAD
    kind[is_buffer & (heap == HeapKind.READBACK)] = ResourceKind.READBACK
    kind[is_buffer & ((usage & int(ResourceFlags.RAYTRACING_ACCELERATION_STRUCTURE)) != 0)] = ResourceKind.ACCELERATION
    kind[is_texture] = ResourceKind.TEXTURE
    kind[is_texture & ((usage & int(ResourceFlags.ALLOW_RENDER_TARGET)) != 0)] = ResourceKind.RENDER_TARGET
    kind[is_texture & ((usage & int(ResourceFlags.ALLOW_DEPTH_STENCIL)) != 0)] = ResourceKind.DEPTH_STENCIL
    return kind
