"""The gate between the window and the simulation's thread."""

from __future__ import annotations

import threading

from explorer.sim.right_of_way import RightOfWay


def test_that_nobody_waits_at_an_open_gate() -> None:
    way = RightOfWay()
    way.wait()
    way.claim()
    way.release()
    way.wait()


def test_that_the_simulation_goes_on_when_the_window_has_finished() -> None:
    way, order, arrived = RightOfWay(), [], threading.Event()
    way.claim()

    def simulate() -> None:
        arrived.set()
        way.wait()
        order.append("simulation")

    thread = threading.Thread(target=simulate)
    thread.start()
    assert arrived.wait(5)
    order.append("window")
    way.release()
    thread.join(5)
    assert order == ["window", "simulation"]


def test_that_a_window_that_forgets_to_release_holds_up_one_call_only() -> None:
    way = RightOfWay()
    way.claim()
    way.wait()
    assert way._is_free.is_set()
