"""The command ``export``: a scenario or a file as another format."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from explorer.cli.arguments import SCALES, THEMES, one_object, one_of, picture_size, whole_number
from explorer.cli.output import OK, STANDARD, print_json, print_text

if TYPE_CHECKING:
    import argparse


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("export", help="write a scenario's or a file's layout in another format")
    parser.add_argument("source", metavar="IN", help="scenario id or file, or - for standard input")
    parser.add_argument(
        "--to",
        metavar="FORMAT",
        required=True,
        help="snapshot-json, d3d12ma-json, vma-json, csv, png, trace-json, html, text, svg",
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="file to write, or - for standard output")
    parser.add_argument("--frame", metavar="N", help="frames that a scenario runs first (default: all)")
    parser.add_argument("--view", metavar="V", help="view to export, where the format has several")
    parser.add_argument("--size", metavar="WxH", help="size of a picture in logical pixels (default 1280x720)")
    parser.add_argument("--scale", metavar="N", help="1, 1.5 or 2 pixels for each logical one (default 1)")
    parser.add_argument("--theme", metavar="T", help="light or dark (default light)")
    parser.add_argument("--keep-private", action="store_true",
                        help="keep what may name a person or a machine; changes nothing, since opening a file never "
                             "takes over user names, paths or command lines; names of resources stay")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Export and say what was written.

    Raises:
        CommandError: Unknown format, view or option value.
        InputError: The input cannot be read, or the output not written.
    """
    from explorer.cli.loading import MAX_FRAMES, load_snapshot
    from explorer.interchange.exporters import ExportOptions, exporter_by_id
    from explorer.interchange.files import write_atomically

    one_object(args.json, args.out)
    exporter = exporter_by_id(args.to)
    one_of("--view", args.view, exporter.views)
    scale = one_of("--scale", args.scale, SCALES)
    options = ExportOptions(
        view=args.view,
        size=picture_size(args.size) if args.size else (1280, 720),
        scale=float(scale) if scale else 1.0,
        theme=one_of("--theme", args.theme, THEMES) or "light",
    )
    frame = whole_number("--frame", args.frame, 0, MAX_FRAMES)
    snapshot = load_snapshot(args.source, frame)
    data = exporter.export(snapshot, options)
    write_atomically(args.out, data)
    body = {
        "in": args.source,
        "format": exporter.id,
        "out": args.out,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "rows": exporter.rows(snapshot, options),
        "warnings": list[str](),
    }
    if args.json:
        print_json("export", body)
    elif args.out != STANDARD:
        rows = f", {body['rows']} rows" if body["rows"] is not None else ""
        print_text([f"{args.out}: {exporter.id}, {len(data):,} bytes{rows}"])
    return OK
