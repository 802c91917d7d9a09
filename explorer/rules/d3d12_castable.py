"""Castable format lists: what a resource may later be viewed as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d12_findings import Findings
from explorer.tables.dxgi_formats import format_info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.d3d12_structs import ResourceDesc
    from explorer.rules.d3d12_runtime import D3d12Runtime


def check_castable(
    desc: ResourceDesc, castable: Sequence[DXGI_FORMAT], runtime: D3d12Runtime, found: Findings, path: str
) -> None:
    """Note which castable formats are impossible.

    Args:
        desc: The description; UNKNOWN is (oddly) castable for buffers, because the sizes agree.
        castable: The list.
        runtime: The device.
        found: Where the findings go.
        path: Key path of the list in the call's input.

    Source: d3d12.3.16a … d3d12.3.16e.
    """
    if not castable:
        return
    base = format_info(desc.Format)
    listed = Findings()

    def refuse(rule: str, bad: Sequence[DXGI_FORMAT]) -> None:
        rest = tuple(one for one in castable if one not in bad)
        names = ", ".join(one.constant for one in dict.fromkeys(bad))
        listed.refuse(rule, "take them off the list", {path: rest}, names)

    if not runtime.relaxed_casting:
        listed.refuse("3.16d", "pass no list", {path: ()})
    unknown = [one for one in castable if one is DXGI_FORMAT.UNKNOWN and desc.Format is not DXGI_FORMAT.UNKNOWN]
    if unknown:
        refuse("3.16c", unknown)
    sized = [one for one in castable if one not in unknown]
    compressed = [one for one in sized if format_info(one).is_compressed and not base.is_compressed]
    if compressed:
        refuse("3.16b", compressed)
    other = [
        one for one in sized if one not in compressed and format_info(one).bytes_per_block != base.bytes_per_block
    ]  # fmt: skip
    if other:
        refuse("3.16a", other)
    if listed.ok:
        listed.permit("3.16e")
    found.merge(listed)
