from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import CommandError, InputError
from explorer.render.bench_scenes import bench_snapshot
from explorer.render.colours import COLOUR_MODES
from explorer.render.labels import Label, fit_continued, fit_label, shorten
from explorer.render.lane_texts import flags_text, group_title, name_stem
from explorer.render.lanes import build_scene
from explorer.render.layout import Mode, View, build_layout
from explorer.render.map_texts import block_texts, gutter_texts, header_text, visible_headers
from explorer.render.picture import PictureOptions, map_picture
from tests.render.builders import Builder, city


def six(text: str) -> float:
    """Return a width of six pixels for each character."""
    return 6.0 * len(text)


CASES = [
    ("both fit", "SceneColor", "28.1 MiB", 130, Label("SceneColor", "28.1 MiB")),
    ("the size needs 20 px more", "SceneColor", "28.1 MiB", 127, Label("SceneColor")),
    ("the name alone fits exactly", "SceneColor", "28.1 MiB", 72, Label("SceneColor")),
    ("the middle goes, the end stays", "T_RoadAsphalt_03_N", "21.4 MiB", 96, Label("T_Road…lt_03_N")),
    ("below 64 px nothing is shortened", "T_RoadAsphalt", "1 B", 63, None),
    ("too little of a long name would survive", "A" * 40, "1 B", 130, None),
    ("nothing fits", "SceneColor", "1 B", 20, None),
]


@pytest.mark.parametrize(("name", "size", "width", "label"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_that_a_label_follows_the_rules(name: str, size: str, width: float, label: Label | None) -> None:
    assert fit_label(name, size, width, six, six) == label


@given(st.text("abcdefgh_0123", min_size=1, max_size=40), st.integers(0, 300))
def test_that_no_label_leaves_its_block(name: str, width: int) -> None:
    label = fit_label(name, "1.0 MiB", width, six, six)
    if label is not None:
        used = six(label.name) + (20 + six(label.size) if label.size else 12)
        assert used <= width
        if label.name != name:
            kept = len(label.name) - 1
            assert kept >= 8
            assert kept >= 0.55 * len(name)
            assert name.endswith(label.name.split("…")[1])


def test_that_a_further_part_says_so_only_if_it_is_wide() -> None:
    assert fit_continued("Shadow", 121, six) == Label("… Shadow")
    assert fit_continued("Shadow", 120, six) is None
    assert shorten("short", 100, six) == ""


@pytest.mark.parametrize(
    ("flags", "text"),
    [(0, ""), (0x84, "ALLOW_ONLY_RT_DS_TEXTURES"), (0xC0, "ALLOW_ONLY_BUFFERS"), (4, "DENY_BUFFERS"),
     (0x44 | 0x1000, "ALLOW_ONLY_NON_RT_DS_TEXTURES | CREATE_NOT_ZEROED")],
)  # fmt: skip
def test_that_heap_flags_keep_their_official_words(flags: int, text: str) -> None:
    assert flags_text(flags) == text


def test_that_runs_of_heaps_are_named_by_their_numbers() -> None:
    assert name_stem("Textures 13") == "Textures"
    assert group_title("Textures", ["Textures 3", "Textures 4"]) == "Textures 3 – 4"
    assert group_title("Textures", ["Textures 3", "Textures 7"]) == "Textures (2)"


def test_that_a_block_over_several_rows_is_named_in_its_widest_part() -> None:
    scene = build_scene(city())
    layout = build_layout(scene, View(Mode.ROWS, 64 << 20, 0, 1, 1100))
    from explorer.render.colours import colour_mode
    from explorer.render.frame import prepare
    from explorer.render.tokens import palette

    ready = prepare(scene, colour_mode("kind"), palette("dark"))
    texts = block_texts(ready, layout, layout.strips(0, 400), six, six)
    shadows = [text.label.name for text in texts if "ShadowCascades" in text.label.name]
    assert shadows == ["… ShadowCascades[4]", "ShadowCascades[4]"]
    for text in texts:
        assert text.x >= 0
        assert text.x + text.width <= 1100
    assert [text.text for text in gutter_texts(layout, layout.strips(0, 200))][:2] == ["0x0000_0000", "0x0400_0000"]
    heads = [header_text(layout, index) for index in visible_headers(layout, 0, layout.height)]
    assert [head.title for head in heads][:3] == ["LOCAL", "Targets 0", "Textures 0 – 12"]
    assert "largest hole" in heads[3].right


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("scale", [1, 1.5, 2])
def test_that_a_picture_has_the_size_that_was_asked_for_and_is_the_same_twice(theme: str, scale: float) -> None:
    first = map_picture(city(), (640, 400), scale, theme)
    assert first.size == (640 * scale, 400 * scale)
    assert first.tobytes() == map_picture(city(), (640, 400), scale, theme).tobytes()


@pytest.mark.parametrize("mode", COLOUR_MODES, ids=lambda mode: mode.id)
def test_that_every_mode_makes_a_picture(mode) -> None:
    options = PictureOptions(colour_by=mode.id, patterns=True)
    picture = map_picture(city(), (800, 500), 1, "dark", options)
    assert len(picture.getcolors(1 << 20) or []) > 20


def test_that_an_empty_layout_gives_a_picture_that_says_so() -> None:
    make = Builder()
    make.segment("LOCAL", "paged", 1 << 30)
    plain = map_picture(make.snapshot(), (640, 400))
    assert len(plain.getcolors(1 << 20) or []) > 5


def test_that_a_map_that_cannot_fit_is_folded_and_says_what_is_missing() -> None:
    make = Builder()
    segment = make.segment("LOCAL", "paged", 1 << 34)
    for index in range(26):
        heap = make.heap(segment, f"{chr(65 + index)}-heap", 1 << 20)
        make.block(segment, heap, 0, 1 << 16)
    map_picture(make.snapshot(), (640, 400))
    map_picture(bench_snapshot(50), (640, 400), 1, "light", PictureOptions(mode="linear"))


@pytest.mark.parametrize("size", [(10, 10), (0, 400), (10**6, 10**6)])
def test_that_a_senseless_size_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(CommandError):
        map_picture(city(), size)


def test_that_an_unknown_theme_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="light, dark"):
        map_picture(city(), (640, 400), 1, "neon")
