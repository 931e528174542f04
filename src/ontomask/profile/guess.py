"""What the name of a column and its texts suggest: identifier, scale, number, code, outcome.

Pure functions over names and distinct texts; they know neither tables nor ontologies. A guess is a proposal
to a person, so each comes with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from decimal import Decimal, InvalidOperation

NO_VALUE = frozenset({"n/a", "#n/a", "na", "nan", "null", "none", "nil", "missing", "-", "--", "."})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words in a column's name that mean one person whatever the values are, and those that may.
_SURELY_PERSONAL = _words(
    "ssn email mail phone telephone mobile cellphone fax passport iban mrn nhs uuid guid surname firstname "
    "lastname fullname forename username login dni nif"
)
_PERHAPS_PERSONAL = _words("id identifier name number no nr key ref address street account url ip")
_OUTCOME = _words(
    "salary income wage pay cost price charge charges amount fee score rating satisfaction result outcome "
    "class risk target label grade revenue expense total"
)
_CODED = _words("icd icd9 icd10 dx diag diagnosis diagnoses")
_NOT_A_QUANTITY = _words("zip zipcode postcode postal code")

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
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}.*|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.*")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_ICD10 = re.compile(r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?", re.IGNORECASE)
_ICD9 = re.compile(r"(\d{3}|V\d{2}|E\d{3})(\.?\d{1,2})?", re.IGNORECASE)

_NEARLY_ALL = 0.95
_ENOUGH_ROWS = 20  # in fewer rows, all-different values mean nothing


def words_of(name: str) -> list[str]:
    """The words of a column's name.

    >>> words_of("patientName_2")
    ['patient', 'name', '2']
    """
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", name)]


def why_identifier(name: str, texts: Sequence[str], given: int, numeric: bool) -> str | None:
    """Why a column may point at single people; None if it does not seem to.

    `given` counts the rows that have a value, `texts` holds the distinct ones.
    """
    words = set(words_of(name)) | {"".join(words_of(name))}
    nearly_all = given > 0 and len(texts) >= _NEARLY_ALL * given
    if words & _SURELY_PERSONAL:
        return "its name says so"
    if words & _PERHAPS_PERSONAL and len(texts) >= given / 2:
        return "its name says so, and most values stand once"
    if share(texts, _EMAIL) > 0.5:
        return "its values are e-mail addresses"
    whole = all(re.fullmatch(r"[-+]?\d+", text.strip()) for text in texts) if numeric else True
    if nearly_all and whole and given >= _ENOUGH_ROWS:
        return "nearly every row has a value of its own"
    return None


def is_outcome(name: str) -> bool:
    """Whether a name sounds like something measured or decided, which outsiders seldom know."""
    return bool(set(words_of(name)) & _OUTCOME)


def are_numbers(name: str, texts: Collection[str]) -> bool:
    """Whether all texts are quantities: numbers without leading zeros, in a column not named as a code.

    >>> are_numbers("age", ["7", "41.5"]), are_numbers("ward", ["007", "041"])
    (True, False)
    """
    if not texts or set(words_of(name)) & _NOT_A_QUANTITY:
        return False
    return all(_is_number(text.strip()) for text in texts)


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
    starts = {text: _start_of_range(text) for text in texts}
    known = [start for start in starts.values() if start is not None]
    if len(known) < len(texts) or len(set(known)) < len(texts) or len(texts) > 50:
        return None
    return tuple(sorted(texts, key=lambda text: starts[text] or (0.0, 0)))


def are_dates(texts: Collection[str]) -> bool:
    """Whether most texts are dates."""
    return share(texts, _DATE) > 0.8


def code_systems(name: str, texts: Sequence[str], numeric: bool) -> list[str]:
    """Code systems whose form most texts have; plain numbers count only if the column's name says codes."""
    named = bool(set(words_of(name)) & _CODED)
    found = ["icd10cm"] if share(texts, _ICD10) >= 0.8 else []
    if share(texts, _ICD9) >= 0.8 and (named or not numeric):
        found.append("icd9cm")
    return found


def share(texts: Collection[str], form: re.Pattern[str]) -> float:
    """Share of the texts that have a form."""
    return sum(form.fullmatch(text.strip()) is not None for text in texts) / max(len(texts), 1)


def _is_number(text: str) -> bool:
    if re.match(r"[-+]?0\d", text):
        return False
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def _start_of_range(text: str) -> tuple[float, int] | None:
    """Where a range of numbers starts; one without a lower end comes before the one that starts there."""
    for form, rank in _RANGES:
        if found := form.fullmatch(text):
            return float(found[1]), rank
    return None
