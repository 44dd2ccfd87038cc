"""What somebody is told who enters values does not depend on labels.

Two servers have the same study, with the same requests and values, but the labels of their cases
exchanged. Every address there is answers the same on both.
"""

import re
from contextlib import ExitStack

import pytest

from budgeted import Feature, Number, Problem, Study
from budgeted.web.auth.credentials import token_line, write_line
from budgeted.web.auth.roles import Role
from tests.sample_studies import CLOCK
from tests.web.test_blinding import PLACES, addresses
from tests.webs import client

LABELS = ("well", "ill")
ASKED = [("P1", "fever"), ("P2", "crp"), ("P4", "fever"), ("P9", "crp"), ("P7", "fever")]
TOLD = {1: "yes", 2: "12", 3: "no"}
TOKEN = "t0ken-that-nobody-guesses-0123456789"
_DRAWN = re.compile(
    r"budgeted-[0-9a-f]{10}|(?<![.0-9])[0-9a-f]{16,}"
    r"|'(date|x-request-id|content-length)': '[^']*'"
)


def play(database, which):
    """Asked by name, so that nothing that was done depends on labels either."""
    features = [Feature("fever", ("no", "yes"), "1.50"), Feature("crp", Number(cuts=(10,)), "2")]
    problem = Problem(features, LABELS, (0.6, 0.4), "60")
    cases = [(f"P{at}", LABELS[(at % 3 == 0) != which]) for at in range(14)]
    options = {"by": "max", "seed": 3, "clock": CLOCK}
    with Study.create(str(database), "flu", problem, cases, **options) as study:
        for case, feature in ASKED:
            study.ask(1, case=case, only=[feature])
        for number, value in TOLD.items():
            study.tell(number, value)
        study.record([(f"P{at}", "crp", str(3 + 2 * at)) for at in (5, 6, 8, 10)])
        study.rule_out("P11", "fever", "no vein")


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    with ExitStack() as stack:
        servers = []
        for which in (False, True):
            folder = tmp_path_factory.mktemp("exchanged")
            play(folder / "studies.db", which)
            for name, role in (("eva", Role.ENTERS), ("max", Role.MANAGES)):
                line = token_line(f"{name}-{TOKEN}")
                write_line(folder / "tokens", name, line, role)
            found = stack.enter_context(client(folder, token_file=folder / "tokens"))
            csv = "fever,crp,label\nno,4,well\nyes,60,ill\nyes,30,ill\n"
            found.post("/api/studies/flu/validation", headers=bearer("max"), json={"csv": csv})
            servers.append(found)
        yield servers


def bearer(name):
    return {"authorization": f"Bearer {name}-{TOKEN}"}


def test_no_answer_to_who_enters_values_depends_on_labels(both):
    assert set(PLACES["case"]) <= {f"P{at}" for at in range(14)}
    different, seen = [], 0
    for address, _ in addresses(both[0]):
        if address in ("/metrics", "/health", "/ready") or address.endswith("/live"):
            continue
        first, second = (
            server.get(address, headers=bearer("eva"), follow_redirects=False) for server in both
        )
        texts = [_DRAWN.sub("", f"{each.status_code} {each.headers} {each.text}")
                 for each in (first, second)]  # fmt: skip
        texts = [each.replace(str(server.base_url), "") for each, server in
                 zip(texts, both, strict=True)]  # fmt: skip
        seen += first.is_success
        if texts[0] != texts[1]:
            at = next(i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b)
            different.append((address, *(each[max(0, at - 60) : at + 60] for each in texts)))
    assert not different, "\n".join(map(str, different))
    assert seen > 25


def test_the_same_look_finds_labels_where_they_may_be_seen(both):
    for address in ("/api/studies/flu", "/api/studies/flu/charts/error", "/studies/flu/cases"):
        first, second = (server.get(address, headers=bearer("max")).text for server in both)
        assert _DRAWN.sub("", first) != _DRAWN.sub("", second)
