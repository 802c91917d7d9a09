"""Every machine-checkable key of every hand-made D3D12 vector agrees."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from explorer.cli.check import ask_device
from explorer.rules.check import check, read_records
from explorer.rules.records import CheckOptions
from explorer.tables.d3d12_tables import rules_by_id
from explorer.tables.kernel_rules import kernel_reason
from tests.conformance.d3d12.data import VECTOR_FILES, vectors
from tests.shared_folder import SHARED

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = CheckOptions()


@pytest.mark.parametrize("path", VECTOR_FILES, ids=lambda path: path.stem)
def test_that_every_vector_agrees(path: Path) -> None:
    wanted = ("agree", "disputed")
    checked = [check(record, OPTIONS, ask_device) for record in vectors(path)]
    bad = [(one.source.id, one.verdict, one.comparison.differs, one.answer.why) for one in checked]
    assert checked
    assert [one for one in bad if one[1] not in wanted] == []


def test_that_only_the_three_known_vectors_are_disputed() -> None:
    found = {record.id for path in VECTOR_FILES for record in vectors(path) if record.disputed}
    assert found == {"allocation_info-132", "allocation_info-162", "resource_creation-102"}


@pytest.mark.parametrize("path", VECTOR_FILES, ids=lambda path: path.stem)
def test_that_a_result_has_reasons_out_of_the_rules(path: Path) -> None:
    for record in vectors(path):
        answer = check(record, OPTIONS, ask_device).answer
        assert bool(answer.result) <= bool(answer.reasons), record.id
        for reason in answer.reasons:
            row = rules_by_id().get(reason.rule) or kernel_reason(reason.rule)
            assert reason.source == row.source


@pytest.mark.parametrize("path", VECTOR_FILES, ids=lambda path: path.stem)
def test_that_an_answer_does_not_depend_on_what_is_expected(path: Path) -> None:
    for record in vectors(path):
        alone = replace(record, id=None, expect=None, disputed=False)
        assert check(alone, OPTIONS, ask_device).answer == check(record, OPTIONS, ask_device).answer


@pytest.mark.skipif(SHARED is None, reason="the reference is not beside the project")
def test_that_the_kept_vectors_are_those_of_the_reference() -> None:
    assert SHARED is not None
    folder = SHARED / "reference" / "d3d12" / "vectors"
    for path in VECTOR_FILES:
        with folder.joinpath(path.name).open("rb") as stream:
            theirs = list(read_records(stream, path.name))
        assert [(r.id, r.record, r.expect, r.disputed) for r in vectors(path)] == [
            (r.id, _with_flags(r.record), r.expect, r.disputed) for r in theirs
        ]


def _with_flags(record):
    """Return the record with the description's Flags spelled out, as the kept rows have them."""
    inputs = dict(record.input)
    if "desc" in inputs:
        inputs["desc"] = {"Flags": [], **inputs["desc"]}
    if "descs" in inputs:
        inputs["descs"] = [{"Flags": [], **one} for one in inputs["descs"]]
    return replace(record, input=inputs)
