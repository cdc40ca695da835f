"""Entries of the log as they leave this host, by whatever way (wire contract §8.1)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import cast

from interrupts.contracts.types import JsonObject
from interrupts.engine.plan import load_plan
from interrupts.events import isoformat
from interrupts.models import Run, RunEvent
from interrupts.vocabulary import ENGINE_VERSION, EVENT_LOG_SCHEMA_VERSION, EventType


def sensitive_inputs(run: Run) -> set[str]:
    """Return the names of the inputs that no surface shows, as the run's workflow declares them."""
    return {variable.name for variable in load_plan(run.workflow.document).variables if variable.sensitive}


def event_document(event: RunEvent, *, hidden: AbstractSet[str]) -> JsonObject:
    """Return the RunEventDoc of one entry of the log, without the ``hidden`` inputs that the log itself must keep."""
    payload = event.payload
    if event.type == EventType.RUN_STARTED:
        payload = {**payload, "inputs": without(payload["inputs"], hidden)}
    document: JsonObject = {
        "eventId": event.event_id,
        "runId": event.run_id,
        "type": event.type,
        "payload": payload,
        "timestamp": isoformat(event.at),
        "sequence": event.sequence,
        "schemaVersion": EVENT_LOG_SCHEMA_VERSION,
        "engineVersion": ENGINE_VERSION,
    }
    if event.node_id:
        document["nodeId"] = event.node_id
    if event.causation_id:
        document["causationId"] = event.causation_id
    return document


def without(values: object, hidden: AbstractSet[str]) -> JsonObject:
    return {name: value for name, value in cast("JsonObject", values).items() if name not in hidden}
