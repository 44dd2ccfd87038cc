"""A study with a visit fee, a panel and numbers with decimal commas, as a server is sent it."""

import httpx

NAME = "clinic"
STUDY = """
name = "clinic"
budget = "900.00"
labels = ["well", "ill"]
prior = [0.7, 0.3]
seed = 4
[prices]
list = "tariff"
visit_fee = "20.00"
[[prices.panels]]
name = "blood sample"
features = ["crp", "chol"]
setup = "4.00"
[[features]]
name = "crp"
values = ["low", "normal", "high"]
ordered = true
cost = "8.00"
[[features]]
name = "chol"
kind = "number"
unit = "mmol/l"
cuts = [5.2, 6.2]
least = 1
most = 20
decimal = "comma"
cost = "6.00"
[[features]]
name = "pulse"
values = ["slow", "fast"]
cost = "2.00"
"""
CASES = "case,label\n" + "".join(f"P{at:02},{('well', 'ill')[at % 3 == 0]}\n" for at in range(60))
VALIDATION = "crp,chol,pulse,label\n" + "".join(
    f"{('low', 'high')[at % 3 == 0]},{('4,9', '6,8')[at % 2]},{('slow', 'fast')[at % 5 == 0]},"
    f"{('well', 'ill')[at % 3 == 0]}\n"
    for at in range(40)
).replace("4,9", '"4,9"').replace("6,8", '"6,8"')


def begin(url, validation=False, name=NAME):
    """Begin the study on a server."""
    body = {"study": STUDY.replace(f'"{NAME}"', f'"{name}"'), "cases": CASES} | (
        {"validation": VALIDATION} if validation else {}
    )
    answer = httpx.post(f"{url}/api/studies", json=body, timeout=60)
    assert answer.status_code == 201, answer.text


def api(url, path, name=NAME, **body):
    """Do something to it."""
    answer = httpx.post(f"{url}/api/studies/{name}/{path}", json=body, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def answer_all(url, rounds, visits=4, name=NAME):
    """Ask and tell some rounds, so that there is something to see."""
    values = {"crp": ("low", "high"), "chol": ("4,9", "6,8"), "pulse": ("slow", "fast")}
    for turn in range(rounds):
        for each in api(url, "ask", name=name, visits=visits)["requests"]:
            ill = each["label"] == "ill" and turn % 4 != 3
            told = values[each["feature"]][ill]
            api(url, f"requests/{each['number']}/tell", name=name, value=told)
