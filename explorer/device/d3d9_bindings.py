"""What is set on a D3D9 device, and surfaces that the application holds of textures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core import d3d9 as api
from explorer.device.d3d9_things import Part, find_surface, surface_of
from explorer.rules.d3d9 import judge

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.core.verdicts import Verdict
    from explorer.device.d3d9 import D3D9Device

_Resource = api.SetTexture | api.SetStreamSource | api.SetIndices
_Level = api.GetSurfaceLevel | api.GetCubeMapSurface | api.GetVolumeLevel


def set_resource(device: D3D9Device, arguments: _Resource, record: CallRecord) -> Verdict:
    """SetTexture, SetStreamSource or SetIndices."""
    if isinstance(arguments, api.SetTexture):
        slot, name = f"texture {arguments.Stage}", arguments.pTexture
    elif isinstance(arguments, api.SetStreamSource):
        slot, name = f"stream {arguments.StreamNumber}", arguments.pStreamData
    else:
        slot, name = "indices", arguments.pIndexData
    row = None if name is None else device.state.find(name, "resource", where="input")[1]
    resource = None if row is None else device.things.of[row].resource
    return _set(device, record, judge(arguments, resource, device.runtime), slot, row)


def set_target(
    device: D3D9Device, arguments: api.SetRenderTarget | api.SetDepthStencilSurface, record: CallRecord
) -> Verdict:
    """SetRenderTarget or SetDepthStencilSurface."""
    if isinstance(arguments, api.SetRenderTarget):
        slot, name = f"target {arguments.RenderTargetIndex}", arguments.pRenderTarget
    else:
        slot, name = "depth", arguments.pNewZStencil
    part = None if name is None else find_surface(device.state, device.things, name, "input")
    surface = None if part is None else surface_of(device.things, part)
    verdict = judge(arguments, surface, device.runtime)
    return _set(device, record, verdict, slot, None if part is None else part.row)


def get_part(device: D3D9Device, arguments: _Level, record: CallRecord) -> Verdict:
    """GetSurfaceLevel, GetCubeMapSurface or GetVolumeLevel: the application holds a part of a texture."""
    _, row = device.state.find(arguments.object, "resource", where="input.object")
    verdict = judge(arguments, device.things.of[row].resource, device.runtime)
    if not verdict.succeeded:
        return device.refuse(record, verdict, device.name(row))
    face = int(arguments.FaceType) if isinstance(arguments, api.GetCubeMapSurface) else 0
    device.add_part(record.out or record.call, Part(row, arguments.Level, face))
    return verdict


def _set(device: D3D9Device, record: CallRecord, verdict: Verdict, slot: str, row: int | None) -> Verdict:
    if not verdict.succeeded:
        return device.refuse(record, verdict, "" if row is None else device.name(row))
    before = device.things.bound.get(slot)
    if row is None:
        device.unbind(slot)
    elif before != row:
        device.unbind(slot)
        device.things.bound[slot] = row
    return verdict
