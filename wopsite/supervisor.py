"""Runs a few processes as one: they start together, and when one ends or we are told to stop, all stop."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_POLL_SECONDS = 0.1
_GRACE_SECONDS = 20.0
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None

Say = Callable[[str], None]


class Supervisor:
    """Starts `commands` (name → argument list) and watches over them until the first ends or a signal comes."""

    def __init__(self, commands: Mapping[str, Sequence[str]], say: Say) -> None:
        self._commands = commands
        self._say = say
        self._stop = threading.Event()
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def run(self, ready: Callable[[], bool], announce: Callable[[], None]) -> int:
        """Run until told to stop (SIGINT, SIGTERM: returns 0) or until a process ends by itself (returns 1).

        `announce` is called once, as soon as `ready` says yes.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._request_stop)
        try:
            self._start()
            self._watch(ready, announce)
            ended = self._ended()
            for name, status in ended.items():
                self._say(f"The {name} process ended by itself ({_explain(status)}). Stopping the others.")
        finally:
            self._stop_all()
        return 1 if ended else 0

    def _request_stop(self, *_: Any) -> None:
        self._stop.set()

    def _start(self) -> None:
        for name, command in self._commands.items():
            # A session of its own: Ctrl-C reaches only us, and we stop the others in order. `preexec_fn` is safe here,
            # as this process has no other thread yet.
            self._children[name] = subprocess.Popen(  # noqa: S603
                command,
                start_new_session=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509
                stdin=subprocess.DEVNULL,
            )

    def _watch(self, ready: Callable[[], bool], announce: Callable[[], None]) -> None:
        announced = False
        while not self._stop.wait(_POLL_SECONDS) and not self._ended():
            if not announced and ready():
                announce()
                announced = True

    def _ended(self) -> dict[str, int]:
        statuses = {name: child.poll() for name, child in self._children.items()}
        return {name: status for name, status in statuses.items() if status is not None}

    def _stop_all(self) -> None:
        running = [child for child in self._children.values() if child.poll() is None]
        for child in running:
            child.terminate()
        deadline = time.monotonic() + _GRACE_SECONDS
        for child in running:
            try:
                child.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()


def _die_with_parent() -> None:
    """On Linux, have the kernel end this child should the supervisor be killed: no orphan keeps the port."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _explain(status: int) -> str:
    return f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
