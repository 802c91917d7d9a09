"""The C++ button of the Create form: copy the shown call as C++, fill the form in out of C++."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QApplication, QMenu, QPushButton

from explorer.core.calls import CallRecord, call_specs, decode_input
from explorer.errors import CallError, InputError
from explorer.ui.create_presets import KINDS

if TYPE_CHECKING:
    from explorer.ui.create_form import CreateForm
    from explorer.ui.workspace import Workspace

_API_WORDS = {
    "d3d9": "Direct3D 9", "d3d9ex": "Direct3D 9Ex", "d3d10": "Direct3D 10", "d3d10.1": "Direct3D 10.1",
    "d3d11": "Direct3D 11", "xg": "XG", "d3d12": "Direct3D 12",
}  # fmt: skip


class _Described(Protocol):
    """The view that holds the form."""

    def form(self) -> CreateForm | None: ...
    def described(self) -> CallRecord | None: ...
    def fill_in(self, record: CallRecord) -> str: ...


class CppButton(QPushButton):
    """Copies and pastes the form as C++.

    Args:
        workspace: Takes the messages.
        view: The Create view.
    """

    def __init__(self, workspace: Workspace, view: _Described) -> None:
        super().__init__("C++")
        self.setObjectName("create_cpp")
        self.setToolTip("Copy this call as C++, or fill the form in out of C++")
        self._workspace, self._view = workspace, view
        menu = QMenu(self)
        menu.setObjectName("create_cpp_menu")
        menu.addAction("Copy as C++", self.copy_text)
        menu.addAction("Paste C++…", self.paste_text)
        menu.addSeparator()
        menu.addAction("Terms of Vulkan…", self._show_terms)
        self.setMenu(menu)

    @Slot()
    def copy_text(self) -> None:
        """Put the C++ of the form into the clipboard."""
        from explorer.interchange.cpp_text import to_cpp

        record = self._view.described()
        if record is None:
            self._workspace.tell("warn", "A value of the form cannot be used: there is no call to copy.")
            return
        try:
            text = to_cpp(record)
        except InputError as error:
            self._workspace.complain(error.complaint)
            return
        QApplication.clipboard().setText(text)
        self._workspace.tell("info", f"{record.call} was copied as C++.")

    @Slot()
    def paste_text(self) -> None:
        """Open the dialog that takes C++."""
        from explorer.ui.cpp_dialog import CppDialog

        form = self._view.form()
        if form is None:
            return
        dialog = CppDialog(self._workspace, form.api, form.call, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted_record.connect(self.use_record)
        dialog.open()

    @Slot(object)
    def use_record(self, record: CallRecord) -> None:
        """Fill in the form, or say why it cannot be."""
        why = self._view.fill_in(record)
        if why:
            self._workspace.tell("warn", why)

    @Slot()
    def _show_terms(self) -> None:
        self._workspace.terms_requested.emit()


def form_for(record: CallRecord, api: str) -> tuple[str, str]:
    """Return the form of an API that shows a call, or an empty text and why there is none.

    The numbered variants of a D3D12 call share the form of the first one as far as it has their parameters.
    """
    calls = [kind.call for kind in KINDS.get(api, ())]
    call = record.call if record.call in calls else record.call.rstrip("123")
    here, there = _API_WORDS.get(api, "no device"), _API_WORDS.get(record.api, record.api)
    if (api, record.call) not in call_specs():
        return "", f"The text is {there}, the open device is {here}: {record.call} does not exist there."
    if call not in calls:
        return "", f"Create has no form for {record.call}; it has {', '.join(calls)}."
    try:
        decode_input(CallRecord(api, call, {**_offset(call), **record.inputs}, record.out))
    except CallError as error:
        return "", f"{there} has a value that {here} does not take. {error}"
    return call, ""


def _offset(call: str) -> dict[str, object]:
    return {"HeapOffset": 0} if call == "CreatePlacedResource" else {}
