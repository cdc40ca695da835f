"""What holds on every protocol path, whatever goes wrong (wire contract §2, §3; cases O, Q)."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.db import OperationalError
from django.http import HttpRequest
from django.test import Client, RequestFactory

from interrupts.contracts.shipped import shipped_document
from interrupts.errors import Forbidden, NotFound, RateLimited, RunTerminal, ValidationFailed, WopError
from interrupts.surfaces import faults
from interrupts.surfaces.problems import RENDERINGS, exit_code
from interrupts.surfaces.rest import middleware
from interrupts.surfaces.rest.paths import is_for_people
from interrupts.urls import urlpatterns
from tests.surfaces.rest.api import Api, wire

pytestmark = pytest.mark.django_db

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"


@pytest.mark.parametrize(
    "path",
    ["/nope", "/v1/runs", "/prompts", "/content/settings", "/runs/", "/inboxes", "/adminx", "/hooks", "/host"],
)
def test_an_unknown_path_is_told_in_json(anonymous: Api, path: str) -> None:
    anonymous.get(path).refused(404, "not_found")
    anonymous.send("POST", path, b"{").refused(404, "not_found")


@pytest.mark.parametrize(
    "path", ["ancestry", "effects", "compensation", "annotations", "artifacts/a", "events", "x/y/z"]
)
def test_an_operation_that_is_not_offered_is_not_found(api: Api, gate_run: str, path: str) -> None:
    for run_id in (wire(gate_run), gate_run):
        api.get(f"/runs/{run_id}/{path}").refused(404, "not_found")


@pytest.mark.parametrize("operation", ["fork", "diff"])
def test_colon_operations_that_are_not_offered_are_not_found(api: Api, gate_run: str, operation: str) -> None:
    api.post(f"/runs/{wire(gate_run)}:{operation}", {}).refused(404, "not_found")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE"])
def test_another_method_is_not_there_and_the_message_says_which_are(anonymous: Api, method: str) -> None:
    answer = anonymous.send(method, "/runs")
    answer.refused(404, "not_found")
    assert answer.body["message"] == f"This path does not offer {method}; it offers GET, POST."


def test_a_method_that_is_not_there_is_told_before_anybody_is_asked_who_they_are(anonymous: Api) -> None:
    anonymous.get("/runs:bulk-cancel").refused(404, "not_found")


@pytest.mark.parametrize("version", ["2", "2.0", "2.7", " 2.0 "])
def test_any_minor_of_our_major_is_spoken(anonymous: Api, version: str) -> None:
    assert anonymous.get("/.well-known/openwop", OpenWOP_Version=version).status == 200


@pytest.mark.parametrize("version", ["1", "1.0", "3.0", "9.0", "0", "20"])
def test_another_major_is_refused_and_ours_is_named(anonymous: Api, version: str) -> None:
    for path in ("/.well-known/openwop", "/runs", "/nope", "/interrupts/x"):
        refused = anonymous.get(path, OpenWOP_Version=version).refused(406, "protocol_version_unsupported")
        assert refused == {"protocolVersions": ["2.0"]}


@pytest.mark.parametrize("version", ["", "two", "2.", ".0", "2.0.0", "v2", "02", "-2", "2,0", "²", "2.0 2.0"])
def test_what_is_no_version_is_refused(anonymous: Api, version: str) -> None:
    anonymous.get("/runs", OpenWOP_Version=version).refused(400, "validation_error")


@pytest.mark.parametrize("version", ["0.0.1", "nonsense", "99.0"])
def test_no_client_version_is_too_old(api: Api, version: str) -> None:
    assert api.get("/runs", OpenWOP_Client_Version=version).status == 200


def test_a_head_request_is_answered_like_the_get_without_its_body(api: Api, gate_run: str) -> None:
    for path in ("/.well-known/openwop", "/openapi.json", "/runs", f"/runs/{wire(gate_run)}"):
        got, head = api.get(path), api.send("HEAD", path)
        assert (head.status, head.headers["Content-Length"]) == (200, got.headers["Content-Length"])
        assert head.headers.get("ETag") == got.headers.get("ETag")
    assert api.send("HEAD", "/nope").status == 404


def test_an_origin_is_granted_nothing(api: Api) -> None:
    for method in ("GET", "OPTIONS"):
        answer = api.send(method, "/runs", Origin="https://evil.example", Access_Control_Request_Method="POST")
        assert not [name for name in answer.headers if name.startswith("Access-Control")]


def test_a_signed_in_session_is_no_credential_here(client: Client, admin_user: Any) -> None:
    client.force_login(admin_user)
    answer = Api(client=client).get("/runs")
    answer.refused(401, "unauthenticated")


def test_an_unexpected_fault_tells_an_id_under_which_the_log_has_it(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def burst(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret inside")

    monkeypatch.setattr(middleware, "_dispatch", burst)
    with caplog.at_level(logging.ERROR, logger=faults.logger.name):
        answer = api.get("/runs")
    details = answer.refused(500, "internal_error")
    assert list(details) == ["correlationId"]
    assert details["correlationId"] in caplog.text
    assert "secret inside" in caplog.text
    assert b"secret" not in answer.raw
    assert b"ZeroDivision" not in answer.raw


def test_a_query_of_thousands_of_parameters_is_refused(api: Api) -> None:
    api.get(f"/runs?{'a&' * 3000}").refused(400, "validation_error")


def test_a_database_that_is_away_is_told_as_something_to_try_again(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def burst(*_: object, **__: object) -> None:
        raise OperationalError("connection refused for user root")

    monkeypatch.setattr(middleware, "_dispatch", burst)
    answer = api.get("/runs")
    answer.refused(503, "service_unavailable")
    assert answer.headers["Retry-After"] == "1"
    assert b"root" not in answer.raw


@pytest.mark.parametrize(
    "path", ["/", "/inbox", "/inbox/", "/inbox/x/y", "/accounts/login/", "/admin/", "/static/a.css", "/healthz"]
)
def test_peoples_paths_are_left_to_pages(path: str) -> None:
    assert is_for_people(asked(path))


@pytest.mark.parametrize(
    "path",
    ["/runs", "/runs:nope", "/runs/inbox/x", "/v1/runs", "/prompts/x", "/host", "//inbox/", "/.well-known/openwop", ""],
)
def test_every_path_below_a_root_of_the_protocol_is_its_own(path: str) -> None:
    assert not is_for_people(asked(path, BROWSER))


def test_whatever_the_protocol_offers_is_below_one_of_its_roots() -> None:
    offered = [str(pattern.pattern) for pattern in urlpatterns]
    assert offered
    shared = {path for path in offered if path.startswith("interrupts/") or path.endswith(("/connect", "/connected"))}
    for path in offered:
        assert is_for_people(asked(f"/{path}", BROWSER)) is (path in shared)


@pytest.mark.parametrize("path", ["/inbxo", "/inboxes", "/healthz/", "/adminn/users", "/favicon.ico"])
def test_an_address_mistyped_in_a_browser_is_told_on_a_page(client: Client, path: str) -> None:
    page = client.get(path, headers={"accept": BROWSER})
    assert (page.status_code, page["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "There is nothing at this address" in page.content.decode()


@pytest.mark.parametrize(
    ("method", "accept"),
    [
        ("GET", None),
        ("GET", "*/*"),
        ("GET", "application/json, text/html"),
        ("GET", "image/avif, text/html"),
        ("POST", BROWSER),
    ],
)
def test_a_mistyped_address_is_told_in_json_to_everybody_else(method: str, accept: str | None) -> None:
    assert not is_for_people(asked("/inbxo", accept, method))


@pytest.mark.parametrize("accept", [BROWSER, "text/html", "text/html,*/*;q=0.1", "application/json;q=0.5, text/html"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_a_link_is_a_page_for_those_who_prefer_one(accept: str, method: str) -> None:
    assert is_for_people(asked("/interrupts/x", accept, method))


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "",
        "*/*",
        "application/json",
        "application/json, text/html;q=0.9",
        "application/json, */*",
        "text/html;q=0, */*",
        "text/plain",
        "nonsense",
        ",;=/",
        "text/html;q=nan;x*=no-such-charset'en'%41",
        "x" * 20_000,
    ],
)
def test_a_link_is_the_protocol_for_everybody_else(accept: str | None) -> None:
    assert not is_for_people(asked("/interrupts/x", accept))


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "PATCH", "TRACE"])
def test_a_link_has_no_page_for_other_methods(method: str) -> None:
    assert not is_for_people(asked("/interrupts/x", BROWSER, method))


def asked(path: str, accept: str | None = None, method: str = "GET") -> HttpRequest:
    headers = {} if accept is None else {"Accept": accept}
    request: HttpRequest = RequestFactory().generic(method, "/", headers=headers)
    request.path_info = path
    return request


def test_a_peoples_page_does_not_carry_the_protocols_version(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert "OpenWOP-Version" not in answer.headers


def test_every_code_has_the_status_that_the_registry_fixes() -> None:
    registry = shipped_document("error-envelope")["x-openwop-http-status"]
    assert isinstance(registry, dict)
    assert {code: rendering.status for code, rendering in RENDERINGS.items()} == {
        code: registry[code] for code in RENDERINGS
    }


def test_every_error_of_ours_can_be_rendered() -> None:
    def codes(error: type[WopError]) -> set[str]:
        return {error.code}.union(*map(codes, error.__subclasses__()))

    assert codes(WopError) <= set(RENDERINGS)


def test_exit_codes_tell_apart_what_a_script_would_do_next() -> None:
    told = {
        error.code: exit_code(error()) for error in (ValidationFailed, Forbidden, NotFound, RunTerminal, RateLimited)
    }
    assert told == {"validation_error": 1, "forbidden": 5, "not_found": 3, "run_terminal": 4, "rate_limited": 75}
