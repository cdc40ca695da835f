"""The operator's pages, seen by a superuser and by somebody with few rights, over one of every record."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.utils import quote
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from interrupts import sightings
from interrupts.vocabulary import Sighted
from tests import factories
from tests.services.mailing import Post, with_address

# A definition that can be registered; tests change it.
FLOW = factories.one_gate(
    approversList=["alice"], approverGroupRefs=["finance"], requiredApprovals=2, timeoutMs=3_600_000
)


@pytest.fixture
def admin(db: None) -> Client:
    """A browser in which a superuser has signed in."""
    client = Client()
    client.force_login(User.objects.create_superuser("dave", password="a long password"))
    return client


@pytest.fixture
def run_id(db: None, settings: Any) -> str:
    """A waiting run, and beside it one record of every sort that the admin shows."""
    factories.webhook()
    sightings.note(Sighted.WORKER, name="worker@here", queues=["timers"], now=factories.NOW)
    run_id = factories.start_flow(FLOW, by=factories.actor("owner"), idempotency_key=factories.idempotency_key())
    alice = factories.actor("alice", groups=["finance"])
    factories.answer(alice, run_id, {"action": "ask", "feedback": "Which invoice?"})
    factories.answer(alice, run_id, "accept")
    factories.api_key("alice")
    with_address("alice")
    Post().send_all()
    settings.WOP_INLINE_NODE_EXECUTIONS = 1
    factories.start_flow(factories.chain(*(factories.node(name) for name in "abc"), workflow_id="long"))
    return run_id


def list_page(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def add_page(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")


def record_page(record: Model, page: str = "change") -> str:
    return reverse(f"admin:{record._meta.app_label}_{record._meta.model_name}_{page}", args=[quote(str(record.pk))])
