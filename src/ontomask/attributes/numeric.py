"""A column of numbers, or of ordered categories by their ranks; masked values are numbers.

Distance is the difference over the range of the data (`range`) or over their standard deviation (`zscore`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes.base import Attribute
from ontomask.measures.base import on_grid

Scale = Literal["range", "zscore"]
Centroid = Literal["mean", "median"]


@dataclass(frozen=True, eq=False)
class Numeric(Attribute):
    """Numbers with one unit of distance; `numbers[code]` ascends, NaN (last) is the missing value."""

    numbers: Float64
    unit: float
    centroid: Centroid = "mean"

    @classmethod
    def of(
        cls,
        name: str,
        numbers: Float64,
        counts: Int64,
        *,
        weight: float = 1.0,
        scale: Scale = "range",
        centroid: Centroid = "mean",
    ) -> Numeric:
        """Set the unit from the data: `counts[code]` records have the number `numbers[code]`."""
        known = ~np.isnan(numbers)
        present, times = numbers[known], counts[known]
        unit = 0.0
        if len(present):
            mean = np.average(present, weights=times)
            spread = np.sqrt(np.average((present - mean) ** 2, weights=times))
            unit = float(np.ptp(present) if scale == "range" else spread)
        missing = int(np.flatnonzero(~known)[0]) if not known.all() else -1
        return cls(name, weight, missing, numbers, unit or 1.0, centroid)

    @property
    def size(self) -> int:
        return len(self.numbers)

    @property
    def maximum(self) -> float:
        known = self.numbers[~np.isnan(self.numbers)]
        return float(max(1.0, np.ptp(known) / self.unit)) if len(known) else 1.0

    def to_masked(self, codes: Int32, masked: npt.NDArray[np.generic]) -> Float64:
        numbers, new = self.numbers[codes], masked.astype(np.float64)
        distance = on_grid(np.abs(numbers - new) / self.unit)
        lost = np.isnan(numbers) != np.isnan(new)
        return np.where(lost, self.maximum, np.nan_to_num(distance))

    def as_masked(self, codes: Int32) -> npt.NDArray[np.generic]:
        return self.numbers[codes]
