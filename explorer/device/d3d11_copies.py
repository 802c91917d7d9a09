"""What moves bytes between D3D10/11/XG resources: updates, copies, resolves and mip generation.

Each call is judged and measured when it is made, and done at once or with the command list that it was recorded in:
``*_job`` returns what the GPU has to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from explorer.core.d3d11_enums import Usage
from explorer.core.events import EventKind
from explorer.device import cost, d3d11_memory
from explorer.rules import d3d11 as rules

if TYPE_CHECKING:
    from explorer.core import d3d11 as api
    from explorer.core.verdicts import Verdict
    from explorer.device.d3d11 import D3D11Device
    from explorer.device.d3d11_memory import Live


@dataclass(frozen=True, slots=True)
class CopyJob:
    """Work of the GPU that reads one resource and writes another, or the same one.

    Attributes:
        source: Row that is read; −1 for bytes of the application.
        to: Row that is written.
        read_bytes: Bytes read.
        written_bytes: Bytes written.
        rule: Id of the rule that the event names.
        text: What happened, for the event.
        waits: For bytes of the application: the destination was in use when the call was made.
    """

    source: int
    to: int
    read_bytes: int
    written_bytes: int
    rule: str
    text: str
    waits: bool = False


Judged = tuple["Verdict", CopyJob | None]
"""What the call answers, and the work; None for a call that is refused or copies nothing."""


def update_job(device: D3D11Device, arguments: api.UpdateSubresource, mapped: bool) -> Judged:
    """Judge UpdateSubresource: the bytes travel through command storage while the GPU uses the destination (P5.7).

    Args:
        device: The device.
        arguments: The call.
        mapped: Whether the destination is mapped on the context of the call.
    """
    row = device.row_of(arguments.pDstResource, "input.pDstResource")
    live = device.live[row]
    state = rules.State11(resource=live.resource, destination_mapped=mapped)
    verdict = rules.judge(arguments, state, device.runtime)
    if not verdict.succeeded or not verdict.values.get("destination_changes"):
        return verdict, None
    size = _region_bytes(live, arguments.DstSubresource, arguments.pDstBox)
    busy = d3d11_memory.is_busy(device, live.heap)
    how = "through command storage, since the GPU still uses it" if busy else "with one copy, since it was idle"
    return verdict, CopyJob(-1, row, 0, size, "d3d11.P5.7", f"written by UpdateSubresource {how}", busy)


def copy_job(device: D3D11Device, arguments: Any, mapped: tuple[bool, bool]) -> Judged:
    """Judge CopyResource or CopySubresourceRegion.

    Args:
        device: The device.
        arguments: The call.
        mapped: Whether destination and source are mapped on the context of the call.
    """
    to = device.row_of(arguments.pDstResource, "input.pDstResource")
    source = device.row_of(arguments.pSrcResource, "input.pSrcResource")
    verdict = _judge_pair(device, arguments, to, source, mapped)
    if not verdict.succeeded or not verdict.values.get("destination_changes"):
        return verdict, None
    live = device.live[source]
    if hasattr(arguments, "SrcSubresource"):
        size = _region_bytes(live, arguments.SrcSubresource, arguments.pSrcBox)
    else:
        size = live.layout.texel_bytes
    rule = "d3d11.P5.9" if device.live[to].resource.usage == Usage.STAGING else "d3d11.P5.12"
    text = f"{size:,} B were copied from {arguments.pSrcResource} to {arguments.pDstResource}."
    return verdict, CopyJob(source, to, size, size, rule, text)


def _judge_pair(device: D3D11Device, arguments: Any, to: int, source: int, mapped: tuple[bool, bool]) -> Verdict:
    """Judge a call that goes from one resource to another."""
    state = rules.State11(
        resource=device.live[to].resource,
        source=device.live[source].resource,
        same=to == source,
        destination_mapped=mapped[0],
        source_mapped=mapped[1],
    )
    return rules.judge(arguments, state, device.runtime)


def resolve_job(device: D3D11Device, arguments: api.ResolveSubresource, mapped: tuple[bool, bool]) -> Judged:
    """Judge ResolveSubresource: the GPU reads every sample and writes one texel for each group of them."""
    to = device.row_of(arguments.pDstResource, "input.pDstResource")
    source = device.row_of(arguments.pSrcResource, "input.pSrcResource")
    verdict = _judge_pair(device, arguments, to, source, mapped)
    if not verdict.succeeded:
        return verdict, None
    read = _region_bytes(device.live[source], arguments.SrcSubresource, None)
    written = _region_bytes(device.live[to], arguments.DstSubresource, None)
    samples = device.live[source].resource.samples
    text = (
        f"{read:,} B of {samples} samples in {arguments.pSrcResource} became {written:,} B in {arguments.pDstResource}."
    )
    return verdict, CopyJob(source, to, read, written, "d3d11.P5.13", text)


def mips_job(device: D3D11Device, arguments: api.GenerateMips) -> Judged:
    """Judge GenerateMips: each level that the view shows is read, and the next one written from it."""
    row = device.state.find(arguments.pShaderResourceView, "view", where="input.pShaderResourceView")[1]
    live = device.live[row]
    verdict = rules.judge(arguments, rules.State11(resource=live.resource), device.runtime)
    if not verdict.succeeded or not verdict.values.get("destination_changes"):
        return verdict, None
    parts = [live.layout.subresources[index] for index in device.views[arguments.pShaderResourceView][2]]
    first, last = min(part.mip for part in parts), max(part.mip for part in parts)
    read = sum(_bytes(live, part.index) for part in parts if part.mip < last)
    written = sum(_bytes(live, part.index) for part in parts if part.mip > first)
    name = device.state.resource_names[row]
    text = f"{name}: levels {first + 1} to {last}, {written:,} B, were made from those above them."
    return verdict, CopyJob(row, row, read, written, "d3d11.P5.14", text)


def store(device: D3D11Device, job: CopyJob) -> None:
    """Let the CPU put an application's bytes where the GPU will fetch them: the call does not wait."""
    if job.source < 0 and job.waits:
        device.spend(cpu=cost.cpu_ns(job.written_bytes, "WC", reads=False))


def run(device: D3D11Device, job: CopyJob) -> None:
    """Let the GPU do the work; what lies across the bus costs transfer time, the rest GPU time."""
    for row in dict.fromkeys((job.source, job.to)):
        if row >= 0 and not device.bring_in(row):
            return
    state = device.state
    name = state.resource_names[job.to]
    where = device.segment_of(job.to).name
    if job.source < 0:
        d3d11_memory.upload(device, name, where, job.written_bytes, job.text, job.rule)
        device.mark_used(job.to)
        return
    state.log.add(EventKind.CHANGED, name, where, job.written_bytes, rule=job.rule, text=job.text)
    bus = state.adapter.bus
    for row, size, rate in (
        (job.source, job.read_bytes, bus.to_gpu_bytes_per_s),
        (job.to, job.written_bytes, bus.from_gpu_bytes_per_s),
    ):
        gpu, transfer = cost.side_ns(size, device.segment_of(row), rate)
        device.spend(gpu=gpu, transfer=transfer)
        device.mark_used(row)


def _bytes(live: Live, index: int) -> int:
    part = live.layout.subresources[index]
    return part.size_bytes - part.padding_bytes


def _region_bytes(live: Live, index: int, box: api.D3D11_BOX | None) -> int:
    """Return the bytes of a box of a subresource; a box lies on whole blocks, or ends where the level does."""
    part = live.layout.subresources[index]
    size = _bytes(live, index)
    if box is None:
        return size
    texels = (box.right - box.left) * (box.bottom - box.top) * (box.back - box.front)
    return min(size * texels // max(part.width * part.height * part.depth, 1), size)
