"""Plain words for what a plan, a method or a figure means, for readers who never saw one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ontomask.distribution import rounded
from ontomask.evaluation import FAMILIES, Figure
from ontomask.measures import MEASURES
from ontomask.methods.reuse import Reuse
from ontomask.plan import FLAT, AttributePlan
from ontomask.release import Release

NO_BREAK = "\N{NO-BREAK SPACE}"

HOW_LINKED = {
    "mapping": "by a mapping file",
    "id": "by the ontology's own code or name",
    "crossmap": "by a crossmap",
    "synonym": "by an abbreviation or synonym",
    "exact": "by a word that the ontology has for it",
    "normalised": "by another form of such a word",
    "words": "by the same words in another order",
    "head": "by the head of a phrase",
    "similar": "by a similar spelling",
    "ambiguous": "not linked: several meanings",
    "suggested": "not linked: suggestions only",
    "none": "not linked: unknown word",
    "missing": "missing",
}

UNMAPPED = {
    "root": "the most general concept stood for them",
    "own-leaf": "each stood for a concept of its own, unlike all others",
    "suppress": "they were treated as missing",
    "error": "",
}

ROLES = {
    "identifier": "dropped",
    "pseudonym": "identifier: written as a keyed pseudonym",
    "quasi-identifier": "known to outsiders: masked",
    "confidential": "confidential: released as it is",
    "other": "released as it is",
    "undecided": "undecided: not to be released",
}

_SECONDS = Figure("seconds", "Seconds", "", "time to mask the table on this machine")


def titled_figures() -> dict[str, Figure]:
    """The figures that have a name for people, by their flat name without a column."""
    declared = [figure for family in FAMILIES for figure in family.figures] + [_SECONDS]
    return {figure.name.removesuffix(".A"): figure for figure in declared if figure.title}


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)


def number(x: float) -> str:
    """A figure as it is read: whole numbers with thousands, others with three significant digits."""
    if float(x).is_integer():
        return f"{x:,.0f}"
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.3g}"


def figure(x: float) -> str:
    """A figure of a table, to 4 digits at most: so that not every person is seen in one of many.

    >>> figure(123456.0), figure(24.545)
    ('123,500', '24.5')
    """
    return number(rounded(x) if abs(x) >= 1000 else x)  # below it has 3 digits


def percent(x: float) -> str:
    """A percentage, more exact the smaller it is.

    >>> [percent(x).replace(NO_BREAK, " ") for x in (89.95, 6.86, 0.1026, 0.0033, 99.6, 100.0)]
    ['90 %', '6.9 %', '0.10 %', '0.0033 %', '99.6 %', '100 %']
    """
    if x == 0 or x >= 99.95:
        digits = f"{x:.0f}"
    elif x >= 10:
        digits = f"{x:.1f}" if x > 99 else f"{x:.0f}"
    else:
        digits = f"{x:.1f}" if x >= 1 else f"{x:.2f}" if x >= 0.01 else f"{x:.2g}"
    return f"{digits}{NO_BREAK}%"


def method_in_words(release: Release) -> str:
    """What the method did, or the scheme of what it did before."""
    k = release.plan.least_size
    return Reuse.words.format(k=k) if release.reused else release.plan.method.own.in_words(k)


def measure_in_words(name: str) -> str:
    """What closeness in meaning counts."""
    return MEASURES[name].words or f"the measure {name}"


def _words_compared(settings: AttributePlan) -> str:
    """How the words of a column are compared: by what they mean themselves, or in an ontology."""
    asked = settings.hierarchy
    files = (asked.files if asked else None) or ()
    if settings.ontology == FLAT:
        return "words that mean only themselves, all equally far apart"
    if asked is not None and asked.by == "prefix":
        return "codes, compared by their first characters"
    if settings.ontology is None and len(files) == 1:
        return f"words, compared by where they stand in the hierarchy of {Path(files[0]).name}"
    said = f"words, compared by their meaning in {Path(settings.ontology or 'wordnet').name}"
    return said + (f" with the words of {Path(settings.labels).name}" if settings.labels else "")


def role_in_words(settings: AttributePlan) -> str:
    """What becomes of a column.

    >>> role_in_words(AttributePlan(role="confidential", rare="other"))
    'confidential: released as it is, but for rare values, which are “other”'
    """
    said = ROLES[settings.role]
    if settings.keep:
        return f"{said}, and stays as it is: rows with different values are in different groups"
    instead = instead_in_words(settings)
    return f"{said}, but {instead}" if instead else said


def instead_in_words(settings: AttributePlan) -> str:
    """What is written instead of some values of a column that is released as it is; empty if all stay.

    >>> instead_in_words(AttributePlan(role="confidential", kind="numeric", top=90, round=5))
    'rounded to multiples of 5, and 90 for what is above'
    >>> instead_in_words(AttributePlan(role="quasi-identifier", kind="numeric", top=90))
    ''
    """
    if settings.role == "quasi-identifier":
        return ""
    if settings.rare is not None:
        return f"for rare values, which are “{settings.rare}”"
    limits = ((settings.bottom, "below"), (settings.top, "above"))
    said = [f"{limit:.15g} for what is {where}" for limit, where in limits if limit is not None]
    if settings.round is not None:
        said.insert(0, f"rounded to multiples of {settings.round:.15g}")
    return ", and ".join(said)


def column_in_words(settings: AttributePlan) -> str:
    """What kind of values a column has and how they were compared."""
    if settings.kind == "numeric":
        said = "numbers, compared by their difference"
    elif settings.kind == "ordinal":
        said = f"ordered categories ({len(settings.order or ())} steps), compared by their ranks"
    elif settings.kind == "date":
        said = "dates, compared by the time between them"
    else:
        said = _words_compared(settings)
        if settings.several is not None:
            said = f"sets of {said}"
        if settings.under:
            said += f" (senses below “{settings.under}” only)"
        if settings.mapping:
            said += ", some values by a mapping file"
    return said + (f"; weight {settings.weight:g}" if settings.weight != 1 else "")
