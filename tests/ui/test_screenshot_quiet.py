"""What a screenshot leaves out of Qt's messages."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import qInstallMessageHandler, qWarning

from explorer.ui.screenshot import SIZE_HINT_NOTICE, without_size_hint_notice

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def said() -> Iterator[list[str]]:
    """What reaches the handler that was there before."""
    heard: list[str] = []
    before = qInstallMessageHandler(lambda _kind, _context, text: heard.append(text))
    yield heard
    qInstallMessageHandler(before)


def test_that_exactly_one_line_is_left_out_and_only_inside(said: list[str]) -> None:
    with without_size_hint_notice():
        qWarning(SIZE_HINT_NOTICE)
        qWarning(f"{SIZE_HINT_NOTICE}!")
        qWarning("something else")
    qWarning(SIZE_HINT_NOTICE)
    assert said == [f"{SIZE_HINT_NOTICE}!", "something else", SIZE_HINT_NOTICE]


def test_that_the_command_writes_nothing_to_standard_error(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "explorer", "screenshot", "d3d9-shooter-2003-agp-64mb", "--view", "device",
               "--size", "320x240", "--frame", "1", "--out", str(tmp_path / "a.png")]  # fmt: skip
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, "QT_QPA_PLATFORM": ""}
    )
    assert done.stderr == ""
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
