"""What a publisher should know about the words of a column, in plain words: a value is counted once in all of
its spellings, with the rows that have any of them. It decides nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set

from ontomask.linking import Links
from ontomask.linking.marks import marks_that_are_codes
from ontomask.numerals import lengths_of_digits
from ontomask.ontology import Ontology
from ontomask.plan import AttributePlan
from ontomask.printable import rows

_BECAME = {"root": "the most general concept", "own-leaf": "a concept of its own", "suppress": "missing"}


def remarks_on_words(
    links: Links, counts: Mapping[str, int], unmapped: str, alone: Set[str], hidden: Set[str]
) -> list[str]:
    """What became of the values without a concept.

    `counts` is how many rows have each text; those that mean only themselves are `alone`, and some of them
    are `hidden`, as too few rows have them.
    """
    values, rows_of = links.once(counts)
    unknown = [one.value for one in values.unlinked]
    if not unknown:
        return []
    kept_back = sum(value in alone and value in hidden for value in unknown)
    return [
        f"{_values(unknown)} in {_rows(unknown, rows_of)} {_have(unknown)} no concept and "
        f"became {_BECAME[unmapped]} (`unmapped: {unmapped}`)"
        + f"; the most general one is written for {kept_back:,} that fewer than k rows have"
        * bool(kept_back)
    ]


def doubt_of_words(links: Links, counts: Mapping[str, int], alone: Set[str]) -> str:
    """What became of the values whose concept is doubtful and that nobody decided; empty if none."""
    values, rows_of = links.once(counts)
    doubted = [one.value for one in values.doubtful if one.concept is not None]
    if not doubted:
        return ""
    as_themselves = (
        ", and nobody decided it: as what is written must be true, each means only itself, and the most "
        "general concept is written where fewer than k rows have it"
    )
    return (
        f"{len(doubted):,} of {len(values):,} values, in {_rows(doubted, rows_of)}, "
        f"{_have(doubted)} a concept that is doubtful{as_themselves * (not alone.isdisjoint(doubted))} "
        "(step Words of the pages, or `ontomask link --review`, shows them)"
    )


def _rows(values: Sequence[str], rows_of: Mapping[str, int]) -> str:
    return rows(sum(rows_of[value] for value in values))


def _values(values: Sequence[str]) -> str:
    return f"{len(values):,} {'value' if len(values) == 1 else 'values'}"


def _have(values: Sequence[str]) -> str:
    return "has" if len(values) == 1 else "have"


def remarks_on_codes(texts: Sequence[str], settings: AttributePlan) -> list[str]:
    """That codes which are cut are not all of one length: a spreadsheet makes 1067 of 01067."""
    is_cut = settings.hierarchy is not None and settings.hierarchy.by == "prefix"
    lengths = lengths_of_digits(texts)
    if not is_cut or len(lengths) < 2:
        return []
    return [
        f"its codes have {' or '.join(map(str, lengths))} digits: if zeros in front were lost, those without "
        "them are put among others that begin alike"
    ]


def remarks_on_marks(
    texts: Sequence[str], ontology: Ontology, na_values: Set[str], missing: int, settings: AttributePlan
) -> list[str]:
    """That a mark of no value may be a value: NA is Namibia, unless the plan says what it is here."""
    if not missing or settings.na_values is not None:
        return []
    others = sorted(na_values)
    return [
        f"{mark}, the code of {label}, is taken for no value: {missing:,} rows have none; "
        f"if some are {label}, say `na_values: {json.dumps([one for one in others if one != mark])}` "
        f"for this column, else say it with {mark} among them"
        for mark, label in sorted(marks_that_are_codes(texts, ontology, na_values).items())
    ]
