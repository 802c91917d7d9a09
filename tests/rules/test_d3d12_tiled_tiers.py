"""What each TiledResourcesTier allows, against what creation answers."""

from __future__ import annotations

import dataclasses

import pytest

from explorer.core import d3d12
from explorer.core.d3d12_enums import ResourceDimension, TextureLayout
from explorer.core.d3d12_structs import ResourceDesc
from explorer.core.dxgi import DXGI_FORMAT
from explorer.rules.d3d12_create import judge_reserved
from explorer.rules.d3d12_runtime import DEFAULT
from explorer.rules.d3d12_tiled_tiers import NULL_TIER, tier_limits

SWIZZLED = TextureLayout["_64KB_UNDEFINED_SWIZZLE"]
STANDARD = TextureLayout["_64KB_STANDARD_SWIZZLE"]
FLAT = ResourceDesc(
    ResourceDimension.TEXTURE2D, Width=1024, Height=1024, DepthOrArraySize=1, MipLevels=0,
    Format=DXGI_FORMAT.R8G8B8A8_UNORM, Layout=SWIZZLED,
)  # fmt: skip
VOLUME = dataclasses.replace(FLAT, Dimension=ResourceDimension.TEXTURE3D, Width=64, Height=64, DepthOrArraySize=32)
ARRAY = dataclasses.replace(FLAT, DepthOrArraySize=4)
BUFFER = ResourceDesc(ResourceDimension.BUFFER, Width=1 << 20, Layout=TextureLayout.ROW_MAJOR)


def refusals(desc: ResourceDesc, tier: int) -> list[str]:
    runtime = dataclasses.replace(DEFAULT, tiled_tier=tier)
    verdict = judge_reserved(d3d12.CreateReservedResource(desc), runtime)
    return [] if verdict.succeeded else [one.rule for one in verdict.reasons]


@pytest.mark.parametrize("tier", range(5))
def test_that_the_limits_of_a_tier_are_what_creation_answers(tier: int) -> None:
    plain, null, volume, packed = tier_limits(tier)
    for desc, limit in ((BUFFER, plain), (FLAT, plain), (VOLUME, volume), (ARRAY, packed)):
        found = refusals(desc, tier)
        assert (not found) is limit.is_there, (limit, desc)
        assert found == [] or found[0] in (limit.rule, plain.rule)
        assert limit.is_there is (tier >= limit.from_tier)
    assert null.is_there is (tier >= NULL_TIER)
    assert all(limit.text.endswith(".") for limit in tier_limits(tier))


def test_that_an_array_keeps_its_standard_levels_on_every_tier() -> None:
    whole = dataclasses.replace(ARRAY, MipLevels=4)
    assert [refusals(whole, tier) for tier in range(1, 5)] == [[]] * 4
    assert refusals(dataclasses.replace(ARRAY, MipLevels=5), 3)[0] == "d3d12.3.15e"


def test_that_the_standard_swizzle_packs_no_levels_of_arrays_on_tier_4_either() -> None:
    assert refusals(ARRAY, 4) == []
    standard = dataclasses.replace(ARRAY, Layout=STANDARD)
    assert refusals(standard, 4)[0] == "d3d12.3.15e"
    assert refusals(dataclasses.replace(standard, DepthOrArraySize=1), 4) == []
    verdict = judge_reserved(d3d12.CreateReservedResource(standard), DEFAULT)
    assert "64KB_UNDEFINED_SWIZZLE" in str(verdict.reasons[0])
