"""The steps of a method that tells them, and what stayed as it is, as rows of the report.

It shows the trace of the release, which names nothing that fewer than K people share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ontomask.report import words


class StepRow(NamedTuple):
    """A value that became others, how much more that tells, and the rank of its column."""

    number: int
    column: str
    value: str
    became: str
    gain: str
    mim: str
    tier: int


class StayedRow(NamedTuple):
    """A value that was not made more specific, and why, after how many steps."""

    column: str
    value: str
    why: str
    after: int


def step_rows(trace: Mapping[str, Any] | None) -> list[StepRow]:
    """One line for each step."""
    return [
        StepRow(
            number,
            step["column"],
            _told(step["value"]),
            ", ".join(map(_told, step["became"])),
            f"{step['infogain']:.4g}",
            f"{step['mim']:g}" if "mim" in step else "",
            step["tier"],
        )
        for number, step in enumerate((trace or {}).get("steps", ()), 1)
    ]


def stayed_rows(trace: Mapping[str, Any] | None) -> list[StayedRow]:
    """One line for each value that stayed."""
    return [
        StayedRow(
            one["column"],
            _told(one["value"]),
            one["because"] + (f", on {words.listed(one['on'])}" if one["on"] else ""),
            one["after"],
        )
        for one in (trace or {}).get("stayed", ())
    ]


def _told(text: str | None) -> str:
    return "no value" if text is None else text
