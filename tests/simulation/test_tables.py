import csv
import io
import sys
from contextlib import suppress
from decimal import Decimal
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import BudgetedError, from_dataframe, read_csv
from budgeted.errors import TableError
from budgeted.simulation.tables import Reading, Table, parse_csv
from budgeted.simulation.tables.contents import as_cell, name_of

MIXED = (
    "id,fever,age,dose,insured,town,state\n"
    "a1,no,31,0.50,true,Åre,well\n"
    "b2,yes,4,1.5,false,São Paulo,ill\n"
    "c3,?,55,0,true,Åre,ill\n"
    "d4,yes,,2,false,?,well\n"
)
OPTIONS = {"label": "state", "ignore": ["id"], "missing_in": {"dose": ["0"]}}


@pytest.fixture
def csv_file(tmp_path):
    def write(content, name="visits.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def complaint(content, csv_file, **options):
    with pytest.raises(TableError) as caught:
        read_csv(csv_file(content), **{"label": "state", **options})
    return str(caught.value)


def test_a_csv_file_becomes_a_table_of_texts_numbers_and_missing_cells(csv_file):
    assert read_csv(csv_file(MIXED), **OPTIONS) == Table(
        "visits",
        ("fever", "age", "dose", "insured", "town"),
        (
            ("no", "yes", None, "yes"),
            (31.0, 4.0, 55.0, None),
            (0.5, 1.5, None, 2.0),
            ("true", "false", "true", "false"),
            ("Åre", "São Paulo", "Åre", None),
        ),
        ("ill", "well"),
        (1, 0, 0, 1),
    )


@pytest.mark.parametrize("library", ["pandas", "pandas-text", "polars", "polars-text", "pyarrow"])
def test_dataframes_give_the_same_table_as_the_file(library, csv_file):
    path = csv_file(MIXED)
    frame = {
        "pandas": lambda: import_module("pandas").read_csv(path),
        "pandas-text": lambda: import_module("pandas").read_csv(path, dtype=str),
        "polars": lambda: import_module("polars").read_csv(path),
        "polars-text": lambda: import_module("polars").read_csv(path, infer_schema=False),
        "pyarrow": lambda: import_module("pyarrow.csv").read_csv(path),
    }[library]()
    assert from_dataframe(frame, name="visits", **OPTIONS) == read_csv(path, **OPTIONS)


def test_numeric_labels_have_the_same_names_in_files_and_dataframes(csv_file):
    pandas = import_module("pandas")
    table = from_dataframe(pandas.DataFrame({"x": [1, 2, 3], "y": [10.0, 2.0, 10.0]}), label="y")
    assert table.labels == ("2", "10")
    assert read_csv(csv_file("x,y\n1,10\n2,2.0\n3,10\n"), label=-1, name="table") == table


def test_odd_cells_of_dataframes(csv_file):
    pandas = import_module("pandas")
    frame = pandas.DataFrame(
        {
            "kind": pandas.Categorical(["a", None, "b"]),
            "count": pandas.array([1, None, 3], dtype="Int64"),
            "price": [Decimal("1.5"), None, Decimal("2")],
            "day": pandas.to_datetime(["2003-08-07", None, "2003-08-08"]),
            "code": [10**17, 10**17 + 1, 3],
            "label": ["x", "y", "x"],
        }
    )
    table = from_dataframe(frame, label=-1)
    assert table.columns[0] == ("a", None, "b")
    assert table.columns[1] == (1.0, None, 3.0)
    assert table.columns[2] == (1.5, None, 2.0)
    assert table.columns[3] == ("2003-08-07T00:00:00", None, "2003-08-08T00:00:00")
    assert table.columns[4] == ("100000000000000000", "100000000000000001", 3.0)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([[1], [2]], ["column 'x', row 0 holds a list", "ignore"]),
        ([1.0, float("inf")], ["column 'x', row 1", "infinity"]),
    ],
)
def test_cells_that_are_no_values(cells, words):
    polars = import_module("polars")
    with pytest.raises(TableError) as caught:
        from_dataframe(polars.DataFrame({"x": cells, "y": ["a", "b"]}), label="y")
    assert all(word in str(caught.value) for word in words)


def test_what_is_no_dataframe():
    with pytest.raises(TableError, match="this dict cannot be read"):
        from_dataframe({"x": [1]}, label="x")
    pandas = import_module("pandas")
    twice = pandas.DataFrame([[1, 2, "a"], [3, 4, "b"]], columns=["x", "x", "y"])
    with pytest.raises(TableError, match="'x'"):
        from_dataframe(twice, label="y")


def test_without_narwhals_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(TableError, match=r"pip install 'budgeted\[dataframes\]'"):
        from_dataframe(object(), label="x")


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("", {}, ["empty", "header"]),
        ("\n\n", {}, ["empty"]),
        ("fever,state\n", {}, ["no rows below the header"]),
        ("fever,state\nno,well\nyes\n", {}, ["line 3 has 1 cells", "2 columns"]),
        ("fever,state\nno,well,x\n", {}, ["line 2 has 3 cells", "quotes"]),
        ("fever,State\nno,well\n", {}, ["no column 'state'", "did you mean 'State'?", "'fever'"]),
        ("fever,state\nno,well\n", {"label": 2}, ["no column number 2", "there are 2"]),
        ("fever,state\nno,well\n", {"label": True}, ["no column True"]),
        ("fever,state\nno,well\nyes,well\n", {}, ["'well' in every row", "nothing to tell apart"]),
        ("fever,state\nno,well\n\nyes,\n", {}, ["line 4 has no label", "'state'"]),
        ("fever,state\nno,well\nyes,?\n", {}, ["line 3 has no label"]),
        ("fever,fever,state\n1,2,well\n", {}, ["'fever' 2 times", "columns 0 and 1"]),
        (",fever,state\n1,2,well\n", {}, ["column 0", "no name", "ignore=[0]"]),
        ("fever,state\nno,well\n?,ill\n", {"missing": ["?", "no"]}, ["'fever'", "only missing"]),
        ("state\nwell\nill\n", {}, ["no column besides the label"]),
        ("fever,state\nno,a\nno,b\n", {"ignore": ["state"]}, ["'state' is the label column"]),
        ("fever,state\nno,a\nno,b\n", {"ignore": ["fevr"]}, ["ignore", "did you mean 'fever'?"]),
        ("fever,state\nno,a\nno,b\n", {"ignore": "fever"}, ["ignore: must be a list"]),
        ("fever,state\nno,a\nno,b\n", {"missing": "?"}, ["missing: must be a list"]),
        ("fever,state\nno,a\nno,b\n", {"missing_in": {"fver": ["0"]}}, ["missing_in", "'fever'?"]),
        ("fever,state\nno,a\nno,b\n", {"text": ["fver"]}, ["text", "did you mean 'fever'?"]),
        ("fever;state\nno;a\nno;b\n", {"delimiter": ","}, ["one column", "semicolons", "';'"]),
        ("fever;sta|te\nno;a\nno;b\n", {}, ["semicolons and vertical bars", "say which"]),
        ("fever,state\nno,a\nno,b\n", {"delimiter": ""}, ["delimiter: must be one character"]),
        ('fever,state\nno,a\n"no,b\n', {}, ["line 3", "quotes"]),
        ("fever,state\nno,a\nn\0o,b\n", {}, ["line 3", "NUL", "utf-16"]),
        (b"fever,state\nno,a\nS\xe3o,b\n", {}, ["line 3", "byte 18", "0xe3", "latin-1"]),
        ("fever,state\nno,a\nno,b\n".encode("utf-16"), {}, ["line 1", "byte 0", "'utf-16'"]),
        ("fever,state\nno,a\nno,b\n", {"encoding": "utf-9"}, ["no 'utf-9'"]),
    ],
)
def test_malformed_files_are_refused_with_the_place_and_a_way_out(
    content, options, words, csv_file
):
    message = complaint(content, csv_file, **options)
    assert [word for word in words if word not in message] == [], message


@pytest.mark.parametrize("mark", [";", "\t", "|", ","])
def test_what_stands_between_cells_is_found_out(mark, csv_file):
    text = MIXED.replace(",", mark)
    assert read_csv(csv_file(text), **OPTIONS) == read_csv(csv_file(MIXED), **OPTIONS)
    assert read_csv(csv_file(text), delimiter=mark, **OPTIONS) == read_csv(
        csv_file(MIXED), **OPTIONS
    )


def test_a_comma_in_the_header_is_what_stands_between_cells(csv_file):
    table = read_csv(csv_file('"dose; mg",state\n1,a\n2,b\n'), "state")
    assert table.features == ("dose; mg",)


def test_a_column_of_ten_thousand_texts_looks_like_an_id(csv_file):
    rows = "".join(f"case-{i},{i % 2}\n" for i in range(10_000))
    message = complaint("code,state\n" + rows, csv_file)
    assert "'code' has 10000 different values" in message
    assert "'case-0' in line 2" in message
    assert "ignore it" in message
    table = read_csv(csv_file("code,state\n" + rows), "state", most_values=10_000, text=["code"])
    assert len(table) == 10_000


def test_a_column_of_ten_thousand_numbers_is_fine(csv_file):
    rows = "".join(f"{i / 7},{i % 2}\n" for i in range(10_000))
    assert len(read_csv(csv_file("x,state\n" + rows), "state")) == 10_000


def test_a_stray_text_among_numbers_is_asked_about(csv_file):
    rows = "".join(f"{i},{i % 2}\n" for i in range(50))
    message = complaint(f"x,state\n{rows}N/A,1\n", csv_file)
    assert "'N/A' in line 52" in message
    assert "missing" in message
    table = read_csv(csv_file(f"x,state\n{rows}N/A,1\n"), "state", missing=["N/A"])
    assert table.columns[0][-1] is None
    coded = read_csv(csv_file(f"x,state\n{rows}N/A,1\n"), "state", text=["x"])
    assert coded.columns[0][:2] == ("0", "1")


def test_a_number_to_predict_is_no_label(csv_file):
    rows = "".join(f"a,{i}\n" for i in range(101))
    assert "101 different values" in complaint("x,state\n" + rows, csv_file)


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(1_000_000_000)  # sparse: takes no room on the disk
    with pytest.raises(TableError, match=r"1,000,000,000 bytes.*largest=1000000000"):
        read_csv(path, "state")


def test_paths_that_are_no_file(tmp_path):
    with pytest.raises(TableError, match="is a folder"):
        read_csv(tmp_path, "state")
    with pytest.raises(TableError, match="No such file"):
        read_csv(tmp_path / "none.csv", "state")


def test_errors_can_be_caught_as_what_the_package_says(tmp_path):
    with pytest.raises(BudgetedError):
        read_csv(tmp_path, "state")


def test_what_programs_write_into_csv_files(csv_file):
    text = '\ufeff "fever" ,state\r\n"no, none",well\r\n"yes\nhigh",ill\r\n'
    table = read_csv(csv_file(text.replace(' "fever" ', '"fever"')), "state")
    assert table.features == ("fever",)
    assert table.columns == (("no, none", "yes\nhigh"),)
    columns = read_csv(csv_file("no;a\nyes;b\n"), "y", columns=["x", "y"], delimiter=";")
    assert columns.columns == (("no", "yes"),)
    sixteen = "x,y\nå,a\nø,b\n".encode("utf-16")
    assert read_csv(csv_file(sixteen), "y", encoding="utf-16").columns == (("å", "ø"),)


def test_ignoring_by_position_saves_an_unnamed_or_doubled_column(csv_file):
    path = csv_file(",x,x,y\n0,a,b,c\n1,a,b,d\n")
    assert read_csv(path, "y", ignore=[0, 2]).columns == (("a", "a"),)


def test_a_table_checks_itself():
    with pytest.raises(TableError, match="1 features have 0 columns"):
        Table("t", ("x",), (), ("a", "b"), (0, 1))
    with pytest.raises(TableError, match="'x' has 1 cells for 2 rows"):
        Table("t", ("x",), ((None,),), ("a", "b"), (0, 1))
    with pytest.raises(TableError, match="label number 2"):
        Table("t", ("x",), ((None, None),), ("a", "b"), (0, 2))
    with pytest.raises(TableError, match="'x' holds int"):
        Table("t", ("x",), ((1, None),), ("a", "b"), (0, 1))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_survive_their_names(number):
    assert as_cell(repr(number)) == as_cell(name_of(number)) or abs(number) >= 1e15
    assert isinstance(as_cell(name_of(number)), float) or abs(number) >= 1e15


@given(st.text())
def test_cells_are_read_once_and_for_all(text):
    once = as_cell(text)
    assert as_cell(once if once is None else name_of(once)) == once


CELLS = st.one_of(
    st.none(),
    st.floats(-1e6, 1e6).map(lambda x: round(x, 3) + 0.0),
    st.text("abcåé,\"\n ;'", min_size=1).map(str.strip).filter(bool),
)


@given(st.binary(), st.sampled_from(["utf-8", "latin-1", "utf-16", "ascii"]))
def test_noise_gives_a_table_or_our_error(content, encoding):
    with suppress(TableError):
        assert len(parse_csv(content, Reading(-1), name="noise", encoding=encoding)) >= 2


@given(st.lists(st.tuples(CELLS, st.sampled_from(["p", "q"])), min_size=2, max_size=8), st.data())
def test_any_rows_give_a_table_or_our_error(rows, data):
    header = data.draw(st.sampled_from(["x,y", "x", "y,y", ""]))
    lines = [f"{'' if cell is None else cell},{label}" for cell, label in rows]
    try:
        table = parse_csv("\n".join([header, *lines]).encode(), Reading("y"), name="fuzz")
    except TableError:
        return
    assert len(table.labels) == 2


@given(st.lists(st.tuples(CELLS, st.sampled_from(["p", "q"])), min_size=2, max_size=8))
def test_what_is_written_is_what_is_read(rows):
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerows([("x", "y"), *(("" if cell is None else cell, label) for cell, label in rows)])
    reading = Reading("y", missing=())
    if len({label for _, label in rows}) < 2 or all(cell is None for cell, _ in rows):
        return
    table = parse_csv(file.getvalue().encode(), reading, name="t")
    assert table.columns[0] == tuple(as_cell(cell) for cell, _ in rows)
    assert [table.labels[label] for label in table.row_labels] == [label for _, label in rows]


def test_a_text_column_that_differs_in_every_row_looks_like_an_id():
    rows = "\n".join(f"P{row:04},{row % 3},{'ab'[row % 2]}" for row in range(60))
    with pytest.raises(
        TableError, match="column 'id' has another text in every row, such as 'P0000'"
    ):
        parse_csv(f"id,x,y\n{rows}\n".encode(), Reading("y"), name="t")
