"""Figures as a report shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def single_numbers(figures: Mapping[str, Any]) -> dict[str, float]:
    """The single numbers among the figures: no matrices, curves or undefined ones."""
    return {
        name: float(value)
        for name, value in figures.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
