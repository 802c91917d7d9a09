"""A conformance record of Direct3D 9 as its answerers see it, and the answer as they build it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.rules.d3d9_create import judge_create
from explorer.rules.d3d9_phrases import NotUnderstoodError
from explorer.rules.d3d9_resource import Resource, describe
from explorer.rules.d3d9_verdicts import reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.d3d9 import CreateInput
    from explorer.core.verdicts import Reason, Verdict
    from explorer.rules.d3d9_runtime import Runtime
    from explorer.rules.records import VectorRecord

RUNTIMES = (("_winxp", "xp"), ("_win7", "win7"))
"""Key endings and the Windows version whose answer they hold."""


class Question:
    """A record with its device. Every key of the input must be read, or the record is not understood.

    Attributes:
        record: The record.
        runtime: The device that it speaks of.
        result: Key → value, as far as it is answered.
        reasons: Rule id → reason, the decisive one first.
        values: Out values of the creation, if there was one.
        why: What is not answered, or None.
    """

    __slots__ = ("_left", "_set", "reasons", "record", "result", "runtime", "values", "why")

    def __init__(self, record: VectorRecord, runtime: Runtime) -> None:
        self.record = record
        self.runtime = runtime
        self.result: dict[str, object] = {}
        self.reasons: dict[str, Reason] = {}
        self.why: str | None = None
        self.values: Mapping[str, object] = {}
        self._set = record.input
        self._left = set(record.input)

    def get(self, key: str, default: object = None) -> object:
        """Return a value of the input and mark its key as understood."""
        self._left.discard(key)
        return self._set.get(key, default)

    def has(self, key: str) -> bool:
        """Return whether the input has a key."""
        return key in self._set

    def need(self, key: str) -> object:
        """Return a value of the input that must be there.

        Raises:
            NotUnderstoodError: It is missing.
        """
        if key not in self._set:
            raise NotUnderstoodError(f"{key} is missing")
        return self.get(key)

    def text(self, key: str) -> str:
        """Return a text of the input that must be there."""
        value = self.need(key)
        if not isinstance(value, str):
            raise NotUnderstoodError(f"{key} {value}")
        return value

    def flags(self, key: str) -> Mapping[str, object]:
        """Return the input for reading flags under ``key`` and ``key_value``."""
        self._left.discard(key)
        self._left.discard(f"{key}_value")
        return self._set

    def unread(self) -> list[str]:
        """Return the keys that nobody has read."""
        return sorted(self._left)

    def use(self, verdict: Verdict) -> Verdict:
        """Keep the reasons of a verdict."""
        for item in verdict.reasons:
            self.reasons.setdefault(item.rule, item)
        return verdict

    def because(self, *rules: str) -> None:
        """Keep rules as reasons."""
        for rule in rules:
            found = reason(rule)
            self.reasons.setdefault(found.rule, found)

    def words(self, key: str, rule: str) -> None:
        """Answer a key that is in words by the rule that says it."""
        self.because(rule)
        self.result[key] = {"rule": reason(rule).rule}

    def on(self, windows: str) -> Runtime:
        """Return the device under another version of Windows."""
        return replace(self.runtime, windows=windows)

    def put(self, key: str, value: object) -> None:
        """Answer a key."""
        self.result[key] = value

    def create(self, arguments: CreateInput, key: str = "create_hr") -> Resource | None:
        """Answer a creation; return the resource, or None where it is refused."""
        verdict = self.use(judge_create(arguments, self.runtime))
        self.put(key, verdict.hr)
        self.values = verdict.values
        return describe(arguments, self.runtime) if verdict.succeeded else None
