"""Streams that several tests run policies over."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from explorer.memory.eviction import ReferenceStream, reference_stream


def zipf(seed: int, objects: int, requests: int, exponent: float) -> npt.NDArray[np.int64]:
    """Return ids drawn with probability 1 / rank ** exponent."""
    weights = 1.0 / np.arange(1, objects + 1) ** exponent
    edges = np.cumsum(weights / weights.sum())
    drawn = np.searchsorted(edges, np.random.default_rng(seed).random(requests))
    return np.minimum(drawn, objects - 1)


def mixed_sizes(seed: int, objects: int) -> npt.NDArray[np.int64]:
    """Return sizes from 4 KiB to 16 MiB, evenly over the powers of two."""
    powers = np.random.default_rng(seed).uniform(12, 24, objects)
    return np.exp2(powers).astype(np.int64)


def loop(objects: int, rounds: int, size: int = 65536) -> ReferenceStream:
    """Return a stream that uses all objects in turn, one round a frame."""
    ids = np.tile(np.arange(objects), rounds)
    return reference_stream(ids, np.full(objects, size), frames=np.repeat(np.arange(rounds), objects))


def named_streams(requests: int) -> dict[str, tuple[ReferenceStream, int]]:
    """Return the streams of the acceptance list with their budgets, scaled to a number of requests."""
    objects = max(requests // 10, 10)
    ids, sizes = zipf(1, objects, requests, 1.0), mixed_sizes(2, objects)
    small_ids, small_sizes = zipf(3, 2000, requests // 4, 0.8), mixed_sizes(4, 2000)
    oversize = small_sizes.copy()
    oversize[::50] = small_sizes.sum()
    in_loop = max(requests // 40, 11)
    return {
        "zipf 1.0": (reference_stream(ids, sizes), int(sizes.sum()) // 10),
        "unit sizes": (reference_stream(ids, np.ones(objects, np.int64)), objects // 10),
        "zipf 0.8": (reference_stream(small_ids, small_sizes), int(small_sizes.sum()) // 2),
        "loop": (loop(in_loop, 20), in_loop * 10 // 11 * 65536),
        "oversize": (reference_stream(small_ids, oversize), int(small_sizes.sum()) // 4),
    }
