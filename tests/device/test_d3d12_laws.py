"""What stays true of the D3D12 device whatever is called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.calls import CallRecord
from explorer.core.kinds import BlockState
from explorer.device import make_device
from explorer.device.memory_state import MemoryState
from explorer.errors import ExplorerError
from explorer.sim.sums import sum_bytes
from explorer.tables.adapters import adapter
from tests.sim.test_d3d12_device import MIB, Rig, buffer

NAMES = [f"N{i}" for i in range(6)]
name = st.sampled_from(NAMES)
size = st.sampled_from((65536, MIB, 3 * MIB + 1))
heap_type = st.sampled_from(("DEFAULT", "UPLOAD", "GPU_UPLOAD"))


def heap(of: str, bytes_: int, kind: str, flags: tuple[str, ...]) -> tuple[str, dict[str, Any], str]:
    desc = {
        "SizeInBytes": bytes_, "Properties": {"Type": f"D3D12_HEAP_TYPE_{kind}"},
        "Flags": [f"D3D12_HEAP_FLAG_{flag}" for flag in ("ALLOW_ONLY_BUFFERS", *flags)],
    }  # fmt: skip
    return "CreateHeap", {"pDesc": desc}, of


def committed(of: str, bytes_: int, kind: str) -> tuple[str, dict[str, Any], str]:
    inputs: dict[str, Any] = {"pHeapProperties": {"Type": f"D3D12_HEAP_TYPE_{kind}"}, "pDesc": buffer(bytes_)}
    if kind == "UPLOAD":
        inputs["InitialResourceState"] = "D3D12_RESOURCE_STATE_GENERIC_READ"
    return "CreateCommittedResource", inputs, of


def call(kind: str, *args: st.SearchStrategy[Any], **inputs: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    del args
    return st.fixed_dictionaries(inputs).map(lambda made: (kind, made, None))


CALLS = st.one_of(
    st.builds(heap, name, size, heap_type, st.sampled_from(((), ("CREATE_NOT_RESIDENT",)))),
    st.builds(committed, name, size, heap_type),
    st.builds(lambda of, at, n: ("CreatePlacedResource", {"pHeap": at, "pDesc": buffer(n)}, of), name, name, size),
    st.builds(lambda of, n: ("CreateReservedResource", {"pDesc": buffer(n)}, of), name, size),
    st.builds(
        lambda of, where, first, n: (
            "UpdateTileMappings",
            {"pResource": of, "pHeap": where, "pResourceRegionStartCoordinates": [{"X": first}],
             "pResourceRegionSizes": [{"NumTiles": n}]},
            None,
        ),
        name, name, st.integers(0, 20), st.integers(1, 20),
    ),
    call("Release", pObject=name),
    call("MakeResident", ppObjects=st.lists(name, max_size=3)),
    call("Evict", ppObjects=st.lists(name, max_size=2)),
    call("ExecuteCommandLists", references=st.lists(name, max_size=4, unique=True)),
    call("SetResidencyPriority", ppObjects=st.tuples(name), pPriorities=st.tuples(st.integers(0, 2**32 - 1))),
    st.builds(
        lambda of, n: ("CreateQueryHeap", {"pDesc": {"Type": "D3D12_QUERY_HEAP_TYPE_TIMESTAMP", "Count": n}}, of),
        name, st.integers(0, 100_000),
    ),
    st.builds(lambda of, what: (what, {}, of), name, st.sampled_from(("CreateFence", "CreateCommandQueue"))),
    st.builds(
        lambda names, fence, value, flag: (
            "EnqueueMakeResident",
            {"ppObjects": names, "Flags": flag, "pFenceToSignal": fence, "FenceValueToSignal": value},
            None,
        ),
        st.lists(name, max_size=2), name, st.integers(0, 4),
        st.sampled_from(("D3D12_RESIDENCY_FLAG_NONE", "D3D12_RESIDENCY_FLAG_DENY_OVERBUDGET")),
    ),
    st.builds(
        lambda what, queue, fence, value: (what, {"pCommandQueue": queue, "pFence": fence, "Value": value}, None),
        st.sampled_from(("Signal", "Wait")), name, name, st.integers(0, 4),
    ),
    call("SetEventOnCompletion", pFence=name, Value=st.integers(0, 4)),
    call("ExecuteCommandLists", references=st.lists(name, max_size=2, unique=True), pCommandQueue=name),
    st.just(("Present", {}, None)),
    st.sampled_from(("budget", "app_policy", "residency_mode", "trim", "policy")).flatmap(
        lambda option: st.sampled_from({
            "budget": ("LOCAL=0", "LOCAL=2MiB", "LOCAL=64MiB", "NON_LOCAL=1MiB", "NON_LOCAL=64MiB"),
            "app_policy": ("none", "d3dx12", "translation-layer"),
            "residency_mode": ("library", "simple", "advanced"),
            "trim": ("periodic", "restart", "to-budget", "to-budget=1MiB"),
            "policy": ("lru", "priority-lru", "clock", "s3-fifo"),
        }[option]).map(lambda value: (option, value, "option"))
    ),
)  # fmt: skip


def check_timeline(rig: Rig) -> None:
    device: Any = rig.device
    timeline = device.timeline
    assert set(timeline.heaps) == timeline.running
    assert all(number < timeline.submitted for number in timeline.running)
    assert timeline.paged_ns is None
    ends = [one.done_ns for one in timeline.paging]
    assert ends == sorted(ends), "one paging operation after the other"


def check(state: MemoryState) -> None:
    usage = dict.fromkeys(state.groups, 0)
    heaps = state.heaps
    for row in heaps:
        place = state.segments[int(heaps["segment"][row])]
        if heaps["resident"][row]:
            assert (place.node, place.group) in usage, "resident bytes lie where the GPU reaches them"
            usage[place.node, place.group] += int(heaps["size"][row])
    for key, group in state.groups.items():
        assert group.usage == usage[key]
        assert group.over == (group.over_budget_bytes > 0)
    sums = sum_bytes(state)
    for index, segment in enumerate(state.segments):
        segment.validate()
        assert sums.used[index] + sum(sums.padding[index]) + sums.free_in_heaps[index] == segment.held
    blocks = state.blocks
    for row in np.flatnonzero(blocks.live).tolist():
        at = int(blocks["heap"][row])
        assert int(blocks["segment"][row]) == int(heaps["segment"][at])
        resident = bool(blocks["state"][row] & int(BlockState.RESIDENT))
        assert resident == bool(heaps["resident"][at])
        assert blocks["offset"][row] + blocks["size"][row] <= heaps["size"][at]


def play(rig: Rig, steps: list[tuple[str, Any, str | None]]) -> list[str]:
    answers: list[str] = []
    for what, inputs, out in steps:
        try:
            if out == "option":
                rig.device.set_option(what, inputs)
            elif out is None or out not in rig.state.objects:
                answers.append(rig.call(what, inputs, out).hr)
        except ExplorerError as error:
            answers.append(str(error))
    return answers


@pytest.mark.parametrize("adapter_id", ["rtx3060-laptop", "radeon680m", "gtx970"])
@given(st.lists(CALLS, max_size=40))
@settings(deadline=None, max_examples=60)
def test_that_bytes_are_conserved_whatever_is_called(adapter_id: str, steps: list[tuple[str, Any, str | None]]) -> None:
    rig = Rig(adapter_id)
    for step in steps:
        over = {key: group.over_budget_bytes for key, group in rig.state.groups.items()}
        play(rig, [step])
        check(rig.state)
        check_timeline(rig)
        if step[0] == "EnqueueMakeResident" and step[1]["Flags"].endswith("DENY_OVERBUDGET"):
            assert all(group.over_budget_bytes <= over[key] for key, group in rig.state.groups.items())
    for one in list(rig.state.objects):
        play(rig, [("Release", {"pObject": one}, None)])
    assert all(segment.held == 0 for segment in rig.state.segments)
    assert all(group.usage == 0 for group in rig.state.groups.values())


@given(st.lists(CALLS, max_size=20), st.lists(CALLS, max_size=20))
@settings(deadline=None, max_examples=40)
def test_that_a_copy_goes_on_as_the_original(first: list[Any], second: list[Any]) -> None:
    rig = Rig()
    play(rig, first)
    kept = rig.device.copy()
    wanted = play(rig, second)
    times = rig.state.log.time_ns
    other = Rig.__new__(Rig)
    other.state, other.device = kept.state, kept
    assert play(other, second) == wanted
    assert other.state.log.time_ns == times
    assert other.state.log.counts == rig.state.log.counts
    check(other.state)


def test_that_a_reservation_is_bounded_and_never_raises_the_budget() -> None:
    rig = Rig()
    group = "DXGI_MEMORY_SEGMENT_GROUP_LOCAL"
    before = rig.call("QueryVideoMemoryInfo", {"MemorySegmentGroup": group}).values
    available = before["AvailableForReservation"]
    assert isinstance(available, int)
    assert rig.call("SetVideoMemoryReservation", {"Reservation": available}).succeeded
    after = rig.call("QueryVideoMemoryInfo", {"MemorySegmentGroup": group}).values
    assert after["CurrentReservation"] == available
    assert after["Budget"] == before["Budget"]
    assert not rig.call("SetVideoMemoryReservation", {"Reservation": available + 1}).succeeded
    rig.device.set_option("budget", "LOCAL=1GiB")
    smaller = rig.call("QueryVideoMemoryInfo", {"MemorySegmentGroup": group}).values
    assert smaller["AvailableForReservation"] == ((1 << 30) + (256 << 20)) // 2


def test_that_a_device_without_memory_left_says_so() -> None:
    state = MemoryState(adapter("rtx3060-laptop"), "tlsf")
    device = make_device("d3d12", state, {})
    for segment in state.segments:
        segment.take(segment.free_bytes)
    kind, inputs, out = heap("H", MIB, "DEFAULT", ())
    outcome = device.apply(CallRecord("d3d12", kind, inputs, out))
    assert outcome.hr == "E_OUTOFMEMORY"
    assert outcome.values["requested_bytes"] == MIB


def test_that_inputs_that_are_spelled_alike_are_decoded_once_and_others_apart() -> None:
    from explorer.device.decoded_calls import decode_known
    from explorer.errors import CallError

    one, same = (CallRecord("d3d12", "Evict", {"ppObjects": ["A"]}) for _ in range(2))
    assert decode_known(one) is decode_known(same)
    assert decode_known(CallRecord("d3d12", "Evict", {"ppObjects": ["B"]})).ppObjects == ("B",)
    for _ in range(2):
        with pytest.raises(CallError):
            decode_known(CallRecord("d3d12", "Evict", {"ppObjects": [1]}))
    long = {"ppObjects": [f"Object {i}" for i in range(1000)]}
    assert len(decode_known(CallRecord("d3d12", "Evict", long)).ppObjects) == 1000
