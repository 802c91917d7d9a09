"""The wheel works in an empty environment, far from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, cwd=folder)
    return next(folder.glob("*.whl"))


def test_that_the_wheel_holds_presets_and_resources(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    adapters = [name for name in names if name.startswith("explorer/_shipped/presets/adapters/")]
    scenarios = [name for name in names if name.startswith("explorer/_shipped/presets/scenarios/")]
    assert len(adapters) == len(list((ROOT / "presets" / "adapters").glob("*.toml")))
    assert len(scenarios) == len(list((ROOT / "presets" / "scenarios").glob("*.toml")))
    assert "explorer/_shipped/resources/tokens.json" in names
    assert not [name for name in names if name.startswith("tests/")]


def test_that_the_installed_wheel_runs_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    site = next(home.glob("lib/python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(site)
    # The dependencies come from this environment; the package itself only from the wheel.
    outside = {path for path in sys.path if path.endswith("site-packages")}
    (site / "dependencies.pth").write_text("\n".join(sorted(outside)))
    for finder in site.glob("__editable__*"):
        finder.unlink()
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [str(python), "-m", "explorer", *arguments],
            check=True, capture_output=True, text=True, cwd=tmp_path, env=environment,
        )  # fmt: skip
        return done.stdout

    where = subprocess.run(
        [str(python), "-c", "import explorer; print(explorer.__file__)"],
        check=True, capture_output=True, text=True, cwd=tmp_path, env=environment,
    )  # fmt: skip
    assert str(site) in where.stdout
    listed = json.loads(run("adapters", "--json"))
    assert len(listed["adapters"]) == 50
    assert len(listed["systems"]) == 4
    ran = json.loads(run("run", "d3d9-shooter-2003-agp-64mb", "--frames", "5", "--json"))
    assert ran["frames"] == 5
    assert all(
        s["used_bytes"] + sum(s["padding_bytes"].values()) + s["free_bytes"] == s["size_bytes"] for s in ran["segments"]
    )
