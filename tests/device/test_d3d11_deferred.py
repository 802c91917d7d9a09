"""Deferred contexts and command lists of D3D11: recorded now, done when the list is executed."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.device import cost
from explorer.device.d3d11 import D3D11Device
from explorer.errors import CallError
from explorer.sim.reference_uses import uses_of
from tests.device.test_d3d11_usages import MIB, rules
from tests.sim.test_d3d11_device import Rig

DISCARD, APPEND, READ = (f"D3D11_MAP_{kind}" for kind in ("WRITE_DISCARD", "WRITE_NO_OVERWRITE", "READ"))


class Deferred(Rig):
    """A device with a deferred context."""

    def __init__(self, adapter_id: str = "hd7970") -> None:
        super().__init__(adapter_id)
        assert self.call("CreateDeferredContext", {}, "Context").succeeded

    def later(self, call: str, inputs: dict[str, Any]) -> Any:
        return self.call(call, {**inputs, "This": "Context"})

    def write(self, name: str, how: str = DISCARD) -> Any:
        outcome = self.later("Map", {"pResource": name, "MapType": how})
        if outcome.succeeded:
            self.later("Unmap", {"pResource": name})
        return outcome

    def finish(self, name: str = "List") -> None:
        assert self.call("FinishCommandList", {"This": "Context"}, name).succeeded

    def execute(self, name: str = "List") -> Any:
        return self.call("ExecuteCommandList", {"pCommandList": name})

    def used_frame(self, name: str) -> int:
        return int(self.state.resources["used_frame"][self.state.objects[name][1]])

    def version(self, name: str) -> tuple[int, int]:
        assert isinstance(self.device, D3D11Device)
        live = self.device.live[self.state.objects[name][1]]
        return live.heap, live.block


@pytest.mark.parametrize(
    ("types", "codes", "rule"),
    [
        ((DISCARD, APPEND, APPEND), ("S_OK", "S_OK", "S_OK"), None),
        ((APPEND,), ("D3D11_ERROR_DEFERRED_CONTEXT_MAP_WITHOUT_INITIAL_DISCARD",), "d3d11.M4.8.first"),
        ((DISCARD, READ), ("S_OK", "E_INVALIDARG"), "d3d11.M4.2.read"),
    ],
)
def test_that_a_deferred_context_discards_first_and_then_appends(
    types: tuple[str, ...], codes: tuple[str, ...], rule: str | None
) -> None:
    rig = Deferred()
    rig.buffer("B", "DYNAMIC")
    outcomes = [rig.write("B", kind) for kind in types]
    assert tuple(outcome.hr for outcome in outcomes) == codes
    if rule is not None:
        assert rule in {reason.rule for reason in outcomes[-1].reasons}


def test_that_a_staging_resource_is_not_mapped_on_a_deferred_context() -> None:
    rig = Deferred()
    rig.buffer("S", "STAGING")
    assert "d3d11.M4.8" in {reason.rule for reason in rig.write("S", READ).reasons}


def test_that_each_list_begins_with_a_discard_of_its_own() -> None:
    rig = Deferred()
    rig.buffer("B", "DYNAMIC")
    assert rig.write("B").succeeded
    rig.finish()
    assert rig.write("B", APPEND).hr == "D3D11_ERROR_DEFERRED_CONTEXT_MAP_WITHOUT_INITIAL_DISCARD"


def test_that_recorded_work_reaches_the_gpu_when_the_list_is_executed() -> None:
    rig = Deferred()
    rig.buffer("T", "DEFAULT", size=MIB)
    rig.call("Present", {})
    before = rig.state.times.gpu
    assert rig.later("Draw", {"references": ["T"]}).succeeded
    rig.finish()
    assert rig.used_frame("T") == -1
    assert rig.state.times.gpu == before
    for count in (1, 2):
        rig.execute()
        assert rig.used_frame("T") == 1
        whole = cost.transfer_ns(MIB, rig.state.segments[rig.state.segments_in("LOCAL")[0]].bandwidth)
        assert rig.state.times.gpu == before + count * whole


def test_that_a_recorded_discard_switches_memory_when_the_list_is_executed() -> None:
    rig = Deferred()
    rig.buffer("B", "DYNAMIC")
    rig.call("Draw", {"references": ["B"]})
    own = rig.version("B")
    assert rules(rig.write("B"), "renamed") == ["d3d11.D10.4"]
    rig.later("Draw", {"references": ["B"]})
    rig.finish()
    assert rig.version("B") == own
    assert rig.versions("B") == 2
    rig.execute()
    recorded = rig.version("B")
    assert recorded != own
    rig.map("B", "WRITE_DISCARD")
    assert rig.version("B") not in (own, recorded), "the GPU still reads both"
    rig.execute()
    assert rig.version("B") == recorded


def test_that_memory_of_a_list_is_never_handed_out_again_while_it_lives() -> None:
    rig = Deferred()
    rig.buffer("B", "DYNAMIC")
    rig.write("B")
    rig.later("Draw", {"references": ["B"]})
    rig.finish()
    rig.execute()
    recorded = rig.version("B")
    seen: set[tuple[int, int]] = set()
    for _ in range(8):
        rig.map("B", "WRITE_DISCARD")
        rig.call("Draw", {"references": ["B"]})
        seen.add(rig.version("B"))
        rig.call("Present", {})
    assert recorded not in seen
    rig.call("Release", {"pObject": "List"})
    for _ in range(8):
        rig.map("B", "WRITE_DISCARD")
        rig.call("Draw", {"references": ["B"]})
        seen.add(rig.version("B"))
        rig.call("Present", {})
    assert recorded in seen


def test_that_residency_is_decided_when_the_list_is_executed() -> None:
    rig = Deferred("hd4000")
    rig.buffer("T", "DEFAULT", size=MIB)
    rig.later("Draw", {"references": ["T"]})
    rig.finish()
    assert isinstance(rig.device, D3D11Device)
    heap = rig.version("T")[0]
    assert rig.device.kernel.page_out(rig.device, heap, "kernel.paging", "for this test")
    assert "paged_in" in {event.kind for event in rig.execute().events}
    assert rig.state.heaps["resident"][heap]


def test_that_copies_and_updates_are_recorded_with_their_bytes() -> None:
    rig = Deferred()
    for name in ("A", "B"):
        rig.buffer(name, "DEFAULT", size=MIB)
    assert not rig.later("UpdateSubresource", {"pDstResource": "A"}).events
    assert not rig.later("CopyResource", {"pDstResource": "B", "pSrcResource": "A"}).events
    rig.finish()
    done = [(event.rule, event.subject, event.size_bytes) for event in rig.execute().events]
    assert done[:2] == [("d3d11.P5.7", "A", MIB), ("d3d11.P5.12", "B", MIB)]


def test_that_a_list_keeps_what_it_uses_alive() -> None:
    rig = Deferred()
    rig.buffer("T", "DEFAULT", size=MIB)
    rig.later("Draw", {"references": ["T"]})
    rig.finish()
    assert [event.rule for event in rig.call("Release", {"pObject": "T"}).events] == ["d3d11.D10.5"]
    with pytest.raises(CallError):
        rig.call("Draw", {"references": ["T"]})
    assert rig.buffer("T", "DEFAULT").succeeded
    assert rig.execute().succeeded
    freed = rig.call("Release", {"pObject": "List"})
    assert {"released", "freed"} <= {event.kind for event in freed.events}
    assert rig.call("Draw", {"references": ["T"]}).succeeded
    for name in ("T", "Context"):
        rig.call("Release", {"pObject": name})
    assert all(segment.held == 0 for segment in rig.state.segments)


def test_that_every_version_is_freed_with_resource_and_list() -> None:
    rig = Deferred()
    rig.buffer("B", "DYNAMIC")
    for _ in range(3):
        rig.write("B")
        rig.later("Draw", {"references": ["B"]})
    rig.finish()
    rig.execute()
    rig.call("Release", {"pObject": "B"})
    rig.call("Release", {"pObject": "List"})
    assert all(segment.held == 0 for segment in rig.state.segments)
    assert all(group.usage == 0 for group in rig.state.groups.values())


def test_that_a_list_without_a_name_gives_its_memory_back() -> None:
    rig = Deferred()
    rig.buffer("B", "DYNAMIC")
    rig.write("B")
    rig.call("FinishCommandList", {"This": "Context"})
    rig.call("Release", {"pObject": "B"})
    assert all(segment.held == 0 for segment in rig.state.segments)


def test_that_a_mapped_resource_is_not_executed() -> None:
    rig = Deferred()
    rig.buffer("B", "DYNAMIC")
    rig.later("Draw", {"references": ["B"]})
    rig.finish()
    rig.call("Map", {"pResource": "B", "MapType": DISCARD})
    assert rig.execute().reasons[0].rule == "d3d11.D10.2"
    rig.later("Map", {"pResource": "B", "MapType": DISCARD})
    assert rig.later("Draw", {"references": ["B"]}).reasons[0].rule == "d3d11.D10.2"


def test_that_a_copy_of_the_device_records_for_itself() -> None:
    rig = Deferred()
    rig.buffer("B", "DYNAMIC")
    rig.write("B")
    other = rig.device.copy()
    rig.later("Draw", {"references": ["B"]})
    rig.finish()
    assert isinstance(other, D3D11Device)
    assert not list(other.recordings.of["Context"].uses())
    assert "List" not in other.recordings.of


def test_that_the_laboratory_counts_a_draw_when_its_list_is_executed() -> None:
    rig = Deferred()
    rig.buffer("T", "DEFAULT")
    seen: list[tuple[str, int, int]] = []
    rig.device.observer = lambda device, record, arguments: seen.extend(uses_of(device, record, arguments))
    rig.later("Draw", {"references": ["T"]})
    rig.finish()
    assert seen == []
    rig.execute()
    assert seen == [("resource", rig.state.objects["T"][1], 0)]


def test_that_a_context_must_be_deferred_and_alive() -> None:
    rig = Deferred()
    rig.buffer("T", "DEFAULT")
    for name in ("T", "none"):
        with pytest.raises(CallError, match=r"input\.This"):
            rig.call("Draw", {"references": ["T"], "This": name})
