"""``run`` with sessions and several budgets, and progress on a terminal only."""

from __future__ import annotations

import io
import itertools
import json
import sys
from typing import TYPE_CHECKING

import pytest

from explorer.cli.progress import progress_of
from explorer.core.calls import CallRecord
from explorer.interchange.session import scenario_text, session_bytes, session_of
from explorer.interchange.snapshot_encode import snapshot_sha256
from explorer.sim.scenarios import load_simulation
from tests.cli.command import run

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = "d3d9-shooter-2003-agp-64mb"
MINE = CallRecord("d3d9", "CreateTexture", {
    "Width": 256, "Height": 256, "Levels": 1, "Usage": 0, "Format": "D3DFMT_A8R8G8B8", "Pool": "D3DPOOL_MANAGED",
}, "Mine")  # fmt: skip


@pytest.fixture
def session(tmp_path: Path) -> tuple[str, str]:
    """A session's file, and the hash of the state in which it was saved."""
    simulation = load_simulation(SCENARIO, seed=9)
    simulation.step(2)
    simulation.apply(MINE)
    simulation.step(3)
    path = tmp_path / "a.json"
    path.write_bytes(session_bytes(session_of(simulation, scenario_text(SCENARIO))))
    return str(path), snapshot_sha256(simulation.snapshot())


def test_that_a_session_runs_to_the_state_in_which_it_was_saved(
    capfd: pytest.CaptureFixture[str], session: tuple[str, str]
) -> None:
    body = json.loads(run(capfd, "run", session[0], "--json").out)
    assert (body["snapshot_sha256"], body["frames"], body["seed"]) == (session[1], 5, 9)
    other = json.loads(
        run(capfd, "run", session[0], "--seed", "3", "--adapter", "gffx5900", "--frames", "6", "--json").out
    )
    assert (other["frames"], other["seed"], other["adapter"]) == (6, 3, "gffx5900")
    assert other["snapshot_sha256"] != session[1]


def test_that_a_session_exports_the_state_in_which_it_was_saved(
    capfd: pytest.CaptureFixture[str], session: tuple[str, str]
) -> None:
    answer = run(capfd, "export", session[0], "--to", "csv", "--out", "-")
    assert answer.code == 0
    assert "Mine" in answer.out


def test_that_each_group_may_have_a_budget(capfd: pytest.CaptureFixture[str]) -> None:
    scenario = ["run", "d3d12-upload-heaps-discrete", "--frames", "1", "--json"]
    body = json.loads(run(capfd, *scenario, "--budget", "2GiB", "--budget", "NON_LOCAL=1GiB").out)
    budgets = {group["group"]: group["budget_bytes"] for group in body["groups"]}
    assert (budgets["LOCAL"], budgets["NON_LOCAL"]) == (2 << 30, 1 << 30)
    answer = run(capfd, *scenario, "--budget", "2GiB", "--budget", "LOCAL=1GiB")
    assert answer.code == 2
    assert "a second budget of the same group" in answer.out


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_that_progress_is_for_terminals_and_for_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress_of("Opening a") is None
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    short = progress_of("Opening a", itertools.count(0.0, 0.01).__next__)
    assert short is not None
    for share in (0.1, 0.5, 1.0):
        short(share)
    assert terminal.getvalue() == ""
    long = progress_of("Opening a", itertools.count(0.0, 0.4).__next__)
    assert long is not None
    for share in (0.1, 0.5, 1.0):
        long(share)
    assert terminal.getvalue() == "\r\x1b[KOpening a: 50%\r\x1b[K"
