"""JavaScript: one function that needs nothing else, for Node and for pages."""

from __future__ import annotations

from budgeted.learners.formats.base import ModelFormat
from budgeted.learners.formats.program import lines_of, plain, source
from budgeted.learners.model import Model

_EXPORTED = 'if (typeof module !== "undefined") module.exports = { predict, MODEL };\n'


def javascript(model: Model) -> bytes:
    """Return a script that defines the function ``predict``, also as a CommonJS module.

    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> made = javascript(Model.of(NaiveBayes().fit(problem, []))).decode()
    >>> made.splitlines()[0]
    'const MODEL = {"labels":["well","ill"],"prior":[0.7,0.3],"weights":[1.0],"correlations":\
{"one cause":[],"copies":[[0.0,1.0]]},'
    """
    script = f"const MODEL = {lines_of(plain(model, 'JavaScript'))};\n"
    return f"{script}{source('predict.js')}{_EXPORTED}".encode()


JAVASCRIPT = ModelFormat(
    "javascript",
    "JavaScript, a function without dependencies",
    "text/javascript",
    javascript,
    "js",
    of_formula=True,
)
