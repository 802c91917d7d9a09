"""Nonsense scenarios on the command line: the API's own error inside the run, or one message with file and key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.command import run
from tests.sim.nonsense import BROKEN, STRANGE, scenario, toml

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", BROKEN)
def test_that_a_scenario_that_cannot_be_ends_in_one_message_with_file_and_key(
    capfd: Capture, tmp_path: Path, name: str
) -> None:
    api, change, where = BROKEN[name]
    path = tmp_path / "nonsense.toml"
    path.write_text(toml(scenario(api, change)), encoding="utf-8")
    answer = run(capfd, "run", str(path), "--json")
    error = answer.object("error")["error"]
    assert (answer.code, answer.err) == (2, "")
    assert error["where"] == where
    assert error["file"].endswith("nonsense.toml")
    assert "fault" not in error["message"]


@pytest.mark.parametrize("name", STRANGE)
def test_that_a_strange_scenario_runs_and_the_api_itself_refuses(capfd: Capture, tmp_path: Path, name: str) -> None:
    api, change, event = STRANGE[name]
    path = tmp_path / "nonsense.toml"
    path.write_text(toml(scenario(api, change)), encoding="utf-8")
    answer = run(capfd, "run", str(path), "--json")
    assert (answer.code, answer.err) == (0, "")
    body = answer.object("run")
    assert body["frames"] == 20
    assert not event or body["events"][event] > 0
