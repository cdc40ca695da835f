"""The operator's pages in a real browser: Django's scripts and guardian's pages under our content policy."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from interrupts.models import ApiKey, Run
from interrupts.services import identity
from interrupts.vocabulary import RefKind
from tests.browser.conftest import PASSWORD, Visit, Visitor
from tests.factories import actor, answer, member, one_gate, ref, start_flow, status, suspension
from tests.surfaces.admin.conftest import list_page, record_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def scripts() -> bool:
    """The admin is Django's own and needs its scripts."""
    return True


@pytest.fixture
def dave(visitor: Visitor) -> Visit:
    """The operator, signed in to the admin."""
    User.objects.create_superuser("dave", password=PASSWORD)
    visit = visitor()
    visit.open("/admin/")
    visit.page.get_by_label("Username").fill("dave")
    visit.page.get_by_label("Password").fill(PASSWORD)
    visit.page.get_by_role("button", name="Log in").click()
    return visit


def test_a_key_is_made_shown_once_and_revoked(dave: Visit) -> None:
    member("alice")
    page = dave.page
    dave.open("/admin/interrupts/apikey/add/")
    page.locator(".select2-selection").click()
    page.locator(".select2-search__field").fill("ali")
    page.get_by_role("option", name="alice in acme").click()
    page.get_by_label("runs:read").check()
    page.get_by_role("button", name="Save").click()
    secret = page.locator(".wop-key").inner_text()
    assert identity.authenticate_key(secret=secret, now=ApiKey.objects.get().created_at).username == "alice"
    dave.assert_fits_and_keeps_the_policy()
    page.get_by_role("link", name="I have copied it").click()
    expect(page.locator("body")).not_to_contain_text(secret)
    page.locator("tbody .action-select").check()
    page.get_by_label("Action:").select_option("revoke")
    page.get_by_role("button", name="Go").click()
    dave.assert_fits_and_keeps_the_policy()
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("1 key is revoked.")).to_be_visible()


def test_a_role_is_given_to_somebody_who_then_answers(dave: Visit) -> None:
    carol = actor("carol")
    run_id = start_flow(one_gate(approverRoleRefs=["manager"]))
    page = dave.page
    dave.open("/admin/approvals/approverref/")
    page.get_by_role("link", name="role:manager").click()
    page.get_by_role("link", name="Who holds it").click()
    dave.assert_fits_and_keeps_the_policy()
    page.get_by_label("User name").fill("carol")
    page.get_by_role("button", name="Manage user").click()
    page.get_by_label("May answer gates that name this reference").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Permissions saved.")).to_be_visible()
    dave.assert_fits_and_keeps_the_policy()
    answer(carol, run_id, "accept")
    assert status(run_id) == "completed"


def test_the_pages_of_a_run_fit_and_lead_from_its_log_to_its_votes(dave: Visit) -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(actor("alice"), run_id, "accept")
    ref(RefKind.ROLE, "a-role-with-a-very-long-name-" + "x" * 120)
    page = dave.page
    dave.open(record_page(Run.objects.get(pk=run_id)))
    dave.assert_fits_and_keeps_the_policy()
    page.locator("summary", has_text="interrupt.requested").click()
    expect(page.get_by_text('"title": "Release it?"').first).to_be_visible()
    dave.open(record_page(suspension(run_id)))
    expect(page.locator("#votes-group")).to_contain_text("alice")
    dave.assert_fits_and_keeps_the_policy()
    for path in (list_page(Run), "/admin/approvals/approverref/", "/admin/interrupts/workflow/add/"):
        dave.open(path)
        dave.assert_fits_and_keeps_the_policy()
