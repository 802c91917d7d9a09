"""The live verdict: HRESULT, the same four rows always, then the rules that decided with their sources."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from explorer.core.units import KIB, format_address, format_bytes, format_exact
from explorer.ui.controls import ElidedLabel, label, set_property
from explorer.ui.facts import Fact, FactsGrid, link_text, set_linked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.verdicts import Reason, Remedy
    from explorer.device.outcome import Outcome, Preview
    from explorer.ui.theme import Theme

_NOTHING = Fact("After", "nothing is created")
_REASONS = 6
_SOURCE = 60


class VerdictCard(QFrame):
    """What a creation call would do. Its height does not change with what it says.

    Signals:
        repair_wanted: Dotted path → value, of the remedy.
        rule_wanted: Id of the rule whose name was clicked.
    """

    repair_wanted = Signal(object)
    rule_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._remedy: Remedy | None = None
        self._plain = ""
        self._lines: list[str] = []
        self._shown: tuple[Reason, ...] = ()
        self.setObjectName("verdict_card")
        self.setProperty("card", True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        self._head = QFrame()
        self._head.setObjectName("verdict_head")
        head = QHBoxLayout(self._head)
        head.setContentsMargins(8, 5, 8, 5)
        head.setSpacing(8)
        self._icon = QLabel()
        self._hr = label("", name="verdict_hr")
        self._clause = ElidedLabel("", name="verdict_clause")
        head.addWidget(self._icon)
        head.addWidget(self._hr)
        head.addWidget(self._clause, 1)
        layout.addWidget(self._head)
        self._rows = FactsGrid(52)
        self._reasons = label("", "small", name="verdict_reasons", wrap=True)
        self._reasons.linkActivated.connect(self.rule_wanted)
        self._rows.link_wanted.connect(self.rule_wanted)
        self._reasons.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Else the longest word of a source would widen the card.
        self._reasons.setMinimumWidth(40)
        self._repair = QPushButton()
        self._repair.setObjectName("verdict_repair")
        self._repair.setProperty("primary", True)
        self._repair.clicked.connect(self._on_repair)
        body = QWidget()
        inner = QVBoxLayout(body)
        inner.setContentsMargins(8, 6, 8, 6)
        inner.setSpacing(6)
        inner.addWidget(self._rows)
        inner.addWidget(self._repair, 0, Qt.AlignmentFlag.AlignLeft)
        inner.addWidget(self._reasons)
        inner.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(body)
        for part, name in ((area, "verdict_area"), (area.viewport(), "verdict_port"), (body, "verdict_body")):
            part.setAutoFillBackground(False)
            part.setObjectName(name)
            # By name: without one the button inside would lose its ground too.
            part.setStyleSheet(f"#{name} {{ background: transparent; }}")
        layout.addWidget(area, 1)
        theme.changed.connect(self._retint)
        self.say_nothing("Nothing to judge", "Open a scenario to create in it.")

    @property
    def is_refused(self) -> bool:
        """Whether the shown call would be refused."""
        return self._level == "error"

    def hr(self) -> str:
        """Return the shown HRESULT."""
        return self._hr.text()

    def facts(self) -> Mapping[str, str]:
        """Return the shown rows by name."""
        return {fact.name: fact.value for fact in self._rows.facts}

    def reasons_text(self) -> str:
        """Return the shown reasons, a line for each."""
        return self._plain

    def say_nothing(self, head: str, why: str) -> None:
        """Say why there is no verdict."""
        self._show_head("none", head, "")
        self._rows.show_facts([Fact(name, "none") for name in ("Size", "Place", "Access", "After")])
        self._say([why])
        self._set_remedy(None)

    def show_refused_input(self, path: str, why: str) -> None:
        """Say that a value cannot be used."""
        self._show_head("error", "Not a call", f"{path or 'a value'} cannot be used")
        self._rows.show_facts([Fact("Field", path or "unknown", mono=True), Fact("Why", why), _NOTHING])
        self._say([])
        self._set_remedy(None)

    def show_preview(self, preview: Preview, times: int = 1) -> None:
        """Show what the call would do."""
        verdict = preview.verdict
        placed = preview.ghost is not None
        if not verdict.succeeded:
            level, clause = "error", "refused" if verdict.hr != "NOT_SIMULATED" else "not simulated"
        elif preview.refusal:
            level, clause = "warn", "legal, but no hole holds it now"
        else:
            level, clause = "ok", "can be created here" if placed else "can be created"
        self._show_head(level, verdict.hr, clause)
        refused = not verdict.succeeded and bool(verdict.reasons)
        self._rows.show_facts(_refused_facts(preview) if refused else _preview_facts(preview))
        lines = [preview.refusal] if preview.refusal else []
        lines += [preview.why] if preview.why else []
        more = len(verdict.reasons) - _REASONS
        end = [f"and {more} more rules"] if more > 0 else []
        self._say(lines, verdict.reasons[:_REASONS], end)
        self._reasons.setToolTip("\n".join(f"{reason.rule}: {reason.source}" for reason in verdict.reasons))
        remedy = next((reason.remedy for reason in verdict.reasons if reason.remedy is not None), None)
        self._set_remedy(remedy if not verdict.succeeded else None)

    def show_outcome(self, outcomes: tuple[Outcome, ...]) -> None:
        """Say what a Create answered where it did not succeed."""
        bad = next((outcome for outcome in outcomes if not outcome.succeeded), None)
        if bad is None:
            return
        self._show_head("error", bad.hr, f"{bad.record.call} was refused")
        self._say([], bad.reasons[:_REASONS])

    def _show_head(self, level: str, hr: str, clause: str) -> None:
        for part in (self, self._head, self._hr):
            set_property(part, "verdict", level)
        self._hr.setText(hr)
        self._clause.setText(clause)
        self.setAccessibleName(f"{hr} {clause}")
        self._level = level
        self._retint()

    def _say(self, lines: list[str], reasons: tuple[Reason, ...] = (), end: list[str] | None = None) -> None:
        """Show lines of words, then the rules with their names as links."""
        self._lines, self._shown = lines, reasons
        after = end or []
        self._plain = "\n".join([*lines, *(_reason_line(reason) for reason in reasons), *after])
        linked = [_breakable(html.escape(_reason_line(reason, named=False))) for reason in reasons]
        parts = [html.escape(line) for line in lines]
        parts += [f"{link_text(one.rule, one.rule)} – {text}" for one, text in zip(reasons, linked, strict=True)]
        set_linked(self._reasons, bool(reasons))
        if not reasons:
            self._reasons.setText(self._plain)
            return
        self._reasons.setText("<br>".join([*parts, *(html.escape(line) for line in after)]))

    def _set_remedy(self, remedy: Remedy | None) -> None:
        usable = remedy is not None and bool(remedy.changes)
        self._remedy = remedy if usable else None
        self._repair.setVisible(usable)
        if remedy is not None and usable:
            self._repair.setText("Make it legal")
            self._repair.setToolTip(remedy.text[:1].upper() + remedy.text[1:])
        elif remedy is not None:
            self._say([*self._lines, f"What would help: {remedy.text}."], self._shown)

    def _on_repair(self) -> None:
        if self._remedy is not None:
            self.repair_wanted.emit(self._remedy.changes)

    def _retint(self) -> None:
        icon = {"ok": ("ok", "ok"), "warn": ("warn", "warn"), "error": ("warn", "error")}.get(
            self._level, ("info", "text3")
        )
        self._icon.setPixmap(self._theme.pixmap(*icon))


def _refused_facts(preview: Preview) -> list[Fact]:
    decisive = preview.verdict.reasons[0]
    facts = [
        Fact("Why", decisive.text),
        Fact("Rule", decisive.rule, mono=True, tip=decisive.source, link=decisive.rule),
    ]
    if decisive.remedy is not None:
        facts.append(Fact("Repair", decisive.remedy.text))
    return [*facts, _NOTHING]


def _reason_line(reason: Reason, *, named: bool = True) -> str:
    source = reason.source if len(reason.source) <= _SOURCE else reason.source[: _SOURCE - 1] + "…"
    return f"{reason.rule} – {reason.text} – {source}" if named else f"{reason.text} – {source}"


def _breakable(text: str) -> str:
    """Let a line break inside of paths and constants."""
    return text.replace("/", "/\u200b").replace("_", "_\u200b")


def _preview_facts(preview: Preview) -> list[Fact]:
    layout = preview.layout
    if layout is None:
        size = Fact("Size", "unknown")
    else:
        rounding = layout.size_bytes - layout.texel_bytes
        exact = format_exact(layout.size_bytes) if layout.size_bytes >= KIB else ""
        note = exact + (f" (+{rounding:,})" if rounding > 0 else "")
        size = Fact("Size", format_bytes(layout.size_bytes), note=note, tip="\n".join(layout.steps))
    ghost = preview.ghost
    if ghost is None:
        place = Fact("Place", preview.segment or "none")
    else:
        where = format_address(ghost.offset) if ghost.offset >= 0 else "unknown"
        place = Fact("Place", where, note=f"in {preview.segment}" if preview.segment else "")
    parts: list[str] = []
    for row in preview.access:
        may = " / ".join(word for word in (row.read, row.write) if word)
        cost = f"{format_time(row.whole_ns)} est." if row.whole_ns >= 0 else ""
        parts.append(f"{row.who} {', '.join(word for word in (may, cost) if word)}")
    access = Fact("Access", " · ".join(parts) or "unknown", tip="read / write, time for the whole resource")
    return [size, place, access, Fact("After", preview.after or "unchanged")]


def format_time(ns: int) -> str:
    """Return an estimated time: ``67 µs``, ``0.71 ms``."""
    if ns < 1000:
        return f"{ns} ns"
    if ns < 1_000_000:
        return f"{ns / 1000:.0f} µs" if ns >= 10_000 else f"{ns / 1000:.1f} µs"
    return f"{ns / 1e6:.2f} ms" if ns < 1_000_000_000 else f"{ns / 1e9:.2f} s"
