"""Statistics for users: against plain definitions over records, and one column whatever it comes in."""

from __future__ import annotations

import json
import math
import re
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask import stats
from ontomask.cli import main
from ontomask.errors import OntomaskError
from ontomask.measures import _kernels
from ontomask.ontology.draft import Draft
from ontomask.report import render_report
from reference import ontologies
from report.html_of import Html

TREE = Draft.from_edges(
    "symptoms", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")]
)
WORDS = ["ache", "ache", "fever", "pain", "colic", "ache"]


def plain_m(records: list[str], ontology: om.Ontology) -> list[float]:
    """m of every record, over n - 1."""
    others = max(len(records) - 1, 1)
    return [sum(ontology.distance(x, y, "logsc") for y in records) / others for x in records]


@settings(max_examples=30)
@given(ontologies(6), st.data())
def test_against_the_definitions_over_records(ontology: om.Ontology, data: st.DataObject) -> None:
    pairs = data.draw(
        st.lists(
            st.tuples(
                st.one_of(st.none(), st.sampled_from(list(ontology.labels))),
                st.sampled_from(list(ontology.labels)),
                st.one_of(st.none(), st.integers(-9, 9)),
            ),
            min_size=1,
            max_size=9,
        )
    )
    words = [x for x, _, _ in pairs if x is not None]
    if not words:
        return
    m, asked = plain_m(words, ontology), {"ontology": ontology}
    by_value = dict(zip(words, m, strict=True))
    counted = {word: words.count(word) for word in sorted(set(words))} | {None: 3}
    for series in (words, [x for x, _, _ in pairs], counted):
        found = stats.mean(series, **asked)
        assert found.number == pytest.approx(min(m), abs=1e-9)
        assert by_value[found.value] == pytest.approx(min(m), abs=1e-9)
        assert stats.variance(series, **asked) == pytest.approx(np.mean(m), abs=1e-9)
        published = stats.variance(series, **asked, scaling="published")
        assert published == pytest.approx(np.mean(m) * max(len(words) - 1, 1), abs=1e-9)
        assert stats.marginality(series, **asked) == pytest.approx(by_value, abs=1e-9)
        far = sorted(ontology.distance(found.value, x, "logsc") for x in words)
        for share, distance, there in stats.radii(series, **asked):
            assert distance == pytest.approx(far[min(math.floor(share * len(far)), len(far) - 1)])
            assert there
            assert [ontology.distance(found.value, x, "logsc") for x in there] == [distance] * len(there)

    for j, ordered in ((1, False), (2, True)):
        both = [(one[0], one[j]) for one in pairs if one[0] is not None and one[j] is not None]
        if not both:
            continue
        xs, ys = [x for x, _ in both], [y for _, y in both]
        mx = plain_m(xs, ontology)
        my = [(y - np.mean(ys)) ** 2 for y in ys] if ordered else plain_m(ys, ontology)
        expected = np.mean([math.sqrt(a * b) for a, b in zip(mx, my, strict=True)])
        whole = [one[0] for one in pairs], [one[j] for one in pairs]
        assert stats.covariance(*whole, **asked) == pytest.approx(expected, abs=1e-9)
        assert stats.covariance(xs, ys, **asked, counts=[3] * len(xs)) == pytest.approx(
            stats.covariance(xs * 3, ys * 3, **asked), abs=1e-9
        )
        related = stats.correlation(*whole, **asked)
        spread = math.sqrt(np.mean(mx) * np.mean(my))
        if spread > 1e-9:
            assert related == pytest.approx(expected / spread)
            assert 0 <= related <= 1 + 1e-9
        else:
            assert math.isnan(related) or related >= 0


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=12))
def test_numbers_have_the_usual_statistics(pairs: list[tuple[int, int]]) -> None:
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    assert stats.mean(x).value == stats.mean(x).number == pytest.approx(np.mean(x))
    assert stats.variance(x) == stats.variance(x, scaling="published") == pytest.approx(np.var(x))
    assert stats.covariance(x, y) == pytest.approx(np.cov(x, y, bias=True)[0, 1])
    if np.var(x) > 0 and np.var(y) > 0:
        assert stats.correlation(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert stats.quantiles(x, [0, 0.5, 1]) == [min(x), sorted(x)[len(x) // 2], max(x)]


def test_the_published_variance_grows_with_n_and_the_balanced_one_does_not() -> None:
    twice = WORDS * 10
    few, many = (stats.variance(x, ontology=TREE, scaling="published") for x in (WORDS, twice))
    assert many == pytest.approx(10 * few)
    few, many = (stats.variance(x, ontology=TREE) for x in (WORDS, twice))
    assert many == pytest.approx(few * (5 / 6) / (59 / 60))


@pytest.mark.parametrize(
    "series",
    [
        [*WORDS, None],
        (*WORDS, float("nan")),
        {"ache": 3, "fever": 1, "pain": 1, "colic": 1, None: 2},
        pd.Series([*WORDS, None]),
        pd.Series([*WORDS, pd.NA], dtype="string"),
        pd.Series([*WORDS, None], dtype="category"),
        pd.Series(WORDS).value_counts().to_dict(),
        [*WORDS, pd.NA],
        pl.Series([*WORDS, None]),
        pa.array([*WORDS, None]),
        pa.chunked_array([pa.array(WORDS), pa.array([None], pa.string())]).dictionary_encode(),
        np.array(WORDS),
    ],
    ids=lambda series: type(series).__name__,
)
def test_a_column_in_any_form(series: Any) -> None:
    assert stats.mean(series, ontology=TREE) == stats.mean(WORDS, ontology=TREE)
    assert stats.variance(series, ontology=TREE) == stats.variance(WORDS, ontology=TREE)


def test_values_that_nobody_has_are_neither_mean_nor_near_it() -> None:
    path = {"ontology": TREE, "measure": "path"}
    assert stats.mean({"pain": 0, "ache": 1, "colic": 1, "fever": 1}, **path).value == "ache"
    assert stats.radii({"pain": 3, "ache": 1, "colic": 0}, [0.9], **path)[0].values == ("ache",)
    assert stats.radii({"pain": 5, "ache": 1, "colic": 2}, [0.9], **path)[0].values == ("colic", "ache")


def test_days_and_moments() -> None:
    days = [date(2024, 3, 1), date(2024, 3, 3), None, date(2024, 3, 5)]
    assert stats.mean(days).value == date(2024, 3, 3)
    assert stats.variance(days) == pytest.approx(np.var([1, 3, 5]))
    assert stats.quantiles(days, [0.5]) == [date(2024, 3, 3)]
    noon = pd.Series(pd.to_datetime(["2024-03-01 00:00", "2024-03-02 00:00", None]))
    assert stats.mean(noon).value == datetime(2024, 3, 1, 12)
    east, west = (timezone(timedelta(hours=hours)) for hours in (2, -4))
    abroad = [datetime(2024, 3, 1, 2, tzinfo=east), datetime(2024, 3, 1, 20, tzinfo=west)]
    assert stats.mean(abroad).value == datetime(2024, 3, 1, 12, tzinfo=UTC)
    assert stats.covariance(days, [1, 2, 9, 3]) == pytest.approx(
        np.cov([1, 3, 5], [1, 2, 3], bias=True)[0, 1]
    )


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: stats.mean([]), "there is no value"),
        (lambda: stats.mean([None, float("nan")]), "there is no value"),
        (lambda: stats.mean("ache"), "str is not a column"),
        (lambda: stats.mean(["ache", 3], ontology=TREE), "'ache' is a word and 3 is not"),
        (lambda: stats.mean(["zzz"], ontology=TREE), "zzz"),
        (lambda: stats.mean([date(2024, 3, 1), 3]), r"date\(2024, 3, 1\) is a day and 3 is not"),
        (lambda: stats.mean([["ache", "colic"]], ontology=TREE), "several values"),
        (lambda: stats.mean([1, 2], scaling="wide"), "balanced or published, not 'wide'"),
        (lambda: stats.mean([float("inf")]), "neither a word nor a number nor a day"),
        (lambda: stats.mean({"ache": 1.5}, ontology=TREE), "whole number"),
        (lambda: stats.mean({"ache": -1}, ontology=TREE), "whole number"),
        (lambda: stats.quantiles(["ache"]), "words have no order.*use radii"),
        (lambda: stats.mean(["ache"], ontology=None), "'ache' is a word, and no ontology says.*name one"),
        (lambda: stats.mean(pd.DataFrame({"a": [1]})), "DataFrame is a table, not a column.*one of its col"),
        (lambda: stats.mean(pl.DataFrame({"a": [1]})), "DataFrame is a table"),
        (lambda: stats.variance(pa.table({"a": [1]})), "Table is a table"),
        (lambda: stats.covariance(pd.DataFrame({"a": [1]}), [1]), "DataFrame is a table"),
        (lambda: stats.mean(pd.Series(WORDS).value_counts()), r"counts of the values.*to_dict\(\)"),
        (lambda: stats.mean(pd.Series(WORDS).value_counts(normalize=True)), "counts of the values"),
        (lambda: stats.quantiles([1, 2], [25]), "from 0 to 1, not 25"),
        (lambda: stats.covariance([1, 2], [1]), "2 and 1 values"),
        (lambda: stats.covariance([1, None], [None, 2]), "no record has a value in both"),
        (lambda: stats.describe(pa.table({"a": [1]}), om.Plan()), "explains no column"),
        (lambda: stats.describe(pa.table({"a": [1]}), om.Plan.from_options(["b"])), "no column 'b'"),
    ],
)
def test_what_cannot_be_described_is_said(call: Any, told: str) -> None:
    with pytest.raises(OntomaskError, match=told):
        call()


# ---------------------------------------------------------------------- of a table

PEOPLE = pa.table(
    {
        "age": [20, 30, 40, 30, None, 60],
        "symptom": [*WORDS[:4], None, "colic"],
        "grade": ["low", "low", "high", "mid", "low", "low"],
        "since": ["2024-03-01", "2024-03-03", "2024-03-05", "2024-03-03", "2024-03-03", "2024-03-03"],
        "ill": ["ache", "fever", "ache", "ache", "ache", "fever"],
        "name": list("abcdef"),
    }
)


@pytest.fixture
def plan(tmp_path: Path) -> om.Plan:
    (tmp_path / "symptoms.yaml").write_text("symptom:\n  pain: [ache, colic]\n  fever:\n", encoding="utf-8")
    return om.Plan.from_dict(
        {
            "attributes": {
                "age": {"role": "quasi-identifier", "kind": "numeric"},
                "symptom": {"role": "quasi-identifier", "ontology": "symptoms.yaml"},
                "grade": {"role": "quasi-identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
                "since": {"role": "confidential", "kind": "date"},
                "ill": {"role": "confidential", "ontology": "symptoms.yaml"},
                "name": {"role": "identifier"},
            },
            "privacy": {"k": 2},
            "missing": "error",
        },
        folder=tmp_path,
    )


def test_a_table_is_described_as_its_columns_are(plan: om.Plan) -> None:
    found = stats.describe(PEOPLE, plan, internal=True)
    age, symptom, grade, since, ill = found.columns
    words = PEOPLE["symptom"].to_pylist()
    assert (age.n, age.missing, age.distinct, age.mean, age.number) == (5, 1, 4, 36, 36)
    assert age.variance == pytest.approx(np.var([20, 30, 40, 30, 60]))
    assert [one.values for one in age.spread] == [(30,), (30,), (40,)]
    assert (symptom.n, symptom.missing, symptom.mean) == (5, 1, stats.mean(words, ontology=TREE).value)
    assert symptom.variance == pytest.approx(stats.variance(words, ontology=TREE))
    assert [(one.share, one.at) for one in symptom.spread] == [
        (one.share, one.distance) for one in stats.radii(words, ontology=TREE)
    ]
    assert (grade.mean, grade.number) == ("low", 0.5)
    assert (since.mean, since.variance) == ("2024-03-03", pytest.approx(np.var([1, 3, 5, 3, 3, 3])))
    assert ill.mean == "ache"
    pair = next(one for one in found.pairs if (one.first, one.second) == ("age", "symptom"))
    ages = PEOPLE["age"].to_pylist()
    assert pair.n == 5
    assert pair.covariance == pytest.approx(stats.covariance(ages, words, ontology=TREE))
    assert pair.correlation == pytest.approx(stats.correlation(ages, words, ontology=TREE))
    both = [(x, y) for x, y in zip(ages, words, strict=True) if x is not None and y is not None]
    middle, m = np.mean([x for x, _ in both]), plain_m([word for _, word in both], TREE)
    roots = [abs(x - middle) for x, _ in both], [math.sqrt(one) for one in m]
    spread = math.sqrt(np.mean(np.square(roots[0])) * np.mean(m))
    assert pair.unrelated == pytest.approx(np.mean(roots[0]) * np.mean(roots[1]) / spread)
    matrix = stats.covariance_matrix(PEOPLE, plan)
    assert matrix.columns == ("age", "symptom", "grade", "since", "ill")
    assert matrix.values[0, 1] == matrix.values[1, 0] == pytest.approx(pair.covariance)
    assert matrix.values.diagonal() == pytest.approx([one.variance for one in found.columns])


def test_unrelated_columns_have_the_correlation_that_is_told() -> None:
    """Every word beside every number, so that neither tells of the other."""
    words, numbers = ["ache", "ache", "fever", "colic"], [1, 2, 9]
    table = pa.table(
        {"w": [w for w in words for _ in numbers], "n": [n for _ in words for n in numbers], "k": [*"ab"] * 6}
    )
    plan = om.Plan.from_options(["w:wordnet", "n:numeric"], k=2)
    (pair,) = stats.describe(table, plan).pairs
    assert pair.correlation == pytest.approx(pair.unrelated)
    assert 0.5 < pair.unrelated < 1


def test_nothing_is_told_of_fewer_than_k(plan: om.Plan) -> None:
    table = pa.table(
        {
            "age": [20, 30, 40, 50, 61, 97, *[None] * 4],
            "symptom": ["ache"] * 3 + ["fever"] * 3 + ["colic", "pain", None, None],
            "grade": ["low"] * 8 + ["mid", "high"],
            "since": ["2024-03-01", "2024-03-07", *[None] * 8],
            "ill": ["ache"] * 9 + ["colic"],
            "name": list("abcdefghij"),
        }
    )
    asked = plan.replace(privacy={"k": 3})
    found = stats.describe(table, asked)
    age, symptom, grade, since, ill = found.columns
    assert [one.at for one in age.spread] == [30, 50.33, 69.33]
    assert all(set(one.values) <= {"ache", "fever"} for one in symptom.spread)
    words = [word for word in table["symptom"].to_pylist() if word is not None]
    centre = stats.mean(words, ontology=TREE).value
    far = sorted(TREE.distance(centre, word, "logsc") for word in words)
    of_three = [sum(far[first : first + 3]) / 3 for first in (1, 3, 5)]
    assert [one.at for one in symptom.spread] == [float(f"{one:.4g}") for one in of_three]
    assert symptom.mean is None or symptom.mean in ("ache", "fever")
    assert [one.values for one in ill.spread] == [("ache",)] * 3
    assert all(set(one.values) <= {"low"} for one in grade.spread)
    assert (since.n, since.mean, since.number, since.variance, since.spread) == (2, None, None, None, ())
    assert all(one.covariance is None for one in found.pairs if "since" in (one.first, one.second))
    told = str(found)
    assert "colic" not in told
    assert "97" not in told
    assert "2024" not in told
    assert "colic" in str(stats.describe(table, asked, internal=True))


def test_a_radius_and_the_words_beside_it_are_of_the_same_people() -> None:
    words = ["dog"] * 15 + ["cat"] * 6
    plan = om.Plan.from_options(["pet:wordnet"], k=6)
    (pet,) = stats.describe(pa.table({"pet": words}), plan).columns
    apart = stats.describe(pa.table({"pet": words}), plan, internal=True).columns[0].spread[2]
    assert (pet.mean, apart.values) == ("dog", ("cat",))  # the 16th of 21, counted from 0, is a cat
    # Six people from the 13th on: two dogs and four cats.
    assert pet.spread[2].at == float(f"{4 * apart.at / 6:.4g}")
    assert pet.spread[2].values == ("dog", "cat")
    assert [(one.at, one.values) for one in pet.spread[:2]] == [(0, ("dog",))] * 2


def test_nobody_is_the_difference_of_two_figures() -> None:
    """Of 40 people one has no age: who knows the pay of all and of the other 39 knows that one's."""
    rng = np.random.default_rng(4)
    ages: list[int | None] = rng.integers(20, 80, 40).tolist()
    pays = rng.normal(3000, 400, 40).round(2).tolist()
    orders = ["age:numeric", "pay:numeric"], ["pay:numeric", "age:numeric"]
    plans = [om.Plan.from_options(order, k=5).replace(missing="own-class") for order in orders]
    for lacking, is_told in ((0, True), (1, False), (4, False), (5, True)):
        table = pa.table({"age": [None] * lacking + ages[lacking:], "pay": pays})
        for plan in plans:
            (pair,) = stats.describe(table, plan).pairs
            assert (pair.covariance is not None) == (pair.correlation is not None) == is_told
            assert (pair.unrelated is not None) == is_told
            (inside,) = stats.describe(table, plan, internal=True).pairs
            assert inside.n == 40 - lacking and inside.covariance is not None
        page = Html(render_report(om.anonymize(table, plans[0])))
        (row,) = [row for row in page.texts("tr") if row.startswith("age and pay")]
        assert ("–" not in row) == is_told


def test_figures_for_others_have_four_digits() -> None:
    pays = [31234.567 + 17 * i * i for i in range(12)]
    born = [date(1980, 1, 1) + timedelta(days=31 * i) for i in range(12)]
    table = pa.table({"pay": pays, "born": [day.isoformat() for day in born], "job": ["cook", "nurse"] * 6})
    plan = om.Plan.from_options(["pay:numeric", "born:date", "job:wordnet"], k=5)
    outside, inside = (stats.describe(table, plan, internal=internal) for internal in (False, True))
    pay, days, job = outside.columns
    assert pay.number == float(f"{np.mean(pays):.4g}") != inside.columns[0].number
    assert pay.variance == float(f"{np.var(pays):.4g}") != inside.columns[0].variance
    assert all(one.at == float(f"{one.at:.4g}") for one in (*pay.spread, *job.spread))
    assert job.variance == float(f"{inside.columns[2].variance:.4g}")
    assert days.number == int(inside.columns[1].number) < inside.columns[1].number
    assert days.mean == inside.columns[1].mean
    for told, exact in zip(outside.pairs, inside.pairs, strict=True):
        assert told[3:] == tuple(float(f"{figure:.4g}") for figure in exact[3:])
    page = Html(render_report(om.anonymize(table, plan)))
    (row,) = [row for row in page.texts("tr") if row.startswith("pay mean")]
    assert row.startswith(f"pay mean {float(f'{np.mean(pays):.4g}'):,.0f} ")


@pytest.mark.parametrize(("others", "is_told"), [(24, False), (40, True)])
def test_rows_of_one_person_are_not_told_for_those_of_k(others: int, is_told: bool) -> None:
    """Six rows are of one person; 33 rows are of five at least, as nobody has more than eight."""
    who = ["a"] * 6 + [f"p{i}" for i in range(others)]
    table = pa.table(
        {"who": who, "pet": ["lion"] * 6 + ["dog"] * others, "pay": [999.0] * 6 + [*range(others)]}
    )
    plan = om.Plan.from_options(["pet:wordnet", "pay:numeric"], k=5)
    by_person = plan.replace(privacy={"unit": "who"}, attributes={"who": {"role": "identifier"}})
    found = stats.describe(table, by_person)
    assert found.least == (5 - 1) * 8 + 1
    pet, pay = found.columns
    assert (pet.mean, pay.number is not None) == (("dog", True) if is_told else (None, False))
    assert "lion" not in str(found)
    page = render_report(om.anonymize(table, by_person))
    assert "lion: 6 before" not in page and ": 6 before" not in page
    assert (f"dog: {others} before" in page) == is_told
    apart = pa.table({"who": [*map(str, range(len(who)))], "pet": table["pet"], "pay": table["pay"]})
    assert stats.describe(apart, by_person).columns == stats.describe(table, plan).columns


def test_weighted_tuples_are_the_same_as_records(plan: om.Plan) -> None:
    tables = PEOPLE, pa.concat_tables([PEOPLE] * 3)
    once, thrice = (stats.describe(table, plan, scaling="published", internal=True) for table in tables)
    for one, three in zip(once.columns, thrice.columns, strict=True):
        grown = 3 if one.name in ("symptom", "ill") else 1
        assert three.variance == pytest.approx(grown * one.variance)
    for one, three in zip(once.pairs, thrice.pairs, strict=True):
        assert three.correlation == pytest.approx(one.correlation)
        assert three.unrelated == pytest.approx(one.unrelated)


# ---------------------------------------------------------------------- the command


def described(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["ontomask", "describe", "people.csv", "--plan", "plan.yaml", *options])
        try:
            main()
        except SystemExit as stop:
            said = capsys.readouterr()
            return int(stop.code or 0), said.out, said.err
    raise AssertionError


def test_describe_prints_words_and_numbers_in_one_table(
    plan: om.Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    PEOPLE.to_pandas().to_csv("people.csv", index=False)
    Path("plan.yaml").write_text(plan.to_yaml(), encoding="utf-8")
    code, told, noted = described(capsys)
    assert code == 0
    assert [line.split()[0] for line in told.splitlines()[1:6]] == ["age", "symptom", "grade", "since", "ill"]
    assert re.search(r"^age +numeric +5 +1 +4 +36 ", told, re.MULTILINE)
    assert re.search(r"^age, symptom +5 ", told, re.MULTILINE)
    assert "--internal" in noted
    found = stats.describe("people.csv", "plan.yaml")
    assert json.loads(described(capsys, "--json")[1]) == json.loads(json.dumps(found.as_dict()))
    told = json.loads(described(capsys, "--json")[1])["columns"][0]
    assert (told["mean"], told["spread"][0]["values"]) == (36, [told["spread"][0]["at"]])
    in_full = described(capsys, "--internal", "--scaling", "published")
    variance = stats.variance(PEOPLE["symptom"], ontology=TREE, scaling="published")
    assert f"{variance:.4g}" in in_full[1]
    assert "--internal" not in in_full[2]
    assert described(capsys, "--scaling", "wide")[0] == 2


def test_it_says_that_it_compiles_only_where_its_own_loops_are_missing(
    plan: om.Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    PEOPLE.to_pandas().to_csv("people.csv", index=False)
    Path("plan.yaml").write_text(plan.to_yaml(), encoding="utf-8")
    assert "compiling" in described(capsys)[2]
    loop = _kernels.shared_subsumers.__name__
    (tmp_path / "cache" / "measures_1").mkdir(parents=True)
    (tmp_path / "cache" / "measures_1" / f"_kernels.{loop}-1.py311.nbi").touch()
    assert "compiling" not in described(capsys)[2]
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "none"))
    Path("plan.yaml").write_text(
        om.Plan.from_options(["age:numeric"], k=2, confidential=["ill"]).to_yaml(), encoding="utf-8"
    )
    assert "compiling" not in described(capsys)[2]
