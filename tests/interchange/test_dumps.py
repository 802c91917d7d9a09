"""Allocator dumps: every layout, encoding and kind of damage, against sums that were counted apart from the reader."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.kinds import BlockState, HeapKind, ResourceKind
from explorer.errors import InputError
from explorer.interchange.importers import IMPORTERS, log_lines, open_file
from explorer.interchange.layout_totals import gap_counts
from explorer.interchange.opened import ImportCancelledError
from tests.interchange import dump_writer as write
from tests.interchange.dump_writer import Pool
from tests.shared_folder import SHARED

SAMPLES = sorted([*(SHARED / "samples/vma").iterdir(), *(SHARED / "samples/d3d12ma").iterdir()]) if SHARED else []

IMAGES = Pool(
    blocks=[
        [("IMAGE_OPTIMAL", 4096, 0x14, "target"), ("FREE", 512, 0, ""), ("IMAGE_OPTIMAL", 256, 0x24, "depth")],
        [("BUFFER", 128, 0x1, "staging"), ("BUFFER", 64, 0x80, ""), ("FREE", 32, 0, "")],
    ],
    dedicated=[("IMAGE_OPTIMAL", 8192, 0x6, "large"), ("UNKNOWN", 16, 0, "")],
)
TEXTURES = Pool(
    blocks=[[("TEXTURE2D", 65536, 1, "target"), ("BUFFER", 512, 0, "mesh"), ("FREE", 1024, 0, "")]],
    dedicated=[("TEXTURE2D", 131072, 2, "depth"), ("BUFFER", 256, 0x100, "structure")],
)
STAGING = Pool(blocks=[[("FREE", 256, 0, ""), ("BUFFER", 256, 0, "ring")]])

RANGES = st.lists(
    st.tuples(st.sampled_from(["FREE", "BUFFER", "IMAGE_OPTIMAL"]), st.integers(1, 1 << 40), st.integers(0, 1 << 40),
              st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=8)),
    max_size=8,
)  # fmt: skip
POOLS = st.builds(
    Pool, st.lists(RANGES, max_size=4), RANGES.map(lambda rows: [row for row in rows if row[0] != "FREE"])
)


def _open(document: dict[str, Any]) -> Any:
    return open_file(write.text(document), "made.json")


@pytest.mark.skipif(SHARED is None, reason="the team's shared folder is not here")
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_that_a_real_dump_agrees_with_its_own_sums(path: Any) -> None:
    opened = open_file(path)
    assert opened.agrees is True
    assert opened.warnings == ()
    assert opened.detail == ("summary" not in path.name)
    assert opened.totals is not None
    assert sum(heap.layout.allocations for heap in opened.heaps) == opened.totals.allocations
    if opened.snapshot is not None:
        _assert_that_sums_hold(opened.snapshot)


@pytest.mark.skipif(SHARED is None, reason="the team's shared folder is not here")
def test_that_the_sample_of_heap_tier_1_counts_its_committed_resources_once() -> None:
    assert SHARED is not None
    opened = open_file(SHARED / "samples/d3d12ma/d3d12ma_tier1_300.json")
    assert opened.totals is not None
    assert (opened.totals.dedicated, opened.totals.allocations) == (35 + 2, 208)
    assert [(repair.what, repair.count) for repair in opened.repaired] == [("repeated-dedicated", 2 * 37)]


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(["Type 0", "Type 1", "Type 7"]), POOLS, min_size=1))
def test_that_any_vma_dump_agrees_with_the_sums_of_its_writer(types: dict[str, Pool]) -> None:
    opened = _open(write.vma_c(types))
    assert opened.agrees is True, opened.warnings
    _assert_that_sums_hold(opened.snapshot)


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.sampled_from(["Type 0", "Type 1"]), POOLS, min_size=1), st.booleans())
def test_that_any_dump_of_vma_2_agrees_with_the_sums_of_its_writer(types: dict[str, Pool], as_lists: bool) -> None:
    opened = _open(write.vma_old(types, as_lists=as_lists))
    has_lists = as_lists
    assert opened.format == ("vma-a" if has_lists else "vma-b")
    assert opened.agrees is True, opened.warnings


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.sampled_from(["DEFAULT", "UPLOAD", "READBACK"]), POOLS, min_size=1), st.booleans(),
       st.booleans())  # fmt: skip
def test_that_any_d3d12ma_dump_agrees_whatever_its_heap_tier(types: dict[str, Pool], tier_1: bool, uma: bool) -> None:
    opened = _open(write.d3d12ma(types, tier_1=tier_1, uma=uma))
    assert opened.format == "d3d12ma"
    assert opened.agrees is True, opened.warnings
    assert [segment.name for segment in opened.snapshot.segments] == (["L0"] if uma else ["L1", "L0"])


def test_that_a_vulkan_allocation_gets_its_kind_from_its_usage() -> None:
    opened = _open(write.vma_c({"Type 0": IMAGES}))
    table = opened.snapshot.resources
    kinds = {name: ResourceKind(kind) for name, kind in zip(table.names, table.kind.tolist(), strict=True) if name}
    assert kinds == {
        "target": ResourceKind.RENDER_TARGET, "depth": ResourceKind.DEPTH_STENCIL, "staging": ResourceKind.UPLOAD,
        "large": ResourceKind.TEXTURE,
    }  # fmt: skip
    assert opened.named == 4


def test_that_a_d3d12_allocation_gets_its_kind_from_flags_and_heap_type() -> None:
    snapshot = _open(write.d3d12ma({"DEFAULT": TEXTURES, "UPLOAD": STAGING})).snapshot
    table = snapshot.resources
    kinds = {name: ResourceKind(kind) for name, kind in zip(table.names, table.kind.tolist(), strict=True)}
    assert kinds == {
        "target": ResourceKind.RENDER_TARGET, "mesh": ResourceKind.BUFFER, "depth": ResourceKind.DEPTH_STENCIL,
        "structure": ResourceKind.ACCELERATION, "ring": ResourceKind.UPLOAD,
    }  # fmt: skip
    assert sorted(set(snapshot.heaps.kind.tolist())) == [HeapKind.DEFAULT, HeapKind.UPLOAD]
    assert [s.group for s in snapshot.segments] == ["LOCAL", "NON_LOCAL"]


def test_that_a_dedicated_allocation_is_a_committed_heap_of_unknown_address() -> None:
    snapshot = _open(write.vma_c({"Type 0": IMAGES})).snapshot
    committed = np.flatnonzero(snapshot.heaps.committed)
    assert len(committed) == 2
    assert set(snapshot.heaps.address.tolist()) == {-1}
    held = np.isin(snapshot.blocks.heap, committed)
    assert snapshot.blocks.offset[held].tolist() == [0, 0]


def test_that_a_pool_keeps_its_name_and_flags() -> None:
    opened = _open(write.vma_c({"Type 0": Pool()}, {"Type 0": [("0 - frame ring", STAGING)]}))
    assert opened.agrees is True
    assert opened.snapshot.heaps.names == ("Type 0 pool 0 - frame ring block 0",)
    tier_1 = _open(write.d3d12ma({"DEFAULT": TEXTURES}, tier_1=True)).snapshot
    assert set(tier_1.heaps.flags.tolist()) == {0x4000_0004}


def _variants() -> dict[str, tuple[bytes, str]]:
    document = write.vma_c({"Type 0": IMAGES})
    plain = write.text(document)
    return {
        "utf-8": (plain, "utf-8"),
        "with a mark": (b"\xef\xbb\xbf" + plain, "utf-8"),
        "crlf": (plain.replace(b"\n", b"\r\n"), "utf-8"),
        "gzip": (gzip.compress(plain), "utf-8"),
        "two gzip members": (gzip.compress(plain[:99]) + gzip.compress(plain[99:]), "utf-8"),
        "utf-16": (write.utf_16(document), "utf-16-le"),
        "utf-16 without a mark": (write.utf_16(document, mark=False), "utf-16-le"),
        "utf-16 big endian": (b"\xfe\xff" + plain.decode().encode("utf-16-be"), "utf-16-be"),
        "blanks in front": (b"\n \n" + plain, "utf-8"),
        "logcat": (_prefixed(plain, lambda n: f"12-05 10:11:{n % 60:02}.123  1234  {n} I vulkan  : "), "utf-8"),
        "brief logcat": (_prefixed(plain, lambda n: f"I/flutter ({n:5}): "), "utf-8"),
        "engine log": (_prefixed(plain, lambda n: f"[2026.01.01-00.00.{n % 60:02}:000][{n:3}]LogRHI: "), "utf-8"),
        "log around it": (b"starting {\nready\n" + plain + b"\ngoodbye\n", "utf-8"),
    }


def _prefixed(plain: bytes, prefix: Any) -> bytes:
    lines = plain.decode().splitlines()
    return "\n".join(prefix(n) + line for n, line in enumerate(lines)).encode()


@pytest.mark.parametrize("name", list(_variants()))
def test_that_a_dump_reads_the_same_however_it_was_stored(name: str) -> None:
    data, encoding = _variants()[name]
    opened = open_file(data, "made.json")
    plain = _open(write.vma_c({"Type 0": IMAGES}))
    assert opened.encoding == encoding
    assert opened.totals == plain.totals
    assert opened.snapshot.resources.names == plain.snapshot.resources.names
    assert opened.agrees is True


def test_that_other_log_lines_between_are_left_out_with_a_warning() -> None:
    lines = _prefixed(write.text(write.vma_c({"Type 0": IMAGES})), lambda n: f"I/app ({n}): ").split(b"\n")
    lines[3:3] = [b"W/other (1): something else"]
    opened = open_file(b"\n".join(lines) + b"\nW/other (2): afterwards\n", "log.txt")
    assert opened.agrees is True
    assert [(w.code, w.count) for w in opened.warnings] == [("other-log-lines", 1)]
    assert [repair.what for repair in opened.repaired] == ["log-prefix"]


def test_that_a_dump_behind_many_lines_with_braces_is_found_and_that_a_log_without_one_is_given_up_early() -> None:
    noise = b"".join(b"I/app (%d): {\nI/app (%d): not json\n" % (n, n) for n in range(20))
    dump = _prefixed(write.text(write.vma_c({"Type 0": IMAGES})), lambda n: f"I/vma ({n}): ")
    assert open_file(noise + dump, "log.txt").agrees is True
    whole: list[int] = []
    original = log_lines._read_from
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_lines, "_read_from", lambda *args: whole.append(1) or original(*args))
        for line in (b"{\n", b"I/x (1): {\n", b"{\nhello\n"):
            assert log_lines.json_in_log(line * 20_000) is None
    assert len(whole) <= log_lines.MAX_WHOLE * 3


def test_that_damaged_escapes_of_d3d12ma_are_repaired() -> None:
    names = ("渲染", "日本/n", r"back\slash", "ascii")
    rows = [("BUFFER", 16, 0, name) for name in names]
    plain = json.dumps(write.d3d12ma({"DEFAULT": Pool([rows])}), indent=1)

    def damage(match: re.Match[str]) -> str:
        return "\\u" + match[1].upper().translate(str.maketrans("ABCDEF", "KLMNOP"))

    damaged = re.sub(r"\\u([0-9a-f]{4})", damage, plain)
    assert damaged != plain
    opened = open_file(b"\xff\xfe" + damaged.encode("utf-16-le"), "made.json")
    assert opened.snapshot is not None
    assert opened.snapshot.resources.names == names
    assert [repair.what for repair in opened.repaired] == ["escapes"]


@pytest.mark.parametrize(("page", "name"), [("cp1252", "Grün"), ("cp932", "ソース表"), ("cp1251", "Шум")])
def test_that_a_name_in_any_code_page_is_read(page: str, name: str) -> None:
    # The library escapes single bytes, so the second byte of a character may come as a doubled backslash.
    stored = name.encode(page).replace(b"\\", b"\\\\")
    data = write.text(write.vma_c({"Type 0": Pool([[("BUFFER", 16, 0, "NAME")]])})).replace(b"NAME", stored)
    opened = open_file(data, "made.json", code_page=page)
    assert opened.snapshot is not None
    assert opened.snapshot.resources.names == (name,)
    assert opened.encoding == page


def test_that_bytes_of_no_encoding_are_never_refused() -> None:
    data = write.text(write.vma_c({"Type 0": Pool([[("BUFFER", 16, 0, "NAME")]])}))
    opened = open_file(data.replace(b"NAME", bytes(range(0x80, 0x100))), "made.json")
    assert opened.agrees is True
    assert opened.named == 1


def test_that_half_a_character_in_a_name_is_replaced_and_whole_ones_stay() -> None:
    plain = write.text(write.vma_c({"Type 0": write.Pool([[("BUFFER", 16, 0, "NAME")]])}))
    opened = open_file(plain.replace(b"NAME", rb"\\\ud83da\ud83d\ude00\udc00"), "made.json")
    assert opened.snapshot is not None
    assert opened.snapshot.resources.names == ("\\\ufffda\U0001f600\ufffd",)
    assert [(repair.what, repair.count) for repair in opened.repaired] == [("lone-surrogates", 2)]


def test_that_usage_flags_of_64_bits_are_read() -> None:
    opened = _open(write.vma_c({"Type 0": Pool([[("BUFFER", 16, (1 << 63) | 1, ""), ("BUFFER", 16, 2**64 - 1, "")]])}))
    assert opened.agrees is True


def test_that_virtual_blocks_are_read() -> None:
    body = write.block_json([("", 100, 0, ""), ("FREE", 28, 0, ""), ("", 64, 0, "")])
    for row in body["Suballocations"]:
        row.pop("Usage", None)
        if not row["Type"]:
            row.pop("Type")
            row["CustomData"] = 34084860476288
    one = open_file(json.dumps(body).encode("utf-16-le"), "made.json")
    assert (one.format, one.agrees, one.encoding) == ("d3d12ma-virtual", True, "utf-16-le")
    sums = write.sums_of(Pool([[("X", 100, 0, ""), ("FREE", 28, 0, ""), ("X", 64, 0, "")]])).new_style()
    for details in ({"Details": body}, {}):
        two = open_file(json.dumps({"Stats": sums, **details}).encode(), "made.json")
        assert (two.format, two.detail, two.file_totals is not None) == ("vma-virtual", bool(details), True)
    assert one.heaps[0].kind == "VIRTUAL"
    assert one.totals is not None
    assert one.totals.free_bytes == 28


def test_that_the_development_format_of_d3d12ma_is_read() -> None:
    sums = write.sums_of(TEXTURES)
    document = {
        "Total": sums.old_style(),
        "DEFAULT": sums.old_style(),
        "Budget": {"Local": {"Budget": 1 << 32, "Usage": 9}, "NonLocal": {"Budget": 1 << 31, "Usage": 0}},
        "DetailedMap": {
            "DefaultPools": {"DEFAULT": {"Blocks": {"0": write.block_json(TEXTURES.blocks[0])}}},
            "CommittedAllocations": {"DEFAULT": write.dedicated_json(TEXTURES)},
            "Pools": {},
        },
    }
    opened = _open(document)
    assert (opened.format, opened.agrees) == ("d3d12ma-2019", True)
    assert [group.budget_bytes for group in opened.snapshot.groups] == [1 << 32, 1 << 31]


def test_that_a_dump_without_its_map_still_compares_its_sums() -> None:
    document = write.vma_c({"Type 0": IMAGES})
    del document["DefaultPools"]
    opened = _open(document)
    assert (opened.detail, opened.snapshot, opened.agrees) == (False, None, True)
    assert opened.totals is not None
    assert opened.totals.dedicated is None
    document["Total"]["BlockBytes"] += 1
    assert _open(document).agrees is False


def test_that_wrong_totals_are_a_warning() -> None:
    document = write.vma_c({"Type 0": IMAGES})
    document["Total"]["AllocationCount"] += 1
    opened = _open(document)
    assert opened.agrees is False
    assert opened.disagreements == ("totals.allocations",)
    assert [warning.code for warning in opened.warnings] == ["totals-differ"]


def test_that_overlapping_ranges_are_counted_once_and_marked() -> None:
    document = write.vma_c({"Type 0": Pool([[("BUFFER", 100, 0, "a"), ("BUFFER", 100, 0, "b"), ("FREE", 56, 0, "")]])})
    document["DefaultPools"]["Type 0"]["Blocks"]["0"]["Suballocations"][1]["Offset"] = 60
    opened = _open(document)
    assert opened.totals is not None
    assert opened.totals.overlap_bytes == 40
    assert opened.totals.free_bytes == opened.totals.block_bytes - 200 + 40
    assert (opened.snapshot.blocks.state & BlockState.ALIASED).all()
    _assert_that_sums_hold(opened.snapshot)


def test_that_a_range_behind_its_block_is_a_warning_and_still_drawn() -> None:
    document = write.vma_c({"Type 0": IMAGES})
    document["DefaultPools"]["Type 0"]["Blocks"]["0"]["TotalBytes"] = 100
    opened = _open(document)
    assert "beyond-block" in [warning.code for warning in opened.warnings]
    _assert_that_sums_hold(opened.snapshot)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("Total",), 5),
        (("General",), []),
        (("MemoryInfo", "Heap 0", "Stats"), "many"),
        (("DefaultPools", "Type 0"), None),
        (("CustomPools",), {"Type 0": 7}),
    ],
)
def test_that_an_unreadable_part_is_a_warning(path: tuple[str, ...], value: object) -> None:
    document = write.vma_c({"Type 0": IMAGES, "Type 1": STAGING})
    at: Any = document
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    opened = _open(document)
    assert [warning.code for warning in opened.warnings if warning.code == "unreadable-part"]
    assert opened.totals is not None
    assert opened.totals.allocations >= 1


@pytest.mark.parametrize(
    ("key", "value", "where"),
    [
        ("Size", -1, "DefaultPools.Type 0.Blocks.0.Suballocations[2].Size"),
        ("Size", 1 << 70, "DefaultPools.Type 0.Blocks.0.Suballocations[2].Size"),
        ("Size", "large", "DefaultPools.Type 0.Blocks.0.Suballocations[2].Size"),
        ("Size", 1.5, "DefaultPools.Type 0.Blocks.0.Suballocations[2].Size"),
        ("Usage", -1, "DefaultPools.Type 0.Blocks.0.Suballocations[2].Usage"),
        ("Offset", -8, "DefaultPools.Type 0.Blocks.0.Suballocations[2].Offset"),
        ("Offset", None, "DefaultPools.Type 0.Blocks.0.Suballocations[2].Offset"),
        ("Size", (1 << 63) - 1, "Suballocations"),
    ],
)
def test_that_a_size_or_offset_that_cannot_be_is_refused_by_its_path(key: str, value: object, where: str) -> None:
    document = write.vma_c({"Type 0": IMAGES})
    document["DefaultPools"]["Type 0"]["Blocks"]["0"]["Suballocations"][2][key] = value
    with pytest.raises(InputError) as caught:
        _open(document)
    assert caught.value.complaint.where == where
    assert caught.value.complaint.file == "made.json"


@pytest.mark.parametrize("number", [b"9" * 5000, b"1e999"], ids=["5000 digits", "beyond a double"])
def test_that_a_number_that_nothing_can_hold_is_refused(number: bytes) -> None:
    document = write.vma_c({"Type 0": IMAGES})
    document["DefaultPools"]["Type 0"]["Blocks"]["0"]["TotalBytes"] = 271828
    with pytest.raises(InputError) as caught:
        open_file(write.text(document).replace(b"271828", number), "made.json")
    assert caught.value.complaint.where == "DefaultPools.Type 0.Blocks[...].TotalBytes"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_that_a_cut_dump_is_refused_and_never_half_read(data: st.DataObject) -> None:
    whole = write.text(write.vma_c({"Type 0": IMAGES}))
    cut = whole[: data.draw(st.integers(1, len(whole.rstrip()) - 1))]
    with pytest.raises(InputError):
        open_file(cut, "made.json")


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_that_a_damaged_dump_is_read_or_refused_but_never_a_fault(data: st.DataObject) -> None:
    documents = (
        write.vma_c({"Type 0": IMAGES}),
        write.d3d12ma({"DEFAULT": TEXTURES}),
        write.vma_old({"Type 0": IMAGES}, as_lists=True),
    )
    whole = bytearray(write.text(data.draw(st.sampled_from(documents))))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        opened = open_file(bytes(whole), "made.json")
    except InputError:
        return
    if opened.snapshot is not None:
        _assert_that_sums_hold(opened.snapshot)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"\0\0\0", "empty"),
        (b"not a dump", "no known format"),
        (b'{"a": 1}', "no known format"),
        (b"[1, 2]", "no known format"),
        (b'{"General": {"API": "Vulkan"}, "MemoryInfo": {}', "cut off"),
        (b'{"General": {"API": "Vulkan"}, "MemoryInfo": {}}', "nothing in this dump"),
        (b'{"General": nope}', "not valid JSON"),
        (b'{"a":' * 200_000, "nested too deeply"),
        (gzip.compress(b"{}", mtime=0)[:-6], "cut off"),
        (b"\x1f\x8bgarbage", "damaged"),
        (b"\xff\xfe{", "odd number"),
        (b"Vulkan Memory Allocator,Calls recording\n1,8\n", "VmaReplay"),
        (b"AMD_RDF \x03\0\0\0", "Radeon Memory Visualizer"),
        (b'{"traceEvents": []}', "trace-event"),
        (b"\x80\x04}q\0.", "pickle"),
    ],
)
def test_that_what_cannot_be_opened_is_refused_in_one_sentence(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        open_file(data, "what.bin")
    assert caught.value.complaint.file == "what.bin"


def test_that_progress_grows_and_that_a_cancelled_read_stops() -> None:
    data = write.text(write.vma_c({"Type 0": IMAGES}))
    seen: list[float] = []
    open_file(data, "made.json", progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    with pytest.raises(ImportCancelledError):
        open_file(data, "made.json", cancelled=lambda: len(seen) > 0)


def test_that_format_ids_are_unique() -> None:
    ids = [importer.id for importer in IMPORTERS]
    assert len(set(ids)) == len(ids)


def _assert_that_sums_hold(snapshot: Any) -> None:
    for segment in snapshot.segments:
        padding = sum(segment.padding_bytes.values())
        assert segment.used_bytes + padding + segment.free_bytes == segment.size_bytes
        assert min(segment.used_bytes, segment.free_bytes, segment.largest_free_bytes) >= 0
    for group in snapshot.groups:
        over = 0 if group.budget_bytes is None else max(0, group.usage_bytes - group.budget_bytes)
        assert group.over_budget_bytes == over
    ends = snapshot.blocks.offset + snapshot.blocks.size
    assert (ends <= snapshot.heaps.size[snapshot.blocks.heap]).all()
    assert not snapshot.blocks.size.flags.writeable


@given(RANGES, st.lists(st.integers(0, 4096), min_size=1, max_size=3))
def test_that_gaps_are_counted_the_same_with_and_without_a_sort(
    ranges: list[tuple[str, int, int, str]], sizes: list[int]
) -> None:
    heap_size = np.array([size + 1 for size in sizes], np.int64)
    rows = {(o % len(sizes), o % (sizes[o % len(sizes)] + 1)): s for _, s, o, _ in ranges}
    places = sorted(rows)
    heap = np.array([heap for heap, _ in places], np.int32)
    offset = np.array([at for _, at in places], np.int64)
    size = np.array([min(rows[h, at], int(heap_size[h]) - at) for h, at in places], np.int64)
    covered = [np.zeros(total, np.bool_) for total in heap_size.tolist()]
    for h, at, length in zip(heap.tolist(), offset.tolist(), size.tolist(), strict=True):
        covered[h][at : at + length] = True
    counted = [int(np.sum(~one & np.concatenate([[True], one[:-1]]))) for one in covered]
    backwards = slice(None, None, -1)
    assert gap_counts(heap, offset, size, heap_size).tolist() == counted
    assert gap_counts(heap[backwards], offset[backwards], size[backwards], heap_size).tolist() == counted


def test_that_a_word_or_a_number_of_an_unknown_kind_takes_the_careful_way() -> None:
    plain = write.vma_c({"Type 0": IMAGES})
    odd = json.loads(json.dumps(plain).replace("IMAGE_OPTIMAL", "IMAGE_OF_TOMORROW"))
    one, other = _open(plain), _open(odd)
    assert one.totals == other.totals
    assert "IMAGE_OF_TOMORROW" in other.snapshot.resources.dimensions
    assert one.snapshot.blocks.offset.tolist() == other.snapshot.blocks.offset.tolist()
    wrong = json.loads(json.dumps(plain).replace("4096", '"4096"'))
    with pytest.raises(InputError, match="DefaultPools"):
        _open(wrong)
