"""Every machine-checkable key of every vector agrees."""

from __future__ import annotations

import json

import pytest

from explorer.rules.check import check
from explorer.rules.records import CheckOptions
from explorer.tables.d3d9_tables import evidence, rules
from tests.conformance.d3d9.data import VECTOR_FILES, vectors
from tests.conformance.d3d9.evidence import TABLE, computed


@pytest.mark.parametrize("kind", VECTOR_FILES)
def test_that_every_vector_agrees(kind: str) -> None:
    answers = [check(record, CheckOptions()) for record in vectors(kind)]
    wrong = [
        (a.source.id, a.verdict, a.answer.why, a.comparison.differs, dict(a.answer.result))
        for a in answers
        if a.verdict not in ("agree", "no_expect", "disputed")
    ]
    assert not wrong


@pytest.mark.parametrize("kind", VECTOR_FILES)
def test_that_every_answer_has_a_reason_with_a_source(kind: str) -> None:
    for record in vectors(kind):
        answer = check(record, CheckOptions()).answer
        assert answer.result
        assert answer.reasons
        assert all(reason.rule.startswith("d3d9.") and reason.source for reason in answer.reasons)


@pytest.mark.parametrize("kind", VECTOR_FILES)
def test_that_words_are_answered_by_the_rule_that_says_them(kind: str) -> None:
    for record in vectors(kind):
        answer = check(record, CheckOptions()).answer
        rules = {reason.rule for reason in answer.reasons}
        for value in answer.result.values():
            if isinstance(value, dict):
                assert value["rule"] in rules


def test_that_the_table_of_evidence_is_up_to_date() -> None:
    assert json.loads(TABLE.read_bytes())["rules"] == computed()
    assert evidence("d3d9.R7.4")[0].startswith("d3d9-vb_lock_flags-")
    assert evidence("d3d9.R99.1") == ()
    assert set(computed()) <= set(rules())
