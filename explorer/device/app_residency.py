"""Residency as an application manages it: the published libraries' order of eviction, with their exact numbers.

Integers only: times are ns, pressure is a fraction of usage and budget that is never divided.

Source: microsoft/DirectX-Graphics-Samples Libraries/D3DX12Residency; microsoft/D3D12TranslationLayer Residency
(reference d3d12 residency.json, rules d3d12 8.8).
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Protocol

from explorer.memory.allocators.protocol import Refusal
from explorer.tables.d3d12_tables import number

if TYPE_CHECKING:
    from collections.abc import Sequence

POLICIES = ("none", "d3dx12", "translation-layer")
"""Values of the option ``app_policy``."""
MODES = ("library", "simple", "advanced")
"""Values of the option ``residency_mode``: whose budgets count (see ``Budgets``)."""

SECOND_NS = 1_000_000_000
_SHORTEST_NS = int(number("GRACE_MIN_SECONDS") * SECOND_NS)
_LONGEST_NS = int(number("GRACE_MAX_SECONDS") * SECOND_NS)
_THRESHOLD, _WHOLE = Decimal(str(number("TRIM_THRESHOLD"))).as_integer_ratio()
_QUERY_PERIOD_NS = int(number("BUDGET_QUERY_SECONDS") * SECOND_NS)
"""How long the translation layer keeps an answer of QueryVideoMemoryInfo."""


def grace_ns(usage: int, budget: int) -> int | None:
    """Return the age from which an object is evicted for it, or None where nothing is.

    60 s at 70 % pressure, 1 s at 100 % and above, in between linear, rounded down.

    Args:
        usage: Bytes in use.
        budget: Bytes granted; 0 is full pressure.
    """
    usage = min(usage, budget)
    if budget and _WHOLE * usage <= _THRESHOLD * budget:
        return None
    if not budget:
        return _SHORTEST_NS
    return _SHORTEST_NS + (_LONGEST_NS - _SHORTEST_NS) * _WHOLE * (budget - usage) // ((_WHOLE - _THRESHOLD) * budget)


@dataclass(frozen=True, slots=True)
class Budgets:
    """What a policy sees of usage and budget.

    Attributes:
        pressure_usage: Bytes that make the pressure.
        pressure_budget: Bytes that they are held against.
        usage: Bytes that the room for more is counted from.
        budget: The room as a whole.
    """

    pressure_usage: int
    pressure_budget: int
    usage: int
    budget: int


class Memory(Protocol):
    """The device as a policy sees it."""

    def budgets(self) -> Budgets:
        """Return usage and budgets now."""
        ...

    def size_of(self, row: int) -> int:
        """Return the bytes of an object."""
        ...

    def evict(self, row: int, rule: str) -> None:
        """Evict an object."""
        ...

    def make_resident(self, row: int, rule: str) -> Refusal | None:
        """Make an object resident; the refusal if there is no memory at all."""
        ...

    def wait(self, generation: int) -> None:
        """Wait until the GPU is done with a submission."""
        ...


@dataclass(slots=True)
class Submission:
    """What a policy did for one submission; object rows in order.

    Attributes:
        age_evicted: Evicted for their age.
        pressure_evicted: Evicted to make room.
        made_resident: Made resident within the budget.
        forced: Made resident above it, because nothing could leave.
        waited: Submissions that were waited for.
        refusal: Why the rest could not be made resident.
    """

    age_evicted: list[int] = field(default_factory=list[int])
    pressure_evicted: list[int] = field(default_factory=list[int])
    made_resident: list[int] = field(default_factory=list[int])
    forced: list[int] = field(default_factory=list[int])
    waited: list[int] = field(default_factory=list[int])
    refusal: Refusal | None = None


class ResidencyManager:
    """One list of resident objects, the first to leave in front.

    Args:
        policy: ``d3dx12`` or ``translation-layer``.

    Attributes:
        order: Resident objects, the first to leave in front.
        generation: Number of the next submission, from 0.
        in_flight: Submissions that the GPU has not finished, oldest first.
        pinned: Objects that stay (the translation layer skips them).
    """

    def __init__(self, policy: str) -> None:
        self.policy = policy
        self.order: OrderedDict[int, None] = OrderedDict()
        self.generation = 0
        self.in_flight: list[int] = []
        self.pinned: set[int] = set()
        self._used_by: dict[int, int] = {}
        self._used_at: dict[int, int] = {}
        self._seen: tuple[int, Budgets] | None = None

    def track(self, row: int) -> None:
        """Take in a new resident object: it goes first, as if it had never been used."""
        self.order[row] = None
        self.order.move_to_end(row, last=False)
        self._used_by[row] = self._used_at[row] = 0

    def forget(self, row: int) -> None:
        """Forget an object that is destroyed."""
        self.order.pop(row, None)
        self.pinned.discard(row)
        self._used_by.pop(row, None)
        self._used_at.pop(row, None)

    def is_tracked(self, row: int) -> bool:
        """Return whether an object is managed here."""
        return row in self._used_by

    def complete(self, through: int) -> None:
        """Note that the GPU is done with all submissions up to and including one."""
        self.in_flight = [generation for generation in self.in_flight if generation > through]

    def submit(self, memory: Memory, rows: Sequence[int], now_ns: int) -> Submission:
        """Make what a submission uses resident, and evict what is old or in the way.

        Args:
            memory: The device.
            rows: Tracked objects, each once, in the order of the submission's list.
            now_ns: Simulated time.
        """
        done = Submission()
        missing = [row for row in rows if row not in self.order]
        for row in rows:
            self.order[row] = None
            self.order.move_to_end(row)
            self._used_by[row], self._used_at[row] = self.generation, now_ns
        self._trim_aged(memory, now_ns, done)
        if missing:
            self._bring_in(memory, missing, now_ns, done)
        self.in_flight.append(self.generation)
        self.generation += 1
        return done

    def copy(self) -> ResidencyManager:
        """Return an independent copy."""
        other = ResidencyManager(self.policy)
        other.order = OrderedDict(self.order)
        other.generation = self.generation
        other.in_flight = list(self.in_flight)
        other.pinned = set(self.pinned)
        other._used_by, other._used_at = dict(self._used_by), dict(self._used_at)
        other._seen = self._seen
        return other

    def _budgets(self, memory: Memory, now_ns: int) -> Budgets:
        if self.policy != "translation-layer":
            return memory.budgets()
        if self._seen is None or now_ns - self._seen[0] >= _QUERY_PERIOD_NS:
            self._seen = (now_ns, memory.budgets())
        return self._seen[1]

    def grace_ns(self, memory: Memory, now_ns: int) -> int | None:
        """Return the age from which objects are evicted now, or None where nothing is."""
        seen = self._budgets(memory, now_ns)
        return grace_ns(seen.pressure_usage, seen.pressure_budget)

    def _trim_aged(self, memory: Memory, now_ns: int, done: Submission) -> None:
        grace = self.grace_ns(memory, now_ns)
        if grace is None:
            return
        for row in list(self.order):
            if row in self.pinned:
                continue
            busy = bool(self.in_flight) and self._used_by[row] >= self.in_flight[0]
            # The library's threshold is a single-precision 0.7, a hair below: at the exact grace an object leaves.
            if busy or now_ns - self._used_at[row] < grace:
                break
            self._evict(memory, row, "app.age-trim", done.age_evicted)

    def _bring_in(self, memory: Memory, missing: list[int], now_ns: int, done: Submission) -> None:
        fixed = self._budgets(memory, now_ns).budget if self.policy == "translation-layer" else None
        left = list(missing)
        while True:
            now = memory.budgets()
            budget = now.budget if fixed is None else fixed
            # What is made resident below is not in here: the library reads the usage before its batch.
            usage, room = now.usage, budget - now.usage
            while left and memory.size_of(left[0]) <= room:
                room -= memory.size_of(left[0])
                if self._make_resident(memory, left, "app.made-resident", done.made_resident, done):
                    return
            if not left:
                return
            head = next((row for row in self.order if row not in self.pinned), None)
            if head is None or self._used_by[head] >= self.generation or not self.in_flight:
                break
            generation = self.in_flight[0]
            memory.wait(generation)
            done.waited.append(generation)
            self.complete(generation)
            needed = sum(memory.size_of(row) for row in left)
            self._trim_to(memory, usage + needed, budget, generation, done)
        while left:
            if self._make_resident(memory, left, "app.forced", done.forced, done):
                return

    def _make_resident(
        self, memory: Memory, left: list[int], rule: str, made: list[int], done: Submission
    ) -> Refusal | None:
        """Make the first of the list resident and take it off; the refusal if that is impossible."""
        done.refusal = memory.make_resident(left[0], rule)
        if done.refusal is None:
            made.append(left.pop(0))
        else:
            for row in left:
                self.order.pop(row, None)
        return done.refusal

    def _trim_to(self, memory: Memory, usage: int, budget: int, generation: int, done: Submission) -> None:
        for row in list(self.order):
            if row in self.pinned:
                continue
            if self._used_by[row] > generation or self._used_by[row] >= self.generation or usage < budget:
                return
            usage -= memory.size_of(row)
            self._evict(memory, row, "app.pressure-trim", done.pressure_evicted)

    def _evict(self, memory: Memory, row: int, rule: str, gone: list[int]) -> None:
        memory.evict(row, rule)
        del self.order[row]
        gone.append(row)
