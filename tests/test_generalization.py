"""Generalising methods from plan to file: hierarchies named, built or chosen, rows left out, true values."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask import datasets
from ontomask.assessment import figures_of
from ontomask.cli import main
from ontomask.errors import InternalError
from ontomask.methods import METHODS
from ontomask.pipeline import mask, prepare
from ontomask.verification import check_true

GENERALISING = [name for name, kind in METHODS.items() if kind.has_hierarchies]
JOBS = ["surgeon", "nurse", "nun", "pilot", "surgeon", "nurse", "driver", "teacher", "cook", "surgeon"] * 3
AGES = [str(20 + (7 * i) % 45) for i in range(30)]


def people() -> pa.Table:
    return pa.table({"job": JOBS, "age": AGES})


def plan(method: str, **privacy: Any) -> om.Plan:
    made = om.Plan.from_options(["job:wordnet", "age:numeric"], method=method)
    return made.replace(privacy={"k": 3} | privacy)


@pytest.mark.parametrize("method", GENERALISING)
def test_a_method_without_hierarchies_in_the_plan_builds_them(method: str) -> None:
    release = om.anonymize(people(), plan(method))
    rows = release.to_arrow().to_pylist()
    assert min(Counter((row["job"], row["age"]) for row in rows).values()) >= 3
    assert release.figures["suppressed"] == 0
    wordnet, links = om.load_ontology("wordnet"), release.columns[0].links
    assert links is not None
    for job, age, row in zip(JOBS, AGES, rows, strict=True):
        assert row["job"] == job or wordnet.is_below(links[job].concept, wordnet.concept(row["job"]))[0]
        low, _, high = row["age"].partition("-")
        assert row["age"] == "*" or int(low) <= int(age) <= int(high or low)


@pytest.mark.parametrize("method", ["datafly", "incognito"])
def test_rows_are_left_out_as_far_as_the_plan_allows(method: str) -> None:
    cells = ["surgeon"] * 9 + ["nurse"] * 9 + ["pilot", "nun"]
    asked = om.Plan.from_options(["job:wordnet"], k=3, method=method)
    strict = om.anonymize(pa.table({"job": cells}), asked)
    assert strict.figures["suppressed"] == 0
    loose = om.anonymize(pa.table({"job": cells}), asked.replace(privacy={"suppress": "10%"}))
    assert loose.figures["suppressed"] == 2
    assert loose.to_arrow().column("job").to_pylist() == cells[:18]
    assert "2 of 20 rows were dropped" in loose.notes
    less = om.anonymize(pa.table({"job": cells}), asked.replace(privacy={"suppress": "9.9%"}))
    assert less.figures["suppressed"] == 0  # 1.98 rows are one, and two would have to go


def test_the_share_of_rows_is_counted_exactly() -> None:
    """29 % of 100 rows are 29, though 0.29 * 100 is a little less."""
    cells = ["surgeon"] * 71 + ["nurse", "pilot", "nun"] + ["cook"] * 26
    asked = om.Plan.from_options(["job:wordnet"], k=27, method="datafly").replace(privacy={"suppress": "29%"})
    assert om.anonymize(pa.table({"job": cells}), asked).figures["suppressed"] == 29


def test_suppression_is_not_asked_how_much_it_may_leave_out() -> None:
    with pytest.raises(om.OntomaskError, match="suppress: suppression leaves out whatever it must"):
        plan("suppression", suppress="2%")
    assert plan("datafly", suppress="2%").with_method("suppression").privacy.suppress == 0
    assert plan("datafly", suppress="2%").with_method("sa-mdav").privacy.suppress == 0.02


def test_an_untrue_value_is_never_written() -> None:
    asked = plan("datafly")
    prepared = prepare(people(), asked)
    masking = mask(prepared, asked)
    job = masking.attributes[0]
    masking.values[:, 0] = job.own[0]  # everybody the first of all jobs
    with pytest.raises(InternalError, match="values of 'job' would not be true"):
        check_true(masking, prepared.tuples)


@pytest.mark.parametrize("method", GENERALISING)
def test_missing_values_stay_missing_or_become_anything(method: str) -> None:
    cells = ["surgeon", "nurse", None, None, None, "nun", "pilot", None, "cook"]
    release = om.anonymize(
        pa.table({"job": cells}), om.Plan.from_options(["job:wordnet"], k=3, method=method)
    )
    after = release.to_arrow().column("job").to_pylist()
    for before, now in zip(cells, after, strict=True):
        assert now is not None or before is None
        assert before is not None or now in (None, "*")


def test_a_comparison_of_both_kinds_of_methods() -> None:
    found = om.compare(people(), plan("sa-mdav"), ["sa-mdav", "datafly", "best-first"], [3])
    assert [row["method"] for row in found.rows] == ["sa-mdav", "datafly", "best-first"]
    assert all(row["k_reached"] >= 3 for row in found.rows)


def test_candidates_are_ranked_before_anything_is_masked(tmp_path: Path) -> None:
    values = sorted(set(JOBS))
    (tmp_path / "good.csv").write_text("".join(f"{v};worker;person\n" for v in values))
    (tmp_path / "bad.csv").write_text("".join(f"{v};plant;entity\n" for v in values))
    asked = plan("datafly").replace(attributes={"job": {"hierarchy": ["bad.csv", "good.csv"]}})
    asked = om.Plan.from_dict(asked.as_dict(only_given=True), folder=tmp_path)
    release = om.anonymize(people(), asked)
    assert any("of 2 hierarchies good was used (GSL by logsc: bad 0." in note for note in release.notes)
    assert {row["job"] for row in release.to_arrow().to_pylist()} <= {*values, "worker", "person"}
    assert release.manifest["hierarchies"] == {"job": ["bad.csv", "good.csv"]}


def test_every_figure_of_a_run_is_that_of_the_written_file(tmp_path: Path) -> None:
    source, target = tmp_path / "people.csv", tmp_path / "release.csv"
    with source.open("w", newline="") as file:
        csv.writer(file).writerows([("job", "age"), *zip(JOBS, AGES, strict=True)])
    for method in GENERALISING:
        asked = plan(method)
        release = om.anonymize(source, asked)
        release.write(target)
        run, judged = figures_of(release), om.evaluate(source, target, asked)
        for name in (
            "ncp",
            "gen_iloss",
            "prec",
            "granularity",
            "semantic_loss",
            "sse",
            "srl",
            "mrl",
            "query_error",
        ):
            assert judged[name] == pytest.approx(run[name]), (method, name)


def test_the_command_takes_hierarchies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "people.csv", tmp_path / "out" / "release.csv"
    target.parent.mkdir()
    with source.open("w", newline="") as file:
        csv.writer(file).writerows([("job", "age"), *zip(JOBS, AGES, strict=True)])
    (tmp_path / "jobs.csv").write_text("".join(f"{v};any job\n" for v in sorted(set(JOBS))))
    words = [
        "anonymize",
        source,
        "-o",
        target,
        "--qi",
        "job",
        "--qi",
        "age:numeric",
        "-k",
        "3",
        "--method",
        "incognito",
        "--hierarchy",
        f"job:{tmp_path / 'jobs.csv'}",
        "--set",
        "attributes.age.hierarchy.width=10",
        "--set",
        "privacy.suppress=10%",
        "--report",
        target.with_name("report.html"),
        "--json",
    ]
    monkeypatch.setattr("sys.argv", ["ontomask", *map(str, words)])
    with pytest.raises(SystemExit) as stopped:
        main()
    said = capsys.readouterr()
    assert stopped.value.code == 0, said.err
    assert json.loads(said.out)["figures"]["k_reached"] >= 3
    rows = list(csv.DictReader(target.open()))
    assert {row["job"] for row in rows} <= {*JOBS, "any job"}
    assert "Hierarchies" in target.with_name("report.html").read_text()


def test_the_report_draws_the_tree_without_values_that_few_have() -> None:
    from ontomask.report import render_report

    cells = ["surgeon"] * 4 + ["nurse"] * 4 + ["astronomer", "nun", "nun"]
    asked = om.Plan.from_options(["job:wordnet"], k=3, method="best-first")
    release = om.anonymize(pa.table({"job": cells}), asked)
    page = render_report(release)
    section = page[page.index('<section id="hierarchies"') :]
    section = section[: section.index("</section>")]
    assert "surgeon" in section and "nurse" in section and "released" in section
    assert "astronomer" not in page and "2 of 4 values are not shown" in section
    internal = render_report(release, internal=True)
    assert "astronomer" in internal


@pytest.mark.parametrize("method", GENERALISING)
@pytest.mark.parametrize("sample", ["survey", "patients"])
def test_the_bundled_samples(method: str, sample: str) -> None:
    asked = om.Plan.load(datasets.path(f"{sample}.yaml")).with_method(method)
    release = om.anonymize(datasets.path(f"{sample}.csv"), asked)
    assert release.figures["k_reached"] >= release.figures["k_asked"]


def test_a_mapped_word_names_nobody_else(tmp_path: Path) -> None:
    """Somebody mapped *quack* to *doctor*: no surgeon may be called so."""
    (tmp_path / "mapping.csv").write_text("value,concept\nquack,doctor.n.01\n")
    cells = ["quack", "surgeon", "cardiologist", "quack", "surgeon", "cardiologist"]
    for method in GENERALISING:
        asked = om.Plan.from_options(["x:wordnet"], k=6, method=method, mapping=["x:mapping.csv"])
        asked = om.Plan.from_dict(asked.as_dict(only_given=True), folder=tmp_path)
        release = om.anonymize(pa.table({"x": cells}), asked)
        assert {*release.to_arrow().column("x").to_pylist()} == {"doctor"}


def test_a_text_is_one_value_of_the_release(tmp_path: Path) -> None:
    """RN and R.N., few each, are spelt *nurse* by the ontology, which is the label of another branch."""
    (tmp_path / "mapping.csv").write_text("value,concept\nRN,nurse.n.01\nR.N.,nurse.n.01\n")
    (tmp_path / "jobs.csv").write_text(
        "RN;registered;*\nR.N.;registered;*\nmidwife;nurse;*\ndentist;nurse;*\n"
    )
    cells = ["RN"] * 2 + ["R.N."] * 2 + ["midwife"] * 2 + ["dentist"] * 2
    asked = om.Plan.from_dict(
        {
            "attributes": {
                "x": {
                    "role": "quasi-identifier",
                    "ontology": "wordnet",
                    "mapping": "mapping.csv",
                    "hierarchy": "jobs.csv",
                }
            },
            "privacy": {"k": 4},
            "method": {"name": "best-first"},
        },
        folder=tmp_path,
    )
    table = pa.table({"x": cells})
    release = om.anonymize(table, asked)
    after = release.to_arrow()
    assert len({*after.column("x").to_pylist()}) == release.figures["classes"] == 2
    judged = om.evaluate(table, after, asked)
    for name, value in figures_of(release).items():
        if isinstance(value, float):
            assert judged[name] == pytest.approx(value), name


@pytest.mark.parametrize("method", ["sa-mdav", *GENERALISING])
def test_confidential_columns_are_counted_over_the_classes_of_the_file(method: str) -> None:
    """An independent count of l and t, where labels of the hierarchy are words of the ontology too."""
    ill = ["flu", "cold", "flu", "flu", "cold", "gout"] * 5
    asked = plan(method).replace(
        attributes={"ill": {"role": "confidential"}, "job": {"hierarchy": {"levels": 3}}}
    )
    release = om.anonymize(people().append_column("ill", pa.array(ill)), asked)
    rows = release.to_arrow().to_pylist()
    found = figures_of(release)
    classes: dict[Any, list[str]] = {}
    for row in rows:
        classes.setdefault((row["job"], row["age"]), []).append(row["ill"])
    assert found["l_distinct.ill"] == min(len(set(some)) for some in classes.values())
    whole = Counter(ill)
    apart = [
        sum(abs(Counter(some)[v] / len(some) - whole[v] / len(ill)) for v in whole) / 2
        for some in classes.values()
    ]
    assert found["t_equal.ill"] == pytest.approx(max(apart))


def test_codes_need_no_ontology() -> None:
    zips = ["12345", "12399", "12745", "99", "12345", "99", "12345", "12345"]
    attributes = {"zip": {"role": "quasi-identifier", "hierarchy": {"by": "prefix"}}}
    asked = om.Plan.from_dict(
        {"attributes": attributes, "privacy": {"k": 2}, "method": {"name": "best-first"}}
    )
    release = om.anonymize(pa.table({"zip": zips}), asked)
    after = release.to_arrow().column("zip").to_pylist()
    assert after == ["12345", "12***", "12***", "99", "12345", "99", "12345", "12345"]
    assert release.manifest["ontologies"] == {}


def released_codes(codes: list[str], k: int, **asked: object) -> list[str]:
    """What is written for codes whose hierarchy is that of their first characters."""
    column = {"role": "quasi-identifier", "hierarchy": {"by": "prefix"}} | asked
    plan = om.Plan.from_dict({"attributes": {"zip": column}, "privacy": {"k": k}})
    found: list[str] = om.anonymize(pa.table({"zip": codes}), plan).to_arrow().column("zip").to_pylist()
    return found


def test_codes_by_their_first_characters_central_and_truthful() -> None:
    codes = ["28001", "28002", "28013", "08001", "08002", "08099"]
    assert released_codes(codes, 3, release="truthful") == ["280**"] * 3 + ["080**"] * 3
    assert released_codes(codes, 3, release="central") == ["280**"] * 3 + ["080**"] * 3
    steps = {"by": "prefix", "characters": [2]}
    assert released_codes(codes, 3, release="truthful", hierarchy=steps) == ["28***"] * 3 + ["08***"] * 3


@pytest.mark.parametrize(
    ("codes", "is_told"), [(["1067", "10115"] * 2, True), (["01067", "10115"] * 2, False)]
)
def test_codes_that_may_have_lost_zeros_are_told(codes: list[str], is_told: bool) -> None:
    column = {"role": "quasi-identifier", "hierarchy": {"by": "prefix"}, "release": "truthful"}
    plan = om.Plan.from_dict({"attributes": {"PLZ": column}, "privacy": {"k": 2}})
    told = "; ".join(om.anonymize(pa.table({"PLZ": codes}), plan).notes)
    assert ("4 or 5 digits" in told) == is_told
    assert ("4 or 5 digits" in om.init(pa.table({"PLZ": codes}))["PLZ"].advice) == is_told


@given(
    st.lists(st.text("012", min_size=3, max_size=3), min_size=4, max_size=24),
    st.sampled_from(["central", "truthful"]),
)
@settings(max_examples=40, deadline=None)
def test_codes_of_few_rows_are_never_written(codes: list[str], release: str) -> None:
    """Whatever stands for a group begins as k codes of the table do, or is the root."""
    written = released_codes(codes, 3, release=release)
    for before, after in zip(codes, written, strict=True):
        kept = after.rstrip("*")
        assert sum(code.startswith(kept) for code in codes) >= 3
        assert release == "central" or before.startswith(kept)
    assert min(Counter(written).values()) >= 3


def test_a_label_that_means_no_value_is_written_otherwise() -> None:
    asked = om.Plan.from_options(["age:numeric"], k=6, method="datafly", na_values=["", "*"])
    release = om.anonymize(pa.table({"age": ["1", "20", "300", "4000", "50000", "600000"]}), asked)
    assert {*release.to_arrow().column("age").to_pylist()} == {"(*)"}
