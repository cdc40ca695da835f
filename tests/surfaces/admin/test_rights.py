"""Rights given on guardian's pages: who answers as a reference, who overrides a workflow's gates."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from guardian.models import GroupObjectPermission, UserObjectPermission

from approvals.models import ApproverRef
from interrupts.errors import Forbidden
from interrupts.models import Workflow
from interrupts.vocabulary import RefKind
from tests import factories
from tests.surfaces.admin.conftest import add_page, record_page

# What a browser sends for a form without a checked box.
NOTHING_CHECKED = {"csrfmiddlewaretoken": "x"}


def rights_page(record: ApproverRef | Workflow, *below: object) -> str:
    return record_page(record, "permissions") + "".join(f"{part}/" for part in below)


def test_a_right_given_here_lets_its_holder_answer_and_taken_back_no_more(admin: Client) -> None:
    carol = factories.actor("carol")
    run_id = factories.start_flow(factories.one_gate(approverRoleRefs=["manager"]))
    role = ApproverRef.objects.get()
    found = admin.post(rights_page(role), {"user": "carol", "submit_manage_user": "1"})
    page = rights_page(role, "user-manage", carol.user_id)
    assert found["Location"] == page
    with pytest.raises(Forbidden):
        factories.answer(carol, run_id, "accept")
    admin.post(page, {"permissions": ["answer_as"]})
    assert "carol" in admin.get(rights_page(role)).content.decode()
    admin.post(page, NOTHING_CHECKED)
    with pytest.raises(Forbidden):
        factories.answer(carol, run_id, "accept")
    admin.post(page, {"permissions": ["answer_as"]})
    factories.answer(carol, run_id, "accept")
    assert factories.status(run_id) == "completed"


def test_the_page_of_a_holder_says_how_a_right_is_given_and_taken_back(admin: Client) -> None:
    carol, role = factories.actor("carol", groups=["managers"]), factories.ref(RefKind.ROLE, "manager")
    for page in (
        rights_page(role, "user-manage", carol.user_id),
        rights_page(role, "group-manage", Group.objects.get().pk),
    ):
        assert "The right is not held yet. To give it, tick it and save." in admin.get(page).content.decode()
        admin.post(page, {"permissions": ["answer_as"]})
        assert "The right is held. To take it back, untick it and save." in admin.get(page).content.decode()


def test_a_group_is_given_the_right_to_override_a_workflow(admin: Client) -> None:
    dora = factories.actor("dora", groups=["managers"])
    gate = factories.one_gate(requiredApprovals=3, overrideBypassesQuorum=True)
    run_id = factories.start_flow(gate)
    workflow, managers = Workflow.objects.get(), Group.objects.get()
    found = admin.post(rights_page(workflow), {"group": "managers", "submit_manage_group": "1"})
    page = rights_page(workflow, "group-manage", managers.pk)
    assert found["Location"] == page
    admin.post(page, {"permissions": ["override_gate"]})
    factories.answer(dora, run_id, "accept")
    assert factories.status(run_id) == "completed"


def test_who_gave_a_right_stands_in_the_history(admin: Client) -> None:
    carol, role = factories.actor("carol"), factories.ref(RefKind.ROLE, "manager")
    admin.post(rights_page(role, "user-manage", carol.user_id), {"permissions": ["answer_as"]})
    admin.post(rights_page(role, "user-manage", carol.user_id), NOTHING_CHECKED)
    told = [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")]
    assert told == [
        "The right answer_as was given to the user carol.",
        "The right answer_as was taken from the user carol.",
    ]
    assert {entry.user.username for entry in LogEntry.objects.all()} == {"dave"}


def test_no_other_right_is_given_or_lost_here(admin: Client) -> None:
    carol, role = factories.actor("carol"), factories.ref(RefKind.ROLE, "manager")
    page = rights_page(role, "user-manage", carol.user_id)
    refused = admin.post(page, {"permissions": ["delete_approverref"]})
    assert refused.status_code == 200
    assert "is not one of the available choices" in refused.content.decode()
    assert not UserObjectPermission.objects.exists()


def test_an_unknown_name_is_told_in_words(admin: Client) -> None:
    role = factories.ref(RefKind.ROLE, "manager")
    page = admin.post(rights_page(role), {"user": "nobody", "submit_manage_user": "1"})
    assert "There is no user of this name." in page.content.decode()
    page = admin.post(rights_page(role), {"group": "none", "submit_manage_group": "1"})
    assert "There is no group of this name." in page.content.decode()


def test_looking_at_a_reference_is_no_right_to_give_it(db: None) -> None:
    carol, role = factories.actor("carol"), factories.ref(RefKind.ROLE, "manager")
    client, viewer = Client(), User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_approverref"))
    client.force_login(viewer)
    assert client.get(record_page(role)).status_code == 200
    client.post(rights_page(role, "user-manage", carol.user_id), {"permissions": ["answer_as"]})
    assert not UserObjectPermission.objects.exists()


def test_a_reference_is_added_and_never_reworded(admin: Client) -> None:
    factories.tenant()
    admin.post(add_page(ApproverRef), {"tenant": "acme", "kind": "role", "ref": "manager"})
    role = ApproverRef.objects.get()
    assert str(role) == "role:manager"
    assert admin.post(record_page(role), {"tenant": "acme", "kind": "role", "ref": "intern"}).status_code == 403
    assert str(ApproverRef.objects.get()) == "role:manager"


def test_a_reference_that_a_gate_names_is_not_deleted(admin: Client) -> None:
    factories.start_flow(factories.one_gate(approverRoleRefs=["manager"]))
    role = ApproverRef.objects.get()
    assert admin.post(record_page(role, "delete"), {"post": "yes"}).status_code == 403
    assert ApproverRef.objects.count() == 1


def test_rights_on_an_unused_reference_go_with_it(admin: Client) -> None:
    factories.let_answer_as(factories.actor("carol"), RefKind.ROLE, "manager")
    factories.let_answer_as("finance", RefKind.ROLE, "manager")
    assert admin.post(record_page(ApproverRef.objects.get(), "delete"), {"post": "yes"}).status_code == 302
    assert not ApproverRef.objects.exists()
    assert not UserObjectPermission.objects.exists()
    assert not GroupObjectPermission.objects.exists()
