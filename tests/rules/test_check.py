from __future__ import annotations

import io
import json
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.rules.check import CheckRecord, answer, check, read_records
from explorer.rules.records import CheckOptions

BUFFER = {"api": "d3d11", "call": "CreateBuffer", "input": {"byte_width": 16, "bind": ["CONSTANT_BUFFER"]}}


def read(text: str | bytes, file: str = "records.jsonl") -> list[CheckRecord]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(read_records(io.BytesIO(raw), file))


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_that_json_lines_are_read_one_record_a_line() -> None:
    found = read(lines(BUFFER | {"id": "a"}, BUFFER | {"id": "b", "expect": {"create_hr": "S_OK"}}))
    assert [(r.id, r.line, r.expect) for r in found] == [("a", 1, None), ("b", 2, {"create_hr": "S_OK"})]


def test_that_blank_lines_and_a_byte_order_mark_are_passed_over() -> None:
    text = b"\n\xef\xbb\xbf".removeprefix(b"\n") + lines(BUFFER, BUFFER).replace("\n", "\n\n").encode()
    assert [record.line for record in read(text)] == [1, 3]


@pytest.mark.parametrize("indent", [None, 2])
def test_that_a_vector_file_is_read_as_records(indent: int | None) -> None:
    vector = {"id": "v", **BUFFER, "preconditions": ["feature level >= 10_0"], "disputed": True}
    file = {"schema": "d3d11-vectors/1", "kind": "constant_buffer_sizes", "vectors": [vector]}
    (found,) = read(json.dumps(file, indent=indent))
    assert (found.id, found.record.kind, found.disputed) == ("v", "constant_buffer_sizes", True)
    assert found.record.preconditions == ("feature level >= 10_0",)


def test_that_the_api_of_a_d3d12_vector_is_its_call() -> None:
    vector = {"id": "v", "api": "CreateHeap", "input": {}, "requires": {"heap_tier": 1}}
    (found,) = read(json.dumps({"schema": "d3d12-vectors/1", "kind": "heap_creation", "vectors": [vector]}))
    assert (found.record.api, found.record.call) == ("d3d12", "CreateHeap")
    assert found.record.requires == {"heap_tier": 1}


def test_that_stimuli_are_taken_from_expect_and_from_input() -> None:
    steps = [{"call": "SetPriority", "arg": 3, "returns": 0}]
    base = {"api": "d3d9", "kind": "resource_priority", "call": "sequence", "input": {"pool": "MANAGED"}}
    (one,) = read(lines(base | {"expect": {"steps": steps}}))
    (other,) = read(lines(base | {"input": {"pool": "MANAGED", "steps": [{"call": "SetPriority", "arg": 3}]}}))
    assert one.record == other.record
    assert one.record.steps == ({"call": "SetPriority", "arg": 3},)


@pytest.mark.parametrize(
    ("text", "line", "where"),
    [
        ("", None, None),
        ("nonsense\n", 1, None),
        ('{"api": "d3d11", \n', None, None),
        ("[1, 2]\n", 1, None),
        (lines(BUFFER) + "{]}\n", 2, None),
        (lines(BUFFER) + '{"api": "d3d11", "call": "x", "input": {"a": NaN}}\n', 2, None),
        (lines(BUFFER) + '{"api": "d3d11", "call": "\\ud800"}\n', 2, None),
        (lines(BUFFER | {"api": "opengl"}), 1, "api"),
        (lines(BUFFER | {"call": None}), 1, "call"),
        (lines(BUFFER | {"input": []}), 1, "input"),
        (lines(BUFFER | {"id": 5}), 1, "id"),
        (lines(BUFFER | {"want": [1]}), 1, "want"),
        (lines(BUFFER | {"kind": 1}), 1, "kind"),
        ('{"schema": "x/1", "vectors": []}', None, "schema"),
        ('{"schema": "d3d9-vectors/1", "vectors": {}}', None, "vectors"),
        ('{"schema": "d3d9-vectors/1", "vectors": [{"api": "d3d9"}]}', None, "vectors[0].call"),
        ('{\n"schema": "d3d9-vectors/1",\n "vectors": [,]}', 3, None),
    ],
)
def test_that_a_broken_file_is_named_with_its_place(text: str, line: int | None, where: str | None) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    complaint = caught.value.complaint
    assert complaint.file == "records.jsonl"
    assert complaint.where == where
    if line is not None:
        assert complaint.line == line


def test_that_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InputError, match="UTF-8"):
        read(b'{"api": "d3d11", "call": "\xff"}\n')


def test_that_large_integers_are_read() -> None:
    (found,) = read('{"api": "d3d11", "call": "CreateBuffer", "input": {"byte_width": 123456789012345678901234567890}}')
    assert found.record.input["byte_width"] == 123456789012345678901234567890
    assert check(found, CheckOptions()).verdict == "not_understood"


def only(record: Any) -> CheckRecord:
    return read(lines(record))[0]


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({"expect": {"create_hr": "S_OK"}}, "agree"),
        ({"expect": {"create_hr": "E_INVALIDARG"}}, "disagree"),
        ({"expect": {"create_hr": "E_INVALIDARG"}, "also_accepted": {"create_hr": "S_OK"}}, "disagree"),
        ({"expect": {"create_hr": "E_INVALIDARG"}, "disputed": True}, "disputed"),
        ({"expect": {"create_hr": "S_OK"}, "disputed": "two sources"}, "disputed"),
        ({}, "no_expect"),
        ({"expect": {"colour": "blue"}}, "no_expect"),
        ({"call": "CreateCommittedResource"}, "not_understood"),
        ({"input": {"byte_widht": 16}}, "not_understood"),
        ({"preconditions": ["the moon is full"]}, "not_understood"),
    ],
)
def test_that_each_answer_is_counted_once(change: Any, verdict: str) -> None:
    assert check(only(BUFFER | change), CheckOptions()).verdict == verdict


def test_that_wanted_keys_alone_are_answered() -> None:
    asked = only(BUFFER | {"want": ["create_hr"], "expect": {"create_hr": "S_OK"}})
    found = check(asked, CheckOptions())
    assert found.answer.result == {"create_hr": "S_OK"}
    assert found.verdict == "agree"


ALLOCATION = {
    "api": "d3d12",
    "call": "GetResourceAllocationInfo",
    "kind": "allocation_info",
    "input": {
        "descs": [
            {
                "Dimension": "BUFFER", "Width": 1000, "Height": 1, "DepthOrArraySize": 1, "MipLevels": 1,
                "Format": "UNKNOWN", "SampleDesc": {"Count": 1, "Quality": 0}, "Layout": "ROW_MAJOR", "Flags": [],
                "Alignment": 0,
            }
        ]
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("want", "expect", "verdict", "differs"),
    [
        (["Alignment"], {"Alignment": 65536, "SizeInBytes": 1}, "agree", ()),
        (["Alignment"], {"Alignment_min": 4096, "SizeInBytes": 1}, "agree", ()),
        (["SizeInBytes"], {"SizeInBytes": 65536, "Alignment": 1}, "agree", ()),
        (["SizeInBytes"], {"SizeInBytes_rule": "align_up(Width, Alignment)", "Alignment": 1}, "agree", ()),
        (["SizeInBytes_min"], {"SizeInBytes_min": 1 << 20, "Alignment": 1}, "disagree", ("SizeInBytes_min",)),
        (["SizeInBytes"], {"Alignment": 1}, "no_expect", ()),
    ],
)
def test_that_wanted_keys_alone_are_compared(want: Any, expect: Any, verdict: str, differs: tuple[str, ...]) -> None:
    found = check(only(ALLOCATION | {"want": want, "expect": expect}), CheckOptions())
    assert (found.verdict, found.comparison.differs) == (verdict, differs), found.answer


def test_that_a_wanted_key_without_an_answer_is_named() -> None:
    partial = answer(only(BUFFER | {"want": ["create_hr", "colour"]}).record, CheckOptions())
    assert (partial.status, partial.why) == ("partial", "not answered: colour")
    none = answer(only(BUFFER | {"want": ["colour"]}).record, CheckOptions())
    assert (none.status, none.reasons) == ("not_simulated", ())


def test_that_an_answer_sees_neither_name_nor_expectation() -> None:
    plain = only(BUFFER)
    other = {"create_hr": "E_FAIL"}
    beside = {"id": "x", "source": "y", "note": "z", "derivation": "w", "expect": other, "suggested_model": other}
    dressed = only(BUFFER | beside)
    assert answer(plain.record, CheckOptions()) == answer(dressed.record, CheckOptions())
