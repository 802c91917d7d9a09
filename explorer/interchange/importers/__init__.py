"""Files of other tools and of this one: what they are is decided by their content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.errors import InputError
from explorer.interchange.files import read_bytes
from explorer.interchange.importers.d3d12info_file import D3d12Info
from explorer.interchange.importers.d3d12ma import D3d12Ma
from explorer.interchange.importers.d3d12ma_2019 import D3d12Ma2019
from explorer.interchange.importers.scenario_file import ScenarioFile
from explorer.interchange.importers.session_file import SessionFile
from explorer.interchange.importers.snapshot_file import SnapshotFile
from explorer.interchange.importers.source import DEFAULT_CODE_PAGE, open_source
from explorer.interchange.importers.unread_formats import name_of_unread_format
from explorer.interchange.importers.virtual_blocks import D3d12MaVirtual, VmaVirtual
from explorer.interchange.importers.vma_c import VmaC
from explorer.interchange.importers.vma_old import VmaA, VmaB

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from explorer.interchange.importers.protocol import Importer
    from explorer.interchange.opened import OpenedFile

IMPORTERS: tuple[Importer, ...] = (
    SnapshotFile(),
    SessionFile(),
    VmaC(),
    D3d12Ma(),
    VmaVirtual(),
    D3d12MaVirtual(),
    VmaA(),
    VmaB(),
    D3d12Ma2019(),
    D3d12Info(),
    ScenarioFile(),
)
"""Every format that can be opened; the first that recognises a file reads it."""


def open_file(
    path_or_bytes: str | Path | bytes,
    file_name: str | None = None,
    *,
    code_page: str = DEFAULT_CODE_PAGE,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> OpenedFile:
    """Return what a file holds.

    Args:
        path_or_bytes: Path (``-`` is standard input), or the bytes themselves.
        file_name: How results and complaints name the file; the path where left out.
        code_page: Encoding of names in files whose text is neither UTF-8 nor UTF-16.
        progress: Called with 0.0 … 1.0, from the calling thread.
        cancelled: Asked now and then; reading stops when it returns True.

    Raises:
        InputError: Unreadable, of no known format, or invalid; names the file, where and what is accepted.
        ImportCancelledError: ``cancelled`` returned True.
    """
    if isinstance(path_or_bytes, bytes):
        data, name = path_or_bytes, file_name or "-"
    else:
        name = file_name or str(path_or_bytes)
        data = read_bytes(str(path_or_bytes))
    source = open_source(data, name, code_page=code_page, progress=progress, cancelled=cancelled)
    source.at(0.2)
    for importer in IMPORTERS:
        if importer.recognises(source):
            return importer.read(source)
    known = name_of_unread_format(source)
    titles = tuple(importer.id for importer in IMPORTERS)
    if known is not None:
        raise InputError(f"this is {known}, which cannot be opened yet", file=name, accepted=titles)
    what = "JSON of no known format" if source.is_json else "a file of no known format"
    raise InputError(f"this is {what}", file=name, accepted=titles)
