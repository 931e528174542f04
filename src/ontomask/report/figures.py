"""Figures as a report shows them, and columns that it warns of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from ontomask.profile.guess import are_numbers, why_identifier

if TYPE_CHECKING:
    import pyarrow as pa

_MOSTLY = 0.5


def risky_columns(table: pa.Table, masked: Collection[str]) -> dict[str, str]:
    """Columns released as they are that may point at single people, and why, without a value."""
    found = {}
    for name in table.column_names:
        if name in masked:
            continue
        values = [str(value) for value in table.column(name).to_pylist() if value is not None]
        distinct = sorted(set(values))
        reason = why_identifier(name, distinct, len(values), are_numbers(name, distinct))
        if not reason and len(values) >= 20 and len(distinct) > _MOSTLY * len(values):
            reason = "most of its values occur once, so who knows one finds the row"
        if reason:
            found[name] = reason
    return found


def with_names(figures: Mapping[str, Any]) -> dict[str, float]:
    """The single numbers among the figures: no matrices, curves or undefined ones."""
    return {
        name: float(value)
        for name, value in figures.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
