"""Locks: what the conformance tests assert about Windows (rank 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from explorer.core import d3d9
from explorer.rules.d3d9 import BufferState, Resource, Runtime, Surface, judge
from tests.conformance.d3d9.data import Row, families, oracle, rows
from tests.conformance.d3d9.objects import device, expected, format_value, of_kind, value_of

if TYPE_CHECKING:
    from explorer.core.verdicts import Verdict

FILES = ("locks_hal", "locks_ex")
SIDE = 32
"""Texels of a side where a row names none."""


def _resource(file: str, row: Row) -> Resource:
    width = int(row.get("w") or SIDE)
    height = int(row.get("h") or SIDE)
    value = format_value(row.get("format") or "A8R8G8B8")
    resource = of_kind(oracle(file)["kinds"], row["kind"], width, height, value)
    if row.get("level"):
        levels = int(row["level"]) + 1
        fields = {name: getattr(resource, name) for name in Resource.__dataclass_fields__}
        resource = Resource(**{**fields, "levels": levels, "stored_levels": levels})
    return resource


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _flags(row: Row) -> d3d9.LockFlags:
    return d3d9.LockFlags(int(row.get("flags") or 0))


def _answer(file: str, row: Row, runtime: Runtime) -> Verdict:
    resource = _resource(file, row)
    flags = _flags(row)
    if resource.is_buffer:
        where = int(row.get("offset") or 0), int(row.get("size") or 0)
        return judge(d3d9.Lock("b", *where, flags), BufferState(resource), runtime)
    surface = Surface(resource, int(row.get("level") or 0))
    if resource.kind == "volume_texture":
        text = row.get("box") or "-"
        box = None if text == "-" else d3d9.Box(*_numbers(text))
        return judge(d3d9.LockBox("v", 0, box, flags), surface, runtime)
    text = row.get("rect") or "-"
    rect = None if text == "-" else d3d9.Rect(*_numbers(text))
    return judge(d3d9.LockRect("s", pRect=rect, Flags=flags), surface, runtime)


def _same(row: Row, verdict: Verdict, wanted: int, pool: int) -> bool:
    if value_of(verdict.hr) != wanted:
        return False
    if wanted or pool == d3d9.Pool.DEFAULT:
        # Pitches of the DEFAULT pool are the recorded driver's.
        return True
    pitch = verdict.values.get("Pitch", verdict.values.get("RowPitch"))
    pairs = [("pitch", pitch), ("slice", verdict.values.get("SlicePitch"))]
    if row.get("rect") or row.get("box"):
        pairs.append(("offset", verdict.values.get("offset")))
    return all(row.get(key) in (None, "-", str(value)) for key, value in pairs)


def _outside_the_cited_test(row: Row) -> bool:
    """Decision 042: test_surface_blocks locks no rectangle that leaves the surface, test_lockrect_invalid does."""
    text = row.get("rect")
    if row["why"] != "T-blocks" or text in (None, "-"):
        return False
    left, top, right, bottom = _numbers(str(text))
    return not (0 <= left < right <= SIDE and 0 <= top < bottom <= SIDE)


@pytest.mark.parametrize(("file", "family"), families(*FILES))
def test_that_locks_answer_as_windows_7_does(file: str, family: str) -> None:
    runtime = device(file)
    wrong = []
    for row in rows(file, family):
        verdict = _answer(file, row, runtime)
        wanted = expected(row["hr"])
        if not _same(row, verdict, wanted, _resource(file, row).pool) and not _outside_the_cited_test(row):
            wrong.append((row.fields, verdict.hr, verdict.reasons[0].rule, dict(verdict.values)))
    assert not wrong


@pytest.mark.parametrize(("file", "family"), families("locks_hal"))
def test_that_locks_answer_as_windows_xp_does(file: str, family: str) -> None:
    runtime = device(file, windows="xp")
    wrong = []
    for row in rows(file, family):
        verdict = _answer(file, row, runtime)
        same = value_of(verdict.hr) == expected(row["hr"], xp=True)
        if not same and not _outside_the_cited_test(row):
            wrong.append((row.fields, verdict.hr, verdict.reasons[0].rule))
    assert not wrong
