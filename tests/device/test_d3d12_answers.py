"""Records that need a device with a past are answered by one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from explorer.cli.check import ask_device
from explorer.device import d3d12_answers
from explorer.rules.check import check, read_records
from explorer.rules.records import CheckOptions, VectorRecord
from explorer.tables.adapters import adapter
from tests.shared_folder import SHARED

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("residency", "residency_policy", "resource_tiling", "tile_mappings", "copy_descriptors")
HEAP = {"dst_heap_size": 8, "src_heap_size": 8, "type": "CBV_SRV_UAV"}


def ask(kind: str | None, call: str, options: CheckOptions | None = None, **inputs: Any) -> Any:
    return d3d12_answers.answer(VectorRecord("d3d12", kind, call, inputs), options or CheckOptions())


def policy(*steps: dict[str, Any], call: str = "D3DX12Residency submissions", **budgets: int) -> list[dict[str, Any]]:
    found = ask("residency_policy", call, steps=list(steps), **{"local_budget": 100, **budgets})
    assert found.status == "answered", found.why
    return found.result["per_submission"]


def made(name: str, size: int) -> dict[str, Any]:
    return {"op": "create", "object": name, "size": size}


def submit(seconds: float, *names: str) -> dict[str, Any]:
    return {"op": "submit", "objects": list(names), "time_seconds": seconds}


@pytest.mark.skipif(SHARED is None, reason="the reference records are not here")
@pytest.mark.parametrize("kind", KINDS)
def test_that_every_reference_record_of_the_kind_agrees(kind: str) -> None:
    assert SHARED is not None
    path: Path = SHARED / "reference" / "d3d12" / "vectors" / f"{kind}.json"
    with path.open("rb") as stream:
        verdicts = {one.id: check(one, CheckOptions(), ask_device).verdict for one in read_records(stream, kind)}
    own = {one: ask_device(r.record, CheckOptions()) for one, r in _records(path).items()}
    assert all(found is not None for found in own.values()), "answered by the device, not by the rules"
    assert set(verdicts.values()) == {"agree"}, verdicts


def _records(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        return {str(one.id): one for one in read_records(stream, path.name)}


def test_that_an_expectation_does_not_reach_the_answer() -> None:
    one = {"api": "d3d12", "kind": "residency", "call": "MakeResident/Evict count", "input": {"ops": ["Evict"]}}
    lying = {**one, "expect": {"count": 7}}
    answers = []
    for record in (one, lying):
        import io

        source = next(iter(read_records(io.BytesIO(json.dumps(record).encode()), "x")))
        answers.append(check(source, CheckOptions(), ask_device).answer)
    assert answers[0] == answers[1]
    assert answers[0].result["count"] == 0


@pytest.mark.parametrize(
    ("ops", "flags", "count"),
    [
        (["MakeResident"] * 3, [], 4),
        (["Evict", "Evict", "MakeResident"], [], 1),
        (["Evict"], ["CREATE_NOT_RESIDENT"], 0),
        (["MakeResident", "MakeResident", "Evict"], ["CREATE_NOT_RESIDENT"], 1),
    ],
)
def test_that_counts_are_the_devices(ops: list[str], flags: list[str], count: int) -> None:
    found = ask("residency", "MakeResident/Evict count", ops=ops, create_flags=flags)
    assert found.result == {"count": count, "resident_required": count > 0}
    assert found.reasons


@pytest.mark.parametrize("name", ["rtx3060-laptop", "radeon680m", "gtx970", "warp"])
def test_that_an_adapter_may_be_chosen(name: str) -> None:
    found = ask("residency", "MakeResident/Evict count", CheckOptions(adapter(name)), ops=[])
    assert found.result["count"] == 1


@pytest.mark.parametrize(
    ("flags", "usage", "left", "hr"),
    [
        ("NONE", 1500, True, "S_OK"),
        ("DENY_OVERBUDGET", 800, True, "S_OK"),
        ("DENY_OVERBUDGET", 801, True, "E_OUTOFMEMORY"),
        ("NONE", 0, False, "E_OUTOFMEMORY"),
    ],
)
def test_that_only_deny_overbudget_minds_the_budget(flags: str, usage: int, left: bool, hr: str) -> None:
    found = ask("residency", "EnqueueMakeResident", flags=flags, budget=1000, usage=usage, size=200,
                physical_memory_left=left)  # fmt: skip
    assert found.result["hr"] == hr


def test_that_a_full_set_goes_over_the_budget_rather_than_fail() -> None:
    first, second = policy(made("A", 80), made("B", 80), submit(5, "A"), submit(6, "A", "B"))
    assert first["age_evicted"] == ["B"]
    assert second["forced"] == ["B"]
    assert second["usage_after"] == 160


def test_that_a_submission_in_flight_is_waited_for_and_its_objects_leave() -> None:
    _, _, last = policy(
        made("A", 60), made("B", 60), made("C", 30), submit(5, "A"), submit(6, "C"), submit(6.5, "B"),
    )  # fmt: skip
    assert last["waited"] == [0]
    assert last["pressure_evicted"] == ["A"]
    assert last["made_resident"] == ["B"]


def test_that_nothing_is_trimmed_for_its_age_at_70_percent() -> None:
    (only,) = policy(made("A", 35), made("B", 35), submit(1000, "A"))
    assert only["age_evicted"] == []
    (only,) = policy(made("A", 36), made("B", 36), submit(1000, "A"))
    assert only["age_evicted"] == ["B"]


def test_that_the_translation_layer_holds_both_budgets_against_both_usages() -> None:
    steps = (made("A", 40), made("B", 40), submit(1000, "A"))
    (library,) = policy(*steps, non_local_budget=100)
    (layer,) = policy(*steps, call="D3D12TranslationLayer submissions", non_local_budget=100)
    assert library["age_evicted"] == ["B"]
    assert layer["age_evicted"] == []


def test_that_empty_ranges_are_skipped() -> None:
    op = {"dst_starts": [0, 2, 5], "dst_sizes": [1, 0, 2], "src_starts": [3], "src_sizes": [3]}
    found = ask("copy_descriptors", "CopyDescriptors", ops=[op], **HEAP)
    assert found.result["dst_changed"] == {"0": "s3", "5": "s4", "6": "s5"}


@pytest.mark.parametrize(
    ("kind", "call", "inputs"),
    [
        ("residency", "Evict everything", {}),
        ("residency", "MakeResident/Evict count", {"ops": ["Trim"]}),
        ("residency_policy", "D3DX12Residency submissions", {"local_budget": 1, "steps": [{"op": "sleep"}]}),
        ("residency_policy", "D3DX12Residency submissions", {"local_budget": 1, "steps": [submit(1, "nobody")]}),
        ("copy_descriptors", "CopyDescriptors", {**HEAP, "ops": [{"dst_starts": 3, "src_starts": [0]}]}),
        ("tile_mappings", "UpdateTileMappings", {"desc": {"Dimension": "BUFFER"}, "heap_tiles": 1, "ops": [7]}),
        ("residency", "AvailableForReservation", {"Budget": 1, "More": 2}),
    ],
)
def test_that_a_phrase_nobody_knows_is_said_to_be_so(kind: str, call: str, inputs: dict[str, Any]) -> None:
    found = ask(kind, call, **inputs)
    assert found.status in ("not_understood", "not_simulated")
    assert found.why
    assert not found.result


def test_that_other_kinds_are_left_to_the_rules() -> None:
    assert ask("heap_creation", "CreateHeap") is None
    assert ask(None, "CopyDescriptors", pDestDescriptorRangeStarts=[]) is None
    assert ask(None, "CopyDescriptors", ops=[], **HEAP).status == "answered"
