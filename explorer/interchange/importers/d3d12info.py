"""D3d12info reports: one run or several in a file, each with one or more adapters.

A report is JSON from the D3d12info tool; a file of its front end holds a list of them (a retail and a preview run),
with 64-bit values as numbers or strings. Nothing but the values is taken: a part that cannot be read becomes a warning.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from explorer.errors import ExplorerError, InputError
from explorer.interchange.importers.d3d12info_adapter import (
    ReportFacts,
    Section,
    build_adapter,
    is_integrated,
    reported_bandwidth,
)
from explorer.tables.adapters import Adapter

if TYPE_CHECKING:
    from explorer.interchange.importers.d3d12info_adapter import Warn

MAX_FILE_BYTES = 64 << 20
MAX_REPORTS = 64
MAX_ADAPTERS = 64
MAX_WARNINGS = 1000

_SCRIPT_PREFIX = re.compile(r"\s*(?:(?:export\s+)?(?:const|let|var)\s+)?[A-Za-z_$][\w$.]*\s*=\s*")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MARKS = (b"DXGI_ADAPTER_DESC", b"D3D12_FEATURE_DATA_", b"D3d12info")


@dataclass(frozen=True, slots=True)
class ReportWarning:
    """Something in the file that was left out.

    Attributes:
        code: Stable id of the kind of problem.
        where: Key path.
        message: One sentence without the path.
        count: How often the same was found.
    """

    code: str
    where: str
    message: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class D3d12InfoRun:
    """One report of the file.

    Attributes:
        version: Version of D3d12info; None without a header.
        date: ISO date; None without a header.
        is_preview: Whether it ran on the preview SDK.
        is_experimental: Whether experimental features were on.
        windows: Windows version, or None.
        system_memory_bytes: RAM that Windows sees, or None.
        adapters: Ids of its adapters, in the report's order.
    """

    version: str | None
    date: str | None
    is_preview: bool
    is_experimental: bool
    windows: str | None
    system_memory_bytes: int | None
    adapters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class D3d12InfoReport:
    """What a file of D3d12info reports holds.

    Attributes:
        adapters: The adapters of all reports in file order; ids are unique.
        reports: The reports.
        warnings: What was left out.
    """

    adapters: list[Adapter]
    reports: list[D3d12InfoRun]
    warnings: list[ReportWarning]


def looks_like_d3d12info(data: bytes) -> bool:
    """Return whether the bytes could be a D3d12info report, from their beginning alone."""
    head = data[: 1 << 16]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.replace(b"\0", b"")
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe \t\r\n")
    opens = start[:1] in (b"{", b"[") or _SCRIPT_PREFIX.match(start[:200].decode("latin-1")) is not None
    return opens and any(mark in head for mark in _MARKS)


def read_d3d12info(data: bytes, file: str) -> D3d12InfoReport:
    """Return the adapters of a file of D3d12info reports.

    Args:
        data: The file's bytes; UTF-8 or, with a byte order mark, UTF-16.
        file: How complaints name the file.

    Raises:
        InputError: Too large, not JSON, or no adapter in it can be read.
    """
    document = _parse(data, file)
    warnings: Counter[tuple[str, str, str]] = Counter()

    def warn(code: str, where: str, message: str) -> None:
        key = (code, where, message)
        if key in warnings or len(warnings) < MAX_WARNINGS:
            warnings[key] += 1

    adapters: list[Adapter] = []
    runs: list[D3d12InfoRun] = []
    for i, report in enumerate(_reports(document, file, warn)):
        _read_report(Section(report, f"reports[{i}]", warn), adapters, runs, warn)
    kept = [ReportWarning(code, where, message, count) for (code, where, message), count in warnings.items()]
    if not adapters:
        reason = f": {kept[0].where} {kept[0].message}" if kept else ""
        raise InputError(f"no adapter can be read from this D3d12info file{reason}", file=file, where="Adapters",
                         accepted=("a D3d12info report with DXGI_ADAPTER_DESC3",))  # fmt: skip
    return D3d12InfoReport(adapters, runs, kept)


def _parse(data: bytes, file: str) -> object:
    if len(data) > MAX_FILE_BYTES:
        raise InputError("the file is too large", file=file, found=f"{len(data)} bytes",
                         accepted=(f"at most {MAX_FILE_BYTES} bytes",))  # fmt: skip
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    text = data.decode(encoding, errors="replace")
    prefix = _SCRIPT_PREFIX.match(text)
    if prefix:
        # The front end keeps its reports in a script that assigns them to a variable.
        text = text[prefix.end() :].rstrip().removesuffix(";")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", file=file, line=error.lineno,
                         accepted=("a D3d12info JSON report",)) from error  # fmt: skip
    except (RecursionError, ValueError) as error:
        raise InputError("not JSON: nested too deeply, or a number too long", file=file) from error


def _reports(document: object, file: str, warn: Warn) -> list[dict[str, object]]:
    items = cast("list[object]", document) if isinstance(document, list) else [document]
    if items and all(isinstance(item, dict) and _is_adapter(cast("dict[str, object]", item)) for item in items):
        # A bare list of adapters: a report whose header was cut off.
        items = [{"Adapters": items}]
    if len(items) > MAX_REPORTS:
        warn("too-many-reports", "reports", f"only the first {MAX_REPORTS} are read")
    found: list[dict[str, object]] = []
    for i, item in enumerate(items[:MAX_REPORTS]):
        if isinstance(item, dict):
            found.append(cast("dict[str, object]", item))
        else:
            warn("not-a-report", f"reports[{i}]", "is not a report and is left out")
    if not found:
        raise InputError("not a D3d12info report", file=file, accepted=("an object, or a list of objects",))
    return found


def _is_adapter(item: dict[str, object]) -> bool:
    return "Adapters" not in item and any(key.startswith("DXGI_ADAPTER_DESC") for key in item)


def _read_report(report: Section, adapters: list[Adapter], runs: list[D3d12InfoRun], warn: Warn) -> None:
    header, machine = report.section("Header"), report.section("SystemInfo")
    preview = bool(header.flag("Using preview Agility SDK"))
    experimental = any(at.get("D3D12EnableExperimentalFeatures") for at in (report.values, machine.values))
    date = header.text("Generated on")
    date = date[:10] if date and _DATE.match(date) else None
    version = header.text("Version")
    listed = _adapter_sections(report, warn)
    memory = machine.section("System memory").number("MEMORYSTATUSEX::ullTotalPhys")
    kind = ("preview" if preview else "retail") + " SDK" + (", experimental features on" if experimental else "")
    facts = ReportFacts(
        source=f"D3d12info {version or 'of unknown version'} report, {date or 'no date'}, {kind}",
        date=date,
        system_memory_bytes=memory or None,
        system_rate=next((rate for at in listed if is_integrated(at) and (rate := reported_bandwidth(at))), None),
    )
    ids: list[str] = []
    for section in listed:
        adapter_id = _unique_id(section, preview, {a.id for a in adapters})
        try:
            adapter = build_adapter(section, adapter_id, facts)
        except ExplorerError as error:
            where = f"{section.where}: {error.complaint.where}" if error.complaint.where else section.where
            warn("unreadable-adapter", where, f"the adapter is left out: {error.complaint.message}")
            continue
        adapters.append(adapter)
        ids.append(adapter_id)
    windows = machine.section("OS Info").text("Windows version")
    runs.append(D3d12InfoRun(version, date, preview, experimental, windows, memory, tuple(ids)))


def _adapter_sections(report: Section, warn: Warn) -> list[Section]:
    value = report.values.get("Adapters")
    if value is None and _is_adapter(dict(report.values)):
        return [report]
    if isinstance(value, dict):
        # Some writers number the adapters instead of listing them.
        held = cast("dict[str, object]", value)
        value = [held] if _is_adapter(held) else list(held.values())
    if not isinstance(value, list):
        warn("no-adapters", f"{report.where}.Adapters", "is not a list of adapters; the report is left out")
        return []
    rows = cast("list[object]", value)
    if len(rows) > MAX_ADAPTERS:
        warn("too-many-adapters", f"{report.where}.Adapters", f"only the first {MAX_ADAPTERS} are read")
    sections: list[Section] = []
    for i, row in enumerate(rows[:MAX_ADAPTERS]):
        where = f"{report.where}.Adapters[{i}]"
        if isinstance(row, dict):
            sections.append(Section(cast("dict[str, object]", row), where, warn))
        else:
            warn("not-an-adapter", where, "is not an adapter and is left out")
    return sections


def _unique_id(section: Section, preview: bool, taken: set[str]) -> str:
    desc = section.section("DXGI_ADAPTER_DESC3", "DXGI_ADAPTER_DESC2", "DXGI_ADAPTER_DESC1", "DXGI_ADAPTER_DESC")
    words = re.sub(r"\((?:r|tm|c)\)", "", (desc.text("Description") or "").lower())
    slug = re.sub(r"[^a-z0-9]+", "-", words).strip("-")[:40].strip("-") or "adapter"
    base = f"{slug}-preview" if preview else slug
    number = 1
    while (name := base if number == 1 else f"{base}-{number}") in taken:
        number += 1
    return name
