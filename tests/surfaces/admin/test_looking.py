"""Lists and pages: they open, link to one another, say what to do while empty, and cost the same however many rows."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape

import pytest
from django.contrib import admin as site
from django.contrib.auth.models import Group, User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext

from approvals.models import ApproverRef, Question, Vote
from interrupts.models import (
    ApiKey,
    CallbackSecret,
    Membership,
    OutboxMessage,
    Run,
    RunEvent,
    Suspension,
    Tenant,
    Timer,
    Workflow,
)
from interrupts.vocabulary import RefKind
from tests import factories
from tests.architecture.test_front_rules import inline_code
from tests.surfaces.admin.conftest import FLOW, add_page, list_page, record_page

MODELS = sorted((model for model in site.site._registry), key=lambda model: model.__name__)
OURS = [model for model in MODELS if model._meta.app_label in {"interrupts", "approvals"}]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.usefixtures("run_id")
def test_every_page_opens_and_has_nothing_that_the_security_policy_blocks(admin: Client, model: type[Model]) -> None:
    pages = [list_page(model), f"{list_page(model)}?q=acme"]
    for record in model._default_manager.all()[:1]:
        pages += [record_page(record), record_page(record, "history")]
    if model in {ApproverRef, Workflow}:
        person = User.objects.get(username="alice").pk
        rights = record_page(model._default_manager.all()[0], "permissions")
        pages += [rights, f"{rights}user-manage/{person}/", f"{rights}group-manage/{Group.objects.get().pk}/"]
    for page in pages:
        answer = admin.get(page)
        assert (page, answer.status_code) == (page, 200)
        assert (page, inline_code(answer.content.decode())) == (page, [])


@pytest.mark.parametrize("model", [Tenant, Membership, ApiKey, Workflow, ApproverRef, User, Group, CallbackSecret])
def test_every_form_opens_and_has_nothing_that_the_security_policy_blocks(admin: Client, model: type[Model]) -> None:
    answer = admin.get(add_page(model))
    assert answer.status_code == 200
    assert inline_code(answer.content.decode()) == []


@pytest.mark.parametrize("model", OURS)
def test_an_empty_list_says_what_to_do(admin: Client, model: type[Model]) -> None:
    page = admin.get(list_page(model)).content.decode()
    words = site.site._registry[model].empty  # type: ignore[attr-defined]  # ExplainedAdmin has it
    assert str(words) != ""
    assert f'<p class="wop-empty">{words}</p>' in page


@pytest.mark.usefixtures("run_id")
def test_a_search_without_a_match_says_so(admin: Client) -> None:
    page = admin.get(f"{list_page(Run)}?q=nothing-like-it").content.decode()
    assert "Nothing matches. Take a filter away or search for something else." in page


def test_the_page_of_a_run_shows_its_log_and_leads_to_all_that_belongs_to_it(admin: Client, run_id: str) -> None:
    run = Run.objects.get(pk=run_id)
    page = admin.get(record_page(run)).content.decode()
    for event in factories.log_of(run_id):
        assert f'<a href="{record_page(event)}">{event.sequence}</a>' in page
        assert f"<summary>{event.type}</summary>" in page
    for record in (run.workflow, Suspension.objects.get(run=run), Timer.objects.get(run=run)):
        assert record_page(record) in page
    assert f"{list_page(RunEvent)}?run__id__exact=acme" not in page


def test_a_long_log_is_cut_and_leads_to_the_whole(admin: Client, monkeypatch: pytest.MonkeyPatch, run_id: str) -> None:
    monkeypatch.setattr("interrupts.admin.runs.TIMELINE_LENGTH", 2)
    page = admin.get(record_page(Run.objects.get(pk=run_id))).content.decode()
    events = factories.log_of(run_id)
    assert f"{len(events) - 2} earlier events are left out." in page
    assert page.count("<summary>run.started</summary>") == 0
    whole = f"{list_page(RunEvent)}?run__id__exact=acme%2Fr-"
    assert whole in page
    listed = admin.get(f"{list_page(RunEvent)}?run__id__exact={run_id}").content.decode()
    assert f"{len(events)} run events" in listed


def test_the_page_of_an_interrupt_shows_who_answered_and_by_which_right(admin: Client, run_id: str) -> None:
    page = admin.get(record_page(factories.suspension(run_id))).content.decode()
    assert record_page(Run.objects.get(pk=run_id)) in page
    for words in ("alice", "accept", "principal:alice", "Which invoice?", "group:finance"):
        assert words in page
    assert record_page(Vote.objects.get()) in page
    assert record_page(ApproverRef.objects.get(kind="group")) in page


def test_the_page_of_an_interrupt_shows_its_contract(admin: Client) -> None:
    node = factories.contract_node(
        outcomes=["pay", "keep"], resume_schema={"type": "object", "title": "Refund", "properties": {}}
    )
    run_id = factories.start_flow(factories.workflow([node], workflow_id="contract"))
    page = unescape(admin.get(record_page(factories.suspension(run_id, "review"))).content.decode())
    for words in ("issue_review", '"pay",\n  "keep"', '"title": "Refund"', '"additionalProperties": true', "icon-yes"):
        assert words in page


def test_the_list_of_references_says_who_may_answer(admin: Client) -> None:
    factories.actor("alice", groups=["finance"])
    carol = factories.actor("carol")
    factories.let_answer_as(carol, RefKind.ROLE, "manager")
    factories.let_answer_as("finance", RefKind.ROLE, "manager")
    for kind, name in (
        (RefKind.GROUP, "finance"),
        (RefKind.GROUP, "nobody"),
        (RefKind.PRINCIPAL, "alice"),
        (RefKind.PRINCIPAL, "gone"),
        (RefKind.ROLE, "vacant"),
    ):
        factories.ref(kind, name)
    page = admin.get(list_page(ApproverRef))
    holders = {str(ref): page.context["cl"].model_admin.holders(ref) for ref in page.context["cl"].result_list}
    assert holders == {
        "role:manager": "carol; the group finance",
        "role:vacant": "nobody yet",
        "group:finance": "everyone in the group finance, by name",
        "group:nobody": "nobody yet",
        "principal:alice": "alice, by name",
        "principal:gone": "nobody yet",
    }


def more_runs() -> None:
    alice = factories.actor("alice")
    for _ in range(3):
        run_id = factories.start(factories.actor("owner"))
        factories.answer(alice, run_id, {"action": "ask", "feedback": "Why?"})
        factories.answer(alice, run_id, "accept")


def more_people() -> None:
    for number in range(3):
        name = f"person-{number}"
        factories.api_key(name)
        factories.let_answer_as(factories.actor(name, of="acme"), RefKind.ROLE, f"role-{number}")
        factories.register({**FLOW, "version": f"more-{number}"})


def cost(admin: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert admin.get(page).status_code == 200
    return len(captured)


@pytest.mark.parametrize(
    ("model", "more"),
    [
        *((model, more_runs) for model in (Run, RunEvent, Suspension, Vote, Question, Timer, OutboxMessage)),
        *((model, more_people) for model in (Membership, ApiKey, ApproverRef, Workflow, User)),
    ],
)
@pytest.mark.usefixtures("run_id")
def test_a_list_costs_the_same_queries_however_long(
    admin: Client, model: type[Model], more: Callable[[], None]
) -> None:
    factories.let_answer_as(factories.actor("alice"), RefKind.ROLE, "manager")
    admin.get(list_page(model))
    before = cost(admin, list_page(model))
    more()
    assert cost(admin, list_page(model)) == before
    assert before <= 14


def test_the_page_of_an_interrupt_costs_the_same_queries_however_many_votes(admin: Client, run_id: str) -> None:
    page = record_page(factories.suspension(run_id))
    admin.get(page)
    before = cost(admin, page)
    factories.register({**FLOW, "version": "2", "nodes": [factories.gate_node(requiredApprovals=9)]})
    longer = factories.start(factories.actor("owner"))
    for number in range(5):
        factories.answer(factories.actor(f"voter-{number}"), longer, "accept")
    assert cost(admin, record_page(factories.suspension(longer))) == before
