"""Who runs first: the simulation's thread waits between two calls while the window works."""

from __future__ import annotations

import threading

_LONGEST_S = 0.02


class RightOfWay:
    """A gate in front of every call of a running scenario.

    Two threads that run Python share one interpreter: a paint of 4 ms beside a busy simulation takes 8. The simulation
    loses nothing by waiting, it only runs before or after. ``claim`` and ``release`` belong to the window, ``wait`` to
    the simulation's thread.
    """

    def __init__(self) -> None:
        self._is_free = threading.Event()
        self._is_free.set()

    def claim(self) -> None:
        """Have the simulation wait from its next call on."""
        self._is_free.clear()

    def release(self) -> None:
        """Let it go on."""
        self._is_free.set()

    def wait(self) -> None:
        """Wait until the window has finished, at most 20 ms: a window that takes longer shares the interpreter."""
        if not self._is_free.is_set() and not self._is_free.wait(_LONGEST_S):
            self._is_free.set()
