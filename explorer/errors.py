"""Exceptions of the explorer: broken input and bugs, never a refusal that the user should see."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Complaint:
    """What was wrong with an input, in parts that a script can read.

    Attributes:
        message: One sentence, without the file and the place.
        file: The file as it was given, or None.
        line: 1-based line, or None where the format has none.
        where: Key path or field, for example ``segments[0].bytes``.
        found: What stood there, shortened.
        accepted: The accepted values or forms.
    """

    message: str
    file: str | None = None
    line: int | None = None
    where: str | None = None
    found: str | None = None
    accepted: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        """Return ``FILE: line N: WHERE: message (found …; accepted: …)``."""
        place = [self.file, f"line {self.line}" if self.line is not None else None, self.where]
        text = ": ".join([part for part in place if part] + [self.message])
        if self.found is not None:
            text += f"; found {self.found}"
        if self.accepted:
            shown = ", ".join(self.accepted[:12])
            more = len(self.accepted) - 12
            text += f"; accepted: {shown}" + (f" and {more} more" if more > 0 else "")
        return text


class ExplorerError(Exception):
    """Base of all errors of the explorer.

    Args:
        message: One sentence that says what is wrong.
        file: The file as it was given.
        line: 1-based line.
        where: Key path or field.
        found: What stood there.
        accepted: Accepted values or forms.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        where: str | None = None,
        found: object = None,
        accepted: tuple[str, ...] = (),
    ) -> None:
        shown = None if found is None else _shorten(found if isinstance(found, str) else repr(found))
        self.complaint = Complaint(message, file, line, where, shown, accepted)
        super().__init__(str(self.complaint))

    def in_file(self, file: str) -> ExplorerError:
        """Return the same error with the file named (unchanged if it already names one)."""
        c = self.complaint
        if c.file is not None:
            return self
        return type(self)(c.message, file=file, line=c.line, where=c.where, found=c.found, accepted=c.accepted)


class InputError(ExplorerError):
    """A file or a value from outside is unreadable or invalid."""


class OutputError(InputError):
    """Standard output is closed or takes no more, so that nothing else can be said there either."""


class PresetError(InputError):
    """An adapter or scenario file is invalid; names file, key and accepted values."""


class CallError(InputError):
    """A call record is malformed; names the path and the accepted values."""


class CommandError(ExplorerError):
    """Wrong use of a command, or an unknown id."""


class LayoutError(ExplorerError):
    """A broken invariant of a layout: a bug of the product."""


def _shorten(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
