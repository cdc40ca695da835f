"""The parts of a workflow document, each a plain dictionary as it is stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Final, Literal

from interrupts.authoring.plain import AuthoringError, Faults, fault, plain_object
from interrupts.authoring.schemas import Schema, json_schema
from interrupts.contracts.types import JsonObject
from interrupts.engine.definition import check_definition

INTERRUPT_TYPE: Final = "vendor.wopsite.interrupt"
_STEP: Final = 240
_WHAT_NODE: Final = "The node “{}” cannot be stored."

VariableType = Literal["string", "number", "boolean", "object", "array"]


def node(
    node_id: str,
    type_id: str = "core.noop",
    *,
    name: str | None = None,
    config: Mapping[str, object] | None = None,
    inputs: Mapping[str, JsonObject] | None = None,
) -> JsonObject:
    """Return a node of any type. ``inputs`` are sources by port.

    >>> node("pay", "core.identity", inputs={"amount": {"type": "variable", "variableName": "amount"}})["name"]
    'pay'
    """
    built = {"id": node_id, "typeId": type_id, "name": name or node_id, "config": config or {}, "inputs": inputs or {}}
    return plain_object(built, what=_WHAT_NODE.format(node_id))


def interrupt(
    node_id: str,
    *,
    kind: str,
    name: str | None = None,
    title: str | None = None,
    request: Mapping[str, JsonObject] | None = None,
    request_schema: Schema | None = None,
    resume: Mapping[str, str] | None = None,
    resume_schema: Schema | None = None,
    outcomes: Sequence[str] = ("submitted",),
    timeout: timedelta | None = None,
) -> JsonObject:
    """Return a node that asks people, and says what it asks and what may be answered.

    ``request`` puts values into the payload that is shown: a source by JSON Pointer. ``resume`` keeps parts of the
    answer: the variable to set by JSON Pointer into the answer. ``timeout`` is how long there is to answer. Raises
    AuthoringError with everything that is wrong, by JSON Pointer into the node.

    >>> asked = interrupt(
    ...     "review",
    ...     kind="expense_review",
    ...     request={"/amount": {"type": "variable", "variableName": "amount"}},
    ...     resume={"/comment": "comment"},
    ...     resume_schema={"type": "object", "properties": {"comment": {"type": "string"}}},
    ...     timeout=timedelta(days=2),
    ... )
    >>> asked["config"]["request"]
    [{'target': '/amount', 'from': {'type': 'variable', 'variableName': 'amount'}}]
    >>> asked["config"]["resume"], asked["config"]["timeoutMs"]
    ([{'source': '/comment', 'target': 'comment'}], 172800000)
    """
    config: dict[str, object] = {"kind": kind, "outcomes": [*outcomes]}
    faults = Faults(_WHAT_NODE.format(node_id))
    if title is not None:
        config["title"] = title
    if request:
        config["request"] = _request_bindings(request, faults)
    if resume:
        config["resume"] = [{"source": source, "target": target} for source, target in resume.items()]
    for member, schema in (("request_schema", request_schema), ("resume_schema", resume_schema)):
        if schema is not None:
            with faults.at("config", member):
                config[member] = json_schema(schema)
    if timeout is not None:
        config["timeoutMs"] = timeout // timedelta(milliseconds=1)
    faults.tell()
    return node(node_id, INTERRUPT_TYPE, name=name or title, config=config)


def edge(
    source: str,
    target: str,
    *,
    outcome: str | None = None,
    rule: str | None = None,
    condition: Mapping[str, object] | None = None,
    label: str | None = None,
) -> JsonObject:
    """Return an edge. With ``outcome`` it is followed only when the interrupt at its source had that one.

    ``rule`` is the trigger rule of the node it leads to; ``condition`` is a condition of the workflow's own.

    >>> edge("review", "pay", outcome="approved")
    {'id': 'review-approved-pay', 'sourceNodeId': 'review', 'targetNodeId': 'pay', 'sourceOutput': 'approved'}
    """
    built: dict[str, object] = {
        "id": "-".join(filter(None, (source, outcome, target))),
        "sourceNodeId": source,
        "targetNodeId": target,
    }
    members = {"sourceOutput": outcome, "triggerRule": rule, "label": label}
    built |= {member: value for member, value in members.items() if value is not None}
    if condition is not None:
        built["condition"] = condition
    return plain_object(built, what=f"The edge “{built['id']}” cannot be stored.")


def variable(
    name: str,
    variable_type: VariableType,
    *,
    required: bool = False,
    default: object = None,
    description: str | None = None,
    sensitive: bool = False,
) -> JsonObject:
    """Return the declaration of a variable: what a run is given, or what an answer sets.

    >>> variable("amount", "number", required=True)
    {'name': 'amount', 'type': 'number', 'required': True}
    """
    declared: dict[str, object] = {"name": name, "type": variable_type}
    if required:
        declared["required"] = True
    if default is not None:
        declared["defaultValue"] = default
    if description is not None:
        declared["description"] = description
    if sensitive:
        declared["sensitive"] = True
    return plain_object(declared, what=f"The variable “{name}” cannot be stored.")


def workflow(
    workflow_id: str,
    *,
    name: str,
    version: str,
    nodes: Iterable[JsonObject],
    edges: Iterable[JsonObject] = (),
    variables: Iterable[JsonObject] = (),
    **members: object,
) -> JsonObject:
    """Return the whole document, found to be good by the rules that registration has.

    ``members`` are others of the document, such as ``description``, ``settings`` and ``metadata``. Nodes without a
    position are drawn in a row. Raises AuthoringError with every problem by JSON Pointer.

    >>> workflow("empty", name="Empty", version="1", nodes=[])
    Traceback (most recent call last):
        ...
    interrupts.authoring.plain.AuthoringError: The workflow “empty” cannot be registered.
      /nodes: This list must have at least 1 item.
    """
    what = f"The workflow “{workflow_id}” cannot be registered."
    document = plain_object(
        {
            "id": workflow_id,
            "name": name,
            "version": version,
            "nodes": [
                {**each, "position": each.get("position", {"x": _STEP * place, "y": 0})}
                for place, each in enumerate(nodes)
            ],
            "edges": [*edges],
            "triggers": [],
            "variables": [*variables],
            "metadata": {},
            "settings": {},
            **members,
        },
        what=what,
    )
    problems = check_definition(document)
    if problems:
        raise AuthoringError(what, problems)
    return document


def _request_bindings(request: Mapping[str, JsonObject], faults: Faults) -> list[JsonObject]:
    bindings = []
    for target, source in request.items():
        with faults.at("config", "request", target):
            bindings.append(_request_binding(target, source))
    return bindings


def _request_binding(target: str, source: JsonObject) -> JsonObject:
    match source:
        case {"type": "static", "value": value}:
            return {"target": target, "value": value}
        case {"type": "variable" | "connection" | "expression"}:
            return {"target": target, "from": source}
    message = "A value comes from literal(…), from_variable(…), from_output(…) or from_expression(…)."
    raise fault("This source cannot be stored.", (), "source", message)
