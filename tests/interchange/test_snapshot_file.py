"""The saved snapshot: canonical, exact, strict."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from explorer.core.columns import BlockColumns, DescriptorHeapPicture, make_columns
from explorer.errors import InputError
from explorer.interchange.importers import open_file
from explorer.interchange.snapshot_decode import read_snapshot
from explorer.interchange.snapshot_encode import snapshot_bytes, snapshot_sha256
from explorer.sim.scenarios import load_simulation
from explorer.sim.snapshot import Note
from explorer.tables.locations import resources_folder
from tests.every_scenario import PLAYED
from tests.interchange import snapshots

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.sim.snapshot import Snapshot

SCHEMA = json.loads((resources_folder() / "schemas/snapshot.json").read_text(encoding="utf-8"))
CASES: dict[str, Callable[[], Snapshot]] = {
    "simulated": snapshots.simulated,
    "imported": snapshots.imported,
    "large numbers": snapshots.with_large_numbers,
    "descriptor uses": snapshots.with_descriptor_uses,
}


@pytest.mark.parametrize("name", list(CASES))
def test_that_a_saved_snapshot_opens_as_the_same_snapshot_and_the_same_bytes(name: str) -> None:
    snapshot = CASES[name]()
    data = snapshot_bytes(snapshot)
    opened = open_file(data, "saved.json")
    assert opened.format == "snapshot"
    assert opened.warnings == ()
    assert opened.snapshot is not None
    snapshots.assert_equal(snapshot, opened.snapshot)
    assert snapshot_bytes(opened.snapshot) == data


@pytest.mark.parametrize("name", list(CASES))
def test_that_the_bytes_are_canonical_and_follow_the_published_schema(name: str) -> None:
    data = snapshot_bytes(CASES[name]())

    def refuse(text: str) -> None:
        raise AssertionError(f"not a whole number: {text}")

    document = json.loads(data, parse_float=refuse, parse_constant=refuse)
    again = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert data == again
    assert _largest(document) < 2**53
    jsonschema.Draft202012Validator(SCHEMA).validate(_shortened(document))


def test_that_a_second_run_gives_the_same_bytes() -> None:
    hashes: set[str] = set()
    for _ in range(2):
        simulation = load_simulation(snapshots.D3D9)
        simulation.step(4)
        hashes.add(snapshot_sha256(simulation.snapshot()))
    assert hashes == {snapshot_sha256(snapshots.simulated())}


@pytest.mark.parametrize("scenario", PLAYED)
def test_that_a_snapshot_of_every_scenario_follows_the_schema_and_opens_again(scenario: str) -> None:
    simulation = load_simulation(scenario)
    simulation.step(1)
    snapshot = simulation.snapshot()
    data = snapshot_bytes(snapshot)
    jsonschema.Draft202012Validator(SCHEMA).validate(_shortened(json.loads(data)))
    reopened = open_file(data, "saved.json").snapshot
    assert reopened is not None
    snapshots.assert_equal(snapshot, reopened)


def test_that_notes_and_descriptor_heaps_are_kept() -> None:
    columns = {"kind": [0, 2, 255], "view": [0, 2, 1], "stale": [0, 1, 0], "resource": [-1, 0, -1]}
    arrays = make_columns(BlockColumns, 3, {})
    kind, resource = arrays["kind"].copy(), arrays["resource"].copy()
    kind[:], resource[:] = columns["kind"], columns["resource"]
    heap = DescriptorHeapPicture(
        "views", "CBV_SRV_UAV", True, 32, 1 << 40, 1 << 62, kind, kind.copy(), kind > 1, resource
    )
    note = Note("local", "", 5, 7, "mine: ü")
    snapshot = dataclasses.replace(snapshots.simulated(), descriptor_heaps=(heap,), notes=(note,))
    reopened = read_snapshot(snapshot_bytes(snapshot), "x")
    snapshots.assert_equal(snapshot, reopened)


def test_that_history_and_generation_are_no_part_of_a_saved_snapshot() -> None:
    plain = snapshots.simulated()
    other = dataclasses.replace(plain, history=None, generation=plain.generation + 7)
    assert snapshot_bytes(plain) == snapshot_bytes(other)


def test_that_no_path_of_a_folder_is_saved() -> None:
    plain = snapshots.imported()
    for folder in ("/home/someone/dumps/", "C:\\Users\\someone\\"):
        provenance = dataclasses.replace(plain.provenance, file=f"{folder}made.json")
        data = snapshot_bytes(dataclasses.replace(plain, provenance=provenance))
        assert b"someone" not in data
        assert data == snapshot_bytes(plain)


def _changed(change: Callable[[dict[str, Any]], None]) -> bytes:
    document = json.loads(snapshot_bytes(snapshots.simulated()))
    change(document)
    return json.dumps(document).encode()


def _put(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        at: Any = document
        *keys, last = [int(key) if key.isdigit() else key for key in path.split("/")]
        for key in keys:
            at = at[key]
        at[last] = value

    return change


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ("schema", "memory-layout-snapshot/9", "schema"),
        ("extra", 1, "extra"),
        ("origin", "guessed", "origin"),
        ("api", 5, "api"),
        ("time_ns", "soon", "time_ns"),
        ("time_ns", 2**70, "time_ns"),
        ("time_ns", str(2**70), "time_ns"),
        ("segments", {}, "segments"),
        ("segments/0/size_bytes", -1, "segments[0]"),
        ("segments/0/colour", "red", "segments[0].colour"),
        ("segments/0/used_bytes", None, "segments[0].used_bytes"),
        ("blocks/size/1", -1, "blocks.size[1]"),
        ("blocks/size/1", 2**70, "blocks.size[1]"),
        ("blocks/size/1", "x", "blocks.size[1]"),
        ("blocks/size/1", 1.5, "blocks.size[1]"),
        ("blocks/size/1", True, "blocks.size[1]"),
        ("blocks/kind/0", 256, "blocks.kind[0]"),
        ("blocks/heap/0", 10**6, "blocks.heap[0]"),
        ("blocks/segment/0", -1, "blocks.segment[0]"),
        ("blocks/size", [1], "blocks"),
        ("blocks/age", [], "blocks.age"),
        ("resources/place/0", 99, "resources.place"),
        ("resources/names/0", 5, "resources.names[0]"),
        ("resources/records/call/0", 10**6, "resources.records.call[0]"),
        ("resources/records/calls/0", "Create", "resources.records.calls[0]"),
        ("events/0/kind", "exploded", "events[0].kind"),
        ("adapter/id", 7, "adapter.id"),
        ("adapter", "gtx970", "adapter"),
        ("totals/blocks", "many", "totals.blocks"),
        ("event_counts", [], "event_counts"),
    ],
)
def test_that_a_damaged_snapshot_is_refused_by_its_key(path: str, value: object, where: str) -> None:
    with pytest.raises(InputError) as caught:
        read_snapshot(_changed(_put(path, value)), "saved.json")
    assert caught.value.complaint.where == where
    assert caught.value.complaint.file == "saved.json"


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ("lists/0", 5, "descriptor_uses.lists[0]"),
        ("extra", [], "descriptor_uses.extra"),
        ("ranges/first", [], "descriptor_uses.ranges"),
        ("ranges/heap/0", 3, "descriptor_uses.ranges.heap[0]"),
        ("ranges/heap/0", -1, "descriptor_uses.ranges.heap[0]"),
        ("ranges/first/0", 1017, "descriptor_uses.ranges.first[0]"),
        ("ranges/signature/0", 1, "descriptor_uses.ranges.signature[0]"),
        ("hazards/rule/0", 7, "descriptor_uses.hazards.rule[0]"),
        ("hazards/kind/0", 300, "descriptor_uses.hazards.kind[0]"),
        ("hazards/command_list/0", 9, "descriptor_uses.hazards.command_list[0]"),
        ("captures/resource/0", 10**6, "descriptor_uses.captures.resource[0]"),
        ("root_signatures/0/dwords", "many", "descriptor_uses.root_signatures[0].dwords"),
        ("root_signatures/0/in_force", 1, "descriptor_uses.root_signatures[0].in_force"),
        ("root_signatures/0/record", [], "descriptor_uses.root_signatures[0].record"),
        ("root_signatures/0/record/out", None, "descriptor_uses.root_signatures[0].record.out"),
    ],
)
def test_that_damaged_descriptor_uses_are_refused_by_their_key(path: str, value: object, where: str) -> None:
    document = json.loads(snapshot_bytes(snapshots.with_descriptor_uses()))
    _put(f"descriptor_uses/{path}", value)(document)
    with pytest.raises(InputError) as caught:
        read_snapshot(json.dumps(document).encode(), "saved.json")
    assert caught.value.complaint.where == where


@pytest.mark.parametrize("key", sorted(SCHEMA["required"]))
def test_that_no_key_may_be_left_out(key: str) -> None:
    with pytest.raises(InputError):
        read_snapshot(_changed(lambda document: document.pop(key)), "saved.json")


def test_that_sums_which_differ_from_the_tables_are_a_warning() -> None:
    opened = open_file(_changed(_put("totals/blocks", 1)), "saved.json")
    assert [warning.code for warning in opened.warnings] == ["totals-differ"]


def _shortened(value: Any) -> Any:
    """Long columns cut short: the validator takes seconds for each million numbers."""
    if isinstance(value, dict):
        return {key: _shortened(inner) for key, inner in value.items()}
    return [_shortened(inner) for inner in value[:100]] if isinstance(value, list) else value


def _largest(value: Any) -> int:
    if isinstance(value, dict):
        return max([0, *map(_largest, value.values())])
    if isinstance(value, list):
        return max([0, *map(_largest, value)])
    return abs(value) if isinstance(value, int) else 0
