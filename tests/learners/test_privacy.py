"""Nobody outside learners/ and value/ reads counts, offsets or sizes, nor how columns are laid out.

How a belief is kept is its own business: another kind of feature or learner keeps something else.
"""

import ast
from pathlib import Path

import pytest

import budgeted

PACKAGE = Path(budgeted.__file__).parent
HOMES = ("learners", "value")
PRIVATE = {
    "counts", "totals", "alpha", "observed", "offsets", "sizes", "columns", "starts", "layout",
    "log_means", "means", "prior_counts", "pooled",
}  # fmt: skip
NOT_MEANT = {
    "policies/effects.py": {"alpha"},  # a parameter of its own
    "cli/datasets.py": {"columns"},  # of a table
    "simulation/tables": {"columns"},
    "simulation/datasets": {"columns"},
    "web/views/report.py": {"counts"},  # of cases and values
    "web/pages/result_forms.py": {"columns"},  # of a file of results
    "web/result_uploads.py": {"columns"},
    "web/plan_files.py": {"columns"},  # that a server takes
    "cli/studies/results.py": {"layout"},  # wide or long
    "studies/results": {"layout"},
    "diagnosis": {"sizes"},  # of its own programme
    # What a feature states is written down and read again as it is.
    "problem": {"prior_counts"},
    "studies": {"prior_counts", "columns"},  # of the table of cases
    "optimal/yardsticks.py": {"prior_counts"},
    # They do arithmetic with whole tables of counts: what all tallies of a problem are worth, and
    # by how much a divergence falls.
    "optimal/programme.py": {"columns", "counts", "layout", "prior_counts", "sizes", "starts"},
    "policies/iga.py": {"counts", "layout", "offsets", "sizes"},
    "simulation/synthetic.py": {"prior_counts"},
    "sklearn": {"prior_counts"},
    "experiments/runs.py": {"columns"},  # of a file of results
}
"""Where an attribute of the same name is something else."""


def reads(source):
    """Names of private things that some code reads, with their lines."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in PRIVATE:
            yield node.attr, node.lineno
        if isinstance(node, ast.ImportFrom) and node.module == "budgeted.learners.layout":
            yield from ((each.name, node.lineno) for each in node.names
                        if each.name in ("Layout", "layout_of"))  # fmt: skip


def allowed(path):
    return set().union(*(
        names for home, names in NOT_MEANT.items() if path == home or path.startswith(f"{home}/")
    ))  # fmt: skip


def intruders(package):
    found = []
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(package).as_posix()
        if path.split("/")[0] in HOMES:
            continue
        found += [f"{path}:{line} reads {name}" for name, line in
                  reads(file.read_text(encoding="utf-8")) if name not in allowed(path)]  # fmt: skip
    return found


def test_nobody_else_reads_counts_offsets_or_sizes():
    assert intruders(PACKAGE) == []


@pytest.mark.parametrize(
    "code",
    [
        "state.belief.counts",
        "x = problem.offsets[0]",
        "sum(problem.sizes)",
        "belief.observed.sum()",
        "from budgeted.learners.layout import layout_of",
        "made.means[:, 3]",
    ],
)
def test_one_who_does_is_found(code, tmp_path):
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "new.py").write_text(code, encoding="utf-8")
    (tmp_path / "learners").mkdir()
    (tmp_path / "learners" / "new.py").write_text(code, encoding="utf-8")
    assert [each.partition(":")[0] for each in intruders(tmp_path)] == ["policies/new.py"]
