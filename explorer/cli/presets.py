"""The commands ``adapters`` and ``scenarios``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from explorer.cli.output import OK, note, print_json, print_text, table
from explorer.core.units import format_bytes

if TYPE_CHECKING:
    import argparse


def add_parsers(subparsers: Any) -> None:
    """Add both commands."""
    adapters = subparsers.add_parser("adapters", help="list the adapter presets, or show one")
    adapters.add_argument("id", nargs="?", help="adapter or system to show")
    adapters.add_argument("--json", action="store_true", help="print one JSON object")
    adapters.set_defaults(run=run_adapters)
    scenarios = subparsers.add_parser("scenarios", help="list the scenarios, or show one")
    scenarios.add_argument("id", nargs="?", help="scenario to show")
    scenarios.add_argument("--json", action="store_true", help="print one JSON object")
    scenarios.set_defaults(run=run_scenarios)


def run_adapters(args: argparse.Namespace) -> int:
    """Print all adapters and systems, the adapters of one system, or one adapter with the source of every value.

    Raises:
        CommandError: No such adapter or system.
    """
    from explorer.tables.adapter_listing import adapter_json, adapters_json
    from explorer.tables.adapters import adapter, adapters, system, system_ids, systems, user_preset_complaints

    if args.id in system_ids():
        chosen = system(args.id)
        _print_adapters(adapters_json([adapter(one) for one in chosen.adapters], [chosen]), as_json=args.json)
        return OK
    if args.id is not None:
        body = adapter_json(adapter(args.id))
        if args.json:
            print_json("adapters", body)
        else:
            print_text(_adapter_lines(body))
        return OK
    body = adapters_json(adapters(), systems())
    for complaint in user_preset_complaints():
        note(f"memory-explorer: left out: {complaint}")
    _print_adapters(body, as_json=args.json)
    return OK


def _print_adapters(body: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json("adapters", body)
        return
    rows = [
        (a["id"], str(a["year"]), a["kind"], " ".join(a["apis"]), format_bytes(_local(a)), a["name"])
        for a in body["adapters"]
    ]
    print_text(table(("id", "year", "kind", "apis", "local", "name"), rows))
    print_text(["", "Systems of several adapters"])
    print_text(
        table(("id", "adapters", "name"), [(s["id"], " ".join(s["adapters"]), s["name"]) for s in body["systems"]])
    )


def run_scenarios(args: argparse.Namespace) -> int:
    """Print all scenarios, or one with its text and options.

    Raises:
        CommandError: No such scenario.
        PresetError: A scenario file is invalid.
    """
    from explorer.errors import CommandError
    from explorer.sim.scenarios import scenario_ids, scenario_info

    ids = scenario_ids()
    if args.id is not None and args.id not in ids:
        raise CommandError("no such scenario", where="scenario", found=args.id, accepted=ids)
    infos = [scenario_info(one) for one in (ids if args.id is None else (args.id,))]
    rows: list[dict[str, Any]] = [
        {"id": i.id, "title": i.title, "api": i.api, "adapter": i.adapter, "frames": i.frames, "teaches": i.teaches}
        for i in infos
    ]
    if args.id is not None:
        rows[0] |= {"text": infos[0].text, "options": dict(infos[0].options)}
    if args.json:
        print_json("scenarios", {"scenarios": rows})
        return OK
    cells = [(r["id"], r["api"], r["adapter"], str(r["frames"]), r["title"]) for r in rows]
    print_text(table(("id", "api", "adapter", "frames", "title"), cells))
    if args.id is not None:
        options = [f"  {key} = {value}" for key, value in rows[0]["options"].items()]
        print_text(
            ["", infos[0].teaches, "", *infos[0].text.strip().splitlines(), "", "Options", *(options or ["  none"])]
        )
    return OK


def _local(adapter: dict[str, Any]) -> int:
    return sum(segment["size_bytes"] for segment in adapter["segments"] if segment["group"] == "LOCAL")


def _adapter_lines(body: dict[str, Any]) -> list[str]:
    """Return one line for each value, with how sure it is and where it comes from."""
    shown = body["adapter"]
    rows: list[tuple[str, str, str, str]] = []
    for key, source in body["sources"].items():
        value = _at(shown, key)
        text = format_bytes(value) if isinstance(value, int) and key.endswith("_bytes") else str(value)
        rows.append((key, text, body["confidence"][key], source))
    return [f"{shown['name']} ({shown['id']})", "", *table(("value", "is", "confidence", "source"), rows)]


def _at(data: Any, key: str) -> Any:
    for part in key.split("."):
        if isinstance(data, list):
            data = cast("list[Any]", data)[int(part)]
        elif isinstance(data, dict):
            data = cast("dict[str, Any]", data).get(part)
    return data
