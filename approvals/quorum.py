"""Counting votes (interrupt.md §Approval, §Rejection). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from approvals.policy import GatePolicy
from interrupts.vocabulary import Action, Decision


@dataclass(frozen=True, slots=True)
class Ballot:
    """One vote as the count sees it. ``overrides`` is set for a configured override principal's vote."""

    action: Action
    overrides: bool = False


@dataclass(frozen=True, slots=True)
class Tally:
    """Where a gate stands. ``decision`` is None while it is undecided."""

    accepts: int
    rejects: int
    decision: Decision | None


def tally(policy: GatePolicy, ballots: Iterable[Ballot]) -> Tally:
    """Count the ballots; a veto is looked at before a grant (wire contract §25 rows 24, 26).

    Every action but reject counts as an accepting vote, so that one ``refine`` cannot pass a gate that needs two.
    """
    ballots = list(ballots)
    rejects = sum(ballot.action is Action.REJECT for ballot in ballots)
    accepts = len(ballots) - rejects
    return Tally(accepts, rejects, _decide(policy, ballots, accepts, rejects))


def _decide(policy: GatePolicy, ballots: list[Ballot], accepts: int, rejects: int) -> Decision | None:
    if rejects >= policy.rejections_to_stop:
        return Decision.REJECTED
    if accepts >= policy.required_approvals:
        return Decision.GRANTED
    released = any(ballot.overrides and ballot.action is not Action.REJECT for ballot in ballots)
    return Decision.OVERRIDDEN if policy.override_bypasses_quorum and released else None
