"""What the tests of all surfaces share: the server as it is shipped, started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.surfaces.rest.server import running_server


@pytest.fixture(scope="session")
def server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the real server. What a test stores is seen there only with ``transactional_db``."""
    with running_server(tmp_path_factory.mktemp("server")) as address:
        yield address
