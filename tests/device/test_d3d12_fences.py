"""Queues, fences and paging in the background: how an application knows what the GPU has finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.device.d3d12_timeline import LOST_VALUE, Mark, Timeline
from tests.sim.test_d3d12_device import MIB, Rig

if TYPE_CHECKING:
    from explorer.device.outcome import Outcome

EVICTED = ("ALLOW_ONLY_BUFFERS", "CREATE_NOT_RESIDENT")


def make(size: int = 64 * MIB) -> Rig:
    """Return a device with a queue, a fence and an evicted heap."""
    rig = Rig()
    rig.call("CreateCommandQueue", {}, "Queue")
    rig.call("CreateFence", {}, "Fence")
    rig.heap("H", size, flags=EVICTED)
    return rig


def run(rig: Rig, *names: str, queue: str | None = "Queue") -> Outcome:
    return rig.call("ExecuteCommandLists", {"references": list(names), "pCommandQueue": queue})


def signal(rig: Rig, value: int, queue: str | None = "Queue") -> Outcome:
    return rig.call("Signal", {"pCommandQueue": queue, "pFence": "Fence", "Value": value})


def wait(rig: Rig, value: int, queue: str = "Queue") -> Outcome:
    return rig.call("Wait", {"pCommandQueue": queue, "pFence": "Fence", "Value": value})


def reached(rig: Rig) -> object:
    return rig.call("GetCompletedValue", {"pFence": "Fence"}).values["CompletedValue"]


def enqueue(rig: Rig, *names: str, value: int = 1, flags: str = "NONE") -> Outcome:
    return rig.call("EnqueueMakeResident", {
        "ppObjects": list(names), "Flags": f"D3D12_RESIDENCY_FLAG_{flags}", "pFenceToSignal": "Fence",
        "FenceValueToSignal": value,
    })  # fmt: skip


def on_cpu(rig: Rig, value: int) -> Outcome:
    return rig.call("SetEventOnCompletion", {"pFence": "Fence", "Value": value})


def hazards(outcome: Outcome) -> list[str]:
    return [event.rule for event in outcome.events if event.kind == "hazard"]


def test_that_a_queue_signals_when_the_gpu_is_done_two_frames_later() -> None:
    rig = make()
    rig.heap("A", MIB)
    run(rig, "A")
    signal(rig, 7)
    found = [reached(rig)]
    for _ in range(2):
        rig.call("Present", {})
        found.append(reached(rig))
    assert found == [0, 0, 7]


def test_that_a_signal_with_nothing_before_it_and_one_of_the_cpu_come_at_once() -> None:
    rig = make()
    signal(rig, 3)
    assert reached(rig) == 3
    signal(rig, 5, queue=None)
    assert reached(rig) == 5


def test_that_a_wait_of_the_cpu_stalls_and_finishes_what_came_before() -> None:
    rig = make()
    rig.heap("A", MIB)
    run(rig, "A")
    signal(rig, 1)
    before = rig.state.times.stall
    waited = on_cpu(rig, 1)
    assert [event.kind for event in waited.events] == ["stalled"]
    assert rig.state.times.stall > before
    assert reached(rig) == 1
    assert hazards(rig.call("Evict", {"ppObjects": ["A"]})) == []
    before = rig.state.times.stall
    assert on_cpu(rig, 1).events == ()
    assert rig.state.times.stall == before


def test_that_a_queue_waits_for_another_and_both_are_finished_by_one_wait() -> None:
    rig = make()
    rig.call("CreateCommandQueue", {"pDesc": {"Type": "D3D12_COMMAND_LIST_TYPE_COPY"}}, "Copies")
    rig.call("CreateFence", {}, "Other")
    rig.heap("A", MIB)
    run(rig, "A", queue="Copies")
    signal(rig, 1, queue="Copies")
    wait(rig, 1)
    run(rig, "A")
    rig.call("Signal", {"pCommandQueue": "Queue", "pFence": "Other", "Value": 9})
    rig.call("SetEventOnCompletion", {"pFence": "Other", "Value": 9})
    assert reached(rig) == 1
    assert rig.call("GetCompletedValue", {"pFence": "Other"}).values["CompletedValue"] == 9


@pytest.mark.parametrize("waits", [False, True])
def test_that_a_queue_that_waits_for_ever_is_not_done_after_any_frames(waits: bool) -> None:
    rig = make()
    rig.heap("A", MIB)
    if waits:
        wait(rig, 99)
    run(rig, "A")
    for _ in range(9):
        rig.call("Present", {})
    assert hazards(rig.call("Evict", {"ppObjects": ["A"]})) == (["d3d12.8.7"] if waits else [])


def test_that_a_wait_for_what_nobody_sets_is_a_hazard_and_does_not_hang() -> None:
    rig = make()
    assert hazards(on_cpu(rig, 4)) == ["device.fence-never"]
    wait(rig, 4)
    signal(rig, 4)
    assert hazards(on_cpu(rig, 4)) == ["device.fence-never"], "the queue waits for its own signal"
    signal(rig, 4, queue=None)
    assert hazards(on_cpu(rig, 4)) == []


def test_that_evicting_what_the_gpu_may_still_use_is_a_hazard() -> None:
    rig = make()
    rig.heap("A", MIB)
    run(rig, "A")
    rig.call("Present", {})
    assert hazards(rig.call("Evict", {"ppObjects": ["A"]})) == ["d3d12.8.7"]
    rig.call("MakeResident", {"ppObjects": ["A"]})
    for _ in range(2):
        rig.call("Present", {})
    assert hazards(rig.call("Evict", {"ppObjects": ["A"]})) == []


@pytest.mark.parametrize(("frames", "waits", "found"), [(0, False, 1), (1, False, 1), (2, False, 0), (0, True, 0)])
@pytest.mark.parametrize("kind", ["heap", "committed", "placed"])
def test_that_memory_is_released_when_the_gpu_is_done_with_it(frames: int, waits: bool, found: int, kind: str) -> None:
    rig = make()
    if kind == "committed":
        rig.committed("A", MIB)
    else:
        rig.heap("A", MIB)
    if kind == "placed":
        rig.placed("B", "A", 65536)
    run(rig, "B" if kind == "placed" else "A")
    signal(rig, 1)
    for _ in range(frames):
        rig.call("Present", {})
    if waits:
        on_cpu(rig, 1)
    released = [hazards(rig.call("Release", {"pObject": one})) for one in (["B", "A"] if kind == "placed" else ["A"])]
    assert released[-1] == ["device.released-in-use"] * found
    assert not any(released[:-1]), "a placed resource frees no memory"


def test_that_another_heap_of_the_same_row_is_not_the_one_in_use() -> None:
    rig = make()
    rig.heap("A", MIB)
    row = rig.state.objects["A"][1]
    run(rig, "A")
    rig.call("Release", {"pObject": "A"})
    rig.heap("B", MIB)
    assert rig.state.objects["B"][1] == row, "the row is used again"
    assert hazards(rig.call("Evict", {"ppObjects": ["B"]})) == []
    rig.call("MakeResident", {"ppObjects": ["B"]})
    run(rig, "B")
    assert hazards(rig.call("Evict", {"ppObjects": ["B"]})) == ["d3d12.8.7"]


def test_that_enqueue_make_resident_lets_the_program_go_on_and_signals_when_the_bytes_are_there() -> None:
    rig = make()
    bus = rig.state.adapter.bus
    took = 64 * MIB * 10**9 // bus.to_gpu_bytes_per_s
    before = rig.state.log.time_ns
    queued = enqueue(rig, "H")
    assert queued.succeeded
    assert rig.state.log.time_ns == before
    assert {"d3d12.8.3d"} <= {event.rule for event in queued.events}
    assert reached(rig) == 0
    on_cpu(rig, 1)
    assert (reached(rig), rig.state.log.time_ns - before) == (1, took)
    assert run(rig, "H").succeeded


def test_that_fences_of_enqueue_make_resident_are_set_in_the_order_of_the_calls() -> None:
    rig = make(256 * MIB)
    rig.heap("Small", 65536, flags=EVICTED)
    enqueue(rig, "H", value=1)
    enqueue(rig, "Small", value=2)
    before = rig.state.log.time_ns
    on_cpu(rig, 1)
    first = rig.state.log.time_ns
    on_cpu(rig, 2)
    assert before < first < rig.state.log.time_ns


def test_that_what_is_resident_already_is_signalled_at_once() -> None:
    rig = make()
    rig.heap("A", MIB)
    enqueue(rig, "A", value=3)
    assert reached(rig) == 3


@pytest.mark.parametrize(("waits", "hr"), [(False, "DXGI_ERROR_DEVICE_REMOVED"), (True, "S_OK")])
def test_that_work_has_to_wait_for_the_fence_of_its_paging(waits: bool, hr: str) -> None:
    rig = make()
    enqueue(rig, "H")
    if waits:
        wait(rig, 1)
    before = rig.state.times.transfer
    outcome = run(rig, "H")
    assert outcome.hr == hr
    assert (rig.state.times.transfer > before) == waits, "the GPU waits for the bytes"
    assert outcome.reasons[0].rule == ("d3d12.8.1" if waits else "d3d12.8.7")


def test_that_time_that_passes_meanwhile_hides_the_paging() -> None:
    rig = make()
    enqueue(rig, "H")
    rig.device.spend(cpu=10**9)
    before = rig.state.log.time_ns
    assert reached(rig) == 1
    on_cpu(rig, 1)
    assert rig.state.log.time_ns == before
    assert run(rig, "H").succeeded


def test_that_a_denied_call_signals_nothing() -> None:
    rig = make()
    rig.device.set_option("budget", "LOCAL=1MiB")
    assert enqueue(rig, "H", flags="DENY_OVERBUDGET").hr == "E_OUTOFMEMORY"
    rig.device.spend(cpu=10**9)
    assert reached(rig) == 0
    assert enqueue(rig, "H").succeeded
    rig.device.spend(cpu=10**9)
    assert reached(rig) == 1


def test_that_a_removed_device_sets_every_fence_and_refuses_later_calls() -> None:
    rig = make()
    run(rig, "H")
    assert reached(rig) == LOST_VALUE
    for call, inputs in (
        ("CreateCommandQueue", {}), ("CreateFence", {}), ("CreateCommandList", {}), ("Present", {}),
        ("MakeResident", {"ppObjects": ["H"]}),
    ):  # fmt: skip
        assert rig.call(call, dict(inputs), "Late").hr == "DXGI_ERROR_DEVICE_REMOVED", call
    assert signal(rig, 1).hr == "DXGI_ERROR_DEVICE_REMOVED"
    assert rig.state.log.frame == 1, "frames go on"


@pytest.mark.parametrize("mask", [2, 3])
def test_that_a_queue_belongs_to_one_node_that_exists(mask: int) -> None:
    refused = Rig().call("CreateCommandQueue", {"pDesc": {"NodeMask": mask}}, "Queue")
    assert (refused.hr, refused.reasons[0].rule) == ("E_INVALIDARG", "d3d12.1.6c")


@pytest.mark.parametrize(("adapter_id", "mask"), [("rtx3060-laptop", 2), ("linked-gtx1080x2", 4), ("rtx3080", 3)])
def test_that_lists_and_submissions_name_one_node_that_exists(adapter_id: str, mask: int) -> None:
    rig = Rig(adapter_id)
    for refused in (
        rig.call("CreateCommandList", {"nodeMask": mask}, "List"),
        rig.call("ExecuteCommandLists", {"NodeMask": mask}),
    ):
        assert (refused.hr, refused.reasons[0].rule) == ("E_INVALIDARG", "d3d12.1.6c")


@pytest.mark.parametrize(("mask", "rule"), [(1, "device.list-node"), (2, "d3d12.8.1")])
def test_that_a_list_runs_on_a_queue_of_its_node(mask: int, rule: str) -> None:
    rig = Rig("linked-gtx1080x2")
    rig.call("CreateCommandQueue", {"pDesc": {"NodeMask": 2}}, "Second")
    rig.call("CreateCommandList", {"nodeMask": mask}, "List")
    rig.call("Close", {"pCommandList": "List"})
    outcome = rig.call("ExecuteCommandLists", {"ppCommandLists": ["List"], "pCommandQueue": "Second"})
    assert outcome.reasons[0].rule == rule


def test_that_a_queue_runs_on_its_node() -> None:
    rig = Rig("linked-gtx1080x2")
    rig.call("CreateCommandQueue", {"pDesc": {"NodeMask": 2}}, "Second")
    rig.heap("A", MIB)
    assert hazards(run(rig, "A", queue="Second")) == ["kernel.not-visible"]


def test_that_released_queues_and_fences_are_gone() -> None:
    rig = make()
    rig.heap("A", MIB)
    run(rig, "A")
    rig.call("Release", {"pObject": "Queue"})
    assert hazards(rig.call("Evict", {"ppObjects": ["A"]})) == []
    enqueue(rig, "H")
    rig.call("Release", {"pObject": "Fence"})
    rig.device.spend(cpu=10**9)
    assert run(rig, "H", queue=None).succeeded


STEPS = st.lists(
    st.tuples(st.sampled_from(("run", "signal", "wait", "frame", "finish")), st.sampled_from("AB"), st.integers(1, 6)),
    max_size=30,
)


@given(STEPS)
def test_that_a_queue_keeps_its_order_and_a_copy_goes_on_alike(steps: list[tuple[str, str, int]]) -> None:
    def play(timeline: Timeline, start: int, todo: list[tuple[str, str, int]]) -> list[object]:
        frame, seen = start, list[object]()
        for what, name, value in todo:
            if what == "run":
                timeline.begin(name, 0, frame, [value])
            elif what in ("signal", "wait"):
                timeline.queue(name).items.append(Mark(name, value, waits=what == "wait"))
            elif what == "finish":
                seen.append(timeline.finish(name, value))
            frame += what == "frame"
            timeline.advance(frame, 0)
            running = [sorted(timeline.running), {one: list(q.items) for one, q in timeline.queues.items()}]
            assert all(
                item.number in timeline.running
                for queue in timeline.queues.values()
                for item in queue.items
                if not isinstance(item, Mark)
            )
            seen.append((dict(timeline.fences), running))
        return seen

    first = Timeline({"A": 0, "B": 0})
    half = len(steps) // 2
    play(first, 0, steps[:half])
    frames = sum(what == "frame" for what, _, _ in steps[:half])
    second = first.copy()
    assert play(first, frames, steps[half:]) == play(second, frames, steps[half:])
