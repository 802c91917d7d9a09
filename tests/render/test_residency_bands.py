"""The bands of the timeline: every column says what was so in its frames, and no place looks like another one."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.columns import ResourceColumns, make_columns
from explorer.core.events import EventKind
from explorer.core.kinds import ResidencyPlace
from explorer.core.words import Words
from explorer.render.band_choice import BandChoice
from explorer.render.residency_bands import (
    PLACE_WORDS,
    ResidencyBands,
    band_image,
    band_tiles,
)
from explorer.render.tokens import THEMES, palette
from explorer.sim.residency_history import ALSO, COLUMNS, FRAME, KINDS, ResidencyHistory
from explorer.sim.scenarios import load_simulation

if TYPE_CHECKING:
    from collections.abc import Sequence

L, N, S, E, F = (
    ResidencyPlace.LOCAL,
    ResidencyPlace.NON_LOCAL,
    ResidencyPlace.SYSTEM,
    ResidencyPlace.EVICTED,
    ResidencyPlace.PAGE_FILE,
)
NONE = ResidencyPlace.ABSENT
CREATED = KINDS.index(EventKind.CREATED)


def history_of(changes: Sequence[tuple[str, int, int]], holders: Sequence[str] = ()) -> ResidencyHistory:
    """Return a history of (name, frame, place); a name with a holder lies in that heap from its change on."""
    words, rows = Words(), []
    for index, (name, frame, place) in enumerate(changes):
        holder = words.number(holders[index]) if index < len(holders) and holders[index] else -1
        rows.append((words.number(name), frame, place, 0, holder, 0, CREATED, -1, -1, -1))
    table = np.array(rows, np.int32).reshape(-1, COLUMNS)
    return ResidencyHistory((table[: len(table) // 2], table[len(table) // 2 :]), words)


def bands_of(history: ResidencyHistory, *names: str, known: int) -> ResidencyBands:
    bands = ResidencyBands()
    bands.update(history, names, known)
    return bands


def test_that_a_column_is_the_place_at_the_end_of_its_frame() -> None:
    bands = bands_of(history_of([("A", 2, L), ("A", 4, E), ("A", 5, L), ("A", 7, NONE)]), "A", known=8)
    best, worst = bands.columns(0, 10, 10)
    assert best[0].tolist() == worst[0].tolist() == [NONE, L, L, E, L, L, NONE, NONE, NONE, NONE]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.sampled_from([NONE, L, N, S, E, F])), max_size=30),
    st.integers(1, 40),
    st.integers(0, 60),
    st.integers(1, 90),
)
def test_that_no_place_is_left_out_of_a_column_however_short(
    steps: list[tuple[int, int]], pixels: int, first: int, span: int
) -> None:
    frames = np.cumsum([step for step, _ in steps]).tolist()
    known = 100
    truth = [NONE] * (known + 1)
    for frame, (_, place) in zip(frames, steps, strict=True):
        if frame <= known:
            truth[frame:] = [place] * (known + 1 - frame)
    changes = [("A", frame, place) for frame, (_, place) in zip(frames, steps, strict=True) if frame <= known]
    best, worst = bands_of(history_of(changes), "A", known=known).columns(first, first + span, pixels)
    if not changes:
        assert not best.any()
        return
    for pixel in range(pixels):
        low = int(np.floor(first + span * pixel / pixels)) + 1
        high = max(int(np.ceil(first + span * (pixel + 1) / pixels)), low)
        seen = {place for place in truth[low : min(high, known) + 1] if place != NONE}
        assert best[0, pixel] == min(seen, default=NONE)
        assert worst[0, pixel] == max(seen, default=NONE)


def test_that_a_placed_resource_follows_its_heap_and_ends_before_it() -> None:
    changes = [("H", 0, L), ("A", 2, ResidencyPlace.IN_HEAP), ("H", 4, N), ("H", 6, L), ("A", 7, NONE), ("H", 9, E)]
    bands = bands_of(history_of(changes, ["", "H"]), "A", "H", known=10)
    best, _ = bands.columns(0, 10, 10)
    assert best[0].tolist() == [NONE, L, L, N, N, L, NONE, NONE, NONE, NONE]
    assert best[1].tolist() == [L, L, L, N, N, L, L, L, E, E]
    run = bands.run_at(0, 5)
    assert run is not None
    assert (run.first, run.last, run.place, run.heap) == (4, 5, N, "H")


def test_that_a_run_says_since_when_until_when_and_the_words_of_what_does_not_live() -> None:
    bands = bands_of(history_of([("A", 3, L), ("A", 6, NONE)]), "A", "B", known=9)
    runs = [bands.run_at(0, frame) for frame in (1, 4, 8)]
    assert [(run.first, run.last, run.word) for run in runs if run] == [
        (0, 2, "not created yet"), (3, 5, "LOCAL"), (6, 9, "released")
    ]  # fmt: skip
    unknown = bands.run_at(1, 4)
    assert unknown is not None
    assert unknown.word == "not created yet"
    assert bands.run_at(0, 10) is None
    assert bands.run_at(2, 1) is None


@functools.cache
def paging() -> ResidencyHistory:
    simulation = load_simulation("d3d9-shooter-2003-agp-64mb")
    simulation.step(80)
    history = simulation.snapshot().history
    assert history is not None
    return history.residency


def test_that_an_eviction_says_for_whom_and_by_which_rule() -> None:
    names = [f"Wall {number:03}" for number in range(200)]
    bands = bands_of(paging(), *names, known=80)
    runs = [bands.run_at(band, frame) for band in range(len(names)) for frame in range(1, 81)]
    gone = [run for run in runs if run and run.place is E]
    assert gone
    assert all(run.why.startswith("evicted to make room for ") for run in gone)
    assert {run.rule for run in gone} <= {"d3d9.R5.5", "d3d9.R5.7"}


def test_that_a_loss_is_told_with_the_device() -> None:
    simulation = load_simulation("d3d9-device-loss")
    simulation.step(110)
    snapshot = simulation.snapshot()
    assert snapshot.history is not None
    bands = bands_of(snapshot.history.residency, *snapshot.resources.names, known=110)
    words = {run.why for band in range(len(bands.names)) if (run := bands.run_at(band, 105)) and run.place in (E, F)}
    assert words == {"evicted with the loss of Device", "paged out with the loss of Device"}


def test_that_what_left_and_came_back_within_a_frame_shows_both() -> None:
    history = history_of([("A", 1, L), ("A", 3, L), ("A", 6, L)])
    for part in history.parts:
        part[part[:, FRAME] == 3, ALSO] = E
    bands = bands_of(history, "A", known=8)
    best, worst = bands.columns(0, 8, 8)
    assert best[0].tolist() == [L] * 8
    assert worst[0].tolist() == [L, L, E, E, E, L, L, L]
    run = bands.run_at(0, 4)
    assert run is not None
    assert (run.first, run.last, run.place, run.also) == (3, 5, L, E)


def test_that_bands_of_nothing_are_empty() -> None:
    bands = ResidencyBands()
    bands.update(None, ("A",), 5)
    assert bands.run_at(0, 3) is None
    best, worst = bands.columns(0, 5, 4)
    assert best.shape == worst.shape == (1, 4)
    assert not best.any()


def resources_of(**sizes: int) -> ResourceColumns:
    return ResourceColumns(
        names=tuple(sizes), records=(None,) * len(sizes), dimensions=(), formats=(), places=(),
        **make_columns(ResourceColumns, len(sizes), {"size": list(sizes.values())}),
    )  # fmt: skip


def choose_bands(
    resources: ResourceColumns,
    pinned: Sequence[str],
    shown: Sequence[str],
    most: int,
    movers: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    choice = BandChoice()
    choice.names = tuple(shown)
    return choice.choose(resources, pinned, most, movers)


@pytest.mark.parametrize(
    ("pinned", "shown", "most", "expected"),
    [
        ((), (), 2, ("c", "a")),
        ((), ("b", "a"), 3, ("b", "a", "c")),
        (("e",), (), 2, ("e", "c")),
        (("e",), ("c", "a"), 2, ("e", "c")),
        (("a",), ("c", "a"), 2, ("c", "a")),
        (("gone",), ("c", "a"), 3, ("gone", "c", "a")),
        (("d", "e", "a"), (), 2, ("d", "e")),
        ((), (), 9, ("c", "a", "b", "d", "e")),
        ((), ("c",), 0, ()),
    ],
)
def test_that_what_is_asked_for_comes_first_then_the_largest_and_nothing_jumps(
    pinned: tuple[str, ...], shown: tuple[str, ...], most: int, expected: tuple[str, ...]
) -> None:
    resources = resources_of(a=30, b=30, c=40, d=10, e=5)
    assert choose_bands(resources, pinned, shown, most) == expected


def test_that_equal_sizes_keep_the_bands_that_are_shown() -> None:
    resources = resources_of(a=10, b=10, c=10, d=10)
    assert choose_bands(resources, (), ("d", "b"), 2) == ("d", "b")
    assert choose_bands(resources_of(), (), ("a",), 4) == ()


def test_that_among_equal_sizes_those_that_had_to_leave_come_first() -> None:
    resources = resources_of(a=20, b=10, c=10, d=10, e=5)
    assert choose_bands(resources, (), (), 3, frozenset("de")) == ("a", "d", "b")
    assert choose_bands(resources, (), ("a", "b", "c"), 3, frozenset("d")) == ("a", "b", "d")
    assert choose_bands(resources, (), ("c", "d", "a"), 3, frozenset("d")) == ("c", "d", "a")


def test_that_a_hundred_thousand_equal_sizes_cost_a_look_at_few() -> None:
    resources = resources_of(**{f"t{number}": 64 for number in range(100_000)}, large=65)
    looked: list[object] = []

    class Movers(frozenset[str]):
        def __contains__(self, name: object) -> bool:
            looked.append(name)
            return name == "t7"

    choice = BandChoice()
    assert choice.choose(resources, (), 3, Movers()) == ("large", "t7", "t0")
    choice.names = ("t99999", "large", "t7")
    assert choice.choose(resources, (), 3, Movers()) == ("t99999", "large", "t7"), "shown ones stay wherever they stand"
    assert len(looked) < 20_000


def test_that_what_was_out_of_reach_once_is_a_mover_and_what_lies_in_it_as_well() -> None:
    changes = [("H", 0, L), ("A", 1, ResidencyPlace.IN_HEAP), ("B", 1, L), ("C", 1, S), ("H", 3, E), ("H", 4, L)]
    history = history_of(changes, ["", "H"])
    assert history.movers() == {"H", "A"}
    bands = ResidencyBands()
    assert bands.movers_of(history) is bands.movers_of(history)
    assert bands.movers_of(None) == frozenset()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_that_no_two_places_have_one_shape(theme: str, scale: float) -> None:
    tiles = band_tiles(palette(theme), round(10 * scale), scale)
    # Without colours: how many lines of the band are touched, and the grain inside.
    shapes = {place: (tiles[place] != 0, [len(set(row.tolist())) for row in tiles[place]]) for place in PLACE_WORDS}
    keys = [(shape.tobytes(), tuple(grain)) for shape, grain in shapes.values()]
    assert len(set(keys)) == len(keys)
    heights = [int((tiles[place] != 0).any(axis=1).sum()) for place in (L, N, S, F)]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 4, "one column is enough to tell them apart"
    assert not tiles[NONE].any()


def test_that_a_mixed_column_shows_both_places() -> None:
    tiles = band_tiles(palette("light"), 10, 1.0)
    best, worst = np.array([L, L, E], np.uint8), np.array([L, E, E], np.uint8)
    image = band_image(best, worst, tiles)
    assert image.shape == (10, 3)
    assert (image[:5, 1] == image[:5, 0]).all()
    assert (image[6:, 1] == tiles[E][6:, 1]).all()
    assert (image[6:, 1] != image[6:, 0]).any()
