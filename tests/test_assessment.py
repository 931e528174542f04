"""Any two tables beside each other; methods side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.assessment import figures_of, warnings_of
from ontomask.assessment import warnings as warnings_module
from ontomask.assessment.warnings import pointing_columns
from ontomask.cli import app
from ontomask.errors import OntomaskError
from ontomask.tables import determining

PEOPLE = {
    "id": [f"p{i}" for i in range(12)],
    "hobby": [
        "fishing",
        "angling",
        "chess",
        "go",
        "go",
        "fishing",
        "tennis",
        "golf",
        "golf",
        "chess",
        "golf",
        "go",
    ],
    "age": ["31", "35", "40", "44", "52", "33", "36", "61", "64", "45", "66", "51"],
    "pay": ["low", "high", "low", "low", "high", "low", "low", "high", "low", "low", "high", "high"],
}
PLAN = om.Plan.from_dict(
    {
        "attributes": {
            "hobby": {"role": "quasi-identifier", "ontology": "wordnet"},
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "pay": {"role": "confidential"},
        },
        "others": "keep",
        "privacy": {"k": 3},
    }
)


@pytest.fixture
def people() -> pa.Table:
    return pa.table(PEOPLE)


GAPS = pa.table(
    {
        "id": PEOPLE["id"],
        "hobby": ["chess", "golf", "-", "chess", "golf", "-", "tennis", "chess", "-", "go", "golf", "chess"],
        "age": ["31", "99", "40", "31", "52", "33", "99", "61", "64", "45", "99", "51"],
        "pay": PEOPLE["pay"],
    }
)


@pytest.mark.parametrize("table", ["whole", "gaps"])
@pytest.mark.parametrize(
    "method",
    [
        {"name": "sa-mdav"},
        {"name": "s-mdav"},
        {"name": "resampling"},
        {"name": "recoding"},
        {"name": "mdav-lcs"},
        {"name": "suppression"},
        {"name": "suppression", "blank": True},
    ],
    ids=str,
)
def test_one_truth_for_figures(tmp_path: Path, method: dict[str, Any], table: str) -> None:
    """Run, report and `evaluate` of the written file agree in every figure, whatever means missing."""
    people = pa.table(PEOPLE) if table == "whole" else GAPS
    plan = PLAN.replace(
        method=method,
        table={"na_values": ["-", "99"] if table == "gaps" else [""]},
        attributes={"pay": {"role": "confidential", "kind": "ordinal", "order": ["low", "high"]}},
    )
    if method["name"] == "suppression":  # words alone, or nobody is kept
        plan = plan.replace(privacy={"k": 2}, attributes={"age": {"role": "other", "kind": None}})
    release = om.anonymize(people, plan)
    release.write(tmp_path / "r.parquet")
    key = None if release.data.n_rows == people.num_rows else "id"
    found = om.evaluate(people, tmp_path / "r.parquet", plan, key=key)
    told = figures_of(release)
    assert release.figures.items() <= told.items()
    assert told.keys() == found.keys()
    for name, value in told.items():
        if value is None or isinstance(value, bool):
            assert found[name] is value, name
        else:
            assert np.allclose(found[name], value, atol=1e-9), name
    assert found["k_reached"] >= found["k_asked"] and found["srl"] >= found["mrl"]


def test_nothing_masked_loses_nothing_and_hides_nobody(people: pa.Table) -> None:
    found = om.evaluate(people, people, PLAN)
    assert found["semantic_loss"] == found["sse"] == found["kl_divergence"] == 0
    assert found["srl"] == found["mrl"] == found["rl"] == found["linkage_before"] == 100
    assert found["srl_blind"] == pytest.approx(100 / 12)


def test_tables_of_other_tools(people: pa.Table) -> None:
    """Stars, ranges, and words that the original does not have."""
    masked = people.set_column(2, "age", pa.array(["30-49"] * 6 + ["[30, 69]"] * 6))
    masked = masked.set_column(1, "hobby", pa.array(["sport"] * 6 + ["*"] * 6))
    found = om.evaluate(people, masked, PLAN)
    assert (found["k_reached"], found["classes"]) == (6, 2)
    assert found["mrl"] == 0
    alone = om.evaluate(people, masked, PLAN, known=["hobby"])
    assert alone["srl"] >= alone["mrl"]


def test_rows_matched_by_a_key_in_any_order(people: pa.Table) -> None:
    turned = people.take(list(range(11, -1, -1)))
    assert om.evaluate(people, turned, PLAN, key="id")["semantic_loss"] == 0
    assert om.evaluate(people, turned, PLAN)["semantic_loss"] > 0
    fewer = om.evaluate(people, people.slice(0, 9), PLAN, key="id")
    assert fewer["suppressed"] == 3 and fewer["semantic_loss"] > 0


def test_the_intruder_may_know_another_ontology(people: pa.Table, tmp_path: Path) -> None:
    """To whom all hobbies are one, only ages tell people apart."""
    release = om.anonymize(people, PLAN).to_arrow()
    tree = tmp_path / "pastimes.yaml"
    tree.write_text("pastime: [reading]\n")
    same = om.evaluate(people, release, PLAN)
    other = om.evaluate(people, release, PLAN, attacker_ontology=str(tree))
    ages = om.evaluate(people, release, PLAN, known=["age"])
    assert other["srl"] == pytest.approx(ages["srl"]) and other["srl"] != pytest.approx(same["srl"])
    assert other["semantic_loss"] == same["semantic_loss"]  # only the attack changes


def test_a_word_that_nobody_knows_counts_as_the_most_general_concept(people: pa.Table) -> None:
    """Not as missing: it may be anything, but it is something."""
    strange = people.set_column(1, "hobby", pa.array(["zzqy"] * 12))
    root = people.set_column(1, "hobby", pa.array(["entity"] * 12))
    gone = people.set_column(1, "hobby", pa.array([""] * 12))
    found = [om.evaluate(people, table, PLAN)["semantic_loss.hobby"] for table in (strange, root, gone)]
    assert found[0] == found[1] < found[2] == 1


def test_an_unknown_attribute_of_the_intruder_is_named(people: pa.Table) -> None:
    with pytest.raises(om.OntomaskError, match="'hoby' is not a quasi-identifier of the plan; did you mean"):
        om.evaluate(people, people, PLAN, known=["hoby"])


def test_a_population_hides_people_better_than_the_sample(people: pa.Table) -> None:
    """Three times as many people as the sample has: every class stands for three times as many."""
    found = om.evaluate(people, people, PLAN, population=pa.concat_tables([people] * 3))
    assert (found["k_reached"], found["k_map"]) == (1, 3)
    assert found["journalist_max"] == pytest.approx(found["prosecutor_max"] / 3)
    without = om.evaluate(people, people, PLAN)
    assert "k_map" not in without and without["journalist_max"] == without["prosecutor_max"]


def test_task_utility_and_alpha_are_within_reach(people: pa.Table) -> None:
    found = om.evaluate(people, people, PLAN, clusters=True, target="pay", alpha=0.2)
    assert (found["partition_distance"], found["cluster_adjusted_rand"]) == (0, 1)
    assert found["accuracy_original"] == found["accuracy_masked"]
    assert found["score"] == pytest.approx(0.2 * found["information_loss"] + 0.8 * found["srl"])
    with pytest.raises(om.OntomaskError, match="alpha is a share"):
        om.evaluate(people, people, PLAN, alpha=2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.slice(0, 5), "12 rows and the masked table 5"),
        (lambda t: t.drop_columns(["age"]), "no column 'age'"),
        (
            lambda t: t.set_column(2, "age", pa.array(["old"] * 12)),
            "'old' of the masked table is neither",
        ),
    ],
)
def test_what_does_not_fit_is_said(people: pa.Table, change: object, message: str) -> None:
    with pytest.raises(OntomaskError, match=message):
        om.evaluate(people, change(people), PLAN)  # type: ignore[operator]


def test_a_key_must_be_one(people: pa.Table) -> None:
    with pytest.raises(OntomaskError, match="not a key"):
        om.evaluate(people, people, PLAN, key="pay")
    with pytest.raises(OntomaskError, match="'pay' is not a quasi-identifier"):
        om.evaluate(people, people, PLAN, known=["pay"])


def test_methods_side_by_side(people: pa.Table) -> None:
    rows = om.compare(people, PLAN, ["sa-mdav", "recoding", "suppression"], [2, 3]).rows
    # suppression leaves nobody here: everybody is unique
    assert [(row["method"], row["k_asked"]) for row in rows] == [
        (method, k) for method in ("sa-mdav", "recoding") for k in (2, 3)
    ]
    assert all(row["k_reached"] >= row["k_asked"] for row in rows)
    alone = om.anonymize(people, PLAN)
    assert rows[1]["sse"] == alone.figures["sse"]


def test_commands(people: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [",".join(PEOPLE), *[",".join(row) for row in zip(*PEOPLE.values(), strict=True)]]
    Path("people.csv").write_text("\n".join(lines) + "\n")
    Path("plan.yaml").write_text(PLAN.to_yaml())

    def run(line: str) -> Any:
        return CliRunner().invoke(app, line.split())

    made = run("anonymize people.csv --plan plan.yaml -o out.csv --report out.html --json")
    assert made.exit_code == 0, made.output
    assert Path("out.html").read_text().startswith("<!doctype html>")
    judged = run("evaluate people.csv out.csv --plan plan.yaml --json")
    figures = json.loads(judged.stdout)
    assert figures == json.loads(json.dumps(om.evaluate("people.csv", "out.csv", PLAN)))
    shown = run("evaluate people.csv out.csv --plan plan.yaml")
    assert "found by meaning, SRL (%)" in shown.output
    several = run("compare people.csv --plan plan.yaml --methods sa-mdav,recoding -k 2,3 -o cmp")
    assert several.exit_code == 0, several.output
    assert sorted(p.name for p in Path("cmp").iterdir()) == ["figures.csv", "figures.json", "report.html"]
    assert len(json.loads(Path("cmp/figures.json").read_text())) == 4


def test_closeness_uses_what_the_plan_says_of_a_confidential_column(
    people: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked = PLAN.replace(
        attributes={"pay": {"role": "confidential", "kind": "ordinal", "order": ["low", "high"]}}
    )
    release = om.anonymize(people, ranked).to_arrow()
    assert om.evaluate(people, release, ranked)["t_ordered.pay"] is not None
    meant = om.Plan.from_options(["age:numeric"], confidential=["hobby"], k=3, others="drop")
    meant = meant.replace(attributes={"hobby": {"role": "confidential", "ontology": "wordnet"}})
    found = om.evaluate(people, om.anonymize(people, meant).to_arrow(), meant)
    # like hobbies are closer than unlike ones, so meaning never makes a class look farther off
    assert 0 < found["t_semantic.hobby"] <= found["t_equal.hobby"]
    monkeypatch.setattr("ontomask.columns.further.MOST_VALUES", 1)  # all distances at once take too much
    found = om.evaluate(people, om.anonymize(people, meant).to_arrow(), meant)
    assert "t_semantic.hobby" not in found and found["t_equal.hobby"] > 0


def test_what_was_found_before_follows_what_the_intruder_knows(people: pa.Table) -> None:
    release = om.anonymize(people, PLAN).to_arrow()
    everything = om.evaluate(people, release, PLAN)["linkage_before"]
    only_hobby = om.evaluate(people, release, PLAN, known=["hobby"])["linkage_before"]
    assert (everything, only_hobby) == (100, pytest.approx(100 * 6 / 12))


def test_judging_releases_nothing_so_columns_need_no_name(people: pa.Table) -> None:
    plan = om.Plan.from_options(["age:numeric"], k=2)
    with pytest.raises(om.OntomaskError, match="nobody decided what becomes of"):
        om.anonymize(people, plan)
    assert om.evaluate(people, people, plan)["k_reached"] == 1


def test_figures_agree_under_own_words_for_nothing(people: pa.Table) -> None:
    """What a release writes for nothing is read back as nothing, and is no value of a confidential column."""
    from ontomask.assessment import figures_of

    plan = PLAN.replace(table={"na_values": ["99"]})
    age = ["99" if i % 4 == 0 else text for i, text in enumerate(PEOPLE["age"])]
    pay = ["99" if i % 3 == 0 else text for i, text in enumerate(PEOPLE["pay"])]
    table = people.set_column(2, "age", pa.array(age)).set_column(3, "pay", pa.array(pay))
    release = om.anonymize(table, plan)
    own, found = figures_of(release), om.evaluate(table, release.to_arrow(), plan)
    assert "99" not in release.to_arrow()["age"].to_pylist()
    for name in ("sse", "classes", "smallest_class", "l_distinct.pay", "t_equal.pay", "srl"):
        assert own[name] == pytest.approx(found[name]), name


def test_masked_rows_that_the_original_lacks_are_refused(people: pa.Table) -> None:
    """They would be classes of their own, and k would be told too high."""
    more = pa.concat_tables([people, people.slice(0, 1).set_column(0, "id", pa.array(["stranger"]))])
    with pytest.raises(om.OntomaskError, match="1 rows of the masked table have a 'id' that the original"):
        om.evaluate(people, more, PLAN, key="id")


def test_comparing_goes_on_where_a_k_cannot_be(people: pa.Table) -> None:
    told: list[Any] = []
    found = om.compare(people, PLAN, ["sa-mdav", "recoding"], [3, 50], progress=told.append)
    assert [row["k_asked"] for row in found.rows] == [3, 3]
    assert found.left_out == [("sa-mdav", 50), ("recoding", 50)] and told[-1].fraction > 0.5


def test_a_method_compared_is_the_method_run(people: pa.Table) -> None:
    """Medians are for methods that average; the others must not be judged by them."""
    plan = PLAN.replace(method={"centroid": "median"})
    found = om.compare(people, plan, ["sa-mdav", "recoding"], [3])
    for row in found.rows:
        alone = om.anonymize(people, plan.with_method(row["method"])).figures
        assert row["information_loss"] == pytest.approx(alone["information_loss"]), row["method"]


def test_huge_numbers_lose_too() -> None:
    table = pa.table({"x": ["1e60", "-1e60", "3", "4"]})
    plan = om.Plan.from_options(["x:numeric"], k=2)
    assert om.anonymize(table, plan).figures["information_loss"] > 1
    json.dumps(om.evaluate(table, table, plan), allow_nan=False)


def test_a_report_reads_confidential_columns_that_no_ontology_knows(people: pa.Table) -> None:
    plan = PLAN.replace(attributes={"pay": {"role": "confidential", "ontology": "wordnet"}})
    strange = people.set_column(3, "pay", pa.array(["zzqy", "low"] * 6))
    assert figures_of(om.anonymize(strange, plan))["l_distinct.pay"] >= 1


def test_risk_of_exactly_one_in_k_is_no_warning() -> None:
    """15 numbers in 3 runs of 5: SRL is 20 % but for rounding."""
    table = pa.table({"x": [f"{i}" for i in range(15)]})
    release = om.anonymize(table, om.Plan.from_options(["x:numeric"], k=5))
    assert not [w for w in warnings_of(release, figures_of(release)) if w.is_serious]


def test_of_a_very_large_table_columns_are_judged_by_their_names(
    people: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = people.append_column("e-mail", pa.array([f"p{i}@x.org" for i in range(12)]))
    release = om.anonymize(named, PLAN)
    monkeypatch.setattr(warnings_module, "MOST_ROWS", 5)
    monkeypatch.setattr(type(release.data), "distinct_of", lambda *_: pytest.fail("looked at all values"))
    assert list(pointing_columns(release)) == ["id", "e-mail"]


def test_columns_of_very_many_values_are_counted_and_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    import ibis

    people = many_people(
        code=[f"c{i}" for i in range(500)], e_mail=[f"m{i % 240}" for i in range(500)], ward=["a", "b"] * 250
    )
    plan = {
        "attributes": {"age": {"role": "quasi-identifier", "kind": "numeric"}},
        "others": "keep",
        "privacy": {"k": 5},
    }
    release = om.anonymize(ibis.memtable(people), plan)
    for module in (warnings_module, determining):
        monkeypatch.setattr(module, "MOST_VALUES", 100)
    honest, looked_at = type(release.source).counted_in, set[str]()

    def watched(self: Any, relation: Any, columns: Any, options: Any = None) -> Any:
        looked_at.update(columns)
        return honest(self, relation, columns, options)

    monkeypatch.setattr(type(release.source), "counted_in", watched)
    told = [one.text for one in warnings_of(release)]
    assert any("“code” is released as it is and may point at single people" in text for text in told)
    assert any("“e_mail” is released as it is and may point at single people" in text for text in told)
    assert looked_at == {"age", "ward"}


def many_people(**more: list[Any]) -> pa.Table:
    """500 people of two ages and, beside, columns that are released as they are."""
    return pa.table({"age": ["31", "62"] * 250, **more})


def rare_values_told(table: pa.Table, **more: Any) -> list[str]:
    attributes = {"age": {"role": "quasi-identifier", "kind": "numeric"}} | more
    plan = {"attributes": attributes, "others": "keep", "privacy": {"k": 5}}
    told = [one for one in warnings_of(om.anonymize(table, plan)) if "fewer than 5" in one.text]
    assert all(one.level == "warning" for one in told)
    assert all(one.name.startswith("rare values: ") for one in told)
    return [one.text for one in told]


def alone_told(ill: list[str], method: str = "sa-mdav", **settings: Any) -> list[str]:
    """Names of the warnings of 60 people by three, whose illness and ward are released as they are."""
    people = pa.table({"age": [f"{20 + i // 3}" for i in range(60)], "ill": ill, "ward": [*"aaabbb"] * 10})
    plan = om.Plan.from_options(["age:numeric"], confidential=["ill", "ward"]).with_method(method)
    plan = plan.replace(privacy={"k": 3 if plan.method.own.gives_k else None})
    release = om.anonymize(people, plan.replace(attributes={"ill": settings}) if settings else plan)
    told = [one for one in warnings_of(release) if one.name.startswith("alone with")]
    assert told == [one for one in warnings_of(release, figures_of(release)) if one in told]
    assert all(one.level == "warning" for one in told)
    return [one.name for one in told]


def test_warns_where_many_people_are_alone_with_a_confidential_word() -> None:
    fifth = ["flu", "burn", "cough"] * 4 + ["flu"] * 48  # 12 of 60
    more = ["flu", "burn", "cough"] * 5 + ["flu"] * 45
    assert alone_told(fifth) == [] and alone_told(more) == ["alone with: ill"]


def test_of_measurements_and_where_nothing_else_is_to_be_read_nobody_is_warned() -> None:
    numbers = [f"{i % 12 + 0.5}" for i in range(60)]
    assert alone_told(numbers, kind="numeric") == []
    steps = {"kind": "ordinal", "order": [f"{i + 0.5}" for i in range(12)]}
    assert alone_told(numbers, **steps) == ["alone with: ill"]
    words = ["flu", "burn", "cough"] * 20
    alone = pa.table({"age": [f"{20 + i // 3}" for i in range(60)], "ill": words})
    release = om.anonymize(alone, om.Plan.from_options(["age:numeric"], k=3, confidential=["ill"]))
    assert figures_of(release)["alone_if_known.ill"] == 100
    assert not [one for one in warnings_of(release) if one.name.startswith("alone with")]


def test_who_is_told_that_nothing_is_promised_needs_no_second_warning() -> None:
    assert alone_told(["flu", "burn", "cough"] * 20, method="rank-swapping") == []


def test_what_is_accepted_of_one_column_is_not_of_another() -> None:
    plan = {"attributes": {"age": {"role": "quasi-identifier", "kind": "numeric"}}, "others": "keep"}
    rare = ["flu"] * 496 + ["kuru"] * 4
    (one,) = (w.name for w in warnings_of(om.anonymize(many_people(a=rare), plan)) if "fewer" in w.text)
    (two,) = (
        w.name for w in warnings_of(om.anonymize(many_people(a=rare, b=rare), plan)) if "fewer" in w.text
    )
    assert (one, two) == ("rare values: a", "rare values: a, b")


def test_rare_values_of_columns_released_as_they_are_are_counted_and_not_named() -> None:
    disease = ["flu", "Flu "] * 248 + ["cold"] * 3 + ["kuru"]
    job = ["nurse"] * 490 + ["cook"] * 9 + ["bishop of Elmville"]
    (told,) = rare_values_told(
        many_people(disease=disease, job=job, ward=["A", "B"] * 250), disease={"role": "confidential"}
    )
    assert "4 rows of “disease”, 1 row of “job”" in told
    assert "kuru" not in told and "bishop" not in told and "ward" not in told
    for remedy in ("mask", "one word", "`rare: other`", "drop"):
        assert remedy in told.casefold()


def test_as_many_rows_as_k_and_rows_without_a_value_are_not_rare() -> None:
    assert not rare_values_told(many_people(disease=["flu"] * 494 + ["kuru"] * 5 + [None]))
    assert rare_values_told(many_people(disease=["flu"] * 496 + ["kuru"] * 4))


def test_rare_measurements_are_not_rare_words_but_rare_codes_are() -> None:
    pay = [f"{1000 + i % 240}" for i in range(500)]
    day = [f"2021-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(500)]
    assert not rare_values_told(many_people(pay=pay, admitted=day))
    assert "1 row of “thal”" in rare_values_told(many_people(thal=["3", "6"] * 249 + ["6", "7"]))[0]
    asked = {"role": "confidential", "kind": "numeric"}
    assert not rare_values_told(many_people(thal=["3"] * 499 + ["7"]), thal=asked)
    assert not rare_values_told(many_people(day=["2021-03-04"] * 499 + ["2021-03-05"]))


def test_a_rare_number_among_few_that_many_rows_have_is_told() -> None:
    dose = ["0.5"] * 200 + ["1.0"] * 150 + ["1.5"] * 149
    assert "1 row of “dose”" in rare_values_told(many_people(dose=[*dose, "7.5"]))[0]
    assert not rare_values_told(many_people(dose=[*dose, "1.5"]))
    half = ["0.5"] * 250 + ["1.0"] * 248 + ["7.5", "8.5"]  # as many are rare as are not
    assert not rare_values_told(many_people(dose=half))
    many = [f"{i}.5" for i in range(12)] * 41 + ["12.5"] + ["0.5"] * 7  # thirteen
    assert not rare_values_told(many_people(dose=many))


def test_a_column_that_points_at_people_is_warned_of_once() -> None:
    assert not rare_values_told(many_people(name=[f"P{i}" for i in range(500)]))
    few = many_people(**{f"c{i:02}": ["x"] * (499 - i % 4) + [*"abcd"][: 1 + i % 4] for i in range(12)})
    (told,) = rare_values_told(few)
    assert told.index("4 rows of “c03”") < told.index("3 rows of “c02”")
    assert "and 4 more columns" in told


def test_who_knows_a_value_looks_for_its_word_and_not_for_its_meaning(tmp_path: Path) -> None:
    """Back pain and neck pain are both pain, so l is 1; and who knows which one finds the row."""
    ill = ["back pain", "neck pain", "back pain", "back pain", "Neck pain", "neck pain"]
    table = pa.table({"age": ["20", "20", "40", "40", "60", "60"], "ill": ill, "pay": [*"abcdef"]})
    plan = om.Plan.from_options(["age:numeric"], confidential=["ill", "pay"], k=2)
    plan = plan.replace(attributes={"ill": {"ontology": "wordnet"}})
    release = om.anonymize(table, plan)
    found = figures_of(release)
    assert found["l_distinct.ill"] == 1
    assert found["alone_if_known.ill"] == pytest.approx(100 * 2 / 6)
    again = om.evaluate(table, release.table, plan)
    assert again["alone_if_known.ill"] == again["alone_if_known_before.ill"] == pytest.approx(100 * 2 / 6)
    for figures in (None, found):
        assert "alone with: ill" in [one.name for one in om.warnings_of(release, figures)]
