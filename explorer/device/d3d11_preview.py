"""What a D3D10/11/XG creation call would do now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.core.d3d11_enums import Usage
from explorer.core.verdicts import Verdict
from explorer.device import cost, d3d11_memory, preview_texts
from explorer.device.device import NOT_SIMULATED, not_simulated_reason
from explorer.device.outcome import AccessRow, Ghost, Preview
from explorer.memory.allocators.protocol import Refusal
from explorer.rules import d3d11 as rules

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.device.d3d11 import D3D11Device
    from explorer.device.d3d11_memory import Live


def preview(device: D3D11Device, record: CallRecord, arguments: Any) -> Preview:
    """Return the verdict, size, place and cost of a creation call; nothing is changed."""
    if not isinstance(arguments, rules.CreateCall):
        return Preview(record, Verdict(NOT_SIMULATED, (not_simulated_reason(record.call),)))
    verdict = rules.judge(arguments, rules.NO_STATE, device.runtime)
    if not verdict.succeeded:
        return Preview(record, verdict)
    live = d3d11_memory.describe(device, rules.resource_of(arguments.pDesc))
    layout, place = live.layout, live.place
    why = f"{place.usage} on a {place.adapter} adapter: {place.memory}."
    access = _access(device, live)
    refusal: Refusal | None = None
    state = device.state
    for group in (place.segment, "LOCAL"):
        for index in state.segments_in(group):
            segment = state.segments[index]
            planned = segment.plan(layout.size_bytes, layout.alignment)
            if isinstance(planned, Refusal):
                refusal = planned
                continue
            after = preview_texts.after_taking(state, segment, planned.held)
            ghost = Ghost(index, -1, planned.address, layout.size_bytes, int(d3d11_memory.kind_of(live.resource)))
            return Preview(record, verdict, layout, segment.name, why, ghost, "", after, access)
    text = refusal.text() if refusal else f"This adapter has no {place.segment} memory."
    return Preview(record, verdict, layout, place.segment, why, None, text, "", access)


_GPU_WORDS = {None: "no", 0: "fast", 1: "fast", 2: "over the bus", 3: "copy only"}
_CPU_WORDS = {None: "no", 0: "fast", 1: "fast", 3: "slow (write-combined)", 4: "very slow (write-combined)"}
_COPIES = "copy only"


def _access(device: D3D11Device, live: Live) -> tuple[AccessRow, ...]:
    state, place, size = device.state, live.place, live.layout.size_bytes
    segments = state.segments_in(place.segment) or state.segments_in("LOCAL")
    gpu = cost.transfer_ns(size, state.segments[segments[0]].bandwidth) if segments else -1
    cpu = -1 if place.caching == "none" else cost.cpu_ns(size, device.caching_of(live), reads=place.cpu_write is None)
    usage = live.resource.usage
    reads, writes = _GPU_WORDS[place.gpu_read], _GPU_WORDS[place.gpu_write]
    if usage == Usage.STAGING:
        # In whatever memory it lies, the pipeline never reaches it (U1.7).
        reads = writes = _COPIES
    cpu_reads = _CPU_WORDS[place.cpu_read]
    if usage == Usage.DYNAMIC and device.caching_of(live) == "WB":
        cpu_reads = "cached, contents not promised"
    return (
        AccessRow("GPU", reads, writes, gpu),
        AccessRow("CPU", cpu_reads, _CPU_WORDS[place.cpu_write], cpu),
        preview_texts.bus_row(state, size),
    )
