"""The table of resources as columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.units import KIB, MAX_BYTES, MIB
from explorer.errors import InputError
from explorer.ui.resource_rows import COLUMNS, ResourceRows, histogram, parse_range
from tests.ui.builders import make_snapshot

ROWS = ResourceRows(make_snapshot(500, seed=7))
ALL = np.arange(500, dtype=np.int64)


@pytest.mark.parametrize("column", [column.id for column in COLUMNS])
@pytest.mark.parametrize("descending", [False, True])
def test_that_every_column_sorts_to_a_permutation_in_order(column: str, descending: bool) -> None:
    order = ROWS.order(ALL, column, descending=descending)
    assert sorted(order.tolist()) == ALL.tolist()
    values = ROWS.values(column)[order]
    steps = np.diff(values)
    assert (steps <= 0).all() if descending else (steps >= 0).all()


def test_that_names_sort_as_python_sorts_them_whatever_their_letters() -> None:
    names = ROWS.snapshot.resources.names
    order = ROWS.order(ALL, "name", descending=False)
    assert [names[i] for i in order] == sorted(names)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("4096", 4096, 4096), ("64KiB", 64 * KIB, 64 * KIB), ("= 1 MiB", MIB, MIB), (">= 2MiB", 2 * MIB, MAX_BYTES),
        ("> 10", 11, MAX_BYTES), ("< 4096", -1, 4095), ("<= 4096", -1, 4096), ("2 – 16 MiB", 2 * MIB, 16 * MIB),
        ("2 - 16 MiB", 2 * MIB, 16 * MIB), ("0x100 .. 0x200", 256, 512), ("1 KiB – <1 MiB", KIB, MIB - 1),
        ("5 to 9", 5, 9),
    ],
)  # fmt: skip
def test_that_a_range_filter_says_its_bounds(text: str, low: int, high: int) -> None:
    assert parse_range(text) == (low, high)


@pytest.mark.parametrize("text", ["abc", ">", "9 – 3", "1 – x", "2^70", "-5", "0xZZ", "99999999999999999999999"])
def test_that_a_senseless_range_is_refused_with_the_accepted_forms(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_range(text)
    assert caught.value.complaint.accepted


@given(st.text(max_size=30))
def test_that_no_text_breaks_a_range_filter(text: str) -> None:
    try:
        low, high = parse_range(text)
    except InputError:
        return
    assert low <= high or text.strip().startswith("<")


def test_that_filters_keep_exactly_the_rows_that_they_describe() -> None:
    kept = ROWS.filter({"name": "t_road", "size": ">= 64KiB", "residency": "resident"})
    table = ROWS.snapshot.resources
    expected = [
        i for i in range(500) if "t_road" in table.names[i].lower() and table.size[i] >= 64 * KIB and table.resident[i]
    ]
    assert kept.tolist() == expected


def test_that_every_cell_says_something() -> None:
    for row in range(50):
        for column in COLUMNS:
            assert ROWS.text(row, column.id)


def test_that_the_histogram_counts_every_resource_once_and_all_bytes() -> None:
    sizes = ROWS.snapshot.resources.size
    data = histogram(sizes)
    assert int(data.counts.sum()) == 500
    assert int(data.bytes.sum()) == int(sizes.sum())
    for index, count in enumerate(data.counts.tolist()):
        low = 1 << (data.first + index)
        assert count == int(((sizes >= low) & (sizes < 2 * low)).sum())


def test_that_an_empty_layout_has_an_empty_histogram() -> None:
    assert len(histogram(np.zeros(0, np.int64)).counts) == 0
