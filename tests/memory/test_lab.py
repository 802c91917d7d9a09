"""The policy laboratory: theory, determinism, progress, cancel, and the CSV it reads."""

from __future__ import annotations

import io
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import CommandError, InputError
from explorer.memory.eviction import EVICTION_POLICIES
from explorer.memory.eviction.bench import bench_stream
from explorer.memory.lab import lab_budgets, read_stream_csv, run_lab
from tests.memory.eviction.streams import loop

ALL = [policy.id for policy in EVICTION_POLICIES]


def test_that_the_lab_finds_what_theory_says_of_a_loop_slightly_larger_than_memory() -> None:
    stream = loop(110, 20)
    result = run_lab(stream, ["lru", "fifo", "mru", "belady"], [100 * 65536])
    ratios = {row.policy: row.miss_ratio for row in result.grid}
    assert ratios["lru"] == ratios["fifo"] == 1.0
    assert ratios["mru"] < 0.25
    assert ratios["belady"] < 0.25


def test_that_rows_add_up_and_stand_in_the_order_asked_for() -> None:
    stream = bench_stream("zipf-1.0", 3000).stream
    budgets = lab_budgets(4, stream.unique_bytes)[::-1]
    result = run_lab(stream, ALL, budgets, bus_bytes_per_s=16_000_000_000)
    assert [(row.policy, row.budget_bytes) for row in result.grid] == [(p, b) for p in ALL for b in budgets]
    assert [row.budget_bytes for row in result.bound] == list(budgets)
    bound = {row.budget_bytes: row.fetched_bytes for row in result.bound}
    for row in result.grid:
        assert row.miss_ratio == row.misses / stream.requests
        assert row.evictions <= row.misses <= stream.requests
        assert bound[row.budget_bytes] <= row.fetched_bytes <= result.requested_bytes
        assert row.stall_ns == -(-row.fetched_bytes * 10**9 // 16_000_000_000)
    assert result.complete
    assert result.objects == np.unique(stream.ids).size


@pytest.mark.parametrize("options", [{"workers": 1}, {"workers": 3}, {"use_kernels": False}])
def test_that_threads_and_kernels_do_not_change_a_row(options: dict[str, int]) -> None:
    stream = bench_stream("zipf-1.0", 1500).stream
    budgets = lab_budgets(3, stream.unique_bytes)
    assert run_lab(stream, ALL, budgets, **options) == run_lab(stream, ALL, budgets)


def test_that_a_stall_is_unknown_without_a_bus() -> None:
    assert run_lab(loop(3, 2), ["lru"], [65536]).grid[0].stall_ns is None


@pytest.mark.parametrize("options", [{"workers": 1}, {"workers": 2}])
def test_that_progress_counts_up_to_all_cells_on_the_calling_thread(options: dict[str, int]) -> None:
    seen: list[tuple[int, int]] = []
    threads: set[int] = set()

    def progress(done: int, total: int) -> None:
        seen.append((done, total))
        threads.add(threading.get_ident())

    run_lab(loop(20, 5), ["lru", "mru"], [65536, 131072], progress=progress, **options)
    assert seen[0] == (0, 6)
    assert seen[-1] == (6, 6)
    assert seen == sorted(seen)
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("options", [{"workers": 1}, {"workers": 2}, {"use_kernels": False}])
def test_that_a_cancelled_run_ends_early_and_says_so(options: dict[str, int]) -> None:
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    stream = loop(200, 50)
    whole = run_lab(stream, ALL, lab_budgets(20, stream.unique_bytes))
    part = run_lab(stream, ALL, lab_budgets(20, stream.unique_bytes), cancelled=cancelled, **options)
    assert not part.complete
    assert len(part.grid) < len(whole.grid)
    assert set(part.grid) <= set(whole.grid)
    assert whole.complete


def test_that_curves_and_gaps_rise_with_the_budget() -> None:
    stream = loop(50, 6)
    result = run_lab(stream, ["lru", "belady"], [40 * 65536, 10 * 65536])
    curve = result.curve("lru")
    assert [budget for budget, _ in curve] == [10 * 65536, 40 * 65536]
    assert [gap.budget_bytes for gap in result.gaps("lru")] == [10 * 65536, 40 * 65536]
    assert all((gap.extra_misses or 0) > 0 for gap in result.gaps("lru"))
    assert all((gap.extra_misses, gap.extra_fetched_bytes) == (0, 0) for gap in result.gaps("belady"))
    assert all((gap.above_bound_bytes or 0) >= 0 for gap in result.gaps("belady"))
    alone = run_lab(stream, ["lru"], [65536]).gaps("lru")[0]
    assert alone.extra_misses is None
    assert alone.extra_fetched_bytes is None


@given(points=st.integers(1, 40), unique_bytes=st.integers(0, 1 << 40))
@settings(deadline=None)
def test_that_budgets_rise_to_the_bytes_of_all_objects(points: int, unique_bytes: int) -> None:
    budgets = lab_budgets(points, unique_bytes)
    assert list(budgets) == sorted(set(budgets))
    assert budgets[-1] == unique_bytes
    assert len(budgets) == points or unique_bytes < points


@pytest.mark.parametrize(
    ("policies", "budgets", "where"),
    [
        (["random"], [1], "policy"),
        ([], [1], "policies"),
        (["lru"], [], "budgets"),
        (["lru", "lru"], [1], "policies"),
        (["lru"], [1, 1], "budgets"),
    ],
)
def test_that_wrong_use_is_named(policies: list[str], budgets: list[int], where: str) -> None:
    with pytest.raises(CommandError) as caught:
        run_lab(loop(3, 1), policies, budgets)
    assert caught.value.complaint.where == where


def test_that_values_out_of_range_are_refused() -> None:
    for points in (0, -1, 1001):
        with pytest.raises(CommandError):
            lab_budgets(points, 100)
    with pytest.raises(InputError):
        run_lab(loop(3, 1), ["lru"], [-1])
    with pytest.raises(InputError):
        run_lab(loop(3, 1), ["lru"], [1], bus_bytes_per_s=0)


@pytest.mark.parametrize("head", ["", "frame,resource,size\n", "\ufeffframe,resource,size\r\n", "\n"])
def test_that_a_csv_is_read_with_and_without_header(head: str) -> None:
    named = read_stream_csv(io.StringIO(head + "0,sky,100\n0,ground,50\n\n2,sky,100\n"))
    assert named.names == ("sky", "ground")
    assert named.stream.ids.tolist() == [0, 1, 0]
    assert named.stream.frames.tolist() == [0, 0, 2]
    assert named.stream.sizes.tolist() == [100, 50]
    assert named.stream.requested_bytes == 250


def test_that_names_may_hold_commas_quotes_and_other_scripts() -> None:
    named = read_stream_csv(io.StringIO('0,"a,b ""c""",1\n0,небо,2\n'))
    assert named.names == ('a,b "c"', "небо")


@pytest.mark.parametrize(
    ("text", "line", "where"),
    [
        ("frame,resource,size\n0,a\n", 2, None),
        ("0,a,1,2\n", 1, None),
        ("0,a,1\nframe,resource,size\n", 2, "frame"),
        ("frame,name,size\n", 1, "frame"),
        ("x,a,1\n", 1, "frame"),
        ("-1,a,1\n", 1, "frame"),
        ("3,a,1\n2,a,1\n", 2, "frame"),
        ("2147483648,a,1\n", 1, "frame"),
        ("0,,1\n", 1, "resource"),
        ("0,a,\n", 1, "size"),
        ("0,a,0\n", 1, "size"),
        ("0,a,1.5\n", 1, "size"),
        ("0,a,64KiB\n", 1, "size"),
        ("0,a,٣\n", 1, "size"),
        ("0,a," + "9" * 5000 + "\n", 1, "size"),
        ("0,a,1\n0,a,2\n", 2, "size"),
        ("0,a,9223372036854775807\n0,b,1\n", 2, "size"),
        ('0,"a,1\n', 1, None),
        ('0,"a"b,1\n', 1, None),
        ("0," + "a" * 70_000 + ",1\n", 1, None),
        ("", None, None),
        ("frame,resource,size\n", None, None),
    ],
)
def test_that_a_bad_csv_names_file_line_column_and_what_is_accepted(
    text: str, line: int | None, where: str | None
) -> None:
    with pytest.raises(InputError) as caught:
        read_stream_csv(io.StringIO(text), "trace.csv")
    complaint = caught.value.complaint
    assert (complaint.file, complaint.line, complaint.where) == ("trace.csv", line, where)
    assert complaint.accepted


def test_that_text_in_another_encoding_is_refused_with_its_line() -> None:
    source = io.TextIOWrapper(io.BytesIO(b"0,a,1\n0,\xff\xfe,1\n"), encoding="utf-8")
    with pytest.raises(InputError, match="UTF-8"):
        read_stream_csv(source, "trace.csv")


def test_that_the_number_of_rows_is_bounded() -> None:
    with pytest.raises(InputError, match="too many rows"):
        read_stream_csv(io.StringIO("0,a,1\n" * 4), max_rows=3)


@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=50))
@settings(deadline=None)
def test_that_a_csv_gives_the_stream_that_was_written(rows: list[tuple[int, int]]) -> None:
    frames = np.cumsum([step for step, _ in rows]).tolist()
    text = "".join(f"{frame},r{name},{name + 1}\n" for frame, (_, name) in zip(frames, rows, strict=True))
    named = read_stream_csv(io.StringIO(text))
    assert [named.names[i] for i in named.stream.ids] == [f"r{name}" for _, name in rows]
    assert named.stream.frames.tolist() == frames


def test_that_the_laboratory_is_imported_without_numba() -> None:
    code = "import sys, explorer.memory.lab; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
