"""Names as columns say what texts would."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import names, random
from explorer.core.names import HEAP, NOBODY, OTHER, RESOURCE, NameRows, NameRuns, Objects, first_of_each, last_of_each

values = st.lists(st.integers(0, 20), max_size=40)


@given(values)
def test_that_repetitions_go_as_they_do_from_a_dict(found: list[int]) -> None:
    column = np.array(found, np.int64)
    assert first_of_each(column).tolist() == list(dict.fromkeys(found))
    assert last_of_each(column).tolist() == list(dict.fromkeys(reversed(found)))[::-1]


@given(st.lists(st.tuples(st.sampled_from(["bind", "drop"]), st.integers(0, 9)), max_size=40))
def test_that_rows_follow_who_comes_and_goes(steps: list[tuple[str, int]]) -> None:
    objects = Objects({"N3": ("heap", 7)})
    rows = NameRows([f"N{i}" for i in range(8)])
    for number, (what, at) in enumerate(steps):
        name = f"N{at}"
        if what == "bind":
            objects[name] = ("resource", number)
        else:
            objects.pop(name, None)
        kinds, found = rows.look(objects)
        expected = [objects.get(one) for one in rows.names]
        assert found.tolist() == [-1 if one is None else one[1] for one in expected]
        assert kinds.tolist() == [
            NOBODY if one is None else {"resource": RESOURCE, "heap": HEAP}[one[0]] for one in expected
        ]
        assert rows.alive(objects).tolist() == [i for i, one in enumerate(expected) if one is not None]


def test_that_rows_follow_more_changes_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "_MOST_CHANGES", 3)
    objects, rows = Objects(), NameRows(["A", "B"])
    for number in range(10):
        objects["A"] = ("resource", number)
        objects["B"] = ("list", number)
        assert rows.look(objects)[1].tolist() == [number, number]
        assert rows.look(objects)[0].tolist() == [RESOURCE, OTHER]
        del objects["B"]
    assert rows.alive(objects).tolist() == [0]


def test_that_another_table_of_objects_is_looked_up_anew() -> None:
    rows = NameRows(["A"])
    assert rows.look(Objects({"A": ("resource", 1)}))[1].tolist() == [1]
    assert rows.look(Objects({"A": ("resource", 2)}))[1].tolist() == [2]


@given(st.lists(st.integers(0, 5), max_size=12), st.lists(st.integers(0, 3), max_size=12))
def test_that_runs_are_a_sequence_of_names(first: list[int], second: list[int]) -> None:
    one, other = NameRows([f"A{i}" for i in range(6)]), NameRows([f"B{i}" for i in range(4)])
    runs = NameRuns([(one, np.array(first, np.int64)), (other, np.array(second, np.int64))])
    texts = (*(f"A{i}" for i in first), *(f"B{i}" for i in second))
    assert tuple(runs) == texts
    assert len(runs) == len(texts)
    assert [runs[at] for at in range(-len(texts), len(texts))] == [*texts, *texts]
    assert runs[1:4] == texts[1:4]
    objects = Objects({name: ("resource", int(name[1])) for name in texts if name != "A2"})
    assert tuple(runs.living(objects)) == tuple(name for name in texts if name != "A2")
    assert runs.living(objects).look(objects)[1].tolist() == [int(name[1]) for name in texts if name != "A2"]
    with pytest.raises(IndexError):
        runs[len(texts)]


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(0, 2**40), max_size=20), st.integers(1, 2**32 - 1))
def test_that_random_columns_hold_the_numbers_of_single_calls(key: int, places: list[int], limit: int) -> None:
    column = random.below_each(key, np.array(places, np.int64), limit)
    assert column.tolist() == [random.below(key, place, limit) for place in places]
