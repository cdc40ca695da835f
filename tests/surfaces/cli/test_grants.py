"""``wop grant`` and ``wop revoke``."""

from __future__ import annotations

from typing import Any

import pytest

from approvals.models import ApproverRef
from interrupts.errors import Forbidden
from interrupts.models import Tenant
from interrupts.vocabulary import RefKind
from tests import factories
from tests.surfaces.cli.conftest import Wop

ROLE = ("--ref", "role:release-manager", "--tenant", "acme")


def waiting_run(**config: Any) -> str:
    return factories.start_flow(factories.one_gate(approverRoleRefs=["release-manager"], **config))


def test_a_granted_role_lets_its_holder_answer(wop: Wop) -> None:
    carol = factories.actor("carol")
    run_id = waiting_run()
    with pytest.raises(Forbidden):
        factories.answer(carol, run_id, "accept")
    ended = wop("grant", *ROLE, "--to", "user:carol")
    assert (ended.status, ended.out, ended.err) == (0, "role:release-manager\n", "")
    factories.answer(carol, run_id, "accept")
    assert factories.status(run_id) == "completed"


def test_a_role_may_be_held_by_all_people_of_a_group(wop: Wop) -> None:
    dora = factories.actor("dora", groups=["managers"])
    run_id = waiting_run()
    assert wop("grant", *ROLE, "--to", "group:managers").out == "role:release-manager\n"
    factories.answer(dora, run_id, "accept")
    assert factories.status(run_id) == "completed"


def test_a_right_taken_back_counts_no_more_at_the_next_answer(wop: Wop) -> None:
    carol = factories.actor("carol")
    run_id = waiting_run()
    wop("grant", *ROLE, "--to", "user:carol")
    assert wop("revoke", *ROLE, "--to", "user:carol").out == "role:release-manager\n"
    with pytest.raises(Forbidden):
        factories.answer(carol, run_id, "accept")
    ended = wop("revoke", *ROLE, "--to", "user:carol")
    assert (ended.status, ended.err) == (3, "carol was never given the right to answer as role:release-manager.\n")


def test_taking_a_right_from_one_leaves_it_to_the_others(wop: Wop) -> None:
    carol, run_id = factories.actor("carol"), waiting_run()
    factories.actor("dora", groups=["managers"])
    for holder in ("user:carol", "user:dora", "group:managers"):
        wop("grant", *ROLE, "--to", holder)
    wop("revoke", *ROLE, "--to", "user:dora")
    wop("revoke", *ROLE, "--to", "group:managers")
    factories.answer(carol, run_id, "accept")
    assert factories.status(run_id) == "completed"


def test_a_new_reference_is_made_by_the_first_grant(wop: Wop) -> None:
    factories.actor("carol")
    assert wop("grant", "--ref", "group:urn:idp:x", "--to", "user:carol", "--tenant", "acme").out == "group:urn:idp:x\n"
    assert ApproverRef.objects.get().kind == RefKind.GROUP
    assert ApproverRef.objects.get().ref == "urn:idp:x"


def test_an_override_lets_its_holder_release_a_gate_alone(wop: Wop) -> None:
    carol = factories.actor("carol")
    wop("grant", *ROLE, "--to", "user:carol")
    gate = {"requiredApprovals": 3, "overrideBypassesQuorum": True}
    first = waiting_run(**gate)
    ended = wop("grant", "--override", "flow", "--to", "user:carol", "--tenant", "acme")
    assert (ended.status, ended.out) == (0, "flow\n")
    factories.answer(carol, first, "accept")
    assert factories.status(first) == "completed"
    assert wop("revoke", "--override", "flow", "--to", "user:carol", "--tenant", "acme").out == "flow\n"
    second = factories.start(factories.actor("owner"))
    factories.answer(carol, second, "accept")
    assert factories.status(second) == "waiting-approval"


def test_an_override_is_taken_back_on_every_version(wop: Wop) -> None:
    factories.actor("carol")
    words = ("--override", "flow", "--to", "user:carol", "--tenant", "acme")
    for version in ("1", "2"):
        factories.register({**factories.one_gate(), "version": version})
        wop("grant", *words)
    assert wop("revoke", *words).status == 0
    ended = wop("revoke", *words)
    assert (ended.status, ended.err) == (3, "carol was never given the right to override gates of flow.\n")


def test_only_members_groups_and_workflows_that_exist_are_named(wop: Wop) -> None:
    factories.tenant()
    factories.member("stranger", of="globex")
    for words, told in (
        ((*ROLE, "--to", "user:nobody"), "There is no user nobody."),
        ((*ROLE, "--to", "user:stranger"), "There is no user stranger in the tenant acme."),
        ((*ROLE, "--to", "group:none"), "There is no group none. Create it first: wop group create none"),
        (("--ref", "role:x", "--to", "group:none", "--tenant", "none"), "There is no tenant none."),
    ):
        ended = wop("grant", *words)
        assert (ended.status, ended.out, ended.err) == (3, "", f"{told}\n")
    factories.member("carol")
    assert wop("grant", "--override", "none", "--to", "user:carol", "--tenant", "acme").status == 3
    assert wop("revoke", "--ref", "role:none", "--to", "user:carol", "--tenant", "acme").status == 3
    assert not ApproverRef.objects.filter(tenant=Tenant.objects.get(pk="acme")).exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--ref", "release-manager", "--to", "user:carol"),
        ("--ref", "person:carol", "--to", "user:carol"),
        ("--ref", "role:", "--to", "user:carol"),
        ("--ref", "role: release-manager", "--to", "user:carol"),
        ("--ref", "role:release-manager\u00a0", "--to", "user:carol"),
        ("--ref", f"role:{'x' * 257}", "--to", "user:carol"),
        ("--ref", "role:x", "--to", "carol"),
        ("--ref", "role:x", "--to", "user:"),
        ("--ref", "role:x", "--override", "flow", "--to", "user:carol"),
        ("--to", "user:carol"),
        ("--ref", "role:x"),
    ],
)
def test_a_grant_that_is_written_wrongly_is_a_usage_error(wop: Wop, words: tuple[str, ...]) -> None:
    ended = wop("grant", *words, "--tenant", "acme")
    assert (ended.status, ended.out) == (2, "")
    assert "usage: manage.py wop grant" in ended.err
