"""A column ready to be masked, and what may stand in the place of its values; the Space of several."""

from __future__ import annotations

from ontomask.attributes.base import Attribute, Cells, Domain, Tuples
from ontomask.attributes.dates import Dates
from ontomask.attributes.generalized import Generalized
from ontomask.attributes.nominal import Nominal
from ontomask.attributes.numeric import Numeric
from ontomask.attributes.sets import Sets
from ontomask.attributes.space import Members, Points, Space, replacements_of, space_of

__all__ = [
    "Attribute",
    "Cells",
    "Dates",
    "Domain",
    "Generalized",
    "Members",
    "Nominal",
    "Numeric",
    "Points",
    "Sets",
    "Space",
    "Tuples",
    "replacements_of",
    "space_of",
]
