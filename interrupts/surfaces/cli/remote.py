"""A host somewhere else, asked over JSON-RPC with an API key. The key goes into one header and into no message."""

from __future__ import annotations

import hashlib
import re
import ssl
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, urlsplit

import httpx2
from httpx2 import Client

from interrupts.contracts.json_text import MalformedJson, dump_json, parse_json
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import NotFound, ServiceUnavailable, Unauthenticated, ValidationFailed, WopError, restore_error
from interrupts.surfaces.cli.results import is_as_expected
from interrupts.surfaces.cli.words import on_one_line
from interrupts.surfaces.problems import RENDERINGS

RPC_PATH: Final = "/host/wopsite/rpc"
# What changes nothing: it may be asked again when the answer did not come.
_READING: Final = frozenset(
    {"workflow.runs.inspect", "workflow.runs.get", "workflow.runs.events", "interrupts.list", "workflow.validate"}
)
_LOST: Final = (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)
# For how long a method may wait on the host is part of its parameters; these are in seconds, and come on top.
_CONNECT: Final = 10.0
_ANSWER: Final = 30.0
# A refusal of the key is told in the words of headers, which the person at the terminal never sees.
_ABOUT_KEYS: Final = {
    "unauthenticated": "{} does not know the key in WOP_KEY (or --key): a part is missing, or another host made it.",
    "credential_revoked": "The key in WOP_KEY (or --key) was revoked on {}, or its person may not work there any more.",
    "credential_lifetime_exceeded": "The key in WOP_KEY (or --key) has expired on {}.",
}
_NEW_KEY: Final = (
    "Whoever runs the host makes a new one there: wop key create --tenant TENANT --user NAME --scope runs:read …"
)
_MAX_BYTES: Final = 32 * 1_048_576
_MAX_DEPTH: Final = 200


class HostUnreachable(ServiceUnavailable):
    """The host could not be reached. Try again in a moment."""


class NoSuchHost(NotFound):
    """What answers there is no wopsite host."""


class HostNotTrusted(Unauthenticated):
    """The certificate of the host is not trusted."""


@dataclass(frozen=True, slots=True)
class RemoteGateway:
    """Calls methods of the host at ``url``, an address without a path (or with the one it is served below)."""

    url: str
    key: str = field(repr=False)

    @property
    def origin(self) -> str:
        return self.url

    def require_person(self) -> None:
        """A key always acts as somebody; what they may do is the host's to say."""

    @property
    def identity(self) -> str:
        """What stands for the caller where two callers must not be mixed up."""
        return hashlib.sha256(f"{self.url} {self.key}".encode()).hexdigest()

    def call(
        self, method: str, params: JsonObject, *, idempotency_key: str | None = None, wait_seconds: int = 0
    ) -> JsonObject:
        """Return a method's result.

        Raises the error that the host tells, or one of ours when it cannot be reached or is no host. A call that may
        have got lost on the way back is made once more: only reading, or under the same key.
        """
        body = dump_json({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", "OpenWOP-Version": "2.0"}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        timeout = httpx2.Timeout(_ANSWER + wait_seconds, connect=_CONNECT)
        try:
            status, raw, location = self._send(body, headers, timeout)
        except _LOST as error:
            if idempotency_key is None and method not in _READING:
                raise self._lost() from error
            try:
                status, raw, location = self._send(body, headers, timeout)
            except _LOST as again:
                raise self._lost() from again
        return self._result(method, status, raw, location)

    def _lost(self) -> HostUnreachable:
        return HostUnreachable(
            f"The connection to {self.url} broke before the answer was there. What you sent may have arrived:"
            " look before you send it again."
        )

    def _send(self, body: str, headers: dict[str, str], timeout: httpx2.Timeout) -> tuple[int, bytes, str]:
        try:
            with (
                Client(timeout=timeout, follow_redirects=False) as client,
                client.stream("POST", f"{self.url}{RPC_PATH}", content=body.encode(), headers=headers) as response,
            ):
                return response.status_code, _read(response), response.headers.get("Location", "")
        except httpx2.ConnectTimeout as error:
            raise HostUnreachable(f"Nobody answered at {self.url} within {_CONNECT:.0f} seconds.") from error
        except httpx2.TimeoutException as error:
            raise HostUnreachable(
                f"{self.url} took longer than it may. What you sent may have arrived: look before you send it again."
            ) from error
        except httpx2.ConnectError as error:
            raise self._not_connected(error) from error
        except _LOST:
            raise
        except httpx2.HTTPError as error:
            raise HostUnreachable(f"{self.url} cannot be reached: {on_one_line(str(error))}.") from error

    def _not_connected(self, error: httpx2.ConnectError) -> WopError:
        reason = on_one_line(str(error)) or "no connection"
        if _is_about_trust(error):
            return HostNotTrusted(
                f"The certificate of {self.url} is not trusted: {reason}. If it is signed by an authority of your"
                " own, name the authority's file in SSL_CERT_FILE."
            )
        return HostUnreachable(
            f"{self.url} cannot be reached: {reason}. Is the address right, and is the host running?"
        )

    def _result(self, method: str, status: int, raw: bytes, location: str) -> JsonObject:
        if 300 <= status < 400:
            raise NoSuchHost(f"{self.url} sends you on to {on_one_line(location)}. Give that address, if you trust it.")
        try:
            answer = parse_json(raw, max_bytes=_MAX_BYTES, max_depth=_MAX_DEPTH)
        except MalformedJson as error:
            raise self._no_host(status) from error
        if not isinstance(answer, dict):
            raise self._no_host(status)
        if "error" in answer:
            raise self._error(status, answer)
        result = answer.get("result")
        if status != 200 or not isinstance(result, dict) or not is_as_expected(method, result):
            raise self._no_host(status)
        return result

    def _error(self, status: int, answer: JsonObject) -> WopError:
        """Return the error that a JSON-RPC answer or the envelope of a refusal tells."""
        told = answer["error"]
        known: JsonValue = answer if isinstance(told, str) else told.get("data") if isinstance(told, dict) else None
        if not isinstance(known, dict):
            return self._no_host(status)
        code = known.get("error", known.get("code"))
        message, details = known.get("message"), known.get("details", {})
        if not (isinstance(code, str) and isinstance(message, str) and isinstance(details, dict)):
            return self._no_host(status)
        if code in _ABOUT_KEYS:
            return restore_error(code=code, message=f"{_ABOUT_KEYS[code].format(self.url)} {_NEW_KEY}", details={})
        if code not in RENDERINGS:
            return WopError(f"{message} ({code}, which this program does not know: is it older than the host?)")
        return restore_error(code=code, message=message, details=_readable(details))

    def _no_host(self, status: int) -> NoSuchHost:
        return NoSuchHost(
            f"{self.url} answers (HTTP {status}), but not as a wopsite host does. Is it the right address? Give it as"
            " https://host or http://host:port."
        )


def remote_gateway(url: str, key: str) -> RemoteGateway:
    """Return the gateway to a host. Raises ValidationFailed for what is no address or no key."""
    address = _split(url)
    if not key:
        raise ValidationFailed("To work with another host you need a key of it: set WOP_KEY (or give --key).")
    if not re.fullmatch(r"[\x21-\x7e]{1,512}", key):
        raise ValidationFailed(
            "What WOP_KEY or --key holds is not a key: it has spaces, line breaks or other characters."
        )
    return RemoteGateway(f"{address.scheme}://{address.netloc}{address.path.rstrip('/')}", key)


def is_readable_on_the_way(url: str) -> bool:
    """Return whether others between here and the host could read the key."""
    address = urlsplit(url)
    return address.scheme == "http" and address.hostname not in {"localhost", "127.0.0.1", "::1"}


def _split(url: str) -> SplitResult:
    try:
        address = urlsplit(url.strip())
        is_good = address.scheme in {"http", "https"} and bool(address.hostname) and address.port != 0
    except ValueError:
        is_good = False
    if not is_good or address.username or address.password or address.query or address.fragment:
        raise ValidationFailed(
            "The address of the host (WOP_URL or --url) must be like https://wop.example.org or http://127.0.0.1:8000."
        )
    return address


def _read(response: httpx2.Response) -> bytes:
    raw = bytearray()
    for chunk in response.iter_bytes():
        raw += chunk
        if len(raw) > _MAX_BYTES:
            raise NoSuchHost(f"The host answers with more than {_MAX_BYTES} bytes, and this program reads no more.")
    return bytes(raw)


def _is_about_trust(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _readable(details: JsonObject) -> JsonObject:
    """Return details whose problems are as ours are; without them where they are not."""
    problems = details.get("problems")
    if not isinstance(problems, list) or not all(
        isinstance(each, dict) and isinstance(each.get("pointer"), str) and isinstance(each.get("message"), str)
        for each in problems
    ):
        return {name: value for name, value in details.items() if name != "problems"}
    return details
