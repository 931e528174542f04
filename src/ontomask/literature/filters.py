"""Filters for four clinical questions, which keep the texts of studies that may answer them.

They are the sensitive ones of PubMed's clinical queries (Haynes and Wilczynski 2004, 2005), written in its
language: any line of a filter will do. It knows neither terms nor where texts come from.
"""

from __future__ import annotations

import re

_PARTS = re.compile(r"\s*(.+?)\s*\[([^\]]+)\]\s*(?:AND\b|$)")
_IN_TEXT = ("Title/Abstract", "Text Word")
_MARKS = {
    "MeSH Terms": "heading",
    "MeSH:noexp": "heading",
    "MeSH Subheading": "subheading",
    "Subheading:noexp": "subheading",
    "Publication Type": "type",
}

FILTERS: dict[str, tuple[str, ...]] = {
    "therapy": (
        "clinical[Title/Abstract] AND trial[Title/Abstract]",
        "clinical trials as topic[MeSH Terms]",
        "clinical trial[Publication Type]",
        "random*[Title/Abstract]",
        "random allocation[MeSH Terms]",
        "therapeutic use[MeSH Subheading]",
    ),
    "diagnosis": (
        "sensitiv*[Title/Abstract]",
        "sensitivity and specificity[MeSH Terms]",
        "diagnos*[Title/Abstract]",
        "diagnosis[MeSH:noexp]",
        "diagnostic *[MeSH:noexp]",
        "diagnosis, differential[MeSH:noexp]",
        "diagnosis[Subheading:noexp]",
    ),
    "etiology": (
        "risk*[Title/Abstract]",
        "risk*[MeSH:noexp]",
        "cohort studies[MeSH Terms]",
        "group[Text Word]",
        "groups[Text Word]",
        "grouped[Text Word]",
    ),
    "prognosis": (
        "incidence[MeSH:noexp]",
        "mortality[MeSH Terms]",
        "follow up studies[MeSH:noexp]",
        "prognos*[Text Word]",
        "predict*[Text Word]",
        "course*[Text Word]",
    ),
}


def pubmed_query(filter: str) -> str:
    """A filter as PubMed takes it."""
    return " OR ".join(f"({line})" for line in FILTERS[filter])


def mark_of(kind: str, name: str) -> str:
    """A heading, subheading or type of publication as one word, so that it is found whole and by itself.

    >>> mark_of("heading", "Diagnosis, Differential")
    'headingdiagnosisdifferential'
    """
    return kind + "".join(filter(str.isalnum, name.lower()))


def index_query(filter: str) -> str:
    """A filter as an index of texts takes it (FTS5, columns title, abstract and marks).

    A heading is looked for by itself: which others stand below it in MeSH, the index does not know.

    >>> index_query("prognosis").split(" OR ")[-1]
    '({title abstract} : "course"*)'
    """
    return " OR ".join(
        f"({' AND '.join(_index_part(words, field) for words, field in _PARTS.findall(line))})"
        for line in FILTERS[filter]
    )


def _index_part(words: str, field: str) -> str:
    stem = words.rstrip("* ")
    rest = "*" if words.endswith("*") else ""
    if field in _IN_TEXT:
        return f'{{title abstract}} : "{stem}"{rest}'
    return f'marks : "{mark_of(_MARKS[field], stem)}"{rest}'
