"""The four kinds of record that ask what a device does are played on one, and every machine key agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.device.d3d9_answers import answer
from explorer.device.d3d9_answers_managed import DOCUMENTED
from explorer.rules import d3d9_records
from explorer.rules.compare import compare
from explorer.rules.records import CheckOptions, VectorRecord
from explorer.tables.adapters import adapter
from tests.conformance.d3d9.data import VECTOR_FILES, vectors

if TYPE_CHECKING:
    from explorer.rules.check import CheckRecord

KINDS = ("lost_device_sequences", "reset_rules", "resource_priority", "memory_behaviour")
UNPLAYED = "UpdateSurface into a level"
"""Its target is a DEFAULT texture, of which the device keeps no dirty region: nothing ever asks for it."""

FACTS = [
    record for record in vectors("documented")
    if record.record.call in DOCUMENTED and record.record.input.get("operation") != UNPLAYED
]  # fmt: skip
CASES = [pytest.param(record, id=record.id) for record in (*(one for kind in KINDS for one in vectors(kind)), *FACTS)]


@pytest.mark.parametrize("record", CASES)
def test_that_the_device_answers_as_the_vector_expects(record: CheckRecord) -> None:
    found = answer(record.record, CheckOptions())
    assert found is not None, "the device has no words for it"
    assert found.status == "answered"
    assert found.reasons
    assert all(reason.rule.startswith("d3d9.") and reason.source for reason in found.reasons)
    comparison = compare(record.record, record.expect or {}, found.result)
    assert comparison.agrees is not False, (comparison.differs, dict(found.result))
    assert not comparison.missing
    # Facts in words alone are no match by text: the rule that says them is what the device named.
    words = [value for value in found.result.values() if isinstance(value, dict)]
    assert comparison.agrees or (words and record.record.kind == "documented")
    assert {value["rule"] for value in words} <= {reason.rule for reason in found.reasons}


@pytest.mark.parametrize("record", CASES)
def test_that_rules_and_device_say_the_same(record: CheckRecord) -> None:
    played, ruled = answer(record.record, CheckOptions()), d3d9_records.answer(record.record, CheckOptions())
    assert played is not None
    words = {key for key, value in ruled.result.items() if isinstance(value, dict)}
    # How many bytes twenty targets take is the layout model's; both are above the bound.
    own = {"difference_bytes"}
    for key in ruled.result.keys() - words - own:
        assert played.result[key] == ruled.result[key], key
    # Where a fact in words has an answer of the rules' own, device and rules name the same rule.
    if record.record.kind == "documented":
        assert played.result == ruled.result


def test_that_an_answer_depends_on_the_device_and_not_on_its_adapter() -> None:
    for kind in KINDS:
        for record in vectors(kind):
            if "GetAvailable" in record.record.call:
                continue
            plain = answer(record.record, CheckOptions())
            other = answer(record.record, CheckOptions(adapter("gf7800gtx"), {"windows": "win7"}))
            assert plain is not None
            assert other is None or other.result == plain.result, record.id


def test_that_other_kinds_and_unknown_words_are_left_to_the_rules() -> None:
    for kind in sorted(set(VECTOR_FILES) - set(KINDS)):
        assert answer(vectors(kind)[0].record, CheckOptions()) is None
    unknown = VectorRecord("d3d9", "reset_rules", "Reset", {"held": "a grudge"})
    assert answer(unknown, CheckOptions()) is None
    spare = VectorRecord("d3d9", "reset_rules", "Reset", {"held": "nothing", "weather": "fine"})
    assert answer(spare, CheckOptions()) is None


def play(kind: str, call: str, api: str = "d3d9", **inputs: object) -> dict[str, object]:
    found = answer(VectorRecord(api, kind, call, inputs), CheckOptions())
    assert found is not None
    return dict(found.result)


@pytest.mark.parametrize(
    ("api", "held", "hr", "after"),
    [
        ("d3d9", "additional swap chain", "D3DERR_INVALIDCALL", "D3D_OK"),
        ("d3d9", "state block", "D3DERR_INVALIDCALL", "D3D_OK"),
        ("d3d9", "vertex buffer, D3DPOOL_DEFAULT", "D3DERR_INVALIDCALL", "D3D_OK"),
        ("d3d9", "surface level 0 of a texture, D3DPOOL_DEFAULT", "D3DERR_INVALIDCALL", "D3D_OK"),
        ("d3d9", "texture, D3DPOOL_SYSTEMMEM, locked", "D3D_OK", None),
        ("d3d9", "only device-bound references", "D3D_OK", None),
        ("d3d9ex", "state block", "D3D_OK", None),
        ("d3d9ex", "texture, D3DPOOL_DEFAULT", "D3D_OK", None),
    ],
)
def test_that_reset_is_played_for_things_that_no_vector_names(api: str, held: str, hr: str, after: str | None) -> None:
    found = play("reset_rules", "Reset", api, held=held, mode="windowed 400x300")
    assert found["reset_hr"] == hr
    assert found.get("after_release_reset_hr") == after


@pytest.mark.parametrize(
    ("buffer", "flags", "visible"),
    [
        ("DEFAULT DYNAMIC|WRITEONLY vertex buffer", ["D3DLOCK_NOOVERWRITE"], True),
        ("DEFAULT DYNAMIC index buffer", ["D3DLOCK_NOOVERWRITE"], True),
        ("managed vertex buffer", ["D3DLOCK_DISCARD"], False),
    ],
)
def test_that_a_pending_draw_sees_what_is_appended(buffer: str, flags: list[str], visible: bool) -> None:
    call = "Lock while the GPU still reads the buffer"
    assert play("memory_behaviour", call, buffer=buffer, lock_flags=flags) == {"write_visible_to_pending_draw": visible}


def test_that_a_discarded_dynamic_buffer_has_another_pointer_while_it_is_busy() -> None:
    found = play("memory_behaviour", "Lock twice around a draw", buffer="DEFAULT DYNAMIC vertex buffer",
                 lock_flags=["D3DLOCK_DISCARD"])  # fmt: skip
    assert found == {"both_hr": "D3D_OK", "same_pointer": False, "contents_kept": False}


def test_that_facts_about_behaviour_are_played_and_others_are_not() -> None:
    assert {record.record.call for record in FACTS} == set(DOCUMENTED)
    assert len(FACTS) == 20
    left = [one for one in vectors("documented") if answer(one.record, CheckOptions()) is None]
    assert {one.record.call for one in left} == {
        "create texture", "UpdateSurface", "StretchRect", "lock flag validity", "back buffer format",
        "GetAvailableTextureMem", "dirty region",
    }  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(
    objects=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 50)), min_size=1, max_size=6, unique_by=lambda o: o[1]
    ),
    mode=st.sampled_from(["LRU", "MRU"]),
)
def test_that_the_device_evicts_whom_the_rules_would(objects: list[tuple[int, int]], mode: str) -> None:
    listed = [{"name": f"N{i}", "priority": p, "last_use": u} for i, (p, u) in enumerate(objects)]
    record = VectorRecord("d3d9", "documented", "evict choice", {"mode": mode, "objects": listed})
    played, ruled = answer(record, CheckOptions()), d3d9_records.answer(record, CheckOptions())
    assert played is not None
    assert played.result == ruled.result


@pytest.mark.parametrize(
    "objects",
    [[], "A", [3], [{"name": "A", "last_use": 1}, {"name": "A", "last_use": 2}], [{"name": "A"}],
     [{"name": "A", "last_use": 1, "priority": 1 << 40}], [{"name": str(i), "last_use": i} for i in range(65)]],
)  # fmt: skip
def test_that_a_choice_that_cannot_be_played_is_left_to_the_rules(objects: object) -> None:
    assert answer(VectorRecord("d3d9", "documented", "evict choice", {"objects": objects}), CheckOptions()) is None
