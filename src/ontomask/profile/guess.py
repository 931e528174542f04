"""What the name of a column and its texts suggest: scale, number, date, code, outcome.

Pure functions over names and distinct texts; they know neither tables nor ontologies. A guess is a proposal
to a person, so each comes with its reason, and whoever doubts says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from ontomask.days import SHORT_YEARS, DayFormat, fitting_formats
from ontomask.linking.normalise import plain
from ontomask.numerals import NO_MARK, THOUSANDS, formats
from ontomask.profile import vocabulary
from ontomask.profile.scales import SCALES

Role = Literal["identifier", "quasi-identifier", "confidential", "other"]

_BOUND = r"\s*(\d+(?:\.\d+)?)\s*[a-zA-Z%]{0,6}?\s*"
_RANGES = tuple(
    (re.compile(form), rank)
    for form, rank in (
        (rf"\s*[<≤]=?{_BOUND}", -1),
        (rf"{_BOUND}(?:[-–]|to){_BOUND}", 0),
        (rf"{_BOUND}\+", 0),
        (rf"\s*[>≥]=?{_BOUND}", 1),
    )
)
_MONTH = r"[^\W\d_]{3,9}\.?"
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}.*|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.*"
    rf"|\d{{1,2}}\.?[ -]{_MONTH},?[ -]\d{{2,4}}|{_MONTH} \d{{1,2}},? \d{{4}}"
)
_MARK = re.compile(r"(-1|-?9+|-?8{2,})(\.0+)?")
_DIGITS = re.compile(r"\d+")
_DAY_IN_DIGITS = DayFormat("%Y%m%d")
_OUR_TIME = range(1900, 2100)  # years of days that a number may be without being called a date
_PACKED_DATE = re.compile(r"(1[89]|20)\d{6}|\d{4}(1[89]|20)\d\d")
_ICD10 = re.compile(r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?", re.IGNORECASE)
_ICD9 = re.compile(r"(\d{3}|V\d{2}|E\d{3})(\.?\d{1,2})?", re.IGNORECASE)
_WHOLE = re.compile(r"[-+]?\d+")
_LEADING_ZERO = re.compile(r"\s*[-+]?0\d")

MOST_CODES = 12


Unit = Literal["", "person", "name", "household"]


class Proposal(NamedTuple):
    """What a column may be.

    `sure` says whether nobody has to be asked; `advice`, what to do where a role alone is not enough;
    `personal`, whether the column may point at single people by itself; `unit`, of whom rows are that share a
    value, if of one; `instead`, what may stand in a plan in its place.
    """

    role: Role
    sure: bool
    why: str
    advice: str = ""
    personal: bool = False
    unit: Unit = ""
    instead: tuple[Mapping[str, Any], ...] = ()


def words_of(name: str) -> list[str]:
    """The words of a column's name.

    >>> words_of("patientName_2")
    ['patient', 'name', '2']
    """
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", name)]


def terms_of(name: str) -> set[str]:
    """What to look up in the vocabulary: words without accents, neighbours joined, the whole name joined.

    >>> sorted(terms_of("Date-de-Naissance"))
    ['date', 'datede', 'datedenaissance', 'de', 'denaissance', 'naissance']
    """
    words = folded_words(name)
    return {*words, *(first + second for first, second in pairwise(words)), "".join(words)}


def is_outcome(name: str) -> bool:
    """Whether a name sounds like something measured or decided, which outsiders seldom know."""
    return bool(terms_of(name) & vocabulary.OUTCOME)


def is_clinical(name: str) -> bool:
    """Whether a name says that the column holds diagnoses."""
    return bool(terms_of(name) & vocabulary.CLINICAL_CODE)


def is_quantity(name: str) -> bool:
    """Whether a name says that its numbers count or measure.

    >>> is_quantity("age"), is_quantity("age_group"), is_quantity("thal")
    (True, False, False)
    """
    words = set(folded_words(name))
    return bool(words & vocabulary.QUANTITY) and not words & vocabulary.GROUPED


def codes_in_order(name: str, texts: Collection[str]) -> tuple[str, ...]:
    """The texts in order, if they may stand for categories: few whole numbers, or signs that are no words.

    Not if the name says what the numbers count or measure.

    >>> codes_in_order("chest_pain", ["1", "3", "2", "10"]), codes_in_order("ward", ["B2", "A1", "C"])
    (('1', '2', '3', '10'), ('A1', 'B2', 'C'))
    >>> codes_in_order("age", ["31", "54"]), codes_in_order("job", ["nurse", "cook", "A1"])
    ((), ())
    """
    if len(texts) > MOST_CODES:
        return ()
    if all(_WHOLE.fullmatch(text.strip()) for text in texts):
        return () if is_quantity(name) else tuple(sorted(texts, key=float))
    is_other = any(map(is_word, texts)) or all(map(is_number, texts)) or _have_marks(texts)
    return () if is_other else tuple(sorted(texts))


def are_quantities(name: str, texts: Collection[str]) -> bool:
    """Whether texts are numbers that measure or count something, and no codes of categories.

    >>> are_quantities("weight", ["71.5", "80"]), are_quantities("sex", ["1", "2"])
    (True, False)
    """
    return are_numbers(name, texts) and not codes_in_order(name, texts)


def is_word(text: str) -> bool:
    """Whether a text may be a word: it has three letters at least."""
    return sum(map(str.isalpha, text)) > 2


def are_signs(texts: Collection[str]) -> bool:
    """Whether texts say no more than which of them it is: answers of yes or no, or no words.

    >>> are_signs(["oui", "non"]), are_signs(["P", "Q"]), are_signs(["positive", "negative"])
    (True, True, False)
    """
    return all(not is_word(text) or text.strip().casefold() in vocabulary.YES_NO for text in texts)


def are_numbers(name: str, texts: Collection[str]) -> bool:
    """Whether all texts are quantities: numbers without leading zeros, in a column not named as a code.

    >>> are_numbers("age", ["7", "41.5"]), are_numbers("ward", ["007", "041"]), are_numbers("kg", ["91,1"])
    (True, False, True)
    """
    if not texts or terms_of(name) & vocabulary.NOT_A_QUANTITY:
        return False
    return all(map(is_number, texts)) or _have_marks(texts)


def _have_marks(texts: Collection[str]) -> bool:
    """Whether texts are numbers with a comma before decimals, or with a mark between thousands."""
    if any(_LEADING_ZERO.match(text) for text in texts):
        return False
    has_decimals = any(mark in text for text in texts for mark in ",.")
    marks = [NO_MARK, *(mark for mark in THOUSANDS if mark != " " or has_decimals)]  # else a phone number
    tried = [one for mark in marks for one in formats(texts, thousands=mark)]
    return any(all(one.number_of(text) is not None for text in texts) for one in tried)


def missing_value_words(texts: Collection[str]) -> set[str]:
    """Texts of a column such as n/a that plainly mean no value there; among numbers or dates, *unknown* too.

    Not those that are a step of a scale, nor *none* among words: no religion, allergy or pet is an answer.

    >>> missing_value_words(["7", "n/a ", "none"]) == {"n/a", "none"}
    True
    >>> missing_value_words(["n/a", "none", "Jewish"]), missing_value_words(["+", "-"])
    ({'n/a'}, set())
    """
    said = {text.strip(): text.strip().lower() for text in texts}
    words = {text for text, word in said.items() if word in vocabulary.MISSING_VALUE}
    perhaps = {text for text, word in said.items() if word in vocabulary.MISSING_NUMBER}
    others = [text for text in texts if text.strip() not in words | perhaps]
    if perhaps and (are_numbers("", others) or are_dates(others)):
        return words | perhaps
    if not words or "+" in texts or scale_of(texts):
        return set()
    if any(map(is_word, others)) and not are_dates(others):
        words = {word for word in words if word.lower() not in vocabulary.NOTHING}
    return words


def scale_of(texts: Collection[str]) -> tuple[str, ...] | None:
    """The texts in order, lowest first, if they are steps of a well-known scale, or ranges of numbers.

    >>> scale_of({"High", "low", "medium"})
    ('low', 'medium', 'High')
    >>> scale_of(["35-49", "<18", "18-34", "50+"])
    ('<18', '18-34', '35-49', '50+')
    """
    if len(texts) < 2:
        return None
    folded = {text: plain(text.replace("'", " ").replace("\u2019", " ").replace("_", " ")) for text in texts}
    for scale in SCALES:
        if set(folded.values()) <= set(scale) and len(set(folded.values())) == len(texts):
            return tuple(sorted(texts, key=lambda text: scale.index(folded[text])))
    if len(texts) > 50:
        return None
    starts = {text: _start_of_range(text) for text in texts}
    known = [start for start in starts.values() if start is not None]
    if len(known) < len(texts) or len(set(known)) < len(texts):
        return None
    return tuple(sorted(texts, key=lambda text: starts[text] or (0.0, 0)))


def are_dates(texts: Collection[str]) -> bool:
    """Whether most texts are dates."""
    return share(texts, _DATE) > 0.8


def code_systems(name: str, texts: Sequence[str], numeric: bool) -> list[str]:
    """Code systems whose form most texts have; plain digits count only if the column's name says codes.

    >>> code_systems("branch", ["007", "012"], False), code_systems("diagnosis", ["007", "012"], False)
    ([], ['icd9cm'])
    """
    named = is_clinical(name)
    found = ["icd10cm"] if share(texts, _ICD10) >= 0.8 else []
    if share(texts, _ICD9) >= 0.8 and (named or not (numeric or share(texts, _DIGITS) == 1)):
        found.append("icd9cm")
    return found


def share(texts: Collection[str], form: re.Pattern[str]) -> float:
    """Share of the texts that have a form."""
    return sum(form.fullmatch(text.strip()) is not None for text in texts) / max(len(texts), 1)


def folded_words(name: str) -> list[str]:
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return [part for word in words_of(bare) for part in _parts(word.casefold())]


def _parts(word: str) -> list[str]:
    """`patient`, `id` of `patientid`."""
    ending = next((e for e in vocabulary.ENDINGS if word.endswith(e) and len(word) > len(e) + 2), None)
    if ending is None or word in vocabulary.NOT_COMPOUND:
        return [word]
    return [word.removesuffix(ending), ending]


def are_packed_days(name: str, texts: Collection[str]) -> bool:
    """Whether all texts are days without separators, such as 20200103: by the name, or all of our time.

    >>> are_packed_days("admission_date", ["20200103"]), are_packed_days("x", ["20200103", "20211224"])
    (True, True)
    >>> are_packed_days("x", ["20200103", "30211224"]), are_packed_days("date", ["20201399"])
    (False, False)
    """
    days = [_DAY_IN_DIGITS.day_of(text) for text in texts]
    if not texts or any(day is None for day in days):
        return False
    is_named = bool(set(folded_words(name)) & vocabulary.DATE)
    return is_named or (len(texts) > 1 and all(int(text.strip()[:4]) in _OUR_TIME for text in texts))


def may_be_dates(texts: Collection[str]) -> bool:
    """Whether most texts are dates, or numbers that may be dates without their separators."""
    return are_dates(texts) or share(texts, _PACKED_DATE) > 0.8


def day_formats(texts: Collection[str]) -> list[DayFormat]:
    """The formats that read every text as a day: those with four digits for the year, else with two.

    >>> [str(one) for one in day_formats(["05.01.24"])], [str(one) for one in day_formats(["1/5/24"])]
    (['%d.%m.%y'], ['%d/%m/%y', '%m/%d/%y'])
    """
    short = [one for one in SHORT_YEARS if all(one.day_of(text) is not None for text in texts)]
    return fitting_formats(texts) or short


def is_number(text: str) -> bool:
    """Whether a text is a finite number without leading zeros."""
    if _LEADING_ZERO.match(text):
        return False
    try:
        return Decimal(text.strip()).is_finite()
    except InvalidOperation:
        return False


def marks_among(texts: Sequence[str]) -> list[str]:
    """Numbers that may stand for no value: 999 far above the others, or -1 below none but positive ones.

    >>> marks_among(["41", "999", "63"]), marks_among(["-9", "0", "12"])
    (['999'], ['-9'])
    >>> marks_among(["95", "99", "63"]), marks_among(["-1", "-4", "2"]), marks_among(["999"])
    ([], [], [])
    """
    numbers = {text: float(text) for text in texts if is_number(text)}
    found = [text for text in numbers if _MARK.fullmatch(text.strip())]
    others = [x for text, x in numbers.items() if text not in found]
    if not others:
        return []
    low, high = min(others), max(others)
    far = max(high - low, abs(high))  # above the greatest of the others
    return sorted(
        text
        for text in found
        if (numbers[text] < 0 <= low) or (len(others) > 1 and numbers[text] > high + far)
    )


def _start_of_range(text: str) -> tuple[float, int] | None:
    """Where a range of numbers starts; one without a lower end comes before the one that starts there."""
    for form, rank in _RANGES:
        if found := form.fullmatch(text):
            return float(found[1]), rank
    return None
