"""What to be warned of before a release is handed on: the same for command line, report and page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ontomask.profile.guess import are_numbers, why_identifier
from ontomask.release import Release

_NEARLY_ALL = 80.0  # percent of the differences between people
_MOSTLY = 0.5
_MOST_ROWS = 5_000_000
_ENOUGH = 20  # with fewer rows, values that all differ mean nothing


class ReleaseWarning(NamedTuple):
    """A warning; a serious one means that the release may point at single people."""

    text: str
    is_serious: bool = False


def warnings_of(release: Release, figures: Mapping[str, Any]) -> list[ReleaseWarning]:
    """Everything worth a warning, the serious ones first; notes of the release come last."""
    found = [*_on_classes(release, figures), *_on_columns(release, figures)]
    found += [ReleaseWarning(f"Note: {note}.") for note in release.notes if "rows were" not in note]
    return sorted(found, key=lambda warning: not warning.is_serious)


def _on_classes(release: Release, figures: Mapping[str, Any]) -> Iterator[ReleaseWarning]:
    k, reached = int(figures["k_asked"]), int(figures["k_reached"])
    if reached < k or k < 2:
        people = "1 person" if reached == 1 else f"{reached:,} people"
        yield ReleaseWarning(
            f"The release does not hide anybody: k = {k}."
            if k < 2
            else f"The release is not {k}-anonymous: its smallest group has {people}.",
            True,
        )
    for name, how in (("suppressed", "left out"), ("blanked", "blanked")):
        n, share = int(figures[name]), 100 * figures[name] / figures["n"]
        if not n or (name == "blanked" and not release.plan.method.own.blank):
            continue
        who = "1 person was" if n == 1 else f"{n:,} people were"
        yield ReleaseWarning(
            f"{who} {how} ({_percent(share)} of all): not a random part of the table, so results may be "
            "biased."
        )
    if "srl" in figures and k > 1 and figures["srl"] > 100 / k + 1e-9:
        yield ReleaseWarning(
            f"Linking by meaning finds {_percent(figures['srl'])} of the people, more than 1 in {k}.", True
        )


def _on_columns(release: Release, figures: Mapping[str, Any]) -> Iterator[ReleaseWarning]:
    for name in release.masked:
        lost = figures.get(f"information_loss.{name}") or 0.0
        if lost > _NEARLY_ALL:
            yield ReleaseWarning(
                f"Column “{name}” lost nearly everything: {_percent(min(lost, 100))} of the differences "
                "between people in it are gone. Think of a smaller k, of fewer masked columns, or of leaving "
                "it out."
            )
    for name, reason in pointing_columns(release).items():
        yield ReleaseWarning(
            f"Column “{name}” is released as it is and may point at single people: {reason}. Make it an "
            "identifier (dropped) or a quasi-identifier (masked) if outsiders may know it.",
            True,
        )
    for name in release.plan.with_role("confidential"):
        if figures.get(f"l_distinct.{name}") == 1:
            yield ReleaseWarning(
                f"Column “{name}” is confidential, and there are groups in which everybody has the same "
                "value: who knows that a person is in such a group knows the value, although k-anonymity "
                "holds."
            )


def pointing_columns(release: Release) -> dict[str, str]:
    """Columns released as they are that may point at single people, and why, without a value.

    Of a table too large to look at all values, columns are judged by their names alone.
    """
    found = {}
    kept = [name for name in release.names if name not in release.masked]
    if release.data.n_rows > _MOST_ROWS:
        by_name = {name: why_identifier(name, [], 0, False) for name in kept}
        return {name: reason for name, reason in by_name.items() if reason}
    for name, (values, counts) in release.data.distinct_of(kept).items():
        distinct = [value for value in values if value is not None]
        given = int(counts[: len(distinct)].sum())
        reason = why_identifier(name, distinct, given, are_numbers(name, distinct))
        if not reason and given >= _ENOUGH and len(distinct) > _MOSTLY * given:
            reason = "most of its values occur once, so who knows one finds the row"
        if reason:
            found[name] = reason
    return found


def _percent(x: float) -> str:
    return f"{x:.0f} %" if x >= 10 else f"{x:.2g} %"
