"""The same run by every path: compiled or interpreted kernels, another hash seed, another place and language."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SCENARIOS = ("d3d9-shooter-2003-agp-64mb", "d3d11-game-hd7970", "d3d12-budget-drop")
FRAMES = "60"


def run(scenario: str, folder: Path, **environment: str) -> str:
    """Return the SHA-256 of the canonical snapshot that a process of its own ends in."""
    command = [sys.executable, "-m", "explorer", "run", scenario, "--frames", FRAMES, "--json"]
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    variables = {**os.environ, "PYTHONPATH": root, **environment}
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder, env=variables)
    return str(json.loads(done.stdout)["snapshot_sha256"])


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_that_interpreted_kernels_and_other_surroundings_end_in_the_same_bytes(scenario: str, tmp_path: Path) -> None:
    here = run(scenario, tmp_path)
    assert run(scenario, tmp_path, NUMBA_DISABLE_JIT="1", PYTHONHASHSEED="7") == here
    assert run(scenario, tmp_path, TZ="Asia/Tokyo", LANG="C", LC_ALL="C", PYTHONHASHSEED="99") == here
