import json

import altair
import pytest

from budgeted.errors import BudgetedError
from budgeted.experiments import figures

CURVES = {
    "round robin": [
        {"purchases": step, "mean_error": 0.5 / step, "standard_error": 0.01} for step in (1, 2, 3)
    ],
    "sfl": [
        {"purchases": step, "mean_error": 0.4 / step, "standard_error": 0.01} for step in (1, 2, 3)
    ],
}


@pytest.fixture
def figure():
    return figures.error_curves(
        CURVES, title="Errors", subtitle="of two", lines={"complete training data": 0.1}
    )


def test_the_figure_is_valid_vega_lite(figure):
    altair.LayerChart.from_dict(figure).to_dict()


def test_every_policy_has_a_line_and_a_band_of_95_percent(figure):
    rows = figure["data"]["values"]
    assert {row["policy"] for row in rows} == set(CURVES)
    assert rows[0]["upper"] - rows[0]["error"] == pytest.approx(1.96 * 0.01)
    marks = [layer["mark"]["type"] for layer in figure["layer"]]
    assert marks == ["area", "line", "rule", "text"]


@pytest.mark.parametrize(
    ("ending", "begins"),
    [(".png", b"\x89PNG"), (".svg", b"<svg"), (".pdf", b"%PDF"), (".html", b"<!DOCTYPE html>")],
)
@pytest.mark.slow
def test_it_is_drawn_in_every_format(figure, tmp_path, ending, begins):
    target = figures.save(figure, tmp_path / f"figure{ending}")
    content = target.read_bytes()
    assert content.strip().startswith(begins)
    assert len(content) > 2_000


def test_a_page_needs_no_network(figure, tmp_path):
    page = figures.save(figure, tmp_path / "figure.html").read_text(encoding="utf-8")
    assert "<script src=" not in page


def test_the_definition_itself_can_be_kept(figure, tmp_path):
    target = figures.save(figure, tmp_path / "figure.json")
    assert json.loads(target.read_text(encoding="utf-8")) == figure


def test_an_unknown_ending_is_explained(figure, tmp_path):
    with pytest.raises(BudgetedError, match=r"cannot write '\.gif'; use \.png"):
        figures.save(figure, tmp_path / "figure.gif")
    assert not list(tmp_path.iterdir())


def test_without_the_extra_it_says_what_to_install(figure, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    with pytest.raises(BudgetedError, match=r"pip install .budgeted\[figures\]"):
        figures.save(figure, tmp_path / "figure.png")
    assert figures.save(figure, tmp_path / "figure.json").exists()
