"""Objects of the oracle rows in the terms of the rules."""

from __future__ import annotations

from explorer.core import d3d9
from explorer.rules.d3d9 import Resource, Runtime, back_buffer, describe
from explorer.tables.d3d9_tables import codes, format_named

OK = 0
FOURCC = {"INTZ": 0x5A544E49, "NV12": 0x3231564E}
RECORDED_SAMPLES = frozenset({0, 1, 4})
"""Multisample types for which the recorded devices answered (decision 042)."""


def format_value(text: str) -> int:
    """Return a D3DFORMAT of a name without prefix."""
    if text in FOURCC:
        return FOURCC[text]
    info = format_named(text)
    assert info is not None, text
    return info.value


def expected(text: str, *, xp: bool = False) -> int:
    """Return the HRESULT of a row; ``xp:…/win7:…`` depends on Windows."""
    for part in text.split("/"):
        name, _, value = part.rpartition(":")
        if name in ("", "xp" if xp else "win7"):
            return int(value, 16)
    raise AssertionError(text)


def value_of(hr: str) -> int:
    """Return the value of an HRESULT name."""
    return codes()[hr]


def device(file: str, **changes: object) -> Runtime:
    """Return the device that a file was recorded on."""
    ex = file.endswith("_ex")
    return Runtime(ex=ex, multisample_types=RECORDED_SAMPLES, **changes)  # type: ignore[arg-type]


def create_input(op: str) -> d3d9.CreateInput:
    """Return the call of an operation such as ``tex 0 32 32 1 0 21 1`` (the slot is left out of account)."""
    name, _, *rest = op.split()
    n = [int(part) for part in rest]
    if name == "tex":
        return d3d9.CreateTexture(n[0], n[1], n[2], d3d9.Usage(n[3]), n[4], n[5])
    if name == "cube":
        return d3d9.CreateCubeTexture(n[0], n[1], d3d9.Usage(n[2]), n[3], n[4])
    if name == "vol":
        return d3d9.CreateVolumeTexture(n[0], n[1], n[2], n[3], d3d9.Usage(n[4]), n[5], n[6])
    if name == "vb":
        return d3d9.CreateVertexBuffer(n[0], d3d9.Usage(n[1]), n[2], n[3])
    if name == "ib":
        return d3d9.CreateIndexBuffer(n[0], d3d9.Usage(n[1]), n[2], n[3])
    if name == "off":
        return d3d9.CreateOffscreenPlainSurface(n[0], n[1], n[2], n[3])
    kind = {"rt": d3d9.CreateRenderTarget, "ds": d3d9.CreateDepthStencilSurface}[name]
    return kind(n[0], n[1], n[2], d3d9.MultisampleType(n[3]), n[4], bool(n[5]))


def of_kind(kinds: dict[str, str], kind: str, width: int, height: int, value: int) -> Resource:
    """Return an object of a kind of the file's table, in a size and format."""
    op = kinds[kind].format(s=0, w=width, h=height, f=value)
    if op.startswith("bb"):
        # The copies were recorded between objects of one size and format, the back buffer among them.
        return back_buffer(width, height, value)
    return describe(create_input(op))
