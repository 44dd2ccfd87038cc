"""A new study by steps, as a browser goes through it."""

import asyncio
import os
import re
import tomllib

import pytest

from budgeted import Study
from budgeted.errors import UnknownError
from budgeted.studies.files import read_study
from budgeted.studies.preparing import Preparation
from budgeted.studies.study import studies
from budgeted.web.auth.roles import Role
from budgeted.web.preparations import Preparations
from budgeted.web.settings import Settings
from tests.forms import fill_in, forms_in
from tests.webs import client, every_route

LIST = (
    "Patient;Diagnose;Zentrum;Ferritin (µg/l);CRP;Bemerkung\n"
    + "".join(
        f"P{at:02};{('krank', 'gesund')[at % 2]};{('Nord', 'Süd')[at % 3 == 0]};"
        f"{f'{10 + at * 7},5' if at % 4 else ''};{('', 'hoch', 'normal')[at % 3]};"
        f"kam um {at} Uhr 30\n"
        for at in range(24)
    )
).encode("latin-1")


@pytest.fixture
def site(tmp_path):
    with client(tmp_path) as found:
        yield found


def taken(site, content=LIST, name="anaemia"):
    """Upload a list of cases; return the address of the draft."""
    files = {"cases": ("list.csv", content)}
    answer = fill_in(site, "/studies/new", "/new", {"name": name}, files)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].rpartition("/")[0]


def step(site, at, name, changes=None, go="next", files=None, action=None):
    return fill_in(site, f"{at}/{name}", f"{at}/{action or name}", {**(changes or {}), "go": go},
                   files)  # fmt: skip


def finished(site, at):
    """Fill in what the list leaves open, up to the preview."""
    assert step(site, at, "columns").headers["location"] == f"{at}/tests"
    priced = step(site, at, "tests", {"cost-0": "18,00", "cost-1": "9,5"})
    assert priced.headers["location"] == f"{at}/prices"
    panel = {"panel_name-0": "blood", "panel_features-0": "Ferritin (µg/l), CRP",
             "panel_how-0": "shared", "panel_amount-0": "2,10"}  # fmt: skip
    fee = {"visit_fee": "50", "visit_days": "30", "currency": "EUR"}
    assert step(site, at, "prices", panel | fee).headers["location"] == f"{at}/budget"
    answer = step(site, at, "budget", {"budget_amount": "1500,00"})
    assert answer.headers["location"] == f"{at}/preview"


def studies_of(tmp_path):
    return studies(str(tmp_path / "studies.db"))


def test_a_list_with_semicolons_and_decimal_commas_becomes_a_study(site, tmp_path):
    at = taken(site)
    columns = site.get(f"{at}/columns").text
    assert "Windows-1252" in columns
    fields = next(fields for where, fields in forms_in(columns) if where.endswith("columns"))
    uses = [fields[f"use-{number}"] for number in range(6)]
    assert uses == ["case", "label", "group", "test", "test", "ignored"]
    assert fields["decimal"] == "comma"
    finished(site, at)
    page = site.get(f"{at}/preview").text
    assert "Everything fits" in page, re.findall("<li>.*?</li>", page, re.DOTALL)
    begun = fill_in(site, f"{at}/preview", f"{at}/begin")
    assert begun.headers["location"] == "/studies/anaemia"
    with Study.open(str(tmp_path / "studies.db"), "anaemia") as study:
        problem = study.state.problem
        assert [each.name for each in problem.features] == ["Ferritin (µg/l)", "CRP"]
        assert problem.features[0].kind.unit == "µg/l"
        assert str(problem.budget) == "1500.00"
        assert problem.prices.visit_days == 30
        recorded = [each for each in study.requests() if each.fate == "recorded"]
        assert len(recorded) == 18 + 16
        assert study.state.spent == 0


def test_begin_pressed_twice_begins_one_study_and_survives_a_restart(tmp_path):
    with client(tmp_path) as site:
        at = taken(site)
        finished(site, at)
        fields = forms_in(site.get(f"{at}/preview").text)[-1]
    with client(tmp_path) as site:
        assert "anaemia" in site.get("/studies/new").text
        answers = [site.post(f"{at}/begin", data=fields[1]) for _ in range(2)]
        assert [each.headers["location"] for each in answers] == ["/studies/anaemia"] * 2
    assert list(studies_of(tmp_path)) == ["anaemia"]


def test_going_back_keeps_what_was_said(site):
    at = taken(site)
    finished(site, at)
    step(site, at, "columns", go="stay")
    step(site, at, "budget", go="stay")
    fields = dict(forms_in(site.get(f"{at}/tests").text)[-2][1])
    assert (fields["cost-0"], fields["cost-1"]) == ("18.00".replace(".", ","), "9,5")
    assert "Everything fits" in site.get(f"{at}/preview").text


def test_all_mistakes_are_told_with_the_step_where_they_are_mended(site, tmp_path):
    content = b"case,label,fever\nA,ill,yes\nA,well,maybe\n,ill,no\nB,,no\n"
    at = taken(site, content)
    step(site, at, "tests", {"values-0": "no, yes", "cost-0": "much"}, go="stay")
    step(site, at, "prices", {"visit_fee": "a lot"}, go="stay")
    page = site.get(f"{at}/preview").text
    words = re.sub(r"&#39;", "'", page)
    assert "Some things must be mended first" in page
    for said in (
        "line 3: case A: is in line 2 already", "line 4: the name of the case is empty",
        "line 5: case B: the label is empty", "test 'fever': the price: must be an amount",
        "the visit fee: must be an amount", "the budget is not there yet",
    ):  # fmt: skip
        assert said in words, said
    for name in ("cases", "tests", "prices", "budget"):
        assert f'href="{at}/{name}?checked=1"' in page
        assert site.get(f"{at}/{name}?checked=1").status_code == 200
    assert 'id="begin"' not in page
    assert site.post(f"{at}/begin").status_code == 422
    assert not list(studies_of(tmp_path))


def test_the_downloaded_files_are_what_the_command_line_takes(site, tmp_path):
    at = taken(site)
    finished(site, at)
    toml, cases = site.get(f"{at}/study.toml"), site.get(f"{at}/cases.csv")
    (tmp_path / "study.toml").write_bytes(toml.content)
    (tmp_path / "cases.csv").write_bytes(cases.content)
    read = read_study(tmp_path / "study.toml", tmp_path / "cases.csv")
    fill_in(site, f"{at}/preview", f"{at}/begin")
    with Study.open(str(tmp_path / "studies.db"), "anaemia") as study:
        assert study.state.problem == read.problem
        assert len(read.known) == 34
    assert read.groups["P00"] == "Süd"


def begun_with(site, file, cases):
    """Upload a list of cases with a study file; return the address of the draft."""
    files = {"study_file": ("mine.toml", file), "cases": ("c.csv", cases)}
    answer = fill_in(site, "/studies/new", "/new", files=files)
    return answer.headers["location"].rpartition("/")[0]


def test_a_study_file_fills_in_the_steps(site):
    template = site.get("/new/template.toml")
    cases = b"case,label,crp\n1,iron-deficiency,raised\n2,chronic-disease,\n"
    at = begun_with(site, template.content, cases)
    for name in ("columns", "tests", "prices", "budget"):
        answer = step(site, at, name)
        assert answer.status_code == 303, name
    assert answer.headers["location"] == f"{at}/preview"
    before, after = tomllib.loads(template.text), tomllib.loads(site.get(f"{at}/study.toml").text)
    assert {key: after[key] for key in before} == before
    assert fill_in(site, f"{at}/preview", f"{at}/begin").status_code == 303


def test_prices_of_a_study_file_that_no_field_shows_are_kept(site):
    template = site.get("/new/template.toml").text
    special = '[prices]\nlist = "tariff"\n[[prices.exceptions]]\nlabel = "chronic-disease"\n' \
              'feature = "crp"\nprice = "1"\n'  # fmt: skip
    at = begun_with(site, f"{template}\n{special}".encode(), b"case,label\n1,chronic-disease\n")
    assert "1 prices for a label or a group" in site.get(f"{at}/prices").text
    step(site, at, "prices", {"visit_fee": "3"})
    prices = tomllib.loads(site.get(f"{at}/study.toml").text)["prices"]
    assert prices["visit_fee"] == "3"
    assert prices["exceptions"] == [{"label": "chronic-disease", "feature": "crp", "price": "1"}]


def test_a_thousand_tests_are_pasted_and_shown_in_pages(site):
    at = taken(site, b"case,label\nA,ill\nB,well\n")
    rows = "".join(f"gene {number}\t{number + 1},50\tlow, high\n" for number in range(1000))
    answer = fill_in(site, f"{at}/tests", f"{at}/paste", {"pasted": rows})
    assert "1000 tests were taken" in answer.text
    page = site.get(f"{at}/tests").text
    assert page.count("<fieldset") == 13
    assert len(re.findall(r"<\w", page)) < 3_000
    assert "gene 777" in site.get(f"{at}/tests?search=gene 777").text
    assert "checked=1" in step(site, at, "tests", {"cost-0": "7"}, go="stay").headers["location"]
    step(site, at, "budget", {"budget_amount": "100"})
    assert "Everything fits" in site.get(f"{at}/preview").text


def test_cuts_are_found_where_the_labels_change(site):
    rows = "".join(f"P{at},{('well', 'ill')[at > 10]},{at}.5\n" for at in range(20))
    at = taken(site, b"case,label,temp\n" + rows.encode())
    step(site, at, "tests", {"propose-0": "labels", "cost-0": "1"}, go="stay")
    page = site.get(f"{at}/tests").text
    assert 'name="cuts-0" value="11"' in page
    assert "labels of the list of cases, 20 numbers" in page


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"\x00\x01\x02" * 100, "no CSV file"),
        (b"case,label\nA,ill\nB\nC,well,x\n", "line 3 has 1 cell"),
        ((",".join(f"c{at}" for at in range(10_000)) + "\n").encode() * 2, "10,000 columns"),
        (b"case;label,x\nA;b,c\n", "not clear which"),
    ],
)
def test_hostile_files_get_words_and_change_nothing(site, tmp_path, content, words):
    files = {"cases": ("list.csv", content)}
    answer = fill_in(site, "/studies/new", "/new", {"name": "x"}, files)
    assert answer.status_code == 422
    assert re.search(words, answer.text), re.findall(
        'role="alert".*?</div>', answer.text, re.DOTALL
    )
    assert not list((tmp_path / "web").glob("preparations/*"))


def test_another_list_is_refused_in_words_and_the_first_one_stays(site):
    at = taken(site)
    answer = step(site, at, "cases", files={"cases": ("x.csv", b"a,b\n1\n")})
    assert answer.status_code == 422
    assert "24 cases" in site.get(f"{at}/cases").text


def test_another_list_takes_the_place_of_what_was_in_preparation(site, tmp_path):
    first, second = (taken(site, b"case,label\nA,ill\nB,well\n", f"s{at}") for at in range(2))
    assert site.get(f"{first}/tests").status_code == 404
    start = site.get("/studies/new").text
    assert f'href="{second}/preview">s1</a>' in start
    assert len(list((tmp_path / "web" / "preparations").iterdir())) == 1


def test_addresses_that_nobody_was_given_are_not_there(site):
    for at in ("../x", "0" * 24, "x" * 24, "%2e%2e"):
        assert site.get(f"/new/{at}/tests").status_code == 404


def test_names_that_attack_are_shown_harmlessly(site):
    evil = "<img src=x onerror=alert(1)>\"'{{7*7}}"
    content = f'case,label,"{evil.replace(chr(34), chr(34) * 2)}"\nA,ill,1\nB,well,2\n'.encode()
    at = taken(site, content, evil)
    for name in ("cases", "columns", "tests", "prices", "budget", "preview"):
        page = site.get(f"{at}/{name}").text
        assert "<img" not in page
        assert "{{7*7}}" in page


def test_shares_policy_and_validation_cases_are_kept(site, tmp_path):
    at = taken(site)
    finished(site, at)
    known = "Diagnose;Ferritin (µg/l);CRP\nkrank;12,5;hoch\ngesund;99;normal\n".encode()
    more = {"share-0": "60 %", "share-1": "0,4", "policy": "round-robin", "seed": "7"}
    answer = step(site, at, "budget", more, files={"validation": ("v.csv", known)})
    assert answer.headers["location"] == f"{at}/preview", answer.text
    fill_in(site, f"{at}/preview", f"{at}/begin")
    with Study.open(str(tmp_path / "studies.db"), "anaemia") as study:
        assert dict(zip(study.state.problem.labels, study.state.problem.prior, strict=True)) == {
            "gesund": 0.6, "krank": 0.4}  # fmt: skip
    assert len(list((tmp_path / "web" / "validation").iterdir())) == 1


@pytest.mark.parametrize(
    "content",
    [
        "name = 7\nbudget = []\nfeatures = 3\nlabels = [[1]]\nprior = 'x'\npolicy = 4\nseed = 'a'",
        "decimal = 3\nprices = 5\nloss = [1]\ncase_rule = 1\n[[features]]\nname = [1]\nvalues = 2",
        "[budget]\nevery = []\namount = {}\n[prices]\nlist = 3\npanels = [1]\n[[features]]\n"
        "cuts = 9\nkind = 'number'\nname = {}",
        "[prices]\nlist = 'tariff'\nvisit_fee = []\npanels = [{features = 3, setup = []}]\n"
        "exceptions = [{label = 3, price = []}]\n[[features]]\nname = 'a'\nvalues = ['x', 3]",
        "labels = ['ill', 'ill']\nprior = [{}, []]\n[[features]]\nkind = []\n"
        "ordered = 3\ncost = []",
    ],
)
def test_a_study_file_that_makes_no_sense_is_shown_and_told_in_words(site, content):
    at = begun_with(site, content.encode(), b"case,label,a\n1,ill,x\n2,well,\n")
    for name in ("cases", "columns", "tests", "prices", "budget", "preview"):
        page = site.get(f"{at}/{name}?checked=1")
        assert page.status_code == 200, name
        if name != "preview":
            assert step(site, at, name).status_code in (303, 422), name
    assert "Some things must be mended first" in site.get(f"{at}/preview").text
    assert site.get(f"{at}/study.toml").status_code == 200


def test_only_who_manages_studies_prepares_and_begins_them(site, monkeypatch):
    at = taken(site)
    monkeypatch.setattr("budgeted.web.auth.roles.role_of", lambda request: Role.ENTERS)
    id = at.removeprefix("/new/")
    routes = [
        (method, path.replace("{id}", id))
        for method, path in every_route(site.app)
        if path.startswith("/new") or path in ("/studies/new",)
        or (method == "POST" and path == "/api/studies")
    ]  # fmt: skip
    assert len(routes) > 15
    for method, path in routes:
        body = {"json": {}} if path.startswith("/api") and method == "POST" else {}
        answer = site.request(method, path, **body)
        assert answer.status_code == 403, (method, path)


def test_where_people_log_in_each_sees_only_his_own(tmp_path):
    settings = Settings(str(tmp_path / "s.db"), folder=tmp_path, token_file=tmp_path / "tokens")
    kept = Preparations(settings)

    async def play():
        draft = await kept.create("anna", Preparation({"name": "hers"}))
        assert (await kept.of("anna")).name == "hers"
        assert await kept.of("ben") is None
        with pytest.raises(UnknownError):
            await kept.find(draft.id, "ben")
        await kept.create("ben", Preparation({"name": "his"}))
        return await kept.find(draft.id, "anna")

    assert asyncio.run(play()).name == "hers"


def test_what_nobody_touched_for_a_month_goes(tmp_path):
    kept = Preparations(Settings(str(tmp_path / "s.db"), folder=tmp_path))

    async def play():
        old = await kept.create("anna", Preparation({"name": "old"}))
        file = tmp_path / "preparations" / old.id / "draft.json"
        past = file.stat().st_mtime - 31 * 24 * 3600
        os.utime(file, (past, past))
        await kept.create("ben", Preparation({"name": "new"}))
        return sorted(each.name for each in (tmp_path / "preparations").iterdir()), old.id

    left, gone = asyncio.run(play())
    assert len(left) == 1
    assert gone not in left
