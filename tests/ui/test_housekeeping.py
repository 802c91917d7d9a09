"""The window decides when the interpreter looks for garbage."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject, Signal

from explorer.ui import housekeeping
from explorer.ui.housekeeping import Housekeeping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot


class _Source(QObject):
    """A workspace as the housekeeping sees it."""

    document_changed = Signal(object)

    def __init__(self, *, playing: bool) -> None:
        super().__init__()
        self.run_state = SimpleNamespace(playing=playing)


@pytest.fixture
def generations(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Return the generations that were searched; the test waits neither long nor for many objects."""
    found: list[int] = []
    monkeypatch.setattr(housekeeping, "_YOUNG_MS", 5)
    monkeypatch.setattr(housekeeping, "_REST_S", 0.02)
    monkeypatch.setattr(housekeeping, "_FEW", 0)

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "stop":
            found.append(info["generation"])

    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)


@pytest.mark.usefixtures("qapp")
def test_that_the_interpreter_searches_by_itself_again_after_the_window_closed() -> None:
    source = _Source(playing=False)
    keeper = Housekeeping(source)  # pyright: ignore[reportArgumentType] - the part of a workspace that it uses
    assert not gc.isenabled()
    keeper.close()
    assert gc.isenabled()


def test_that_only_young_objects_are_searched_while_a_scenario_plays(qtbot: QtBot, generations: list[int]) -> None:
    keeper = Housekeeping(_Source(playing=True))  # pyright: ignore[reportArgumentType] - the part that it uses
    qtbot.waitUntil(lambda: len(generations) >= 8, timeout=5000)
    keeper.close()
    assert set(generations) == {1}


def test_that_a_pause_searches_everything_once(qtbot: QtBot, generations: list[int]) -> None:
    source = _Source(playing=True)
    keeper = Housekeeping(source)  # pyright: ignore[reportArgumentType] - the part of a workspace that it uses
    qtbot.waitUntil(lambda: len(generations) >= 1, timeout=5000)
    source.run_state = SimpleNamespace(playing=False)
    qtbot.waitUntil(lambda: 2 in generations, timeout=5000)
    seen = len(generations)
    qtbot.waitUntil(lambda: len(generations) >= seen + 4, timeout=5000)
    keeper.close()
    assert generations.count(2) == 1


def test_that_everything_is_searched_when_a_new_document_rests(qtbot: QtBot, generations: list[int]) -> None:
    source = _Source(playing=False)
    keeper = Housekeeping(source)  # pyright: ignore[reportArgumentType] - the part of a workspace that it uses
    qtbot.waitUntil(lambda: len(generations) >= 8, timeout=5000)
    assert 2 not in generations
    source.document_changed.emit(None)
    qtbot.waitUntil(lambda: 2 in generations, timeout=5000)
    keeper.close()
