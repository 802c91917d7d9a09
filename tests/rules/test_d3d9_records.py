"""Records of Direct3D 9: what is understood, what the device is, and what is never made up."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.rules.d3d9_records import answer
from explorer.rules.records import CheckOptions, RecordAnswer, VectorRecord
from explorer.tables.adapters import adapter
from tests.conformance.d3d9.data import VECTOR_FILES, vectors

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT = CheckOptions()
TEXTURE = {"width": 10, "height": 10, "levels": 0, "format": "X8R8G8B8", "pool": "D3DPOOL_MANAGED"}


def ask(
    kind: str | None, call: str, inputs: Mapping[str, object], options: CheckOptions = DEFAULT, **more: Any
) -> RecordAnswer:
    return answer(VectorRecord(more.pop("api", "d3d9"), kind, call, inputs, **more), options)


@pytest.mark.parametrize(
    ("preconditions", "hr"),
    [
        ((), "D3D_OK"),
        (("POW2",), "D3DERR_INVALIDCALL"),
        (("POW2 only",), "D3DERR_INVALIDCALL"),
        (("POW2 + NONPOW2CONDITIONAL",), "D3DERR_INVALIDCALL"),
        (("no POW2 restriction",), "D3D_OK"),
        (("D3DPTEXTURECAPS_POW2 set",), "D3DERR_INVALIDCALL"),
        (("D3DPTEXTURECAPS_POW2 clear or anything",), "D3D_OK"),
        (("driver supports the format for this type",), "D3D_OK"),
        (("format not supported for this texture type",), "D3DERR_INVALIDCALL"),
    ],
)
def test_that_preconditions_make_the_device(preconditions: tuple[str, ...], hr: str) -> None:
    found = ask("non_power_of_two", "CreateTexture", TEXTURE, preconditions=preconditions)
    assert found.result["create_hr"] == hr


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"kind": "unicorns"}, "unicorns"),
        ({"call": "CreateUnicorn"}, "CreateUnicorn"),
        ({"input": {**TEXTURE, "colour": 1}}, "colour"),
        ({"input": {**TEXTURE, "format": "RGBA"}}, "RGBA"),
        ({"input": {**TEXTURE, "pool": "D3DPOOL_BIG"}}, "D3DPOOL_BIG"),
        ({"input": {**TEXTURE, "usage": ["D3DUSAGE_NICE"]}}, "D3DUSAGE_NICE"),
        ({"input": {**TEXTURE, "usage": ["D3DUSAGE_DYNAMIC"], "usage_value": 1}}, "contradict"),
        ({"input": {**TEXTURE, "width": -1}}, "width"),
        ({"preconditions": ("the moon is full",)}, "the moon is full"),
        ({"requires": {"moon": "full"}}, "moon"),
    ],
)
def test_that_what_is_not_understood_is_named(changes: dict[str, Any], named: str) -> None:
    record = VectorRecord("d3d9", "non_power_of_two", "CreateTexture", TEXTURE)
    found = answer(replace(record, **changes), DEFAULT)
    assert found.status == "not_understood"
    assert found.result == {}
    assert named in str(found.why)


def test_that_a_contradicted_option_skips_the_record() -> None:
    options = CheckOptions(options={"D3DPTEXTURECAPS_POW2": "false"})
    found = ask("non_power_of_two", "CreateTexture", TEXTURE, options, preconditions=("POW2",))
    assert found.status == "skipped"
    agreeing = CheckOptions(options={"D3DPTEXTURECAPS_POW2": "true"})
    assert ask("non_power_of_two", "CreateTexture", TEXTURE, agreeing, preconditions=("POW2",)).status == "answered"


def test_that_an_adapter_brings_its_limits_and_its_windows() -> None:
    options = CheckOptions(adapter=adapter("gf4mx440"))
    wide = {**TEXTURE, "width": 4096, "height": 4}
    assert ask("non_power_of_two", "CreateTexture", wide, options).result["create_hr"] == "D3DERR_INVALIDCALL"
    lock = {"surface": [128, 128], "format": "A8R8G8B8", "pools": ["D3DPOOL_SCRATCH"], "rect": [68, 60, 60, 68]}
    found = ask("lock_regions", "LockRect", lock, options).result
    assert (found["hr"], found["hr_winxp"], found["hr_win7"]) == ("D3D_OK", "D3D_OK", "D3DERR_INVALIDCALL")


def test_that_one_answer_for_pools_that_differ_is_refused() -> None:
    lock = {
        "surface": [128, 128], "format": "DXT1", "pools": ["D3DPOOL_DEFAULT", "D3DPOOL_SCRATCH"], "rect": [2, 0, 4, 4],
    }  # fmt: skip
    assert ask("lock_regions", "LockRect", lock).status == "not_understood"


def test_that_the_driver_s_pitch_is_not_made_up() -> None:
    inputs = {"object": "texture", "width": 5, "height": 5, "format": "A8", "pool": "D3DPOOL_DEFAULT"}
    found = ask("pitch_and_layout", "LockRect", inputs)
    assert (found.status, found.result) == ("not_simulated", {})
    assert "driver" in str(found.why)


@pytest.mark.parametrize(
    ("call", "inputs", "key", "value"),
    [
        ("CreateTexture", {"Width": 32, "Height": 32, "Levels": 0, "Usage": [], "Format": "D3DFMT_DXT1",
                           "Pool": "D3DPOOL_DEFAULT"}, "level_count", 6),
        ("CreateTexture", {"width": 32, "height": 32, "levels": 0}, "level_count", 6),
        ("CreateVertexBuffer", {"size": 4, "pool": "D3DPOOL_SCRATCH"}, "create_hr", "D3DERR_INVALIDCALL"),
        ("CreateVolumeTexture", {"size": [4, 4, 4]}, "lock_box_hr_no_flags", "D3DERR_INVALIDCALL"),
        ("CheckDeviceFormat", {"AdapterFormat": 22, "Usage": [], "RType": "D3DRTYPE_TEXTURE", "CheckFormat": 21},
         "hr", "D3D_OK"),
        ("LockRect", {"surface": [8, 8], "format": "DXT1", "pool": "D3DPOOL_MANAGED", "rect": [1, 1, 2, 2]},
         "succeeds", True),
        ("Reset", {"held": "state block"}, "reset_hr", "D3DERR_INVALIDCALL"),
        ("GetAvailableTextureMem", {"free_bytes": 5 << 20}, "returns", 5 << 20),
    ],
)  # fmt: skip
def test_that_a_record_needs_no_kind(call: str, inputs: dict[str, object], key: str, value: object) -> None:
    found = ask(None, call, inputs)
    assert found.status == "answered", found.why
    assert found.result[key] == value


def test_that_a_call_on_an_unknown_object_is_not_simulated() -> None:
    assert ask(None, "LockRect", {"Level": 0}).status in ("not_simulated", "not_understood")
    assert ask(None, "SetPriority", {"PriorityNew": 1}).status == "not_simulated"


@pytest.mark.parametrize("kind", VECTOR_FILES)
def test_that_answers_are_the_same_whenever_they_are_asked(kind: str) -> None:
    records = [source.record for source in vectors(kind)]
    once = [answer(copy.deepcopy(record), DEFAULT) for record in records]
    again = [answer(record, DEFAULT) for record in reversed(records)]
    assert once == again[::-1]


JUNK = st.sampled_from(
    [None, True, 0, 1, -1, 2**31, 2**32, 1.5, "", "foo", "DXT1", "texture", "16x16", [], {}, [1, 2], [0, 0, 4, 4],
     ["x"], [{}], [[1]], "FOURCC ABCD", "0x7", [0, 0, 0, 4, 0, 1], "D3DPOOL_DEFAULT"]
)  # fmt: skip
RECORDS = [source.record for kind in VECTOR_FILES for source in vectors(kind)[:6]]


@given(
    record=st.sampled_from(RECORDS), other=st.sampled_from(RECORDS), junk=st.lists(JUNK, min_size=1, max_size=3),
    which=st.integers(0, 9), swap=st.sampled_from(["", "call", "kind", "input", "steps"]),
)  # fmt: skip
@settings(max_examples=250, deadline=None)
def test_that_no_record_raises_and_no_answer_lacks_its_reason(
    record: VectorRecord, other: VectorRecord, junk: list[object], which: int, swap: str
) -> None:
    inputs = dict(record.input)
    keys = sorted(inputs)
    for offset, value in enumerate(junk):
        inputs[keys[(which + offset) % len(keys)]] = value
    changed = replace(record, input=inputs)
    if swap:
        changed = replace(changed, **{swap: getattr(other, swap)})
    found = answer(changed, DEFAULT)
    assert bool(found.result) == bool(found.reasons)
    assert found.status == "answered" or found.why
