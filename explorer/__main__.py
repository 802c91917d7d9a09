"""Stands above both front ends: the command line parses, and what needs Qt is loaded only for it."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from explorer.cli.bench_command import register
from explorer.cli.main import main as run_command_line
from explorer.errors import CommandError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Generator, Mapping

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
    _need_display(os.environ, sys.platform)
    from explorer.ui.application import run

    return run(args.files)


def _need_display(environment: Mapping[str, str], platform: str) -> None:
    """Say what to do where there is no display: Qt itself would abort the process.

    Raises:
        CommandError: The window has nowhere to open.
    """
    shown = any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    if platform.startswith("linux") and not shown:
        raise CommandError(
            "there is no display to open the window on; every other command runs without one",
            where="gui",
            accepted=("DISPLAY or WAYLAND_DISPLAY is set", "memory-explorer --help"),
        )


def _screenshot(args: argparse.Namespace) -> int:
    import hashlib

    from explorer.cli.arguments import one_object
    from explorer.cli.output import OK, print_json, print_text
    from explorer.cli.window_commands import screenshot_options
    from explorer.interchange.files import write_atomically

    one_object(args.json, args.out)
    options: dict[str, Any] = screenshot_options(args)
    # Before Qt is imported: a picture needs no display and must not depend on one.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    with _interruptible():
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


@contextmanager
def _interruptible() -> Generator[None]:
    """Let an interrupt end the command also where Qt was running and swallowed the exception."""
    seen: list[int] = []

    def interrupt(number: int, _: object) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception:
        # Qt's modules turn an interrupt while they load into a failing import.
        if not seen:
            raise
    finally:
        signal.signal(signal.SIGINT, before)
    if seen:
        raise KeyboardInterrupt


if __name__ == "__main__":
    raise SystemExit(main())
