"""The codes of what a check of a definition finds, explained to authors. A code never changes its meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interrupts.engine.definition.diagnostics import Severity


@dataclass(frozen=True, slots=True)
class DiagnosticCard:
    """One code: what it means, a document that gives it, and what to do about it."""

    code: str
    severity: Severity
    title: str
    meaning: str
    example: str
    advice: str


def _error(code: str, title: str, meaning: str, example: str, advice: str) -> DiagnosticCard:
    return DiagnosticCard(code, Severity.ERROR, title, meaning, example, advice)


def _warning(code: str, title: str, meaning: str, example: str, advice: str) -> DiagnosticCard:
    return DiagnosticCard(code, Severity.WARNING, title, meaning, example, advice)


_CARDS: Final = (
    _error(
        "document_shape",
        "Not in the form of a workflow",
        "A member is missing, misspelt, or of the wrong type.",
        "A node without “inputs”, or “titel” in the configuration of an approval gate.",
        "Correct the member at the pointer. docs/workflows.md lists what each node takes.",
    ),
    _error(
        "document_too_large",
        "Too large, or no clean JSON",
        "The document is over a bound (256 KiB, 500 nodes, 2,000 edges), or holds what is not JSON.",
        "A workflow of 800 nodes; a text with half of a character in it.",
        "Split the workflow: core.subWorkflow runs one workflow from another.",
    ),
    _error(
        "not_unique",
        "Used twice",
        "An id or a name that must be the only one of its sort is there twice.",
        "Two nodes with the id “review”.",
        "Rename one of them, and what refers to it.",
    ),
    _error(
        "name_reserved",
        "A name that is taken",
        "The node puts out something of this name itself, or the host gives ids of this form to questions.",
        "An outcome called “payload”; a workflow called “question-” and 32 hexadecimal digits.",
        "Choose another name.",
    ),
    _error(
        "unknown_node",
        "No such node",
        "An edge or an input refers to a node that the workflow does not have.",
        "An edge to “relase” where the node is called “release”.",
        "Correct the id, or add the node.",
    ),
    _error(
        "unknown_node_type",
        "No such node type",
        "This host has no node type of this name.",
        '"typeId": "core.aprovalGate".',
        "Choose one of the types that the message lists.",
    ),
    _error(
        "unknown_input",
        "No such input",
        "The node does not take an input of this name.",
        'An edge with "targetInput": "text" into an approval gate.',
        "Choose one of the inputs that the message lists.",
    ),
    _error(
        "unknown_output",
        "No such output",
        "The node never puts out anything of this name.",
        "A connection to the output “answer” of an approval gate.",
        "Choose one of the outputs that the message lists.",
    ),
    _error(
        "unknown_outcome",
        "An outcome that cannot happen",
        "An edge leaves a node by an outcome that the node does not declare.",
        '"sourceOutput": "approved" at a node with the outcomes "submitted" and "cancelled".',
        "Declare the outcome at the node, or let the edge leave by one that is declared.",
    ),
    _error(
        "unknown_variable",
        "A variable that is not declared",
        "An input reads, or an answer would write, a variable that “variables” does not declare.",
        '"resume": [{"source": "/approved", "target": "aproved"}].',
        "Declare the variable with its type, or correct the name.",
    ),
    _error(
        "destination_type",
        "A variable of another type",
        "An answer would write a value into a variable of another type.",
        "A boolean of the answer into a variable of type “string”.",
        "Give the variable the type that the resume_schema says, or bind another part of the answer.",
    ),
    _error(
        "destination_sensitive",
        "An answer into what is sensitive",
        "An answer would be written into a variable that nobody may see; the answer itself stands in the log.",
        '"comment" of an answer into a variable with "sensitive": true.',
        "Write it into a variable that is not sensitive. Never ask for secrets in an answer.",
    ),
    _error(
        "binding_path_invalid",
        "No JSON Pointer",
        "A binding names a place in a way that is no JSON Pointer.",
        '"target": "report.text".',
        "Write “/report/text”; “” is the whole payload, “~1” a slash and “~0” a tilde within a name.",
    ),
    _error(
        "binding_path_closed",
        "A place that the schema does not have",
        "A binding names a place at which the schema admits nothing.",
        '"source": "/aproved", where the resume_schema has "approved" and no other members.',
        "Correct the pointer, or add the member to the schema.",
    ),
    _error(
        "binding_conflict",
        "One binding replaces another",
        "A binding would put its value over what a binding before it has put there.",
        "“/report/text” and, after it, “/report”.",
        "Put the larger part first, or leave one of the two out.",
    ),
    _error(
        "schema_invalid",
        "No valid JSON Schema",
        "A schema in the workflow is not one that answers can be checked against.",
        '"type": "text"; a pattern that is no regular expression; a $ref to an address outside the document.',
        "Correct the schema at the pointer. Bring what it refers to into the document, below $defs.",
    ),
    _error(
        "schema_not_object",
        "A schema of something else than an object",
        "What is asked, and the payload of an answer, are objects; this schema does not say so.",
        '"resume_schema": {"type": "array"}.',
        'Make the value a member of an object: {"type": "object", "properties": {"items": …}}.',
    ),
    _error(
        "credential_solicited",
        "It asks for a secret",
        "A schema or a question asks people for a password, a key or a token. Such answers would stand in the log.",
        "A property called “password”.",
        "Use a credential interrupt (docs/credentials.md). If the field is harmless, say why in it.",
    ),
    _error(
        "expression_invalid",
        "No expression that runs here",
        "The text is no CEL, or uses what is not available here.",
        "“variables.amount >”, or variables.items.map(i, i.price).",
        "See the part on expressions in docs/workflows.md.",
    ),
    _error(
        "pattern_invalid",
        "No regular expression",
        "The pattern of a condition does not read as a regular expression, or grows too large.",
        '"right": "(open".',
        "Correct the pattern; it may have 1,000 characters.",
    ),
    _error(
        "trigger_rules_mixed",
        "Two trigger rules into one node",
        "All edges into a node must have the same trigger rule, because one rule decides whether it starts.",
        "One edge with any_failed and one without a rule, which is all_success.",
        "Give them all the same rule, or let one of them pass through a core.noop of its own.",
    ),
    _error(
        "unreachable_node",
        "A node that can never start",
        "No path leads to the node from one without incoming edges.",
        "Two nodes whose edges lead to each other, and nothing leads to them.",
        "Add an edge that leads there, or remove the node.",
    ),
    _error(
        "quorum_unreachable",
        "More approvals than approvers",
        "More approvals are required than the list of approvers has names.",
        '"approversList": ["ann"] with "requiredApprovals": 2.',
        "Name more people, or require fewer approvals.",
    ),
    _error(
        "approver_reference_invalid",
        "No name of an approver",
        "A reference to a person, group or role is empty, too long, or begins or ends with a space.",
        '"approverGroupRefs": ["finance "].',
        "Write the name exactly as the administrator did.",
    ),
    _error(
        "option_without_effect",
        "An option that would mean nothing",
        "An option of a sub-workflow only counts for a node that waits for the child, and this one does not.",
        '"onChildFailure" with "waitForCompletion": false.',
        "Remove the option, or let the node wait.",
    ),
    _error(
        "capability_missing",
        "Something this host does not do",
        "The workflow needs a capability that this host lacks.",
        '"settings": {"compensation": …}.',
        "Remove it, or use a host that offers it.",
    ),
    _error(
        "only_in_conformance",
        "Only for conformance runs",
        "An option that exists for tests of the protocol alone.",
        "“mockAutoResume” at a conversation.",
        "Remove the option.",
    ),
    _warning(
        "node_type_not_offered",
        "A node type that this host does not offer",
        "The protocol knows the type and this host does not offer it: no run of the workflow can start here.",
        '"typeId": "core.httpFetch".',
        "Use another type, or another host.",
    ),
    _warning(
        "outcome_not_routed",
        "An outcome that leads nowhere",
        "Some outcomes of the node lead on, and no edge takes this one: the run just ends there.",
        "Edges by “submitted” alone, at a node with “submitted” and “cancelled”.",
        "Add an edge with the outcome as its sourceOutput, even if only to a core.noop.",
    ),
    _warning(
        "gate_only_asks",
        "A gate that nobody can decide",
        "The gate takes questions and nothing else, so it stays open until its deadline rejects it.",
        '"actions": ["ask"].',
        "Add “accept” and “reject”.",
    ),
    _warning(
        "quorum_beyond_eligible",
        "Fewer people than approvals",
        "As things are, fewer people of the tenant may answer the gate than must approve it.",
        '"requiredApprovals": 3 for a group with two members.',
        "Add people to the group, give somebody the right to answer for it, or require fewer approvals.",
    ),
)

CATALOGUE: Final = {card.code: card for card in _CARDS}
