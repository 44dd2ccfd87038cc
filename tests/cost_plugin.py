"""For mypy: say where the cost of a feature is read, for test_nobody_reads_prices.py."""

from __future__ import annotations

from mypy.plugin import AttributeContext, Plugin

COST = "budgeted.problem.features.Feature.cost"
SAID = "reads the cost of a feature"


class CostPlugin(Plugin):
    def get_attribute_hook(self, fullname):
        return _say if fullname == COST else None


def _say(context: AttributeContext):
    context.api.fail(SAID, context.context)
    return context.default_attr_type


def plugin(version):
    return CostPlugin
