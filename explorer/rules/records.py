"""Conformance records as the command ``check`` reads them, and the shape of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from explorer.core.verdicts import Reason
from explorer.tables.adapters import Adapter


@dataclass(frozen=True, slots=True)
class VectorRecord:
    """What an answer may depend on, and nothing else.

    Attributes:
        api: One of ``core.calls.APIS``.
        kind: The vector file's kind, or None for a free record.
        call: The call's name, as the record spells it.
        input: The parameters, as the record spells them.
        requires: Device capabilities under which the record holds.
        preconditions: The same as sentences.
        want: The keys to answer; None asks for all that apply.
        steps: The stimuli of a sequence (``expect.steps`` without its answer fields).
    """

    api: str
    kind: str | None
    call: str
    input: Mapping[str, object]
    requires: Mapping[str, object] = field(default_factory=dict[str, object])
    preconditions: tuple[str, ...] = ()
    want: tuple[str, ...] | None = None
    steps: tuple[Mapping[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What the caller fixed about the device.

    Attributes:
        adapter: The chosen adapter, or None for the default device.
        options: ``--option`` keys and values, as text.
    """

    adapter: Adapter | None = None
    options: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class RecordAnswer:
    """The answer to one record.

    Attributes:
        status: ``answered``, ``partial``, ``not_simulated``, ``not_understood`` or ``skipped``.
        result: Key → value; sentences are answered by ``{"rule": id}``.
        reasons: At least one where ``result`` is not empty.
        why: For every status but ``answered``: which call, key or phrase.
    """

    status: str
    result: Mapping[str, object]
    reasons: tuple[Reason, ...] = ()
    why: str | None = None
