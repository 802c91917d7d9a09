"""Creations: what the conformance tests assert about Windows (rank 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from explorer.core import d3d9
from explorer.rules.d3d9 import judge
from tests.conformance.d3d9.data import Row, families, rows
from tests.conformance.d3d9.objects import device, expected, format_value, value_of

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = ("create_hal", "create_ex")


def _handle(row: Row, shared: bool) -> str | None:
    if not shared:
        return None
    return "user_memory" if row.get("handle_is_user_memory") == "1" else "shared"


def _usage(row: Row) -> d3d9.Usage:
    return d3d9.Usage(row.number("usage"))


def _texture(row: Row, handle: str | None) -> d3d9.CreateInput:
    size = row.number("w"), row.number("h"), row.number("levels")
    return d3d9.CreateTexture(*size, _usage(row), format_value(row["format"]), row.number("pool"), handle)


def _cube(row: Row, handle: str | None) -> d3d9.CreateInput:
    size = row.number("edge"), row.number("levels")
    return d3d9.CreateCubeTexture(*size, _usage(row), format_value(row["format"]), row.number("pool"), handle)


def _volume(row: Row, handle: str | None) -> d3d9.CreateInput:
    size = row.number("w"), row.number("h"), row.number("d"), row.number("levels")
    return d3d9.CreateVolumeTexture(*size, _usage(row), format_value(row["format"]), row.number("pool"), handle)


def _vertex(row: Row, handle: str | None) -> d3d9.CreateInput:
    length, pool = row.number("length"), row.number("pool")
    return d3d9.CreateVertexBuffer(length, _usage(row), row.number("fvf"), pool, handle)


def _index(row: Row, handle: str | None) -> d3d9.CreateInput:
    length, pool = row.number("length"), row.number("pool")
    return d3d9.CreateIndexBuffer(length, _usage(row), format_value(row["format"]), pool, handle)


def _surface(row: Row, handle: str | None, name: str, flag: str) -> d3d9.CreateInput:
    kind = getattr(d3d9, name + ("Ex" if row.get("usage") else ""))
    # A sample count beyond 16 is no constant; the rules take the number.
    start = (row.number("w"), row.number("h"), format_value(row["format"]), row.number("multisample"))
    extra = (_usage(row),) if row.get("usage") else ()
    return kind(*start, row.number("quality"), row[flag] == "1", handle, *extra)


def _target(row: Row, handle: str | None) -> d3d9.CreateInput:
    return _surface(row, handle, "CreateRenderTarget", "lockable")


def _depth(row: Row, handle: str | None) -> d3d9.CreateInput:
    return _surface(row, handle, "CreateDepthStencilSurface", "discard")


def _plain(row: Row, handle: str | None) -> d3d9.CreateInput:
    start = row.number("w"), row.number("h"), format_value(row["format"]), row.number("pool")
    if row.get("usage"):
        return d3d9.CreateOffscreenPlainSurfaceEx(*start, handle, _usage(row))
    return d3d9.CreateOffscreenPlainSurface(*start, handle)


MAKERS: dict[str, Callable[[Row, str | None], d3d9.CreateInput]] = {
    "texture": _texture,
    "cube": _cube,
    "volume": _volume,
    "vertex_buffer": _vertex,
    "vb": _vertex,
    "index_buffer": _index,
    "ib": _index,
    "render_target": _target,
    "rt": _target,
    "depth_stencil": _depth,
    "offscreen_plain": _plain,
    "offscreen": _plain,
}


def _contradicts_windows_asserted(family: str, row: Row) -> bool:
    """Decision 042: test_resource_access itself asserts that such a cube texture is created."""
    bits = row.number("usage") & int(d3d9.Usage.DEPTHSTENCIL) if row.get("usage") else 0
    return family == "create_cube" and row["why"] == "T-blocks" and bool(bits) and row["format"].startswith("D")


@pytest.mark.parametrize(("file", "family"), families(*FILES))
@pytest.mark.parametrize("windows", ["win7", "xp"])
def test_that_creation_answers_as_windows_does(file: str, family: str, windows: str) -> None:
    runtime = device(file, windows=windows)
    kind = family.removeprefix("ex_").removeprefix("create_").removeprefix("shared_")
    wrong = []
    for row in rows(file, family):
        arguments = MAKERS[kind](row, _handle(row, family.startswith("shared_")))
        verdict = judge(arguments, None, runtime)
        wanted = expected(row["hr"], xp=windows == "xp" and not runtime.ex)
        levels = row.get("levels_got")
        same = value_of(verdict.hr) == wanted
        if same and wanted == 0 and levels not in (None, "-"):
            same = verdict.values["Levels"] == int(levels)
        if not same and not _contradicts_windows_asserted(family, row):
            wrong.append((row.fields, verdict.hr, verdict.reasons[0].rule))
    assert not wrong
