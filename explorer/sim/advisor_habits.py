"""Advice that no snapshot can check: habits, read from the texts of the product."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Annotated

from explorer.core.schema import Key, Length, decode
from explorer.sim.advisor import Advice
from explorer.sim.why_rules import rule_reason
from explorer.tables.locations import resources_folder
from explorer.tables.toml_reader import read_toml

_Text = Annotated[str, Length(1, 400)]


@dataclass(frozen=True, slots=True)
class _Habit:
    api: _Text
    topic: _Text
    claim: _Text
    evidence: _Text
    source: _Text
    rule: _Text | None = None


@dataclass(frozen=True, slots=True)
class _File:
    habits: Annotated[tuple[_Habit, ...], Key("habit")]


@functools.cache
def habits(api: str) -> tuple[Advice, ...]:
    """Return the habits of an API (``Facts.api``); they have neither figures nor items.

    Raises:
        InputError: The texts of the product are missing or broken.
    """
    file = decode(read_toml(resources_folder() / "texts" / "advice.toml"), _File)
    return tuple(_advice(index, one) for index, one in enumerate(file.habits) if one.api == api)


def _advice(index: int, one: _Habit) -> Advice:
    reason = rule_reason(one.rule) if one.rule else None
    rule, text = ("", "") if reason is None else (reason.rule, reason.text)
    return Advice(f"habit-{index}", one.topic, "plain", one.claim, one.evidence, {}, (), rule, text, one.source)
