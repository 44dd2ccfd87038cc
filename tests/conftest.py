"""Settings for all tests."""

from hypothesis import HealthCheck, settings

# The examples are the same on every machine: a red test is red everywhere.
settings.register_profile(
    "budgeted",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("budgeted")
