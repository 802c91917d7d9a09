"""The window's side of the simulation: one thread, commands down, snapshots up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.calls import CallRecord
from explorer.sim.commands import Pause, Play, Seek, SetSpeed, Step
from explorer.sim.runner import QUEUE_LIMIT, Runner
from explorer.sim.scenarios import load_simulation
from tests.ui.conftest import SCENARIO

if TYPE_CHECKING:
    import pytest
    from pytestqt.qtbot import QtBot

    from explorer.sim.simulation import Simulation
    from explorer.ui.controller import Controller

TEXTURE = CallRecord(
    "d3d9",
    "CreateTexture",
    {
        "Width": 64,
        "Height": 64,
        "Levels": 1,
        "Usage": [],
        "Format": "D3DFMT_DXT1",
        "Pool": "D3DPOOL_MANAGED",
    },
    "Probe",
)


def _simulation() -> Simulation:
    return load_simulation(SCENARIO)


def _broken() -> Simulation:
    raise RuntimeError("a bug in the making")


def test_that_a_loaded_scenario_comes_as_a_snapshot_and_a_state(qtbot: QtBot, controller: Controller) -> None:
    with qtbot.waitSignals([controller.snapshot_changed, controller.state_changed, controller.answered], timeout=9000):
        controller.load(_simulation)
    assert controller.state is not None
    assert controller.state.frame == 0
    assert not controller.state.playing


def test_that_steps_and_seeks_come_back_with_their_frame(qtbot: QtBot, controller: Controller) -> None:
    frames: list[int] = []
    controller.snapshot_changed.connect(lambda snapshot: frames.append(snapshot.provenance.frame))
    controller.load(_simulation)
    controller.post(Step(3))
    qtbot.waitUntil(lambda: 3 in frames, timeout=9000)
    controller.post(Seek(1))
    qtbot.waitUntil(lambda: frames[-1] == 1, timeout=9000)


def test_that_closing_while_it_runs_flat_out_ends_the_thread(qtbot: QtBot, controller: Controller) -> None:
    with qtbot.waitSignal(controller.snapshot_changed, timeout=9000):
        controller.load(_simulation)
    controller.post(SetSpeed(None))
    with qtbot.waitSignal(controller.snapshot_changed, timeout=9000):
        controller.post(Play())
    controller.close()
    assert not controller.is_running
    controller.close()


def test_that_a_full_queue_is_told_and_nothing_blocks(
    qtbot: QtBot, controller: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller.start()
    monkeypatch.setattr(Runner, "post", lambda _self, _command: False)
    with qtbot.waitSignal(controller.refused, timeout=500) as told:
        assert not controller.post(Pause())
    assert str(QUEUE_LIMIT) in told.args[0]


def test_that_an_exception_in_the_worker_is_one_failed_signal(qtbot: QtBot, controller: Controller) -> None:
    with qtbot.waitSignal(controller.failed, timeout=9000) as told:
        controller.load(_broken)
    assert "a bug in the making" in told.args[0]
    assert not controller.is_running
    with qtbot.waitSignal(controller.refused, timeout=500):
        controller.post(Play())


def test_that_a_new_thread_serves_after_a_failure(qtbot: QtBot, controller: Controller) -> None:
    with qtbot.waitSignal(controller.failed, timeout=9000):
        controller.load(_broken)
    with qtbot.waitSignal(controller.snapshot_changed, timeout=9000):
        controller.load(_simulation)
    assert controller.is_running


def test_that_only_the_newest_preview_is_answered(qtbot: QtBot, controller: Controller) -> None:
    with qtbot.waitSignal(controller.snapshot_changed, timeout=9000):
        controller.load(_simulation)
    seen: list[int] = []
    controller.previewed.connect(lambda _asker, preview: seen.append(preview.record.inputs["Width"]))
    for width in (64, 128, 256, 512):
        controller.preview(CallRecord("d3d9", "CreateTexture", {**TEXTURE.inputs, "Width": width}, "Probe"))
    assert controller.is_asking
    qtbot.waitUntil(lambda: 512 in seen, timeout=9000)
    assert seen == [512]
    assert not controller.is_asking


def test_that_askers_do_not_take_each_others_answers(qtbot: QtBot, controller: Controller) -> None:
    with qtbot.waitSignal(controller.snapshot_changed, timeout=9000):
        controller.load(_simulation)
    seen: list[int] = []
    controller.previewed.connect(lambda _asker, preview: seen.append(preview.record.inputs["Width"]))
    controller.preview(CallRecord("d3d9", "CreateTexture", {**TEXTURE.inputs, "Width": 64}, "a"), "create")
    controller.preview(CallRecord("d3d9", "CreateTexture", {**TEXTURE.inputs, "Width": 128}, "b"), "inspect")
    qtbot.waitUntil(lambda: sorted(seen) == [64, 128], timeout=9000)


def test_that_forgotten_previews_stay_silent(qtbot: QtBot, controller: Controller) -> None:
    with qtbot.waitSignal(controller.snapshot_changed, timeout=9000):
        controller.load(_simulation)
    with qtbot.assertNotEmitted(controller.previewed), qtbot.waitSignal(controller.answered, timeout=9000):
        controller.preview(TEXTURE)
        controller.forget_previews()
        assert controller.apply(TEXTURE)


def test_that_broken_input_is_an_answer_with_a_complaint(qtbot: QtBot, controller: Controller) -> None:
    with qtbot.waitSignal(controller.snapshot_changed, timeout=9000):
        controller.load(_simulation)
    bad = CallRecord("d3d9", "CreateTexture", {"Width": -1}, "Bad")
    with qtbot.waitSignal(controller.answered, timeout=9000) as told:
        controller.apply(bad)
    assert told.args[0].error is not None
