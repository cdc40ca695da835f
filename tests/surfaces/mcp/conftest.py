"""What the tests of MCP share."""

from __future__ import annotations

import pytest

from tests import factories
from tests.surfaces.mcp.client import Mcp


@pytest.fixture
def mcp(db: None) -> Mcp:
    """Olga's key in acme, with every scope."""
    return Mcp(factories.api_key("olga"))
