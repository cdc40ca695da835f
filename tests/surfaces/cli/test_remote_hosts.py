"""Another host: what is said when it is not there, is none, or does not want us; and what is never said."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
import trustme

from interrupts.errors import WopError
from interrupts.surfaces.cli import remote
from interrupts.surfaces.cli.remote import RemoteGateway, remote_gateway
from interrupts.surfaces.problems import exit_code
from tests import factories
from tests.architecture.sources import ROOT
from tests.surfaces.cli.conftest import Wop

KEY = "wop_0123456789ab_secret-part-of-the-key"
Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def serving(answer: Answer, *, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Give the address of a server that answers each POST in this way."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer(self)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def saying(status: int, body: str, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body.encode())))
        handler.end_headers()
        handler.wfile.write(body.encode())

    return answer


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.connection.close()


def refused(url: str) -> WopError:
    with pytest.raises(WopError) as error:
        RemoteGateway(url, KEY).call("workflow.runs.get", {"run_id": "acme/r-0123456789abcdef"})
    assert KEY not in repr(error.value) + error.value.message
    assert "\x1b" not in error.value.message
    return error.value


@pytest.mark.parametrize(
    ("answer", "status", "told"),
    [
        (saying(404, "<h1>Not here</h1>"), 3, "answers (HTTP 404), but not as a wopsite host does"),
        (saying(200, "[]"), 3, "but not as a wopsite host does"),
        (saying(200, '{"jsonrpc": "2.0", "id": 1}'), 3, "but not as a wopsite host does"),
        (saying(200, '{"result": 1, "id": 1}'), 3, "but not as a wopsite host does"),
        (saying(200, '{"result": {"run_id": "x"}}'), 3, "but not as a wopsite host does"),
        (saying(200, '{"result": {"run_id": "x", "status": ["running"]}}'), 3, "but not as a wopsite host does"),
        (saying(200, '{"error": 7}'), 3, "but not as a wopsite host does"),
        (saying(502, "Bad gateway"), 3, "answers (HTTP 502)"),
        (saying(200, "[" * 10_000), 3, "but not as a wopsite host does"),
        (saying(301, "", Location="https://else.example/"), 3, "sends you on to https://else.example/"),
        (
            saying(401, '{"error": "unauthenticated", "message": "Send a header."}'),
            5,
            "does not know the key in WOP_KEY",
        ),
        (saying(401, '{"error": "credential_revoked", "message": "Revoked."}'), 5, "was revoked on http://127.0.0.1:"),
        (saying(401, '{"error": "credential_lifetime_exceeded", "message": "Over."}'), 5, "has expired on http://127"),
        (saying(200, '{"error": {"data": {"code": "run_terminal", "message": "Over."}}}'), 4, "Over."),
        (saying(200, '{"error": {"data": {"code": "brand_new", "message": "New."}}}'), 70, "New. (brand_new, which"),
        (saying(200, '{"error": {"data": {"code": "not_found", "message": 7}}}'), 3, "but not as a wopsite host does"),
        (hang_up, 75, "broke before the answer was there"),
    ],
)
def test_whatever_answers_instead_of_a_host_is_told_for_what_it_is(answer: Answer, status: int, told: str) -> None:
    with serving(answer) as url:
        error = refused(url)
    assert told in error.message
    assert exit_code(error) == status


def test_an_answer_that_got_lost_is_asked_for_once_more_under_the_same_key() -> None:
    keys: list[str | None] = []

    def lose_the_first(handler: BaseHTTPRequestHandler) -> None:
        keys.append(handler.headers["Idempotency-Key"])
        if len(keys) == 1:
            hang_up(handler)
        else:
            saying(200, '{"jsonrpc": "2.0", "id": 1, "result": {"run_id": "x", "status": "completed"}}')(handler)

    with serving(lose_the_first) as url:
        gateway = RemoteGateway(url, KEY)
        assert gateway.call("workflow.runs.resume", {}, idempotency_key="k" * 30)["run_id"] == "x"
    assert keys == ["k" * 30] * 2


def test_a_change_without_a_key_is_never_sent_twice() -> None:
    calls: list[str] = []

    def hang_up_on(handler: BaseHTTPRequestHandler) -> None:
        calls.append(handler.path)
        hang_up(handler)

    with serving(hang_up_on) as url, pytest.raises(remote.HostUnreachable):
        RemoteGateway(url, KEY).call("workflow.runs.start", {"workflow_id": "x"})
    assert calls == ["/host/wopsite/rpc"]


def test_a_host_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_ANSWER", 0.1)
    released = threading.Event()

    def hang(_handler: BaseHTTPRequestHandler) -> None:
        released.wait(5)

    with serving(hang) as url:
        error = refused(url)
        released.set()
    assert "took longer than it may" in error.message
    assert exit_code(error) == 75


def test_a_host_that_sends_without_end_is_not_read_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_MAX_BYTES", 1000)
    with serving(saying(200, "x" * 5000)) as url:
        assert "and this program reads no more" in refused(url).message


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://nowhere.invalid"])
def test_a_host_that_is_not_there_is_told_with_its_address(url: str) -> None:
    error = refused(url)
    assert error.message.startswith(f"{url} cannot be reached: ")
    assert exit_code(error) == 75


def test_a_certificate_counts_only_when_its_authority_is_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with serving(saying(200, '{"result": {"run_id": "x", "status": "running"}}'), tls=context) as url:
        error = refused(url)
        assert error.message.startswith(f"The certificate of {url} is not trusted: ")
        assert exit_code(error) == 5
        authority.cert_pem.write_to_path(tmp_path / "ca.pem")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        assert RemoteGateway(url, KEY).call("workflow.runs.get", {})["status"] == "running"


@pytest.mark.parametrize(
    "url",
    [
        "wop.example.org",
        "ftp://x",
        "http://",
        "http://x:99999999",
        "http://a:b@x",
        "https://x?y=1",
        "https://x#y",
        "http://[",
    ],
)
def test_what_is_no_address_is_told_with_one_that_is(url: str) -> None:
    with pytest.raises(WopError, match=r"must be like https://wop\.example\.org"):
        remote_gateway(url, KEY)


@pytest.mark.parametrize("key", ["with space", "line\nbreak", "ümlaut", "x" * 600])
def test_what_is_no_key_is_told_without_it(key: str) -> None:
    with pytest.raises(WopError) as error:
        remote_gateway("https://x", key)
    assert key not in error.value.message
    assert key not in repr(RemoteGateway("https://x", key))


def test_addresses_are_understood_with_a_slash_and_with_a_path() -> None:
    assert remote_gateway("https://x/wop/", KEY).url == "https://x/wop"
    assert remote_gateway(" http://x:8000 ", KEY).url == "http://x:8000"


def test_options_that_do_not_go_together_are_told(wop: Wop, settings: Any) -> None:
    factories.tenant("acme")
    ended = wop("inbox", "--url", "http://x", "--tenant", "acme", "--key", KEY)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == "With --url the key says who you are and in which tenant: leave out --tenant and --as.\n"
    ended = wop("inbox", "--url", "http://x")
    assert ended.err == "To work with another host you need a key of it: set WOP_KEY (or give --key).\n"
    ended = wop("inbox", "--key", KEY)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == "A key is for another host: say with --url (or WOP_URL) which one.\n"
    settings.WOP_URL = "http://x"
    for words in (("key", "list"), ("workflow", "load", "flow.json"), ("mcp",), ("callback-secret", "rotate")):
        ended = wop(*words)
        assert (ended.status, ended.out) == (1, "")
        assert "works with the database of this machine only, and WOP_URL names another host." in ended.err
    assert wop("key", "list", "--tenant", "acme").status == 0


@pytest.mark.parametrize("words", [("--as", "olga"), ("--tenant", "acme"), ("--tenant", "acme", "--as", "olga")])
def test_a_host_of_the_environment_is_never_dropped_in_silence(wop: Wop, settings: Any, words: tuple[str, ...]) -> None:
    factories.member("olga")
    settings.WOP_URL, settings.WOP_KEY = "http://x", KEY
    for command in (("inbox",), ("run", "show", "acme/r-1"), ("workflow", "validate", "flow.json")):
        ended = wop(*command, *words)
        assert (ended.status, ended.out) == (1, "")
        assert ended.err == (
            "With WOP_URL the key says who you are and in which tenant: leave out --tenant and --as."
            " For the database of this machine, unset it: env -u WOP_URL wop …\n"
        )


def test_a_key_that_does_not_work_is_told_to_the_person_who_has_it(wop: Wop, over_http: None) -> None:
    factories.tenant("acme")
    ended = wop("inbox", "--url", "https://wop.example.org", "--key", KEY)
    assert (ended.status, ended.out) == (5, "")
    assert ended.err == (
        "https://wop.example.org does not know the key in WOP_KEY (or --key): a part is missing, or another host"
        " made it. Whoever runs the host makes a new one there:"
        " wop key create --tenant TENANT --user NAME --scope runs:read …\n"
    )


def test_a_key_that_others_could_read_on_the_way_is_warned_of(wop: Wop, over_http: None) -> None:
    key = factories.api_key("olga")
    ended = wop("inbox", "--url", "http://wop.example.org", "--key", key)
    assert ended.err.splitlines()[0] == (
        "Your key travels without encryption. Use https, unless the network is your own."
    )
    assert wop("inbox", "--url", "http://localhost:8000", "--key", key).err == "Nothing waits for an answer.\n"


def test_of_several_tenants_one_must_be_named(wop: Wop) -> None:
    assert wop("inbox").err == "There is no tenant yet. Make one: wop tenant create NAME\n"
    factories.tenant("acme")
    for words in (("inbox",), ("key", "list"), ("workflow", "load", str(ROOT / "interrupts/samples"))):
        assert wop(*words).status == 0
    factories.tenant("globex")
    for words in (("inbox",), ("key", "list"), ("workflow", "load", "x"), ("mcp",)):
        assert wop(*words).err == "There are several tenants: say which one with --tenant (acme, globex).\n"
    ended = wop("inbox")
    assert (ended.status, ended.err) == (1, "There are several tenants: say which one with --tenant (acme, globex).\n")
