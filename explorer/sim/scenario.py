"""Scenario files: what they hold, strictly read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Annotated, Any

from explorer.core.calls import APIS, call_spec
from explorer.core.schema import Key, Length, ObjectName, OneOf, Range, Table, decode
from explorer.core.units import parse_size
from explorer.errors import CallError, InputError, PresetError
from explorer.tables.toml_reader import parse_toml

Count = Annotated[int, Range(1, 1_000_000)]
Frames = Annotated[int, Range(0, 1_000_000)]
Text = Annotated[str, Length(1, 4000)]
Input = Annotated[Any, Table()]

PATTERNS = ("all", "window", "loop", "random")

RANDOM_DRAWS = 100_000
"""References that one pass may draw at random in a frame: each is a hash."""
NAME_LENGTH = 260
"""Characters of an object's name: as many as ``ObjectName`` accepts."""
_PLACEHOLDER = re.compile(r"\{i(?::0?[0-9]{1,2})?\}")
"""An object's number; nothing else of ``str.format``, which can be asked for a gigabyte of spaces."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Values that a generated object takes, each as often as its weight says.

    Attributes:
        values: Parameter name → value; each entry is one alternative.
        weights: Whole numbers, one for each alternative; equal where left out.
    """

    values: tuple[Input, ...]
    weights: tuple[Annotated[int, Range(0, 1_000_000)], ...] = ()

    def __post_init__(self) -> None:
        """Refuse weights that do not match."""
        if not self.values:
            raise InputError("at least one alternative is needed", where="values", accepted=("a list of tables",))
        if self.weights and (len(self.weights) != len(self.values) or not sum(self.weights)):
            raise InputError(
                "one weight for each alternative, not all 0",
                where="weights",
                found=len(self.weights),
                accepted=(f"{len(self.values)} whole numbers",),
            )


@dataclass(frozen=True, slots=True)
class ObjectGroup:
    """Objects that are created before the first frame, in the order of the file.

    Attributes:
        id: Name of the group, for passes.
        call: The creation call.
        name: Name of each object; ``{i}`` is its number from 0, ``{i:03}`` with leading zeros.
        input: The call's parameters.
        count: How many.
        total: Stop when the sizes add up to this many bytes (SIZE); ``count`` is then the most.
        vary: Alternatives for parameters.
        aliases: Names of objects at whose heap offset each one is placed, one after the other.
        live: How many are created before the first frame; 0 all. The others wait for a stream.
        heaps: Id of a group of heaps; each object is placed in the first of them that has room (D3D12).
        frame: Created at the start of this frame; 0: before the first one.
        source: Where the figures come from.
    """

    id: ObjectName
    call: ObjectName
    name: Text
    input: Input
    source: Text
    count: Count = 1
    total: Text | None = None
    vary: tuple[Choice, ...] = ()
    aliases: tuple[ObjectName, ...] = ()
    live: Annotated[int, Range(0, 1_000_000)] = 0
    heaps: ObjectName | None = None
    frame: Frames = 0


@dataclass(frozen=True, slots=True)
class Draws:
    """References to a group in one pass.

    Attributes:
        group: Id of the group, or the name of one object.
        pattern: ``all``: each object once; ``window``: ``count`` neighbours, moving on by ``step`` each frame;
            ``loop``: the same but starting anew at the end; ``random``: ``count`` draws with the skew of ``skew``.
        count: References in a frame; 0 all.
        step: How far a window moves in a frame.
        skew: 0: evenly; 1 … 4: the first objects of the group are the more likely, the more so the higher.
        write: True for targets.
    """

    group: ObjectName
    pattern: Annotated[str, OneOf(PATTERNS)] = "all"
    count: Annotated[int, Range(0, 1_000_000)] = 0
    step: Annotated[int, Range(0, 1_000_000)] = 1
    skew: Annotated[int, Range(0, 4)] = 0
    write: bool = False


@dataclass(frozen=True, slots=True)
class Pass:
    """One submission of a frame.

    Attributes:
        name: For the log.
        draws: What it references.
        every: Only in every n-th frame.
        first: First frame in which it runs.
        last: Last frame in which it runs; −1 all.
        activates: Placed resources that an aliasing barrier makes active before it (D3D12).
        node: The node of the queue (D3D12).
    """

    name: Text
    draws: tuple[Draws, ...]
    every: Count = 1
    first: Frames = 0
    last: Annotated[int, Range(-1, 1_000_000)] = -1
    activates: tuple[ObjectName, ...] = ()
    node: Annotated[int, Range(0, 31)] = 0


@dataclass(frozen=True, slots=True)
class Stream:
    """A group whose objects come and go, in a shuffled order: some are released, others of the group are created.

    Attributes:
        group: Id of the group; ``total`` or ``live`` says how many of its ``count`` objects live at a time.
        count: How many are exchanged.
        every: In every n-th frame.
        first: First frame.
        last: Last frame; −1 all.
    """

    group: ObjectName
    count: Count = 1
    every: Count = 1
    first: Frames = 1
    last: Annotated[int, Range(-1, 1_000_000)] = -1


@dataclass(frozen=True, slots=True)
class Moment:
    """A call or an option that comes at the start of a frame.

    Attributes:
        frame: The frame.
        call: The call, or None.
        input: Its parameters.
        out: Name of what it creates.
        option: The option, or None.
        value: Its value.
        every: Again every n frames; 0 once.
        last: With ``every``: the last frame in which it may come; −1 all.
        each: Make the call for members of this group; ``{name}`` and ``{i}`` in texts of ``input`` and ``out`` stand
            for the member's name and number.
        count: With ``each``: for how many members each time, going on where the last time ended; 0 all.
        late: After the frame's passes, not before.
    """

    frame: Frames
    call: ObjectName | None = None
    input: Input = field(default_factory=dict[str, Any])
    out: ObjectName | None = None
    option: ObjectName | None = None
    value: Text | None = None
    every: Annotated[int, Range(0, 1_000_000)] = 0
    last: Annotated[int, Range(-1, 1_000_000)] = -1
    each: ObjectName | None = None
    count: Annotated[int, Range(0, 1_000_000)] = 0
    late: bool = False

    def __post_init__(self) -> None:
        """Refuse a moment that says nothing or two things."""
        if (self.call is None) == (self.option is None) or (self.option is None) != (self.value is None):
            raise InputError("a moment is either a call or an option with a value", accepted=("call", "option, value"))


@dataclass(frozen=True, slots=True)
class TourStep:
    """A step of the tour.

    Attributes:
        frame: Where the simulation stands.
        text: What to see.
        select: Object to select.
        question: A question to the reader.
    """

    frame: Frames
    text: Text
    select: ObjectName | None = None
    question: Text | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario.

    Attributes:
        id: Its file's name without the ending.
        title: One line.
        teaches: One sentence.
        text: What happens and where the figures come from.
        api: API.
        adapter: Adapter id.
        frames: Length.
        seed: Seed of the random streams.
        options: Device options (``policy``, ``windows`` …).
        objects: What exists before the first frame.
        passes: What each frame does.
        streams: Groups whose objects come and go.
        moments: What comes at certain frames.
        tour: Steps of the tour.
    """

    schema: Annotated[str, OneOf(("memory-explorer/scenario/1",))]
    title: Text
    teaches: Text
    text: Text
    api: Annotated[str, OneOf(APIS)]
    adapter: ObjectName
    frames: Annotated[int, Range(1, 1_000_000)]
    objects: tuple[ObjectGroup, ...]
    id: str = ""
    seed: Annotated[int, Range(0, 2**63 - 1)] = 1
    options: Input = field(default_factory=dict[str, str])
    passes: Annotated[tuple[Pass, ...], Key("pass")] = ()
    streams: Annotated[tuple[Stream, ...], Key("stream")] = ()
    moments: Annotated[tuple[Moment, ...], Key("at")] = ()
    tour: tuple[TourStep, ...] = ()


def scenario_from_mapping(data: object, file: str, scenario_id: str) -> Scenario:
    """Return plain data as a scenario.

    Raises:
        PresetError: Names the file, the key path, what was found and what is accepted.
    """
    try:
        scenario = decode(data, Scenario)
        _check_calls(scenario)
    except InputError as error:
        c = error.complaint
        raise PresetError(c.message, file=file, where=c.where, found=c.found, accepted=c.accepted) from error
    object.__setattr__(scenario, "id", scenario_id)
    return scenario


def read_scenario(path: str, data: bytes, scenario_id: str) -> Scenario:
    """Return the scenario in a TOML file's bytes.

    Raises:
        PresetError: As ``scenario_from_mapping``; for broken TOML with the line.
    """
    return scenario_from_mapping(parse_toml(data, path), path, scenario_id)


def _check_calls(scenario: Scenario) -> None:
    ids = [group.id for group in scenario.objects]
    for index, group in enumerate(scenario.objects):
        where = f"objects[{index}]"
        if ids.index(group.id) != index:
            raise CallError("a second group with this id", where=f"{where}.id", found=group.id)
        _check_group(scenario.api, group, where)
    _check_draws(scenario, ids)
    for index, stream in enumerate(scenario.streams):
        if stream.group not in ids:
            raise CallError("no such group", where=f"stream[{index}].group", found=stream.group, accepted=tuple(ids))
        most = scenario.objects[ids.index(stream.group)].count
        if stream.count > most:
            raise CallError("more objects would be exchanged than the group has", where=f"stream[{index}].count",
                            found=stream.count, accepted=(f"at most {most}",))  # fmt: skip
    for index, moment in enumerate(scenario.moments):
        if moment.each is not None and moment.each not in ids:
            raise CallError("no such group", where=f"at[{index}].each", found=moment.each, accepted=tuple(ids))
        if moment.call is not None:
            try:
                call_spec(scenario.api, moment.call)
            except CallError as error:
                c = error.complaint
                raise CallError(c.message, where=f"at[{index}].call", found=c.found, accepted=c.accepted) from error


def _check_draws(scenario: Scenario, ids: list[str]) -> None:
    names: set[str] = set()
    for index, one in enumerate(scenario.passes):
        for at, draws in enumerate(one.draws):
            if draws.pattern == "random" and draws.count > RANDOM_DRAWS:
                where = f"pass[{index}].draws[{at}].count"
                raise CallError("too many random references", where=where, found=draws.count,
                                accepted=(f"at most {RANDOM_DRAWS:,} in a frame",))  # fmt: skip
            if draws.group in ids:
                continue
            # Made only where a single object is drawn: there may be millions.
            names = names or {group.name.format(i=i) for group in scenario.objects for i in range(group.count)}
            if draws.group not in names:
                where = f"pass[{index}].draws[{at}].group"
                raise CallError("no such group", where=where, found=draws.group, accepted=tuple(ids))


def _check_group(api: str, group: ObjectGroup, where: str) -> None:
    if group.total is not None:
        _check_size(group.total, f"{where}.total")
    if group.frame and (group.total is not None or group.live):
        raise CallError(
            "a group of a later frame has a count alone", where=f"{where}.frame", found=group.frame, accepted=("0",)
        )
    if group.live > group.count:
        raise CallError("more objects would live than there are", where=f"{where}.live", found=group.live,
                        accepted=(f"at most count, {group.count}",))  # fmt: skip
    spec = call_spec(api, group.call)
    if spec.creates is None:
        accepted = tuple(n for n in _creators(api))
        raise CallError("this call creates nothing", where=f"{where}.call", found=group.call, accepted=accepted)
    if set("{}") & set(_PLACEHOLDER.sub("", group.name)):
        raise CallError("unknown placeholder", where=f"{where}.name", found=group.name, accepted=("{i}", "{i:03}"))
    if group.count > 1 and not _PLACEHOLDER.search(group.name):
        raise CallError("several objects would have one name", where=f"{where}.name", found=group.name,
                        accepted=("{i}",))  # fmt: skip
    longest = len(group.name.format(i=group.count - 1))
    if longest > NAME_LENGTH:
        raise CallError("the name is too long", where=f"{where}.name", found=longest,
                        accepted=(f"at most {NAME_LENGTH} characters",))  # fmt: skip


def _check_size(text: str, where: str) -> None:
    try:
        parse_size(text)
    except InputError as error:
        c = error.complaint
        raise CallError(c.message, where=where, found=text, accepted=c.accepted) from error


def _creators(api: str) -> list[str]:
    from explorer.core.calls import call_specs

    return [name for (of, name), spec in call_specs().items() if of == api and spec.creates]
