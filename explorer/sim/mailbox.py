"""One slot between the simulation thread and the window."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot


class SnapshotMailbox:
    """Hands the newest snapshot from the simulation thread to the GUI thread.

    A newer snapshot replaces an unread one, so a slow reader never holds up the simulation and never reads old news.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: Snapshot | None = None
        self.dropped = 0

    def put(self, snapshot: Snapshot) -> None:
        """Store the newest snapshot."""
        with self._lock:
            self.dropped += self._newest is not None
            self._newest = snapshot

    def take(self) -> Snapshot | None:
        """Return the newest unread snapshot, once."""
        with self._lock:
            newest, self._newest = self._newest, None
            return newest

    @property
    def is_empty(self) -> bool:
        """True when the last snapshot was taken: only then is it worth making another."""
        with self._lock:
            return self._newest is None
