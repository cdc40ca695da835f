"""One POST to addresses that were judged before: no second look at the name, no redirect, no proxy, and an end.

httpcore is the transport below httpx. It takes the network from outside (``NetworkBackend``), which httpx itself does
not let through, so that the address connected to is ours to say; it follows no redirect and reads no proxy from the
environment. Its time limits are per read, and a receiver that drips could hold us for ever: ours are for the whole.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpcore

from interrupts.services.egress.faults import EgressFailed
from interrupts.services.egress.targets import Target

_MAX_ADDRESSES: Final = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """How long one call may take, in seconds, and how many bytes of an answer's body are read."""

    resolve: float = 3.0
    connect: float = 5.0
    total: float = 10.0
    body: int = 65_536


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. ``body`` is its beginning."""

    status: int
    body: bytes = b""

    @property
    def is_success(self) -> bool:
        """A redirect is none: it is never followed (wire contract §18)."""
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class Call:
    """One POST: where to, with which headers, and the exact bytes."""

    target: Target
    headers: Mapping[str, str]
    body: bytes


def send(call: Call, *, to: Sequence[str], tls: ssl.SSLContext, limits: Limits, deadline: float) -> Reply:
    """Send to the first of the addresses that answers. ``deadline`` is on the monotonic clock. Raises EgressFailed."""
    target = call.target
    origin = httpcore.Origin(b"https", target.host.encode(), target.port)
    network = _Pinned(to[:_MAX_ADDRESSES], connect=limits.connect, deadline=deadline)
    connection = httpcore.HTTPConnection(origin, ssl_context=tls, network_backend=network)
    with closing(connection), _in_words():
        response = connection.handle_request(_request(call))
        return Reply(response.status, _beginning(response, limits.body))


def _request(call: Call) -> httpcore.Request:
    target = call.target
    url = httpcore.URL(scheme=b"https", host=target.host.encode(), port=target.port, target=target.path.encode())
    headers = {"Host": target.authority, **call.headers, "Content-Length": str(len(call.body)), "Connection": "close"}
    return httpcore.Request("POST", url, headers=list(headers.items()), content=call.body)


def _beginning(response: httpcore.Response, limit: int) -> bytes:
    """The status has been given: whatever goes wrong with the body afterwards does not take it back."""
    body = b""
    try:
        for chunk in response.iter_stream():
            body += chunk
            if len(body) >= limit:
                break
    except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError):
        pass
    return body[:limit]


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except httpcore.TimeoutException as error:
        raise EgressFailed("The receiver took too long.") from error
    except httpcore.ConnectError as error:
        failed = "certificate could not be verified" if _is_certificate(error) else "connection could not be made"
        raise EgressFailed(f"The {failed}.") from error
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise EgressFailed("The connection broke, or the answer was not HTTP.") from error


def _is_certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


class _Pinned(httpcore.NetworkBackend):
    """Connects to the given addresses in order, whatever host it is asked for."""

    def __init__(self, addresses: Sequence[str], *, connect: float, deadline: float) -> None:
        self._addresses = addresses
        self._connect = connect
        self._deadline = deadline
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.NetworkStream:
        failure: Exception = httpcore.ConnectError("no address")
        for address in self._addresses:
            try:
                left = min(self._connect, _left(self._deadline))
                return _Timed(self._sockets.connect_tcp(address, port, left), self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


class _Timed(httpcore.NetworkStream):
    """A connection all of whose reads and writes share one deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, _left(self._deadline))
        return _Timed(secured, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the time for the whole call is used up")
    return left
