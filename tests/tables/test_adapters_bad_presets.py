"""Broken adapter presets: each names file, key, what was found and what is accepted."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import PresetError
from explorer.tables.adapters import adapter, adapter_from_mapping, adapter_to_mapping, load_adapter
from explorer.tables.toml_reader import MAX_FILE_BYTES, TableReader, parse_toml, read_toml

if TYPE_CHECKING:
    from pathlib import Path

_GOOD = adapter_to_mapping(adapter("gtx970"))
_DELETE = object()


def _changed(path: str, value: Any) -> dict[str, Any]:
    mapping = copy.deepcopy(_GOOD)
    at: Any = mapping
    *parents, last = path.split("/")
    for part in parents:
        at = at[int(part)] if part.isdigit() else at[part]
    if value is _DELETE:
        del at[last]
    else:
        at[int(last) if last.isdigit() else last] = value
    return mapping


@pytest.mark.parametrize(
    ("path", "value", "where", "message"),
    [
        ("colour", "red", "colour", "unknown key"),
        ("apis/d3d13", True, "apis.d3d13", "unknown key"),
        ("segments/0/speed", 1, "segments[0].speed", "unknown key"),
        ("d3d12/DescriptorIncrement/UAV", 32, "d3d12.DescriptorIncrement.UAV", "unknown key"),
        ("name", _DELETE, "name", "missing"),
        ("device_id", _DELETE, "device_id", "missing"),
        ("bus/to_gpu_bytes_per_s", _DELETE, "bus.to_gpu_bytes_per_s", "missing"),
        ("segments/2/size_bytes", _DELETE, "segments[2].size_bytes", "missing"),
        ("d3d12", _DELETE, "d3d12", "missing"),
        ("dxgi", _DELETE, "dxgi", "missing"),
        ("limits/MaxTexture3D", _DELETE, "limits.MaxTexture3D", "missing"),
        ("budgets/0/budget_bytes", _DELETE, "budgets[0].budget_bytes", "missing"),
        ("name", 5, "name", "must be a string"),
        ("name", " ", "name", "must not be empty"),
        ("year", "2014", "year", "must be an integer"),
        ("year", 2014.0, "year", "must be an integer"),
        ("year", True, "year", "must be an integer"),
        ("year", 1814, "year", "out of range"),
        ("apis/d3d12", 1, "apis.d3d12", "must be true or false"),
        ("segments", {}, "segments", "must be an array of tables"),
        ("segments/0", 7, "segments[0]", "must be a table"),
        ("bus", [], "bus", "must be a table"),
        ("quirks", ["a", 1], "quirks[1]", "must be a string"),
        ("segments/0/size_bytes", -1, "segments[0].size_bytes", "must not be negative"),
        ("segments/0/size_bytes", 2**70, "segments[0].size_bytes", "out of range"),
        ("segments/0/size_bytes", 0, "segments[0].size_bytes", "must not be empty"),
        ("segments/0/gpu_bandwidth_bytes_per_s", 0, "segments[0].gpu_bandwidth_bytes_per_s", "out of range"),
        ("segments/0/group", "VRAM", "segments[0].group", "not an accepted value"),
        ("segments/0/placement", "scattered", "segments[0].placement", "not an accepted value"),
        ("segments/0/node", 1, "segments[0].node", "no such node"),
        ("segments/0/cpu_visible_bytes", 2**40, "segments[0].cpu_visible_bytes", "more than the segment"),
        ("segments/1/name", "page file", "segments[4].name", "two segments of the same name"),
        ("segments/3/group", "PAGE_FILE", "segments", "one SYSTEM segment"),
        ("budgets/0/group", "SYSTEM", "budgets[0].group", "not an accepted value"),
        ("budgets/1/group", "LOCAL", "budgets[1]", "a second budget"),
        ("budgets/0/budget_bytes", 2**40, "budgets[0].budget_bytes", "more than the segments"),
        ("apis/d3d12", False, "d3d12", "does not serve d3d12"),
        ("d3d12/ResourceHeapTier", 3, "d3d12.ResourceHeapTier", "out of range"),
        ("d3d12/NodeCount", 2, "segments", "node 1 has no LOCAL"),
        ("id", "GTX 970", "id", "not of the accepted form"),
        ("id", "../gtx970", "id", "not of the accepted form"),
        ("schema", "memory-explorer/adapter-preset/2", "schema", "not an accepted value"),
        ("checked", "yesterday", "checked", "not of the accepted form"),
        ("sources/bus", _DELETE, "bus.type", "no source"),
        ("confidence/limits", _DELETE, "limits.MaxTexture2D", "no source"),
        ("confidence/limits", "assumed", "confidence.limits", "not an accepted value"),
        ("assumed/year", "guess", "assumed.year", "not an accepted value"),
        ("sources/segments.9.size_bytes", "x", 'sources."segments.9.size_bytes"', "names no value"),
        ("unknown/year", "why not", 'unknown."year"', "marked unknown"),
    ],
)  # fmt: skip
def test_that_a_bad_preset_names_the_key(path: str, value: object, where: str, message: str) -> None:
    with pytest.raises(PresetError) as caught:
        adapter_from_mapping(_changed(path, value), file="mine.toml")
    complaint = caught.value.complaint
    assert (complaint.file, complaint.where) == ("mine.toml", where)
    assert message in complaint.message
    assert complaint.accepted


def test_that_an_unknown_key_lists_the_known_ones() -> None:
    with pytest.raises(PresetError) as caught:
        adapter_from_mapping(_changed("bus/width", 256))
    assert set(caught.value.complaint.accepted) == {
        "type", "pcie_gen", "lanes", "to_gpu_bytes_per_s", "from_gpu_bytes_per_s",
    }  # fmt: skip


def test_that_the_base_of_the_bad_presets_is_good() -> None:
    assert adapter_from_mapping(_GOOD) == adapter("gtx970")


@given(
    st.sampled_from(["name", "year", "bus", "segments", "budgets", "apis", "d3d12", "quirks", "sources", "unknown"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
        max_leaves=6,
    ),
)
def test_that_any_value_loads_or_is_refused_as_a_preset_error(key: str, value: object) -> None:
    try:
        found = adapter_from_mapping({**_GOOD, key: value}, file="x")
    except PresetError:
        return
    assert adapter_from_mapping(adapter_to_mapping(found)) == found


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"id = \n", 1, "not valid TOML"),
        (b"id = 'a'\nid = 'b'\n", 2, "not valid TOML"),
        (b'a = 1\nb = "no end', 2, "not valid TOML"),
        (b"a = 1\nb = '\xff'\n", 2, "not UTF-8"),
        (b"a = " + b"9" * 5000, None, "not valid TOML"),
        (b"a = " + b"[" * 20000, None, "not valid TOML"),
    ],
)
def test_that_broken_toml_names_the_line_where_there_is_one(data: bytes, line: int | None, message: str) -> None:
    with pytest.raises(PresetError) as caught:
        parse_toml(data, "mine.toml")
    complaint = caught.value.complaint
    assert complaint.file == "mine.toml"
    assert message in complaint.message
    assert complaint.line == line or line is None


def test_that_a_missing_file_and_a_huge_one_are_preset_errors(tmp_path: Path) -> None:
    with pytest.raises(PresetError, match="cannot read"):
        load_adapter(tmp_path / "none.toml")
    with pytest.raises(PresetError, match="cannot read"):
        load_adapter(tmp_path)
    huge = tmp_path / "huge.toml"
    huge.write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    with pytest.raises(PresetError, match="too large"):
        read_toml(huge)


def test_that_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    text = tomlkit.dumps(_GOOD)
    path = tmp_path / "gtx970.toml"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert load_adapter(path) == adapter("gtx970")


def test_that_a_reader_of_a_table_names_nested_keys() -> None:
    reader = TableReader({"a": {"b": [{"c": "x"}]}}, "", "f.toml")
    with pytest.raises(PresetError) as caught:
        reader.table("a").tables("b")[0].integer("c")
    assert caught.value.complaint.where == "a.b[0].c"
