"""The D3D12 device through calls."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from explorer.core.calls import CallRecord
from explorer.core.kinds import BlockState
from explorer.device import make_device
from explorer.device.memory_state import MemoryState
from explorer.errors import InputError
from explorer.tables.adapters import adapter

if TYPE_CHECKING:
    from explorer.device.device import Device
    from explorer.device.outcome import Outcome

MIB = 1 << 20


class Rig:
    """A device and short ways to call it."""

    def __init__(self, adapter_id: str = "rtx3060-laptop", **options: str) -> None:
        self.state = MemoryState(adapter(adapter_id), "tlsf")
        self.device: Device = make_device("d3d12", self.state, options)

    def call(self, name: str, inputs: dict[str, object], out: str | None = None) -> Outcome:
        return self.device.apply(CallRecord("d3d12", name, inputs, out))

    def heap(
        self, name: str, size: int, heap_type: str = "DEFAULT", flags: tuple[str, ...] = ("ALLOW_ONLY_BUFFERS",)
    ) -> Outcome:
        desc = {
            "SizeInBytes": size,
            "Properties": {"Type": f"D3D12_HEAP_TYPE_{heap_type}"},
            "Flags": [f"D3D12_HEAP_FLAG_{flag}" for flag in flags],
        }
        return self.call("CreateHeap", {"pDesc": desc}, name)

    def placed(self, name: str, heap: str, width: int, offset: int | None = None) -> Outcome:
        inputs: dict[str, object] = {"pHeap": heap, "pDesc": buffer(width)}
        if offset is not None:
            inputs["HeapOffset"] = offset
        return self.call("CreatePlacedResource", inputs, name)

    def committed(self, name: str, width: int, heap_type: str = "DEFAULT") -> Outcome:
        inputs: dict[str, object] = {
            "pHeapProperties": {"Type": f"D3D12_HEAP_TYPE_{heap_type}"},
            "pDesc": buffer(width),
        }
        if heap_type == "READBACK":
            inputs["InitialResourceState"] = "D3D12_RESOURCE_STATE_COPY_DEST"
        if heap_type == "UPLOAD":
            inputs["InitialResourceState"] = "D3D12_RESOURCE_STATE_GENERIC_READ"
        return self.call("CreateCommittedResource", inputs, name)

    def offset_of(self, name: str) -> int:
        row = self.state.objects[name][1]
        blocks = self.state.blocks
        return int(blocks["offset"][np.flatnonzero(blocks.live & (blocks["resource"] == row))[0]])

    def usage(self, group: str = "LOCAL") -> int:
        return self.state.groups[0, group].usage

    def marks(self, name: str) -> BlockState:
        row = self.state.objects[name][1]
        blocks = self.state.blocks
        return BlockState(int(blocks["state"][np.flatnonzero(blocks.live & (blocks["resource"] == row))[0]]))


def buffer(width: int) -> dict[str, object]:
    return {
        "Dimension": "D3D12_RESOURCE_DIMENSION_BUFFER", "Width": width, "Layout": "D3D12_TEXTURE_LAYOUT_ROW_MAJOR",
    }  # fmt: skip


def test_that_placed_buffers_start_on_64_kib_and_never_overlap_by_themselves() -> None:
    rig = Rig()
    assert rig.heap("H", 4 * MIB).succeeded
    for i in range(10):
        assert rig.placed(f"B{i}", "H", 100_000).succeeded
    offsets = sorted(rig.offset_of(f"B{i}") for i in range(10))
    assert all(offset % 65536 == 0 for offset in offsets)
    assert len(set(offsets)) == 10
    assert min(b - a for a, b in itertools.pairwise(offsets)) >= 131072


def test_that_a_full_heap_says_what_was_asked_and_what_is_free() -> None:
    rig = Rig()
    rig.heap("H", MIB)
    assert rig.placed("A", "H", MIB - 65536).succeeded
    outcome = rig.placed("B", "H", 2 * 65536)
    assert outcome.hr == "E_OUTOFMEMORY"
    assert outcome.reasons[0].rule == "product.no-hole"
    assert outcome.values["requested_bytes"] == 131072
    assert outcome.values["free_bytes"] == 65536
    assert "B" not in rig.state.objects


def test_that_overlap_is_legal_marked_and_counted_once() -> None:
    rig = Rig()
    rig.heap("H", 4 * MIB)
    rig.placed("A", "H", MIB)
    assert rig.placed("B", "H", MIB, rig.offset_of("A")).succeeded
    assert rig.marks("A") & BlockState.ALIASED
    assert rig.marks("B") & BlockState.INACTIVE
    barrier = {"Type": "D3D12_RESOURCE_BARRIER_TYPE_ALIASING", "Aliasing": {"pResourceAfter": "B"}}
    rig.call("ResourceBarrier", {"pBarriers": [barrier]})
    assert not rig.marks("B") & BlockState.INACTIVE
    assert rig.marks("A") & BlockState.INACTIVE


def test_that_shared_bytes_stay_taken_until_the_last_owner_is_gone() -> None:
    rig = Rig()
    rig.heap("H", 2 * MIB)
    rig.placed("A", "H", MIB)
    first = rig.offset_of("A")
    rig.placed("B", "H", MIB, first)
    rig.call("Release", {"pObject": "A"})
    rig.placed("C", "H", MIB)
    assert rig.offset_of("C") != first
    assert not rig.marks("B") & BlockState.ALIASED
    rig.call("Release", {"pObject": "B"})
    rig.placed("D", "H", MIB)
    assert rig.offset_of("D") == first


def test_that_using_an_inactive_resource_is_a_hazard() -> None:
    rig = Rig()
    rig.heap("H", 2 * MIB)
    rig.placed("A", "H", MIB)
    rig.placed("B", "H", MIB, rig.offset_of("A"))
    outcome = rig.call("ExecuteCommandLists", {"references": ["B"]})
    assert [event.kind for event in outcome.events if event.kind == "hazard"] == ["hazard"]


def test_that_a_heap_lives_until_its_last_placed_resource_is_released() -> None:
    rig = Rig()
    rig.heap("H", MIB)
    rig.placed("A", "H", 65536)
    rig.call("Release", {"pObject": "H"})
    assert rig.usage() == MIB
    rig.call("Release", {"pObject": "A"})
    assert rig.usage() == 0


def test_that_residency_counts_up_and_down() -> None:
    rig = Rig()
    rig.heap("H", MIB)
    rig.call("MakeResident", {"ppObjects": ["H"]})
    rig.call("Evict", {"ppObjects": ["H"]})
    assert rig.usage() == MIB
    rig.call("Evict", {"ppObjects": ["H"]})
    assert rig.usage() == 0
    rig.call("Evict", {"ppObjects": ["H"]})
    rig.call("MakeResident", {"ppObjects": ["H"]})
    assert rig.usage() == MIB


def test_that_a_placed_resource_has_no_residency_of_its_own() -> None:
    rig = Rig()
    rig.heap("H", MIB)
    rig.placed("A", "H", 65536)
    with pytest.raises(InputError, match="act on its heap"):
        rig.call("Evict", {"ppObjects": ["A"]})


def test_that_use_of_an_evicted_heap_removes_the_device() -> None:
    rig = Rig()
    rig.heap("H", MIB)
    rig.placed("A", "H", 65536)
    rig.call("Evict", {"ppObjects": ["H"]})
    outcome = rig.call("ExecuteCommandLists", {"references": ["A"]})
    assert outcome.hr == "DXGI_ERROR_DEVICE_REMOVED"
    assert rig.heap("Later", MIB).hr == "DXGI_ERROR_DEVICE_REMOVED"


def test_that_deny_over_budget_fails_and_without_it_an_event_says_so() -> None:
    rig = Rig()
    rig.device.set_option("budget", "LOCAL=1MiB")
    rig.heap("H", 2 * MIB, flags=("ALLOW_ONLY_BUFFERS", "CREATE_NOT_RESIDENT"))
    assert rig.usage() == 0
    denied = rig.call("EnqueueMakeResident", {"ppObjects": ["H"], "Flags": ["D3D12_RESIDENCY_FLAG_DENY_OVERBUDGET"]})
    assert denied.hr == "E_OUTOFMEMORY"
    assert rig.usage() == 0
    allowed = rig.call("EnqueueMakeResident", {"ppObjects": ["H"]})
    assert allowed.succeeded
    assert "over_budget" in {event.kind for event in allowed.events}


@pytest.mark.parametrize(
    ("adapter_id", "heap_type", "group"),
    [
        ("rtx3060-laptop", "DEFAULT", "LOCAL"), ("rtx3060-laptop", "UPLOAD", "NON_LOCAL"),
        ("rtx3060-laptop", "READBACK", "NON_LOCAL"), ("radeon680m", "DEFAULT", "LOCAL"),
        ("radeon680m", "UPLOAD", "LOCAL"), ("uhd630", "READBACK", "LOCAL"), ("warp", "UPLOAD", "LOCAL"),
    ],
)  # fmt: skip
def test_that_a_heap_type_counts_to_the_group_of_its_pool(adapter_id: str, heap_type: str, group: str) -> None:
    rig = Rig(adapter_id)
    assert rig.committed("B", 65536, heap_type).succeeded
    assert rig.usage(group) == 65536


def test_that_a_budget_that_shrinks_demotes_what_was_not_used() -> None:
    rig = Rig()
    for i in range(8):
        rig.heap(f"H{i}", MIB)
    for _ in range(2):
        rig.call("ExecuteCommandLists", {"references": ["H0", "H1"]})
        rig.call("Present", {})
    rig.device.set_option("budget", "LOCAL=4MiB")
    rig.call("ExecuteCommandLists", {"references": ["H0", "H1"]})
    assert rig.usage() == 4 * MIB
    heaps = rig.state.heaps
    away = {rig.state.heap_names[row] for row in heaps if heaps["segment"][row] != heaps["home"][row]}
    assert away == {"H2", "H3", "H4", "H5"}
    assert all(bool(heaps["resident"][row]) for row in heaps)


def test_that_query_video_memory_info_tells_usage_and_budget() -> None:
    rig = Rig("radeon680m")
    rig.committed("B", 65536, "UPLOAD")
    local = rig.call("QueryVideoMemoryInfo", {"MemorySegmentGroup": "DXGI_MEMORY_SEGMENT_GROUP_LOCAL"})
    other = rig.call("QueryVideoMemoryInfo", {"MemorySegmentGroup": "DXGI_MEMORY_SEGMENT_GROUP_NON_LOCAL"})
    assert local.values["CurrentUsage"] == 65536
    assert other.values["Budget"] == 0
