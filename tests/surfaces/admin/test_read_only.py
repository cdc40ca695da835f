"""What the admin can never do, not even for a superuser: write what has another writer."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin as site
from django.db.models import Model
from django.test import Client

from approvals.models import Mail, Question, Vote
from interrupts.models import (
    ApiKey,
    Delivery,
    IdempotencyRecord,
    Membership,
    OutboxMessage,
    Run,
    RunEvent,
    Sighting,
    Suspension,
    Timer,
    Webhook,
    Workflow,
)
from tests.surfaces.admin.conftest import add_page, list_page, record_page

WRITTEN_ELSEWHERE = [
    Run,
    RunEvent,
    Suspension,
    Vote,
    Question,
    Timer,
    OutboxMessage,
    IdempotencyRecord,
    Delivery,
    Webhook,
    Sighting,
    Mail,
]
NEVER_CHANGED = [*WRITTEN_ELSEWHERE, Workflow, ApiKey]
NEVER_DELETED = [*NEVER_CHANGED, Membership]

pytestmark = pytest.mark.usefixtures("run_id")


def rows(model: type[Model]) -> list[dict[str, Any]]:
    """Everything that the table holds; there is something."""
    found = list(model._default_manager.order_by("pk").values())
    assert found != []
    return found


def fields_of(record: Model) -> dict[str, str]:
    """A form that would change every field of a record."""
    names = [field.attname for field in record._meta.concrete_fields] + [f.name for f in record._meta.concrete_fields]
    return dict.fromkeys(names, "9") | {"_save": "Save"}


@pytest.mark.parametrize("model", WRITTEN_ELSEWHERE)
def test_nothing_is_added(admin: Client, model: type[Model]) -> None:
    before = rows(model)
    assert admin.get(add_page(model)).status_code == 403
    assert admin.post(add_page(model), fields_of(model._default_manager.all()[0])).status_code == 403
    assert rows(model) == before


@pytest.mark.parametrize("model", NEVER_CHANGED)
def test_nothing_is_changed(admin: Client, model: type[Model]) -> None:
    before = rows(model)
    record = model._default_manager.all()[0]
    assert admin.get(record_page(record)).status_code == 200
    assert admin.post(record_page(record), fields_of(record)).status_code == 403
    assert admin.post(record_page(record), {**fields_of(record), "_saveasnew": "1"}).status_code == 403
    assert rows(model) == before


@pytest.mark.parametrize("model", NEVER_DELETED)
def test_nothing_is_deleted(admin: Client, model: type[Model]) -> None:
    before = rows(model)
    record = model._default_manager.all()[0]
    assert admin.get(record_page(record, "delete")).status_code == 403
    assert admin.post(record_page(record, "delete"), {"post": "yes"}).status_code == 403
    assert rows(model) == before


@pytest.mark.parametrize("model", NEVER_DELETED)
def test_nothing_is_deleted_in_bulk(admin: Client, model: type[Model]) -> None:
    before = rows(model)
    keys = [str(row["id"]) for row in before]
    assert b"delete_selected" not in admin.get(list_page(model)).content
    for extra in ({}, {"post": "yes"}, {"index": "0", "post": "yes"}, {"select_across": "1", "post": "yes"}):
        admin.post(list_page(model), {"action": "delete_selected", "_selected_action": keys, **extra})
    assert rows(model) == before


@pytest.mark.parametrize("model", WRITTEN_ELSEWHERE)
def test_nothing_is_edited_in_the_list(admin: Client, model: type[Model]) -> None:
    before = rows(model)
    form = {"form-TOTAL_FORMS": "1", "form-INITIAL_FORMS": "1", "_save": "Save"}
    first = {f"form-0-{name}": value for name, value in fields_of(model._default_manager.all()[0]).items()}
    admin.post(list_page(model), form | first)
    assert rows(model) == before


def test_votes_are_not_written_through_the_page_of_their_interrupt(admin: Client) -> None:
    vote = Vote.objects.get()
    before = rows(Vote)
    inline = {
        "votes-TOTAL_FORMS": "2",
        "votes-INITIAL_FORMS": "1",
        "votes-0-id": str(vote.pk),
        "votes-0-suspension": vote.suspension_id,
        "votes-0-action": "reject",
        "votes-0-DELETE": "on",
        "votes-1-suspension": vote.suspension_id,
        "votes-1-action": "accept",
        "votes-1-voter": "u-x",
        "votes-1-actor": "u-x",
    }
    assert admin.post(record_page(vote.suspension), inline).status_code == 403
    assert rows(Vote) == before


@pytest.mark.parametrize("model", WRITTEN_ELSEWHERE)
def test_the_pages_offer_no_way_to_write(admin: Client, model: type[Model]) -> None:
    page = admin.get(record_page(model._default_manager.all()[0])).content.decode()
    for word in ('name="_save"', "deletelink", "add_related", 'class="addlink"'):
        assert word not in page.partition('<div id="content"')[2]


def test_every_table_of_the_host_is_either_written_here_or_shown_read_only() -> None:
    shown = {model for model in site.site._registry if model._meta.app_label in {"interrupts", "approvals"}}
    names = {model.__name__ for model in shown - set(NEVER_CHANGED)}
    assert names == {"Tenant", "Membership", "ApproverRef", "CallbackSecret"}
