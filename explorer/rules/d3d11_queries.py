"""Feature and format queries: CheckFeatureSupport, CheckFormatSupport, CheckMultisampleQualityLevels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import LEVEL_10_0, LEVEL_11_0, BindFlag, Feature
from explorer.core.verdicts import Verdict
from explorer.rules.d3d11_resource import permission, refusal
from explorer.tables.d3d11_tables import constant, feature_sizes, format_classes

if TYPE_CHECKING:
    from explorer.core.dxgi import DXGI_FORMAT
    from explorer.rules.d3d11_runtime import Runtime11

_TILED_TIER = 2


def judge_feature(feature: str, size: int | None, has_data: bool, runtime: Runtime11) -> Verdict:
    """Return what CheckFeatureSupport answers.

    Args:
        feature: Name of the D3D11_FEATURE without its prefix.
        size: Bytes that the caller states; None is the right size.
        has_data: Whether there is a structure at all.
        runtime: The device.
    """
    row = feature_sizes().get(feature)
    if row is None or runtime.runtime < row.runtime:
        return Verdict("E_INVALIDARG", (refusal("d3d11.F9.2", feature),))
    if not has_data or (size is not None and size != row.size):
        detail = f"{row.size} bytes for {feature}"
        changes: dict[str, object] = {"FeatureSupportDataSize": row.size, "pFeatureSupportData": True}
        return Verdict("E_INVALIDARG", (refusal("d3d11.F9.1", detail, f"pass {row.size} bytes", changes),))
    return Verdict("S_OK", (permission("d3d11.F9.3"),), _feature_values(feature, runtime))


def _feature_values(feature: str, runtime: Runtime11) -> dict[str, object]:
    """Return the fields that the device of the rules knows; what is not simulated stays out."""
    if feature == Feature.D3D10_X_HARDWARE_OPTIONS.name:
        key = "ComputeShaders_Plus_RawAndStructuredBuffers_Via_Shader_4_x"
        return {key: runtime.compute_10x and runtime.feature_level >= LEVEL_10_0}
    if feature == Feature.D3D11_OPTIONS.name:
        return {
            "ConstantBufferPartialUpdate": runtime.partial_constants,
            "ConstantBufferOffsetting": runtime.constant_offsets,
            "MapNoOverwriteOnDynamicConstantBuffer": runtime.map_no_overwrite_constants,
            "MapNoOverwriteOnDynamicBufferSRV": runtime.map_no_overwrite_resources,
            "CopyWithOverlap": runtime.copy_overlap,
        }
    if feature == Feature.D3D11_OPTIONS1.name:
        tier = _TILED_TIER if runtime.feature_level >= LEVEL_11_0 else 0
        return {"TiledResourcesTier": tier, "MapOnDefaultBuffers": runtime.maps_default_buffers}
    if feature == Feature.ARCHITECTURE_INFO.name:
        return {"TileBasedDeferredRenderer": False}
    return {}


def judge_format_support(value: DXGI_FORMAT, runtime: Runtime11) -> Verdict:
    """Return what CheckFormatSupport answers: in ``uses`` the resource types and bind flags of the format."""
    row = format_classes().get(value)
    if row is None or runtime.runtime < row.runtime:
        return Verdict("E_FAIL", (refusal("d3d11.C2.26", value.constant),))
    binds = BindFlag(row.bind)
    if runtime.feature_level < LEVEL_11_0:
        binds &= ~BindFlag.UNORDERED_ACCESS
    uses = [*sorted(row.dimensions), *(name for name in binds.constants if isinstance(name, str))]
    if row.multisample:
        uses.append("multisample")
    return Verdict("S_OK", (permission("d3d11.F9.4", ", ".join(uses)),), {"uses": uses})


def judge_quality_levels(value: DXGI_FORMAT, samples: int, runtime: Runtime11) -> Verdict:
    """Return what CheckMultisampleQualityLevels answers: ``NumQualityLevels``, 0 where the count is not supported."""
    row = format_classes().get(value)
    if not 1 <= samples <= constant("max_samples"):
        return Verdict("E_FAIL", (refusal("d3d11.C2.13", f"{samples} samples", "ask for 1", {"SampleCount": 1}),))
    levels = runtime.quality_levels(samples)
    if row is None or (samples > 1 and not row.multisample):
        levels = 0
    detail = f"{value.constant} with {samples} samples: {levels} levels"
    return Verdict("S_OK", (permission("d3d11.F9.4", detail),), {"NumQualityLevels": levels})
