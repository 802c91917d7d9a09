"""Colours, fonts and heights of the window, filled from the design tokens; light, dark, or as the system has it."""

from __future__ import annotations

import functools
import string
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTemporaryDir, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QFontMetrics, QGuiApplication, QPalette

from explorer.render.tokens import css, load_tokens, palette
from explorer.tables.locations import resources_folder
from explorer.ui.explorer_style import ExplorerStyle
from explorer.ui.icons import icon_source, tinted_icon, tinted_pixmap

if TYPE_CHECKING:
    from PySide6.QtGui import QIcon, QPixmap
    from PySide6.QtWidgets import QApplication

    from explorer.core.kinds import ResourceKind
    from explorer.render.tokens import Rgba

CHOICES = ("system", "light", "dark")
"""What the user may choose; ``system`` follows the desktop."""

_BODY_PX = 12
_LARGEST_PX = 28
_RADIUS_PX, _CARD_RADIUS_PX = 4, 6


@functools.cache
def _sheet_template() -> string.Template:
    return string.Template((resources_folder() / "style" / "window.qss").read_text(encoding="utf-8"))


@functools.cache
def _picture_folder() -> QTemporaryDir:
    """Return the folder of the style sheet's pictures; the sheet outlives the theme that set it."""
    return QTemporaryDir()


class Theme(QObject):
    """The look of the window.

    Args:
        application: The application whose style sheet, palette and font it sets.
        choice: One of ``CHOICES``.
    """

    changed = Signal()

    def __init__(self, application: QApplication, choice: str = "system") -> None:
        super().__init__(application)
        self._application = application
        self._choice = choice
        self._pixmaps: dict[tuple[str, str, str, int, float], QPixmap] = {}
        self._icons: dict[tuple[str, str], QIcon] = {}
        # The desktop's own size, so that a user with a large font gets a large window.
        system = application.property("explorer_system_px")
        if not isinstance(system, int):
            system = QFontInfo(application.font()).pixelSize()
            application.setProperty("explorer_system_px", system)
        self.body_px = min(max(int(system), _BODY_PX), _LARGEST_PX)
        self.small_px, self.caption_px = self.body_px - 1, self.body_px - 2
        self.title_px, self.figure_px = self.body_px + 2, self.body_px + 6
        self.fixed_family = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        self._style = ExplorerStyle()
        application.setStyle(self._style)
        self._name = self._resolve()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_changed)
        self._apply()

    @property
    def choice(self) -> str:
        """What the user chose."""
        return self._choice

    @property
    def name(self) -> str:
        """``light`` or ``dark``: what is shown."""
        return self._name

    def choose(self, choice: str) -> None:
        """Switch to one of ``CHOICES``; unknown words mean ``system``."""
        self._choice = choice if choice in CHOICES else "system"
        self._refresh()

    def colour(self, key: str, group: str = "colour") -> QColor:
        """Return a colour of the current theme by its token.

        Args:
            key: Token, for example ``text2``.
            group: ``colour``, ``map``, ``series``, ``compare`` or ``descriptor``.
        """
        return to_colour(getattr(palette(self._name), group)[key])

    def kind_colour(self, kind: ResourceKind, part: str = "fill") -> QColor:
        """Return the ``fill``, ``ink`` or ``edge`` of a resource kind."""
        return to_colour(getattr(palette(self._name).kinds[kind], part))

    def size(self, key: str) -> int:
        """Return a size token in logical pixels."""
        return int(load_tokens().size[key])

    @property
    def control_height(self) -> int:
        """Height of a control in logical pixels: font height + 8, at least the token."""
        return max(self.size("control"), QFontMetrics(self.font()).height() + 8)

    @property
    def row_height(self) -> int:
        """Height of a table row in logical pixels."""
        return max(self.size("row"), QFontMetrics(self.font()).height() + 8)

    def scaled(self, px: int) -> int:
        """Return a width that was measured for the 12 px body font, for the user's font."""
        return px * self.body_px // _BODY_PX

    def font(self, px: int | None = None, *, strong: bool = False) -> QFont:
        """Return the UI font with tabular figures."""
        font = QFont(self._application.font())
        font.setPixelSize(px or self.body_px)
        font.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def fixed_font(self, px: int | None = None, *, strong: bool = False) -> QFont:
        """Return the font for addresses, constants and call names."""
        font = QFont(self.fixed_family)
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setPixelSize(px or self.small_px)
        font.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
        return font

    def icon(self, name: str) -> QIcon:
        """Return a tinted icon with its hover, checked and disabled looks."""
        key = (self._name, name)
        if key not in self._icons:
            on = "onaccent" if name in ("play", "pause") else "text"
            self._icons[key] = tinted_icon(
                name, self.colour("text2"), self.colour("text"), self.colour("text3"), self.colour(on)
            )
        return self._icons[key]

    def pixmap(self, name: str, token: str, px: int = 16, ratio: float = 2.0) -> QPixmap:
        """Return an icon as a pixmap in one colour."""
        key = (self._name, name, token, px, ratio)
        if key not in self._pixmaps:
            self._pixmaps[key] = tinted_pixmap(name, self.colour(token), px, ratio)
        return self._pixmaps[key]

    def detach(self) -> None:
        """Stop following the system; for a theme that is thrown away."""
        QGuiApplication.styleHints().colorSchemeChanged.disconnect(self._on_system_changed)

    def _on_system_changed(self) -> None:
        if self._choice == "system":
            self._refresh()

    def _refresh(self) -> None:
        name = self._resolve()
        if name == self._name:
            return
        self._name = name
        self._apply()
        self.changed.emit()

    def _resolve(self) -> str:
        if self._choice != "system":
            return self._choice
        dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return "dark" if dark else "light"

    def _apply(self) -> None:
        self._style.set_colours(
            accent=self.colour("accent"),
            field=self.colour("field"),
            line=self.colour("line2"),
            ink=self.colour("onaccent"),
            text=self.colour("text2"),
            faint=self.colour("text3"),
        )
        self._application.setFont(self.font())
        self._application.setPalette(self._palette())
        self._application.setStyleSheet(self._sheet())

    def _sheet(self) -> str:
        values: dict[str, object] = {name: css(colour) for name, colour in palette(self._name).colour.items()}
        line = QFontMetrics(self.font()).height()
        values.update(
            small=self.small_px, caption=self.caption_px, title=self.title_px, fixed=self.fixed_family,
            radius=_RADIUS_PX, card_radius=_CARD_RADIUS_PX,
            line_height=line, inner=self.control_height - 2, inner2=self.control_height - 4,
            tiny=max(self.size("control_small"), line + 4) - 2, tiny2=max(self.size("control_small"), line + 4) - 4,
            row=self.row_height - 1, bar=max(self.size("menu_bar"), line + 12) - 1,
            status=max(self.size("status_bar"), line + 8) - 1, dock=max(self.size("dock_title"), line + 12) - 2,
            card=2 * line + 12, chevron=self._icon_file("chevron_down", "text2"),
        )  # fmt: skip
        return _sheet_template().substitute(values)

    def _icon_file(self, name: str, token: str) -> str:
        """Return the path of an icon in one colour: a style sheet takes pictures from files only."""
        colour = self.colour(token).name()
        path = Path(_picture_folder().filePath(f"{name}_{colour[1:]}.svg"))
        if not path.exists():
            path.write_text(icon_source(name).replace("currentColor", colour), encoding="utf-8")
        return path.as_posix()

    def _palette(self) -> QPalette:
        roles = QPalette.ColorRole
        palette = QPalette()
        for role, token in (
            (roles.Window, "panel"), (roles.WindowText, "text"), (roles.Base, "field"), (roles.Text, "text"),
            (roles.AlternateBase, "raised"), (roles.Button, "raised"), (roles.ButtonText, "text"),
            (roles.ToolTipBase, "pop"), (roles.ToolTipText, "text"), (roles.Highlight, "sel"),
            (roles.HighlightedText, "text"), (roles.Link, "link"), (roles.LinkVisited, "link"),
            (roles.PlaceholderText, "text3"), (roles.Mid, "line2"), (roles.Dark, "line2"), (roles.Light, "raised"),
            (roles.Accent, "accent"),
        ):  # fmt: skip
            palette.setColor(role, self.colour(token))
        for role in (roles.WindowText, roles.Text, roles.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.colour("text3"))
        return palette


def to_colour(value: Rgba) -> QColor:
    """Return a token's colour as Qt's."""
    return QColor(*value)
