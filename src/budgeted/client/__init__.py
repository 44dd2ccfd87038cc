"""A client of the server: studies on another machine, asked and told over HTTP.

```python
from budgeted.client import Client

with Client("https://lab.example.org", token=token) as client:
    study = client.study("anaemia")
    order = study.ask(2)
    study.tell(order[0].request, "low")
```

What changes a study is carried out once at most, however often an answer is lost on the way: each
change takes an idempotency key of its own along, and is sent again with the same one. What the
server refuses is raised as an error of this package, in the words of the server. The token goes to
the address that was given and nowhere else. It needs the extra ``client``; see docs/client.md.
"""

from budgeted.client.answers import (
    Card,
    Cell,
    Diagnosis,
    Done,
    Event,
    Money,
    Next,
    Outlook,
    Prediction,
    Preview,
    Price,
    Request,
    Status,
)
from budgeted.client.client import Client
from budgeted.client.study import RemoteStudy

__all__ = [
    "Card",
    "Cell",
    "Client",
    "Diagnosis",
    "Done",
    "Event",
    "Money",
    "Next",
    "Outlook",
    "Prediction",
    "Preview",
    "Price",
    "RemoteStudy",
    "Request",
    "Status",
]
