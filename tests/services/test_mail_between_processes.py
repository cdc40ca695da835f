"""Mail as an installation sends it: a worker process, a mail server that speaks SMTP, real time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.utils import timezone

from approvals import mails
from approvals.models import Mail
from tests.architecture.sources import ROOT
from tests.concurrency.racing import until
from tests.factories import actor, one_gate, register, start
from tests.mail_server import MailServer, mail_server
from tests.services.mailing import token_in, with_address
from tests.surfaces.rest.server import database_url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(240)]


def work(server: MailServer, folder: Path, *, ahead: float = 0) -> subprocess.Popen[bytes]:
    """Start a worker that sends what is due; its clock may be ahead."""
    environment = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "WOP_DATA_DIR": str(folder),
        "WOP_MAIL_FROM": "wop@example.org",
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(server.port),
    }
    return subprocess.Popen([sys.executable, "-m", "tests.mail_process", str(ahead)], cwd=ROOT, env=environment)


def test_a_worker_killed_after_sending_and_before_recording_sends_again_under_the_same_id(tmp_path: Path) -> None:
    with_address("ann")
    register(one_gate(approversList=["ann"]), now=timezone.now())
    start(actor("owner"), now=timezone.now())
    with mail_server() as server:
        killed = work(server, tmp_path)

        def kill() -> None:
            """The server has the mail, and has not said so."""
            killed.send_signal(signal.SIGKILL)
            killed.wait(60)

        server.before_answer = kill
        until(lambda: killed.poll() is not None, seconds=60)
        assert killed.wait(60) == -signal.SIGKILL
        assert (Mail.objects.get().outcome, len(server.mails)) == (None, 1)
        server.before_answer = lambda: None
        assert work(server, tmp_path).wait(60) == 0
        assert len(server.mails) == 1, "the dead worker's lease still holds"
        assert work(server, tmp_path, ahead=mails.LEASE.total_seconds() + 1).wait(60) == 0
    first, second = server.read(0), server.read(1)
    assert (len(server.mails), server.recipients) == (2, ["ann@example.org"] * 2)
    assert first["Message-ID"] == second["Message-ID"]
    assert token_in(first) != token_in(second)
    assert (Mail.objects.get().outcome, Mail.objects.get().attempts_made) == ("sent", 2)
