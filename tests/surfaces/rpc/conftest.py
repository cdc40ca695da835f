"""What the tests of JSON-RPC share: keys of two tenants, and a run that waits."""

from __future__ import annotations

import pytest

from tests import factories
from tests.surfaces.rest.api import Api
from tests.surfaces.rpc.client import Rpc


@pytest.fixture
def rpc(db: None) -> Rpc:
    """Olga's key in acme, with every scope."""
    return Rpc(Api(factories.api_key("olga")))


@pytest.fixture
def stranger(db: None) -> Rpc:
    """A key with every scope, in another tenant."""
    return Rpc(Api(factories.api_key("sven", of="globex")))


@pytest.fixture
def gate_run(rpc: Rpc) -> str:
    """A run that waits at its one gate, named ``gate``, which everybody may answer."""
    factories.register(factories.one_gate())
    return str(rpc.call("workflow.runs.start", {"workflow_id": "flow"})["run_id"])
