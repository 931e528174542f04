"""Abbreviations and names of a domain, each with a term that an ontology may know: *UTI*, *HGV driver*.

A list is CSV with the columns `synonym,term`. Some are shipped, for domains that columns are often about; a
user may give one more, which wins. It knows texts alone.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from ontomask.errors import LinkingError
from ontomask.files import regular
from ontomask.linking.domains import SynonymList
from ontomask.linking.normalise import plain

Synonyms = Mapping[str, str]


@cache
def shipped(name: SynonymList) -> Synonyms:
    """A list of the package, plain synonym -> term.

    >>> shipped("medical")["uti"]
    'urinary tract infection'
    """
    return _pairs(name)


@cache
def usual_senses(name: SynonymList | None) -> Synonyms:
    """Words that a domain means in one of their senses, plain word -> the name of that sense in WordNet.

    >>> usual_senses("occupational")["driver"], usual_senses("medical")
    ('driver.n.01', {})
    """
    return _pairs("occupational_senses") if name == "occupational" else {}


def _pairs(file: str) -> Synonyms:
    """A list of the package: two columns, the first in plain spelling."""
    text = files("ontomask.linking").joinpath("data", f"{file}.csv").read_text(encoding="utf-8")
    rows = csv.reader(line for line in text.splitlines() if line and not line.startswith("#"))
    next(rows)
    return {plain(first): second for first, second in rows}


def read_synonyms(path: str | Path) -> Synonyms:
    """A user's list, plain synonym -> term."""
    path = Path(path)
    try:
        with regular(path).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    except FileNotFoundError:
        raise LinkingError(
            f"no file of synonyms {path}", remedy="it is a CSV with the header `synonym,term`"
        ) from None
    except (OSError, ValueError, csv.Error) as error:
        raise LinkingError(f"cannot read the synonyms {path}: {error}") from None
    if not rows or not {"synonym", "term"} <= set(rows[0]):
        raise LinkingError("synonyms need the header `synonym,term`", file=str(path), line=1)
    synonym_at, term_at = rows[0].index("synonym"), rows[0].index("term")
    found: dict[str, str] = {}
    for number, row in enumerate(rows[1:], 2):
        if not any(row):
            continue
        if len(row) <= max(synonym_at, term_at) or not row[term_at].strip() or not plain(row[synonym_at]):
            raise LinkingError("a line needs both a synonym and a term", file=str(path), line=number)
        synonym, term = row[synonym_at], row[term_at].strip()
        if (before := found.setdefault(plain(synonym), term)) != term:
            raise LinkingError(
                f"{synonym!r} stands for {before!r} and for {term!r}",
                file=str(path),
                line=number,
                value=synonym,
                is_public=True,
            )
    return found
