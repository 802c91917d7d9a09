"""Records: the device that they state, what is not understood, and that nothing is ever made up."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.cli.check import ask_device
from explorer.core.d3d12_enums import ResourceDimension
from explorer.rules import check
from explorer.rules.d3d12_records import KINDS, answer
from explorer.rules.records import CheckOptions, RecordAnswer, VectorRecord
from tests.conformance.d3d12.data import VECTOR_FILES, vectors

PLAIN = CheckOptions()
RECORDS = [record.record for path in VECTOR_FILES for record in vectors(path)]
BUFFER = {
    "Dimension": "BUFFER", "Alignment": 0, "Width": 32, "Height": 1, "DepthOrArraySize": 1, "MipLevels": 1,
    "Format": "DXGI_FORMAT_UNKNOWN", "SampleDesc": {"Count": 1, "Quality": 0}, "Layout": "ROW_MAJOR", "Flags": [],
}  # fmt: skip
TEXTURE = {
    **BUFFER, "Dimension": "TEXTURE2D", "Width": 64, "Height": 64, "Format": "DXGI_FORMAT_R8G8B8A8_UNORM",
    "Layout": "UNKNOWN",
}  # fmt: skip
UPLOAD = {"Type": "UPLOAD", "CPUPageProperty": "UNKNOWN", "MemoryPoolPreference": "UNKNOWN"}


def ask(
    kind: str | None, call: str, inputs: dict[str, Any], *, options: dict[str, str] | None = None, **more: Any
) -> RecordAnswer:
    record = VectorRecord("d3d12", kind, call, inputs, **more)
    return check.answer(record, CheckOptions(None, options) if options else PLAIN, ask_device)


def create(desc: dict[str, Any], heap: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    properties = heap or {**UPLOAD, "Type": "DEFAULT"}
    return {"heap_properties": properties, "heap_flags": [], "desc": desc, **more}


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.text(max_size=5), st.just([]), st.just({}),
    st.just([None]), st.just({"X": 1}), st.floats(allow_nan=False), st.just(["NONE"]), st.just("0x10"),
)  # fmt: skip


def spoiled(data: Any, at: random.Random, junk: Any) -> Any:
    """Return a copy with one value somewhere replaced."""
    data = copy.deepcopy(data)
    here = data
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not keys:
            return data
        key = at.choice(keys)
        inner = here[key]
        if isinstance(inner, dict | list) and inner and at.random() < 0.7:
            here = inner
            continue
        here[key] = junk
        return data


@given(st.sampled_from(RECORDS), st.integers(0, 2**32), JUNK)
@settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
def test_that_no_record_raises(record: VectorRecord, seed: int, junk: Any) -> None:
    inputs = spoiled(dict(record.input), random.Random(seed), junk)
    asked = VectorRecord(record.api, record.kind, record.call, inputs, record.requires)
    found = check.answer(asked, PLAIN, ask_device)
    assert found.status in ("answered", "partial", "not_simulated", "not_understood", "skipped")
    assert bool(found.result) <= bool(found.reasons)
    assert (found.why is None) is (found.status == "answered")


@pytest.mark.parametrize(
    ("kind", "call", "inputs", "names"),
    [
        ("heap_creation", "CreateHep", {}, "CreateHep"),
        ("heap_creations", "CreateHeap", {}, "heap_creations"),
        (None, "DrawInstanced", {}, "DrawInstanced"),
        ("resource_creation", "CreateCommittedResource", create(BUFFER, extra=1), "input.extra"),
        ("resource_creation", "CreateCommittedResource", {}, "input.desc"),
        ("resource_creation", "CreateCommittedResource", create({**BUFFER, "Widht": 3}), "input.desc.Widht"),
        ("resource_creation", "CreateCommittedResource", create({**BUFFER, "Layout": "MORTON"}), "MORTON"),
        ("resource_creation", "CreatePlacedResource", {"desc": BUFFER}, "input.heap"),
        ("feature_queries", "CheckFeatureSupport(RAYTRACING)", {}, "RAYTRACING"),
        ("feature_queries", "GetDeviceRemovedReason", {"history": ["sunshine"]}, "sunshine"),
        ("residency", "SetFire", {}, "SetFire"),
        ("residency", "MakeResident/Evict count", {"ops": ["Trim"]}, "Trim"),
        ("tile_mappings", "UpdateTileMappings", {"desc": BUFFER, "heap_tiles": 4, "ops": [{"op": "swap"}]}, "swap"),
        ("root_signature", "CreateRootSignature", {"parameter_counts": {"ROOT": 1}}, "ROOT"),
    ],
)
def test_that_what_is_not_understood_is_named(kind: str | None, call: str, inputs: dict[str, Any], names: str) -> None:
    found = ask(kind, call, inputs)
    assert found.status == "not_understood"
    assert names in (found.why or "")
    assert not found.result


def test_that_unknown_requirements_and_preconditions_are_named() -> None:
    inputs = create(BUFFER)
    asked = ("resource_creation", "CreateCommittedResource", inputs)
    assert ask(*asked, requires={"moon_phase": 3}).why == "requires.moon_phase"
    assert "only on Sundays" in (ask(*asked, preconditions=("only on Sundays",)).why or "")
    assert ask(*asked, preconditions=("R32_UINT supported",)).status == "answered"


@pytest.mark.parametrize(
    ("requires", "hr"),
    [({}, "S_OK"), ({"agility_sdk_min": 606}, "S_OK"), ({"agility_sdk_max": 605}, "E_INVALIDARG")],
)
def test_that_a_requirement_chooses_the_runtime(requires: dict[str, int], hr: str) -> None:
    inputs = create(BUFFER, UPLOAD, initial_state=["COMMON"])
    assert ask("resource_creation", "CreateCommittedResource", inputs, requires=requires).result["hr"] == hr


def test_that_an_option_wins_over_the_default_and_contradiction_is_skipped() -> None:
    inputs = create(BUFFER, UPLOAD, initial_state=["COMMON"])
    asked = ("resource_creation", "CreateCommittedResource", inputs)
    old = {"agility_sdk": "4"}
    assert ask(*asked, options=old).result["hr"] == "E_INVALIDARG"
    skipped = ask(*asked, options=old, requires={"agility_sdk_min": 606})
    assert (skipped.status, skipped.result) == ("skipped", {})
    assert ask(*asked, options={"windows": "xp"}).status == "answered"


def test_that_a_stated_architecture_decides_about_the_pools() -> None:
    inputs = {"architecture": {"UMA": True, "CacheCoherentUMA": True}, "heap_type": "UPLOAD"}
    found = ask("custom_heap_properties", "GetCustomHeapProperties", inputs)
    assert found.result == {"Type": "CUSTOM", "CPUPageProperty": "WRITE_BACK", "MemoryPoolPreference": "L0"}
    skipped = ask("custom_heap_properties", "GetCustomHeapProperties", inputs, options={"UMA": "false"})
    assert skipped.status == "skipped"


def test_that_a_number_outside_its_enumeration_is_refused() -> None:
    inputs = create(TEXTURE, {**UPLOAD, "Type": 9})
    found = ask("resource_creation", "CreateCommittedResource", inputs)
    assert (found.result, [one.rule for one in found.reasons]) == ({"hr": "E_INVALIDARG"}, ["d3d12.11.9"])
    wrong = ask("allocation_info", "GetResourceAllocationInfo", {"descs": [{**TEXTURE, "Layout": 7}]})
    assert wrong.result["SizeInBytes"] == "UINT64_MAX"
    assert ResourceDimension(3).name == TEXTURE["Dimension"]


def test_that_a_heap_that_cannot_be_made_places_nothing() -> None:
    heap = {"SizeInBytes": 0, "Alignment": 0, "Properties": {**UPLOAD, "Type": "DEFAULT"}, "Flags": []}
    found = ask("resource_creation", "CreatePlacedResource", {"heap": heap, "heap_offset": 0, "desc": BUFFER})
    assert found.result == {"hr": None}
    assert found.reasons[0].rule == "d3d12.2.1"


def test_that_a_size_rule_is_calculated() -> None:
    rule = "GetResourceAllocationInfo(desc).SizeInBytes + 2*65536"
    heap = {"SizeInBytes_rule": rule, "Alignment": 0, "Properties": {**UPLOAD, "Type": "DEFAULT"}, "Flags": []}
    asked = {"heap": heap, "heap_offset": 131072, "desc": TEXTURE}
    assert ask("resource_creation", "CreatePlacedResource", asked).result["hr"] == "S_OK"
    beyond = {**asked, "heap_offset": 196608}
    assert ask("resource_creation", "CreatePlacedResource", beyond).result["hr"] == "E_INVALIDARG"
    odd = {**asked, "heap": {**heap, "SizeInBytes_rule": "as large as needed"}}
    assert ask("resource_creation", "CreatePlacedResource", odd).status == "not_understood"


def test_that_a_free_record_is_answered_by_its_call() -> None:
    found = ask(None, "CreateCommittedResource", create(TEXTURE))
    assert found.result["hr"] == "S_OK"
    assert ask(None, "CheckFeatureSupport(ARCHITECTURE)", {}).result["UMA"] is False


def test_that_a_free_record_may_use_the_names_of_the_api() -> None:
    desc = {"Dimension": "D3D12_RESOURCE_DIMENSION_BUFFER", "Width": 70000, "Layout": "D3D12_TEXTURE_LAYOUT_ROW_MAJOR"}
    heap = {"Type": "D3D12_HEAP_TYPE_UPLOAD"}
    state = ["D3D12_RESOURCE_STATE_GENERIC_READ"]
    call = {"pHeapProperties": heap, "pDesc": desc, "InitialResourceState": state}
    found = ask(None, "CreateCommittedResource", call)
    assert (found.result["hr"], found.result["SizeInBytes"]) == ("S_OK", 131072)
    sizes = ask(None, "GetResourceAllocationInfo", {"pResourceDescs": [{**desc, "Alignment": 3}]})
    assert sizes.result == {"SizeInBytes": "UINT64_MAX", "Alignment": 65536}
    assert ask(None, "CreateHeap", {"pDesc": {"SizeInBytes": 1, "Properties": {"Type": 9}}}).result == {
        "hr": "E_INVALIDARG"
    }
    assert ask(None, "Map", {"pResource": "a"}).status == "not_simulated"
    assert ask(None, "CreateHeap", {"pDesc": {}}).why == "input.pDesc.SizeInBytes: missing key"


@pytest.mark.parametrize(
    "kind", ["residency", "residency_policy", "resource_tiling", "tile_mappings", "copy_descriptors"]
)
def test_that_rules_alone_answer_nothing_that_needs_a_device_with_a_past(kind: str) -> None:
    own = [record for record in RECORDS if record.kind == kind]
    assert {answer(record, PLAIN).status for record in own} == {"not_simulated"}
    assert {check.answer(record, PLAIN, ask_device).status for record in own} == {"answered"}


def test_that_every_kind_of_the_contract_has_an_answer() -> None:
    assert set(KINDS) == {path.stem for path in VECTOR_FILES}
