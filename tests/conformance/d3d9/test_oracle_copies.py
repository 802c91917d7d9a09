"""Copies: what the conformance tests assert about Windows (rank 1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from explorer.core import d3d9
from explorer.rules.d3d9 import CopyState, Resource, Runtime, Surface, TextureCopyState, judge
from explorer.rules.d3d9_resource import full_chain
from tests.conformance.d3d9.data import Row, families, oracle, rows
from tests.conformance.d3d9.objects import device, expected, format_value, of_kind, value_of

if TYPE_CHECKING:
    from explorer.core.verdicts import Verdict

FILES = ("copies_hal", "copies_ex")
SIDE = 32
PREFIXES = {"tex": "texture", "cube": "cube_texture", "vol": "volume_texture"}
POOLS = {
    "default": (0, 0), "dynamic": (0, 512), "rt": (0, 1), "managed": (1, 0), "sysmem": (2, 0), "sysdyn": (2, 512),
    "scratch": (3, 0), "autogen": (0, 1024), "mgdautogen": (1, 1024),
}  # fmt: skip


def _named(file: str, kind: str, value: int) -> Resource:
    """Return an object of the file's kinds; UpdateTexture has shorter names of its own."""
    kinds = oracle(file)["kinds"]
    if kind in kinds:
        return of_kind(kinds, kind, SIDE, SIDE, value)
    prefix, _, name = kind.partition("_")
    pool, usage = POOLS[name]
    return Resource(PREFIXES[prefix], SIDE, SIDE, usage=usage, format=value, pool=pool)


def _shape(row: Row, side: str) -> Resource:
    size, asked = row.number(f"{side}_size"), row.number(f"{side}_levels")
    kind = PREFIXES[row["type"]]
    levels = asked or full_chain(size)
    pool = d3d9.Pool.SYSTEMMEM if side == "src" else d3d9.Pool.DEFAULT
    depth = size if kind == "volume_texture" else 1
    return Resource(kind, size, size, depth, levels, levels, pool=int(pool))


def _answer(file: str, family: str, row: Row, runtime: Runtime) -> Verdict:
    value = format_value(row.get("format") or "A8R8G8B8")
    if family == "color_fill":
        resource = _named(file, row["kind"], value)
        text = row["rect"]
        rect = None if text == "-" else d3d9.Rect(*(int(part) for part in text.split(",")))
        return judge(d3d9.ColorFill("s", rect), Surface(resource), runtime)
    if family == "update_texture_levels":
        state = TextureCopyState(_shape(row, "src"), _shape(row, "dst"))
        return judge(d3d9.UpdateTexture("a", "b"), state, runtime)
    if family == "update_texture_format":
        source = Resource("texture", SIDE, SIDE, format=format_value(row["src_format"]), pool=int(d3d9.Pool.SYSTEMMEM))
        target = replace(source, format=format_value(row["dst_format"]), pool=int(d3d9.Pool.DEFAULT))
        return judge(d3d9.UpdateTexture("a", "b"), TextureCopyState(source, target), runtime)
    source, target = _named(file, row["src"], value), _named(file, row["dst"], value)
    if family == "update_texture":
        return judge(d3d9.UpdateTexture("a", "b"), TextureCopyState(source, target), runtime)
    ends = CopyState(Surface(source), Surface(target))
    if family == "stretch_rect":
        return judge(d3d9.StretchRect("a", "b", Filter=d3d9.TextureFilter(row.number("filter"))), ends, runtime)
    assert family == "get_render_target_data", family
    return judge(d3d9.GetRenderTargetData("a", "b"), ends, runtime)


@pytest.mark.parametrize(("file", "family"), families(*FILES))
def test_that_copies_answer_as_windows_does(file: str, family: str) -> None:
    runtime = device(file)
    wrong = []
    for row in rows(file, family):
        verdict = _answer(file, family, row, runtime)
        if value_of(verdict.hr) != expected(row["hr"]):
            wrong.append((row.fields, verdict.hr, verdict.reasons[0].rule))
    assert not wrong
