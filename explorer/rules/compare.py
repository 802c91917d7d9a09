"""Does an answer agree with what a record expects? Values are compared as what they mean, never as they are spelt.

The rules are those of the command ``check``: HRESULT names by value, numbers in any spelling, bounds in the key's
ending, objects by the expected keys only, lists element by element. Sentences are not compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from explorer.core.dxgi import full_chain
from explorer.core.units import align_up
from explorer.tables.check_tables import hresults, machine_keys

if TYPE_CHECKING:
    from explorer.rules.records import VectorRecord

UINT64_MAX = (1 << 64) - 1

_BOUNDS: Mapping[str, Callable[[float, float], bool]] = {
    "_min": lambda value, bound: value >= bound,
    "_max": lambda value, bound: value <= bound,
    "_greater_than": lambda value, bound: value > bound,
    "_less_than": lambda value, bound: value < bound,
}
_LISTS = ("_any_of", "_contains")
_RULE = "_rule"
_ALLOWED = "allowed_"
_TOLERANCE = "tolerance_"
_STIMULI = frozenset({"event", "call", "arg"})
_IN_FULL = frozenset({"dst_changed", "per_submission"})
"""Objects whose unnamed keys must be absent from the answer."""
_PACKED = "packed_mips"
_ALIGN_RULE = "align_up(Width, Alignment)"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How an answer stands against the expected values.

    Attributes:
        agrees: None where nothing machine-checkable was expected, or not all of it was answered.
        differs: Expected keys whose values differ, in the order of the record.
        missing: Machine-checkable expected keys that the answer lacks.
    """

    agrees: bool | None
    differs: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def plain_key(key: str) -> str:
    """Return the key that answers an expected one: without bound, list or rule ending."""
    for ending in (*_BOUNDS, *_LISTS, _RULE):
        if key.endswith(ending):
            return key[: -len(ending)]
    return key.removeprefix(_ALLOWED)


def compare(record: VectorRecord, expect: Mapping[str, object], result: Mapping[str, object]) -> Comparison:
    """Return whether ``result`` agrees with ``expect`` over the machine-checkable keys.

    Args:
        record: Gives API and kind, and the input that rules such as ``align_up(Width, Alignment)`` refer to.
        expect: Expected keys, bounds included.
        result: The answer under plain keys.
    """
    machine = machine_keys(record.api, record.kind)
    tolerance = max((float(number(v) or 0) for k, v in expect.items() if k.startswith(_TOLERANCE)), default=0.0)
    differs: list[str] = []
    missing: list[str] = []
    compared = 0
    for key, wanted in expect.items():
        outcome = _one(record, key, wanted, result, machine, tolerance)
        if outcome is None:
            continue
        compared += 1
        if outcome == "differs":
            differs.append(key)
        elif outcome == "missing":
            missing.append(key)
    if differs:
        return Comparison(False, tuple(differs), tuple(missing))
    return Comparison(True if compared and not missing else None, (), tuple(missing))


def _one(
    record: VectorRecord,
    key: str,
    wanted: object,
    result: Mapping[str, object],
    machine: frozenset[str],
    tolerance: float,
) -> str | None:
    """Return ``agrees``, ``differs``, ``missing``, or None for what is not compared."""
    if key.startswith(_TOLERANCE):
        return None
    if key == _PACKED and "num_packed_mips" in machine:
        return _packed_mips(record, wanted, result)
    if key in machine:
        plain = key
    else:
        plain = plain_key(key)
        # What the table calls words (allowed_create_failures) is in no machine list, so it ends here.
        if plain not in machine or plain == key or (key.endswith(_RULE) and wanted != _ALIGN_RULE):
            return None
    if plain not in result:
        return "agrees" if wanted is None else "missing"
    answer = result[plain]
    if plain != key:
        return "agrees" if _bounded(record, key, wanted, result, answer) else "differs"
    if key == "allowed" and not isinstance(wanted, bool):
        return None
    return "agrees" if matches(wanted, answer, key, tolerance) else "differs"


def _bounded(record: VectorRecord, key: str, wanted: object, result: Mapping[str, object], answer: object) -> bool:
    for ending, holds in _BOUNDS.items():
        if key.endswith(ending):
            value, bound = number(answer), number(wanted)
            return value is not None and bound is not None and holds(value, bound)
    if key.endswith(_RULE):
        return _follows_align_rule(record, result, answer)
    if key.endswith("_contains"):
        return _contains(wanted, answer)
    return isinstance(wanted, list | tuple) and any(matches(w, answer) for w in cast("Sequence[object]", wanted))


def _contains(wanted: object, answer: object) -> bool:
    if not isinstance(wanted, list | tuple) or not isinstance(answer, list | tuple):
        return False
    there = cast("Sequence[object]", answer)
    return all(any(matches(w, a) for a in there) for w in cast("Sequence[object]", wanted))


def _description(record: VectorRecord) -> Mapping[str, object]:
    """Return the resource description in a record's input: ``desc``, the first of ``descs``, or the input itself."""
    desc = record.input.get("desc")
    descs = record.input.get("descs")
    if desc is None and isinstance(descs, list | tuple) and descs:
        desc = cast("Sequence[object]", descs)[0]
    return cast("Mapping[str, object]", desc) if isinstance(desc, Mapping) else record.input


def _follows_align_rule(record: VectorRecord, result: Mapping[str, object], answer: object) -> bool:
    width, alignment = number(_description(record).get("Width")), number(result.get("Alignment"))
    value = number(answer)
    if width is None or not alignment or value is None:
        return False
    return value == align_up(int(width), int(alignment))


def _packed_mips(record: VectorRecord, wanted: object, result: Mapping[str, object]) -> str | None:
    packed = number(result.get("num_packed_mips"))
    if packed is None:
        return "missing"
    fixed = number(wanted)
    if fixed is not None:
        return "agrees" if packed == fixed else "differs"
    standard = number(result.get("num_standard_mips"))
    levels = _levels(_description(record))
    if standard is None or levels is None:
        return "missing"
    return "agrees" if packed == levels - standard else "differs"


def _levels(desc: Mapping[str, object]) -> int | None:
    levels = number(desc.get("MipLevels", 1))
    if levels is None:
        return None
    if levels:
        return int(levels)
    extents = [number(desc.get("Width")) or 1, number(desc.get("Height", 1)) or 1]
    if str(desc.get("Dimension", "")).endswith("3D"):
        extents.append(number(desc.get("DepthOrArraySize", 1)) or 1)
    return full_chain(*(int(extent) for extent in extents))


def matches(wanted: object, answer: object, key: str = "", tolerance: float = 0.0) -> bool:
    """Return whether two values mean the same.

    Args:
        wanted: The expected value; of an object only the keys that it has count.
        answer: The value to compare.
        key: The key it stands under; some objects are compared in full.
        tolerance: For floats.
    """
    if wanted is None or answer is None:
        return _is_null(wanted) and _is_null(answer)
    if isinstance(wanted, bool) or isinstance(answer, bool):
        return wanted is answer
    if isinstance(wanted, Mapping):
        return isinstance(answer, Mapping) and _objects(
            cast("Mapping[str, object]", wanted), cast("Mapping[str, object]", answer), key, tolerance
        )
    if isinstance(wanted, list | tuple):
        return isinstance(answer, list | tuple) and _lists(
            cast("Sequence[object]", wanted), cast("Sequence[object]", answer), key, tolerance
        )
    return _scalars(wanted, answer, tolerance)


def _is_null(value: object) -> bool:
    return value is None or value == "NULL"


def _objects(wanted: Mapping[str, object], answer: Mapping[str, object], key: str, tolerance: float) -> bool:
    if key in _IN_FULL and set(answer) - set(wanted):
        return False
    for name, value in wanted.items():
        if name in answer:
            if not matches(value, answer[name], key, tolerance):
                return False
            continue
        plain = plain_key(name)
        if plain == name or plain not in answer:
            if value is None and name not in answer:
                continue
            return False
        if not _bounded_in_object(name, value, answer[plain]):
            return False
    return True


def _bounded_in_object(name: str, wanted: object, answer: object) -> bool:
    for ending, holds in _BOUNDS.items():
        if name.endswith(ending):
            value, bound = number(answer), number(wanted)
            return value is not None and bound is not None and holds(value, bound)
    if name.endswith("_contains"):
        return _contains(wanted, answer)
    return isinstance(wanted, list | tuple) and any(matches(w, answer) for w in cast("Sequence[object]", wanted))


def _lists(wanted: Sequence[object], answer: Sequence[object], key: str, tolerance: float) -> bool:
    if len(wanted) != len(answer):
        return False
    if key == "steps":
        wanted = [_answer_fields(step) for step in wanted]
    return all(matches(w, a, key, tolerance) for w, a in zip(wanted, answer, strict=True))


def _answer_fields(step: object) -> object:
    if not isinstance(step, Mapping):
        return step
    fields = cast("Mapping[str, object]", step)
    return {name: value for name, value in fields.items() if name not in _STIMULI}


def _scalars(wanted: object, answer: object, tolerance: float) -> bool:
    codes = hresults()
    if isinstance(wanted, str) and isinstance(answer, str):
        if wanted == answer:
            return True
        if wanted in codes and answer in codes:
            return codes[wanted] == codes[answer]
    left = codes.get(wanted, number(wanted)) if isinstance(wanted, str) else number(wanted)
    right = codes.get(answer, number(answer)) if isinstance(answer, str) else number(answer)
    if left is None or right is None:
        return False
    if isinstance(left, float) or isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-12, abs_tol=tolerance)
    return left == right


def number(value: object) -> int | float | None:
    """Return the number that a value spells (integer, decimal or ``0x`` text, ``UINT64_MAX``), or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str) or not value or not (value[0].isdigit() or value[0] in "-U"):
        return None
    if value == "UINT64_MAX":
        return UINT64_MAX
    try:
        return int(value, 16) if value[:2] in ("0x", "0X") else int(value, 10)
    except ValueError:
        pass
    try:
        return float(value)
    except ValueError:
        return None
