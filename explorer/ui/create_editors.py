"""Which editor a parameter gets, by the annotation of its input dataclass."""

from __future__ import annotations

import enum
import types
import typing
from typing import TYPE_CHECKING, Annotated, Any

from explorer.core.schema import OneOf, constants_of
from explorer.ui.create_choices import ChoiceField, FlagsField
from explorer.ui.create_fields import Field, NumberField, SwitchField, TextField

if TYPE_CHECKING:
    from explorer.ui.theme import Theme


def options_of(kind: Any) -> tuple[tuple[Any, ...], bool]:
    """Return the alternatives of an annotation without None, flat, and whether None is one."""
    inner = _bare(kind)
    origin = typing.get_origin(inner)
    if origin is typing.Union or origin is types.UnionType:
        arguments = typing.get_args(inner)
        options: list[Any] = []
        optional = type(None) in arguments
        for argument in arguments:
            if argument is type(None):
                continue
            nested, nested_optional = options_of(argument)
            options.extend(nested)
            optional = optional or nested_optional
        return tuple(options), optional
    return (kind,), False


def _bare(kind: Any) -> Any:
    return typing.get_args(kind)[0] if typing.get_origin(kind) is Annotated else kind


def make_field(kind: Any, theme: Theme) -> Field:
    """Return the editor for an annotation."""
    options, optional = options_of(kind)
    bares = [_bare(option) for option in options]
    absent = "null" if optional else ""
    marks = [m for option in options if typing.get_origin(option) is Annotated for m in typing.get_args(option)[1:]]
    first = bares[0]
    words = next((mark.words for mark in marks if isinstance(mark, OneOf)), None)
    if words is not None:
        return ChoiceField(kind, words, takes_number=False, absent=absent)
    if bool in bares and len(bares) > 1:
        # pInitialData and the like: a null pointer, or valid data.
        return SwitchField(bool, pointer=True)
    if isinstance(first, type):
        if issubclass(first, enum.IntFlag):
            return FlagsField(first)
        if issubclass(first, enum.IntEnum):
            return ChoiceField(kind, tuple(constants_of(first)), takes_number=int in bares, absent=absent)
        if first is bool:
            return SwitchField(kind)
        if first is int and not optional:
            return NumberField(kind, theme)
        if first is str:
            return TextField(kind, is_text=True, optional=optional)
    return TextField(kind, is_text=False, optional=optional)
