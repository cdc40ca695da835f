"""Tenants, memberships, users and groups in the admin."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from interrupts.models import Membership, Tenant
from tests import factories
from tests.surfaces.admin.conftest import add_page, list_page, record_page


def test_a_tenant_is_added(admin: Client) -> None:
    assert admin.post(add_page(Tenant), {"id": "acme", "title": "Acme Ltd"}).status_code == 302
    tenant = Tenant.objects.get()
    assert (tenant.pk, tenant.title) == ("acme", "Acme Ltd")


@pytest.mark.parametrize("name", ["a/b", "a b", "ü", "x~y", "a\x00b"])
def test_a_tenant_whose_name_can_be_no_id_is_refused(admin: Client, name: str) -> None:
    page = admin.post(add_page(Tenant), {"id": name, "title": ""})
    assert page.status_code == 200
    assert len(page.context["errors"]) == 1
    assert not Tenant.objects.exists()


def test_a_tenant_that_exists_is_not_added_again(admin: Client) -> None:
    factories.tenant("acme")
    page = admin.post(add_page(Tenant), {"id": "acme", "title": "Another"})
    assert "Tenant with this Id already exists." in page.content.decode()
    assert Tenant.objects.get().title == ""


def test_the_title_of_a_tenant_changes_and_its_name_never(admin: Client) -> None:
    tenant = factories.tenant("acme")
    admin.post(record_page(tenant), {"id": "globex", "title": "New"})
    assert list(Tenant.objects.values_list("pk", "title")) == [("acme", "New")]


def test_a_tenant_that_holds_something_is_not_deleted_and_says_what(admin: Client, run_id: str) -> None:
    tenant = Tenant.objects.get(pk="acme")
    for answer in (
        admin.get(record_page(tenant, "delete"), follow=True),
        admin.post(record_page(tenant, "delete"), {"post": "yes"}, follow=True),
    ):
        told = answer.content.decode()
        assert "The tenant acme cannot be deleted, because it holds " in told
        assert "2 memberships, 2 workflows, 2 runs, 1 decisions, 1 webhooks, 2 approver references" in told
    admin.post(list_page(Tenant), {"action": "delete_selected", "_selected_action": ["acme"], "post": "yes"})
    assert Tenant.objects.filter(pk="acme").exists()


def test_an_empty_tenant_is_deleted(admin: Client) -> None:
    tenant = factories.tenant("acme")
    admin.post(record_page(tenant, "delete"), {"post": "yes"})
    assert not Tenant.objects.exists()


def test_a_person_is_added_with_a_tenant(admin: Client) -> None:
    factories.tenant("acme")
    form = {
        "username": "alice",
        "usable_password": "true",
        "password1": "a long password",
        "password2": "a long password",
        "memberships-TOTAL_FORMS": "1",
        "memberships-INITIAL_FORMS": "0",
        "memberships-0-tenant": "acme",
        "memberships-0-is_active": "on",
    }
    assert admin.post(add_page(User), form).status_code == 302
    membership = Membership.objects.get()
    assert (membership.user.username, membership.tenant_id, membership.is_active) == ("alice", "acme", True)


def test_a_membership_is_added_and_can_only_be_ended(admin: Client) -> None:
    factories.tenant("acme")
    alice = User.objects.create_user("alice")
    admin.post(add_page(Membership), {"tenant": "acme", "user": alice.pk, "is_active": "on"})
    membership = Membership.objects.get()
    factories.tenant("globex")
    other = User.objects.create_user("other")
    admin.post(record_page(membership), {"tenant": "globex", "user": other.pk})
    changed = Membership.objects.get()
    assert (changed.tenant_id, changed.user, changed.is_active) == ("acme", alice, False)
    assert changed.subject_id == membership.subject_id


def test_the_subject_id_is_not_shown_before_it_is_known(admin: Client) -> None:
    assert "u-" not in admin.get(add_page(Membership)).content.decode().partition('<div id="content"')[2]


def test_a_person_who_is_in_a_tenant_is_not_deleted(admin: Client) -> None:
    alice = factories.member("alice").user
    page = admin.post(record_page(alice, "delete"), {"post": "yes"})
    assert page.status_code in {200, 403}
    admin.post(list_page(User), {"action": "delete_selected", "_selected_action": [alice.pk], "post": "yes"})
    assert User.objects.filter(username="alice").exists()


def test_people_are_put_into_a_group_on_its_page(admin: Client) -> None:
    finance = Group.objects.create(name="finance")
    alice = factories.member("alice").user
    form = {
        "name": "finance",
        "User_groups-TOTAL_FORMS": "1",
        "User_groups-INITIAL_FORMS": "0",
        "User_groups-0-group": str(finance.pk),
        "User_groups-0-user": str(alice.pk),
    }
    assert admin.post(record_page(finance), form).status_code == 302
    assert list(finance.user_set.all()) == [alice]


def test_rights_on_these_pages_are_offered_for_staff_alone(admin: Client) -> None:
    person, staff = User.objects.create_user("ann"), User.objects.create_user("sue", is_staff=True)
    group = Group.objects.create(name="finance")
    assert 'name="user_permissions"' not in admin.get(record_page(person)).content.decode()
    assert 'name="user_permissions"' in admin.get(record_page(staff)).content.decode()
    page = admin.get(record_page(group)).content.decode()
    assert 'name="name"' in page
    assert 'name="permissions"' not in page


def test_saving_a_person_or_a_group_keeps_the_rights_that_are_not_offered(admin: Client) -> None:
    group = Group.objects.create(name="finance")
    group.permissions.add(Permission.objects.get(codename="view_vote"))
    rows = {f"User_groups-{name}_FORMS": "0" for name in ("TOTAL", "INITIAL")}
    assert admin.post(record_page(group), {"name": "money", **rows}).status_code == 302
    group.refresh_from_db()
    assert group.name == "money"
    assert group.permissions.count() == 1


def test_every_page_names_its_icon(admin: Client) -> None:
    for path in ("/admin/", list_page(User), "/admin/login/"):
        assert '<link rel="icon" href="/static/favicon.svg"' in admin.get(path, follow=True).content.decode()
