"""The run on the simulation's thread: restarted with its edits on another adapter, saved, and taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.interchange.session import Session
    from explorer.sim.scenario import Scenario
    from explorer.sim.simulation import Simulation
    from explorer.tables.adapters import Adapter


class HeldRun:
    """Makes the simulations of a window and remembers the last one.

    Every method runs on the simulation's thread, as the ``make`` of a ``Load``: only there may a run be touched.
    """

    def __init__(self) -> None:
        self._last: Simulation | None = None
        self._session: Session | None = None

    def start(self, scenario: str, adapter: str | Adapter | None, allocator: str | None) -> Simulation:
        """Return a run without edits.

        Args:
            scenario: Id or path.
            adapter: Adapter (id) instead of the scenario's own.
            allocator: Allocator id, or None for the product's default.
        """
        from explorer.sim.scenarios import make_simulation

        made = make_simulation(self._scenario(scenario), adapter, allocator=allocator)
        self._last = made
        return made

    def restart(self, scenario: str, adapter: str | Adapter | None, allocator: str | None) -> Simulation:
        """Return the last run again from frame 0, with the same calls and seed: its edits are in the journal."""
        from explorer.interchange.session import replay_edits
        from explorer.sim.scenarios import make_simulation

        last = self._last
        if last is None:
            return self.start(scenario, adapter, allocator)
        made = make_simulation(self._scenario(scenario), adapter, seed=last.options.seed, allocator=allocator)
        replay_edits(made, last.journal)
        self._last = made
        return made

    def resume(self, session: Session) -> Simulation:
        """Return the run of a session as it stood when it was saved."""
        from explorer.interchange.session import start_session

        made, _ = start_session(session)
        made.seek(session.frame)
        self._session, self._last = session, made
        return made

    def save(self, scenario: str, view: Mapping[str, Any], take: Callable[[Session], None]) -> Simulation:
        """Hand over the session of the last run, which goes on.

        Raises:
            CommandError: There is no run.
        """
        from explorer.errors import CommandError
        from explorer.interchange.session import scenario_text, session_of

        if self._last is None:
            raise CommandError("no scenario runs", where="session")
        own = self._session
        text = own.scenario_text if own is not None and own.scenario_id == scenario else scenario_text(scenario)
        take(session_of(self._last, text, view))
        return self._last

    def _scenario(self, scenario: str) -> Scenario:
        from explorer.sim.scenario import read_scenario
        from explorer.sim.scenarios import load_scenario

        own = self._session
        if own is not None and own.scenario_id == scenario:
            return read_scenario(f"{scenario}.toml", own.scenario_text.encode(), scenario)
        self._session = None
        return load_scenario(scenario)
