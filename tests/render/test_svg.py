from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from explorer.errors import CommandError
from explorer.interchange.exporters.svg import export_svg
from explorer.render.bench_scenes import bench_snapshot
from explorer.render.picture import PictureOptions
from tests.render.builders import Builder, city

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_that_an_svg_names_blocks_and_is_the_same_twice(theme: str) -> None:
    data = export_svg(city(), size=(900, 600), theme=theme, options=PictureOptions(patterns=True))
    root = ElementTree.fromstring(data)
    assert root.get("width") == "900"
    assert "SceneColor, 29,491,200 B" in {title.text for title in root.iter(f"{SVG}title")}
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert {"Targets 0", "Textures", "0x0000_0000"} <= texts
    assert data == export_svg(city(), size=(900, 600), theme=theme, options=PictureOptions(patterns=True))


def test_that_every_pattern_that_is_used_is_defined() -> None:
    root = ElementTree.fromstring(export_svg(city(), size=(900, 600)))
    defined = {f"url(#{pattern.get('id')})" for pattern in root.iter(f"{SVG}pattern")}
    used = {rect.get("fill") for rect in root.iter(f"{SVG}rect") if (rect.get("fill") or "").startswith("url")}
    assert used == defined


def test_that_the_document_grows_with_the_picture_and_not_with_the_blocks() -> None:
    sizes = [len(export_svg(bench_snapshot(count), size=(640, 400))) for count in (20_000, 80_000)]
    assert sizes[1] < 2 * sizes[0]


def test_that_names_with_markup_and_control_signs_are_safe() -> None:
    make = Builder()
    segment = make.segment("LOCAL", "paged", 1 << 30)
    heap = make.heap(segment, 'He<ap> & "x"\x01', 4096)
    make.block(segment, heap, 0, 4096, name="<script>\x00\x1f&")
    root = ElementTree.fromstring(export_svg(make.snapshot(), size=(640, 400)))
    assert any("<script>" in (text.text or "") for text in root.iter(f"{SVG}text"))


def test_that_a_view_without_an_svg_is_refused() -> None:
    with pytest.raises(CommandError, match="accepted: map"):
        export_svg(city(), view="device")
