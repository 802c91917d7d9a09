"""A process of its own that runs commands, one a line (a JSON list of arguments): starting one costs a second."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class CommandLine:
    """Sends commands to the process and reads the one object that each prints.

    Args:
        environment: Variables to set beside this process's own.
    """

    def __init__(self, **environment: str) -> None:
        variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.serve_runs"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=variables,
        )  # fmt: skip
        self._open = False

    def ask(self, *arguments: str) -> None:
        """Send a command; it runs while the caller goes on. An answer that nobody took is dropped."""
        if self._open:
            self.answer()
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(arguments) + "\n")
        self._process.stdin.flush()
        self._open = True

    def answer(self) -> dict[str, Any]:
        """Return what the command printed."""
        assert self._process.stdout is not None
        lines: list[str] = []
        while not lines or lines[-1] != "}\n":
            lines.append(self._process.stdout.readline())
            assert lines[-1], "the command line ended early"
        self._open = False
        return json.loads("".join(lines))

    def close(self) -> None:
        """End the process and wait for it."""
        if self._open:
            self.answer()
        out, _ = self._process.communicate(timeout=60)
        assert (self._process.returncode, out) == (0, "")


def serve() -> int:
    """Run every command on standard input."""
    from explorer.cli.main import main

    for line in sys.stdin:
        main(json.loads(line))
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(serve())
