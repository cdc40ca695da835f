"""The command line: one file a noun. Each command reads its arguments, makes one service call and says one value."""

from __future__ import annotations
