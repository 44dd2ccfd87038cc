"""Files of results: whatever a spreadsheet writes is read back; what is hostile is refused."""

import csv
import io
import tracemalloc
import zipfile

import openpyxl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from budgeted.errors import BudgetedError, StudyFileError, TableError
from budgeted.studies.results.blocks import pasted
from budgeted.studies.results.files import Reading, read_results
from budgeted.studies.results.tables import Most
from budgeted.studies.results.texts import read_text
from budgeted.studies.results.workbooks import read_workbook
from tests.thorough import sized

FEATURES = ["crp", "ferritin", "größe"]
PLAIN = st.text(
    st.characters(codec="cp1252", exclude_categories=("C", "Z")), min_size=1, max_size=6
)
CELL = PLAIN.filter(lambda each: each not in ("?",) and each[0] not in "'=+-@")
SEPARATED = st.one_of(
    CELL, st.sampled_from(["3,5", "a;b", "x\ty", 'say "no"', "two\nlines", "a|b"])
)
TABLES = st.lists(st.tuples(SEPARATED, SEPARATED, st.just("") | SEPARATED), min_size=1, max_size=6)
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252"]


def written(rows, separator, encoding):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator)
    writer.writerow(["case", *FEATURES[:2]])
    writer.writerows(rows)
    return text.getvalue().encode(encoding)


@settings(max_examples=150, deadline=None)
@given(TABLES, st.sampled_from(",;\t"), st.sampled_from(ENCODINGS), st.booleans())
def test_any_text_that_is_written_is_read_back(rows, separator, encoding, says):
    how = Reading(separator=separator, encoding=encoding if says else None)
    content = written(rows, separator, encoding)
    if encoding == "cp1252" and not says:
        try:
            content.decode()
            assume(content.isascii())  # else it happens to be UTF-8 as well
        except UnicodeDecodeError:
            pass
    found = read_results(content, "file", FEATURES, how if says else None)
    wanted = [
        (row[0], feature, row[at])
        for row in rows
        for at, feature in enumerate(FEATURES[:2], 1)
        if row[at]
    ]
    assert [each[:3] for each in found.results] == wanted
    assert found.table.separator == separator


VALUES = st.one_of(
    CELL, st.integers(-(10**9), 10**9), st.floats(-1e6, 1e6).map(lambda each: float(f"{each:.12g}"))
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(CELL, VALUES, st.none() | VALUES), min_size=1, max_size=5))
def test_any_workbook_that_is_written_is_read_back(rows):
    book = openpyxl.Workbook()
    book.active.append(["case", "crp", "ferritin"])
    for row in rows:
        book.active.append(row)
    found = read_results(saved(book), "file", FEATURES)
    wanted = [
        (row[0], feature, row[at])
        for row in rows
        for at, feature in ((1, "crp"), (2, "ferritin"))
        if row[at] is not None
    ]
    assert [each[:3] for each in found.results] == wanted


def saved(book):
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def test_long_files_with_costs_and_notes():
    content = (
        "Patient;Test;Result;Cost;Comment\nP1;crp;3,5;1,50;late\nP2;Ferritine;low;;\nP3;crp;;;\n"
    )
    found = read_results(content.encode(), "file", FEATURES)
    assert [(each.name, each.guess) for each in found.questions] == [("Ferritine", "ferritin")]
    assert found.results == ()
    how = Reading(meant={"Ferritine": "ferritin"})
    found = read_results(content.encode(), "file", FEATURES, how)
    assert [tuple(each)[:5] for each in found.results] == [
        ("P1", "crp", "3,5", "1.50", "late"), ("P2", "ferritin", "low", "", ""),
    ]  # fmt: skip
    assert found.lines == (2, 3)
    left = read_results(content.encode(), "file", FEATURES, Reading(meant={"Ferritine": ""}))
    assert [each.case for each in left.results] == ["P1"]
    assert left.left_out == ("Ferritine",)


def test_formulas_count_as_what_they_showed_last_or_are_refused():
    book = openpyxl.Workbook()
    book.active.append(["case", "crp"])
    book.active.append(["P1", "=1+1"])
    with pytest.raises(TableError, match="B2 is a formula whose result is not in the file"):
        read_workbook(saved(book), "file")
    shown = with_sheet(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>case</t></is></c>'
        '<c r="B1" t="inlineStr"><is><t>crp</t></is></c></row>'
        '<row r="2"><c r="A2" t="inlineStr"><is><t>P1</t></is></c>'
        '<c r="B2"><f>1+1</f><v>2</v></c></row>'
    )
    assert read_workbook(shown, "file").rows == (("P1", 2),)
    error = with_sheet('<row r="1"><c r="A1" t="e"><v>#N/A</v></c></row>')
    with pytest.raises(TableError, match="A1 holds an error"):
        read_workbook(error, "file")


SHARED_PART = (b'<Override PartName="/xl/sharedStrings.xml" ContentType="application/'
               b'vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>')  # fmt: skip


def with_sheet(rows, extra=(), strings=None):
    """A workbook whose sheet holds this, as an attacker would write it."""
    book = openpyxl.Workbook()
    book.active["A1"] = "x"
    old = zipfile.ZipFile(io.BytesIO(saved(book)))
    made = io.BytesIO()
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name.startswith("xl/worksheets/sheet"):
                content = f"<worksheet {space}><sheetData>{rows}</sheetData></worksheet>".encode()
            if name == "[Content_Types].xml" and strings is not None:
                content = content.replace(b"</Types>", SHARED_PART + b"</Types>")
            new.writestr(name, content)
        if strings is not None:
            items = "".join(f"<si><t>{each}</t></si>" for each in strings)
            new.writestr("xl/sharedStrings.xml", f"<sst {space}>{items}</sst>")
        for name, content in extra:
            new.writestr(name, content)
    return made.getvalue()


def bomb():
    return with_sheet("<row>" + "<c><v>1</v></c>" * 100 + "</row>",
                      [("xl/media/zeros.xml", b"0" * 150_000_000)])  # fmt: skip


def lying_bomb():
    """Its directory says that the large part has 100 bytes."""
    content = bytearray(with_sheet("<row/>", [("xl/zeros.xml", b"0" * 120_000_000)]))
    real = (120_000_000).to_bytes(4, "little")
    at = content.find(real)
    while at >= 0:
        content[at : at + 4] = (100).to_bytes(4, "little")
        at = content.find(real)
    return bytes(content)


SHARED = '<row><c t="s"><v>0</v></c></row>' * 4_000
"""One long text in many cells."""
HOSTILE = {
    "bomb": (bomb, "more than 100,000,000 bytes"),
    "lying bomb": (lying_bomb, "damaged"),
    "far corner": (
        lambda: with_sheet('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
        "row",
    ),
    "wide": (lambda: with_sheet("<row>" + "<c><v>1</v></c>" * 10_000 + "</row>"), "columns"),
    "macros": (lambda: with_sheet("<row/>", [("xl/vbaProject.bin", b"x")]), "macros"),
    "millions of cells": (
        lambda: with_sheet("<row><c/></row>" * sized(600_000, 5_000_000)),
        "500,000 cells",
    ),
    "formats": (lambda: with_sheet("", [("xl/more.xml", b"<xf/>" * 2_000_000)]), "formats"),
    "entities": (
        lambda: with_sheet(
            "<row/>", [("xl/more.xml", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')]
        ),
        "damaged",
    ),
    "shared": (lambda: with_sheet(SHARED, strings=["x" * 30_000]), "characters"),
    "no workbook": (lambda: zipped({"a.txt": b"x"}), "no .xlsx workbook"),
    "twice": (lambda: with_sheet('<row r="x"/>'), "damaged"),
    "empty": (lambda: with_sheet(""), "empty"),
    "cut": (lambda: with_sheet("<row/>")[:-30], "damaged"),
    "old": (lambda: b"\xd0\xcf\x11\xe0" + b"\0" * 600, "password"),
}


def zipped(parts):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)
    return made.getvalue()


@pytest.mark.parametrize("which", HOSTILE)
def test_hostile_workbooks_are_refused_in_words_within_bounds(which):
    make, words = HOSTILE[which]
    content = make()
    tracemalloc.start()
    try:
        with pytest.raises(BudgetedError) as caught:
            read_results(content, "file", FEATURES)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert words in str(caught.value)
    assert peak < 250_000_000


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"case,crp\n" + b"," * 19_000_000, "columns"),
        (b"," * 19_000_000, "columns"),
        (b"case,crp\n" + b"P,1\n" * 200_001, "rows"),
        (b'case,crp\n"' + b"x" * 200_000, "quotes"),
        (b"x" * 21_000_000, "more than the 20,000,000"),
        (b"case\n", "no rows below"),
        (b",crp\nP1,3\n", "column 1 has no name"),
    ],
)
def test_hostile_texts_are_refused_in_words_within_bounds(content, words):
    tracemalloc.start()
    try:
        with pytest.raises(BudgetedError) as caught:
            read_results(content, "file", FEATURES)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert words in str(caught.value)
    assert peak < 250_000_000


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | st.binary(max_size=60).map(lambda each: b"PK\x03\x04" + each))
def test_whatever_the_bytes_are_there_is_a_table_or_words(content):
    try:
        read_results(content, "file", FEATURES)
    except (TableError, StudyFileError) as error:
        said = str(error)
    else:
        said = "file:"
    assert said.startswith("file:")


def test_too_many_values_are_refused():
    content = b"case,crp\n" + b"".join(b"P%d,1\n" % at for at in range(12))
    with pytest.raises(TableError, match="12 values, and at most 10"):
        read_results(content, "file", FEATURES, most=Most(results=10))


def test_two_columns_for_one_test_are_refused():
    how = Reading(meant={"CRP": "crp"})
    with pytest.raises(TableError, match="two columns stand for 'crp'"):
        read_results(b"case,crp,CRP\nP1,1,2\n", "file", FEATURES, how)


def test_what_is_overruled_holds():
    found = read_text(b"case|crp\nP1|3,5\n", "file", separator="|")
    assert found.rows == (("P1", "3,5"),)
    with pytest.raises(TableError, match="separator"):
        read_text(b"a,b\n1,2\n", "file", separator=";;")
    with pytest.raises(TableError, match="nobody here knows"):
        read_text(b"a,b\n1,2\n", "file", encoding="klingon")


NAMES = ["P1", "P2", "P3"]


@settings(deadline=None)
@given(
    st.lists(st.tuples(*[st.sampled_from(["low", "3.5", ""])] * 2), min_size=1, max_size=3),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_a_block_means_the_same_with_and_without_names(rows, above, before):
    tests = ["ferritin", "crp"]
    lines = [[*([name] if before else []), *row] for name, row in zip(NAMES, rows, strict=False)]
    if above:
        lines = [[*(["case"] if before else []), *tests], *lines]
    text = "\r\n".join("\t".join(line) for line in lines)
    assume(all(any(row) for row in rows))
    found = pasted(text, lambda name: name if name in NAMES else None, FEATURES, (NAMES, tests))
    assert found == [
        (name, test, cell)
        for name, row in zip(NAMES, rows, strict=False)
        for test, cell in zip(tests, row, strict=True)
        if cell
    ]
