from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from explorer.cli.main import main
from explorer.tables.locations import resources_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GOOD = {"id": "good", "api": "d3d11", "kind": "constant_buffer_sizes", "call": "CreateBuffer",
        "input": {"byte_width": 16, "bind": ["CONSTANT_BUFFER"]}, "expect": {"create_hr": "S_OK"}}  # fmt: skip
BAD = {**GOOD, "id": "bad", "expect": {"create_hr": "E_INVALIDARG"}}
D3D9 = {"id": "nine", "api": "d3d9", "kind": "dxt_block_sizes", "call": "no such call", "input": {}}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: object) -> tuple[int, str, str]:
        code = main(["check", *map(str, arguments)])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def records(tmp_path: Path) -> Callable[..., Path]:
    def write(*lines: Any, name: str = "records.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    return write


def schema(name: str) -> Any:
    return json.loads((resources_folder() / "schemas" / name).read_text(encoding="utf-8"))


def test_that_agreement_ends_with_zero(run: Any, records: Any) -> None:
    path = records(GOOD)
    code, out, _ = run(path, "--json")
    summary = json.loads(out)
    jsonschema.validate(summary, schema("check.json"))
    assert code == 0
    assert (summary["files"], summary["records"], summary["disagreements"]) == ([str(path)], 1, [])
    assert summary["kinds"][0]["agree"] == 1


def test_that_a_disagreement_ends_with_one(run: Any, records: Any) -> None:
    path = records(GOOD, BAD, D3D9)
    code, out, _ = run(path, "--json")
    summary = json.loads(out)
    jsonschema.validate(summary, schema("check.json"))
    assert code == 1
    assert summary["disagreements"] == [{"file": str(path), "id": "bad", "differs": ["create_hr"]}]
    assert [(row["api"], row["records"], row["not_understood"]) for row in summary["kinds"]] == [
        ("d3d11", 2, 0),
        ("d3d9", 1, 1),
    ]


def test_that_people_get_a_table(run: Any, records: Any) -> None:
    code, out, _ = run(records(GOOD, BAD))
    assert code == 1
    assert "constant_buffer_sizes" in out
    assert out.rstrip().endswith("bad: create_hr")


def test_that_answers_are_written_one_a_line(run: Any, records: Any, tmp_path: Path) -> None:
    target = tmp_path / "answers.jsonl"
    free = {"api": "d3d11", "call": "CreateBuffer", "input": {"byte_width": 4294967295}}
    run(records(GOOD, BAD, D3D9, free), "--answers", target)
    answers = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    for one in answers:
        jsonschema.validate(one, schema("check-answer.json"))
    assert [(one["id"], one["status"], one["agrees"]) for one in answers] == [
        ("good", "answered", True),
        ("bad", "answered", False),
        ("nine", "not_understood", None),
        (None, "answered", None),
    ]
    assert list(answers[0]) == ["id", "status", "result", "reasons", "agrees", "differs", "why"]
    assert [path.name for path in tmp_path.iterdir()] != []
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_that_answers_do_not_depend_on_order_or_expectation(run: Any, records: Any, tmp_path: Path) -> None:
    stripped = [{k: v for k, v in one.items() if k not in ("expect", "id")} for one in (GOOD, BAD, D3D9)]
    run(records(*stripped), "--answers", tmp_path / "one.jsonl")
    run(records(*reversed(stripped)), "--answers", tmp_path / "two.jsonl")
    one = (tmp_path / "one.jsonl").read_bytes().splitlines()
    assert one == (tmp_path / "two.jsonl").read_bytes().splitlines()[::-1]


def test_that_standard_input_and_output_are_dashes(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Standard:
        buffer = io.BytesIO((json.dumps(GOOD) + "\n").encode())

    monkeypatch.setattr(sys, "stdin", Standard())
    code, out, err = run("-", "--answers", "-")
    assert code == 0
    assert json.loads(out)["id"] == "good"
    assert "constant_buffer_sizes" in err


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["{file}", "--option", "feature_level"], "--option"),
        (["{file}", "--option", "colour=blue"], "--option"),
        (["{file}", "--option", "feature_level=13_0"], None),
        (["{file}", "--adapter", "no-such-adapter"], "adapter"),
        (["{file}", "--answers", "-"], "--answers"),
        (["-", "-"], "FILE"),
        (["{file}.missing"], None),
        (["{folder}"], None),
        (["{file}", "--answers", "{folder}"], None),
        (["{file}", "--answers", "{folder}/none/answers.jsonl"], None),
    ],
)
def test_that_wrong_use_ends_with_two(run: Any, records: Any, arguments: list[str], where: str | None) -> None:
    path = records(GOOD)
    filled = [part.format(file=path, folder=path.parent) for part in arguments]
    code, out, _ = run(*filled, "--json")
    error = json.loads(out)
    assert code == 2
    assert error["schema"] == "memory-explorer/error/1"
    if where is not None:
        assert error["error"]["where"] == where
    assert error["error"]["message"]


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, '{"input": ' * 100_000 + "1" + "}" * 100_000])
def test_that_what_is_nested_too_deeply_is_bad_input(run: Any, tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text(text, encoding="utf-8")
    code, out, err = run(path)
    assert (code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
def test_that_a_full_disk_is_said_and_a_device_stays_one(run: Any, records: Any) -> None:
    code, out, _ = run(records(GOOD), "--answers", "/dev/full", "--json")
    assert (code, json.loads(out)["error"]["file"]) == (2, "/dev/full")
    assert not os.path.isfile("/dev/full")


def test_that_a_broken_line_leaves_no_answers(run: Any, records: Any, tmp_path: Path) -> None:
    path = records(GOOD)
    with path.open("a", encoding="utf-8") as stream:
        stream.write("{broken}\n")
    target = tmp_path / "answers.jsonl"
    target.write_text("old\n", encoding="utf-8")
    code, out, _ = run(path, "--answers", target, "--json")
    error = json.loads(out)["error"]
    assert (code, error["file"], error["line"]) == (2, str(path), 2)
    assert target.read_text(encoding="utf-8") == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.jsonl", "records.jsonl"]


@pytest.mark.skipif(os.name != "posix", reason="files have no mode bits here")
def test_that_an_answer_file_is_an_ordinary_file(run: Any, records: Any, tmp_path: Path) -> None:
    run(records(GOOD), "--answers", tmp_path / "answers.jsonl")
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "answers.jsonl").stat().st_mode & 0o777 == 0o666 & ~mask


def test_that_options_make_the_device(run: Any, records: Any) -> None:
    cpu = {"api": "d3d11", "call": "CreateBuffer", "expect": {"create_hr": "S_OK"},
           "input": {"usage": "DEFAULT", "bind": ["SHADER_RESOURCE"], "cpu_access": ["READ"]}}  # fmt: skip
    path = records(cpu)
    assert run(path)[0] == 0
    assert run(path, "--option", "d3d11.runtime=11.1")[0] == 1
    assert run(path, "--option", "d3d11.feature_level=10_0")[0] == 1


def test_that_only_the_first_thousand_disagreements_are_listed(run: Any, records: Any) -> None:
    code, out, _ = run(records(*[BAD] * 1003), "--json")
    summary = json.loads(out)
    assert code == 1
    assert len(summary["disagreements"]) == 1000
    assert summary["kinds"][0]["disagree"] == 1003


def test_that_files_are_checked_in_the_order_given(run: Any, records: Any, tmp_path: Path) -> None:
    one = records({**GOOD, "id": "1"}, name="one.jsonl")
    two = records({**GOOD, "id": "2"}, name="two.jsonl")
    run(two, one, "--answers", tmp_path / "answers.jsonl")
    answers = (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in answers] == ["2", "1"]


def test_that_an_interruption_leaves_nothing_behind(
    run: Any, records: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> Any:
        raise KeyboardInterrupt

    path = records(GOOD)
    monkeypatch.setattr("explorer.rules.check.check", interrupted)
    code, out, _ = run(path, "--answers", tmp_path / "answers.jsonl", "--json")
    assert (code, out) == (130, "")
    assert [file.name for file in tmp_path.iterdir()] == ["records.jsonl"]
