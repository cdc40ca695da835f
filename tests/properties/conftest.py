"""Property tests are searched the same way every time: a failure on one machine is a failure on all."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "house",
    derandomize=True,
    deadline=None,  # A loaded machine is no fault of the code; pytest's own timeout holds.
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("house")
