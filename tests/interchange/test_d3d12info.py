"""D3d12info reports as adapters."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.interchange.importers.d3d12info import MAX_ADAPTERS, looks_like_d3d12info, read_d3d12info
from explorer.tables.adapter_model import value_keys
from explorer.tables.adapters import adapter, adapter_from_mapping, adapter_to_mapping, load_adapter, save_adapter
from tests.shared_folder import SHARED

if TYPE_CHECKING:
    from pathlib import Path

GIB = 1 << 30
LOCAL = "DXGI_QUERY_VIDEO_MEMORY_INFO[DXGI_MEMORY_SEGMENT_GROUP_LOCAL]"
SAMPLES = sorted((SHARED / "samples" / "d3d12info").glob("*.json")) if SHARED else []


def _card(**changes: Any) -> dict[str, Any]:
    """Return an adapter of a report: a made-up discrete adapter of no vendor we know."""
    card: dict[str, Any] = {
        "DXGI_ADAPTER_DESC3": {
            "Description": "Test Card(TM) 5", "VendorId": 0x9999, "DeviceId": 0x1234, "Flags": 44,
            "DedicatedVideoMemory": 8 * GIB, "DedicatedSystemMemory": 0, "SharedSystemMemory": 16 * GIB,
        },
        LOCAL: {"Budget": 7 * GIB, "AvailableForReservation": 3 * GIB},
        "D3D12_FEATURE_DATA_ARCHITECTURE1": {
            "TileBasedRenderer": False, "UMA": False, "CacheCoherentUMA": False, "IsolatedMMU": True,
        },
        "D3D12_FEATURE_DATA_D3D12_OPTIONS": {"ResourceHeapTier": 2, "ResourceBindingTier": 3, "TiledResourcesTier": 3},
        "D3D12_FEATURE_DATA_FEATURE_LEVELS": {"MaxSupportedFeatureLevel": 0xC200},
        "GetDescriptorHandleIncrementSize": {"D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV": 48},
    }  # fmt: skip
    for path, value in changes.items():
        at = card
        *parents, last = path.split("__")
        for part in parents:
            at = at[part]
        at[last] = value
    return card


def _report(*cards: object, preview: bool = False) -> dict[str, Any]:
    return {
        "Header": {"Program": "D3d12info", "Version": "3.6.0", "Generated on": "2024-06-10",
                   "Using preview Agility SDK": preview},
        "SystemInfo": {"OS Info": {"Windows version": "10.0.22631"},
                       "System memory": {"MEMORYSTATUSEX::ullTotalPhys": 32 * GIB}},
        "Adapters": list(cards),
    }  # fmt: skip


def report_of_two_runs() -> list[dict[str, Any]]:
    """Return a file with a retail and a preview run of one made-up discrete adapter."""
    return [_report(_card()), _report(_card(), preview=True)]


def _bytes(document: object) -> bytes:
    return json.dumps(document).encode()


def test_that_a_report_becomes_an_adapter_with_measured_values() -> None:
    result = read_d3d12info(_bytes(_report(_card())), "r.json")
    assert result.warnings == []
    (found,) = result.adapters
    assert (found.id, found.name, found.kind, found.vendor_id) == ("test-card-5", "Test Card(TM) 5", "discrete", 0x9999)
    assert found.group_bytes(0, "LOCAL") == 8 * GIB
    assert found.group_bytes(0, "NON_LOCAL") == found.group_bytes(0, "SYSTEM") == 16 * GIB
    assert found.d3d12 is not None
    assert found.d3d12.DescriptorIncrement.CBV_SRV_UAV == 48
    for key in ("segments.0.size_bytes", "budgets.0.budget_bytes", "d3d12.UMA", "d3d12.ResourceHeapTier", "dxgi"):
        assert found.origin(key).confidence == "measured"
        assert found.origin(key).source == "D3d12info 3.6.0 report, 2024-06-10, retail SDK"
    assert found.origin("d3d12.TightAlignmentSupportTier").rule == "d3d12.absent"
    assert found.origin("budgets.1.budget_bytes").rule == "budget.large"
    assert found.origin("bus.lanes").rule == "bus.pcie"


def test_that_retail_and_preview_runs_give_adapters_of_different_ids() -> None:
    document = [_report(_card(), _card()), _report(_card(), preview=True)]
    result = read_d3d12info(_bytes(document), "r.json")
    assert [a.id for a in result.adapters] == ["test-card-5", "test-card-5-2", "test-card-5-preview"]
    assert [(r.is_preview, r.adapters) for r in result.reports] == [
        (False, ("test-card-5", "test-card-5-2")),
        (True, ("test-card-5-preview",)),
    ]


def test_that_numbers_may_be_strings() -> None:
    def as_text(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: as_text(v) for k, v in value.items()}
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    plain = read_d3d12info(_bytes(_report(_card())), "r.json").adapters
    text = read_d3d12info(_bytes({**_report(), "Adapters": [as_text(_card())]}), "r.json").adapters
    hexadecimal = _card(DXGI_ADAPTER_DESC3__DedicatedVideoMemory=hex(8 * GIB))
    assert plain == text == read_d3d12info(_bytes(_report(hexadecimal)), "r.json").adapters


def test_that_constants_may_be_names() -> None:
    card = _card(
        D3D12_FEATURE_DATA_D3D12_OPTIONS__ResourceHeapTier="D3D12_RESOURCE_HEAP_TIER_1",
        D3D12_FEATURE_DATA_FEATURE_LEVELS__MaxSupportedFeatureLevel="D3D_FEATURE_LEVEL_12_1",
        D3D12_FEATURE_DATA_ARCHITECTURE1__IsolatedMMU="TRUE",
    )
    (found,) = read_d3d12info(_bytes(_report(card)), "r.json").adapters
    assert found.d3d12 is not None
    assert (found.d3d12.ResourceHeapTier, found.apis.max_feature_level, found.d3d12.IsolatedMMU) == (1, "12_1", True)


def test_that_a_missing_header_is_no_obstacle() -> None:
    (found,) = read_d3d12info(_bytes({"Adapters": [_card()]}), "r.json").adapters
    assert found.system_memory_bytes == 32 * GIB
    assert found.origin("system_memory_bytes").rule == "system.shared"
    assert (found.checked, found.year) == ("unknown", 2015)


@pytest.mark.parametrize(
    "document",
    [_card(), [_card()], {"Adapters": _card()}, {"Adapters": {"0": _card()}}, [{"Adapters": [_card()]}]],
    ids=["adapter", "adapters", "one", "numbered", "report"],
)
def test_that_the_wrapping_does_not_matter(document: object) -> None:
    assert [a.id for a in read_d3d12info(_bytes(document), "r.json").adapters] == ["test-card-5"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(("before", "after"), [("", ""), ("let reports = ", ";\n"), ("window.data=", "")])
def test_that_encoding_and_script_do_not_matter(encoding: str, before: str, after: str) -> None:
    data = f"{before}{json.dumps(_report(_card()))}{after}".encode(encoding)
    assert looks_like_d3d12info(data)
    assert len(read_d3d12info(data, "r.js").adapters) == 1


def test_that_a_uma_report_has_one_pool_with_its_carve_out() -> None:
    card = _card(
        D3D12_FEATURE_DATA_ARCHITECTURE1__UMA=True,
        DXGI_ADAPTER_DESC3__DedicatedVideoMemory=GIB,
        AGSDeviceInfo={"memoryBandwidth": 89600},
    )
    warp = _card(
        D3D12_FEATURE_DATA_ARCHITECTURE1={"UMA": True, "CacheCoherentUMA": True},
        DXGI_ADAPTER_DESC3__DedicatedVideoMemory=0,
        DXGI_ADAPTER_DESC3__Flags=46,
    )
    found, software = read_d3d12info(_bytes(_report(card, warp)), "r.json").adapters
    assert (found.memory_class, found.kind, found.is_cache_coherent) == ("uma", "integrated", False)
    assert (found.group_bytes(0, "LOCAL"), found.segments[0].carve_out_bytes) == (17 * GIB, GIB)
    assert found.group_bytes(0, "NON_LOCAL") == 0
    assert found.group_bytes(0, "SYSTEM") == 16 * GIB
    assert found.segments[0].gpu_bandwidth_bytes_per_s == 89_600_000_000
    assert (software.kind, software.is_cache_coherent) == ("software", True)
    assert software.segments[0].gpu_bandwidth_bytes_per_s == 89_600_000_000
    assert software.origin("segments.0.gpu_bandwidth_bytes_per_s").rule == "bandwidth.same-machine"


def test_that_a_chip_with_a_shipped_preset_takes_bus_and_bandwidth_from_it() -> None:
    known = adapter("rtx3060-laptop")
    card = _card(DXGI_ADAPTER_DESC3__VendorId=known.vendor_id, DXGI_ADAPTER_DESC3__DeviceId=known.device_id)
    (found,) = read_d3d12info(_bytes(_report(card)), "r.json").adapters
    assert (found.bus, found.year, found.architecture) == (known.bus, known.year, known.architecture)
    assert found.segments[0].gpu_bandwidth_bytes_per_s == known.segments[0].gpu_bandwidth_bytes_per_s
    assert found.origin("bus.lanes") == known.origin("bus.lanes")


@pytest.mark.parametrize(
    ("change", "value", "code"),
    [
        (f"{LOCAL}__Budget", "plenty", "bad-number"),
        (f"{LOCAL}__Budget", -1, "bad-number"),
        (f"{LOCAL}__Budget", 2**70, "bad-number"),
        (f"{LOCAL}__Budget", 9 * GIB, "budget-too-large"),
        (LOCAL, [], "not-an-object"),
        ("D3D12_FEATURE_DATA_ARCHITECTURE1__UMA", "perhaps", "bad-flag"),
        ("D3D12_FEATURE_DATA_D3D12_OPTIONS__ResourceHeapTier", 9, "bad-number"),
        ("D3D12_FEATURE_DATA_D3D12_OPTIONS__TiledResourcesTier", 1.5, "bad-number"),
        ("D3D12_FEATURE_DATA_FEATURE_LEVELS__MaxSupportedFeatureLevel", 1, "unknown-level"),
        ("GetDescriptorHandleIncrementSize__D3D12_DESCRIPTOR_HEAP_TYPE_DSV", 0, "bad-number"),
        ("DXGI_ADAPTER_DESC3__SharedSystemMemory", None, None),
    ],
)
def test_that_an_unreadable_value_is_a_warning(change: str, value: object, code: str | None) -> None:
    result = read_d3d12info(_bytes(_report(_card(**{change: value}))), "r.json")
    assert len(result.adapters) == 1
    assert ({w.code for w in result.warnings}) == ({code} if code else set())
    for warning in result.warnings:
        assert change.split("__")[0] in warning.where
        assert warning.count >= 1


def test_that_an_unreadable_adapter_does_not_hide_the_others() -> None:
    nothing = {"DXGI_ADAPTER_DESC3": {"Description": "empty"}}
    result = read_d3d12info(_bytes([_report(nothing, 7, _card()), 5, {"Adapters": 3}]), "r.json")
    assert [a.id for a in result.adapters] == ["test-card-5"]
    assert {w.code for w in result.warnings} == {"unreadable-adapter", "not-an-adapter", "not-a-report", "no-adapters"}


def test_that_the_number_of_adapters_is_bounded() -> None:
    result = read_d3d12info(_bytes(_report(*[_card()] * (MAX_ADAPTERS + 5))), "r.json")
    assert len(result.adapters) == MAX_ADAPTERS
    assert [w.code for w in result.warnings] == ["too-many-adapters"]


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"7", b"null", b'"DXGI"', b"{}", b"[{}]", b"\xff\xfe\x00", b"[" * 100_000, b"1" * 10_000,
     _bytes(_report()), _bytes(_report({})), b'{"Adapters": [{"DXGI_ADAPTER_DESC3": ', b"let x = "],
)  # fmt: skip
def test_that_what_is_not_a_report_is_one_input_error(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read_d3d12info(data, "bad.json")
    assert caught.value.complaint.file == "bad.json"


@pytest.mark.parametrize(
    "data", [b"", b"hello D3d12info", b'{"Total": {}}', b"\x80\x04\x95", b"PK\x03\x04", b"[1, 2, 3]"]
)
def test_that_other_files_do_not_look_like_a_report(data: bytes) -> None:
    assert not looks_like_d3d12info(data)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=150)
@given(st.data())
def test_that_any_value_in_any_place_is_read_or_refused(data: st.DataObject) -> None:
    document = copy.deepcopy(_report(_card()))
    at: Any = document
    for _ in range(data.draw(st.integers(0, 4))):
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], dict | list) or not at[key]:
            break
        at = at[key]
    at[data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))] = data.draw(_JSON)
    try:
        result = read_d3d12info(_bytes(document), "r.json")
    except InputError:
        return
    for found in result.adapters:
        assert adapter_from_mapping(adapter_to_mapping(found)) == found


@pytest.mark.skipif(not SAMPLES, reason="the samples are not beside this checkout")
@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_that_every_sample_opens_without_a_warning(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    assert looks_like_d3d12info(data)
    result = read_d3d12info(data, path.name)
    assert result.warnings == []
    assert [r.is_preview for r in result.reports] == [False, True]
    assert len(result.adapters) == sum(len(r["Adapters"]) for r in json.loads(data))
    for found in result.adapters:
        assert found.origin("segments.0.size_bytes").confidence == "measured"
        assert found.origin("budgets.0.budget_bytes").confidence == "measured"
        assert all(found.origin(key).source for key in value_keys(found))
        save_adapter(found, tmp_path / f"{found.id}.toml")
        assert load_adapter(tmp_path / f"{found.id}.toml") == found


@pytest.mark.skipif(not SAMPLES, reason="the samples are not beside this checkout")
@pytest.mark.parametrize(
    ("sample", "index", "adapter_id"),
    [("rtx3080ti_warp_v3.4.0", 0, "rtx3080ti"), ("rtx5070ti", 0, "rtx5070ti"), ("rtx5070ti", 1, "raphael"),
     ("rtx5070ti", 2, "warp")],
)  # fmt: skip
def test_that_a_report_agrees_with_the_preset_made_of_it(sample: str, index: int, adapter_id: str) -> None:
    path = next(p for p in SAMPLES if p.name.startswith(sample))
    found = read_d3d12info(path.read_bytes(), path.name).adapters[index]
    preset = adapter(adapter_id)
    assert [s.size_bytes for s in found.segments] == [s.size_bytes for s in preset.segments]
    assert found.budgets == preset.budgets
    assert found.dxgi == preset.dxgi
    measured = [key for key in value_keys(preset) if key.startswith("d3d12") and preset.origin(key).rule is None]
    for key in measured:
        values = []
        for source in (found, preset):
            value: Any = source
            for part in key.split("."):
                value = getattr(value, part)
            values.append(value)
        assert values[0] == values[1], key
