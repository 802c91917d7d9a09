"""Streams that several tests run policies over."""

from __future__ import annotations

import numpy as np

from explorer.memory.eviction import ReferenceStream, reference_stream


def loop(objects: int, rounds: int, size: int = 65536) -> ReferenceStream:
    """Return a stream that uses all objects in turn, one round a frame."""
    ids = np.tile(np.arange(objects), rounds)
    return reference_stream(ids, np.full(objects, size), frames=np.repeat(np.arange(rounds), objects))
