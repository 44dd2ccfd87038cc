"""The forms in which the page and the API give the classifier away."""

import re

import pytest

from budgeted import Study
from budgeted.learners import Hierarchical
from budgeted.learners.formats import offered
from tests.webs import client, make_study

FORMS = [each for each in offered(Hierarchical()) if each.name != "json"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forms")
    with make_study(folder / "studies.db") as study:
        study.record([(f"P{at}", name, ("no", "yes")[(at + (at % 5 == 0)) % 2])
                      for at in range(10) for name in ("fever", "cough")])  # fmt: skip
    with client(folder) as found:
        found.database = str(folder / "studies.db")
        yield found


@pytest.mark.parametrize("each", FORMS, ids=lambda each: each.name)
def test_every_form_is_that_of_the_study(each, site):
    with Study.open(site.database, "flu") as study:
        model = study.model()
    for root in ("/studies", "/api/studies"):
        answer = site.get(f"{root}/flu/models/{each.name}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == (
            f'attachment; filename="model.{each.ending}"'
        )
        assert answer.content == each.content(model)
        rare = site.get(f"{root}/flu/models/{each.name}", params={"prior": [0.9, 0.1]})
        assert rare.content == each.content(model.with_prior((0.9, 0.1)))


def test_the_page_offers_them_for_the_population_that_is_shown(site):
    page = site.get("/studies/flu/model", params={"prior": ["0.9", "0.1"]}).text
    found = re.findall(r'href="/studies/flu/models/([a-z-]+)\?prior=0.9&amp;prior=0.1"', page)
    assert found == [each.name for each in FORMS]
