"""The coverage table names real scenarios, rules and tests for each line of the acceptance list."""

from __future__ import annotations

import re
from pathlib import Path

from explorer.sim.scenarios import scenario_ids
from explorer.sim.why_rules import rule_reason
from explorer.ui.views import VIEWS

ROOT = Path(__file__).resolve().parents[1]
LINES = 118
_ROW = re.compile(r"^\| (\d+) \| `([\w-]+)` \| ([^|]+) \| ([\w.-]+) \| (`[^|]+`) \|$", re.MULTILINE)
_TEST = re.compile(r"`([\w/.]+)::(\w+)`")


def test_that_every_line_names_a_scenario_a_view_a_rule_and_a_test_that_exist() -> None:
    rows = _ROW.findall((ROOT / "docs" / "coverage.md").read_text("utf-8"))
    assert [int(row[0]) for row in rows] == list(range(1, LINES + 1))
    titles = {view.title for view in VIEWS}
    for number, scenario, view, rule, named in rows:
        assert scenario in scenario_ids(), number
        assert view in titles, (number, view)
        assert rule_reason(rule) is not None, (number, rule)
        tests = _TEST.findall(named)
        assert ", ".join(f"`{file}::{test}`" for file, test in tests) == named, number
        for file, test in tests:
            assert f"def {test}(" in (ROOT / file).read_text("utf-8"), (number, test)
