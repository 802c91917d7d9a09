"""What the rules answer to a vector, a device answers to the same call; the other kinds only a device answers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from explorer.core import d3d12 as api
from explorer.core.calls import make_record
from explorer.device.d3d12_answer_rig import Rig
from explorer.rules import d3d12_record_device, d3d12_record_kinds, d3d12_record_queries
from explorer.rules.check import check
from explorer.rules.d3d12_runtime import DEFAULT, D3d12Runtime
from explorer.rules.records import CheckOptions
from tests.conformance.d3d12.data import VECTOR_FILES, vectors

if TYPE_CHECKING:
    from pathlib import Path

    from explorer.core.verdicts import Verdict
    from explorer.device.outcome import Outcome

JUDGES = {
    d3d12_record_kinds: (
        "judge_committed", "judge_reserved", "judge_placed", "judge_create_heap", "judge_custom_heap_properties",
        "judge_descriptor_heap", "judge_map", "judge_allocation_info",
    ),
    d3d12_record_queries: ("judge_allocation_info", "judge_root_signature"),
    d3d12_record_device: ("judge_feature",),
}  # fmt: skip
PLAYED = {
    "allocation_info": 1, "castable_formats": 1, "custom_heap_properties": 1, "descriptor_heap_creation": 1,
    "feature_queries": 1, "heap_creation": 1, "map": 1, "resource_creation": 1, "root_signature": 1,
}  # fmt: skip
"""Kinds whose vectors the rules answer → that calls of theirs are played."""


def play(arguments: Any, rest: tuple[Any, ...]) -> Outcome | None:
    """Apply a call to a device of its own; None where what it needs cannot exist."""
    runtime = rest[-1] if rest and isinstance(rest[-1], D3d12Runtime) else DEFAULT
    rig = Rig(runtime, CheckOptions(), has_room=True)
    if isinstance(arguments, api.CreatePlacedResource | api.CreatePlacedResource2):
        heap = api.CreateHeap(rest[0].desc)
        assert rig.device.apply(make_record("d3d12", "CreateHeap", heap, "heap")).succeeded
    if isinstance(arguments, api.Map):
        state = rest[0]
        create: Any = api.CreateReservedResource(state.desc)
        if state.heap is not None:
            create = api.CreateCommittedResource(state.heap, state.desc)
        made = rig.device.apply(make_record("d3d12", type(create).__name__, create, arguments.pResource))
        if not made.succeeded:
            return None
    creates = "made" if type(arguments).__name__.startswith("Create") else None
    return rig.device.apply(make_record("d3d12", type(arguments).__name__, arguments, creates))


@pytest.mark.parametrize("path", VECTOR_FILES, ids=lambda path: path.stem)
def test_that_a_device_answers_the_call_of_a_vector_as_the_rules_do(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: Counter[str] = Counter()

    def spied(judge: Any) -> Any:
        def judged(arguments: Any, *rest: Any) -> Verdict:
            verdict: Verdict = judge(arguments, *rest)
            outcome = play(arguments, rest)
            if outcome is not None:
                assert outcome.hr == verdict.hr, (arguments, outcome.reasons[0].text)
                for key, value in verdict.values.items():
                    assert outcome.values[key] == value, key
                assert [one.rule for one in outcome.reasons] == [one.rule for one in verdict.reasons]
                played[type(arguments).__name__] += 1
            return verdict

        return judged

    for module, names in JUDGES.items():
        for name in names:
            monkeypatch.setattr(module, name, spied(getattr(module, name)))
    for record in vectors(path):
        check(record, CheckOptions())
    assert bool(played) == (path.stem in PLAYED), played
