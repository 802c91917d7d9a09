"""The command ``lab``: its shape, its sums, what theory says, and how bad input ends."""

from __future__ import annotations

import gzip
import io
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from explorer.cli import lab
from explorer.memory.eviction import EVICTION_POLICIES
from explorer.memory.kernels import is_jit_disabled
from explorer.tables.locations import presets_folder
from tests.cli.command import run

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]

SCENARIO = "d3d12-budget-drop"
IDS = [policy.id for policy in EVICTION_POLICIES]
LOOP = "frame,resource,size\n" + "".join(f"{turn},texture {n},1000\n" for turn in range(10) for n in range(11))
"""A loop of eleven textures where ten fit: what LRU and FIFO are worst at."""


@pytest.fixture
def loop(tmp_path: Path) -> str:
    path = tmp_path / "loop.csv"
    path.write_text(LOOP, encoding="utf-8")
    return str(path)


@pytest.fixture
def short(tmp_path: Path) -> str:
    """The scenario with few frames, in a file whose name says nothing."""
    text = (presets_folder() / "scenarios" / f"{SCENARIO}.toml").read_text(encoding="utf-8")
    assert "\nframes = 600\n" in text
    path = tmp_path / "shortened"
    path.write_text(text.replace("\nframes = 600\n", "\nframes = 40\n"), encoding="utf-8")
    return str(path)


def cells(document: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    return {(row["policy"], row["budget_bytes"]): row for row in document["grid"]}


def test_that_a_loop_slightly_larger_than_memory_misses_always_under_lru_and_fifo_but_not_under_mru(
    capfd: Capture, loop: str
) -> None:
    document = run(capfd, "lab", loop, "--budgets", "10000", "--json").object("lab")
    row = {policy: one for (policy, _), one in cells(document).items()}
    assert list(row) == IDS
    for policy in ("lru", "fifo", "clock"):
        assert (row[policy]["misses"], row[policy]["miss_ratio"]) == (110, 1.0)
    for policy in ("mru", "belady"):
        # All eleven once, then one in each further turn.
        assert row[policy]["misses"] < 30
    assert (document["requests"], document["objects"]) == (110, 11)
    assert document["unique_bytes"] == 11_000
    assert document["requested_bytes"] == 110_000
    assert all(one["stall_ms"] is None for one in row.values())


def test_that_no_policy_fetches_less_than_the_bound(capfd: Capture, short: str) -> None:
    document = run(capfd, "lab", short, "--points", "4", "--json").object("lab")
    assert len(document["grid"]) == 4 * len(IDS)
    bound = {row["budget_bytes"]: row["fetched_bytes"] for row in document["bound"]}
    assert list(bound) == sorted(bound)
    assert max(bound) == document["unique_bytes"]
    for (policy, budget), row in cells(document).items():
        assert bound[budget] <= row["fetched_bytes"] <= document["requested_bytes"], policy
        assert row["miss_ratio"] == row["misses"] / document["requests"]
        assert row["stall_ms"] > 0
        if budget == document["unique_bytes"]:
            assert (row["misses"], row["evictions"]) == (document["objects"], 0)
    for smaller, larger in pairwise(sorted(bound)):
        assert bound[smaller] >= bound[larger]


def test_that_priorities_of_the_run_count(capfd: Capture, short: str) -> None:
    document = run(capfd, "lab", short, "--points", "3", "--policies", "lru,priority-lru", "--json").object("lab")
    of = cells(document)
    budget = document["bound"][0]["budget_bytes"]
    assert of["priority-lru", budget]["misses"] != of["lru", budget]["misses"]


def test_that_policies_and_budgets_come_in_the_order_asked_for(capfd: Capture, loop: str) -> None:
    asked = run(capfd, "lab", loop, "--policies", "sieve,lru", "--budgets", "0x2000,1KiB", "--json").object("lab")
    order = [(row["policy"], row["budget_bytes"]) for row in asked["grid"]]
    assert order == [("sieve", 8192), ("sieve", 1024), ("lru", 8192), ("lru", 1024)]
    assert [row["budget_bytes"] for row in asked["bound"]] == [8192, 1024]


def test_that_kernels_and_plain_python_print_the_same(
    capfd: Capture, loop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_jit_disabled():
        pytest.skip("compiling is switched off")
    printed: list[str] = []
    for pay in (True, False):
        monkeypatch.setattr(lab, "_kernels_pay", lambda _steps, pay=pay: pay)
        printed.append(run(capfd, "lab", loop, "--json").out)
    assert printed[0] == printed[1]


def test_that_a_scenario_is_run_by_its_id_to_its_end(capfd: Capture) -> None:
    document = run(capfd, "lab", SCENARIO, "--points", "1", "--policies", "lru", "--json").object("lab")
    assert document["source"] == SCENARIO
    # 80 objects in each of 600 frames.
    assert (document["requests"], document["objects"]) == (48_000, 220)


@pytest.mark.parametrize("packed", [False, True])
def test_that_standard_input_is_read(capfd: Capture, monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    data = gzip.compress(LOOP.encode()) if packed else LOOP.encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    document = run(capfd, "lab", "-", "--policies", "mru", "--points", "2", "--json").object("lab")
    assert (document["source"], document["requests"]) == ("-", 110)


def test_that_people_get_a_table_for_each_budget(capfd: Capture, loop: str) -> None:
    answer = run(capfd, "lab", loop, "--policies", "lru,mru", "--budgets", "10000,11000")
    assert answer.code == 0
    assert answer.err == ""
    lines = answer.out.splitlines()
    assert lines[0].endswith("110 references to 11 objects of 10.7 KiB, 107.4 KiB in all")
    assert sum(line.startswith("Budget") for line in lines) == 2
    assert any(line.split()[:3] == ["lru", "110", "1.0000"] for line in lines)


def test_that_an_object_larger_than_the_budget_is_a_miss_each_time(capfd: Capture, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("0,small,4\n0,large,100\n1,small,4\n1,large,100\n", encoding="utf-8")
    document = run(capfd, "lab", str(path), "--budgets", "50", "--json").object("lab")
    assert all((row["misses"], row["fetched_bytes"], row["evictions"]) == (3, 204, 0) for row in document["grid"])


def test_that_progress_is_told_on_a_terminal_only(capfd: Capture, short: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    document = run(capfd, "lab", short, "--points", "1", "--policies", "lru", "--json").object("lab")
    assert document["objects"] > 0
    told = terminal.getvalue()
    assert "Recording: frame 40 of 40" in told
    assert "Running: 2 of 2" in told
    assert told.endswith("\r")


def test_that_an_interrupt_ends_with_130_and_prints_nothing(
    capfd: Capture, loop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("explorer.memory.lab.run_lab", interrupted)
    answer = run(capfd, "lab", loop, "--json")
    assert (answer.code, answer.out) == (130, "")


BAD = {
    "unknown policy": (["--policies", "lru,lfu"], "--policies", "lfu"),
    "no policy": (["--policies", ""], "--policies", ""),
    "policy twice": (["--policies", "lru,lru"], "--policies", "lru"),
    "no size": (["--budgets", "12,many"], "--budgets", "many"),
    "part of a byte": (["--budgets", "1.3"], "--budgets", "1.3"),
    "budget twice": (["--budgets", "1KiB,1024"], "--budgets", "1024"),
    "budget beyond 2^62": (["--budgets", "0x7FFFFFFFFFFFFFFF"], "--budgets", "0x7FFFFFFFFFFFFFFF"),
    "no point": (["--points", "0"], "--points", "0"),
    "too many points": (["--points", "1001"], "--points", "1001"),
    "points and budgets": (["--points", "3", "--budgets", "1"], "--points", "3"),
}


@pytest.mark.parametrize("name", BAD)
def test_that_wrong_use_ends_with_2_and_says_where(capfd: Capture, loop: str, name: str) -> None:
    arguments, where, found = BAD[name]
    answer = run(capfd, "lab", loop, *arguments, "--json")
    assert answer.code == 2
    error = answer.object("error")["error"]
    assert (error["where"], error["found"]) == (where, found)
    assert answer.err == ""


FILES = {
    "empty": (b"", None, "no references"),
    "header only": (b"frame,resource,size\n", None, "no references"),
    "frames that fall": (b"1,a,1\n0,a,1\n", 2, "out of range"),
    "a size that changes": (b"0,a,1\n0,a,2\n", 2, "size"),
    "two fields": (b"0,a\n", 1, "number of fields"),
    "not text": (b"0,\xff\xfe,1\n", 1, "UTF-8"),
    "a layout": (json.dumps({"a": 1}).encode(), None, "no known format"),
}


@pytest.mark.parametrize("name", FILES)
def test_that_a_bad_file_ends_with_2_and_names_the_line(capfd: Capture, tmp_path: Path, name: str) -> None:
    data, line, words = FILES[name]
    path = tmp_path / "bad.csv"
    path.write_bytes(data)
    answer = run(capfd, "lab", str(path), "--json")
    assert answer.code == 2
    error = answer.object("error")["error"]
    assert (error["file"], error["line"]) == (str(path), line)
    assert words in error["message"]


def test_that_a_name_of_nothing_is_refused(capfd: Capture) -> None:
    answer = run(capfd, "lab", "no-such-thing")
    assert answer.code == 2
    assert "neither a scenario nor a file" in answer.err
