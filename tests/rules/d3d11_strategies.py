"""Random Direct3D 10, 11 and XG calls, and how a remedy is carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from explorer.core import d3d11 as calls
from explorer.core import d3d11_descs as descs
from explorer.core import d3d11_enums as enums
from explorer.core.dxgi import DXGI_FORMAT
from explorer.core.schema import decode, encode
from explorer.rules.d3d11 import Runtime11, for_api

if TYPE_CHECKING:
    from collections.abc import Mapping

SIZES = st.one_of(
    st.sampled_from((0, 1, 2, 3, 4, 15, 16, 17, 64, 100, 512, 2048, 2049, 4096, 8192, 16384, 16385, 2**32 - 1)),
    st.integers(0, 2**32 - 1),
)
SMALL = st.one_of(st.integers(0, 14), st.sampled_from((512, 513, 2048, 2049, 2**32 - 1)))
FORMATS = st.sampled_from(tuple(DXGI_FORMAT))
SAMPLES = st.builds(descs.DXGI_SAMPLE_DESC, st.sampled_from((0, 1, 1, 1, 2, 4, 8, 15, 33)), st.integers(0, 2))
DATA = st.sampled_from((None, True, False, descs.D3D11_SUBRESOURCE_DATA(), descs.D3D11_SUBRESOURCE_DATA(False), ()))

_FAMILIES: Mapping[str, tuple[Any, ...]] = {
    "d3d11": (enums.Usage, enums.BindFlag, enums.CpuAccessFlag, enums.MiscFlag),
    "d3d10": (enums.Usage10, enums.BindFlag10, enums.CpuAccessFlag10, enums.MiscFlag10),
    "xg": (enums.XgUsage, enums.XgBindFlag, enums.XgCpuAccessFlag, enums.XgMiscFlag),
}


def _flags(kind: Any) -> st.SearchStrategy[Any]:
    few = st.lists(st.sampled_from(tuple(kind)), max_size=2).map(lambda chosen: kind(sum(set(map(int, chosen)))))
    return st.one_of(few, few, st.integers(0, 2**21).map(kind))


@st.composite
def create_calls(draw: st.DrawFn) -> tuple[str, Any]:
    """Return (API, create call)."""
    api = draw(st.sampled_from(("d3d11", "d3d11", "d3d10", "xg")))
    usage, bind, cpu, misc = _FAMILIES[api]
    common = {
        "Usage": draw(st.sampled_from(tuple(usage))),
        "BindFlags": draw(_flags(bind)),
        "CPUAccessFlags": draw(_flags(cpu)),
        "MiscFlags": draw(_flags(misc)),
    }
    what = draw(st.sampled_from(("BUFFER", "TEXTURE1D", "TEXTURE2D", "TEXTURE3D")))
    desc_type = getattr(descs, f"{api.upper()}_{what}_DESC")
    fields: dict[str, Any] = {}
    if what == "BUFFER":
        fields["ByteWidth"] = draw(SIZES)
        if api != "d3d10":
            fields["StructureByteStride"] = draw(SIZES)
    else:
        fields |= {"Width": draw(SIZES), "MipLevels": draw(SMALL), "Format": draw(FORMATS)}
        if what != "TEXTURE1D":
            fields["Height"] = draw(SIZES)
        if what == "TEXTURE3D":
            fields["Depth"] = draw(SIZES)
        else:
            fields["ArraySize"] = draw(SMALL)
        if what == "TEXTURE2D":
            fields["SampleDesc"] = draw(SAMPLES)
    suffix = {"d3d11": "", "d3d10": "10", "xg": "Xg"}[api]
    name = {"BUFFER": "CreateBuffer", "TEXTURE1D": "CreateTexture1D", "TEXTURE2D": "CreateTexture2D",
            "TEXTURE3D": "CreateTexture3D"}[what]  # fmt: skip
    call_type = getattr(calls, name + suffix)
    return api, call_type(desc_type(**fields, **common), draw(DATA), draw(st.booleans()))


@st.composite
def runtimes(draw: st.DrawFn, api: str) -> Runtime11:
    """Return a device for an API."""
    runtime = Runtime11(
        feature_level=draw(st.sampled_from(tuple(enums.FeatureLevel))),
        runtime=draw(st.sampled_from(((11, 0), (11, 1), (11, 2), (11, 3)))),
        adapter_class=draw(st.sampled_from(("discrete", "uma"))),
        size_model=draw(st.sampled_from(("linear", "tiled", "nvidia"))),
        map_default_buffers=draw(st.booleans()),
        map_no_overwrite_constants=draw(st.booleans()),
        compute_10x=draw(st.booleans()),
        copy_overlap=draw(st.booleans()),
        partial_constants=draw(st.booleans()),
    )
    return for_api(runtime, api)


def carried_out(arguments: Any, changes: Mapping[str, object]) -> Any:
    """Return the call with a remedy's changes made in its plain data."""
    data: Any = encode(arguments)
    for path, value in changes.items():
        *steps, last = path.split(".")
        at = data
        for step in steps:
            at = at.setdefault(step, {})
        at[last] = value
    return decode(data, type(arguments))
