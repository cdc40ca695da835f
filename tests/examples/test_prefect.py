"""A Prefect flow pauses, and is resumed with what people answered."""

from __future__ import annotations

import httpx
import pytest

from tests.examples.conftest import Host, Program, Shell
from tests.live.installation import await_that, free_port

FLOW = "place-order"

pytestmark = pytest.mark.timeout(400)


@pytest.fixture
def prefect(shell: Shell) -> Shell:
    """A shell in which a Prefect server answers that reports to nobody."""
    port = free_port()
    api = f"http://127.0.0.1:{port}/api"
    shell.environment |= {
        "PREFECT_API_URL": api,
        "PREFECT_HOME": str(shell.folder / "prefect"),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }
    server = shell.start("-m", "prefect", "server", "start", "--port", str(port), "--no-ui", "--no-services")

    def is_up() -> bool:
        assert server.process.poll() is None, server.log.read_text("utf-8")
        try:
            return httpx.get(f"{api}/health", timeout=2).status_code == 200
        except httpx.TransportError:
            return False

    await_that(is_up, "the Prefect server does not answer", seconds=180)
    return shell


def place(shell: Shell, order: str) -> Program:
    return shell.start("-m", "examples.prefect.flow", order, "120.5")


def test_flows_pause_until_somebody_has_decided(host: Host, prefect: Shell) -> None:
    bridge = prefect.start("-m", "examples.prefect.bridge")
    wanted = place(prefect, "A-1")
    first = host.await_question(FLOW, count=1)
    unwanted = place(prefect, "A-2")
    second = host.await_question(FLOW, count=2)
    bridge.kill()
    host.answer(second, "rejected", reason="Too dear.")
    prefect.start("-m", "examples.prefect.bridge")
    assert unwanted.printed() == "A-2 is not placed: Too dear."
    assert wanted.process.poll() is None
    host.answer(first, "approved")
    assert wanted.printed() == "A-1 is placed"
