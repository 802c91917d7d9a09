"""Which vectors prove which rule: computed from the answers. Run as a module, it writes the table anew."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from explorer.rules.check import check
from explorer.rules.records import CheckOptions
from explorer.tables import d3d9_tables
from tests.conformance.d3d9.data import VECTOR_FILES, vectors

TABLE = Path(d3d9_tables.__file__).with_name("d3d9_evidence.json")


def computed() -> dict[str, dict[str, list[int]]]:
    """Return rule → kind → numbers of the vectors that the rule had a part in, for vectors that agree."""
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for kind in VECTOR_FILES:
        for record in vectors(kind):
            answer = check(record, CheckOptions())
            if answer.verdict not in ("agree", "no_expect"):
                continue
            for reason in answer.answer.reasons:
                found[reason.rule][kind].append(int(str(record.id).rsplit("-", 1)[1]))
    return {rule: dict(kinds) for rule, kinds in sorted(found.items())}


def write() -> None:
    """Write the table."""
    rows = [f"{json.dumps(rule)}: {json.dumps(kinds, separators=(',', ':'))}" for rule, kinds in computed().items()]
    head = '{\n"schema": "d3d9-evidence/1",\n"note": "rule: kind of vector: numbers of its vectors",\n"rules": {\n'
    TABLE.write_text(head + ",\n".join(rows) + "\n}\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
