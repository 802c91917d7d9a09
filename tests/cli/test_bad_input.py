"""Bad input of every kind: exit code 2, one clear message, no traceback, nothing on the other stream."""

from __future__ import annotations

import gzip
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from explorer.cli import main as main_module
from explorer.cli import open_command, presets
from explorer.cli.main import main
from explorer.interchange.snapshot_encode import snapshot_bytes
from explorer.tables.locations import presets_folder
from tests.cli.command import SCENARIO, run
from tests.interchange import dump_writer as write
from tests.interchange import snapshots

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Capture = pytest.CaptureFixture[str]

HUGE = str(2**70)


def _dump(**changes: Any) -> bytes:
    document = write.vma_c({"Type 0": write.Pool([[("BUFFER", 64, 0, "a"), ("FREE", 64, 0, "")]])})
    document["DefaultPools"]["Type 0"]["Blocks"]["0"]["Suballocations"][0].update(changes)
    return write.text(document)


def _scenario(old: str, new: str) -> Callable[[], bytes]:
    def make() -> bytes:
        text = (presets_folder() / "scenarios" / f"{SCENARIO}.toml").read_text(encoding="utf-8")
        assert old in text
        return text.replace(old, new, 1).encode()

    return make


FILES: dict[str, tuple[bytes | Callable[[], bytes], str | None]] = {
    "empty": (b"", None),
    "not json": (b"{this is not JSON}", None),
    "prose": (b"Dear reader,\n", None),
    "binary": (bytes(range(256)), None),
    "truncated": (_dump()[:-40], None),
    "truncated gzip": (gzip.compress(_dump())[:-9], None),
    "unknown json": (b'{"hello": "world"}', None),
    "wrong types": (b'{"General": 5, "Total": [], "MemoryInfo": "none", "DefaultPools": {"Type 0": 7}}', None),
    "wrong type of a size": (_dump(Size="big"), "DefaultPools.Type 0.Blocks.0.Suballocations[0].Size"),
    "negative size": (_dump(Size=-1), "DefaultPools.Type 0.Blocks.0.Suballocations[0].Size"),
    "2^70": (_dump(Size=2**70), "DefaultPools.Type 0.Blocks.0.Suballocations[0].Size"),
    "snapshot of another version": (b'{"schema": "memory-layout-snapshot/2"}', "schema"),
    "snapshot cut off": (lambda: snapshot_bytes(snapshots.imported())[:-7], None),
    "scenario, unknown key": (_scenario("title =", "colour = 1\ntitle ="), "colour"),
    "scenario, unknown adapter": (_scenario('adapter = "', 'adapter = "no-such-'), None),
    "scenario, negative": (_scenario("frames = 600", "frames = -1"), "frames"),
    "scenario, 2^70": (_scenario("frames = 600", f"frames = {HUGE}"), "frames"),
    "scenario, wrong type": (_scenario("frames = 600", 'frames = "all"'), "frames"),
    "scenario, broken toml": (_scenario("frames = 600", "frames = ["), None),
    "scenario, unknown call": (_scenario('call = "Create', 'call = "Invent'), None),
}


_LOOKED_AT = ("open", "scenario, unknown adapter")
"""Opening only says what a file is: the adapter need not be here."""


def test_that_a_scenario_for_an_adapter_that_is_not_here_can_be_looked_at(capfd: Capture, tmp_path: Path) -> None:
    command, name = _LOOKED_AT
    content, _where = FILES[name]
    path = tmp_path / "elsewhere.toml"
    path.write_bytes(content if isinstance(content, bytes) else content())
    text = run(capfd, command, str(path))
    assert (text.code, text.err) == (0, "")
    assert str(path) in text.out
    assert "scenario" in text.out


@pytest.mark.parametrize(
    ("command", "name"),
    [(command, name) for command in ("open", "export", "run") for name in FILES if (command, name) != _LOOKED_AT],
)
def test_that_a_bad_file_is_exit_code_2_with_one_message(
    capfd: Capture, tmp_path: Path, name: str, command: str
) -> None:
    content, where = FILES[name]
    ending = "toml" if name.startswith("scenario") else "json"
    path, out = tmp_path / f"bad.{ending}", tmp_path / "out.csv"
    path.write_bytes(content if isinstance(content, bytes) else content())
    arguments = {
        "open": ["open", str(path)],
        "export": ["export", str(path), "--to", "csv", "--out", str(out)],
        "run": ["run", str(path), "--frames", "1", "--out", str(out)],
    }[command]
    text = run(capfd, *arguments)
    assert (text.code, text.out) == (2, "")
    assert text.err.startswith("memory-explorer: ")
    assert text.err.count("\n") == 1
    answer = run(capfd, *arguments, "--json")
    error = answer.object("error")["error"]
    assert (answer.code, answer.err) == (2, "")
    assert error["message"]
    if name != "scenario, unknown adapter":
        assert error["file"] == str(path)
    if where is not None:
        assert error["where"] == where
    assert not out.exists()
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["frobnicate"], "COMMAND"),
        (["diff", "a.json", "b.json"], "COMMAND"),
        (["run", "n" * 5000], "IN"),
        (["run", "a\0b"], "IN"),
        (["run", SCENARIO, "--frame", "1"], None),
        (["run", SCENARIO, "--frames", "\u0663"], "--frames"),
        (["run", SCENARIO, "--budget", ""], "budget"),
        (["run", SCENARIO, "--budget", "=1GiB"], "budget"),
        (["open", ".", "--code-page", "no-such"], "--code-page"),
        (["open", ".", "--code-page", "a\0b"], "--code-page"),
        (["adapters", "voodoo"], "adapter"),
        (["scenarios", "nothing"], "scenario"),
        (["run", "nothing"], "IN"),
        (["run"], None),
        (["run", SCENARIO, "--adapter", "voodoo"], "adapter"),
        (["run", SCENARIO, "--allocator", "magic"], "allocator"),
        (["run", SCENARIO, "--policy", "magic"], "policy"),
        (["run", SCENARIO, "--app-policy", "magic"], "--app-policy"),
        (["run", SCENARIO, "--frames", "-1"], "--frames"),
        (["run", SCENARIO, "--frames", "1.5"], "--frames"),
        (["run", SCENARIO, "--frames", HUGE], "--frames"),
        (["run", SCENARIO, "--seed", HUGE], "--seed"),
        (["run", SCENARIO, "--budget", "-5"], "budget"),
        (["run", SCENARIO, "--budget", HUGE], "budget"),
        (["run", SCENARIO, "--budget", "0.3KiB"], "budget"),
        (["run", SCENARIO, "--budget", "VRAM=1GiB"], "budget"),
        (["run", SCENARIO, "--out", "a.docx"], "out"),
        (["run", SCENARIO, "--no-such-option"], None),
        (["open", "no-such-file.json"], None),
        (["open", "."], None),
        (["export", SCENARIO, "--to", "docx", "--out", "a.docx"], "to"),
        (["export", SCENARIO, "--to", "csv"], None),
        (["export", SCENARIO, "--to", "csv", "--out", "no/such/folder.csv", "--frame", "0"], None),
        (["export", SCENARIO, "--to", "csv", "--out", "a.csv", "--view", "timeline"], "--view"),
        (["export", SCENARIO, "--to", "png", "--out", "a.png", "--size", "big"], "--size"),
        (["export", SCENARIO, "--to", "png", "--out", "a.png", "--size", "0x10"], "--size"),
        (["export", SCENARIO, "--to", "png", "--out", "a.png", "--scale", "3"], "--scale"),
        (["export", SCENARIO, "--to", "png", "--out", "a.png", "--theme", "pink"], "--theme"),
        (["export", SCENARIO, "--to", "csv", "--out", "a.csv", "--frame", "-1"], "--frame"),
        (["bench", "--only", "no.such.row"], "--only"),
        (["bench", "--only", ","], "--only"),
        (["bench", "--rounds", "0"], "--rounds"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_that_wrong_use_is_exit_code_2_and_says_what_is_accepted(
    capfd: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], where: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    text = run(capfd, *arguments)
    assert (text.code, text.out) == (2, "")
    assert text.err.startswith("memory-explorer: ")
    assert text.err.count("\n") == 1
    error = run(capfd, *arguments, "--json").object("error")["error"]
    assert where is None or error["where"] == where
    assert list(tmp_path.iterdir()) == []


def test_that_an_unknown_command_is_named_with_all_that_are_known(capfd: Capture) -> None:
    error = run(capfd, "frobnicate", "--json").object("error")["error"]
    assert error["found"] == "frobnicate"
    assert {"adapters", "check", "export", "gui", "lab", "open", "run", "scenarios", "screenshot"} <= {
        *error["accepted"]
    }


def test_that_an_export_and_a_json_object_do_not_share_standard_output(capfd: Capture) -> None:
    answer = run(capfd, "export", SCENARIO, "--frame", "0", "--to", "csv", "--out", "-", "--json")
    assert (answer.code, answer.object("error")["error"]["where"]) == (2, "--out")


@pytest.mark.parametrize("lines", [b"UE memory\nTime Since Boot: 1.00 Seconds\n\nPlatform Memory Stats for Windows\n"])
def test_that_an_unread_format_is_called_by_its_name(capfd: Capture, tmp_path: Path, lines: bytes) -> None:
    path = tmp_path / "a.memreport"
    path.write_bytes(lines)
    assert "an Unreal memory report" in run(capfd, "open", str(path)).err


def test_that_a_frame_of_a_file_is_refused(capfd: Capture, tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_bytes(_dump())
    answer = run(capfd, "export", str(path), "--to", "csv", "--out", str(tmp_path / "a.csv"), "--frame", "3", "--json")
    assert answer.object("error")["error"]["where"] == "--frame"


def test_that_a_dump_of_totals_only_cannot_be_exported(capfd: Capture, tmp_path: Path) -> None:
    document = json.loads(_dump())
    del document["DefaultPools"]
    path = tmp_path / "made.json"
    path.write_bytes(write.text(document))
    assert run(capfd, "open", str(path), "--json").object("open")["detail"] is False
    answer = run(capfd, "export", str(path), "--to", "csv", "--out", str(tmp_path / "a.csv"))
    assert answer.code == 2
    assert "totals only" in answer.err


def test_that_a_fault_is_exit_code_3_with_a_report(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> int:
        raise ZeroDivisionError("a made-up bug")

    monkeypatch.setattr(presets, "run_adapters", fail)
    answer = run(capfd, "adapters")
    assert (answer.code, answer.out) == (3, "")
    assert "made-up bug" in answer.err
    answer = run(capfd, "adapters", "--json")
    assert answer.code == 3
    assert "made-up bug" in answer.object("error")["error"]["message"]


def test_that_an_interrupt_is_130(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(open_command, "run", stop)
    assert run(capfd, "open", "x").code == 130


def test_that_the_window_is_an_honest_error_where_it_is_not_installed(capfd: Capture) -> None:
    assert run(capfd, "gui").code == 2
    assert run(capfd).code == 2


def test_that_the_front_of_the_window_gets_the_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    fronts = {"gui": lambda args: seen.append(args.files) or 0, "screenshot": lambda args: seen.append(args.view) or 0}
    monkeypatch.setattr(sys, "argv", ["memory-explorer"])
    assert main(None, fronts) == 0
    assert main(["gui", "a.json"], fronts) == 0
    assert main(["screenshot", "x", "--view", "map", "--size", "10x10", "--out", "a.png"], fronts) == 0
    assert seen == [[], ["a.json"], "map"]
    assert main_module.PROGRAM == "memory-explorer"
