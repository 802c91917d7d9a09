"""Files in and out: importers, exporters, the saved snapshot, writing atomically."""

from __future__ import annotations

from explorer.interchange.exporters import EXPORTERS, ExportOptions, exporter_by_id
from explorer.interchange.files import write_atomically
from explorer.interchange.importers import IMPORTERS, open_file
from explorer.interchange.opened import OpenedFile

__all__ = ["EXPORTERS", "IMPORTERS", "ExportOptions", "OpenedFile", "exporter_by_id", "open_file", "write_atomically"]
