"""A scenario as calls: what comes before the first frame, and what each frame does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from explorer.core import d3d9, d3d11, d3d12, random
from explorer.core.calls import CallRecord
from explorer.core.d3d12_enums import ResourceBarrierType
from explorer.core.d3d12_structs import AliasingBarrier, Barrier
from explorer.core.names import NameRows, NameRuns, first_of_each
from explorer.errors import CallError, PresetError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from explorer.core.names import Objects
    from explorer.sim.scenario import Draws, Moment, ObjectGroup, Pass, Scenario


MANY_NAMES = 256
"""References of a call from which on they stay columns."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One step of a scenario.

    Attributes:
        record: The call, or None for an option.
        arguments: The call's decoded input where it is already known, else None.
        alias_of: Place it where this object lies.
        heaps: Place it in the first of these heaps that has room.
        option: Name and value of an option.
        where: Key in the scenario's file; empty for what no key says.
    """

    record: CallRecord | None
    arguments: Any = None
    alias_of: str | None = None
    heaps: tuple[str, ...] = ()
    option: tuple[str, str] | None = None
    where: str = ""


class Script:
    """The calls of a scenario for a seed.

    Every random choice is a function of the seed, the group or pass and the number of the choice; nothing remembers.

    Args:
        scenario: The scenario.
        seed: Seed of the random streams.
    """

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self._scenario = scenario
        self._seed = seed
        self._members: dict[str, list[str]] = {}
        self._orders: dict[str, list[int]] = {}
        self._rows: dict[str, NameRows] = {}

    def objects(self, group: ObjectGroup) -> Iterator[Planned]:
        """Yield the creation calls of a group before the first frame."""
        for index in range(0 if group.frame else group.live or group.count):
            yield self.member(group, index)

    def member(self, group: ObjectGroup, index: int) -> Planned:
        """Return the creation call of one object of a group."""
        heaps = tuple(self.members(group.heaps)) if group.heaps else ()
        inputs = _merged(group.input, {})
        for number, choice in enumerate(group.vary):
            key = random.stream(self._seed, f"{group.id}/vary{number}")
            weights = choice.weights or (1,) * len(choice.values)
            at = random.choose(key, index, weights)
            inputs = self._varied(inputs, choice.values[at], f"objects.{group.id}.vary[{number}].values[{at}]")
        alias = group.aliases[index % len(group.aliases)] if group.aliases else None
        record = CallRecord(self._scenario.api, group.call, inputs, group.name.format(i=index))
        return Planned(record, alias_of=alias, heaps=heaps, where=f"objects.{group.id}")

    def _varied(self, inputs: dict[str, Any], changes: Mapping[str, Any], where: str) -> dict[str, Any]:
        try:
            return _merged(inputs, changes)
        except CallError as error:
            c = error.complaint
            file = f"{self._scenario.id}.toml"
            raise PresetError(c.message, file=file, where=f"{where}.{c.where}", found=c.found) from error

    def members(self, group_id: str) -> list[str]:
        """Return the names of a group, or the one name itself."""
        found = self._members.get(group_id)
        if found is None:
            group = next((g for g in self._scenario.objects if g.id == group_id), None)
            found = [group_id] if group is None else [group.name.format(i=i) for i in range(group.count)]
            self._members[group_id] = found
        return found

    def frame(self, frame: int, alive: Objects, made: Mapping[str, int]) -> list[Planned]:
        """Return the calls of a frame.

        Args:
            frame: Number of the frame.
            alive: Names of the objects that live; others are left out of references.
            made: Group id → how many of its objects were created before the first frame.
        """
        api = self._scenario.api
        calls = [*self._late_groups(frame, alive), *self._moments(frame, alive, late=False)]
        calls.extend(self._streams(frame, alive, made))
        is_d3d9 = api.startswith("d3d9")
        if is_d3d9:
            calls.append(_plan(api, "BeginScene", d3d9.Empty()))
        for index, one in enumerate(self._scenario.passes):
            if frame < one.first or (one.last >= 0 and frame > one.last) or (frame - one.first) % one.every:
                continue
            calls.extend(self._pass(one, index, frame, alive))
        if is_d3d9:
            calls.append(_plan(api, "EndScene", d3d9.Empty()))
        calls.extend(self._moments(frame, alive, late=True))
        calls.append(_plan(api, "Present", _present(api)))
        return calls

    def _late_groups(self, frame: int, alive: Mapping[str, object]) -> Iterator[Planned]:
        for group in self._scenario.objects:
            if group.frame and group.frame == frame:
                for index in range(group.count):
                    if group.name.format(i=index) not in alive:
                        yield self.member(group, index)

    def _pass(self, one: Pass, index: int, frame: int, alive: Objects) -> Iterator[Planned]:
        api = self._scenario.api
        reads: list[tuple[NameRows, npt.NDArray[np.int64]]] = []
        writes: list[tuple[NameRows, npt.NDArray[np.int64]]] = []
        for number, draws in enumerate(one.draws):
            stream = random.stream(self._seed, f"pass{index}/draws{number}/{frame}")
            rows = self._name_rows(draws.group)
            (writes if draws.write else reads).append((rows, _picks(draws, frame, stream, rows.alive(alive))))
        if api == "d3d12":
            active = [name for name in one.activates if name in alive]
            if active:
                kind = ResourceBarrierType.ALIASING
                barriers = tuple(Barrier(Type=kind, Aliasing=AliasingBarrier(pResourceAfter=name)) for name in active)
                yield _plan(api, "ResourceBarrier", d3d12.ResourceBarrier(barriers))
            mask = 1 << one.node if one.node else 0
            executed = d3d12.ExecuteCommandLists(_names(reads), _names(writes), NodeMask=mask)
            yield _plan(api, "ExecuteCommandLists", executed)
        elif api.startswith("d3d9"):
            yield _plan(api, "DrawIndexedPrimitive", d3d9.Draw(_names(reads), _names(writes)))
        else:
            yield _plan(api, "DrawIndexed", d3d11.Draw(references=_names(reads), writes=_names(writes)))

    def _name_rows(self, group_id: str) -> NameRows:
        found = self._rows.get(group_id)
        if found is None:
            found = self._rows[group_id] = NameRows(self.members(group_id))
        return found

    def _streams(self, frame: int, alive: Mapping[str, object], made: Mapping[str, int]) -> Iterator[Planned]:
        api = self._scenario.api
        for stream in self._scenario.streams:
            if frame < stream.first or (stream.last >= 0 and frame > stream.last):
                continue
            if (frame - stream.first) % stream.every:
                continue
            group = next(g for g in self._scenario.objects if g.id == stream.group)
            start = made[group.id]
            done = (frame - stream.first) // stream.every * stream.count
            order = self._order(group, start)
            for index in range(done, done + stream.count):
                old = group.name.format(i=order[index % group.count])
                if old in alive:
                    key = "object" if api.startswith("d3d9") else "pObject"
                    yield Planned(CallRecord(api, "Release", {key: old}))
            for index in range(done + start, done + start + stream.count):
                planned = self.member(group, order[index % group.count])
                assert planned.record is not None
                if planned.record.out not in alive:
                    yield planned

    def _order(self, group: ObjectGroup, made: int) -> list[int]:
        """Return the order in which a stream walks a group: the first ones made and then the others, each shuffled.

        At any time the objects that live are ``made`` neighbours of this order.
        """
        found = self._orders.get(group.id)
        if found is None:
            key = random.stream(self._seed, f"{group.id}/stream")
            found = sorted(range(group.count), key=lambda i: (i >= made, random.bits(key, i)))
            self._orders[group.id] = found
        return found

    def _moments(self, frame: int, alive: Mapping[str, object], *, late: bool) -> Iterator[Planned]:
        for index, moment in enumerate(self._scenario.moments):
            where = f"at[{index}]"
            due = frame == moment.frame
            if moment.every and frame > moment.frame:
                due = (frame - moment.frame) % moment.every == 0 and not 0 <= moment.last < frame
            if not due or moment.late is not late:
                continue
            if moment.option is not None:
                yield Planned(None, option=(moment.option, str(moment.value)), where=where)
            elif moment.each is not None:
                yield from self._each(moment, frame, alive, where)
            else:
                record = CallRecord(self._scenario.api, str(moment.call), moment.input, moment.out)
                yield Planned(record, where=where)

    def _each(self, moment: Moment, frame: int, alive: Mapping[str, object], where: str) -> Iterator[Planned]:
        members = self.members(str(moment.each))
        count = min(moment.count or len(members), len(members))
        turn = (frame - moment.frame) // moment.every if moment.every else 0
        for index in range(turn * count, (turn + 1) * count):
            at = index % len(members)
            if members[at] not in alive:
                continue
            words = {"{name}": members[at], "{i}": str(at)}
            out = _filled(moment.out, words) if moment.out else None
            record = CallRecord(self._scenario.api, str(moment.call), _filled(moment.input, words), out)
            yield Planned(record, where=where)


def _picks(draws: Draws, frame: int, stream: int, alive: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return which members of a group a pass refers to: indices, each once.

    Args:
        draws: What the pass draws of the group.
        frame: Number of the frame.
        stream: Key of the pass's random stream in this frame.
        alive: Indices of the members that live.
    """
    size = len(alive)
    if not size:
        return alive
    count = min(draws.count or size, size) if draws.pattern != "random" else draws.count or size
    if draws.pattern == "all":
        return alive[:count]
    if draws.pattern in ("window", "loop"):
        start = frame * draws.step
        start = start % size if draws.pattern == "loop" else _there_and_back(start, size - count)
        return alive[(start + np.arange(count)) % size]
    at = np.arange(count)
    picked = random.below_each(stream, at, size)
    # Each power pulls the choice towards the first members; integers only.
    for power in range(draws.skew):
        picked = picked * (random.below_each(stream, (power + 1) * 1_000_003 + at, size) + 1) // size
    return first_of_each(alive[picked])


def _names(parts: list[tuple[NameRows, npt.NDArray[np.int64]]]) -> tuple[str, ...]:
    """Return names as the call's input has them; long ones as a sequence that makes its texts when it is read."""
    runs = NameRuns(parts)
    return tuple(runs) if len(runs) < MANY_NAMES else cast("tuple[str, ...]", runs)


def _present(api: str) -> Any:
    if api == "d3d12":
        return d3d12.Present()
    return d3d9.Empty() if api.startswith("d3d9") else d3d11.Present()


def _plan(api: str, call: str, arguments: Any) -> Planned:
    return Planned(CallRecord(api, call, {}), arguments)


def _there_and_back(position: int, limit: int) -> int:
    """Return a position that walks 0 … limit and back, without a jump."""
    if limit <= 0:
        return 0
    at = position % (2 * limit)
    return at if at <= limit else 2 * limit - at


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    """Return plain data with placeholders in its texts replaced."""
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace(word, text)
        return value
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        return {key: _filled(one, words) for key, one in table.items()}
    if isinstance(value, list):
        return [_filled(one, words) for one in cast("list[Any]", value)]
    return value


def _merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested tables with changes; a dotted key reaches into a table.

    Raises:
        CallError: A dotted key reaches into what is no table.
    """
    merged: dict[str, Any] = {}
    for key, value in base.items():
        merged[key] = _merged(cast("dict[str, Any]", value), {}) if isinstance(value, dict) else value
    for key, value in changes.items():
        *path, last = key.split(".")
        table = merged
        for part in path:
            inner: object = table.setdefault(part, {})
            if not isinstance(inner, dict):
                raise CallError("this key reaches into what is no table", where=key, found=part)
            table = cast("dict[str, Any]", inner)
        table[last] = value
    return merged
