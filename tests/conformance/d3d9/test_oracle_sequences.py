"""Sequences of calls: what the conformance tests assert about Windows (rank 1)."""

from __future__ import annotations

import pytest

from tests.conformance.d3d9.data import Row, families, rows
from tests.conformance.d3d9.interpreter import CREATES, Interpreter
from tests.conformance.d3d9.objects import create_input, device

FILES = ("sequences_hal", "sequences_ex", "reset_hal")


def _said(answer: str, ours: bool) -> list[str]:
    """Return the parts of an answer that are compared: pitches of DEFAULT and parameters are the driver's."""
    head, *rest = answer.split(",")
    kept = [part for part in rest if part.startswith("lv=") or (ours and part.startswith("pitch="))]
    return [head, *kept]


def differs(row: Row, answers: list[str | None]) -> list[tuple[str, str | None, str]]:
    ops, results = row["ops"].removeprefix("!").split(";"), row["results"].split(";")
    first = ops[0] if ops[0].split()[0] in CREATES else ops[1] if len(ops) > 1 else ops[0]
    default = first.split()[0] not in CREATES or getattr(create_input(first), "Pool", 0) == 0
    return [
        (op, ours, theirs)
        for op, ours, theirs in zip(ops, answers, results, strict=True)
        if ours is not None and _said(ours, not default) != _said(theirs, not default)
    ]


@pytest.mark.parametrize(("file", "family"), families(*FILES))
def test_that_sequences_answer_as_windows_does(file: str, family: str) -> None:
    runtime = device(file)
    wrong = []
    for row in rows(file, family):
        found = differs(row, Interpreter(runtime).run(row["ops"]))
        if found:
            wrong.append((row["ops"], found))
    assert not wrong
