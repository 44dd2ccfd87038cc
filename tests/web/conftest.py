"""Settings for the tests of the server."""

from budgeted.web.auth import credentials

# A hash that is safe takes half a second; one that is not, none. test_web_access tries the usual.
credentials._COST = 2**10
