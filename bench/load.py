"""A closed-loop load generator: each client sends its next request when the last one was answered."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import quantiles

Answer = dict[str, object]


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What one load gave: requests a second, and milliseconds at the median and the 99th percentile."""

    clients: int
    requests: int
    per_second: float
    p50_ms: float
    p99_ms: float


@dataclass(slots=True)
class _Session:
    """What the clients share: the requests still to send, and what came of the others."""

    port: int
    requests: Iterator[Request]
    on_answer: Callable[[Answer], None]
    lock: threading.Lock = field(default_factory=threading.Lock)
    seconds: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def work(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while not self.faults and (request := self._next()) is not None:
            self._send(connection, request)

    def _next(self) -> Request | None:
        with self.lock:
            return next(self.requests, None)

    def _send(self, connection: http.client.HTTPConnection, request: Request) -> None:
        started = time.perf_counter()
        connection.request(request.method, request.path, body=request.body, headers=request.headers)
        answer = connection.getresponse()
        body = answer.read()
        took = time.perf_counter() - started
        with self.lock:
            if answer.status >= http.HTTPStatus.MULTIPLE_CHOICES:
                self.faults.append(f"{request.method} {request.path}: {answer.status} {body[:300]!r}")
                return
            self.seconds.append(took)
        if answer.headers.get_content_type() == "application/json":
            self.on_answer(json.loads(body))


def drive(port: int, clients: int, requests: Iterator[Request], on_answer: Callable[[Answer], None]) -> Measured:
    """Send every request over ``clients`` kept-alive connections. An answer outside 2xx ends the bench."""
    session = _Session(port, requests, on_answer)
    threads = [threading.Thread(target=session.work) for _ in range(clients)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - started
    if session.faults:
        raise SystemExit(session.faults[0])
    marks = quantiles(session.seconds, n=100)
    sent = len(session.seconds)
    return Measured(clients, sent, sent / elapsed, marks[49] * 1000, marks[98] * 1000)
