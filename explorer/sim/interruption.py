"""Ends long work of a simulation's thread between two of its steps: a load, or a seek over many frames.

A run that was interrupted is thrown away, so nothing of it can differ from another run.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_thread = threading.local()


class Interrupted(Exception):  # noqa: N818 - no error: what was asked for is no longer wanted
    """The work of this thread is no longer wanted."""


@contextmanager
def interruptible(is_wanted: Callable[[], bool]) -> Generator[None]:
    """Let long work of this thread end early, and quietly, once ``is_wanted`` says no.

    Args:
        is_wanted: Asked between steps of the work; any thread may change its answer.
    """
    _thread.is_wanted = is_wanted
    try:
        yield
    except Interrupted:
        return
    finally:
        del _thread.is_wanted


def check() -> None:
    """Go on, or leave.

    Raises:
        Interrupted: The thread's work is no longer wanted.
    """
    is_wanted: Callable[[], bool] | None = getattr(_thread, "is_wanted", None)
    if is_wanted is not None and not is_wanted():
        raise Interrupted
