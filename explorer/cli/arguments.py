"""Reading arguments so that wrong use ends like any other bad input."""

from __future__ import annotations

import argparse
import re
from typing import Any, NoReturn

from explorer.errors import CommandError

SCALES = ("1", "1.5", "2")
THEMES = ("light", "dark")
_SIZE = re.compile(r"([0-9]{1,5})x([0-9]{1,5})")
_CHOICE = re.compile(r"invalid choice: ['\"](.*)['\"] \(choose from (.*)\)", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """A parser that raises instead of printing and leaving, and takes options by their whole name only."""

    def __init__(self, **settings: Any) -> None:
        # A script that says --frame for --frames would break, or do something else, with the next option that is added.
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        """Raise what was wrong.

        Raises:
            CommandError: Always.
        """
        match = re.match(r"argument ([^:]+): (.*)", message, re.DOTALL)
        where, text = (match[1], match[2]) if match else (None, message)
        choice = _CHOICE.fullmatch(text)
        if choice is not None:
            accepted = tuple(part.strip(" '") for part in choice[2].split(","))
            raise CommandError("unknown value", where=where, found=choice[1], accepted=accepted)
        raise CommandError(f"{text} (see {self.prog} --help)", where=where)


def picture_size(text: str) -> tuple[int, int]:
    """Return ``1280x720`` as width and height in pixels.

    Raises:
        CommandError: Not of this form.
    """
    match = _SIZE.fullmatch(text)
    if match is None or not (int(match[1]) and int(match[2])):
        raise CommandError("not a picture size", where="--size", found=text, accepted=("WIDTHxHEIGHT, 1280x720",))
    return int(match[1]), int(match[2])


def whole_number(option: str, text: str | None, low: int, high: int) -> int | None:
    """Return an option's whole number, or None where it was not given.

    Raises:
        CommandError: Not a whole number, or out of range.
    """
    if text is None:
        return None
    accepted = (f"a whole number {low} … {high}",)
    if not re.fullmatch(r"-?[0-9]{1,40}", text):
        raise CommandError("not a whole number", where=option, found=text, accepted=accepted)
    value = int(text)
    if not low <= value <= high:
        raise CommandError("out of range", where=option, found=text, accepted=accepted)
    return value


def one_of(option: str, text: str | None, accepted: tuple[str, ...]) -> str | None:
    """Return an option's value if it is accepted.

    Raises:
        CommandError: Another value.
    """
    if text is not None and text not in accepted:
        raise CommandError("unknown value", where=option, found=text, accepted=accepted)
    return text


def one_object(as_json: bool, out: str) -> None:
    """Refuse to print a JSON object where a command's output itself goes to standard output.

    Raises:
        CommandError: Both are asked for.
    """
    if as_json and out == "-":
        raise CommandError("standard output holds the output itself or the JSON object", where="--out", found=out,
                           accepted=("a file", "-, without --json"))  # fmt: skip
