"""Figures as a report shows them, and columns that it warns of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from ontomask.profile.guess import are_numbers, why_identifier

if TYPE_CHECKING:
    from ontomask.tables import ReleasedTable

_MOSTLY = 0.5


def risky_columns(table: ReleasedTable, masked: Collection[str]) -> dict[str, str]:
    """Columns released as they are that may point at single people, and why, without a value."""
    found = {}
    for name, (values, counts) in table.distinct_of([n for n in table.names if n not in masked]).items():
        distinct = [value for value in values if value is not None]
        given = int(counts[: len(distinct)].sum())
        reason = why_identifier(name, distinct, given, are_numbers(name, distinct))
        if not reason and given >= 20 and len(distinct) > _MOSTLY * given:
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
