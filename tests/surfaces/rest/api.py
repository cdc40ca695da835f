"""A small client of the machine surface for tests: it speaks bytes, and checks what holds for every answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import unquote

from django.http import HttpResponse
from django.test import Client
from django.urls import Resolver404, resolve

from interrupts.contracts.shipped import shipped
from interrupts.contracts.validation import validate
from interrupts.surfaces.problems import RENDERINGS

KEY = "0123456789abcdefghij-key-"


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def code(self) -> str:
        return cast("str", self.body["error"])

    def fits(self, schema: str) -> bool:
        """Whether the body is valid against one of our schemas; it fails with the problems otherwise."""
        assert validate(shipped(schema), self.body) == []
        return True

    def refused(self, status: int, code: str) -> Any:
        """Check that this is a refusal with that code, and return its details."""
        assert (self.status, self.body.get("error")) == (status, code), self.raw
        return self.body.get("details")


@dataclass
class Api:
    """Requests with one key, through Django's test client."""

    secret: str | None = None
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def get(self, path: str, /, **headers: str) -> Answer:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, /, **headers: str) -> Answer:
        return self.send("POST", path, json.dumps(body).encode(), **headers)

    def send(
        self, method: str, path: str, raw: bytes = b"", /, *, media: str = "application/json", **headers: str
    ) -> Answer:
        """Send bytes as they are. Header names are spelled with underscores."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.secret is not None:
            names.setdefault("Authorization", f"Bearer {self.secret}")
        response = cast("HttpResponse", self.client.generic(method, path, raw, content_type=media, headers=names))
        answer = Answer(response.status_code, dict(response.items()), response.content)
        check_protocol_answer(answer, is_head=method == "HEAD")
        check_documented(method, path, answer)
        return answer


def check_protocol_answer(answer: Answer, *, is_head: bool = False) -> None:
    """What every protocol answer carries: the version, no cookie, no CORS grant, and the envelope when it refuses."""
    assert answer.headers["OpenWOP-Version"] == "2.0"
    assert not {"Set-Cookie", "Access-Control-Allow-Origin"} & set(answer.headers)
    assert "Cache-Control" in answer.headers
    if answer.status in {204, 304} or is_head:
        assert answer.raw == b""
        assert answer.status != 204 or not {"Content-Type", "Content-Length"} & set(answer.headers)
        assert answer.status != 304 or ("ETag" in answer.headers and "Content-Type" not in answer.headers)
        return
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Content-Length"] == str(len(answer.raw))
    if answer.status >= 400:
        answer.fits("error-envelope")
        rendering = RENDERINGS[answer.code]
        assert answer.status == rendering.status
        assert ("Retry-After" in answer.headers) == (rendering.retry_after is not None)
        assert ("WWW-Authenticate" in answer.headers) == (answer.status == 401)
        assert not any(name.lower().startswith("retryafter") for name in answer.body.get("details", {}))


def check_documented(method: str, path: str, answer: Answer) -> None:
    """Whatever an operation answers, the OpenAPI document must say that it may."""
    try:
        view = resolve(unquote(path.partition("?")[0]), urlconf="interrupts.urls").func
    except Resolver404:
        return
    operation = cast("Any", view).cls.operations.get("GET" if method == "HEAD" else method)
    if operation is None:
        return
    if answer.status < 400:
        assert answer.status in operation.answers or (answer.status == 304 and operation.is_conditional)
    elif method != "HEAD":
        assert answer.code in operation.errors


def wire(run_id: str) -> str:
    """A run's id as it travels in a path."""
    return run_id.replace("/", "~2F")
