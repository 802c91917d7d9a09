"""The fields of a creation call, generated from its input dataclass in the order of the API."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, cast

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from explorer.core.calls import CallRecord, call_spec, decode_input, make_record
from explorer.core.schema import Key, ObjectName, encode
from explorer.errors import CallError
from explorer.ui.controls import ElidedLabel
from explorer.ui.create_choices import ChoiceField
from explorer.ui.create_editors import make_field, options_of
from explorer.ui.create_fields import ABSENT, Field, NumberField, SwitchField

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.ui.theme import Theme

_LABEL_PX = 112
_PAIRS = {
    ("Width", "Height"): "Width × Height",
    ("DepthOrArraySize", "MipLevels"): "Array, Mips",
    ("MipLevels", "ArraySize"): "Mips, Array",
    ("Depth", "Levels"): "Depth, Levels",
    ("Count", "Quality"): "Samples, Quality",
    ("MultiSample", "MultisampleQuality"): "",
    ("CreationNodeMask", "VisibleNodeMask"): "Node masks",
}
_HEAP_KEYS = frozenset({"pHeap"})
_AUTOMATIC_KEYS = frozenset({"HeapOffset"})
"""Parameters that may stay out of a record: the heap's allocator chooses then (decision 003)."""

_LEFT_OUT = frozenset({"SamplerFeedbackMipRegion"})
"""Structures that only one exotic format has; a record from a file may still carry them."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One parameter.

    Attributes:
        path: Keys from the input to it.
        kind: Its annotation.
        default: Plain value at first; ``ABSENT`` where it stays out.
        switch: Path of the optional structure that it belongs to, or empty.
    """

    path: tuple[str, ...]
    kind: Any
    default: object
    switch: tuple[str, ...] = ()


def leaves_of(kind: type, path: tuple[str, ...] = (), switch: tuple[str, ...] = ()) -> list[Leaf]:
    """Return the parameters of an input dataclass, structures flattened, in the order of the API."""
    hints = typing.get_type_hints(kind, include_extras=True)
    found: list[Leaf] = []
    for field in dataclasses.fields(kind):
        hint = hints[field.name]
        key = field.name
        if typing.get_origin(hint) is Annotated:
            key = next((m.name for m in typing.get_args(hint)[1:] if isinstance(m, Key)), key)
        if (key.startswith("pp") and hint is bool) or key in _LEFT_OUT:
            # A null out pointer only asks whether it would work: the verdict says so already.
            continue
        options, optional = options_of(hint)
        inner = options[0]
        if len(options) == 1 and dataclasses.is_dataclass(inner) and isinstance(inner, type):
            below = (*path, key)
            if optional:
                found.append(Leaf(below, None, False, switch))
            found.extend(leaves_of(inner, below, below if optional else switch))
            continue
        default = ABSENT if key in _AUTOMATIC_KEYS else _default_of(field, hint)
        found.append(Leaf((*path, key), hint, default, switch))
    return found


def _default_of(field: dataclasses.Field[Any], hint: Any) -> object:
    if field.default is not dataclasses.MISSING:
        return ABSENT if field.default is None else encode(field.default)
    if field.default_factory is not dataclasses.MISSING:
        return encode(field.default_factory())
    inner = options_of(hint)[0][0]
    bare = typing.get_args(inner)[0] if typing.get_origin(inner) is Annotated else inner
    return 1 if bare is int else ABSENT


class CreateForm(QWidget):
    """Fields of one call.

    Signals:
        changed: A value may have changed.
    """

    changed = Signal()

    def __init__(self, theme: Theme, api: str, call: str) -> None:
        super().__init__()
        self.api, self.call = api, call
        self._theme = theme
        self._leaves = leaves_of(call_spec(api, call).input_type)
        self._fields: dict[tuple[str, ...], Field] = {}
        self._parts: dict[tuple[str, ...], list[QWidget]] = {}
        self._refused: dict[str, str] = {}
        self._labels: list[ElidedLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnMinimumWidth(0, _LABEL_PX)
        self._grid.setColumnStretch(1, 1)
        self._build()
        self.reset()

    def paths(self) -> tuple[str, ...]:
        """Return the dotted paths of the fields."""
        return tuple(".".join(path) for path in self._fields)

    def field(self, path: str) -> Field | None:
        """Return the editor of a dotted path."""
        return self._fields.get(tuple(path.split(".")))

    def reset(self) -> None:
        """Show the API's own defaults."""
        for leaf in self._leaves:
            self._fields[leaf.path].set_value(leaf.default)
        self._show_switched()

    def fill(self, arguments: Mapping[str, object]) -> None:
        """Show a call's input; what it leaves out gets its default."""
        for leaf in self._leaves:
            value = _look_up(arguments, leaf.path)
            field = self._fields[leaf.path]
            if leaf.kind is None:
                field.set_value(isinstance(value, Mapping))
            else:
                field.set_value(leaf.default if value is ABSENT else value)
        self._show_switched()

    def change(self, changes: Mapping[str, object]) -> None:
        """Change some values by dotted path, as a remedy says."""
        for path, value in changes.items():
            field = self.field(path.removeprefix("input."))
            if field is not None:
                field.set_value(value)
        self._show_switched()
        self.changed.emit()

    def set_heaps(self, names: Sequence[str]) -> None:
        """Offer the names of the heaps that exist."""
        for path, field in self._fields.items():
            if path[-1] in _HEAP_KEYS and isinstance(field, ChoiceField):
                before = field.value()
                field.set_words(names)
                if before in ("", ABSENT) and names:
                    field.set_value(names[0])

    def set_meaning(self, name: str, text: str) -> None:
        """Say behind every field of a name what its value stands for."""
        for path, field in self._fields.items():
            if path[-1] == name:
                field.set_meaning(text if field.value() == 0 else "")

    def set_automatic(self, name: str, text: str) -> None:
        """Say in every empty field of a name what the product would choose."""
        for path, field in self._fields.items():
            if path[-1] == name and path[-1] in _AUTOMATIC_KEYS:
                field.set_placeholder(f"automatic  {text}")

    def record(self, out: str) -> CallRecord:
        """Return the call.

        Raises:
            CallError: A value cannot be used; names the path and the accepted values.
        """
        arguments: dict[str, object] = {}
        for leaf in self._leaves:
            if not self._is_on(leaf):
                continue
            value = self._fields[leaf.path].value()
            if leaf.kind is None:
                if value:
                    _put(arguments, leaf.path, {})
            elif value is not ABSENT:
                _put(arguments, leaf.path, value)
        automatic = [key for key in _AUTOMATIC_KEYS if (key,) in self._fields and key not in arguments]
        checked = {**arguments, **dict.fromkeys(automatic, 0)}
        record = make_record(self.api, self.call, decode_input(CallRecord(self.api, self.call, checked, out)), out)
        kept = {key: value for key, value in record.inputs.items() if key not in automatic}
        return CallRecord(self.api, self.call, kept, out)

    def check(self) -> list[tuple[str, str]]:
        """Mark every field whose value cannot be used and return (path, why) of each.

        What the last answer refused stays marked: only the next answer knows better.
        """
        found: list[tuple[str, str]] = []
        for leaf in self._leaves:
            path = ".".join(leaf.path)
            problem = self._fields[leaf.path].problem() if leaf.kind is not None and self._is_on(leaf) else ""
            if problem:
                found.append((path, problem))
            self._show_mark(path, problem or self._refused.get(path, ""))
        return found

    def mark(self, path: str, why: str) -> None:
        """Mark the field of a dotted path, if there is one, until the next check."""
        self._show_mark(path.removeprefix("input."), why)

    def show_refused(self, reasons: Mapping[str, str]) -> None:
        """Mark what an answer refuses, by dotted path, instead of what the answer before it refused."""
        before, self._refused = self._refused, {path.removeprefix("input."): why for path, why in reasons.items()}
        for path in before.keys() | self._refused.keys():
            self._show_mark(path, self._refused.get(path, ""))

    def label_room(self, width: int) -> int:
        """Return the width of the label column in a form of a width, and use it: long names get what there is."""
        widest = max((part.fontMetrics().horizontalAdvance(part.text()) + 2 for part in self._labels), default=0)
        room = max(_LABEL_PX, min(widest, width * 2 // 5))
        self._grid.setColumnMinimumWidth(0, room)
        return room

    def _show_mark(self, path: str, why: str) -> None:
        field = self.field(path)
        if field is not None:
            field.show_state("refused" if why else "", why)

    def _build(self) -> None:
        row = 0
        heading: tuple[str, ...] = ()
        index = 0
        while index < len(self._leaves):
            leaf = self._leaves[index]
            parent = leaf.path[:-1]
            if parent != heading and parent and leaf.kind is not None and parent not in self._parts:
                row = self._add_heading(row, parent, leaf.switch)
            heading = parent
            following = self._leaves[index + 1] if index + 1 < len(self._leaves) else None
            if following is not None and following.path[:-1] == parent:
                title = _PAIRS.get((leaf.path[-1], following.path[-1]))
                if title:
                    self._add_row(row, title, (leaf, following))
                    row, index = row + 1, index + 2
                    continue
            self._add_row(row, leaf.path[-1], (leaf,))
            row, index = row + 1, index + 1

    def _add_heading(self, row: int, parent: tuple[str, ...], switch: tuple[str, ...]) -> int:
        if parent == switch:
            # The row of the optional structure's own switch is its heading.
            return row
        text = ElidedLabel(".".join(parent), "caption")
        self._grid.addWidget(text, row, 0, 1, 2)
        self._parts.setdefault(switch or parent, []).append(text)
        return row + 1

    def _add_row(self, row: int, title: str, leaves: tuple[Leaf, ...]) -> None:
        text = ElidedLabel(title, "small", Qt.TextElideMode.ElideMiddle)
        text.set_tip(", ".join(".".join(leaf.path) for leaf in leaves))
        self._labels.append(text)
        box = QWidget()
        line = QHBoxLayout(box)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        for leaf in leaves:
            field = self._make(leaf)
            field.editor().setObjectName("field_" + "_".join(leaf.path))
            field.editor().setAccessibleName(leaf.path[-1])
            field.changed.connect(self._on_changed)
            self._fields[leaf.path] = field
            line.addWidget(field, 1)
        self._grid.addWidget(text, row, 0)
        self._grid.addWidget(box, row, 1)
        switch = leaves[0].switch
        if switch:
            self._parts.setdefault(switch, []).extend((text, box))

    def _make(self, leaf: Leaf) -> Field:
        if leaf.kind is None:
            return SwitchField(bool)
        if leaf.path[-1] in _HEAP_KEYS or (leaf.kind is ObjectName and leaf.path[-1].startswith("pHeap")):
            return ChoiceField(leaf.kind, (), takes_number=False, typed=True)
        if leaf.path[-1] in _AUTOMATIC_KEYS:
            return NumberField(leaf.kind, self._theme, automatic=True)
        return make_field(leaf.kind, self._theme)

    def _is_on(self, leaf: Leaf) -> bool:
        return not leaf.switch or self._fields[leaf.switch].value() is True

    def _show_switched(self) -> None:
        for leaf in self._leaves:
            if leaf.kind is None:
                on = self._fields[leaf.path].value() is True
                for part in self._parts.get(leaf.path, ()):
                    part.setVisible(on)

    @Slot()
    def _on_changed(self) -> None:
        self._show_switched()
        self.changed.emit()


def first_problem(form: CreateForm, out: str) -> tuple[CallRecord | None, str, str]:
    """Return the call, or None with the path and the reason of the first value that cannot be used."""
    problems = form.check()
    if problems:
        return None, *problems[0]
    try:
        return form.record(out), "", ""
    except CallError as error:
        where = (error.complaint.where or "").removeprefix("input.")
        form.mark(where, str(error))
        return None, where, str(error)


def _look_up(data: Mapping[str, object], path: tuple[str, ...]) -> object:
    value: object = data
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            return ABSENT
        value = cast("Mapping[str, object]", value)[key]
    return value


def _put(data: dict[str, object], path: tuple[str, ...], value: object) -> None:
    for key in path[:-1]:
        data = cast("dict[str, object]", data.setdefault(key, {}))
    data.setdefault(path[-1], value)
