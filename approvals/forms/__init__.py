"""Forms from any JSON Schema (docs/architecture.md, "Forms"): pure, without Django.

A schema is *shaped* (what one value looks like), *planned* (a tree of inputs, given what was posted), *decoded* (the
value that the inputs mean) and *encoded* (the inputs that mean a value). Drawing a form may lose detail; the value is
always judged by the original schema, and what no input can say is written as JSON.
"""
