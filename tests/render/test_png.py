from __future__ import annotations

import io

import pytest
from PIL import Image

from explorer.errors import CommandError
from explorer.interchange.exporters.png import export_png
from tests.render.builders import city


def test_that_a_png_has_size_times_scale_pixels_and_the_same_bytes_twice() -> None:
    data = export_png(city(), size=(640, 400), scale=1.5, theme="dark")
    picture = Image.open(io.BytesIO(data))
    assert picture.size == (960, 600)
    assert picture.format == "PNG"
    assert data == export_png(city(), size=(640, 400), scale=1.5, theme="dark")


def test_that_a_view_without_a_picture_is_refused_with_those_that_have_one() -> None:
    with pytest.raises(CommandError, match="accepted: map"):
        export_png(city(), view="timeline")
