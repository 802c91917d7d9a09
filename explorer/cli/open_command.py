"""The command ``open``: what a file is, its totals and what is doubtful in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.cli.output import OK, print_json, print_text, table
from explorer.cli.progress import progress_of
from explorer.core.units import format_bytes
from explorer.errors import CommandError

if TYPE_CHECKING:
    import argparse

    from explorer.interchange.opened import Layout, OpenedFile


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("open", help="say what a dump or another file is, its totals and warnings")
    parser.add_argument("file", metavar="FILE", help="file, or - for standard input")
    parser.add_argument("--code-page", metavar="NAME", default=None,
                        help="encoding of names in text that is neither UTF-8 nor UTF-16 (default cp1252)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Open the file and print what it is.

    Raises:
        InputError: It cannot be read.
    """
    from explorer.interchange.importers import open_file
    from explorer.interchange.importers.source import DEFAULT_CODE_PAGE
    from explorer.interchange.opened import opened_json

    code_page = DEFAULT_CODE_PAGE if args.code_page is None else _code_page(args.code_page)
    opened = open_file(args.file, code_page=code_page, progress=progress_of(f"Opening {args.file}"))
    if args.json:
        print_json("open", opened_json(opened))
    else:
        print_text(_lines(opened))
    return OK


def _code_page(name: str) -> str:
    accepted = ("cp1252", "cp932", "cp1251", "latin-1")
    try:
        # Empty bytes would be taken by any name; what needs two bytes for "A" is no code page.
        b"A".decode(name)
    except (LookupError, ValueError):
        raise CommandError("unknown code page", where="--code-page", found=name, accepted=accepted) from None
    return name


def _lines(opened: OpenedFile) -> list[str]:
    version = f" {opened.format_version}" if opened.format_version else ""
    lines = [f"{opened.file}: {opened.format}{version}, {opened.encoding}, {opened.kind}"]
    if opened.kind == "layout" and not opened.detail:
        lines.append("Totals only: the file holds no map.")
    rows = [] if opened.totals is None else [_row("all", "", opened.totals)]
    rows += [_row(heap.name, heap.kind, heap.layout) for heap in opened.heaps]
    if rows:
        head = ("heap", "kind", "blocks", "dedicated", "allocations", "in blocks", "allocated", "free ranges", "free")
        lines += ["", *table(head, rows)]
    if opened.agrees is not None:
        lines += ["", "The file's own sums agree." if opened.agrees else "The file's own sums DIFFER: "
                  + ", ".join(opened.disagreements or ())]  # fmt: skip
    if opened.named:
        lines.append(f"{opened.named} allocations have a name.")
    if opened.frames is not None:
        lines.append(f"{opened.frames} frames.")
    if opened.adapters:
        lines += ["", "Adapters", *(f"  {adapter.id}: {adapter.name}" for adapter in opened.adapters)]
    lines += [f"Repaired: {repair.what}, {repair.count} times." for repair in opened.repaired]
    lines += [
        f"Warning: {w.where}: {w.message}" + (f" ({w.count} times)" if w.count > 1 else "") for w in opened.warnings
    ]
    return lines


def _row(name: str, kind: str, layout: Layout) -> tuple[str, ...]:
    dedicated = "?" if layout.dedicated is None else str(layout.dedicated)
    return (
        name, kind, str(layout.blocks), dedicated, str(layout.allocations), format_bytes(layout.block_bytes),
        format_bytes(layout.allocation_bytes), str(layout.free_ranges), format_bytes(layout.free_bytes),
    )  # fmt: skip
