"""The arguments of ``gui`` and ``screenshot``; what stands above this package runs them, since they need Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.cli.arguments import SCALES, THEMES, one_of, picture_size, whole_number

if TYPE_CHECKING:
    import argparse

VIEW_HINT = "view to show; an unknown one lists all"


def add_parsers(subparsers: Any) -> None:
    """Add both commands. They set ``front`` instead of ``run``."""
    gui = subparsers.add_parser("gui", help="open the window")
    gui.add_argument("files", metavar="FILE", nargs="*", help="scenario id, scenario, snapshot or dump to open")
    gui.set_defaults(front="gui", json=False)
    shot = subparsers.add_parser("screenshot", help="draw a view as PNG; needs no display")
    shot.add_argument("source", metavar="IN", help="scenario id or file")
    shot.add_argument("--view", metavar="V", required=True, help=VIEW_HINT)
    shot.add_argument("--size", metavar="WxH", required=True, help="size in logical pixels")
    shot.add_argument("--scale", metavar="N", help="1, 1.5 or 2 pixels for each logical one (default 1)")
    shot.add_argument("--theme", metavar="T", help="light or dark (default light)")
    shot.add_argument("--frame", metavar="N", help="frames that a scenario runs first")
    shot.add_argument("--select", metavar="NAME", help="resource to select")
    shot.add_argument("--out", metavar="PNG", required=True, help="file to write, or - for standard output")
    shot.add_argument("--json", action="store_true", help="print one JSON object")
    shot.set_defaults(front="screenshot")


def screenshot_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of a screenshot by name, checked as far as that is possible without Qt.

    Raises:
        CommandError: An unknown theme or scale, or no size.
    """
    scale = one_of("--scale", args.scale, SCALES)
    return {
        "view": args.view,
        "size": picture_size(args.size),
        "scale": float(scale) if scale else 1.0,
        "theme": one_of("--theme", args.theme, THEMES) or "light",
        "frame": whole_number("--frame", args.frame, 0, 1_000_000),
        "select": args.select,
    }
