"""The engine: how a run walks its plan."""
