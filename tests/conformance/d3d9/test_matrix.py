"""Pool × usage × type: every cell of the closed-form reading of the tests and pages."""

from __future__ import annotations

import pytest

from explorer.core import d3d9
from explorer.rules.d3d9 import Runtime, judge
from tests.conformance.d3d9.data import matrix


def _arguments(kind: str, usage: d3d9.Usage, value: int, pool: d3d9.Pool) -> d3d9.CreateInput:
    match kind:
        case "texture":
            return d3d9.CreateTexture(16, 16, 1, usage, value, pool)
        case "cube":
            return d3d9.CreateCubeTexture(16, 1, usage, value, pool)
        case "volume":
            return d3d9.CreateVolumeTexture(16, 16, 1, 1, usage, value, pool)
        case "vertex_buffer":
            return d3d9.CreateVertexBuffer(16, usage, 0, pool)
        case "index_buffer":
            return d3d9.CreateIndexBuffer(16, usage, d3d9.Format.INDEX16, pool)
        case "plain_surface":
            return d3d9.CreateOffscreenPlainSurfaceEx(16, 16, value, pool, None, usage)
        case "rt_surface":
            return d3d9.CreateRenderTargetEx(16, 16, value, Usage=usage)
        case _:
            return d3d9.CreateDepthStencilSurfaceEx(16, 16, value, Usage=usage)


@pytest.mark.parametrize("api", ["d3d9", "d3d9ex"])
def test_that_every_cell_of_the_matrix_agrees(api: str) -> None:
    wrong = []
    for row_api, kind, klass, names, letters in matrix():
        if row_api != api:
            continue
        usage = d3d9.Usage(0)
        for name in names.split("+") if names else []:
            usage |= d3d9.Usage[name]
        value = d3d9.Format.D24S8 if klass == "depth" else d3d9.Format.A8R8G8B8
        for pool, letter in zip(d3d9.Pool, letters, strict=True):
            if letter == "?" or (kind in ("rt_surface", "ds_surface") and pool != d3d9.Pool.DEFAULT):
                continue
            verdict = judge(_arguments(kind, usage, value, pool), None, Runtime(ex=api == "d3d9ex"), "CreateTexture")
            # Decision 042: no depth texture outside DEFAULT, with generated mipmaps or without.
            undecided = letter == "c" and pool == d3d9.Pool.MANAGED and klass == "depth"
            if not undecided and verdict.succeeded != (letter in "yc"):
                wrong.append((kind, klass, names, pool.name, letter, verdict.hr, verdict.reasons[0].rule))
    assert not wrong
