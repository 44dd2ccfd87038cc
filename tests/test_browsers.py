"""Where there is no browser, tests say what to install; in CI they fail."""

import pytest

from tests import browsers


@pytest.mark.parametrize(
    ("environment", "outcome"),
    [({}, pytest.skip.Exception), ({"CI": "1"}, pytest.fail.Exception)],
    ids=["at home", "in CI"],
)
def test_a_missing_browser_is_a_failure_in_ci_and_a_skip_elsewhere(
    monkeypatch, environment, outcome
):
    monkeypatch.delenv("CI", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    tried = []
    monkeypatch.setattr(browsers, "find_browser", lambda playwright: None)
    monkeypatch.setattr(browsers, "install_browser", lambda: tried.append(True))
    with pytest.raises(outcome, match="apt-get install chromium"), browsers.chromium():
        pass
    assert tried
