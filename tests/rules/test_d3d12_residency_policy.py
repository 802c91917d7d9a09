"""The D3DX12Residency policy: what holds after every submission."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.rules.d3d12_residency_policy import ResidencyManager

NAMES = "ABCDEF"
SETS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True)
SUBMISSIONS = st.lists(st.tuples(SETS, st.integers(0, 40), st.booleans()), min_size=1, max_size=12)


@given(SUBMISSIONS, st.integers(1, 400), st.lists(st.integers(1, 90), min_size=6, max_size=6))
@settings(deadline=None)
def test_that_a_submission_has_its_objects_and_the_list_holds_what_is_resident(
    submissions: list[tuple[list[str], int, bool]], budget: int, sizes: list[int]
) -> None:
    manager = ResidencyManager(budget, 0)
    for name, size in zip(NAMES, sizes, strict=True):
        manager.create(name, size)
    now = 0.0
    for number, (names, pause, completes) in enumerate(submissions):
        now += pause
        before = {one.name for one in manager.objects.values() if one.is_resident}
        done = manager.submit(names, now)
        resident = {one.name: one.size for one in manager.objects.values() if one.is_resident}
        assert set(names) <= set(resident)
        assert set(done.lru_after) == set(resident)
        assert done.usage_after == sum(resident.values())
        assert sorted(done.lru_after[-len(names) :]) == sorted(names)
        assert {*done.made_resident, *done.forced} == set(names) - before
        assert not {*done.age_evicted, *done.pressure_evicted} & set(names)
        assert all(waited < number for waited in done.waited)
        if completes:
            manager.complete(number)
