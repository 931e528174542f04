"""What the name of a column and its texts suggest: personal data, scale, number, code, outcome.

Pure functions over names and distinct texts; they know neither tables nor ontologies. A guess is a proposal
to a person, so each comes with its reason, and whoever doubts says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Literal, NamedTuple

from ontomask.numerals import NO_MARK, THOUSANDS, formats
from ontomask.profile import vocabulary

Role = Literal["identifier", "quasi-identifier", "confidential", "other"]

_SCALES = tuple(
    tuple(scale.split(","))
    for scale in (
        "very low,low,mid,medium,moderate,middle,high,very high",
        "none,mild,moderate,severe,very severe,critical",
        "very bad,bad,poor,fair,average,good,very good,excellent,outstanding",
        "strongly disagree,disagree,neutral,agree,strongly agree",
        "very dissatisfied,dissatisfied,neutral,satisfied,very satisfied",
        "never,rarely,seldom,sometimes,often,usually,always",
        "xxs,xs,s,m,l,xl,xxl",
        "extra small,very small,small,medium,large,very large,extra large",
        "child,teenager,adult,senior",
        "teens,twenties,thirties,forties,fifties,sixties,seventies,eighties,nineties",
        "first,second,third,fourth,fifth,sixth,seventh,eighth,ninth,tenth",
        "monday,tuesday,wednesday,thursday,friday,saturday,sunday",
    )
)
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
_PACKED_DATE = re.compile(r"(1[89]|20)\d{6}|\d{4}(1[89]|20)\d\d")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_WEB = re.compile(r"https?://.+|www\..+")
_IP = re.compile(r"\d{1,3}(\.\d{1,3}){3}(/\d+|:\d+)?|[0-9a-f]{0,4}(:[0-9a-f]{0,4}){4,7}", re.IGNORECASE)
_PHONE = re.compile(r"(?=(\D*\d){7})\+\d[\d ()./-]{6,}|(?=(\D*\d){7})\(?\d{2,5}\)?([ ./-]\(?\d{2,5}\)?){1,5}")
_POSTCODE = re.compile(r"\d{4,6}")
_COORDINATES = re.compile(r"\(?[-+]?\d{1,3}\.\d{2,}°?\s*[NS]?\s*[,; ]\s*[-+]?\d{1,3}\.\d{2,}°?\s*[EW]?\)?")
_ICD10 = re.compile(r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?", re.IGNORECASE)
_ICD9 = re.compile(r"(\d{3}|V\d{2}|E\d{3})(\.?\d{1,2})?", re.IGNORECASE)
_WHOLE = re.compile(r"[-+]?\d+")
_LEADING_ZERO = re.compile(r"\s*[-+]?0\d")

_NEARLY_ALL = 0.95
_ENOUGH_ROWS = 20  # in fewer rows, all-different values mean nothing
_MOST_CODES = 12
_WORDS_OF_A_SENTENCE = 4
_LIKE_AN_ID = "its name sounds like an identifier, and most values stand in one row"
_ABOUT_DATES = "To mask them, write `role: quasi-identifier` and `kind: date`; drop them if nobody needs them"
_ABOUT_POSTCODES = (
    "Drop it; or, to mask it by regions, put a file with lines like 28001;280;28;* and the column's name "
    "beside the table and draft again"
)


class Proposal(NamedTuple):
    """What a column may be.

    `sure` says whether nobody has to be asked; `advice`, what to do where a role alone is not enough;
    `personal`, whether the column may point at single people by itself.
    """

    role: Role
    sure: bool
    why: str
    advice: str = ""
    personal: bool = False


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
    words = _folded_words(name)
    return {*words, *(first + second for first, second in pairwise(words)), "".join(words)}


def personal_data(name: str, texts: Sequence[str], given: int, numeric: bool) -> Proposal | None:
    """What to do with a column that may point at single people; None if it does not seem to.

    `given` counts the rows that have a value, `texts` holds the distinct ones. Without any, the name decides.

    >>> personal_data("Vorname", ["Ann", "Bob"], 90, False).role
    'identifier'
    >>> personal_data("PLZ", ["10115", "80331"], 90, False).sure
    False
    """
    return _personal_by_name(name, texts, given, numeric) or _personal_by_values(texts, given, numeric)


def _personal_by_name(name: str, texts: Sequence[str], given: int, numeric: bool) -> Proposal | None:
    if len(texts) == 2 and all(text.strip().casefold() in vocabulary.YES_NO for text in texts):
        return None  # whether there is a phone, say
    terms, words = terms_of(name), set(_folded_words(name))
    mostly_single = len(texts) >= given / 2
    if terms & vocabulary.PERSONAL_NUMBER:
        return _identifier("a number or an address of one person, by the column's name")
    if terms & vocabulary.BIRTH_DATE or (terms & vocabulary.BORN and may_be_dates(texts)):
        return _ask("a date of birth: with sex and postcode it names most people", advice=_ABOUT_DATES)
    if terms & vocabulary.PERSON_NAME or (words & vocabulary.NAME and words <= vocabulary.IN_PERSON_NAME):
        return _identifier("names of people, by the column's name")
    if terms & vocabulary.POSTCODE or (terms & vocabulary.PERHAPS_POSTCODE and share(texts, _POSTCODE) > 0.8):
        return _ask("a postcode: with age and sex it names many people", advice=_ABOUT_POSTCODES)
    if terms & vocabulary.COORDINATE or ("long" in words and numeric):
        role: Role = "quasi-identifier" if numeric else "identifier"
        return _ask("a place on the map: it may be where one person lives", role)
    if terms & vocabulary.STREET:
        return _identifier("an address, by the column's name")
    if words & vocabulary.PERHAPS_PERSONAL and "of" not in words and mostly_single:
        return _identifier(_LIKE_AN_ID)
    if words & vocabulary.ID or (words and words <= vocabulary.PERSON):
        if mostly_single:
            return _identifier(_LIKE_AN_ID)
        return _ask("it may say whose row this is: several rows of one person share a value")
    return None


def _personal_by_values(texts: Sequence[str], given: int, numeric: bool) -> Proposal | None:
    mostly_single = len(texts) >= given / 2
    for form, what in (
        (_EMAIL, "e-mail addresses"),
        (_IP, "addresses of computers"),
        (_WEB, "web addresses"),
    ):
        if share(texts, form) > 0.5:
            return _identifier(f"its values are {what}")
    if share(texts, _COORDINATES) > 0.5:
        return _ask("places on the map: they may be where people live")
    if numeric or not texts or are_dates(texts):
        return None
    if mostly_single and share(texts, _PHONE) > 0.8 and scale_of(texts) is None:
        return _ask("its values look like phone numbers")
    if mostly_single and sum(len(text.split()) for text in texts) > _WORDS_OF_A_SENTENCE * len(texts):
        return _ask("free text: sentences may name people, places and dates, and no method masks them")
    return None


def why_identifier(name: str, texts: Sequence[str], given: int, numeric: bool) -> str | None:
    """Why a column may point at single people; None if it does not seem to. As `personal_data`."""
    found = personal_data(name, texts, given, numeric) or nearly_unique(name, texts, given, numeric)
    return found.why if found else None


def dates(texts: Sequence[str]) -> Proposal | None:
    """What to do with dates of anything; None if most texts are something else."""
    why = "dates: outsiders often know when something happened"
    return _ask(why, advice=_ABOUT_DATES, personal=False) if are_dates(texts) else None


def nearly_unique(name: str, texts: Sequence[str], given: int, numeric: bool) -> Proposal | None:
    """What to do with a column in which nearly every row has a value of its own; None if it is not so."""
    if given < _ENOUGH_ROWS or len(texts) < _NEARLY_ALL * given:
        return None
    why = "nearly every row has a value of its own: whoever knows it finds the person"
    if is_outcome(name):
        return _ask(f"it sounds like an outcome, but {why}", "confidential")
    measured = numeric and (is_quantity(name) or not _may_be_serial(texts))
    return _ask(why, "quasi-identifier" if measured else "identifier")


def is_outcome(name: str) -> bool:
    """Whether a name sounds like something measured or decided, which outsiders seldom know."""
    return bool(set(words_of(name)) & vocabulary.OUTCOME)


def is_quantity(name: str) -> bool:
    """Whether a name says that its numbers count or measure.

    >>> is_quantity("age"), is_quantity("age_group"), is_quantity("thal")
    (True, False, False)
    """
    words = set(_folded_words(name))
    return bool(words & vocabulary.QUANTITY) and not words & vocabulary.GROUPED


def codes_in_order(name: str, texts: Collection[str]) -> tuple[str, ...]:
    """The texts in order, if they may stand for categories: few whole numbers, or signs that are no words.

    Not if the name says what the numbers count or measure.

    >>> codes_in_order("chest_pain", ["1", "3", "2", "10"]), codes_in_order("ward", ["B2", "A1", "C"])
    (('1', '2', '3', '10'), ('A1', 'B2', 'C'))
    >>> codes_in_order("age", ["31", "54"]), codes_in_order("job", ["nurse", "cook", "A1"])
    ((), ())
    """
    if len(texts) > _MOST_CODES:
        return ()
    if all(_WHOLE.fullmatch(text.strip()) for text in texts):
        return () if is_quantity(name) else tuple(sorted(texts, key=float))
    is_other = any(map(is_word, texts)) or all(map(is_number, texts)) or _have_commas(texts)
    return () if is_other else tuple(sorted(texts))


def is_word(text: str) -> bool:
    """Whether a text may be a word: it has three letters at least."""
    return sum(map(str.isalpha, text)) > 2


def are_numbers(name: str, texts: Collection[str]) -> bool:
    """Whether all texts are quantities: numbers without leading zeros, in a column not named as a code.

    >>> are_numbers("age", ["7", "41.5"]), are_numbers("ward", ["007", "041"]), are_numbers("kg", ["91,1"])
    (True, False, True)
    """
    if not texts or terms_of(name) & vocabulary.NOT_A_QUANTITY:
        return False
    return all(map(is_number, texts)) or _have_commas(texts)


def _have_commas(texts: Collection[str]) -> bool:
    """Whether texts are numbers with commas, before decimals or between thousands."""
    if any(_LEADING_ZERO.match(text) for text in texts):
        return False
    marks = [NO_MARK, *(mark for mark in THOUSANDS if mark in ",.")]  # a blank may be in a phone number
    tried = [one for mark in marks for one in formats(texts, thousands=mark)]
    return any(all(one.number_of(text) is not None for text in texts) for one in tried)


def missing_value_words(columns: Iterable[Collection[str]]) -> set[str]:
    """Texts of a table such as n/a that plainly mean no value; none that is a step of some column's scale.

    >>> missing_value_words([["7", "n/a ", "none"], ["none", "mild"], ["+", "-"]])
    {'n/a'}
    """
    found, steps = set[str](), set[str]()
    for texts in columns:
        words = {text.strip() for text in texts if text.strip().lower() in vocabulary.MISSING_VALUE}
        if words:
            (steps if "+" in texts or scale_of(texts) else found).update(words)
    return found - steps


def scale_of(texts: Collection[str]) -> tuple[str, ...] | None:
    """The texts in order, lowest first, if they are steps of a well-known scale, or ranges of numbers.

    >>> scale_of({"High", "low", "medium"})
    ('low', 'medium', 'High')
    >>> scale_of(["35-49", "<18", "18-34", "50+"])
    ('<18', '18-34', '35-49', '50+')
    """
    if len(texts) < 2:
        return None
    folded = {text: " ".join(text.casefold().replace("_", " ").replace("-", " ").split()) for text in texts}
    for scale in _SCALES:
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
    """Code systems whose form most texts have; plain numbers count only if the column's name says codes."""
    named = bool(set(words_of(name)) & vocabulary.CLINICAL_CODE)
    found = ["icd10cm"] if share(texts, _ICD10) >= 0.8 else []
    if share(texts, _ICD9) >= 0.8 and (named or not numeric):
        found.append("icd9cm")
    return found


def share(texts: Collection[str], form: re.Pattern[str]) -> float:
    """Share of the texts that have a form."""
    return sum(form.fullmatch(text.strip()) is not None for text in texts) / max(len(texts), 1)


def _identifier(why: str) -> Proposal:
    return Proposal("identifier", True, why, personal=True)


def _ask(why: str, role: Role = "identifier", advice: str = "", personal: bool = True) -> Proposal:
    return Proposal(role, False, why, advice, personal)


def _folded_words(name: str) -> list[str]:
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return [part for word in words_of(bare) for part in _parts(word.casefold())]


def _parts(word: str) -> list[str]:
    """`patient`, `id` of `patientid`."""
    ending = next((e for e in vocabulary.ENDINGS if word.endswith(e) and len(word) > len(e) + 2), None)
    if ending is None or word in vocabulary.NOT_COMPOUND:
        return [word]
    return [word.removesuffix(ending), ending]


def _may_be_serial(texts: Sequence[str]) -> bool:
    """Whether different numbers may only number the rows: whole, not below 0, and dense or equally long."""
    if not all(re.fullmatch(r"\d+", text.strip()) for text in texts):
        return False
    numbers, lengths = [int(text) for text in texts], {len(text.strip()) for text in texts}
    return len(lengths) < 3 or max(numbers) - min(numbers) <= 2 * len(numbers)


def may_be_dates(texts: Collection[str]) -> bool:
    """Whether most texts are dates, or numbers that may be dates without their separators."""
    return are_dates(texts) or share(texts, _PACKED_DATE) > 0.8


def is_number(text: str) -> bool:
    """Whether a text is a finite number without leading zeros."""
    if _LEADING_ZERO.match(text):
        return False
    try:
        return Decimal(text.strip()).is_finite()
    except InvalidOperation:
        return False


def _start_of_range(text: str) -> tuple[float, int] | None:
    """Where a range of numbers starts; one without a lower end comes before the one that starts there."""
    for form, rank in _RANGES:
        if found := form.fullmatch(text):
            return float(found[1]), rank
    return None
