"""Columns that may point at single people: a register of recognisers, by name and by values, tried in order.

Each recogniser is a function of a column as it was seen, and proposes what to do with it or passes. They know
neither tables nor ontologies. Whoever doubts says so: what is not surely to be dropped is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from ontomask.numerals import lengths_of_digits
from ontomask.profile import vocabulary
from ontomask.profile.guess import (
    Proposal,
    Role,
    Unit,
    are_dates,
    are_packed_days,
    folded_words,
    is_outcome,
    is_quantity,
    may_be_dates,
    scale_of,
    share,
    terms_of,
)
from ontomask.profile.national import number_of_a_person
from ontomask.profile.people import share_of_names

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_WEB = re.compile(r"https?://.+|www\..+")
_IP = re.compile(r"\d{1,3}(\.\d{1,3}){3}(/\d+|:\d+)?|[0-9a-f]{0,4}(:[0-9a-f]{0,4}){4,7}", re.IGNORECASE)
_PHONE = re.compile(r"(?=(\D*\d){7})\+\d[\d ()./-]{6,}|(?=(\D*\d){7})\(?\d{2,5}\)?([ ./-]\(?\d{2,5}\)?){1,5}")
_POSTCODE = re.compile(r"\d{4,6}")
_LETTERED_POSTCODE = re.compile(  # British, Canadian, Dutch
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4} [A-Z]{2}", re.IGNORECASE
)
_NAME = re.compile(r"[^\W\d_][^\d]*[ ,][^\d]*[^\W\d_]")
_COORDINATES = re.compile(r"\(?[-+]?\d{1,3}\.\d{2,}°?\s*[NS]?\s*[,; ]\s*[-+]?\d{1,3}\.\d{2,}°?\s*[EW]?\)?")

_NEARLY_ALL = 0.95
_ENOUGH_ROWS = 20  # in fewer rows, all-different values mean nothing
_ENOUGH_NAMES = 3
_MOSTLY_NAMES = 0.8
_ENOUGH_HOUSEHOLDS = 10
_MOST_TOGETHER = 8  # rows that share the number of a household, on average
_WORDS_OF_A_SENTENCE = 4
_GREATEST_MEDIAN_WEIGHT = 5.0  # of weights that are about 1; nobody weighs so little
_ABOUT_IDS = (
    "Without it `evaluate` pairs rows with the original by their order only; to keep a key that nobody "
    "can read, write `role: pseudonym` and set ONTOMASK_KEY"
)
_LIKE_AN_ID = "its name sounds like an identifier, and most values stand in one row"
_SHARED_ID = "its name sounds like an identifier, and some rows share one: these may be of one person"
_ABOUT_DATES = "To mask them, write `role: quasi-identifier` and `kind: date`; drop them if nobody needs them"
_ABOUT_POSTCODES = (
    "Drop it, or mask it by its first characters; to mask it by regions, put a file with lines like "
    "28001;280;28;* and the column's name beside the table and draft again"
)
# Released centrally, a group would be given a whole postcode, which is somebody's.
_BY_FIRST_CHARACTERS = {"role": "quasi-identifier", "hierarchy": {"by": "prefix"}, "release": "truthful"}
_ABOUT_WEIGHTS = (
    "Analysts need it, but it tells where and how somebody was sampled: round it in the table before it is "
    "released with `role: other`, for a plan rounds only what it masks"
)


@dataclass(frozen=True)
class Seen:
    """A column as recognisers see it: its name, its distinct texts and how many rows have one."""

    name: str
    texts: Sequence[str]
    given: int
    numeric: bool

    @cached_property
    def words(self) -> set[str]:
        """Of the name; none if the column only tells whether there is such a thing, a phone say."""
        answers = [text.strip().casefold() for text in self.texts[:3]]
        is_yes_or_no = len(answers) == 2 and all(answer in vocabulary.YES_NO for answer in answers)
        return set() if is_yes_or_no else set(folded_words(self.name))

    @cached_property
    def terms(self) -> set[str]:
        """Words of the name, and neighbours joined."""
        return terms_of(self.name) if self.words else set()

    @property
    def mostly_single(self) -> bool:
        """Whether there are at least half as many values as rows."""
        return len(self.texts) >= self.given / 2

    @property
    def may_be_words(self) -> bool:
        """Whether its values are texts of any sort, and not numbers or dates."""
        return bool(self.texts) and not self.numeric and not are_dates(self.texts)


def personal_data(name: str, texts: Sequence[str], given: int, numeric: bool) -> Proposal | None:
    """What to do with a column that may point at single people; None if it does not seem to.

    `given` counts the rows that have a value, `texts` holds the distinct ones. Without any, the name decides.

    >>> personal_data("Vorname", ["Ann", "Bob"], 90, False).role
    'identifier'
    >>> personal_data("PLZ", ["10115", "80331"], 90, False).sure
    False
    """
    seen = Seen(name, texts, given, numeric)
    proposals = (recognise(seen) for recognise in RECOGNISERS)
    return next((proposal for proposal in proposals if proposal), None)


def why_identifier(name: str, texts: Sequence[str], given: int, numeric: bool) -> str | None:
    """Why a column may point at single people; None if it does not seem to. As `personal_data`."""
    found = personal_data(name, texts, given, numeric) or nearly_unique(name, texts, given, numeric)
    return found.why if found else None


def _identifier(why: str) -> Proposal:
    return Proposal("identifier", True, why, personal=True)


def _ask(
    why: str, role: Role = "identifier", advice: str = "", personal: bool = True, unit: Unit = ""
) -> Proposal:
    return Proposal(role, False, why, advice, personal, unit)


# ---------------------------------------------------------------------- by name


def named_as_number(seen: Seen) -> Proposal | None:
    """A number or a contact of one person."""
    if seen.terms & vocabulary.PERSONAL_NUMBER:
        return _identifier("a number or an address of one person, by the column's name")
    return None


def named_as_birth_date(seen: Seen) -> Proposal | None:
    """A date of birth."""
    if seen.terms & vocabulary.BIRTH_DATE or (seen.terms & vocabulary.BORN and may_be_dates(seen.texts)):
        return _ask(
            "a date of birth: with sex and place it names most people. Masked, it becomes a year, a decade "
            "or a range",
            advice=_ABOUT_DATES,
        )
    return None


def named_as_name(seen: Seen) -> Proposal | None:
    """Names of people, but not `country_name`."""
    is_any_name = seen.words & vocabulary.NAME and seen.words <= vocabulary.IN_PERSON_NAME
    if seen.terms & vocabulary.PERSON_NAME or is_any_name:
        return _identifier("names of people, by the column's name")
    return None


def postcode(seen: Seen) -> Proposal | None:
    """Postcodes, by name, or by name and form, or by a form that nothing else has."""
    perhaps = seen.terms & vocabulary.PERHAPS_POSTCODE and share(seen.texts, _POSTCODE) > 0.8
    is_lettered = len(seen.texts) > 2 and share(seen.texts, _LETTERED_POSTCODE) > 0.8
    if seen.terms & vocabulary.POSTCODE or perhaps or is_lettered:
        proposal = _ask("a postcode: with age and sex it names many people", advice=_ABOUT_POSTCODES)
        if len(lengths := lengths_of_digits(seen.texts)) > 1:
            told = f". They have {' or '.join(map(str, lengths))} digits: were zeros in front lost?"
            proposal = proposal._replace(advice=proposal.advice + told)
        return proposal._replace(instead=(_BY_FIRST_CHARACTERS,))
    return None


def named_as_coordinate(seen: Seen) -> Proposal | None:
    """Half of a place on the map."""
    if seen.terms & vocabulary.COORDINATE or ("long" in seen.words and seen.numeric):
        role: Role = "quasi-identifier" if seen.numeric else "identifier"
        return _ask("a place on the map: it may be where one person lives", role)
    return None


def named_as_street(seen: Seen) -> Proposal | None:
    """Addresses."""
    return _identifier("an address, by the column's name") if seen.terms & vocabulary.STREET else None


def household(seen: Seen) -> Proposal | None:
    """Numbers of households: several people share one."""
    says_number = seen.words & (vocabulary.ID | vocabulary.PERHAPS_PERSONAL) and "of" not in seen.words
    is_one = seen.terms & vocabulary.HOUSEHOLD_NUMBER or (seen.words & vocabulary.HOUSEHOLD and says_number)
    is_one = is_one or (seen.words and seen.words <= vocabulary.HOUSEHOLD and _shared_by_few(seen))
    if is_one and not is_outcome(seen.name):
        return _ask(
            "it may say whose household this is: people who live together share a value", unit="household"
        )
    return None


def _shared_by_few(seen: Seen) -> bool:
    """Whether so few rows share a value that these may live together; many share the size of a household."""
    return len(seen.texts) >= _ENOUGH_HOUSEHOLDS and 1 < seen.given / len(seen.texts) <= _MOST_TOGETHER


def record_number(seen: Seen) -> Proposal | None:
    """Numbers, keys and the like of single rows."""
    is_key = seen.words & vocabulary.PERHAPS_PERSONAL and "of" not in seen.words
    if seen.mostly_single and (is_key or _names_a_person(seen)):
        if seen.given > len(seen.texts):
            return _identifier(_SHARED_ID)._replace(advice=_ABOUT_IDS, unit="person")
        return _identifier(_LIKE_AN_ID)._replace(advice=_ABOUT_IDS)
    return None


def whose_row(seen: Seen) -> Proposal | None:
    """Ids that several rows share."""
    if _names_a_person(seen):
        if share(seen.texts, _NAME) > _MOSTLY_NAMES:
            why = "it seems to name people: several rows may be of one person, or of namesakes"
            return _ask(why, advice=_ABOUT_IDS, unit="name")
        why = "it may say whose row this is: several rows of one person share a value"
        return _ask(why, advice=_ABOUT_IDS, unit="person")
    return None


def _names_a_person(seen: Seen) -> bool:
    is_key_of_one = seen.words & vocabulary.PERSON and seen.words & vocabulary.NUMBERED
    is_one = seen.words and seen.words <= vocabulary.PERSON
    return bool(seen.words & vocabulary.ID or is_one or (is_key_of_one and "of" not in seen.words))


# ---------------------------------------------------------------------- by values


def address_on_a_network(seen: Seen) -> Proposal | None:
    """E-mail, computers, pages."""
    for form, what in (
        (_EMAIL, "e-mail addresses"),
        (_IP, "addresses of computers"),
        (_WEB, "web addresses"),
    ):
        if share(seen.texts, form) > 0.5:
            return _identifier(f"its values are {what}")
    return None


def national_number(seen: Seen) -> Proposal | None:
    """Numbers of people that have a form of their own, or a check digit."""
    called = number_of_a_person(seen.texts) if seen.mostly_single else None
    return _identifier(f"its values are {called}, by their form") if called else None


def place_on_the_map(seen: Seen) -> Proposal | None:
    """Pairs of coordinates."""
    if share(seen.texts, _COORDINATES) > 0.5:
        return _ask("places on the map: they may be where people live")
    return None


def names_of_people(seen: Seen) -> Proposal | None:
    """Names, by their values: dropped if nearly all are frequent names, asked about if half of them are."""
    found = share_of_names(seen.texts) if len(seen.texts) >= _ENOUGH_NAMES and seen.may_be_words else 0.0
    if found > 0.8:
        return _identifier("its values are names of people")
    return _ask("many of its values look like names of people") if found > 0.5 else None


def phone_number(seen: Seen) -> Proposal | None:
    """Phone numbers, by their form."""
    is_one = seen.may_be_words and seen.mostly_single and share(seen.texts, _PHONE) > 0.8
    return _ask("its values look like phone numbers") if is_one and scale_of(seen.texts) is None else None


def free_text(seen: Seen) -> Proposal | None:
    """Sentences; by the name where there are others than single words, however often they repeat."""
    words = [len(text.split()) for text in seen.texts]
    are_sentences = seen.mostly_single and sum(words) > _WORDS_OF_A_SENTENCE * len(words)
    is_named = seen.terms & vocabulary.FREE_TEXT and max(words, default=0) > 1 and not scale_of(seen.texts)
    if seen.may_be_words and (are_sentences or is_named):
        return _ask("free text: sentences may name people, places and dates, and no method masks them")
    return None


RECOGNISERS: tuple[Callable[[Seen], Proposal | None], ...] = (
    named_as_number,
    named_as_birth_date,
    named_as_name,
    postcode,
    named_as_coordinate,
    named_as_street,
    household,
    record_number,
    whose_row,
    address_on_a_network,
    national_number,
    place_on_the_map,
    names_of_people,
    phone_number,
    free_text,
)
"""The first that proposes something is right."""


# ---------------------------------------------------------------------- not personal by themselves


def dates(name: str, texts: Sequence[str]) -> Proposal | None:
    """What to do with dates of anything; None if most texts are something else."""
    if not (are_dates(texts) or are_packed_days(name, texts)):
        return None
    why = "dates: outsiders often know when something happened"
    return _ask(why, advice=_ABOUT_DATES, personal=False)


def sampling_weight(name: str, texts: Sequence[str], numeric: bool) -> Proposal | None:
    """What to do with weights of a sample: by name; if it may mean how heavy one is, by values near 1."""
    terms = terms_of(name)
    is_one = bool(terms & vocabulary.SAMPLING_WEIGHT)
    if terms & vocabulary.PERHAPS_SAMPLING_WEIGHT and numeric:
        numbers = [float(text.replace(",", ".")) for text in texts if re.fullmatch(r"\s*\d+[.,]\d+\s*", text)]
        is_one = is_one or (len(numbers) > len(texts) / 2 and median(numbers) < _GREATEST_MEDIAN_WEIGHT)
    if not (is_one and numeric):
        return None
    return _ask("a sampling weight, it seems", "other", _ABOUT_WEIGHTS, personal=False)


def nearly_unique(name: str, texts: Sequence[str], given: int, numeric: bool) -> Proposal | None:
    """What to do with a column in which nearly every row has a value of its own; None if it is not so."""
    if given < _ENOUGH_ROWS or len(texts) < _NEARLY_ALL * given:
        return None
    why = "nearly every row has a value of its own: whoever knows it finds the person"
    if is_outcome(name):
        advice = "It sounds like an outcome, so perhaps outsiders do not know it; drop it if nobody needs it"
        return _ask(why, "confidential", advice)
    measured = numeric and (is_quantity(name) or not _may_be_serial(texts))
    return _ask(why, "quasi-identifier" if measured else "identifier")


def _may_be_serial(texts: Sequence[str]) -> bool:
    """Whether different numbers may only number the rows: whole, not below 0, and dense or equally long."""
    if not all(re.fullmatch(r"\d+", text.strip()) for text in texts):
        return False
    numbers, lengths = [int(text) for text in texts], {len(text.strip()) for text in texts}
    return len(lengths) < 3 or max(numbers) - min(numbers) <= 2 * len(numbers)
