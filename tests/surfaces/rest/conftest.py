"""What the tests of the machine surface share: keys of two tenants, and a run that waits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import factories
from tests.surfaces.rest.api import Api
from tests.surfaces.rest.server import running_server


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


@pytest.fixture(scope="session")
def server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the real server. What a test stores is seen there only with ``transactional_db``."""
    with running_server(tmp_path_factory.mktemp("server")) as address:
        yield address
