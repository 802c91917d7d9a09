"""Exporters, and writing files so that nothing half-written is left."""

from __future__ import annotations

import csv
import gzip
import io
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from explorer.errors import CommandError, InputError
from explorer.interchange import EXPORTERS, ExportOptions, exporter_by_id, open_file, write_atomically
from explorer.interchange import files as files_module
from explorer.interchange.exporters import exporter_for_ending
from explorer.interchange.files import read_bytes, unpack
from explorer.sim.scenarios import load_simulation
from tests.interchange import snapshots

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from explorer.sim.snapshot import Snapshot


def _csv(snapshot: Snapshot, options: ExportOptions) -> list[dict[str, str]]:
    data = exporter_by_id("csv").export(snapshot, options)
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))


@pytest.mark.parametrize("exporter", EXPORTERS, ids=lambda exporter: exporter.id)
@pytest.mark.parametrize("make", [snapshots.simulated, snapshots.imported], ids=["simulated", "imported"])
def test_that_the_same_snapshot_gives_the_same_bytes(exporter: object, make: object) -> None:
    assert callable(make)
    snapshot = make()
    one = exporter.export(snapshot, ExportOptions(size=(320, 240)))  # type: ignore[attr-defined] - from the tuple
    two = exporter.export(snapshot, ExportOptions(size=(320, 240)))  # type: ignore[attr-defined] - from the tuple
    assert one
    assert one == two


def test_that_ids_are_unique_and_that_each_ending_finds_its_exporter() -> None:
    assert len({exporter.id for exporter in EXPORTERS}) == len(EXPORTERS)
    for exporter in EXPORTERS:
        assert exporter_for_ending(f"a{exporter.ending.upper()}") is exporter
    for unknown in ("a.svgz", "a", "json"):
        with pytest.raises(CommandError, match="ending"):
            exporter_for_ending(unknown)
    with pytest.raises(CommandError, match="no such export format"):
        exporter_by_id("xlsx")


def test_that_csv_has_a_row_for_each_resource_with_the_place_that_it_has() -> None:
    snapshot = snapshots.simulated()
    rows = _csv(snapshot, ExportOptions())
    assert [row["name"] for row in rows] == list(snapshot.resources.names)
    assert [int(row["size_bytes"]) for row in rows] == snapshot.resources.size.tolist()
    assert exporter_by_id("csv").rows(snapshot, ExportOptions()) == len(rows)
    at = {
        (int(resource), int(offset))
        for resource, offset in zip(snapshot.blocks.resource, snapshot.blocks.offset, strict=True)
    }
    assert all((index, int(row["offset_bytes"])) in at for index, row in enumerate(rows) if row["offset_bytes"])


def test_that_csv_of_the_map_has_a_row_for_each_live_range() -> None:
    snapshot = snapshots.simulated()
    rows = _csv(snapshot, ExportOptions(view="map"))
    assert [int(row["size_bytes"]) for row in rows] == snapshot.blocks.size.tolist()
    assert [int(row["offset_bytes"] or -1) for row in rows] == snapshot.blocks.offset.tolist()
    assert {row["copy"] for row in rows} >= {"master", "device"}


def test_that_csv_writes_exactly_the_rows_that_are_shown_in_their_order() -> None:
    snapshot = snapshots.imported()
    chosen = np.array([5, 0, 3], np.int64)
    options = ExportOptions(rows=chosen)
    rows = _csv(snapshot, options)
    assert [int(row["size_bytes"]) for row in rows] == snapshot.resources.size[chosen].tolist()
    assert exporter_by_id("csv").rows(snapshot, options) == 3


def test_that_no_csv_cell_is_a_formula() -> None:
    snapshot = snapshots.imported()
    rows = _csv(snapshot, ExportOptions())
    names = [row["name"] for row in rows]
    assert [name.removeprefix("'") for name in names] == [*snapshots.NAMES, "own"]
    for row in rows:
        assert not any(str(cell).startswith(("=", "+", "-", "@", "\t", "\r", "\n")) for cell in row.values())


def test_that_an_unknown_view_is_refused() -> None:
    for format_id in ("csv", "png"):
        with pytest.raises(CommandError, match="view"):
            exporter_by_id(format_id).export(snapshots.imported(), ExportOptions(view="timeline"))


def test_that_trace_events_show_each_range_at_its_offset() -> None:
    snapshot = snapshots.imported()
    document = json.loads(exporter_by_id("trace-json").export(snapshot, ExportOptions()))
    ranges = [event for event in document["traceEvents"] if event["ph"] == "X"]
    assert [(event["ts"], event["dur"]) for event in ranges] == list(
        zip(snapshot.blocks.offset.tolist(), snapshot.blocks.size.tolist(), strict=True)
    )
    assert exporter_by_id("trace-json").rows(snapshot, ExportOptions()) == len(ranges)


@pytest.mark.parametrize("format_id", ["d3d12ma-json", "vma-json"])
@pytest.mark.parametrize(
    "make", [snapshots.simulated, snapshots.imported, snapshots.of_d3d12ma], ids=lambda f: f.__name__
)
def test_that_an_exported_dump_opens_with_every_allocation_and_sums_that_agree(
    format_id: str, make: Callable[[], Snapshot]
) -> None:
    snapshot = make()
    exporter = exporter_by_id(format_id)
    opened = open_file(exporter.export(snapshot, ExportOptions()), "made.json")
    assert opened.format == {"d3d12ma-json": "d3d12ma", "vma-json": "vma-c"}[format_id]
    assert opened.agrees is True
    assert opened.snapshot is not None
    assert opened.totals is not None
    assert opened.totals.allocations == exporter.rows(snapshot, ExportOptions()) == len(snapshot.blocks)
    assert opened.totals.allocation_bytes == int(snapshot.blocks.size.sum())
    assert sorted(opened.snapshot.blocks.size.tolist()) == sorted(snapshot.blocks.size.tolist())


def test_that_the_viewer_finds_gap_free_ranges_in_offset_order() -> None:
    document = json.loads(exporter_by_id("vma-json").export(snapshots.overlapping(), ExportOptions()))
    assert document["General"]["RangesLeftOut"] == 1
    for pool in document["DefaultPools"].values():
        for block in pool["Blocks"].values():
            end = 0
            for row in block["Suballocations"]:
                assert row["Offset"] == end
                end += row["Size"]
            assert end == block["TotalBytes"]


def test_that_the_page_is_whole_alone_and_escapes_names() -> None:
    page = exporter_by_id("html").export(snapshots.awkward(), ExportOptions(size=(320, 240), theme="dark")).decode()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "http://" not in page
    assert "https://" not in page
    assert page.count("<table>") == page.count("</table>") >= 4


def test_that_a_report_cannot_steer_a_terminal() -> None:
    text = exporter_by_id("text").export(snapshots.imported(), ExportOptions()).decode()
    assert "\x1b" not in text
    assert "\r" not in text
    assert "made.json" in text


def test_that_another_allocator_changes_table_map_and_snapshot_together() -> None:
    made: dict[str, set[bytes]] = {"snapshot-json": set(), "csv": set(), "csv map": set(), "trace-json": set()}
    for allocator in ("tlsf", "worst-fit"):
        simulation = load_simulation(snapshots.D3D9, allocator=allocator)
        simulation.step(30)
        snapshot = simulation.snapshot()
        for name, outputs in made.items():
            format_id, _, view = name.partition(" ")
            outputs.add(exporter_by_id(format_id).export(snapshot, ExportOptions(view=view or None)))
    assert {name: len(outputs) for name, outputs in made.items()} == dict.fromkeys(made, 2)


def test_that_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_bytes(b"old")
    target.chmod(0o640)
    write_atomically(str(target), b"new")
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_that_an_interrupted_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    target = tmp_path / "a.json"
    target.write_bytes(b"old")

    def fail(_: int) -> None:
        raise error

    monkeypatch.setattr(files_module.os, "fsync", fail)
    with pytest.raises((InputError, KeyboardInterrupt)):
        write_atomically(str(target), b"new")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_that_what_cannot_be_written_or_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_atomically(str(tmp_path / "no" / "a.json"), b"")
    for path in (str(tmp_path), str(tmp_path / "none"), "a\0b"):
        with pytest.raises(InputError, match="cannot be read"):
            read_bytes(path)


def test_that_packed_data_may_not_grow_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "MAX_FILE_BYTES", 4 << 20)
    with pytest.raises(InputError, match="too large when unpacked"):
        unpack(gzip.compress(b"\0" * (8 << 20)), "bomb.gz")
