"""The coverage table names real scenarios, rules and tests for each line of the acceptance list."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from explorer.core.calls import CallRecord
from explorer.device.device import Device
from explorer.sim.advisor import advise
from explorer.sim.scenarios import load_simulation, scenario_ids
from explorer.sim.why_rules import rule_reason
from explorer.ui.views import VIEWS

if TYPE_CHECKING:
    from explorer.device.outcome import Outcome
    from explorer.sim.simulation import Simulation

ROOT = Path(__file__).resolve().parents[1]
LINES = 118
_ROW = re.compile(r"^\| (\d+) \| `([\w-]+)` \| ([^|]+) \| ([\w.-]+) \| (`[^|]+`) \|$", re.MULTILINE)
_TEST = re.compile(r"`([\w/.]+)::(\w+)`")

ON_REQUEST = frozenset({
    1, 2, 3, 9, 10, 18, 40, 44, 49, 50, 52, 65, 66, 68, 70, 72, 73, 77, 78, 79, 80, 113,
})  # fmt: skip
"""Lines whose rule no run of their scenario names by itself: a form, a fact or a refused edit shows it when asked."""


def rows() -> list[tuple[int, str, str, str, str]]:
    """Return number, scenario, view, rule and tests of each line."""
    found = _ROW.findall((ROOT / "docs" / "coverage.md").read_text("utf-8"))
    return [(int(number), *rest) for number, *rest in found]


class Witness:
    """Runs a scenario and remembers every rule that an event, an outcome, a verdict or advice names.

    Args:
        scenario: Its id.
        monkeypatch: Listens to the device.
    """

    def __init__(self, scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: set[str] = set()
        apply, call = Device.apply, Device.call

        def applied(device: Device, record: CallRecord) -> Outcome:
            return self._heard(apply(device, record))

        def called(device: Device, record: CallRecord, arguments: object) -> Outcome:
            return self._heard(call(device, record, arguments))

        monkeypatch.setattr(Device, "apply", applied)
        monkeypatch.setattr(Device, "call", called)
        self.run: Simulation = load_simulation(scenario)

    def _heard(self, outcome: Outcome) -> Outcome:
        self.seen.update(reason.rule for reason in outcome.reasons)
        self.seen.update(event.rule for event in outcome.events)
        return outcome

    def look(self, wanted: set[str]) -> set[str]:
        """Run to the scenario's end or until every wanted rule was named; return those that were not."""
        snapshot = self.run.snapshot()
        for record in filter(None, snapshot.resources.records[:200]):
            preview = self.run.preview(CallRecord(record.api, record.call, record.inputs, "Another one"))
            self.seen.update(reason.rule for reason in preview.verdict.reasons)
        while True:
            self.seen.update(event.rule for event in snapshot.events)
            self.seen.update(advice.rule for advice in advise(snapshot))
            if wanted <= self.seen or self.run.at_end:
                return wanted - self.seen
            self.run.step(min(20, self.run.frames - self.run.frame))
            snapshot = self.run.snapshot()


@pytest.mark.parametrize("scenario", sorted({row[1] for row in rows()}))
def test_that_a_run_of_the_scenario_names_the_rule(scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = [(number, rule) for number, of, _, rule, _ in rows() if of == scenario]
    wanted = {rule for number, rule in mine if number not in ON_REQUEST}
    missing = Witness(scenario, monkeypatch).look(wanted)
    assert not missing, [(number, rule) for number, rule in mine if rule in missing]


def test_that_every_line_names_a_scenario_a_view_a_rule_and_a_test_that_exist() -> None:
    assert [row[0] for row in rows()] == list(range(1, LINES + 1))
    titles = {view.title for view in VIEWS}
    for number, scenario, view, rule, named in rows():
        assert scenario in scenario_ids(), number
        assert view in titles, (number, view)
        assert rule_reason(rule) is not None, (number, rule)
        tests = _TEST.findall(named)
        assert ", ".join(f"`{file}::{test}`" for file, test in tests) == named, number
        for file, test in tests:
            assert f"def {test}(" in (ROOT / file).read_text("utf-8"), (number, test)
