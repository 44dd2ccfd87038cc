"""Policies against worlds that know the answers: tables, models that draw, and judges."""
