"""Call records: every change of the simulated device is one, whoever made it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from explorer.core.schema import Key, Length, OneOf, decode, encode
from explorer.errors import CallError

APIS = ("d3d9", "d3d9ex", "d3d10", "d3d10.1", "d3d11", "xg", "d3d12")


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of an API.

    Attributes:
        api: One of ``APIS``.
        call: The method's name without its interface, for example ``CreateTexture``.
        input: The parameters under the API's own names, constants in their official spelling.
        out: The name that later calls use for the created object; None where nothing is created.
    """

    api: Annotated[str, OneOf(APIS)]
    call: Annotated[str, Length(1, 80)]
    arguments: Annotated[Any, Key("input")]
    out: Annotated[str, Length(1, 260)] | None = None

    def __post_init__(self) -> None:
        """Refuse an input that is no object."""
        if not isinstance(self.arguments, Mapping):
            raise CallError("wrong type", where="input", found=self.arguments, accepted=("an object",))

    @property
    def inputs(self) -> Mapping[str, object]:
        """The parameters as a mapping."""
        return self.arguments


@dataclass(frozen=True, slots=True)
class CallSpec:
    """What a call accepts.

    Attributes:
        apis: The APIs that have the call.
        call: Its name.
        input_type: The dataclass that its ``input`` decodes to.
        creates: What kind of object it makes (``texture``, ``heap`` …), or None.
    """

    apis: tuple[str, ...]
    call: str
    input_type: type
    creates: str | None = None


@functools.cache
def call_specs() -> Mapping[tuple[str, str], CallSpec]:
    """Return every known call by (api, name)."""
    # Imported here: the API modules need CallSpec.
    from explorer.core import d3d9, d3d11, d3d12, d3d12_commands

    specs: dict[tuple[str, str], CallSpec] = {}
    for spec in (*d3d9.CALLS, *d3d11.CALLS, *d3d12.CALLS, *d3d12_commands.CALLS):
        for api in spec.apis:
            specs[api, spec.call] = spec
    return specs


def call_spec(api: str, call: str) -> CallSpec:
    """Return the specification of a call.

    Raises:
        CallError: The API has no such call here; the accepted ones are named.
    """
    spec = call_specs().get((api, call))
    if spec is None:
        accepted = tuple(name for of, name in call_specs() if of == api)
        raise CallError("unknown call", where="call", found=call, accepted=accepted or APIS)
    return spec


def decode_record(data: object) -> CallRecord:
    """Return plain data as a call record whose input is known to be well-formed.

    Raises:
        CallError: Names the path, what was found and what is accepted.
    """
    record = decode(data, CallRecord)
    decode_input(record)
    return record


def decode_input(record: CallRecord) -> Any:
    """Return the record's input as the dataclass of its call.

    Raises:
        CallError: Names the path below ``input``, what was found and what is accepted.
    """
    kind: type[Any] = call_spec(record.api, record.call).input_type
    return decode(record.arguments, kind, "input")


def make_record(api: str, call: str, arguments: object, out: str | None = None) -> CallRecord:
    """Return a record for typed arguments (an instance of the call's input type)."""
    return CallRecord(api, call, encode(arguments), out)


def encode_record(record: CallRecord) -> dict[str, object]:
    """Return the record as plain data: ``api``, ``call``, ``input``, and ``out`` if it is set."""
    data: dict[str, object] = {"api": record.api, "call": record.call, "input": encode(record.arguments)}
    if record.out is not None:
        data["out"] = record.out
    return data
