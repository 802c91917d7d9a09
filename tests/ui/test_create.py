"""The Create view: fields from the call's dataclass, a live verdict, nonsense that breaks nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QWidget

from explorer.core.calls import CallRecord, decode_input
from explorer.sim.commands import Step
from explorer.ui.controls import ElidedLabel
from explorer.ui.create_fields import read_number
from explorer.ui.create_form import CreateForm, first_problem
from explorer.ui.create_presets import KINDS, PRESETS, first_input

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow
    from explorer.ui.theme import Theme

CALLS = [(api, kind.call) for api, kinds in KINDS.items() for kind in kinds]


@pytest.mark.parametrize(("api", "call"), CALLS)
def test_that_every_kind_has_a_form_whose_first_values_are_a_call(
    qtbot: QtBot, theme: Theme, api: str, call: str
) -> None:
    form = CreateForm(theme, api, call)
    qtbot.addWidget(form)
    form.fill(first_input(api, call))
    form.set_heaps(["Heap 0"])
    record, path, why = first_problem(form, "New 1")
    assert record is not None, (path, why)
    assert record.call == call


@pytest.mark.parametrize("api", sorted(PRESETS))
def test_that_every_preset_fills_its_form_without_a_loss(qtbot: QtBot, theme: Theme, api: str) -> None:
    for preset in PRESETS[api]:
        form = CreateForm(theme, api, preset.call)
        qtbot.addWidget(form)
        form.fill(preset.input)
        form.set_heaps(["Heap 0"])
        record, path, why = first_problem(form, "New 1")
        assert record is not None, (preset.title, path, why)
        wanted, got = dict(preset.input), dict(record.inputs)
        if preset.call == "CreatePlacedResource":
            assert "HeapOffset" not in got, "the heap's allocator chooses"
            wanted.update(pHeap="Heap 0", HeapOffset=0)
            got.update(HeapOffset=0)
        records = (CallRecord(api, preset.call, inputs) for inputs in (got, wanted))
        one, two = (decode_input(record) for record in records)
        assert one == two, preset.title


@pytest.mark.parametrize(
    ("text", "value"),
    [("4,096", 4096), ("0x1000", 4096), ("64KiB", 65536), ("1_000", 1000), ("007", 7), ("-5", -5), ("abc", "abc"),
     ("", ""), ("1e9", "1e9"), (str(2**70), 2**70), ("1,5GiB", "1,5GiB"), ("12,34", "12,34"),
     ("4.096", "4.096")],
)  # fmt: skip
def test_that_numbers_are_read_as_people_write_them(text: str, value: object) -> None:
    assert read_number(text) == value


@pytest.mark.parametrize("text", ["-1", str(2**70), "abc", "", "0x", "NaN", "٣x", "4096.5", "9" * 60])
def test_that_a_senseless_number_gets_the_error_state_and_names_its_field(
    qtbot: QtBot, theme: Theme, text: str
) -> None:
    form = CreateForm(theme, "d3d9", "CreateTexture")
    qtbot.addWidget(form)
    form.fill(first_input("d3d9", "CreateTexture"))
    edit = form.findChild(QLineEdit, "field_Width")
    # Not keyClicks: QTest types ASCII only.
    edit.setText(text)
    record, path, why = first_problem(form, "New 1")
    assert record is None
    assert path == "Width"
    assert why
    assert edit.property("state") == "refused"
    edit.clear()
    qtbot.keyClicks(edit, "256")
    assert first_problem(form, "New 1")[0] is not None
    assert edit.property("state") == ""


def test_that_no_typed_text_breaks_the_form(qtbot: QtBot, theme: Theme) -> None:
    form = CreateForm(theme, "d3d12", "CreateCommittedResource")
    qtbot.addWidget(form)
    edits = [edit for edit in form.findChildren(QLineEdit) if edit.objectName()]
    assert edits

    @hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.integers(0, len(edits) - 1), st.text(max_size=40))
    def nonsense(which: int, text: str) -> None:
        edits[which].setText(text)
        first_problem(form, "x")

    nonsense()


def test_that_constants_stand_in_full_and_unknown_ones_are_refused(qtbot: QtBot, theme: Theme) -> None:
    form = CreateForm(theme, "d3d9", "CreateTexture")
    qtbot.addWidget(form)
    form.fill(first_input("d3d9", "CreateTexture"))
    combo = form.findChild(QComboBox, "field_Format")
    assert combo.currentText() == "D3DFMT_DXT1"
    combo.setEditText("D3DFMT_NONSENSE")
    record, path, why = first_problem(form, "New 1")
    assert (record, path) == (None, "Format")
    assert "D3DFMT_NONSENSE" in why


def _texts(window: MainWindow) -> dict[str, str]:
    return dict(window.views["create"].card.facts())


def test_that_a_verdict_comes_as_you_type_and_create_puts_the_resource_into_the_table(
    qtbot: QtBot, live: MainWindow
) -> None:
    create = live.views["create"]
    live.show_view("create")
    qtbot.waitUntil(lambda: create.card.hr() == "D3D_OK", timeout=9000)
    before = _texts(live)["Size"]
    edit = create.form().findChild(QLineEdit, "field_Width")
    edit.clear()
    qtbot.keyClicks(edit, "512")
    qtbot.waitUntil(lambda: _texts(live)["Size"] != before, timeout=9000)
    total = len(live.workspace.snapshot.resources.names)
    qtbot.mouseClick(create.findChild(QPushButton, "create_button"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(live.workspace.snapshot.resources.names) == total + 1, timeout=9000)
    assert "New 1" in live.workspace.snapshot.resources.names
    qtbot.waitUntil(lambda: live.workspace.run_state.journal == 1, timeout=9000)


def test_that_create_times_n_makes_n_names_and_undo_takes_them_back(qtbot: QtBot, live: MainWindow) -> None:
    create = live.views["create"]
    live.show_view("create")
    total = len(live.workspace.snapshot.resources.names)
    count = create.findChild(QLineEdit, "create_count")
    count.setText("3")
    qtbot.mouseClick(create.findChild(QPushButton, "create_many"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(live.workspace.snapshot.resources.names) == total + 3, timeout=9000)
    assert {"New 1", "New 2", "New 3"} <= set(live.workspace.snapshot.resources.names)
    qtbot.waitUntil(live.actions_set["undo"].isEnabled, timeout=9000)
    live.actions_set["undo"].trigger()
    qtbot.waitUntil(lambda: len(live.workspace.snapshot.resources.names) == total + 2, timeout=9000)
    live.actions_set["redo"].trigger()
    qtbot.waitUntil(lambda: len(live.workspace.snapshot.resources.names) == total + 3, timeout=9000)


def test_that_a_refused_call_says_hresult_rule_and_source_and_creates_nothing(qtbot: QtBot, live: MainWindow) -> None:
    create = live.views["create"]
    live.show_view("create")
    qtbot.waitUntil(lambda: create.card.hr() == "D3D_OK", timeout=9000)
    # A dynamic managed texture: D3D9 forbids it.
    create.form().change({"Usage": ["D3DUSAGE_DYNAMIC"]})
    qtbot.waitUntil(lambda: create.card.hr() == "D3DERR_INVALIDCALL", timeout=9000)
    assert " – " in create.card.reasons_text()
    total = len(live.workspace.snapshot.resources.names)
    create.create()
    qtbot.waitUntil(lambda: "D3DERR_INVALIDCALL" in live.messages.text(), timeout=9000)
    assert len(live.workspace.snapshot.resources.names) == total


def test_that_what_is_no_call_is_not_sent(qtbot: QtBot, live: MainWindow) -> None:
    create = live.views["create"]
    live.show_view("create")
    create.form().findChild(QLineEdit, "field_Width").setText("2^70")
    assert not create.create()
    assert create.card.hr() == "Not a call"
    assert live.workspace.run_state.journal == 0


def test_that_a_senseless_count_disables_create_times_n(qtbot: QtBot, live: MainWindow) -> None:
    create = live.views["create"]
    count, button = create.findChild(QLineEdit, "create_count"), create.findChild(QPushButton, "create_many")
    for text in ("0", "-1", "99999", "x", "", "1e3"):
        count.setText(text)
        assert not button.isEnabled(), text
        assert count.property("state") == "refused", text
    count.setText("2")
    assert button.isEnabled()


def test_that_the_verdict_card_keeps_its_height_whatever_it_says(qtbot: QtBot, live: MainWindow) -> None:
    create = live.views["create"]
    live.show_view("create")
    qtbot.waitUntil(lambda: create.card.hr() == "D3D_OK", timeout=9000)
    height, place = create.card.height(), create.card.pos()
    create.form().findChild(QLineEdit, "field_Width").setText("nonsense")
    create.create()
    assert create.card.hr() == "Not a call"
    assert (create.card.height(), create.card.pos()) == (height, place)


def test_that_a_placed_resource_is_placed_automatically_and_shows_where(qtbot: QtBot, window: MainWindow) -> None:
    window.opener.open_scenario("d3d12-game-rtx3060-laptop", play=False)
    workspace = window.workspace
    qtbot.waitUntil(lambda: workspace.snapshot is not None and workspace.run_state is not None, timeout=9000)
    create = window.views["create"]
    window.show_view("create")
    create.choose_preset("Placed texture, BC7")
    heap = create.form().findChild(QComboBox, "field_pHeap")
    heap.setCurrentText("Spare heap")
    offset = create.form().findChild(QLineEdit, "field_HeapOffset")
    assert offset.placeholderText().startswith("automatic")
    qtbot.waitUntil(lambda: "0x" in offset.placeholderText(), timeout=9000)
    assert offset.text() == ""
    assert create.card.facts()["Place"] in offset.placeholderText()
    total = len(workspace.snapshot.resources.names)
    create.create()
    qtbot.waitUntil(lambda: len(workspace.snapshot.resources.names) == total + 1, timeout=9000)
    offset.setText("100")
    offset.textEdited.emit("100")
    qtbot.waitUntil(lambda: create.card.hr() == "E_INVALIDARG" and offset.property("state") == "refused", timeout=9000)
    qtbot.mouseClick(create.card.findChild(QPushButton, "verdict_repair"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: create.card.hr() == "S_OK", timeout=9000)
    assert offset.property("state") == ""


class _States(QObject):
    """Hears of every state that a field shows."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        self.seen: list[str] = []
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - the name of Qt
        if event.type() == QEvent.Type.DynamicPropertyChange:
            self.seen.append(str(watched.property("state")))
        return False


def test_that_the_mark_of_a_refused_field_does_not_flicker_when_the_layout_changes(
    qtbot: QtBot, live: MainWindow
) -> None:
    create = live.views["create"]
    live.show_view("create")
    qtbot.waitUntil(lambda: create.card.hr() == "D3D_OK", timeout=9000)
    create.form().change({"Usage": ["D3DUSAGE_DYNAMIC"]})
    usage, pool = create.form().field("Usage").editor(), create.form().field("Pool").editor()
    qtbot.waitUntil(lambda: "refused" in (usage.property("state"), pool.property("state")), timeout=9000)
    marked = usage if usage.property("state") == "refused" else pool
    states = _States(marked)
    with qtbot.waitSignal(live.workspace.controller.previewed, timeout=9000):
        live.workspace.controller.post(Step(3))
    assert states.seen == []
    assert marked.property("state") == "refused"
    create.form().change({"Usage": [], "Pool": "D3DPOOL_MANAGED"})
    qtbot.waitUntil(lambda: create.card.hr() == "D3D_OK", timeout=9000)
    assert marked.property("state") == ""


def test_that_an_answer_takes_the_place_of_the_one_before_it(qtbot: QtBot, theme: Theme) -> None:
    form = CreateForm(theme, "d3d9", "CreateTexture")
    qtbot.addWidget(form)
    form.fill(first_input("d3d9", "CreateTexture"))
    width, pool = form.field("Width").editor(), form.field("Pool").editor()
    form.show_refused({"input.Width": "too wide"})
    assert first_problem(form, "New 1")[0] is not None
    assert (width.property("state"), width.toolTip()) == ("refused", "too wide")
    form.show_refused({"Pool": "not with this usage"})
    assert (width.property("state"), pool.property("state")) == ("", "refused")
    form.show_refused({})
    assert pool.property("state") == ""


@pytest.mark.parametrize(("api", "call"), [("d3d12", "CreateCommittedResource"), ("d3d9", "CreateRenderTarget")])
def test_that_labels_stand_in_full_where_there_is_room(qtbot: QtBot, theme: Theme, api: str, call: str) -> None:
    form = CreateForm(theme, api, call)
    qtbot.addWidget(form)
    form.resize(460, 600)
    room = form.label_room(460)
    form.show()
    labels = [part for part in form.findChildren(ElidedLabel) if part.property("role") == "small"]
    assert labels
    for part in labels:
        assert part.width() >= part.fontMetrics().horizontalAdvance(part.text()), part.text()
    # In a narrow dock the values come first.
    assert form.label_room(280) < room or room == form.label_room(280) == 112


def test_that_values_of_the_same_meaning_survive_a_change_of_the_api(qtbot: QtBot, window: MainWindow) -> None:
    create = window.views["create"]

    def show(scenario: str, api: str) -> None:
        window.opener.open_scenario(scenario, play=False)
        qtbot.waitUntil(lambda: (form := create.form()) is not None and form.api == api, timeout=9000)

    window.show_view("create")
    show("d3d9-level-load", "d3d9")
    for name, text in (("Width", "2048"), ("Height", "512")):
        create.form().findChild(QLineEdit, f"field_{name}").setText(text)
    create.form().change({"Format": "D3DFMT_DXT5", "Levels": 3})
    show("d3d12-game-rtx3060-laptop", "d3d12")
    desc = create.described().inputs["pDesc"]
    assert (desc["Width"], desc["Height"], desc["MipLevels"]) == (2048, 512, 3)
    assert desc["Format"] == "DXGI_FORMAT_BC3_UNORM"
