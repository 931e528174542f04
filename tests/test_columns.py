"""From texts to integers and back: what is written for a concept."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask import load_ontology
from ontomask.ontology.draft import Draft
from ontomask.ontology.storage import write_ontology
from ontomask.report import render_report
from ontomask.tables import TableOptions, open_table

QI = {"role": "quasi-identifier"}


def released(texts: list[str], k: int = 2) -> list[str]:
    plan = om.Plan.from_options(["job:wordnet"], k=k)
    return om.anonymize(pa.table({"job": texts}), plan).to_arrow().column("job").to_pylist()


def test_spellings_of_one_concept_become_its_most_frequent_one() -> None:
    assert set(released(["nurse", "nurses", "nurse", "Nurse"])) == {"nurse"}


def test_a_rare_phrase_is_not_released_as_it_was_written() -> None:
    texts = ["teacher at Elm Street School", "teacher of Latin", "plumber", "plumber"]
    assert released(texts) == ["teacher", "teacher", "plumber", "plumber"]


def test_a_phrase_of_k_people_may_stand_for_its_concept() -> None:
    texts = ["second residence", "second residence", "plumber", "plumber"]
    assert released(texts) == texts


def test_spellings_of_one_concept_are_one_value_before_masking_too() -> None:
    plan = om.Plan.from_options(["job:wordnet"], k=2)
    release = om.anonymize(pa.table({"job": ["nurse", "NURSE", "Nurses", "cook", "cook"]}), plan)
    assert release.figures["tuples_before"] == 2
    assert release.figures["sample_uniques_before"] == 0


# ---------------------------------------------------------------------- texts of fewer than k people

JOBS = """any job:
  healer:
    nurse: {synonyms: [sister]}
    doctor: {}
  builder:
    architect: {}
    plumber: {}
"""
WRITTEN = {"any job", "healer", "nurse", "sister", "doctor", "builder", "architect", "plumber"}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("jobs") / "jobs.yaml"
    path.write_text(JOBS)
    return path


def release_of(texts: list[Any], jobs: Path, k: int = 3, **settings: Any) -> om.Release:
    asked = {"attributes": {"job": {**QI, "ontology": str(jobs)}}, "privacy": {"k": k}, **settings}
    return om.anonymize(pa.table({"job": pa.array(texts, pa.string())}), asked)


def jobs_of(release: om.Release) -> list[Any]:
    found: list[Any] = release.to_arrow()["job"].to_pylist()
    return found


def test_a_word_of_one_person_is_not_written_on_a_class(jobs: Path) -> None:
    """Jane's is the only value at hand that is none of the others: what is above it is written."""
    texts = ["Jane Doe 12 Elm Str", "Bob zzqq", "Joe qqzz"]
    release = release_of(texts, jobs, unmapped="own-leaf")
    assert jobs_of(release) == ["any job"] * 3
    assert "written for 3 that fewer than k rows have" in release.notes[0]
    told = json.dumps(release.manifest) + str(release.notes) + render_report(release)
    assert not [word for word in ("Jane", "Elm", "zzqq", "qqzz") if word in told]


def test_figures_count_what_is_written_for_a_rare_word(jobs: Path) -> None:
    texts = ["zzqq a", "zzqq b", "zzqq c", "nurse", "nurse", "nurse"]
    release = release_of(texts, jobs, unmapped="own-leaf")
    plan = release.plan
    found = om.evaluate(pa.table({"job": texts}), release.to_arrow(), plan)
    assert set(jobs_of(release)) == {"any job", "nurse"}
    assert release.figures["semantic_loss"] == pytest.approx(found["semantic_loss"])
    assert release.figures["semantic_loss"] > 0


def test_a_word_of_k_people_stays_its_own_leaf(jobs: Path) -> None:
    texts = ["zzqq"] * 3 + ["nurse"] * 3
    assert jobs_of(release_of(texts, jobs, unmapped="own-leaf")) == texts


@pytest.mark.parametrize(
    ("texts", "written"),
    [
        (["ARCHI-TECT", "Architect", "architects"], "architect"),
        (["Sister", "SISTER", "nurse"], "sister"),
        (["sister", "sister", "nurse"], "sister"),
        (["NURSE", "NURSE", "NURSE"], "NURSE"),
    ],
)
def test_a_rare_spelling_is_written_as_the_ontology_spells_it(
    jobs: Path, texts: list[str], written: str
) -> None:
    release = release_of(texts, jobs)
    assert jobs_of(release) == [written] * 3
    assert not any(text in render_report(release) for text in set(texts) - {written, "nurse"})


@pytest.mark.usefixtures("icd10cm")
def test_a_rare_code_is_written_as_the_ontology_spells_it() -> None:
    plan = {"attributes": {"why": {**QI, "ontology": "icd10cm"}}, "privacy": {"k": 3}}
    table = pa.table({"why": ["j45.20", " J45.20", "J45.20"]})
    assert om.anonymize(table, plan).to_arrow()["why"].to_pylist() == ["J45.20"] * 3


def test_a_mapped_word_of_one_person_is_written_as_its_concept(jobs: Path, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("value,concept\nboss of Elm Str,doctor\n")
    attributes = {"job": {**QI, "ontology": str(jobs), "mapping": str(tmp_path / "m.csv")}}
    texts = ["boss of Elm Str", "nurse", "nurse", "nurse"]
    assert set(jobs_of(release_of(texts, jobs, k=4, attributes=attributes))) <= WRITTEN


def test_the_digest_of_an_ontology_tells_no_word_of_the_table(jobs: Path) -> None:
    release = release_of(["zzqq", "nurse", "nurse"], jobs, unmapped="own-leaf")
    assert release.manifest["ontologies"]["job"]["sha256"] == load_ontology(jobs).digest


SPELLINGS = [
    *WRITTEN,
    "NURSE",
    "Nurse",
    "nurses",
    "archi-tect",
    "teacher nurse",
    "Jane Doe",
    "jane doe",
    "zz",
]


@settings(max_examples=30, deadline=None)
@given(
    texts=st.lists(st.sampled_from(SPELLINGS) | st.none(), min_size=4, max_size=25),
    k=st.integers(2, 4),
    method=st.sampled_from(["sa-mdav", "mdav", "recoding", "resampling", "mdav-lcs", "mdav-equality"]),
    unmapped=st.sampled_from(["own-leaf", "root", "suppress"]),
)
def test_no_text_of_fewer_than_k_rows_is_written(
    jobs: Path, texts: list[str | None], k: int, method: str, unmapped: str
) -> None:
    try:
        release = release_of(texts, jobs, k=k, method={"name": method}, unmapped=unmapped)
    except om.OntomaskError as error:
        assert "has no value at all" in str(error)
        return
    rows, written = Counter(texts), Counter(jobs_of(release))
    assert min(written.values()) >= k
    assert all(text in WRITTEN or text is None or rows[text] >= k for text in written)


# ---------------------------------------------------------------------- what means nothing


@pytest.mark.parametrize(
    ("texts", "written"),
    [
        (["up there", "north", "north", "south"], "NA (NA)"),  # mapped there, and rare
        (["north", "south", "east", "west"], "NA (NA)"),  # above all of them
        (["zzqy", "north", "zzqy", "south"], "NA (NA)"),  # unknown words
        (["south", "east", "south", "west"], " ? (place/?)"),  # marks are marks with blanks around them
    ],
)
def test_a_label_that_means_nothing_is_not_written_as_it_is(
    tmp_path: Path, texts: list[str], written: str
) -> None:
    """*NA* is a concept here (as Namibia's code is), and a mark for nothing in the file."""
    draft = Draft("places")
    below = dict.fromkeys(("south", "east", "west"), "place/?")
    parts = {"NA": None, "north": "NA", "place/?": "NA", **below}
    for place, above in parts.items():
        draft.concept(place, " ?" if place == "place/?" else place)
        if above:
            draft.is_a(place, above)
    write_ontology(draft.finish(), tmp_path / "places.onto")
    (tmp_path / "m.csv").write_text("value,concept\nup there,NA\n")
    place = {**QI, "ontology": str(tmp_path / "places.onto"), "mapping": str(tmp_path / "m.csv")}
    plan = {"attributes": {"place": place}, "privacy": {"k": 4}, "method": {"name": "mdav-lcs"}}
    release = om.anonymize(pa.table({"place": texts}), {**plan, "unmapped": "root"})
    assert release.to_arrow()["place"].to_pylist() == [written] * 4


def test_an_empty_cell_is_always_missing(tmp_path: Path) -> None:
    """Blanked rows are written as empty cells, so these must read as missing again."""
    (tmp_path / "t.csv").write_text("job,age\n" + "nurse,1\n" * 3 + "doctor,7\n,7\n,\n")
    plan = om.Plan.from_options(["job:wordnet", "age:numeric"], k=3, method="suppression", blank=True)
    plan = plan.replace(table={"na_values": ["-"]})
    assert plan.table.na_values == ("", "-")
    release = om.anonymize(tmp_path / "t.csv", plan)
    release.write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "job,age\n" + "nurse,1\n" * 3 + ",\n" * 3
    found = om.evaluate(tmp_path / "t.csv", tmp_path / "r.csv", plan)
    assert (found["k_reached"], found["blanked"]) == (3, 2)


def test_a_number_that_means_nothing_gives_way_to_the_nearest(tmp_path: Path) -> None:
    """As a number in a Parquet file, 99 cannot be spelt so that it is not the mark 99."""
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"age": [98, 100, 90, 108]}), tmp_path / "t.parquet")
    plan = om.Plan.from_options(["age:numeric"], k=4).replace(table={"na_values": ["", "99"]})
    release = om.anonymize(tmp_path / "t.parquet", plan)
    release.write(tmp_path / "r.parquet")
    assert set(pq.read_table(tmp_path / "r.parquet")["age"].to_pylist()) == {98}
    assert release.figures["sse_plain.age"] == 0 + 2**2 + 8**2 + 10**2


def test_a_number_that_is_spelt_as_a_value_stays_one(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n99.0\n99.0\n1\n1\n99\n99\n")
    plan = om.Plan.from_options(["age:numeric"], k=2).replace(table={"na_values": ["99"]})
    release = om.anonymize(tmp_path / "t.csv", plan)
    assert release.to_arrow()["age"].to_pylist() == ["99.0", "99.0", "1", "1", None, None]


def test_a_table_opened_with_other_marks_than_the_plan_has_is_not_released_wrongly(
    jobs: Path, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("job\nnurse\ndoctor\n")
    table = open_table(tmp_path / "t.csv", TableOptions(na_values=("", "healer")))
    plan = {"attributes": {"job": {**QI, "ontology": str(jobs)}}, "method": {"name": "mdav-lcs"}}
    with pytest.raises(
        om.OntomaskError, match="column 'job': 'healer' would be written, which means no value"
    ):
        om.anonymize(table, {**plan, "privacy": {"k": 2}})


def test_an_ordered_value_that_means_nothing_is_refused() -> None:
    plan = {"attributes": {"size": {**QI, "kind": "ordinal", "order": ["NA", "low", "high"]}}}
    with pytest.raises(om.OntomaskError, match="column 'size': 'NA' of its `order` means no value") as error:
        om.anonymize(pa.table({"size": ["low", "high"] * 5}), plan)
    assert error.value.faults[0].value == "NA"


# ---------------------------------------------------------------------- numbers of any size


def numbers(texts: list[str], other: list[str] | None = None, **asked: Any) -> om.Release:
    columns = {"x": texts} if other is None else {"x": texts, "y": other}
    attributes = {name: {**QI, "kind": "numeric"} for name in columns}
    return om.anonymize(pa.table(columns), {"attributes": attributes, "privacy": {"k": 2}, **asked})


@pytest.mark.parametrize(
    "text", ["1e61", "-1.5e308", "1e2147483650", "1E+99999999999999999999", "inf", "-inf"]
)
def test_a_number_whose_square_might_overflow_is_refused(text: str) -> None:
    with pytest.raises(om.OntomaskError, match=r"too large a number|is not a number") as error:
        numbers(["1", text, "2", "3"])
    assert (error.value.faults[0].column, error.value.faults[0].value) == ("x", text)
    plan = om.Plan.from_options(["x:numeric"], k=2)
    with pytest.raises(om.OntomaskError, match=r"too large a number|neither a number nor a range"):
        om.evaluate(pa.table({"x": ["1", "2"]}), pa.table({"x": ["1", text]}), plan)


def test_a_number_too_small_to_be_one_is_zero() -> None:
    release = numbers(["1e-2147483650", "0", "7", "7"])
    assert release.to_arrow()["x"].to_pylist() == ["0", "0", "7", "7"]


EXTREME = [
    "1e60",
    "-1e60",
    "9.99e59",
    "5e-324",
    "-5e-324",
    "1e-300",
    "1e-2147483650",
    "-0.0",
    "0",
    "1",
    "1e30",
]


@settings(max_examples=30, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.sampled_from(EXTREME) | st.none()] * 2), min_size=4, max_size=12),
    method=st.sampled_from(["sa-mdav", "mdav", "recoding", "resampling", "suppression"]),
    combine=st.sampled_from(["mean", "euclidean"]),
    scale=st.sampled_from(["range", "zscore"]),
)
def test_every_figure_and_every_number_written_is_finite(
    rows: list[tuple[Any, Any]], method: str, combine: str, scale: str
) -> None:
    x, y = map(list, zip(*rows, strict=True))
    try:
        release = numbers(x, y, method={"name": method, "combine": combine, "scale": scale})
    except om.OntomaskError as error:
        assert "has no value at all" in str(error) or "leaves no row" in str(error)
        return
    json.dumps([release.manifest, release.figures], allow_nan=False)
    for name, given_numbers in (("x", x), ("y", y)):
        there = [float(text) for text in given_numbers if text is not None]
        written = [float(text) for text in release.to_arrow()[name].to_pylist() if text is not None]
        assert all(min(there) <= number <= max(there) for number in written)
        assert release.figures[f"sse_plain.{name}"] is not None
    if release.data.n_rows == len(rows):
        found = om.evaluate(pa.table({"x": x, "y": y}), release.to_arrow(), release.plan)
        json.dumps(found, allow_nan=False)
        assert -1 - 1e-9 <= (found["correlation.x.y"] or 0) <= 1 + 1e-9
