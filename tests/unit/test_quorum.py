"""The thresholds by name; ``tests/properties/test_quorum.py`` covers every count."""

from __future__ import annotations

import pytest

from approvals.policy import named_refs, read_policy
from approvals.quorum import Ballot, Tally, tally
from interrupts.contracts.types import JsonObject
from interrupts.vocabulary import Action, Decision, RefKind, RejectionPolicy

YES, NO = Ballot(Action.ACCEPT), Ballot(Action.REJECT)


def policy_data(**members: object) -> JsonObject:
    return {"artifactId": "a", "artifactType": "t", "title": "T", "actions": ["accept", "reject"], **members}


def test_a_gate_that_says_nothing_needs_one_accept_and_falls_by_one_reject() -> None:
    policy = read_policy(policy_data())
    assert policy.required_approvals == 1
    assert policy.rejection_policy is RejectionPolicy.SINGLE_VETO
    assert policy.override_bypasses_quorum is False
    assert policy.actions == (Action.ACCEPT, Action.REJECT)
    assert tally(policy, []) == Tally(0, 0, None)
    assert tally(policy, [YES]).decision is Decision.GRANTED
    assert tally(policy, [NO]).decision is Decision.REJECTED


@pytest.mark.parametrize(("required", "to_stop"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (7, 4)])
def test_a_majority_gate_falls_when_rejects_exceed_half_of_the_required_approvals(required: int, to_stop: int) -> None:
    policy = read_policy(policy_data(requiredApprovals=required, rejectionPolicy="majority"))
    assert policy.rejections_to_stop == to_stop
    assert tally(policy, [NO] * (to_stop - 1)).decision is None
    assert tally(policy, [NO] * to_stop).decision is Decision.REJECTED


def test_a_veto_ends_a_gate_that_has_all_but_one_of_its_accepts() -> None:
    policy = read_policy(policy_data(requiredApprovals=3))
    assert tally(policy, [YES, YES]).decision is None
    assert tally(policy, [YES, YES, NO]) == Tally(2, 1, Decision.REJECTED)


@pytest.mark.parametrize("action", [Action.REFINE, Action.EDIT_ACCEPT])
def test_a_refinement_or_an_edit_does_not_pass_a_gate_that_needs_two(action: Action) -> None:
    policy = read_policy(policy_data(requiredApprovals=2))
    assert tally(policy, [Ballot(action)]) == Tally(1, 0, None)
    assert tally(policy, [YES, Ballot(action)]) == Tally(2, 0, Decision.GRANTED)


def test_an_override_counts_once_where_the_gate_does_not_let_it_bypass() -> None:
    policy = read_policy(policy_data(requiredApprovals=2))
    assert tally(policy, [Ballot(Action.ACCEPT, overrides=True)]) == Tally(1, 0, None)


def test_an_override_releases_alone_where_the_gate_lets_it_bypass() -> None:
    policy = read_policy(policy_data(requiredApprovals=5, overrideBypassesQuorum=True))
    assert tally(policy, [Ballot(Action.ACCEPT, overrides=True)]) == Tally(1, 0, Decision.OVERRIDDEN)


def test_an_override_that_completes_the_quorum_is_an_ordinary_grant() -> None:
    policy = read_policy(policy_data(requiredApprovals=2, overrideBypassesQuorum=True))
    assert tally(policy, [YES, Ballot(Action.ACCEPT, overrides=True)]).decision is Decision.GRANTED


def test_the_reject_of_an_override_principal_is_one_reject() -> None:
    policy = read_policy(policy_data(requiredApprovals=3, rejectionPolicy="majority", overrideBypassesQuorum=True))
    assert tally(policy, [Ballot(Action.REJECT, overrides=True)]) == Tally(0, 1, None)


def test_whom_a_gate_names_is_read_from_its_three_lists_each_once() -> None:
    data = policy_data(
        approversList=["ann", "ben", "ann"],
        approverGroupRefs=["legal"],
        approverRoleRefs=["legal", "cfo"],
        audience={"subjects": ["zoe"]},
    )
    assert named_refs(data) == [
        (RefKind.PRINCIPAL, "ann"),
        (RefKind.PRINCIPAL, "ben"),
        (RefKind.GROUP, "legal"),
        (RefKind.ROLE, "legal"),
        (RefKind.ROLE, "cfo"),
    ]


def test_empty_lists_name_nobody() -> None:
    assert named_refs(policy_data(approversList=[], approverGroupRefs=[])) == []
