"""Tables of a study, against a fold of its journal that shares no code with the package."""

import csv
import io
import json
import random
from contextlib import suppress
from decimal import Decimal

import pytest
from click.testing import CliRunner

from budgeted import Feature, Number, Problem, Study
from budgeted.cli.main import main
from budgeted.errors import BudgetedError
from budgeted.problem.prices.tariff import Tariff
from budgeted.studies.events import BOUGHT, OPEN, REQUESTED
from budgeted.studies.journal.rows import to_plain
from budgeted.studies.tables import EVENTS, LONG, TABLES, event_table, long_table, wide_table
from tests.thorough import sized
from tests.webs import make_study

LABELS = ("well", "ill")


def make(path, seed):
    """A study to which everything happened that can: at random, but always the same."""
    chance = random.Random(seed)
    features = [
        Feature("fever", ("no", "yes"), "1.50"),
        Feature("chol", kind=Number(unit="mg/dl", cuts=[200, 240], least=50, most=600), cost="2"),
        Feature("label", ("low", "high"), "0.75"),  # a feature may be called like a column
    ]
    fees = Tariff(visit_fee="3.25") if seed % 2 else None
    problem = Problem(features, LABELS, (0.5, 0.5), 300, fees)
    cases = [(f"P {at}" if at else "=1+1", LABELS[at % 2]) for at in range(9)]
    groups = {"P 3": "children"} if seed % 3 else None
    study = Study.create(str(path / "a.db"), "flu", problem, cases, seed=seed, by="anna",
                         policy="round-robin", groups=groups)  # fmt: skip

    def value(feature):
        return str(chance.randint(60, 500)) if feature == "chol" else chance.choice(
            {"fever": ("no", "yes"), "label": ("low", "high")}[feature])  # fmt: skip

    def any_case():
        return chance.choice(study.cases)

    def step():
        kind, every = chance.randrange(13), study.requests()
        number = chance.choice(every).number if every else 1
        pending = [each.number for each in study.requests("pending")] or [1]
        feature = chance.choice(("fever", "chol", "label"))
        match kind:
            case 0 | 1 | 2:
                study.ask(chance.randint(1, 3))
            case 3 | 4 | 5:
                mine = study.request(chance.choice(pending))
                cost = chance.choice((None, None, "0.5"))
                study.tell(mine.number, value(mine.feature), cost)
            case 6:
                charged = chance.choice((True, False, "0.40"))
                study.fail(chance.choice(pending), charged=charged, usable=chance.random() < 0.5,
                           why="tube, \"broken\"")  # fmt: skip
            case 7:
                study.cancel(chance.choice(pending), "no time")
            case 8:
                mine = study.request(number)
                study.correct(number, chance.choice((value(mine.feature), None)),
                              cost=chance.choice((None, "1.10")), why="slip")  # fmt: skip
            case 9:
                study.undo(number)
            case 10:
                charge = chance.choice((True, False, "2.20"))
                study.record([(any_case(), feature, value(feature))], charge=charge)
            case 11:
                do = chance.choice((study.rule_out, study.allow))
                do(any_case(), feature, "because")
            case 12:
                if chance.random() < 0.4:
                    study.withdraw(any_case(), forget=chance.random() < 0.5)
                else:
                    study.add_cases([(f"new {study.events}", chance.choice(LABELS))])

    for _ in range(70):
        with suppress(BudgetedError):  # it may make no sense now
            step()
    return study


def folded(study):
    """Requests by number from the plain journal: fate, value, money; cases; what is ruled out."""
    requests, cases, ruled_out, gone = {}, {}, {}, {}
    for entry in study.history():
        event = json.loads(json.dumps(to_plain(entry.event), default=str))
        kind, number = event["kind"], event.get("number")
        if kind in ("created", "cases_added"):
            cases.update(dict(event["cases"]))
        elif kind == "asked":
            for line in event["lines"]:
                requests[line["number"]] = {
                    "case": event["case"], "feature": line["feature"], "fate": "pending",
                    "value": None, "cost": Decimal(line["cost"]), "list": Decimal(line["cost"]),
                }  # fmt: skip
        elif kind == "recorded":
            cost = Decimal(event["cost"])
            listed = event.get("listed")
            requests[number] = {
                "case": event["case"], "feature": event["feature"], "fate": "recorded",
                "value": event["value"], "cost": cost,
                "list": cost if listed is None else Decimal(listed),
            }  # fmt: skip
            ruled_out.pop((event["case"], event["feature"]), None)
        elif kind in ("told", "corrected"):
            changed = {"value": event["value"], "cost": Decimal(event["cost"])}
            requests[number].update(changed)
            if kind == "told":
                requests[number]["fate"] = "told"
        elif kind in ("failed", "cancelled"):
            requests[number].update(fate=kind, cost=Decimal(event.get("charged", 0)))
            if kind == "cancelled" or not requests[number]["cost"]:
                requests[number]["list"] = requests[number]["cost"]
        elif kind == "undone":
            cost = Decimal(event["cost"])
            requests[number].update(fate="pending", value=None, cost=cost, list=cost)
        elif kind == "repriced":
            for changed, amount in event["amounts"]:
                mine, new = requests[changed], Decimal(amount)
                mine["cost"] = max(Decimal(0), mine["cost"] + new - mine["list"])
                mine["list"] = new
        elif kind == "ruled_out":
            ruled_out[event["case"], event["feature"]] = event["why"]
        elif kind == "allowed":
            ruled_out.pop((event["case"], event["feature"]), None)
        elif kind == "withdrawn":
            gone[event["case"]] = gone.get(event["case"], False) or event["forget"]
    for each in requests.values():
        if gone.get(each["case"]):
            each["value"] = None
    return requests, cases, ruled_out, gone


@pytest.mark.parametrize("seed", range(sized(6, 16)))
def test_tables_are_what_the_journal_says(tmp_path, seed):
    with make(tmp_path, seed) as study:
        now = study.snapshot()
        requests, cases, ruled_out, gone = folded(study)
        rows = long_table(now).to_plain()
        asked = [row for row in rows if row["request"]]
        assert [int(row["request"]) for row in asked] == sorted(requests)
        for row in asked:
            mine = requests[int(row["request"])]
            assert (row["case"], row["feature"], row["fate"]) == (
                mine["case"], mine["feature"], mine["fate"])  # fmt: skip
            assert row["label"] == cases[mine["case"]]
            assert row["value"] == (mine["value"] or "")
            charged = Decimal(row["charged"] or 0) + Decimal(row["reserved"] or 0)
            assert charged == mine["cost"]
            if row["value"] and row["feature"] == "chol":
                number = Decimal(row["value"])
                names = {number < 200: "< 200", 200 <= number < 240: "200 to < 240"}
                assert row["category"] == names.get(True, "≥ 240")
        out = {
            (row["case"], row["feature"]): row["why_failed"] for row in rows if not row["request"]
        }
        assert out == ruled_out
        assert sum(Decimal(row["charged"] or 0) for row in rows) == study.state.spent
        assert sum(Decimal(row["reserved"] or 0) for row in rows) == study.state.reserved

        wide = wide_table(now)
        assert wide.columns[:2] == ("case", "label of the case")
        values = {(each["case"], each["feature"]): each["value"] for each in requests.values()
                  if each["value"] is not None}  # fmt: skip
        assert [row[0] for row in wide.rows] == list(cases)
        for row in wide.to_plain():
            assert row["label of the case"] == cases[row["case"]]
            assert row["withdrawn"] == ("yes" if row["case"] in gone else "")
            for feature in ("fever", "chol", "label"):
                assert row[feature] == values.get((row["case"], feature), "")


@pytest.mark.parametrize("seed", range(sized(3, 8)))
def test_what_is_known_of_each_case_is_what_the_study_goes_by(tmp_path, seed):
    """The cells of the projection are folded by other code, for other ends."""
    with make(tmp_path, seed) as study:
        records, projection = study.snapshot().case_records, study._projection
        assert list(records) == list(study.cases)
        names = {OPEN: "open", REQUESTED: "pending", BOUGHT: "known"}
        for case, record in records.items():
            row = projection.cells[projection.names.rows[case]]
            for feature, column in projection.names.columns.items():
                expected = names.get(int(row[column]), "unavailable")
                assert record.kind_of(feature) == expected, (case, feature)
            assert record.is_complete(3) == (
                case not in study.withdrawn and set(row.tolist()).isdisjoint({OPEN, REQUESTED})
            )
        total = sum((each.spent for each in records.values()), Decimal(0))
        assert total == study.state.spent
        assert sum((each.reserved for each in records.values()), Decimal(0)) == study.state.reserved


@pytest.mark.parametrize("seed", range(sized(3, 6)))
def test_every_event_has_its_columns_and_its_sentence_once(tmp_path, seed):
    with make(tmp_path, seed) as study:
        rows = event_table(study.snapshot()).to_plain()
        sentences = {int(row["event"]): row["what"] for row in rows if row["what"]}
        assert sentences == {each.seq: each.event.words() for each in study.history()}
        for entry in study.history():
            mine = [row for row in rows if int(row["event"]) == entry.seq]
            assert {row["kind"] for row in mine} == {entry.event.kind}
            if entry.event.kind == "asked":
                assert [row["feature"] for row in mine] == [x.feature for x in entry.event.lines]
                amounts = [Decimal(row["amount"]) for row in mine]
                assert amounts == [each.cost for each in entry.event.lines]
            if entry.event.kind == "corrected" and entry.event.old_value is not None:
                assert mine[0]["before"] == entry.event.old_value
                assert Decimal(mine[0]["amount"]) == entry.event.cost
            if entry.event.kind == "told":
                request = study.request(entry.event.number)
                assert (mine[0]["case"], mine[0]["feature"]) == (request.case, request.feature)


@pytest.mark.parametrize("seed", range(sized(2, 4)))
@pytest.mark.parametrize("make_table", [wide_table, long_table, event_table])
def test_who_is_blind_is_told_no_label(tmp_path, seed, make_table):
    with make(tmp_path, seed) as study:
        table = make_table(study.snapshot(), False)
        assert "label of the case" not in table.columns
        text = table.to_csv()
        assert "well" not in text
        assert "ill" not in text.replace("children", "")


def test_no_cell_is_a_formula(tmp_path):
    with make(tmp_path, 1) as study:
        for table in (wide_table, long_table, event_table):
            text = table(study.snapshot()).to_csv()
            for row in csv.reader(io.StringIO(text)):
                assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@"))]


def test_the_command_line_writes_the_same_tables(tmp_path):
    with make(tmp_path, 2) as study:
        expected = {name: table(study.snapshot(), True).to_csv() for name, table in TABLES.items()}
        blind = long_table(study.snapshot(), False).to_csv()
    command = ["study", "export", "--db", str(tmp_path / "a.db")]
    for name, text in expected.items():
        out = tmp_path / f"{name}.csv"
        found = CliRunner().invoke(main, [*command, f"--{name}", "--out", str(out)])
        assert found.exit_code == 0, found.output
        assert out.read_text(encoding="utf-8") == text
    out = tmp_path / "blind.csv"
    CliRunner().invoke(main, [*command, "--long", "--blind", "--out", str(out)])
    assert out.read_text(encoding="utf-8") == blind
    refused = CliRunner().invoke(main, [*command, "--blind"])
    assert refused.exit_code == 2
    assert "name the table" in refused.output
    as_json = CliRunner().invoke(main, [*command, "--long", "--json", "--out", str(out)])
    assert as_json.exit_code == 0
    assert tuple(json.loads(out.read_text())[0]) == LONG


def test_the_columns_are_named_once():
    assert len(set(LONG)) == len(LONG)
    assert len(set(EVENTS)) == len(EVENTS)


def test_what_was_a_slip_can_be_had_after_all(tmp_path):
    with make_study(tmp_path / "a.db") as study:
        (free,) = study.ask(1)
        study.fail(free.number, charged=False, usable=False)
        assert study.snapshot().case_records[free.case].kind_of(free.feature) == "unavailable"
        study.undo(free.number)
        assert study.snapshot().case_records[free.case].kind_of(free.feature) == "pending"
        study.cancel(free.number)
        assert study.snapshot().case_records[free.case].kind_of(free.feature) == "open"
