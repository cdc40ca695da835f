"""Registration of workflow versions (wire contract §6; registration itself is the host's, §25 row 44)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.db import IntegrityError, transaction

from interrupts import selectors
from interrupts.contracts.json_text import digest, dump_json
from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.definition import check_definition, find_doubts, read_asked
from interrupts.engine.definition.diagnostics import Diagnostic, as_error, as_warning
from interrupts.engine.nodes import NODE_TYPES
from interrupts.errors import NotFound, VersionConflict
from interrupts.kinds import registry
from interrupts.models import Tenant, Workflow
from interrupts.problems import validation_failed

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Registered:
    """A stored version. ``is_new`` is False when the very same document had been registered before."""

    workflow: Workflow
    is_new: bool


def register_workflow(*, tenant_id: str, document: JsonValue, now: datetime) -> Registered:
    """Store one version, or raise ValidationFailed with every problem, or VersionConflict for a changed document."""
    problems = check_definition(document)
    if problems:
        raise validation_failed(problems)
    return store_workflow(tenant_id=tenant_id, definition=cast("JsonObject", document), now=now)


def store_workflow(*, tenant_id: str, definition: JsonObject, now: datetime) -> Registered:
    """Store one version of a definition that was found to be good, or raise VersionConflict for a changed one."""
    earlier = _registered(tenant_id, definition)
    if earlier is not None:
        return earlier
    try:
        with transaction.atomic():
            workflow = _store(tenant_id, definition, now)
    except IntegrityError as error:
        if "workflow_version_once" not in str(error) and "workflow_id" not in str(error):
            raise
        raced = _registered(tenant_id, definition)
        if raced is None:
            raise
        return raced
    logger.info(
        "workflow registered tenant=%s workflow=%s version=%s", tenant_id, workflow.workflow_id, workflow.version
    )
    return Registered(workflow, is_new=True)


def diagnose_workflow(*, tenant_id: str, document: JsonValue) -> list[Diagnostic]:
    """Return everything a check finds in a definition, errors first; without an error it can be registered.

    Warnings also say what is doubtful among the people of the tenant: a quorum that nobody can reach. Without a tenant
    (its id is empty) nothing is said of people, and no database is asked. Stores nothing.
    """
    warnings = find_doubts(document)
    for at in read_asked(document):
        if tenant_id and at.asked.kind in registry.served():
            found = registry.get(at.asked.kind).doubts(tenant_id=tenant_id, data=at.asked.data)
            warnings += [Problem(at.pointer + p.pointer, p.keyword, p.message) for p in found]
    return [*map(as_error, check_definition(document)), *map(as_warning, sorted(warnings))]


def read_workflow(*, tenant_id: str, workflow_id: str) -> Workflow:
    """Return the newest version, or raise NotFound."""
    workflow = selectors.latest_workflow(tenant_id, workflow_id)
    if workflow is None:
        raise NotFound(f"There is no workflow “{workflow_id}”.")
    return workflow


def _registered(tenant_id: str, definition: JsonObject) -> Registered | None:
    same_version = selectors.workflows_of(tenant_id).filter(workflow_id=definition["id"], version=definition["version"])
    workflow = same_version.first()
    if workflow is None:
        return None
    if workflow.digest != digest(definition):
        raise VersionConflict(
            f"Version {workflow.version} of “{workflow.workflow_id}” is already registered with different content."
            " Versions never change: give this one a new version."
        )
    return Registered(workflow, is_new=False)


def _store(tenant_id: str, definition: JsonObject, now: datetime) -> Workflow:
    # One registration of a tenant at a time: two that name the same new approvers in another order would each hold
    # what the other waits for. NO KEY, so that runs of the tenant start meanwhile.
    Tenant.objects.select_for_update(no_key=True).get(pk=tenant_id)
    workflow = Workflow(
        tenant_id=tenant_id,
        workflow_id=str(definition["id"]),
        version=str(definition["version"]),
        name=str(definition["name"]),
        document=dump_json(definition),
        digest=digest(definition),
        registered_at=now,
    )
    workflow.save(force_insert=True)
    for node in cast("list[JsonObject]", definition["nodes"]):
        _declare(tenant_id, node)
    return workflow


def _declare(tenant_id: str, node: JsonObject) -> None:
    """Tell a kind what the workflow may ask, as far as the node's configuration fixes it."""
    kind = NODE_TYPES.get(cast("str", node["typeId"]))
    asked = None if kind is None else kind.asks(cast("JsonObject", node["config"]))
    if asked is not None and asked.kind in registry.served():
        registry.get(asked.kind).declared(tenant_id=tenant_id, data=asked.data)
