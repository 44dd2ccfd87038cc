"""What takes the place of the processes that compute for a server: the same, on a thread of it."""

import asyncio

from budgeted.errors import BudgetedError
from budgeted.web.children import COMPUTED


class Maker:
    """Computes as `budgeted.web.children.computed` does, while its door is not shut.

    Attributes
    ----------
    shut, failed
        Whether nothing begins now, and why all that is made fails, if it does.
    most_at_once
        How many were under way at the same time.
    """

    def __init__(self):
        self.shut, self.failed, self.most_at_once, self._now = False, "", 0, 0

    async def __call__(self, what, wanted, tell):
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            while self.shut:
                await asyncio.sleep(0.01)
            return self.failed or await asyncio.to_thread(self._make, what, wanted, tell)
        finally:
            self._now -= 1

    @staticmethod
    def _make(what, wanted, tell):
        try:
            COMPUTED[what]({**wanted, "workers": 1}, tell)
        except BudgetedError as error:
            return " ".join(str(error).split())
        return ""
