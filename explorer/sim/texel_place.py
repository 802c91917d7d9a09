"""Where one texel lies in a laid-out resource, as far as it is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.rules.size_model_nvidia import Image, texel_offset

if TYPE_CHECKING:
    from explorer.sim.layouts import Form


@dataclass(frozen=True, slots=True)
class TexelPlace:
    """The answer for one texel.

    Attributes:
        offset: Bytes from the start of the resource to the texel, or to the block that holds it; None where unknown.
        text: The formula, or why it is unknown.
    """

    offset: int | None
    text: str


def texel_place(form: Form, index: int, x: int, y: int) -> TexelPlace:
    """Return where a texel of a subresource's first depth slice lies.

    Args:
        form: How the resource lies.
        index: Subresource.
        x: Texels from the left, below the level's width.
        y: Texels from the top, below the level's height.

    Source: d3d12.5.2, d3d9.R11.2 for rows; hardware/nvidia_sizes section 5 (d3d12.4.8c) for the block-linear model.
    """
    part = form.layout.subresources[index]
    across, down, size = form.blocks[min(part.plane, len(form.blocks) - 1)]
    if not size:
        return TexelPlace(None, "texels of this format are not whole bytes")
    column, row = x // across, y // down
    model = form.layout.model
    if model == "nvidia" and form.id == "memory":
        return _block_linear(form, index, column, row)
    if model == "tiled" and form.id == "memory":
        return TexelPlace(None, "the order of texels inside a 64 KiB tile is the driver's")
    offset = part.offset + row * part.row_pitch + column * size * form.samples
    return TexelPlace(offset, f"{part.offset} + {row} × {part.row_pitch} + {column} × {size * form.samples}")


def _block_linear(form: Form, index: int, column: int, row: int) -> TexelPlace:
    part = form.layout.subresources[index]
    across, down, size = form.blocks[0]
    measured = part.mip == 0 and part.slice == 0 and part.plane == 0 and part.depth == 1
    if not measured or form.samples > 1 or form.slices > 1 or len(form.planes) > 1:
        return TexelPlace(None, "measured for level 0 of plain 2D textures only")
    image = Image(False, part.width, part.height, 1, form.mips, 1, 1, size, across, down)
    offset = texel_offset(image, column, row)
    return TexelPlace(offset, f"block-linear: GOB of 64 B × 8 rows, element {column}, {row}")
