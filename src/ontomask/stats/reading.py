"""Columns of plain values, of any library, as codes of an attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.attributes import Attribute, Nominal, Numeric
from ontomask.distribution import Distribution, Joint, Scaling
from ontomask.errors import OntomaskError
from ontomask.measures import Measure, measure
from ontomask.ontology import Ontology, load_ontology

OntologyLike = Ontology | str | Path


@dataclass(frozen=True, eq=False)
class Sample:
    """A column of plain values: `codes[e]` of `counts[e]` records; `values[code]` is the value."""

    attribute: Attribute
    values: list[Any]
    codes: Int32
    counts: Int64

    def distribution(self, scaling: Scaling) -> Distribution:
        found = Distribution.of(self.attribute, self.codes, self.counts, scaling)
        if not found.n:
            raise OntomaskError("there is no value", remedy="give a column with a value that is not missing")
        return found

    def value_of(self, number: float) -> Any:
        """A computed number in the kind of the column's values: a day, a moment, or itself."""
        first = next(value for value in self.values if value is not None)
        return _moment(number, first) if isinstance(first, date) else number


def sample_of(series: Any, ontology: OntologyLike, by: str | Measure, *, is_ordered: bool = False) -> Sample:
    """A column of values, or of values with counts; `is_ordered` if words will not do."""
    given = _counted(series)
    word = next((value for value in given if isinstance(value, str)), None)
    if is_ordered and word is not None:
        raise OntomaskError(f"{word!r} is a word, and words have no order", value=word, remedy="use radii")
    return _coded(list(given), np.array(list(given.values()), np.int64), ontology, by)


def joint_of(
    x: Any,
    y: Any,
    ontology: OntologyLike | tuple[OntologyLike, OntologyLike],
    by: str | Measure,
    scaling: Scaling,
    counts: Sequence[int] | None,
) -> Joint:
    values = _values_of(x), _values_of(y)
    times = [1] * len(values[0]) if counts is None else list(counts)
    if not len(values[0]) == len(values[1]) == len(times):
        raise OntomaskError(
            f"the columns have {len(values[0]):,} and {len(values[1]):,} values, and {len(times):,} counts",
            remedy="give as many of each, record by record",
        )
    together = Counter[tuple[Any, Any]]()
    for pair, n in zip(zip(*values, strict=True), times, strict=True):
        together[pair] += _whole(n)
    weights = np.array(list(together.values()), np.int64)
    sources = ontology if isinstance(ontology, tuple) else (ontology, ontology)
    columns = [
        _coded([pair[j] for pair in together], weights, source, by) for j, source in enumerate(sources)
    ]
    codes = np.stack([column.codes for column in columns], axis=1)
    joint = Joint.of(
        [Distribution.of(c.attribute, c.codes, weights, scaling) for c in columns], codes, weights
    )
    if not joint.n:
        raise OntomaskError("no record has a value in both columns")
    return joint


def _coded(given: Sequence[Any], counts: Int64, ontology: OntologyLike, by: str | Measure) -> Sample:
    """Values as codes of an attribute: words of one concept are one value, numbers ascend."""
    distinct = [value for value in dict.fromkeys(given) if value is not None]
    for kind, name in ((str, "a word"), (date, "a day")):
        own = [value for value in distinct if isinstance(value, kind)]
        if own and len(own) < len(distinct):
            other = next(value for value in distinct if not isinstance(value, kind))
            raise OntomaskError(
                f"{own[0]!r} is {name} and {other!r} is not",
                value=str(own[0]),
                remedy="give values of one kind",
            )
    if any(isinstance(value, str) for value in distinct):
        return _of_words(given, sorted(distinct), counts, ontology, by)
    number_of = {value: _number(value) for value in distinct}
    numbers, places = np.unique(np.array(list(number_of.values()), np.float64), return_inverse=True)
    values: list[Any] = [None] * len(numbers)
    for value, place in zip(distinct, places.tolist(), strict=True):
        values[place] = value if values[place] is None else values[place]
    code_of = dict(zip(distinct, places.tolist(), strict=True)) | {None: len(numbers)}
    codes = np.array([code_of[value] for value in given], np.int32)
    times = np.bincount(codes, counts, minlength=len(numbers) + 1).astype(np.int64)
    attribute = Numeric.of("values", np.append(numbers, np.nan), times)
    return Sample(attribute, [*values, None], codes, counts)


def _of_words(
    given: Sequence[Any],
    words: Sequence[str],
    counts: Int64,
    ontology: OntologyLike,
    by: str | Measure,
) -> Sample:
    if ontology is None:
        raise OntomaskError(
            f"{words[0]!r} is a word, and no ontology says what it means",
            value=words[0],
            remedy='name one, as ontology="wordnet"',
        )
    loaded = load_ontology(ontology)
    concepts = loaded.concepts(words)
    distinct, first = np.unique(concepts, return_index=True)
    order = np.argsort(first)  # codes run in the order of the words
    values = [words[place] for place in first[order].tolist()]
    code_of_concept = dict(zip(distinct[order].tolist(), range(len(order)), strict=True))
    code_of: dict[Any, int] = {
        word: code_of_concept[concept] for word, concept in zip(words, concepts.tolist(), strict=True)
    }
    code_of[None] = len(values)
    codes = np.array([code_of[value] for value in given], np.int32)
    chosen = measure(by) if isinstance(by, str) else by
    known = np.append(distinct[order], -1).astype(np.int32)
    attribute = Nominal("values", 1.0, len(values), loaded, chosen, known)
    return Sample(attribute, [*values, None], codes, counts)


def _counted(series: Any) -> Counter[Any]:
    """Values with counts; None is missing."""
    counted = Counter[Any]()
    if isinstance(series, Mapping):
        for value, n in zip(_values_of(list(series)), series.values(), strict=True):
            counted[value] += _whole(n)
        return counted
    counted.update(_values_of(series))
    return counted


def _values_of(series: Any) -> list[Any]:
    """The values of a column of any library, None where there is none."""
    if hasattr(series, "columns"):  # of pandas, polars and pyarrow
        raise OntomaskError(
            f"{type(series).__name__} is a table, not a column",
            remedy="give one of its columns, or describe it with its plan",
        )
    if isinstance(series, (str, Mapping)) or not isinstance(series, Iterable):
        raise OntomaskError(
            f"{type(series).__name__} is not a column", remedy="give a list, or a column of a table"
        )
    library = type(series).__module__.partition(".")[0]
    if library == "pandas" and _is_counted(series):
        raise OntomaskError(
            "the numbers are counts of the values in the index",
            remedy="give counts as a mapping, `.value_counts().to_dict()`; numbers as `.tolist()`",
        )
    if library == "pandas":
        import pyarrow as pa

        series = pa.Array.from_pandas(series)
    for to_list in ("to_pylist", "to_list", "tolist"):  # pyarrow, polars, numpy
        if hasattr(series, to_list):
            series = getattr(series, to_list)()
            break
    return [None if _is_missing(value) else value for value in map(_single, series)]


def _is_counted(series: Any) -> bool:
    """Whether a column of pandas is what its `value_counts` gives of words."""
    return series.name in ("count", "proportion") and series.index.inferred_type in ("string", "categorical")


def _single(value: Any) -> Any:
    if not isinstance(value, Hashable):
        raise OntomaskError(
            f"{value!r} is several values",
            value=str(value),
            remedy="give one each; a table with `several` in its plan is read by `describe`",
        )
    return value


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType" or bool(value != value)  # NA equals nothing


def _number(value: Any) -> float:
    """The number that a value stands for; that of a day is `date.toordinal`."""
    if isinstance(value, datetime):
        moment = value.astimezone(UTC) if value.tzinfo else value
        seconds = timedelta(hours=moment.hour, minutes=moment.minute, seconds=moment.second)
        return moment.toordinal() + (seconds.total_seconds() + moment.microsecond / 1e6) / 86_400
    if isinstance(value, date):
        return float(value.toordinal())
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise OntomaskError(
            f"{value!r} is neither a word nor a number nor a day", value=str(value), remedy="leave it out"
        )
    return number


def _moment(number: float, like: date) -> Any:
    if not isinstance(like, datetime):
        return date.fromordinal(round(number))
    zone = UTC if like.tzinfo else None
    start = datetime.fromordinal(int(number)).replace(tzinfo=zone)
    return start + timedelta(days=number - int(number))


def _whole(count: Any) -> int:
    if not isinstance(count, Integral) or count < 0:
        raise OntomaskError(f"a count must be a whole number, 0 or more, not {count!r}")
    return int(count)
