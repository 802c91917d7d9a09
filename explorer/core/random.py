"""Random numbers as pure functions of a seed and a place: integers only, the same on every machine.

A stream has no state. The number at a place is a hash of ``(seed, stream, index)``, so any frame can be computed
without the frames before it, and adding a stream does not shift another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def choose(key: int, index: int, weights: Sequence[int]) -> int:
    """Return an index into ``weights``, each as likely as its weight says (integers >= 0, sum > 0)."""
    at = below(key, index, sum(weights))
    for position, weight in enumerate(weights):
        if at < weight:
            return position
        at -= weight
    raise ValueError("weights must have a positive sum")
