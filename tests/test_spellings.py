"""One value in several spellings is one value, in every kind of column; what is not masked stays."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask import Plan, anonymize
from ontomask.columns.further import FurtherColumn
from ontomask.linking.spelling import spelling_of

WORDS = st.text("abcdefghijklmnopqrstuvwxyzéèüñçåøßžłдяω", min_size=1, max_size=12)


@given(
    WORDS,
    st.sampled_from([str.upper, str.title, lambda t: f"  {t}\t", lambda t: f"{t[:1]}-{t[1:]}", str.casefold]),
)
def test_spellings_of_a_word(word: str, change: object) -> None:
    plain = word.casefold()
    assert spelling_of(change(plain)) == spelling_of(plain)


@pytest.mark.parametrize(
    ("one", "other"), [("<50K", ">50K"), ("1.5", "15"), ("-5", "5"), ("A-1", "A1"), ("x%", "x")]
)
def test_signs_and_numbers_are_no_spelling(one: str, other: str) -> None:
    assert spelling_of(one) != spelling_of(other)


def masked(column: dict[str, object], values: list[str], **settings: object) -> object:
    plan = Plan.from_dict(
        {"attributes": {"a": {"role": "quasi-identifier", **column}}, "privacy": {"k": 2}, **settings}
    )
    return anonymize(pa.table({"a": values}), plan).columns[0]


def test_known_words() -> None:
    column = masked({"ontology": "wordnet"}, ["nurse", " Nurse", "NURSE ", "teacher", "teacher"])
    assert column.attribute.size == 2


def test_unknown_words_are_one_leaf() -> None:
    values = ["zzq-qqvx", "Zzq Qqvx", "zzqqqvx", "zzqqqvx", "wwvv", "nurse", "nurse"]
    column = masked({"ontology": "wordnet"}, values, unmapped="own-leaf")
    assert column.attribute.size == 3
    assert "zzqqqvx" in column.shown and "Zzq Qqvx" not in column.shown
    rare = masked({"ontology": "wordnet"}, ["zzq-qqvx", "Zzq Qqvx", "nurse", "nurse"], unmapped="own-leaf")
    assert len(rare.private) == 1  # two rows, but no spelling that two rows have


def test_the_value_of_most_rows_is_written_for_a_concept_and_not_the_most_frequent_text() -> None:
    """Six men in two spellings are more than five women; of as many the first in order is written."""
    cells = ["casado"] * 4 + ["Casado"] * 2 + ["casada"] * 5 + ["viudo"] * 2 + ["viuda"] * 2
    column = masked({"ontology": "marital-status"}, cells)
    assert column.shown == ["casado", "viuda"]


def test_ordered_categories() -> None:
    column = masked(
        {"kind": "ordinal", "order": ["low", "mid", "high"]}, ["low", "LOW ", "High", "mid", "high"]
    )
    assert column.attribute.size == 3
    assert set(column.texts(column.attribute)) >= {"low", "mid", "high"}


def test_confidential_values_do_not_look_diverse_by_their_spelling() -> None:
    table = pa.table({"age": ["30"] * 4, "illness": ["flu", "Flu", "FLU ", "flù"]})
    plan = Plan.from_dict(
        {
            "attributes": {
                "age": {"role": "quasi-identifier", "kind": "numeric"},
                "illness": {"role": "confidential"},
            },
            "privacy": {"k": 2, "l": {"illness": 2}},
        }
    )
    with pytest.raises(Exception, match="illness"):
        anonymize(table, plan)
    assert FurtherColumn.of_texts("x", ["flu", "Flu", "cold", None]).domain.size == 3


def test_people_are_not_merged_by_their_spelling() -> None:
    plan = Plan.from_dict({"privacy": {"k": 2, "unit": "id"}})
    assert (
        len({*FurtherColumn.of("id", ["a-1", "A-1"], pa.array([1, 1]).to_numpy(), plan).code_of.values()})
        == 2
    )


UGLY = (
    b'age;job;note\r\n31;" Nurse ";"a ""b"" \xc3\xa9"\r\n32;nurse; 007\r\n60;NURSE;1,50\r\n61;"nurse";\t\r\n'
)


def test_untouched_columns_stay_to_the_byte(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(UGLY)
    plan = Plan.from_options(["age:numeric"], [], ["job"], k=2, others="keep")
    anonymize(tmp_path / "a.csv", plan).write(tmp_path / "b.csv")
    before = [line.partition(b";")[2] for line in UGLY.split(b"\r\n")]
    after = [line.partition(b";")[2] for line in (tmp_path / "b.csv").read_bytes().split(b"\r\n")]
    assert before == after
