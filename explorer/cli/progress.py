"""Progress of long work on standard error, on a terminal only."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_AFTER_S = 0.5
"""Work that is shorter shows nothing."""
_EVERY_S = 0.1


def progress_of(what: str, clock: Callable[[], float] = time.monotonic) -> Callable[[float], None] | None:
    """Return what takes the progress (0.0 … 1.0) of some work, or None where standard error is no terminal.

    Args:
        what: Verb and object, shown in front of the percentage.
        clock: Seconds.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    began = shown = clock()
    is_there = False

    def show(share: float) -> None:
        nonlocal shown, is_there
        now = clock()
        if share >= 1.0:
            if is_there:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
            is_there = False
            return
        if now - began < FIRST_AFTER_S or now - shown < _EVERY_S:
            return
        shown, is_there = now, True
        sys.stderr.write(f"\r\x1b[K{what}: {share:.0%}")
        sys.stderr.flush()

    return show
