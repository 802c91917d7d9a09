from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from explorer.memory import kernels

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_that_no_plain_module_loads_numba() -> None:
    code = "import sys, explorer.memory.allocators, explorer.memory.kernels; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], check=False).returncode == 0


def test_that_the_environment_names_the_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert kernels.use_cache_folder() == tmp_path


def test_that_without_a_mark_kernels_are_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    assert not kernels.kernels_ready()


def test_that_warming_up_leaves_the_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setattr(kernels, "WARM_UPS", ())
    kernels.warm_up()
    assert kernels.kernels_ready()
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert not kernels.kernels_ready()
