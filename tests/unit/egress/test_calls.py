"""Calls through the door to real TLS receivers, most of them bad (wire contract §19)."""

from __future__ import annotations

import socket
import ssl
import time
from dataclasses import replace
from pathlib import Path

import pytest

from interrupts.services.egress import EgressFailed, EgressRefused, Reply
from tests.receivers import NAME, answering, door_to, receiving

BODY = b'{"hello":"world"}'


def test_the_receiver_gets_the_bytes_under_its_own_name_at_the_address_that_was_judged(tmp_path: Path) -> None:
    with receiving(answering("200 OK", body=b"thanks")) as receiver:
        reply = door_to(receiver, tmp_path).post(receiver.url, headers={"X-Mark": "1"}, body=BODY)
    assert reply == Reply(200, b"thanks")
    assert receiver.names == [NAME]
    head, _, body = receiver.requests[0].partition(b"\r\n\r\n")
    assert head.split(b"\r\n") == [
        b"POST /hook HTTP/1.1",
        f"Host: {NAME}:{receiver.port}".encode(),
        b"User-Agent: wopsite",
        b"X-Mark: 1",
        f"Content-Length: {len(BODY)}".encode(),
        b"Connection: close",
    ]
    assert body == BODY


def test_a_literal_address_is_called_with_a_certificate_for_it(tmp_path: Path) -> None:
    with receiving(answering(), identity="127.0.0.1") as receiver:
        reply = door_to(receiver, tmp_path).post(f"https://127.0.0.1:{receiver.port}/", headers={}, body=BODY)
    assert reply.status == 204


def test_a_name_is_resolved_once_a_call_and_never_by_the_connection(tmp_path: Path) -> None:
    """Rebinding: the second look at the name would say something else."""
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    with receiving(answering()) as receiver:
        door = replace(door_to(receiver, tmp_path), resolve=lambda _name, _port: next(answers))
        assert door.post(receiver.url, headers={}, body=BODY).status == 204
        with pytest.raises(EgressRefused, match="not on the public internet"):
            door.post(receiver.url, headers={}, body=BODY)
    assert receiver.connections == 1


def test_one_private_address_among_public_ones_is_enough_to_refuse(tmp_path: Path) -> None:
    with receiving(answering()) as receiver:
        door = replace(door_to(receiver, tmp_path), resolve=lambda _name, _port: ["127.0.0.1", "10.0.0.1"])
        with pytest.raises(EgressRefused):
            door.post(receiver.url, headers={}, body=BODY)
    assert receiver.connections == 0


def test_a_name_that_was_public_when_it_was_registered_is_judged_again(tmp_path: Path) -> None:
    answers = iter([["93.184.216.34"], ["192.168.0.1"]])
    with receiving(answering()) as receiver:
        door = replace(door_to(receiver, tmp_path), resolve=lambda _name, _port: next(answers))
        door.check(receiver.url)
        with pytest.raises(EgressRefused):
            door.post(receiver.url, headers={}, body=BODY)


def test_the_next_address_is_tried_when_one_does_not_answer(tmp_path: Path) -> None:
    with receiving(answering()) as receiver:
        door = replace(door_to(receiver, tmp_path), resolve=lambda _name, _port: ["127.0.0.9", "127.0.0.1"])
        assert door.post(receiver.url, headers={}, body=BODY).status == 204


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
def test_a_redirect_is_an_answer_and_is_not_followed(tmp_path: Path, status: str) -> None:
    with receiving(answering()) as other, receiving(answering(status, f"Location: {other.url}")) as receiver:
        reply = door_to(receiver, tmp_path).post(receiver.url, headers={}, body=BODY)
    assert (reply.status, reply.is_success) == (int(status[:3]), False)
    assert other.connections == 0


def test_proxies_of_the_environment_are_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving(answering()) as proxy, receiving(answering()) as receiver:
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert door_to(receiver, tmp_path).post(receiver.url, headers={}, body=BODY).status == 204
    assert proxy.connections == 0


# --- Whom to trust ----------------------------------------------------------------------------------------------------


def test_an_unknown_authority_is_not_trusted(tmp_path: Path) -> None:
    with receiving(answering()) as receiver:
        door = replace(door_to(receiver, tmp_path), ca_file="")
        with pytest.raises(EgressFailed, match="certificate could not be verified"):
            door.post(receiver.url, headers={}, body=BODY)
    assert receiver.requests == []


def test_a_certificate_for_another_name_is_not_taken(tmp_path: Path) -> None:
    with (
        receiving(answering(), identity="other.example") as receiver,
        pytest.raises(EgressFailed, match="certificate could not be verified"),
    ):
        door_to(receiver, tmp_path).post(receiver.url, headers={}, body=BODY)
    assert receiver.requests == []


# --- Receivers that would hold us -------------------------------------------------------------------------------------


def hang(stream: ssl.SSLSocket, _request: bytes) -> None:
    stream.recv(1)


def drip_head(stream: ssl.SSLSocket, _request: bytes) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 10_000:
        stream.sendall(bytes([byte]))
        time.sleep(0.05)


def drip_body(stream: ssl.SSLSocket, _request: bytes) -> None:
    stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(1000):
        stream.sendall(b".")
        time.sleep(0.05)


def endless_body(stream: ssl.SSLSocket, _request: bytes) -> None:
    stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
    while True:
        stream.sendall(b"." * 65536)


def endless_chunks(stream: ssl.SSLSocket, _request: bytes) -> None:
    stream.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        stream.sendall(b"10000\r\n" + b"." * 65536 + b"\r\n")


def endless_head(stream: ssl.SSLSocket, _request: bytes) -> None:
    stream.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        stream.sendall(b"X-More: " + b"a" * 8192 + b"\r\n")


def endless_patience(stream: ssl.SSLSocket, _request: bytes) -> None:
    while True:
        stream.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.02)


def close_at_once(stream: ssl.SSLSocket, _request: bytes) -> None:
    stream.unwrap()


def speak_nonsense(stream: ssl.SSLSocket, _request: bytes) -> None:
    stream.sendall(b"220 smtp.example.com ESMTP\r\n")


@pytest.mark.parametrize("handler", [hang, drip_head, endless_patience])
def test_a_receiver_that_never_gets_to_its_status_is_left_in_time(tmp_path: Path, handler: object) -> None:
    assert callable(handler)
    with receiving(handler) as receiver:
        start = time.monotonic()
        with pytest.raises(EgressFailed, match="took too long"):
            door_to(receiver, tmp_path).post(receiver.url, headers={}, body=BODY)
    assert time.monotonic() - start < 3


@pytest.mark.parametrize("handler", [drip_body, endless_body, endless_chunks])
def test_a_body_without_an_end_is_left_and_the_status_counts(tmp_path: Path, handler: object) -> None:
    assert callable(handler)
    with receiving(handler) as receiver:
        start = time.monotonic()
        reply = door_to(receiver, tmp_path).post(receiver.url, headers={}, body=BODY)
    assert time.monotonic() - start < 3
    assert reply.status == 200
    assert len(reply.body) <= 4096


@pytest.mark.parametrize("handler", [endless_head, close_at_once, speak_nonsense])
def test_an_answer_that_is_none_is_a_failure(tmp_path: Path, handler: object) -> None:
    assert callable(handler)
    with receiving(handler) as receiver, pytest.raises(EgressFailed, match="not HTTP"):
        door_to(receiver, tmp_path).post(receiver.url, headers={}, body=BODY)


def test_a_receiver_that_never_finishes_its_handshake_is_left_in_time(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute, receiving(answering()) as receiver:
        receiver.port = mute.getsockname()[1]
        start = time.monotonic()
        with pytest.raises(EgressFailed, match="took too long"):
            door_to(receiver, tmp_path).post(receiver.url, headers={}, body=BODY)
    assert time.monotonic() - start < 3


def test_nobody_listening_is_a_failure(tmp_path: Path) -> None:
    with receiving(answering()) as receiver:
        pass
    with pytest.raises(EgressFailed, match="connection could not be made"):
        door_to(receiver, tmp_path).post(receiver.url, headers={}, body=BODY)


def test_a_resolver_that_hangs_is_left_in_time(tmp_path: Path) -> None:
    def never(_name: str, _port: int) -> list[str]:
        time.sleep(5)
        return []

    with receiving(answering()) as receiver:
        door = replace(door_to(receiver, tmp_path, resolve=0.2), resolve=never)
        start = time.monotonic()
        door.check(receiver.url)
        with pytest.raises(EgressFailed, match="could not be resolved"):
            door.post(receiver.url, headers={}, body=BODY)
    assert time.monotonic() - start < 2
