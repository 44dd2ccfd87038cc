"""What there is of one kind, by name: policies, learners, losses, price lists, kinds of features.

Members come from three places: the folder of this package that is their home, where each has a
file of its own; code that says `register`; and packages that are installed beside this one and name
theirs as entry points, so that nobody need import them::

    [project.entry-points."budgeted.policies"]
    thrifty = "my_package.thrifty:Thrifty"

A file in the home folder needs no mention anywhere else. Nothing is imported before somebody asks
for a member; the names of entry points are known without importing them.
"""

from budgeted.registry.making import (
    check_dataclass,
    frozen,
    make,
    parameter_names,
    required_names,
    stated,
)
from budgeted.registry.names import check_name, find, name_of
from budgeted.registry.registry import Registry

__all__ = [
    "Registry", "check_dataclass", "check_name", "find", "frozen", "make", "name_of",
    "parameter_names", "required_names", "stated",
]  # fmt: skip
