"""The arithmetic of one subresource in formulas that give exactly what the layout says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.core.layouts import SubresourceLayout
    from explorer.sim.layouts import Form

_BLOCK_ROWS = (8, 16, 32, 64, 128)
_BLOCK_SLICES = (1, 2, 4, 8, 16, 32)
"""Rows and slices of the blocks of the block-linear layout. Source: d3d12.4.8c."""


@dataclass(frozen=True, slots=True)
class Step:
    """A line of arithmetic.

    Attributes:
        name: What is computed.
        formula: Left side; in it ``ceil`` and ``align`` are functions, ``×`` multiplies.
        result: Right side, bytes or rows.
        note: Where the constant in it comes from; empty for none.
        unit: ``B`` or empty.
    """

    name: str
    formula: str
    result: int
    note: str = ""
    unit: str = "B"


def arithmetic(form: Form, index: int) -> tuple[Step, ...]:
    """Return how the figures of a subresource come about; every formula gives its result exactly.

    Args:
        form: A form.
        index: Index of the subresource.
    """
    parts = form.layout.subresources
    part = parts[index]
    if form.layout.model == "buffer":
        return (
            Step("Bytes", f"{part.size_bytes}", part.size_bytes),
            Step("Size", f"align({part.size_bytes}, {form.layout.alignment})", form.layout.size_bytes),
        )
    before = parts[index - 1] if index else None
    across, down, unit = form.blocks[min(part.plane, len(form.blocks) - 1)]
    return (
        _first("Row bytes", part.row_bytes, *_row_formulas(form, part, across, unit)),
        _pitch(form, part),
        _first("Rows", part.rows, (f"ceil({part.height} / {down})", -(-part.height // down), ""), unit=""),
        _offset(form, part, before),
        _size(form, part),
    )


_Candidate = tuple[str, int, str]
"""Formula, what it gives, and where its constant comes from."""


def _first(name: str, result: int, *candidates: _Candidate, unit: str = "B") -> Step:
    """Return the first formula that gives the result; the result itself where the format has its own way."""
    for formula, value, note in candidates:
        if value == result:
            return Step(name, formula, result, note, unit)
    return Step(name, f"{result}", result, "as the model defines it", unit)


def _row_formulas(form: Form, part: SubresourceLayout, across: int, unit: int) -> tuple[_Candidate, ...]:
    blocks = -(-part.width // across)
    text = f"ceil({part.width} / {across}) × {unit}"
    whole = blocks * unit
    return (text, whole, ""), (f"{text} × {form.samples}", whole * form.samples, f"{form.samples} samples")


def _pitch(form: Form, part: SubresourceLayout) -> Step:
    aligned = -(-part.row_bytes // form.pitch_alignment) * form.pitch_alignment
    return _first(
        "Row pitch", part.row_pitch,
        *(((f"{part.row_bytes}", part.row_bytes, "rows are not padded"),) if form.pitch_alignment == 1 else ()),
        (f"align({part.row_bytes}, {form.pitch_alignment})", aligned, form.pitch_reason),
    )  # fmt: skip


def _offset(form: Form, part: SubresourceLayout, before: SubresourceLayout | None) -> Step:
    if before is None:
        return _first("Offset", part.offset, ("0", 0, "start of the resource"))
    end = before.offset + before.size_bytes
    sum_text = f"{before.offset} + {before.size_bytes}"
    aligned = -(-end // form.offset_alignment) * form.offset_alignment
    candidates: list[_Candidate] = []
    if form.offset_alignment > 1:
        candidates.append((f"align({sum_text}, {form.offset_alignment})", aligned, form.offset_reason))
    candidates.append((sum_text, end, f"behind subresource {before.index}"))
    if form.tile_bytes:
        tile = part.offset // form.tile_bytes
        candidates.append((f"{tile} × {form.tile_bytes}", tile * form.tile_bytes, f"tile {tile}"))
    return _first("Offset", part.offset, *candidates)


def _size(form: Form, part: SubresourceLayout) -> Step:
    deep = f" × {part.depth}" if part.depth > 1 else ""
    rows = part.rows * part.depth
    whole = part.row_pitch * rows
    candidates: list[_Candidate] = []
    if form.id == "copy":
        inner = f"{part.rows}{deep} - 1" if deep else f"{part.rows} - 1"
        last = part.row_pitch * (rows - 1)
        candidates.append((f"{part.row_pitch} × ({inner}) + {part.row_bytes}", last + part.row_bytes,
                           "the last row is not padded"))  # fmt: skip
    if form.tile_bytes and not part.packed:
        tiles = part.size_bytes // form.tile_bytes
        candidates.append((f"{tiles} × {form.tile_bytes}", tiles * form.tile_bytes, "whole tiles"))
    if form.level_alignment > 1:
        aligned = -(-whole // form.level_alignment) * form.level_alignment
        candidates.append((f"align({part.row_pitch} × {part.rows}{deep}, {form.level_alignment})", aligned,
                           "level of the model"))  # fmt: skip
    candidates.append((f"{part.row_pitch} × {part.rows}{deep}", whole, "packed tail" if part.packed else ""))
    if form.layout.model == "nvidia":
        candidates.extend(_gob_blocks(part))
    if form.samples > 1:
        text = f"{part.row_pitch} × {part.rows}{deep} × {form.samples}"
        candidates.append((text, whole * form.samples, f"{form.samples} samples"))
    return _first("Bytes", part.size_bytes, *candidates)


def _gob_blocks(part: SubresourceLayout) -> list[_Candidate]:
    """Return the sizes that blocks of 1 to 16 GOBs of 8 rows, and of 1 to 16 slices, give."""
    found: list[_Candidate] = []
    for rows in _BLOCK_ROWS:
        down = -(-part.rows // rows) * rows
        text = f"{part.row_pitch} × align({part.rows}, {rows})"
        if part.depth == 1:
            found.append((text, part.row_pitch * down, f"blocks of {rows} rows"))
            continue
        for slices in _BLOCK_SLICES:
            deep = -(-part.depth // slices) * slices
            note = f"blocks of {rows} rows and {slices} slices"
            found.append((f"{text} × align({part.depth}, {slices})", part.row_pitch * down * deep, note))
    return found
