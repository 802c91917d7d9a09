"""Decoded inputs of calls that come again: a scenario makes the same calls in every frame.

Decoding is a function of the record and what it gives is frozen, so one result serves every call that is spelled alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.core.calls import decode_input

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord

_KEPT = 16_384
_LONGEST = 2_000
"""Longer inputs are decoded each time: they would fill the memory and seldom come again."""

_decoded: dict[tuple[str, str, str], Any] = {}


def decode_known(record: CallRecord) -> Any:
    """Return the same as ``decode_input``.

    Raises:
        CallError: As ``decode_input``.
    """
    spelled = repr(record.arguments)
    if len(spelled) > _LONGEST:
        return decode_input(record)
    key = record.api, record.call, spelled
    found = _decoded.get(key)
    if found is None:
        found = decode_input(record)
        if len(_decoded) >= _KEPT:
            _decoded.clear()
        _decoded[key] = found
    return found
