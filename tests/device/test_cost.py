"""The cost model: the words in the window are the formulae that devices use, and no other module has its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from explorer.core.kinds import ResourceKind
from explorer.device import cost
from explorer.sim.why_rules import rule_reason
from tests.sim.test_d3d12_device import Rig

GB = 1_000_000_000
TEXTURE, TARGET = int(ResourceKind.TEXTURE), int(ResourceKind.RENDER_TARGET)


def text_of(rule: str) -> str:
    found = cost.formula(rule)
    assert found is not None
    return found.text


def test_that_every_formula_has_words_a_part_and_a_source() -> None:
    assert len({one.id for one in cost.FORMULAE}) == len(cost.FORMULAE)
    for one in cost.FORMULAE:
        assert one.part in ("frame", "GPU", "transfer", "CPU", "stall")
        assert one.source
        reason = rule_reason(one.id)
        assert reason is not None
        assert (reason.text, reason.source) == (one.text, one.source)
    assert rule_reason("cost.none") is None


@pytest.mark.parametrize(
    ("rule", "ratio", "words"),
    [
        ("cost.touch", cost.touch_ns(TARGET, GB, GB) // cost.touch_ns(TEXTURE, GB, GB), "1/{}"),
        ("cost.in-place", cost.in_place_ns(64, 2, GB, cached=False) // 64 - 1, "{} times"),
        ("cost.order", cost.access_ns(GB, "WB", "random write") // cost.access_ns(GB, "WB", "write"), "{} times"),
        ("cost.order", cost.access_ns(GB, "WC", "random write") // cost.access_ns(GB, "WC", "write"), "{} times"),
        ("cost.cpu", GB // (cost.cpu_ns(GB, "WB", reads=True) // 1000) // 1000, "{} GB/s"),
        ("cost.cpu", GB // (cost.cpu_ns(GB, "WC", reads=False) // 1000) // 1000, "{} GB/s"),
        ("cost.append", cost.APPEND_SHARE, "1/{}"),
        ("cost.vertices", cost.software_vertices_ns(GB, GB)[1] // GB, "{} times"),
        ("cost.wait", cost.wait_ns(0, GB) // 1000, "{} µs"),
        ("cost.call", cost.CPU_CALL_NS // 1000, "{} µs"),
        ("cost.page-file", cost.PAGE_FILE_BYTES_PER_S // 1_000_000, "{} MB/s"),
    ],
)
def test_that_the_words_state_the_numbers_that_are_used(rule: str, ratio: int, words: str) -> None:
    assert words.format(ratio) in text_of(rule)


def test_that_parts_have_the_ratios_that_documents_state() -> None:
    """Reading write-combined memory is slow, hardware vertices at least twice as fast, a lockable target dearer."""
    assert cost.cpu_ns(GB, "WC", reads=True) > 20 * cost.cpu_ns(GB, "WB", reads=True)
    cpu, transfer = cost.software_vertices_ns(GB, GB)
    assert cpu + transfer >= 2 * cost.transfer_ns(GB, GB)
    assert cost.lockable_ns(100) == 125
    assert cost.freeze_ns(GB, GB, 2 * GB) == GB + GB // 2
    assert cost.in_place_ns(64, 3, GB, cached=True) == 3 * 64
    assert cost.in_place_ns(64, 0, GB, cached=False) == 0


def test_that_no_other_module_of_the_devices_has_a_formula_of_time() -> None:
    folder = Path(cost.__file__).parent
    formula = re.compile(r"\* NS\b|//[^\n]*(bandwidth|bytes_per_s|rate)\b")
    for path in folder.glob("*.py"):
        if path.name != "cost.py":
            assert not formula.search(path.read_text("utf-8")), path.name


@pytest.mark.parametrize(
    ("adapter_id", "source", "target", "gpu", "bus"),
    [
        ("rtx3060-laptop", "DEFAULT", "DEFAULT", 2, ""),
        ("rtx3060-laptop", "UPLOAD", "DEFAULT", 1, "to_gpu_bytes_per_s"),
        ("rtx3060-laptop", "DEFAULT", "READBACK", 1, "from_gpu_bytes_per_s"),
        ("uhd630", "UPLOAD", "DEFAULT", 2, ""),
    ],
)
def test_that_a_copy_pays_for_the_bytes_it_names_where_they_lie(
    adapter_id: str, source: str, target: str, gpu: int, bus: str
) -> None:
    rig, size = Rig(adapter_id), 1 << 20
    rig.committed("From", 64 * size, source)
    rig.committed("To", 64 * size, target)
    times, state = rig.state.times, rig.state
    before = (times.gpu, times.transfer)
    rig.call("CopyBufferRegion", {"pDstResource": "To", "pSrcResource": "From", "NumBytes": size})
    bandwidth = state.segments[state.segments_in("LOCAL")[0]].bandwidth
    assert times.gpu - before[0] == gpu * cost.transfer_ns(size, bandwidth)
    assert times.transfer - before[1] == (cost.transfer_ns(size, getattr(state.adapter.bus, bus)) if bus else 0)
