"""The Inspector on what left, was lost, or never was in video memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from explorer.sim.commands import Seek, Step
from explorer.sim.scenarios import load_simulation
from explorer.ui import inspector_facts
from explorer.ui.inspector_strip import ResidencyStrip
from tests.ui.builders import make_snapshot

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow
    from explorer.ui.theme import Theme


@pytest.mark.parametrize(
    ("scenario", "frames", "name", "word"),
    [
        ("d3d9-device-loss", 110, "Glow target", "lost"),
        ("d3d9-video-updatetexture", 3, "Video, system memory", "in system memory"),
        ("d3d9-shooter-2003-agp-64mb", 100, "Wall 015", "evicted"),
        ("d3d9-shooter-2003-agp-64mb", 100, "Depth buffer", "resident"),
    ],
)
def test_that_what_never_left_is_not_called_evicted(scenario: str, frames: int, name: str, word: str) -> None:
    simulation = load_simulation(scenario)
    simulation.step(frames)
    snapshot = simulation.snapshot()
    row = snapshot.resources.names.index(name)
    assert inspector_facts.residency_word(snapshot, row) == word
    assert inspector_facts.residency(snapshot, row)[0].value == word


def test_that_an_imported_layout_knows_resident_and_evicted_only() -> None:
    snapshot = make_snapshot(40)
    words = {inspector_facts.residency_word(snapshot, row) for row in range(40)}
    assert words == {"resident", "evicted"}


def test_that_the_strip_shows_the_frames_so_far_and_how_often_it_left(qtbot: QtBot, theme: Theme) -> None:
    simulation = load_simulation("d3d9-shooter-2003-agp-64mb")
    strip = ResidencyStrip(theme)
    qtbot.addWidget(strip)
    strip.resize(200, 11)
    row = simulation.snapshot().resources.names.index("Wall 015")
    assert strip.show_resource(simulation.snapshot(), row) == ""
    assert strip.isHidden()
    simulation.step(100)
    assert strip.show_resource(simulation.snapshot(), row) == "left 1 ×"
    assert "evicted since" in strip.accessibleName()
    strip.show()
    image = strip.grab().toImage()
    first, last = image.pixelColor(2, 2), image.pixelColor(image.width() - 3, 2)
    assert first == theme.colour("used", "series")
    assert last == theme.colour("raised"), "an evicted one is a low band"
    assert strip.show_resource(simulation.snapshot(), 0) == "never left"
    assert strip.show_resource(make_snapshot(3), 1) == ""
    assert strip.isHidden()


def test_that_the_inspector_follows_back_in_time(qtbot: QtBot, live: MainWindow) -> None:
    workspace = live.workspace
    workspace.controller.post(Step(100))
    live.show_view("inspector")
    qtbot.waitUntil(lambda: workspace.snapshot.provenance.frame == 100, timeout=9000)
    row = workspace.snapshot.resources.names.index("Wall 015")
    workspace.select([row])
    view = live.views["inspector"]
    qtbot.waitUntil(lambda: view.title_text() == "Wall 015", timeout=2000)
    assert view.facts("Residency")["State"] == "evicted"
    qtbot.waitUntil(lambda: view.why.answer is not None and view.why.answer.frame == 100, timeout=9000)
    assert view.why.answer.evicted.happened
    workspace.controller.post(Seek(10))
    qtbot.waitUntil(lambda: workspace.snapshot.provenance.frame == 10, timeout=9000)
    qtbot.waitUntil(lambda: view.facts("Residency")["State"] == "resident", timeout=2000)
    qtbot.waitUntil(lambda: view.why.answer is not None and view.why.answer.frame == 10, timeout=9000)
    assert not view.why.answer.evicted.happened
