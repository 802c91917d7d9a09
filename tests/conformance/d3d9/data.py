"""The conformance data of Direct3D 9: vectors and oracle rows, decoded from their compact form."""

from __future__ import annotations

import functools
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorer.rules.check import CheckRecord, read_records

HERE = Path(__file__).parent
VECTOR_FILES = sorted(path.stem for path in (HERE / "vectors").glob("*.json"))


@dataclass(frozen=True)
class Row:
    """One oracle row: its fields by name, as text."""

    fields: dict[str, str]

    def __getitem__(self, name: str) -> str:
        return self.fields[name]

    def number(self, name: str) -> int:
        return int(self.fields[name])

    def get(self, name: str) -> str | None:
        return self.fields.get(name)


@functools.cache
def vectors(kind: str) -> list[CheckRecord]:
    """Return the records of a vector file, read as the command reads one."""
    data = json.loads((HERE / "vectors" / f"{kind}.json").read_bytes())
    objects = []
    for number, api, call, inputs, expect, _, *extra in data["rows"]:
        record = {"id": f"d3d9-{kind}-{number:04d}", "api": api, "call": call, "input": inputs, "expect": expect}
        objects.append({**record, **(extra[0] if extra else {})})
    text = json.dumps({"schema": "d3d9-vectors/1", "kind": data["kind"], "vectors": objects}, indent=0)
    return list(read_records(io.BytesIO(text.encode()), kind))


@functools.cache
def oracle(name: str) -> dict[str, Any]:
    """Return an oracle file as it stands."""
    return json.loads((HERE / "oracle" / f"{name}.json").read_bytes())


def families(*names: str) -> list[tuple[str, str]]:
    """Return (file, family) for every family of the files."""
    return [(name, family["family"]) for name in names for family in oracle(name)["families"]]


@functools.cache
def rows(name: str, family: str) -> list[Row]:
    """Return the rows of a family; operations of a sequence are whole again."""
    entry = next(item for item in oracle(name)["families"] if item["family"] == family)
    columns, found = entry["columns"], []
    before: list[str] = []
    for text in entry["rows"]:
        count, *rest = text.split("|")
        before = before[: int(count)] + rest
        fields = dict(zip(columns, before, strict=True))
        if entry.get("suffix"):
            fields["ops"] = f"{fields['ops']};{entry['suffix']}"
        found.append(Row(fields))
    return found


def matrix() -> list[list[str]]:
    """Return the rows of the pool × usage matrix."""
    return json.loads((HERE / "pool_usage_matrix.json").read_bytes())["rows"]
