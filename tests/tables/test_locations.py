"""Where shipped and user data are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from explorer.errors import InputError
from explorer.tables import locations

if TYPE_CHECKING:
    from pathlib import Path


def test_that_the_shipped_folders_exist() -> None:
    assert (locations.presets_folder() / "adapters").is_dir()
    assert locations.resources_folder().is_dir()


def test_that_the_folders_inside_an_installed_package_win(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed = tmp_path / "explorer" / "_shipped" / "presets"
    installed.mkdir(parents=True)
    (tmp_path / "presets").mkdir()
    monkeypatch.setattr(locations, "_PACKAGE", tmp_path / "explorer")
    assert locations.presets_folder() == installed


def test_that_a_missing_folder_is_an_input_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(locations, "_PACKAGE", tmp_path / "explorer")
    with pytest.raises(InputError, match="resources is missing"):
        locations.resources_folder()


def test_that_the_variable_moves_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(locations.HOME_VARIABLE, str(tmp_path))
    assert locations.user_presets_folder() == tmp_path / "presets"


def test_that_the_users_folder_is_the_platforms_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(locations.HOME_VARIABLE, raising=False)
    assert locations.user_folder().name == "memory-layout-explorer"
