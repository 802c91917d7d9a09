"""Random numbers as pure functions of a seed and a place: integers only, the same on every machine.

A stream has no state. The number at a place is a hash of ``(seed, stream, index)``, so any frame can be computed
without the frames before it, and adding a stream does not shift another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def mix(value: int) -> int:
    """Return 64 well-mixed bits of a 64-bit value (the finaliser of SplitMix64; Steele, Lea, Flood 2014)."""
    value = (value + _GOLDEN) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def stream(seed: int, name: str) -> int:
    """Return the key of a named stream."""
    key = mix(seed & _MASK)
    for byte in name.encode():
        key = mix(key ^ byte)
    return key


def bits(key: int, index: int) -> int:
    """Return the 64 random bits at a place of a stream."""
    return mix(key ^ mix(index & _MASK))


def below(key: int, index: int, limit: int) -> int:
    """Return a number 0 … limit − 1, evenly spread (limit > 0, far below 2^64)."""
    return (bits(key, index) * limit) >> 64


def below_each(key: int, indices: npt.NDArray[np.int64], limits: npt.NDArray[np.int64] | int) -> npt.NDArray[np.int64]:
    """Return ``below`` for each index, as one column.

    Args:
        key: Key of the stream.
        indices: Places of the stream, >= 0; shape (n,).
        limits: 1 … 2^32 − 1, one for all or one for each.
    """
    limit = np.asarray(limits, np.uint64)
    bits64 = _mix_each(np.uint64(key) ^ _mix_each(indices.astype(np.uint64)))
    half = np.uint64(32)
    high, low = bits64 >> half, bits64 & np.uint64(0xFFFFFFFF)
    # The upper half of the product of 128 bits, without ever needing more than 64.
    return ((high * limit + (low * limit >> half)) >> half).astype(np.int64)


def _mix_each(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return ``mix`` of each value; unsigned columns wrap around as it masks."""
    values = values + np.uint64(_GOLDEN)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def choose(key: int, index: int, weights: Sequence[int]) -> int:
    """Return an index into ``weights``, each as likely as its weight says (integers >= 0, sum > 0)."""
    at = below(key, index, sum(weights))
    for position, weight in enumerate(weights):
        if at < weight:
            return position
        at -= weight
    raise ValueError("weights must have a positive sum")
