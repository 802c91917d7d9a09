"""The answer to a record of GetResourceTiling, out of what the call returned on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from explorer.core.tiles import PACKED_TILE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.device.outcome import Outcome

_EXTENT = ("WidthInTiles", "HeightInTiles", "DepthInTiles")
_START = "StartTileIndexInOverallResource"


def tiling_result(whole: Outcome, asked: Outcome) -> dict[str, object]:
    """Return the machine keys of a ``resource_tiling`` record.

    Args:
        whole: What the call returned for every subresource of slice 0.
        asked: What it returned for the subresources that the record asks for.
    """
    parts = _parts(whole)
    packed = cast("Mapping[str, int]", whole.values["pPackedMipDesc"])
    standard = [
        {"mip": mip, **{key: part[key] for key in _EXTENT}}
        for mip, part in enumerate(parts)
        if part[_START] != PACKED_TILE
    ]
    # All packed subresources are told alike; a resource without one has none to differ.
    none = {**dict.fromkeys(_EXTENT, 0), _START: PACKED_TILE}
    last = parts[-1] if packed["NumPackedMips"] else none
    listed = _parts(asked)
    result: dict[str, object] = {
        "num_tiles": whole.values["pNumTilesForEntireResource"],
        "num_standard_mips": packed["NumStandardMips"],
        "num_subresource_tilings": asked.values["pNumSubresourceTilings"],
        "num_packed_mips": packed["NumPackedMips"],
        "num_tiles_for_packed_mips": packed["NumTilesForPackedMips"],
        "start_tile_index_of_packed_mips": packed[_START],
        "tile_shape": whole.values["pStandardTileShapeForNonPackedMips"],
        "standard_mip_tilings": standard,
        "packed_subresource": {
            "tiles": [last[key] for key in _EXTENT],
            _START: last[_START],
        },
        "packed_tiles_zero_iff_no_packed_mips": (packed["NumTilesForPackedMips"] == 0)
        is (packed["NumPackedMips"] == 0),
    }
    if listed:
        result["first_start_tile_index"] = listed[0][_START]
    return result


def _parts(outcome: Outcome) -> list[Mapping[str, Any]]:
    return cast("list[Mapping[str, Any]]", outcome.values["pSubresourceTilingsForNonPackedMips"])
