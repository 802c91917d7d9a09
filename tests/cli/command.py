"""Runs commands in this process and checks what a script may rely on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema

from explorer.cli.main import main
from explorer.tables.locations import resources_folder

if TYPE_CHECKING:
    import pytest

SCENARIO = "d3d9-shooter-2003-agp-64mb"


@dataclass
class Answer:
    """How a command ended."""

    code: int
    out: str
    err: str

    def object(self, command: str) -> dict[str, Any]:
        """The one object on standard output, held against its schema."""
        assert self.out.endswith("}\n")
        document: dict[str, Any] = json.loads(self.out, parse_constant=_refuse)
        validator(command).validate(document)
        assert list(document)[:2] == ["schema", "version"]
        assert document["schema"] == f"memory-explorer/{command}/1"
        return document


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> Answer:
    """Run a command."""
    code = main(list(arguments))
    out, err = capfd.readouterr()
    return Answer(code, out, err)


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((resources_folder() / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def _refuse(text: str) -> None:
    raise AssertionError(f"{text} is no JSON number")
