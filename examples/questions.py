"""Ask people something and read their answer: the four requests that a program needs, with the standard library alone.

The address of the host and a key come from ``WOP_URL`` and ``WOP_KEY``. The key needs the scopes ``workflows:write``,
``runs:create`` and ``runs:read``.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

POLL_SECONDS = 25


class Refused(Exception):
    """The host refused a request and said why, or no host and key are set to ask with."""


class Unanswered(Exception):
    """Nobody will answer any more: the time ran out, or the run was cancelled or failed."""


@dataclass(frozen=True)
class Answer:
    """Which of the outcomes was chosen, and what came with it."""

    outcome: str
    payload: dict[str, Any]


class Questions:
    """The questions of one tenant. Raises OSError where a host cannot be reached, and Refused."""

    def __init__(self, url: str | None = None, key: str | None = None) -> None:
        self.url = (url or os.environ.get("WOP_URL", "")).rstrip("/")
        self.key = key or os.environ.get("WOP_KEY", "")
        if not self.url or not self.key:
            raise Refused("set WOP_URL to the address of the host and WOP_KEY to a key for it")

    def register(self, workflow: Path) -> None:
        """Make a workflow known. Registering the same one again changes nothing."""
        self._send("POST", "/host/wopsite/workflows", json.loads(workflow.read_text("utf-8")))

    def ask(self, workflow_id: str, inputs: dict[str, Any], *, once: str) -> str:
        """Start a run that asks, and return its id. Asking again with the same ``once`` finds the run that is there.

        The host remembers ``once`` for 48 hours. Keep the id where a program may come back later than that.
        """
        body = {"workflowId": workflow_id, "inputs": inputs}
        return str(self._send("POST", "/runs", body, once=once)["runId"])

    def look(self, run_id: str) -> Answer | None:
        """Return the answer if there is one by now. Raises Unanswered when there never will be."""
        return self._read(self._poll(run_id, after=-1))

    def wait(self, run_id: str) -> Answer:
        """Return the answer, however long it takes. A host that is away is asked again."""
        after = -1
        while True:
            try:
                page = self._poll(run_id, after=after)
            except (OSError, HTTPException):
                time.sleep(1)
                continue
            answer = self._read(page)
            if answer is not None:
                return answer
            after = page["lastSequence"]

    def _poll(self, run_id: str, *, after: int) -> dict[str, Any]:
        """Return the events past one; when there are none yet, wait for some."""
        path = f"/runs/{run_id.replace('/', '~2F')}/events/poll"
        return self._send("GET", f"{path}?afterSequence={after}&timeout={POLL_SECONDS}")

    def _read(self, page: dict[str, Any]) -> Answer | None:
        for event in page["events"]:
            given = event["payload"].get("resumeValue") if event["type"] == "interrupt.resolved" else None
            if given is not None:
                return Answer(given["outcome"], given["payload"])
        if page["isTerminal"]:
            raise Unanswered(f"{page['runId']} is {page['status']}")
        return None

    def _send(self, method: str, path: str, body: Any = None, *, once: str | None = None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        if once is not None:
            headers["Idempotency-Key"] = hashlib.sha256(once.encode()).hexdigest()
        data = None if body is None else json.dumps(body).encode()
        try:
            request = Request(self.url + path, data, headers, method=method)
            with urlopen(request, timeout=POLL_SECONDS + 10) as response:
                return dict(json.load(response))
        except HTTPError as error:
            if error.code in (429, 503):
                raise
            raise Refused(f"{self.url} refused {method} {path}: {_reason(error)}") from None
        except URLError as error:
            raise ConnectionError(f"{self.url} cannot be reached: {error.reason}") from None
        except ValueError as error:
            raise Refused(f"{self.url} is not the address of a host: {error}") from None


def _reason(error: HTTPError) -> str:
    """Return what the host said, or all there is when it was not this host that spoke."""
    text = error.read().decode(errors="replace")
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return f"{error.code} {text}"
