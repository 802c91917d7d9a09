"""A set of small integers that answers "which is the highest?" in a handful of steps, compiled.

Four levels of 64-bit words: a bit in one level says that a word of the level below is not empty. The top level is a
short row of words, scanned; one word of it covers 16 million numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.memory.kernels import flat_kernel, kernel

if TYPE_CHECKING:
    from explorer.memory.eviction.columns import Words


@flat_kernel
def put(low: Words, mid: Words, high: Words, top: Words, number: int) -> None:
    """Put a number into the set."""
    one = np.uint64(1)
    word = number >> 6
    was = low[word]
    low[word] = was | (one << np.uint64(number & 63))
    if was == 0:
        mid[word >> 6] |= one << np.uint64(word & 63)
        high[word >> 12] |= one << np.uint64((word >> 6) & 63)
        top[word >> 18] |= one << np.uint64((word >> 12) & 63)


@flat_kernel
def drop(low: Words, mid: Words, high: Words, top: Words, number: int) -> None:
    """Take a number out of the set; nothing happens if it is not in."""
    one = np.uint64(1)
    word = number >> 6
    low[word] &= ~(one << np.uint64(number & 63))
    if low[word] == 0:
        mid[word >> 6] &= ~(one << np.uint64(word & 63))
        if mid[word >> 6] == 0:
            high[word >> 12] &= ~(one << np.uint64((word >> 6) & 63))
            if high[word >> 12] == 0:
                top[word >> 18] &= ~(one << np.uint64((word >> 12) & 63))


@flat_kernel
def _highest_bit(word: np.uint64) -> int:
    bit = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(step):
            word >>= np.uint64(step)
            bit += step
    return bit


@flat_kernel
def highest(low: Words, mid: Words, high: Words, top: Words) -> int:
    """Return the highest number in the set, or -1."""
    index = top.size - 1
    while index >= 0 and top[index] == 0:
        index -= 1
    if index < 0:
        return -1
    index = (index << 6) | _highest_bit(top[index])
    index = (index << 6) | _highest_bit(high[index])
    index = (index << 6) | _highest_bit(mid[index])
    return (index << 6) | _highest_bit(low[index])


@kernel
def empty_bitmap(numbers: int) -> tuple[Words, Words, Words, Words]:
    """Return the four levels of an empty set of numbers 0 … ``numbers`` - 1."""
    words = (numbers >> 6) + 1
    return (
        np.zeros(words, np.uint64),
        np.zeros((words >> 6) + 1, np.uint64),
        np.zeros((words >> 12) + 1, np.uint64),
        np.zeros((words >> 18) + 1, np.uint64),
    )
