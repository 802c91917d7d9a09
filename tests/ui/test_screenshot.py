"""Pictures without a display."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from explorer.errors import CommandError, InputError
from explorer.ui.screenshot import WINDOW, take
from explorer.ui.views import view_ids
from tests.ui.conftest import SCENARIO

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot


@pytest.mark.parametrize("view", [WINDOW, *view_ids()])
def test_that_every_view_gives_a_picture_of_the_asked_size(qtbot: QtBot, view: str) -> None:
    shot = take(SCENARIO, view=view, size=(900, 600), theme="dark", frame=3)
    picture = Image.open(io.BytesIO(shot.png))
    assert picture.size == (900, 600) == (shot.width, shot.height)
    assert not shot.empty
    # Something is drawn: not one flat colour.
    assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 8


def test_that_scale_theme_and_selection_change_the_picture(qtbot: QtBot) -> None:
    plain = take(SCENARIO, view="inspector", size=(300, 400))
    large = take(SCENARIO, view="inspector", size=(300, 400), scale=2.0)
    chosen = take(SCENARIO, view="inspector", size=(300, 400), select="Back buffer 0")
    assert (large.width, large.height) == (600, 800)
    assert chosen.png != plain.png
    assert take(SCENARIO, view="inspector", size=(300, 400), theme="dark").png != plain.png


def test_that_the_same_picture_has_the_same_bytes(qtbot: QtBot) -> None:
    one, two = (take(SCENARIO, view="device", size=(360, 480), frame=2) for _ in range(2))
    assert one.png == two.png


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"view": "nonsense"}, "view"), ({"theme": "pink"}, "theme"), ({"scale": 3.0}, "scale"),
        ({"size": (1, 1)}, "size"), ({"size": (99999, 100)}, "size"), ({"select": "no such thing"}, "select"),
    ],
)  # fmt: skip
def test_that_a_senseless_wish_names_what_is_accepted(qtbot: QtBot, options: dict[str, object], where: str) -> None:
    with pytest.raises(CommandError) as caught:
        take(SCENARIO, **{"size": (300, 300), "view": "device", **options})
    assert caught.value.complaint.where == where
    assert caught.value.complaint.accepted


def test_that_a_source_that_cannot_be_read_is_an_input_error(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text("not json")
    with pytest.raises(InputError):
        take(str(path), view="map", size=(300, 300))
