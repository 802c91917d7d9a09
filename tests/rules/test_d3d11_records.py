from __future__ import annotations

from typing import Any

import pytest

from explorer.rules.d3d11_phrases import NotUnderstood, clauses, described, stated_size
from explorer.rules.d3d11_records import answer
from explorer.rules.records import CheckOptions, RecordAnswer, VectorRecord
from explorer.tables import adapters


def ask(call: str, given: dict[str, Any], api: str = "d3d11", **more: Any) -> RecordAnswer:
    options = more.pop("options", CheckOptions())
    kind = more.pop("kind", None)
    return answer(VectorRecord(api, kind, call, given, **more), options)


TEXTURE = {"width": 64, "height": 64, "format": "R8G8B8A8_UNORM", "bind": ["SHADER_RESOURCE"]}


@pytest.mark.parametrize(
    ("call", "given", "expected"),
    [
        ("CreateBuffer", {"byte_width": 20, "bind": ["CONSTANT_BUFFER"]}, {"create_hr": "E_INVALIDARG"}),
        ("CreateBuffer", {"byte_width": 32, "bind": "D3D11_BIND_VERTEX_BUFFER", "usage": "D3D11_USAGE_DEFAULT"},
         {"create_hr": "S_OK", "desc_structure_byte_stride": 0, "implements_ID3D10Buffer": True}),
        ("CreateTexture2D", TEXTURE | {"mip_levels": 0},
         {"create_hr": "S_OK", "desc_mip_levels": 7, "implements_IDXGISurface": False}),
        ("CreateTexture2D", TEXTURE | {"bind_value": 8, "format": 28},
         {"create_hr": "S_OK", "desc_mip_levels": 1, "implements_IDXGISurface": True}),
        ("CreateTexture3D", {"depth": 5, "bind": 8, "mip_levels": 0},
         {"create_hr": "S_OK", "desc_mip_levels": 3, "implements_IDXGISurface": False}),
        ("CreateTexture2D (TEXTURECUBE)", {"edge": 7, "bind": ["SHADER_RESOURCE"]},
         {"create_hr": "S_OK", "desc_mip_levels": 1, "implements_IDXGISurface": False}),
        ("Map", {"kind": "texture2d", "width": 5, "height": 3, "usage": "STAGING", "cpu_access": ["READ"],
                 "map_type": "READ", "subresource": 0},
         {"hr": "S_OK", "allowed": True, "row_pitch": 20, "depth_pitch": 60}),
        ("Map", {"usage": "DYNAMIC", "bind": ["VERTEX_BUFFER"], "cpu_access": ["WRITE"], "map_type": "D3D11_MAP_WRITE"},
         {"hr": "E_INVALIDARG", "allowed": False}),
        ("UpdateSubresource", {"dst": "DEFAULT SHADER_RESOURCE", "type": "texture3d 8x8x8",
                               "box_left_top_front_right_bottom_back": [0, 0, 0, 8, 8, 9]},
         {"destination_changes": False, "whole_subresource": False, "allowed": False}),
        ("CopyResource", {"src": "IMMUTABLE texture1d 16, initial data", "dst": "DEFAULT SHADER_RESOURCE"},
         {"destination_changes": True, "whole_subresource": True, "allowed": True}),
        ("CopyResource", {"src_usage": "DEFAULT", "dst_usage": "IMMUTABLE"},
         {"destination_changes": False, "whole_subresource": False, "allowed": False}),
        ("CheckFeatureSupport", {"feature": "D3D11_OPTIONS", "data": "size*3"}, {"hr": "E_INVALIDARG"}),
        ("CheckFeatureSupport", {"feature": "D3D11_OPTIONS", "data": "size 56"}, {"hr": "S_OK"}),
        ("max resource size", {"dedicated_video_memory_mb": 1600}, {"max_resource_mb": 400}),
        ("usage access", {"usage": "XG_USAGE_STAGING", "access": "gpu_read"}, {"allowed": {"rule": "d3d11.U1.7"}}),
        ("bind", {"usage": "DYNAMIC", "as_": "pipeline input"}, {"allowed": True}),
    ],
)  # fmt: skip
def test_that_records_are_answered_in_their_own_keys(call: str, given: Any, expected: Any) -> None:
    found = ask(call, given)
    assert (found.status, found.result, found.why) == ("answered", expected, None)
    assert found.reasons


def test_that_a_record_may_be_spelt_like_a_call() -> None:
    desc = {"Width": 8, "Height": 8, "Format": "DXGI_FORMAT_BC1_UNORM", "BindFlags": ["D3D11_BIND_SHADER_RESOURCE"]}
    found = ask("CreateTexture2D", {"pDesc": desc, "feature_level": "10_0"})
    assert found.result["create_hr"] == "S_OK"
    broken = ask("CreateTexture2D", {"pDesc": desc | {"Wdith": 8}})
    assert broken.status == "not_understood"
    assert "Wdith" in (broken.why or "")


def test_that_the_keys_of_a_kind_alone_are_answered() -> None:
    found = ask("CreateBuffer", {"byte_width": 16}, kind="constant_buffer_sizes")
    assert list(found.result) == ["create_hr"]


@pytest.mark.parametrize(
    ("call", "given", "named"),
    [
        ("CreateTexture4D", {}, "CreateTexture4D"),
        ("CreateBuffer", {"byte_widht": 4}, "byte_widht"),
        ("CreateBuffer", {"bind": ["VERTEXBUFFER"]}, "VERTEXBUFFER"),
        ("CreateBuffer", {"byte_width": -1}, "byte_width"),
        ("CreateBuffer", {"byte_width": "many"}, "byte_width"),
        ("CreateBuffer", {"usage": "SCRATCH"}, "SCRATCH"),
        ("CreateBuffer", {"usage": "DYNAMIC", "usage_value": 1}, "usage_value"),
        ("CreateBuffer", {"initial_data": "some"}, "some"),
        ("CreateTexture2D", {"format": "R8G8B8A8"}, "R8G8B8A8"),
        ("CreateTexture2D", {"format": 9999}, "9999"),
        ("CreateTexture2D", {"quality": "the best"}, "the best"),
        ("CreateTexture2D", {"kind": "buffer"}, "buffer"),
        ("Map", {"kind": "buffer"}, "map_type"),
        ("Map", {"map_type": "PEEK"}, "PEEK"),
        ("Map", {"map_type": "READ", "resource": "any"}, "any"),
        ("UpdateSubresource", {"dst": "a big texture"}, "a big texture"),
        ("UpdateSubresource", {"dst": "DEFAULT SHADER_RESOURCE"}, "type"),
        ("UpdateSubresource", {}, "dst"),
        ("UpdateSubresource", {"dst": "DEFAULT buffer", "box_left_top_front_right_bottom_back": [1]}, "box"),
        ("CopyResource", {"dst": "DEFAULT buffer"}, "src"),
        ("CopyResource", {"dst_usage": "DEFAULT"}, "src_usage"),
        ("CheckFeatureSupport", {"feature": "TELEPATHY"}, "TELEPATHY"),
        ("CheckFeatureSupport", {"feature": "THREADING", "data": "size^2"}, "size^2"),
        ("usage access", {"usage": "DEFAULT", "access": "tpu_read"}, "tpu_read"),
        ("bind", {"usage": "DEFAULT", "as_": "both"}, "both"),
        ("CreateBuffer", {"feature_level": "13_0"}, "feature_level"),
    ],
)
def test_that_what_is_not_understood_is_named(call: str, given: Any, named: str) -> None:
    found = ask(call, given)
    assert (found.status, dict(found.result)) == ("not_understood", {})
    assert named in (found.why or "")


CPU_BUFFER = {"usage": "DEFAULT", "bind": ["SHADER_RESOURCE"], "cpu_access": ["READ"]}


@pytest.mark.parametrize(
    ("sentence", "hr"),
    [
        ("D3D11.2 runtime and feature level >= 11_0", "S_OK"),
        ("runtime older than D3D11.2 or feature level < 11_0", "E_INVALIDARG"),
        ("feature level < 11_0", "E_INVALIDARG"),
        ("feature level <= 10_1", "E_INVALIDARG"),
        ("feature level > 10_1", "S_OK"),
        ("4x supported", "S_OK"),
        ("mapping of default buffers supported", "S_OK"),
    ],
)
def test_that_preconditions_make_the_device(sentence: str, hr: str) -> None:
    assert ask("CreateBuffer", CPU_BUFFER, preconditions=(sentence,)).result["create_hr"] == hr


def test_that_sample_counts_can_be_missing() -> None:
    given = TEXTURE | {"samples": 2, "quality": 0, "bind": ["RENDER_TARGET"]}
    assert ask("CreateTexture2D", given, preconditions=("2x supported",)).result["create_hr"] == "S_OK"
    absent = "2x not supported (zero quality levels)"
    assert ask("CreateTexture2D", given, preconditions=(absent,)).result["create_hr"] == "E_INVALIDARG"


def test_that_a_contradiction_is_skipped() -> None:
    fixed = CheckOptions(options={"feature_level": "10_0"})
    assert ask("CreateBuffer", CPU_BUFFER, options=fixed).result["create_hr"] == "E_INVALIDARG"
    found = ask("CreateBuffer", CPU_BUFFER, options=fixed, preconditions=("feature level >= 11_0",))
    assert found.status == "skipped"
    older = CheckOptions(options={"d3d11.runtime": "11.1"})
    assert ask("CreateBuffer", {}, requires={"runtime_min": "11.3"}, options=older).status == "skipped"
    assert ask("CreateBuffer", {}, api="d3d10", preconditions=("feature level >= 11_0",)).status == "skipped"


def test_that_an_adapter_makes_the_device() -> None:
    old = next(a for a in adapters.adapters() if not a.apis.d3d11 and a.apis.d3d9)
    assert ask("CreateBuffer", {}, options=CheckOptions(old)).status == "skipped"
    new = next(a for a in adapters.adapters() if a.apis.d3d11 and a.apis.max_feature_level.startswith("12"))
    assert ask("CreateBuffer", CPU_BUFFER, options=CheckOptions(new)).result["create_hr"] == "S_OK"
    lower = ask("CreateBuffer", CPU_BUFFER | {"feature_level": "10_0"}, options=CheckOptions(new))
    assert lower.result["create_hr"] == "E_INVALIDARG"


@pytest.mark.parametrize("name", adapters.adapter_ids())
def test_that_every_adapter_answers_or_says_why_not(name: str) -> None:
    adapter = adapters.adapter(name)
    for api, served in (("d3d10", adapter.apis.d3d10), ("d3d11", adapter.apis.d3d11)):
        found = ask("CreateTexture2D", TEXTURE, api=api, options=CheckOptions(adapter))
        assert found.status == ("answered" if served else "skipped")
        assert found.result.get("create_hr") == ("S_OK" if served else None)


def test_that_phrases_follow_rules_of_spelling() -> None:
    found = described("STAGING texture2d 4x8, CPU READ|WRITE, initial data")
    assert (found.dimension, found.extent, found.cpu, found.has_data) == ("texture2d", (4, 8), 0x30000, True)
    assert described("DEFAULT CONSTANT_BUFFER 256 bytes").extent == (256,)
    assert described("DEFAULT VERTEX_BUFFER").dimension == "buffer"
    assert stated_size("NULL data, size 0", 8) == (0, False)
    assert stated_size("size/2", 8) == (4, True)
    for wrong in ("SYSTEMMEM buffer", "DEFAULT PURPLE"):
        with pytest.raises(NotUnderstood):
            described(wrong)
    with pytest.raises(NotUnderstood):
        clauses("feature level >= 42_0")
