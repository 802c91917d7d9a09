"""Bit searches and the two-level bit map that the compiled allocators share. Words are int64, used as 64 bits."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from explorer.memory.kernels import flat_kernel, is_jit_disabled, use_cache_folder

Words: TypeAlias = Any
"""An int64 array; elements count as plain integers here."""

if TYPE_CHECKING or is_jit_disabled():

    def lowest_bit(word: int) -> int:
        """Return the number of the lowest set bit of a word that is not 0."""
        return (int(word) & -int(word)).bit_length() - 1

    def highest_bit(word: int) -> int:
        """Return the number of the highest set bit of a positive number."""
        return int(word).bit_length() - 1

else:
    use_cache_folder()
    _extending: Any = import_module("numba.extending")
    _types: Any = import_module("numba.core.types")
    _ir: Any = import_module("llvmlite.ir")

    @_extending.intrinsic
    def lowest_bit(typing_context: Any, word: Any) -> Any:
        """Return the number of the lowest set bit of a word that is not 0."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], _ir.Constant(_ir.IntType(1), 1))

        return _types.int64(_types.int64), emit

    @_extending.intrinsic
    def highest_bit(typing_context: Any, word: Any) -> Any:
        """Return the number of the highest set bit of a positive number."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            zeros = builder.ctlz(arguments[0], _ir.Constant(_ir.IntType(1), 1))
            return builder.sub(_ir.Constant(_ir.IntType(64), 63), zeros)

        return _types.int64(_types.int64), emit


@flat_kernel
def set_bit(words: Words, number: int) -> None:
    """Mark ``number``; ``words[0]`` says which of ``words[1:]`` hold bits, each for 64 numbers."""
    words[1 + (number >> 6)] |= np.int64(1) << (number & 63)
    words[0] |= np.int64(1) << (number >> 6)


@flat_kernel
def clear_bit(words: Words, number: int) -> None:
    """Take the mark of ``number`` away."""
    word = number >> 6
    words[1 + word] &= ~(np.int64(1) << (number & 63))
    if words[1 + word] == 0:
        words[0] &= ~(np.int64(1) << word)


@flat_kernel
def next_bit(words: Words, number: int) -> int:
    """Return the lowest marked number that is at least ``number``, or -1."""
    word = number >> 6
    if word >= len(words) - 1:
        return -1
    bits = (words[1 + word] >> (number & 63)) << (number & 63)
    if bits == 0:
        if word == 63:
            return -1
        above = (words[0] >> (word + 1)) << (word + 1)
        if above == 0:
            return -1
        word = lowest_bit(above)
        bits = words[1 + word]
    return (word << 6) + lowest_bit(bits)
