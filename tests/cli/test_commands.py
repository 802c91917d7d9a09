"""Every command with good input: shapes held by their schemas, sums that hold, the same answer every time."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from explorer.cli import bench_command, bench_map
from explorer.cli.bench_model import BenchRow, Contenders, Target
from explorer.core.events import EventKind
from explorer.interchange import EXPORTERS
from explorer.interchange.snapshot_encode import snapshot_sha256
from explorer.sim.scenarios import load_simulation, scenario_ids
from explorer.tables.adapters import adapter_ids, system_ids
from explorer.tables.locations import presets_folder, resources_folder
from tests.cli.command import SCENARIO, run, validator
from tests.interchange import dump_writer as write

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]

DUMP = write.vma_c({"Type 0": write.Pool([[("BUFFER", 256, 0x80, "=ring"), ("FREE", 64, 0, "")]])})


@pytest.fixture
def dump(tmp_path: Path) -> str:
    path = tmp_path / "made.json"
    path.write_bytes(write.text(DUMP))
    return str(path)


@pytest.mark.parametrize("path", sorted((resources_folder() / "schemas").glob("*.json")), ids=lambda path: path.stem)
def test_that_each_published_schema_is_a_schema(path: Path) -> None:
    assert validator(path.stem)


def test_that_adapters_lists_every_adapter_and_system(capfd: Capture) -> None:
    document = run(capfd, "adapters", "--json").object("adapters")
    assert sorted(entry["id"] for entry in document["adapters"]) == list(adapter_ids())
    assert sorted(entry["id"] for entry in document["systems"]) == list(system_ids())


@pytest.mark.parametrize("adapter", ["gtx970", "i865g", "warp"])
def test_that_an_adapter_is_shown_with_the_source_of_every_value(capfd: Capture, adapter: str) -> None:
    document = run(capfd, "adapters", adapter, "--json").object("adapters")
    assert document["adapter"]["id"] == adapter
    assert document["sources"].keys() == document["confidence"].keys()
    text = run(capfd, "adapters", adapter)
    assert text.code == 0
    assert all(key in text.out for key in document["sources"])


@pytest.mark.parametrize("name", system_ids())
def test_that_a_system_lists_its_adapters_in_the_shape_of_the_whole_list(capfd: Capture, name: str) -> None:
    document = run(capfd, "adapters", name, "--json").object("adapters")
    (found,) = document["systems"]
    assert found["id"] == name
    assert [entry["id"] for entry in document["adapters"]] == found["adapters"]
    whole = {entry["id"]: entry for entry in run(capfd, "adapters", "--json").object("adapters")["adapters"]}
    assert document["adapters"] == [whole[entry] for entry in found["adapters"]]
    assert found["name"] in run(capfd, "adapters", name).out


def test_that_scenarios_lists_and_shows(capfd: Capture) -> None:
    document = run(capfd, "scenarios", "--json").object("scenarios")
    assert [entry["id"] for entry in document["scenarios"]] == list(scenario_ids())
    one = run(capfd, "scenarios", SCENARIO, "--json").object("scenarios")["scenarios"]
    assert len(one) == 1
    assert one[0]["text"]
    assert isinstance(one[0]["options"], dict)
    assert one[0]["title"] in run(capfd, "scenarios", SCENARIO).out


def test_that_run_tells_where_every_byte_is(capfd: Capture) -> None:
    document = run(capfd, "run", SCENARIO, "--frames", "25", "--json").object("run")
    for segment in document["segments"]:
        parts = segment["used_bytes"] + sum(segment["padding_bytes"].values()) + segment["free_bytes"]
        assert parts == segment["size_bytes"]
    for group in document["groups"]:
        over = max(0, group["usage_bytes"] - (group["budget_bytes"] or group["usage_bytes"]))
        assert group["over_budget_bytes"] == over
    assert set(document["events"]) == {str(kind) for kind in EventKind}
    assert document["events"]["uploaded"] > 0
    assert document["frames"] == 25
    assert document["time_ms"]["frame_max"] >= document["time_ms"]["frame_mean"] > 0


def test_that_the_hash_of_run_is_that_of_its_snapshot_file_and_of_the_simulation(
    capfd: Capture, tmp_path: Path
) -> None:
    out = tmp_path / "end.json"
    arguments = (
        "run",
        SCENARIO,
        "--frames",
        "6",
        "--seed",
        "7",
        "--allocator",
        "worst-fit",
        "--budget",
        "48MiB",
        "--json",
    )
    document = run(capfd, *arguments, "--out", str(out)).object("run")
    assert hashlib.sha256(out.read_bytes()).hexdigest() == document["snapshot_sha256"] == document["out"][0]["sha256"]
    assert document["out"][0] == {
        "file": str(out), "format": "snapshot-json", "bytes": out.stat().st_size, "sha256": document["snapshot_sha256"],
    }  # fmt: skip
    simulation = load_simulation(SCENARIO, seed=7, allocator="worst-fit", budget="48MiB")
    simulation.step(6)
    assert snapshot_sha256(simulation.snapshot()) == document["snapshot_sha256"]
    again = run(capfd, *arguments).object("run")
    assert {**again, "out": []} == {**document, "out": []}
    assert document["options"]["allocator"] == "worst-fit"
    assert str(tmp_path).encode() not in out.read_bytes()


@pytest.mark.parametrize(
    "scenario", ["d3d9-thrash", "d3d9-ex-virtual-memory", "d3d11-game-hd7970", "d3d12-budget-drop"]
)
def test_that_the_options_in_force_are_what_happens_without_choosing(capfd: Capture, scenario: str) -> None:
    arguments = ("run", scenario, "--frames", "3", "--json", "--budget", "48MiB")
    free = run(capfd, *arguments).object("run")
    options = free["options"]
    chosen = ("--policy", options["policy"], "--allocator", options["allocator"])
    told = run(capfd, *arguments, *chosen).object("run")
    assert options["budget"] == f"LOCAL={48 << 20}"
    for key in ("options", "segments", "groups", "totals", "events", "moved_bytes", "time_ms"):
        assert told[key] == free[key]


def test_that_run_writes_each_format_by_its_ending(capfd: Capture, tmp_path: Path) -> None:
    files = [str(tmp_path / f"end{exporter.ending}") for exporter in EXPORTERS]
    document = run(capfd, "run", SCENARIO, "--frames", "2", "--json", "--out", *files).object("run")
    assert [entry["format"] for entry in document["out"]] == [exporter.id for exporter in EXPORTERS]
    for entry in document["out"]:
        with open(entry["file"], "rb") as stream:
            assert hashlib.sha256(stream.read()).hexdigest() == entry["sha256"]


def test_that_a_scenario_file_runs_like_the_preset(capfd: Capture, tmp_path: Path) -> None:
    path = tmp_path / f"{SCENARIO}.toml"
    path.write_bytes((presets_folder() / "scenarios" / path.name).read_bytes())
    preset = run(capfd, "run", SCENARIO, "--frames", "2", "--json").object("run")
    assert run(capfd, "run", str(path), "--frames", "2", "--json").object("run") == preset
    opened = run(capfd, "open", str(path), "--json").object("open")
    assert (opened["kind"], opened["adapters"], opened["frames"]) == ("scenario", [preset["adapter"]], 600)


def test_that_open_says_what_a_dump_is(capfd: Capture, dump: str) -> None:
    document = run(capfd, "open", dump, "--json").object("open")
    assert (document["file"], document["format"], document["kind"]) == (dump, "vma-c", "layout")
    assert (document["detail"], document["agrees"], document["named"]) == (True, True, 1)
    assert (
        document["totals"]["free_bytes"] == document["totals"]["block_bytes"] - document["totals"]["allocation_bytes"]
    )
    text = run(capfd, "open", dump)
    assert "sums agree" in text.out


def test_that_a_disagreement_is_a_warning_and_no_exit_code(capfd: Capture, tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_bytes(write.text({**DUMP, "Total": {**DUMP["Total"], "BlockBytes": 1 << 60}}))
    answer = run(capfd, "open", str(path), "--json")
    document = answer.object("open")
    assert (answer.code, document["agrees"]) == (0, False)
    assert document["file_totals"]["block_bytes"] == str(1 << 60)


@pytest.mark.parametrize("exporter", EXPORTERS, ids=lambda exporter: exporter.id)
def test_that_export_writes_what_it_says(capfd: Capture, dump: str, tmp_path: Path, exporter: Any) -> None:
    out = tmp_path / f"out{exporter.ending}"
    document = run(capfd, "export", dump, "--to", exporter.id, "--out", str(out), "--json").object("export")
    data = out.read_bytes()
    assert (document["bytes"], document["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    assert (document["in"], document["format"], document["out"]) == (dump, exporter.id, str(out))


def test_that_the_help_names_every_format_that_is_served(capfd: Capture) -> None:
    helps = {name: " ".join(run(capfd, name, "--help").out.split()) for name in ("export", "run")}
    for exporter in EXPORTERS:
        assert exporter.id in helps["export"]
        assert exporter.ending.count(".") > 1 or exporter.ending in helps["run"]


def test_that_an_exported_snapshot_opens_and_exports_as_the_same_bytes(capfd: Capture, tmp_path: Path) -> None:
    one, two = str(tmp_path / "one.json"), str(tmp_path / "two.json")
    assert run(capfd, "export", SCENARIO, "--frame", "3", "--to", "snapshot-json", "--out", one).code == 0
    assert run(capfd, "export", one, "--to", "snapshot-json", "--out", two).code == 0
    with open(one, "rb") as first, open(two, "rb") as second:
        assert first.read() == second.read()
    opened = run(capfd, "open", one, "--json").object("open")
    assert (opened["kind"], opened["frames"]) == ("snapshot", 3)


def test_that_csv_to_standard_output_is_nothing_but_csv(capfd: Capture, dump: str) -> None:
    answer = run(capfd, "export", dump, "--to", "csv", "--view", "map", "--out", "-")
    assert answer.out.splitlines()[0].startswith("segment,heap,offset_bytes")
    assert "'=ring" in answer.out
    assert len(answer.out.splitlines()) == 2


def test_that_bench_measures_alternating_contenders_and_skips_what_cannot_run(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def contender(name: str, value: float) -> Any:
        def work() -> float:
            calls.append(name)
            return value

        return work

    rows = (
        BenchRow("map.full", "a", "ms", lambda: Contenders(contender("us", 4.0), contender("them", 2.0)), "b",
                 Target("<=", 1.5)),
        BenchRow("hit", "c", "us", lambda: Contenders(contender("us", 4.0), fixed=8.0), "d", Target("<=", 1.0)),
    )  # fmt: skip
    monkeypatch.setattr(bench_map, "ROWS", rows)
    figures = {"window.ticks": lambda: (contender("us", 1.0), None)}
    monkeypatch.setattr(bench_command, "_FIGURES", [lambda: figures])
    answer = run(capfd, "bench", "--only", "map.full,hit,soak,window.*", "--rounds", "3", "--gate", "--json")
    document = answer.object("bench")
    assert calls[:8] == ["us", "them"] * 4
    assert answer.code == 1
    by_id = {row["id"]: row for row in document["rows"]}
    assert (by_id["map.full"]["ratio"], by_id["map.full"]["met"], by_id["map.full"]["rounds"]) == (2.0, False, 3)
    assert (by_id["hit"]["ratio"], by_id["hit"]["met"]) == (0.5, True)
    assert by_id["soak"]["value"] is None
    assert "needs the window" in by_id["soak"]["skipped"]
    assert (by_id["window.ticks"]["met"], by_id["window.ticks"]["yardstick"]["value"]) == (True, 0.99)
    assert by_id["window.paint"]["skipped"] is not None
    assert run(capfd, "bench", "--only", "hit", "--rounds", "1", "--gate").code == 0


def test_that_bench_has_a_row_for_every_id_of_the_contract(capfd: Capture) -> None:
    ids = {row.id for row in bench_command.all_rows()}
    names = """
        alloc.tlsf.10k alloc.offset-bins.100k.events packing.best-fit evict.lru misses.arc map.full map.pan
        map.scaling hit window.paint window.ticks sim.beside frames dump.load dump.png.1k dump.png.100k dump.png.1M
        table.sort table.filter seek start.first-paint start.cli soak
    """
    for name in names.split():
        assert name in ids
    listed = run(capfd, "bench", "--list", "--only", "window.*").out
    assert "window.ticks" in listed


def test_that_a_cheap_row_is_really_measured(capfd: Capture) -> None:
    document = run(capfd, "bench", "--only", "start.cli", "--rounds", "1", "--json").object("bench")
    (row,) = document["rows"]
    assert row["skipped"] is None
    assert row["value"] > 0
    assert row["yardstick"]["value"] > 0
    assert json.dumps(document["machine"])


def test_that_processes_of_bench_keep_their_bytecode_and_the_environment_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    code = "import sys; print(sys.dont_write_bytecode, sys.pycache_prefix)"
    with bench_command.compiled_once():
        told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert told[0] == "False"
    assert "memory-explorer-bench-" in told[1]
    assert os.environ["PYTHONDONTWRITEBYTECODE"] == "1"
    assert "PYTHONPYCACHEPREFIX" not in os.environ
