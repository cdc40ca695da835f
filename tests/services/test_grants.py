"""Rights given and taken back take effect on the next answer (interrupt.md §Approver enforcement)."""

from __future__ import annotations

import pytest

from approvals import grants
from approvals.grants import HolderName, RefName
from interrupts.errors import Forbidden, NotFound
from interrupts.services import identity
from interrupts.vocabulary import RefKind
from tests.factories import actor, answer, one_gate, register, start_flow, status, tenant

CFO = RefName(RefKind.ROLE, "cfo")
ANN, BOSSES = HolderName("ann", is_group=False), HolderName("bosses", is_group=True)


def test_a_role_that_is_given_lets_in_and_taken_back_keeps_out() -> None:
    ann = actor("ann")
    run_id = start_flow(one_gate(approverRoleRefs=["cfo"], requiredApprovals=2))
    grants.grant_answer_as(tenant=tenant(), ref=CFO, holder=ANN)
    grants.grant_answer_as(tenant=tenant(), ref=CFO, holder=ANN)
    answer(ann, run_id, "accept")
    grants.revoke_answer_as(tenant=tenant(), ref=CFO, holder=ANN)
    with pytest.raises(Forbidden):
        answer(ann, run_id, "reject")
    assert status(run_id) == "waiting-approval"


def test_a_group_may_hold_a_role() -> None:
    identity.create_group(name="bosses")
    ann = actor("ann", groups=["bosses"])
    run_id = start_flow(one_gate(approverRoleRefs=["cfo"]))
    grants.grant_answer_as(tenant=tenant(), ref=CFO, holder=BOSSES)
    answer(ann, run_id, "accept")
    assert status(run_id) == "completed"
    grants.revoke_answer_as(tenant=tenant(), ref=CFO, holder=BOSSES)


def test_what_was_never_given_cannot_be_taken_back() -> None:
    actor("ann")
    with pytest.raises(NotFound, match="no reference role:cfo"):
        grants.revoke_answer_as(tenant=tenant(), ref=CFO, holder=ANN)
    identity.create_group(name="bosses")
    grants.grant_answer_as(tenant=tenant(), ref=CFO, holder=BOSSES)
    with pytest.raises(NotFound, match="never given"):
        grants.revoke_answer_as(tenant=tenant(), ref=CFO, holder=ANN)
    register(one_gate())
    with pytest.raises(NotFound, match="never given"):
        grants.revoke_override(tenant=tenant(), workflow_id="flow", holder=ANN)


def test_nobody_outside_the_tenant_is_given_anything() -> None:
    actor("ann", of="other")
    register(one_gate())
    for holder in (ANN, BOSSES, HolderName("ghost", is_group=False)):
        with pytest.raises(NotFound):
            grants.grant_answer_as(tenant=tenant(), ref=CFO, holder=holder)
        with pytest.raises(NotFound):
            grants.grant_override(tenant=tenant(), workflow_id="flow", holder=holder)
    with pytest.raises(NotFound):
        grants.grant_override(tenant=tenant("other"), workflow_id="flow", holder=ANN)


def test_an_override_is_taken_back_on_every_version() -> None:
    ann = actor("ann")
    gate = one_gate(requiredApprovals=2, overrideBypassesQuorum=True)
    register(gate)
    grants.grant_override(tenant=tenant(), workflow_id="flow", holder=ANN)
    register({**gate, "version": "2"})
    grants.grant_override(tenant=tenant(), workflow_id="flow", holder=ANN)
    run_id = start_flow({**gate, "version": "3"})
    answer(ann, run_id, "accept")
    assert status(run_id) == "completed"
    grants.revoke_override(tenant=tenant(), workflow_id="flow", holder=ANN)
    run_id = start_flow({**gate, "version": "4"})
    answer(ann, run_id, "accept")
    assert status(run_id) == "waiting-approval"
