"""Conformance records: read them from vector files and JSON Lines, answer them, hold the answers against expectations.

A record is read into what an answer may depend on (``VectorRecord``) and, apart from it, what only the comparison may
see (``expect``). Streams are read line by line; nothing is kept.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, cast

import msgspec

from explorer.core.calls import APIS
from explorer.errors import InputError
from explorer.rules.compare import Comparison, compare, plain_key
from explorer.rules.records import CheckOptions, RecordAnswer, VectorRecord
from explorer.tables.check_tables import table_of

if TYPE_CHECKING:
    from typing import TypeGuard

AskDevice = Callable[[VectorRecord, CheckOptions], RecordAnswer | None]
"""Answers a record on a simulated device, or leaves it to the rules with None."""

STATUSES = ("answered", "partial", "not_simulated", "not_understood", "skipped")

VECTOR_SCHEMAS = ("d3d9-vectors/1", "d3d11-vectors/1", "d3d12-vectors/1")

_STEP_KINDS = frozenset({"lost_device_sequences", "resource_priority"})
_STIMULI = ("event", "call", "arg")
_FORMS = ("an object with schema and vectors", "JSON Lines, one record a line")


@dataclass(frozen=True, slots=True)
class CheckRecord:
    """A record with what stands beside the question.

    Attributes:
        id: Its name, or None.
        record: What the answer may depend on.
        expect: The expected keys, or None.
        disputed: Shown, but never a disagreement.
        line: 1-based line of a stream, else None.
    """

    id: str | None
    record: VectorRecord
    expect: Mapping[str, object] | None
    disputed: bool
    line: int | None


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The answer to one record and how it stands.

    Attributes:
        verdict: Which column of the summary counts it: ``agree``, ``disagree``, ``disputed``, ``partial``,
            ``not_simulated``, ``not_understood``, ``skipped`` or ``no_expect``.
    """

    source: CheckRecord
    answer: RecordAnswer
    comparison: Comparison
    verdict: str


def read_records(stream: IO[bytes], file: str) -> Iterator[CheckRecord]:
    """Yield the records of a vector file or of a JSON Lines stream.

    Args:
        stream: Bytes of UTF-8; what the file is, is decided by its first line.
        file: Its name for messages.

    Raises:
        InputError: Not readable as either, or a record is malformed; names file, line and place.
    """
    lines = _lines(stream, file)
    start = next(lines, None)
    if start is None:
        raise InputError("the file is empty", file=file, accepted=_FORMS)
    number, text = start
    first = _whole_object(text)
    if first is None or "vectors" in first:
        # Blank lines are kept in number, so that a message can name the line.
        data = b"\n" * (number - 1) + text + b"".join(rest for _, rest in lines)
        yield from _vectors(_decode(data, file, None), file)
        return
    for line, raw in itertools.chain([(number, text)], lines):
        if not raw.strip():
            continue
        try:
            data = _decode(raw, file, line)
            yield _record(data, None, "", file, line)
        except InputError as error:
            raise InputError(
                error.complaint.message, file=file, line=line, where=error.complaint.where,
                found=error.complaint.found, accepted=error.complaint.accepted,
            ) from error  # fmt: skip


def _lines(stream: IO[bytes], file: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines from the first that is not blank on, with their numbers."""
    started = False
    try:
        for number, line in enumerate(stream, 1):
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            started = started or bool(text.strip())
            if started:
                yield number, text
    except OSError as error:
        raise InputError("the file cannot be read", file=file, found=error.strerror or str(error)) from error


def _whole_object(text: bytes) -> Mapping[str, object] | None:
    """Return the object that a first line holds, or None if it is only the beginning of something."""
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        # A broken or unfinished line; a single line that looks like a record is judged where it is read.
        return {} if _looks_whole(text) else None
    return cast("Mapping[str, object]", data) if isinstance(data, dict) else {}


def _looks_whole(text: bytes) -> bool:
    bare = text.strip()
    return bare.startswith(b"{") and bare.endswith(b"}")


def _decode(text: bytes, file: str, line: int | None) -> object:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _decode_again(text, file, line, error)


def _decode_again(text: bytes, file: str, line: int | None, error: Exception) -> object:
    # The fast decoder takes no integer beyond 64 bits, JSON does; half of a surrogate pair is no text for either.
    try:
        data: object = json.loads(text, parse_constant=_no_constant)
        if b"\\ud" in text.lower():
            json.dumps(data, ensure_ascii=False).encode()
        return data
    except json.JSONDecodeError as broken:
        at = broken.lineno if line is None else line
        raise InputError("not JSON", file=file, line=at, found=broken.msg, accepted=_FORMS) from error
    except (ValueError, RecursionError) as broken:
        raise InputError("not JSON in UTF-8", file=file, line=line, found=str(broken), accepted=_FORMS) from error


def _no_constant(name: str) -> object:
    raise ValueError(name)


def _is_mapping(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, dict)


def _vectors(data: object, file: str) -> Iterator[CheckRecord]:
    if not _is_mapping(data) or "vectors" not in data:
        raise InputError("neither a vector file nor records", file=file, accepted=_FORMS)
    schema = data.get("schema")
    if schema not in VECTOR_SCHEMAS:
        raise InputError("unknown schema", file=file, where="schema", found=schema, accepted=VECTOR_SCHEMAS)
    kind = data.get("kind")
    if kind is not None and not isinstance(kind, str):
        raise InputError("wrong type", file=file, where="kind", found=kind, accepted=("a text",))
    vectors = data["vectors"]
    if not isinstance(vectors, list):
        raise InputError("wrong type", file=file, where="vectors", found=vectors, accepted=("a list of objects",))
    for index, vector in enumerate(cast("list[object]", vectors)):
        where = f"vectors[{index}]"
        if schema == "d3d12-vectors/1" and _is_mapping(vector):
            vector = {**vector, "api": "d3d12", "call": vector.get("api")}
        try:
            yield _record(vector, kind, where, file, None)
        except InputError as error:
            raise error.in_file(file) from error


def _record(data: object, kind: str | None, where: str, file: str, line: int | None) -> CheckRecord:
    at = f"{where}." if where else ""
    if not _is_mapping(data):
        raise InputError("wrong type", file=file, line=line, where=where or None, found=data, accepted=("an object",))
    api = data.get("api")
    if api not in APIS:
        raise InputError("unknown API", where=at + "api", found=api, accepted=APIS)
    call = data.get("call")
    if not isinstance(call, str):
        raise InputError("wrong type", where=at + "call", found=call, accepted=("a text",))
    own_kind = data.get("kind") if kind is None else kind
    if own_kind is not None and not isinstance(own_kind, str):
        raise InputError("wrong type", where=at + "kind", found=own_kind, accepted=("a text",))
    name = data.get("id")
    if name is not None and not isinstance(name, str):
        raise InputError("wrong type", where=at + "id", found=name, accepted=("a text",))
    expect = _object(data, "expect", at)
    inputs, steps = _stimuli(_object(data, "input", at) or {}, expect, own_kind, at)
    record = VectorRecord(
        api=cast("str", api), kind=own_kind, call=call, input=inputs,
        requires=_object(data, "requires", at) or {},
        preconditions=_texts(data, "preconditions", at) or (), want=_texts(data, "want", at), steps=steps,
    )  # fmt: skip
    return CheckRecord(name, record, expect, bool(data.get("disputed")), line)


def _object(data: Mapping[str, object], key: str, at: str) -> Mapping[str, object] | None:
    value = data.get(key)
    if value is None or _is_mapping(value):
        return value
    raise InputError("wrong type", where=at + key, found=value, accepted=("an object",))


def _texts(data: Mapping[str, object], key: str, at: str) -> tuple[str, ...] | None:
    value = data.get(key)
    if value is None:
        return None
    if isinstance(value, str):
        return (value,)
    items = cast("list[object]", value) if isinstance(value, list) else []
    texts = tuple(item for item in items if isinstance(item, str))
    if isinstance(value, list) and len(texts) == len(items):
        return texts
    raise InputError("wrong type", where=at + key, found=data.get(key), accepted=("a list of texts",))


def _stimuli(
    inputs: Mapping[str, object], expect: Mapping[str, object] | None, kind: str | None, at: str
) -> tuple[Mapping[str, object], tuple[Mapping[str, object], ...]]:
    """Return the input and the stimuli: two kinds write these into ``expect.steps``, beside the answers."""
    if kind not in _STEP_KINDS:
        return inputs, ()
    own = "steps" in inputs
    steps = inputs.get("steps") if own else (expect or {}).get("steps")
    if steps is None:
        return inputs, ()
    items = cast("list[object]", steps) if isinstance(steps, list) else []
    objects = [step for step in items if _is_mapping(step)]
    if not isinstance(steps, list) or len(objects) != len(items):
        where = at + ("input.steps" if own else "expect.steps")
        raise InputError("wrong type", where=where, found=repr(items), accepted=("a list of objects",))
    rest = {key: value for key, value in inputs.items() if key != "steps"}
    return rest, tuple({key: step[key] for key in _STIMULI if key in step} for step in objects)


@functools.cache
def _answerer(table: str) -> Callable[[VectorRecord, CheckOptions], RecordAnswer]:
    return importlib.import_module(f"explorer.rules.{table}_records").answer


def answer(record: VectorRecord, options: CheckOptions, ask_device: AskDevice | None = None) -> RecordAnswer:
    """Return the answer to a record, limited to the wanted keys.

    Args:
        record: The record.
        options: What the caller fixed about the device.
        ask_device: Answers records that need a device with a past; None leaves a record to the rules.
    """
    return _limited(record, _whole_answer(record, options, ask_device))


def _whole_answer(record: VectorRecord, options: CheckOptions, ask_device: AskDevice | None) -> RecordAnswer:
    found = ask_device(record, options) if ask_device is not None else None
    return _answerer(table_of(record.api))(record, options) if found is None else found


def _limited(record: VectorRecord, found: RecordAnswer) -> RecordAnswer:
    return found if record.want is None else _wanted(found, record.want)


def _wanted(found: RecordAnswer, want: tuple[str, ...]) -> RecordAnswer:
    if found.status not in ("answered", "partial"):
        return found
    keys = [key if key in found.result else plain_key(key) for key in want]
    result = {key: found.result[key] for key in keys if key in found.result}
    lacking = [key for key, plain in zip(want, keys, strict=True) if plain not in found.result]
    if not lacking:
        # What was left out was not asked for.
        return replace(found, status="answered", result=result, why=None)
    status = "partial" if result else "not_simulated"
    reasons = found.reasons if result else ()
    return RecordAnswer(status, result, reasons, f"not answered: {', '.join(lacking)}")


def check(source: CheckRecord, options: CheckOptions, ask_device: AskDevice | None = None) -> CheckedAnswer:
    """Return the answer to a record and how it stands against what the record expects."""
    whole = _whole_answer(source.record, options, ask_device)
    found = _limited(source.record, whole)
    if source.expect is None or found.status not in ("answered", "partial"):
        comparison = Comparison(None)
    else:
        comparison = _judged(source, whole)
    return CheckedAnswer(source, found, comparison, _verdict(source, found, comparison))


def _judged(source: CheckRecord, found: RecordAnswer) -> Comparison:
    want = source.record.want
    # The whole answer is held against the expected keys that were asked for: a rule may refer to a key that was not.
    expect = source.expect or {}
    asked = expect if want is None else {key: expect[key] for key in expect if _is_asked_for(key, want)}
    comparison = compare(source.record, asked, found.result)
    if found.status == "answered" and comparison.missing and want is None:
        # An answer that calls itself whole and lacks an expected key says something else.
        return Comparison(False, comparison.differs + comparison.missing, ())
    return comparison


def _is_asked_for(key: str, want: tuple[str, ...]) -> bool:
    if key.startswith("tolerance_"):
        # Not a key that is answered: how exactly the others are compared.
        return True
    return key in want or plain_key(key) in {*want, *map(plain_key, want)}


def _verdict(source: CheckRecord, found: RecordAnswer, comparison: Comparison) -> str:
    if found.status in ("not_simulated", "not_understood", "skipped"):
        return found.status
    if source.disputed and comparison.agrees is not None:
        return "disputed"
    if comparison.agrees is not None:
        return "agree" if comparison.agrees else "disagree"
    return "partial" if found.status == "partial" or comparison.missing else "no_expect"


def check_all(
    sources: Iterable[CheckRecord], options: CheckOptions, ask_device: AskDevice | None = None
) -> Iterator[CheckedAnswer]:
    """Yield the checked answers in the order of the records."""
    for source in sources:
        yield check(source, options, ask_device)
