"""Deliveries as an installation makes them: a worker process, a receiver process with its own authority, real time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trustme
from django.utils import timezone

from interrupts.models import Delivery, Webhook
from tests.architecture.sources import ROOT
from tests.factories import actor, callback_secret, one_gate, register, start, webhook
from tests.surfaces.rest.server import database_url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(120)]

SECRET = "a secret of the receiver's own"


@dataclass
class Peer:
    """A receiver process. ``next`` waits for its next request."""

    process: subprocess.Popen[str]
    port: int

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}/hook"

    def next(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))


@contextmanager
def peer(folder: Path, secret: str, mode: str = "take") -> Iterator[Peer]:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    certificate = folder / "receiver.pem"
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(certificate))
    command = [sys.executable, "tests/receiver_process.py", str(certificate), secret, mode]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Peer(process, int(process.stdout.readline()))
        finally:
            process.terminate()


Work = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def work(tmp_path: Path) -> Work:
    """Start a worker for which the receiver is allowed; its clock may be ahead."""

    def begin(receiver: Peer, *, ahead: float = 0) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "DATABASE_URL": database_url(),
            "WOP_DATA_DIR": str(tmp_path),
            "WOP_EGRESS_ALLOW": f"127.0.0.0/8:{receiver.port}",
            "WOP_EGRESS_CA_FILE": str(tmp_path / "authority.pem"),
            "HTTPS_PROXY": "http://127.0.0.1:9",
        }
        return subprocess.Popen([sys.executable, "-m", "tests.worker_process", str(ahead)], cwd=ROOT, env=environment)

    return begin


def allow(settings: Any, receiver: Peer) -> None:
    settings.WOP_EGRESS_ALLOW = [("127.0.0.0/8", receiver.port)]


def test_a_receiver_of_another_make_verifies_webhooks_and_callbacks(tmp_path: Path, settings: Any, work: Work) -> None:
    secret = callback_secret(now=timezone.now())
    with peer(tmp_path, secret) as receiver:
        allow(settings, receiver)
        hook = webhook(receiver.url, events=["run.started"], secret=secret, now=timezone.now())
        register(one_gate(), now=timezone.now())
        run_id = start(actor("owner"), now=timezone.now(), callback_url=receiver.url)
        assert work(receiver).wait(30) == 0
        event, notice = receiver.next(), receiver.next()
    assert (event["valid"], event["headers"]["OpenWOP-Webhook-Id"]) == (True, hook.pk)
    assert event["body"]["event"]["type"] == "run.started"
    assert (notice["valid"], notice["body"]["kind"], notice["body"]["runId"]) == (True, "approval", run_id)
    assert set(Delivery.objects.values_list("outcome", flat=True)) == {"delivered"}


def test_a_receiver_with_another_secret_does_not_believe_it(tmp_path: Path, settings: Any, work: Work) -> None:
    with peer(tmp_path, "another secret") as receiver:
        allow(settings, receiver)
        webhook(receiver.url, events=["run.started"], secret=SECRET, now=timezone.now())
        register(one_gate(), now=timezone.now())
        start(actor("owner"), now=timezone.now())
        assert work(receiver).wait(30) == 0
        assert receiver.next()["valid"] is False


def test_a_worker_killed_after_sending_and_before_recording_loses_nothing(
    tmp_path: Path, settings: Any, work: Work
) -> None:
    with peer(tmp_path, SECRET, "hang") as receiver:
        allow(settings, receiver)
        hook = webhook(receiver.url, events=["run.started"], secret=SECRET, now=timezone.now())
        register(one_gate(), now=timezone.now())
        start(actor("owner"), now=timezone.now())
        killed = work(receiver)
        first = receiver.next()
        killed.send_signal(signal.SIGKILL)
        assert killed.wait(30) == -signal.SIGKILL
    assert Delivery.objects.get().outcome is None
    with peer(tmp_path, SECRET) as receiver:
        Webhook.objects.filter(pk=hook.pk).update(url=receiver.url)
        assert work(receiver).wait(30) == 0
        assert Delivery.objects.get().outcome is None, "the dead worker's lease still holds"
        assert work(receiver, ahead=31).wait(30) == 0
        second = receiver.next()
    assert (first["valid"], second["valid"]) == (True, True)
    assert first["headers"]["Wopsite-Delivery-Id"] == second["headers"]["Wopsite-Delivery-Id"]
    assert first["body"] == second["body"]
    assert (Delivery.objects.get().outcome, Delivery.objects.get().attempts_made) == ("delivered", 2)


def test_a_worker_for_which_the_private_network_is_not_allowed_calls_nobody(
    tmp_path: Path, settings: Any, work: Work
) -> None:
    with peer(tmp_path, SECRET) as receiver:
        allow(settings, receiver)
        webhook(receiver.url, events=["run.started"], secret=SECRET, now=timezone.now())
        register(one_gate(), now=timezone.now())
        start(actor("owner"), now=timezone.now())
        elsewhere = Peer(receiver.process, receiver.port + 1)
        assert work(elsewhere).wait(30) == 0
    assert Delivery.objects.get().last_error == "This host is not on the public internet."
