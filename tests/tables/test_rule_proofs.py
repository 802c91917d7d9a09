"""The index of proofs is what the answers say, and every rule in it exists."""

from __future__ import annotations

import json

from explorer.tables.d3d11_tables import rules as d3d11_rules
from explorer.tables.d3d12_tables import rules_by_id
from explorer.tables.kernel_rules import kernel_rules
from explorer.tables.rule_proofs import proofs
from tests.tables.rule_proofs import INDEX, computed


def test_that_the_index_of_proofs_is_up_to_date() -> None:
    stored = json.loads(INDEX.read_bytes())["rules"]
    assert stored == computed()
    assert set(stored) <= {*d3d11_rules(), *rules_by_id(), *kernel_rules()}


def test_that_proofs_have_the_ids_of_the_vector_files() -> None:
    assert proofs("d3d9.R7.4")[0].startswith("d3d9-vb_lock_flags-0")
    assert "d3d11-create_texture2d_bind-0003" in proofs("d3d11.C2.10")
    every = {name for rule in rules_by_id() for name in proofs(rule)}
    assert "map-001" in every
    assert proofs("d3d12.99.9") == proofs("kernel.pages") == ()
