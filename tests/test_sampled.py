"""A published sample, judged from Python and by the command: weights, fractions, SUDA."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.assessment import figures_of
from ontomask.assessment.sampled import check_sets_of_columns
from ontomask.cli import app
from ontomask.evaluation.sampling import SAMPLING, SPECIAL_UNIQUES
from ontomask.privacy import PopulationUniques, individual_risks
from ontomask.report import render_report
from privacy.practice_guide import COLUMNS, GLOBAL_RISK, PEOPLE

VALUES = sorted({getattr(one, name) for one in PEOPLE for name in COLUMNS})


@pytest.fixture
def plan(tmp_path: Path) -> om.Plan:
    """All values are different and none is like another."""
    (tmp_path / "values.json").write_text(json.dumps({"anything": VALUES}))
    return om.Plan.from_options([f"{name}:{tmp_path / 'values.json'}" for name in COLUMNS], k=2)


@pytest.fixture
def sample() -> pa.Table:
    return pa.table(
        {name: [getattr(one, name) for one in PEOPLE] for name in COLUMNS}
        | {"weight": [str(one.weight) for one in PEOPLE]}
    )


@pytest.fixture
def coarser(sample: pa.Table) -> pa.Table:
    """Nobody's education, and only whether they are employed."""
    work = [one.work if one.work == "employed" else "*" for one in PEOPLE]
    return sample.set_column(2, "education", pa.array(["*"] * 10)).set_column(3, "work", pa.array(work))


def test_figures_of_the_practice_guide_before(sample: pa.Table, coarser: pa.Table, plan: om.Plan) -> None:
    found = om.evaluate(sample, coarser, plan, weights="weight", suda=3)
    assert found["individual_risk_mean_before"] == pytest.approx(100 * GLOBAL_RISK, abs=5e-4)
    assert found["reidentifications_before"] == pytest.approx(10 * GLOBAL_RISK, abs=5e-5)
    assert round(found["individual_risk_max_before"], 2) == 2.90
    assert found["sampling_fraction"] == pytest.approx(100 * 10 / sum(one.weight for one in PEOPLE))
    assert (found["suda_max_before"], found["suda_mean_before"]) == (12, 34 / 10)
    assert found["special_uniques_before"] == 40
    assert found["suda_contribution_before.education"] == pytest.approx(100 * 22 / 34)


def test_figures_after_by_hand(sample: pa.Table, coarser: pa.Table, plan: om.Plan) -> None:
    """By residence, sex and employment: 180 180 | 76 76 | 186 | 215 180 186 76 | 215."""
    found = om.evaluate(sample, coarser, plan, weights="weight", suda=3)
    sizes, weights = np.array([2, 2, 1, 4, 1]), np.array([360.0, 152.0, 186.0, 657.0, 215.0])
    risks = individual_risks(sizes, weights)
    assert found["individual_risk_max"] == pytest.approx(100 * risks.max())
    assert found["reidentifications"] == pytest.approx(sizes @ risks)
    assert found["individual_risk_mean"] == pytest.approx(100 * sizes @ risks / 10)
    estimate = PopulationUniques.of(sizes, weights.sum())
    assert found["population_uniques"] == pytest.approx(100 * estimate.chosen / 10)
    assert found["population_uniques_zayatz"] == pytest.approx(100 * estimate.zayatz / 10)
    assert found["uniques_confirmed"] == pytest.approx(100 * estimate.chosen / 2)
    assert found["population_uniques_pitman"] is None
    # Rural singles one out (3 2 1); male and not employed another (2 1).
    assert (found["special_uniques"], found["suda_max"], found["suda_mean"]) == (20, 6, 8 / 10)
    assert found["suda_contribution.residence"] == pytest.approx(100 * 6 / 8)
    assert found["suda_contribution.work"] == pytest.approx(100 * 2 / 8)
    pi = 10 / weights.sum()
    dis, q = 2 * pi / (2 * pi + 4 * (1 - pi)), 1 + (8 - 4) / 20
    by_hand = [1 / (1 + 2 * (1 / dis - 1) / (s**q * (6**-q + 2**-q))) for s in (6, 2)]
    assert found["dis_suda_max"] == pytest.approx(100 * by_hand[0])
    assert found["dis_suda_mean"] == pytest.approx(100 * sum(by_hand) / 10)


def test_a_fraction_is_equal_weights(sample: pa.Table, coarser: pa.Table, plan: om.Plan) -> None:
    equal = sample.set_column(4, "weight", pa.array(["12.5"] * 10))
    by_weight = om.evaluate(equal, coarser, plan, weights="weight", suda=2)
    by_fraction = om.evaluate(sample, coarser, plan, sampling_fraction=0.08, suda=2)
    for figure in (*SAMPLING.figures, *SPECIAL_UNIQUES.figures):
        name = figure.name.replace(".A", ".work")
        assert by_weight[name] == pytest.approx(by_fraction[name]), name


def test_suda_without_a_fraction_takes_a_tenth(sample: pa.Table, coarser: pa.Table, plan: om.Plan) -> None:
    found = om.evaluate(sample, coarser, plan, suda=3)
    assert "individual_risk_max" not in found
    tenth = om.evaluate(sample, coarser, plan, suda=3, sampling_fraction=0.1)
    assert found["dis_suda_max_before"] == tenth["dis_suda_max_before"] > 0


def test_suppressed_records_stand_for_people_too(sample: pa.Table, plan: om.Plan) -> None:
    """Nine of ten records of 100 people: the population of the release is still 100."""
    named = sample.append_column("id", pa.array([f"p{i}" for i in range(10)]))
    fewer = named.take([*range(4), *range(5, 10)])
    found = om.evaluate(named, fewer, plan, key="id", sampling_fraction=0.1, suda=3)
    assert found["suppressed"] == 1 and found["sampling_fraction"] == pytest.approx(10)
    estimate = PopulationUniques.of(np.array([2, 1, 2, 1, 1, 2]), 100)
    assert found["population_uniques_zayatz"] == pytest.approx(100 * estimate.zayatz / 9)


def test_a_release_without_unique_people_is_certain(sample: pa.Table, plan: om.Plan) -> None:
    everything = sample
    for at, name in enumerate(COLUMNS):
        everything = everything.set_column(at, name, pa.array(["*"] * 10))
    found = om.evaluate(sample, everything, plan, sampling_fraction=0.2, suda=3)
    names = ("population_uniques", "population_uniques_snb", "special_uniques", "suda_max", "dis_suda_max")
    assert [found[name] for name in names] == [0] * 5
    assert found["uniques_confirmed"] is None and found["suda_contribution.work"] is None


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"weights": "wieght"}, "no column 'wieght'; did you mean 'weight'"),
        ({"weights": "work"}, "column 'work': 'employed' is no sampling weight, which is a number above 0"),
        ({"weights": "weight", "sampling_fraction": 0.1}, "weights say which part"),
        ({"sampling_fraction": 1.5}, "a sampling fraction is more than 0 and at most 1, not '1.5'"),
        ({"sampling_fraction": 0}, "a sampling fraction is more than 0"),
        ({"suda": 0}, "SUDA looks at sets of 1 column or more, not 0"),
    ],
)
def test_what_cannot_be_is_said(sample: pa.Table, plan: om.Plan, asked: Any, message: str) -> None:
    with pytest.raises(om.OntomaskError, match=message):
        om.evaluate(sample, sample, plan, **asked)


@pytest.mark.parametrize("weight", ["0", "-3", "inf", "nan", "1,5", "a"])
def test_a_weight_that_is_none_is_named_to_its_owner_only(
    sample: pa.Table, plan: om.Plan, weight: str
) -> None:
    wrong = sample.set_column(4, "weight", pa.array([weight, *["2"] * 9]))
    with pytest.raises(om.OntomaskError, match="is no sampling weight") as found:
        om.evaluate(wrong, wrong, plan.replace(table={"na_values": ["none"]}), weights="weight")
    assert repr(weight) in str(found.value) and repr(weight) not in str(found.value.without_values())
    missing = sample.set_column(4, "weight", pa.array([None, *["2"] * 9]))
    with pytest.raises(om.OntomaskError, match="column 'weight': has a record without a sampling weight"):
        om.evaluate(missing, missing, plan, weights="weight")


def test_sets_of_columns_that_are_too_many_are_refused() -> None:
    check_sets_of_columns(3, 40)
    with pytest.raises(om.OntomaskError, match="sets of at most 10 of 40 columns"):
        check_sets_of_columns(10, 40)


def test_the_command(sample: pa.Table, coarser: pa.Table, plan: om.Plan, tmp_path: Path) -> None:
    for name, table in (("sample.csv", sample), ("coarser.csv", coarser)):
        csv.write_csv(table, tmp_path / name)
    (tmp_path / "plan.yaml").write_text(plan.to_yaml())
    files = [str(tmp_path / name) for name in ("sample.csv", "coarser.csv")]
    command = [
        "evaluate",
        *files,
        "--plan",
        str(tmp_path / "plan.yaml"),
        "--weights",
        "weight",
        "--suda",
        "3",
    ]
    told = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    asked = om.evaluate(*files, plan, weights="weight", suda=3)
    assert told == json.loads(json.dumps(asked))
    shown = CliRunner().invoke(app, command).output
    assert "mean individual risk before (%)" in shown and "suda_contribution.residence" in shown


def test_the_report_of_a_run_tells_of_the_sample(tmp_path: Path) -> None:
    csv.write_csv(pa.table({"age": [str(20 + i % 7) for i in range(30)]}), tmp_path / "people.csv")
    names = [str(tmp_path / name) for name in ("people.csv", "release.csv", "report.html")]
    command = ["anonymize", names[0], "--qi", "age:numeric", "-k", "2", "-o", names[1]]
    alone = CliRunner().invoke(app, [*command, "--suda", "1"])
    assert "are for the report; name one by --report" in str(alone.exception)
    wrong = CliRunner().invoke(app, [*command, "--fraction", "5", "--report", names[2]])
    assert "at most 1, not '5.0'" in str(wrong.exception) and not (tmp_path / "release.csv").exists()
    done = CliRunner().invoke(app, [*command, "--fraction", "0.05", "--suda", "1", "--report", names[2]])
    assert done.exit_code == 0, done.output
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Mean individual risk, before" in page and "Mean DIS-SUDA" in page


def test_the_report_tells_of_the_sample() -> None:
    people = pa.table({"age": [str(20 + i % 7) for i in range(30)] + ["80"]})
    release = om.anonymize(people, om.Plan.from_options(["age:numeric"], k=2))
    page = render_report(release, figures_of(release, sampling_fraction=0.05, suda=1))
    for title in ("Highest individual risk, before", "Unique in the population", "Mean DIS-SUDA"):
        assert title in page
    assert "Highest individual risk" not in render_report(release)
