"""Memory types of a VMA dump: the heap behind each name, and a heap of its own where the dump names none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.interchange.importers.dump_layout import DumpSegment

if TYPE_CHECKING:
    from explorer.interchange.importers.dump_layout import DumpLayout
    from explorer.interchange.importers.source import Source
    from explorer.interchange.opened import Layout


class MemoryTypes:
    """The heaps of a dump and the memory types in them.

    Attributes:
        stated: What the dump says of each heap's layout, in the order of the segments.
    """

    def __init__(self, layout: DumpLayout, source: Source) -> None:
        self._layout = layout
        self._source = source
        self._segment_of: dict[str, int] = {}
        self.stated: list[Layout | None] = []

    def add_heap(self, segment: DumpSegment, type_names: list[str], stated: Layout | None) -> None:
        """Add a heap with its memory types."""
        for name in type_names:
            self._segment_of[name] = len(self._layout.segments)
        self._layout.segments.append(segment)
        self.stated.append(stated)

    def segment_of(self, type_name: str) -> int:
        """Return the index of a memory type's segment; a type that no heap names gets one, with a warning."""
        if type_name not in self._segment_of:
            self._source.warn("unknown-type", type_name, "no memory heap names this memory type")
            self.add_heap(DumpSegment(f"heap of {type_name}", "NON_LOCAL"), [type_name], None)
        return self._segment_of[type_name]
