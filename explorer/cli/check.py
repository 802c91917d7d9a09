"""The command ``check``: answer conformance records and say where an answer differs from what a record expects."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import msgspec

from explorer.cli.output import DIFFERS, OK, STANDARD, note, print_json, print_text, table, write_bytes
from explorer.errors import CommandError, InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from explorer.rules.check import CheckedAnswer
    from explorer.rules.records import CheckOptions, RecordAnswer, VectorRecord

    _Answers = Callable[[bytes], None]

COUNTS = ("agree", "disagree", "disputed", "partial", "not_simulated", "not_understood", "skipped", "no_expect")
SHOWN_DISAGREEMENTS = 1000
_EXACT = 1 << 53
"""Integers from here on are written as text, since other readers hold numbers as doubles."""
_UINT64_MAX = (1 << 64) - 1


@dataclass(slots=True)
class Summary:
    """What the command counts.

    Attributes:
        files: The files as they were given.
        records: Records read.
        kinds: (api, kind or empty) → count per verdict.
        disagreements: The first of them, with file, id and differing keys.
    """

    files: list[str]
    records: int = 0
    kinds: dict[tuple[str, str], Counter[str]] = field(default_factory=dict[tuple[str, str], Counter[str]])
    disagreements: list[dict[str, object]] = field(default_factory=list[dict[str, object]])

    def add(self, file: str, checked: CheckedAnswer) -> None:
        """Count one answer."""
        record = checked.source.record
        self.records += 1
        self.kinds.setdefault((record.api, record.kind or ""), Counter())[checked.verdict] += 1
        if checked.verdict == "disagree" and len(self.disagreements) < SHOWN_DISAGREEMENTS:
            differs = list(checked.comparison.differs)
            self.disagreements.append({"file": file, "id": checked.source.id, "differs": differs})

    @property
    def disagree(self) -> int:
        """Records whose answer differs."""
        return sum(counts["disagree"] for counts in self.kinds.values())

    def to_json(self) -> dict[str, object]:
        """Return the summary as the command's JSON object, without ``schema`` and ``version``."""
        kinds: list[dict[str, object]] = []
        for (api, kind), counts in sorted(self.kinds.items()):
            row: dict[str, object] = {"api": api, "kind": kind or None, "records": counts.total()}
            kinds.append(row | {name: counts[name] for name in COUNTS})
        return {
            "files": self.files,
            "records": self.records,
            "kinds": kinds,
            "disagreements": self.disagreements,
        }


def add_parser(subparsers: Any) -> None:
    """Add the command to the root parser (what ``add_subparsers`` returns)."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "check", help="answer conformance records and compare with what they expect"
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="vector file or JSON Lines; - is standard input")
    parser.add_argument("--adapter", metavar="ID", help="the adapter of the device")
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="a device option; repeats")
    parser.add_argument("--answers", metavar="OUT.jsonl", help="write one answer a line; - is standard output")
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if nothing disagrees, 1 otherwise.

    Raises:
        CommandError: Wrong use, or an unknown adapter or option.
        InputError: A file cannot be read or is invalid, or the answers cannot be written.
    """
    files = cast("list[str]", args.files)
    as_json = bool(args.json)
    answers = cast("str | None", args.answers)
    if answers == STANDARD and as_json:
        raise CommandError("standard output holds the summary", where="--answers", found=STANDARD)
    if files.count(STANDARD) > 1:
        raise CommandError("standard input can be read once", where="FILE", found=STANDARD)
    options = check_options(cast("str | None", args.adapter), cast("Sequence[str]", args.option))
    summary = Summary(files)
    with _answers_file(answers) as out:
        for file in files:
            for checked in _checked(file, options):
                summary.add(file, checked)
                if out is not None:
                    out(answer_line(checked))
    if as_json:
        print_json("check", summary.to_json())
    elif answers == STANDARD:
        for line in _text(summary):
            note(line)
    else:
        print_text(_text(summary))
    return DIFFERS if summary.disagree else OK


def check_options(adapter: str | None, pairs: Sequence[str]) -> CheckOptions:
    """Return what the caller fixed about the device.

    Raises:
        CommandError: Unknown adapter or option, or a value that an option does not take.
    """
    # Imported here: the other commands should not pay for the rules.
    from explorer.rules.records import CheckOptions

    options: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise CommandError("not a pair", where="--option", found=pair, accepted=("KEY=VALUE",))
        options[key] = value
    if options:
        _validate(options)
    if adapter is None:
        return CheckOptions(None, options)
    from explorer.tables.adapters import adapter as load

    return CheckOptions(load(adapter), options)


def _validate(options: Mapping[str, str]) -> None:
    from explorer.rules import d3d9_runtime, d3d11_runtime, d3d12_runtime

    known = (*d3d9_runtime.OPTION_KEYS, *d3d11_runtime.OPTION_KEYS, *d3d12_runtime.OPTION_KEYS)
    bare = {key.partition(".")[2] for key in known if "." in key}
    for key in options:
        if key not in known and key not in bare:
            raise CommandError("unknown option", where="--option", found=key, accepted=tuple(dict.fromkeys(known)))
    # Each refuses values that it does not take and passes over keys of the others.
    d3d9_runtime.runtime_of(None, options)
    d3d11_runtime.runtime_of(None, options)
    d3d12_runtime.runtime_of(None, options)


def _checked(file: str, options: CheckOptions) -> Iterator[CheckedAnswer]:
    from explorer.rules.check import check_all, read_records

    with _input(file) as stream:
        yield from check_all(read_records(stream, file), options, ask_device)


_DEVICE_ANSWERS = {
    "d3d9": "explorer.device.d3d9_answers",
    "d3d9ex": "explorer.device.d3d9_answers",
    "d3d12": "explorer.device.d3d12_answers",
}
"""API → module whose ``answer`` plays records that need a device with a past."""


def ask_device(record: VectorRecord, options: CheckOptions) -> RecordAnswer | None:
    """Return the answer of a simulated device, or None where the rules alone answer."""
    module = _DEVICE_ANSWERS.get(record.api)
    return None if module is None else importlib.import_module(module).answer(record, options)


@contextlib.contextmanager
def _input(file: str) -> Generator[IO[bytes]]:
    if file == STANDARD:
        yield sys.stdin.buffer
        return
    try:
        stream = Path(file).open("rb")  # noqa: SIM115 - what fails to open is told apart from what fails to read
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError("the file cannot be read", file=file, found=reason) from error
    with stream:
        yield stream


@contextlib.contextmanager
def _answers_file(path: str | None) -> Generator[_Answers | None]:
    """Yield where answers go; a file appears whole or not at all."""
    if path is None:
        yield None
        return
    if path == STANDARD:
        yield write_bytes
        return
    target = Path(path)
    with _cannot_write(path):
        if target.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        is_device = target.exists() and not target.is_file()
        # A device such as /dev/null takes the bytes and must not be replaced by a file.
        handle, made = (
            (os.open(path, os.O_WRONLY), None)
            if is_device
            else tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        )
    temporary: str | None = made
    try:
        with _closing(os.fdopen(handle, "wb"), path) as out:
            yield partial(_write_answer, out, path)
        if temporary is not None:
            with _cannot_write(path):
                _publish(temporary, target)
            temporary = None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()


@contextlib.contextmanager
def _closing(out: IO[bytes], path: str) -> Generator[IO[bytes]]:
    """Close a file, and say so where its last bytes find no room."""
    try:
        yield out
    except BaseException:
        with contextlib.suppress(OSError):
            out.close()
        raise
    with _cannot_write(path):
        out.close()


def _write_answer(out: IO[bytes], path: str, data: bytes) -> None:
    with _cannot_write(path):
        out.write(data)


@contextlib.contextmanager
def _cannot_write(path: str) -> Generator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise InputError("the answers cannot be written", file=path, found=reason) from error


def _publish(temporary: str, target: Path) -> None:
    # mkstemp makes the file private; an answer file is an ordinary one.
    mask = os.umask(0)
    os.umask(mask)
    Path(temporary).chmod(0o666 & ~mask)
    Path(temporary).replace(target)


_encoder = msgspec.json.Encoder()


def answer_line(checked: CheckedAnswer) -> bytes:
    """Return one answer as a line of JSON."""
    found = checked.answer
    line = {
        "id": checked.source.id,
        "status": found.status,
        "result": _plain(found.result),
        "reasons": [{"rule": r.rule, "text": r.text, "source": r.source} for r in found.reasons],
        "agrees": checked.comparison.agrees,
        "differs": list(checked.comparison.differs),
        "why": found.why,
    }
    return _encoder.encode(line) + b"\n"


def _plain(value: object) -> object:
    if isinstance(value, bool) or value is None or isinstance(value, str | float):
        return value
    if isinstance(value, int):
        if -_EXACT < value < _EXACT:
            return int(value)
        return "UINT64_MAX" if value == _UINT64_MAX else str(value)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("Sequence[object]", value)]
    return str(value)


def _text(summary: Summary) -> list[str]:
    head = ("api", "kind", "records", *COUNTS)
    kinds = cast("list[dict[str, object]]", summary.to_json()["kinds"])
    rows = [[str(row[key] if row[key] is not None else "-") for key in head] for row in kinds]
    total = Counter[str]()
    for counts in summary.kinds.values():
        total.update(counts)
    rows.append(["all", "", str(summary.records), *(str(total[name]) for name in COUNTS)])
    lines = table([name.replace("_", " ") for name in head], rows)
    for item in summary.disagreements:
        lines.append(f"{item['file']}: {item['id']}: {', '.join(cast('list[str]', item['differs']))}")
    hidden = summary.disagree - len(summary.disagreements)
    return [*lines, f"and {hidden} more"] if hidden else lines
