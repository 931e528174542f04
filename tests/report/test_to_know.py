"""What who signs is told although it is no warning: values that are gone, moved means, lost differences."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
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
from ontomask.report.to_know import mixed_text, to_know

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


def test_a_word_above_all_values_of_its_column_says_nothing() -> None:
    """Though it is no root of the ontology: who knows the column knows as much."""
    lands = ["Italy", "Spain", "France", "Norway"]
    release = masked({"land": lands}, release="truthful")
    assert set(release.to_arrow()["land"].to_pylist()) == {"Europe"}
    assert Changes.of(release, 0).silenced() == 4
    with_gaps = masked({"land": [*lands, *[None] * 4]}, release="truthful")
    assert Changes.of(with_gaps, 0).silenced() == 4
    with_another = masked({"land": [*lands, *["Peru"] * 4]}, release="truthful")
    assert Counter(with_another.to_arrow()["land"].to_pylist()) == {"Europe": 4, "Peru": 4}
    assert Changes.of(with_another, 0).silenced() == 0


def likes(tmp_path: Path, tree: str, values: list[str | None], **settings: Any) -> Release:
    """Pastimes, truthful by a tree of one's own."""
    (tmp_path / "likes.yaml").write_text(tree)
    asked = {"role": "quasi-identifier", "ontology": "wordnet", "hierarchy": "likes.yaml"}
    given = {"attributes": {"likes": asked}, "privacy": {"k": 4}, "release": "truthful"}
    plan = om.Plan.from_dict(given | settings, folder=tmp_path)
    return om.anonymize(pa.table({"likes": values}), plan)


def test_a_label_above_all_values_of_a_tree_says_nothing(tmp_path: Path) -> None:
    tree = "pastime:\n  game: {chess: {}, tennis: {}}\n  craft: {knitting: {}, cooking: {}}\n"
    release = likes(tmp_path, tree, ["chess"] * 4 + ["tennis"] * 2 + ["knitting"] * 2)
    after = Counter(release.to_arrow()["likes"].to_pylist())
    assert after["pastime"] > 0
    assert Changes.of(release, 0).silenced() == after["pastime"]


def test_values_that_count_as_one_are_told(tmp_path: Path) -> None:
    (tmp_path / "ill.csv").write_text(
        "value,concept\n" + "".join(f"{one} fracture,fracture.n.01\n" for one in ("Hip", "Wrist", "Ankle"))
    )
    ill = ["Hip fracture"] * 6 + ["hip fracture "] * 2 + ["Wrist fracture"] * 5 + ["Asthma"] * 6 + ["flu"] * 4

    def said(values: list[str], k: int = 4, **settings: Any) -> list[str]:
        asked = {"role": "quasi-identifier", "ontology": "wordnet", "mapping": "ill.csv"} | settings
        given = {"attributes": {"ill": asked}, "privacy": {"k": k}, "release": "truthful"}
        release = om.anonymize(pa.table({"ill": values}), om.Plan.from_dict(given, folder=tmp_path))
        return [one for one in told(release) if "one value" in one]

    two = "“ill”: “Hip fracture” and “Wrist fracture” are one value, “fracture”, for they mean the same here."
    assert said(ill) == [two]
    assert said(ill, mapping=None) == [], "a doubtful meaning is not taken for what is true"
    assert said(ill, hierarchy={"levels": 2}) == [two]
    assert said([one for one in ill if "rist" not in one]) == [], "spellings are no other values"
    assert said([*ill, "Ankle fracture"], k=2) == [two], "which one person has is not told"
    assert "“Ankle fracture”, “Hip fracture” and" in said([*ill, "Ankle fracture"], k=1)[0]
    assert said([f"{one}; flu" for one in ill], several=";") == [], "which are sets"
    meant = {
        f"{kind} {word}": f"{word}.n.01" for word in ("fever", "burn", "cough", "asthma") for kind in "ab"
    }
    lines = [f"{value},{concept}\n" for value, concept in meant.items()]
    (tmp_path / "ill.csv").write_text("value,concept\n" + "".join(lines))
    (one,) = said([value for value in meant for _ in range(4)])
    assert one.count("are one value") == 3 and one.endswith(
        "; and 1 more such value, for they mean the same here."
    )


def test_what_is_true_by_the_tree_of_the_plan_alone_is_told(tmp_path: Path) -> None:
    tree = "activity:\n  game: {chess: {}, tennis: {}, cooking: {}}\n  sport: {swimming: {}}\n"
    values = ["chess"] * 4 + ["tennis"] * 3 + ["cooking"] * 4 + ["swimming"] * 4
    by_levels = {"name": "datafly"}
    release = likes(tmp_path, tree, values, method=by_levels)
    assert Counter(release.to_arrow()["likes"].to_pylist()) == {"game": 11, "sport": 4}
    people, usual = Changes.of(release, 0).not_above()
    assert (people, usual and (usual.before, usual.after)) == (4, ("cooking", "game"))
    said = (
        "“likes”: of 4 people something is written that the ontology does not have above their value, such "
        "as “game” for “cooking”. It is true as far as the tree is that the plan names."
    )
    assert said in told(release)
    changes = Changes.of(release, 0)
    assert replace(changes, masked=np.full_like(changes.masked, -1)).not_above() == (0, None), "left out"
    more = [*values, *["reading"] * 6]
    with_more = likes(
        tmp_path, tree.replace("{}}\n  sport", "{}, reading: {}}\n  sport"), more, method=by_levels
    )
    people, usual = Changes.of(with_more, 0).not_above()
    assert (people, usual and usual.before) == (10, "reading"), "most people's"
    gaps = likes(tmp_path, tree, [*values, None, None], method=by_levels)
    assert Counter(gaps.to_arrow()["likes"].to_pylist()) == {"*": 17}
    assert Changes.of(gaps, 0).not_above() == (0, None), "nobody says what a gap is"
    rare = likes(tmp_path, tree, [*values[:-8], "cooking", *values[-4:]], method=by_levels)
    assert Changes.of(rare, 0).not_above() == (1, None), "which one that is, is not told"
    (of_one,) = [one for one in told(rare) if "does not have above" in one]
    assert of_one.startswith(
        "“likes”: of 1 person something is written that the ontology does not have above"
    )
    assert "cooking" not in of_one
    right = tree.replace("cooking: {}", "checkers: {}")
    fitting = likes(tmp_path, right, [value.replace("cooking", "checkers") for value in values])
    assert Changes.of(fitting, 0).not_above() == (0, None)
    assert not any("does not have above" in one for one in told(fitting))


def test_a_range_over_all_numbers_says_nothing() -> None:
    release = masked({"age": [20, 20, 20, 20, 18, 40, 60, 90]}, release="truthful")
    assert Counter(release.to_arrow()["age"].to_pylist()) == {"20": 4, "18-90": 4}
    assert Changes.of(release, 0).silenced() == 4


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
    (said,) = [one for one in told(wide) if one.startswith("“age”: the")]
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


# ---------------------------------------------------------------------- ranges

ORDER = ["none", "primary", "secondary", "college", "doctorate"]
MAY, JUNE = [f"1980-05-{day:02}" for day in range(1, 13)], [f"1980-06-{day:02}" for day in range(1, 9)]


def in_a_kind(
    kind: str, values: list[Any], k: int = 4, lands: list[Any] | None = None, **asked: Any
) -> Release:
    """A column of dates or of ordered categories, and perhaps countries beside it."""
    table = {"x": values} | ({} if lands is None else {"land": lands})
    plan = om.Plan.from_options(["land:countries"] if lands else [], k=k, method="sa-mdav")
    settings = {"role": "quasi-identifier", "kind": kind} | ({"order": ORDER} if kind == "ordinal" else {})
    return om.anonymize(pa.table(table), plan.replace(attributes={"x": settings}, **asked))


def of_ranges(release: Release) -> str:
    (said,) = [one for one in told(release) if "written in the place of" in one]
    return said


def test_ranges_of_dates_are_counted_and_their_width_is_that_of_the_calendar() -> None:
    release = in_a_kind("date", MAY + JUNE, k=8, release="truthful")
    assert Counter(release.to_arrow()["x"].to_pylist()) == {"1980-05": 12, "1980-06": 8}
    assert of_ranges(release) == (
        "“x”: 2 different ranges are written in the place of 20 dates. Half of the people have one of "
        "1 month or less."
    )
    assert not any("overlap" in one or "wider words" in one for one in told(release))


@pytest.mark.parametrize(("method", "overlap"), [("sa-mdav", True), ("mdav", False)])
def test_ranges_of_numbers_as_plain_code_counts_them(method: str, overlap: bool) -> None:
    """By words and numbers, groups of like words have numbers that lie among each other."""
    ages = [20, 70, 21, 71, 40, 41, 90, 91, 22, 64, 23, 65]
    columns: dict[str, list[Any]] = {"age": ages}
    if overlap:
        columns["land"] = ["Italy", "Italy", "Spain", "Spain", "Peru", "Peru"] * 2
    release = masked(columns, k=2, release="truthful")
    written = release.to_arrow()["age"].to_pylist()
    ends = [tuple(map(int, f"{text}-{text}".split("-")[:2])) if "-" in text else None for text in written]
    ranges = {one for one in ends if one}
    cross = any(a < b and b[0] <= a[1] for a in ranges for b in ranges)
    assert cross == overlap
    single = sum(one is None for one in ends)
    width = sorted(one[1] - one[0] for one in ends if one)
    said = of_ranges(release)
    assert said.startswith(f"“age”: {len(ranges)} different ranges are written in the place of 12 numbers")
    assert (f"{single} people still have a single number" in said) == bool(single)
    assert f"have one of width {width[len(width) // 2]} or less" in said
    assert ("overlap" in said) == overlap
    found = [one for one in told(release) if one.startswith("Ranges of age overlap")]
    assert bool(found) == overlap
    for one in found:
        assert "Those of a tree over age lie within each other" in one
        tree = {"age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {}}}
        fixed = masked(columns, k=2, release="truthful", attributes=tree)
        assert not any(said.startswith("Ranges of age overlap") for said in told(fixed))


def test_ranges_of_ordered_categories_are_told_as_categories() -> None:
    values = ["none"] * 5 + ["primary"] * 2 + ["secondary"] * 2 + ["college"] * 6
    release = in_a_kind("ordinal", values, release="truthful")
    written = Counter(release.to_arrow()["x"].to_pylist())
    assert written == {"none": 5, "primary..secondary": 4, "college": 6}
    assert of_ranges(release) == (
        "“x”: 1 range is written in the place of 4 categories, and 11 people still have a single category. "
        "Half of those with a range have one of 2 categories or fewer."
    )


def test_where_ranges_overlap_nobody_is_told_to_count_below_wide_labels() -> None:
    lands = ["Italy"] * 6 + ["Peru"] * 4 + ["Spain"] * 6
    values = ["none"] * 6 + ["primary", "none"] * 2 + ["doctorate"] * 6
    release = in_a_kind("ordinal", values, k=4, lands=lands, release="truthful")
    assert {"none", "none..primary"} <= {*release.to_arrow()["x"].to_pylist()}
    reported = Reported(release, release.figures | figures_of(release))
    assert reported.overlapping == ["x"] and "x" in reported.mixed
    said = mixed_text(reported, "x")
    assert said.endswith("Ranges overlap: do not count single values, nor single ranges.")
    assert "below one wide label" not in said
    said_of = [one for one in to_know(reported) if one.startswith("Values of ")]
    assert not any("x" in one.partition(" stand")[0].removeprefix("Values of ") for one in said_of)


def test_central_dates_and_ranks_have_their_mean_and_spread() -> None:
    """Two years in the place of dates in them: all the spread within is gone."""
    days = [f"19{50 + i}-01-01" for i in range(40)]
    said = told(in_a_kind("date", days, k=20))
    moments = np.array(days, "datetime64[D]").astype(int)
    after = np.repeat([moments[:20].mean(), moments[20:].mean()], 20).round()
    assert f"“x”: the standard deviation is {after.std():,.0f} days and was {moments.std():,.0f}." in said
    assert not any("occur no more" in one for one in said)
    ranks = ["none"] * 4 + ["doctorate"] * 3 + ["primary"] * 3
    (of_ranks,) = [one for one in told(in_a_kind("ordinal", ranks, k=5)) if "deviation of ranks" in one]
    assert of_ranks.startswith("“x”: ")


def test_a_range_that_may_be_anything_says_nothing() -> None:
    release = masked({"age": [20, 21, 22, 23, None, None, 60, 61]}, k=4, release="truthful")
    written = Counter(release.to_arrow()["age"].to_pylist())
    silent = written["*"]
    assert silent
    had = sum(
        was is not None and now == "*"
        for was, now in zip(
            [20, 21, 22, 23, None, None, 60, 61], release.to_arrow()["age"].to_pylist(), strict=True
        )
    )
    assert f"“age” says nothing any more of {had} people." in told(release)


# ---------------------------------------------------------------------- methods that write one level

MIXED = [("Italy", "F")] * 5 + [("Italy", "M")] * 4 + [("Spain", "F")] * 5 + [("France", "F")] * 4
MIXED += [("France", "M")]


def at_different_levels(tags: list[str] | None = None) -> str:
    """What is told of countries and sexes that stand at different levels, with sets of words beside them."""
    columns = {"land": [land for land, _ in MIXED], "sex": [sex for _, sex in MIXED]}
    plan = om.Plan.from_options(["land:countries", "sex:sex"], k=4, method="sa-mdav")
    if tags:
        settings = {"role": "quasi-identifier", "ontology": "wordnet", "several": ";"}
        columns, plan = columns | {"tags": tags}, plan.replace(attributes={"tags": settings})
    release = om.anonymize(pa.table(columns), plan.replace(release="truthful"))
    (said,) = [one for one in told(release) if one.startswith("Values of ")]
    return said


def test_methods_are_recommended_that_the_plan_can_be_had_with() -> None:
    assert at_different_levels() == (
        "Values of sex stand at different levels, so single values cannot be counted. Methods datafly and "
        "incognito write one level for everybody, and usually lose much more."
    )


def test_no_method_is_recommended_that_would_refuse_the_plan() -> None:
    """A set of words has no hierarchy to climb."""
    assert at_different_levels(["dog; cat", "dog"] * 9 + ["dog"]).endswith(
        "so single values cannot be counted."
    )


def test_rows_are_taken_for_people_where_nobody_said_whose_they_are() -> None:
    table = pa.table({"pid": [f"p{i // 2}" for i in range(16)], "age": [20, 21, 40, 41] * 4})
    plan = om.Plan.from_options(["age:numeric"], identifiers=["pid"], k=4)
    said = "Each row was taken for one person: if somebody has several rows, they hide among themselves."
    assert told(om.anonymize(table, plan))[-1] == said
    assert said not in told(om.anonymize(table, plan.replace(privacy={"unit": "pid"})))
    noisy = plan.replace(privacy={"k": None}).with_method("rank-swapping")
    assert said not in told(om.anonymize(table, noisy)), "nobody hides among others there"


def test_who_said_nothing_before_or_says_it_still_is_not_counted() -> None:
    """Of a group with a gap only those who had a value; *World* that was *World* is no loss."""
    lands = ["Italy"] * 4 + ["World"] * 4 + ["Peru", "Kenya", "Nepal", "Chad"]
    release = masked({"land": lands, "age": [20] * 4 + [45] * 4 + [70] * 4}, release="truthful")
    assert Counter(release.to_arrow()["land"].to_pylist()) == {"Italy": 4, "World": 8}
    assert Changes.of(release, 0).silenced() == 4
    gaps = ["Italy"] * 4 + ["Spain", "Spain", None, None]
    release = masked({"land": gaps, "age": [20] * 4 + [70] * 4}, release="truthful")
    assert Counter(release.to_arrow()["land"].to_pylist()) == {"Italy": 4, "World": 4}
    assert Changes.of(release, 0).silenced() == 2


@pytest.mark.parametrize(("blank", "silent"), [(True, 5), (False, 0)])
def test_who_was_blanked_has_nothing_and_who_was_left_out_is_not_there(blank: bool, silent: int) -> None:
    lands = ["Italy"] * 8 + ["Spain"] * 8 + ["Peru"] + ["Kenya"] * 4
    release = masked({"land": lands}, method={"name": "suppression", "blank": blank})
    assert release.figures["blanked" if blank else "suppressed"] == (5 if blank else 1)
    assert Changes.of(release, 0).silenced() == silent


def test_how_far_a_mean_has_to_move() -> None:
    """By a hundredth of itself, or of the standard deviation where the mean is about nothing."""

    def moved(numbers: list[Any], k: int) -> float | None:
        release = masked({"x": numbers}, k=k, method={"name": "sa-mdav", "centroid": "median"})
        after = np.array(release.to_arrow()["x"].to_pylist(), float)
        said = any("the mean is" in one for one in told(release))
        return abs(float(after.mean() - np.mean(numbers))) * (1 if said else -1)

    pays = [round(1000 * 1.02**i) for i in range(60)]
    assert moved(pays, 4) >= 0.01 * np.mean(pays)
    assert 0 > moved(pays, 9) > -0.002 * np.mean(pays)
    around = [*range(-50, 51)]
    assert moved(around, 4) >= 0.01 * np.std(around)
    assert 0 > moved([one + 0.25 for one in around], 3) > -0.01 * np.std(around)


def test_of_numbers_that_too_few_people_have_nothing_is_told() -> None:
    table = pa.table({"pay": [1.0, 2.0, 900.0] + [None] * 9})
    plan = om.Plan.from_options(["pay:numeric"], method="noise").replace(method={"amount": 2.0})
    release = om.anonymize(table, plan)
    assert not any("the mean is" in one or "deviation" in one for one in told(release))


def test_noise_gives_nothing_central_to_a_group() -> None:
    plan = om.Plan.from_options(["land:countries"], method="noise").replace(method={"amount": 1.0})
    release = om.anonymize(pa.table({"land": LANDS}), plan)
    gone, _ = Changes.of(release, 0).vanished()
    assert gone
    assert not any("central to a group" in one for one in told(release))


def test_values_whose_people_were_left_out_are_not_called_wider() -> None:
    plan = om.Plan.from_options(["land:countries", "age:numeric"], k=4, method="sa-mdav", release="truthful")
    plan = plan.replace(privacy={"suppress": 0.2}, attributes={"land": {"keep": True}})
    table = pa.table({"land": ["Italy"] * 8 + ["Spain"] * 8 + ["Peru", "Kenya"], "age": [20] * 18})
    release = om.anonymize(table, plan)
    assert release.figures["suppressed"] == 2
    said = told(release)
    assert "“land”: 2 of its 4 values occur no more, as everybody who had one was left out." in said
    assert not any("wider words" in one for one in said)
    assert Reported(release, release.figures | figures_of(release)).how_many == "18 people, 16 in the release"


def test_what_is_truthful_lost_no_more_than_what_is_written_covers() -> None:
    """A quarter of the people may be anything, for the others nothing changed."""
    lands = ["Italy"] * 8 + ["Spain"] * 4 + ["Peru", "Kenya", "Nepal", "Chad"]
    release = masked({"land": lands, "age": [20] * 8 + [50] * 4 + [70] * 4}, release="truthful")
    assert Counter(release.to_arrow()["land"].to_pylist()) == {"Italy": 8, "Spain": 4, "World": 4}
    reported = Reported(release, release.figures | figures_of(release))
    assert release.figures["information_loss.land"] > 25
    assert reported.lost_share(reported.columns[0]) == pytest.approx(100 * 4 / 16)
