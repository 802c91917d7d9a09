"""Snapshots for tests: some simulated, some made of values that are hard to write."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.interchange.importers import open_file
from explorer.sim.scenarios import load_simulation
from tests.interchange import dump_writer as write

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

D3D9 = "d3d9-shooter-2003-agp-64mb"
NAMES = ("=1+1", "@cmd", "-2", "+3", "\tx", "\r\ny", 'quote "x", comma', "渲染 🎨", "a\nb", "", "\x1b[2J")


@cache
def simulated(frames: int = 4) -> Snapshot:
    simulation = load_simulation(D3D9)
    simulation.step(frames)
    return simulation.snapshot()


@cache
def with_descriptor_uses() -> Snapshot:
    """Tables, copies, captures, a root signature and hazards."""
    simulation = load_simulation("d3d12-rtv-slot-reuse")
    simulation.step(201)
    return simulation.snapshot()


@cache
def imported() -> Snapshot:
    rows = [("BUFFER", 256 * (i + 1), 0x80, name) for i, name in enumerate(NAMES)]
    opened = open_file(
        write.text(write.vma_c({"Type 0": write.Pool([rows], [("UNKNOWN", 64, 0, "own")])})), "made.json"
    )
    assert opened.snapshot is not None
    return opened.snapshot


@cache
def of_d3d12ma() -> Snapshot:
    """Heaps of every type, custom ones in both memories."""
    pool = write.Pool(
        [[("FREE", 256, 0, ""), ("TEXTURE3D", 4096, 1, "t"), ("BUFFER", 64, 0x100, "")]], [("BUFFER", 9, 0, "d")]
    )
    document = write.d3d12ma({"DEFAULT": pool, "UPLOAD": pool, "READBACK": pool, "GPU_UPLOAD": pool})
    custom = [{"Name": f"{i}", "Flags": [f"MEMORY_POOL_L{i}"], **write.pool_json(pool)} for i in range(2)]
    opened = open_file(write.text({**document, "CustomPools": {"CUSTOM": custom}}), "made.json")
    assert opened.snapshot is not None
    return opened.snapshot


@cache
def awkward() -> Snapshot:
    """A name that is a piece of a page."""
    document = write.vma_c({"Type 0": write.Pool([[("BUFFER", 99, 0, "<script>alert(1)</script>")]])})
    opened = open_file(write.text(document), "<b>.json")
    assert opened.snapshot is not None
    return opened.snapshot


@cache
def overlapping() -> Snapshot:
    """Two ranges of a block that share bytes."""
    document = write.vma_c(
        {"Type 0": write.Pool([[("BUFFER", 99, 0, "a"), ("BUFFER", 99, 0, "b"), ("FREE", 60, 0, "")]])}
    )
    document["DefaultPools"]["Type 0"]["Blocks"]["0"]["Suballocations"][1]["Offset"] = 40
    opened = open_file(write.text(document), "made.json")
    assert opened.snapshot is not None
    return opened.snapshot


def with_large_numbers() -> Snapshot:
    """A simulated snapshot with values that do not fit a double, and a fraction in a call."""
    plain = simulated()
    priority = plain.resources.priority.copy()
    priority[:4] = [2**53 - 1, 2**53, -(2**53), 2**63 - 1]
    first = plain.resources.records[0]
    assert first is not None
    call = dataclasses.replace(first, arguments={**first.arguments, "depth": 0.1, "value": 2**64 - 1, "list": [1, 2.5]})
    resources = dataclasses.replace(plain.resources, priority=priority, records=(call, *plain.resources.records[1:]))
    return dataclasses.replace(plain, resources=resources, time_ns=2**60)


def assert_equal(one: Any, two: Any, path: str = "snapshot") -> None:
    """Compare all that is part of a saved snapshot."""
    if isinstance(one, np.ndarray):
        assert one.dtype == two.dtype, path
        assert np.array_equal(one, two), path
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            if field.name not in ("history", "generation"):
                assert_equal(getattr(one, field.name), getattr(two, field.name), f"{path}.{field.name}")
    elif isinstance(one, tuple) and one and dataclasses.is_dataclass(one[0]):
        assert len(one) == len(two), path
        for index, pair in enumerate(zip(one, two, strict=True)):
            assert_equal(*pair, f"{path}[{index}]")
    else:
        assert one == two, path
