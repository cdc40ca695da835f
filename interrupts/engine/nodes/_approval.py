"""What the two node types that raise approvals share (interrupt.md §Approval, §Rejection)."""

from __future__ import annotations

from typing import Final, cast

from interrupts.contracts.json_values import as_integer
from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes.base import Completed, Failed, NodeResult
from interrupts.kinds.base import Resolution
from interrupts.vocabulary import Action, Decision

OUTPUTS: Final = frozenset({"action", "decision", "resumeValue", "feedback", "artifactData", "refineFeedback"})
_REF_LISTS: Final = ("approversList", "approverGroupRefs", "approverRoleRefs")
_MAX_REF: Final = 256


def emitted(data: JsonObject) -> JsonObject:
    """The data as an interrupt carries it: ``onTimeout: "approve"`` is treated as a reject and never emitted."""
    return {**data, "onTimeout": "reject"} if data.get("onTimeout") == "approve" else data


def gate_problems(data: JsonObject) -> list[Problem]:
    """What is wrong with a gate's data of the right shape: references nobody can hold, a quorum nobody can reach."""
    problems = [
        problem for name in _REF_LISTS for problem in _ref_problems(name, cast("list[str]", data.get(name, [])))
    ]
    listed = set(cast("list[str]", data.get("approversList", [])))
    required = as_integer(data.get("requiredApprovals")) or 1
    # Groups and roles add people nobody can count here; without them the list is everybody.
    if listed and not data.get("approverGroupRefs") and not data.get("approverRoleRefs") and required > len(listed):
        message = f"{required} approvals are required, but the list of approvers names only {len(listed)}."
        problems.append(Problem("/requiredApprovals", "quorum", message))
    return problems


def conclude(resolution: Resolution, shown: JsonObject) -> NodeResult:
    """The outputs of a granted gate, or its failure: these nodes do not turn a rejection into an output.

    ``shown`` holds ``artifactData`` when the gate showed any; an edit replaces it.
    """
    if resolution.decision not in (Decision.GRANTED, Decision.OVERRIDDEN):
        return _rejected(resolution)
    outputs: JsonObject = {
        "action": resolution.action,
        "decision": resolution.decision,
        "resumeValue": resolution.resume_value,
    }
    if isinstance(resolution.resume_value, dict) and "feedback" in resolution.resume_value:
        outputs["feedback"] = resolution.resume_value["feedback"]
    if resolution.action == Action.EDIT_ACCEPT:
        outputs["artifactData"] = resolution.edited_artifact_data
    elif "artifactData" in shown:
        outputs["artifactData"] = shown["artifactData"]
    if resolution.refine_feedback is not None:
        outputs["refineFeedback"] = resolution.refine_feedback
    return Completed(outputs)


def _rejected(resolution: Resolution) -> Failed:
    if resolution.reason == "timeout":
        message = "Nobody decided in time, so the gate was rejected."
        return Failed("approval_rejected", message, details={"reason": "timeout"})
    return Failed("approval_rejected", "The gate was rejected.")


def _ref_problems(name: str, refs: list[str]) -> list[Problem]:
    message = f"A reference has 1 to {_MAX_REF} characters and neither begins nor ends with a space."
    return [
        Problem(to_pointer([name, index]), "reference", message)
        for index, ref in enumerate(refs)
        if not 0 < len(ref) <= _MAX_REF or ref != ref.strip()
    ]
