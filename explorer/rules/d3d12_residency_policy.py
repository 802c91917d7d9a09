"""The residency policy of the D3DX12Residency library, with its exact numbers.

Source: d3d12.8.8a … d3d12.8.8e (rows of ``tables/``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from explorer.rules.d3d12_access import grace_seconds

NEVER = -1
"""Submission of an object that none has used yet."""


@dataclass(slots=True)
class ManagedObject:
    """An object that the library makes resident and evicts.

    Attributes:
        name: Its name.
        size: Bytes.
        is_resident: Whether it is resident now.
        last_submission: Number of the submission that used it last, or ``NEVER``.
        last_used_s: When that was.
    """

    name: str
    size: int
    is_resident: bool = True
    last_submission: int = NEVER
    last_used_s: float = 0.0


@dataclass(slots=True)
class Submission:
    """What one submission caused, names in order.

    Attributes:
        age_evicted: Evicted for their age.
        pressure_evicted: Evicted to make room.
        made_resident: Made resident within the budget.
        forced: Made resident over the budget.
        waited: Numbers of the submissions that were waited for.
        usage_after: Bytes resident.
        lru_after: The library's list, next to be evicted first.
    """

    age_evicted: list[str] = field(default_factory=list[str])
    pressure_evicted: list[str] = field(default_factory=list[str])
    made_resident: list[str] = field(default_factory=list[str])
    forced: list[str] = field(default_factory=list[str])
    waited: list[int] = field(default_factory=list[int])
    usage_after: int = 0
    lru_after: list[str] = field(default_factory=list[str])


class ResidencyManager:
    """The library's manager for one device, whose budgets do not change.

    Args:
        local_budget: Bytes of the LOCAL group, which alone decides about the grace.
        non_local_budget: Bytes of the NON_LOCAL group.
    """

    def __init__(self, local_budget: int, non_local_budget: int) -> None:
        self.local_budget = local_budget
        self.budget = local_budget + non_local_budget
        self.objects: dict[str, ManagedObject] = {}
        self._list: list[ManagedObject] = []
        self._submitted = 0
        self._completed = NEVER

    @property
    def usage(self) -> int:
        """Bytes resident."""
        return sum(one.size for one in self.objects.values() if one.is_resident)

    def create(self, name: str, size: int) -> None:
        """Add a resident object; until it is used it is the first to go."""
        made = ManagedObject(name, size)
        self.objects[name] = made
        self._list.insert(0, made)

    def complete(self, through: int) -> None:
        """Note that the GPU has finished a submission and those before it."""
        self._completed = max(self._completed, min(through, self._submitted - 1))

    def submit(self, names: list[str], time_s: float) -> Submission:
        """Make the objects of a submission resident and return what that took."""
        current, done = self._submitted, Submission()
        missing = self._mark(names, current, time_s)
        self._trim_aged(time_s, done)
        self._make_resident(missing, current, done)
        self._submitted += 1
        done.usage_after = self.usage
        done.lru_after = [one.name for one in self._list]
        return done

    def _mark(self, names: list[str], current: int, time_s: float) -> list[ManagedObject]:
        missing: list[ManagedObject] = []
        for name in dict.fromkeys(names):
            one = self.objects[name]
            if one.is_resident:
                self._list.remove(one)
            else:
                missing.append(one)
            self._list.append(one)
            one.last_submission, one.last_used_s = current, time_s
        return missing

    def _evict_head(self, into: list[str]) -> int:
        one = self._list.pop(0)
        one.is_resident = False
        into.append(one.name)
        return one.size

    def _trim_aged(self, time_s: float, done: Submission) -> None:
        grace = grace_seconds(self.usage / self.local_budget if self.local_budget else 1.0)
        while grace is not None and self._list:
            head = self._list[0]
            if head.last_submission > self._completed or time_s - head.last_used_s <= grace:
                return
            self._evict_head(done.age_evicted)

    def _make_resident(self, missing: list[ManagedObject], current: int, done: Submission) -> None:
        while missing:
            # The library reads the usage before the batch, and does not count the batch when it trims.
            usage = self.usage
            space = self.budget - usage
            while missing and missing[0].size <= space:
                space -= missing[0].size
                self._restore(missing.pop(0), done.made_resident)
            if not missing:
                return
            waited = self._completed + 1
            if self._list[0].last_submission == current or waited >= current:
                for one in missing:
                    self._restore(one, done.forced)
                return
            self._completed = waited
            done.waited.append(waited)
            usage += sum(one.size for one in missing)
            while usage >= self.budget and self._list and self._list[0].last_submission <= waited:
                usage -= self._evict_head(done.pressure_evicted)

    @staticmethod
    def _restore(one: ManagedObject, into: list[str]) -> None:
        one.is_resident = True
        into.append(one.name)
