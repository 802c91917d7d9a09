"""Theme, icons, gauges, controls, settings, palette: the frame around the map."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QPixmap
from PySide6.QtWidgets import QLineEdit

from explorer.core.kinds import ResourceKind
from explorer.tables.locations import resources_folder
from explorer.ui.controls import Segmented
from explorer.ui.gauges import Gauge, Reading, readings
from explorer.ui.icons import tinted_pixmap
from explorer.ui.palette_popup import Entry, find_entries
from explorer.ui.settings import RECENT_LIMIT
from tests.ui.builders import make_snapshot

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.ui.settings import Settings
    from explorer.ui.theme import Theme

ICONS = sorted(path.stem for path in (resources_folder() / "icons").glob("*.svg"))


@pytest.mark.parametrize("name", ICONS)
def test_that_every_icon_draws_in_the_given_colour_on_16_px(qtbot: QtBot, theme: Theme, name: str) -> None:
    source = (resources_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    assert 'viewBox="0 0 16 16"' in source
    assert not re.search(r"#[0-9A-Fa-f]{3}", source), "icons are tinted, they hold no colour"
    colour = theme.colour("accent")
    picture = tinted_pixmap(name, colour, 16, 2.0).toImage()
    inked = [
        picture.pixelColor(x, y)
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y).alpha() == 255
    ]
    assert inked
    assert all(pixel.rgb() == colour.rgb() for pixel in inked)


def test_that_the_style_sheet_holds_no_colour_of_its_own() -> None:
    sheet = (resources_folder() / "style" / "window.qss").read_text(encoding="utf-8")
    assert not re.search(r"#[0-9A-Fa-f]{6}|rgb\(", sheet)


def test_that_light_and_dark_differ_and_both_fill_the_sheet(qtbot: QtBot, theme: Theme) -> None:
    light = theme.colour("panel")
    with qtbot.waitSignal(theme.changed, timeout=500):
        theme.choose("dark")
    assert theme.colour("panel") != light
    assert theme.kind_colour(ResourceKind.TEXTURE).isValid()
    theme.choose("nonsense")
    assert theme.choice == "system"


def test_that_figures_are_tabular_and_controls_follow_the_font(qtbot: QtBot, theme: Theme) -> None:
    font = theme.font()
    assert font.isFeatureSet(QFont.Tag("tnum"))
    edit = QLineEdit("4,096")
    qtbot.addWidget(edit)
    edit.show()
    assert edit.height() >= theme.fixed_font().pixelSize() + 8
    assert theme.control_height >= 24


@pytest.mark.parametrize(
    ("used", "budget", "level"),
    [(0, 100, "normal"), (89, 100, "normal"), (90, 100, "warn"), (100, 100, "warn"), (101, 100, "error"),
     (0, None, "normal"), (95, None, "warn"), (0, 0, "normal")],
)  # fmt: skip
def test_that_a_gauge_warns_from_90_percent_and_is_red_over_the_budget(
    qtbot: QtBot, theme: Theme, used: int, budget: int | None, level: str
) -> None:
    reading = Reading("LOCAL", used, budget, 100, "bytes")
    assert reading.level == level
    gauge = Gauge(theme)
    qtbot.addWidget(gauge)
    gauge.resize(220, 44)
    gauge.show_reading(reading)
    gauge.render(QPixmap(220, 44))
    assert "%" in gauge.accessibleDescription()


def test_that_readings_use_the_snapshots_own_sums() -> None:
    snapshot = make_snapshot(50, budget=1 << 40)
    (reading,) = readings(snapshot)
    assert reading.used == snapshot.groups[0].usage_bytes
    assert reading.size == snapshot.segments[0].size_bytes


def test_that_a_segmented_control_is_walked_with_arrows(qtbot: QtBot, theme: Theme) -> None:
    control = Segmented(theme, ("A", "B", "C", "D"), columns=2)
    qtbot.addWidget(control)
    control.show()
    with qtbot.waitSignal(control.chosen, timeout=500):
        qtbot.keyClick(control, Qt.Key.Key_Right)
    qtbot.keyClick(control, Qt.Key.Key_Down)
    assert control.current == 3
    assert control.accessibleName() == "D"
    qtbot.keyClick(control, Qt.Key.Key_Right)
    assert control.current == 3


def test_that_recent_files_are_newest_first_without_doubles(settings: Settings) -> None:
    for number in range(RECENT_LIMIT + 5):
        settings.add_recent(f"file {number}")
    settings.add_recent("file 9")
    recent = settings.recent_files()
    assert recent[0] == "file 9"
    assert len(recent) == len(set(recent)) == RECENT_LIMIT
    settings.clear_recent()
    assert settings.recent_files() == []


def test_that_spoilt_settings_fall_back_to_the_defaults(settings: Settings) -> None:
    settings._store.setValue("look/units", "furlongs")
    settings._store.setValue("columns/resources", "1 two 3")
    settings._store.setValue("window/version", "99")
    assert settings.units() == "binary"
    assert settings.column_widths("resources") == []
    assert settings.layout() is None


def test_that_the_palette_wants_all_words_and_puts_starts_first() -> None:
    fixed = [
        Entry("action", "undo", "Undo"),
        Entry("action", "redo", "Redo what was undone"),
        Entry("adapter", "x", "Run on x"),
    ]
    assert [e.key for e in find_entries("undo", fixed, ())] == ["undo", "redo"]
    assert [e.key for e in find_entries("redo und", fixed, ())] == ["redo"]
    assert [e.text for e in find_entries("wall 1", fixed, ("Wall 0", "Wall 10"))] == ["Wall 10"]
    assert find_entries("", fixed, ("Wall",))[0].kind == "action"
    assert find_entries("nothing like this", fixed, ("Wall",)) == []
