"""Writing workflows in Python. What comes out is an ordinary JSON document, as it is stored and sent.

Every function returns plain dictionaries, so they mix freely with documents written by hand. Contracts may be written
as JSON Schemas, as models of Pydantic (or anything with ``model_json_schema()``), or taken ready-made. Nothing here
needs Django or a database, and mistakes are told as they are at registration: all of them, by JSON Pointer.

>>> import json
>>> purchase = workflow(
...     "purchase",
...     name="Purchase",
...     version="1",
...     variables=[variable("item", "string", required=True), variable("reason", "string")],
...     nodes=[
...         interrupt(
...             "decide",
...             title="Buy this?",
...             request={"/item": from_variable("item"), "/hint": literal("Mind the budget.")},
...             resume={"/reason": "reason"},
...             **approve_or_reject(),
...         ),
...         node("order", "core.identity", inputs={"item": from_variable("item")}),
...         node("stop"),
...     ],
...     edges=[edge("decide", "order", outcome="approved"), edge("decide", "stop", outcome="rejected")],
... )
>>> json.loads(json.dumps(purchase)) == purchase
True
"""

from __future__ import annotations

from interrupts.authoring.documents import edge, interrupt, node, variable, workflow
from interrupts.authoring.forms import Form, approve_or_reject, free_text, pick_items, rating
from interrupts.authoring.plain import AuthoringError
from interrupts.authoring.schemas import Model, Schema, json_schema
from interrupts.authoring.sources import from_expression, from_output, from_variable, literal

__all__ = [
    "AuthoringError",
    "Form",
    "Model",
    "Schema",
    "approve_or_reject",
    "edge",
    "free_text",
    "from_expression",
    "from_output",
    "from_variable",
    "interrupt",
    "json_schema",
    "literal",
    "node",
    "pick_items",
    "rating",
    "variable",
    "workflow",
]
