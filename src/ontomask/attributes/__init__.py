"""A column ready to be masked: Nominal (words) or Numeric (numbers, ranks), and the Space of several."""

from __future__ import annotations

from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.nominal import Nominal
from ontomask.attributes.numeric import Numeric
from ontomask.attributes.space import Space, space_of

__all__ = ["Attribute", "Nominal", "Numeric", "Space", "Tuples", "space_of"]
