"""The count of votes against a model written another way: people in sets, not ballots in a list."""

from __future__ import annotations

from itertools import product
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from approvals.policy import GatePolicy
from approvals.quorum import Ballot, tally
from interrupts.vocabulary import Action, Decision, RejectionPolicy

VOTING_ACTIONS = [Action.ACCEPT, Action.REJECT, Action.REFINE, Action.EDIT_ACCEPT]


def make_policy(required: int, policy: RejectionPolicy, *, bypass: bool = False) -> GatePolicy:
    return GatePolicy(
        actions=tuple(Action),
        required_approvals=required,
        rejection_policy=policy,
        override_bypasses_quorum=bypass,
    )


def expected(policy: GatePolicy, said: dict[str, Ballot]) -> Decision | None:
    """What interrupt.md says of the people who said yes and those who said no."""
    against = {voter for voter, ballot in said.items() if ballot.action == "reject"}
    in_favour = said.keys() - against
    vetoed = policy.rejection_policy == "single-veto" and bool(against)
    voted_down = policy.rejection_policy == "majority" and 2 * len(against) > policy.required_approvals
    if vetoed or voted_down:
        return Decision.REJECTED
    if len(in_favour) >= policy.required_approvals:
        return Decision.GRANTED
    if policy.override_bypasses_quorum and any(said[voter].overrides for voter in in_favour):
        return Decision.OVERRIDDEN
    return None


policies = st.builds(make_policy, st.integers(1, 7), st.sampled_from(list(RejectionPolicy)), bypass=st.booleans())
ballots = st.builds(Ballot, st.sampled_from(VOTING_ACTIONS), st.booleans())
votes = st.lists(st.tuples(st.sampled_from("abcdefgh"), ballots), max_size=16)


def test_every_count_of_votes_decides_as_the_model_says() -> None:
    """Exhaustive over what the decision may depend on: up to eight people on each side, with and without override."""
    yes, no = Ballot(Action.ACCEPT), Ballot(Action.REJECT)
    power_yes, power_no = Ballot(Action.ACCEPT, overrides=True), Ballot(Action.REJECT, overrides=True)
    for required, policy, bypass in product(range(1, 8), RejectionPolicy, (False, True)):
        rules = make_policy(required, policy, bypass=bypass)
        for a, r, pa, pr in product(range(9), range(9), range(3), range(3)):
            cast = [yes] * a + [no] * r + [power_yes] * pa + [power_no] * pr
            found = tally(rules, cast)
            said = {str(seat): ballot for seat, ballot in enumerate(cast)}
            assert found.decision == expected(rules, said), (rules, a, r, pa, pr)
            assert (found.accepts, found.rejects) == (a + pa, r + pr)


@given(policies, votes)
def test_a_vote_by_vote_count_agrees_with_the_model_until_the_first_decision(
    policy: GatePolicy, cast: list[tuple[str, Ballot]]
) -> None:
    said: dict[str, Ballot] = {}
    for voter, ballot in cast:
        said = {**said, voter: ballot}
        decision = tally(policy, said.values()).decision
        assert decision == expected(policy, said)
        if decision is None:
            continue
        # The vote that decides went the way the gate went: nobody's yes rejects and nobody's no grants.
        assert (decision is Decision.REJECTED) == (ballot.action is Action.REJECT)
        return


@given(policies, st.lists(ballots, max_size=12), st.randoms())
def test_the_order_of_ballots_does_not_matter(policy: GatePolicy, cast: list[Ballot], random: Random) -> None:
    shuffled = list(cast)
    random.shuffle(shuffled)
    assert tally(policy, shuffled) == tally(policy, cast)


@given(policies, st.lists(ballots, max_size=12), st.lists(ballots, max_size=12))
def test_no_number_of_later_accepts_grants_a_rejected_gate(
    policy: GatePolicy, cast: list[Ballot], more: list[Ballot]
) -> None:
    if tally(policy, cast).decision is Decision.REJECTED:
        assert tally(policy, [*cast, *more]).decision is Decision.REJECTED


@given(policies, st.lists(ballots, max_size=12))
def test_nothing_is_granted_on_fewer_accepts_than_required(policy: GatePolicy, cast: list[Ballot]) -> None:
    count = tally(policy, cast)
    if count.decision is Decision.GRANTED:
        assert count.accepts >= policy.required_approvals
    if count.decision is Decision.OVERRIDDEN:
        assert policy.override_bypasses_quorum
        assert count.accepts < policy.required_approvals
