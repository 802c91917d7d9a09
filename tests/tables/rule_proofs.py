"""Which vectors prove which rule of D3D10, D3D11 and D3D12. Run as a module, it writes the index anew."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.cli.check import ask_device
from explorer.rules.check import check
from explorer.rules.records import CheckOptions
from explorer.tables import rule_proofs
from tests.conformance.d3d11 import test_vectors as d3d11
from tests.conformance.d3d12 import data as d3d12

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.rules.check import CheckRecord

INDEX = Path(rule_proofs.__file__).with_name("rule_proofs.json")


def _records() -> Iterator[tuple[str, int, CheckRecord]]:
    for name in d3d11.FILES:
        for record in d3d11.cases(name):
            yield str(record.record.kind), int(str(record.id).split(" ", 1)[0]), record
    for path in d3d12.VECTOR_FILES:
        for record in d3d12.vectors(path):
            yield str(record.record.kind), int(str(record.id).rsplit("-", 1)[1]), record


def computed() -> dict[str, dict[str, list[int]]]:
    """Return rule → kind → numbers of the agreeing vectors that the rule had a part in."""
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for kind, number, record in _records():
        checked = check(record, CheckOptions(), ask_device)
        if checked.verdict in ("agree", "no_expect"):
            for rule in sorted({reason.rule for reason in checked.answer.reasons}):
                found[rule][kind].append(number)
    return {rule: dict(kinds) for rule, kinds in sorted(found.items())}


def write() -> None:
    """Write the index."""
    rows = [f"{json.dumps(rule)}: {json.dumps(kinds, separators=(',', ':'))}" for rule, kinds in computed().items()]
    head = '{\n"schema": "rule-proofs/1",\n"note": "rule: kind of vector: numbers of its vectors",\n"rules": {\n'
    INDEX.write_text(head + ",\n".join(rows) + "\n}\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
