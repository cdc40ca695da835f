"""What a check of a definition finds, under codes that stay the same: scripts and ``wop explain`` know them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject

SCHEMA_INVALID: Final = "schema_invalid"
DOCUMENT_SHAPE: Final = "document_shape"

# Words of ours for what a check finds; every other word is a keyword of JSON Schema.
_CODES: Final = {
    "binding_way": "binding_conflict",
    "capability_required": "capability_missing",
    "conformance": "only_in_conformance",
    "credential_solicited": "credential_solicited",
    "expression": "expression_invalid",
    "json": "document_too_large",
    "not_an_object": "schema_not_object",
    "pointer": "binding_path_invalid",
    "quorum": "quorum_unreachable",
    "reference": "approver_reference_invalid",
    "regex": "pattern_invalid",
    "reserved": "name_reserved",
    "sensitive": "destination_sensitive",
    "size": "document_too_large",
    "trigger_rule": "trigger_rules_mixed",
    "unique": "not_unique",
    "unknown_node": "unknown_node",
    "unknown_outcome": "unknown_outcome",
    "unknown_output": "unknown_output",
    "unknown_path": "binding_path_closed",
    "unknown_port": "unknown_input",
    "unknown_type": "unknown_node_type",
    "unknown_variable": "unknown_variable",
    "unreachable": "unreachable_node",
    "variable_type": "destination_type",
    "waitForCompletion": "option_without_effect",
}
# Members of a definition that hold a JSON Schema: what is wrong inside them is wrong with that schema.
_SCHEMAS: Final = ("request_schema", "resume_schema", "resumeSchema", "outcomeSchema", "configurableSchema", "schema")


class Severity(StrEnum):
    """An error keeps a definition from being registered; a warning only says what is likely to be a mistake."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding at one place of a definition, by JSON Pointer; ``message`` is for the author."""

    code: str
    severity: Severity
    pointer: str
    message: str

    def to_json(self) -> JsonObject:
        return {
            "code": self.code,
            "severity": str(self.severity),
            "pointer": self.pointer,
            "message": self.message,
        }


def verdict(found: Sequence[Diagnostic]) -> JsonObject:
    """Return what every surface tells of a check: ``{valid, diagnostics}``; warnings leave a definition valid."""
    is_valid = all(diagnostic.severity is not Severity.ERROR for diagnostic in found)
    return {"valid": is_valid, "diagnostics": [diagnostic.to_json() for diagnostic in found]}


def as_error(problem: Problem) -> Diagnostic:
    """Return a problem that keeps a definition from being registered as a finding."""
    return Diagnostic(_code(problem), Severity.ERROR, problem.pointer, problem.message)


def as_warning(problem: Problem) -> Diagnostic:
    """Return a doubt, whose keyword is a code already, as a finding."""
    return Diagnostic(problem.keyword, Severity.WARNING, problem.pointer, problem.message)


def _code(problem: Problem) -> str:
    tokens = problem.pointer.split("/")
    is_in_schema = any(name in tokens[:-1] or tokens[-1] == name for name in _SCHEMAS)
    if is_in_schema and problem.keyword not in ("credential_solicited", "not_an_object"):
        return SCHEMA_INVALID
    return _CODES.get(problem.keyword, DOCUMENT_SHAPE)
