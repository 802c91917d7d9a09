"""A first run on a machine with an empty cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from explorer.memory import compile_kernels, kernels
from explorer.ui.kernel_compiler import BUSY, FAILED, KernelCompiler

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)


@pytest.mark.usefixtures("empty_cache")
def test_that_an_empty_cache_starts_a_process_and_closing_ends_it(qtbot: QtBot) -> None:
    compiler = KernelCompiler()
    assert not kernels.kernels_ready()
    with qtbot.waitSignal(compiler.told, timeout=2000) as told:
        assert compiler.start()
    assert told.args == [BUSY]
    assert not compiler.start(), "one is enough"
    compiler.close()
    assert not compiler.is_running


@pytest.mark.usefixtures("empty_cache")
def test_that_a_process_that_cannot_start_is_said_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    compiler = KernelCompiler()
    heard: list[str] = []
    compiler.told.connect(heard.append)
    compiler.start()
    qtbot.waitUntil(lambda: FAILED in heard, timeout=5000)
    compiler.close()
    assert heard.count(FAILED) == 1


def test_that_nothing_starts_where_compiling_is_forbidden(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    del qtbot
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    compiler = KernelCompiler()
    assert not compiler.start()
    assert compile_kernels.main() == 0
