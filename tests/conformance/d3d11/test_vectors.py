"""Every machine-checkable key of every vector agrees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from explorer.rules.check import CheckRecord, check, read_records
from explorer.rules.records import CheckOptions, VectorRecord
from tests.shared_folder import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
FILES = sorted(path.name for path in HERE.glob("vectors_*.json"))
ABSENT = "~"


def _present(columns: list[str], values: list[Any]) -> dict[str, Any]:
    return {key: value for key, value in zip(columns, values, strict=True) if value != ABSENT}


def cases(name: str) -> Iterator[CheckRecord]:
    data = json.loads((HERE / name).read_text(encoding="utf-8"))
    for number, call, precondition, source, given, expected in data["rows"]:
        api, called = data["calls"][call]
        record = VectorRecord(
            api, data["kind"], called, data["common"] | _present(data["input"], given),
            preconditions=tuple(data["preconditions"][precondition]),
        )  # fmt: skip
        label = f"{number} ({data['sources'][source]})"
        yield CheckRecord(label, record, _present(data["expect"], expected), False, None)


@pytest.mark.parametrize("name", FILES)
def test_that_the_vectors_agree(name: str) -> None:
    checked = [check(case, CheckOptions()) for case in cases(name)]
    wrong = [
        (one.source.id, one.verdict, one.answer.result, one.source.expect, one.answer.why)
        for one in checked
        # Words are answered by a rule and compare with nothing.
        if one.verdict != "agree" and not (one.verdict == "no_expect" and _is_words(one.answer.result))
    ]
    assert checked
    assert wrong == []


def _is_words(result: Any) -> bool:
    return any(isinstance(value, dict) and set(value) == {"rule"} for value in result.values())


def test_that_every_answer_has_a_reason() -> None:
    for name in FILES:
        for case in cases(name):
            found = check(case, CheckOptions()).answer
            assert found.reasons, case.id
            assert not found.result or all(reason.source for reason in found.reasons)


def test_that_an_answer_depends_on_nothing_beside_the_question() -> None:
    for name in FILES:
        for case in cases(name):
            blind = CheckRecord(None, case.record, None, True, 7)
            assert check(blind, CheckOptions()).answer == check(case, CheckOptions()).answer


@pytest.mark.skipif(SHARED is None, reason="the shared folder is not here")
@pytest.mark.parametrize("name", FILES)
def test_that_the_vector_file_itself_agrees(name: str) -> None:
    assert SHARED is not None
    path = SHARED / "reference" / "d3d11" / "vectors" / name.removeprefix("vectors_")
    with path.open("rb") as stream:
        verdicts = {check(record, CheckOptions()).verdict for record in read_records(stream, path.name)}
    assert verdicts <= {"agree", "no_expect"}
