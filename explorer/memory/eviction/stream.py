"""A recorded stream of references: what the laboratory runs policies over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from explorer.core.units import MAX_BYTES
from explorer.errors import InputError

MAX_REQUESTS = (1 << 31) - 2
"""Most references in one stream: kernels count them in 32 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceStream:
    """References to objects, in the order of time. Make one with ``reference_stream``.

    Attributes:
        ids: Object of each reference, 0 … objects - 1; shape (n,), uint32, read-only.
        sizes: Bytes of each object, >= 0; shape (objects,), int64, read-only.
        frames: Frame of each reference, >= 0; shape (n,), int32, read-only.
        priorities: Priority of each object, the lowest leaves first; shape (objects,), int64, read-only.
    """

    ids: npt.NDArray[np.uint32]
    sizes: npt.NDArray[np.int64]
    frames: npt.NDArray[np.int32]
    priorities: npt.NDArray[np.int64]

    @property
    def requests(self) -> int:
        """Number of references."""
        return self.ids.size

    @property
    def objects(self) -> int:
        """Number of different objects that are referenced."""
        return int(np.count_nonzero(self._uses()))

    @property
    def unique_bytes(self) -> int:
        """Bytes of all objects that are referenced, each once: the budget with no eviction."""
        return int(self.sizes[self._uses() > 0].sum())

    @property
    def requested_bytes(self) -> int:
        """Bytes of all references together: what would be fetched with no memory at all."""
        return int((self._uses() * self.sizes).sum())

    def _uses(self) -> npt.NDArray[np.int64]:
        return np.bincount(self.ids, minlength=self.sizes.size).astype(np.int64)


def reference_stream(
    ids: npt.ArrayLike,
    sizes: npt.ArrayLike,
    *,
    frames: npt.ArrayLike | None = None,
    priorities: npt.ArrayLike | None = None,
) -> ReferenceStream:
    """Return a stream from columns, checked and copied.

    Args:
        ids: Object of each reference, shape (n,), integers that index ``sizes``.
        sizes: Bytes of each object, shape (objects,), integers >= 0.
        frames: Frame of each reference, shape (n,), integers >= 0; None: all in one frame.
        priorities: Priority of each object, shape (objects,), integers; None: all 0.

    Raises:
        InputError: A column is not of integers, has the wrong length, or holds a value out of range; or the bytes of
            all references together are 2^63 or more.
    """
    id_column = _integers("ids", ids, 0, None)
    size_column = _integers("sizes", sizes, 0, MAX_BYTES)
    if id_column.size > MAX_REQUESTS:
        raise InputError("too many references", where="ids", found=id_column.size, accepted=(f"up to {MAX_REQUESTS}",))
    if id_column.size and int(id_column.max()) >= size_column.size:
        accepted = (f"0 to {size_column.size - 1}",)
        raise InputError(
            "a reference to an object without a size", where="ids", found=int(id_column.max()), accepted=accepted
        )
    frame_column = (
        np.zeros(id_column.size, np.int64) if frames is None else _integers("frames", frames, 0, (1 << 31) - 1)
    )
    priority_column = (
        np.zeros(size_column.size, np.int64) if priorities is None else _integers("priorities", priorities)
    )
    for name, column, length in (
        ("frames", frame_column, id_column.size),
        ("priorities", priority_column, size_column.size),
    ):
        if column.size != length:
            raise InputError("a column of another length", where=name, found=column.size, accepted=(str(length),))
    uses = np.bincount(id_column, minlength=size_column.size)
    # In Python integers: the check of an overflow must not overflow.
    if size_column.size and int(size_column.max()) * id_column.size > MAX_BYTES:
        total = sum(int(count) * int(size) for count, size in zip(uses, size_column, strict=True))
        if total > MAX_BYTES or int(size_column.astype(object).sum()) > MAX_BYTES:
            raise InputError("all references together must stay below 2^63 bytes", where="sizes", found=total)
    columns = (
        id_column.astype(np.uint32),
        size_column.copy(),
        frame_column.astype(np.int32),
        priority_column.copy(),
    )
    for column in columns:
        column.flags.writeable = False
    return ReferenceStream(*columns)


def _integers(
    name: str, values: npt.ArrayLike, lowest: int | None = None, highest: int | None = None
) -> npt.NDArray[np.int64]:
    given = np.asarray(values)
    if given.size == 0 and given.ndim == 1:
        return np.zeros(0, np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise InputError("not a column of integers", where=name, found=f"{given.dtype} of shape {given.shape}")
    if lowest is not None and int(given.min()) < lowest:
        raise InputError("a value is too small", where=name, found=int(given.min()), accepted=(f"{lowest} or more",))
    if highest is not None and int(given.max()) > highest:
        raise InputError("a value is too large", where=name, found=int(given.max()), accepted=(f"up to {highest}",))
    return given.astype(np.int64)
