"""``wop sample``: what a new installation starts with."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from interrupts.errors import Forbidden
from interrupts.models import Run, Suspension, Tenant, Workflow
from interrupts.services import identity
from tests import factories
from tests.surfaces.cli.conftest import Ended, Wop


@pytest.fixture
def sample(wop: Wop) -> Ended:
    return wop("sample")


def test_the_accounts_are_shown_with_passwords_that_work(sample: Ended) -> None:
    assert (sample.status, sample.err) == (0, "")
    accounts = dict(re.findall(r"^  (alice|bob|carol|dave) +(\S+)  ", sample.out, re.MULTILINE))
    assert sorted(accounts) == ["alice", "bob", "carol", "dave"]
    assert len(set(accounts.values())) == 4
    for username, password in accounts.items():
        assert User.objects.get(username=username).check_password(password)


def test_the_key_and_the_first_call_with_it_are_shown(sample: Ended) -> None:
    key = re.search(r"^  (wop_\S+)$", sample.out, re.MULTILINE)
    assert key is not None
    assert identity.authenticate_key(secret=key[1], now=timezone.now()).username == "dave"
    assert f"curl -H 'Authorization: Bearer {key[1]}' http://127.0.0.1:" in sample.out


def test_there_is_something_to_answer_at_once(sample: Ended) -> None:
    assert Workflow.objects.count() == 5
    assert {run.status for run in Run.objects.all()} == {"waiting-approval"}
    assert Suspension.objects.filter(outcome=None).count() == 6


def test_two_of_finance_approve_an_expense_and_carol_may_not(sample: Ended) -> None:
    run_id = Run.objects.filter(workflow_key="expense-approval")[0].pk
    alice, bob, carol = (factories.actor(name, of="demo") for name in ("alice", "bob", "carol"))
    with pytest.raises(Forbidden):
        factories.answer(carol, run_id, "accept", at="approve")
    factories.answer(alice, run_id, "accept", at="approve")
    assert factories.status(run_id) == "waiting-approval"
    factories.answer(bob, run_id, "accept", at="approve")
    assert factories.status(run_id) == "completed"


def test_carol_answers_as_the_release_manager(sample: Ended) -> None:
    run_id = Run.objects.get(workflow_key="release-gate").pk
    factories.answer(factories.actor("carol", of="demo"), run_id, "accept", at="decide")
    assert Suspension.objects.get(run_id=run_id).votes.get().via == "role:release-manager"


def test_the_administrator_is_a_superuser_and_may_still_answer_no_gate_that_names_others(sample: Ended) -> None:
    assert User.objects.get(username="dave").is_superuser
    assert list(User.objects.filter(is_superuser=True).values_list("username", flat=True)) == ["dave"]
    dave = factories.actor("dave", of="demo")
    for workflow, node in (("expense-approval", "approve"), ("release-gate", "decide"), ("small-purchase", "approve")):
        with pytest.raises(Forbidden):
            factories.answer(dave, Run.objects.filter(workflow_key=workflow)[0].pk, "accept", at=node)


def test_samples_never_go_into_a_database_that_has_a_tenant(wop: Wop) -> None:
    factories.tenant("acme")
    ended = wop("sample")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == "There are tenants in this database already. Samples go into an empty one only.\n"
    assert list(Tenant.objects.values_list("pk", flat=True)) == ["acme"]
    assert not User.objects.exists()
