"""Entering results: the table, a laboratory's file, looked over, written once, undone."""

import html
import io
import re

import openpyxl
import pytest

from tests.webs import client, make_study


@pytest.fixture
def study(tmp_path):
    with make_study(tmp_path / "studies.db") as made:
        made.ask(3)
        yield made


@pytest.fixture
def page(tmp_path, study):
    with client(tmp_path) as found:
        yield Page(found)


class Page:
    """A browser: it fills in forms, and shows the part of the page that comes back."""

    def __init__(self, http):
        self.http = http
        self.text = http.get("/studies/flu/results").text

    def fields(self, form):
        """Return what a form would send, by the names of its fields."""
        there = re.search(rf'<form id="{form}".*?</form>', self.text, re.DOTALL)
        whole = there[0] if there else self.text  # the table alone, which came back
        found = []
        for tag in re.findall(r"<input[^>]*>", whole):
            name, value = (re.search(rf'\b{key}="([^"]*)"', tag) for key in ("name", "value"))
            if name and 'type="checkbox"' not in tag and 'type="file"' not in tag:
                found.append((name[1], html.unescape(value[1]) if value else ""))
        return found

    def cells(self):
        """Return the names of the fields by what they are called for a screen reader."""
        tags = re.findall(r'<input type="text" name="(v[^"]*)"[^>]*aria-label="([^"]*)"', self.text)
        return {html.unescape(label): name for name, label in tags}

    def send(self, path, fields, form="grid", files=None):
        given = {}
        for name, value in [*self.fields(form), *fields]:
            if name in ("row", "column"):
                given.setdefault(name, []).append(value)
            else:
                given[name] = value
        answer = self.post(path, data=given, files=files)
        self.text = answer.text
        return answer

    def post(self, path, **given):
        return self.http.post(f"/studies/flu{path}", headers={"HX-Request": "true"}, **given)

    def upload(self, content, name="results.csv", **fields):
        if 'id="upload"' not in self.text:
            self.text = self.http.get("/studies/flu/results").text
        return self.send("/results/file", list(fields.items()), "upload", {"file": (name, content)})

    def write(self, **fields):
        return self.send("/results/write", list(fields.items()), "write")


def due(study):
    return [(each.case, each.feature) for each in study.requests("pending")]


def test_the_table_is_checked_and_then_written_once(page, study):
    (case, test), *others = due(study)
    cells = page.cells()
    label = next(each for each in cells if each.startswith(f"{test} of {case}, due"))
    free = next(each for each in cells if "nobody asked for it" in each)
    answer = page.send("/results/check", [(cells[label], "yes"), (cells[free], "no")])
    assert answer.status_code == 200
    assert "<strong>1</strong> told, <strong>1</strong> recorded though nobody asked" in page.text
    study.refresh()
    assert due(study) == [(case, test), *others], "nothing is written by looking"
    fields = page.fields("write")
    answer = page.write()
    assert answer.status_code == 200
    study.refresh()
    assert due(study) == others
    assert {each.fate for each in study.requests()} == {"pending", "told", "recorded"}
    events = study.events
    again = page.post("/results/write", data=dict(fields))
    assert again.headers["HX-Redirect"] == answer.headers["HX-Redirect"]
    study.refresh()
    assert study.events == events
    page.text = page.http.get(answer.headers["HX-Redirect"]).text
    assert "1 told, 1 recorded; " in page.text
    assert page.send("/results/undo", [], "undo-batch-form").status_code == 200
    study.refresh()
    assert sorted(due(study)) == sorted([(case, test), *others])


def test_what_was_typed_stays_when_a_case_is_added_or_a_block_pasted(page, study):
    first = next(iter(page.cells().values()))
    page.send("/results", [(first, "yes"), ("scan", "P11"), ("do", "add")])
    assert f'name="{first}" value="yes"' in page.text
    assert "fever of P11, nobody asked for it" in page.cells()
    page.send("/results", [("scan", "P99"), ("do", "add")])
    assert "There is no case &#39;P99&#39; in this study." in page.text
    assert f'name="{first}" value="yes"' in page.text
    block = "case\tCough\tfever\nP3\tno\tyes\nP4\t\tno\n"
    page.send("/results", [("block", block), ("do", "paste")])
    cells = page.cells()
    for label, value in (("cough of P3", "no"), ("fever of P3", "yes"), ("fever of P4", "no")):
        name = next(each for said, each in cells.items() if said.startswith(label))
        assert f'name="{name}" value="{value}"' in page.text
    for wrong in ("a\tb\tc", "case\tcoughh\tfever\nP3\tno\tno", "case\tfever\nP77\tno"):
        page.send("/results", [("block", wrong), ("do", "paste")])
        assert 'class="problem"' in page.text
        assert f'name="{first}" value="yes"' in page.text
    study.refresh()
    assert study.events == 4


def test_refused_values_are_said_and_the_right_ones_may_be_written(page, study):
    (case, test), *_ = due(study)
    content = f"case;{test}\n{case};yes\nP99;no\nP0;perhaps\n"
    assert page.upload(content.encode()).status_code == 200
    for words in ("semicolons between the cells", "there is no case &#39;P99&#39;", "line 3",
                  "has no value &#39;perhaps&#39;", "<strong>2</strong> refused"):  # fmt: skip
        assert words in page.text
    text = page.text
    assert page.write().status_code == 422
    study.refresh()
    assert study.events == 4
    page.text = text
    assert page.write(skip="yes").status_code == 200
    study.refresh()
    assert study.events == 5


def test_what_changed_meanwhile_is_shown_again(page, study):
    (case, test), *_ = due(study)
    page.upload(f"case,{test}\n{case},yes\n".encode())
    study.tell(1, "no")
    before = study.events
    page.write()
    assert "Something changed in the study meanwhile" in page.text
    assert "is &#39;no&#39; already" in page.text
    assert "/studies/flu/requests/1/correct" in page.text
    study.refresh()
    assert study.events == before


def test_columns_that_nobody_knows_are_asked_about(page):
    content = b"Patient_no,Fevr,ward\nP1,yes,A\n"
    page.upload(content)
    assert "no column names the case" in page.text
    page.upload(content, case_column="Patient_no")
    assert "Is it fever?" in page.text
    assert 'value="(leave out)"' in page.text
    data = dict(page.fields("upload")) | {"case_column": "Patient_no"}
    data["unknown"], data["meant"] = ["Fevr", "ward"], ["fever", "(leave out)"]
    answer = page.post("/results/file", data=data, files={"file": ("a.csv", content)})
    assert "<strong>1</strong> recorded" in answer.text
    assert "Left out: ward" in answer.text


def workbook(rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def test_a_workbook_in_long_form_with_costs_and_notes(page, study):
    (case, test), *_ = due(study)
    rows = [["case", "test", "value", "cost", "note"], [case, test, "yes", 1.25, "late"]]
    page.upload(workbook(rows), "results.xlsx")
    assert "1.25 charged" in page.text
    assert page.write().status_code == 200
    study.refresh()
    assert [each.text for each in study.notes(case)] == ["late"]
    assert str(study.state.spent) == "1.25"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"case,fever\nP1,\x81\xff\n", "no text in"),
        (b"case,fever\nP1,yes,no\nP2\n", "line 2 has 3 cells"),
        (b"x;a,b\nP1;2,3\n", "choose what stands between"),
        (b"PK\x03\x04" + b"junk" * 100, "cannot be read as an .xlsx"),
        (b"%PDF-1.4\n\x00\x01", "control character"),
    ],
)  # fmt: skip
def test_hostile_files_get_words_and_change_nothing(page, study, content, words):
    answer = page.upload(content)
    shown = html.unescape(answer.text)
    assert answer.status_code == 422
    assert words in shown
    assert "Traceback" not in shown
    study.refresh()
    assert study.events == 4


def test_notes_are_written_from_the_page(page, study):
    assert page.send("/note", [("text", "a holiday")], "note").status_code == 200
    study.refresh()
    assert [each.text for each in study.notes()] == ["a holiday"]
    assert "a holiday" in page.http.get("/studies/flu/history").text


def test_an_undo_after_a_correction_says_which(page, study, tmp_path):
    (case, test), *_ = due(study)
    page.upload(f"case,{test}\n{case},yes\n".encode())
    location = page.write().headers["HX-Redirect"]
    page.text = page.http.get(location).text
    fields = dict(page.fields("undo-batch-form"))
    study.refresh()
    study.correct(1, "no")
    assert page.post("/results/undo", data=fields).status_code == 422
    text = page.http.get(location).text
    assert f"something else happened to {test} of {case}" in text
    assert "Undo all of it" not in text


def test_cells_for_live_updates(page, study):
    (case, test), *_ = due(study)
    asked = {"row": [case], "column": [test]}
    ((cell,),) = page.http.get("/studies/flu/results/cells", params=asked).json()
    assert cell["state"] == "due"
    study.tell(1, "yes")
    ((cell,),) = page.http.get("/studies/flu/results/cells", params=asked).json()
    assert (cell["state"], cell["value"]) == ("known", "yes")


def test_a_damaged_hidden_field_is_refused(page):
    for field in ("kept", "added"):
        page.text = page.http.get("/studies/flu/results").text
        answer = page.send("/results/check", [(field, "{")])
        assert answer.status_code == 409
        assert "load the page again" in answer.text
