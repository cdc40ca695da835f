"""Names: ids that the host gives itself, every id once, node ids as the protocol spells them, defaults that fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from interrupts.contracts.problems import Problem, to_pointer
from interrupts.engine.definition.draft import Draft, items_of, text_of
from interrupts.engine.plan import VARIABLE_TYPES, has_json_type
from interrupts.vocabulary import NODE_ID_PATTERN

MAX_VERSION: Final = 128
# The ids of workflows that ``interrupts.raise`` makes: this and the digest of what is asked.
QUESTION_PREFIX: Final = "question-"
_NODE_ID: Final = re.compile(NODE_ID_PATTERN.removesuffix("$") + r"\Z")
_QUESTION_ID: Final = re.compile(rf"{QUESTION_PREFIX}[0-9a-f]{{32}}\Z")


def id_problems(draft: Draft) -> Iterator[Problem]:
    yield from _reserved_id(draft)
    yield from _repeated(draft, "nodes", "id")
    yield from _repeated(draft, "edges", "id")
    yield from _repeated(draft, "variables", "name")
    yield from _misspelt_node_ids(draft)
    yield from _long_version(draft)
    yield from _wrong_defaults(draft)


def _reserved_id(draft: Draft) -> Iterator[Problem]:
    """Nobody may stand where the host would register a question of somebody else."""
    workflow_id = text_of(draft.document, "id")
    if workflow_id is not None and _QUESTION_ID.match(workflow_id):
        message = f"Ids of this form, “{QUESTION_PREFIX}” and 32 hexadecimal digits, are given by interrupts.raise."
        yield Problem("/id", "reserved", message)


def _repeated(draft: Draft, members: str, name: str) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, item in items_of(draft.document, members):
        value = text_of(item, name)
        if value is not None and first.setdefault(value, index) != index:
            message = f"The {name} “{value}” is already that of {members[:-1]} number {first[value] + 1}."
            yield Problem(to_pointer([members, index, name]), "unique", message)


def _misspelt_node_ids(draft: Draft) -> Iterator[Problem]:
    for node in draft.nodes:
        # An empty id is the schema's to tell.
        if node.id and not _NODE_ID.match(node.id):
            message = "A node id is 1 to 128 letters, digits, or any of . _ ~ : - without spaces."
            yield Problem(to_pointer(["nodes", node.index, "id"]), "pattern", message)


def _long_version(draft: Draft) -> Iterator[Problem]:
    """The protocol's schema bounds the id and leaves the version open; a column does not."""
    version = text_of(draft.document, "version")
    if version is not None and len(version) > MAX_VERSION:
        yield Problem("/version", "maxLength", f"A version has at most {MAX_VERSION} characters.")


def _wrong_defaults(draft: Draft) -> Iterator[Problem]:
    for index, item in items_of(draft.document, "variables"):
        kind = text_of(item, "type")
        if kind in VARIABLE_TYPES and "defaultValue" in item and not has_json_type(item["defaultValue"], kind):
            message = f"The default must be of the variable's type, {kind}."
            yield Problem(to_pointer(["variables", index, "defaultValue"]), "type", message)
