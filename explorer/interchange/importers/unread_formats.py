"""Formats that are known but not read: an honest message is better than "unknown"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.interchange.importers.source import Source


def name_of_unread_format(source: Source) -> str | None:
    """Return what the file is, with its article, or None."""
    members = source.members or {}
    head = source.data[:4096]
    for is_it, name in (
        (head.startswith(b"Vulkan Memory Allocator,Calls recording"), "a VmaReplay recording"),
        (head.startswith((b"AMD_RDF ", b"RTA_DATA")), "a Radeon Memory Visualizer trace"),
        ("traceEvents" in members, "a trace-event file (GPGMM or another)"),
        ("segments" in members and "device_traces" in members, "a PyTorch memory snapshot"),
        (head.startswith(b"\x80"), "a Python pickle (perhaps a PyTorch memory snapshot)"),
        (_is_memory_report(source.data), "an Unreal memory report"),
        (head.startswith(b"frame,resource,size"), "a reference stream (CSV)"),
        (head.startswith(b"\x89PNG"), "a PNG picture"),
        (head.startswith(b"PK\x03\x04"), "a ZIP archive"),
    ):
        if is_it:
            return name
    return None


def _is_memory_report(data: bytes) -> bool:
    # Reports of engines before 5.1 have no "MemReport:" lines around their parts.
    head = data[:65536]
    return b"MemReport: Begin command" in data or (b"Time Since Boot:" in head and b"Platform Memory Stats for" in head)
