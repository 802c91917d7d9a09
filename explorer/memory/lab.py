"""The policy laboratory: one reference stream under many eviction policies and budgets, against the bound."""

from __future__ import annotations

import os
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from explorer.core.units import ceil_div
from explorer.errors import CommandError, InputError
from explorer.memory.eviction import fetch_bound, policy_by_id, simulate
from explorer.memory.eviction.simulation import EvictionCounts, check_budget
from explorer.memory.eviction.stream_csv import NamedStream, read_stream_csv

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from explorer.memory.eviction import EvictionPolicy, ReferenceStream

__all__ = [
    "Gap", "LabBound", "LabResult", "LabRow", "NamedStream", "lab_budgets", "read_stream_csv", "run_lab",
]  # fmt: skip

MAX_POINTS = 1000
"""Most budgets of one run."""
_POLL_S = 0.05
"""How often a waiting run looks whether it is cancelled."""


@dataclass(frozen=True, slots=True)
class LabRow:
    """One policy under one budget.

    Attributes:
        policy: Id of the policy.
        budget_bytes: Bytes of memory.
        misses: References to objects that were not resident.
        miss_ratio: Misses per reference, 0 to 1; 0 for an empty stream.
        fetched_bytes: Bytes of the missed objects.
        evictions: Objects that had to leave.
        stall_ns: Time to fetch these bytes over the bus, in ns, rounded up; None where no bus was given. An estimate:
            nothing overlaps, and latency is left out.
    """

    policy: str
    budget_bytes: int
    misses: int
    miss_ratio: float
    fetched_bytes: int
    evictions: int
    stall_ns: int | None


@dataclass(frozen=True, slots=True)
class LabBound:
    """The fewest bytes that any policy can fetch under one budget.

    Attributes:
        budget_bytes: Bytes of memory.
        fetched_bytes: The byte-granular optimum, see ``eviction.fetch_bound``.
    """

    budget_bytes: int
    fetched_bytes: int


@dataclass(frozen=True, slots=True)
class Gap:
    """How far a policy is from what the future would allow, under one budget.

    Attributes:
        budget_bytes: Bytes of memory.
        extra_misses: Misses beyond Belady's (negative where its greed fails for unequal sizes); None if Belady was
            not run.
        extra_fetched_bytes: Bytes fetched beyond Belady's; None if Belady was not run.
        above_bound_bytes: Bytes fetched beyond the bound, >= 0; None if the bound was not reached before a cancel.
    """

    budget_bytes: int
    extra_misses: int | None
    extra_fetched_bytes: int | None
    above_bound_bytes: int | None


@dataclass(frozen=True, slots=True)
class LabResult:
    """What a run of the laboratory found.

    Attributes:
        requests: References in the stream.
        objects: Different objects that are referenced.
        unique_bytes: Bytes of these objects, each once.
        requested_bytes: Bytes of all references.
        grid: Policies in the order asked for, each under all budgets in the order asked for.
        bound: One row a budget, in the order asked for.
        complete: False if the run was cancelled: then ``grid`` and ``bound`` hold what was done, in the same order.
    """

    requests: int
    objects: int
    unique_bytes: int
    requested_bytes: int
    grid: tuple[LabRow, ...]
    bound: tuple[LabBound, ...]
    complete: bool

    def curve(self, policy: str) -> tuple[tuple[int, float], ...]:
        """Return the miss-ratio curve of a policy: ``(budget bytes, miss ratio)``, by rising budget."""
        return tuple(sorted((row.budget_bytes, row.miss_ratio) for row in self.grid if row.policy == policy))

    def gaps(self, policy: str) -> tuple[Gap, ...]:
        """Return how far a policy is from Belady and from the bound, by rising budget."""
        belady = {row.budget_bytes: row for row in self.grid if row.policy == "belady"}
        bounds = {row.budget_bytes: row.fetched_bytes for row in self.bound}
        gaps: list[Gap] = []
        for row in self.grid:
            if row.policy == policy:
                best = belady.get(row.budget_bytes)
                bound = bounds.get(row.budget_bytes)
                gaps.append(
                    Gap(
                        row.budget_bytes,
                        None if best is None else row.misses - best.misses,
                        None if best is None else row.fetched_bytes - best.fetched_bytes,
                        None if bound is None else row.fetched_bytes - bound,
                    )
                )
        return tuple(sorted(gaps, key=lambda gap: gap.budget_bytes))


def lab_budgets(points: int, unique_bytes: int) -> tuple[int, ...]:
    """Return evenly spaced budgets up to the bytes of all objects.

    Args:
        points: How many, 1 to 1000; fewer come back where two would be equal.
        unique_bytes: Bytes of all objects, >= 0.

    Returns:
        Rising budgets in bytes; the last one is ``unique_bytes``.

    Raises:
        CommandError: ``points`` is out of range.
    """
    if not 1 <= points <= MAX_POINTS:
        accepted = (f"1 to {MAX_POINTS}",)
        raise CommandError("a number of budgets out of range", where="points", found=points, accepted=accepted)
    return tuple(sorted({ceil_div(unique_bytes * point, points) for point in range(1, points + 1)}))


def run_lab(
    stream: ReferenceStream,
    policies: Sequence[str],
    budgets: Sequence[int],
    *,
    bus_bytes_per_s: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    workers: int | None = None,
    use_kernels: bool = True,
) -> LabResult:
    """Run a stream under policies and budgets.

    Kernels release the interpreter lock, so the cells run on threads; the plain path runs on the calling thread. Rows
    depend on stream, policies and budgets alone, not on the number of threads.

    Args:
        stream: The references.
        policies: Ids of policies, each once.
        budgets: Bytes of memory, each once.
        bus_bytes_per_s: Bandwidth over which missed objects come, > 0, for the stall estimate; None: no estimate.
        progress: Called on this thread with the cells done and the cells in all, first with 0.
        cancelled: Asked on this thread, about every 50 ms and between cells; True ends the run early.
        workers: Threads; None: one for each processor.
        use_kernels: False runs in plain Python, for instance before the kernels are compiled.

    Raises:
        CommandError: An unknown policy, one named twice, or no policy or budget.
        InputError: A budget or the bandwidth is out of range, or a budget is given twice.
    """
    rows = [policy_by_id(policy) for policy in policies]
    _check(policies, budgets, bus_bytes_per_s)
    cells = [(policy, budget) for policy in (*rows, None) for budget in budgets]
    tasks = [partial(_run_cell, stream, policy, budget, use_kernels) for policy, budget in cells]
    threads = (workers or os.cpu_count() or 1) if use_kernels else 1
    report = progress or _nobody_listens
    is_cancelled = cancelled or _never
    run = _run_on_threads if threads > 1 else _run_in_turn
    done = run(tasks, min(threads, len(tasks)), report, is_cancelled)
    grid: list[LabRow] = []
    bound: list[LabBound] = []
    for (policy, budget), counts in zip(cells, done, strict=True):
        if counts is None:
            continue
        if policy is None:
            bound.append(LabBound(budget, counts.fetched_bytes))
            continue
        ratio = counts.misses / stream.requests if stream.requests else 0.0
        stall = None if bus_bytes_per_s is None else ceil_div(counts.fetched_bytes * 10**9, bus_bytes_per_s)
        grid.append(LabRow(policy.id, budget, counts.misses, ratio, counts.fetched_bytes, counts.evictions, stall))
    return LabResult(
        requests=stream.requests,
        objects=stream.objects,
        unique_bytes=stream.unique_bytes,
        requested_bytes=stream.requested_bytes,
        grid=tuple(grid),
        bound=tuple(bound),
        complete=all(counts is not None for counts in done),
    )


Task = partial[EvictionCounts]


def _run_cell(stream: ReferenceStream, policy: EvictionPolicy | None, budget: int, use_kernel: bool) -> EvictionCounts:
    if policy is None:
        return EvictionCounts(0, fetch_bound(stream, budget, use_kernel=use_kernel), 0)
    return simulate(policy, stream, budget, use_kernel=use_kernel)


def _check(policies: Sequence[str], budgets: Sequence[int], bus_bytes_per_s: int | None) -> None:
    for where, given in (("policies", policies), ("budgets", budgets)):
        if not given:
            raise CommandError("none is given", where=where, accepted=("at least one",))
        if len(set(given)) != len(given):
            raise CommandError("one is given twice", where=where, found=", ".join(map(str, given)))
    for budget in budgets:
        check_budget(budget)
    if bus_bytes_per_s is not None and bus_bytes_per_s <= 0:
        raise InputError("a bandwidth must be positive", where="bus_bytes_per_s", found=bus_bytes_per_s)


def _run_in_turn(
    tasks: list[Task], threads: int, report: Callable[[int, int], None], is_cancelled: Callable[[], bool]
) -> list[EvictionCounts | None]:
    done: list[EvictionCounts | None] = [None] * len(tasks)
    report(0, len(tasks))
    for index, task in enumerate(tasks):
        if is_cancelled():
            break
        done[index] = task()
        report(index + 1, len(tasks))
    return done


def _run_on_threads(
    tasks: list[Task], threads: int, report: Callable[[int, int], None], is_cancelled: Callable[[], bool]
) -> list[EvictionCounts | None]:
    done: list[EvictionCounts | None] = [None] * len(tasks)
    report(0, len(tasks))
    with ThreadPoolExecutor(threads, thread_name_prefix="lab") as pool:
        running: dict[Future[EvictionCounts], int] = {}
        begun = finished = 0
        # Only a few are handed over ahead: what has begun cannot be stopped, and a cancel should not wait for more.
        while finished < len(tasks) and not is_cancelled():
            while begun < len(tasks) and len(running) < 2 * threads:
                running[pool.submit(tasks[begun])] = begun
                begun += 1
            ready, _ = wait(running, _POLL_S, FIRST_COMPLETED)
            for future in ready:
                done[running.pop(future)] = future.result()
                finished += 1
            if ready:
                report(finished, len(tasks))
    for future, index in running.items():
        done[index] = future.result()
    return done


def _nobody_listens(done: int, total: int) -> None:
    pass


def _never() -> bool:
    return False
