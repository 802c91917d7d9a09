"""Scenario files with something changed anywhere: they run, or one error names what is wrong."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.errors import Complaint, PresetError
from explorer.sim.scenario import read_scenario
from explorer.sim.scenarios import make_simulation
from tests.sim.laws import Ledger
from tests.sim.nonsense import BASES, at, more, release, slots, toml

NUMBERS = (0, 1, 2, 3, -1, 255, 4096, 65536, 2**31, 2**32 - 1, 2**32, 2**40, 2**62, -(2**62))
TEXTS = ("", "0", "-1", "things", "things 0", "nobody", "{i}", "{name}", "\x00", "漢字", "LOCAL=0", "lost", "x" * 300)
VALUES = st.one_of(
    st.sampled_from(NUMBERS),
    st.sampled_from(TEXTS),
    st.booleans(),
    st.builds(list),
    st.builds(dict),
    st.builds(lambda: ["things 1"]),
)


def rich(api: str) -> dict[str, Any]:
    """Return a scenario with something of every kind in it."""
    data = copy.deepcopy(BASES[api])
    at(
        {"frame": 1, "call": "Release", "input": release(api, "things 3")},
        {"frame": 2, "option": "policy", "value": "lru"},
        {"frame": 1, "call": "Release", "input": release(api, "{name}"), "each": "things", "count": 1, "every": 2},
    )(data)
    data["stream"] = [{"group": "things", "count": 1, "every": 2}]
    data["objects"][0]["live"] = 3
    if api == "d3d12":
        more(slots(8))(data)
        at({"frame": 1, "option": "budget", "value": "LOCAL=1MiB"})(data)
    data["frames"] = 4
    return data


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value in nested data."""
    found = [path] if path else []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return found + [one for key, part in inner for one in places(part, (*path, key))]


@st.composite
def changed(draw: st.DrawFn, api: str) -> dict[str, Any]:
    """Return a scenario with one to three values replaced, removed or moved elsewhere."""
    data = rich(api)
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from(places(data)))
        table: Any = data
        for key in path:
            table = table[key]
        match draw(st.sampled_from(("replace", "replace", "remove", "add", "swap"))):
            case "replace":
                table[last] = draw(VALUES)
            case "remove" if isinstance(table, dict):
                del table[last]
            case "add" if isinstance(table, dict):
                table[draw(st.sampled_from(("live", "frame", "total", "heaps", "aliases", "node", "x")))] = draw(VALUES)
            case _:
                table[last] = copy.deepcopy(table[draw(st.sampled_from(list(_keys(table))))])
    return data


def _keys(table: Any) -> Any:
    return table if isinstance(table, dict) else range(len(table))


def complaint_of(data: dict[str, Any]) -> Complaint | None:
    """Run a scenario by the laws; return why that could not be. A broken law or a fault leaves as it is."""
    try:
        ledger = Ledger(make_simulation(read_scenario("fuzz.toml", toml(data).encode(), "fuzz")))
        for _ in range(min(ledger.simulation.frames, 4)):
            ledger.step()
    except PresetError as error:
        return error.complaint
    return None


@pytest.mark.parametrize("api", BASES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(choice=st.data())
def test_that_a_changed_scenario_adds_up_or_is_refused_in_words(api: str, choice: st.DataObject) -> None:
    complaint = complaint_of(choice.draw(changed(api)))
    assert complaint is None or (complaint.file == "fuzz.toml" and complaint.message)
