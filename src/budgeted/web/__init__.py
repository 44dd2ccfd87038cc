"""The page: run a study and watch it, in the browser or from a program.

A page is a *view*: a pydantic model with everything that the page shows. A template makes HTML of
it, or it is sent as JSON; so every page has a JSON twin, below ``/api``.
"""
