"""The root of the command line: which commands there are, and how each one ends."""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING

from explorer import __version__
from explorer.cli import bench_command, export_command, lab, open_command, presets, run_command, window_commands
from explorer.cli.arguments import Parser
from explorer.cli.output import BAD_INPUT, FAULT, INTERRUPTED, OK, leave_standard_output, note, print_error
from explorer.errors import Complaint, ExplorerError, OutputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    Front = Callable[[argparse.Namespace], int]

PROGRAM = "memory-explorer"


def make_parser(*, with_check: bool = True) -> Parser:
    """Return the parser of all commands.

    Args:
        with_check: Whether the arguments of ``check`` are known; they are slower to load than the others.
    """
    parser = Parser(prog=PROGRAM, description="Shows where every byte of GPU memory goes under Direct3D.")
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", title="commands", parser_class=Parser)
    window_commands.add_parsers(commands)
    presets.add_parsers(commands)
    run_command.add_parser(commands)
    open_command.add_parser(commands)
    export_command.add_parser(commands)
    lab.add_parser(commands)
    bench_command.add_parser(commands)
    if with_check:
        from explorer.cli import check

        check.add_parser(commands)
        commands.choices["check"].set_defaults(run=check.run)
    else:
        commands.add_parser("check", help="answer conformance records and compare with what they expect")
    return parser


def main(argv: Sequence[str] | None = None, fronts: Mapping[str, Front] | None = None) -> int:
    """Run a command and return its exit code.

    Args:
        argv: Arguments without the program's name; those of the process where left out.
        fronts: What runs the commands that need Qt (``gui``, ``screenshot``), from the layer above.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in arguments
    try:
        return _run(arguments, fronts or {})
    except OutputError as error:
        return fail(error.complaint, as_json=False)
    except ExplorerError as error:
        return fail(error.complaint, as_json)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away (``| head``), and that is its right.
        leave_standard_output()
        return OK
    except MemoryError:
        return fail(Complaint("not enough memory for this"), as_json)
    except Exception as error:
        # The one place that turns a bug into a report instead of a traceback on the screen.
        note(f"{PROGRAM} {__version__}: a fault of the product; please report this:\n{traceback.format_exc()}")
        if as_json:
            print_error(Complaint(f"a fault of the product: {type(error).__name__}: {error}"), as_json=True)
        return FAULT


def fail(complaint: Complaint, as_json: bool) -> int:
    """Say what was wrong with the input and return exit code 2."""
    print_error(complaint, as_json)
    return BAD_INPUT


def _run(arguments: list[str], fronts: Mapping[str, Front]) -> int:
    parser = make_parser(with_check="check" in arguments)
    try:
        args = parser.parse_args(arguments or ["gui"])
    except SystemExit as end:
        # Only --help and --version leave this way.
        return int(end.code or 0)
    front = getattr(args, "front", None)
    if front is not None:
        if front not in fronts:
            raise ExplorerError(f"{front} needs the window, which is not part of this installation")
        return fronts[front](args)
    if not hasattr(args, "run"):
        parser.error("a command is needed")
    return int(args.run(args))
