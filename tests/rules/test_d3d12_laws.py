"""What holds for every D3D12 call, whatever its arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.core import d3d12
from explorer.core.d3d12_enums import HeapFlags, HeapType
from explorer.core.d3d12_structs import HeapDesc, HeapProperties
from explorer.rules.d3d12 import DEFAULT, D3d12Runtime, HeapState, judge
from explorer.rules.d3d12_allocation import allocation_layout, check_allocation
from explorer.rules.d3d12_create import judge_committed, judge_placed
from explorer.tables.d3d12_tables import rules_by_id
from tests.rules.d3d12_strategies import descs, heap_descs, placed_calls, runtimes, stateless_calls, with_changes

if TYPE_CHECKING:
    from explorer.core.verdicts import Verdict

LAWS = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


def hold(verdict: Verdict, again: Any, arguments: Any) -> None:
    """Assert what holds for a verdict: reasons out of the rules, and remedies that remove theirs."""
    assert verdict.reasons
    for reason in verdict.reasons:
        assert reason.source == rules_by_id()[reason.rule].source
        if verdict.succeeded:
            assert reason.remedy is None
        elif reason.remedy is not None and reason.remedy.changes:
            changed = with_changes(arguments, dict(reason.remedy.changes))
            left = {one.rule for one in again(changed).reasons if not again(changed).succeeded}
            assert reason.rule not in left, (reason, changed)


@given(stateless_calls, runtimes)
@LAWS
def test_that_a_remedy_removes_its_reason(arguments: Any, runtime: D3d12Runtime) -> None:
    hold(judge(arguments, None, runtime), lambda changed: judge(changed, None, runtime), arguments)


@given(placed_calls, heap_descs, runtimes)
@LAWS
def test_that_a_placed_remedy_removes_its_reason(
    arguments: d3d12.CreatePlacedResource, heap: HeapDesc, runtime: D3d12Runtime
) -> None:
    state = HeapState(heap)
    hold(judge_placed(arguments, state, runtime), lambda changed: judge_placed(changed, state, runtime), arguments)


@given(descs, runtimes)
@LAWS
def test_that_sizes_are_multiples_of_the_alignment_and_hold_the_texels(desc: Any, runtime: D3d12Runtime) -> None:
    allocation = check_allocation(desc, runtime)
    if not allocation.ok or desc.DepthOrArraySize * desc.MipLevels > 64:
        return
    layout = allocation_layout(desc, runtime)
    assert layout is not None
    assert (layout.size_bytes, layout.alignment) == (allocation.size_bytes, allocation.alignment)
    assert layout.size_bytes % layout.alignment == 0
    assert layout.texel_bytes <= layout.size_bytes
    end = 0
    for part in layout.subresources:
        assert part.offset >= end
        end = part.offset + part.size_bytes
        assert 0 <= part.padding_bytes < part.size_bytes
    assert end <= layout.size_bytes
    assert [part.index for part in layout.subresources] == list(range(len(layout.subresources)))


@given(descs, st.sampled_from(["Width", "Height", "DepthOrArraySize"]), runtimes)
@LAWS
def test_that_a_larger_resource_takes_no_less(desc: Any, axis: str, runtime: D3d12Runtime) -> None:
    small = check_allocation(desc, runtime)
    large = check_allocation(replace(desc, **{axis: getattr(desc, axis) + 1}), runtime)
    if small.ok and large.ok and desc.MipLevels:
        assert large.size_bytes >= small.size_bytes


@given(descs)
@LAWS
def test_that_what_is_accepted_can_be_placed_where_it_says(desc: Any) -> None:
    runtime = D3d12Runtime(tight_alignment_tier=0)
    allocation = check_allocation(desc, runtime)
    properties = HeapProperties(HeapType.DEFAULT)
    heap = HeapDesc(max(1, min(allocation.size_bytes, 2**63)), properties, 4 << 20, HeapFlags.NONE)
    call = d3d12.CreatePlacedResource("heap", 0, desc)
    committed = judge_committed(d3d12.CreateCommittedResource(properties, desc), runtime)
    placed = judge_placed(call, HeapState(heap), runtime)
    assert placed.succeeded is committed.succeeded
    if placed.succeeded:
        assert placed.values["SizeInBytes"] == allocation.size_bytes == committed.values["SizeInBytes"]


@given(st.lists(descs, max_size=4))
@LAWS
def test_that_a_list_of_descriptions_holds_each_at_its_place(many: list[Any]) -> None:
    verdict = judge(d3d12.GetResourceAllocationInfo(tuple(many)), None, DEFAULT)
    if not verdict.succeeded:
        return
    end = 0
    for part in verdict.values["Resources"]:  # type: ignore[attr-defined]  # a list of mappings
        assert part["Offset"] % part["Alignment"] == 0
        assert part["Offset"] >= end
        end = part["Offset"] + part["SizeInBytes"]
    assert verdict.values["SizeInBytes"] >= end  # type: ignore[operator]  # a number
