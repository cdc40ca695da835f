"""Who may answer, decided when they answer (interrupt.md §Approver enforcement)."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from approvals import eligibility
from approvals.eligibility import OPEN_GATE, Right
from approvals.models import ApproverRef, GateApprover, Vote
from interrupts.actor import Actor
from interrupts.errors import Forbidden
from interrupts.models import Membership
from interrupts.services import identity
from interrupts.vocabulary import RefKind
from tests.factories import (
    actor,
    answer,
    last,
    let_answer_as,
    one_gate,
    ref,
    register,
    start_flow,
    status,
    suspension,
    tenant,
)

PRINCIPAL, GROUP, ROLE = RefKind.PRINCIPAL, RefKind.GROUP, RefKind.ROLE
FIELD = {PRINCIPAL: "approversList", GROUP: "approverGroupRefs", ROLE: "approverRoleRefs"}


def gate(**config: Any) -> str:
    """Open a gate and return its interrupt's id."""
    return suspension(start_flow(one_gate(**config))).pk


def may(by: Actor, interrupt_id: str) -> bool:
    try:
        eligibility.decide(interrupt_id=interrupt_id, actor=by)
    except Forbidden:
        return False
    return True


def test_an_open_gate_lets_everybody_answer() -> None:
    ann = actor("ann")
    assert eligibility.decide(interrupt_id=gate(), actor=ann) == Right(via=OPEN_GATE, voter=ann.subject_id)


@pytest.mark.parametrize("field", list(FIELD.values()))
def test_an_empty_list_is_an_open_gate(field: str) -> None:
    assert may(actor("ann"), gate(**{field: []}))


def test_an_audience_is_a_hint_and_lets_nobody_in_or_out() -> None:
    assert may(actor("ann"), gate(audience={"subjects": ["ben"], "groups": ["legal"]}))
    assert not GateApprover.objects.exclude(ref=None).exists()


def test_a_principal_is_known_by_username_and_by_subject_id() -> None:
    ann = actor("ann")
    for name in ("ann", ann.subject_id):
        register({**one_gate("flow", approversList=[name]), "version": name})
        run_id = start_flow(one_gate(f"by-{len(name)}", approversList=[name]))
        right = eligibility.decide(interrupt_id=suspension(run_id).pk, actor=ann)
        assert right == Right(via=f"principal:{name}", voter=ann.subject_id)


def test_a_group_ref_lets_the_members_of_the_django_group_in() -> None:
    ann = actor("ann", groups=["legal"])
    right = eligibility.decide(interrupt_id=gate(approverGroupRefs=["legal"]), actor=ann)
    assert right == Right(via="group:legal", voter=ann.subject_id)


def test_a_django_group_of_that_name_holds_no_role() -> None:
    assert not may(actor("ann", groups=["cfo"]), gate(approverRoleRefs=["cfo"]))


def test_a_username_that_equals_a_group_ref_lets_nobody_in() -> None:
    assert not may(actor("legal"), gate(approverGroupRefs=["legal"]))


@pytest.mark.parametrize("kind", list(RefKind))
def test_a_reference_may_be_held_by_object_permission_directly(kind: RefKind) -> None:
    interrupt_id = gate(**{FIELD[kind]: ["x"]})
    ann = actor("ann")
    assert not may(ann, interrupt_id)
    let_answer_as(ann, kind, "x")
    assert eligibility.decide(interrupt_id=interrupt_id, actor=ann).via == f"{kind}:x"


@pytest.mark.parametrize("kind", list(RefKind))
def test_a_reference_may_be_held_through_a_groups_object_permission(kind: RefKind) -> None:
    interrupt_id = gate(**{FIELD[kind]: ["x"]})
    let_answer_as("holders", kind, "x")
    assert may(actor("ann", groups=["holders"]), interrupt_id)
    assert not may(actor("ben"), interrupt_id)


def test_a_permission_on_another_reference_does_not_help() -> None:
    interrupt_id = gate(approverRoleRefs=["cfo"])
    ann = actor("ann")
    let_answer_as(ann, ROLE, "ceo")
    let_answer_as(ann, GROUP, "cfo")
    let_answer_as(ann, ROLE, "cfo", of="other")
    assert not may(ann, interrupt_id)


def test_one_reference_of_several_is_enough() -> None:
    interrupt_id = gate(approversList=["zoe"], approverGroupRefs=["legal"], approverRoleRefs=["cfo"])
    assert may(actor("zoe"), interrupt_id)
    assert may(actor("ann", groups=["legal"]), interrupt_id)
    ben = actor("ben")
    let_answer_as(ben, ROLE, "cfo")
    assert may(ben, interrupt_id)
    assert not may(actor("eve"), interrupt_id)


def test_a_superuser_who_is_not_named_is_refused() -> None:
    """guardian's own ``has_perm`` would say yes."""
    root = actor("root")
    User.objects.filter(username="root").update(is_superuser=True, is_staff=True)
    run_id = start_flow(one_gate(approversList=["ann"], approverRoleRefs=["cfo"]))
    with pytest.raises(Forbidden):
        answer(root, run_id, "accept")
    assert status(run_id) == "waiting-approval"
    assert not Vote.objects.exists()


def test_the_owner_of_a_run_is_not_its_approver() -> None:
    owner = actor("owner")
    run_id = start_flow(one_gate(approversList=["ann"]), by=owner)
    with pytest.raises(Forbidden):
        answer(owner, run_id, "accept")


def test_the_command_line_is_nobodys_approver() -> None:
    operator = identity.command_line_actor(tenant())
    Group.objects.create(name="legal")
    assert not may(operator, gate(approversList=["ann"], approverGroupRefs=["legal"], approverRoleRefs=["cfo"]))


def test_the_same_username_in_another_tenant_is_somebody_else() -> None:
    """One person in two tenants has a subject id in each; only that of the gate's tenant is named here."""
    ann = actor("ann")
    elsewhere = actor("ann", of="other")
    assert elsewhere.subject_id != ann.subject_id
    assert not may(elsewhere, gate(approversList=[ann.subject_id]))


def test_whoever_joins_a_group_after_the_gate_opened_may_answer() -> None:
    run_id = start_flow(one_gate(approverGroupRefs=["legal"]))
    ann = actor("ann")
    with pytest.raises(Forbidden):
        answer(ann, run_id, "accept")
    legal = Group.objects.create(name="legal")
    User.objects.get(username="ann").groups.add(legal)
    answer(ann, run_id, "accept")
    assert status(run_id) == "completed"


def test_whoever_left_a_group_after_the_gate_opened_may_not() -> None:
    run_id = start_flow(one_gate(approverGroupRefs=["legal"]))
    ann = actor("ann", groups=["legal"])
    User.objects.get(username="ann").groups.clear()
    with pytest.raises(Forbidden):
        answer(ann, run_id, "accept")


def test_a_person_created_after_the_gate_opened_may_answer_if_named() -> None:
    run_id = start_flow(one_gate(approversList=["ann"]))
    answer(actor("ann"), run_id, "accept")
    assert status(run_id) == "completed"


def test_a_refusal_keeps_the_gate_as_it_was_and_logs_nothing() -> None:
    run_id = start_flow(one_gate(approversList=["ann"], requiredApprovals=1))
    with pytest.raises(Forbidden) as refused:
        answer(actor("eve"), run_id, "reject")
    assert "not among the approvers" in refused.value.message
    assert status(run_id) == "waiting-approval"
    assert suspension(run_id).outcome is None


def test_the_lists_are_surfaced_unchanged_in_the_request() -> None:
    lists = {"approversList": ["ann", "ben"], "approverGroupRefs": ["legal"], "approverRoleRefs": ["cfo"]}
    data = last(start_flow(one_gate(**lists)), "interrupt.requested")["data"]
    assert {name: data[name] for name in lists} == lists


def test_what_a_gate_names_is_known_as_soon_as_its_workflow_is_registered() -> None:
    register(one_gate(approversList=["ann"], approverGroupRefs=["legal"], approverRoleRefs=["cfo"]))
    assert sorted(str(row) for row in ApproverRef.objects.filter(tenant_id="acme")) == [
        "group:legal",
        "principal:ann",
        "role:cfo",
    ]


def test_the_references_a_person_holds_are_found_by_every_way_of_holding_them() -> None:
    for kind, name in [(PRINCIPAL, "ann"), (GROUP, "legal"), (ROLE, "cfo"), (ROLE, "ceo"), (PRINCIPAL, "ben")]:
        ref(kind, name)
    ref(GROUP, "legal", of="other")
    ann = actor("ann", groups=["legal", "holders"])
    let_answer_as("holders", ROLE, "cfo")
    let_answer_as(ann, PRINCIPAL, "ben")
    held = sorted(str(row) for row in eligibility.refs_held_by(ann))
    assert held == ["group:legal", "principal:ann", "principal:ben", "role:cfo"]
    rights = {right.via: right for right in eligibility.rights_held(actor=ann).values()}
    assert sorted(rights) == held
    assert rights["role:cfo"] == Right(via="role:cfo", voter=ann.subject_id)


def test_a_gate_whose_rows_were_lost_is_closed_and_not_open() -> None:
    interrupt_id = gate(approversList=["ann"])
    GateApprover.objects.all().delete()
    with pytest.raises(Forbidden):
        eligibility.decide(interrupt_id=interrupt_id, actor=actor("ann"))


def test_nobody_stands_in_for_a_colleague_who_has_left() -> None:
    interrupt_id = gate(approversList=["ann"])
    actor("ann")
    zoe = actor("zoe")
    let_answer_as(zoe, PRINCIPAL, "ann")
    assert [str(ref) for ref in eligibility.refs_held_by(zoe)] == ["principal:ann"]
    Membership.objects.filter(user__username="ann").update(is_active=False)
    assert list(eligibility.refs_held_by(zoe)) == []
    with pytest.raises(Forbidden):
        eligibility.decide(interrupt_id=interrupt_id, actor=zoe)


def test_a_stand_in_for_somebody_nobody_knows_votes_for_themselves() -> None:
    """A principal may be named that has no account here: the seat is then the stand-in's own."""
    interrupt_id = gate(approversList=["ghost"])
    zoe = actor("zoe")
    let_answer_as(zoe, PRINCIPAL, "ghost")
    right = eligibility.decide(interrupt_id=interrupt_id, actor=zoe)
    assert right == Right(via="principal:ghost", voter=zoe.subject_id, on_behalf_of="ghost")
