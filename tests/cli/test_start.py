"""What a start loads: no Qt on any command but two, no numba or numpy where no layout is needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import SCENARIO, validator
from tests.interchange import dump_writer as write

if TYPE_CHECKING:
    from pathlib import Path

_LOADED = """
import sys
from explorer.cli.main import main
code = main(sys.argv[1:])
heavy = [name for name in ("numpy", "numba", "PIL", "PySide6", "pyqtgraph") if name in sys.modules]
sys.stderr.write("LOADED " + " ".join(heavy))
raise SystemExit(code)
"""
_BLOCKED = """
import sys
sys.modules["PySide6"] = None
sys.modules["pyqtgraph"] = None
from explorer.__main__ import main
raise SystemExit(main())
"""


def _python(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, encoding="utf-8", env={**os.environ, **environment}, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["adapters"], ["adapters", "gtx970", "--json"], ["scenarios", "--json"],
     ["run", "--help"], ["bench", "--list"], ["frobnicate"]],
    ids=" ".join,
)  # fmt: skip
def test_that_a_light_command_loads_nothing_heavy(arguments: list[str]) -> None:
    ended = _python(_LOADED, *arguments)
    assert ended.returncode in (0, 2)
    assert ended.stderr.rpartition("LOADED")[2].strip() == ""


def test_that_opening_a_dump_loads_neither_numba_nor_qt(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_bytes(write.text(write.vma_c({"Type 0": write.Pool([[("BUFFER", 64, 0, "")]])})))
    ended = _python(_LOADED, "open", str(path))
    assert ended.returncode == 0
    assert ended.stderr.rpartition("LOADED")[2].split() == ["numpy"]


def test_that_every_other_command_runs_where_qt_is_missing(tmp_path: Path) -> None:
    snapshot, picture = str(tmp_path / "a.json"), str(tmp_path / "a.png")
    commands: list[tuple[str, list[str]]] = [
        ("adapters", ["adapters", "--json"]),
        ("scenarios", ["scenarios", SCENARIO, "--json"]),
        ("run", ["run", SCENARIO, "--frames", "2", "--json", "--out", snapshot]),
        ("open", ["open", snapshot, "--json"]),
        ("export", ["export", snapshot, "--to", "png", "--size", "320x240", "--out", picture, "--json"]),
        ("bench", ["bench", "--only", "soak", "--json"]),
    ]
    for name, arguments in commands:
        ended = _python(_BLOCKED, *arguments)
        assert ended.returncode == 0, ended.stderr
        assert ended.stderr == ""
        validator(name).validate(json.loads(ended.stdout))
    with open(picture, "rb") as stream:
        assert stream.read(8) == b"\x89PNG\r\n\x1a\n"


def test_that_the_answer_does_not_depend_on_locale_hash_seed_or_folder(tmp_path: Path) -> None:
    arguments = ["run", SCENARIO, "--frames", "3", "--json"]
    answers: set[str] = set()
    for number, locale in enumerate(("C", "C.UTF-8")):
        environment: dict[str, Any] = {"LC_ALL": locale, "PYTHONHASHSEED": str(number + 1), "HOME": str(tmp_path)}
        answers.add(_python(_BLOCKED, *arguments, **environment).stdout)
    assert len(answers) == 1
    assert json.loads(answers.pop())["frames"] == 3


def test_that_a_dump_on_standard_input_is_read_and_names_are_written_in_any_locale() -> None:
    data = write.text(write.vma_c({"Type 0": write.Pool([[("BUFFER", 64, 0x80, "渲染")]])}))
    ended = subprocess.run(
        [sys.executable, "-m", "explorer", "export", "-", "--to", "csv", "--out", "-"],
        input=data, capture_output=True, env={**os.environ, "LC_ALL": "C"}, check=True,
    )  # fmt: skip
    assert "渲染".encode() in ended.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
@pytest.mark.parametrize(
    "arguments", [["scenarios", "--json"], ["export", SCENARIO, "--frame", "0", "--to", "text", "--out", "-"]]
)
def test_that_standard_output_on_a_full_disk_is_exit_code_2(arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "explorer", *arguments], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ended.returncode == 2
    assert ended.stderr.decode().startswith("memory-explorer: -: the output cannot be written")
    assert ended.stderr.count(b"\n") == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there a display is named by a variable")
def test_that_the_window_without_a_display_is_one_line() -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    ended = subprocess.run([sys.executable, "-m", "explorer"], capture_output=True, env=environment, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr.count(b"\n")) == (2, b"", 1)
    assert b"no display" in ended.stderr
