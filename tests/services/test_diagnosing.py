"""A check of a definition, with the people of the tenant in view: errors refuse it, warnings only tell."""

from __future__ import annotations

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.engine.definition.diagnostics import Severity
from interrupts.errors import ValidationFailed
from interrupts.models import Workflow
from interrupts.services.workflows import diagnose_workflow, register_workflow
from interrupts.vocabulary import RefKind
from tests.factories import NOW, actor, gate_node, let_answer_as, node, one_gate, one_interrupt, tenant, workflow
from tests.invariants import every_row


def found(document: JsonObject) -> list[tuple[str, str, str]]:
    told = diagnose_workflow(tenant_id="acme", document=document)
    return [(diagnostic.severity, diagnostic.pointer, diagnostic.code) for diagnostic in told]


@pytest.fixture(autouse=True)
def _people(db: None) -> None:
    for name in ("ann", "ben"):
        actor(name)
    actor("cem", groups=["finance"])
    actor("stranger", of="other", groups=["finance"])


@pytest.mark.parametrize(
    ("rules", "is_doubtful"),
    [
        ({"requiredApprovals": 3}, False),
        ({"requiredApprovals": 4}, True),
        ({"approversList": ["ann", "ben"], "requiredApprovals": 2}, False),
        ({"approversList": ["ann", "nobody"], "requiredApprovals": 2}, True),
        ({"approverGroupRefs": ["finance"]}, False),
        ({"approverGroupRefs": ["finance"], "requiredApprovals": 2}, True),
        ({"approverGroupRefs": ["no such group"]}, True),
        ({"approversList": ["ann"], "approverGroupRefs": ["finance"], "requiredApprovals": 2}, False),
        ({"approverRoleRefs": ["lead"]}, False),
        ({"approverRoleRefs": ["lead"], "requiredApprovals": 2}, True),
        ({"approverRoleRefs": ["unheld"]}, True),
    ],
)
def test_a_quorum_beyond_the_people_who_may_answer_is_a_warning(rules: JsonObject, is_doubtful: bool) -> None:
    let_answer_as(actor("ben"), RefKind.ROLE, "lead")
    pointer = "/nodes/0/config/requiredApprovals"
    assert found(one_gate(**rules)) == [("warning", pointer, "quorum_beyond_eligible")] * is_doubtful


def test_a_gate_that_only_takes_questions_is_a_warning_and_can_be_registered() -> None:
    document = one_gate(actions=["ask"])
    assert found(document) == [("warning", "/nodes/0/config/actions", "gate_only_asks")]
    assert register_workflow(tenant_id="acme", document=document, now=NOW).is_new


def test_an_approval_that_is_written_out_is_looked_at_where_its_data_stands() -> None:
    data: JsonObject = {"artifactId": "a", "artifactType": "t", "title": "Go?", "actions": ["ask"]}
    assert found(one_interrupt("approval", data)) == [("warning", "/nodes/0/config/data/actions", "gate_only_asks")]


def test_errors_come_first_and_refuse_the_registration_as_before() -> None:
    document = workflow([gate_node("a", actions=["ask"]), node("b", "core.unheardOf")])
    assert found(document) == [
        ("error", "/nodes/1/typeId", "unknown_node_type"),
        ("warning", "/nodes/0/config/actions", "gate_only_asks"),
    ]
    with pytest.raises(ValidationFailed):
        register_workflow(tenant_id="acme", document=document, now=NOW)
    assert not Workflow.objects.exists()


def test_a_check_stores_nothing() -> None:
    tenant()
    before = every_row()
    told = diagnose_workflow(tenant_id="acme", document=one_gate(approverRoleRefs=["new"], requiredApprovals=9))
    assert [diagnostic.severity for diagnostic in told] == [Severity.WARNING]
    assert every_row() == before
