"""Command queues, fences and paging in the background: how a D3D12 application knows what the GPU has finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.core.events import EventKind
from explorer.core.verdicts import Verdict
from explorer.device import cost, d3d12_residency
from explorer.device.d3d12_common import ok, reason
from explorer.device.d3d12_timeline import Mark, Queue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.core import d3d12 as api
    from explorer.core import d3d12_commands as commands
    from explorer.core.calls import CallRecord
    from explorer.device.d3d12 import D3D12Device


def create_queue(device: D3D12Device, arguments: commands.CreateCommandQueue, record: CallRecord) -> Verdict:
    """CreateCommandQueue."""
    if not is_node(device, arguments.pDesc.NodeMask):
        return device.refuse(record, Verdict("E_INVALIDARG", (reason("d3d12.1.6c"),)))
    name = record.out or record.call
    device.timeline.queues[name] = Queue((arguments.pDesc.NodeMask or 1).bit_length() - 1)
    device.state.bind(name, "command_queue", -1)
    return ok("device.fence")


def create_fence(device: D3D12Device, arguments: commands.CreateFence, record: CallRecord) -> Verdict:
    """CreateFence."""
    name = record.out or record.call
    device.timeline.fences[name] = arguments.InitialValue
    device.state.bind(name, "fence", -1)
    return ok("device.fence")


def signal(device: D3D12Device, arguments: commands.Signal, record: CallRecord) -> Verdict:
    """Signal: by a queue when everything before is done, by the CPU at once."""
    del record
    _find(device, arguments.pFence)
    if arguments.pCommandQueue is None:
        device.timeline.fences[arguments.pFence] = arguments.Value
    else:
        _queue(device, arguments.pCommandQueue).items.append(Mark(arguments.pFence, arguments.Value, waits=False))
    advance(device)
    return Verdict("S_OK", (reason("device.fence"), reason("device.in-flight")))


def wait(device: D3D12Device, arguments: commands.Wait, record: CallRecord) -> Verdict:
    """Wait: what the queue is given from now on begins when the fence has the value."""
    del record
    _find(device, arguments.pFence)
    queue = _queue(device, arguments.pCommandQueue)
    queue.items.append(Mark(arguments.pFence, arguments.Value, waits=True))
    queue.waited[arguments.pFence] = max(arguments.Value, queue.waited.get(arguments.pFence, 0))
    advance(device)
    return ok("device.fence")


def wait_on_cpu(device: D3D12Device, arguments: commands.SetEventOnCompletion, record: CallRecord) -> Verdict:
    """SetEventOnCompletion with a null event: the CPU stands still until the fence has the value."""
    del record
    name, value = arguments.pFence, arguments.Value
    if _find(device, name) >= value:
        return ok("device.fence")
    arrival = next((one for one in device.timeline.paging if one.fence == name and one.value >= value), None)
    if arrival is not None:
        device.spend(transfer=max(0, arrival.done_ns - device.state.log.time_ns))
        advance(device)
        return ok("kernel.paging-queue")
    if not device.timeline.finish(name, value):
        text = f"{name}: nothing on its way sets it to {value:,}; the program would wait for ever."
        device.state.log.add(EventKind.HAZARD, name, rule="device.fence-never", text=text)
        return ok("device.fence-never")
    text = f"The program waited until {name} was {value:,}."
    device.state.log.add(EventKind.STALLED, name, rule="device.fence", text=text)
    device.spend(stall=cost.FLUSH_NS)
    advance(device)
    return ok("device.fence")


def completed_value(device: D3D12Device, arguments: commands.GetCompletedValue, record: CallRecord) -> Verdict:
    """GetCompletedValue."""
    del record
    value = _find(device, arguments.pFence)
    rule = "device.fence-lost" if device.removed else "device.fence"
    return Verdict("S_OK", (reason(rule),), {"CompletedValue": value})


def enqueue_make_resident(device: D3D12Device, arguments: api.EnqueueMakeResident, record: CallRecord) -> Verdict:
    """EnqueueMakeResident: the program goes on while the bytes come in, and the fence tells when they are there."""
    names, fence = arguments.ppObjects, arguments.pFenceToSignal
    if fence is None:
        return d3d12_residency.make_resident(device, arguments, record)
    advance(device)
    _find(device, fence)
    timeline, log = device.timeline, device.state.log
    coming = d3d12_residency.evicted(device, names)
    timeline.paged_ns = 0
    try:
        verdict = d3d12_residency.make_resident(device, arguments, record)
        took = timeline.paged_ns
    finally:
        timeline.paged_ns = None
    if not verdict.succeeded:
        return verdict
    arrival = timeline.page(log.time_ns, took, fence, arguments.FenceValueToSignal, tuple(coming))
    advance(device)
    left = arrival.done_ns - log.time_ns
    when = f"in {left:,} ns" if left else "at once"
    size = sum(int(device.state.heaps["size"][row]) for row in coming)
    text = f"{fence} is {arrival.value:,} {when}: {size:,} B are there then."
    log.add(EventKind.CHANGED, fence, size=size, rule="d3d12.8.3d", text=text)
    return Verdict(verdict.hr, (*verdict.reasons, reason("kernel.paging-queue")), verdict.values)


def advance(device: D3D12Device) -> None:
    """Set the fences that are reached by now."""
    device.timeline.advance(device.state.log.frame, device.state.log.time_ns)


def is_here(device: D3D12Device, heap: int, queue: str) -> bool:
    """Return whether work on a queue may use a heap that was being paged in; the GPU waits where the queue does."""
    arrival = device.timeline.arriving(heap)
    if arrival is None or arrival.done_ns <= device.state.log.time_ns:
        return True
    if device.timeline.queue(queue).waited.get(arrival.fence, -1) < arrival.value:
        return False
    device.spend(transfer=arrival.done_ns - device.state.log.time_ns)
    advance(device)
    return True


def queue_of(arguments: api.ExecuteCommandLists) -> str:
    """Return the name of a submission's queue; one of each type is there without a call."""
    return arguments.pCommandQueue or f"({arguments.queue.name} queue)"


def node_of(device: D3D12Device, arguments: api.ExecuteCommandLists) -> int:
    """Return the node that a submission runs on."""
    if arguments.pCommandQueue is not None:
        return _queue(device, arguments.pCommandQueue).node
    return (arguments.NodeMask or 1).bit_length() - 1


def release(device: D3D12Device, name: str, kind: str) -> None:
    """Release a queue or a fence."""
    if kind == "fence":
        del device.timeline.fences[name]
    else:
        # What it was given is finished all the same.
        for item in device.timeline.queues.pop(name).items:
            device.timeline.done(getattr(item, "number", -1))


def is_node(device: D3D12Device, mask: int) -> bool:
    """Return whether a mask names exactly one existing node; 0 means the first (rules 1.6)."""
    return mask == 0 or (mask.bit_count() == 1 and mask.bit_length() <= device.runtime.node_count)


def _find(device: D3D12Device, name: str) -> int:
    device.state.find(name, "fence", where="input.pFence")
    advance(device)
    return device.timeline.fences[name]


def _queue(device: D3D12Device, name: str) -> Queue:
    device.state.find(name, "command_queue", where="input.pCommandQueue")
    return device.timeline.queues[name]


HANDLERS: Mapping[str, Callable[[Any, Any, CallRecord], Verdict]] = {
    "CreateCommandQueue": create_queue,
    "CreateFence": create_fence,
    "Signal": signal,
    "Wait": wait,
    "SetEventOnCompletion": wait_on_cpu,
    "GetCompletedValue": completed_value,
    "EnqueueMakeResident": enqueue_make_resident,
}
