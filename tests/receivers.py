"""Receivers for tests of what goes out: real TLS on this machine, kind or as bad as they come.

``AUTHORITY`` is the certificate authority of all of them; the product trusts it only where a test says so.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import trustme

from interrupts.services.egress import Door, Limits
from interrupts.services.egress.rules import Allowance

NAME = "receiver.test.example"
Handler = Callable[[ssl.SSLSocket, bytes], None]


@cache
def authority() -> trustme.CA:
    return trustme.CA()


def authority_file(folder: Path) -> str:
    path = folder / "authority.pem"
    authority().cert_pem.write_to_path(str(path))
    return str(path)


@dataclass
class Receiver:
    """One listening socket. ``requests`` are the raw bytes of each request, ``names`` what each caller's SNI said."""

    port: int
    requests: list[bytes] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"https://{NAME}:{self.port}/hook"


@contextlib.contextmanager
def receiving(
    handle: Handler, *, identity: str = NAME, family: socket.AddressFamily = socket.AF_INET
) -> Iterator[Receiver]:
    """Let ``handle`` answer each connection, in a thread of its own, until the block ends."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert(identity).configure_cert(tls)
    loopback = "127.0.0.1" if family == socket.AF_INET else "::1"
    with socket.create_server((loopback, 0), family=family, backlog=64) as listener:
        receiver = Receiver(listener.getsockname()[1])
        tls.sni_callback = lambda _socket, name, _context: receiver.names.append(name)
        stop = threading.Event()
        accepting = threading.Thread(target=_accept, args=(listener, tls, handle, receiver, stop), daemon=True)
        accepting.start()
        try:
            yield receiver
        finally:
            stop.set()
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            accepting.join(5)


def _accept(
    listener: socket.socket, tls: ssl.SSLContext, handle: Handler, receiver: Receiver, stop: threading.Event
) -> None:
    while not stop.is_set():
        try:
            plain, _ = listener.accept()
        except OSError:
            return
        receiver.connections += 1
        threading.Thread(target=_serve, args=(plain, tls, handle, receiver), daemon=True).start()


def _serve(plain: socket.socket, tls: ssl.SSLContext, handle: Handler, receiver: Receiver) -> None:
    plain.settimeout(20)
    with contextlib.suppress(OSError, ssl.SSLError), plain, tls.wrap_socket(plain, server_side=True) as secured:
        request = read_request(secured)
        receiver.requests.append(request)
        handle(secured, request)


def read_request(stream: ssl.SSLSocket) -> bytes:
    raw = b""
    while b"\r\n\r\n" not in raw:
        raw += _some(stream)
    head, _, body = raw.partition(b"\r\n\r\n")
    lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    wanted = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < wanted:
        body += _some(stream)
    return head + b"\r\n\r\n" + body


def _some(stream: ssl.SSLSocket) -> bytes:
    found = stream.recv(65536)
    if not found:
        raise OSError("the caller went away")
    return found


def answering(status: str = "204 No Content", *headers: str, body: bytes = b"") -> Handler:
    """Answer every request like this."""
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""])
    return lambda stream, _request: stream.sendall(head.encode() + body)


def door_to(receiver: Receiver, folder: Path, *, address: str = "127.0.0.1", **limits: float) -> Door:
    """A door through which the receiver may be called by its name, with short limits unless they are given."""
    bounds = Limits(**{"resolve": 1.0, "connect": 1.0, "total": 1.5, "body": 4096, **limits})  # type: ignore[arg-type]
    return Door(
        allowance=Allowance.of([(NAME, receiver.port), ("127.0.0.0/8", receiver.port), ("::1/128", receiver.port)]),
        ca_file=authority_file(folder),
        limits=bounds,
        resolve=lambda _name, _port: [address],
    )
