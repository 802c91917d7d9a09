"""Rules of the kernel memory manager and of the product itself, as rows."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from explorer.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping


@functools.cache
def _file() -> Mapping[str, Any]:
    return json.loads(resources.files("explorer.tables").joinpath("kernel_rules.json").read_text("utf-8"))


def _rows() -> list[list[str]]:
    return _file()["rows"]


def kernel_checked() -> str:
    """Return the date of the last check of these rules against their sources, ISO."""
    return _file()["checked"]


@functools.cache
def kernel_rules() -> Mapping[str, Reason]:
    """Return the rules by id, each as a reason without remedy."""
    return {row[0]: Reason(rule=row[0], text=row[3], source=row[2]) for row in _rows()}


@functools.cache
def kernel_topics() -> Mapping[str, str]:
    """Return rule id → topic, one or two words."""
    return {row[0]: row[1] for row in _rows()}


def kernel_reason(rule: str) -> Reason:
    """Return the reason of a rule, for example ``kernel.over-budget``."""
    return kernel_rules()[rule]
