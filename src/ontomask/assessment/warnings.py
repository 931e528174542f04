"""What to be warned of before a release is handed on: the same for command line, report and Python."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ontomask.arrays import Int64
from ontomask.assessment.further import over_release
from ontomask.assessment.joined import MOST_ROWS, joined_with
from ontomask.columns.further import FurtherColumn, codes_by_spelling
from ontomask.errors import OntomaskError
from ontomask.evaluation.attacks import alone_if_known
from ontomask.evaluation.generalization import ncp_of
from ontomask.notes import SaidByWarning
from ontomask.printable import people, were
from ontomask.privacy import Confidential, distinct_diversity
from ontomask.profile.guess import MOST_CODES, are_dates, are_numbers, are_quantities
from ontomask.profile.personal import why_identifier
from ontomask.release import Release
from ontomask.tables.address import Place, place_of
from ontomask.tables.determining import MOST_VALUES, determinations

_NEARLY_ALL = 80.0  # percent of the differences between people
_MOSTLY = 0.5
_MANY = 20.0  # percent of the rows: who knows one thing more finds them for sure
_AS_GOOD_AS_ALL = 0.99
_ENOUGH = 20  # with fewer rows, values that all differ mean nothing
_MOST_NAMED = 8  # columns in one line

Level = Literal["serious", "warning", "note"]
_LEVELS: tuple[Level, ...] = ("serious", "warning", "note")


class ReleaseWarning(NamedTuple):
    """What to look at before a release is handed on; a serious one may point at single people.

    `name` is what a plan accepts it by: it stays the same where only numbers in the text change.
    """

    text: str
    level: Level = "warning"
    name: str = ""

    @property
    def is_serious(self) -> bool:
        """Whether the release is not to be handed on before this is settled."""
        return self.level == "serious"


def warnings_of(
    release: Release,
    figures: Mapping[str, Any] | None = None,
    target: str | Place | None = None,
    records: Path = Path(),
) -> list[ReleaseWarning]:
    """Everything worth a warning, the serious ones first; notes on the release come last.

    No value of the table is in it. `figures` are all figures of the release (`om.evaluate`) where they are
    known; without them nothing is said of linking by meaning, which takes long to find out. `target` is where
    it is to be written: other releases of the table may lie there.

    >>> import pyarrow as pa
    >>> import ontomask as om
    >>> plan = om.Plan.from_options(["age:numeric"], k=2, confidential=["ill"])
    >>> release = om.anonymize(pa.table({"age": [1, 2, 8, 9], "ill": ["flu", "flu", "burn", "burn"]}), plan)
    >>> [warning.level for warning in om.warnings_of(release)]
    ['warning', 'note']
    """
    known = release.figures if figures is None else figures
    found = [*_on_classes(release, known), *_on_columns(release, known)]
    found += [ReleaseWarning(note, "note") for note in release.notes if not isinstance(note, SaidByWarning)]
    if target is not None:
        found += _on_other_releases(release, place_of(target), records)
    return sorted(found, key=lambda warning: _LEVELS.index(warning.level))


def _on_classes(release: Release, figures: Mapping[str, Any]) -> Iterator[ReleaseWarning]:
    k, reached = int(figures["k_asked"] or 1), int(figures["k_reached"])
    if not release.plan.method.own.gives_k:
        yield ReleaseWarning(
            f"The release has {release.plan.promised}: {_who_is_alone(figures)}",
            "serious",
            f"no k by {release.plan.method.name}",
        )
    elif release.plan.promised:
        yield ReleaseWarning(
            "k was not asked for, so who knows more values of a person than L may find fewer people than K: "
            f"{_who_is_alone(figures)}",
            name="k not asked for",
        )
    elif reached < k or k < 2:
        yield ReleaseWarning(
            f"The release does not hide anybody: k = {k}."
            if k < 2
            else f"The release is not {k}-anonymous: its smallest group has {people(reached)}.",
            "serious",
            "not k-anonymous",
        )
    for name, how in (("suppressed", "left out"), ("blanked", "blanked")):
        n, share = int(figures[name]), 100 * figures[name] / figures["n"]
        if not n or (name == "blanked" and not release.plan.method.own.blank):
            continue
        yield ReleaseWarning(
            f"{were(n)} {how} ({_percent(share)} of all): not a random part of the table, so results may be "
            "biased.",
            name=f"rows {how}",
        )
    if "srl" in figures and k > 1 and figures["srl"] > 100 / k + 1e-9:
        yield ReleaseWarning(
            f"Linking by meaning finds {_percent(figures['srl'])} of the {_who(release)}, more than 1 in "
            f"{k}.",
            "serious",
            "linked by meaning",
        )


def _who(release: Release) -> str:
    """What is counted: rows are people, unless the plan says whose they are."""
    return "rows" if release.plan.privacy.unit else "people"


def _who_is_alone(figures: Mapping[str, Any]) -> str:
    """The smallest class, and how many people have one to themselves, where no k is promised."""
    released = int(figures["n"] - figures["suppressed"])
    alone = round(figures["sample_uniques"] / 100 * released)
    smallest = people(int(figures["k_reached"]))
    return (
        f"the smallest group of equal records has {smallest}, and {people(alone)} of {released:,} "
        f"{'has' if alone == 1 else 'have'} a combination of released values to themselves."
    )


def _on_other_releases(release: Release, target: Place, records: Path) -> Iterator[ReleaseWarning]:
    how = "by what they share" if release.plan.shuffle else "row by row"
    for other, alone in joined_with(release, target, records):
        found = (
            ""
            if alone is None
            else f", which singles out {alone:,} of {release.data.n_rows:,} {_who(release)}"
        )
        yield ReleaseWarning(
            f"The same table was released before, as “{other}”. Who has both can put them together {how}"
            f"{found}. Hand on one of them only.",
            "serious" if alone != 0 else "warning",
            f"released before: {other}",
        )


def _mostly_kept(release: Release, name: str) -> bool:
    """Whether half of the values of a column are as they were: a few at the root lose much by themselves."""
    kept = release.changes.kept[release.masked.index(name)]
    return bool(2 * kept >= release.figures["n"])


def lost_share(release: Release, figures: Mapping[str, Any], name: str) -> float:
    """The share of the differences between people in a column that is gone, in percent.

    The figure says how much is lost of what one central value for everybody would lose; what is truthful may
    be worse than that, for any value of a range may be meant. No more is gone than the share of the column
    that what is written covers on average (NCP), nor more than all.
    """
    lost = min(float(figures.get(f"information_loss.{name}") or 0.0), 100.0)
    if lost and release.plan.is_truthful(name) and not release.plan.method.blocks:
        lost = min(lost, 100 * ncp_of(release.view, release.masked.index(name)))
    return lost


def _on_columns(release: Release, figures: Mapping[str, Any]) -> Iterator[ReleaseWarning]:
    for name in release.masked:
        lost = lost_share(release, figures, name)
        if lost > _NEARLY_ALL and not _mostly_kept(release, name):
            share = _percent(lost)
            yield ReleaseWarning(
                f"Column “{name}” lost nearly everything: {share} of the differences between people in it "
                "are gone. Think of a smaller k, of fewer masked columns, or of leaving it out."
                if release.plan.method.own.gives_k
                else f"Column “{name}” says hardly anything of single people: its values are with others, or "
                f"far from what they were ({share} of the differences between people). Let "
                f"{release.plan.method.name} change less, or leave it out.",
                name=f"lost: {name}",
            )
    yield from _on_unmasked_columns(release)
    pointing = pointing_columns(release)
    for name, reason in pointing.items():
        yield ReleaseWarning(
            f"Column “{name}” is released as it is and may point at single people: {reason}. Make it an "
            "identifier (dropped) or a quasi-identifier (masked) if outsiders may know it.",
            "serious",
            f"points at people: {name}",
        )
    yield from _on_rare_values(release, pointing)
    for name in [one for one in release.names if one in release.source.without_text]:
        yield ReleaseWarning(
            f"Column “{name}” is released as it is and was not looked into: its cells are no texts. Drop it "
            "if they may point at people.",
            name=f"not looked into: {name}",
        )
    yield from _on_pseudonyms(release)
    yield from _on_determined_columns(release)
    yield from _on_confidential_columns(release, figures, pointing)
    for column in release.columns:
        if column.doubt:
            yield ReleaseWarning(
                f"Column “{column.name}”: {column.doubt}.", name=f"doubtful words: {column.name}"
            )


def _on_confidential_columns(
    release: Release, figures: Mapping[str, Any], pointing: Container[str]
) -> Iterator[ReleaseWarning]:
    for name in release.plan.with_role("confidential"):
        fewest, alone = _fewest_and_alone(release, figures, name)
        if fewest == 1:
            told = "who knows that a person is in such a group knows the value"
            if release.plan.method.own.gives_k:
                what = "what was asked for" if release.plan.promised else "k-anonymity"
                told += f", although {what} holds. Ask for l in the plan's section privacy to stop that"
            yield ReleaseWarning(
                f"Column “{name}” is confidential, and there are groups in which everybody has the same "
                f"value: {told}.",
                name=f"one value: {name}",
            )
        if alone > _MANY and name not in pointing and _finds_something(release, name):
            yield ReleaseWarning(
                f"{_percent(alone)} of the {_who(release)} are the only one of their group with their "
                f"“{name}”: who knows it of a person, besides the masked values, finds the row and reads "
                "what else is in it. k says nothing of that. Mask the column if somebody may know it, or "
                "drop it.",
                name=f"alone with: {name}",
            )


def _fewest_and_alone(release: Release, figures: Mapping[str, Any], name: str) -> tuple[int | None, float]:
    """Of a confidential column, the values of the least varied class, and the people who are the only one of
    their class with theirs, in percent; None and 0 where the table is too large to look."""
    fewest = figures.get(f"l_distinct.{name}")
    if fewest is not None:
        return int(fewest), float(figures.get(f"alone_if_known.{name}") or 0.0)
    is_small = release.data.n_rows <= MOST_ROWS and not release.plan.method.blocks
    if not is_small or name in release.source.without_text:
        return None, 0.0
    by_meaning, as_written = _spreads(release, name)
    return distinct_diversity(by_meaning), alone_if_known(as_written)


def _finds_something(release: Release, name: str) -> bool:
    """Whether who finds a row by this column reads more in it than is known already, though k is promised.

    Of measurements nothing is warned: a number known exactly is a strong assumption, and nearly everybody is
    alone with theirs.
    """
    return release.plan.method.own.gives_k and release.kept != [name] and not is_measured(release, name)


def _on_unmasked_columns(release: Release) -> Iterator[ReleaseWarning]:
    """Columns that a method which forms no classes left as they were, though nobody asked it to."""
    if release.plan.method.own.gives_k:
        return
    for j, name in enumerate(release.masked):
        share, attribute = release.view.unchanged(j), release.view.attributes[j]
        known = np.unique(release.tuples.codes[:, j]) != attribute.missing
        if share >= _AS_GOOD_AS_ALL and known.sum() > 1 and release.plan.attributes[name].limit > 0:
            yield ReleaseWarning(
                f"Column “{name}” is not masked: {_percent(100 * share)} of its values are as they were. Let "
                f"{release.plan.method.name} change more (its options, `max_loss` of the column), or use "
                "another method.",
                "serious",
                f"not masked: {name}",
            )


def _on_rare_values(release: Release, told_already: Container[str]) -> Iterator[ReleaseWarning]:
    """Words and categories of few rows in columns that are released as they are: one line for all."""
    found = {name: n for name, n in rows_of_rare_values(release).items() if name not in told_already}
    if not found:
        return
    most = sorted(found.items(), key=lambda one: -one[1])
    named = [f"{n:,} {'row' if n == 1 else 'rows'} of “{name}”" for name, n in most[:_MOST_NAMED]]
    if more := len(most) - len(named):
        named.append(f"and {more} more {'column' if more == 1 else 'columns'}")
    yield ReleaseWarning(
        f"Values that fewer than {release.plan.least_size} rows have are released as they are: "
        f"{', '.join(named)}. Who knows that a person has such a value finds the row. Write one word in "
        "their place (`rare: other` of the column), mask the column, or drop it.",
        name=f"rare values: {', '.join(sorted(found))}",
    )


def rows_of_rare_values(release: Release) -> dict[str, int]:
    """Columns of words or categories released as they are, and how many rows have a value that fewer than k
    have; spellings of one value are one.

    Nothing is said of measurements, unless they have few values of which most are had by k rows: there a rare
    one stands out. Nor of a table too large to look at all values.
    """
    if release.data.n_rows > MOST_ROWS:
        return {}
    k, found = release.plan.least_size, {}
    kept = _kept_as_they_were(release)
    many = _with_many_values(release, kept)
    for name, (texts, counts) in release.data.distinct_of([one for one in kept if one not in many]).items():
        values = [text for text in texts if text is not None]
        is_measured = _are_measured(release, name, values)
        if is_measured and len(values) > MOST_CODES:
            continue
        rows = _rows_of_values(texts, counts)
        is_rare = rows < k
        if is_rare.any() and not (is_measured and 2 * int(is_rare.sum()) >= len(rows)):
            found[name] = int(rows[is_rare].sum())
    return found


def _rows_of_values(texts: Sequence[str | None], counts: Int64) -> Int64:
    """How many rows have each value of a column."""
    code_of = codes_by_spelling([text for text in texts if text is not None])
    rows = np.zeros(len({*code_of.values()}), np.int64)
    for text, n in zip(texts, counts.tolist(), strict=True):
        if text is not None:
            rows[code_of[text]] += n
    return rows


def is_measured(release: Release, name: str) -> bool:
    """Whether a column that is released as it is has numbers or dates, no words or codes of categories."""
    texts = [text for text in release.data.distinct(name)[0] if text is not None]
    return _are_measured(release, name, texts)


def _are_measured(release: Release, name: str, texts: Sequence[str]) -> bool:
    """Whether values are numbers or dates, by the plan or by their form, and not codes of categories."""
    settings = release.plan.attributes.get(name)
    if settings is not None and settings.kind != "nominal":
        return settings.kind != "ordinal"
    return are_dates(texts) or are_quantities(name, texts)


def _on_pseudonyms(release: Release) -> Iterator[ReleaseWarning]:
    """Pseudonyms that put several rows of a person together, where k counts rows."""
    for name in release.plan.with_role("pseudonym"):
        if name == release.plan.privacy.unit or release.data.n_rows > MOST_ROWS:
            continue
        texts, counts = release.data.distinct(name)
        given = [int(n) for text, n in zip(texts, counts.tolist(), strict=True) if text is not None]
        if max(given, default=1) > 1:
            yield ReleaseWarning(
                f"Column “{name}” has pseudonyms that stand in several rows, and k counts rows: a group of k "
                "rows may be of one person. Write `unit: "
                f"{name}` in the plan's section privacy, so that k counts people.",
                name=f"rows of one person: {name}",
            )


def _on_determined_columns(release: Release) -> Iterator[ReleaseWarning]:
    """Columns beside the masked ones that say in the original what these say, or a part of it."""
    kept = _kept_as_they_were(release)
    if not kept:
        return
    found = determinations(release.counted, release.masked, kept)
    for name in kept:
        telling = [one.of for one in found if one.by == name and one.of in release.masked]
        told = [one.by for one in found if one.of == name and one.by in release.masked]
        for masked in telling:
            follow = f", or write `together: [{masked}, {name}]`" if masked in told else ""
            yield ReleaseWarning(
                f"Column “{name}” is released as it is and determines “{masked}”, which is masked: who knows "
                f"how they go together undoes the masking. Drop it or mask it{follow}.",
                "serious",
                f"{name} determines {masked}",
            )
        for masked in [one for one in told if one not in telling]:
            yield ReleaseWarning(
                f"Column “{name}” is released as it is and follows from “{masked}”, which is masked: it "
                f"still tells a part of it. Drop it or mask it, or write `together: [{masked}, {name}]`.",
                name=f"{name} follows from {masked}",
            )


_ONCE = "most of its values occur once, so who knows one finds the row"


def _kept_as_they_were(release: Release) -> list[str]:
    """Columns that are released as they are, as far as their cells have texts."""
    return [name for name in release.kept if name not in release.source.without_text]


def _spreads(release: Release, name: str) -> tuple[Confidential, Confidential]:
    """How the values of a confidential column are spread over the classes: words of one concept as one value;
    and as they are written."""
    texts, counts = release.counted.distinct(name)
    try:
        column = FurtherColumn.of(name, texts, counts, release.plan, with_distances=False)
    except OntomaskError:  # it is released as it is, whatever stands in it
        column = FurtherColumn.of_texts(name, texts)
    by_meaning, as_written = (
        over_release(one, release.data, release.columns, release.view).spread
        for one in (column, column.as_written or column)
    )
    return by_meaning, as_written


def pointing_columns(release: Release) -> dict[str, str]:
    """Columns released as they are that may point at single people, and why, without a value.

    Of a table too large to look at all values, columns are judged by their names alone.
    """
    found = {}
    kept = _kept_as_they_were(release)
    if release.data.n_rows > MOST_ROWS:
        by_name = {name: why_identifier(name, [], 0, False) for name in kept}
        return {name: reason for name, reason in by_name.items() if reason}
    many = _with_many_values(release, kept)
    for name, n in many.items():
        reason = why_identifier(name, [], 0, False)
        if reason or n > _MOSTLY * release.source.n_rows:
            found[name] = reason or _ONCE
    for name, (values, counts) in release.data.distinct_of([one for one in kept if one not in many]).items():
        distinct = [value for value in values if value is not None]
        given = int(counts[: len(distinct)].sum())
        reason = why_identifier(name, distinct, given, are_numbers(name, distinct))
        if not reason and given >= _ENOUGH and len(distinct) > _MOSTLY * given:
            reason = _ONCE
        if reason:
            found[name] = reason
    return found


def _with_many_values(release: Release, columns: Sequence[str]) -> dict[str, int]:
    """Columns with so many values that they are counted and not looked at, and how many."""
    return {name: n for name, n in release.source.n_distinct_of(columns).items() if n > MOST_VALUES}


def _percent(x: float) -> str:
    return f"{x:.0f} %" if x >= 10 else f"{x:.2g} %"
