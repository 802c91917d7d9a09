"""Every edit as an entry: a call or an option, and the moment it was made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from explorer.core.calls import CallRecord


class Moment(NamedTuple):
    """A point of a run: after ``step`` calls of frame ``frame``."""

    frame: int
    step: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One edit.

    Attributes:
        at: When it applies.
        record: The call, or None for an option.
        option: Name and value, or None for a call.
    """

    at: Moment
    record: CallRecord | None = None
    option: tuple[str, str] | None = None


@dataclass(slots=True)
class Journal:
    """The edits in the order of their moments, and those that were taken back.

    Attributes:
        entries: Sorted by moment; equal moments in the order of entry.
        added: The entries in the order in which they were made; the last one is undone first.
        undone: Entries that can be done again, the next one last.
    """

    entries: list[Entry] = field(default_factory=list[Entry])
    added: list[Entry] = field(default_factory=list[Entry])
    undone: list[Entry] = field(default_factory=list[Entry])

    def add(self, entry: Entry) -> None:
        """Enter an edit; what was undone before cannot be done again."""
        self._insert(entry)
        self.undone.clear()

    def undo(self) -> Entry | None:
        """Take back the last edit and return it."""
        if not self.added:
            return None
        entry = self.added.pop()
        position = next(i for i in range(len(self.entries) - 1, -1, -1) if self.entries[i] is entry)
        del self.entries[position]
        self.undone.append(entry)
        return entry

    def redo(self) -> Entry | None:
        """Enter the last undone edit again and return it."""
        if not self.undone:
            return None
        entry = self.undone.pop()
        self._insert(entry)
        return entry

    def at(self, moment: Moment) -> list[Entry]:
        """Return the edits of one moment, in order."""
        return [entry for entry in self.entries if entry.at == moment]

    def _insert(self, entry: Entry) -> None:
        position = len(self.entries)
        while position and self.entries[position - 1].at > entry.at:
            position -= 1
        self.entries.insert(position, entry)
        self.added.append(entry)
