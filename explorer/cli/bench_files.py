"""Rows of ``bench`` about files and about starting."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any

from explorer.cli.bench_model import BenchRow, Contenders, Target, timed

LOAD_ALLOCATIONS = 200_000
PICTURES = {"1k": 1_000, "100k": 100_000, "1M": 1_000_000}
_BLOCK = 4_096
"""Allocations in one block of a made dump."""


@cache
def made_dump(allocations: int) -> bytes:
    """Return a dump in VMA's layout with named allocations of unlike sizes and free ranges between them."""
    blocks: dict[str, Any] = {}
    for number, first in enumerate(range(0, allocations, _BLOCK)):
        rows: list[dict[str, object]] = []
        offset = 0
        for index in range(first, min(first + _BLOCK, allocations)):
            size = 256 * (1 + index * 7919 % 97)
            usage, kind = (6, "IMAGE_OPTIMAL") if index % 3 else (34, "BUFFER")
            rows.append({"Offset": offset, "Type": kind, "Size": size, "Usage": usage, "Name": f"made/{index:07}"})
            offset += size
            if index % 5 == 0:
                rows.append({"Offset": offset, "Type": "FREE", "Size": 256})
                offset += 256
        blocks[str(number)] = {"TotalBytes": offset, "Suballocations": rows}
    info: dict[str, Any] = {
        "Heap 0": {"Flags": ["DEVICE_LOCAL"], "Size": 1 << 40, "MemoryPools": {"Type 0": {"Flags": []}}}
    }
    pools: dict[str, Any] = {"Type 0": {"PreferredBlockSize": 1 << 28, "Blocks": blocks, "DedicatedAllocations": []}}
    document: dict[str, Any] = {"General": {"API": "Vulkan", "GPU": "made"}, "MemoryInfo": info, "DefaultPools": pools}
    return json.dumps(document, indent=1).encode()


def _load() -> Contenders:
    from explorer.interchange.importers import open_file

    data = made_dump(LOAD_ALLOCATIONS)
    return Contenders(timed(lambda: open_file(data, "made.json"), 1000.0), timed(lambda: json.loads(data), 1000.0))


def _picture(allocations: int) -> Contenders:
    folder = tempfile.TemporaryDirectory(prefix="memory-explorer-bench-")
    dump, png = Path(folder.name) / "made.json", Path(folder.name) / "made.png"
    dump.write_bytes(made_dump(allocations))
    command = [sys.executable, "-m", "explorer", "export", str(dump), "--to", "png", "--out", str(png)]

    def work() -> None:
        # ``folder`` lives as long as the files are used.
        assert folder.name
        subprocess.run(command, check=True, capture_output=True)

    return Contenders(timed(work, 1.0))


def _start() -> Contenders:
    ours = [sys.executable, "-m", "explorer", "--version"]
    bare = [sys.executable, "-c", "import argparse, json, pathlib"]
    run = partial(subprocess.run, check=True, capture_output=True)
    return Contenders(timed(lambda: run(ours), 1000.0), timed(lambda: run(bare), 1000.0))


ROWS: tuple[BenchRow, ...] = (
    BenchRow("dump.load", f"dump of {LOAD_ALLOCATIONS:,} allocations to columns", "ms", _load,
             "json.loads of the same bytes", Target("<=", 0.75)),
    *(
        BenchRow(f"dump.png.{label}", f"dump of {count:,} allocations to PNG on the command line", "s",
                 partial(_picture, count), rounds=3)
        for label, count in PICTURES.items()
    ),
    BenchRow("start.cli", "memory-explorer --version", "ms", _start, "Python with argparse, json and pathlib"),
)  # fmt: skip
