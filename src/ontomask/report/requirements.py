"""What was asked of a release, which attack each requirement stops, and what the attacks still yield.

Figures in words; no value of the table is in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ontomask.privacy import Requirement
from ontomask.report import words

_ATTACKS: dict[str, tuple[str, Callable[[float], str]]] = {
    "homogeneity": ("know it for sure: the whole group has one value (homogeneity)", words.percent),
    "similarity": (
        "know what it means: all values of the group come under one meaning, that of at most half of all "
        "people (similarity)",
        words.percent,
    ),
    "skewness": ("are much surer: it is twice as frequent in the group as overall (skewness)", words.percent),
    "guessed": ("guess it right, as the most frequent value of the group", words.percent),
    "largest_gain": ("the greatest gain: how many times as frequent a value is in a group", words.number),
}


class AskedRow(NamedTuple):
    """A requirement in short, what it stops, what the worst group reached, and that of the original."""

    asked: str
    stops: str
    reached: str
    before: str


class AttackRow(NamedTuple):
    """What an intruder learns of a column from a person's group, and without knowing it."""

    column: str
    learns: str
    before: str
    after: str
    blind: str


def asked_rows(requirements: Sequence[Requirement], figures: Mapping[str, Any]) -> list[AskedRow]:
    """One line for each requirement."""
    return [
        AskedRow(
            str(one),
            one.attack,
            f"{_reached(figures[f'reached.{one.name}'])} ({'at most' if one.is_bound else 'at least'} "
            f"{words.number(one.asked)})",
            _reached(figures[f"reached_before.{one.name}"]),
        )
        for one in requirements
    ]


def attack_rows(figures: Mapping[str, Any], columns: Sequence[str]) -> Iterator[AttackRow]:
    """The attacks on each confidential column; who knows no group has one group, of everybody."""
    for column in columns:
        most = float(figures[f"confidence_blind.{column}"])
        blind = {"guessed": most, "largest_gain": 1.0, "homogeneity": 100.0 if most == 100 else 0.0}
        for name, (learns, shown) in _ATTACKS.items():
            if f"{name}.{column}" in figures:
                before, after = figures[f"{name}_before.{column}"], figures[f"{name}.{column}"]
                yield AttackRow(column, learns, shown(before), shown(after), shown(blind.get(name, 0.0)))


def _reached(figure: float | None) -> str:
    """A figure that is not finite is None: no bound would do."""
    return "no bound holds" if figure is None else words.number(figure)
