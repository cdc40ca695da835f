"""``wop link``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from interrupts.services import tokens
from interrupts.services.links import inspect_by_token
from interrupts.services.tokens import Intent
from tests import factories
from tests.surfaces.cli.conftest import Wop


@pytest.fixture
def run_id(db: None) -> str:
    return factories.start_flow(factories.one_gate(), now=datetime.now(UTC))


def test_a_link_is_printed_as_its_url_alone(wop: Wop, run_id: str, settings: Any) -> None:
    settings.WOP_PUBLIC_URL = "https://wop.example.org"
    ann = factories.member("ann")
    ended = wop("link", "create", run_id, "gate", "--tenant", "acme", "--approver", "ann")
    origin, _, token = ended.value.rpartition("/interrupts/")
    claims = tokens.read(token)
    assert (ended.status, origin) == (0, "https://wop.example.org")
    assert (claims.approver, claims.intent) == (ann.subject_id, Intent.RESOLVE)
    assert inspect_by_token(token=token, now=datetime.now(UTC))["kind"] == "approval"
    assert ended.err.startswith(f"It ends at {claims.expires_at:%Y-%m-%dT%H:%M}")
    assert token not in ended.err
    assert "WOP_PUBLIC_URL" not in ended.err


def test_a_link_that_only_shows_names_nobody_and_leads_to_this_machine(wop: Wop, run_id: str, settings: Any) -> None:
    settings.WOP_PORT = 8765
    ended = wop("link", "create", run_id, "gate", "--intent", "inspect")
    assert ended.err.splitlines()[1] == "It leads to this machine: WOP_PUBLIC_URL says where people reach the site."
    origin, _, token = ended.value.rpartition("/interrupts/")
    claims = tokens.read(token)
    assert (origin, claims.approver, claims.intent) == ("http://127.0.0.1:8765", "", Intent.INSPECT)


def test_a_link_leads_to_the_server_that_runs_here(wop: Wop, run_id: str, settings: Any) -> None:
    settings.WOP_SERVED_AT = "http://127.0.0.1:8765"
    assert wop("link", "create", run_id, "gate").value.startswith("http://127.0.0.1:8765/interrupts/")
    (page,) = (line for line in wop("run", "inspect", run_id).lines if line.startswith("Page"))
    assert page == f"Page      http://127.0.0.1:8765/inbox/{factories.suspension(run_id).pk.partition('/')[2]}/"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("acme/r-0123456789abcdef", "gate", "--tenant", "acme"), 3),
        (("RUN", "nowhere", "--tenant", "acme"), 3),
        (("RUN", "gate", "--tenant", "globex"), 3),
        (("RUN", "gate", "--tenant", "acme", "--approver", "nobody"), 1),
        (("RUN", "gate", "--tenant", "acme", "--intent", "decide"), 2),
        (("r-0123456789abcdef", "gate"), 3),
    ],
)
def test_what_there_is_no_link_to_is_told_by_the_status(
    wop: Wop, run_id: str, words: tuple[str, ...], status: int
) -> None:
    ended = wop("link", "create", *(run_id if word == "RUN" else word for word in words))
    assert (ended.status, ended.out) == (status, "")


def test_a_decided_gate_is_in_the_way(wop: Wop, run_id: str) -> None:
    factories.answer(factories.actor("ann"), run_id, "accept", now=datetime.now(UTC))
    assert wop("link", "create", run_id, "gate", "--tenant", "acme").status == 4
