"""The Create view: kind, preset, fields, the live verdict, Create and Create ×n."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from explorer.core.kinds import HeapKind
from explorer.core.same_meaning import call_for, carried, meaning_of
from explorer.core.units import format_address
from explorer.ui.controls import EmptyState, Segmented, SidePanel, label
from explorer.ui.cpp_dialog_button import CppButton, form_for
from explorer.ui.create_foot import CreateFoot, next_name, numbered_names
from explorer.ui.create_form import CreateForm, first_problem
from explorer.ui.create_presets import KINDS, PRESETS, first_input
from explorer.ui.cut_combo import CutCombo
from explorer.ui.verdict_card import VerdictCard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.calls import CallRecord
    from explorer.core.same_meaning import Meaning
    from explorer.device.outcome import Preview
    from explorer.errors import Complaint
    from explorer.sim.commands import Answer
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.workspace import Workspace

_ASKER = "create"
_TYPING_MS = 0
"""Changes of one turn of the event loop are one question; of questions under way the controller keeps the newest."""
_RENEW_MS = 250
_SIDE_PX = 10
_CARD_PX = 196
_LOW_CARD_PX = 112
_LOW_VIEW_PX = 460
_TALL_CARD_PX, _TALL_VIEW_PX = 270, 640


class CreateView(QWidget):
    """Form over the verdict.

    Signals:
        ghost_changed: ``(Preview, label, heap name)`` for the map, or None.
        created: Names of the created objects.
    """

    ghost_changed = Signal(object)
    created = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("create_view")
        self._workspace = workspace
        theme = workspace.theme
        self._api = ""
        self._is_imported = False
        self._form: CreateForm | None = None
        self._meant: Meaning | None = None
        self._meant_api = ""
        self._is_touched = False
        self._forms: dict[tuple[str, str], CreateForm] = {}
        self._preview: Preview | None = None
        self._previewed: CallRecord | None = None
        self._generation = -1
        self._awaited: dict[int, tuple[str, ...]] = {}
        self._kind = Segmented(theme, columns=4, name="create_kind")
        self._preset = CutCombo(Qt.TextElideMode.ElideRight, mono=False)
        self._preset.setObjectName("create_preset")
        self._preset.setAccessibleName("Preset")
        self._name = QLineEdit("New 1")
        self._name.setObjectName("create_name")
        self._name.setMaxLength(260)
        self._inner = QWidget()
        self._slot = QVBoxLayout(self._inner)
        self._slot.setContentsMargins(10, 2, 10, 6)
        self._slot.setSpacing(4)
        self._slot.addStretch(1)
        self._holder = SidePanel(self._inner)
        self.card = VerdictCard(theme)
        self._foot = CreateFoot()
        self.cpp = CppButton(workspace, self)
        self._empty = EmptyState(theme, name="create_empty")
        self._body = QWidget()
        self._labels: list[QLabel] = []
        self._typing, self._renew = QTimer(self), QTimer(self)
        self._lay_out()
        self._connect()
        self._show_api("")

    # -- what the window calls

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Follow the API, the heaps, and what a change of the layout means for the verdict."""
        # A saved snapshot of a simulation is a file too: nothing runs behind it.
        live = self._workspace.document.kind == "scenario"
        api = snapshot.api if live and snapshot.api in KINDS else ""
        if (api, not live) != (self._api, self._is_imported):
            self._show_api(api, imported=not live)
        if self._form is None:
            return
        if snapshot.generation != self._generation:
            self._generation = snapshot.generation
            self._form.set_heaps(_heap_names(snapshot))
            if self.isVisible() and not self._renew.isActive():
                self._renew.start()

    @Slot(int)
    def create(self, times: int = 1) -> bool:
        """Create what the form says, so many times. Return whether it was sent."""
        form = self._form
        if form is None:
            return False
        names = self._names(times)
        records: list[CallRecord] = []
        record, path, why = first_problem(form, names[0])
        if record is None:
            self.card.show_refused_input(path, why)
            self._set_ghost(None)
            return False
        records = [record] + [form.record(name) for name in names[1:]]
        request = self._workspace.controller.apply(*records)
        if not request:
            return False
        self._awaited[request] = names
        return True

    def form(self) -> CreateForm | None:
        """Return the shown form."""
        return self._form

    def described(self) -> CallRecord | None:
        """Return the call that the form says; None where there is no form, or a value cannot be used."""
        form = self._form
        return first_problem(form, self._names(1)[0])[0] if form is not None else None

    def fill_in(self, record: CallRecord) -> str:
        """Show the values of a call of this API. Return why that cannot be; empty if it was done."""
        call, why = form_for(record, self._api)
        if why:
            return why
        self.choose_kind(call)
        if self._form is None:
            return "There is no device."
        self._form.fill(record.inputs)
        if record.out:
            self._name.setText(record.out)
        self._preset.setCurrentIndex(0)
        self._ask()
        return ""

    def choose_kind(self, call: str) -> None:
        """Show the form of a call."""
        kinds = KINDS.get(self._api, ())
        for index, kind in enumerate(kinds):
            if kind.call == call:
                self._kind.set_current(index)
                self._show_form(call)

    def choose_preset(self, title: str) -> None:
        """Fill in a preset by its title."""
        index = self._preset.findText(title)
        if index >= 0:
            self._preset.setCurrentIndex(index)
            self._on_preset(index)

    def showEvent(self, event: object) -> None:
        """Ask again: the layout may have changed while hidden."""
        self._ask()

    def hideEvent(self, event: object) -> None:
        """Take the ghost off the map."""
        self._set_ghost(None)

    def resizeEvent(self, event: object) -> None:
        """Leave room for the fields in a low dock."""
        height = self.height()
        tall = _TALL_CARD_PX if height >= _TALL_VIEW_PX else _CARD_PX
        self.card.setFixedHeight(tall if height >= _LOW_VIEW_PX else _LOW_CARD_PX)
        self._align_labels()

    def _align_labels(self) -> None:
        """Give the labels above the form the width of those in it."""
        if self._form is not None:
            room = self._form.label_room(self.width() - 2 * _SIDE_PX)
            for text in self._labels:
                text.setFixedWidth(room)

    # -- parts

    def _lay_out(self) -> None:
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self._empty)
        outer.addWidget(self._body, 1)
        layout = QVBoxLayout(self._body)
        layout.setContentsMargins(0, 8, 0, 8)
        layout.setSpacing(6)
        head = QVBoxLayout()
        head.setContentsMargins(10, 0, 10, 0)
        head.setSpacing(6)
        head.addWidget(self._kind)
        for word, field in (("Preset", self._preset), ("Name", self._name)):
            line = QHBoxLayout()
            line.setSpacing(8)
            text = label(word, "small")
            self._labels.append(text)
            line.addWidget(text)
            line.addWidget(field, 1)
            if field is self._preset:
                line.addWidget(self.cpp)
            head.addLayout(line)
        layout.addLayout(head)
        layout.addWidget(self._holder, 1)
        card = QHBoxLayout()
        card.setContentsMargins(10, 0, 10, 0)
        card.addWidget(self.card)
        layout.addLayout(card)
        self.card.setFixedHeight(_CARD_PX)
        layout.addWidget(self._foot)

    def _connect(self) -> None:
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self._ask)
        self._renew.setSingleShot(True)
        self._renew.setInterval(_RENEW_MS)
        self._renew.timeout.connect(self._ask)
        self._kind.chosen.connect(self._on_kind)
        self._preset.activated.connect(self._on_preset)
        self._foot.wanted.connect(self.create)
        self._foot.ghost_toggled.connect(self._show_ghost)
        self._name.textEdited.connect(self._typing.start)
        self.card.repair_wanted.connect(self._on_repair)
        self.card.rule_wanted.connect(self._workspace.rule_requested)
        self._workspace.answered.connect(self._on_answered)
        self._workspace.controller.previewed.connect(self._on_previewed)
        self._workspace.controller.preview_refused.connect(self._on_preview_refused)

    def _show_api(self, api: str, *, imported: bool = False) -> None:
        self._remember_meaning()
        self._api, self._is_imported = api, imported
        kinds = KINDS.get(api, ())
        self._empty.setVisible(not kinds)
        self._body.setVisible(bool(kinds))
        if not kinds:
            self._form = None
            self._set_ghost(None)
            if imported:
                self._empty.say("Nothing can be created here", "A layout from a file has no device. Open a scenario.")
            else:
                self._empty.say("No device", "Open a scenario: its adapter answers what can be created.")
            return
        self._kind.set_words([kind.word for kind in kinds])
        meant = self._meant
        wanted = call_for(meant, api) if meant is not None else ""
        self._show_form(kinds[0].call)
        if meant is not None and api != self._meant_api and any(kind.call == wanted for kind in kinds):
            self.choose_kind(wanted)
            form = self._form
            if form is not None:
                form.change(carried(meant, api, wanted))

    def _remember_meaning(self) -> None:
        """Keep what the user described: a file or another API in between must not lose it."""
        record = self.described() if self._is_touched else None
        if record is not None:
            self._meant, self._meant_api = meaning_of(record), record.api
            self._is_touched = False

    def _show_form(self, call: str) -> None:
        key = (self._api, call)
        form = self._forms.get(key)
        if form is None:
            form = CreateForm(self._workspace.theme, self._api, call)
            form.fill(first_input(self._api, call))
            form.changed.connect(self._on_typed)
            self._forms[key] = form
            self._slot.insertWidget(0, form)
        for other in self._forms.values():
            other.setVisible(other is form)
        self._form = form
        self._preset.clear()
        self._preset.addItem("own values", None)
        for preset in PRESETS.get(self._api, ()):
            self._preset.addItem(preset.title, preset)
        first = next((i for i, p in enumerate(PRESETS.get(self._api, ())) if p.call == call), -1)
        self._preset.setCurrentIndex(first + 1)
        if self._workspace.snapshot is not None:
            form.set_heaps(_heap_names(self._workspace.snapshot))
        self._holder.verticalScrollBar().setValue(0)
        self._align_labels()
        self._ask()

    # -- work

    @Slot()
    def _on_typed(self) -> None:
        self._is_touched = True
        self._preset.setCurrentIndex(0)
        self._typing.start()

    @Slot()
    def _ask(self) -> None:
        """Judge what the form says: here what is no call at all, on the simulation's thread the rest."""
        form = self._form
        if form is None or not self.isVisible():
            return
        record, path, why = first_problem(form, self._names(1)[0])
        if record is None:
            self._previewed = None
            self._workspace.controller.forget_previews(_ASKER)
            self.card.show_refused_input(path, why)
            self._set_ghost(None)
            return
        if not self._workspace.is_live:
            form.show_refused({})
            self.card.say_nothing("No device", "The simulation does not run.")
            return
        self._previewed = record
        self._workspace.controller.preview(record, _ASKER)

    @Slot(object)
    def _on_answered(self, answer: Answer) -> None:
        names = self._awaited.pop(answer.request, None)
        if names is not None:
            self._show_created(answer, names)
            return

    @Slot(str, object)
    def _on_previewed(self, asker: str, preview: Preview) -> None:
        form = self._form
        if asker != _ASKER or self._previewed is None or form is None:
            return
        self._preview = preview
        self.card.show_preview(preview)
        layout, ghost = preview.layout, preview.ghost
        form.set_meaning("Alignment", f"means {layout.alignment:,}" if layout is not None else "")
        form.set_automatic("HeapOffset", format_address(ghost.offset) if ghost is not None else "")
        mips = len({s.mip for s in layout.subresources}) if layout is not None else 0
        for name in ("MipLevels", "Levels"):
            form.set_meaning(name, f"means {mips}" if mips else "")
        reasons = () if preview.verdict.succeeded else preview.verdict.reasons
        form.show_refused({path: one.text for one in reasons if one.remedy is not None for path in one.remedy.changes})
        self._show_primary()
        self._show_ghost()

    def _show_primary(self) -> None:
        """One primary button: Create, or the repair of what would be refused."""
        self._foot.set_primary(not self.card.is_refused)

    @Slot(str, object)
    def _on_preview_refused(self, asker: str, complaint: Complaint) -> None:
        if asker == _ASKER and self._previewed is not None:
            self._preview = None
            if self._form is not None:
                self._form.show_refused({complaint.where: str(complaint)} if complaint.where else {})
            self.card.show_refused_input(complaint.where or "", str(complaint))
            self._set_ghost(None)

    def _show_created(self, answer: Answer, names: tuple[str, ...]) -> None:
        if answer.error is not None:
            return
        made = tuple(n for n, outcome in zip(names, answer.outcomes, strict=False) if outcome.succeeded)
        bad = [outcome for outcome in answer.outcomes if not outcome.succeeded]
        if bad:
            reason = bad[0].reasons[0] if bad[0].reasons else None
            why = f"{reason.text} (rule {reason.rule}, {reason.source})" if reason is not None else ""
            lead = f"{len(bad):,} of {len(answer.outcomes):,} were refused" if len(names) > 1 else next(iter(names))
            self._workspace.tell("warn", f"{lead}: {bad[0].hr}. {why}")
            self.card.show_outcome(answer.outcomes)
        if made:
            self._name.setText(next_name(made[-1]))
            self.created.emit(made)

    def _names(self, times: int) -> tuple[str, ...]:
        return numbered_names(self._name.text(), times)

    def _set_ghost(self, shown: tuple[Preview, str, str] | None) -> None:
        self.ghost_changed.emit(shown)

    @Slot()
    def _show_ghost(self) -> None:
        preview = self._preview
        if preview is None or not self._foot.shows_ghost() or self._previewed is None or not self.isVisible():
            self._set_ghost(None)
            return
        heap = self._form.field("pHeap") if self._form is not None else None
        self._set_ghost((preview, self._names(1)[0], str(heap.value()) if heap is not None else ""))

    @Slot(int)
    def _on_kind(self, index: int) -> None:
        self._show_form(KINDS[self._api][index].call)

    @Slot(int)
    def _on_preset(self, index: int) -> None:
        preset = self._preset.itemData(index)
        if preset is None or self._form is None:
            return
        if preset.call != self._form.call:
            self.choose_kind(preset.call)
        self._form.fill(preset.input)
        self._is_touched = True
        if self._workspace.snapshot is not None:
            self._form.set_heaps(_heap_names(self._workspace.snapshot))
        self._preset.setCurrentIndex(index)
        self._ask()

    @Slot(object)
    def _on_repair(self, changes: Mapping[str, object]) -> None:
        if self._form is not None:
            self._form.change(changes)


def _heap_names(snapshot: Snapshot) -> list[str]:
    heaps = snapshot.heaps
    chosen = np.flatnonzero(~heaps.committed & (heaps.kind != HeapKind.NONE))
    return [heaps.names[i] for i in chosen.tolist()]
