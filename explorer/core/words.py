"""Texts that columns of numbers point to."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Words:
    """Texts that columns point to, in the order in which they were met; a number never changes its meaning."""

    words: list[str] = field(default_factory=list[str])
    index: dict[str, int] = field(default_factory=dict[str, int])

    def number(self, word: str) -> int:
        """Return the index of a word, new or known."""
        found = self.index.get(word)
        if found is None:
            found = self.index[word] = len(self.words)
            self.words.append(word)
        return found

    def copy(self) -> Words:
        """Return an independent copy."""
        return Words(list(self.words), dict(self.index))
