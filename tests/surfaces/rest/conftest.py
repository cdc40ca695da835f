"""What the tests of the machine surface share: keys of two tenants, and a run that waits."""

from __future__ import annotations

import pytest

from tests import factories
from tests.surfaces.rest.api import Api


@pytest.fixture
def api(db: None) -> Api:
    """Olga's key in acme, with every scope."""
    return Api(factories.api_key("olga"))


@pytest.fixture
def stranger(db: None) -> Api:
    """A key with every scope, in another tenant."""
    return Api(factories.api_key("sven", of="globex"))


@pytest.fixture
def anonymous() -> Api:
    return Api()


@pytest.fixture
def gate_run(api: Api) -> str:
    """A run that waits at its one gate, named ``gate``, which everybody may answer."""
    factories.register(factories.one_gate())
    return str(api.post("/runs", {"workflowId": "flow"}).body["runId"])
