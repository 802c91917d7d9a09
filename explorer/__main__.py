"""Stands above both front ends: the command line parses, and what needs Qt is loaded only for it."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from explorer.cli.bench_command import register
from explorer.cli.main import main as run_command_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from explorer.cli.bench_command import Figures


def main() -> int:
    """Run the program with the arguments of the process and return its exit code."""
    register(_window_figures)
    return run_command_line(sys.argv[1:], {"gui": _gui, "screenshot": _screenshot})


def _window_figures() -> Mapping[str, Callable[[], Figures]]:
    """Return what the window can measure of itself; nothing where Qt or the measurements are missing."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        bench = import_module("explorer.ui.bench")
    except ImportError:
        return {}
    return bench.WINDOW_FIGURES


def _gui(args: argparse.Namespace) -> int:
    from explorer.ui.application import run

    return run(args.files)


def _screenshot(args: argparse.Namespace) -> int:
    import hashlib

    from explorer.cli.output import OK, print_json, print_text
    from explorer.cli.window_commands import screenshot_options
    from explorer.interchange.files import write_atomically

    options: dict[str, Any] = screenshot_options(args)
    # Before Qt is imported: a picture needs no display and must not depend on one.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from explorer.ui.screenshot import take

    shot = take(args.source, **options)
    write_atomically(args.out, shot.png)
    if args.out == "-":
        return OK
    body = {
        "out": args.out,
        "view": args.view,
        "size": [shot.width, shot.height],
        "theme": shot.theme,
        "empty": shot.empty,
        "sha256": hashlib.sha256(shot.png).hexdigest(),
    }
    if args.json:
        print_json("screenshot", body)
    else:
        empty = "; the view is empty" if shot.empty else ""
        print_text([f"{args.out}: {args.view}, {shot.width} × {shot.height} pixels{empty}"])
    return OK


if __name__ == "__main__":
    raise SystemExit(main())
