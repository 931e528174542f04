"""What who signs is told although it is no warning: values that are gone, moved means, lost differences."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.assessment import figures_of
from ontomask.pipeline import Release
from ontomask.report import words
from ontomask.report.changes import Changes
from ontomask.report.reported import Reported
from ontomask.report.to_know import to_know

LANDS = ["Italy"] * 9 + ["Spain"] * 6 + ["France", "Norway", "Peru", "Kenya", None, None]


def masked(columns: dict[str, list[Any]], k: int = 4, **settings: Any) -> Release:
    """Columns of countries, or of numbers."""
    options = [
        f"{name}:{'countries' if isinstance(values[0], str) else 'numeric'}"
        for name, values in columns.items()
    ]
    plan = om.Plan.from_options(options, k=k, method="sa-mdav").replace(**settings)
    return om.anonymize(pa.table(columns), plan)


def told(release: Release) -> list[str]:
    return to_know(Reported(release, release.figures | figures_of(release)))


def test_values_that_are_gone_are_counted_and_not_named() -> None:
    release = masked({"land": LANDS})
    after = {*release.to_arrow()["land"].to_pylist()}
    gone = [land for land in {*LANDS} - {None} if land not in after]
    assert 2 <= len(gone) < 6
    (said,) = [one for one in told(release) if one.startswith("“land” is given")]
    assert f"{len(gone)} of its 6 values occur no more" in said
    assert not any(land in said for land in ("France", "Norway", "Peru", "Kenya"))
    assert not any("occur" in one for one in told(masked({"land": ["Italy"] * 6 + ["Spain"] * 6})))


def test_truthful_values_that_are_gone_have_wider_words() -> None:
    release = masked({"land": LANDS}, release="truthful")
    gone = {*LANDS} - {None} - {*release.to_arrow()["land"].to_pylist()}
    of = f"{len(gone)} of its 6 values {'occurs' if len(gone) == 1 else 'occur'} no more"
    assert f"“land”: {of}, as wider words stand for them." in told(release)


def test_people_of_whom_a_column_says_nothing_any_more() -> None:
    lands = ["Italy"] * 4 + ["Italy", "Peru", "Kenya", "Nepal"]
    release = masked({"land": lands, "age": [20] * 4 + [70] * 4}, release="truthful")
    after = release.to_arrow()["land"].to_pylist()
    assert Counter(after) == {"Italy": 4, "World": 4}
    assert Changes.of(release, 0).silenced() == 4
    assert "“land” says nothing any more of 4 people." in told(release)
    assert Changes.of(release, 1).silenced() == 0


def test_who_had_no_value_kept_none() -> None:
    """A blank that stays blank is no value that is as it was."""
    lands = ["Italy"] * 4 + ["Spain", "France", "Peru", "Kenya"] + [None] * 8
    changes = Changes.of(masked({"land": lands}), 0)
    after = masked({"land": lands}).to_arrow()["land"].to_pylist()
    kept = sum(was is not None and was == now for was, now in zip(lands, after, strict=True))
    assert changes.kept_share == pytest.approx(100 * kept / 8)
    assert changes.vanished()[1] == 5


def test_a_moved_mean_is_told_and_one_that_stayed_is_not() -> None:
    pays = [round(100 * 1.15**i) for i in range(40)]
    mean = masked({"pay": pays}, k=8)
    median = masked({"pay": pays}, k=8, method={"name": "sa-mdav", "centroid": "median"})
    after = np.array(median.to_arrow()["pay"].to_pylist(), float)
    assert after.mean() < 0.97 * np.mean(pays)
    (said,) = [one for one in told(median) if "the mean is" in one]
    assert said.startswith(f"“pay”: the mean is {words.number(float(f'{after.mean():.4g}'))} and was ")
    assert not any("the mean is" in one for one in told(mean))


def test_a_smaller_spread_is_told() -> None:
    ages = [*range(20, 60, 2)]
    (said,) = [one for one in told(masked({"age": ages}, k=10)) if one.startswith("“age”")]
    assert said == "“age”: the standard deviation is 10 and was 11.5."
    wide = masked({"age": ages}, k=10, release="truthful")
    (said,) = [one for one in told(wide) if one.startswith("“age”")]
    assert said.endswith("; of a range its middle counts.")
    assert not any(one.startswith("“age”") for one in told(masked({"age": ages}, k=2)))


def test_columns_that_lost_most_of_their_differences_are_named() -> None:
    release = masked({"land": LANDS, "age": [*range(20, 41)]}, k=4)
    figures = release.figures | figures_of(release)
    lost = {name: figures[f"information_loss.{name}"] for name in ("land", "age")}
    (named,) = [one for one in told(release) if one.startswith("More than half of the differences")]
    assert sorted(share > 50 for share in lost.values()) == [False, True]
    for name, share in lost.items():
        assert (f"“{name}” ({words.percent(share)})" in named) == (share > 50)


def test_no_more_than_all_differences_are_gone() -> None:
    """Ranges may be farther from their values than one value for everybody would be."""
    release = masked({"land": LANDS, "age": [*range(20, 41)]}, k=4)
    figures = release.figures | figures_of(release) | {"information_loss.age": 226.0}
    told_of = Reported(release, figures)
    assert [told_of.lost_share(one) for one in told_of.columns] == [figures["information_loss.land"], 100.0]
    (named,) = [one for one in to_know(told_of) if one.startswith("More than half of the differences")]
    assert f"“age” (100{words.NO_BREAK}%)" in named
