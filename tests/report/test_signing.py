"""What a person signs by: digests, the command as run, kind of masking, statistics, risks, warnings."""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask import datasets
from ontomask.distribution import quantile
from ontomask.errors import NotAcceptedError
from ontomask.pipeline import Release
from ontomask.report import render_report
from ontomask.report.records import risk_rows
from report.html_of import Html

WORDS = "import sys; from ontomask.cli import main; sys.argv[0] = 'ontomask'; main()"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A run of the command with a report, and what it printed."""
    folder = tmp_path_factory.mktemp("signed")
    for name in ("patients.csv", "patients.yaml", "patients_mapping.csv"):
        shutil.copy(datasets.path(name), folder / name)
    command = [
        sys.executable,
        "-c",
        WORDS,
        "anonymize",
        str(folder / "patients.csv"),
        "--plan",
        "patients.yaml",
    ]
    command += ["-o", "release.csv", "--report", f"{folder}/report.html", "--json", "--quiet"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return folder, json.loads(done.stdout)


def rows_of(page: Html, start: str) -> list[str]:
    return [text for text in page.texts("tr") if text.startswith(start)]


def test_the_digest_is_that_of_the_written_file(run: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = run
    digest = hashlib.sha256((folder / "release.csv").read_bytes()).hexdigest()
    page = Html((folder / "report.html").read_text())
    assert rows_of(page, "Release release.csv") == [f"Release release.csv sha256 {digest}"]
    assert json.loads((folder / "release.manifest.json").read_text())["output"]["sha256"] == digest


def test_the_command_is_told_as_it_was_run_without_folders(run: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = run
    page = Html((folder / "report.html").read_text())
    told = "ontomask anonymize patients.csv --plan patients.yaml -o release.csv --report report.html"
    assert told in page.texts("pre"), "how a command tells things is no part of what it did"
    assert str(folder) not in page.source


def test_warnings_are_the_same_everywhere(run: tuple[Path, dict[str, Any]]) -> None:
    folder, printed = run
    manifest = json.loads((folder / "release.manifest.json").read_text())
    page = Html((folder / "report.html").read_text())
    told = [one["text"] for one in printed["warnings"]]
    assert len(told) >= 2
    assert [one["text"] for one in manifest["warnings"]] == told
    assert [one["level"] == "serious" for one in manifest["warnings"]] == [
        one["is_serious"] for one in printed["warnings"]
    ]
    listed = page.texts("li")
    assert [text for text in listed if text in told][-len(told) :] == told
    assert all(f"{note[0].upper()}{note[1:]}." in listed for note in printed["notes"])
    doubt = [note for note in manifest["notes"] if "is doubtful" in note]
    assert [note for note in manifest["notes"] if note not in doubt] == printed["notes"]
    (text,) = [note.partition(": ")[2] for note in doubt]
    assert f"Column “country”: {text}." in told, "a warning, to be accepted by name"
    assert "doubtful words: country" in [one["name"] for one in manifest["warnings"]]
    assert any("in the order of the original" in note for note in manifest["notes"])


def test_a_release_written_from_python_has_the_warnings_it_is_given(tmp_path: Path, release: Release) -> None:
    assert "warnings" not in json.loads(release.write(tmp_path / "silent.csv").read_text())
    told = om.warnings_of(release)
    manifest = json.loads(release.write(tmp_path / "release.csv", warnings=told).read_text())
    found = [one for one in told if one.level != "note"]
    assert (
        manifest["warnings"]
        == [{"level": one.level, "text": one.text, "name": one.name} for one in found]
        != []
    )


def test_digests_of_mappings_stay_in_the_house(release: Release) -> None:
    path = datasets.path("patients_mapping.csv")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    public, internal = (render_report(release, internal=internal) for internal in (False, True))
    assert digest not in public and "Mapping of occupation: patients_mapping.csv" in public
    assert digest in internal
    assert "om.anonymize(&#39;patients.csv&#39;, om.Plan.load(&#39;patients.yaml&#39;))" in public


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "Perturbed: a released value"),
        ({"release": "truthful"}, "Truthful: what is released of a person is"),
        (
            {"attributes": {"age": {"release": "truthful"}}},
            "Truthful: age. Perturbed, so that it may be wrong",
        ),
        ({"method": {"name": "recoding"}}, "Perturbed: "),
    ],
)
def test_the_headline_says_what_kind_of_masking_it_is(settings: dict[str, Any], words: str) -> None:
    people = pa.table({"age": [20, 21, 30, 31, 40, 41], "pay": [1, 2, 3, 4, 5, 6]})
    plan = om.Plan.from_options(["age:numeric", "pay:numeric"], k=2).replace(**settings)
    page = Html(render_report(om.anonymize(people, plan)))
    (kind,) = [text for text in page.texts("p") if text.startswith(("Perturbed", "Truthful"))]
    assert kind.startswith(words)
    assert [tag.inside[-1] for tag in page.named("p") if tag.attributes.get("class") == "kind"] == ["header"]


def test_lines_to_sign_on(release: Release) -> None:
    source = render_report(release)
    block = source[source.index('<section id="sign-off"') :]
    for line in ("Purpose", "Recipient", "Date", "Name", "Signature"):
        assert f"<dt>{line}</dt><dd></dd>" in block


# ---------------------------------------------------------------------- statistics


def test_mean_spread_quantiles_and_correlation() -> None:
    ages, pays = [20, 22, 30, 34, 40, 46, 50, 58], [9, 8, 6, 7, 4, 5, 1, 2]
    plan = om.Plan.from_options(["age:numeric", "pay:numeric"], k=2)
    release = om.anonymize(pa.table({"age": ages, "pay": pays}), plan)
    after = {name: np.array(release.to_arrow()[name].to_pylist(), float) for name in ("age", "pay")}
    page = Html(render_report(release))
    assert rows_of(page, "age mean") == [f"age mean {np.mean(ages):.3g} {after['age'].mean():.3g}"]
    assert rows_of(page, "age standard") == [
        f"age standard deviation {np.std(ages):.3g} {after['age'].std():.3g}"
    ]
    middle = sorted(after["age"])[3:5]  # k = 2 people around the median of 8: ranks 3 and 4
    assert rows_of(page, "age median") == [f"age median {(34 + 40) / 2:.3g} {sum(middle) / 2:.3g}"]
    assert rows_of(page, "age 5 %") == [
        f"age 5 % are below {(20 + 22) / 2:.3g} {sum(sorted(after['age'])[:2]) / 2:.3g}"
    ]
    expected = [np.corrcoef(x, y)[0, 1] for x, y in ((ages, pays), (after["age"], after["pay"]))]
    assert rows_of(page, "age and pay") == [f"age and pay {expected[0]:.3g} {expected[1]:.3g}"]


def test_statistics_of_dates_are_dates() -> None:
    born = ["1950-01-01", "1950-01-03", "1980-05-05", "1980-05-07"]
    plan = om.Plan.from_options(["born:date"], k=2)
    page = Html(render_report(om.anonymize(pa.table({"born": born}), plan)))
    days = [np.datetime64(day).astype(int) for day in born]
    mean = np.datetime64(int(np.mean(days)), "D")
    assert rows_of(page, "born mean") == [f"born mean {mean} {mean}"]
    spread = f"{np.std(days):,.0f} {np.std([days[0] + 1] * 2 + [days[2] + 1] * 2):,.0f}"
    assert rows_of(page, "born standard") == [f"born standard deviation, in days {spread}"]
    assert rows_of(page, "born median") == ["born median 1965-03-05 1965-03-05"]


def test_words_have_statistics_before_and_after() -> None:
    jobs = ["nurse"] * 4 + ["surgeon"] * 3 + ["cook"] * 2 + ["baker"] * 1
    ages = [20, 22, 30, 33, 40, 45, 50, 58, 60, 66]
    plan = om.Plan.from_options(["job:wordnet", "age:numeric"], k=3)
    release = om.anonymize(pa.table({"job": jobs, "age": ages}), plan)
    page, after = Html(render_report(release)), release.to_arrow()
    means = [om.stats.mean(column) for column in (jobs, after["job"])]
    assert rows_of(page, "job mean") == [f"job mean: most central value {means[0].value} {means[1].value}"]
    spread = [om.stats.variance(column) for column in (jobs, after["job"])]
    told = f"job variance: mean distance of two people {spread[0]:.3g} {spread[1]:.3g}"
    assert rows_of(page, "job variance") == [told]
    for share in (25, 50, 75):
        radius = []
        for mean, column in zip(means, (jobs, after["job"].to_pylist()), strict=True):
            far = sorted(om.distance(mean.value, job) for job in column)
            first = min(max(math.floor(share / 10 - 3 / 2 + 1 / 2), 0), 7)
            radius.append(sum(far[first : first + 3]) / 3)
        told = f"job {share} % are as near to the mean as {radius[0]:.3g} {radius[1]:.3g}"
        assert rows_of(page, f"job {share}") == [told]
    pairs = [(jobs, ages), (after["job"], after["age"])]
    figures = [f"{of(*pair):.3g}" for of in (om.stats.covariance, om.stats.correlation) for pair in pairs]
    (row,) = rows_of(page, "job and age")
    assert row.startswith(f"job and age {' '.join(figures)} ")


def test_numbers_under_a_hierarchy_have_statistics_too() -> None:
    ages = [20, 22, 30, 34, 41, 47, 55, 58]
    plan = om.Plan.from_options(["age:numeric"], k=2, method="datafly")
    page = Html(render_report(om.anonymize(pa.table({"age": ages}), plan)))
    spread = f"{np.std(ages):.3g} {np.std([21, 21, 32, 32, 44, 44, 56.5, 56.5]):.3g}"
    assert rows_of(page, "age mean") == [f"age mean {np.mean(ages):.3g} {np.mean(ages):.3g}"]
    assert rows_of(page, "age standard") == [f"age standard deviation {spread}"]
    assert rows_of(page, "age median") == ["age median 37.5 38"]


def test_no_statistic_is_of_fewer_than_k_people() -> None:
    jobs, ages = ["nurse", "cook", *[None] * 8], [20, 22, 30, 33, 40, 45, 50, 58, 60, 66]
    plan = om.Plan.from_options(["job:wordnet", "age:numeric"], k=5)
    release = om.anonymize(pa.table({"job": jobs, "age": ages}), plan)
    page = Html(render_report(release))
    for name in ("job mean: ", "job variance", "job 25 %", "job 50 %", "job 75 %"):
        assert [row.split()[-2] for row in rows_of(page, name)] == ["–"]
    (pair,) = rows_of(page, "job and age")
    assert pair.split()[3:][::2] == ["–"] * 3
    (internal,) = rows_of(Html(render_report(release, internal=True)), "job variance")
    assert internal.split()[-2] != "–"


def test_a_mean_that_few_people_have_is_not_told() -> None:
    words = ["physician", "nurse", "nurse", "surgeon", "surgeon"]  # the one in the middle is alone
    plan = om.Plan.from_options(["job:wordnet"], k=2)
    release = om.anonymize(pa.table({"job": words}), plan)
    assert om.stats.mean(words).value == "physician"
    before = rows_of(Html(render_report(release)), "job mean")[0].removeprefix(
        "job mean: most central value "
    )
    assert before.startswith("– ")
    (internal,) = rows_of(Html(render_report(release, internal=True)), "job mean")
    assert internal.startswith("job mean: most central value physician ")


def test_synonyms_of_the_user_are_named_and_their_digest_stays_in_the_house(tmp_path: Path) -> None:
    (tmp_path / "short.csv").write_text("synonym,term\nRN,nurse\n")
    jobs = {"role": "quasi-identifier", "ontology": "wordnet", "synonyms": str(tmp_path / "short.csv")}
    plan = {"attributes": {"job": jobs}, "privacy": {"k": 2}}
    release = om.anonymize(pa.table({"job": ["RN", "nurse", "cook", "cook"]}), plan)
    digest = hashlib.sha256((tmp_path / "short.csv").read_bytes()).hexdigest()
    public, internal = (render_report(release, internal=internal) for internal in (False, True))
    assert "Synonyms of job: short.csv" in public and digest not in public
    assert digest in internal


# ---------------------------------------------------------------------- correlations with untouched columns

AGES = [20, 22, None, 34, 40, 46, 50, 58, 61, 63]
SEXES = ["f", "m"] * 5
INCOMES = ["900,5", "880,1", "660,0", "NA", "410,2", "530,3", "150,0", "220,9", "90,4", "70,6"]


def known_correlation(x: list[float | None], y: list[float | None]) -> float:
    both = [(a, b) for a, b in zip(x, y, strict=True) if a is not None and b is not None]
    return float(np.corrcoef(np.array(both, float).T)[0, 1])


@pytest.mark.parametrize("role", ["confidential", "other"])
@pytest.mark.parametrize("kind", [{}, {"kind": "numeric"}])
def test_correlations_of_masked_numbers_with_numbers_released_as_they_are(
    role: str, kind: dict[str, str]
) -> None:
    people = pa.table({"income": INCOMES, "age": AGES, "sex": SEXES, "ward": [*"1221221121"]})
    attributes = {
        "income": {"role": role, **kind},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "sex": {"role": "quasi-identifier", "ontology": "flat"},
        "ward": {"role": "other"},
    }
    release = om.anonymize(people, {"attributes": attributes, "privacy": {"k": 2}})
    incomes = [None if text == "NA" else float(text.replace(",", ".")) for text in INCOMES]
    after = release.to_arrow()["age"].to_pylist()
    expected = [known_correlation(ages, incomes) for ages in (AGES, after)]
    assert after != AGES and expected[0] != pytest.approx(expected[1], abs=0.001)
    page = Html(render_report(release, internal=True))
    assert rows_of(page, "age and income") == [f"age and income {expected[0]:.3g} {expected[1]:.3g}"]
    public = Html(render_report(release))  # one of them has no age, one no income
    assert rows_of(public, "age and income") == ["age and income – –"]


def test_rows_that_were_left_out_have_no_part_in_the_correlation_after() -> None:
    ages, pays = [20, 21, 30, 31, 90], [5.5, 6.0, 9.0, 8.0, 0.5]
    plan = om.Plan.from_options(["age:numeric"], k=2, confidential=["pay"])
    plan = plan.replace(
        privacy={"suppress": "20%"}, release="truthful", attributes={"age": {"max_loss": 0.1}}
    )
    release = om.anonymize(pa.table({"age": ages, "pay": pays}), plan)
    assert release.to_arrow()["age"].to_pylist() == ["20-21", "20-21", "30-31", "30-31"]
    expected = [np.corrcoef(ages, pays)[0, 1], np.corrcoef([20.5, 20.5, 30.5, 30.5], pays[:4])[0, 1]]
    page = Html(render_report(release))
    assert rows_of(page, "age and pay") == [f"age and pay {expected[0]:.3g} {expected[1]:.3g}"]


def test_of_many_columns_the_first_six_are_correlated_and_the_others_named() -> None:
    rng = np.random.default_rng(3)
    names = [f"score{i}" for i in range(8)]
    people = pa.table({"age": rng.integers(20, 70, 30), **{name: rng.normal(size=30) for name in names}})
    plan = om.Plan.from_options(["age:numeric"], k=3, others="keep")
    page = Html(render_report(om.anonymize(people, plan)))
    assert [row.split()[2] for row in rows_of(page, "age and")] == names[:6]
    assert any(text.endswith("many columns or rows: score6 and score7.") for text in page.texts("p"))


def test_of_too_many_rows_the_columns_that_the_plan_knows_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ontomask.report.correlations.MOST_ROWS", 3)
    plan = om.Plan.from_options(["age:numeric"], k=2, confidential=["pay"])
    plan = plan.replace(attributes={"pay": {"kind": "numeric"}})
    page = Html(render_report(om.anonymize(pa.table({"age": [1, 2, 8, 9], "pay": [1, 2, 3, 4]}), plan)))
    assert rows_of(page, "age and") == []
    assert any(text.endswith("many columns or rows: pay.") for text in page.texts("p"))


def test_a_correlation_of_fewer_than_k_people_is_not_told() -> None:
    ages, pays = [20, 22, 30, 33, 40, 45, 50, 58, 60, 66], [1.5, 2.5, 2.0, *[None] * 7]
    plan = om.Plan.from_options(["age:numeric"], k=5, confidential=["pay"])
    release = om.anonymize(pa.table({"age": ages, "pay": pays}), plan)
    assert rows_of(Html(render_report(release)), "age and pay") == ["age and pay – –"]
    (told,) = rows_of(Html(render_report(release, internal=True)), "age and pay")
    assert told == f"age and pay {np.corrcoef(ages[:3], pays[:3])[0, 1]:.3g} –"  # of 3 in one group


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=30),
    st.sampled_from([0.05, 0.25, 0.5, 0.75, 0.95]),
    st.integers(1, 6),
)
def test_a_quantile_is_of_as_many_people_as_asked(numbers: list[int], share: float, people: int) -> None:
    values, counts = np.unique(np.array(numbers, float), return_counts=True)
    found = quantile(values, counts.astype(np.int64), share, people)
    if len(numbers) < people:
        assert math.isnan(found)
        return
    n, ordered = len(numbers), sorted(numbers)
    first = min(max(math.floor(share * n - people / 2 + 1 / 2), 0), n - people)
    assert found == pytest.approx(sum(ordered[first : first + people]) / people)


@given(st.lists(st.integers(1, 150), min_size=1), st.lists(st.integers(1, 150), min_size=1))
def test_everybody_has_one_risk(before: list[int], after: list[int]) -> None:
    rows = risk_rows(np.array(before), np.array(after))
    assert sum(row.before for row in rows) == sum(before)
    assert sum(row.after for row in rows) == sum(after)
    assert sum(row.after_share for row in rows) == pytest.approx(100)
    assert next((row.before for row in rows if row.risk == "1 in 1"), 0) == before.count(1)
    assert next((row.after for row in rows if row.risk.startswith("1 in 3 ")), 0) == sum(
        size for size in after if size in (3, 4)
    )


def test_where_a_plan_accepts_warnings_by_name_others_stop_it(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2, 8, 9], "ill": ["flu", "flu", "burn", "burn"]})
    plan = om.Plan.from_options(["age:numeric"], k=2, confidential=["ill"])
    target = tmp_path / "release.csv"

    def write(accept: list[str], **given: Any) -> Path:
        release = om.anonymize(table, plan.replace(accept=accept))
        return release.write(target, **given)

    told = om.warnings_of(om.anonymize(table, plan))
    (name,) = [one.name for one in told if one.level != "note"]
    with pytest.raises(NotAcceptedError, match="accept: Column “ill” is confidential") as error:
        write([], warnings=told)
    assert [fault.value for fault in error.value.faults] == [name] == ["one value: ill"]
    with pytest.raises(om.OntomaskError, match="nobody looked"):
        write([name])
    assert not [*tmp_path.iterdir()]
    write([name], warnings=told)
    assert target.exists()


def test_who_signs_is_told_what_was_accepted() -> None:
    table = pa.table({"age": [1, 2, 8, 9] * 10, "note": [f"of person {n}" for n in range(40)]})
    plan = om.Plan.from_options(["age:numeric"], k=2, others="keep")
    (name,) = [one.name for one in om.warnings_of(om.anonymize(table, plan)) if one.is_serious]
    for accept, status in ([name], "✓ "), ([], "! "), (None, "! "):
        page = Html(render_report(om.anonymize(table, plan.replace(accept=accept))))
        said = " ".join(page.texts("p"))
        assert f"{status}10-anonymous" in said
        assert ("Accepted by whoever made the release, and to be judged" in said) == bool(accept)
        assert ("not to be handed on" in said) == (not accept)


def test_who_signs_is_told_why_by_whom_and_for_what() -> None:
    table = pa.table({"age": [1, 2, 8, 9], "ill": ["flu", "flu", "burn", "burn"]})
    plan = om.Plan.from_options(["age:numeric"], k=2, confidential=["ill"])
    accepted = plan.replace(accept=["one value: ill"])
    assert "No reason was given." in Html(render_report(om.anonymize(table, accepted))).source
    said = {
        "purpose": "seasons of <flu>",
        "recipient": "University of Reus",
        "made_by": "M. Soler",
        "reasons": {"one value: ill": "all know it"},
    }
    signed = accepted.replace(sign_off=said)
    page = Html(render_report(om.anonymize(table, signed)))
    assert "Accepted by M. Soler, and to be judged by whoever signs it:" in page.texts("p")
    assert any(text.endswith("Accepted because: all know it") for text in page.texts("li"))
    assert re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page.source)[-7:] == [
        ("Purpose", "seasons of &lt;flu&gt;"),
        ("Recipient", "University of Reus"),
        ("Conditions of use", ""),
        ("Made by", "M. Soler"),
        ("Date", ""),
        ("Name", ""),
        ("Signature", ""),
    ]


def test_what_is_said_of_a_release_changes_nothing_in_it(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2, 8, 9]})
    plan = om.Plan.from_options(["age:numeric"], k=2)
    signed = plan.replace(sign_off={"recipient": "University of Reus"})
    om.anonymize(table, signed).write(tmp_path / "release.csv")
    assert "Reus" not in (tmp_path / "release.manifest.json").read_text()
    assert signed.digest == plan.digest
    assert signed.asked_digest == plan.asked_digest != plan.replace(privacy={"k": 3}).asked_digest
    assert plan.replace(accept=[]).asked_digest == plan.asked_digest != plan.replace(accept=[]).digest
    assert om.Plan.from_yaml(signed.to_yaml()).sign_off == signed.sign_off


def test_rows_are_no_people_where_some_have_several() -> None:
    """The plan says whose they are: what is counted is told as rows, and of how many people they are."""
    table = pa.table(
        {
            "pid": [f"p{i // 2}" for i in range(60)],
            "age": [f"{20 + i // 20}" for i in range(60)],
            "ill": ["flu", "burn", "cough"] * 20,
        }
    )
    plan = om.Plan.from_options(["age:numeric"], identifiers=["pid"], confidential=["ill"], k=3)
    of_rows = Html(render_report(om.anonymize(table, plan)))
    of_people = Html(render_report(om.anonymize(table, plan.replace(privacy={"unit": "pid"}))))
    assert "60 people" in of_rows.texts("p")[0]
    assert "60 rows of 30 people (by pid)" in of_people.texts("p")[0]
    for page, who in ((of_rows, "People"), (of_people, "Rows")):
        assert f"{who} by the size of their group" in page.texts("caption")
        assert any(f"{who} before" in text for text in rows_of(page, "Size of the group"))
    assert not [text for text in of_people.texts("caption") if "people" in text.casefold()]


@pytest.mark.parametrize(
    ("kind", "said"), [("ordinal", "“ill” of a person as well finds"), ("numeric", "exactly")]
)
def test_the_summary_names_the_surest_of_those_who_know_more(kind: str, said: str) -> None:
    """Also one who knows a number: whatever is worst is quoted."""
    values = [f"{i}" for i in range(60)]
    table = pa.table({"age": [f"{20 + i // 20}" for i in range(60)], "ill": values, "sex": ["f", "m"] * 30})
    settings = {"kind": kind} | ({"order": values} if kind == "ordinal" else {})
    plan = om.Plan.from_options(["age:numeric"], confidential=["ill", "sex"], k=3)
    page = render_report(om.anonymize(table, plan.replace(attributes={"ill": settings})))
    told = next(text for text in Html(page).texts("p") if "in the masked columns, and nothing else" in text)
    (answer,) = [text for text in Html(page).texts("p") if text.startswith("At most")]
    assert answer.replace("\u00a0", " ").startswith("At most 5.0 % by the masked"), "groups of twenty"
    assert answer.endswith(f"for sure if “ill” is known{' exactly' * (kind == 'numeric')}, too")
    assert said in told and "finds 100 %" in told.replace("\u00a0", " ")


def test_where_no_k_is_promised_the_summary_quotes_no_most_for_anybody() -> None:
    people = pa.table({"age": ["20", "21", "30", "31", "40", "41"]})
    plan = om.Plan.from_options(["age:numeric"]).with_method("rank-swapping")
    page = Html(render_report(om.anonymize(people, plan)))
    (answer,) = [text for text in page.texts("p") if text.endswith("on average")]
    assert answer[0].isdigit() and "At most" not in answer
