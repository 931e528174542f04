"""What one column of a table seems to be: its kind, the role to propose, and whether to ask first.

Doubt is never resolved here in favour of release: what is not surely harmless, surely dropped or surely
masked is left undecided, with a proposal. Knows no files but those beside the table, and writes no plan.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ontomask.days import ways_told, ways_written
from ontomask.errors import OntomaskError
from ontomask.linking.marks import marks_that_are_codes
from ontomask.linking.several import rows_of_answers, several_answers
from ontomask.linking.spelling import spelling_of
from ontomask.numerals import formats, limit_of, number_format
from ontomask.ontology import load_ontology
from ontomask.profile.coverage import ColumnFiles, Coverage, best_coverage
from ontomask.profile.guess import (
    MOST_CODES,
    Proposal,
    Role,
    Unit,
    are_numbers,
    are_packed_days,
    are_signs,
    code_systems,
    codes_in_order,
    day_formats,
    is_clinical,
    is_number,
    is_outcome,
    is_word,
    marks_among,
    may_be_dates,
    scale_of,
)
from ontomask.profile.measured import measured
from ontomask.profile.national import are_snomed_ids
from ontomask.profile.people import share_of_names
from ontomask.profile.personal import dates, nearly_unique, personal_data, sampling_weight

Kind = Literal["nominal", "numeric", "ordinal", "date"]

_ABOUT_CODES = (
    "With `ontology: flat` each means only itself; to mask them by groups, name a hierarchy as "
    "`ontology: FILE`; for steps, write `kind: ordinal` and their `order` in its place"
)
_ABOUT_SNOMED = (
    "With `ontology: flat` each means only itself; to mask them by meaning, name the folder of a release of "
    "SNOMED CT as `ontology: FOLDER`"
)
_ABOUT_NUMBERS = "for a quantity, `kind: numeric`"
_LIMITS_SHOWN = 5
_CODE_BELOW_ZERO = re.compile(r"[-\N{MINUS SIGN}](1|7+|8+|9+)")
_OTHERS_TO_A_CODE = 10
_MOST_FEW = 40
_POORLY_KNOWN = 0.75
_MOST_BY_THEMSELVES = 200  # values of which each means only itself: names of small places, say
_BY_ITSELF = {"role": "quasi-identifier", "ontology": "flat"}
_MOST_LINKED = 5_000  # distinct values; more are free text or numbers of some sort


@dataclass(frozen=True)
class ColumnProfile:
    """What a column seems to be.

    Attributes
    ----------
    rows, missing
        Of the table; without a value here.
    distinct, unique, spellings
        Different values; those that stand in one row; in how many ways they are written. Spellings of a word
        are one value, as they are to linking.
    role, sure, why, advice
        The proposal, whether it stands in the plan or waits there for a person to decide, the reason, and
        what to do where a role alone is not enough.
    instead
        What may stand in the plan in its place.
    personal
        Whether the column by itself may point at single people.
    unit
        Whether rows that share a value may be of one person or household.
    order
        The values of an ordinal column, lowest first.
    format
        How days are written, where a run would not find it out.
    several
        What separates answers, where cells have several.
    flat
        Whether its values mean only themselves.
    coverage
        The best ontology for the values, if any is worth naming.
    span
        Smallest and greatest number; not of personal data, which a plan must not repeat.
    na_values
        What means no value here, if that is not what does in the whole table.
    measured_in
        The unit behind or before its numbers.
    values
        Its values where they are few, in the order of numbers if they are such.
    """

    name: str
    rows: int
    missing: int
    distinct: int
    unique: int
    kind: Kind
    role: Role
    sure: bool
    why: str
    advice: str = ""
    instead: tuple[Mapping[str, Any], ...] = ()
    personal: bool = False
    unit: Unit = ""
    order: tuple[str, ...] = ()
    format: str | None = None
    several: str | None = None
    flat: bool = False
    coverage: Coverage | None = None
    span: tuple[str, str] | None = None
    na_values: tuple[str, ...] = ()
    measured_in: str | None = None
    spellings: int = 0
    values: tuple[str, ...] = ()

    @property
    def facts(self) -> str:
        """How many values it has, how rare they are, and what is missing, in words."""
        if not self.distinct and not self.sure:
            return "no texts"
        told = [f"{self.distinct:,} different value{'s' if self.distinct != 1 else ''}"]
        them = "them"
        if self.spellings > self.distinct:
            told[0] += f" in {self.spellings:,} spellings"
            them = "the values"
        if self.unique:
            told.append(f"{self.unique:,} of {them} in one row only")
        if self.span:
            told.append(f"from {self.span[0]} to {self.span[1]}")
        if self.missing and self.distinct:
            told.append(f"{self.missing / self.rows:.1%} missing")
        return ", ".join(told)

    @property
    def written_role(self) -> str:
        """The role as it stands in the drafted plan."""
        return self.role if self.sure else "undecided"

    def settings(self, folder: Path) -> dict[str, Any]:
        """What stands in a plan in `folder`; beside `undecided`, the keys that a role may need."""
        chosen: dict[str, Any] = {"role": self.written_role}
        if self.sure and self.role in ("identifier", "other"):
            return chosen
        if self.kind != "nominal" or (self.sure and self.role == "quasi-identifier"):
            chosen["kind"] = self.kind
        if self.measured_in and self.kind == "numeric":
            chosen["unit"] = self.measured_in
        if self.na_values:
            chosen["na_values"] = list(self.na_values)
        if self.order:
            chosen["order"] = list(self.order)
        if self.format:
            chosen["format"] = self.format
        if self.several is not None:
            chosen["several"] = self.several
        if self.flat:
            chosen["ontology"] = "flat"
        if self.coverage and self.role == "quasi-identifier":
            chosen["ontology"] = _as_seen_from(folder, self.coverage.ontology)
            if self.coverage.under and not self.coverage.outside:
                chosen["under"] = self.coverage.under
            if self.coverage.mapping:
                chosen["mapping"] = _as_seen_from(folder, self.coverage.mapping)
        return chosen


def profile_column(
    name: str,
    rows: int,
    counts: Mapping[str, int],
    files: ColumnFiles,
    between: str | None = None,
    na_values: tuple[str, ...] = (),
    na_of_table: tuple[str, ...] = ("",),
) -> ColumnProfile:
    """Look at a column of a table of so many rows.

    Parameters
    ----------
    counts
        How many rows have each value; rows without one are not counted.
    files
        Files beside the table that may explain the values.
    between
        What stands between answers, where the table says that cells have several.
    na_values
        What means no value here, if that is not what does in the whole table.
    na_of_table
        What does there.
    """
    given = sum(counts.values())
    several = between or _separator(name, counts)
    answers = counts if several is None else rows_of_answers(counts, several)
    texts: Sequence[str] = sorted(answers, key=lambda text: (-answers[text], text))
    written = measured(name, {text: answers[text] for text in texts}) if several is None else None
    texts = written.numbers if written else texts
    numeric = are_numbers(name, texts) and not are_snomed_ids(texts) and not are_packed_days(name, texts)
    meaning = _Meaning("numeric" if numeric else "nominal")
    times = sum(answers.values())
    proposal = _by_itself(name, texts, times, rows, numeric)
    if proposal is None:
        is_quantity = written is not None and (written.unit is not None or bool(written.limits))
        meaning = _Meaning("numeric") if is_quantity else _meaning(name, texts, numeric, files)
        proposal = _by_meaning(name, meaning, texts, times, na_values or na_of_table)
    elif not proposal.sure and (coverage := best_coverage(name, texts, False, True, files)):
        meaning = _Meaning("nominal", coverage=coverage)
        proposal = Proposal("quasi-identifier", True, "a hierarchy beside the table says how to mask it")
    elif not proposal.sure and (may_be_dates(texts) or are_packed_days(name, texts)):
        formats = day_formats(texts)
        if len(formats) == 1:
            meaning = _Meaning("date", form=str(formats[0]) if "%y" in str(formats[0]) else None)
        masked = {"role": "quasi-identifier", "kind": "date"}
        instead = tuple(masked | {"format": str(form)} for form in formats if len(formats) > 1)
        proposal = proposal._replace(instead=instead)
        if not formats:
            proposal = proposal._replace(advice=_about_ways(proposal.advice, answers))
    if several is not None:
        if meaning.kind != "nominal":
            meaning = _Meaning("nominal", coded=True)
        # Who has several answers in a cell is not told by one of them.
        proposal = proposal._replace(why=f"several answers in one cell; {proposal.why}", unit="")
    if written and written.words:
        proposal = _asking_about_words(proposal, written.words, na_values or na_of_table)
    elif numeric and (marks := _codes_below_zero(texts)):
        proposal = _asking_about_words(proposal, marks, na_values or na_of_table)
    if written and written.limits:
        proposal = _asking_about_limits(proposal, {text: answers[text] for text in written.limits})
    proposal = _asking_about_codes(proposal, meaning.coverage, texts, rows - given, na_values or na_of_table)
    is_shown = len(texts) > 1 and numeric and meaning.coverage is None and not proposal.personal
    is_of_words = meaning.kind in ("nominal", "ordinal") and several is None
    values = rows_of_values(counts) if is_of_words else counts
    return ColumnProfile(
        name=name,
        rows=rows,
        missing=rows - given,
        distinct=len(values),
        unique=sum(n == 1 for n in values.values()),
        spellings=len(counts),
        kind=meaning.kind,
        role=proposal.role,
        sure=proposal.sure,
        why=proposal.why,
        advice=proposal.advice,
        instead=proposal.instead,
        personal=proposal.personal,
        unit=proposal.unit,
        order=meaning.order,
        format=meaning.form,
        several=several,
        flat=meaning.coded,
        coverage=meaning.coverage,
        span=_span(texts) if is_shown else None,
        na_values=na_values,
        measured_in=written.unit if written else None,
        values=_few_values(texts, numeric),
    )


def rows_of_values(rows: Mapping[str, int]) -> Counter[str]:
    """How many rows have each value, spellings of one put together.

    >>> dict(rows_of_values({"Cook": 2, "cook ": 1, "nurse": 4}))
    {'cook': 3, 'nurse': 4}
    """
    found: Counter[str] = Counter()
    for text, n in rows.items():
        found[spelling_of(text)] += n
    return found


def column_without_text(name: str, rows: int) -> ColumnProfile:
    """A column whose cells are no texts, such as lists of numbers: nothing masks it."""
    why = "its cells have no plain text form: drop it, or make its parts columns of their own"
    return ColumnProfile(name, rows, 0, 0, 0, "nominal", "identifier", False, why, personal=True)


def _na_values(known: Sequence[str], more: Sequence[str]) -> str:
    """What to write beside a column, whose marks stand in the place of those of the table."""
    return f"`na_values: {json.dumps([*known, *more], ensure_ascii=False)}`"


def _asking_about_codes(
    proposal: Proposal, coverage: Coverage | None, texts: Sequence[str], missing: int, known: Sequence[str]
) -> Proposal:
    """The proposal, with the question whether a mark of no value is a code: NA may be Namibia."""
    if coverage is None or not missing:
        return proposal
    ontology = load_ontology(coverage.ontology)
    asked = [
        f"{mark}, the code of {label}, is taken for no value: {missing:,} rows have none. "
        f"If some are {label}, add {_na_values([one for one in known if one != mark], ())}"
        for mark, label in marks_that_are_codes(texts, ontology, known).items()
    ]
    return proposal._replace(advice=". ".join(filter(None, [proposal.advice, *asked])))


def _asking_about_words(proposal: Proposal, words: Sequence[str], known: Sequence[str]) -> Proposal:
    """The proposal for numbers with some words among them; what is surely dropped needs no asking."""
    if proposal.sure and proposal.role == "identifier":
        return proposal
    advice = f"If there is no number then, add {_na_values(known, words)}"
    settings = {"role": proposal.role, "kind": "numeric", "na_values": [*known, *words]}
    return proposal._replace(
        sure=False,
        instead=(settings,) if proposal.role in ("quasi-identifier", "confidential") else proposal.instead,
        why=f"numbers, but what does {', '.join(map(repr, words))} mean? Apart from that, {proposal.why}",
        advice=". ".join(filter(None, (advice, proposal.advice))),
    )


def _codes_below_zero(texts: Sequence[str]) -> tuple[str, ...]:
    """Numbers that may be codes of no value: -1, or sevens, eights or nines below zero, where others are not.

    >>> _codes_below_zero([*map(str, range(40)), "-9", "-99"]), _codes_below_zero(["-9", "-4", "1", "3"])
    (('-9', '-99'), ())
    """
    below = [text for text in texts if text.strip().startswith(("-", "\N{MINUS SIGN}"))]
    are_codes = all(_CODE_BELOW_ZERO.fullmatch(text.strip()) for text in below)
    return tuple(below) if are_codes and len(texts) > _OTHERS_TO_A_CODE * len(below) else ()


def _few_values(texts: Sequence[str], numeric: bool) -> tuple[str, ...]:
    """The values of a column where they are few, by size or by the alphabet."""
    if len(texts) > _MOST_FEW:
        return ()
    return tuple(_by_size(texts) if numeric else sorted(texts))


def _asking_about_limits(proposal: Proposal, rows: Mapping[str, int]) -> Proposal:
    """The proposal for numbers with limits such as `<5` among them; what is dropped needs no asking."""
    if proposal.sure and proposal.role == "identifier":
        return proposal
    sides = {("bottom" if one.is_below else "top"): None for text in rows if (one := limit_of(text))}
    shown = sorted(rows, key=lambda text: -rows[text])[:_LIMITS_SHOWN]
    told = f"{', '.join(map(repr, shown))}{' and more' if len(rows) > len(shown) else ''}"
    advice = (
        f"To mask them as numbers, add {' and '.join(f'`{side}`' for side in sides)}: what is beyond it is "
        "released as it. Else put numbers in their place, or make the column `kind: nominal` with "
        "`ontology: flat`"
    )
    return proposal._replace(
        sure=False,
        why=f"numbers, but {sum(rows.values()):,} rows have a limit: {told}. Apart from that, {proposal.why}",
        advice=". ".join(filter(None, (advice, proposal.advice))),
    )


def _about_ways(advice: str, rows: Mapping[str, int]) -> str:
    """The advice for dates that no single format reads: which ones they are in."""
    ways, unread = ways_written(rows)
    if len(ways) < 2:
        return advice
    n = sum(rows[text] for text in unread)
    rest = f" ({n:,} as none that is known)" if unread else ""
    told = f"They are written {ways_told(ways)}{rest}: spell them alike before they are masked as dates"
    return ". ".join(filter(None, (advice, told)))


def _separator(name: str, texts: Collection[str]) -> str | None:
    """What separates answers, where cells seem to have several; `7,5` is a number, `Garcia, Ana` a name."""
    is_one = are_numbers(name, texts) or share_of_names(list(texts)) > 0.5
    found = None if is_one else several_answers(texts, lambda parts: _known_parts(name, parts))
    return None if found is None else found.separator


def _known_parts(name: str, parts: Collection[str]) -> list[str]:
    """Those that may be an answer: words, or codes if most are of one system."""
    return [*parts] if code_systems(name, [*parts], False) else [*filter(is_word, parts)]


def _by_itself(name: str, texts: Sequence[str], given: int, rows: int, numeric: bool) -> Proposal | None:
    """The proposal for a column that is not worth masking, or not to be masked without asking."""
    if not texts:
        return Proposal("other", True, "it has no value at all")
    if personal := personal_data(name, texts, given, numeric):
        return personal
    if len(texts) == 1:
        if given == rows and rows > 1:
            return Proposal("other", True, "every row has the same value, so it tells nobody apart")
        return Proposal("confidential", False, "one value, which some rows have: what does it tell of them?")
    return (
        dates(name, texts)
        or sampling_weight(name, texts, numeric)
        or nearly_unique(name, texts, given, numeric)
    )


class _Meaning(NamedTuple):
    """How values are to be compared: kind, order, ontology, whether they may be codes, the form of days."""

    kind: Kind
    order: tuple[str, ...] = ()
    coverage: Coverage | None = None
    coded: bool = False
    form: str | None = None


def _meaning(name: str, texts: Sequence[str], numeric: bool, files: ColumnFiles) -> _Meaning:
    scale = () if numeric else scale_of(texts) or ()
    if len(texts) <= _MOST_LINKED:
        coverage = best_coverage(name, texts, numeric, bool(scale), files)
        if coverage is not None and (coverage.sure or len(texts) > MOST_CODES):
            return _Meaning("nominal", coverage=coverage)
    # Of two signs either order is right: their distance is 1 and the median is one of them.
    two_signs = () if numeric or len(texts) != 2 or not are_signs(texts) else (texts[0], texts[1])
    if order := scale or two_signs:
        return _Meaning("ordinal", order)
    few_words = len(texts) <= MOST_CODES and any(map(is_word, texts))
    if few_words or codes_in_order(name, texts) or are_snomed_ids(texts):
        return _Meaning("nominal", coded=True)
    return _Meaning("numeric" if numeric else "nominal")


def _by_meaning(
    name: str, meaning: _Meaning, texts: Sequence[str], given: int, known: Sequence[str]
) -> Proposal:
    """The proposal for a column that does not point at single people by itself."""
    masked: Role = "quasi-identifier"
    distinct = len(texts)
    numbers = all(map(is_number, texts))
    advice = "" if not meaning.coded else f"{_ABOUT_CODES}; {_ABOUT_NUMBERS}" if numbers else _ABOUT_CODES
    if is_outcome(name):
        why = "it sounds like an outcome: confidential if outsiders cannot know it, else a quasi-identifier"
        return Proposal("confidential", False, why, advice)
    if are_snomed_ids(texts):
        return Proposal(masked, False, "ids of SNOMED CT: may outsiders know it?", _ABOUT_SNOMED)
    if meaning.coded:
        what = "words that no ontology surely knows" if any(map(is_word, texts)) else "codes of something"
        why = "codes of categories, or a quantity?" if numbers else f"{what}: may outsiders know it?"
        return Proposal("confidential" if is_clinical(name) else masked, False, why, advice)
    if meaning.kind == "numeric":
        if marks := marks_among(texts):
            named = ", ".join(marks)
            why = f"numbers that outsiders may know, but is {named} one, or does it mean that there is none?"
            return Proposal(masked, False, why, f"If it means none, add {_na_values(known, marks)}")
        if distinct > max(20, given / 5):
            why = "a measurement with many values: masked if outsiders may know it, else confidential"
            return Proposal(masked, False, why)
        return Proposal(masked, True, "a number that outsiders may know")
    if meaning.kind == "ordinal":
        check = "of two values either order will do" if distinct == 2 else "check their order"
        return Proposal(masked, True, f"steps that outsiders may know; {check}")
    coverage = meaning.coverage
    by_itself = (_BY_ITSELF,) if distinct <= _MOST_BY_THEMSELVES else ()
    studied: Role = "confidential" if is_clinical(name) else masked
    if coverage is None:
        own_leaf = (
            ", or set `unmapped: own-leaf` below, which writes a word itself where k rows have it"
            if any(map(is_word, texts))
            else ""
        )
        advice = f"To mask it, add `ontology: FILE`, a hierarchy of the values{own_leaf}"
        return Proposal(studied, False, "no ontology at hand knows these values", advice, instead=by_itself)
    if coverage.unknown:
        why = "the ontology lacks some values: map them first"
        return Proposal(masked, False, why, instead=by_itself if coverage.share <= _POORLY_KNOWN else ())
    if coverage.is_doubtful:
        return Proposal(masked, False, "the ontology is not sure of many values: look at them first")
    if distinct > max(20, given / 2):
        return Proposal(masked, False, "it has many values: is it free text?")
    if is_clinical(name):
        why = "diagnoses that outsiders may know; if they cannot and analysts study them, confidential"
        return Proposal(masked, True, why)
    return Proposal(masked, True, "words that outsiders may know")


def _span(texts: Sequence[str]) -> tuple[str, str]:
    ordered = _by_size(texts)
    return ordered[0], ordered[-1]


def _by_size(texts: Sequence[str]) -> list[str]:
    """Numbers, the smallest first."""
    stripped = [text.strip() for text in texts]
    try:
        written = number_format(stripped)
    except OntomaskError:  # it may be read in two ways, which a run tells
        written = formats(stripped)[0]
    return sorted(stripped, key=lambda text: written.number_of(text) or 0)


def _as_seen_from(folder: Path, ontology: str | Path) -> str:
    if isinstance(ontology, str):
        return ontology
    try:
        return Path(os.path.relpath(ontology, folder)).as_posix()
    except ValueError:  # another drive
        return str(ontology.resolve())
