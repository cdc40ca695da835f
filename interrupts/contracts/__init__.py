"""JSON and JSON Schema: strict parsing, the admission of schemas, and validation by people's and machines' rules alike.

Pure Python: no Django, no database, no network. What is refused is always said as a :class:`~.problems.Problem` with a
JSON Pointer, or as :class:`~.json_text.MalformedJson` with a line and a column.
"""

from __future__ import annotations
