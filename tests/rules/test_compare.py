from __future__ import annotations

from typing import Any

import pytest

from explorer.rules.compare import Comparison, compare, matches, number, plain_key
from explorer.rules.records import VectorRecord

DESC = {"Width": 100, "Height": 1, "DepthOrArraySize": 1, "MipLevels": 5, "Dimension": "TEXTURE2D"}


def record(api: str, kind: str | None, **given: Any) -> VectorRecord:
    return VectorRecord(api, kind, "call", given)


@pytest.mark.parametrize(
    ("wanted", "answer", "same"),
    [
        ("S_OK", "D3D_OK", True),
        ("E_INVALIDARG", "S_OK", False),
        ("DXGI_ERROR_INVALID_CALL", "0x887A0001", True),
        (65536, "65536", True),
        ("0x78000000", 0x78000000, True),
        ("0x78000000", "0x78000001", False),
        ("UINT64_MAX", 2**64 - 1, True),
        ("UINT64_MAX", str(2**64 - 1), True),
        (1, True, False),
        (True, True, True),
        (None, None, True),
        ("NULL", None, True),
        (None, 0, False),
        (1.0, 1, True),
        ("L0", "L0", True),
        ("L0", "L1", False),
        ([1, 2], [1, 2], True),
        ([1, 2], [1, 2, 3], False),
        ([1, 2], [2, 1], False),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"a_min": 1, "a_max": 3}, {"a": 2}, True),
        ({"a_min": 3}, {"a": 2}, False),
        ({"Flags_contains": ["X"]}, {"Flags": ["Y", "X"]}, True),
        ({"Flags_contains": ["X"]}, {"Flags": ["Y"]}, False),
        ({"tiles": [0, 0, 0]}, {"tiles": [0, 0, 0]}, True),
        ("a sentence", 5, False),
    ],
)
def test_that_values_are_compared_by_meaning(wanted: object, answer: object, same: bool) -> None:
    assert matches(wanted, answer) is same


@pytest.mark.parametrize(
    ("key", "plain"),
    [
        ("SizeInBytes_max", "SizeInBytes"),
        ("difference_bytes_greater_than", "difference_bytes"),
        ("x_less_than", "x"),
        ("hr_any_of", "hr"),
        ("allowed_hr", "hr"),
        ("SizeInBytes_rule", "SizeInBytes"),
        ("create_hr_winxp", "create_hr_winxp"),
        ("hr", "hr"),
    ],
)
def test_that_a_plain_key_answers_an_expected_one(key: str, plain: str) -> None:
    assert plain_key(key) == plain


@pytest.mark.parametrize(
    ("expect", "result", "agrees", "differs"),
    [
        ({"SizeInBytes_max": 10}, {"SizeInBytes": 10}, True, ()),
        ({"SizeInBytes_max": 10}, {"SizeInBytes": 11}, False, ("SizeInBytes_max",)),
        ({"Alignment_min": 8, "Alignment_max": 16}, {"Alignment": 8}, True, ()),
        ({"SizeInBytes_rule": "align_up(Width, Alignment)"}, {"SizeInBytes": 104, "Alignment": 8}, True, ()),
        ({"SizeInBytes_rule": "align_up(Width, Alignment)"}, {"SizeInBytes": 100, "Alignment": 8}, False,
         ("SizeInBytes_rule",)),
        ({"SizeInBytes_rule": "as the driver likes"}, {"SizeInBytes": 1}, None, ()),
        ({"valid": True}, {}, None, ()),
        ({"anything": 1}, {"anything": 2}, None, ()),
        ({}, {}, None, ()),
    ],
)  # fmt: skip
def test_that_bounds_stand_in_the_key(expect: Any, result: Any, agrees: bool | None, differs: tuple[str, ...]) -> None:
    found = compare(record("d3d12", "allocation_info", descs=[DESC]), expect, result)
    assert (found.agrees, found.differs) == (agrees, differs)


def test_that_bounds_can_be_strict() -> None:
    asked = record("d3d9", "memory_behaviour")
    expect = {"difference_bytes_greater_than": 5}
    assert compare(asked, expect, {"difference_bytes": 6}).agrees is True
    assert compare(asked, expect, {"difference_bytes": 5}).agrees is False


def test_that_one_of_several_results_is_enough() -> None:
    asked = record("d3d9", "memory_behaviour")
    expect = {"hr_any_of": ["D3D_OK", "D3DERR_NOTAVAILABLE"]}
    assert compare(asked, expect, {"hr": "S_OK"}).agrees is True
    assert compare(asked, expect, {"hr": "D3DERR_INVALIDCALL"}).agrees is False


def test_that_words_are_not_compared() -> None:
    asked = record("d3d9", "memory_behaviour")
    assert compare(asked, {"draw_after": "succeeds"}, {"draw_after": {"rule": "d3d9.R1.1"}}) == Comparison(None)
    allowed = record("xg", "documented")
    assert compare(allowed, {"allowed": "copies only"}, {"allowed": {"rule": "d3d11.U1.7"}}).agrees is None
    assert compare(allowed, {"allowed": True}, {"allowed": {"rule": "d3d11.U1.7"}}).agrees is False


def test_that_packed_mips_follow_their_formula() -> None:
    asked = record("d3d12", "resource_tiling", desc=DESC)
    expect = {"packed_mips": "mip_levels - NumStandardMips"}
    assert compare(asked, expect, {"num_standard_mips": 2, "num_packed_mips": 3}).agrees is True
    assert compare(asked, expect, {"num_standard_mips": 2, "num_packed_mips": 2}).agrees is False
    assert compare(asked, {"packed_mips": "0"}, {"num_packed_mips": 0}).agrees is True
    full = record("d3d12", "resource_tiling", desc=DESC | {"MipLevels": 0})
    assert compare(full, expect, {"num_standard_mips": 0, "num_packed_mips": 7}).agrees is True


def test_that_floats_may_be_off_by_the_tolerance() -> None:
    asked = record("d3d12", "residency")
    expect = {"grace_seconds": 30.5, "tolerance_seconds": 0.01}
    assert compare(asked, expect, {"grace_seconds": 30.509}).agrees is True
    assert compare(asked, expect, {"grace_seconds": 30.52}).agrees is False


def test_that_steps_are_compared_by_their_answers() -> None:
    asked = record("d3d9", "lost_device_sequences")
    expect = {"steps": [{"event": "created", "Present": "D3D_OK"}]}
    assert compare(asked, expect, {"steps": [{"Present": "S_OK"}]}).agrees is True
    assert compare(asked, expect, {"steps": [{"Present": "D3DERR_DEVICELOST"}]}).agrees is False
    assert compare(asked, expect, {"steps": []}).agrees is False


def test_that_changed_descriptors_are_compared_in_full() -> None:
    asked = record("d3d12", "copy_descriptors")
    expect = {"dst_changed": {"5": "s0"}}
    assert compare(asked, expect, {"dst_changed": {"5": "s0"}}).agrees is True
    assert compare(asked, expect, {"dst_changed": {"5": "s0", "6": "s1"}}).agrees is False


def test_that_a_null_needs_no_answer() -> None:
    asked = record("d3d12", "map")
    assert compare(asked, {"create_hr": None}, {}).agrees is True
    assert compare(asked, {"create_hr": None}, {"create_hr": "S_OK"}).agrees is False


def test_that_a_free_record_compares_the_keys_of_its_api() -> None:
    assert compare(record("d3d11", None), {"create_hr": "S_OK"}, {"create_hr": "E_FAIL"}).agrees is False
    assert compare(record("d3d11", "no such kind"), {"create_hr": "S_OK"}, {"create_hr": "E_FAIL"}).agrees is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("12", 12), ("-3", -3), ("0x10", 16), ("1.5", 1.5), ("UINT64_MAX", 2**64 - 1), ("12 bytes", None), ("", None),
     ("U", None), (True, None), (None, None), (7, 7)],
)  # fmt: skip
def test_that_numbers_are_read_in_every_spelling(text: object, value: float | None) -> None:
    assert number(text) == value
