"""A page that classifies a case, off line."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files
from typing import Any

from budgeted.learners.formula import formula_of, reading_of
from budgeted.learners.model import Model


def script_of(model: Model) -> str:
    """Return the script of the page: a model, and the function ``predict(case)``.

    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> script_of(Model.of(NaiveBayes().fit(problem, []))).splitlines()[0]
    'const MODEL = {"labels":["well","ill"],"prior":[0.7,0.3],"weights":[1.0],"correlations":\
{"one cause":[],"copies":[[0.0,1.0]]},'
    """
    return f"const MODEL = {_lines(_plain(model, 'a page'))};\n{source('predict.js')}"


def html(model: Model) -> bytes:
    """Return a page with a field for each feature, which says how probable each label is.

    It makes no request, keeps nothing, and forbids itself both by its content security policy.
    """
    held = _plain(model, "a page")
    script = script_of(model) + source("page.js")
    style = source("page.css")
    policy = (
        f"default-src 'none'; script-src '{digest(script)}'; style-src '{digest(style)}'; "
        f"base-uri 'none'; form-action 'none'"
    )
    *others, last = map(escape, held["labels"])
    title = f"{', '.join(others)} or {last}?"
    study = model.about.get("study")
    where = (
        f"From the study {escape(str(study))}, learner {escape(model.learner)}. " if study else ""
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{style}</style></head>\n"
        f"<body><main><h1>{title}</h1>\n"
        f'<p class="soft">Say what is known of the case; the rest may stay open.</p>\n'
        f'<noscript><p class="wrong">This page computes with JavaScript, which is switched off.</p>'
        f"</noscript>\n"
        f'<form id="case" class="columns" autocomplete="off">\n'
        f'<section class="panel" aria-labelledby="known"><h2 id="known">What is known</h2>\n'
        f"{''.join(_field(each, at) for at, each in enumerate(held['features']))}{_insist(held)}"
        f'<button type="reset">Start again</button></section>\n'
        f'<div><section class="panel answer" aria-labelledby="says"><h2 id="says">What the model '
        f'says</h2>\n<div role="status"><p id="label"></p><p id="why" class="soft"></p></div>\n'
        f"{''.join(_chance(each, at) for at, each in enumerate(held['labels']))}\n"
        f"{_population(held)}</section></div></form>\n"
        f"<footer><p>{where}A probability is that of the model, not a diagnosis. Nothing that you "
        f"type leaves this page, and nothing is kept.</p></footer></main>\n"
        f"<script>{script}</script></body></html>\n"
    ).encode()


def _field(feature: dict[str, Any], at: int) -> str:
    """What a feature is told with: a list to choose from, or a field for a number."""
    name = f'<label for="feature-{at}">{escape(feature["name"])}</label>'
    wrong = f'<p class="wrong" id="wrong-{at}" role="alert"></p>'
    if "cuts" in feature:
        words = escape(feature["expects"])
        entry = (
            f'<small id="expects-{at}">{words}</small><input id="feature-{at}" type="text" '
            f'inputmode="decimal" maxlength="60" aria-describedby="expects-{at} wrong-{at}">'
        )
    else:
        choices = "".join(
            f'<option value="{value}">{escape(each)}</option>'
            for value, each in enumerate(feature["categories"])
        )
        entry = (
            f'<select id="feature-{at}" aria-describedby="wrong-{at}">'
            f'<option value="">not known</option>{choices}</select>'
        )
    return f'<div class="field">{name}{entry}{wrong}</div>\n'


def _insist(held: dict[str, Any]) -> str:
    ranged = any(
        each.get("least") is not None or each.get("most") is not None for each in held["features"]
    )
    if not ranged:
        return ""
    return (
        '<label class="choice"><input type="checkbox" id="force">Right all the same, though a '
        "number is outside its range</label>\n"
    )


def _chance(label: str, at: int) -> str:
    name = escape(label)
    return (
        f'<div class="chance"><span>{name}</span><span id="chance-{at}"></span>'
        f'<meter id="bar-{at}" min="0" max="1" value="0" aria-label="{name}"></meter></div>\n'
    )


def _population(held: dict[str, Any]) -> str:
    """Fields for the shares of the labels where the case comes from."""
    fields = "".join(
        f'<div class="field"><label for="share-{at}">{escape(label)}</label><input '
        f'id="share-{at}" type="text" inputmode="decimal" maxlength="20" '
        f'aria-describedby="wrong-shares" value="{share!r}"></div>\n'
        for at, (label, share) in enumerate(zip(held["labels"], held["prior"], strict=True))
    )
    return (
        '<details><summary>Where the case comes from</summary><p class="soft">How common each '
        f'label is there; shares that do not add up to 1 are scaled.</p>{fields}<p class="wrong" '
        'id="wrong-shares" role="alert"></p></details>'
    )


def source(name: str) -> str:
    """Return a file of the folder `sources`."""
    return (files(__package__) / "sources" / name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """Return how a content security policy names a text that stands in a page."""
    found = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"sha256-{found}"


def _plain(model: Model, format: str) -> dict[str, Any]:
    """The formula of a model, as JSON can hold it."""
    formula = formula_of(model, format)
    readings = reading_of(formula.features)
    return {
        "labels": list(formula.labels),
        "prior": list(formula.prior),
        "weights": formula.weights.tolist(),
        "correlations": {way: list(pairs) for way, pairs in formula.correlations.items()},
        "features": [
            {**reading, "sensitivity": float(size), "logs": logs.tolist()}
            for reading, size, logs in zip(
                readings, formula.sensitivities, formula.logs, strict=True
            )
        ],
    }


def _lines(model: dict[str, Any]) -> str:
    """Plain data as JSON, a line for each feature; it can stand within a page."""
    features = ",\n".join(_text(each) for each in model["features"])
    rest = _text({key: value for key, value in model.items() if key != "features"})
    return f'{rest[:-1]},\n"features":[\n{features}]}}'


def _text(plain: Any) -> str:
    written = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A page would end its script there; and older JavaScript takes these two for ends of a line.
    for mark in ("<", "\u2028", "\u2029"):
        written = written.replace(mark, f"\\u{ord(mark):04x}")
    return written
