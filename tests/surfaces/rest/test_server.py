"""What only the real server shows: ids as they travel, chunked bodies, HEAD, and news from one process to another."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from tests import factories
from tests.factories import register
from tests.surfaces.rest.api import Answer, check_protocol_answer

pytestmark = pytest.mark.django_db(transaction=True)


class Wire:
    """One keep-alive connection to the server; paths and bodies go out as they are."""

    def __init__(self, address: str, secret: str) -> None:
        self.connection = http.client.HTTPConnection(address, timeout=30)
        self.headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}

    def send(self, method: str, path: str, body: bytes | Iterable[bytes] | None = None) -> Answer:
        chunked = body is not None and not isinstance(body, bytes)
        headers = {**self.headers, "Transfer-Encoding": "chunked"} if chunked else self.headers
        self.connection.request(method, path, body, headers, encode_chunked=chunked)
        response = self.connection.getresponse()
        answer = Answer(response.status, dict(response.getheaders()), response.read())
        check_protocol_answer(answer, is_head=method == "HEAD")
        return answer

    def post(self, path: str, body: Any) -> Answer:
        return self.send("POST", path, json.dumps(body).encode())

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()


@pytest.fixture
def secret(transactional_db: None) -> str:
    return factories.api_key("olga")


@pytest.fixture
def olga(server: str, secret: str) -> Iterator[Wire]:
    with Wire(server, secret) as wire:
        yield wire


@pytest.fixture
def run_id(olga: Wire) -> str:
    """A run that waits at a node whose id needs percent-encoding."""
    register(factories.workflow([factories.gate_node("a:b~c")]))
    return str(olga.post("/runs", {"workflowId": "flow"}).body["runId"])


def test_both_forms_of_an_id_reach_the_run(olga: Wire, run_id: str) -> None:
    tenant, opaque = run_id.split("/")
    for slash in ("~2F", "~2f", "%2F", "%2f", "%7E2F"):
        path = f"/runs/{tenant}{slash}{opaque}"
        assert olga.send("GET", path).body["runId"] == run_id
        assert olga.send("GET", f"{path}/events/poll?timeout=1").body["runId"] == run_id
    answer = olga.post(f"/runs/{tenant}%2F{opaque}/interrupts/a%3Ab~c", {"resumeValue": {"action": "ask"}})
    assert answer.body == {"runId": run_id, "nodeId": "a:b~c", "status": "waiting-approval"}
    accepted = olga.post(f"/runs/{tenant}~2F{opaque}/interrupts/a:b%7Ec", {"resumeValue": {"action": "accept"}})
    assert accepted.body["status"] == "completed"


def test_ids_that_are_not_well_formed_are_refused(olga: Wire, run_id: str) -> None:
    tenant, opaque = run_id.split("/")
    for path in (opaque, f"{tenant}~7E2F{opaque}", f"{tenant}%252F{opaque}", f"{tenant}~2", f"{tenant}~2F{opaque}%00"):
        olga.send("GET", f"/runs/{path}").refused(400, "validation_error")
    olga.send("GET", f"/runs/globex%2F{opaque}").refused(403, "id_tenant_mismatch")
    olga.send("GET", f"/runs/{tenant}%2F{'0' * 32}").refused(404, "not_found")
    olga.send("GET", f"/runs/{tenant}~2F{opaque}/ancestry").refused(404, "not_found")


def test_a_chunked_body_is_read_and_its_size_is_bounded(olga: Wire) -> None:
    register(factories.one_gate())
    assert olga.send("POST", "/runs", iter([b'{"work', b'flowId":"flow"}'])).status == 201
    olga.send("POST", "/runs", iter([b"{"])).refused(400, "validation_error")
    refused = olga.send("POST", "/runs", (b" " * 65_536 for _ in range(20)))
    assert refused.refused(413, "payload_too_large") == {"maxRequestBodyBytes": 1_048_576}
    assert olga.send("GET", "/runs").status == 200


def test_a_body_that_is_too_large_leaves_the_connection_usable(olga: Wire) -> None:
    olga.send("POST", "/runs", b"x" * 1_048_577).refused(413, "payload_too_large")
    assert olga.send("GET", "/runs").status == 200


def test_refusals_keep_their_envelope(server: str, olga: Wire) -> None:
    olga.send("POST", "/runs", b"{").refused(400, "validation_error")
    olga.send("GET", "/nope").refused(404, "not_found")
    olga.send("PUT", "/runs", b"{}").refused(404, "not_found")
    with Wire(server, "nobody") as nobody:
        nobody.send("POST", "/runs", b"{").refused(401, "unauthenticated")


def test_a_head_request_sends_no_body_and_the_connection_goes_on(olga: Wire) -> None:
    got = olga.send("GET", "/.well-known/openwop")
    head = olga.send("HEAD", "/.well-known/openwop")
    assert (head.status, head.headers["Content-Length"]) == (200, str(len(got.raw)))
    olga.headers["If-None-Match"] = got.headers["ETag"]
    assert olga.send("GET", "/.well-known/openwop").status == 304


def test_a_poll_in_one_process_is_woken_by_an_answer_in_another(server: str, secret: str, olga: Wire) -> None:
    register(factories.one_gate())
    run = str(olga.post("/runs", {"workflowId": "flow"}).body["runId"]).replace("/", "~2F")
    answers: list[tuple[float, Answer]] = []

    def wait() -> None:
        with Wire(server, secret) as wire:
            answer = wire.send("GET", f"/runs/{run}/events/poll?afterSequence=3&timeout=20")
            answers.append((time.monotonic(), answer))

    waiting = [threading.Thread(target=wait) for _ in range(4)]
    for thread in waiting:
        thread.start()
    time.sleep(1)
    assert answers == []
    assert olga.post(f"/runs/{run}/interrupts/gate", {"resumeValue": {"action": "accept"}}).status == 200
    answered = time.monotonic()
    for thread in waiting:
        thread.join(timeout=30)
    assert len(answers) == 4
    for arrived, answer in answers:
        assert arrived - answered < 3
        assert answer.body["isTerminal"]
        assert answer.body["events"][0]["type"] == "interrupt.resolved"


def test_of_many_answers_at_once_one_counts_and_the_others_are_told_so(server: str, secret: str, olga: Wire) -> None:
    register(factories.one_gate())
    run_id = str(olga.post("/runs", {"workflowId": "flow"}).body["runId"])
    path = f"/runs/{run_id.replace('/', '~2F')}/interrupts/gate"
    start = threading.Barrier(8)
    answers: list[Answer] = []

    def answer(action: str) -> None:
        with Wire(server, secret) as wire:
            start.wait()
            answers.append(wire.post(path, {"resumeValue": {"action": action}}))

    threads = [threading.Thread(target=answer, args=(action,)) for action in ["accept", "reject"] * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(answer.status for answer in answers) == [200] + [409] * 7
    assert {answer.code for answer in answers if answer.status == 409} == {"interrupt_already_resolved"}
    assert factories.trail(run_id).count("interrupt.resolved gate") == 1


@pytest.mark.parametrize("chunks", [b"zz\r\n{}\r\n0\r\n\r\n", b"2\r\n{}xx0\r\n\r\n"])
def test_a_body_whose_chunks_cannot_be_read_is_the_fault_of_the_request(server: str, olga: Wire, chunks: bytes) -> None:
    connection = olga.connection
    connection.putrequest("POST", "/runs")
    for name, value in {**olga.headers, "Transfer-Encoding": "chunked"}.items():
        connection.putheader(name, value)
    connection.endheaders()
    connection.send(chunks)
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["error"]) == (400, "validation_error")
