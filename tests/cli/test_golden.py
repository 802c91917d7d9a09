"""What people and scripts read, word for word; a change here is a change of the contract or of a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run
from tests.interchange import dump_writer as write

GOLDEN = Path(__file__).resolve().parents[1] / "golden"

POOL = write.Pool(
    blocks=[[("IMAGE_OPTIMAL", 65536, 0x14, "target"), ("FREE", 4096, 0, ""), ("BUFFER", 512, 0x80, "=mesh, 渲染")]],
    dedicated=[("IMAGE_OPTIMAL", 1 << 20, 0x26, "depth")],
)
COMMANDS = {
    "open.json": ["open", "made.json", "--json"],
    "open.txt": ["open", "made.json"],
    "report.txt": ["export", "made.json", "--to", "text", "--out", "-"],
    "resources.csv": ["export", "made.json", "--to", "csv", "--out", "-"],
    "snapshot.json": ["export", "made.json", "--to", "snapshot-json", "--out", "-"],
    "dump.vma.json": ["export", "made.json", "--to", "vma-json", "--out", "-"],
    "dump.d3d12ma.json": ["export", "made.json", "--to", "d3d12ma-json", "--out", "-"],
}


@pytest.mark.parametrize("name", list(COMMANDS))
def test_that_the_output_is_the_golden_one(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("made.json").write_bytes(write.text(write.vma_c({"Type 0": POOL})))
    answer = run(capfd, *COMMANDS[name])
    assert answer.code == 0
    assert answer.out.splitlines() == (GOLDEN / f"cli_{name}").read_text(encoding="utf-8").splitlines()
