"""The references of a run, as the policy laboratory takes them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from explorer.core.calls import CallRecord
from explorer.errors import InputError
from explorer.memory.eviction.stream_csv import read_stream_csv
from explorer.sim.reference_recording import Recording, record_references
from explorer.sim.reference_uses import READ, WRITE
from explorer.sim.scenario import read_scenario
from explorer.sim.scenarios import load_simulation, make_simulation
from tests.sim.test_simulation import facts

if TYPE_CHECKING:
    from explorer.sim.simulation import Simulation

D3D12 = "d3d12-budget-drop"
LOOP = """
schema = "memory-explorer/scenario/1"
title = "A loop of buffers"
teaches = "Nothing."
text = "A test."
api = "d3d11"
adapter = "hd7970"
frames = 6

[[objects]]
id = "buffers"
source = "a test"
name = "buffer {i}"
count = 3
call = "CreateBuffer"
[objects.input.pDesc]
ByteWidth = 65536
Usage = "D3D11_USAGE_DEFAULT"
BindFlags = ["D3D11_BIND_VERTEX_BUFFER"]

[[pass]]
name = "draws"
first = 1
draws = [{ group = "buffers", pattern = "loop", count = 2, step = 1 }]
"""


def loop() -> Simulation:
    return make_simulation(read_scenario("loop.toml", LOOP.encode(), "loop"))


def test_that_references_come_in_the_order_of_the_passes_with_frame_and_size() -> None:
    recording = record_references(loop(), 4)
    stream = recording.stream.stream
    names = [recording.names[number] for number in stream.ids]
    assert names == ["buffer 1", "buffer 2", "buffer 2", "buffer 0", "buffer 0", "buffer 1"]
    assert stream.frames.tolist() == [1, 1, 2, 2, 3, 3]
    assert stream.sizes.tolist() == [65536] * 3
    assert recording.access.tolist() == [READ] * 6
    assert (recording.first_frame, recording.frames, recording.complete) == (0, 4, True)


def uses(recording: Recording) -> list[tuple[str, int]]:
    names = [recording.names[number] for number in recording.stream.stream.ids]
    return list(zip(names, recording.access.tolist(), strict=True))


def recorded(*records: CallRecord, simulation: Simulation | None = None) -> list[tuple[str, int]]:
    """Return what calls after the next frame use beyond what that frame does, as edits that run again."""
    simulation = simulation or loop()
    simulation.step()
    for record in records:
        assert simulation.apply(record).succeeded, record
    simulation.seek(0)
    return uses(record_references(simulation, 1))


def call(name: str, inputs: dict[str, object], out: str | None = None) -> CallRecord:
    return CallRecord("d3d11", name, inputs, out)


SINK = call(
    "CreateBuffer",
    {"pDesc": {"ByteWidth": 65536, "Usage": "D3D11_USAGE_DEFAULT", "BindFlags": ["D3D11_BIND_STREAM_OUTPUT"]}},
    "sink",
)


def test_that_a_submission_uses_a_resource_once_and_writes_if_any_use_does() -> None:
    draw = call("Draw", {"references": ["buffer 1", "buffer 0", "buffer 1"], "writes": ["sink"]})
    assert recorded(SINK, draw) == [("buffer 1", READ), ("buffer 0", READ), ("sink", WRITE)]


def test_that_a_copy_by_the_gpu_reads_one_and_writes_the_other() -> None:
    copy = call("CopyResource", {"pDstResource": "sink", "pSrcResource": "buffer 2"})
    assert recorded(SINK, copy) == [("buffer 2", READ), ("sink", WRITE)]


def test_that_what_is_made_again_under_its_name_is_another_object() -> None:
    release = call("Release", {"pObject": "sink"})
    draw = call("Draw", {"writes": ["sink"]})
    simulation = loop()
    for record in (SINK, draw, release):
        simulation.apply(record)
        simulation.step()
    for record in (SINK, draw):
        simulation.apply(record)
    simulation.seek(0)
    names = record_references(simulation, 4).names
    assert "sink" in names
    assert "sink (made in frame 3)" in names


def test_that_a_refused_call_uses_nothing() -> None:
    simulation = loop()
    seen: list[str] = []
    simulation.observe(lambda _device, record, _arguments: seen.append(record.call))
    refused = call("CreateBuffer", {"pDesc": {"ByteWidth": 0, "Usage": "D3D11_USAGE_DEFAULT", "BindFlags": []}}, "no")
    assert not simulation.apply(refused).succeeded
    assert seen == []
    simulation.observe(None)


def test_that_recording_changes_nothing_in_the_run() -> None:
    watched, plain = load_simulation(D3D12), load_simulation(D3D12)
    recording = record_references(watched, 20)
    plain.step(20)
    assert facts(watched.snapshot()) == facts(plain.snapshot())
    assert recording.stream.stream.requests > 0
    assert len(set(recording.names)) == len(recording.names)
    assert not recording.access.flags.writeable


def test_that_going_back_and_recording_again_gives_the_same_references() -> None:
    simulation = load_simulation(D3D12)
    simulation.step(10)
    first = record_references(simulation, 10)
    simulation.seek(10)
    again = record_references(simulation, 10)
    assert first.first_frame == again.first_frame == 10
    assert first.names == again.names
    assert first.stream.stream.ids.tolist() == again.stream.stream.ids.tolist()
    assert first.stream.stream.frames.tolist() == again.stream.stream.frames.tolist()


def test_that_a_recording_is_what_its_csv_says() -> None:
    recording = record_references(loop(), 6)
    stream = recording.stream.stream
    rows = zip(stream.frames.tolist(), stream.ids.tolist(), strict=True)
    lines = [f"{frame},{recording.names[number]},{stream.sizes[number]}" for frame, number in rows]
    read = read_stream_csv(io.StringIO("\n".join(lines)))
    assert read.names == recording.names
    assert read.stream.ids.tolist() == stream.ids.tolist()


def test_that_progress_is_told_and_a_cancel_keeps_what_was_recorded() -> None:
    told: list[tuple[int, int]] = []
    recording = record_references(
        loop(), 6, progress=lambda done, total: told.append((done, total)), cancelled=lambda: len(told) == 3
    )
    assert told == [(1, 6), (2, 6), (3, 6)]
    assert not recording.complete
    assert recording.frames == 3


def test_that_frames_without_use_are_told() -> None:
    with pytest.raises(InputError, match="no references"):
        record_references(loop(), 1)


@pytest.mark.parametrize("scenario", ["d3d9-shooter-2003-agp-64mb", "d3d11-game-hd7970", D3D12])
def test_that_each_generation_has_references(scenario: str) -> None:
    assert record_references(load_simulation(scenario), 3).stream.stream.requests > 0


def test_that_priorities_of_d3d12_are_those_of_the_heaps() -> None:
    recording = record_references(load_simulation(D3D12), 3)
    raised = {
        name.split(" ")[0]
        for name, priority in zip(recording.names, recording.stream.stream.priorities.tolist(), strict=True)
        if priority == 0xC8000000
    }
    assert len(raised) == 1
    assert len(set(recording.stream.stream.priorities.tolist())) == 2


def test_that_what_is_set_on_a_d3d9_device_is_used_by_its_draws() -> None:
    simulation = load_simulation("d3d9-shooter-2003-agp-64mb")
    before = uses(record_references(simulation, 1))
    again = load_simulation("d3d9-shooter-2003-agp-64mb")
    calls = (
        CallRecord("d3d9", "SetTexture", {"Stage": 0, "pTexture": "Wall 007"}),
        CallRecord("d3d9", "BeginScene", {}),
        CallRecord("d3d9", "DrawPrimitive", {"writes": ["Back buffer 0"]}),
    )
    assert recorded(*calls, simulation=again)[len(before) :] == [("Back buffer 0", WRITE), ("Wall 007", READ)]


def test_that_a_command_list_uses_what_was_recorded_in_it_each_time_it_runs() -> None:
    simulation = load_simulation(D3D12)
    first, second, *_ = record_references(simulation, 1).names
    before = uses(record_references(load_simulation(D3D12), 1))
    listed = {"pCommandList": "list"}
    calls = (
        CallRecord("d3d12", "CreateCommandList", {}, "list"),
        CallRecord("d3d12", "DrawInstanced", listed | {"references": [first]}),
        CallRecord("d3d12", "Close", listed),
        CallRecord("d3d12", "ExecuteCommandLists", {"ppCommandLists": ["list"], "references": [second]}),
        CallRecord("d3d12", "ExecuteCommandLists", {"ppCommandLists": ["list"]}),
    )
    again = recorded(*calls, simulation=load_simulation(D3D12))
    assert again[len(before) :] == [(second, READ), (first, READ), (first, READ)]
