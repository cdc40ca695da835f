"""One fixture, ``surface``: a test that takes it runs once over each surface."""

from __future__ import annotations

import pytest

from tests import factories
from tests.surfaces.contract.surfaces import SURFACES, Surface


@pytest.fixture(params=SURFACES)
def surface(request: pytest.FixtureRequest, db: None) -> Surface:
    return SURFACES[request.param](factories.api_key("olga"))
