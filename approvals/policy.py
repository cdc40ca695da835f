"""The rules a gate carries in its payload, as the kind reads them (interrupt.md §Approval). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from interrupts.contracts.json_values import as_integer
from interrupts.contracts.types import JsonObject
from interrupts.vocabulary import Action, RefKind, RejectionPolicy

_REF_FIELDS = {
    RefKind.PRINCIPAL: "approversList",
    RefKind.GROUP: "approverGroupRefs",
    RefKind.ROLE: "approverRoleRefs",
}
_AUDIENCE_FIELDS = {RefKind.PRINCIPAL: "subjects", RefKind.GROUP: "groups", RefKind.ROLE: "roles"}


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """How a gate decides. ``rejections_to_stop`` is the number of rejects that ends it."""

    actions: tuple[Action, ...]
    required_approvals: int
    rejection_policy: RejectionPolicy
    override_bypasses_quorum: bool

    @property
    def rejections_to_stop(self) -> int:
        """One under ``single-veto``; under ``majority`` the first count that exceeds half of the required approvals."""
        return 1 if self.rejection_policy is RejectionPolicy.SINGLE_VETO else self.required_approvals // 2 + 1


def read_policy(data: JsonObject) -> GatePolicy:
    """Read a gate's payload data, filling in the defaults of interrupt.md §Approval."""
    return GatePolicy(
        actions=tuple(Action(action) for action in cast("list[str]", data["actions"])),
        required_approvals=as_integer(data.get("requiredApprovals")) or 1,
        rejection_policy=RejectionPolicy(cast("str", data.get("rejectionPolicy", RejectionPolicy.SINGLE_VETO))),
        override_bypasses_quorum=bool(data.get("overrideBypassesQuorum", False)),
    )


def named_refs(data: JsonObject) -> list[tuple[RefKind, str]]:
    """Return whom the gate names, each once, in the order given. Nobody named is an open gate."""
    refs = [(kind, ref) for kind, field in _REF_FIELDS.items() for ref in cast("list[str]", data.get(field) or [])]
    return list(dict.fromkeys(refs))


def audience_refs(data: JsonObject) -> list[tuple[RefKind, str]]:
    """Return whom the gate wants told, each once: a hint that lets nobody in (interrupt.md §Approver enforcement)."""
    audience = cast("dict[str, list[str]]", data.get("audience") or {})
    refs = [(kind, ref) for kind, field in _AUDIENCE_FIELDS.items() for ref in audience.get(field) or []]
    return list(dict.fromkeys(refs))


def refs_to_tell(data: JsonObject) -> list[tuple[RefKind, str]]:
    """Return whom to write to: the audience, or whoever may answer where none is named. Nobody at an open gate."""
    return audience_refs(data) or named_refs(data)


def escalates(data: JsonObject) -> bool:
    """Return whether people are told when nobody decided in time. The gate is rejected all the same."""
    return data.get("onTimeout") == "escalate"
