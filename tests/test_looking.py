"""Columns as a person looks at them: what is told of them is what a run does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ontomask as om
from ontomask.columns.looking import Look, look_at, looks
from ontomask.hierarchies.edited import MARK, as_edited, file_to_edit, is_edited_here
from ontomask.plan import Plan
from ontomask.progress import Progress
from ontomask.tables import open_table


def looked(values: list[str], settings: dict[str, Any], folder: Path = Path(), **options: Any) -> Look:
    plan = Plan.from_dict(
        {"attributes": {"c": {"role": "quasi-identifier"} | settings}} | options, folder=folder
    )
    return look_at(open_table(pa.table({"c": values})), plan, "c")


@pytest.mark.parametrize(
    ("values", "settings"),
    [
        (["asthma", "bronchitis", "asthma", "pneumonia"], {"ontology": "wordnet"}),
        (["31", "33", "33", "36"], {"kind": "numeric"}),
        (["2024-03-01", "2024-03-09", "2024-03-20"], {"kind": "date"}),
        (["low", "low", "mid", "high"], {"kind": "ordinal", "order": ["low", "mid", "high", "top"]}),
        (["dog; cat", "cat", "cat; horse", "cat"], {"ontology": "wordnet", "several": ";"}),
        (["a", "b", "b"], {"ontology": "flat"}),
    ],
)
def test_an_example_is_what_a_run_writes(values: list[str], settings: dict[str, Any]) -> None:
    example = looked(values, settings, privacy={"k": len(values)}).example
    assert example is not None
    assert {*example.values} == {*values}
    for kind in ("central", "truthful"):
        plan = {
            "attributes": {"c": {"role": "quasi-identifier", "release": kind} | settings},
            "privacy": {"k": len(values)},
        }
        written = om.anonymize(pa.table({"c": values}), Plan.from_dict(plan)).to_arrow()["c"].to_pylist()
        assert {getattr(example, kind)} == {str(one) for one in written}, kind


def test_the_nearest_of_the_most_frequent_are_the_example() -> None:
    values = ["asthma"] * 5 + ["pneumonia"] * 4 + ["nurse"] * 6 + ["carpenter"] * 3 + ["bronchitis"]
    example = looked(values, {"ontology": "wordnet"}).example
    assert example is not None
    assert sorted(example.values) == ["asthma", "bronchitis", "pneumonia"]
    assert example.truthful == "respiratory disease"
    assert looked(["nurse"] * 3, {"ontology": "wordnet"}).example is None


def test_no_example_is_made_of_words_that_nobody_is_sure_of() -> None:
    look = looked(["lumbago", "backache", "lumbago", "headache"], {"ontology": "wordnet"})
    assert look.doubtful, "in a truthful column they mean only themselves"
    assert look.example is None or not {*look.doubtful} & {*look.example.values}


def test_a_file_has_every_text_so_that_a_run_can_read_it(tmp_path: Path) -> None:
    values = ["physician"] * 3 + ["doctor"] * 2 + ["Doctor", "surgeon", "nurse", "nurse", "nun"]
    settings = {"ontology": "wordnet", "senses": "first"}
    look = looked(values, settings)
    assert look.tree is not None
    assert dict(look.otherwise) == {"doctor": "physician", "Doctor": "physician"}
    assert dict(zip(look.tree.values, look.rows.tolist(), strict=True))["physician"] == 6
    (tmp_path / "c.yaml").write_bytes(as_edited(look.as_file()))
    again = looked(values, settings | {"hierarchy": "c.yaml"}, tmp_path)
    assert again.tree is not None
    assert sorted(again.tree.rows()) == sorted(look.tree.rows())
    plan = {
        "attributes": {"c": {"role": "quasi-identifier", "hierarchy": "c.yaml"} | settings},
        "privacy": {"k": 4},
        "method": {"name": "datafly"},
    }
    release = om.anonymize(pa.table({"c": values}), Plan.from_dict(plan, folder=tmp_path))
    assert set(release.to_arrow()["c"].to_pylist()) <= set(look.tree.labels)


def test_texts_of_one_value_are_padded_as_it_is(tmp_path: Path) -> None:
    values = ["buttocks"] * 3 + ["bum", "surgeon", "nurse", "nun", "head nurse", "tree surgeon"]
    (tmp_path / "m.csv").write_text("value,concept\nbum,buttocks.n.01\n")
    settings = {"ontology": "wordnet", "senses": "first", "mapping": "m.csv"}
    look = looked(values, settings, tmp_path)
    assert look.tree is not None
    text = as_edited(look.as_file()).decode()
    assert text.count("buttocks:") == text.count("bum:") == 1, "no padding is written"
    (tmp_path / "c.yaml").write_text(text)
    again = looked(values, settings | {"hierarchy": "c.yaml"}, tmp_path)
    assert again.tree is not None
    assert sorted(again.tree.rows()) == sorted(look.tree.rows())


def test_no_label_is_called_like_a_text_that_means_something_else(tmp_path: Path) -> None:
    values = ["buttocks"] * 3 + ["ass"] * 2 + ["burro", "wild ass", "mule", "mule"]
    (tmp_path / "m.csv").write_text("value,concept\nass,buttocks.n.01\n")
    settings = {"ontology": "wordnet", "senses": "first", "mapping": "m.csv"}
    look = looked(values, settings, tmp_path)
    assert look.tree is not None
    assert look.otherwise["ass"] == "buttocks"
    assert "ass" not in look.tree.labels
    (tmp_path / "c.yaml").write_bytes(as_edited(look.as_file()))
    again = looked(values, settings | {"hierarchy": "c.yaml"}, tmp_path)
    assert again.tree is not None
    assert sorted(again.tree.rows()) == sorted(look.tree.rows())


def test_words_without_a_concept_are_told_and_not_judged() -> None:
    look = looked(["nurse", "qwxzv", "nun"], {"ontology": "wordnet"})
    assert look.tree is not None
    assert look.unlinked == ("qwxzv",)
    assert look.concepts[look.tree.node("qwxzv")] == -1
    assert look.is_judged
    assert not looked(["qwxzv", "zzqj"], {"ontology": "wordnet"}).is_judged


def test_one_column_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    plan = Plan.from_options(["a:numeric", "b:numeric"], k=2)
    told: list[Progress] = []
    found = looks(tmp_path / "t.csv", plan, ["a", "b"], told.append)
    assert isinstance(found["a"], Look)
    assert isinstance(found["b"], tuple)
    assert found["b"][0].column == "b"
    assert [one.fraction for one in told] == sorted(one.fraction for one in told)


def test_a_file_of_somebody_else_is_never_written_over(tmp_path: Path) -> None:
    given = tmp_path / "job_hierarchy.yaml"
    given.write_text("person: {nun: {}}\n")
    assert file_to_edit(tmp_path, "job", given) == tmp_path / "job_hierarchy_2.yaml"
    (tmp_path / "job_hierarchy_2.yaml").write_text(f"{MARK}\nperson: {{nun: {{}}}}\n")
    assert file_to_edit(tmp_path, "job") == tmp_path / "job_hierarchy_3.yaml", "of another plan, perhaps"
    mine = tmp_path / "job_hierarchy_2.yaml"
    assert file_to_edit(tmp_path, "job", mine) == mine
    assert file_to_edit(tmp_path, "../<b>").name == "b_hierarchy.yaml"
    assert file_to_edit(tmp_path, "?").name == "column_hierarchy.yaml"
    file_to_edit(tmp_path, "\U0001d518" * 70).touch()
    assert not is_edited_here(tmp_path / "none.yaml")
