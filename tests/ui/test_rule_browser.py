"""The rule browser: every rule, found by words, API and topic; opened by the links of verdicts and events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QListWidget, QPushButton, QTableView

from explorer.device.cost import FORMULAE
from explorer.memory.allocators.protocol import REFUSAL_RULES
from explorer.rules import d3d9, d3d11, d3d12
from explorer.tables.kernel_rules import kernel_rules
from explorer.ui.rule_browser import RuleBrowser, RuleModel
from explorer.ui.rule_browser_rows import API_WORDS, every_rule, matching, rules_by_id, topics_of

if TYPE_CHECKING:
    from pytestqt.modeltest import ModelTester
    from pytestqt.qtbot import QtBot

    from explorer.ui.main_window import MainWindow
    from explorer.ui.workspace import Workspace


@pytest.fixture
def browser(qtbot: QtBot, workspace: Workspace) -> RuleBrowser:
    made = RuleBrowser(workspace)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


def test_that_every_rule_of_every_api_is_listed_once() -> None:
    wanted = [row.id for row in (*d3d9.RULES, *d3d11.RULES, *d3d12.RULES)] + [*kernel_rules(), *REFUSAL_RULES]
    wanted += [formula.id for formula in FORMULAE]
    assert [entry.id for entry in every_rule()] == wanted
    assert len(rules_by_id()) == len(wanted)
    for entry in every_rule():
        assert entry.group in API_WORDS
        assert entry.topic
        assert entry.text
        assert entry.source


def test_that_words_ids_sources_and_vectors_find_their_rules() -> None:
    rules = every_rule()
    for index in range(0, len(rules), 7):
        assert index in matching(rules[index].id)
    assert {rules[i].group for i in matching("dynamic managed", "d3d9")} == {"d3d9"}
    assert any(rules[i].id == "kernel.pages" for i in matching("HOLES budget"))
    vector = next(entry.proofs[0] for entry in rules if entry.proofs and entry.group == "d3d12")
    assert all(vector in rules[i].proofs or vector in rules[i].source for i in matching(vector))
    assert matching("no rule says these words") == []


@pytest.mark.parametrize("group", API_WORDS)
def test_that_the_topics_of_a_group_divide_its_rules(group: str) -> None:
    by_topic = [index for topic in topics_of(group) for index in matching("", group, topic)]
    assert sorted(by_topic) == matching("", group)
    assert by_topic


def test_that_the_model_is_sound(workspace: Workspace, qtmodeltester: ModelTester) -> None:
    model = RuleModel(workspace.theme.font())
    qtmodeltester.check(model)
    model.set_rows(matching("texture"))
    qtmodeltester.check(model)


def test_that_typing_and_choosing_narrow_the_list_and_clearing_widens_it(qtbot: QtBot, browser: RuleBrowser) -> None:
    total = len(every_rule())
    assert len(browser.model.rows) == total
    qtbot.keyClicks(browser.findChild(QLineEdit, "rule_text"), "autogenmipmap")
    qtbot.waitUntil(lambda: 0 < len(browser.model.rows) < 40, timeout=3000)
    shown = [browser.model.entry(row) for row in range(len(browser.model.rows))]
    assert all("autogenmipmap" in f"{entry.text} {entry.source} {entry.proofs}".lower() for entry in shown)
    browser.clear_filters()
    api, topic = browser.findChild(QComboBox, "rule_api"), browser.findChild(QComboBox, "rule_topic")
    api.setCurrentIndex(api.findData("d3d12"))
    topic.setCurrentIndex(topic.findData("root signature"))
    shown = [browser.model.entry(row) for row in range(len(browser.model.rows))]
    assert shown
    assert {(entry.group, entry.topic) for entry in shown} == {("d3d12", "root signature")}
    api.setCurrentIndex(api.findData("kernel"))
    assert topic.findData("root signature") < 0
    assert {browser.model.entry(row).group for row in range(len(browser.model.rows))} == {"kernel"}


def test_that_a_search_without_result_says_so_and_offers_to_clear(qtbot: QtBot, browser: RuleBrowser) -> None:
    browser.search("zzz")
    assert browser.findChild(QLabel, "empty_title").text() == "No rule passes the filters"
    assert browser.shown() is None
    assert not browser.findChild(QPushButton, "rule_copy").isEnabled()
    qtbot.mouseClick(browser.findChild(QPushButton, "empty_action"), Qt.MouseButton.LeftButton)
    assert len(browser.model.rows) == len(every_rule())
    assert browser.shown() is not None


def test_that_the_page_of_a_rule_has_text_source_and_vectors(qtbot: QtBot, browser: RuleBrowser) -> None:
    browser.search("zzz")
    assert browser.show_rule("d3d11.C2.10")
    entry = browser.shown()
    assert entry is not None
    assert browser.findChild(QLabel, "rule_title").text() == "d3d11.C2.10"
    assert browser.findChild(QLabel, "rule_sentence").text() == entry.text
    proofs = browser.findChild(QListWidget, "rule_proofs")
    assert [proofs.item(row).text() for row in range(proofs.count())] == list(entry.proofs)
    assert "d3d11-create_texture2d_bind-0003" in entry.proofs
    qtbot.mouseClick(browser.findChild(QPushButton, "rule_copy"), Qt.MouseButton.LeftButton)
    copied = QApplication.clipboard().text()
    assert entry.source in copied
    assert entry.proofs[-1] in copied
    assert browser.show_rule("kernel.pages")
    assert "rests on its source" in browser.findChild(QLabel, "rule_no_proof").text()
    assert not browser.show_rule("d3d9.R99.99")


def _link(label: QLabel) -> str:
    found = re.search('href="([^"]+)"', label.text())
    assert found is not None, label.text()
    return found[1]


def _page(window: MainWindow) -> RuleBrowser:
    found = window.findChild(RuleBrowser)
    assert found is not None
    return found


def test_that_the_rule_of_a_verdict_opens_its_page(qtbot: QtBot, live: MainWindow) -> None:
    create = live.views["create"]
    live.show_view("create")
    qtbot.waitUntil(lambda: create.card.hr() == "D3D_OK", timeout=9000)
    create.form().change({"Usage": ["D3DUSAGE_DYNAMIC"]})
    qtbot.waitUntil(lambda: create.card.hr() == "D3DERR_INVALIDCALL", timeout=9000)
    reasons = create.card.findChild(QLabel, "verdict_reasons")
    rule = _link(reasons)
    reasons.linkActivated.emit(rule)
    shown = _page(live).shown()
    assert shown is not None
    assert shown.id == rule
    assert shown.text in create.card.reasons_text()
    # The row "Rule" of the card is a link too.
    _page(live).search("zzz")
    linked = next(one for one in create.card.findChildren(QLabel) if one is not reasons and "href" in one.text())
    linked.linkActivated.emit(_link(linked))
    again = _page(live).shown()
    assert again is not None
    assert again.id == rule


def test_that_the_rule_of_an_event_opens_its_page(qtbot: QtBot, live: MainWindow) -> None:
    live.actions_set["step_ten"].trigger()
    events = live.views["events"]
    live.show_view("events")
    qtbot.waitUntil(lambda: any(event.rule in rules_by_id() for event in events.model.shown), timeout=9000)
    row = next(i for i, event in enumerate(events.model.shown) if event.rule in rules_by_id())
    rule = events.model.shown[row].rule
    table = events.findChild(QTableView, "events_table")
    table.selectRow(row)
    assert events.rule_of_selection() == rule
    events.show_rule()
    shown = _page(live).shown()
    assert shown is not None
    assert shown.id == rule


def test_that_the_menu_opens_one_browser_only(qtbot: QtBot, window: MainWindow) -> None:
    window.actions_set["rules"].trigger()
    first = _page(window)
    first.search("texture")
    first.close()
    window.actions_set["rules"].trigger()
    assert window.findChildren(RuleBrowser) == [first]
    assert first.isVisible()
    assert first.findChild(QLineEdit, "rule_text").text() == "texture"


def test_that_the_status_bar_opens_the_cost_model(qtbot: QtBot, window: MainWindow) -> None:
    note = window.findChild(QPushButton, "status_note")
    qtbot.mouseClick(note, Qt.MouseButton.LeftButton)
    shown = _page(window).shown()
    assert shown is not None
    assert shown.id == "cost.frame"
    assert [entry.group for entry in map(every_rule().__getitem__, matching("", "cost"))] == ["cost"] * len(FORMULAE)
