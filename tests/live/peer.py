"""A client that trusts nothing: every answer, event and payload it gets is held against the published schemas.

The schemas are those that the product ships; they are checked here with the `jsonschema` library, not with our own
validator.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http.client import responses
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

import httpx
from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from tests.live.installation import Installation, await_that

TERMINAL: Final = ("completed", "failed", "cancelled")
_SCHEMAS: Final = files("interrupts") / "schemas"
_BASE: Final = "https://openwop.dev/spec/v2/"
_RUN: Final = r"/runs/[^/:]+"
# The schema of a successful answer, by method and path.
_ANSWERS: Final = (
    ("GET", r"/\.well-known/openwop", "capabilities"),
    ("GET", r"/openapi\.json", "openapi-document"),
    ("GET", r"/workflows/[^/]+", "workflow-definition"),
    ("POST", r"/host/wopsite/workflows", "register-workflow-response"),
    ("POST", r"/runs", "create-run-response"),
    ("GET", r"/runs", "run-list-response"),
    ("POST", r"/runs:bulk-cancel", "bulk-cancel-response"),
    ("GET", _RUN, "run-snapshot"),
    ("POST", _RUN + "/cancel", "cancel-response"),
    ("POST", _RUN + ":pause", "pause-response"),
    ("POST", _RUN + ":resume", "resume-response"),
    ("GET", _RUN + "/events/poll", "poll-response"),
    ("POST", _RUN + "/interrupts/[^/]+", "resolve-interrupt-response"),
    ("GET", r"/host/wopsite/runs/[^/]+/interrupts/[^/]+/connect", "connect-account-response"),
    ("POST", r"/host/wopsite/runs/[^/]+/interrupts/[^/]+/links", "mint-link-response"),
    ("GET", r"/interrupts/[^/]+", "suspend-request"),
    ("POST", r"/interrupts/[^/]+", "resolve-interrupt-response"),
    ("GET", r"/host/wopsite/runs/[^/]+/interrupt", "inspect-run-response"),
    ("POST", r"/host/wopsite/rpc", "json-rpc-answer"),
    ("POST", r"/host/wopsite/mcp", "mcp-message"),
    ("POST", r"/host/wopsite/workflows:check", "check-workflow-response"),
    ("GET", r"/host/wopsite/connected", "resolve-interrupt-response"),
    ("POST", r"/webhooks", "register-webhook-response"),
    ("GET", r"/webhooks/[^/]+/dead-letters", "webhook-dead-letter-page"),
    ("POST", r"/webhooks/[^/]+/rotate-secret", "rotate-webhook-secret-response"),
)
# Refuses what is no message of its own protocol in the words of that protocol.
_MCP: Final = "/host/wopsite/mcp"
_REMOVED_HEADERS: Final = r"x-openwop-|capabilities-etag|x-dedup|x-force-engine-version|x-pack-"


def percent(bound_id: str) -> str:
    """The id as one path segment, percent-encoded: ``acme%2Fr-…``."""
    return quote(bound_id, safe="")


def projected(bound_id: str) -> str:
    """The id as one path segment, in the wire projection: ``acme~2Fr-…``."""
    passed = re.compile(r"[A-Za-z0-9._-]")
    return "".join(char if passed.fullmatch(char) else f"~{ord(char):02X}" for char in bound_id)


@dataclass(slots=True)
class Peer:
    """One caller with one key (or none), who sends what the public suite's driver sends."""

    client: httpx.Client
    key: str | None

    @classmethod
    def named(cls, name: str, installation: Installation) -> Peer:
        """The person of that name, with their key (see ``tests.live.populate``)."""
        return cls(installation.http, installation.keys[name])

    # --- Requests -----------------------------------------------------------------------------------------------------

    def send(self, method: str, path: str, content: bytes | None = None, /, **headers: str | None) -> httpx.Response:
        """Send one request and check what comes back. A header given as None is left out; ``_`` stands for ``-``."""
        response = self.client.request(method, path, content=content, headers=self._headers(content, headers))
        check_answer(response)
        return response

    def get(self, path: str, /, **headers: str | None) -> httpx.Response:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any, /, **headers: str | None) -> httpx.Response:
        return self.send("POST", path, json.dumps(body).encode(), **headers)

    def _headers(self, content: bytes | None, given: Mapping[str, str | None]) -> dict[str, str]:
        headers: dict[str, str | None] = {"Accept": "application/json", "OpenWOP-Version": "2.0"}
        if content is not None:
            headers["Content-Type"] = "application/json"
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        headers |= {name.replace("_", "-"): value for name, value in given.items()}
        return {name: value for name, value in headers.items() if value is not None}

    # --- Operations ---------------------------------------------------------------------------------------------------

    def start(self, workflow_id: str, **body: Any) -> str:
        """Start a run and return its id."""
        created = self.post("/runs", {"workflowId": workflow_id, **body})
        assert created.status_code == 201, created.text
        return str(created.json()["runId"])

    def suspended(self, workflow_id: str, **body: Any) -> str:
        """Start a run that waits for an approval."""
        run_id = self.start(workflow_id, **body)
        assert self.until(run_id, "waiting-approval", *TERMINAL)["status"] == "waiting-approval"
        return run_id

    def snapshot(self, run_id: str) -> Any:
        read = self.get(f"/runs/{percent(run_id)}")
        assert read.status_code == 200, read.text
        return read.json()

    def until(self, run_id: str, *statuses: str, seconds: float = 10) -> Any:
        """Read the snapshot until the run stands in one of these; it is returned."""
        await_that(
            lambda: self.snapshot(run_id)["status"] in statuses, f"never {' or '.join(statuses)}", seconds=seconds
        )
        return self.snapshot(run_id)

    def until_there(self, run_id: str) -> None:
        """Wait for a run that the host itself is to start."""
        await_that(lambda: self.get(f"/runs/{percent(run_id)}").status_code == 200, "never started", seconds=10)

    def log(self, run_id: str) -> list[Any]:
        """The whole log, which must come in one page."""
        polled = self.get(f"/runs/{percent(run_id)}/events/poll?timeout=1&streamMode=debug")
        assert polled.status_code == 200, polled.text
        events: list[Any] = polled.json()["events"]
        assert [event["sequence"] for event in events] == list(range(len(events)))
        return events

    def resolve(self, run_id: str, value: Any, *, node: str = "gate", **headers: str | None) -> httpx.Response:
        return self.post(f"/runs/{percent(run_id)}/interrupts/{node}", {"resumeValue": value}, **headers)

    def answer(self, run_id: str, action: str, **more: Any) -> httpx.Response:
        return self.resolve(run_id, {"action": action, **more})

    def cancel(self, run_id: str, **body: Any) -> httpx.Response:
        return self.post(f"/runs/{percent(run_id)}/cancel", body)

    def pause(self, run_id: str, *, key: str | None = None, **body: Any) -> httpx.Response:
        return self.post(f"/runs/{percent(run_id)}:pause", body, Idempotency_Key=key)

    def resume(self, run_id: str, **body: Any) -> httpx.Response:
        return self.post(f"/runs/{projected(run_id)}:resume", body)


def payloads(log: list[Any], event_type: str, *, node: str | None = None) -> list[Any]:
    """The payloads of a type's events, optionally of one node's."""
    return [e["payload"] for e in log if e["type"] == event_type and node in (None, e.get("nodeId"))]


def types(log: list[Any]) -> list[str]:
    return [event["type"] for event in log]


def assert_refused(response: httpx.Response, status: int, code: str) -> Any:
    """The answer is this refusal; its envelope is returned."""
    assert (response.status_code, response.json()["error"]) == (status, code), response.text
    return response.json()


# --- What holds of every answer ---------------------------------------------------------------------------------------


def check_answer(response: httpx.Response) -> None:
    assert re.fullmatch(r"2\.\d+", response.headers.get("OpenWOP-Version", "")), "a protocol answer says its version"
    assert not [name for name in response.headers if re.match(_REMOVED_HEADERS, name)]
    if response.status_code in {204, 304} or response.request.method == "HEAD":
        assert response.content == b""
        return
    assert response.headers["Content-Type"] == "application/json"
    body = response.json()
    path = response.request.url.raw_path.decode().partition("?")[0]
    if response.status_code >= 400:
        if path == _MCP and "jsonrpc" in body:
            assert_valid("mcp-refusal", body)
            return
        _check_refusal(response, body)
        return
    (schema,) = [s for method, p, s in _ANSWERS if method == response.request.method and re.fullmatch(p, path)]
    assert_valid(schema, body)
    for event in body.get("events", ()):
        _check_event(event, body["runId"])


def _check_refusal(response: httpx.Response, body: Any) -> None:
    assert_valid("error-envelope", body)
    registered = _document("error-envelope")["x-openwop-http-status"]
    assert registered[body["error"]] == response.status_code, responses[response.status_code]
    assert not [name for name in body.get("details", {}) if name.startswith("retryAfter")]
    assert response.status_code != 429 or "Retry-After" in response.headers


def _check_event(event: Any, run_id: str) -> None:
    assert_valid("run-event", event)
    assert event["runId"] == run_id
    definition = json.loads((_SCHEMAS / "event-type-index.json").read_text())["types"][event["type"]]["def"]
    _complain(_validator(f"run-event-payloads.schema.json#/$defs/{definition}"), event["payload"])


def assert_valid(schema: str, value: Any) -> None:
    """The value satisfies one of the published schemas, such as ``run-snapshot``."""
    _complain(_validator(f"{schema}.schema.json"), value)


def _complain(validator: Validator, value: Any) -> None:
    errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
    assert not errors, "\n".join(errors)


@cache
def _validator(reference: str) -> Validator:
    checker = Draft202012Validator.FORMAT_CHECKER
    return Draft202012Validator({"$ref": _BASE + reference}, registry=_registry(), format_checker=checker)


@cache
def _registry() -> Registry[Any]:
    names = [file.name.removesuffix(".schema.json") for file in _SCHEMAS.iterdir() if file.name.endswith("schema.json")]
    resources = [(document["$id"], DRAFT202012.create_resource(document)) for document in map(_document, names)]
    registry: Registry[Any] = Registry().with_resources(resources)
    return registry.crawl()


@cache
def _document(name: str) -> Any:
    return json.loads((_SCHEMAS / f"{name}.schema.json").read_text())
