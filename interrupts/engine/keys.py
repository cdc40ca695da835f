"""Names that the engine derives: re-entry keys (interrupt.md §Re-entry; wire contract §11), ids of conversations."""

from __future__ import annotations

import hashlib


def interrupt_key(root_run_id: str, node_id: str, visit: int, ordinal: int) -> str:
    """The key of one interrupt: 64 hex digits, the same whenever the same execution is replayed or recovered.

    ``visit`` counts the node's interrupts whose resolution was consumed before this execution began; ``ordinal``
    tells apart the interrupts of one execution. No part can hold a newline (id grammars), so no two tuples meet.
    """
    return hashlib.sha256(f"{root_run_id}\n{node_id}\n{visit}\n{ordinal}".encode()).hexdigest()


def conversation_id(root_run_id: str, node_id: str, visit: int) -> str:
    """The id of the conversation that one execution of a node opens: no two executions share one, in any tenant."""
    return "c-" + hashlib.sha256(f"conversation\n{root_run_id}\n{node_id}\n{visit}".encode()).hexdigest()
