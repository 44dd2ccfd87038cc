"""A new study by steps: the list of cases, its columns, the tests, prices, budget, and a look."""
