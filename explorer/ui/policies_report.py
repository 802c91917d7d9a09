"""What the Policies view shows, without Qt: recording a scenario, running the laboratory, and what it teaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.units import format_bytes
from explorer.memory.eviction import EVICTION_POLICIES
from explorer.memory.lab import LabResult, lab_budgets, run_lab

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.memory.lab import LabRow
    from explorer.sim.snapshot import Snapshot

POINTS = 12
"""Budgets besides the present one."""
BYTES, MISSES = "bytes", "misses"
"""What is compared."""
BELADY = "belady"

NAMES = {policy.id: policy.name for policy in EVICTION_POLICIES}
SWITCHABLE = frozenset(policy.id for policy in EVICTION_POLICIES if policy.order is not None)
"""Policies that a device can run."""

_RECORDING_SHARE = 0.5
_ALWAYS = 0.95
"""From this share of misses on a policy keeps nothing that helps."""


@dataclass(frozen=True, slots=True)
class LabQuestion:
    """What is to be compared.

    Attributes:
        scenario: Scenario id or path.
        adapter: Adapter id that replaces the scenario's, or None.
        allocator: Allocator id, or None.
        seed: Seed of the random streams.
        first_frame: Frame from which references count.
        frames: How many frames, > 0.
        budget_bytes: The present budget; None where the adapter states none.
    """

    scenario: str
    adapter: str | None
    allocator: str | None
    seed: int
    first_frame: int
    frames: int
    budget_bytes: int | None


@dataclass(frozen=True, slots=True, eq=False)
class LabReport:
    """What was found.

    Attributes:
        question: What was asked.
        result: The laboratory's answer; every policy under every budget.
        budget_bytes: The budget of the question; the bytes of all objects if none was given or all fit.
    """

    question: LabQuestion
    result: LabResult
    budget_bytes: int

    @property
    def budgets(self) -> tuple[int, ...]:
        """The budgets, rising."""
        return tuple(sorted(row.budget_bytes for row in self.result.bound))

    def bound(self, budget: int) -> int:
        """Return the fewest bytes that any policy fetches."""
        return next(row.fetched_bytes for row in self.result.bound if row.budget_bytes == budget)

    def rows(self, budget: int) -> tuple[LabRow, ...]:
        """Return the policies under a budget, in the order of menus."""
        return tuple(row for row in self.result.grid if row.budget_bytes == budget)

    def value(self, row: LabRow, measure: str) -> int:
        """Return what is compared of a row."""
        return row.fetched_bytes if measure == BYTES else row.misses

    def reference(self, budget: int, measure: str) -> int:
        """Return what the rows are compared with: the bound on bytes, or Belady's misses."""
        if measure == BYTES:
            return self.bound(budget)
        return next(row.misses for row in self.rows(budget) if row.policy == BELADY)

    def ranked(self, budget: int, measure: str) -> tuple[LabRow, ...]:
        """Return the policies from best to worst; equal ones in the order of menus."""
        return tuple(sorted(self.rows(budget), key=lambda row: self.value(row, measure)))

    def curve(self, policy: str | None, measure: str) -> tuple[tuple[int, int], ...]:
        """Return (budget, value) of a policy by rising budget; None for what policies are compared with."""
        if policy is None:
            return tuple((budget, self.reference(budget, measure)) for budget in self.budgets)
        rows = sorted((row.budget_bytes, self.value(row, measure)) for row in self.result.grid if row.policy == policy)
        return tuple(rows)

    def equal_from(self) -> int | None:
        """Return the smallest budget from which on every policy fetches the same; None if there is none."""
        found: int | None = None
        for budget in reversed(self.budgets):
            if len({row.fetched_bytes for row in self.rows(budget)}) > 1:
                break
            found = budget
        return found


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing to learn.

    Attributes:
        claim: The sentence.
        why: What it rests on.
        where: From which budget on the choice no longer matters; empty where it always does.
    """

    claim: str
    why: str
    where: str = ""


def question_of(snapshot: Snapshot, scenario: str, adapter: str | None, allocator: str | None, *, last: int,
                length: int) -> LabQuestion:  # fmt: skip
    """Return the question about what a window shows.

    Args:
        snapshot: The shown snapshot of a running scenario.
        scenario: Scenario id or path.
        adapter: Adapter id that replaces the scenario's, or None.
        allocator: Allocator id, or None.
        last: How many frames up to the shown one count; 0: the whole scenario.
        length: Length of the scenario in frames; 0 for an endless one.
    """
    frame = snapshot.provenance.frame
    if last:
        first = max(frame - last, 0)
        frames = frame - first or last
    else:
        first, frames = 0, length or max(frame, 1)
    budgets = [g.budget_bytes for g in snapshot.groups if g.group == "LOCAL" and g.budget_bytes is not None]
    if not budgets:
        budgets = [s.size_bytes for s in snapshot.segments if s.group == "LOCAL"]
    budget = budgets[0] if budgets else None
    return LabQuestion(scenario, adapter, allocator, snapshot.provenance.seed, first, frames, budget)


def answer(question: LabQuestion, cancelled: Callable[[], bool], progress: Callable[[float], None]) -> LabReport | None:
    """Record the scenario's references and run them under every policy; None if it was cancelled.

    Runs on a worker's thread. Kernels are used only where they are compiled already: compiling would hold the window.

    Raises:
        InputError: The frames use nothing.
        PresetError: The scenario's file is invalid.
    """
    from explorer.memory.kernels import kernels_ready
    from explorer.sim.reference_recording import record_references
    from explorer.sim.scenarios import load_simulation

    simulation = load_simulation(question.scenario, question.adapter, seed=question.seed, allocator=question.allocator)
    total = question.first_frame + question.frames
    while simulation.frame < question.first_frame and not cancelled():
        simulation.step()
        progress(_RECORDING_SHARE * simulation.frame / total)
    recording = record_references(
        simulation, question.frames, cancelled=cancelled,
        progress=lambda done, _: progress(_RECORDING_SHARE * (question.first_frame + done) / total),
    )  # fmt: skip
    if cancelled():
        return None
    stream = recording.stream.stream
    everything = stream.unique_bytes
    now = everything if question.budget_bytes is None else min(question.budget_bytes, everything)
    budgets = sorted({*lab_budgets(POINTS, everything), now})
    result = run_lab(
        stream, tuple(NAMES), budgets,
        bus_bytes_per_s=simulation.adapter.bus.to_gpu_bytes_per_s or None, cancelled=cancelled,
        progress=lambda done, cells: progress(_RECORDING_SHARE + (1 - _RECORDING_SHARE) * done / cells),
        use_kernels=kernels_ready(),
    )  # fmt: skip
    return LabReport(question, result, now) if result.complete else None


def lesson(report: LabReport, budget: int, current: str) -> Lesson:
    """Return what a report teaches about the present policy under a budget.

    Args:
        report: The report.
        budget: One of its budgets.
        current: Id of the running scenario's policy; empty if none is known.
    """
    result = report.result
    everything, bound = format_bytes(result.unique_bytes), report.bound(budget)
    frames = report.question.frames
    if budget >= result.unique_bytes:
        return Lesson(
            "Everything fits: no policy has to choose",
            f"The {result.objects:,} objects that {_frames(frames)} use take {everything}. Each is fetched once, "
            "whoever would have to leave.",
        )
    equal = report.equal_from()
    where = "" if equal is None else f"From {format_bytes(equal)} on every policy is equal."
    rows = {row.policy: row for row in report.rows(budget)}
    best = next(row for row in report.ranked(budget, BYTES) if row.policy in SWITCHABLE)
    shown = rows.get(current, best)
    facts = (
        f"{_frames(frames).capitalize()} use {everything}, of which {format_bytes(budget)} can stay. "
        f"{NAMES[shown.policy]} moves {_share(shown, bound)}"
    )
    if shown.miss_ratio >= _ALWAYS > best.miss_ratio:
        return Lesson(
            f"{NAMES[shown.policy]} throws out what comes next",
            f"{facts}: nearly every use is a fetch. {NAMES[best.policy]} moves {_share(best, bound)}, because it keeps "
            "a part that the next round finds.",
            where,
        )
    if best.fetched_bytes * 100 < shown.fetched_bytes * 95:
        return Lesson(
            f"{NAMES[best.policy]} would spare {format_bytes(shown.fetched_bytes - best.fetched_bytes)} here",
            f"{facts}; {NAMES[best.policy]} moves {_share(best, bound)}.",
            where,
        )
    near = shown.fetched_bytes * 10 <= bound * 13
    return Lesson(
        f"{NAMES[shown.policy]} stays within {_percent(shown, bound)} of the bound here"
        if near
        else f"{NAMES[shown.policy]} is as good as any here, {_percent(shown, bound)} above the bound",
        f"{facts}; no policy that a device can run is more than 5 % better.",
        where,
    )


def _frames(count: int) -> str:
    return "the frame" if count == 1 else f"these {count:,} frames"


def _percent(row: LabRow, bound: int) -> str:
    return f"{(row.fetched_bytes - bound) * 100 / bound:,.0f} %" if bound else "0 %"


def _share(row: LabRow, bound: int) -> str:
    """Return bytes and how far they lie above what no policy can avoid."""
    return f"{format_bytes(row.fetched_bytes)}, {_percent(row, bound)} above what no policy can avoid"
