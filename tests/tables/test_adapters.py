"""The shipped adapters: all there, consistent, and each value with its source."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from explorer.errors import CommandError, InputError, PresetError
from explorer.tables import adapters as library
from explorer.tables.adapter_listing import adapter_json, adapters_json
from explorer.tables.adapter_model import value_keys
from explorer.tables.adapter_rules import ADAPTER_RULES, RULES_BY_ID, assumed_budget, assumed_reservation
from explorer.tables.locations import HOME_VARIABLE, presets_folder
from tests.shared_folder import SHARED

if TYPE_CHECKING:
    from explorer.tables.adapters import Adapter

MIB = 1 << 20
IDS = library.adapter_ids()


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(params=IDS)
def adapter(request: pytest.FixtureRequest) -> Adapter:
    return library.adapter(request.param)


def test_that_fifty_adapters_load_by_year_and_id() -> None:
    found = library.adapters()
    assert len(found) == len(IDS) == 50
    assert [(a.year, a.id) for a in found] == sorted((a.year, a.id) for a in found)
    assert sorted(a.id for a in found) == list(IDS)


def test_that_an_unknown_id_names_the_accepted_ones() -> None:
    with pytest.raises(CommandError) as caught:
        library.adapter("voodoo5")
    assert caught.value.complaint.found == "voodoo5"
    assert caught.value.complaint.accepted == IDS


def test_that_an_adapter_is_read_from_disk_once(monkeypatch: pytest.MonkeyPatch) -> None:
    library.adapters()
    monkeypatch.setattr(library, "load_adapter", lambda path: pytest.fail(f"{path} was read again"))
    assert len(library.adapters()) == 50


def test_that_listing_the_ids_reads_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail(f"{self} was read"))
    assert len(library.adapter_ids()) == 50
    assert len(library.system_ids()) == 4


def test_that_every_value_has_a_source_and_assumed_ones_a_rule(adapter: Adapter) -> None:
    for key in value_keys(adapter):
        origin = adapter.origin(key)
        assert origin.source.strip()
        assert (origin.confidence == "assumed") == (origin.rule in RULES_BY_ID)
        assert origin.rule != "user"
    assert adapter.assumed == sum(adapter.origin(key).rule is not None for key in value_keys(adapter))


def test_that_an_origin_is_found_by_either_way_to_write_an_index() -> None:
    found = library.adapter("gtx970")
    assert found.origin("segments[1].size_bytes") == found.origin("segments.1.size_bytes")
    with pytest.raises(CommandError, match="no source covers"):
        found.origin("segments_of")


def test_that_saving_and_loading_gives_an_equal_adapter(adapter: Adapter, tmp_path: Path) -> None:
    path = tmp_path / "folder" / f"{adapter.id}.toml"
    library.save_adapter(adapter, path)
    assert library.load_adapter(path) == adapter
    assert path.read_bytes() == (presets_folder() / "adapters" / path.name).read_bytes()
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_that_no_byte_of_ram_is_in_two_segments(adapter: Adapter) -> None:
    in_ram = adapter.group_bytes(0, "SYSTEM") + adapter.group_bytes(0, "NON_LOCAL")
    if adapter.memory_class == "uma":
        carved = sum(s.carve_out_bytes or 0 for s in adapter.segments)
        in_ram += adapter.group_bytes(0, "LOCAL") - carved + adapter.group_bytes(0, "RESERVED")
    assert in_ram == adapter.system_memory_bytes


def test_that_each_adapter_has_system_memory_and_a_page_file(adapter: Adapter) -> None:
    page_file = adapter.group_bytes(0, "PAGE_FILE")
    assert page_file == (0 if adapter.kind == "console" else adapter.system_memory_bytes)
    assert (adapter.group_bytes(0, "SYSTEM") > 0) == (adapter.kind != "console")


def test_that_the_driver_model_decides_placement(adapter: Adapter) -> None:
    own = [s.placement for s in adapter.segments if s.group in ("LOCAL", "NON_LOCAL")]
    assert set(own) == {"paged" if adapter.apis.d3d12 else "contiguous"}
    assert {s.placement for s in adapter.segments_of(0, "SYSTEM")} == {"paged"}


def test_that_budgets_exist_exactly_where_d3d12_does(adapter: Adapter) -> None:
    for budget in adapter.budgets:
        assert (budget.budget_bytes is None) == (not adapter.apis.d3d12)
        assert (budget.available_for_reservation_bytes is None) == (not adapter.apis.d3d12)
        if budget.budget_bytes is not None:
            assert 0 <= budget.budget_bytes <= adapter.group_bytes(budget.node, budget.group)


def test_that_the_year_decides_the_windows_version(adapter: Adapter) -> None:
    assert adapter.windows == ("xp" if adapter.year < 2007 else "win7")


@pytest.mark.parametrize(
    ("adapter_id", "memory_class", "coherent", "size_model"),
    [
        ("gf4mx440", "discrete_agp", False, "linear"),
        ("gf8800gtx", "discrete_pcie", False, "linear"),
        ("i865g", "uma", False, "linear"),
        ("gtx970", "discrete_pcie", False, "nvidia"),
        ("rx580", "discrete_pcie", False, "tiled"),
        ("uhd620", "uma", True, "tiled"),
        ("radeon680m", "uma", False, "tiled"),
        ("warp", "uma", True, "tiled"),
        ("xbox-series-x", "uma", False, "tiled"),
    ],
)
def test_that_the_class_follows_from_the_adapter(
    adapter_id: str, memory_class: str, coherent: bool, size_model: str
) -> None:
    found = library.adapter(adapter_id)
    assert (found.memory_class, found.is_cache_coherent, found.size_model) == (memory_class, coherent, size_model)


@pytest.mark.parametrize(
    ("adapter_id", "rule"),
    [("gtx480", "budget.small"), ("hd7970", "budget.small"), ("gtx970", "budget.small"), ("gtx1060-3g", "budget.small"),
     ("linked-gtx1080x2", "budget.large")],
)  # fmt: skip
def test_that_a_missing_local_budget_follows_its_rule(adapter_id: str, rule: str) -> None:
    found = library.adapter(adapter_id)
    assert assumed_budget(found.group_bytes(0, "LOCAL")) == (found.budgets[0].budget_bytes, rule)
    assert found.origin("budgets.0.budget_bytes").rule == rule


@pytest.mark.parametrize(
    "adapter_id", ["rtx3060-laptop", "rtx3080ti", "rtx4090", "rtx5070ti", "radeon680m", "raphael", "warp"]
)
def test_that_the_rules_give_what_reports_measured(adapter_id: str) -> None:
    found = library.adapter(adapter_id)
    total = found.group_bytes(0, "LOCAL")
    assert found.origin("budgets.0.budget_bytes").confidence == "measured"
    assert found.budgets[0].budget_bytes == assumed_budget(total)[0] == total - 768 * MIB
    assert found.budgets[0].available_for_reservation_bytes == assumed_reservation(total)


def test_that_several_segments_share_a_budget() -> None:
    gtx970 = library.adapter("gtx970")
    assert [s.size_bytes // MIB for s in gtx970.segments_of(0, "LOCAL")] == [3584, 512]
    budget = gtx970.budget_of(0, "LOCAL")
    assert budget is not None
    assert budget.budget_bytes == 3584 * MIB


def test_that_linked_nodes_have_local_pools_of_their_own_and_share_system_memory() -> None:
    pair = library.adapter("linked-gtx1080x2")
    assert pair.node_count == 2
    assert pair.segments_of(0, "LOCAL") != pair.segments_of(1, "LOCAL")
    assert pair.segments_of(0, "NON_LOCAL") == pair.segments_of(1, "NON_LOCAL") != ()
    assert pair.budget_of(1, "NON_LOCAL") == pair.budget_of(0, "NON_LOCAL") is not None
    assert pair.budget_of(1, "LOCAL") != pair.budget_of(0, "LOCAL")


def test_that_rule_ids_are_unique_and_each_is_explained() -> None:
    assert len(RULES_BY_ID) == len(ADAPTER_RULES)
    assert all(rule.text and rule.source for rule in ADAPTER_RULES)


def test_that_the_list_has_the_keys_of_the_contract() -> None:
    listing = adapters_json(library.adapters(), library.systems())
    assert set(listing) == {"adapters", "systems"}
    for entry in listing["adapters"]:
        assert set(entry) == {"id", "name", "year", "kind", "apis", "segments", "budgets", "assumed"}
        for segment in entry["segments"]:
            assert set(segment) == {"name", "node", "group", "size_bytes"}
        for budget in entry["budgets"]:
            assert set(budget) == {"node", "group", "budget_bytes"}
        assert set(entry["apis"]) <= {"d3d9", "d3d10", "d3d11", "d3d12"}
    assert json.loads(json.dumps(listing)) == listing


def test_that_one_adapter_shows_source_and_confidence_of_each_value(adapter: Adapter) -> None:
    shown = adapter_json(adapter)
    assert set(shown) == {"adapter", "sources", "confidence"}
    assert list(shown["sources"]) == list(shown["confidence"]) == value_keys(adapter)
    assert sum(c == "assumed" for c in shown["confidence"].values()) == adapter.assumed
    assert shown["adapter"]["id"] == adapter.id
    assert {"apis", "bus", "segments", "budgets", "d3d9", "d3d12", "limits", "quirks"} <= set(shown["adapter"])
    for segment in shown["adapter"]["segments"]:
        assert set(segment) == {f.name for f in fields(library.AdapterSegment)}
    if adapter.d3d9 is not None:
        assert set(shown["adapter"]["d3d9"]) == {f.name for f in fields(library.D3d9Caps)}
    json.dumps(shown, allow_nan=False)


def test_that_a_duplicate_marks_what_was_changed() -> None:
    original = library.adapter("gtx970")
    copy = library.duplicate(original, "mine", name="Mine", system_memory_bytes=8 << 30)
    assert (copy.id, copy.name, copy.system_memory_bytes) == ("mine", "Mine", 8 << 30)
    assert copy.origin("name").rule == copy.origin("system_memory_bytes").rule == "user"
    assert copy.origin("year") == original.origin("year")
    assert copy.assumed == original.assumed + 2


def test_that_a_duplicate_can_lose_and_gain_segments_and_values(tmp_path: Path) -> None:
    original = library.adapter("gtx970")
    fewer = tuple(s for s in original.segments if "slow" not in s.name)
    budgets = tuple(
        library.GroupBudget(b.node, b.group, 2 << 30, 1 << 30) if b.group == "LOCAL" else b for b in original.budgets
    )
    copy = library.duplicate(original, "fast-970", segments=fewer, budgets=budgets, device_id=None, dxgi=None)
    assert copy.group_bytes(0, "LOCAL") == 3584 * MIB
    assert copy.unknown["device_id"] == "left out by the user"
    library.save_adapter(copy, tmp_path / "fast-970.toml")
    assert library.load_adapter(tmp_path / "fast-970.toml") == copy
    back = library.duplicate(copy, "again", segments=original.segments, device_id=0x13C2)
    assert (back.device_id, back.segments) == (0x13C2, original.segments)


def test_that_a_duplicate_is_held_to_the_rules_of_a_file() -> None:
    original = library.adapter("gtx970")
    with pytest.raises(CommandError, match="no such field"):
        library.duplicate(original, "mine", colour="red")
    with pytest.raises(PresetError, match="not of the accepted form"):
        library.duplicate(original, "Not An Id")
    with pytest.raises(PresetError, match="must not be negative"):
        library.duplicate(original, "mine", system_memory_bytes=-1)


def test_that_users_presets_are_listed_beside_the_shipped_ones(home: Path) -> None:
    own = library.duplicate(library.adapter("rtx3080"), "mine", name="Mine")
    library.save_adapter(own, home / "presets" / "adapters" / "mine.toml")
    assert library.adapter("mine") == own
    assert len(library.adapters()) == 51
    assert library.user_preset_complaints() == ()


def test_that_a_broken_preset_of_the_user_does_not_hide_the_others(home: Path) -> None:
    folder = home / "presets" / "adapters"
    folder.mkdir(parents=True)
    (folder / "broken.toml").write_text("id = ", encoding="utf-8")
    library.save_adapter(library.adapter("rtx3080"), folder / "rtx3080.toml")
    library.save_adapter(library.adapter("rtx3080"), folder / "other-name.toml")
    assert len(library.adapters()) == 50
    messages = {Path(c.file or "").name: c.message for c in library.user_preset_complaints()}
    assert set(messages) == {"broken.toml", "rtx3080.toml", "other-name.toml"}
    assert "TOML" in messages["broken.toml"]
    with pytest.raises(PresetError):
        library.adapter("broken")


def test_that_a_failed_save_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rtx3080.toml"
    found = library.adapter("rtx3080")
    library.save_adapter(found, path)
    before = path.read_bytes()
    broken = library.duplicate(found, "rtx3080")
    object.__setattr__(broken, "year", -5)
    with pytest.raises(PresetError, match="year"):
        library.save_adapter(broken, path)
    assert path.read_bytes() == before
    with pytest.raises(InputError, match="cannot write"):
        library.save_adapter(found, path / "below-a-file.toml")


def _reference() -> list[dict[str, Any]]:
    if SHARED is None:
        return []
    text = (SHARED / "reference" / "adapters" / "adapters.json").read_text(encoding="utf-8")
    return json.loads(text)["adapters"]


_RENAMED = {
    "api": "apis",
    "memory_segments": "segments",
    "bytes": "size_bytes",
    "gpu_bandwidth_gb_s": "gpu_bandwidth_bytes_per_s",
    "to_gpu_gb_s": "to_gpu_bytes_per_s",
    "from_gpu_gb_s": "from_gpu_bytes_per_s",
}
_BUDGETS = {
    "local_budget_bytes": "budgets.0.budget_bytes",
    "title_memory_bytes": "budgets.0.budget_bytes",
    "local_available_for_reservation_bytes": "budgets.0.available_for_reservation_bytes",
    "nonlocal_budget_bytes": "budgets.1.budget_bytes",
    "nonlocal_available_for_reservation_bytes": "budgets.1.available_for_reservation_bytes",
}
_WORDS = {
    "WC for upload, WB for readback": "per heap type",
    "WB or WC per page": "per page",
    "chipset (front-side bus / memory controller)": "chipset",
    "on-die, unified memory": "on-die",
    "none: CPU memory": "none",
}


def _leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [leaf for k, v in value.items() for leaf in _leaves(v, f"{path}.{k}" if path else k)]
    if isinstance(value, list):
        return [leaf for i, v in enumerate(value) for leaf in _leaves(v, f"{path}.{i}")]
    return [(path, value)]


def _cited(table: dict[str, str], path: str) -> str | None:
    parts = path.split(".")
    tries = [path]
    if parts[0] == "memory_segments":
        tries.append(f"memory_segments.{parts[2]}")
    if parts[0] == "d3d9":
        tries.append("d3d9.limits" if parts[1].startswith(("Max", "Num")) else "d3d9.flags")
    if len(parts) == 1:
        tries.append("identity")
    tries += [".".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)]
    return next((table[t] for t in tries if t in table), None)


@pytest.mark.skipif(SHARED is None, reason="the reference is not beside this checkout")
@pytest.mark.parametrize("record", _reference(), ids=lambda r: r["id"])
def test_that_no_value_of_the_reference_lost_its_source(record: dict[str, Any]) -> None:
    found = library.adapter(record["id"])
    body = {k: v for k, v in record.items() if k not in ("id", "sources", "confidence", "quirks")}
    checked = 0
    for path, value in _leaves(body):
        leaf = path.rsplit(".", 1)[-1]
        if value is None or (value == "unknown" and leaf == "cpu_caching"):
            continue
        key = _BUDGETS[leaf] if path.startswith("budget.") else ".".join(_RENAMED.get(p, p) for p in path.split("."))
        expected = _WORDS.get(value, value) if isinstance(value, str) else value
        if leaf in ("vendor_id", "device_id"):
            expected = int(value, 16)
        if leaf.endswith("_gb_s"):
            expected = round(float(value) * 10**9)
        actual: Any = found
        for part in key.split("."):
            actual = actual[int(part)] if part.isdigit() else getattr(actual, part)
        assert actual == expected, path
        if leaf in ("group", "node") or (leaf == "name" and path != "name"):
            continue
        origin = found.origin(key)
        source, confidence = _cited(record["sources"], path), _cited(record["confidence"], path)
        if source not in (None, "same"):
            assert origin.source == source.split(" (read through")[0], path
        assert origin.confidence == (confidence or "typical"), path
        checked += 1
    assert checked > 20
    floor = 1 if "memory_floor" in record["sources"] else 0
    assert len(found.quirks) == len(record["quirks"]) + floor
