"""Ids in paths, as a WSGI server hands them on, decoded once (wire contract §5; cases N). See also test_server."""

from __future__ import annotations

import pytest

from interrupts.errors import TenantMismatch, ValidationFailed
from interrupts.ids import project_id
from interrupts.surfaces.rest.paths import BoundIdConverter, read_bound_id
from tests.surfaces.rest.api import Api, wire

pytestmark = pytest.mark.django_db


def test_a_run_is_found_by_its_projected_and_its_percent_encoded_id(api: Api, gate_run: str) -> None:
    for path in (
        wire(gate_run),
        gate_run.replace("/", "%2F"),
        gate_run.replace("/", "%2f"),
        gate_run.replace("/", "%7E2F"),
    ):
        assert api.get(f"/runs/{path}").body["runId"] == gate_run


def test_every_operation_on_a_run_takes_both_forms(api: Api, gate_run: str) -> None:
    for run_id in (wire(gate_run), gate_run.replace("/", "%2F")):
        assert api.get(f"/runs/{run_id}/events/poll?timeout=1").status == 200
        assert api.post(f"/runs/{run_id}/interrupts/gate", {"resumeValue": {"action": "ask"}}).status == 200
    assert api.post(f"/runs/{gate_run.replace('/', '%2F')}/cancel", {}).status == 200


@pytest.mark.parametrize(
    "segment",
    [
        "bare-id-0123456789abcdef",
        "acme~2",
        "acme~",
        "acme~2Gr-0123456789abcdef",
        "acme~FF~2Fr-0123456789abcdef",
        "acme~2Fshort",
        "acme%2Fshort",
        "acme~2Fr-0123456789abcdef~2Fmore",
        "acme~2Fr-0123456789abcdef%0A",
        "acme~2Fr-0123456789abcdef%00",
        "acme~2Fr-0123456789abcd%C3%A9",
        "~2Fr-0123456789abcdef",
        "acme%252Fr-0123456789abcdef",
        "acme~2F" + "r" * 129,
        "a" * 129 + "~2Fr-0123456789abcdef",
        "%20",
    ],
)
def test_a_malformed_id_is_refused(api: Api, segment: str) -> None:
    assert api.get(f"/runs/{segment}").refused(400, "validation_error") == {"field": "runId"}
    api.post(f"/runs/{segment}/cancel", {}).refused(400, "validation_error")


def test_an_id_projected_twice_does_not_resolve(api: Api, gate_run: str) -> None:
    api.get(f"/runs/{wire(wire(gate_run)).replace('~', '~7E')}").refused(400, "validation_error")


def test_another_tenants_id_is_refused_from_its_text_alone(api: Api) -> None:
    for segment in ("globex~2Fr-0123456789abcdef", "globex%2Fr-0123456789abcdef", "anon~3Aacme~2Fr-0123456789abcdef"):
        api.get(f"/runs/{segment}").refused(403, "id_tenant_mismatch")


def test_an_unknown_run_of_ones_own_tenant_is_not_found(api: Api) -> None:
    for path in ("", "/events/poll"):
        api.get(f"/runs/acme%2Fopenwopconformanceunknown1a2b3c{path}").refused(404, "not_found")
    for path in ("/cancel", "/interrupts/gate"):
        api.post(f"/runs/acme%2Fopenwopconformanceunknown1a2b3c{path}", {}).refused(404, "not_found")


def test_colon_operations_may_be_percent_encoded(api: Api) -> None:
    assert api.post("/runs%3Abulk-cancel", {"runIds": ["x"]}).status == 200


def test_an_id_is_projected_byte_by_byte_and_read_back() -> None:
    assert project_id("acme/r-9f_3.c") == "acme~2Fr-9f_3.c"
    assert project_id("anon:a/b~c") == "anon~3Aa~2Fb~7Ec"
    assert BoundIdConverter().to_url("acme/r-1") == "acme~2Fr-1"
    assert read_bound_id("acme~2Fr-0123456789abc~7Ef", tenant_id="acme") == "acme/r-0123456789abc~f"
    assert read_bound_id("acme~2fr-0123456789abcdef", tenant_id="acme") == "acme/r-0123456789abcdef"


def test_reading_an_id_checks_its_form_before_its_tenant() -> None:
    with pytest.raises(ValidationFailed):
        read_bound_id("globex~2Fshort", tenant_id="acme")
    with pytest.raises(TenantMismatch):
        read_bound_id("globex~2Fr-0123456789abcdef", tenant_id="acme")
