"""A large study in a browser: every page of it is short, and none waits for what takes long.

Pages are found among the routes of the application, so that a new one is looked at as well.
"""

import re
from urllib.parse import quote

import pytest

from budgeted import Feature, Problem, Study
from budgeted.web.app import create_app
from budgeted.web.settings import Settings
from tests.browsers import Server, accessibility_problems, chromium, window
from tests.webs import every_route

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

NAME = "large & slow"
MOST_NODES, MOST_PIXELS = 3_000, 4_000
FEATURES, CASES, TOLD, PENDING = 200, 2_000, 1_200, 60
SLOW = re.compile(r"/(charts/|classifier$|about(\?|$)|forecast)")
"""What may be computed in the background."""


def fill(database):
    """Write a study of many features and cases, in which much was told, and much is under way."""
    features = [Feature(f"test {at:03}", ("low", "normal", "high"), 1 + at % 7)
                for at in range(FEATURES)]  # fmt: skip
    problem = Problem(features, ("well", "ill"), (0.6, 0.4), budget=100_000)
    cases = [(f"patient {at:05}", problem.labels[at % 2]) for at in range(CASES)]
    with Study.create(database, NAME, problem, cases, policy="round-robin", seed=1) as study:
        for request in study.ask(TOLD):
            study.tell(request.number, "low")
        study.correct(1, "high", why="typed wrong")
        study.fail(study.ask()[0].number, why="haemolytic")
        study.cancel(study.ask()[0].number, "the case did not come")
        study.ask(PENDING)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("size"))
    fill(server.database)
    with server.running():
        yield server


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def parameters(server):
    """What stands for the placeholders of addresses."""
    with Study.open(server.database, NAME) as study:
        told, pending = study.requests("told")[-1], study.requests("pending")[0]
    return {"name": NAME, "number": str(told.number), "case": pending.case,
            "feature": pending.feature, "which": "purchases", "kind": "svg",
            "format": "json"}  # fmt: skip


def pages(tmp_path):
    """The addresses of all that could be a page of a study, with placeholders."""
    app = create_app(Settings(database=str(tmp_path / "studies.db")))
    found = [path for method, path in every_route(app) if method == "GET"]
    return [path for path in found if path.startswith("/studies") and not path.endswith("/live")]


def filled(path, parameters):
    """An address with its placeholders filled in."""
    wanted = re.findall(r"{(\w+)(?::\w+)?}", path)
    missing = set(wanted) - set(parameters)
    assert not missing, f"{path}: say in this test what stands for {missing}"
    return re.sub(r"{(\w+)(?::\w+)?}", lambda found: quote(parameters[found[1]], safe=""), path)


def test_every_page_is_short_and_light(server, browser, parameters, tmp_path):
    looked_at, wrong = [], []
    with window(browser, server) as watched:
        for path in pages(tmp_path):
            address = server.url + filled(path, parameters)
            answer = watched.context.request.get(address)
            is_page = answer.headers["content-type"].startswith("text/html")
            is_file = "attachment" in answer.headers.get("content-disposition", "")
            if answer.status != 200 or not is_page or is_file or "<html" not in answer.text():
                continue
            page = watched.page(address)
            page.wait_for_load_state("networkidle")
            for place in page.locator("[data-chart]").all():  # they come when they are seen
                place.scroll_into_view_if_needed()
                drawn = f"#{place.get_attribute('id')}[data-drawn]"
                page.locator(drawn).wait_for(state="attached")
            page.wait_for_load_state("networkidle")
            nodes = page.evaluate("() => document.querySelectorAll('*').length")
            height = page.evaluate("() => document.documentElement.scrollHeight")
            looked_at.append(path)
            if nodes > MOST_NODES or height > MOST_PIXELS:
                wrong.append(f"{path}: {nodes} nodes, {height} px high")
            wrong += [f"{path}: {each}" for each in accessibility_problems(page)]
            page.close()
    assert not wrong, "\n".join(wrong)
    assert {"/studies", "/studies/{name}", "/studies/{name}/history"} <= set(looked_at)


def test_the_first_paint_does_not_wait_for_what_takes_long(server, browser):
    held = []

    def hold(route):  # nobody answers
        held.append(route)

    with window(browser, server) as watched:
        page = watched.page()
        page.route(SLOW, hold)
        page.goto(server.study_url(NAME))
        page.get_by_role("heading", level=1).wait_for()
        assert page.locator("#money-free").inner_text()
        assert page.locator(".card").count() > 0
        page.wait_for_function(
            "() => performance.getEntriesByName('first-contentful-paint').length"
        )
        page.locator("#chart-worth").scroll_into_view_if_needed()
        page.wait_for_timeout(100)
        assert held, "the test holds nothing back"
        for each in held:
            each.abort()
        watched.complaints.clear()  # the browser says that the requests were cut off
