"""The multi-adapter systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from explorer.errors import CommandError, PresetError
from explorer.tables import adapters as library
from explorer.tables.locations import HOME_VARIABLE, presets_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


def test_that_four_systems_load_and_name_adapters_that_exist() -> None:
    found = {s.id: s.adapters for s in library.systems()}
    assert found == {
        "arc-desktop": ("arc-a770", "warp"),
        "desktop-igpu-dgpu": ("rtx5070ti", "raphael", "warp"),
        "laptop-hybrid": ("rtx3060-laptop", "radeon680m", "warp"),
        "linked-two-node": ("linked-gtx1080x2", "warp"),
    }
    for system in library.systems():
        assert library.system(system.id) == system
        assert [library.adapter(a).id for a in system.adapters] == list(system.adapters)
        assert system.source
        assert system.system_memory_bytes > 0


def test_that_measured_adapters_of_one_machine_offer_the_same_shared_memory() -> None:
    for system_id in ("laptop-hybrid", "desktop-igpu-dgpu"):
        system = library.system(system_id)
        pools = {a.dxgi.SharedSystemMemory for a in map(library.adapter, system.adapters[:2]) if a.dxgi}
        assert pools == {system.system_memory_bytes // 2}


def test_that_an_unknown_system_names_the_accepted_ones() -> None:
    with pytest.raises(CommandError) as caught:
        library.system("tower")
    assert caught.value.complaint.accepted == library.system_ids()


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('"warp"', '"wrap"', "adapters[1]"),
        ('["arc-a770", "warp"]', "[]", "adapters"),
        ("68640800768", "-1", "system_memory_bytes"),
        ('confidence = "measured"', 'confidence = "sure"', "confidence"),
        ("windows =", "window =", "window"),
        ('name = "Desktop with Arc A770"\n', "", "name"),
    ],
)
def test_that_a_bad_system_names_the_key(home: Path, old: str, new: str, where: str) -> None:
    text = (presets_folder() / "systems" / "arc-desktop.toml").read_text(encoding="utf-8")
    assert old in text
    path = home / "presets" / "systems" / "mine.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text.replace(old, new).replace('id = "arc-desktop"', 'id = "mine"'), encoding="utf-8")
    with pytest.raises(PresetError) as caught:
        library.system("mine")
    assert (caught.value.complaint.file, caught.value.complaint.where) == (str(path), where)
