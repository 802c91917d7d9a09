"""The tables of Direct3D 9: complete, consistent with the constants, and true to what they were taken from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from explorer.core import d3d9
from explorer.rules.d3d9 import RULES
from explorer.tables.d3d9_tables import (
    codes,
    copy_allowed,
    format_flags,
    format_named,
    format_uses,
    formats,
    limit,
    lock_flag_objects,
    placements,
    rules,
    usage_rows,
)
from tests.shared_folder import SHARED

PACKAGE = Path(d3d9.__file__).parents[1]


def test_that_every_rule_has_its_own_id_a_sentence_and_a_source() -> None:
    assert len({row.id for row in RULES}) == len(RULES) == len(rules())
    for row in RULES:
        assert row.id.startswith("d3d9.")
        assert row.api == "d3d9"
        assert row.text.endswith(".")
        assert row.source
        assert row.checked


def test_that_every_rule_that_the_code_names_exists() -> None:
    named: set[str] = set()
    for path in (PACKAGE / "rules").glob("d3d9*.py"):
        named.update(re.findall(r'"((?:R\d+\.\d+)|(?:[a-z]+\.[a-z]+))"', path.read_text(encoding="utf-8")))
    known = {row.id.removeprefix("d3d9.") for row in RULES}
    stems = {name.split(".")[0] for name in known}
    assert {name for name in named if name.split(".")[0] in stems} <= known


def test_that_formats_and_flags_are_those_of_the_constants() -> None:
    assert {value: info.name.split("_", 1)[-1].split()[-1] for value, info in formats().items()} == {
        int(member): member.name for member in d3d9.Format
    }
    assert {row.name.removeprefix("D3DUSAGE_"): row.value for row in usage_rows()} == {
        str(flag.name): int(flag) for flag in d3d9.Usage
    }
    assert set(lock_flag_objects()) == {f"D3DLOCK_{flag.name}" for flag in d3d9.LockFlags}


def test_that_blocks_and_bits_agree() -> None:
    for info in formats().values():
        if info.bits and info.block_bytes:
            assert info.bits * info.block_width * info.block_height == info.block_bytes * 8
        if info.kind == "depth":
            assert "d" in format_uses(info.value)
            assert "v" not in format_uses(info.value)
        if info.ex_only:
            assert "ex" in format_flags(info.value)


@pytest.mark.parametrize("name", ["DXT1", "D3DFMT_DXT1", "FOURCC ATI2", "ATI2", "MET1"])
def test_that_a_format_is_found_by_any_of_its_names(name: str) -> None:
    assert format_named(name) is not None


def test_that_every_kind_of_resource_has_a_place_on_every_class_of_adapter() -> None:
    classes = {adapter for adapter, _ in placements()}
    kinds = {kind for _, kind in placements()}
    assert classes == {"discrete_agp", "discrete_pcie", "uma"}
    assert set(placements()) == {(adapter, kind) for adapter in classes for kind in kinds}
    assert all(row.why and row.source for row in placements().values())


def test_that_directx_8_drivers_copy_between_fewer_kinds() -> None:
    assert copy_allowed("StretchRect", "texture", "rt_surface", "Direct3D 9", True)
    assert copy_allowed("StretchRect", "texture", "rt_surface", "DirectX 8", True) is False
    assert copy_allowed("StretchRect", "moon", "rt_surface", "DirectX 8", True) is None


def test_that_codes_have_the_facility_of_direct3d() -> None:
    assert codes()["D3DERR_INVALIDCALL"] == 0x8876086C
    assert codes()["S_OK"] == codes()["D3D_OK"] == 0
    assert limit("pitch_alignment") == 4


@pytest.mark.skipif(SHARED is None, reason="the shared folder is not here")
def test_that_the_rows_are_those_of_the_reference() -> None:
    assert SHARED is not None
    folder = SHARED / "reference" / "d3d9"
    for row in json.loads((folder / "formats.json").read_bytes())["formats"]:
        info = formats()[row["value"]]
        assert (info.bits, info.block_bytes) == (row["bits_per_pixel"], row["block_bytes"])
    listed = re.findall(r"^- (R\d+\.\d+) ", (folder / "rules.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(listed) <= {row.id.removeprefix("d3d9.") for row in RULES}
    for row in json.loads((folder / "error_codes.json").read_bytes())["codes"]:
        assert codes()[row["name"]] == int(row["hresult"], 16)
