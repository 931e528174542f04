"""What a column is, in the plan: role, kind, where its values get their meaning, and its hierarchy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from ontomask.days import day_format
from ontomask.numerals import DecimalMark
from ontomask.options import option, options_of
from ontomask.plan.faults import Faults, KeyPath
from ontomask.plan.parts import Part
from ontomask.plan.values import (
    natural,
    ranked,
    some_text,
    thousands_mark,
    two_ends,
    usable_weight,
    with_empty,
)

Role = Literal["identifier", "pseudonym", "quasi-identifier", "confidential", "other", "undecided"]
Kind = Literal["nominal", "numeric", "ordinal", "date"]
ReleaseKind = Literal["central", "truthful"]
Senses = Literal["coherent", "first", "explicit"]
By = Literal["meaning", "width", "frequency", "ranges", "prefix"]
Write = Literal["code", "label", "both"]

FLAT = "flat"
"""The ontology of values that mean only themselves: all are equally far apart."""

_NOMINAL_ONLY = ("ontology", "labels", "under", "mapping", "synonyms", "senses", "several", "write")
_NUMERIC_ONLY = ("top", "bottom", "round")
_NUMERALS = ("decimal", "thousands", "unit")
_KIND_OF: dict[str, Kind] = {
    **dict.fromkeys(_NOMINAL_ONLY, "nominal"),
    **dict.fromkeys((*_NUMERIC_ONLY, *_NUMERALS), "numeric"),
    "order": "ordinal",
    "format": "date",
}  # of options that one kind has
_SEMANTIC = ("semantic_type", "semantic_relations")
_MASKED_ONLY = (
    "weight",
    "hierarchy",
    "keep",
    "max_loss",
    "release",
    "range_format",
    "write",
    *_SEMANTIC,
)
_DESCRIBING = (
    "kind",
    "order",
    "format",
    "na_values",
    *_NUMERALS,
    *_NOMINAL_ONLY,
)  # what the values are, whatever becomes of them
_WAYS: dict[Kind, tuple[By, ...]] = {
    "nominal": ("meaning", "prefix"),
    "numeric": ("width", "frequency", "ranges"),
    "ordinal": (),
    "date": (),
}


@dataclass(frozen=True, init=False, repr=False)
class HierarchyPlan(Part):
    """The hierarchy of a column: files to choose from, or how it is to be built.

    >>> HierarchyPlan.read("jobs.csv", (), Faults()).files
    ('jobs.csv',)
    >>> HierarchyPlan(levels=4)
    HierarchyPlan(levels=4)
    """

    files: tuple[str, ...] | None = option(
        None,
        "hierarchies to choose from",
        values="list of paths (ARX CSV, YAML, JSON, DGH)",
        otherwise="none",
        is_path=True,
    )
    by: By | None = option(
        None,
        "how it is built: from the ontology; ranges of equal width, of equally many rows, or those of a "
        "file; codes cut from the right",
        otherwise="`meaning` for words, `width` for numbers; dates have months, quarters, years and decades",
    )
    levels: int | None = option(
        None, "how many levels it has at most above the values, the root included", least=1, otherwise="any"
    )
    characters: tuple[int, ...] | None = option(
        None,
        "how many first characters are kept at each level, such as `[3, 2]`; by prefix only",
        values="list of whole numbers",
        otherwise="each character is a level",
    )
    width: float | None = option(
        None, "of the narrowest ranges; by width only", above=0, otherwise="a round number"
    )
    ranges: str | None = option(
        None,
        "concept ranges, so that no range lies in two of them; by ranges only",
        values="`age`, or the path of a CSV `label,from,to`",
        otherwise="`age`",
        is_path=True,
    )

    def _mapping(self, given: Any, path: KeyPath, faults: Faults) -> dict[Any, Any]:
        """A path, or several, stand for `files`."""
        if isinstance(natural(given), (str, list)):
            return {"files": [given] if isinstance(given, str) else given}
        return super()._mapping(given, path, faults)

    def why_not(self, key: str, settings: Mapping[str, Any]) -> str | None:
        if key != "files" and settings["files"]:
            return "the hierarchy is read from a file; remove this, or `files`"
        if key == "characters" and settings["by"] != "prefix":
            return "only `by: prefix` has this"
        if key in ("width", "ranges") and settings["by"] not in (None, key):
            return f"only `by: {key}` has this, not {settings['by']}"
        return None

    def conflicts(self) -> Iterator[tuple[str, str]]:
        if self.files is not None and not self.files:
            yield "files", "is empty; name a file, or remove it"
        if self.characters is not None and self.levels is not None:
            yield "levels", "characters and levels do not go together; remove one"
        if self.width is not None and self.ranges is not None:
            yield "ranges", "width and ranges do not go together; remove one"

    def way(self, kind: Kind) -> By | None:
        """How it is built for a column of some kind; None for ordered categories, which have one way."""
        implied: By | None = (
            "ranges" if self.ranges is not None else "width" if self.width is not None else None
        )
        return self.by or implied or next(iter(_WAYS[kind]), None)


@dataclass(frozen=True, init=False, repr=False)
class AttributePlan(Part):
    """What a column is.

    >>> AttributePlan(role="quasi-identifier", ontology="wordnet").kind
    'nominal'
    """

    role: Role = option(
        "other",
        "dropped; written as a keyed pseudonym (`identifier` with `as: pseudonym` says the same); masked; "
        "kept, as what analysts study; kept; not to be released before somebody decides",
    )
    kind: Kind = option("nominal", "words; numbers; ordered categories; days, or days and times")
    ontology: str | None = option(
        None,
        "where words get their meaning; nominal only",
        values="name or path; `flat` for values that mean only themselves, all equally far apart",
        otherwise="`wordnet`",
        is_path=True,
    )
    labels: str | None = option(
        None,
        "words of another language, for `wordnet`; [how to](../how-to/ontologies.md#other-languages)",
        values="path of an OMW tab file or of WN-LMF XML",
        otherwise="none; English",
        is_path=True,
    )
    under: str | None = option(
        None, "only senses at or below this concept count; nominal only", values="concept", otherwise="all"
    )
    mapping: str | None = option(
        None,
        "your decisions, `value,concept`; nominal only",
        values="path of a CSV",
        otherwise="none",
        is_path=True,
    )
    synonyms: str | None = option(
        None,
        "abbreviations and the terms they stand for, `synonym,term`; nominal only",
        values="path of a CSV",
        otherwise="those of the package, where the column's name says medical or occupational",
        is_path=True,
    )
    senses: Senses = option(
        "coherent",
        "which sense of a word is meant; nominal only; see [linking](../how-to/linking.md)",
    )
    several: str | None = option(
        None,
        "what separates answers where a cell has several: it is a set of words then; nominal only; "
        "[how to](../how-to/tables.md#several-answers)",
        values="text such as `;`",
        otherwise="a cell is one word",
    )
    write: Write | None = option(
        None,
        "whether concepts are written by their code in the ontology, by their label or by both; nominal "
        "quasi-identifiers only",
        otherwise="`code` if all values are codes of the ontology, else `label`",
    )
    weight: float = option(
        1.0,
        "how much the column counts in distances; quasi-identifiers only",
        above=0,
        check=usable_weight,
        values="number above 0, at most 1,000,000",
    )
    keep: bool | None = option(
        None,
        "rows with different values here are never put together, so that it stays as it is; "
        "quasi-identifiers only",
        otherwise="`false`",
    )
    max_loss: float | None = option(
        None,
        "how far a row may move here at most: in distance, or in NCP where the release is truthful; "
        "quasi-identifiers only",
        above=0,
        otherwise="any",
    )
    hierarchy: HierarchyPlan | None = option(
        None,
        "the tree over the values that generalising methods climb; of several files the one that keeps most "
        "meaning is used; [how to](../how-to/hierarchies.md)",
        values="path of a file, a list of them, or a section",
        otherwise="none; methods that need one build it",
    )
    rare: str | None = option(
        None,
        "what is written in the place of values that fewer than k rows have, and of the next rarest until k "
        "rows have it; columns of words that are released as they are only",
        check=some_text,
        values="text, such as `other`",
        otherwise="they are released, and warned of",
    )
    release: ReleaseKind | None = option(
        None,
        "whether a group is given what is central to its values, or what is true of each of them; "
        "quasi-identifiers only; [which](../explanation/methods.md#central-or-truthful)",
        otherwise="as the plan says",
    )
    range_format: str | None = option(
        None,
        "how a range is written that is released for a group; numeric and ordinal only",
        check=two_ends,
        values="text with `{from}` and `{to}`",
        otherwise="`{from}-{to}`; with `..` for ordered categories and where a number is negative",
    )
    semantic_type: str | None = option(
        None,
        "what kind of thing the column tells, for `prioritise` of the method `top-down`; quasi-identifiers "
        "only",
        values="text, such as `Sign or Symptom`",
        otherwise="that of its DGH file, if its hierarchy is one",
    )
    semantic_relations: tuple[str, ...] | None = option(
        None,
        "what it has to do with the target of the method `top-down`; quasi-identifiers only",
        values="list of texts, such as `[causes, affects]`",
        otherwise="those of its DGH file, if its hierarchy is one",
    )
    order: tuple[str, ...] | None = option(
        None,
        "the values of an ordinal column; it must be given there",
        check=ranked,
        values="list of texts, lowest first",
        otherwise="none",
    )
    format: str | None = option(
        None,
        "how days, or days and times, are written; date only",
        check=day_format,
        values="text such as `%d/%m/%Y` or `%Y-%m-%d %H:%M`, with `%b` for the name of a month",
        otherwise="found out",
    )
    na_values: tuple[str, ...] | None = option(
        None,
        "what means “no value” in this column, in the place of what does in the table; an empty cell always "
        "does",
        check=with_empty,
        otherwise="as the table says",
    )
    decimal: DecimalMark | None = option(
        None,
        "mark before the decimals of numbers that are texts; they are written back so; numeric only",
        values="`.` or `,`",
        otherwise="as the table says, else found out",
    )
    thousands: str | None = option(
        None,
        "mark between the thousands of numbers that are texts; numeric only",
        check=thousands_mark,
        values="`,`, `.`, a blank, `'` or `none`",
        otherwise="as the table says, else found out",
    )
    unit: str | None = option(
        None,
        "what is cut from numbers such as `72 kg`, and written back; numeric only",
        values="text, such as `kg`",
        otherwise="none; `72 kg` is not a number",
    )
    top: float | None = option(
        None,
        "numbers above it become it before groups are formed, and in a confidential column; numeric only",
        otherwise="none",
    )
    bottom: float | None = option(
        None,
        "numbers below it become it before groups are formed, and in a confidential column; numeric only",
        otherwise="none",
    )
    round: float | None = option(
        None,
        "numbers become the nearest multiple of it, the even one of two, before groups are formed, and so do "
        "the means that are written, and the numbers of a confidential column; numeric only",
        above=0,
        otherwise="none; whole numbers stay whole, others get two digits more than they had",
    )

    @property
    def is_coded(self) -> bool:
        """Whether its numbers are cut off or rounded before they are grouped, or released."""
        return any(value is not None for value in (self.top, self.bottom, self.round))

    @property
    def is_explained(self) -> bool:
        """Whether somebody said what its values are: an order, or what words mean."""
        return self.kind != "nominal" or self.ontology is not None or self.several is not None

    @property
    def limit(self) -> float:
        """How far a row may move here: 0 if the value is kept, infinitely far if nobody said."""
        return 0.0 if self.keep else float("inf") if self.max_loss is None else self.max_loss

    @property
    def means_itself(self) -> bool:
        """Whether words mean what the column itself says: one file, cut codes, or only themselves."""
        asked = self.hierarchy
        has_one = asked is not None and (asked.by == "prefix" or len(asked.files or ()) == 1)
        return self.kind == "nominal" and (self.is_made_of_values or (self.ontology is None and has_one))

    @property
    def is_made_of_values(self) -> bool:
        """Whether all that its words mean is made of the texts of the table, which few people may share."""
        is_cut = self.hierarchy is not None and self.hierarchy.by == "prefix"
        return self.kind == "nominal" and (self.ontology == FLAT or is_cut)

    def _mapping(self, given: Any, path: KeyPath, faults: Faults) -> dict[Any, Any]:
        """What waited beside `role: undecided` may stay, even if the role chosen has no use for it."""
        settings = super()._mapping(given, path, faults)
        if settings.get("role") == "identifier" and settings.get("as") == "pseudonym":
            settings = {key: value for key, value in settings.items() if key != "as"} | {"role": "pseudonym"}
        if settings.get("role") in ("identifier", "pseudonym", "other"):
            return {key: value for key, value in settings.items() if key not in _DESCRIBING}
        return settings

    def why_not(self, key: str, settings: Mapping[str, Any]) -> str | None:
        role, kind = settings["role"], settings["kind"]
        if key == "rare" and role in ("confidential", "other"):
            return None if kind == "nominal" else f"only kind: nominal has this, not {kind}"
        if key == "rare" and role == "quasi-identifier":
            return "in a masked column no value is written that fewer than k rows have; remove it"
        if key != "role" and role == "other":
            if not settings.keys() <= options_of(AttributePlan).keys():
                return None  # one of the unknown keys may be the role, misspelt
            return "with role: other (the default) the column is left as it is; change it, or remove this"
        if key != "role" and role == "identifier":
            return "identifiers are dropped, so this has no effect; remove it"
        if key != "role" and role == "pseudonym":
            return "pseudonyms stand for whole values, so this has no effect; remove it"
        if key in _MASKED_ONLY and role == "confidential":
            return f"only a quasi-identifier has a {key}"
        if key in ("max_loss", *_NUMERIC_ONLY) and settings["keep"] is True:
            return "a value that is kept does not move; remove one"
        if key == "range_format" and kind in ("nominal", "date"):
            return f"only kind: numeric and kind: ordinal have this, not {kind}"
        if key == "hierarchy" and settings["several"] is not None:
            return "a set of words has no place in a hierarchy; give the tree as `ontology`"
        having = _KIND_OF.get(key, kind)
        if kind != having and kind in get_args(Kind):
            return f"only kind: {having} has this, not {kind}"
        return None

    def conflicts(self) -> Iterator[tuple[str, str]]:
        has_kind = self.role in ("quasi-identifier", "confidential")
        if has_kind and self.kind == "ordinal" and self.order is None:
            yield "order", "kind: ordinal needs its values, lowest first, such as order: [low, mid, high]"
        if has_kind and self.labels is not None and self.ontology != "wordnet":
            yield (
                "labels",
                "only wordnet has words of other languages; add `ontology: wordnet`, or remove this",
            )
        yield from self._faulty_limits()
        if has_kind and self.hierarchy and self.hierarchy.by == "prefix":
            for key in ("ontology", "under", "mapping", "synonyms"):
                if getattr(self, key) is not None:
                    yield key, "codes that are cut need none, for each is itself; remove it, or `by: prefix`"
        if has_kind and self.ontology == FLAT:
            for key in [key for key in ("under", "mapping", "synonyms") if getattr(self, key) is not None]:
                yield key, "with ontology: flat each value means itself; remove it, or name an ontology"
        if has_kind and self.hierarchy and not self.hierarchy.files:
            way = self.hierarchy.way(self.kind)
            if way is not None and way not in _WAYS[self.kind]:
                (having,) = (kind for kind, ways in _WAYS.items() if way in ways)
                yield "hierarchy", f"by {way} is for kind: {having}, not {self.kind}; remove it"

    def _faulty_limits(self) -> Iterator[tuple[str, str]]:
        """What is released is between the limits, and a multiple: both must be possible."""
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            yield "bottom", f"must be below top: {self.top:.15g}"
        for key, limit in (("top", self.top), ("bottom", self.bottom)):
            if limit is None or self.round is None:
                continue
            if Fraction(repr(limit)) % Fraction(repr(self.round)):
                yield key, f"must be a multiple of round: {self.round:.15g}"
